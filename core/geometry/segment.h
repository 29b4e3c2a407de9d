/** Nearest points of segments. */
#ifndef SCREE_GEOMETRY_SEGMENT_H
#define SCREE_GEOMETRY_SEGMENT_H

#include "base/vec3.h"

/** Nearest point of the segment p q to x: p + t (q - p). @return t in [0, 1] */
static inline double geo_segment_nearest(scr_vec3 p, scr_vec3 q, scr_vec3 x)
{
  scr_vec3 d = vec3_sub(q, p);
  double length2 = vec3_dot(d, d), t = length2 > 0 ? vec3_dot(vec3_sub(x, p), d) / length2 : 0;
  return t < 0 ? 0 : t > 1 ? 1 : t;
}

/** Nearest points of the segments p q and r s, p + t (q - p) and r + u (s - r). Of parallel ones some pair. */
static inline void geo_segments_nearest(scr_vec3 p, scr_vec3 q, scr_vec3 r, scr_vec3 s, double *t, double *u)
{
  scr_vec3 d = vec3_sub(q, p), e = vec3_sub(s, r), w = vec3_sub(p, r);
  double a = vec3_dot(d, d), b = vec3_dot(d, e), c = vec3_dot(e, e), f = vec3_dot(d, w), g = vec3_dot(e, w), det = a * c - b * b;
  double first = det > 1e-12 * a * c ? (b * g - c * f) / det : 0;
  first = first < 0 ? 0 : first > 1 ? 1 : first;
  *u = geo_segment_nearest(r, s, vec3_add(p, vec3_scale(d, first)));
  *t = geo_segment_nearest(p, q, vec3_add(r, vec3_scale(e, *u)));
}

/** Shares along the edges a -> a + u and b -> b + v. */
typedef struct geo_segment_pair {
  double s, t; /**< 0 ... 1 */
} geo_segment_pair;

/** Nearest points. Edges that run alongside each other, to a hundredth of a radian, touch along a stretch: its two ends then, as long as
 *  one is not the other. @param pair [2] written    @return 1 or 2
 *  Source: Ericson, Real-Time Collision Detection, 5.1.9. */
int geo_segment_stretch(scr_vec3 a, scr_vec3 u, scr_vec3 b, scr_vec3 v, geo_segment_pair pair[2]);

#endif
