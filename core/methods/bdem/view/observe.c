/* What a run shows: curves and drawables. */
#include <stdio.h>
#include <string.h>

#include "methods/bdem/contact/friction.h"
#include "methods/bdem/state/state.h"
#include "methods/bdem/view/contacts.h"
#include "methods/bdem/view/observe.h"
#include "sim/pieces/fragment_number.h"
#include "sim/pieces/fragments.h"

static void add_field(scr_drawable *drawable, const char *name, const char *unit, uint32_t components, scr_encoding encoding)
{
  scr_field *field = &drawable->fields[drawable->field_count++];
  snprintf(field->name, sizeof field->name, "%s", name);
  snprintf(field->unit, sizeof field->unit, "%s", unit);
  field->components = components;
  field->encoding = encoding;
}

static scr_status declare_spheres(scr_sim *sim, const bdem_state *s, scr_error *error)
{
  for (size_t k = 0; k < s->model.scene->specimen_count; ++k) {
    scr_drawable drawable = {.kind = SCR_DRAW_POINTS, .radius = s->model.substances[k].radius};
    snprintf(drawable.name, sizeof drawable.name, "%s", s->model.scene->specimens[k].name);
    drawable.element_count = (uint32_t)(s->model.specimen_first[k + 1] - s->model.specimen_first[k]);
    add_field(&drawable, "position", "m", 3, SCR_ENCODING_UINT16);
    add_field(&drawable, "damage", "1", 1, SCR_ENCODING_UINT16);
    add_field(&drawable, "speed", "m/s", 1, SCR_ENCODING_UINT16);
    add_field(&drawable, "stress", "Pa", 1, SCR_ENCODING_UINT16);
    add_field(&drawable, "fragment", "1", 1, SCR_ENCODING_UINT32);
    add_field(&drawable, "grain", "1", 1, SCR_ENCODING_UINT32);
    snprintf(drawable.pieces, sizeof drawable.pieces, "fragment");
    SCR_TRY(scr_sim_declare_drawable(sim, &drawable, error));
  }
  return SCR_OK;
}

/* A strength as text. */
static const char *strength_text(double strength, char text[40])
{
  if (isfinite(strength))
    snprintf(text, 40, "%.6g Pa", strength);
  else
    snprintf(text, 40, "unbreakable");
  return text;
}

/* What a virtual test found, so that the run's record says which bonds it has. */
static scr_status note_bonds(scr_sim *sim, const bdem_state *s, scr_error *error)
{
  for (size_t k = 0; k < s->model.scene->specimen_count; ++k) {
    const bdem_calibrated *found = &s->model.substances[k].calibrated;
    const bdem_constants *bonds = &found->bonds, *body = &found->body;
    char text[600], words[4][40];
    if (!(body->young_modulus > 0)) continue; /* the scene gives the bonds */
    snprintf(text, sizeof text,
             "specimen '%s': bonds of Young's modulus %.6g Pa, Poisson's ratio %.4g, tensile strength %s, shear strength %s give the body "
             "%.6g Pa (%.4g to %.4g Pa by direction), %.4g, %s, %s; %.3g of its nominal section carries",
             s->model.scene->specimens[k].name, bonds->young_modulus, bonds->poisson_ratio,
             strength_text(bonds->tensile_strength, words[0]), strength_text(bonds->shear_strength, words[1]), body->young_modulus,
             found->young_low, found->young_high, body->poisson_ratio, strength_text(body->tensile_strength, words[2]),
             strength_text(body->shear_strength, words[3]), found->share);
    SCR_TRY(scr_sim_declare_note(sim, text, error));
  }
  return SCR_OK;
}

/* Bodies that touch something at the start, whose overlaps are the zero of their gaps. */
static scr_status note_initial_overlaps(scr_sim *sim, const bdem_state *s, scr_error *error)
{
  char text[300];
  if (s->initial.pair_count + s->initial.touch_count == 0) return SCR_OK;
  snprintf(
      text, sizeof text,
      "at the start %zu pairs of spheres overlap and %zu spheres overlap the rig, by up to %.3g m, because packed spheres stick out of "
      "their body's surface: they push each other only when they come nearer than that",
      s->initial.pair_count, s->initial.touch_count, s->initial.deepest);
  return scr_sim_declare_note(sim, text, error);
}

scr_status bdem_declare(scr_sim *sim, scr_error *error)
{
  bdem_state *s = sim->state;
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(declare_spheres(sim, s, error));
  SCR_TRY(bdem_declare_contacts(sim, s, error));
  SCR_TRY(note_bonds(sim, s, error));
  SCR_TRY(note_initial_overlaps(sim, s, error));
  return fragments_declare(sim, &s->fragment_table, error);
}

static size_t find_pieces(const bdem_state *s)
{
  return bdem_pieces(s->body.sphere_count, (const uint32_t(*)[2])s->body.ends, s->body.bond_count, s->scratch.index);
}

/* The pieces of all grains. */
static fragment_summary count_fragments(const bdem_state *s)
{
  fragment_summary summary = {.whole = s->model.heaviest};
  (void)find_pieces(s);
  for (size_t g = 0; g < s->model.grain_count; ++g) {
    size_t first = s->model.grains[g].first;
    fragments_add_body(&summary, s->model.grains[g].count, s->scratch.index + first, s->body.mass + first, false, s->scratch.real[0],
                       s->scratch.real[1]);
  }
  return summary;
}

scr_status bdem_tabulate(scr_sim *sim, scr_error *error)
{
  bdem_state *s = sim->state;
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  fragment_summary summary = count_fragments(s);
  return fragments_add_rows(sim, s->fragment_table, &summary, error);
}

void bdem_energies(const scr_sim *sim, sim_energies *now)
{
  bdem_state *s = sim->state;
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  now->kinetic = bdem_body_kinetic(&s->body);
  now->elastic = bdem_body_energy(&s->body);
  now->contact = bdem_pairs_energy(&s->contacts, &s->body) + bdem_pair_springs_energy(&s->contacts);
  now->wall = bdem_touches_energy(&s->contacts, &s->body) + bdem_touch_springs_energy(&s->contacts);
}

void bdem_observe(const scr_sim *sim, double *values)
{
  bdem_state *s = sim->state;
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  fragment_summary fragments = count_fragments(s);
  const double rest[] = {(double)s->fracture.broken_count,
                         (double)fragments.count,
                         fragments.largest,
                         (double)s->step.solver.newton_iterations,
                         (double)s->step.solver.cg_iterations,
                         (double)s->step.solver.line_search_steps,
                         s->step.solver.residual,
                         (double)s->step.solver.substeps};
  memcpy(values + 1, rest, sizeof rest);
}

/* scratch 0 ... 2: damage, speed and the largest tensile stress of a sphere's bonds. */
static void prepare_fields(const bdem_state *s)
{
  const bdem_body *body = &s->body;
  find_pieces(s);
  fragment_numbers(s->model.grain_of, body->sphere_count, s->scratch.index, s->scratch.real[0]);
  for (size_t i = 0; i < body->sphere_count; ++i) {
    s->scratch.real[0][i] = s->model.degree[i] ? 1.0 - (double)s->fracture.live[i] / s->model.degree[i] : 0.0;
    s->scratch.real[1][i] = vec3_length(body->velocity[i]);
    s->scratch.real[2][i] = 0.0;
  }
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    bdem_bond_stress stress =
        bdem_bond_stress_of(&body->bonds[b], &bdem_substance_of(&s->model, i)->section, vec3_sub(body->position[j], body->position[i]),
                            body->orientation[i], body->orientation[j]);
    s->scratch.real[2][i] = fmax(s->scratch.real[2][i], stress.tension);
    s->scratch.real[2][j] = fmax(s->scratch.real[2][j], stress.tension);
  }
}

/* The positions of one specimen's spheres, by component. */
static scr_status draw_positions(const bdem_state *s, uint32_t specimen, scr_frame *frame, scr_error *error)
{
  size_t first = s->model.specimen_first[specimen], last = s->model.specimen_first[specimen + 1];
  double *x = s->scratch.real[3], *y = s->scratch.real[4], *z = s->scratch.real[5];
  for (size_t i = first; i < last; ++i) {
    x[i] = s->body.position[i].x;
    y[i] = s->body.position[i].y;
    z[i] = s->body.position[i].z;
  }
  return scr_frame_field(frame, specimen, 0, x + first, y + first, z + first, error);
}

scr_status bdem_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  bdem_state *s = sim->state;
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  prepare_fields(s);
  for (uint32_t k = 0; k < s->model.scene->specimen_count; ++k) {
    size_t first = s->model.specimen_first[k];
    SCR_TRY(draw_positions(s, k, frame, error));
    for (uint32_t f = 0; f < 3; ++f) SCR_TRY(scr_frame_field(frame, k, 1 + f, s->scratch.real[f] + first, NULL, NULL, error));
    SCR_TRY(scr_frame_field_u32(frame, k, 4, s->scratch.index + first, error));
    SCR_TRY(scr_frame_field_u32(frame, k, 5, s->model.grain_of + first, error));
  }
  return bdem_draw_contacts(s, frame, error);
}
