/** Convex polyhedra as contacts see them: corners, flat faces as loops of corners, edges between two faces.
 *
 *      corner --loop--> face (normal, offset) <--sides-- edge
 *
 *  Made from a closed mesh that is convex; triangles of one plane become one face, so that a box has six faces and not twelve. */
#ifndef SCREE_GEOMETRY_HULL_H
#define SCREE_GEOMETRY_HULL_H

#include "geometry/mesh/mesh.h"

/** Most triangles, and corners, of a mesh that is looked at as a convex body; larger ones count as not convex. */
enum { GEO_HULL_LIMIT = 256 };

/** In the shape's own axes. Starts zeroed; cleared by geo_hull_clear. */
typedef struct geo_hull {
  size_t corner_count, face_count, edge_count;
  double width;         /**< m, least distance of a face from the corner that is farthest behind it */
  scr_vec3 *corner;     /**< [corner_count] m */
  scr_vec3 *normal;     /**< [face_count] unit, outward */
  double *offset;       /**< [face_count] m: normal . x on the face */
  uint32_t *first;      /**< [face_count + 1] */
  uint32_t *loop;       /**< [first[face_count]] corners of a face, counter-clockwise seen from outside */
  uint32_t (*edge)[2];  /**< [edge_count] its corners */
  uint32_t (*sides)[2]; /**< [edge_count] the face that runs through it as given, and the other */
} geo_hull;

/** Makes a hull of a mesh that geo_mesh_check accepts.
 *  @param convex receives whether it is convex (to 1e-9 of its size) and small enough; if not, the hull stays empty
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_hull_create(const geo_mesh *mesh, geo_hull *hull, bool *convex, scr_error *error);
void geo_hull_clear(geo_hull *hull);

#endif
