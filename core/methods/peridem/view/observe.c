/* What a run shows: curves and drawables. */
#include "methods/peridem/view/observe.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/step/quasi_static.h"
#include "methods/peridem/view/tables.h"
#include "sim/view/contact_view.h"

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
    add_field(&drawable, "pressure", "Pa", 1, SCR_ENCODING_UINT16);
    add_field(&drawable, "von_mises", "Pa", 1, SCR_ENCODING_UINT16);
    add_field(&drawable, "fragment", "1", 1, SCR_ENCODING_UINT32);
    add_field(&drawable, "grain", "1", 1, SCR_ENCODING_UINT32);
    snprintf(drawable.pieces, sizeof drawable.pieces, "fragment");
    SCR_TRY(scr_sim_declare_drawable(sim, &drawable, error));
  }
  return SCR_OK;
}

static const double thin = 0.02; /* radius of a thread or point of contact over the least thickness: nodes stay in sight */

/* The shortest edge of a body's box. */
static double least_thickness(const pd_state *s)
{
  double least = INFINITY;
  for (size_t b = 0; b < s->body_count; b++) {
    scr_vec3 edge = vec3_sub(s->bodies[b].box.high, s->bodies[b].box.low);
    least = fmin(least, s->bodies[b].spacing + fmin(edge.x, fmin(edge.y, edge.z)));
  }
  return least;
}

/* How many bonds cracks have cut, as notes of the run. */
static scr_status note_cracks(scr_sim *sim, const pd_state *s, scr_error *error)
{
  for (size_t b = 0; b < s->body_count; b++) {
    char text[200];
    if (s->bodies[b].cut_bonds == 0) continue;
    snprintf(text, sizeof text, "the crack of specimen '%s' cuts %zu bonds of each of its grains", s->scene->specimens[b].name,
             s->bodies[b].cut_bonds);
    SCR_TRY(scr_sim_declare_note(sim, text, error));
  }
  return SCR_OK;
}

scr_status pd_declare(scr_sim *sim, scr_error *error)
{
  pd_state *s = sim->state;
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(declare_nodes(sim, s, error));
  s->contact_view = (sim_contact_view){.chains = s->options->force_chains, .forces = s->options->contact_forces};
  SCR_TRY(contact_view_declare(sim, thin * least_thickness(s), &s->contact_view, error));
  SCR_TRY(note_cracks(sim, s, error));
  SCR_TRY(fragments_declare(sim, &s->fragment_table, error));
  SCR_TRY(pd_tables_declare(sim, s, error));
  return pd_quasi_static_declare(sim, s, error);
}

void pd_observe(const scr_sim *sim, double *values)
{
  const pd_state *s = sim->state;
  pd_forms forms = {.mass = 0};
  pd_bearing bearing;
  fragment_summary fragments = pd_count_fragments(s, &forms);
  s->backend->measure_touching(s, &bearing);
  scr_vec3 edge = vec3_sub(bearing.box.high, bearing.box.low);
  double volume = edge.x * edge.y * edge.z;
  bool solid = forms.mass > 0; /* or all is dust */
  values[1] = (double)s->broken_bonds;
  values[2] = (double)fragments.count;
  values[3] = fragments.largest;
  values[4] = (double)fragments.count / (double)s->grain_count;
  values[5] = solid ? forms.elongation / forms.mass : 1;
  values[6] = solid ? forms.flatness / forms.mass : 1;
  values[7] = bearing.coordination;
  for (int k = 0; k < 6; k++) values[8 + k] = bearing.stress[k] / volume;
  if (s->options->loading != PD_QUASI_STATIC) return;
  values[14] = s->residual;
  values[15] = (double)s->iterations;
}

static scr_status draw_contacts(const pd_state *s, scr_frame *frame, scr_error *error)
{
  sim_contact *contacts = NULL;
  size_t count = 0;
  scr_status status = s->backend->contacts(s, &contacts, &count, error);
  if (status == SCR_OK && frame) status = contact_view_draw(&s->contact_view, frame, contacts, count, thin * least_thickness(s), error);
  mem_free(contacts);
  return status;
}

scr_status pd_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const pd_state *s = sim->state;
  pd_picture nodes;
  SCR_TRY(s->backend->gather(s, &nodes, error));
  size_t first = 0;
  for (uint32_t b = 0; b < s->body_count && frame; b++) {
    SCR_TRY(scr_frame_field(frame, b, 0, nodes.x + first, nodes.y + first, nodes.z + first, error));
    SCR_TRY(scr_frame_field(frame, b, 1, nodes.damage + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field(frame, b, 2, nodes.speed + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field(frame, b, 3, nodes.pressure + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field(frame, b, 4, nodes.von_mises + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field_u32(frame, b, 5, nodes.piece + first, error));
    SCR_TRY(scr_frame_field_u32(frame, b, 6, nodes.grain + first, error));
    first += s->bodies[b].node_count * s->scene->specimens[b].position_count;
  }
  return s->contact_view.chains || s->contact_view.forces ? draw_contacts(s, frame, error) : SCR_OK;
}
