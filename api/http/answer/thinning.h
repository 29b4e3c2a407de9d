/** Thinning samples so that no extreme is lost: of every run of consecutive samples the rows stay in which a curve has its smallest and its
 *  largest value. */
#ifndef SCREE_API_HTTP_THINNING_H
#define SCREE_API_HTTP_THINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct thinning thinning;

/** Fewest points that columns of curves can be thinned to: two per curve, and the first and last sample. */
size_t thinning_least(size_t columns);

/** @param columns of each row; the first is the time, which has no extremes of its own    @param samples rows that will come
 *  @param most rows that may stay, >= thinning_least    @param keep receives the rows that stay, in order
 *  @return NULL without memory */
thinning *thinning_create(size_t columns, uint64_t samples, size_t most, void (*keep)(void *user, const double *row), void *user);
void thinning_destroy(thinning *self);

/** The next row [columns]. After row number `samples` everything has been handed to `keep`. */
void thinning_add(thinning *self, const double *row);

#endif
