/** A neighbour list with a skin: rows of points nearer than a reach, good while no point has moved by half the skin.
 *
 *      other[first[i]] ... other[first[i + 1] - 1]   what the filter made of the points near point i, in the order of the grid's cells
 *
 *  Rows depend on the positions they were made from and on the filter only: a list made again from `at`, as after loading a checkpoint, has
 *  the same rows. A pair stands in both rows. */
#ifndef SCREE_GEOMETRY_NEAR_LIST_H
#define SCREE_GEOMETRY_NEAR_LIST_H

#include "base/execution.h"
#include "geometry/search/cells.h"

enum { GEO_NEAR_SPARE = 8 }; /**< entries behind the last row that may be read */

typedef struct geo_near_list {
  size_t count;    /**< points */
  double *at[3];   /**< [count] where they were when the rows were made, by component, m; owned */
  double skin;     /**< m, by which the reach was longer than asked; set by whoever makes the rows */
  bool stale;      /**< make new rows before the next use */
  geo_cells cells; /**< of `at` */
  uint32_t *first; /**< [count + 1]; owned */
  uint32_t *other; /**< [first[count]]; owned */
  size_t other_capacity;
  double *sorted[3]; /**< [sorted_capacity[a]] `at` in the order of the cells, while rows are made; owned */
  size_t sorted_capacity[3];
  const unsigned char *passed; /**< [count] not 0: the point gets no row, though it stands in others'; NULL: all get one. Borrowed */
  const uint32_t
      *known; /**< [known_count] the points that have a place, ascending; others stand in no row and have none. NULL: all. Borrowed */
  size_t known_count;
} geo_near_list;

/** Makes point i's row of the points nearer than the reach, in place: drops entries and changes others, in their order.
 *  @param thread that calls, 0 ... threads - 1    @return entries left */
typedef size_t (*geo_near_filter)(const void *user, unsigned thread, uint32_t i, uint32_t *row, size_t count);

/** A stale list of `count` points without rows. Starts zeroed; geo_near_list_clear frees it, also after a failure. */
scr_status geo_near_list_create(geo_near_list *list, size_t count, scr_error *error);
void geo_near_list_clear(geo_near_list *list);

/** Notes positions, from which the next rows are made. x, y, z: [count] m, finite */
void geo_near_list_place(geo_near_list *list, const double *x, const double *y, const double *z, scr_execution execution);

/** How far a point has moved at most since they were noted, m; positions that are NaN don't count. */
double geo_near_list_moved(const geo_near_list *list, const double *x, const double *y, const double *z, scr_execution execution);

/** The same of the points [begin, end), squared: m^2. */
double geo_near_list_square_moved(const geo_near_list *list, const double *x, const double *y, const double *z, size_t begin, size_t end);

/** Makes the rows from the positions noted.
 *  @param reach m, > 0, skin included    @param execution the rows are the same for any
 *  @return SCR_OK, SCR_NO_MEMORY (also for more than 2^32 - 1 entries) */
scr_status geo_near_list_build(geo_near_list *list, double reach, geo_near_filter filter, const void *user, scr_execution execution,
                               scr_error *error);

#endif
