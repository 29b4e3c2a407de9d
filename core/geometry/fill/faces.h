/** Faces of a solid right above a point inside it: where its surface lies, which the cells of a lattice leave open.
 *
 *  Near an edge or corner a point has several; one nearest face would be wrong there. */
#ifndef SCREE_GEOMETRY_FACES_H
#define SCREE_GEOMETRY_FACES_H

#include "geometry/fill/lattice.h"

enum { GEO_FACES = 3 }; /**< most that are kept of a point */

typedef struct geo_face {
  scr_vec3 normal;   /**< unit, out of the solid */
  double depth;      /**< m, of the point below the face, along the normal */
  double curvature;  /**< 1/m, by which the face bends away from its tangent plane; below 0: towards its outside; of meshes 0 */
  scr_vec3 straight; /**< unit, along which it does not bend, as the axis of a cylinder; 0: it bends alike in all directions */
} geo_face;

/** Faces nearer to a point inside than `reach`, m: of a box its six and those of its notch, of a cylinder both ends and the mantle, of a
 *  sphere also that of its void; of a mesh the nearest place alone, so that edges of meshes count for one side.
 *  @param faces the first GEO_FACES found, in that order    @return how many */
size_t geo_faces_near(const geo_solid *solid, scr_vec3 point, double reach, geo_face faces[GEO_FACES]);

#endif
