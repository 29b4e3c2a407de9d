/* What a run shows: curves and drawables. */
#include "sim/fragment_number.h"
#include "sim/fragments.h"
#include "methods/peridem/state.h"

#include <stdio.h>
#include <string.h>

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
  for (size_t k = 0; k < PD_CURVE_COUNT; k++)
    if (strcmp(pd_curves[k].name, "energy.damping") == 0 || strcmp(pd_curves[k].name, "energy.friction") == 0)
      SCR_TRY(scr_sim_declare_dissipation(sim, pd_curves[k].name, pd_curves[k].label, error));
    else if (!strstr(pd_curves[k].name, SCR_PART_MARK))
      SCR_TRY(scr_sim_declare_series(sim, pd_curves[k].name, pd_curves[k].unit, pd_curves[k].label, error));
  SCR_TRY(declare_nodes(sim, s, error));
  return fragments_declare(sim, &s->fragment_table, error);
}

/* The pieces of all grains. */
static fragment_summary count_fragments(const pd_state *s)
{
  fragment_summary summary = {.whole = 0};
  for (size_t b = 0; b < s->body_count; b++) summary.whole = fmax(summary.whole, s->bodies[b].node_mass * (double)s->bodies[b].node_count);
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    if (grain->bonds != &grain->own) { /* unbroken: the check made sure that it is one piece */
      fragments_add(&summary, body->node_mass * (double)body->node_count, false);
      continue;
    }
    uint32_t *piece = s->piece + grain->first;
    (void)pd_pieces(grain->bonds, piece);
    fragments_add_body(&summary, body->node_count, piece, &body->node_mass, true, s->scratch[0], s->scratch[1]);
  }
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
  size_t k = 1;
  double kinetic = pd_energy_kinetic(s), elastic = pd_energy_elastic(s), contact = pd_energy_contact(s), wall = pd_energy_wall(s);
  const pd_ledger *ledger = &s->ledger;
  double held = kinetic + elastic + contact + wall + ledger->damping + ledger->friction + ledger->fracture,
         put_in = ledger->start + ledger->external;
  const double rest[] = {kinetic,
                         elastic,
                         contact,
                         wall,
                         ledger->damping,
                         ledger->friction,
                         ledger->fracture,
                         ledger->external,
                         (put_in - held) / ledger->largest,
                         (double)s->broken_bonds};
  memcpy(values + k, rest, sizeof rest);
  k += sizeof rest / sizeof *rest;
  fragment_summary fragments = count_fragments(s);
  values[k++] = (double)fragments.count;
  values[k] = fragments.largest;
}

/* Fills piece with fragment numbers that are unique over the scene, and scratch 0 and 1 with damage and speed. */
static void prepare_fields(const pd_state *s)
{
  size_t offset = 0;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    bool broken = grain->bonds == &grain->own;
    size_t count = broken ? pd_pieces(grain->bonds, s->piece + grain->first) : 1;
    for (size_t k = 0; k < body->node_count; k++) {
      size_t i = grain->first + k;
      s->piece[i] = (broken ? s->piece[i] : 0) + (uint32_t)offset;
      s->scratch[0][i] = body->bond_degree[k] ? 1.0 - (double)grain->bonds->count[k] / body->bond_degree[k] : 0.0;
      s->scratch[1][i] =
          sqrt(s->velocity.x[i] * s->velocity.x[i] + s->velocity.y[i] * s->velocity.y[i] + s->velocity.z[i] * s->velocity.z[i]);
    }
    offset += count;
  }
  fragment_numbers(s->grain_of, s->node_count, s->piece, s->scratch[2]);
}

scr_status pd_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const pd_state *s = sim->state;
  prepare_fields(s);
  size_t first = 0;
  for (uint32_t b = 0; b < s->body_count; b++) {
    SCR_TRY(scr_frame_field(frame, b, 0, s->position.x + first, s->position.y + first, s->position.z + first, error));
    SCR_TRY(scr_frame_field(frame, b, 1, s->scratch[0] + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field(frame, b, 2, s->scratch[1] + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field_u32(frame, b, 3, s->piece + first, error));
    SCR_TRY(scr_frame_field_u32(frame, b, 4, s->grain_of + first, error));
    first += s->bodies[b].node_count * s->scene->specimens[b].position_count;
  }
  return SCR_OK;
}
