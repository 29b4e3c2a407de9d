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
  CUT_LIMIT = 10 /* halves of a Newton step */
};
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

static void rotations(fem_solver *s, const double *displacement, scr_quat *rotation)
{
  for (size_t b = 0; b < s->system->body_count; b++)
    rotation[b] = s->system->constitutive[b].law == FEM_LINEAR ? quat_identity() : fem_rotation(s->system, s->frames, b, displacement);
}

/* before := b */
static void begin(fem_solver *s, const fem_drive *drive)
{
  double h = drive->time, *mv = s->work[0], *dv = s->work[1];
  rotations(s, s->motion->displacement, s->rotation_before);
  fem_mass_multiply(s->system, s->motion->velocity, mv, s->settings.execution);
  fem_damping_multiply(s, s->rotation_before, s->motion->velocity, dv);
  for (size_t k = 0; k < unknowns(s); k++) {
    s->before[k] = h * mv[k] + 0.25 * h * h * (drive->load_before[k] - s->gradient[k] - dv[k]);
    s->delta[k] = s->hold->fixed[k] ? s->hold->displacement[k] : h * s->motion->velocity[k];
  }
}

/* trial := q + d, energies and blocks there. @return false where an element is folded */
static bool evaluate(fem_solver *s, double *gradient, double *block)
{
  size_t bad;
  if (s->linear && s->factor_time > 0) block = NULL; /* the blocks stay what they are */
  for (size_t k = 0; k < unknowns(s); k++) s->trial[k] = s->motion->displacement[k] + s->delta[k];
  s->energy = fem_system_evaluate(s->system, s->trial, s->motion->mode, false, gradient, block, s->settings.execution, &bad);
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
    if (evaluate(s, s->gradient, s->block)) return true;
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

/* One iteration. @param settled whether nodes keep their faces    @param change receives the largest component of the step */
static scr_status iterate(fem_solver *s, const fem_drive *drive, bool settled, fem_report *report, double *change, scr_error *error)
{
  size_t n = unknowns(s);
  rotations(s, s->trial, s->rotation);
  find_residual(s, drive);
  SCR_TRY(fem_factorise(s, drive->time, &report->clamped, error));
  for (size_t k = 0; k < n; k++) s->step[k] = s->hold->fixed[k] ? 0 : -s->residual[k];
  SCR_TRY(la_factor_solve(s->factor, s->step, 1, s->step, error));
  fem_touches kept = s->touches;
  s->touches = s->former;
  s->former = kept;
  const fem_touch_search search = {s->trial, s->motion->displacement, drive->parts, drive->start, drive->end, &s->former, settled};
  SCR_TRY(fem_find_touches(s->space, &search, &s->touches, error));
  fem_inherit_forces(&s->former, &s->touches);
  SCR_TRY(fem_solve_contacts(s, drive, &report->contact_residual, error));
  *change = largest(s->step, n);
  report->iterations++;
  return SCR_OK;
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
  double change = INFINITY, former, history[HISTORY];
  unsigned count = 0;
  bool predicted = true;
  *ended = FAILED;
  begin(s, drive);
  if (!evaluate(s, s->gradient, s->block)) { /* the prediction folds an element: start where the bodies are */
    for (size_t k = 0; k < unknowns(s); k++) s->delta[k] = s->hold->fixed[k] ? s->hold->displacement[k] : 0;
    if (!evaluate(s, s->gradient, s->block)) {
      (void)scr_fail(error, SCR_DIVERGED, NULL,
                     "an element folds as grips, contacts or its own motion move its nodes: use a smaller time step");
      return SCR_OK;
    }
  }
  for (unsigned i = 0; i < s->settings.newton_limit; i++) {
    former = change;
    scr_status status = iterate(s, drive, i >= SEARCHES, report, &change, error);
    if (status == SCR_DIVERGED) return SCR_OK;
    SCR_TRY(status);
    history[count++ % HISTORY] = change;
    if (!isfinite(change)) break;
    bool last = change <= s->settings.tolerance * s->settings.edge || (s->linear && s->touches.count == 0);
    /* Where contacts outnumber what they hold, their solver's last digits keep nodes moving: that is as far as it goes. */
    last = last || (s->touches.count > 0 && change <= noise_factor * s->settings.tolerance * s->settings.edge && change > stalled * former);
    if (last) {
      for (size_t k = 0; k < unknowns(s); k++) s->delta[k] += s->step[k];
      if (!evaluate(s, s->gradient, NULL)) break;
      *ended = DONE;
      return SCR_OK;
    }
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
