/** Block incomplete Cholesky without fill.
 *
 *  A ~ L L^T. Row i of L holds blocks L_ij (j < i, where A_ij is stored) and the factor G_i of its diagonal:
 *    L_ij = (A_ij - sum_k L_ik L_jk^T) G_j^-T,   G_i G_i^T = A_ii - sum_k L_ik L_ik^T. */
#include "base/memory.h"
#include "linalg/preconditioner.h"

typedef struct block_cholesky {
  size_t row_count, block_count;
  size_t *first;    /* [row_count + 1] of the strictly lower blocks */
  uint32_t *column; /* [block_count] */
  double *lower;    /* [block_count][36] */
  double *factors;  /* [row_count][36], diagonals inverted as block6_cholesky leaves them */
} block_cholesky;

static void release(block_cholesky *self)
{
  mem_free(self->first);
  mem_free(self->column);
  mem_free(self->lower);
  mem_free(self->factors);
  *self = (block_cholesky){0};
}

static scr_status allocate(block_cholesky *self, const la_block_matrix *matrix, scr_error *error)
{
  size_t count = (matrix->block_count - matrix->row_count) / 2;
  if (self->first && self->column && self->row_count == matrix->row_count && self->block_count == count) return SCR_OK;
  release(self);
  self->first = mem_array(matrix->row_count + 1, sizeof *self->first);
  self->column = mem_array(count, sizeof *self->column);
  self->lower = mem_array(count, LA_BLOCK_SIZE * sizeof *self->lower);
  self->factors = mem_array(matrix->row_count, LA_BLOCK_SIZE * sizeof *self->factors);
  if (!self->first || !self->column || !self->lower || !self->factors) {
    release(self);
    scr_fail_memory(error, "an incomplete Cholesky factor", (count + matrix->row_count) * LA_BLOCK_SIZE * sizeof(double));
    return SCR_NO_MEMORY;
  }
  self->row_count = matrix->row_count;
  self->block_count = count;
  return SCR_OK;
}

static void copy_lower(block_cholesky *self, const la_block_matrix *matrix)
{
  size_t out = 0;
  for (size_t row = 0; row < matrix->row_count; ++row) {
    for (size_t k = matrix->first[row]; k < matrix->diagonal[row]; ++k, ++out) {
      self->column[out] = matrix->column[k];
      memcpy(self->lower + LA_BLOCK_SIZE * out, matrix->values + LA_BLOCK_SIZE * k, LA_BLOCK_SIZE * sizeof(double));
    }
    self->first[row + 1] = out;
  }
}

/* block -= sum over the columns k that rows a and b share before `end_a` of L_ak L_bk^T; rows are sorted. */
static void subtract_shared(const block_cholesky *self, size_t a, size_t end_a, size_t row_b, double *block)
{
  size_t b = self->first[row_b], end_b = self->first[row_b + 1];
  while (a < end_a && b < end_b) {
    if (self->column[a] < self->column[b])
      ++a;
    else if (self->column[a] > self->column[b])
      ++b;
    else
      block6_subtract_product(self->lower + LA_BLOCK_SIZE * a++, self->lower + LA_BLOCK_SIZE * b++, block);
  }
}

static bool factor(block_cholesky *self, const la_block_matrix *matrix, double shift)
{
  for (size_t row = 0; row < self->row_count; ++row) {
    double pivot[LA_BLOCK_SIZE];
    memcpy(pivot, matrix->values + LA_BLOCK_SIZE * matrix->diagonal[row], sizeof pivot);
    for (int d = 0; d < 6; ++d) pivot[7 * d] *= 1.0 + shift;
    for (size_t k = self->first[row]; k < self->first[row + 1]; ++k) {
      double *block = self->lower + LA_BLOCK_SIZE * k;
      subtract_shared(self, self->first[row], k, self->column[k], block);
      /* block G^-T: each row of the block is solved with G */
      for (int r = 0; r < 6; ++r) block6_forward(self->factors + LA_BLOCK_SIZE * self->column[k], block + 6 * r);
      block6_subtract_product(block, block, pivot);
    }
    if (!block6_cholesky(pivot, self->factors + LA_BLOCK_SIZE * row, 1e-8)) return false;
  }
  return true;
}

/* Last resort when even a doubled diagonal fails: M = |diagonal|. */
static void diagonal_only(block_cholesky *self, const la_block_matrix *matrix)
{
  memset(self->lower, 0, self->block_count * LA_BLOCK_SIZE * sizeof *self->lower);
  memset(self->factors, 0, self->row_count * LA_BLOCK_SIZE * sizeof *self->factors);
  for (size_t row = 0; row < self->row_count; ++row)
    for (int d = 0; d < 6; ++d) {
      double entry = fabs(matrix->values[LA_BLOCK_SIZE * matrix->diagonal[row] + (size_t)(7 * d)]);
      self->factors[LA_BLOCK_SIZE * row + (size_t)(7 * d)] = entry > 0.0 ? 1.0 / sqrt(entry) : 1.0;
    }
}

static scr_status update(void *state, const la_block_matrix *matrix, scr_error *error)
{
  static const double shifts[] = {0.0, 1e-3, 1e-2, 1e-1, 1.0};
  block_cholesky *self = state;
  SCR_TRY(allocate(self, matrix, error));
  for (size_t k = 0; k < sizeof shifts / sizeof *shifts; ++k) {
    copy_lower(self, matrix);
    if (factor(self, matrix, shifts[k])) return SCR_OK;
  }
  diagonal_only(self, matrix);
  return SCR_OK;
}

static void apply(void *state, const double *r, double *z)
{
  const block_cholesky *self = state;
  memcpy(z, r, self->row_count * 6 * sizeof *z);
  for (size_t row = 0; row < self->row_count; ++row) {
    double sum[6] = {0};
    for (size_t k = self->first[row]; k < self->first[row + 1]; ++k)
      block6_multiply_add(self->lower + LA_BLOCK_SIZE * k, z + (size_t)6 * self->column[k], sum);
    for (int d = 0; d < 6; ++d) z[6 * row + (size_t)d] -= sum[d];
    block6_forward(self->factors + LA_BLOCK_SIZE * row, z + 6 * row);
  }
  for (size_t row = self->row_count; row-- > 0;) {
    block6_backward(self->factors + LA_BLOCK_SIZE * row, z + 6 * row);
    for (size_t k = self->first[row]; k < self->first[row + 1]; ++k)
      block6_transposed_subtract(self->lower + LA_BLOCK_SIZE * k, z + 6 * row, z + (size_t)6 * self->column[k]);
  }
}

static void destroy(void *state)
{
  release(state);
  mem_free(state);
}

static size_t bytes(const void *state)
{
  const block_cholesky *self = state;
  return (self->row_count + self->block_count) * LA_BLOCK_SIZE * sizeof(double) + self->block_count * sizeof *self->column +
         self->row_count * sizeof *self->first;
}

scr_status la_block_cholesky_create(la_preconditioner *preconditioner, scr_error *error)
{
  block_cholesky *self = mem_array(1, sizeof *self);
  *preconditioner = (la_preconditioner){0};
  if (!self) return scr_fail_memory(error, "a preconditioner", sizeof *self);
  *preconditioner = (la_preconditioner){"block-cholesky", self, update, apply, destroy, bytes};
  return SCR_OK;
}
