/* What is shown: tables of modes and meshes, curves, the body as it swings. */
#include <math.h>
#include <stdio.h>

#include "methods/fem/coarsen/task/task.h"

static const double shown_share = 0.1; /* largest displacement in pictures over the size of the body */

size_t coarsening_shown(const coarsening_state *s, uint64_t steps)
{
  size_t before = (size_t)s->options->snapshots + 2 + s->plan.count;
  return steps > before && steps - before <= s->mode_count ? (size_t)(steps - before) - 1 : SIZE_MAX;
}

static scr_status declare_tables(scr_sim *sim, coarsening_state *s, scr_error *error)
{
  scr_column modes[] = {{.name = "mode", .unit = "1", .label = "Mode, from 1"},
                        {.name = "frequency", .unit = "Hz", .label = "Frequency"},
                        {.name = "period", .unit = "s", .label = "Period"}};
  scr_column meshes[] = {{.name = "mesh", .unit = "1", .label = "Mesh, from 1"},
                         {.name = "elements", .unit = "1", .label = "Elements"},
                         {.name = "nodes", .unit = "1", .label = "Nodes"},
                         {.name = "match", .unit = "1", .label = "Least match"},
                         {.name = "stiffness_scale", .unit = "1", .label = "Stiffness scale"},
                         {.name = "accepted", .unit = "1", .label = "Accepted: 1, or 0"}};
  scr_column matches[] = {{.name = "mesh", .unit = "1", .label = "Mesh, from 1"},
                          {.name = "mode", .unit = "1", .label = "First mode of the group, from 1"},
                          {.name = "modes", .unit = "1", .label = "Modes of the group"},
                          {.name = "coarse_mode", .unit = "1", .label = "First mode of the coarse mesh, from 1"},
                          {.name = "frequency", .unit = "Hz", .label = "Frequency of the fine mesh"},
                          {.name = "match", .unit = "1", .label = "Match"},
                          {.name = "uncalibrated", .unit = "1", .label = "Coarse over fine frequency"},
                          {.name = "calibrated", .unit = "1", .label = "The same after scaling the stiffness"}};
  const scr_table about[] = {{.name = "modes", .label = "Modes of the fine mesh", .column_count = 3, .columns = modes},
                             {.name = "meshes", .label = "Meshes tried", .column_count = 6, .columns = meshes},
                             {.name = "matches", .label = "Modes of the meshes tried", .column_count = 8, .columns = matches}};
  s->modes_table = sim->table_count, s->meshes_table = s->modes_table + 1, s->matches_table = s->modes_table + 2;
  for (int k = 0; k < 3; k++) SCR_TRY(scr_sim_declare_table(sim, &about[k], error));
  return SCR_OK;
}

scr_status coarsening_declare(scr_sim *sim, scr_error *error)
{
  coarsening_state *s = sim->state;
  scr_modal_shape shape = {.name = "surface"};
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(declare_tables(sim, s, error));
  scr_status status = geo_hexes_skin(&s->fine.placed, &shape.mesh, error);
  scr_drawable drawable = {.kind = SCR_DRAW_SURFACE,
                           .element_count = (uint32_t)s->surface.node_count,
                           .field_count = 2,
                           .fields = {{"position", "m", 3, SCR_ENCODING_UINT16}, {"displacement", "m", 1, SCR_ENCODING_UINT16}},
                           .shape_count = 1,
                           .shapes = &shape};
  snprintf(drawable.name, sizeof drawable.name, "%.63s", s->scene->specimens[0].name);
  if (status == SCR_OK) status = scr_sim_declare_drawable(sim, &drawable, error);
  geo_mesh_clear(&shape.mesh);
  SCR_TRY(status);
  SCR_TRY(scr_sim_declare_headline(sim, "mesh.elements", "Elements of the mesh tried last", HEADLINE_NEWEST, error));
  return scr_sim_declare_headline(sim, "mode.frequency", "Frequency of the mode shown", HEADLINE_NEWEST, error);
}

/* ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status add_modes(scr_sim *sim, const coarsening_state *s, scr_error *error)
{
  for (size_t k = 0; k < s->mode_count; k++) {
    double frequency = fem_mode_frequency(&s->fine.modes, k);
    const double row[] = {(double)k + 1, frequency, 1 / frequency};
    SCR_TRY(scr_sim_add_row(sim, s->modes_table, row, error));
  }
  return SCR_OK;
}

static scr_status add_mesh(scr_sim *sim, const coarsening_state *s, size_t mesh, scr_error *error)
{
  const coarsening_row *of = &s->rows[mesh];
  bool made = of->match_count > 0;
  const double row[] = {(double)mesh + 1,       (double)of->hexes, (double)of->nodes, made ? of->least_match : NAN,
                        made ? of->scale : NAN, of->accepted};
  SCR_TRY(scr_sim_add_row(sim, s->meshes_table, row, error));
  for (size_t k = 0; k < of->match_count; k++) {
    const fem_match *match = &of->match[k];
    const double entry[] = {(double)mesh + 1,
                            (double)match->first + 1,
                            (double)match->count,
                            (double)match->coarse[0] + 1,
                            fem_mode_frequency(&s->fine.modes, match->first),
                            match->mac,
                            match->ratio,
                            coarsening_ratio(of, k)};
    SCR_TRY(scr_sim_add_row(sim, s->matches_table, entry, error));
  }
  return SCR_OK;
}

scr_status coarsening_tabulate(scr_sim *sim, size_t step, scr_error *error)
{
  const coarsening_state *s = sim->state;
  if (step == 1) return add_modes(sim, s, error);
  return step < 2 + s->plan.count ? add_mesh(sim, s, step - 2, error) : SCR_OK;
}

/* ── values and pictures ────────────────────────────────────────────────────────────────────────────────────────── */

void coarsening_observe(const scr_sim *sim, double *values)
{
  const coarsening_state *s = sim->state;
  size_t shown = coarsening_shown(s, sim->steps);
  const coarsening_row *last = NULL;
  for (size_t k = 0; k < s->plan.count; k++)
    if (s->rows[k].tried) last = &s->rows[k];
  values[1] = shown == SIZE_MAX ? 0 : (double)shown + 1;
  values[2] = shown == SIZE_MAX ? 0 : fem_mode_frequency(&s->fine.modes, shown);
  values[3] = last ? (double)last->hexes : 0;
  values[4] = last ? last->least_match : 0;
  values[5] = last ? last->scale : 0;
}

double coarsening_drawn_by(const coarsening_state *s, size_t mode)
{
  const double *shape = s->fine.modes.shape + mode * s->fine.modes.size;
  double most = 0, low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < s->fine.modes.size; k++) {
    low[k % 3] = fmin(low[k % 3], s->fine.system.rest[k]);
    high[k % 3] = fmax(high[k % 3], s->fine.system.rest[k]);
    if (k % 3 == 0) most = fmax(most, vec3_length(vec3(shape[k], shape[k + 1], shape[k + 2])));
  }
  return shown_share * fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2])) / most;
}

scr_status coarsening_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const coarsening_state *s = sim->state;
  size_t shown = coarsening_shown(s, sim->steps);
  double factor = shown == SIZE_MAX ? 0 : coarsening_drawn_by(s, shown);
  for (size_t v = 0; v < s->surface.node_count; v++) {
    size_t at = 3 * (size_t)s->surface.node[v];
    const double *rest = s->fine.system.rest + at;
    double u[3] = {0, 0, 0};
    for (size_t k = 0; k < 3 && shown != SIZE_MAX; k++) u[k] = factor * s->fine.modes.shape[shown * s->fine.modes.size + at + k];
    for (int k = 0; k < 3; k++) s->picture[k][v] = rest[k] + u[k];
    s->picture[3][v] = vec3_length(vec3(u[0], u[1], u[2]));
  }
  SCR_TRY(scr_frame_field(frame, 0, 0, s->picture[0], s->picture[1], s->picture[2], error));
  return scr_frame_field(frame, 0, 1, s->picture[3], NULL, NULL, error);
}
