/** Products of a cycle, in single precision on scaled unknowns. A block is 144 bytes and is read once; nine vector registers collect its
 *  36 products, which are added up across the six columns only when the row is complete. */
#include <math.h>

#include "linalg/flush_denormals.h"
#include "linalg/multigrid_level.h"

enum { BLOCK = LA_BLOCK_SIZE, LANES = 4, FEW = 256 /* rows not worth a team of threads */ };

/* Four floats, loaded wherever a float may lie. */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

/* sum[e] += block[e] x[e mod 6], e = 0 .. 35 */
static inline void accumulate(const float *restrict block, const float *restrict x, lanes sum[9])
{
  const lanes *entries = (const lanes *)block;
  lanes first = *(const lanes *)x, last = *(const lanes *)(x + 2), turn = __builtin_shufflevector(last, first, 2, 3, 4, 5);
  for (int k = 0; k < 9; k += 3) {
    sum[k] += entries[k] * first;
    sum[k + 1] += entries[k + 1] * turn;
    sum[k + 2] += entries[k + 2] * last;
  }
}

/* sum[e] += block[e] x[e / 6] */
static inline void accumulate_transposed(const float *restrict block, const float *restrict x, lanes sum[9])
{
  const lanes *entries = (const lanes *)block;
  for (int k = 0; k < 3; ++k) {
    float a = x[2 * k], b = x[2 * k + 1];
    sum[3 * k] += entries[3 * k] * a;
    sum[3 * k + 1] += entries[3 * k + 1] * (lanes){a, a, b, b};
    sum[3 * k + 2] += entries[3 * k + 2] * b;
  }
}

/* y[r] = sum over the columns */
static inline void finish(const lanes sum[9], float y[6])
{
  float s[BLOCK];
  memcpy(s, sum, sizeof s);
  for (int r = 0; r < 6; ++r) y[r] = ((s[6 * r] + s[6 * r + 1]) + (s[6 * r + 2] + s[6 * r + 3])) + (s[6 * r + 4] + s[6 * r + 5]);
}

/* y[c] = sum over the rows */
static inline void finish_transposed(const lanes sum[9], float y[6])
{
  float s[BLOCK];
  memcpy(s, sum, sizeof s);
  for (int c = 0; c < 6; ++c) y[c] = ((s[c] + s[6 + c]) + (s[12 + c] + s[18 + c])) + (s[24 + c] + s[30 + c]);
}

/* (A~ x) of one row */
static inline void multiply_row(const la_level *level, size_t row, const float *x, float ax[6])
{
  const la_block_graph *graph = &level->graph;
  const float *block = level->operator_values + BLOCK * (graph->first[row] + row);
  lanes sum[9] = {{0}};
  accumulate(block, x + 6 * row, sum);
  for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge)
    accumulate(block += BLOCK, x + (size_t)6 * graph->column[edge], sum);
  finish(sum, ax);
}

void la_level_residual(const la_level *level, const float *right, const float *x, float *y, unsigned threads)
{
  ptrdiff_t rows = (ptrdiff_t)level->graph.row_count;
  (void)threads; /* read by the pragmas only */
#pragma omp parallel num_threads(threads) if (threads > 1 && rows > FEW)
  {
    unsigned mode = flush_denormals_begin();
#pragma omp for schedule(static)
    for (ptrdiff_t row = 0; row < rows; ++row) {
      float ax[6];
      multiply_row(level, (size_t)row, x, ax);
      for (int d = 0; d < 6; ++d) y[6 * row + d] = right[6 * row + d] - ax[d];
    }
    flush_denormals_end(mode);
  }
}

void la_level_smooth(la_level *level, float keep, float add, bool from_zero, unsigned threads)
{
  ptrdiff_t rows = (ptrdiff_t)level->graph.row_count;
  float *x = level->x, *direction = level->direction;
  const float *right = level->right;
  (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && rows > FEW)
  {
    unsigned mode = flush_denormals_begin();
#pragma omp for schedule(static)
    for (ptrdiff_t row = 0; row < rows; ++row) {
      float ax[6] = {0};
      if (!from_zero) multiply_row(level, (size_t)row, x, ax);
      for (ptrdiff_t k = 6 * row; k < 6 * row + 6; ++k) {
        float step = add * (right[k] - ax[k - 6 * row]);
        direction[k] = keep == 0.0f ? step : keep * direction[k] + step;
      }
    }
#pragma omp for schedule(static)
    for (ptrdiff_t k = 0; k < 6 * rows; ++k) x[k] = from_zero ? direction[k] : x[k] + direction[k];
    flush_denormals_end(mode);
  }
}

void la_level_restrict(const la_level *fine, la_level *coarse, unsigned threads)
{
  ptrdiff_t rows = (ptrdiff_t)fine->coarse_count;
  (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && 8 * rows > FEW)
  {
    unsigned mode = flush_denormals_begin();
#pragma omp for schedule(static)
    for (ptrdiff_t row = 0; row < rows; ++row) {
      lanes sum[9] = {{0}};
      for (size_t t = fine->transposed[row]; t < fine->transposed[row + 1]; ++t)
        accumulate_transposed(fine->prolongator + BLOCK * fine->fine_slot[t], fine->scratch + (size_t)6 * fine->fine_row[t], sum);
      finish_transposed(sum, coarse->right + 6 * row);
    }
    flush_denormals_end(mode);
  }
}

void la_level_prolong(la_level *fine, const la_level *coarse, unsigned threads)
{
  const la_block_rows *p = &fine->smoothed;
  ptrdiff_t rows = (ptrdiff_t)fine->graph.row_count;
  (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && rows > FEW)
  {
    unsigned mode = flush_denormals_begin();
#pragma omp for schedule(static)
    for (ptrdiff_t row = 0; row < rows; ++row) {
      lanes sum[9] = {{0}};
      float correction[6];
      for (size_t k = p->first[row]; k < p->first[row + 1]; ++k)
        accumulate(fine->prolongator + BLOCK * k, coarse->x + (size_t)6 * p->column[k], sum);
      finish(sum, correction);
      for (int d = 0; d < 6; ++d) fine->x[6 * row + d] += correction[d];
    }
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

double la_level_largest_eigenvalue(la_level *level, unsigned threads)
{
  enum { STEPS = 10 };
  size_t n = 6 * level->graph.row_count;
  float *v = level->x, *before = level->right, *w = level->scratch;
  double diagonal[STEPS], off[STEPS];
  uint32_t seed = 1;
  int step = 0;
  unsigned mode = flush_denormals_begin();
  for (size_t k = 0; k < n; ++k) {
    seed = seed * 1664525u + 1013904223u;
    v[k] = (float)((double)(seed >> 8) * 0x1p-23 - 1.0);
    before[k] = 0.0f;
  }
  double length = sqrt(dot(v, v, n));
  for (; step < STEPS && length > 1e-6; ++step) {
    for (size_t k = 0; k < n; ++k) v[k] /= (float)length;
    for (size_t k = 0; k < n; ++k) before[k] *= step > 0 ? (float)off[step - 1] : 0.0f;
    la_level_residual(level, before, v, w, threads);
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
