/** Where points lie in a mesh of hexahedra: the element and the local coordinates of a point, by a grid over the elements' boxes. */
#ifndef SCREE_GEOMETRY_HEXES_FINDER_H
#define SCREE_GEOMETRY_HEXES_FINDER_H

#include "geometry/hexes/hexes.h"

/** Immutable once made; any thread may ask. Borrows its mesh. */
typedef struct geo_hexes_finder geo_hexes_finder;

/** @param mesh sound (geo_hexes_check), stays until the finder is destroyed   @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_hexes_finder_create(const geo_hexes *mesh, geo_hexes_finder **finder, scr_error *error);
void geo_hexes_finder_destroy(geo_hexes_finder *finder);

/** Where a point is. A field given at nodes has there the value  sum over corners a of shape[a] field[mesh->hex[element][a]]. */
typedef struct geo_hexes_place {
  uint32_t element;
  double xi[3];                  /**< local coordinates, -1 ... 1 */
  double shape[GEO_HEX_CORNERS]; /**< N_a(xi) */
  double outside;                /**< m, from the point to the place: 0 inside the mesh, to rounding */
} geo_hexes_place;

/** Finds a finite point. What lies outside of the mesh is put at the nearest point of its surface (faces taken as two triangles each), so
 *  that a field goes on constant along the normal there. */
geo_hexes_place geo_hexes_find(const geo_hexes_finder *finder, const double point[3]);

/** Gradients of the shape functions by X at a place, 1/m: of a field, row i column j, sum_a field_a[i] gradient[a][j]. */
void geo_hexes_gradients(const geo_hexes *mesh, const geo_hexes_place *place, double gradient[GEO_HEX_CORNERS][3]);

#endif
