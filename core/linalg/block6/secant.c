/** Quasi-Newton steps. Sums are added up over fixed pieces: the bits don't depend on threads. */
#include "linalg/block6/secant.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/vector.h"

scr_status la_secants_create(size_t unknowns, la_secants *secants, scr_error *error)
{
  bool complete = true;
  *secants = (la_secants){0};
  for (int k = 0; k < LA_SECANTS; ++k) {
    secants->displacement[k] = mem_array(unknowns, sizeof *secants->displacement[k]);
    secants->change[k] = mem_array(unknowns, sizeof *secants->change[k]);
    complete = complete && secants->displacement[k] && secants->change[k];
  }
  if (complete) return SCR_OK;
  la_secants_destroy(secants);
  return scr_fail_memory(error, "an implicit solver", 2 * LA_SECANTS * unknowns * sizeof(float));
}

void la_secants_destroy(la_secants *secants)
{
  for (int k = 0; k < LA_SECANTS; ++k) {
    mem_free(secants->displacement[k]);
    mem_free(secants->change[k]);
  }
  *secants = (la_secants){0};
}

/* Blocks of equal length, about la_dot's. */
static size_t block_length(size_t count)
{
  size_t blocks = (count + LA_TERMS - 1) / LA_TERMS;
  return blocks > 0 ? (count + blocks - 1) / blocks : 1;
}

static scr_execution team(size_t count, scr_execution execution)
{
  return execution_if(count > (size_t)LA_FEW * LA_TERMS, execution);
}

typedef struct update {
  double *to, factor;
  const float *add, *with;
} update;

static void add_and_dot_terms(const void *user, size_t begin, size_t end, double *total)
{
  const update *u = user;
  size_t k = begin;
  double sum[4] = {0};
  if (u->add)
    for (size_t m = begin; m < end; ++m) u->to[m] += u->factor * (double)u->add[m];
  for (; u->with && k + 4 <= end; k += 4)
    for (size_t m = 0; m < 4; ++m) sum[m] += u->to[k + m] * (double)u->with[k + m];
  for (; u->with && k < end; ++k) sum[0] += u->to[k] * (double)u->with[k];
  *total += (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* to += factor add, where there is one; returns to . with, 0 without.
 * NOLINTNEXTLINE(readability-non-const-parameter): add_and_dot_terms writes `to` */
static double add_and_dot(double *to, double factor, const float *add, const float *with, size_t count, scr_execution execution)
{
  const update u = {to, factor, add, with};
  double total = 0.0;
  execution_sum(team(count, execution), count, block_length(count), 1, add_and_dot_terms, &u, &total);
  return total;
}

typedef struct rounding {
  const double *step, *before, *after;
  double alpha;
  float *displacement, *change;
} rounding;

/* Stores s and y rounded; adds s . y. */
static void round_pair(const void *user, size_t begin, size_t end, double *product)
{
  const rounding *r = user;
  for (size_t k = begin; k < end; ++k) {
    r->displacement[k] = (float)(r->alpha * r->step[k]);
    r->change[k] = (float)(r->after[k] - r->before[k]);
    *product += (double)r->displacement[k] * (double)r->change[k];
  }
}

void la_secants_add(la_secants *secants, const double *step, double alpha, const double *before, const double *after, size_t count,
                    scr_execution execution)
{
  if (secants->count == LA_SECANTS) { /* the oldest arrays become the newest */
    float *displacement = secants->displacement[0], *change = secants->change[0];
    memmove(secants->displacement, secants->displacement + 1, (LA_SECANTS - 1) * sizeof *secants->displacement);
    memmove(secants->change, secants->change + 1, (LA_SECANTS - 1) * sizeof *secants->change);
    memmove(secants->inverse, secants->inverse + 1, (LA_SECANTS - 1) * sizeof *secants->inverse);
    secants->displacement[LA_SECANTS - 1] = displacement;
    secants->change[LA_SECANTS - 1] = change;
    --secants->count;
  }
  const rounding r = {step, before, after, alpha, secants->displacement[secants->count], secants->change[secants->count]};
  double product = 0.0;
  execution_sum(team(count, execution), count, block_length(count), 1, round_pair, &r, &product);
  if (product > 0.0 && isfinite(1.0 / product)) secants->inverse[secants->count++] = 1.0 / product;
}

void la_secants_step(const la_secants *secants, const la_preconditioner *preconditioner, const double *gradient, size_t count, double *step,
                     double *work, scr_execution execution)
{
  size_t pairs = secants->count;
  double along[LA_SECANTS] = {0}, sum;
  ptrdiff_t n = (ptrdiff_t)count;
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t k = 0; k < n; ++k) work[k] = -gradient[k];
  sum = add_and_dot(work, 0.0, NULL, pairs ? secants->displacement[pairs - 1] : NULL, count, execution);
  for (size_t k = pairs; k-- > 0;) {
    along[k] = secants->inverse[k] * sum;
    sum = add_and_dot(work, -along[k], secants->change[k], k > 0 ? secants->displacement[k - 1] : NULL, count, execution);
  }
  preconditioner->apply(preconditioner->state, work, step);
  sum = add_and_dot(step, 0.0, NULL, pairs ? secants->change[0] : NULL, count, execution);
  for (size_t k = 0; k < pairs; ++k)
    sum = add_and_dot(step, along[k] - secants->inverse[k] * sum, secants->displacement[k], k + 1 < pairs ? secants->change[k + 1] : NULL,
                      count, execution);
}
