/* Triangle meshes: growing, merging, measuring. */
#include "geometry/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_edges.h"

scr_status geo_mesh_add_vertex(geo_mesh *mesh, scr_vec3 vertex, scr_error *error)
{
  if (mesh->vertex_count >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a mesh has at most %u vertices: use a coarser one", UINT32_MAX);
  void *array = mesh->vertex;
  SCR_TRY(mem_reserve(&array, &mesh->vertex_capacity, mesh->vertex_count + 1, sizeof *mesh->vertex, "the vertices of a mesh", error));
  mesh->vertex = array;
  mesh->vertex[mesh->vertex_count++] = vertex;
  return SCR_OK;
}

scr_status geo_mesh_add_triangle(geo_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t part, scr_error *error)
{
  if (mesh->triangle_count >= UINT32_MAX / 3)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a mesh has at most %u triangles: use a coarser one", UINT32_MAX / 3);
  void *triangles = mesh->triangle, *parts = mesh->part;
  bool ok = mem_grow(&triangles, &mesh->triangle_capacity, mesh->triangle_count + 1, sizeof *mesh->triangle);
  mesh->triangle = triangles;
  ok = ok && mem_grow(&parts, &mesh->part_capacity, mesh->triangle_count + 1, sizeof *mesh->part);
  mesh->part = parts;
  if (!ok) return scr_fail_memory(error, "the triangles of a mesh", (mesh->triangle_count + 1) * sizeof *mesh->triangle);
  const uint32_t corners[3] = {a, b, c};
  memcpy(mesh->triangle[mesh->triangle_count], corners, sizeof corners);
  mesh->part[mesh->triangle_count++] = part;
  return SCR_OK;
}

void geo_mesh_clear(geo_mesh *mesh)
{
  mem_free(mesh->vertex);
  mem_free(mesh->triangle);
  mem_free(mesh->part);
  *mesh = (geo_mesh){0};
}

/* ── merging ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A corner of a triangle. Sorted rather than hashed: no input makes sorting slow. */
typedef struct corner {
  double at[3]; /* -0 made 0 */
  uint32_t part, number;
} corner;

static int compare_places(const corner *a, const corner *b)
{
  for (int k = 0; k < 3; k++)
    if (a->at[k] != b->at[k]) return a->at[k] < b->at[k] ? -1 : 1;
  return (a->part > b->part) - (a->part < b->part);
}

static int compare_corners(const void *left, const void *right)
{
  const corner *a = left, *b = right;
  int order = compare_places(a, b);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

scr_status geo_mesh_merge_vertices(geo_mesh *mesh, scr_error *error)
{
  size_t n = mesh->triangle_count * 3, used = 0;
  corner *corners = mem_array(n, sizeof *corners);
  uint32_t *first = mem_array(n, sizeof *first); /* the first corner in the same place */
  scr_vec3 *vertex = mem_array(n, sizeof *vertex);
  if (!corners || !first || !vertex) {
    mem_free(corners);
    mem_free(first);
    mem_free(vertex);
    return scr_fail_memory(error, "merging the vertices of a mesh", n * (sizeof *corners + sizeof *first + sizeof *vertex));
  }
  for (size_t c = 0; c < n; c++) {
    scr_vec3 v = mesh->vertex[mesh->triangle[c / 3][c % 3]];
    corners[c] = (corner){{v.x + 0.0, v.y + 0.0, v.z + 0.0}, mesh->part[c / 3], (uint32_t)c};
  }
  qsort(corners, n, sizeof *corners, compare_corners);
  for (size_t c = 0; c < n; c++)
    first[corners[c].number] = c && compare_places(&corners[c - 1], &corners[c]) == 0 ? first[corners[c - 1].number] : corners[c].number;
  for (size_t c = 0; c < n; c++) {
    uint32_t *index = &mesh->triangle[c / 3][c % 3];
    if (first[c] == c) vertex[used] = mesh->vertex[*index];
    *index = first[c] == c ? (uint32_t)used++ : mesh->triangle[first[c] / 3][first[c] % 3];
  }
  mem_free(corners);
  mem_free(first);
  mem_free(mesh->vertex);
  mesh->vertex = vertex;
  mesh->vertex_count = used;
  mesh->vertex_capacity = n;
  return SCR_OK;
}

/* ── edges and measures ──────────────────────────────────────────────────────────────────────────────────────────── */

static int compare_sides(const void *left, const void *right)
{
  const geo_mesh_side *a = left, *b = right;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
  return (int)a->side - (int)b->side;
}

scr_status geo_mesh_sides(const geo_mesh *mesh, geo_mesh_side **sides, scr_error *error)
{
  size_t n = mesh->triangle_count * 3;
  *sides = mem_array(n, sizeof **sides);
  if (!*sides) return scr_fail_memory(error, "the edges of a mesh", n * sizeof **sides);
  for (size_t s = 0; s < n; s++) {
    uint32_t from = mesh->triangle[s / 3][s % 3], to = mesh->triangle[s / 3][(s % 3 + 1) % 3];
    (*sides)[s] = (geo_mesh_side){from < to ? from : to, from < to ? to : from, (uint32_t)(s / 3), (uint16_t)(s % 3), from > to};
  }
  qsort(*sides, n, sizeof **sides, compare_sides);
  return SCR_OK;
}

scr_status geo_mesh_measure(const geo_mesh *mesh, geo_mesh_measures *measures, scr_error *error)
{
  *measures = (geo_mesh_measures){0};
  geo_mesh_side *sides;
  unsigned char *used = mem_array(mesh->vertex_count, 1);
  if (!used) return scr_fail_memory(error, "measuring a mesh", mesh->vertex_count);
  scr_status status = geo_mesh_sides(mesh, &sides, error);
  if (status != SCR_OK) {
    mem_free(used);
    return status;
  }
  /* Volumes are taken from a vertex of the mesh, not from the origin, which may be far away. */
  scr_vec3 origin = mesh->triangle_count ? mesh->vertex[mesh->triangle[0][0]] : vec3(0, 0, 0);
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 normal = geo_mesh_area_normal(mesh, t);
    measures->area += 0.5 * vec3_length(normal);
    measures->volume += vec3_dot(normal, vec3_sub(mesh->vertex[mesh->triangle[t][0]], origin)) / 6.0;
    for (int k = 0; k < 3; k++) used[mesh->triangle[t][k]] = 1;
  }
  for (size_t v = 0; v < mesh->vertex_count; v++) measures->euler += used[v];
  for (size_t s = 0; s < mesh->triangle_count * 3; s++) measures->euler -= s == 0 || !geo_mesh_same_edge(&sides[s - 1], &sides[s]);
  measures->euler += (long)mesh->triangle_count;
  mem_free(sides);
  mem_free(used);
  return SCR_OK;
}
