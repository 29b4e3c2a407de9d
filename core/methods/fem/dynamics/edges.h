/** Edges of the surfaces of bodies, and numbers for what of a surface can touch.
 *
 *      sites:  0 ... nodes | ... edges | ... faces,  all bodies after each other */
#ifndef SCREE_METHODS_FEM_EDGES_H
#define SCREE_METHODS_FEM_EDGES_H

#include <stdbool.h>

#include "methods/fem/system/system.h"

typedef struct fem_edge {
  uint32_t node[2]; /**< rising */
  uint32_t face[2]; /**< of the body's surface: the two that meet here (the same twice at an open rim, which sound meshes don't have) */
  bool sharp;       /**< convex, and the faces at rest meet at more than 30 degrees */
} fem_edge;

typedef struct fem_edges {
  size_t body_count, face_count; /**< faces: of all bodies */
  fem_edge *item;
  size_t *first;      /**< [body_count + 1] */
  size_t *first_face; /**< [body_count + 1] */
  double *thickness;  /**< [faces] m, of the element behind the face, at rest: volume over area */
  double *length;     /**< m, longest edge of each body, at rest: [body_count] */
} fem_edges;

/** @param surfaces [system->body_count] nodes counted in the system  @param edges zeroed; fem_edges_clear afterwards, also on failure
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_edges_create(const fem_system *system, const geo_hexes_surface *surfaces, fem_edges *edges, scr_error *error);
void fem_edges_clear(fem_edges *edges);

#endif
