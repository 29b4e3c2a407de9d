/* Polylines kept one after the other, measured, and walked along. */
#include "geometry/lines/lines.h"

#include <math.h>

#include "base/memory.h"
#include "geometry/mesh/mesh.h"

/* Cosine of the sharpest turn: beyond 170 degrees a polyline runs back beside itself. */
static const double turns_back = -0.984807753012208;

void geo_lines_clear(geo_lines *lines)
{
  mem_free(lines->first);
  mem_free(lines->point);
  mem_free(lines->along);
  *lines = (geo_lines){0};
}

scr_status geo_lines_begin(geo_lines *lines, scr_error *error)
{
  if (lines->line_count == GEO_LINES_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL, "there are more than %d polylines: use fewer", GEO_LINES_LIMIT);
  SCR_TRY(mem_reserve(&lines->first, &lines->line_capacity, lines->line_count + 1, sizeof *lines->first, "polylines", error));
  lines->first[lines->line_count++] = (uint32_t)lines->point_count;
  return SCR_OK;
}

scr_status geo_lines_add(geo_lines *lines, scr_vec3 p, scr_error *error)
{
  double reach = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
  if (!isfinite(p.x + p.y + p.z) || reach > GEO_MESH_COORDINATE_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL, "point %zu of polyline %zu is (%g, %g, %g); coordinates must be finite and at most %g",
                    lines->point_count - lines->first[lines->line_count - 1] + 1, lines->line_count, p.x, p.y, p.z,
                    GEO_MESH_COORDINATE_LIMIT);
  if (lines->point_count == GEO_LINES_POINT_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL, "there are more than %d points: thin them out", GEO_LINES_POINT_LIMIT);
  SCR_TRY(mem_reserve(&lines->point, &lines->point_capacity, lines->point_count + 1, sizeof *lines->point, "points of polylines", error));
  lines->point[lines->point_count++] = p;
  return SCR_OK;
}

size_t geo_line_points(const geo_lines *lines, size_t line)
{
  return (line + 1 < lines->line_count ? lines->first[line + 1] : lines->point_count) - lines->first[line];
}

static scr_status finish_line(geo_lines *lines, size_t line, scr_error *error)
{
  size_t count = geo_line_points(lines, line);
  if (count < 2) return scr_fail(error, SCR_BAD_FILE, NULL, "polyline %zu has %zu points: give it at least 2", line + 1, count);
  const scr_vec3 *p = lines->point + lines->first[line];
  double *along = lines->along + lines->first[line];
  along[0] = 0;
  for (size_t k = 1; k < count; k++) {
    double length = vec3_length(vec3_sub(p[k], p[k - 1]));
    along[k] = along[k - 1] + length;
    if (!(along[k] > along[k - 1]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "point %zu of polyline %zu, (%g, %g, %g), is where the one before is: leave it out", k + 1,
                      line + 1, p[k].x, p[k].y, p[k].z);
    if (k == 1) continue;
    scr_vec3 before = vec3_scale(vec3_sub(p[k - 1], p[k - 2]), 1 / (along[k - 1] - along[k - 2]));
    if (vec3_dot(vec3_scale(vec3_sub(p[k], p[k - 1]), 1 / length), before) < turns_back)
      return scr_fail(error, SCR_BAD_FILE, NULL,
                      "polyline %zu turns back on itself at its point %zu, (%g, %g, %g): lead it round a bend of several points", line + 1,
                      k, p[k - 1].x, p[k - 1].y, p[k - 1].z);
  }
  return SCR_OK;
}

scr_status geo_lines_finish(geo_lines *lines, scr_error *error)
{
  mem_free(lines->along);
  SCR_TRY(mem_allocate(&lines->along, lines->point_count + 1, sizeof *lines->along, "lengths along polylines", error));
  for (size_t k = 0; k < lines->line_count; k++) SCR_TRY(finish_line(lines, k, error));
  return SCR_OK;
}

double geo_line_length(const geo_lines *lines, size_t line)
{
  return lines->along[lines->first[line] + geo_line_points(lines, line) - 1];
}

scr_vec3 geo_line_at(const geo_lines *lines, size_t line, double along)
{
  size_t low = lines->first[line], high = low + geo_line_points(lines, line) - 1;
  if (!(along > 0)) return lines->point[low];
  if (along >= lines->along[high]) return lines->point[high];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (lines->along[middle] <= along)
      low = middle;
    else
      high = middle;
  }
  double share = (along - lines->along[low]) / (lines->along[high] - lines->along[low]);
  return vec3_add(lines->point[low], vec3_scale(vec3_sub(lines->point[high], lines->point[low]), share));
}
