/* Triangles of boxes, balls and bodies of revolution. */
#include "geometry/mesh/mesh_shapes.h"

scr_status geo_mesh_add_box(geo_mesh *mesh, scr_vec3 half, scr_error *error)
{
  /* Corner k lies at +x, +y, +z where its bits 1, 2, 4 are set. */
  static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  uint32_t first = (uint32_t)mesh->vertex_count;
  for (int k = 0; k < 8; k++)
    SCR_TRY(geo_mesh_add_vertex(mesh, vec3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z), error));
  for (int f = 0; f < 6; f++) {
    const uint32_t *v = faces[f];
    SCR_TRY(geo_mesh_add_triangle(mesh, first + v[0], first + v[1], first + v[2], 0, error));
    SCR_TRY(geo_mesh_add_triangle(mesh, first + v[0], first + v[2], first + v[3], 0, error));
  }
  return SCR_OK;
}

/* One triangle of an octant: corners are whole numbers of cuts along its three axes, which add up to `cuts`. */
static scr_status add_cut(geo_mesh *mesh, double radius, unsigned octant, unsigned cuts, const unsigned corner[3][3], scr_error *error)
{
  double sign[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};
  bool mirrored = sign[0] * sign[1] * sign[2] < 0;
  uint32_t first = (uint32_t)mesh->vertex_count;
  for (int k = 0; k < 3; k++) {
    scr_vec3 p = vec3(sign[0] * corner[k][0] / cuts, sign[1] * corner[k][1] / cuts, sign[2] * corner[k][2] / cuts);
    SCR_TRY(geo_mesh_add_vertex(mesh, vec3_scale(p, radius / vec3_length(p)), error));
  }
  return geo_mesh_add_triangle(mesh, first, first + (mirrored ? 2 : 1), first + (mirrored ? 1 : 2), 0, error);
}

static scr_status add_octant(geo_mesh *mesh, double radius, unsigned octant, unsigned cuts, scr_error *error)
{
  for (unsigned i = 0; i < cuts; i++)
    for (unsigned j = 0; i + j < cuts; j++) {
      unsigned k = cuts - i - j;
      const unsigned up[3][3] = {{i + 1, j, k - 1}, {i, j + 1, k - 1}, {i, j, k}};
      SCR_TRY(add_cut(mesh, radius, octant, cuts, up, error));
      if (k < 2) continue;
      const unsigned down[3][3] = {{i + 1, j, k - 1}, {i + 1, j + 1, k - 2}, {i, j + 1, k - 1}};
      SCR_TRY(add_cut(mesh, radius, octant, cuts, down, error));
    }
  return SCR_OK;
}

scr_status geo_mesh_make_ball(geo_mesh *mesh, double radius, unsigned cuts, scr_error *error)
{
  for (unsigned octant = 0; octant < 8; octant++) SCR_TRY(add_octant(mesh, radius, octant, cuts, error));
  return geo_mesh_merge_vertices(mesh, error); /* octants have their rims in common, to the last bit */
}

scr_status geo_mesh_append(const geo_mesh *from, scr_quat turn, scr_vec3 place, geo_mesh *to, scr_error *error)
{
  uint32_t first = (uint32_t)to->vertex_count;
  for (size_t v = 0; v < from->vertex_count; v++)
    SCR_TRY(geo_mesh_add_vertex(to, vec3_add(place, quat_rotate(turn, from->vertex[v])), error));
  for (size_t t = 0; t < from->triangle_count; t++) {
    const uint32_t *c = from->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(to, first + c[0], first + c[1], first + c[2], 0, error));
  }
  return SCR_OK;
}

scr_status geo_mesh_add_turned(geo_mesh *mesh, double (*ring)[2], uint32_t rings, double bottom, double top, scr_error *error)
{
  enum { SIDES = 24 };
  uint32_t low = (uint32_t)mesh->vertex_count, first = low + 1, high = first + rings * SIDES;
  SCR_TRY(geo_mesh_add_vertex(mesh, vec3(0, 0, bottom), error));
  for (uint32_t k = 0; k < rings; k++)
    for (uint32_t s = 0; s < SIDES; s++) {
      double angle = 2 * M_PI * s / SIDES;
      SCR_TRY(geo_mesh_add_vertex(mesh, vec3(ring[k][0] * cos(angle), ring[k][0] * sin(angle), ring[k][1]), error));
    }
  SCR_TRY(geo_mesh_add_vertex(mesh, vec3(0, 0, top), error));
  for (uint32_t s = 0; s < SIDES; s++) {
    uint32_t t = (s + 1) % SIDES, last = first + (rings - 1) * SIDES;
    SCR_TRY(geo_mesh_add_triangle(mesh, low, first + t, first + s, 0, error));
    SCR_TRY(geo_mesh_add_triangle(mesh, high, last + s, last + t, 0, error));
    for (uint32_t k = 0; k + 1 < rings; k++) {
      uint32_t a = first + k * SIDES, b = a + SIDES;
      SCR_TRY(geo_mesh_add_triangle(mesh, a + s, a + t, b + t, 0, error));
      SCR_TRY(geo_mesh_add_triangle(mesh, a + s, b + t, b + s, 0, error));
    }
  }
  return SCR_OK;
}

scr_status geo_mesh_add_box_at(geo_mesh *mesh, scr_vec3 low, scr_vec3 high, scr_error *error)
{
  geo_mesh box = {0};
  scr_status status = geo_mesh_add_box(&box, vec3_scale(vec3_sub(high, low), 0.5), error);
  if (status == SCR_OK) status = geo_mesh_append(&box, quat_identity(), vec3_scale(vec3_add(low, high), 0.5), mesh, error);
  geo_mesh_clear(&box);
  return status;
}
