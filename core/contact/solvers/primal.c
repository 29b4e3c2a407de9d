/* Matrix and factor that the primal solvers share. */
#include "contact/solvers/primal.h"

enum { ENTRYWISE_UNKNOWNS = 3000 /* up to here KLU is the quicker one: 1.6 s against 2.4 s for the problems of tests/data/dcfp */ };

scr_status primal_workspace_create(const contact_system *system, primal_workspace *work, scr_error *error)
{
  *work = (primal_workspace){0};
  SCR_TRY(contact_matrix_create(system, &work->matrix, error));
  scr_status status = la_lu_create(system->size <= ENTRYWISE_UNKNOWNS ? LA_LU_KLU : LA_LU_UMFPACK, &work->lu, error);
  if (status != SCR_OK) primal_workspace_clear(work);
  return status;
}

void primal_workspace_clear(primal_workspace *work)
{
  contact_matrix_clear(&work->matrix);
  la_lu_destroy(work->lu);
  *work = (primal_workspace){0};
}

scr_status primal_factor(primal_workspace *work, contact_track *track, const double *block, scr_error *error)
{
  contact_matrix_fill(&work->matrix, block);
  ++track->factorisations;
  return la_lu_make(work->lu, &work->matrix.k, error);
}
