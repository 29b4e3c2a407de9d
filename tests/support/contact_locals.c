/* Gauss-Seidel by rows of W, each local problem given to every solver. */
#include "tests/support/contact_locals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/system/delassus.h"

static void give_up(const char *why)
{
  fprintf(stderr, "local problems can't be counted: %s\n", why);
  exit(1);
}

static double condition_of(unsigned d, const double *block)
{
  double a[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX], values[CONE_DIMENSION_MAX];
  memcpy(a, block, (size_t)d * d * sizeof *a);
  for (unsigned turn = 0; turn < 60; ++turn) /* Jacobi's rotations */
    for (unsigned p = 0; p + 1 < d; ++p)
      for (unsigned q = p + 1; q < d; ++q) {
        double off = a[q * d + p];
        if (fabs(off) <= 1e-17 * (fabs(a[p * d + p]) + fabs(a[q * d + q]))) continue;
        double angle = 0.5 * atan2(2.0 * off, a[q * d + q] - a[p * d + p]), c = cos(angle), s = sin(angle);
        for (unsigned k = 0; k < d; ++k) {
          double x = a[k * d + p], y = a[k * d + q];
          a[k * d + p] = c * x - s * y;
          a[k * d + q] = s * x + c * y;
        }
        for (unsigned k = 0; k < d; ++k) {
          double x = a[p * d + k], y = a[q * d + k];
          a[p * d + k] = c * x - s * y;
          a[q * d + k] = s * x + c * y;
        }
      }
  double least = HUGE_VAL, most = 0.0;
  for (unsigned k = 0; k < d; ++k) {
    values[k] = a[k * d + k];
    least = fmin(least, values[k]);
    most = fmax(most, values[k]);
  }
  return least > 0.0 ? most / least : HUGE_VAL;
}

/* b_i without the contact's own impulse. */
static void free_velocity(const contact_system *s, const delassus *w, size_t i, const double *impulse, double *b)
{
  size_t d = w->dimension;
  memcpy(b, s->free_velocity + i * d, d * sizeof *b);
  for (size_t k = w->first[i]; k < w->first[i + 1]; ++k)
    for (size_t c = 0; c < d && k != w->diagonal[i]; ++c)
      for (size_t r = 0; r < d; ++r) b[r] += w->block[(k * d + c) * d + r] * impulse[w->column[k] * d + c];
}

static void visit(const contact_system *s, const delassus *w, size_t i, double *impulse, contact_locals *counts)
{
  unsigned d = w->dimension;
  double b[CONE_DIMENSION_MAX], found[CONE_DIMENSION_MAX];
  free_velocity(s, w, i, impulse, b);
  const local_problem one = {d, s->problem->friction[i], s->diagonal + i * d * d, b};
  bool opens = one.friction >= 0.0 && b[0] >= 0.0;
  counts->solves += !opens;
  for (unsigned k = LOCAL_SOLVER_COUNT; k-- > 0;) { /* the hybrid, 0, is the last: its answer stays */
    memcpy(found, impulse + i * d, d * sizeof *found);
    bool ok = local_solve((local_solver)k, &one, found, NULL);
    counts->failures[k] += !ok;
    if (k == LOCAL_HYBRID)
      for (unsigned c = 0; c < d; ++c) impulse[i * d + c] += (ok ? 1.0 : 0.5) * (found[c] - impulse[i * d + c]);
  }
}

void contact_locals_count(const contact_problem *problem, unsigned sweeps, contact_locals *counts)
{
  contact_options options = contact_options_default();
  contact_system system;
  delassus w;
  scr_error error = {0};
  if (contact_system_create(problem, &options, &system, &error) != SCR_OK) give_up(error.message);
  if (delassus_from_system(&system, &w, &error) != SCR_OK) give_up(error.message);
  double *impulse = mem_array(system.rows, sizeof *impulse);
  if (!impulse) give_up("no memory");
  size_t squared = (size_t)w.dimension * w.dimension;
  for (size_t i = 0; i < w.contact_count; ++i)
    counts->worst_condition = fmax(counts->worst_condition, condition_of(w.dimension, system.diagonal + i * squared));
  for (unsigned k = 0; k < sweeps; ++k)
    for (size_t i = 0; i < w.contact_count; ++i) visit(&system, &w, i, impulse, counts);
  mem_free(impulse);
  delassus_clear(&w);
  contact_system_clear(&system);
}
