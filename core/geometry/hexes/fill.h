/** Solids filled with hexahedra: cells of a grid, and a layer that fits the surface.
 *
 *      box of the solid, divided into about `spacing` --> cells that lie in it
 *      if their surface is that of the solid already (bodies of bricks along the axes): done
 *      else cells deeper than about half a cell --> one layer of hexahedra from their surface to that of the solid, smoothed
 *
 *  Nodes of the layer are on the solid's surface, but where an element would be too flat; sharp edges of the solid that no grid line
 *  follows are cut. Source: the grid-based method with a buffer layer, Schneiders 1996 (Engineering with Computers 12, 168). */
#ifndef SCREE_GEOMETRY_HEXES_FILL_H
#define SCREE_GEOMETRY_HEXES_FILL_H

#include "geometry/hexes/hexes.h"
#include "geometry/mesh/mesh_distance.h"

/** Fills the solid that a tree bounds.  @param spacing m, > 0: edges of the elements, about
 *  @return SCR_OK; SCR_BAD_FILE where the solid is too thin for the spacing or falls into pieces at it, or would need more than 4e6 cells:
 *  what to do is said;
 *          SCR_NO_MEMORY. On failure the mesh is empty */
scr_status geo_hexes_fill(const geo_mesh_tree *solid, double spacing, geo_hexes *mesh, scr_error *error);

/** Moves nodes so that those of the surface are on the solid's and elements are well shaped; no element gets a scaled Jacobian below 0.15
 *  that had more.
 *  @return largest distance of a node of the surface from the solid's surface, m; negative: no memory */
double geo_hexes_fit(const geo_mesh_tree *solid, geo_hexes *mesh);

#endif
