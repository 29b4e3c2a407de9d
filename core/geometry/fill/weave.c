/* A yarn overhangs the outermost yarns it crosses by half a pitch at either end. Its spheres sit at equal steps of arc length. */
#include "geometry/fill/weave.h"

static double amplitude(const geo_weave *w)
{
  return w->radius * (1 + w->clearance);
}

/* Arc length of z = a cos(pi x / pitch) from 0 to x: Gauss-Legendre of 5 points on eighths of a pitch (below 1e-10 of the radius). */
static double arc(const geo_weave *w, double x)
{
  static const double at[5] = {0, -0.53846931010568309, 0.53846931010568309, -0.90617984593866399, 0.90617984593866399};
  static const double weight[5] = {0.56888888888888889, 0.47862867049936647, 0.47862867049936647, 0.23692688505618909, 0.23692688505618909};
  double step = w->pitch / 8, slope = amplitude(w) * M_PI / w->pitch, sum = 0;
  for (int part = 0; part * step < x; part++) {
    double from = part * step;
    double half = 0.5 * fmin(step, x - from);
    for (int k = 0; k < 5; k++) {
      double s = slope * sin(M_PI * (from + half * (1 + at[k])) / w->pitch);
      sum += half * weight[k] * sqrt(1 + s * s);
    }
  }
  return sum;
}

double geo_weave_pitch_length(const geo_weave *weave)
{
  return arc(weave, weave->pitch);
}

/* Place along the axis at arc length s; whole pitches first, so that a long yarn costs no more than a short one. */
static double place(const geo_weave *w, double s, double pitch_length)
{
  double whole = floor(s / pitch_length), rest = s - whole * pitch_length, x = rest * w->pitch / pitch_length;
  for (int k = 0; k < 30; k++) {
    double slope = amplitude(w) * M_PI / w->pitch * sin(M_PI * x / w->pitch), miss = arc(w, x) - rest;
    x -= miss / sqrt(1 + slope * slope);
    if (fabs(miss) < 1e-13 * pitch_length) break;
  }
  return whole * w->pitch + x;
}

/* Spheres of a yarn that crosses `crossings` others. */
static size_t spheres_of(const geo_weave *w, size_t crossings)
{
  double steps = floor((double)crossings * geo_weave_pitch_length(w) / (2 * w->radius) + 0.5);
  return (size_t)steps + 1;
}

void geo_weave_counts(const geo_weave *weave, size_t *per_weft, size_t *per_warp)
{
  *per_weft = spheres_of(weave, weave->warps);
  *per_warp = spheres_of(weave, weave->wefts);
}

/* One yarn: places along it and heights; `sign` is +1 where it passes over the first yarn it crosses, half a pitch from its end. */
static void fill_yarn(const geo_weave *w, size_t crossings, size_t count, double sign, double *along, double *height)
{
  double pitch_length = geo_weave_pitch_length(w), length = (double)crossings * pitch_length, half = 0.5 * (double)crossings * w->pitch;
  for (size_t k = 0; k < count; k++) {
    /* arc length counts from a crest; a yarn begins half a pitch before one, which is as long as half a pitch after it */
    double s = length * (double)k / (double)(count - 1) + 0.5 * pitch_length, x = place(w, s, pitch_length);
    *along = x - 0.5 * w->pitch - half;
    *height = -sign * amplitude(w) * cos(M_PI * x / w->pitch);
    along += 3; /* doubles of a scr_vec3 */
    height += 3;
  }
}

scr_status geo_weave_fill(const geo_weave *weave, scr_vec3 *centres, scr_error *error)
{
  const geo_weave *w = weave;
  if (!(w->radius > 0) || !(w->pitch >= 5 * w->radius) || !(w->clearance >= 0) || w->wefts < 2 || w->warps < 2)
    return scr_fail(
        error, SCR_BAD_USAGE, NULL,
        "a weave of %zu x %zu yarns of radius %g m, pitch %g m, clearance %g; at least 2 x 2 yarns, a radius > 0, a pitch of at "
        "least 5 radii and a clearance >= 0 are needed",
        w->wefts, w->warps, w->radius, w->pitch, w->clearance);
  size_t per_weft, per_warp;
  geo_weave_counts(w, &per_weft, &per_warp);
  for (size_t j = 0; j < w->wefts; j++, centres += per_weft) {
    for (size_t k = 0; k < per_weft; k++) centres[k].y = ((double)j + 0.5 - 0.5 * (double)w->wefts) * w->pitch;
    fill_yarn(w, w->warps, per_weft, j % 2 ? -1 : 1, &centres->x, &centres->z);
  }
  for (size_t i = 0; i < w->warps; i++, centres += per_warp) {
    for (size_t k = 0; k < per_warp; k++) centres[k].x = ((double)i + 0.5 - 0.5 * (double)w->warps) * w->pitch;
    fill_yarn(w, w->wefts, per_warp, i % 2 ? 1 : -1, &centres->y, &centres->z);
  }
  return SCR_OK;
}
