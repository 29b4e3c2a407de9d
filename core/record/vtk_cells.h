/** The cells of an exported frame: a vertex per point, an outline per rectangle, triangles for everything else. The same in every frame. */
#ifndef SCREE_RECORD_VTK_CELLS_H
#define SCREE_RECORD_VTK_CELLS_H

#include "record/frame_solids.h"

/** As VTKHDF wants them. Starts zeroed; emptied by vtk_cells_clear. */
typedef struct vtk_cells {
  size_t count, id_count;
  unsigned char *type; /**< [count] VTK's number of the cell's type */
  long long *offset;   /**< [count + 1] first entry of a cell in `id` */
  long long *id;       /**< [id_count] numbers of vertices, points first, then those of the solids as frame_solids_add makes them */
  int *kind;           /**< [count] scr_drawable_kind: 1 points, 2 rectangles, 3 rollers and arcs, 4 bodies */
  int *drawable;       /**< [count] */
  int *element;        /**< [count] number of a point, rectangle, roller or body in its drawable */
} vtk_cells;

/** Lays out the cells of a topology's points and of its solids, whose vertices follow the points'.
 *  @param mesh of all solids, part k being the k-th element of all (frame_solids.first)
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status vtk_cells_make(const frame_solids *solids, const geo_mesh *mesh, vtk_cells *cells, scr_error *error);
void vtk_cells_clear(vtk_cells *cells);

#endif
