/** Three-vectors in double precision, by value. */
#ifndef SCREE_BASE_VEC3_H
#define SCREE_BASE_VEC3_H

#include <math.h>

typedef struct scr_vec3 {
  double x, y, z;
} scr_vec3;

static inline scr_vec3 vec3(double x, double y, double z)
{
  return (scr_vec3){x, y, z};
}
static inline scr_vec3 vec3_add(scr_vec3 a, scr_vec3 b)
{
  return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline scr_vec3 vec3_sub(scr_vec3 a, scr_vec3 b)
{
  return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline scr_vec3 vec3_scale(scr_vec3 a, double s)
{
  return vec3(a.x * s, a.y * s, a.z * s);
}
static inline double vec3_dot(scr_vec3 a, scr_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double vec3_length(scr_vec3 a)
{
  return sqrt(vec3_dot(a, a));
}
static inline scr_vec3 vec3_cross(scr_vec3 a, scr_vec3 b)
{
  return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/** from + displacement direction */
static inline scr_vec3 vec3_along(scr_vec3 from, scr_vec3 direction, double displacement)
{
  return vec3_add(from, vec3_scale(direction, displacement));
}

#endif
