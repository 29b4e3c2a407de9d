/* What a run shows: curves and drawables. */
#include "methods/peridem/observe.h"

#include <stdio.h>
#include <string.h>

#include "methods/peridem/state.h"

static void add_field(scr_drawable *drawable, const char *name, const char *unit, uint32_t components, scr_encoding encoding)
{
  scr_field *field = &drawable->fields[drawable->field_count++];
  snprintf(field->name, sizeof field->name, "%s", name);
  snprintf(field->unit, sizeof field->unit, "%s", unit);
  field->components = components;
  field->encoding = encoding;
}

static scr_status declare_nodes(scr_sim *sim, const pd_state *s, scr_error *error)
{
  for (size_t b = 0; b < s->body_count; b++) {
    const scr_specimen *specimen = &s->scene->specimens[b];
    scr_drawable drawable = {.kind = SCR_DRAW_POINTS, .radius = 0.5 * pd_specimen_of(specimen)->spacing};
    snprintf(drawable.name, sizeof drawable.name, "%s", specimen->name);
    drawable.element_count = (uint32_t)(s->bodies[b].node_count * specimen->position_count);
    add_field(&drawable, "position", "m", 3, SCR_ENCODING_UINT16);
    add_field(&drawable, "damage", "1", 1, SCR_ENCODING_UINT16);
    add_field(&drawable, "speed", "m/s", 1, SCR_ENCODING_UINT16);
    add_field(&drawable, "fragment", "1", 1, SCR_ENCODING_UINT32);
    add_field(&drawable, "grain", "1", 1, SCR_ENCODING_UINT32);
    snprintf(drawable.pieces, sizeof drawable.pieces, "fragment");
    SCR_TRY(scr_sim_declare_drawable(sim, &drawable, error));
  }
  return SCR_OK;
}

scr_status pd_declare(scr_sim *sim, scr_error *error)
{
  pd_state *s = sim->state;
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(declare_nodes(sim, s, error));
  return fragments_declare(sim, &s->fragment_table, error);
}

static fragment_summary count_fragments(const pd_state *s)
{
  fragment_summary summary = {.whole = 0};
  for (size_t b = 0; b < s->body_count; b++) summary.whole = fmax(summary.whole, s->bodies[b].node_mass * (double)s->bodies[b].node_count);
  s->backend->count_pieces(s, &summary);
  return summary;
}

scr_status pd_tabulate(scr_sim *sim, scr_error *error)
{
  const pd_state *s = sim->state;
  fragment_summary summary = count_fragments(s);
  return fragments_add_rows(sim, s->fragment_table, &summary, error);
}

void pd_observe(const scr_sim *sim, double *values)
{
  const pd_state *s = sim->state;
  fragment_summary fragments = count_fragments(s);
  values[1] = (double)s->broken_bonds;
  values[2] = (double)fragments.count;
  values[3] = fragments.largest;
}

scr_status pd_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const pd_state *s = sim->state;
  pd_picture nodes;
  s->backend->gather(s, &nodes);
  size_t first = 0;
  for (uint32_t b = 0; b < s->body_count; b++) {
    SCR_TRY(scr_frame_field(frame, b, 0, nodes.x + first, nodes.y + first, nodes.z + first, error));
    SCR_TRY(scr_frame_field(frame, b, 1, nodes.damage + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field(frame, b, 2, nodes.speed + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field_u32(frame, b, 3, nodes.piece + first, error));
    SCR_TRY(scr_frame_field_u32(frame, b, 4, nodes.grain + first, error));
    first += s->bodies[b].node_count * s->scene->specimens[b].position_count;
  }
  return SCR_OK;
}
