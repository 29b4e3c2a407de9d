/** The way of a crack from the tip of a notch of Kalthoff and Winkler's plate, measured from damage. */
#ifndef SCREE_SUPPORT_CRACK_WAY_H
#define SCREE_SUPPORT_CRACK_WAY_H

#include "methods/peridem/state/state.h"

#define CRACK_DAMAGE                                                                                                                       \
  0.35 /**< broken part of its bonds above which a node lies on the crack: half of a cut through a lattice's node, nearly */
#define CRACK_RING 5e-3 /**< m, width of the ring whose damaged nodes say where the crack is */

/** As the nodes see it that lost more than CRACK_DAMAGE of their bonds, within `far` of the tip. Angles are in degrees from the notch's own
 *  line, positive away from the impact. */
typedef struct crack_way {
  double reach; /**< m, of the farthest of them from the tip */
  double chord; /**< from the tip to the middle of those in the ring from far - CRACK_RING to far; NaN: the crack is not there yet */
  double fit;   /**< of the line that fits all of them best by total least squares: turned by the width of what broke about the tip */
} crack_way;

enum { CRACK_LEFT = -1, CRACK_RIGHT = 1 };

/** Of the notch at x = side * 25.75 mm, whose tip is at z = 0 and which comes from +z.
 *  @param plate the first specimen's body, whose nodes come first    @param damage [plate->node_count]    @param far m */
static inline crack_way crack_measure(const pd_body *plate, const double *damage, int side, double far)
{
  double n = 0, x = 0, z = 0, xx = 0, xz = 0, zz = 0, ring = 0, ring_x = 0, ring_z = 0;
  crack_way way = {0};
  for (size_t i = 0; i < plate->node_count; i++) {
    double aside = side * plate->x[i] - 25.75e-3, along = -plate->z[i], r = hypot(aside, along);
    if (damage[i] <= CRACK_DAMAGE || along < 0 || aside < -2e-3 || r > far) continue;
    n++, x += aside, z += along;
    xx += aside * aside, xz += aside * along, zz += along * along;
    if (r > far - CRACK_RING) ring++, ring_x += aside, ring_z += along;
    way.reach = fmax(way.reach, r);
  }
  x /= n, z /= n;
  way.chord = ring > 0 ? atan2(ring_x, ring_z) * 180 / M_PI : (double)NAN;
  way.fit = 0.5 * atan2(2 * (xz / n - x * z), zz / n - z * z - (xx / n - x * x)) * 180 / M_PI;
  return way;
}

#endif
