/** The cells of an exported frame, as VTKHDF wants them. */
#ifndef SCREE_RECORD_VTK_CELLS_H
#define SCREE_RECORD_VTK_CELLS_H

#include "base/error.h"

/** VTK's numbers of the types of cells that are used. */
enum { VTK_CELL_VERTEX = 1, VTK_CELL_POLY_LINE = 4, VTK_CELL_TRIANGLE = 5, VTK_CELL_PIXEL = 8, VTK_CELL_VOXEL = 11 };

/** Starts zeroed; given room by vtk_cells_reserve; emptied by vtk_cells_clear. */
typedef struct vtk_cells {
  size_t count, id_count;
  unsigned char *type; /**< [count] VTK's number of the cell's type */
  long long *offset;   /**< [count + 1] first entry of a cell in `id` */
  long long *id;       /**< [id_count] numbers of vertices */
  int *kind;           /**< [count] scr_drawable_kind */
  int *drawable;       /**< [count] */
  int *element; /**< [count] number of a point, rectangle, roller, body, instance, thread or grid's cell in its drawable; 0 of a surface */
} vtk_cells;

/** Forgets all cells and makes room for `count` of them with `id_count` vertices together. @return SCR_OK, SCR_NO_MEMORY */
scr_status vtk_cells_reserve(vtk_cells *cells, size_t count, size_t id_count, scr_error *error);
void vtk_cells_clear(vtk_cells *cells);

/** Begins a cell; its vertices follow. There must be room for both. */
void vtk_cells_add(vtk_cells *cells, unsigned char type, uint32_t kind, size_t drawable, size_t element);
void vtk_cells_add_id(vtk_cells *cells, size_t vertex);

#endif
