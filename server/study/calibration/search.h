/** What a search knows, in unknowns that go from 0 to 1: shared by the optimisers behind optimiser.h. */
#ifndef SCREE_SERVER_STUDY_CALIBRATION_SEARCH_H
#define SCREE_SERVER_STUDY_CALIBRATION_SEARCH_H

#include "server/study/calibration/optimiser.h"

#define SEARCH_SAME 1e-9 /**< points nearer than this in each unknown are one */

typedef struct search_point {
  double z[OPTIMISER_UNKNOWNS];
  double value, noise; /**< finite; a failed run has the worst value before it */
  bool known;          /**< false: it is out */
  bool failed;
} search_point;

typedef struct search_state {
  size_t unknown_count;
  optimiser_options options; /**< complete */
  search_point *points;
  size_t count, capacity;
} search_state;

/** Number of the point at z, or count of the state. @param from where to look first: points come in the order in which they were asked for
 */
size_t search_find(const search_state *known, const double *z, size_t from);

/** Least and greatest known value; false where there is none. */
bool search_range(const search_state *known, double *low, double *high);

/* ── replay.c: algorithms that call a function, turned round ─────────────────────────────────────────────────── */

/** A run of an algorithm from its start. */
typedef struct replay {
  const search_state *known;
  bool direct;                       /**< the start by DIRECT-L; else the method of the options */
  double origin[OPTIMISER_UNKNOWNS]; /**< where a method starts */
  size_t answered;                   /**< known points that the algorithm was answered */
  bool wants;                        /**< the algorithm wants a point that is not known; false: it has ended */
  double wanted[OPTIMISER_UNKNOWNS];
  double best[OPTIMISER_UNKNOWNS]; /**< of those it was answered, and its value */
  double best_value;
} replay;

/** Runs it. @param assumed [count] points that are answered by `value`, whether they are out or wanted next */
scr_status replay_run(replay *of, const double (*assumed)[OPTIMISER_UNKNOWNS], size_t count, double value, scr_error *error);

/* ── gaussian.c ──────────────────────────────────────────────────────────────────────────────────────────────── */

/** Points of the greatest expected improvement, one after the other, each with those before and those that are out taken to have the best
 * value.
 *  @param points [slots]    @param improvement receives that of the first over the spread of the values */
scr_status gaussian_propose(const search_state *known, size_t slots, double (*points)[OPTIMISER_UNKNOWNS], double *improvement,
                            scr_error *error);

#endif
