/** Block Jacobi: one Cholesky factor per diagonal block. */
#include "base/memory.h"
#include "linalg/block6/preconditioner.h"

typedef struct block_jacobi {
  scr_execution execution;
  size_t row_count;
  double *factors; /* [row_count][36] */
} block_jacobi;

static scr_status update(void *state, const la_block_matrix *matrix, scr_error *error)
{
  block_jacobi *self = state;
  if (self->row_count != matrix->row_count) {
    mem_free(self->factors);
    self->factors = mem_array(matrix->row_count, LA_BLOCK_SIZE * sizeof(double));
    self->row_count = self->factors ? matrix->row_count : 0;
    if (!self->factors) return scr_fail_memory(error, "a block Jacobi preconditioner", matrix->row_count * LA_BLOCK_SIZE * sizeof(double));
  }
  ptrdiff_t rows = (ptrdiff_t)matrix->row_count;
#pragma omp parallel for schedule(static) num_threads(self->execution.threads) if (self->execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row)
    block6_factor_always(matrix->values + LA_BLOCK_SIZE * matrix->diagonal[row], self->factors + LA_BLOCK_SIZE * row);
  return SCR_OK;
}

static void apply(void *state, const double *r, double *z)
{
  const block_jacobi *self = state;
  ptrdiff_t rows = (ptrdiff_t)self->row_count;
#pragma omp parallel for schedule(static) num_threads(self->execution.threads) if (self->execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    double x[6];
    memcpy(x, r + 6 * row, sizeof x);
    block6_forward(self->factors + LA_BLOCK_SIZE * row, x);
    block6_backward(self->factors + LA_BLOCK_SIZE * row, x);
    memcpy(z + 6 * row, x, sizeof x);
  }
}

static void destroy(void *state)
{
  block_jacobi *self = state;
  mem_free(self->factors);
  mem_free(self);
}

static size_t bytes(const void *state)
{
  const block_jacobi *self = state;
  return self->row_count * LA_BLOCK_SIZE * sizeof *self->factors;
}

scr_status la_block_jacobi_create(scr_execution execution, la_preconditioner *preconditioner, scr_error *error)
{
  block_jacobi *self = mem_array(1, sizeof *self);
  *preconditioner = (la_preconditioner){0};
  if (!self) return scr_fail_memory(error, "a preconditioner", sizeof *self);
  self->execution = execution;
  *preconditioner = (la_preconditioner){"block-jacobi", self, update, apply, destroy, bytes};
  return SCR_OK;
}
