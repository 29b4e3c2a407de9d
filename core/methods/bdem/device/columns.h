/** In which order forces on spheres are added up: by the host, and so by a device. */
#ifndef SCREE_BDEM_DEVICE_COLUMNS_H
#define SCREE_BDEM_DEVICE_COLUMNS_H

#include "methods/bdem/bonds/bond_batch.h"

/** High bit of an entry: it begins a part, which is summed from zero. */
#define BDEM_PART_BEGINS 0x80000000u

/** Lanes that act on spheres, by place. A lane's number is 8 batch + lane. */
typedef struct bdem_columns {
  size_t places, lanes, longest;
  uint32_t *near, *far; /**< [lanes] spheres at the ends of a lane; the same one where it is empty */
  uint32_t *entry;      /**< [longest][places] lanes of which the sphere is the far end, part after part */
  uint32_t *count;      /**< [places] entries */
  uint32_t *near_at;    /**< [places] before which entry the sum over the lanes of which it is the near end is added */
  uint32_t *first_near; /**< [places] the first of those lanes, eight from each to the next */
  uint32_t *near_count; /**< [places] */
} bdem_columns;

/** Of batches as they were created. @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE for 2^31 lanes; then bdem_columns_clear accepts it */
scr_status bdem_columns_create(const bdem_batches *batches, bdem_columns *columns, scr_error *error);
void bdem_columns_clear(bdem_columns *columns);
/** Sets `far` to where the lanes lead now. */
void bdem_columns_follow(const bdem_batches *batches, bdem_columns *columns);

#endif
