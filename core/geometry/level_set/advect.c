/* Level sets carried along. */
#include "base/memory.h"
#include "geometry/level_set/redistance.h"

/* The fifth-order weighted derivative from five differences d[0] ... d[4], the upwind ones first (Jiang and Peng, eqs (2.11) to (2.15)). */
static double weno(const double d[5])
{
  double p = d[0] / 3 - 7 * d[1] / 6 + 11 * d[2] / 6, q = -d[1] / 6 + 5 * d[2] / 6 + d[3] / 3, r = d[2] / 3 + 5 * d[3] / 6 - d[4] / 6;
  double a = d[0] - 2 * d[1] + d[2], b = d[1] - 2 * d[2] + d[3], c = d[2] - 2 * d[3] + d[4];
  double e = d[0] - 4 * d[1] + 3 * d[2], f = d[1] - d[3], g = 3 * d[2] - 4 * d[3] + d[4];
  double s0 = 13 * a * a / 12 + e * e / 4, s1 = 13 * b * b / 12 + f * f / 4, s2 = 13 * c * c / 12 + g * g / 4, least = 1e-6;
  double w0 = 0.1 / ((least + s0) * (least + s0)), w1 = 0.6 / ((least + s1) * (least + s1)), w2 = 0.3 / ((least + s2) * (least + s2));
  return (w0 * p + w1 * q + w2 * r) / (w0 + w1 + w2);
}

/* d phi/d axis at a point, from the side the velocity comes from. */
static double slope_along(const level_set *field, const double *value, const uint32_t at[3], int axis, double velocity)
{
  size_t stride = axis == 2 ? 1 : axis == 1 ? field->count[2] : (size_t)field->count[1] * field->count[2];
  size_t here = ((size_t)at[0] * field->count[1] + at[1]) * field->count[2] + at[2], start = here - at[axis] * stride;
  double line[7], d[5];
  long last = (long)field->count[axis] - 1;
  for (long k = -3; k <= 3; k++) {
    long n = (long)at[axis] + (velocity > 0 ? k : -k);
    n = n < 0 ? 0 : n > last ? last : n;
    line[k + 3] = value[start + (size_t)n * stride];
  }
  for (int k = 0; k < 5; k++) d[k] = (line[k + 1] - line[k]) * field->per_spacing;
  return velocity > 0 ? weno(d) : -weno(d);
}

/* out = keep first + take (now + step of now) */
static void stage(const level_set *field, const scr_vec3 *velocity, double dt, const double *first, const double *now, double keep,
                  double *out)
{
#pragma omp parallel for schedule(static)
  for (uint32_t i = 0; i < field->count[0]; i++)
    for (uint32_t j = 0; j < field->count[1]; j++)
      for (uint32_t k = 0; k < field->count[2]; k++) {
        const uint32_t at[3] = {i, j, k};
        size_t n = ((size_t)i * field->count[1] + j) * field->count[2] + k;
        const double v[3] = {velocity[n].x, velocity[n].y, velocity[n].z};
        double rate = 0;
        for (int a = 0; a < 3; a++)
          if (v[a] != 0) rate -= v[a] * slope_along(field, now, at, a, v[a]);
        out[n] = keep * first[n] + (1 - keep) * (now[n] + dt * rate);
      }
}

/* Velocities at all points. @return the largest sum of components' sizes */
static double sample_velocity(const level_set *field, level_set_velocity velocity, const void *user, double share, scr_vec3 *at)
{
  double fastest = 0;
  for (uint32_t i = 0; i < field->count[0]; i++)
    for (uint32_t j = 0; j < field->count[1]; j++)
      for (uint32_t k = 0; k < field->count[2]; k++) {
        scr_vec3 v = velocity(user, level_set_point(field, i, j, k), share);
        at[((size_t)i * field->count[1] + j) * field->count[2] + k] = v;
        fastest = fmax(fastest, fabs(v.x) + fabs(v.y) + fabs(v.z));
      }
  return fastest;
}

scr_status level_set_advect(level_set *field, level_set_velocity velocity, const void *user, scr_error *error)
{
  size_t points = (size_t)field->count[0] * field->count[1] * field->count[2];
  double *first = mem_array(3 * points, sizeof *first), *second = first ? first + points : NULL, *third = first ? second + points : NULL,
         done = 0;
  scr_vec3 *at = mem_array(points, sizeof *at);
  if (!first || !at) {
    mem_free(first);
    mem_free(at);
    return scr_fail_memory(error, "carrying a level set along", points * (3 * sizeof *first + sizeof *at));
  }
  for (size_t n = 0; n < points; n++) first[n] = field->value[n];
  while (done < 1) {
    double fastest = sample_velocity(field, velocity, user, done, at);
    if (!(fastest > 0)) break;
    double dt = fmin(1 - done, 0.5 * field->spacing / fastest);
    stage(field, at, dt, first, first, 0, second);
    stage(field, at, dt, first, second, 0.75, third);
    stage(field, at, dt, first, third, 1.0 / 3, second);
    for (size_t n = 0; n < points; n++) first[n] = second[n];
    done = done + dt < 1 - 1e-12 ? done + dt : 1;
  }
  for (size_t n = 0; n < points; n++) field->value[n] = (float)first[n];
  mem_free(first);
  mem_free(at);
  return SCR_OK;
}
