/** Meshes of hexahedra: the volume of one specimen, its quality, its surface.
 *
 *  Corners of a hexahedron are numbered as in element/hex.h. A mesh is sound when fem_mesh_check accepts it. */
#ifndef SCREE_METHODS_FEM_MESH_H
#define SCREE_METHODS_FEM_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "methods/fem/element/hex.h"

/** Starts zeroed; emptied by fem_mesh_clear. */
typedef struct fem_mesh {
  size_t node_count, hex_count;
  double (*node)[3];            /**< [node_count] m */
  uint32_t (*hex)[FEM_CORNERS]; /**< [hex_count] */
} fem_mesh;

void fem_mesh_clear(fem_mesh *mesh);

/** How well shaped the elements are. */
typedef struct fem_quality {
  double least_jacobian; /**< of the worst element: smallest det J over its largest; 1 is a parallelepiped, <= 0 folded */
  size_t worst;          /**< number of that element */
  double aspect;         /**< largest ratio of longest to shortest edge */
  double least_edge;     /**< m, the shortest */
  double mean_edge;      /**< m, cube root of the mean volume */
  double volume;         /**< m^3 */
} fem_quality;

fem_quality fem_mesh_quality(const fem_mesh *mesh);

/** Whether a mesh is sound: at least one element; numbers of nodes in range, none twice in an element; nodes finite, each used, no two at one place; all
 *  Jacobians > 0 at Gauss points and corners; every face shared by at most two elements and every edge of the surface by two of its faces.
 *  @return SCR_OK; SCR_BAD_FILE naming the first bad node, element or face, its value and what to do; SCR_NO_MEMORY */
scr_status fem_mesh_check(const fem_mesh *mesh, scr_error *error);

/** The surface: faces that one element alone has, in the order of elements and faces, counter-clockwise seen from outside. */
typedef struct fem_surface {
  size_t face_count, node_count;
  uint32_t (*face)[4]; /**< [face_count] nodes */
  uint32_t *element;   /**< [face_count] whose face it is */
  uint32_t *node;      /**< [node_count] that a face has, rising */
} fem_surface;

/** Finds it. @return SCR_OK; SCR_BAD_FILE for a face of three elements; SCR_NO_MEMORY. On failure `surface` is empty */
scr_status fem_mesh_surface(const fem_mesh *mesh, fem_surface *surface, scr_error *error);
void fem_surface_clear(fem_surface *surface);

/** Pieces that share no node: numbers of nodes' pieces, from 0.  @param piece [node_count]   @return how many */
size_t fem_mesh_pieces(const fem_mesh *mesh, uint32_t *piece);

#endif
