/** Krylov methods on free quaternions. */
#include "tests/studies/optimizers/euclid_solver.h"

#include <float.h>
#include <string.h>

#include "linalg/vector.h"

enum { BORDERED = BDEM_FREE + 1 };

size_t bdem_euclid_scratch(size_t sphere_count)
{
  return sphere_count * (8 * BORDERED + 1) + 1;
}

la_pcg_report bdem_euclid_conjugate(bdem_euclid_problem *p, double tolerance, size_t iteration_limit, double *scratch)
{
  size_t n = BDEM_FREE * p->step->body->sphere_count;
  double *r = scratch, *z = r + n, *d = z + n, *ad = d + n, *x = p->change;
  la_pcg_report report = {LA_PCG_LIMIT, 0, 1.0};
  for (size_t k = 0; k < n; ++k) {
    x[k] = 0.0;
    r[k] = -p->gradient[k];
  }
  double norm = sqrt(la_dot(r, r, n, execution_of(1)));
  if (norm == 0.0) return (la_pcg_report){LA_PCG_CONVERGED, 0, 0.0};
  bdem_euclid_precondition(p, r, z);
  memcpy(d, z, n * sizeof *d);
  double rz = la_dot(r, z, n, execution_of(1));
  while (report.iterations < iteration_limit) {
    bdem_euclid_multiply(p, d, ad);
    ++report.iterations;
    double curvature = la_dot(d, ad, n, execution_of(1));
    if (!(curvature > 0.0)) {
      report.outcome = LA_PCG_NEGATIVE_CURVATURE;
      return report;
    }
    double alpha = rz / curvature;
    for (size_t k = 0; k < n; ++k) {
      x[k] += alpha * d[k];
      r[k] -= alpha * ad[k];
    }
    report.residual = sqrt(la_dot(r, r, n, execution_of(1))) / norm;
    if (report.residual <= tolerance) {
      report.outcome = LA_PCG_CONVERGED;
      return report;
    }
    bdem_euclid_precondition(p, r, z);
    double next = la_dot(r, z, n, execution_of(1)), beta = next / rz;
    rz = next;
    for (size_t k = 0; k < n; ++k) d[k] = z[k] + beta * d[k];
  }
  return report;
}

/* dC/d(r dq) of sphere k: q/r, zero where it may not turn. */
static void border_of(const bdem_euclid_problem *p, size_t k, double row[4])
{
  scr_quat q = quat_scale(p->quaternion[k], bdem_euclid_turns(p, k) ? 1.0 / p->step->body->radius[k] : 0.0);
  row[0] = q.x;
  row[1] = q.y;
  row[2] = q.z;
  row[3] = q.w;
}

/* y = [H A^T; A 0] x, the constraints' numbers behind all spheres'. */
static void bordered_multiply(const bdem_euclid_problem *p, const double *x, double *y)
{
  size_t n = p->step->body->sphere_count;
  bdem_euclid_multiply(p, x, y);
  for (size_t k = 0; k < n; ++k) {
    double row[4], sum = 0.0;
    border_of(p, k, row);
    for (size_t d = 0; d < 4; ++d) {
      sum += row[d] * x[BDEM_FREE * k + 3 + d];
      y[BDEM_FREE * k + 3 + d] += row[d] * x[BDEM_FREE * n + k];
    }
    y[BDEM_FREE * n + k] = sum;
  }
}

/* schur[k] = 1/(a K^-1 a^T), 0 for spheres that may not turn. */
static void schur_weights(const bdem_euclid_problem *p, double *work, double *schur)
{
  size_t n = p->step->body->sphere_count;
  double *right = work, *solved = work + BDEM_FREE * n;
  memset(right, 0, BDEM_FREE * n * sizeof *right);
  for (size_t k = 0; k < n; ++k) border_of(p, k, right + BDEM_FREE * k + 3);
  bdem_euclid_precondition(p, right, solved);
  for (size_t k = 0; k < n; ++k) {
    double sum = 0.0;
    for (size_t d = 3; d < BDEM_FREE; ++d) sum += right[BDEM_FREE * k + d] * solved[BDEM_FREE * k + d];
    schur[k] = sum > 0.0 ? 1.0 / sum : 0.0;
  }
}

static void bordered_precondition(const bdem_euclid_problem *p, const double *schur, const double *r, double *z)
{
  size_t n = p->step->body->sphere_count;
  bdem_euclid_precondition(p, r, z);
  for (size_t k = 0; k < n; ++k) z[BDEM_FREE * n + k] = schur[k] * r[BDEM_FREE * n + k];
}

static void split(const bdem_euclid_problem *p, const double *x, double *multiplier_change)
{
  size_t n = p->step->body->sphere_count;
  memcpy(p->change, x, BDEM_FREE * n * sizeof *x);
  memcpy(multiplier_change, x + BDEM_FREE * n, n * sizeof *x);
}

la_pcg_report bdem_euclid_bordered(bdem_euclid_problem *p, double tolerance, size_t iteration_limit, double *multiplier_change,
                                   double *scratch)
{
  size_t spheres = p->step->body->sphere_count, n = BORDERED * spheres;
  double *r1 = scratch, *r2 = r1 + n, *y = r2 + n, *v = y + n, *w = v + n, *w1 = w + n, *w2 = w1 + n, *x = w2 + n;
  double *schur = x + n;
  la_pcg_report report = {LA_PCG_LIMIT, 0, 1.0};
  schur_weights(p, r1, schur); /* uses r1 and r2 */
  for (size_t k = 0; k < BDEM_FREE * spheres; ++k) r1[k] = -p->gradient[k];
  for (size_t k = 0; k < spheres; ++k)
    r1[BDEM_FREE * spheres + k] = bdem_euclid_turns(p, k) ? 0.5 * (1.0 - quat_dot(p->quaternion[k], p->quaternion[k])) : 0.0;
  memcpy(r2, r1, n * sizeof *r2);
  bordered_precondition(p, schur, r1, y);
  memset(w, 0, 3 * n * sizeof *w); /* w, w1, w2 */
  memset(x, 0, n * sizeof *x);
  double first = sqrt(la_dot(r1, y, n, execution_of(1))), beta = first, last = 0.0, bar = 0.0, epsilon = 0.0, phi = first, cosine = -1.0,
         sine = 0.0;
  if (first == 0.0) report.outcome = LA_PCG_CONVERGED;
  while (report.outcome == LA_PCG_LIMIT && report.iterations < iteration_limit) {
    ++report.iterations;
    for (size_t k = 0; k < n; ++k) v[k] = y[k] / beta;
    bordered_multiply(p, v, y);
    if (report.iterations > 1)
      for (size_t k = 0; k < n; ++k) y[k] -= beta / last * r1[k];
    double alpha = la_dot(v, y, n, execution_of(1));
    for (size_t k = 0; k < n; ++k) {
      double next = y[k] - alpha / beta * r2[k];
      r1[k] = r2[k];
      r2[k] = next;
    }
    bordered_precondition(p, schur, r2, y);
    last = beta;
    beta = sqrt(fmax(0.0, la_dot(r2, y, n, execution_of(1))));
    double before = epsilon, delta = cosine * bar + sine * alpha, here = sine * bar - cosine * alpha;
    epsilon = sine * beta;
    bar = -cosine * beta;
    double gamma = fmax(sqrt(here * here + beta * beta), DBL_EPSILON * first);
    cosine = here / gamma;
    sine = beta / gamma;
    double *spare = w1; /* w of two iterations ago becomes the new one */
    w1 = w2;
    w2 = w;
    w = spare;
    for (size_t k = 0; k < n; ++k) {
      w[k] = (v[k] - before * w1[k] - delta * w2[k]) / gamma;
      x[k] += cosine * phi * w[k];
    }
    phi *= sine;
    report.residual = phi / first;
    if (report.residual <= tolerance || beta == 0.0) report.outcome = LA_PCG_CONVERGED;
  }
  split(p, x, multiplier_change);
  return report;
}
