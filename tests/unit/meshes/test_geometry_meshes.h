/* Meshes that tests of geometry start from. */
#ifndef SCREE_TEST_GEOMETRY_MESHES_H
#define SCREE_TEST_GEOMETRY_MESHES_H

#include "geometry/mesh/mesh.h"

/* Appends the box centre +- half as 8 vertices and 12 triangles. */
static inline void add_box(geo_mesh *mesh, scr_vec3 centre, scr_vec3 half, uint32_t part)
{
  static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  uint32_t first = (uint32_t)mesh->vertex_count;
  for (int k = 0; k < 8; k++)
    geo_mesh_add_vertex(
        mesh, vec3(centre.x + (k & 1 ? half.x : -half.x), centre.y + (k & 2 ? half.y : -half.y), centre.z + (k & 4 ? half.z : -half.z)),
        NULL);
  for (int f = 0; f < 6; f++) {
    geo_mesh_add_triangle(mesh, first + faces[f][0], first + faces[f][1], first + faces[f][2], part, NULL);
    geo_mesh_add_triangle(mesh, first + faces[f][0], first + faces[f][2], first + faces[f][3], part, NULL);
  }
}

/* Appends a sphere of 8 * 4^level triangles: an octahedron, split and pushed out; `bump` raises waves of that height relative to the
 * radius. */
static inline void add_ball(geo_mesh *mesh, scr_vec3 centre, double radius, int level, double bump)
{
  const scr_vec3 tips[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (int octant = 0; octant < 8; octant++) {
    scr_vec3 x = tips[octant & 1], y = tips[2 + (octant >> 1 & 1)], z = tips[4 + (octant >> 2)];
    int odd = (octant & 1) ^ (octant >> 1 & 1) ^ (octant >> 2);
    int n = 1 << level;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n - i; j++)
        for (int up = 0; up < 2; up++) {
          if (up && i + j > n - 2) continue;
          const int a[3] = {i + up, up ? i : i + 1, up ? i + 1 : i}, b[3] = {j + up, up ? j + 1 : j, up ? j : j + 1};
          uint32_t v[3];
          for (int k = 0; k < 3; k++) {
            double s = (double)a[k] / n, t = (double)b[k] / n, u = 1 - s - t;
            scr_vec3 p = vec3_add(vec3_scale(x, s), vec3_add(vec3_scale(y, t), vec3_scale(z, u)));
            p = vec3_scale(p, 1 / vec3_length(p));
            double height = radius * (1 + bump * sin(9 * p.x) * sin(8 * p.y + 1) * sin(7 * p.z + 2));
            v[k] = (uint32_t)mesh->vertex_count;
            geo_mesh_add_vertex(mesh, vec3_add(centre, vec3_scale(p, height)), NULL);
          }
          geo_mesh_add_triangle(mesh, v[0], odd ? v[2] : v[1], odd ? v[1] : v[2], 0, NULL);
        }
  }
  geo_mesh_merge_vertices(mesh, NULL);
}

#endif
