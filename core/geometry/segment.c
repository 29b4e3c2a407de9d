/* Nearest points of two edges. */
#include "geometry/segment.h"

static double clamp(double x)
{
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Of two that cross somewhere: d2 = |(a - b) + s u - t v|^2, least. */
static geo_segment_pair crossing(double uu, double vv, double uv, double uw, double vw)
{
  double determinant = uu * vv - uv * uv, s = determinant > 0 ? clamp((uv * vw - uw * vv) / determinant) : 0.5, t = (uv * s + vw) / vv;
  if (t < 0) return (geo_segment_pair){clamp(-uw / uu), 0};
  if (t > 1) return (geo_segment_pair){clamp((uv - uw) / uu), 1};
  return (geo_segment_pair){s, t};
}

int geo_segment_stretch(scr_vec3 a, scr_vec3 u, scr_vec3 b, scr_vec3 v, geo_segment_pair pair[2])
{
  const double alongside = 1e-4; /* square of the sine of the angle between them */
  scr_vec3 w = vec3_sub(a, b);
  double uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v), uw = vec3_dot(u, w), vw = vec3_dot(v, w);
  pair[0] = crossing(uu, vv, uv, uw, vw);
  if (uu * vv - uv * uv > alongside * uu * vv) return 1;
  double s0 = -uw / uu, s1 = (uv - uw) / uu; /* where the ends of the other lie on this one */
  double from = clamp(s0 < s1 ? s0 : s1), to = clamp(s0 < s1 ? s1 : s0);
  if (to - from < 1e-3) return 1;
  pair[0] = (geo_segment_pair){from, clamp((uv * from + vw) / vv)};
  pair[1] = (geo_segment_pair){to, clamp((uv * to + vw) / vv)};
  return 2;
}
