/** Smoothed-aggregation multigrid: builds the hierarchy and runs its V-cycle. The coarsest level is solved by a dense Cholesky factor. */
#include "base/memory.h"
#include "linalg/block6/multigrid/multigrid_level.h"
#include "linalg/block6/preconditioner.h"
#include "linalg/vector.h"

enum { LEVELS = 12, DENSE_ROWS = 48 /* a dense factor of at most this many rows of blocks: 288 unknowns, 0.6 MB */ };

typedef struct multigrid {
  scr_execution execution;
  const double *modes; /* the caller's; NULL = the unknowns themselves */
  size_t level_count;
  la_level levels[LEVELS];
  float *inverse; /* [n][36] L^-1 of the finest level */
  double *dense;  /* [6 n][6 n] lower Cholesky factor of the coarsest A~, NULL if that level is only smoothed */
} multigrid;

static void release(multigrid *self)
{
  for (size_t k = 0; k < self->level_count; ++k) la_level_clear(&self->levels[k]);
  self->level_count = 0;
  mem_free(self->dense);
  mem_free(self->inverse);
  self->dense = NULL;
  self->inverse = NULL;
}

/* Everything that follows from the graph. On failure the caller releases. */
static scr_status build(multigrid *self, const la_block_matrix *matrix, scr_error *error)
{
  self->level_count = 1;
  self->levels[0].matrix = matrix;
  SCR_TRY(la_block_graph_take(&self->levels[0].graph, matrix, error));
  SCR_TRY(la_level_allocate(&self->levels[0], self->execution, error));
  size_t n = self->levels[0].graph.row_count;
  self->inverse = mem_array(n, LA_BLOCK_SIZE * sizeof *self->inverse);
  if (!self->inverse) return scr_fail_memory(error, "a multigrid level", n * LA_BLOCK_SIZE * sizeof *self->inverse);
  while (self->level_count < LEVELS) {
    la_level *fine = &self->levels[self->level_count - 1], *coarse = fine + 1;
    if (fine->graph.row_count <= DENSE_ROWS) break;
    *coarse = (la_level){0};
    self->level_count++;
    SCR_TRY(la_level_coarsen(fine, coarse, error));
    if (fine->coarse_count == 0) {
      self->level_count--;
      break;
    }
    SCR_TRY(la_level_allocate(coarse, self->execution, error));
  }
  size_t rows = self->levels[self->level_count - 1].graph.row_count;
  if (rows > DENSE_ROWS) return SCR_OK;
  self->dense = mem_array(6 * rows, 6 * rows * sizeof *self->dense);
  return self->dense ? SCR_OK : scr_fail_memory(error, "the coarsest multigrid level", 36 * rows * rows * sizeof(double));
}

/* The lower triangle of A~ on the coarsest level, its diagonal enlarged by `shift`. */
static void copy_dense(const la_level *level, double shift, double *dense)
{
  const la_block_graph *graph = &level->graph;
  size_t n = 6 * graph->row_count;
  memset(dense, 0, n * n * sizeof *dense);
  for (size_t row = 0; row < graph->row_count; ++row) {
    for (size_t k = graph->first[row]; k < graph->first[row + 1]; ++k) {
      size_t column = graph->column[k];
      double block[LA_BLOCK_SIZE];
      if (column < row) continue;
      la_level_scaled_block(level, row, k, block);
      for (size_t r = 0; r < 6; ++r)
        for (size_t c = 0; c < 6; ++c) dense[(6 * column + c) * n + 6 * row + r] = block[6 * r + c];
    }
    for (size_t d = 0; d < 6; ++d) dense[(6 * row + d) * (n + 1)] = 1.0 + shift;
  }
}

/* In place, lower triangle, the diagonal inverted. */
static bool factor_dense(double *a, size_t n)
{
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c <= r; ++c) {
      double sum = a[r * n + c], s[4] = {0};
      size_t k = 0;
      for (; k + 4 <= c; k += 4)
        for (size_t m = 0; m < 4; ++m) s[m] += a[r * n + k + m] * a[c * n + k + m];
      for (; k < c; ++k) s[0] += a[r * n + k] * a[c * n + k];
      sum -= (s[0] + s[1]) + (s[2] + s[3]);
      if (c < r)
        a[r * n + c] = sum * a[c * n + c];
      else if (sum > 0.0)
        a[r * n + r] = 1.0 / sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

/* The factor of the coarsest level; with a shift where that is singular, as for a body that nothing holds. */
static void solve_coarsest_later(multigrid *self)
{
  static const double shifts[] = {0.0, 1e-6, 1e-3, 1.0};
  const la_level *level = &self->levels[self->level_count - 1];
  size_t n = 6 * level->graph.row_count;
  for (size_t k = 0; self->dense && k < sizeof shifts / sizeof *shifts; ++k) {
    copy_dense(level, shifts[k], self->dense);
    if (factor_dense(self->dense, n)) return;
  }
  if (!self->dense) return;
  memset(self->dense, 0, n * n * sizeof *self->dense); /* indefinite beyond repair: the identity */
  for (size_t k = 0; k < n; ++k) self->dense[k * (n + 1)] = 1.0;
}

static void invert_factors(multigrid *self)
{
  ptrdiff_t rows = (ptrdiff_t)self->levels[0].graph.row_count;
#pragma omp parallel for schedule(static) num_threads(self->execution.threads) if (self->execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    double inverse[LA_BLOCK_SIZE] = {0};
    for (int d = 0; d < 6; ++d) inverse[7 * d] = 1.0;
    block6_forward_block(self->levels[0].factors + LA_BLOCK_SIZE * row, inverse);
    for (int e = 0; e < LA_BLOCK_SIZE; ++e) self->inverse[LA_BLOCK_SIZE * row + e] = (float)inverse[e];
  }
}

static void take_modes(multigrid *self)
{
  la_level *finest = &self->levels[0];
  size_t n = finest->graph.row_count;
  if (self->modes) {
    memcpy(finest->modes, self->modes, n * LA_BLOCK_SIZE * sizeof *self->modes);
    return;
  }
  memset(finest->modes, 0, n * LA_BLOCK_SIZE * sizeof *finest->modes);
  for (size_t row = 0; row < n; ++row)
    for (size_t d = 0; d < 6; ++d) finest->modes[LA_BLOCK_SIZE * row + 7 * d] = 1.0;
}

static scr_status update(void *state, const la_block_matrix *matrix, scr_error *error)
{
  multigrid *self = state;
  if (self->level_count == 0 || !la_block_graph_matches(&self->levels[0].graph, matrix)) {
    release(self);
    scr_status status = build(self, matrix, error);
    if (status != SCR_OK) {
      release(self);
      return status;
    }
  }
  self->levels[0].matrix = matrix;
  take_modes(self);
  la_level_values(&self->levels[0], self->execution);
  for (size_t k = 0; k + 1 < self->level_count; ++k) {
    la_level *fine = &self->levels[k], *coarse = fine + 1;
    la_level_tentative(fine, coarse, self->execution);
    la_level_galerkin(fine, coarse, self->execution);
    la_level_values(coarse, self->execution);
    la_level_scale_prolongator(fine, coarse, self->execution);
  }
  solve_coarsest_later(self);
  invert_factors(self);
  self->levels[0].matrix = NULL; /* a cycle does not read it */
  return SCR_OK;
}

/* Chebyshev iteration on A~ x = right for the upper part of the spectrum, [a/SPREAD, a], a a little above the largest eigenvalue.
 * `from_zero` ignores what x holds. */
static void smooth(la_level *level, bool from_zero, scr_execution execution)
{
  static const double spread = 10.0, margin = 1.1;
  double high = margin * level->largest_eigenvalue, low = high / spread, middle = 0.5 * (high + low), half = 0.5 * (high - low);
  double rho = half / middle;
  la_level_smooth(level, 0.0f, (float)(1.0 / middle), from_zero, execution);
  for (int sweep = 1; sweep < LA_MULTIGRID_SWEEPS; ++sweep) {
    double next = 1.0 / (2.0 * middle / half - rho);
    la_level_smooth(level, (float)(next * rho), (float)(2.0 * next / half), false, execution);
    rho = next;
  }
}

/* x = A~^-1 right on the coarsest level, by its factor; by the smoother, to which diagonal matrices are easy, where it has none. */
static void solve_coarsest(multigrid *self)
{
  la_level *level = &self->levels[self->level_count - 1];
  size_t n = 6 * level->graph.row_count;
  double y[6 * DENSE_ROWS];
  if (!self->dense) {
    smooth(level, true, self->execution);
    smooth(level, false, self->execution);
    return;
  }
  for (size_t r = 0; r < n; ++r) {
    double sum = (double)level->right[FOLDED_ROW * (r / 6) + r % 6];
    for (size_t k = 0; k < r; ++k) sum -= self->dense[r * n + k] * y[k];
    y[r] = sum * self->dense[r * n + r];
  }
  for (size_t r = n; r-- > 0;) {
    y[r] *= self->dense[r * n + r];
    for (size_t k = 0; k < r; ++k) y[k] -= self->dense[r * n + k] * y[r];
    level->x[FOLDED_ROW * (r / 6) + r % 6] = (float)y[r];
  }
}

static void cycle(multigrid *self)
{
  for (size_t k = 0; k + 1 < self->level_count; ++k) {
    la_level *level = &self->levels[k];
    smooth(level, true, self->execution);
    la_level_residual(level, level->right, level->x, level->scratch, self->execution);
    la_level_restrict(level, level + 1, self->execution);
  }
  solve_coarsest(self);
  for (size_t k = self->level_count - 1; k-- > 0;) {
    la_level_prolong(&self->levels[k], &self->levels[k + 1], self->execution);
    smooth(&self->levels[k], false, self->execution);
  }
}

/* One row of y = L^-1 x, and of y = L^-T x. */
static inline void scale(const float *inverse, const float x[6], float y[6])
{
  for (int r = 0; r < 6; ++r) {
    float sum = 0.0f;
    for (int c = 0; c <= r; ++c) sum += inverse[6 * r + c] * x[c];
    y[r] = sum;
  }
}

static inline void unscale(const float *inverse, const float x[6], float y[6])
{
  for (int c = 0; c < 6; ++c) y[c] = 0.0f;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c <= r; ++c) y[c] += inverse[6 * r + c] * x[r];
}

/* z = L^-T cycle(L^-1 r). The cycle sees r over a power of two near its largest entry: single precision then has room, and M stays linear.
 * */
static void apply(void *state, const double *r, double *z)
{
  multigrid *self = state;
  la_level *finest = &self->levels[0];
  ptrdiff_t rows = (ptrdiff_t)finest->graph.row_count;
  int exponent = 0;
  double largest = la_largest(r, 6 * (size_t)rows, self->execution);
  if (largest > 0.0 && isfinite(largest)) (void)frexp(largest, &exponent);
  double down = ldexp(1.0, -exponent), up = ldexp(1.0, exponent);
#pragma omp parallel for schedule(static) num_threads(self->execution.threads) if (self->execution.threads > 1 && rows > 256)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    float x[6];
    for (int d = 0; d < 6; ++d) x[d] = (float)(down * r[6 * row + d]);
    scale(self->inverse + LA_BLOCK_SIZE * row, x, finest->right + FOLDED_ROW * row);
  }
  cycle(self);
#pragma omp parallel for schedule(static) num_threads(self->execution.threads) if (self->execution.threads > 1 && rows > 256)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    float y[6];
    unscale(self->inverse + LA_BLOCK_SIZE * row, finest->x + FOLDED_ROW * row, y);
    for (int d = 0; d < 6; ++d) z[6 * row + d] = up * (double)y[d];
  }
}

static void destroy(void *state)
{
  release(state);
  mem_free(state);
}

static size_t bytes(const void *state)
{
  const multigrid *self = state;
  size_t sum = 0;
  for (size_t k = 0; k < self->level_count; ++k) sum += la_level_bytes(&self->levels[k]);
  size_t n = self->dense ? 6 * self->levels[self->level_count - 1].graph.row_count : 0;
  size_t rows = self->level_count ? self->levels[0].graph.row_count : 0;
  return sum + n * n * sizeof *self->dense + rows * LA_BLOCK_SIZE * sizeof *self->inverse;
}

scr_status la_multigrid_create(scr_execution execution, la_preconditioner *preconditioner, scr_error *error)
{
  multigrid *self = mem_array(1, sizeof *self);
  *preconditioner = (la_preconditioner){0};
  if (!self) return scr_fail_memory(error, "a preconditioner", sizeof *self);
  self->execution = execution;
  *preconditioner = (la_preconditioner){"multigrid", self, update, apply, destroy, bytes};
  return SCR_OK;
}

void la_multigrid_set_modes(la_preconditioner *preconditioner, const double *modes)
{
  if (preconditioner->update != update) return;
  multigrid *self = preconditioner->state;
  self->modes = modes;
}
