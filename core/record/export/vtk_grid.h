/** One frame as a grid of vertices and cells: what export_vtkhdf.c writes. */
#ifndef SCREE_RECORD_VTK_GRID_H
#define SCREE_RECORD_VTK_GRID_H

#include "record/frame/solids.h"
#include "record/export/vtk_cells.h"
#include "record/export/vtk_voxels.h"

enum { VTK_FIELD_LIMIT = 32, VTK_NAME_BYTES = 64 };

/** Vertices in this order: all points; then, by drawable, the vertices of instances where they are, of surfaces, nodes of threads, corners
 *  of grids' cells; then the rig and the obstacles. Cells likewise: a vertex per point, triangles, a polyline per thread, a voxel (of a
 * flat grid a pixel) per grid's cell, an outline per rectangle. */
typedef struct vtk_grid {
  const scr_topology *topology; /**< borrowed */
  size_t vertex_count;
  float *position; /**< [vertex_count][3] m */
  float *radius;   /**< [vertex_count] m, of points and nodes; else 0 */
  int *drawable;   /**< [vertex_count] */
  size_t field_count;
  char names[VTK_FIELD_LIMIT][VTK_NAME_BYTES]; /**< of all scalar fields but the radius; more than fit are left out */
  float *fields[VTK_FIELD_LIMIT];              /**< [vertex_count] NaN where a drawable lacks the field */
  size_t cell_field_count;
  char cell_names[VTK_FIELD_LIMIT][VTK_NAME_BYTES]; /**< of the scalar fields of grids; more than fit are left out */
  float *cell_fields[VTK_FIELD_LIMIT];              /**< [cells.count] NaN where a drawable lacks the field */
  size_t *column; /**< [drawable_count][SCR_FIELD_LIMIT] which of `fields`, of a grid `cell_fields`, a drawable's field goes to; SIZE_MAX:
                     none */
  vtk_cells cells;
  frame_view view;
  frame_solids solids;
  vtk_corners *corners; /**< [drawable_count] of grids, in this frame */
  geo_mesh mesh;        /**< scratch: triangles of instances and surfaces */
  geo_mesh solid_mesh;  /**< of the rig and the obstacles */
} vtk_grid;

/** An empty grid for frames of this topology, which must outlive it. Emptied by vtk_grid_clear, which takes a zeroed one too.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status vtk_grid_create(const scr_topology *topology, vtk_grid *grid, scr_error *error);
void vtk_grid_clear(vtk_grid *grid);

/** Makes the grid of a frame's payload, in place of the one before.
 *  @return SCR_OK; SCR_BAD_FILE (damaged), SCR_BAD_USAGE (too many triangles), SCR_NO_MEMORY */
scr_status vtk_grid_make(vtk_grid *grid, const void *payload, size_t size, scr_error *error);

#endif
