/* The tables of a run, and what they announce on the timeline: how good the meshes are, impacts, steps that needed clamped tangents; and
 * whether elements turn farther than their law allows. */
#include "methods/fem/view/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/fem/state/state.h"

/* The elements of one body, with the nodes of all. */
static geo_hexes_quality quality_of(const fem_state *s, size_t body)
{
  const geo_hexes mesh = {s->system.node_count, s->system.hex_first[body + 1] - s->system.hex_first[body],
                          (double(*)[3])(void *)s->system.rest, s->system.hex + s->system.hex_first[body]};
  return geo_hexes_measure(&mesh);
}

double fem_wave_time(const fem_state *s)
{
  double least = INFINITY;
  for (size_t b = 0; b < s->system.body_count; b++)
    least = fmin(least, quality_of(s, b).least_edge / fem_wave_speed(s->scene, s->specimen_of[b]));
  return least;
}

static scr_status declare_meshes(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  scr_column columns[] = {
      {.name = "specimen", .unit = "1", .label = "Specimen, from 0"},
      {.name = "grains", .unit = "1", .label = "Grains with this mesh"},
      {.name = "nodes", .unit = "1", .label = "Nodes"},
      {.name = "elements", .unit = "1", .label = "Elements"},
      {.name = "smallest_jacobian", .unit = "1", .label = "Smallest Jacobian over the largest of its element"},
      {.name = "scaled_jacobian", .unit = "1", .label = "Smallest scaled Jacobian"},
      {.name = "aspect", .unit = "1", .label = "Largest ratio of edges"},
      {.name = "least_edge", .unit = "m", .label = "Shortest edge"},
      {.name = "volume", .unit = "m^3", .label = "Volume"},
  };
  const scr_table about = {
      .name = "meshes", .label = "Meshes and their quality", .column_count = sizeof columns / sizeof *columns, .columns = columns};
  s->tables.meshes = sim->table_count;
  return scr_sim_declare_table(sim, &about, error);
}

/* Impact in the metric of a step that a wave crosses an element in may add energy, which its event says. */
static scr_status announce_impacts(scr_sim *sim, scr_error *error)
{
  const fem_state *s = sim->state;
  double courant = sim->time_step / fem_wave_time(s);
  char sentence[128];
  if (!(courant > 1 + 1e-9) || s->options->impact != FEM_IMPACT_STEP)
    return scr_sim_announce_table(sim, s->tables.impacts, "first_impact", "first impacts", error);
  snprintf(sentence, sizeof sentence, "first impacts above CFL 1: a step is %.3g waves through an element, so they may add energy",
           courant);
  return scr_sim_announce_table(sim, s->tables.impacts, "impact_above_cfl_1", sentence, error);
}

static scr_status declare_impacts(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  scr_column columns[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "contacts", .unit = "1", .label = "Closed contacts"},
      {.name = "energy", .unit = "J", .label = "Change of kinetic energy"},
  };
  const scr_table about = {.name = "impacts",
                           .label = "Approaching velocity taken out at contacts",
                           .column_count = sizeof columns / sizeof *columns,
                           .columns = columns};
  s->tables.impacts = sim->table_count;
  SCR_TRY(scr_sim_declare_table(sim, &about, error));
  return announce_impacts(sim, error);
}

static scr_status declare_clamped(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  scr_column columns[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "tangents", .unit = "1", .label = "Factorisations with clamped tangents"},
  };
  const scr_table about = {.name = "clamped_tangents",
                           .label = "Steps whose matrix was not positive definite until tangents were clamped",
                           .column_count = sizeof columns / sizeof *columns,
                           .columns = columns};
  s->tables.clamped = sim->table_count;
  SCR_TRY(scr_sim_declare_table(sim, &about, error));
  return scr_sim_announce_table(sim, s->tables.clamped, "clamped_tangents",
                                "tangents were clamped, as a matrix was not positive definite (the body may buckle)", error);
}

scr_status fem_declare_tables(scr_sim *sim, scr_error *error)
{
  SCR_TRY(declare_impacts(sim, error));
  SCR_TRY(declare_clamped(sim, error));
  return declare_meshes(sim, error);
}

scr_status fem_tabulate_start(scr_sim *sim, scr_error *error)
{
  const fem_state *s = sim->state;
  for (size_t b = 0; b < s->system.body_count; b++) {
    size_t k = s->specimen_of[b];
    if (b > 0 && s->specimen_of[b - 1] == k) continue;
    geo_hexes_quality q = quality_of(s, b);
    const double row[] = {(double)k,
                          (double)s->scene->specimens[k].position_count,
                          (double)(s->system.node_first[b + 1] - s->system.node_first[b]),
                          (double)(s->system.hex_first[b + 1] - s->system.hex_first[b]),
                          q.least_jacobian,
                          q.scaled_jacobian,
                          q.aspect,
                          q.least_edge,
                          q.volume};
    SCR_TRY(scr_sim_add_row(sim, s->tables.meshes, row, error));
  }
  return fem_tabulate_clamped(sim, 0, s->loading.clamped, error);
}

scr_status fem_tabulate_clamped(scr_sim *sim, double time, unsigned count, scr_error *error)
{
  const fem_state *s = sim->state;
  const double row[] = {time, (double)count};
  return count ? scr_sim_add_row(sim, s->tables.clamped, row, error) : SCR_OK;
}

scr_status fem_tabulate_impact(scr_sim *sim, unsigned contacts, double energy, scr_error *error)
{
  const fem_state *s = sim->state;
  const double row[] = {sim->time, (double)contacts, energy};
  return energy != 0 ? scr_sim_add_row(sim, s->tables.impacts, row, error) : SCR_OK;
}

/* ── whether elements of the linear law turn farther than it holds for ──────────────────────────────────────────────── */

/* By how much element e has turned, rad: of its mean deformation gradient, as if that were a turn alone, whose axis times sin(turn) is its
 * skew part and whose trace is 1 + 2 cos(turn). */
static double turn_of(const fem_system *system, const double *displacement, size_t e)
{
  const fem_hex *hex = &system->shape[e];
  double u[FEM_CORNERS][3], mean[9] = {0};
  for (int a = 0; a < FEM_CORNERS; a++) memcpy(u[a], displacement + 3 * (size_t)system->hex[e][a], sizeof u[a]);
  for (int g = 0; g < FEM_GAUSS; g++) {
    double d[9];
    fem_element_gradient(hex, &system->constitutive[system->body_of_hex[e]], (const double(*)[3])u, NULL, g, d);
    for (int k = 0; k < 9; k++) mean[k] += hex->gauss[g].weight / hex->volume * d[k];
  }
  scr_vec3 skew = vec3(0.5 * (mean[7] - mean[5]), 0.5 * (mean[2] - mean[6]), 0.5 * (mean[3] - mean[1]));
  return atan2(vec3_length(skew), 1 + 0.5 * (mean[0] + mean[4] + mean[8]));
}

static void raise_turn(const void *user, size_t begin, size_t end, double *most)
{
  const fem_state *s = user;
  for (size_t e = begin; e < end; e++) *most = fmax(*most, turn_of(&s->system, s->motion.displacement, e));
}

void fem_doubt_turns(scr_sim *sim)
{
  fem_state *s = sim->state;
  if ((fem_law)s->options->law != FEM_LINEAR) return;
  execution_largest(s->solver.settings.execution, s->system.hex_count, 1, raise_turn, s, &s->totals.turn);
  if (s->totals.turn > FEM_LINEAR_TURN)
    scr_sim_doubt(sim, "large_rotation",
                  "an element of law \"linear\" has turned by %.3g rad, which the law takes for a strain of %.2g; it is for turns below "
                  "%.2g rad: use "
                  "\"law\": \"neo-hookean\"",
                  s->totals.turn, 1 - cos(s->totals.turn), FEM_LINEAR_TURN);
}
