/* Fuzzes the readers of clouds of points and all that a cloud goes through after them: thinning, normals, a surface, which must bound a
 * solid. */
#include <stdlib.h>

#include "geometry/points/points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  geo_points points = {0};
  geo_mesh mesh = {0};
  geo_points_hole holes[GEO_POINTS_HOLE_LIMIT];
  size_t holes_found;
  if (geo_points_read(data, size, &points, NULL) != SCR_OK) {
    if (points.point) abort();
    return 0;
  }
  size_t read = points.count;
  if (geo_points_thin(&points, 200, NULL) != SCR_OK || points.count > 200 || (read && points.count == 0)) abort();
  if (geo_points_normals(&points, NULL) == SCR_OK) {
    for (size_t k = 0; k < points.count; k++)
      if (!(fabs(vec3_length(points.normal[k]) - 1) < 1e-6)) abort();
    if (geo_points_surface(&points, 10, &mesh, holes, &holes_found, NULL) == SCR_OK && geo_mesh_check(&mesh, NULL) != SCR_OK) abort();
  }
  geo_mesh_clear(&mesh);
  geo_points_clear(&points);
  return 0;
}
