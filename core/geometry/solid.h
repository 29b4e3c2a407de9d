/** Solids placed in space and how far a point is from them: plane, box, sphere, cylinder, mesh.
 *
 *  The signed distance is exact: the Euclidean distance to the nearest point of the surface, negative inside. Its gradient has length 1 and
 *  points out of the solid; `point - distance * gradient` is the nearest point of the surface.
 *
 *  Where several points of the surface are equally near (the medial axis) the gradient jumps; the answer there is one of the nearest
 *  points, chosen by these rules, in the solid's own axes:
 *    a coordinate of 0 counts as positive;
 *    inside a box, faces as near as each other: the one across x before y before z;
 *    centre of a sphere, axis of a cylinder: outward is +x;
 *    inside a cylinder, mantle and cap as near as each other: the mantle;
 *    a mesh: the first found, the same in every call.
 *  Outside, a box and a cylinder are convex and have one nearest point, on a face, an edge or a corner; the gradient is then the direction
 *  away from it. On an edge or corner itself the gradient is the normal of one of the faces that meet there, by the rules for inside. */
#ifndef SCREE_GEOMETRY_SOLID_H
#define SCREE_GEOMETRY_SOLID_H

#include <stdbool.h>

#include "base/error.h"
#include "base/quat.h"
#include "base/vec3.h"

typedef enum geo_placed_kind {
  GEO_PLACED_PLANE,    /**< the half-space below the own plane z = 0; its outward normal is own +z */
  GEO_PLACED_BOX,      /**< |x|, |y|, |z| <= half_size */
  GEO_PLACED_SPHERE,   /**< |p| <= radius */
  GEO_PLACED_CYLINDER, /**< x^2 + y^2 <= radius^2, |z| <= half_height, with flat caps */
  GEO_PLACED_MESH      /**< bounded by a closed mesh, see mesh_distance.h */
} geo_placed_kind;

struct geo_mesh_tree;

/** A solid in a pose: own coordinates p become position + rotation p. */
typedef struct geo_placed_solid {
  geo_placed_kind kind;
  scr_vec3 position;                /**< m, a point of the plane; the centre of the others */
  scr_quat rotation;                /**< unit; all zero is not a rotation */
  double radius;                    /**< m, > 0, sphere and cylinder */
  double half_height;               /**< m, > 0, cylinder */
  scr_vec3 half_size;               /**< m, > 0 each, box */
  const struct geo_mesh_tree *mesh; /**< borrowed, mesh: in own coordinates; others NULL */
} geo_placed_solid;

/** Where a point stands to a surface. */
typedef struct geo_nearest {
  double distance;   /**< m, negative inside */
  scr_vec3 gradient; /**< of the distance, length 1, out of the solid */
  scr_vec3 point;    /**< m, the nearest point of the surface */
} geo_nearest;

/** Whether a solid is sound: sizes that its kind uses finite and > 0, a mesh there, position finite, rotation of length 1 within
 *  1e-9.
 *  @return SCR_OK, SCR_BAD_USAGE naming the quantity */
scr_status geo_placed_check(const geo_placed_solid *solid, scr_error *error);

/** Nearest point of the surface of a sound solid to a finite `point`, m. */
geo_nearest geo_placed_nearest(const geo_placed_solid *solid, scr_vec3 point);

/** The same where the surface is nearer than `reach`, m, inside or outside: for a mesh with less work.
 *  @return false, and `nearest` untouched, where it is not */
bool geo_placed_nearest_within(const geo_placed_solid *solid, scr_vec3 point, double reach, geo_nearest *nearest);

/** Only the signed distance, m: the same bits as geo_placed_nearest gives, with less work. */
double geo_placed_distance(const geo_placed_solid *solid, scr_vec3 point);

/** The rotation that turns own +z into `axis` (any length but 0) by the shortest way; half a turn about x when they are opposite.
 *  What a plane of given normal or a cylinder along a given axis needs. */
scr_quat geo_rotation_to_axis(scr_vec3 axis);

#endif
