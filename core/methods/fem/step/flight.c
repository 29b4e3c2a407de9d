/* Stages, and the hand-over between nodes and rigid flight. */
#include "methods/fem/step/flight.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/fem/coarsen/modes.h"
#include "methods/fem/dynamics/statics.h"
#include "methods/fem/state/state.h"

static const double calm_share =
    1e-4; /* elastic over kinetic energy, and kinetic energy of vibrations over all of it, below which a body may fly as a rigid one */
enum { CALM_STEPS = 5 };

static bool staged(const fem_options *options)
{
  return options->flight || options->loading == FEM_LOADING_STATIC;
}

void fem_loads_at(const fem_state *s, double time, double *load)
{
  for (size_t n = 0; n < s->system.node_count; n++) {
    double rise = s->rise[s->system.body_of_node[n]], share = rise > 0 ? fmin(time / rise, 1) : 1;
    for (size_t k = 3 * n; k < 3 * n + 3; k++) load[k] = s->gravity[k] + share * s->load[k];
  }
}

/* The equilibrium under the full loads, from which the motion starts; afterwards sides are free unless the load stays. */
static scr_status load_statically(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  fem_statics_report report;
  size_t n = 3 * s->system.node_count;
  fem_loads_at(s, INFINITY, s->load_after);
  SCR_TRY(fem_statics(&s->solver, s->load_after, &sim->parts, &report, error));
  s->loading = report;
  memset(sim->parts.load, 0, sim->parts.count * sizeof *sim->parts.load);
  s->totals.normal_force = fem_add_part_loads(&s->solver, &sim->parts, 1, sim->parts.load);
  fem_doubt_turns(sim);
  s->ledger->largest = 0;
  ledger_begin(s->ledger, &sim->parts, fem_kinetic(&s->solver) + s->solver.energy);
  memset(s->rise, 0, s->system.body_count * sizeof *s->rise);
  if (s->options->release) memset(s->load, 0, n * sizeof *s->load);
  char text[240];
  snprintf(
      text, sizeof text,
      "static loading: %u iterations, %zu nodes pressed on parts, %.4g J of elastic energy, %.2g N left at free nodes, %u clamped tangents",
      report.iterations, report.active, s->solver.energy, report.residual, report.clamped);
  return scr_sim_declare_note(sim, text, error);
}

/* Steps that are longer than the first vibration's period over 2 pi show neither a launch nor a landing. */
static scr_status doubt_coarse_steps(scr_sim *sim, scr_error *error)
{
  const fem_state *s = sim->state;
  fem_modes modes = {0};
  if (s->system.body_count > 1) return SCR_OK;
  SCR_TRY(fem_modes_find_slowly(&s->system, s->hold.fixed, 1, &sim->liveness, &modes, error));
  double frequency = fem_mode_frequency(&modes, 0), turn = 2 * 3.14159265358979323846 * frequency * sim->time_step;
  fem_modes_clear(&modes);
  if (turn > 1)
    scr_sim_doubt(
        sim, "coarse_steps",
        "a step of %.3g s is %.3g of 1/omega of the first vibration (%.4g Hz), which governs launch and landing: take steps below %.2g s",
        sim->time_step, turn, frequency, sim->time_step / turn);
  return SCR_OK;
}

scr_status fem_begin_stages(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  if (!staged(s->options)) return SCR_OK;
  SCR_TRY(scr_sim_declare_stage(sim, "loading", "Loaded", error));
  SCR_TRY(scr_sim_declare_stage(sim, "launch", "Moves by itself", error));
  SCR_TRY(scr_sim_declare_stage(sim, "flight", "Flies as a rigid body", error));
  SCR_TRY(scr_sim_declare_stage(sim, "landing", "Lands", error));
  SCR_TRY(doubt_coarse_steps(sim, error));
  if (s->options->loading != FEM_LOADING_STATIC) return scr_sim_enter_stage(sim, FEM_STAGE_LAUNCH, error);
  SCR_TRY(scr_sim_enter_stage(sim, FEM_STAGE_LOADING, error));
  return load_statically(sim, error);
}

/* Whether a node of the surface would be inside a part. */
static bool touches(const fem_state *s, const sim_parts *parts, const double *displacement)
{
  for (size_t b = 0; b < s->system.body_count; b++)
    for (size_t k = 0; k < s->surfaces[b].node_count; k++) {
      uint32_t node = s->surfaces[b].node[k];
      const double *x = s->system.rest + 3 * (size_t)node, *u = displacement + 3 * (size_t)node;
      scr_vec3 at = vec3(x[0] + u[0], x[1] + u[1], x[2] + u[2]);
      for (uint32_t p = 0; p < parts->count; p++)
        if (scr_part_distance_posed(&parts->form[p], &parts->now[p].pose, at).distance <= fem_gap_zero(&s->overlaps, node, p)) return true;
    }
  return false;
}

scr_status fem_fly(scr_sim *sim, double end, bool *done, scr_error *error)
{
  fem_state *s = sim->state;
  fem_flight *flight = &s->flight;
  scr_vec3 gravity = s->scene->rig.gravity;
  double *u = s->solver.trial, *v = s->solver.delta;
  *done = false;
  if (!flight->flying) return SCR_OK;
  fem_spin next = flight->spin;
  SCR_TRY(fem_spin_step(&next, gravity, end - sim->time, error));
  fem_spin_spread(&s->system, &s->frames, 0, &next, u, v);
  if (touches(s, &sim->parts, u)) {
    flight->flying = 0;
    flight->calm = 0;
    return scr_sim_enter_stage(sim, FEM_STAGE_LANDING, error);
  }
  s->ledger->gravity += next.mass * vec3_dot(gravity, vec3_sub(next.centre, flight->spin.centre));
  flight->spin = next;
  memcpy(s->motion.displacement, u, 3 * s->system.node_count * sizeof *u);
  memcpy(s->motion.velocity, v, 3 * s->system.node_count * sizeof *v);
  s->solver.touches.count = 0;
  s->totals.iterations = 0;
  *done = true;
  return fem_solver_refresh(&s->solver, error);
}

/* The angular momentum that the steps keep is L + (h^2/4) sum v x F, F the forces of elasticity and damping: L itself swings about it where
 * vibrations are left that a step does not resolve. The rigid body gets the one that is kept. */
static void keep_momentum(fem_state *s, double h, fem_spin *spin)
{
  const fem_solver *solver = &s->solver;
  double *damped = solver->work[1];
  const scr_quat rotation = fem_rotation(&s->system, &s->frames, 0, s->motion.displacement);
  scr_vec3 swing = vec3(0, 0, 0);
  fem_damping_multiply(solver, &rotation, s->motion.velocity, damped);
  for (size_t n = 0; n < s->system.node_count; n++) {
    const double *v = s->motion.velocity + 3 * n, *g = solver->gradient + 3 * n, *d = damped + 3 * n;
    scr_vec3 speed = vec3_sub(vec3(v[0], v[1], v[2]), spin->velocity), force = vec3(-g[0] - d[0], -g[1] - d[1], -g[2] - d[2]);
    swing = vec3_add(swing, vec3_cross(speed, force));
  }
  spin->momentum = vec3_add(spin->momentum, quat_rotate(quat_conjugate(spin->attitude), vec3_scale(swing, 0.25 * h * h)));
}

/* Whether next to nothing of the energy is in vibrations: elastic energy alone passes through 0 twice in each of their periods, also in
 * several short steps, so what the motion has beyond a rigid body's counts too. Fills the rigid motion. */
static bool is_calm(fem_state *s, double kinetic, fem_spin *spin)
{
  double *momentum = s->solver.work[1];
  if (s->solver.touches.count > 0 || !(s->solver.energy < calm_share * kinetic)) return false;
  fem_mass_multiply(&s->system, s->motion.velocity, momentum, s->solver.settings.execution);
  *spin = fem_spin_of(&s->system, &s->frames, 0, s->motion.displacement, momentum);
  return fabs(kinetic - fem_spin_energy(spin)) < calm_share * kinetic;
}

scr_status fem_take_off(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  if (!s->options->flight) return SCR_OK;
  double kinetic = fem_kinetic(&s->solver), before = kinetic + s->solver.energy;
  fem_spin spin;
  s->flight.calm = is_calm(s, kinetic, &spin) ? s->flight.calm + 1 : 0;
  if (s->flight.calm < CALM_STEPS) return SCR_OK;
  s->flight.spin = spin;
  keep_momentum(s, sim->time_step, &s->flight.spin);
  s->flight.flying = 1;
  fem_spin_spread(&s->system, &s->frames, 0, &s->flight.spin, s->motion.displacement, s->motion.velocity);
  memset(s->motion.mode, 0, s->system.hex_count * FEM_MODE_UNKNOWNS * sizeof *s->motion.mode);
  SCR_TRY(fem_solver_refresh(&s->solver, error));
  s->ledger->damping += before - fem_kinetic(&s->solver) - s->solver.energy; /* what was left of vibrations */
  return scr_sim_enter_stage(sim, FEM_STAGE_FLIGHT, error);
}
