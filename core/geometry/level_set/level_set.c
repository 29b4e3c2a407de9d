/* A grid, its samples, and what is taken off them. */
#include "geometry/level_set/level_set.h"

#include <string.h>

#include "base/memory.h"

static void axis_of(double low, double high, double spacing, double margin, double *origin, double *points)
{
  double cells = ceil((high - low + 2 * margin) / spacing);
  *origin = 0.5 * (low + high) - 0.5 * cells * spacing;
  *points = cells + 1;
}

double level_set_points(const geo_box *box, double spacing, double margin)
{
  double origin, x, y, z;
  axis_of(box->low.x, box->high.x, spacing, margin, &origin, &x);
  axis_of(box->low.y, box->high.y, spacing, margin, &origin, &y);
  axis_of(box->low.z, box->high.z, spacing, margin, &origin, &z);
  return x * y * z;
}

scr_status level_set_create(level_set *field, const geo_box *box, double spacing, double margin, scr_error *error)
{
  double points = level_set_points(box, spacing, margin), x, y, z;
  if (!(points <= LEVEL_SET_POINT_LIMIT))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "a level set at a grid spacing of %.4g m has %.3g points; at most %d are possible: use a larger spacing", spacing,
                    points, LEVEL_SET_POINT_LIMIT);
  *field = (level_set){.spacing = spacing, .per_spacing = 1 / spacing};
  axis_of(box->low.x, box->high.x, spacing, margin, &field->origin.x, &x);
  axis_of(box->low.y, box->high.y, spacing, margin, &field->origin.y, &y);
  axis_of(box->low.z, box->high.z, spacing, margin, &field->origin.z, &z);
  field->count[0] = (uint32_t)x, field->count[1] = (uint32_t)y, field->count[2] = (uint32_t)z;
  SCR_TRY(mem_allocate(&field->value, (size_t)points, sizeof *field->value, "a level set", error));
  return SCR_OK;
}

void level_set_clear(level_set *field)
{
  mem_free(field->value);
  *field = (level_set){0};
}

void level_set_sample(level_set *field, level_set_distance distance, const void *user, scr_execution execution)
{
#pragma omp parallel for schedule(static) num_threads(execution.threads)
  for (uint32_t i = 0; i < field->count[0]; i++)
    for (uint32_t j = 0; j < field->count[1]; j++)
      for (uint32_t k = 0; k < field->count[2]; k++)
        field->value[((size_t)i * field->count[1] + j) * field->count[2] + k] = (float)distance(user, level_set_point(field, i, j, k));
}

scr_status level_set_unbias(level_set *field, scr_error *error)
{
  size_t along_x = (size_t)field->count[1] * field->count[2], along_y = field->count[2], points = along_x * field->count[0];
  double h = field->spacing;
  float *old = mem_array(points, sizeof *old);
  if (!old) return scr_fail_memory(error, "a level set", points * sizeof *old);
  memcpy(old, field->value, points * sizeof *old);
  for (uint32_t i = 1; i + 1 < field->count[0]; i++)
    for (uint32_t j = 1; j + 1 < field->count[1]; j++)
      for (uint32_t k = 1; k + 1 < field->count[2]; k++) {
        size_t at = i * along_x + j * along_y + k;
        const float *v = old + at;
        if (!(fabsf(*v) < 3 * h)) continue;
        double sum = (double)v[1] + *(v - 1) + v[along_y] + *(v - along_y) + v[along_x] + *(v - along_x) - 6.0 * *v;
        if (fabs(sum) > h) continue; /* |Laplacian| > 1/h */
        field->value[at] = (float)(*v - sum / 12);
      }
  mem_free(old);
  return SCR_OK;
}

static bool on_rim(const level_set *field, uint32_t i, uint32_t j, uint32_t k)
{
  return i == 0 || j == 0 || k == 0 || i + 1 == field->count[0] || j + 1 == field->count[1] || k + 1 == field->count[2];
}

/* The slope in the middle of cell (i, j, k), where the surface goes through it. */
static void measure_cell(const level_set *field, uint32_t i, uint32_t j, uint32_t k, level_set_quality *quality)
{
  scr_vec3 gradient,
      middle = vec3_add(level_set_point(field, i, j, k), vec3(0.5 * field->spacing, 0.5 * field->spacing, 0.5 * field->spacing));
  double value;
  int inside = 0;
  for (uint32_t c = 0; c < 8; c++) inside += level_set_value(field, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) < 0;
  if (inside == 0 || inside == 8 || !level_set_gradient_at(field, middle, &value, &gradient)) return;
  double slope = vec3_length(gradient);
  quality->least_slope = fmin(quality->least_slope, slope);
  quality->largest_slope = fmax(quality->largest_slope, slope);
}

level_set_quality level_set_measure(const level_set *field)
{
  level_set_quality quality = {.bounded = true, .least_slope = INFINITY};
  for (uint32_t i = 0; i < field->count[0]; i++)
    for (uint32_t j = 0; j < field->count[1]; j++)
      for (uint32_t k = 0; k < field->count[2]; k++) {
        double value = level_set_value(field, i, j, k);
        quality.depth = fmax(quality.depth, -value);
        if (!(value >= 0) && on_rim(field, i, j, k)) quality.bounded = false;
        if (i + 1 < field->count[0] && j + 1 < field->count[1] && k + 1 < field->count[2]) measure_cell(field, i, j, k, &quality);
      }
  if (!(quality.depth > 0)) quality.bounded = false;
  return quality;
}

/* The share of a cell below zero, from its corners' values. */
static double share_below(const double corner[8], double spacing)
{
  enum { PARTS = 4 };
  double sum = 0;
  for (int p = 0; p < PARTS * PARTS * PARTS; p++) {
    const int part[3] = {p / (PARTS * PARTS), p / PARTS % PARTS, p % PARTS};
    const double f[3] = {(part[0] + 0.5) / PARTS, (part[1] + 0.5) / PARTS, (part[2] + 0.5) / PARTS};
    double value;
    scr_vec3 slope;
    level_set_blend(corner, f, 1, &value, &slope);
    sum += fmin(fmax(0.5 - PARTS * value / spacing, 0), 1);
  }
  return sum / (PARTS * PARTS * PARTS);
}

double level_set_volume(const level_set *field)
{
  double cells = 0, width = 0.25 * field->spacing;
  for (uint32_t i = 0; i + 1 < field->count[0]; i++)
    for (uint32_t j = 0; j + 1 < field->count[1]; j++)
      for (uint32_t k = 0; k + 1 < field->count[2]; k++) {
        double corner[8], low = INFINITY, high = -INFINITY;
        for (uint32_t c = 0; c < 8; c++) {
          corner[c] = (double)level_set_value(field, i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
          low = fmin(low, corner[c]), high = fmax(high, corner[c]);
        }
        cells += high < -width ? 1 : low > width ? 0 : share_below(corner, field->spacing);
      }
  return cells * pow(field->spacing, 3);
}
