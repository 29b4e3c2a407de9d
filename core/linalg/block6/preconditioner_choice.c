/** Preconditioners by kind, and the default. */
#include "linalg/block6/preconditioner_choice.h"

scr_status la_preconditioner_create(la_preconditioner_kind kind, scr_execution execution, la_preconditioner *preconditioner,
                                    scr_error *error)
{
  *preconditioner = (la_preconditioner){0};
  switch (kind) {
  case LA_BLOCK_JACOBI: return la_block_jacobi_create(execution, preconditioner, error);
  case LA_BLOCK_CHOLESKY: return la_block_cholesky_create(execution, preconditioner, error);
  case LA_MULTIGRID: return la_multigrid_create(execution, preconditioner, error);
  case LA_DIRECT: return la_direct_preconditioner_create(preconditioner, error);
  case LA_AUTOMATIC: break;
  }
  return scr_fail(error, SCR_BAD_USAGE, NULL, "preconditioner kind %d is none that can be created: choose one by la_preconditioner_choose",
                  (int)kind);
}

la_preconditioner_kind la_preconditioner_choose(size_t row_count, double neighbours, double stable_steps)
{
  if (stable_steps < 5.0) return LA_BLOCK_CHOLESKY;
  if (neighbours <= 2.2) return stable_steps < 1000.0 ? LA_BLOCK_CHOLESKY : LA_DIRECT;
  if (row_count < 200) return stable_steps < 100.0 ? LA_BLOCK_CHOLESKY : LA_DIRECT;
  return LA_MULTIGRID;
}
