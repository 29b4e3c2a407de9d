/* Cells of grids for ParaView. */
#include "record/export/vtk_voxels.h"

#include <stdlib.h>

#include "base/memory.h"
#include "record/drawable.h"

enum { CORNERS = 8 };

uint32_t vtk_voxel_corners(const scr_drawable *grid)
{
  return drawable_grid_flat(&grid->grid) < 3 ? CORNERS / 2 : CORNERS;
}

void vtk_corners_clear(vtk_corners *corners)
{
  mem_free(corners->number);
  *corners = (vtk_corners){0};
}

/* Corners of a cell in VTK's order of voxels and pixels: x changes first, then y, then z; a flat grid's axis is left out. */
static uint32_t corners_of(const scr_grid_shape *grid, uint32_t cell, uint64_t number[CORNERS])
{
  uint64_t rows = (uint64_t)grid->counts[0] + 1, layers = (uint64_t)grid->counts[1] + 1;
  uint32_t place[3], count = 0, flat = (uint32_t)drawable_grid_flat(grid);
  drawable_grid_place(grid, cell, place);
  for (uint32_t bits = 0; bits < CORNERS; bits++) {
    if (flat < 3 && bits >> flat & 1) continue;
    uint64_t i = place[0] + (bits & 1), j = place[1] + (bits >> 1 & 1), k = place[2] + (bits >> 2);
    number[count++] = i + rows * (j + layers * k);
  }
  return count;
}

static int compare(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

scr_status vtk_corners_find(const drawable_view *view, vtk_corners *corners, scr_error *error)
{
  const scr_grid_shape *grid = &view->drawable->grid;
  size_t most = (size_t)view->count * CORNERS, found = 0, kept = 0;
  corners->count = 0;
  if (!mem_grow(&corners->number, &corners->capacity, most, sizeof *corners->number))
    return scr_fail_memory(error, "the corners of a grid's cells", most * sizeof *corners->number);
  for (uint32_t c = 0; c < view->count; c++) found += corners_of(grid, drawable_view_cell(view, c), corners->number + found);
  if (found) qsort(corners->number, found, sizeof *corners->number, compare);
  for (size_t k = 0; k < found; k++)
    if (k == 0 || corners->number[k] != corners->number[kept - 1]) corners->number[kept++] = corners->number[k];
  corners->count = kept;
  return SCR_OK;
}

scr_vec3 vtk_corner_place(const scr_grid_shape *grid, const vtk_corners *corners, size_t k)
{
  uint64_t rows = (uint64_t)grid->counts[0] + 1, layers = (uint64_t)grid->counts[1] + 1, number = corners->number[k];
  return drawable_grid_corner(grid, number % rows, number / rows % layers, number / rows / layers);
}

void vtk_voxels_add(const drawable_view *view, size_t drawable, const vtk_corners *corners, size_t first, vtk_cells *cells)
{
  unsigned char type = vtk_voxel_corners(view->drawable) == CORNERS ? VTK_CELL_VOXEL : VTK_CELL_PIXEL;
  for (uint32_t c = 0; c < view->count; c++) {
    uint64_t number[CORNERS];
    uint32_t cell = drawable_view_cell(view, c), count = corners_of(&view->drawable->grid, cell, number);
    vtk_cells_add(cells, type, SCR_DRAW_GRID, drawable, cell);
    for (uint32_t k = 0; k < count; k++) {
      const uint64_t *at = bsearch(&number[k], corners->number, corners->count, sizeof number[k], compare);
      vtk_cells_add_id(cells, first + (size_t)(at - corners->number));
    }
  }
}
