/* The contact problem of one Newton iteration, in accelerations: u = W f + q, W = A^T H^-1 A, A the contacts' directions on nodes that move,
 *
 *      q_n = (2/h^2) (gap + n.s),   q_t = (2/h^2) t.(d + s) - (1/h) t.(v + v_part)       s: the step without contact forces
 *
 *  so that u_n >= 0 keeps the gap open at the end of the step, and u_t is the slip then over h. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/local.h"
#include "methods/fem/dynamics/solver.h"

enum { BATCH = 48 }; /* right-hand sides solved at once */

static const double contact_tolerance = 1e-11, contact_accepted = 1e-6, keep_band = 0.25;

/* Drops candidates that the step leaves well apart and that carry nothing. */
static void keep_near(fem_solver *s)
{
  size_t kept = 0;
  for (size_t k = 0; k < s->touches.count; k++) {
    fem_touch *touch = &s->touches.item[k];
    double gap = touch->gap + fem_touch_along(touch, 0, s->step);
    if (gap > keep_band * s->settings.edge && touch->force[0] <= 0) continue;
    s->touches.item[kept++] = *touch;
  }
  s->touches.count = kept;
}

/* Direction k of a touch as a right-hand side: zero at what is held. */
static void fill_column(const fem_solver *s, const fem_touch *touch, int k, double *column)
{
  memset(column, 0, 3 * s->system->node_count * sizeof *column);
  fem_touch_spread(touch, k, 1, column);
  for (uint32_t i = 0; i < touch->node_count; i++)
    for (size_t c = 3 * (size_t)touch->node[i]; c < 3 * (size_t)touch->node[i] + 3; c++)
      if (s->hold->fixed[c]) column[c] = 0;
}

/* W by batches of solutions: row-major, size x size with size = directions * count. */
static scr_status fill_compliance(fem_solver *s, la_factor *factor, int directions, double *w, scr_error *error)
{
  size_t n = 3 * s->system->node_count, size = (size_t)directions * s->touches.count;
  if (!mem_grow(&s->column, &s->column_capacity, n * (size < BATCH ? size : BATCH), sizeof *s->column))
    return scr_fail_memory(error, "contact directions", n * BATCH * sizeof *s->column);
  for (size_t from = 0; from < size; from += BATCH) {
    size_t count = size - from < BATCH ? size - from : BATCH;
    for (size_t c = 0; c < count; c++)
      fill_column(s, &s->touches.item[(from + c) / (size_t)directions], (int)((from + c) % (size_t)directions), s->column + n * c);
    SCR_TRY(la_factor_solve(factor, s->column, count, s->column, error));
    for (size_t c = 0; c < count; c++)
      for (size_t r = 0; r < size; r++)
        w[r * size + from + c] =
            fem_touch_along(&s->touches.item[r / (size_t)directions], (int)(r % (size_t)directions), s->column + n * c);
    scr_pulse_beat(&s->settings.pulse);
  }
  for (size_t r = 0; r < size; r++) /* held components are zero in every solution, so only round-off is mended */
    for (size_t c = 0; c < r; c++) w[r * size + c] = w[c * size + r] = 0.5 * (w[r * size + c] + w[c * size + r]);
  return SCR_OK;
}

/* q, friction and the forces to start from. */
static void fill_problem(const fem_solver *s, const fem_drive *drive, double *q, double *friction, double *force)
{
  double h = drive->time;
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    q[3 * k] = 2 / (h * h) * (touch->gap + fem_touch_along(touch, 0, s->step));
    for (int a = 1; a < 3; a++) {
      const double *t = touch->axis[a];
      double moved = fem_touch_along(touch, a, s->delta) + fem_touch_along(touch, a, s->step);
      double speed =
          fem_touch_along(touch, a, s->motion->velocity) + t[0] * touch->velocity.x + t[1] * touch->velocity.y + t[2] * touch->velocity.z;
      q[3 * k + (size_t)a] = 2 / (h * h) * moved - speed / h;
    }
    friction[k] = touch->friction;
    memcpy(force + 3 * k, touch->force, 3 * sizeof *force);
  }
}

/* u = W f + q of contact i. */
static void relative(const double *w, const double *q, const double *force, size_t size, size_t i, double u[3])
{
  for (size_t a = 0; a < 3; a++) {
    const double *row = w + (3 * i + a) * size;
    double sum = 0;
    for (size_t c = 0; c < size; c++) sum += row[c] * force[c];
    u[a] = q[3 * i + a] + sum;
  }
}

/* A contact's own block of W, which is symmetric. @return its trace over 3 */
static double own_block(const double *w, size_t size, size_t i, double block[9])
{
  for (size_t a = 0; a < 3; a++)
    for (size_t b = 0; b < 3; b++) block[3 * b + a] = w[(3 * i + a) * size + 3 * i + b];
  return (block[0] + block[4] + block[8]) / 3;
}

/* Largest natural map of a contact over the largest q. */
static double residual_of(const double *w, const double *q, const double *friction, const double *force, size_t count)
{
  double worst = 0, most = 0;
  for (size_t k = 0; k < 3 * count; k++) most = fmax(most, fabs(q[k]));
  for (size_t i = 0; i < count; i++) {
    double u[3], block[9], scale = own_block(w, 3 * count, i, block);
    relative(w, q, force, 3 * count, i, u);
    double residual = cone_residual(3, friction[i], scale, u, force + 3 * i);
    if (!isfinite(residual)) return INFINITY;
    worst = fmax(worst, residual);
  }
  return most > 0 ? worst / most : 0;
}

/* One contact after the other, each solved exactly. */
static void sweep(const double *w, const double *q, const double *friction, size_t count, double *force)
{
  for (size_t i = 0; i < count; i++) {
    double u[3], block[9], *f = force + 3 * i, trial[3] = {f[0], f[1], f[2]};
    (void)own_block(w, 3 * count, i, block);
    relative(w, q, force, 3 * count, i, u);
    for (size_t a = 0; a < 3; a++) u[a] -= block[a] * f[0] + block[3 + a] * f[1] + block[6 + a] * f[2];
    const local_problem one = {3, friction[i], block, u};
    bool ok = local_solve(LOCAL_REVERSED_HYBRID, &one, trial, NULL);
    for (size_t a = 0; a < 3; a++) f[a] += (ok ? 1 : 0.5) * (trial[a] - f[a]);
  }
}

/* Gauss-Seidel until the residual is at round-off, or no longer falls. */
static scr_status solve_problem(fem_solver *s, const double *w, const double *q, const double *friction, double *force, double *residual,
                                scr_error *error)
{
  enum { JUDGED = 5 }; /* sweeps between two looks at the residual */
  size_t count = s->touches.count;
  double left = residual_of(w, q, friction, force, count);
  unsigned sweeps = 0;
  for (; !(left <= contact_tolerance) && sweeps < s->settings.sweep_limit; sweeps += JUDGED) {
    for (int k = 0; k < JUDGED; k++) sweep(w, q, friction, count, force);
    left = residual_of(w, q, friction, force, count);
  }
  *residual = fmax(*residual, left);
  if (left <= contact_accepted) return SCR_OK;
  return scr_fail(
      error, SCR_DIVERGED, NULL,
      "the contact solver left a residual of %.3g after %u sweeps over %zu contacts (%.1g is accepted): use a smaller time step", left,
      sweeps, count, contact_accepted);
}

/* step += (h^2/2) H^-1 A f */
static scr_status apply_forces(fem_solver *s, double time, const double *force, scr_error *error)
{
  size_t n = 3 * s->system->node_count;
  double *push = s->work[0];
  memset(push, 0, n * sizeof *push);
  for (size_t k = 0; k < s->touches.count; k++) {
    memcpy(s->touches.item[k].force, force + 3 * k, 3 * sizeof *force);
    for (int a = 0; a < 3; a++) fem_touch_spread(&s->touches.item[k], a, force[3 * k + (size_t)a], push);
  }
  for (size_t k = 0; k < n; k++) push[k] = s->hold->fixed[k] ? 0 : 0.5 * time * time * push[k];
  SCR_TRY(la_factor_solve(s->factor, push, 1, push, error));
  for (size_t k = 0; k < n; k++) s->step[k] += push[k];
  return SCR_OK;
}

scr_status fem_solve_contacts(fem_solver *s, const fem_drive *drive, double *residual, scr_error *error)
{
  keep_near(s);
  size_t count = s->touches.count, size = 3 * count;
  if (count == 0) return SCR_OK;
  if (!mem_grow(&s->dense, &s->dense_capacity, size * size + 3 * size, sizeof *s->dense))
    return scr_fail_memory(error, "a contact problem", (size * size + 3 * size) * sizeof *s->dense);
  double *w = s->dense, *q = w + size * size, *force = q + size, *friction = force + size;
  SCR_TRY(fill_compliance(s, s->factor, 3, w, error));
  fill_problem(s, drive, q, friction, force);
  SCR_TRY(solve_problem(s, w, q, friction, force, residual, error));
  return apply_forces(s, drive->time, force, error);
}

/* ── impact ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Only contacts that are closed at the end of the step stay in the list. */
static void keep_closed(fem_solver *s)
{
  size_t kept = 0;
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    if (touch->force[0] > 0 || touch->gap <= 1e-9 * s->settings.edge) s->touches.item[kept++] = *touch;
  }
  s->touches.count = kept;
}

/* How fast the part's surface goes along the touch's normal, m/s. */
static double part_speed(const fem_touch *touch)
{
  const double *axis = touch->axis[0];
  return axis[0] * touch->velocity.x + axis[1] * touch->velocity.y + axis[2] * touch->velocity.z;
}

/* 0 <= lambda perp W lambda + q >= 0 by projected Gauss-Seidel. */
static void solve_impact(const double *w, const double *q, size_t count, double *lambda)
{
  for (size_t k = 0; k < count; k++) lambda[k] = 0;
  for (unsigned sweep = 0; sweep < 20000; sweep++) {
    double change = 0, most = 0;
    for (size_t k = 0; k < count; k++) {
      double u = q[k], was = lambda[k];
      for (size_t j = 0; j < count; j++) u += w[k * count + j] * lambda[j];
      lambda[k] = fmax(0, was - u / w[k * count + k]);
      change = fmax(change, fabs(lambda[k] - was));
      most = fmax(most, lambda[k]);
    }
    if (change <= 1e-14 * most) return;
  }
}

/* The factor of the metric: the matrix of the step, or the masses alone. */
static scr_status metric_factor(fem_solver *s, la_factor **factor, scr_error *error)
{
  *factor = s->factor; /* of the last iteration: a Newton step from the end */
  if (s->settings.impact == FEM_IMPACT_STEP) return SCR_OK;
  *factor = s->mass_factor;
  if (*factor) return SCR_OK;
  SCR_TRY(la_factor_create(LA_FACTOR_CHOLESKY, &s->mass_factor, error));
  *factor = s->mass_factor;
  fem_fill_matrix(s, 1, 0, 0);
  s->factor_time = 0;
  return la_factor_make(s->mass_factor, &s->matrix, error);
}

scr_status fem_project_velocity(fem_solver *s, fem_report *report, scr_error *error)
{
  size_t n = 3 * s->system->node_count;
  la_factor *factor = NULL;
  keep_closed(s);
  size_t count = s->touches.count;
  bool approaching = false;
  report->contacts = (unsigned)count;
  for (size_t k = 0; k < count; k++) {
    fem_touch *touch = &s->touches.item[k];
    touch->impulse = 0;
    approaching = approaching || fem_touch_along(touch, 0, s->motion->velocity) < part_speed(touch);
  }
  if (s->settings.impact == FEM_IMPACT_NONE || !approaching) return SCR_OK;
  if (!mem_grow(&s->dense, &s->dense_capacity, count * count + 2 * count, sizeof *s->dense))
    return scr_fail_memory(error, "an impact", (count * count + 2 * count) * sizeof *s->dense);
  double *w = s->dense, *q = w + count * count, *lambda = q + count, *push = s->step, before = fem_kinetic(s), driven = 0;
  SCR_TRY(metric_factor(s, &factor, error));
  SCR_TRY(fill_compliance(s, factor, 1, w, error));
  memset(push, 0, n * sizeof *push);
  for (size_t k = 0; k < count; k++) q[k] = fem_touch_along(&s->touches.item[k], 0, s->motion->velocity) - part_speed(&s->touches.item[k]);
  solve_impact(w, q, count, lambda);
  for (size_t k = 0; k < count; k++) {
    fem_touch *touch = &s->touches.item[k];
    touch->impulse = lambda[k];
    driven += lambda[k] * part_speed(touch);
    fem_touch_spread(touch, 0, lambda[k], push);
  }
  for (size_t k = 0; k < n; k++)
    if (s->hold->fixed[k]) push[k] = 0;
  SCR_TRY(la_factor_solve(factor, push, 1, push, error));
  for (size_t k = 0; k < n; k++) s->motion->velocity[k] += push[k];
  report->rig += driven;
  report->projection += fem_kinetic(s) - before - driven;
  return SCR_OK;
}
