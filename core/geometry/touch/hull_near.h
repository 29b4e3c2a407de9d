/** Distance of points from a placed convex polyhedron. */
#ifndef SCREE_GEOMETRY_HULL_NEAR_H
#define SCREE_GEOMETRY_HULL_NEAR_H

#include "geometry/touch/touch.h"

/** Where a point stands to a hull. */
typedef struct hull_near {
  double distance;  /**< m, negative inside */
  scr_vec3 normal;  /**< unit, outward: the distance's gradient */
  scr_vec3 point;   /**< m, nearest point of the surface */
  uint32_t feature; /**< face f: f; edge e: face_count + e */
} hull_near;

hull_near hull_nearest(const geo_placed *hull, scr_vec3 x);

/** Whether a point, moved along the face's normal, lies over face f. @param slack m, by which it may lie beside it */
bool hull_face_covers(const geo_placed *hull, size_t f, scr_vec3 x, double slack);

#endif
