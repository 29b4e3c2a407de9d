/** Points sorted into a uniform grid of cells: the search for pairs of points nearer than a cell's side.
 *
 *      points of cell c = item[first[c]] ... item[first[c + 1] - 1], in the order in which they were given
 *
 *  A point's partners nearer than `side` lie in its own cell or the 26 around it. */
#ifndef SCREE_GEOMETRY_CELLS_H
#define SCREE_GEOMETRY_CELLS_H

#include <stdint.h>

#include "base/execution.h"
#include "base/error.h"
#include "base/vec3.h"

typedef struct geo_cells {
  double side;      /**< m, >= the side asked for */
  scr_vec3 lowest;  /**< m, corner of the grid */
  int32_t count[3]; /**< cells per axis */
  uint32_t *first;  /**< [cell count + 1] */
  uint32_t *item;   /**< [item_count] point numbers */
  size_t item_count;
  uint32_t *cell_of; /**< [item_count] cell of the k-th point given */
  size_t first_capacity, item_capacity, cell_capacity;
} geo_cells;

/** Sorts the points ids[0 ... n) of the arrays at[0], at[1], at[2] of x, y, z, m, all finite. Keeps its memory from call to call; starts
 * zeroed. Cells grow beyond `side` when there would be many more of them than points.
 *  @param ids NULL: the points 0, 1, ... n - 1    @param execution the result is the same for any
 *  @return SCR_OK, SCR_NO_MEMORY; SCR_DIVERGED when a coordinate or the points' extent is not finite, or `side` is no length > 0 */
scr_status geo_cells_build(geo_cells *cells, const double *const at[3], const uint32_t *ids, size_t n, double side, scr_execution execution,
                           scr_error *error);
void geo_cells_clear(geo_cells *cells);

/** Cell of coordinate `value` along `axis`, clamped into the grid; 0 for NaN. */
static inline int32_t geo_cells_along(const geo_cells *cells, int axis, double value)
{
  const double low[3] = {cells->lowest.x, cells->lowest.y, cells->lowest.z};
  double c = (value - low[axis]) / cells->side;
  if (!(c > 0)) return 0;
  return c >= cells->count[axis] ? cells->count[axis] - 1 : (int32_t)c;
}

/** Number of the cell (cx, cy, cz). */
static inline size_t geo_cells_number(const geo_cells *cells, int32_t cx, int32_t cy, int32_t cz)
{
  return ((size_t)cz * (size_t)cells->count[1] + (size_t)cy) * (size_t)cells->count[0] + (size_t)cx;
}

/** The points of the cells around a place, as runs of `item`: up to nine, for three cells along x follow each other.
 *  @param run receives begin and end of each    @return how many */
static inline int geo_cells_around(const geo_cells *cells, double x, double y, double z, uint32_t run[static 9][2])
{
  const int32_t at[3] = {geo_cells_along(cells, 0, x), geo_cells_along(cells, 1, y), geo_cells_along(cells, 2, z)};
  int32_t low[3], high[3];
  int count = 0;
  for (int a = 0; a < 3; a++) {
    low[a] = at[a] > 0 ? at[a] - 1 : 0;
    high[a] = at[a] + 1 < cells->count[a] ? at[a] + 1 : at[a];
  }
  for (int32_t cz = low[2]; cz <= high[2]; cz++)
    for (int32_t cy = low[1]; cy <= high[1]; cy++, count++) {
      run[count][0] = cells->first[geo_cells_number(cells, low[0], cy, cz)];
      run[count][1] = cells->first[geo_cells_number(cells, high[0], cy, cz) + 1];
    }
  return count;
}

#endif
