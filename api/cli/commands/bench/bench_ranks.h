/** Steps by ranks, for `scree bench`. */
#ifndef SCREE_CLI_BENCH_RANKS_H
#define SCREE_CLI_BENCH_RANKS_H

#include "scree.h"

/** Runs of two lengths, so that starting and building fall out of their difference; of each length the quickest counts, as what else the
 *  machine does may be more than the difference. Starts zeroed. */
typedef struct ranks_timing {
  uint64_t few;        /**< steps of the shorter run; the longer has three times as many */
  double least[2];     /**< s, of those runs */
  double step_seconds; /**< s a step, so far */
} ranks_timing;

/** One turn: runs a scene's first steps over so many ranks, twice, in folders that are gone afterwards, with a frame and a sample at start
 *  and end.
 *  @param about  s a step, about    @param turn_seconds  s that steps are to take, about
 *  @return SCR_OK; SCR_BAD_SCENE: MPI is not there, or the scene can't be run so; SCR_IO, SCR_NO_MEMORY */
scr_status bench_time_ranks(const scr_scene *scene, unsigned ranks, double about, double turn_seconds, ranks_timing *timing,
                            scr_error *error);

#endif
