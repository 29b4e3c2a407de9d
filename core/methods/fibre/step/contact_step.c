/* A step of fibres that touch: Newton's method on all of them together, each linear system with its contacts solved exactly.
 *
 *      A_k v' = b_k + H' r,   u = H v' + w,   (u, r) in Coulomb's law        k: linearised about q + dt v_k, v_0 the velocities before
 *
 *  Contacts are those that the start of the step has. What fibres don't touch is stepped by itself. */
#include <string.h>
#include <time.h>

#include "methods/fibre/contact/problem.h"
#include "methods/fibre/step/slices.h"
#include "methods/fibre/step/step.h"

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

scr_status fibre_find_touches(fibre_state *s, const sim_parts *parts, double dt, scr_execution execution, scr_error *error)
{
  double speed[SCR_PART_LIMIT], begun = processor_time();
  for (size_t p = 0; p < parts->count; p++) {
    double extent = isfinite(parts->form[p].extent) ? parts->form[p].extent : 0;
    speed[p] = (vec3_length(s->displacement[p].displacement) + vec3_length(s->displacement[p].turn) * extent) / dt;
  }
  SCR_TRY(fibre_detect(s, parts, speed, dt, execution, error));
  SCR_TRY(fibre_bodies_find(s, parts, dt, error));
  SCR_TRY(fibre_problem_begin(s, parts, dt, error));
  s->times.search += processor_time() - begun;
  return SCR_OK;
}

static void linearise(fibre_state *s, double dt, bool first, scr_execution execution)
{
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t k = 0; k < s->fibre_count; k++) {
    if (!s->touched[k]) continue;
    fibre_slices o = fibre_slices_of(s, k, dt);
    size_t u = ROD_UNKNOWNS * (size_t)o.f->first;
    la_band matrix = {o.unknowns, rod_band(o.f->ring), s->system + o.f->band};
    o.search.rod = &o.r, o.search.place = o.base_place, o.search.inertial = o.base_velocity;
    if (first) memcpy(o.base_place, o.place, o.unknowns * sizeof *o.place);
    memcpy(s->trial_velocity + u, o.velocity, o.unknowns * sizeof *o.velocity); /* kept: what the solution is compared with */
    s->reports[k].lost = !rod_linearise(&o.search, o.velocity, o.place, &o.frames, first, &matrix, s->rhs + u, &o.scratch);
  }
}

typedef struct change {
  double largest, speed; /* m/s */
} change;

/* Of the velocities of fibres that take part, turning counted at a radius. */
static change compare(const fibre_state *s)
{
  change c = {0};
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    for (size_t i = 0; s->touched[k] && i < (size_t)ROD_UNKNOWNS * f->nodes; i++) {
      size_t u = ROD_UNKNOWNS * (size_t)f->first + i;
      double length = i % ROD_UNKNOWNS == ROD_TWIST ? f->radius : 1;
      c.largest = fmax(c.largest, length * fabs(s->velocity[u] - s->trial_velocity[u]));
      c.speed = fmax(c.speed, length * fabs(s->velocity[u]));
    }
  }
  return c;
}

static double fastest_before(const fibre_state *s)
{
  double most = 0;
  for (size_t u = 0; u < s->unknown_count; u++)
    if (u % ROD_UNKNOWNS != ROD_TWIST) most = fmax(most, fabs(s->base_velocity[u]));
  return most;
}

/* Speed that changes of velocities are compared with where all is slower: a part of a step's motion so small that what is left of it is
 * rounding of places. */
static double slowest(const fibre_state *s, double dt)
{
  double length = 0;
  for (size_t k = 0; k < s->fibre_count; k++) length = fmax(length, s->fibres[k].length);
  return 1e-8 * length / dt;
}

static bool any_lost(const fibre_state *s)
{
  for (size_t k = 0; k < s->fibre_count; k++)
    if (s->touched[k] && s->reports[k].lost) return true;
  return false;
}

/* Half of the way, where whole ones go to and fro. */
static void go_half(fibre_state *s)
{
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    for (size_t i = 0; s->touched[k] && i < (size_t)ROD_UNKNOWNS * f->nodes; i++) {
      size_t u = ROD_UNKNOWNS * (size_t)f->first + i;
      s->velocity[u] = 0.5 * (s->velocity[u] + s->trial_velocity[u]);
    }
  }
}

/* What the iterations came to. */
typedef struct outcome {
  uint32_t iterations;
  double left; /* last change over the largest velocity */
  bool solved;
} outcome;

/* How well the contacts of a linear system are solved: the better, the less the last linearisation changed, as the next one undoes what it
 * is solved beyond that (inexact Newton method, Eisenstat and Walker 1996); at last to the tolerance of the scene. Looser ones than these
 * took more linearisations: 9 instead of 5 with a tenth of the change. */
static double contact_tolerance(double scene, uint32_t iteration, double left)
{
  const double loosest = 1e-4;
  return fmax(scene, fmin(loosest, iteration == 0 ? loosest : 3e-4 * left));
}

/* What the next linearisation would change, over the largest velocity: as much less as the last one changed less than the one before, where
 * changes fall quickly, which bounds a method whose changes fall quadratically. */
static double will_change(double now, double before, double speed)
{
  const double quickly = 0.1;
  return now / speed * (isfinite(before) && now < quickly * before ? now / before : 1);
}

/* Linearises and solves until velocities change no more. */
static scr_status iterate(scr_sim *sim, double dt, double least, outcome *out, scr_error *error)
{
  enum { PATIENCE = 5 };
  fibre_state *s = sim->state;
  double before = INFINITY, tolerance = fmax(1e-8, 0.1 * s->options->contact_tolerance);
  contact_result result;
  *out = (outcome){.iterations = 0};
  while (out->iterations < (uint32_t)s->options->linearisations && !out->solved) {
    double begun = processor_time();
    linearise(s, dt, out->iterations == 0, sim->execution);
    if (any_lost(s)) return SCR_OK;
    double between = processor_time();
    double asked = contact_tolerance(s->options->contact_tolerance, out->iterations, out->left);
    SCR_TRY(fibre_problem_solve(s, asked, least, sim->execution, &result, error));
    s->times.linearise += between - begun, s->times.contacts += processor_time() - between;
    s->times.linearisations++, s->times.iterations += result.iterations + result.factorisations;
    s->counts.residual = result.residual;
    out->iterations++;
    change c = compare(s);
    out->left = c.largest / fmax(c.speed, least);
    out->solved = asked <= s->options->contact_tolerance && will_change(c.largest, before, fmax(c.speed, least)) <= tolerance;
    if (!out->solved && out->iterations > PATIENCE && c.largest > 0.5 * before) go_half(s);
    before = c.largest;
    scr_report_alive(&sim->liveness);
  }
  return SCR_OK;
}

static void finish(fibre_state *s, size_t k, double dt, const outcome *out)
{
  fibre_slices o = fibre_slices_of(s, k, dt);
  fibre_report *report = &s->reports[k];
  double elastic = rod_total(report->energy);
  rod_found found = {.solved = out->solved, .iterations = out->iterations, .residual = out->left};
  o.search.rod = &o.r, o.search.place = o.base_place, o.search.inertial = o.base_velocity;
  for (size_t i = 0; i < o.unknowns; i++) o.place[i] = o.base_place[i] + dt * o.velocity[i];
  rod_carry_frames(&o.r, o.place, &o.frames, &o.frames);
  rod_finish(&o.search, o.velocity, o.place, &o.frames, o.reaction, &o.scratch, &found);
  *report = (fibre_report){.solved = true};
  fibre_slices_take(report, &found, 1);
  report->numerical = fibre_slices_numerical_loss(&o) + elastic - rod_total(found.energy) + found.strained;
  report->kinetic = fibre_slices_kinetic(&o, o.velocity);
}

static void begin_counts(fibre_state *s, sim_parts *parts)
{
  s->counts.contacts = s->counts.sticking = s->counts.sliding = 0;
  s->counts.penetration = s->counts.residual = 0;
  memset(s->node_force, 0, s->node_count * sizeof *s->node_force);
  for (size_t p = 0; p < parts->count; p++) parts->load[p].impulse = parts->load[p].turning = vec3(0, 0, 0);
}

scr_status fibre_step_touching(scr_sim *sim, double dt, scr_error *error)
{
  fibre_state *s = sim->state;
  fibre_problem *p = &s->problem;
  double before = fmax(fastest_before(s), fibre_bodies_speed(&s->bodies)),
         least = fmax(slowest(s, dt), fmax(vec3_length(s->scene->rig.gravity) * dt, 1e-3 * before));
  outcome out;
  begin_counts(s, &sim->parts);
  if (p->count == 0) return warm_start_keep(&s->warm, 3, 0, p->key, p->axes, p->impulse, dt, error);
  warm_start_recall(&s->warm, 3, p->count, p->key, p->axes, dt, p->impulse);
  SCR_TRY(iterate(sim, dt, least, &out, error));
  if (any_lost(s)) return SCR_OK; /* which is told by the counts */
#pragma omp parallel for num_threads(sim->execution.threads) schedule(static)
  for (size_t k = 0; k < s->fibre_count; k++)
    if (s->touched[k]) finish(s, k, dt, &out);
  fibre_problem_book(s, &sim->parts, dt);
  for (size_t k = 0; k < s->fibre_count; k++) {
    if (!s->touched[k]) continue;
    fibre_slices o = fibre_slices_of(s, k, dt);
    fibre_slices_add_works(&o, dt, 1, &s->reports[k]);
  }
  fibre_load_parts(s, &sim->parts);
  return warm_start_keep(&s->warm, 3, p->count, p->key, p->axes, p->impulse, dt, error);
}
