/** How a program joins its team. There are two: team_alone.c, in the library, and team_mpi.c, which a program of its own links before it,
 * as no other part of Scree needs MPI. */
#ifndef SCREE_BASE_TEAM_JOIN_H
#define SCREE_BASE_TEAM_JOIN_H

#include "base/team/team.h"

/** Joins the job that this program was started in (mpirun, srun). Once, before all else. @return NULL: a program without MPI */
scr_team *team_join(int *argc, char ***argv);
/** Leaves in good order, when all ranks do. */
void team_leave(scr_team *team);

#endif
