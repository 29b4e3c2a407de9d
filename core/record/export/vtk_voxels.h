/** Cells of grids as VTK's voxels, or pixels where the grid is flat: neighbours share their vertices. */
#ifndef SCREE_RECORD_VTK_VOXELS_H
#define SCREE_RECORD_VTK_VOXELS_H

#include "record/export/vtk_cells.h"
#include "record/frame/view.h"

/** Numbers of the corners that the cells of one grid have in a frame, each once. Starts zeroed; emptied by vtk_corners_clear. */
typedef struct vtk_corners {
  size_t count, capacity;
  uint64_t *number; /**< [count] ascending: i + (n_x + 1) (j + (n_y + 1) k), the n counting cells */
} vtk_corners;

/** Corners of a cell: 8, or 4 where the grid is flat. */
uint32_t vtk_voxel_corners(const scr_drawable *grid);

/** Finds all corners of the cells that are there. @return SCR_OK, SCR_NO_MEMORY */
scr_status vtk_corners_find(const drawable_view *view, vtk_corners *corners, scr_error *error);
void vtk_corners_clear(vtk_corners *corners);

/** Where corner number `k` of those found is, m. */
scr_vec3 vtk_corner_place(const scr_grid_shape *grid, const vtk_corners *corners, size_t k);

/** Adds the cells of grid `drawable`, whose corners are vertices from `first` on. There must be room. */
void vtk_voxels_add(const drawable_view *view, size_t drawable, const vtk_corners *corners, size_t first, vtk_cells *cells);

#endif
