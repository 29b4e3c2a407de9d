/** How a computation is executed, and sums that have the same bits however it is.
 *
 *  Floating-point sums depend on their order. So every sum that several threads share is taken here: over blocks whose length follows from
 *  the problem alone, each by itself, then the blocks' sums in their order. Largest values are exact, so any blocks do. */
#ifndef SCREE_BASE_EXECUTION_H
#define SCREE_BASE_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/team/team.h"

/** Who computes. Passed by value; results never depend on it. Zeroed it means one thread. */
typedef struct scr_execution {
  const char *device;   /**< name of what computes instead, where the method can (device/device.h); NULL or "cpu": the processor */
  unsigned threads;     /**< of this process: for num_threads of OpenMP's loops */
  unsigned rank, ranks; /**< which of how many processes share the run, rank < ranks; 0 of 1 alone */
  scr_team *team;       /**< those processes; NULL alone. Borrowed */
} scr_execution;

/** One process with so many threads; 0 means 1. */
scr_execution execution_of(unsigned threads);

/** The same as a member of a team, NULL being the team of one. */
scr_execution execution_in(scr_team *team, unsigned threads);

/** The same with one thread unless the work is worth a team of threads, whose start takes some microseconds. */
scr_execution execution_if(bool worth, scr_execution execution);

/** Terms begin ... end - 1 of a problem. Several threads call it at once, each with values of its own.
 *  @param user   the caller's; terms may write what only they own
 *  @param value  [width] sums to be added to, and largest values to be raised */
typedef void (*execution_terms)(const void *user, size_t begin, size_t end, double *value);

enum { EXECUTION_WIDTH = 512 /**< most values of a call */ };

/** Adds the terms to sum[0] ... sum[width - 1]: those of blocks of `block` terms each from zero, in their order, then block after block.
 *  @param count  of terms    @param block  >= 1; bits depend on it, so it must not follow from `execution`
 *  @param width  1 ... EXECUTION_WIDTH */
void execution_sum(scr_execution execution, size_t count, size_t block, size_t width, execution_terms terms, const void *user, double *sum);

/** As execution_sum, but what blocks have is added exactly (team/exact.h): the bits depend on the blocks, not on their order. So they may
 * be numbered in any way, and be any rank's: each rank of a team gives its own terms, and all get the sum of all. */
void execution_sum_exact(scr_execution execution, size_t count, size_t block, size_t width, execution_terms terms, const void *user,
                         double *sum);

/** Raises largest[0] ... to the largest of the terms; the smallest of something is the largest of its negative. NaN is passed over.
 *  @param largest  [width] lower bounds before; terms start from these */
void execution_largest(scr_execution execution, size_t count, size_t width, execution_terms terms, const void *user, double *largest);

/** Both in one pass: value[0] ... value[sums - 1] as execution_sum has them, the `largest` after them as execution_largest has them. */
void execution_reduce(scr_execution execution, size_t count, size_t block, size_t sums, size_t largest, execution_terms terms,
                      const void *user, double *value);

/** As execution_sum of one sum, but each block goes on from its sum and leaves it there: for loops one after the other whose blocks share
 * their sums, which execution_add_up adds in the end.
 *  @param sum  [count / block, rounded up] */
void execution_sum_blocks(scr_execution execution, size_t count, size_t block, execution_terms terms, const void *user, double *sum);

/** Adds stored values in their order to sum[0] ... sum[width - 1]: what blocks, colours or threads have each left at a place of their own.
 *  @param value  [count][width] */
void execution_add_up(size_t count, size_t width, const double *value, double *sum);

/** Sum of whole numbers below 2^53, exact in any order: value[0] of the terms. */
size_t execution_count(scr_execution execution, size_t count, execution_terms terms, const void *user);

#endif
