/* A program without MPI. */
#include "base/team/join.h"

/* NOLINTNEXTLINE(readability-non-const-parameter): as team_mpi.c has it */
scr_team *team_join(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  return NULL;
}

void team_leave(scr_team *team)
{
  (void)team;
}
