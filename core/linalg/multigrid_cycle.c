/** Products of a cycle, in single precision on scaled unknowns. A block is 144 bytes and is read once; nine vector registers collect its
 *  36 products, which are added up across the six columns only when the row is complete. */
#include <math.h>

#include "linalg/multigrid_level.h"

enum { BLOCK = LA_BLOCK_SIZE, LANES = 4 };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* sum[e] += block[e] x[e mod 6], e = 0 .. 35 */
static inline void accumulate(const float *restrict block, const float *restrict x, lanes sum[9])
{
  float repeated[12];
  lanes pattern[3], value;
  memcpy(repeated, x, 6 * sizeof *x);
  memcpy(repeated + 6, x, 6 * sizeof *x);
  memcpy(pattern, repeated, sizeof pattern);
  for (int k = 0; k < 9; ++k) {
    memcpy(&value, block + (ptrdiff_t)LANES * k, sizeof value);
    sum[k] += value * pattern[k % 3];
  }
}

/* y[r] = sum over the columns */
static inline void finish(const lanes sum[9], float y[6])
{
  float s[BLOCK];
  memcpy(s, sum, sizeof s);
  for (int r = 0; r < 6; ++r) y[r] = ((s[6 * r] + s[6 * r + 1]) + (s[6 * r + 2] + s[6 * r + 3])) + (s[6 * r + 4] + s[6 * r + 5]);
}

void la_level_residual(const la_level *level, const float *right, const float *x, float *y, unsigned threads)
{
  const la_block_graph *graph = &level->graph;
  ptrdiff_t rows = (ptrdiff_t)graph->row_count;
  (void)threads; /* read by the pragmas only */
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && rows > 256)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    const float *block = level->operator_values + BLOCK * (graph->first[row] + (size_t)row);
    lanes sum[9] = {{0}};
    float ax[6];
    accumulate(block, x + 6 * row, sum);
    for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge)
      accumulate(block += BLOCK, x + (size_t)6 * graph->column[edge], sum);
    finish(sum, ax);
    for (int d = 0; d < 6; ++d) y[6 * row + d] = right[6 * row + d] - ax[d];
  }
}

void la_level_restrict(const la_level *fine, la_level *coarse, unsigned threads)
{
  ptrdiff_t rows = (ptrdiff_t)fine->coarse_count;
  (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && rows > 32)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    float sum[6] = {0};
    for (size_t t = fine->transposed[row]; t < fine->transposed[row + 1]; ++t) {
      const float *block = fine->prolongator + BLOCK * fine->fine_slot[t], *r = fine->scratch + (size_t)6 * fine->fine_row[t];
      for (int k = 0; k < 6; ++k)
        for (int d = 0; d < 6; ++d) sum[d] += block[6 * k + d] * r[k];
    }
    memcpy(coarse->right + 6 * row, sum, sizeof sum);
  }
}

void la_level_prolong(la_level *fine, const la_level *coarse, unsigned threads)
{
  const la_block_rows *p = &fine->smoothed;
  ptrdiff_t rows = (ptrdiff_t)fine->graph.row_count;
  (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && rows > 256)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    lanes sum[9] = {{0}};
    float correction[6];
    for (size_t k = p->first[row]; k < p->first[row + 1]; ++k)
      accumulate(fine->prolongator + BLOCK * k, coarse->x + (size_t)6 * p->column[k], sum);
    finish(sum, correction);
    for (int d = 0; d < 6; ++d) fine->x[6 * row + d] += correction[d];
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
  double largest = step > 0 ? tridiagonal_largest(diagonal, off, step) : 1.0;
  return largest > 0.0 && isfinite(largest) ? largest : 1.0;
}
