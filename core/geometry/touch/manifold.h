/** Contact polygons: what of one body's side lies over a face of the other. */
#ifndef SCREE_GEOMETRY_MANIFOLD_H
#define SCREE_GEOMETRY_MANIFOLD_H

#include "geometry/touch/touch.h"

enum { POLYGON_LIMIT = 64 };

/** A polygon, a segment (2 points) or a point. Marks tell its corners apart, from step to step: those it began with have theirs below 64,
 *  those that a cut made are named by the side that was cut and the cut, of which there is one alone. */
typedef struct polygon {
  int count;
  scr_vec3 point[POLYGON_LIMIT]; /**< m */
  uint32_t mark[POLYGON_LIMIT];  /**< below 2^19 */
  uint32_t side[POLYGON_LIMIT];  /**< of the side from a corner to the next: at first that corner's mark, along a cut 64 + the cut */
} polygon;

/** Cuts away what lies where normal . x > offset. @param cut which cut, below 256, to mark new corners by */
void polygon_cut(polygon *p, scr_vec3 normal, double offset, uint32_t cut);

/** Adds a contact at every corner of `other`, cut to what lies over face f of a, that is nearer to its plane than `reach`. Normals are
 *  those from b to a: against the face's. @param feature of the contacts, to which marks are added */
void manifold_over_face(const geo_placed *a, size_t f, polygon *other, double reach, uint32_t feature, touch_sink *sink);

/** Two hulls. */
void touch_hulls(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink);

/** A ball or capsule and a hull; normals from b, the hull, to a. */
void touch_round_hull(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink);

/** Two balls or capsules. */
void touch_rounds(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink);

/** A cylinder and a ball, a capsule, a hull or another cylinder, a being the cylinder. */
void touch_cylinder(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink);

/** A mesh and anything, a being the mesh. */
void touch_mesh(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink);

#endif
