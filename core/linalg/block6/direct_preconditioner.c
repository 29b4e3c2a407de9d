/** The direct solver as a preconditioner, and what stands in for it where there is no Cholesky factor. */
#include "base/memory.h"
#include "linalg/block6/direct.h"
#include "linalg/block6/preconditioner.h"

typedef struct direct_preconditioner {
  la_direct *direct;
  la_preconditioner fallback; /* block Jacobi */
  bool factored;              /* else the fallback holds the matrix */
} direct_preconditioner;

static scr_status update(void *state, const la_block_matrix *matrix, scr_error *error)
{
  static const double shifts[] = {0.0, 1e-9, 1e-3, 1.0};
  direct_preconditioner *self = state;
  self->factored = false;
  for (size_t k = 0; k < sizeof shifts / sizeof *shifts && !self->factored; ++k) {
    scr_status status = la_direct_factor(self->direct, matrix, shifts[k], error);
    if (status == SCR_NO_MEMORY) return status;
    self->factored = status == SCR_OK;
  }
  return self->factored ? SCR_OK : self->fallback.update(self->fallback.state, matrix, error);
}

static void apply(void *state, const double *r, double *z)
{
  direct_preconditioner *self = state;
  if (self->factored)
    (void)la_direct_solve(self->direct, r, z, NULL); /* can't fail: there is a factor, and its workspace */
  else
    self->fallback.apply(self->fallback.state, r, z);
}

static void destroy(void *state)
{
  direct_preconditioner *self = state;
  la_direct_destroy(self->direct);
  la_preconditioner_destroy(&self->fallback);
  mem_free(self);
}

static size_t bytes(const void *state)
{
  const direct_preconditioner *self = state;
  return la_direct_bytes(self->direct);
}

scr_status la_direct_preconditioner_create(la_preconditioner *preconditioner, scr_error *error)
{
  direct_preconditioner *self = mem_array(1, sizeof *self);
  *preconditioner = (la_preconditioner){0};
  if (!self) return scr_fail_memory(error, "a preconditioner", sizeof *self);
  scr_status status = la_direct_create(&self->direct, error);
  if (status == SCR_OK) status = la_block_jacobi_create(execution_of(1), &self->fallback, error);
  if (status != SCR_OK) {
    destroy(self);
    return status;
  }
  *preconditioner = (la_preconditioner){"direct", self, update, apply, destroy, bytes};
  return SCR_OK;
}
