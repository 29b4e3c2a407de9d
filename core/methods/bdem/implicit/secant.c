/** Quasi-Newton steps. Sums are added up over fixed pieces: the bits don't depend on threads. */
#include "methods/bdem/implicit/secant.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/vector.h"

scr_status bdem_secants_create(size_t unknowns, bdem_secants *secants, scr_error *error)
{
  bool complete = true;
  *secants = (bdem_secants){0};
  for (int k = 0; k < BDEM_SECANTS; ++k) {
    secants->displacement[k] = mem_array(unknowns, sizeof *secants->displacement[k]);
    secants->change[k] = mem_array(unknowns, sizeof *secants->change[k]);
    complete = complete && secants->displacement[k] && secants->change[k];
  }
  if (complete) return SCR_OK;
  bdem_secants_destroy(secants);
  return scr_fail_memory(error, "an implicit solver", 2 * BDEM_SECANTS * unknowns * sizeof(float));
}

void bdem_secants_destroy(bdem_secants *secants)
{
  for (int k = 0; k < BDEM_SECANTS; ++k) {
    mem_free(secants->displacement[k]);
    mem_free(secants->change[k]);
  }
  *secants = (bdem_secants){0};
}

enum { FEW = 8 /* pieces not worth a team of threads */ };

/* Sums are those of la_partial_count(count) equal pieces. */
static size_t piece_length(size_t count)
{
  size_t pieces = la_partial_count(count);
  return pieces > 0 ? (count + pieces - 1) / pieces : 0;
}

static size_t piece_end(size_t piece, size_t count)
{
  size_t end = (piece + 1) * piece_length(count);
  return end < count ? end : count;
}

/* to += factor add, where there is one; returns to . with, 0 without. */
static double add_and_dot(double *to, double factor, const float *add, const float *with, size_t count, double *partial, unsigned threads)
{
  ptrdiff_t pieces = (ptrdiff_t)la_partial_count(count);
  size_t length = piece_length(count);
  double total = 0.0;
  (void)threads; /* read by the pragma only */
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && pieces > FEW)
  for (ptrdiff_t p = 0; p < pieces; ++p) {
    size_t begin = (size_t)p * length, end = piece_end((size_t)p, count), k = begin;
    double sum[4] = {0};
    if (add)
      for (size_t m = begin; m < end; ++m) to[m] += factor * (double)add[m];
    for (; with && k + 4 <= end; k += 4)
      for (size_t m = 0; m < 4; ++m) sum[m] += to[k + m] * (double)with[k + m];
    for (; with && k < end; ++k) sum[0] += to[k] * (double)with[k];
    partial[p] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  for (ptrdiff_t p = 0; p < pieces; ++p) total += partial[p];
  return total;
}

/* Stores s and y rounded; returns s . y. */
static double round_pair(const double *step, double alpha, const double *before, const double *after, size_t count, float *displacement,
                         float *change, double *partial, unsigned threads)
{
  ptrdiff_t pieces = (ptrdiff_t)la_partial_count(count);
  size_t length = piece_length(count);
  double total = 0.0;
  (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && pieces > FEW)
  for (ptrdiff_t p = 0; p < pieces; ++p) {
    double sum = 0.0;
    for (size_t k = (size_t)p * length, end = piece_end((size_t)p, count); k < end; ++k) {
      displacement[k] = (float)(alpha * step[k]);
      change[k] = (float)(after[k] - before[k]);
      sum += (double)displacement[k] * (double)change[k];
    }
    partial[p] = sum;
  }
  for (ptrdiff_t p = 0; p < pieces; ++p) total += partial[p];
  return total;
}

void bdem_secants_add(bdem_secants *secants, const double *step, double alpha, const double *before, const double *after, size_t count,
                      double *partial, unsigned threads)
{
  if (secants->count == BDEM_SECANTS) { /* the oldest arrays become the newest */
    float *displacement = secants->displacement[0], *change = secants->change[0];
    memmove(secants->displacement, secants->displacement + 1, (BDEM_SECANTS - 1) * sizeof *secants->displacement);
    memmove(secants->change, secants->change + 1, (BDEM_SECANTS - 1) * sizeof *secants->change);
    memmove(secants->inverse, secants->inverse + 1, (BDEM_SECANTS - 1) * sizeof *secants->inverse);
    secants->displacement[BDEM_SECANTS - 1] = displacement;
    secants->change[BDEM_SECANTS - 1] = change;
    --secants->count;
  }
  float *displacement = secants->displacement[secants->count], *change = secants->change[secants->count];
  double product = round_pair(step, alpha, before, after, count, displacement, change, partial, threads);
  if (product > 0.0 && isfinite(1.0 / product)) secants->inverse[secants->count++] = 1.0 / product;
}

void bdem_secants_step(const bdem_secants *secants, const la_preconditioner *preconditioner, const double *gradient, size_t count,
                       double *step, double *work, double *partial, unsigned threads)
{
  size_t pairs = secants->count;
  double along[BDEM_SECANTS] = {0}, sum;
  ptrdiff_t n = (ptrdiff_t)count;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (ptrdiff_t k = 0; k < n; ++k) work[k] = -gradient[k];
  sum = add_and_dot(work, 0.0, NULL, pairs ? secants->displacement[pairs - 1] : NULL, count, partial, threads);
  for (size_t k = pairs; k-- > 0;) {
    along[k] = secants->inverse[k] * sum;
    sum = add_and_dot(work, -along[k], secants->change[k], k > 0 ? secants->displacement[k - 1] : NULL, count, partial, threads);
  }
  preconditioner->apply(preconditioner->state, work, step);
  sum = add_and_dot(step, 0.0, NULL, pairs ? secants->change[0] : NULL, count, partial, threads);
  for (size_t k = 0; k < pairs; ++k)
    sum = add_and_dot(step, along[k] - secants->inverse[k] * sum, secants->displacement[k], k + 1 < pairs ? secants->change[k + 1] : NULL,
                      count, partial, threads);
}
