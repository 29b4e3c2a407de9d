/** Two small flat faces of bodies that look at each other, each at a depth above a point of its body (a node, a sphere): how far they
 *  overlap, and what they do to each other by a potential of that. A sum over the points of two surfaces is their pressure, whatever
 *  lattices the points are of.
 *
 *      U = k w h g^2 / 2    n = (n_i - n_j) / |n_i - n_j|      g = zero - d.n,  d = x_j - x_i
 *      w = (1 - t^2 / a^2)^2,  t = |d - (d.n) n|
 *      h: 1 where j lies ahead of i, d.n >= 0; 0 where it lies as far behind as a, smooth between
 *
 *  n_i, n_j: unit normals out of the bodies, which turn with the points; zero: sum of the depths; a: width of w, whose integral over the
 *  plane is pi a^2 / 3. Without h faces of pieces that lie back to back, or beside each other as they turn, would press as if they had gone
 *  all through. It fades as slowly as that since g is large there: over a third of a it is 20 times as stiff as k, too much for explicit
 *  steps of bonded spheres. The forces are -dU/dx and the couples -dU/d(turn): momentum and angular momentum are kept to rounding, and
 * energy is. */
#ifndef SCREE_CONTACT_OPPOSED_FACES_H
#define SCREE_CONTACT_OPPOSED_FACES_H

#include <stdbool.h>

#include "base/vec3.h"

/** Cosine between one normal and the opposite of the other from which on faces look at each other. */
#define CONTACT_OPPOSED 0.5

typedef struct contact_opposed_faces {
  scr_vec3 normal; /**< n, unit, out of i */
  double along;    /**< d.n, m */
  double overlap;  /**< g, m, > 0 */
  double weight;   /**< w h */
  double energy;   /**< U, J */
  double pressing; /**< k w g, N, where j lies ahead: the force along n */
  scr_vec3 force;  /**< on j, N: also a part across n, out of the reach of w */
  scr_vec3 spin;   /**< couple on i about n, N m, and its opposite on j: beyond that of the force at the middle between the points */
} contact_opposed_faces;

/** How much the second point counts as ahead of the first: h. @param along d.n, m    @param behind m, where h is 0    @param slope
 *  dh/d(along), 1/m */
static inline double contact_face_ahead(double along, double behind, double *slope)
{
  *slope = 0;
  if (along >= 0) return 1;
  double x = 1 + along / behind;
  if (!(x > 0)) return 0;
  *slope = 6 * x * (1 - x) / behind;
  return x * x * (3 - 2 * x);
}

/** @param d x_j - x_i, m    @param zero m    @param width a, m    @param stiffness k, N/m, at t = 0
 *  @return whether they press each other; else `faces` means nothing */
static inline bool contact_opposed_faces_touch(scr_vec3 d, scr_vec3 n_i, scr_vec3 n_j, double zero, double width, double stiffness,
                                               contact_opposed_faces *faces)
{
  scr_vec3 apart = vec3_sub(n_i, n_j);
  double size = vec3_length(apart), square = vec3_dot(d, d);
  if (!(size > 0)) return false;
  scr_vec3 n = faces->normal = vec3_scale(apart, 1 / size);
  double along = faces->along = vec3_dot(d, n), overlap = faces->overlap = zero - along;
  double share = 1 - fmax(0, square - along * along) / (width * width);
  if (!(overlap > 0) || !(share > 0)) return false;
  double slope, ahead = contact_face_ahead(along, width, &slope);
  if (!(ahead > 0)) return false;
  scr_vec3 across = vec3_sub(d, vec3_scale(n, along));
  faces->weight = share * share * ahead;
  faces->energy = 0.5 * stiffness * faces->weight * overlap * overlap;
  faces->pressing = stiffness * faces->weight * overlap - 0.5 * stiffness * share * share * slope * overlap * overlap;
  double aside = 2 * stiffness * share * ahead * overlap * overlap / (width * width);
  faces->force = vec3_add(vec3_scale(n, faces->pressing), vec3_scale(across, aside));
  scr_vec3 mean = vec3_scale(vec3_add(n_i, n_j), 0.5);
  faces->spin = vec3_scale(vec3_cross(mean, across), (faces->pressing - aside * along) / size);
  return true;
}

#endif
