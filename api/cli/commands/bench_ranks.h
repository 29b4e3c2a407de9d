/** The time of a run by ranks, for `scree bench`. */
#ifndef SCREE_CLI_BENCH_RANKS_H
#define SCREE_CLI_BENCH_RANKS_H

#include "scree.h"

/** Runs a scene's first steps over so many ranks in a folder that is gone afterwards, with a frame and a sample at start and end.
 *  @param seconds receives how long it took, start and building included
 *  @return SCR_OK; SCR_BAD_SCENE: MPI is not there, or the scene can't be run so; SCR_IO, SCR_NO_MEMORY */
scr_status bench_time_ranks(const scr_scene *scene, unsigned ranks, uint64_t steps, double *seconds, scr_error *error);

#endif
