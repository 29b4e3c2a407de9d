/** Mass and moments of obstacles that move freely.
 *
 *      obstacle --scr_free_mass--> mass, centre of mass, principal axes and moments --sim/flight--> motion */
#ifndef SCREE_SCENE_MASS_H
#define SCREE_SCENE_MASS_H

#include "base/quat.h"
#include "geometry/mesh/mesh.h"
#include "scene/scene.h"

/** How a solid resists being moved and turned. */
typedef struct scr_mass {
  double mass;      /**< kg */
  scr_vec3 centre;  /**< m, of mass, from the obstacle's position, turned as the obstacle is at t = 0 */
  scr_vec3 moments; /**< kg m^2, principal, about the centre of mass */
  scr_quat axes;    /**< unit: takes x, y, z to the principal axes at t = 0 */
} scr_mass;

/** Volume, first and second moments of a solid of density 1. */
typedef struct scr_moments {
  double volume;       /**< m^3 */
  scr_vec3 centre;     /**< m */
  double second[3][3]; /**< m^5, integral of r r^T about the centre */
} scr_moments;

/** Of a box of full edges `size`, a ball, a cylinder of length `length` along z: about the origin; of a closed mesh where it lies. */
scr_moments scr_moments_of_box(scr_vec3 size);
scr_moments scr_moments_of_ball(double radius);
scr_moments scr_moments_of_cylinder(double radius, double length);
scr_moments scr_moments_of_mesh(const geo_mesh *mesh);

/** A solid turned, then moved so that its own origin is at `place`. */
scr_moments scr_moments_placed(const scr_moments *own, scr_quat turn, scr_vec3 place);

/** Adds `share` times another solid: 1 for a further piece, -1 for a void. */
void scr_moments_add(scr_moments *sum, const scr_moments *other, double share);

/** Mass, centre, principal axes and moments of that solid with a mass, kg, of even density. */
scr_mass scr_mass_of(const scr_moments *solid, double mass);

/** Volume of an obstacle's solid, m^3; INFINITY of a plane, 0 of a mesh that is not sound. */
double scr_obstacle_volume(const scr_obstacle *obstacle);

/** The mass of a free obstacle: given, or density times volume. Its moments: given, about its own axes; or those of a solid of even
 *  density.
 *  @param rotation the obstacle's own axes at t = 0 */
scr_mass scr_free_mass(const scr_obstacle *obstacle, scr_quat rotation);

#endif
