#include "methods/peridem/body/crack.h"

bool pd_has_crack(const pd_specimen *s)
{
  return !isnan(s->crack_corner.x) && !isnan(s->crack_along.x) && !isnan(s->crack_across.x);
}

/* Whether the point corner + s along + t across is cracked; the rim counts, to rounding. */
static bool is_within(pd_crack_form form, double s, double t)
{
  const double slack = 1e-9;
  double x = 2 * s - 1, y = 2 * t - 1;
  switch (form) {
  case PD_CRACK_TRIANGLE: return s >= -slack && t >= -slack && s + t <= 1 + slack;
  case PD_CRACK_DISC: return x * x + y * y <= 1 + slack;
  case PD_CRACK_RECTANGLE: break;
  }
  return s >= -slack && t >= -slack && s <= 1 + slack && t <= 1 + slack;
}

bool pd_crack_cuts(const pd_specimen *crack, scr_vec3 a, scr_vec3 b)
{
  scr_vec3 e = crack->crack_along, f = crack->crack_across, normal = vec3_cross(e, f);
  double from = vec3_dot(normal, vec3_sub(a, crack->crack_corner)), to = vec3_dot(normal, vec3_sub(b, crack->crack_corner));
  double rounding = 1e-9 * vec3_length(normal) * vec3_length(vec3_sub(b, a));
  if (!((from > rounding && to < -rounding) || (from < -rounding && to > rounding))) return false;
  scr_vec3 hit = vec3_sub(vec3_add(a, vec3_scale(vec3_sub(b, a), from / (from - to))), crack->crack_corner);
  double ee = vec3_dot(e, e), ef = vec3_dot(e, f), ff = vec3_dot(f, f), he = vec3_dot(hit, e), hf = vec3_dot(hit, f), d = ee * ff - ef * ef;
  return is_within((pd_crack_form)crack->crack_form, (he * ff - hf * ef) / d, (hf * ee - he * ef) / d);
}
