/* A step of fibres that touch: Newton's method on all of them together, each linear system with its contacts solved exactly.
 *
 *      A_k v' = b_k + H' r,   u = H v' + w,   (u, r) in Coulomb's law        k: linearised about q + dt v_k, v_0 the velocities before
 *
 *  Contacts are those that the start of the step has, and where fibres would sink into each other beside them until its end. What fibres
 * don't touch is stepped by itself. */
#include <string.h>
#include <time.h>

#include "methods/fibre/contact/problem.h"
#include "methods/fibre/contact/rows.h"
#include "methods/fibre/step/slices.h"
#include "methods/fibre/step/step.h"
#include "sim/time_step.h"

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

/* Those of a super-helix before a solution. */
static void keep_rates(fibre_state *s, const fibre *f)
{
  if (f->elements > 0) memcpy(s->rate_before + f->first_element, s->strain_rate + f->first_element, f->elements * sizeof *s->strain_rate);
}

/* @return false: it is nowhere */
static bool linearise_rod(fibre_state *s, fibre_slices *o, bool first)
{
  size_t u = ROD_UNKNOWNS * (size_t)o->f->first;
  la_band matrix = {o->unknowns, rod_band(o->f->ring), s->system + o->f->band};
  o->search.rod = &o->r, o->search.place = o->base_place, o->search.inertial = o->base_velocity;
  if (first) memcpy(o->base_place, o->place, o->unknowns * sizeof *o->place);
  const double *last = first ? NULL : s->kept_velocity + u;
  return rod_linearise(&o->search, o->velocity, last, o->place, &o->frames, &matrix, s->rhs + u, &o->scratch);
}

/* Fibres that are stale. */
static void linearise(fibre_state *s, double dt, bool first, scr_execution execution)
{
  fibre_rows_press(s, dt);
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 8)
  for (size_t k = 0; k < s->fibre_count; k++) {
    if (!s->touched[k]) continue;
    fibre_slices o = fibre_slices_of(s, k, dt);
    fibre_linearised *linearised = &s->linearised[k];
    size_t u = ROD_UNKNOWNS * (size_t)o.f->first;
    memcpy(s->trial_velocity + u, o.velocity, o.unknowns * sizeof *o.velocity); /* kept: what the solution is compared with */
    keep_rates(s, o.f);
    if (!first && !linearised->stale) continue;
    linearised->before = first ? INFINITY : linearised->moved;
    linearised->fresh = true;
    s->reports[k].lost = !(o.f->elements > 0 ? fibre_linearise_helix(s, k, dt, first) : linearise_rod(s, &o, first));
    memcpy(s->kept_velocity + u, o.velocity, o.unknowns * sizeof *o.velocity);
    if (o.f->elements > 0) memcpy(s->trial_velocity + u, o.velocity, o.unknowns * sizeof *o.velocity); /* its points, where it is laid */
  }
  for (size_t k = 0; k < s->fibre_count; k++)
    if (s->touched[k]) s->times.touching++, s->times.linearised += s->linearised[k].fresh;
}

/* Velocities of the points of super-helices, by the rates of strains that have been found. */
static void lay_helices(fibre_state *s, double dt)
{
  for (size_t k = 0; k < s->fibre_count && s->element_count > 0; k++) {
    const fibre *f = &s->fibres[k];
    double size;
    if (s->touched[k] && f->elements > 0)
      (void)fibre_helix_potential(s, k, dt, s->strain_rate[f->first_element], s->velocity + ROD_UNKNOWNS * (size_t)f->first, &size);
  }
}

typedef struct change {
  double largest, speed; /* m/s */
} change;

/* Largest difference of a fibre's velocities, turning counted at a radius. */
static double apart(const fibre *f, const double *a, const double *b)
{
  double most = 0, turning = 0;
  size_t from = ROD_UNKNOWNS * (size_t)f->first;
  for (size_t u = from; u < from + ROD_UNKNOWNS * (size_t)f->nodes; u += ROD_UNKNOWNS) {
    for (size_t c = 0; c < ROD_TWIST; c++) most = fmax(most, fabs(a[u + c] - b[u + c]));
    turning = fmax(turning, fabs(a[u + ROD_TWIST] - b[u + ROD_TWIST]));
  }
  return fmax(most, f->radius * turning);
}

static double speed_of(const fibre_state *s, const fibre *f)
{
  double most = 0, turning = 0;
  const double *v = s->velocity + ROD_UNKNOWNS * (size_t)f->first;
  for (size_t i = 0; i < f->nodes; i++, v += ROD_UNKNOWNS) {
    for (size_t c = 0; c < ROD_TWIST; c++) most = fmax(most, fabs(v[c]));
    turning = fmax(turning, fabs(v[ROD_TWIST]));
  }
  return fmax(most, f->radius * turning);
}

/* Of the velocities of fibres that take part: by the last solution, and since each was linearised. */
static change compare(fibre_state *s)
{
  change c = {0};
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    if (!s->touched[k]) continue;
    c.largest = fmax(c.largest, apart(f, s->velocity, s->trial_velocity));
    c.speed = fmax(c.speed, speed_of(s, f));
    s->linearised[k].moved = apart(f, s->velocity, s->kept_velocity);
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

static double thinnest(const fibre_state *s)
{
  double radius = INFINITY;
  for (size_t k = 0; k < s->fibre_count; k++) radius = fmin(radius, s->fibres[k].contact_radius);
  return radius;
}

static bool any_lost(const fibre_state *s)
{
  for (size_t k = 0; k < s->fibre_count; k++)
    if (s->touched[k] && s->reports[k].lost) return true;
  return false;
}

/* Velocities a share of the way from those before the last solution to its own, into `to`; of a super-helix rates of strains in their
 * stead. */
static void go_part(const fibre_state *s, double share, double *to)
{
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    bool is_helix = f->elements > 0;
    size_t from = ROD_UNKNOWNS * (size_t)f->first, rates = HELIX_STRAINS * (size_t)f->elements;
    size_t count = !s->touched[k] ? 0 : is_helix ? rates : ROD_UNKNOWNS * (size_t)f->nodes;
    const double *before = is_helix ? s->rate_before[f->first_element] : s->trial_velocity + from;
    const double *found = is_helix ? s->strain_rate[f->first_element] : s->velocity + from;
    for (size_t u = 0; u < count; u++) to[from + u] = before[u] + share * (found[u] - before[u]);
    for (size_t u = rates; is_helix && count > 0 && u < fibre_helix_stride(f); u++) to[from + u] = 0;
  }
}

/* The incremental potential of all fibres that take part, and what contacts add to it at their present pressing. */
static rod_potential merit(fibre_state *s, double dt, const double *v)
{
  rod_potential sum = {.value = fibre_problem_merit(s, v)};
  sum.size = sum.value;
  for (size_t k = 0; k < s->fibre_count; k++) {
    if (!s->touched[k]) continue;
    fibre_slices o = fibre_slices_of(s, k, dt);
    const double *own = v + ROD_UNKNOWNS * (size_t)o.f->first;
    rod_potential p = {0};
    o.search.rod = &o.r, o.search.place = o.base_place, o.search.inertial = o.base_velocity;
    if (o.f->elements > 0)
      p.value = fibre_helix_potential(s, k, dt, own, NULL, &p.size);
    else
      p = rod_potential_at(&o.search, own, &o.frames, &o.scratch);
    sum.value += p.value, sum.size += p.size;
  }
  return sum;
}

/* Shortens the way to the last solution until the merit does not rise by more than contacts are solved to; with bodies, whose part in it is
 * not known, by half. Contacts bound velocities by
 * planes, so that all of the way keeps to them. @return the share that is gone */
static double search_line(fibre_state *s, double dt, double asked)
{
  enum { HALVINGS = 6 };
  bool searches = s->problem.blocks == s->problem.node_blocks;
  go_part(s, 0, s->best);
  rod_potential before = searches ? merit(s, dt, s->best) : (rod_potential){0};
  double share = searches ? 1 : 0.5;
  for (int k = 0; searches && k <= HALVINGS; k++) {
    go_part(s, share, s->best);
    rod_potential now = merit(s, dt, s->best);
    if (now.value <= before.value + asked * now.size) break;
    share *= 0.5;
  }
  go_part(s, share, s->best);
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    size_t from = ROD_UNKNOWNS * (size_t)f->first;
    if (!s->touched[k]) continue;
    if (f->elements > 0)
      memcpy(s->strain_rate + f->first_element, s->best + from, f->elements * sizeof *s->strain_rate);
    else
      memcpy(s->velocity + from, s->best + from, ROD_UNKNOWNS * (size_t)f->nodes * sizeof *s->velocity);
  }
  lay_helices(s, dt);
  return share;
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

/* What the next linearisation would change, by how much less the last one changed than the one before where changes fall quickly, which
 * bounds a method whose changes fall quadratically. */
static double will_change(double now, double before)
{
  const double quickly = 0.1;
  return isfinite(before) && now < quickly * before ? now / before * now : now;
}

/* Marks the fibres that a linearisation would change by more than `least`, m/s. What others change is the same as before: a fibre whose
 * velocities stay near those that it was linearised about has the linear system that it has. @return whether there are any */
static bool mark_stale(fibre_state *s, double least)
{
  bool any = false;
  for (size_t k = 0; k < s->fibre_count; k++) {
    fibre_linearised *l = &s->linearised[k];
    l->stale = s->touched[k] && !(will_change(l->moved, l->before) <= least);
    any = any || l->stale;
  }
  return any;
}

/* A line search has gone a share of the way to the last solution. */
static void mark_all_stale(fibre_state *s, double share)
{
  for (size_t k = 0; k < s->fibre_count; k++) {
    s->linearised[k].stale = s->touched[k];
    s->linearised[k].moved *= share;
  }
}

/* Adds contacts where fibres that take part would end the step in each other. @param left  m, what contacts are solved to    @param added
 * receives whether there are any */
static scr_status hold_apart(fibre_state *s, double dt, double left, uint32_t round, scr_execution execution, bool *added, scr_error *error)
{
  double begun = processor_time();
  size_t before = s->problem.count;
  for (size_t k = 0; k < s->fibre_count; k++) {
    size_t from = ROD_UNKNOWNS * (size_t)s->fibres[k].first, count = s->touched[k] ? ROD_UNKNOWNS * (size_t)s->fibres[k].nodes : 0;
    for (size_t u = from; u < from + count; u++) s->trial_place[u] = s->base_place[u] + dt * s->velocity[u];
  }
  SCR_TRY(fibre_detect_sinking(s, s->trial_place, left, round, execution, error));
  SCR_TRY(fibre_problem_extend(s, dt, error));
  *added = s->problem.count > before;
  s->times.search += processor_time() - begun;
  return SCR_OK;
}

/* Linearises and solves until velocities change no more. */
static scr_status iterate(scr_sim *sim, double dt, double least, outcome *out, scr_error *error)
{
  enum { PATIENCE = 5, ROUNDS = 10 };
  fibre_state *s = sim->state;
  double before = INFINITY, tolerance = fmax(1e-8, 0.1 * s->options->contact_tolerance);
  const double known = FIBRE_SINK * thinnest(s) / dt; /* m/s: what may change while ends are known well enough to look at */
  const double seen = 5e-3 * known;                   /* m/s: ends that have moved by less since they were looked at are the same */
  const double surprise = 0.1;                        /* change, over the largest velocity, that new contacts are expected to make */
  double moved = 0;                                   /* m/s, since ends were looked at */
  uint32_t round = 0;
  contact_result result;
  *out = (outcome){.iterations = 0};
  while (out->iterations < (uint32_t)s->options->linearisations && !out->solved) {
    double begun = processor_time();
    linearise(s, dt, out->iterations == 0, sim->execution);
    if (any_lost(s)) return SCR_OK;
    double between = processor_time();
    double asked = contact_tolerance(s->options->contact_tolerance, out->iterations, out->left);
    fibre_rows_follow(s, dt);
    SCR_TRY(fibre_problem_solve(s, asked, least, sim->execution, &result, error));
    lay_helices(s, dt);
    s->times.linearise += between - begun, s->times.contacts += processor_time() - between;
    s->times.linearisations++, s->times.iterations += result.iterations + result.factorisations;
    s->counts.residual = result.residual;
    out->iterations++;
    change c = compare(s);
    double speed = fmax(c.speed, least);
    out->left = c.largest / speed;
    bool stale = mark_stale(s, tolerance * speed);
    bool joined = s->joints.count == 0 || will_change(c.largest, before) <= tolerance * speed; /* rows of joints follow what is found */
    out->solved = asked <= s->options->contact_tolerance && !stale && joined;
    bool added = false;
    moved += c.largest;
    if (s->options->fibre_contact && round < ROUNDS && moved > seen && (out->solved || will_change(c.largest, before) < known)) {
      SCR_TRY(hold_apart(s, dt, 2 * dt * result.residual * speed, round, sim->execution, &added, error));
      moved = 0;
    }
    if (added) out->solved = false, out->left = fmax(out->left, surprise), round++;
    bool stays = !added && c.largest > 0.5 * before;
    if (stays && out->iterations > PATIENCE && asked <= s->options->contact_tolerance && out->left <= s->options->contact_tolerance)
      out->solved = true; /* what contacts are solved to and rounding leave */
    double share = !out->solved && stays && out->iterations > PATIENCE ? search_line(s, dt, asked) : 1;
    if (share < 1) mark_all_stale(s, share);
    before = added ? INFINITY : share * c.largest;
    scr_report_alive(&sim->liveness);
  }
  return SCR_OK;
}

/* What rests: contacts hold velocities, not places, so that what they leave of these adds up while all stands still. Where nothing was
 * faster than a ten-thousandth of the speeds that contacts are solved in, they are solved a hundred times better, by sweeps that find most
 * of it done. */
static scr_status come_to_rest(scr_sim *sim, double dt, double least, scr_error *error)
{
  const double slow = 1e-4, better = 1e-2;
  fibre_state *s = sim->state;
  double begun = processor_time();
  if (fastest_before(s) > slow * least) return SCR_OK;
  SCR_TRY(fibre_problem_refine(s, fmax(1e-12, better * s->options->contact_tolerance), least, sim->execution, error));
  lay_helices(s, dt);
  s->times.contacts += processor_time() - begun;
  return SCR_OK;
}

static void finish(fibre_state *s, size_t k, double dt, const outcome *out)
{
  if (s->fibres[k].elements > 0) {
    fibre_finish_helix(s, k, dt, out->iterations, out->left, out->solved);
    return;
  }
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
  if (s->bodies.count > 0 && !fibre_problem_is_finite(s)) return sim_not_finite(error, sim->steps + 1, dt, "what moves freely");
  if (p->count == 0) return warm_start_keep(&s->warm, 3, 0, p->key, p->axes, p->impulse, dt, error);
  warm_start_recall(&s->warm, 3, p->count, p->key, p->axes, dt, p->impulse);
  SCR_TRY(iterate(sim, dt, least, &out, error));
  if (any_lost(s)) return SCR_OK; /* which is told by the counts */
  SCR_TRY(come_to_rest(sim, dt, least, error));
  fibre_rows_press(s, dt);
#pragma omp parallel for num_threads(sim->execution.threads) schedule(static)
  for (size_t k = 0; k < s->fibre_count; k++)
    if (s->touched[k]) finish(s, k, dt, &out);
  fibre_problem_book(s, &sim->parts, dt);
  for (size_t k = 0; k < s->fibre_count; k++) {
    if (!s->touched[k] || s->fibres[k].elements > 0) continue;
    fibre_slices o = fibre_slices_of(s, k, dt);
    fibre_slices_add_works(&o, dt, 1, &s->reports[k]);
  }
  fibre_load_parts(s, &sim->parts);
  return warm_start_keep(&s->warm, 3, p->count, p->key, p->axes, p->impulse, dt, error);
}
