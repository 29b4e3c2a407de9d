/** Mass and moments of obstacles that move freely.
 *
 *      obstacle --scr_free_mass--> mass, centre of mass, principal axes and moments --sim/flight--> motion */
#ifndef SCREE_SCENE_MASS_H
#define SCREE_SCENE_MASS_H

#include "base/quat.h"
#include "scene/scene.h"

/** How a solid resists being moved and turned. */
typedef struct scr_mass {
  double mass;      /**< kg */
  scr_vec3 centre;  /**< m, of mass, from the obstacle's position, turned as the obstacle is at t = 0 */
  scr_vec3 moments; /**< kg m^2, principal, about the centre of mass */
  scr_quat axes;    /**< unit: takes x, y, z to the principal axes at t = 0 */
} scr_mass;

/** Volume of an obstacle's solid, m^3; INFINITY of a plane, 0 of a mesh that is not sound. */
double scr_obstacle_volume(const scr_obstacle *obstacle);

/** The mass of a free obstacle: given, or density times volume. Its moments: given, about its own axes; or those of a solid of even density.
 *  @param rotation the obstacle's own axes at t = 0 */
scr_mass scr_free_mass(const scr_obstacle *obstacle, scr_quat rotation);

#endif
