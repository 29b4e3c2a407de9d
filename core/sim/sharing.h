/** What a run gains by ranks, processes that share it:
 *
 *      t(P) = w t(1) / P + m ceil(log2 P)     P > 1
 *
 *  t: time of a step, s. w: unevenness, 1 where every rank has as much to do as the others and all compute as quickly as one alone; the
 * rank with most makes all wait, and a memory that they share may be too slow for them. m: messages of a step for each doubling of ranks,
 * s: they go through a tree, and are so short that their latency is what they take. */
#ifndef SCREE_SIM_SHARING_H
#define SCREE_SIM_SHARING_H

#include "scree.h"

typedef struct sharing_model {
  double unevenness;      /**< w, > 0 */
  double message_seconds; /**< m, >= 0 */
} sharing_model;

/** Where nothing was measured: 12 rounds of messages a step, of 3 us each between processes of one machine, and an even share. */
sharing_model sharing_usual(void);

/** How many times as quick as one so many ranks make a step. @param step_seconds of one rank, s, > 0 */
double sharing_gain(const sharing_model *model, double step_seconds, unsigned ranks);

/** A step that was timed on one rank and on several. */
typedef struct sharing_point {
  unsigned ranks;      /**< 2 or more */
  double one, several; /**< s, > 0 */
} sharing_point;

/** Fits a model to steps that were timed, by least squares of relative differences; messages never take less than no time.
 *  @param largest_error receives the largest relative difference between model and points
 *  @return false: the points do not tell work and messages apart; steps of bodies of different sizes do */
bool sharing_fit(const sharing_point *points, size_t count, sharing_model *model, double *largest_error);

/** Time of a step by the estimate of a scene on one rank, s; NaN: not known. */
double sharing_step(const scr_estimate *estimate);

/** Adds a warning at /run/ranks where so many ranks give less than 0.6 of what they take.
 *  @param source where the model comes from, for people: "as measured here on 2026-11-27" */
void sharing_warn(const sharing_model *model, const char *source, const scr_estimate *estimate, unsigned ranks, scr_problems *warnings);

#endif
