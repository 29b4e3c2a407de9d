/* What corners of a surface stand for, their order, and integrals over the solid inside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/search/boxes.h"
#include "geometry/level_set/shell.h"

void shell_measure(const geo_mesh *mesh, shell_node *nodes)
{
  memset(nodes, 0, mesh->vertex_count * sizeof *nodes);
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 twice = geo_mesh_area_normal(mesh, t);
    for (int k = 0; k < 3; k++) {
      shell_node *node = &nodes[mesh->triangle[t][k]];
      node->normal = vec3_add(node->normal, twice);
      node->area += vec3_length(twice) / 6;
    }
  }
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    double length = vec3_length(nodes[v].normal);
    if (length > 0) nodes[v].normal = vec3_scale(nodes[v].normal, 1 / length);
  }
}

/* ── order ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct sorted_corner {
  uint64_t place; /* the bits of its coordinates in turn */
  uint32_t corner;
} sorted_corner;

static int compare_corners(const void *a, const void *b)
{
  const sorted_corner *p = a, *q = b;
  if (p->place != q->place) return p->place < q->place ? -1 : 1;
  return p->corner < q->corner ? -1 : p->corner > q->corner;
}

static uint64_t spread(uint64_t x)
{
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffULL;
  x = (x | x << 16) & 0x1f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

static uint64_t place_of(scr_vec3 p, const geo_box *box, double edge)
{
  double fine = 1048575.0 / edge;
  return spread((uint64_t)((p.x - box->low.x) * fine)) | spread((uint64_t)((p.y - box->low.y) * fine)) << 1 |
         spread((uint64_t)((p.z - box->low.z) * fine)) << 2;
}

static int compare_triangles(const void *a, const void *b)
{
  const uint32_t *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
  return 0;
}

scr_status shell_sort(geo_mesh *mesh, scr_error *error)
{
  size_t n = mesh->vertex_count;
  geo_box box = geo_box_empty();
  sorted_corner *order = mem_array(n, sizeof *order);
  uint32_t *number = mem_array(n, sizeof *number);
  scr_vec3 *old = mem_array(n, sizeof *old);
  scr_status status = SCR_OK;
  if (order && number && old) {
    for (size_t v = 0; v < n; v++) box = geo_box_join(box, (geo_box){mesh->vertex[v], mesh->vertex[v]});
    scr_vec3 size = vec3_sub(box.high, box.low);
    double edge = fmax(size.x, fmax(size.y, size.z));
    for (size_t v = 0; v < n; v++) order[v] = (sorted_corner){place_of(mesh->vertex[v], &box, edge), (uint32_t)v};
    qsort(order, n, sizeof *order, compare_corners);
    memcpy(old, mesh->vertex, n * sizeof *old);
    for (size_t v = 0; v < n; v++) {
      mesh->vertex[v] = old[order[v].corner];
      number[order[v].corner] = (uint32_t)v;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
      uint32_t *c = mesh->triangle[t];
      for (int k = 0; k < 3; k++) c[k] = number[c[k]];
      while (c[0] > c[1] || c[0] > c[2]) {
        uint32_t first = c[0];
        c[0] = c[1], c[1] = c[2], c[2] = first;
      }
    }
    qsort(mesh->triangle, mesh->triangle_count, sizeof *mesh->triangle, compare_triangles);
  } else {
    status = scr_fail_memory(error, "a surface's order", n * (sizeof *order + sizeof *number + sizeof *old));
  }
  mem_free(order);
  mem_free(number);
  mem_free(old);
  return status;
}

/* ── the solid ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A tetrahedron (0, a, b, c) of volume V: integral of x x^T = V/20 (a a^T + b b^T + c c^T + s s^T), s = a + b + c. */
shell_solid shell_solid_of(const geo_mesh *mesh)
{
  shell_solid solid = {0};
  double first[3] = {0}, second[3][3] = {{0}};
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 p[4];
    for (int k = 0; k < 3; k++) p[k] = mesh->vertex[mesh->triangle[t][k]];
    p[3] = vec3_add(p[0], vec3_add(p[1], p[2]));
    double volume = vec3_dot(p[0], vec3_cross(p[1], p[2])) / 6;
    solid.volume += volume;
    const double s[3] = {p[3].x, p[3].y, p[3].z};
    for (int i = 0; i < 3; i++) first[i] += volume / 4 * s[i];
    for (int k = 0; k < 4; k++) {
      const double x[3] = {p[k].x, p[k].y, p[k].z};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) second[i][j] += volume / 20 * x[i] * x[j];
    }
  }
  const double c[3] = {first[0] / solid.volume, first[1] / solid.volume, first[2] / solid.volume};
  solid.centroid = vec3(c[0], c[1], c[2]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) solid.second[i][j] = second[i][j] - solid.volume * c[i] * c[j];
  return solid;
}
