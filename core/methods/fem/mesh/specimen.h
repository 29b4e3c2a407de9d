/** The mesh of a specimen: its shape divided as the scene says. */
#ifndef SCREE_METHODS_FEM_SPECIMEN_H
#define SCREE_METHODS_FEM_SPECIMEN_H

#include "geometry/hexes/hexes.h"
#include "methods/fem/scene/options.h"
#include "scene/shape/shape.h"

/** Whether a shape is a mesh whose file has hexahedra. */
bool fem_has_elements(const scr_shape *shape);

/** How a specimen is divided, as its shape and the scene say. */
shape_division fem_divide(const scr_shape *shape, const fem_specimen *block);

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
