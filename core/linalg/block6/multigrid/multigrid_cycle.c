/** Products of a cycle, in single precision on scaled unknowns: folded.h has the loops over blocks, here are those over rows. */
#include <math.h>
#include <omp.h>

#include "linalg/block6/multigrid/multigrid_level.h"
#include "linalg/flush_denormals.h"

enum { FEW = 256 /* rows not worth a team of threads */, WIDTH = FOLDED_ROW };

/* Rows of a chunk. */
static size_t chunk_end(const la_level *level, ptrdiff_t chunk)
{
  size_t end = (size_t)(chunk + 1) * FOLDED_CHUNK;
  return end < level->graph.row_count ? end : level->graph.row_count;
}

void la_level_residual(const la_level *level, const float *right, const float *x, float *y, scr_execution execution)
{
  ptrdiff_t chunks = (ptrdiff_t)level->folded.chunk_count;
  (void)execution; /* read by the pragmas only */
#pragma omp parallel num_threads(execution.threads) if (execution.threads > 1 && chunks > 1)
  {
    unsigned mode = flush_denormals_begin();
#pragma omp for schedule(static)
    for (ptrdiff_t chunk = 0; chunk < chunks; ++chunk)
      la_folded_evaluate(&level->folded, (size_t)chunk, x, y, (unsigned)omp_get_thread_num());
#pragma omp for schedule(static)
    for (ptrdiff_t chunk = 0; chunk < chunks; ++chunk) {
      la_folded_collect(&level->folded, (size_t)chunk, y);
      for (size_t row = (size_t)chunk * FOLDED_CHUNK; row < chunk_end(level, chunk); ++row) {
        for (size_t k = WIDTH * row; k < WIDTH * row + 6; ++k) y[k] = right[k] - y[k];
        y[WIDTH * row + 6] = y[WIDTH * row + 7] = 0.0f;
      }
    }
    flush_denormals_end(mode);
  }
}

/* One row of a smoothing sweep; `ax` may be NULL for zero. */
static inline void smooth_row(float keep, float add, const float *right, const float *ax, float *direction, float *x)
{
  for (int d = 0; d < 6; ++d) {
    float step = add * (ax ? right[d] - ax[d] : right[d]);
    direction[d] = keep == 0.0f ? step : keep * direction[d] + step;
    x[d] = ax ? x[d] + direction[d] : direction[d];
  }
}

void la_level_smooth(la_level *level, float keep, float add, bool from_zero, scr_execution execution)
{
  ptrdiff_t chunks = (ptrdiff_t)level->folded.chunk_count;
  float *ax = level->scratch;
  (void)execution;
#pragma omp parallel num_threads(execution.threads) if (execution.threads > 1 && chunks > 1)
  {
    unsigned mode = flush_denormals_begin();
    if (!from_zero) {
#pragma omp for schedule(static)
      for (ptrdiff_t chunk = 0; chunk < chunks; ++chunk)
        la_folded_evaluate(&level->folded, (size_t)chunk, level->x, ax, (unsigned)omp_get_thread_num());
    }
#pragma omp for schedule(static)
    for (ptrdiff_t chunk = 0; chunk < chunks; ++chunk) {
      if (!from_zero) la_folded_collect(&level->folded, (size_t)chunk, ax);
      for (size_t row = (size_t)chunk * FOLDED_CHUNK; row < chunk_end(level, chunk); ++row)
        smooth_row(keep, add, level->right + WIDTH * row, from_zero ? NULL : ax + WIDTH * row, level->direction + WIDTH * row,
                   level->x + WIDTH * row);
    }
    flush_denormals_end(mode);
  }
}

/* Rows that a thread takes at a time where they don't depend on each other. */
enum { RUN = 64 };

static size_t run_end(ptrdiff_t run, size_t rows)
{
  size_t end = (size_t)(run + 1) * RUN;
  return end < rows ? end : rows;
}

void la_level_restrict(const la_level *fine, la_level *coarse, scr_execution execution)
{
  size_t rows = fine->coarse_count;
  ptrdiff_t runs = (ptrdiff_t)((rows + RUN - 1) / RUN);
  (void)execution;
#pragma omp parallel num_threads(execution.threads) if (execution.threads > 1 && 8 * rows > FEW)
  {
    unsigned mode = flush_denormals_begin();
#pragma omp for schedule(static)
    for (ptrdiff_t run = 0; run < runs; ++run)
      la_single_best()->gather_transposed(fine->restrictor, fine->transposed, fine->fine_row, (size_t)run * RUN, run_end(run, rows),
                                          fine->scratch, coarse->right);
    flush_denormals_end(mode);
  }
}

void la_level_prolong(la_level *fine, const la_level *coarse, scr_execution execution)
{
  size_t rows = fine->graph.row_count;
  ptrdiff_t runs = (ptrdiff_t)((rows + RUN - 1) / RUN);
  (void)execution;
#pragma omp parallel num_threads(execution.threads) if (execution.threads > 1 && rows > FEW)
  {
    unsigned mode = flush_denormals_begin();
#pragma omp for schedule(static)
    for (ptrdiff_t run = 0; run < runs; ++run)
      la_single_best()->gather(fine->prolongator, fine->smoothed.first, fine->smoothed.column, (size_t)run * RUN, run_end(run, rows),
                               coarse->x, fine->x);
    flush_denormals_end(mode);
  }
}

/* Products of long vectors over fixed pieces, in double precision. */
static double dot(const float *a, const float *b, size_t count)
{
  enum { PIECE = 4096 };
  double sum = 0.0;
  for (size_t begin = 0; begin < count; begin += PIECE) {
    size_t end = count - begin < PIECE ? count : begin + PIECE, k = begin;
    double s[4] = {0};
    for (; k + 4 <= end; k += 4)
      for (size_t m = 0; m < 4; ++m) s[m] += (double)a[k + m] * (double)b[k + m];
    for (; k < end; ++k) s[0] += (double)a[k] * (double)b[k];
    sum += (s[0] + s[1]) + (s[2] + s[3]);
  }
  return sum;
}

/* Whether all eigenvalues of the tridiagonal matrix lie below `bound`: no pivot of T - bound I is above zero (Sturm). */
static bool all_below(const double *diagonal, const double *off, int count, double bound)
{
  double pivot = diagonal[0] - bound;
  for (int k = 1; k < count && pivot < 0.0; ++k) pivot = diagonal[k] - bound - off[k - 1] * off[k - 1] / pivot;
  return pivot < 0.0;
}

static double tridiagonal_largest(const double *diagonal, const double *off, int count)
{
  double low = 0.0, high = 1e-30;
  while (high < 1e30 && !all_below(diagonal, off, count, high)) high *= 2.0;
  for (int k = 0; k < 40; ++k) {
    double middle = 0.5 * (low + high);
    if (all_below(diagonal, off, count, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

double la_level_largest_eigenvalue(la_level *level, scr_execution execution)
{
  enum { STEPS = 10 };
  size_t n = WIDTH * level->graph.row_count;
  float *v = level->x, *before = level->right, *w = level->scratch;
  double diagonal[STEPS], off[STEPS];
  uint32_t seed = 1;
  int step = 0;
  unsigned mode = flush_denormals_begin();
  for (size_t k = 0; k < n; ++k) {
    seed = seed * 1664525u + 1013904223u;
    v[k] = k % WIDTH < 6 ? (float)((double)(seed >> 8) * 0x1p-23 - 1.0) : 0.0f;
    before[k] = 0.0f;
  }
  double length = sqrt(dot(v, v, n));
  for (; step < STEPS && length > 1e-6; ++step) {
    for (size_t k = 0; k < n; ++k) v[k] /= (float)length;
    for (size_t k = 0; k < n; ++k) before[k] *= step > 0 ? (float)off[step - 1] : 0.0f;
    la_level_residual(level, before, v, w, execution);
    diagonal[step] = -dot(w, v, n);
    for (size_t k = 0; k < n; ++k) {
      float next = -w[k] - (float)diagonal[step] * v[k];
      before[k] = v[k];
      v[k] = next;
    }
    off[step] = length = sqrt(dot(v, v, n));
  }
  flush_denormals_end(mode);
  double largest = step > 0 ? tridiagonal_largest(diagonal, off, step) : 1.0;
  return largest > 0.0 && isfinite(largest) ? largest : 1.0;
}
