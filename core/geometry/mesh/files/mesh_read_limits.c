/* What a mesh may have, whatever the format it is read from. */
#include "geometry/mesh/files/mesh_read_limits.h"

scr_status mesh_read_check_point(scr_vec3 p, const char *what, size_t number, scr_error *error)
{
  /* One comparison each, so that NaN fails too. */
  if (fabs(p.x) <= GEO_MESH_COORDINATE_LIMIT && fabs(p.y) <= GEO_MESH_COORDINATE_LIMIT && fabs(p.z) <= GEO_MESH_COORDINATE_LIMIT)
    return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "%s %zu has a corner at (%g, %g, %g) m; coordinates must be finite and at most %g m", what,
                  number, p.x, p.y, p.z, GEO_MESH_COORDINATE_LIMIT);
}

scr_status mesh_read_check_count(double count, size_t triangle_limit, scr_error *error)
{
  if (count <= (double)triangle_limit) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "the mesh has %.0f triangles or more, the limit is %zu: use a coarser one", count,
                  triangle_limit);
}
