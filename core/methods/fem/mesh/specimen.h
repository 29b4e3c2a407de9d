/** The mesh of a specimen: its shape divided as the scene says. */
#ifndef SCREE_METHODS_FEM_SPECIMEN_H
#define SCREE_METHODS_FEM_SPECIMEN_H

#include "geometry/hexes/hexes.h"
#include "methods/fem/scene/options.h"

/** Whether a shape is a mesh whose file has hexahedra. */
bool fem_has_elements(const scr_shape *shape);

/** How a specimen's shape is divided: what the numbers mean depends on the shape (mesh/blocks.h). */
typedef struct fem_division {
  uint32_t cells[3]; /**< box: along x, y, z; cylinder: across, -, layers; ball: across; hollow ball: across, -, layers; arch: along,
                        across, through; notched box: see blocks.h */
  uint32_t slot[2];  /**< notched box; [0] of an arch: in each leg */
  double spacing;    /**< m, mesh: of the elements that fill it; NaN: the elements of its file */
  double hexes;      /**< how many elements that makes, also where they are too many to be made */
  double nodes;      /**< about how many nodes */
} fem_division;

/** Counts. Numbers of cells above GEO_HEXES_CELL_LIMIT stay at it, while `hexes` tells the true number. */
fem_division fem_divide(const scr_shape *shape, const fem_specimen *block);

/** Makes the mesh, about the shape's origin, unturned. @return SCR_OK; SCR_BAD_FILE where a solid can't be filled at its spacing;
 *  SCR_NO_MEMORY */
scr_status fem_mesh_specimen(const scr_shape *shape, const fem_division *division, geo_hexes *mesh, scr_error *error);

/** Volume of a shape's elements over the shape's own: below 1 where they are coarse against its curves, > 0. Of boxes and arches 1.
 *  @param mesh_volume m^3, > 0 */
double fem_filled_share(const scr_shape *shape, double mesh_volume);

/** Moves a copy of it into place: turned, then put at `position`. @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_mesh_place(const geo_hexes *mesh, const scr_specimen *specimen, scr_vec3 position, geo_hexes *placed, scr_error *error);

/** Spreads a unit load over a side: the share of every node, 1 in sum.
 *  @param share [mesh->node_count]   @return area of the side, m^2; 0: nothing of the surface lies in that plane, and shares are 0 */
double fem_side_shares(const geo_hexes *mesh, const geo_hexes_surface *surface, fem_side side, double *share);

/** What of each face its corners stand for, m^2: about a quarter each.  @param area [surface->face_count][4] written */
void fem_quarter_areas(const geo_hexes *mesh, const geo_hexes_surface *surface, double (*area)[4]);

#endif
