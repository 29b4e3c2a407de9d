/** Meshes of hexahedra: the volume of a body, its quality, its surface.
 *
 *  Corners of a hexahedron are numbered as in hex.h. A mesh is sound when geo_hexes_check accepts it. */
#ifndef SCREE_GEOMETRY_HEXES_H
#define SCREE_GEOMETRY_HEXES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "geometry/hexes/hex.h"
#include "geometry/mesh/mesh.h"

/** Starts zeroed; emptied by geo_hexes_clear. */
typedef struct geo_hexes {
  size_t node_count, hex_count;
  double (*node)[3];                /**< [node_count] m */
  uint32_t (*hex)[GEO_HEX_CORNERS]; /**< [hex_count] */
} geo_hexes;

/** Room for a mesh of that many nodes and elements, zeroed. @return SCR_OK; SCR_NO_MEMORY, and `mesh` is empty */
scr_status geo_hexes_create(size_t node_count, size_t hex_count, geo_hexes *mesh, scr_error *error);
void geo_hexes_clear(geo_hexes *mesh);

/** How well shaped the elements are. */
typedef struct geo_hexes_quality {
  double least_jacobian;  /**< of the worst element: smallest det J over its largest; 1 is a parallelepiped, <= 0 folded */
  size_t worst;           /**< number of that element */
  double scaled_jacobian; /**< smallest of all: geo_hex_scaled_jacobian; 1: bricks */
  double aspect;          /**< largest ratio of longest to shortest edge */
  double least_edge;      /**< m, the shortest */
  double mean_edge;       /**< m, cube root of the mean volume */
  double volume;          /**< m^3 */
} geo_hexes_quality;

geo_hexes_quality geo_hexes_measure(const geo_hexes *mesh);

/** Whether a mesh is sound: at least one element; numbers of nodes in range, none twice in an element; nodes finite, each used, no two at
 *  one place; all Jacobians > 0 at Gauss points and corners; every face shared by at most two elements and every edge of the surface by two
 *  of its faces.
 *  @return SCR_OK; SCR_BAD_FILE naming the first bad node, element or face, its value and what to do; SCR_NO_MEMORY */
scr_status geo_hexes_check(const geo_hexes *mesh, scr_error *error);

/** The surface: faces that one element alone has, in the order of elements and faces, counter-clockwise seen from outside. */
typedef struct geo_hexes_surface {
  size_t face_count, node_count;
  uint32_t (*face)[4]; /**< [face_count] nodes */
  uint32_t *element;   /**< [face_count] whose face it is */
  uint32_t *node;      /**< [node_count] that a face has, rising */
} geo_hexes_surface;

/** Finds it. @return SCR_OK; SCR_BAD_FILE for a face of three elements; SCR_NO_MEMORY. On failure `surface` is empty */
scr_status geo_hexes_find_surface(const geo_hexes *mesh, geo_hexes_surface *surface, scr_error *error);
void geo_hexes_surface_clear(geo_hexes_surface *surface);

/** The surface as triangles, two to a face; vertices are the surface's nodes in their order.  @param skin zeroed
 *  @return SCR_OK; SCR_BAD_FILE for a face of three elements; SCR_NO_MEMORY; on failure what geo_mesh_clear accepts */
scr_status geo_hexes_skin(const geo_hexes *mesh, geo_mesh *skin, scr_error *error);

/** Pieces that share no node: numbers of nodes' pieces, from 0.  @param piece [node_count]   @return how many */
size_t geo_hexes_pieces(const geo_hexes *mesh, uint32_t *piece);

#endif
