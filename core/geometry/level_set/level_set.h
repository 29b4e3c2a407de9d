/** Signed distances on a regular grid: what one solid asks about a point of another.
 *
 *      grid point (i, j, k) lies at origin + spacing (i, j, k) and holds value[(i count[1] + j) count[2] + k], z fastest
 *
 *  Values are negative inside. Between grid points they are trilinear, and so is the gradient that goes with them: it is that of the same
 *  trilinear function, so that forces made from both conserve energy within a cell.
 *
 *  A trilinear function lies above a curved distance by (h^2/12) times its Laplacian on average (each axis adds h^2/12 of its second
 *  derivative), so a ball seen through it is too small by h^2/(6 R). level_set_unbias takes that off the samples. */
#ifndef SCREE_GEOMETRY_LEVEL_SET_LEVEL_SET_H
#define SCREE_GEOMETRY_LEVEL_SET_LEVEL_SET_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/execution.h"
#include "base/error.h"
#include "base/vec3.h"
#include "geometry/search/boxes.h"

/** Starts zeroed; made by level_set_create, emptied by level_set_clear. */
typedef struct level_set {
  uint32_t count[3];  /**< grid points along x, y, z, >= 2 each */
  scr_vec3 origin;    /**< m, of grid point (0, 0, 0) */
  double spacing;     /**< m, > 0 */
  double per_spacing; /**< 1/spacing */
  float *value;       /**< [count[0]][count[1]][count[2]] m; single precision: the samples' own errors are larger by far */
} level_set;

/** Most grid points of one level set. */
enum { LEVEL_SET_POINT_LIMIT = 1 << 27 };

/** Signed distance of a point, m. Called from several threads at once. */
typedef double (*level_set_distance)(const void *user, scr_vec3 point);

/** How many grid points a level set of that box and margin has. */
double level_set_points(const geo_box *box, double spacing, double margin);

/** A grid around `box` with at least `margin` on every side, m; all values 0. The box lies in its middle.
 *  @return SCR_OK; SCR_BAD_USAGE when there are more than LEVEL_SET_POINT_LIMIT points; SCR_NO_MEMORY */
scr_status level_set_create(level_set *field, const geo_box *box, double spacing, double margin, scr_error *error);
void level_set_clear(level_set *field);

/** Fills it with samples of a distance. */
void level_set_sample(level_set *field, level_set_distance distance, const void *user, scr_execution execution);

/** Takes (h^2/12) times the seven-point Laplacian off the samples with |value| < 3 h, but where |Laplacian| > 1/h: there is an edge of the
 *  surface or the medial axis, and no curvature. @return SCR_OK, SCR_NO_MEMORY */
scr_status level_set_unbias(level_set *field, scr_error *error);

/** What a level set measures of itself. */
typedef struct level_set_quality {
  bool bounded;                      /**< some samples are inside, none of those on the grid's rim is */
  double depth;                      /**< m, of the deepest sample, > 0: half the smallest thickness of a slab */
  double least_slope, largest_slope; /**< of the trilinear function, at the middles of cells that the surface crosses */
} level_set_quality;

level_set_quality level_set_measure(const level_set *field);

static inline float level_set_value(const level_set *field, uint32_t i, uint32_t j, uint32_t k)
{
  return field->value[((size_t)i * field->count[1] + j) * field->count[2] + k];
}

static inline scr_vec3 level_set_point(const level_set *field, uint32_t i, uint32_t j, uint32_t k)
{
  return vec3(field->origin.x + field->spacing * i, field->origin.y + field->spacing * j, field->origin.z + field->spacing * k);
}

/** What the zero of a field of distances encloses, m^3: cells that it crosses are divided by four along each axis, and parts of the width
 *  of one count in part. Of a field that is a distance next to its zero to (spacing/4)^2. */
double level_set_volume(const level_set *field);

/** The cell that holds a point, and where in it. @return false: the point is outside of the grid, or not finite */
static inline bool level_set_cell(const level_set *field, scr_vec3 point, size_t *corner, double part[static 3])
{
  double x = (point.x - field->origin.x) * field->per_spacing, y = (point.y - field->origin.y) * field->per_spacing,
         z = (point.z - field->origin.z) * field->per_spacing;
  if (!(x >= 0 && y >= 0 && z >= 0 && x < field->count[0] - 1 && y < field->count[1] - 1 && z < field->count[2] - 1)) return false;
  uint32_t i = (uint32_t)x, j = (uint32_t)y, k = (uint32_t)z;
  part[0] = x - i, part[1] = y - j, part[2] = z - k;
  *corner = ((size_t)i * field->count[1] + j) * field->count[2] + k;
  return true;
}

/** The trilinear function at a point. @return false, and `value` untouched, outside of the grid */
static inline bool level_set_at(const level_set *field, scr_vec3 point, double *value)
{
  size_t at, along_x = (size_t)field->count[1] * field->count[2], along_y = field->count[2];
  double f[3];
  if (!level_set_cell(field, point, &at, f)) return false;
  const float *v = field->value + at;
  double c00 = v[0] + (v[1] - v[0]) * f[2], c01 = v[along_y] + (v[along_y + 1] - v[along_y]) * f[2];
  v += along_x;
  double c10 = v[0] + (v[1] - v[0]) * f[2], c11 = v[along_y] + (v[along_y + 1] - v[along_y]) * f[2];
  double c0 = c00 + (c01 - c00) * f[1], c1 = c10 + (c11 - c10) * f[1];
  *value = c0 + (c1 - c0) * f[0];
  return true;
}

/** The trilinear function and its gradient in a cell from its corners' values. @param at [8] corner (i, j, k) of 0 and 1 is number 4 i + 2
 *  j + k    @param f where in the cell, 0 to 1 along each axis    @param per_spacing 1/m */
static inline void level_set_blend(const double at[static 8], const double f[static 3], double per_spacing, double *value,
                                   scr_vec3 *gradient)
{
  double c00 = at[0] + (at[1] - at[0]) * f[2], c01 = at[2] + (at[3] - at[2]) * f[2], c10 = at[4] + (at[5] - at[4]) * f[2],
         c11 = at[6] + (at[7] - at[6]) * f[2];
  double c0 = c00 + (c01 - c00) * f[1], c1 = c10 + (c11 - c10) * f[1];
  double z0 = (at[1] - at[0]) + ((at[3] - at[2]) - (at[1] - at[0])) * f[1],
         z1 = (at[5] - at[4]) + ((at[7] - at[6]) - (at[5] - at[4])) * f[1];
  *value = c0 + (c1 - c0) * f[0];
  *gradient = vec3_scale(vec3(c1 - c0, (c01 - c00) + ((c11 - c10) - (c01 - c00)) * f[0], z0 + (z1 - z0) * f[0]), per_spacing);
}

/** The trilinear function at a point, and its gradient where that is below 0. @return false: the point is outside of the grid, or the
 *  value, which is then set, is not below 0; the gradient is untouched */
static inline bool level_set_below_at(const level_set *field, scr_vec3 point, double *value, scr_vec3 *gradient)
{
  size_t at, along_x = (size_t)field->count[1] * field->count[2], along_y = field->count[2];
  double f[3];
  if (!level_set_cell(field, point, &at, f)) return false;
  const float *v = field->value + at, *w = v + along_x;
  const double c[8] = {v[0], v[1], v[along_y], v[along_y + 1], w[0], w[1], w[along_y], w[along_y + 1]};
  double c00 = c[0] + (c[1] - c[0]) * f[2], c01 = c[2] + (c[3] - c[2]) * f[2], c10 = c[4] + (c[5] - c[4]) * f[2],
         c11 = c[6] + (c[7] - c[6]) * f[2];
  double c0 = c00 + (c01 - c00) * f[1], c1 = c10 + (c11 - c10) * f[1];
  *value = c0 + (c1 - c0) * f[0];
  if (!(*value < 0)) return false;
  level_set_blend(c, f, field->per_spacing, value, gradient);
  return true;
}

/** The trilinear function and its gradient at a point. @return false, and both untouched, outside of the grid */
static inline bool level_set_gradient_at(const level_set *field, scr_vec3 point, double *value, scr_vec3 *gradient)
{
  size_t at, along_x = (size_t)field->count[1] * field->count[2], along_y = field->count[2];
  double f[3];
  if (!level_set_cell(field, point, &at, f)) return false;
  const float *v = field->value + at, *w = v + along_x;
  const double corner[8] = {v[0], v[1], v[along_y], v[along_y + 1], w[0], w[1], w[along_y], w[along_y + 1]};
  level_set_blend(corner, f, field->per_spacing, value, gradient);
  return true;
}

#endif
