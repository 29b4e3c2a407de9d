/** Where two edges come nearest to each other. */
#ifndef SCREE_FIBRE_SEGMENT_H
#define SCREE_FIBRE_SEGMENT_H

#include "base/vec3.h"

/** Shares along the edges a -> a + u and b -> b + v. */
typedef struct segment_pair {
  double s, t; /**< 0 ... 1 */
} segment_pair;

/** Nearest points. Edges that run alongside each other, to a hundredth of a radian, touch along a stretch: its two ends then, as
 *  long as one is not the
 *  other. @param pair [2] written    @return 1 or 2
 *  Source: Ericson, Real-Time Collision Detection, 5.1.9. */
int segment_nearest(scr_vec3 a, scr_vec3 u, scr_vec3 b, scr_vec3 v, segment_pair pair[2]);

#endif
