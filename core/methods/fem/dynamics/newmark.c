/* One step of the dynamics: prediction, Newton's method, end of the step, halving. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/dynamics/solver.h"

enum {
  HISTORY = 6 /* iterations that a failure tells */,
  HALVING_LIMIT = 10,
  SEARCHES = 3 /* iterations that look for faces anew */,
  CUT_LIMIT = 10,      /* halves of a Newton step */
  MORE_ITERATIONS = 6, /* with a factor of earlier nodes, that cost less than a new one with what contacts need of it */
  MOST_ITERATIONS = 8  /* after a step of more the factor is not kept for the next one */
};
/* With a factor of earlier nodes: the part of the tolerance that is to be left, about what Newton's method leaves after its last step; the
 * ratio of two steps above which it is too old, and the step, in elements. */
static const double kept_share = 3e-6, slowest = 0.5, farthest = 0.01;
static const double noise_factor = 100; /* over the tolerance of Newton's method */
/* Iterations that shrink evenly: squared cosine of the last two steps from which on they count as parallel; the ratios of their lengths,
 * below 0 where they come back, for which the rest is foreseen; the one from which on nothing shrinks any more. */
static const double parallel = 0.98, least_ratio = 0.05, most_ratio = 0.9, stalled = 0.9;

/* What an attempt at a step ended with, short of an error. */
typedef enum outcome { DONE, FAILED } outcome;

static size_t unknowns(const fem_solver *s)
{
  return 3 * s->system->node_count;
}

/* before := b */
static void begin(fem_solver *s, const fem_drive *drive)
{
  s->problem_factor = SIZE_MAX;
  double h = drive->time, *mv = s->work[0], *dv = s->work[1];
  fem_rotations(s, s->motion->displacement, s->rotation_before);
  fem_mass_multiply(s->system, s->motion->velocity, mv, s->settings.execution);
  fem_damping_multiply(s, s->rotation_before, s->motion->velocity, dv);
  for (size_t k = 0; k < unknowns(s); k++) {
    s->before[k] = h * mv[k] + 0.25 * h * h * (drive->load_before[k] - s->gradient[k] - dv[k]);
    s->delta[k] = s->hold->fixed[k] ? s->hold->displacement[k] : h * s->motion->velocity[k];
  }
}

/* trial := q + d, energy and forces there. @return false where an element is folded */
static bool evaluate(fem_solver *s)
{
  size_t bad;
  for (size_t k = 0; k < unknowns(s); k++) s->trial[k] = s->motion->displacement[k] + s->delta[k];
  s->energy = fem_system_evaluate(s->system, s->trial, s->motion->mode, false, s->gradient, NULL, s->settings.execution, &bad);
  return bad == SIZE_MAX;
}

/* residual := g(d) */
static void find_residual(fem_solver *s, const fem_drive *drive)
{
  double h = drive->time, *end_speed = s->work[0], *md = s->work[0], *dv = s->work[1];
  for (size_t k = 0; k < unknowns(s); k++) end_speed[k] = 2 * s->delta[k] / h - s->motion->velocity[k];
  fem_damping_multiply(s, s->rotation, end_speed, dv);
  fem_mass_multiply(s->system, s->delta, md, s->settings.execution);
  for (size_t k = 0; k < unknowns(s); k++)
    s->residual[k] = md[k] - s->before[k] + 0.25 * h * h * (s->gradient[k] - drive->load_after[k] + dv[k]);
}

static double largest(const double *x, size_t count)
{
  double most = 0;
  for (size_t k = 0; k < count; k++) {
    if (!isfinite(x[k])) return INFINITY;
    most = fmax(most, fabs(x[k]));
  }
  return most;
}

/* Adds the step to d and evaluates there; where an element folds, half of it, and so on. @return false: not even a thousandth is possible
 * */
static bool advance(fem_solver *s)
{
  double share = 1;
  for (int cut = 0; cut < CUT_LIMIT; cut++) {
    memcpy(s->held_mode, s->motion->mode, s->system->hex_count * FEM_MODE_UNKNOWNS * sizeof *s->held_mode);
    for (size_t k = 0; k < unknowns(s); k++) s->delta[k] += share * s->step[k];
    if (evaluate(s)) return true;
    for (size_t k = 0; k < unknowns(s); k++) s->delta[k] -= share * s->step[k];
    share *= 0.5;
    memcpy(s->motion->mode, s->held_mode, s->system->hex_count * FEM_MODE_UNKNOWNS * sizeof *s->held_mode);
  }
  return false;
}

/* Where contacts slide or tip, directions of their forces turn with the nodes, which the matrix does not know: iterations then shrink by an
 * even ratio r, and the rest of all of them is foreseen as r/(1 - r) of the last (Aitken's process). Lengthens the step by that. @return
 * whether it did */
static bool predict(fem_solver *s, bool known)
{
  double both = 0, now = 0, then = 0;
  for (size_t k = 0; k < unknowns(s) && known; k++) {
    both += s->step[k] * s->former_step[k];
    now += s->step[k] * s->step[k];
    then += s->former_step[k] * s->former_step[k];
  }
  if (!known || !(fabs(both) > least_ratio * then && fabs(both) < most_ratio * then && both * both > parallel * now * then)) return false;
  for (size_t k = 0; k < unknowns(s); k++) s->step[k] *= then / (then - both);
  return true;
}

/* Whether what is left moves no node by as much as the tolerance, by masses alone: |H^-1 g| <= |g| / the least eigenvalue of M, which is
 * above 1/27 of the least node's mass (1/3 in each direction of an element). */
static bool is_balanced(const fem_solver *s)
{
  double sum = 0, least = INFINITY;
  for (size_t k = 0; k < unknowns(s); k++) sum += s->hold->fixed[k] ? 0 : s->residual[k] * s->residual[k];
  for (size_t n = 0; n < s->system->node_count; n++) least = fmin(least, s->system->node_mass[n]);
  return 27 * sqrt(sum) <= kept_share * s->settings.tolerance * s->settings.edge * least;
}

/* How iterations of a step go on. */
typedef struct progress {
  bool settled;          /* nodes keep their faces */
  bool renew;            /* the factor is too old */
  bool exact;            /* the factor was that of the last iteration's nodes */
  double change, former; /* m, largest component of its step, and of the one before */
  bool far;              /* one of the steps was longer than what a factor is kept for */
} progress;

/* step := H^-1 (h^2/2 A f - g) by the contact forces of the iteration before, with a factor of these nodes or of earlier ones. */
static scr_status solve_step(fem_solver *s, double time, progress *p, fem_report *report, scr_error *error)
{
  p->exact = s->linear;
  if (s->factor_time != time || p->renew) SCR_TRY(fem_factorise(s, time, &report->clamped, &p->exact, error));
  p->exact = p->exact || s->linear;
  p->renew = false;
  fem_push_nodes(s, s->step);
  for (size_t k = 0; k < unknowns(s); k++) s->step[k] = s->hold->fixed[k] ? 0 : 0.5 * time * time * s->step[k] - s->residual[k];
  return la_factor_solve(s->factor, s->step, 1, s->step, error);
}

/* One iteration. */
static scr_status iterate(fem_solver *s, const fem_drive *drive, progress *p, fem_report *report, scr_error *error)
{
  size_t n = unknowns(s);
  fem_rotations(s, s->trial, s->rotation);
  find_residual(s, drive);
  bool spared = s->factor_time != drive->time && s->redo_time != drive->time && is_balanced(s);
  fem_touches kept = s->touches;
  s->touches = s->former;
  s->former = kept;
  const fem_touch_search search = {s->trial, s->motion->displacement, drive->parts, drive->start, drive->end, &s->former, p->settled};
  SCR_TRY(fem_find_touches(s->space, &search, &s->touches, error));
  fem_inherit_forces(&s->former, &s->touches);
  memset(s->step, 0, n * sizeof *s->step);
  if (!spared || s->touches.count > 0) {
    SCR_TRY(solve_step(s, drive->time, p, report, error));
    fem_rotations(s, s->trial, s->rotation);
  }
  SCR_TRY(fem_solve_contacts(s, drive, &report->contact_residual, error));
  p->former = p->change;
  p->change = largest(s->step, n);
  p->far = p->far || p->change > farthest * s->settings.edge;
  report->iterations++;
  return SCR_OK;
}

/* Whether a step is solved: what is left after this iteration is below the tolerance. With a factor of earlier nodes that is foreseen by
 * how iterations shrink. */
static bool is_solved(const fem_solver *s, const progress *p)
{
  double accepted = s->settings.tolerance * s->settings.edge;
  if (s->linear && s->touches.count == 0) return true;
  if (p->change <= accepted)
    return p->exact || p->change <= kept_share * accepted ||
           (isfinite(p->former) && p->change * p->change <= kept_share * accepted * p->former);
  /* Where contacts outnumber what they hold, their solver's last digits keep nodes moving: that is as far as it goes. */
  return p->exact && s->touches.count > 0 && p->change <= noise_factor * accepted && p->change > stalled * p->former;
}

/* Whether a new factor costs less than the iterations that this one still needs. */
static bool is_factor_old(const fem_solver *s, const progress *p)
{
  double ratio = p->change / p->former, target = kept_share * s->settings.tolerance * s->settings.edge;
  if (s->linear || p->far) return !s->linear;
  if (!isfinite(p->former)) return false;
  return ratio > slowest || log(target / p->change) < MORE_ITERATIONS * log(ratio);
}

/* What Newton's method did where it did not end: how far its last iterations moved nodes, oldest first. */
static void report_history(const fem_solver *s, const double change[HISTORY], unsigned count, scr_error *error)
{
  char text[HISTORY * 16] = "";
  unsigned first = count > HISTORY ? count - HISTORY : 0;
  for (unsigned i = first, used = 0; i < count; i++)
    used += (unsigned)snprintf(text + used, sizeof text - used, "%s%.3g", i > first ? ", " : "", change[i % HISTORY]);
  (void)scr_fail(
      error, SCR_DIVERGED, NULL,
      "Newton's method moved nodes by %s m in the last of %u iterations (at most %u), and converges below %.3g m: use a smaller time step",
      text, count, s->settings.newton_limit, s->settings.tolerance * s->settings.edge);
}

/* Newton's method. @return SCR_OK with *ended DONE or FAILED (and why), or an error */
static scr_status converge(fem_solver *s, const fem_drive *drive, fem_report *report, outcome *ended, scr_error *error)
{
  progress p = {.change = INFINITY, .former = INFINITY};
  double history[HISTORY];
  unsigned count = 0;
  bool predicted = true;
  *ended = FAILED;
  begin(s, drive);
  if (!evaluate(s)) { /* the prediction folds an element: start where the bodies are */
    for (size_t k = 0; k < unknowns(s); k++) s->delta[k] = s->hold->fixed[k] ? s->hold->displacement[k] : 0;
    if (!evaluate(s)) {
      (void)scr_fail(error, SCR_DIVERGED, NULL,
                     "an element folds as grips, contacts or its own motion move its nodes: use a smaller time step");
      return SCR_OK;
    }
  }
  for (unsigned i = 0; i < s->settings.newton_limit; i++) {
    p.settled = i >= SEARCHES;
    scr_status status = iterate(s, drive, &p, report, error);
    if (status == SCR_DIVERGED) return SCR_OK;
    SCR_TRY(status);
    history[count++ % HISTORY] = p.change;
    if (!isfinite(p.change)) break;
    if (is_solved(s, &p)) {
      for (size_t k = 0; k < unknowns(s); k++) s->delta[k] += s->step[k];
      if (!evaluate(s)) break;
      *ended = DONE;
      s->factor_is_exact = p.exact;
      s->factor_served = count <= MOST_ITERATIONS && !p.far;
      return SCR_OK;
    }
    p.renew = is_factor_old(s, &p);
    memcpy(s->work[0], s->step, unknowns(s) * sizeof *s->step);
    predicted = predict(s, s->touches.count > 0 && i >= SEARCHES && !predicted);
    memcpy(s->former_step, s->work[0], unknowns(s) * sizeof *s->step);
    if (!advance(s)) break;
  }
  report_history(s, history, count, error);
  return SCR_OK;
}

/* ── the end of a step ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Contact forces on nodes; works of contacts. */
static void book_contacts(fem_solver *s, fem_report *report)
{
  memset(s->load, 0, unknowns(s) * sizeof *s->load);
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    double work = 0;
    for (int a = 0; a < 3; a++) {
      const double *axis = touch->axis[a];
      double carried = axis[0] * touch->displacement.x + axis[1] * touch->displacement.y + axis[2] * touch->displacement.z;
      double lost = -touch->force[a] * (fem_touch_along(touch, a, s->delta) - carried);
      work += touch->force[a] * carried;
      if (a == 0)
        report->closing += lost;
      else
        report->friction += lost;
      fem_touch_spread(touch, a, touch->force[a], s->load);
    }
    report->rig += work;
  }
}

/* Works of loads, damping and grips over the step, by the mean of the forces at its ends. */
static void book_forces(fem_solver *s, const fem_drive *drive, fem_report *report)
{
  double h = drive->time, *mean = s->work[0], *dv = s->work[1];
  for (size_t k = 0; k < unknowns(s); k++) mean[k] = 2 * s->delta[k] / h - s->motion->velocity[k];
  fem_damping_multiply(s, s->rotation, mean, dv);
  double *first = mean;
  fem_damping_multiply(s, s->rotation_before, s->motion->velocity, first);
  for (size_t k = 0; k < unknowns(s); k++) {
    report->loads += 0.5 * (drive->load_before[k] + drive->load_after[k]) * s->delta[k];
    report->damping += 0.5 * (first[k] + dv[k]) * s->delta[k];
  }
  memset(s->reaction, 0, unknowns(s) * sizeof *s->reaction);
  if (s->hold->count == 0) return;
  find_residual(s, drive);
  for (size_t k = 0; k < unknowns(s); k++) {
    if (!s->hold->fixed[k]) continue;
    s->reaction[k] = 2 / (h * h) * s->residual[k] - s->load[k];
    report->rig += s->reaction[k] * s->delta[k];
  }
}

/* @param depth the step is a half of a half, as often, of the whole one */
static scr_status finish(fem_solver *s, const fem_drive *drive, unsigned depth, fem_report *report, scr_error *error)
{
  double h = drive->time;
  book_contacts(s, report);
  book_forces(s, drive, report);
  for (size_t k = 0; k < unknowns(s); k++) {
    s->motion->displacement[k] += s->delta[k];
    s->motion->velocity[k] = s->hold->fixed[k] ? s->hold->speed[k] : 2 * s->delta[k] / h - s->motion->velocity[k];
  }
  SCR_TRY(fem_project_velocity(s, report, error));
  if (!s->linear && !s->factor_served) fem_discard_factor(s);
  if (report->part_load) report->normal_force += fem_add_part_loads(s, drive->parts, ldexp(1, -(int)depth), report->part_load);
  return SCR_OK;
}

/* ── halving ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status attempt(fem_solver *s, const fem_drive *drive, unsigned depth, fem_report *report, scr_error *error);

/* The same step in two halves; parts go to the middle of their ways, loads to the mean. */
static scr_status halve(fem_solver *s, const fem_drive *drive, unsigned depth, fem_report *report, scr_error *error)
{
  size_t n = unknowns(s);
  part_motion middle[SCR_PART_LIMIT];
  double *load = mem_array(n, sizeof *load);
  if (!load) return scr_fail_memory(error, "a halved step", n * sizeof *load);
  for (size_t k = 0; k < n; k++) {
    load[k] = 0.5 * (drive->load_before[k] + drive->load_after[k]);
    s->hold->displacement[k] *= 0.5;
  }
  for (size_t p = 0; p < drive->parts->count; p++) {
    const part_motion *start = &drive->start[p], *end = &drive->end[p];
    part_displacement displacement = part_displacement_between(&drive->parts->form[p], start, end);
    middle[p] = *end;
    middle[p].pose.position = vec3_scale(vec3_add(start->pose.position, end->pose.position), 0.5);
    middle[p].pose.rotation = quat_multiply(quat_exp(vec3_scale(displacement.turn, 0.5)), start->pose.rotation);
    middle[p].angle = 0.5 * (start->angle + end->angle);
  }
  const fem_drive first = {0.5 * drive->time, drive->load_before, load, drive->parts, drive->start, middle};
  const fem_drive second = {0.5 * drive->time, load, drive->load_after, drive->parts, middle, drive->end};
  report->halvings++;
  scr_status status = attempt(s, &first, depth + 1, report, error);
  if (status == SCR_OK) status = attempt(s, &second, depth + 1, report, error);
  for (size_t k = 0; k < n; k++) s->hold->displacement[k] *= 2;
  mem_free(load);
  return status;
}

static scr_status attempt(fem_solver *s, const fem_drive *drive, unsigned depth, fem_report *report, scr_error *error)
{
  size_t modes = s->system->hex_count * FEM_MODE_UNKNOWNS;
  outcome ended;
  fem_report tried = *report;
  double *mode = mem_array(modes, sizeof *mode);
  if (!mode) return scr_fail_memory(error, "modes of elements", modes * sizeof *mode);
  memcpy(mode, s->motion->mode, modes * sizeof *mode);
  scr_status status = converge(s, drive, &tried, &ended, error);
  if (status == SCR_OK && ended == DONE) {
    *report = tried;
    mem_free(mode);
    return finish(s, drive, depth, report, error);
  }
  memcpy(s->motion->mode, mode, modes * sizeof *mode);
  mem_free(mode);
  SCR_TRY(status);
  SCR_TRY(fem_solver_refresh(s, error));
  if (depth >= HALVING_LIMIT) return SCR_DIVERGED;
  return halve(s, drive, depth, report, error);
}

scr_status fem_newmark(fem_solver *s, const fem_drive *drive, fem_report *report, scr_error *error)
{
  return attempt(s, drive, 0, report, error);
}
