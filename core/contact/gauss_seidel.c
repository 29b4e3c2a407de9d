/* Projected block Gauss-Seidel, colour by colour. */
#include "contact/gauss_seidel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { judge_every = 10, parallel_from = 64 };

contact_options contact_options_default(void)
{
  return (contact_options){.local = LOCAL_HYBRID, .sweep_limit = 1000, .tolerance = 1e-6, .threads = 1};
}

double contact_residual(const contact_problem *problem, const double *impulse, double *velocity)
{
  const delassus *w = problem->delassus;
  unsigned d = w->dimension;
  double largest = 0.0, speed = 0.0;
  delassus_velocity(w, impulse, problem->free_velocity, velocity);
  for (size_t k = 0; k < w->contact_count * d; k++) speed = fmax(speed, fabs(problem->free_velocity[k]));
  for (size_t i = 0; i < w->contact_count; i++) {
    double residual = cone_residual(d, problem->friction[i], w->scale[i], velocity + i * d, impulse + i * d);
    if (!isfinite(residual)) return HUGE_VAL;
    largest = fmax(largest, residual);
  }
  return largest > 0.0 ? largest / speed : 0.0; /* speed > 0 then: without it no impulse is needed, and none is the start that wins */
}

/* Velocity of a contact as all others make it. */
static void velocity_of_others(const contact_problem *problem, size_t i, const double *impulse, double *b)
{
  const delassus *w = problem->delassus;
  unsigned d = w->dimension;
  memcpy(b, problem->free_velocity + i * d, d * sizeof *b);
  for (size_t k = w->first[i]; k < w->first[i + 1]; k++) {
    if (k == w->diagonal[i]) continue;
    const double *block = w->block + k * d * d, *r = impulse + (size_t)w->column[k] * d;
    for (unsigned c = 0; c < d; c++)
      for (unsigned row = 0; row < d; row++) b[row] += block[c * d + row] * r[c];
  }
}

/* A contact that its solver cannot satisfy moves half the way, so that two of them do not throw each other about. @return whether it was solved */
static bool visit(const contact_problem *problem, local_solver solver, size_t i, double *impulse)
{
  const delassus *w = problem->delassus;
  unsigned d = w->dimension;
  double b[CONE_DIMENSION_MAX] = {0}, r[CONE_DIMENSION_MAX] = {0}, *present = impulse + i * d;
  velocity_of_others(problem, i, impulse, b);
  memcpy(r, present, d * sizeof *r);
  const local_problem one = {d, problem->friction[i], w->block + w->diagonal[i] * d * d, b};
  bool ok = local_solve(solver, &one, r, NULL);
  for (unsigned k = 0; k < d; k++) present[k] += (ok ? 1.0 : 0.5) * (r[k] - present[k]);
  return ok;
}

static int threads_for(const contact_options *options, size_t contacts)
{
  return options->threads > 1 && contacts >= parallel_from ? (int)options->threads : 1;
}

static size_t sweep(const contact_problem *problem, const contact_options *options, double *impulse)
{
  const delassus *w = problem->delassus;
  size_t failures = 0;
  for (uint32_t c = 0; c < w->colour_count; c++) {
    size_t from = w->colour_first[c], to = w->colour_first[c + 1];
#pragma omp parallel for num_threads(threads_for(options, to - from)) schedule(static) reduction(+ : failures)
    for (size_t k = from; k < to; k++) failures += !visit(problem, options->local, w->order[k], impulse);
  }
  return failures;
}

/* Keeps the impulses with the smallest residual. @return whether they are a solution */
static bool keep_best(const contact_problem *problem, const contact_options *options, const double *impulse, double *velocity, double *best,
                      contact_result *result)
{
  double residual = contact_residual(problem, impulse, velocity);
  if (residual < result->residual) {
    result->residual = residual;
    memcpy(best, impulse, problem->delassus->contact_count * problem->delassus->dimension * sizeof *best);
  }
  result->solved = result->residual <= options->tolerance;
  return result->solved;
}

static void iterate(const contact_problem *problem, const contact_options *options, double *impulse, double *best, double *velocity,
                    contact_result *result)
{
  size_t size = problem->delassus->contact_count * problem->delassus->dimension;
  bool done = keep_best(problem, options, best, velocity, best, result); /* no impulse at all */
  for (size_t k = 0; k < size; k++)
    if (!isfinite(impulse[k])) impulse[k] = 0.0;
  done = keep_best(problem, options, impulse, velocity, best, result) || done;
  memcpy(impulse, best, size * sizeof *impulse);
  while (!done && result->sweeps < options->sweep_limit) {
    result->local_failures = sweep(problem, options, impulse);
    result->sweeps++;
    if (result->sweeps % judge_every == 0 || result->sweeps == options->sweep_limit)
      done = keep_best(problem, options, impulse, velocity, best, result);
  }
  memcpy(impulse, best, size * sizeof *impulse);
}

scr_status contact_gauss_seidel(const contact_problem *problem, const contact_options *options, double *impulse, contact_result *result,
                                scr_error *error)
{
  size_t size = problem->delassus->contact_count * problem->delassus->dimension;
  double *best = calloc(size, sizeof *best), *velocity = malloc(size * sizeof *velocity);
  *result = (contact_result){.residual = HUGE_VAL};
  if (best && velocity) iterate(problem, options, impulse, best, velocity, result);
  bool memory = best && velocity;
  free(best);
  free(velocity);
  return memory ? SCR_OK : scr_fail_memory(error, "impulses of contacts", 2 * size * sizeof *best);
}
