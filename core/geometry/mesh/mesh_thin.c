/* Thinning by clusters of vertices (Rossignac, Borrel, Multi-resolution 3D approximations, 1993). */
#include "geometry/mesh/mesh_thin.h"

#include <stdlib.h>

#include "base/memory.h"

/* A vertex and its cube. */
typedef struct member {
  double cube[3];
  uint32_t vertex;
} member;

static int compare(const void *left, const void *right)
{
  const member *a = left, *b = right;
  for (int k = 0; k < 3; k++)
    if (a->cube[k] != b->cube[k]) return a->cube[k] < b->cube[k] ? -1 : 1;
  return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static bool same_cube(const member *a, const member *b)
{
  return a->cube[0] == b->cube[0] && a->cube[1] == b->cube[1] && a->cube[2] == b->cube[2];
}

/* Sorts the vertices by cubes of an edge and gives each the number of its cube. @return how many cubes */
static uint32_t cluster(const geo_mesh *mesh, double edge, member *members, uint32_t *cube_of)
{
  uint32_t cubes = 0;
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    scr_vec3 p = mesh->vertex[v];
    members[v] = (member){{floor(p.x / edge), floor(p.y / edge), floor(p.z / edge)}, (uint32_t)v};
  }
  qsort(members, mesh->vertex_count, sizeof *members, compare);
  for (size_t k = 0; k < mesh->vertex_count; k++) {
    if (k > 0 && !same_cube(&members[k], &members[k - 1])) cubes++;
    cube_of[members[k].vertex] = cubes;
  }
  return cubes + 1;
}

static bool stays(const uint32_t corner[3], const uint32_t *cube_of)
{
  uint32_t a = cube_of[corner[0]], b = cube_of[corner[1]], c = cube_of[corner[2]];
  return a != b && b != c && c != a;
}

static size_t count_left(const geo_mesh *mesh, const uint32_t *cube_of)
{
  size_t left = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) left += stays(mesh->triangle[t], cube_of);
  return left;
}

static scr_status join(geo_mesh *mesh, uint32_t cubes, const uint32_t *cube_of, scr_error *error)
{
  scr_vec3 *mean = mem_array(cubes, sizeof *mean);
  uint32_t *count = mem_array(cubes, sizeof *count);
  if (!mean || !count) {
    mem_free(mean);
    mem_free(count);
    return scr_fail_memory(error, "thinning a mesh", cubes * sizeof *mean);
  }
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    mean[cube_of[v]] = vec3_add(mean[cube_of[v]], mesh->vertex[v]);
    count[cube_of[v]]++;
  }
  size_t left = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    if (!stays(mesh->triangle[t], cube_of)) continue;
    for (int k = 0; k < 3; k++) mesh->triangle[left][k] = cube_of[mesh->triangle[t][k]];
    mesh->part[left++] = mesh->part[t];
  }
  for (uint32_t c = 0; c < cubes; c++) mesh->vertex[c] = vec3_scale(mean[c], 1.0 / count[c]);
  mesh->vertex_count = cubes;
  mesh->triangle_count = left;
  mem_free(mean);
  mem_free(count);
  return SCR_OK;
}

scr_status geo_mesh_thin(geo_mesh *mesh, size_t most, scr_error *error)
{
  scr_vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3(-INFINITY, -INFINITY, -INFINITY);
  if (mesh->triangle_count <= most || mesh->vertex_count == 0) return SCR_OK;
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    scr_vec3 p = mesh->vertex[v];
    low = vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  member *members = mem_array(mesh->vertex_count, sizeof *members);
  uint32_t *cube_of = mem_array(mesh->vertex_count, sizeof *cube_of), cubes = 0;
  if (!members || !cube_of) {
    mem_free(members);
    mem_free(cube_of);
    return scr_fail_memory(error, "thinning a mesh", mesh->vertex_count * sizeof *members);
  }
  double edge = vec3_length(vec3_sub(high, low)) / (2 * sqrt((double)most) + 8); /* a ball has then more than asked */
  for (int k = 0; k < 100; k++) {
    cubes = cluster(mesh, edge, members, cube_of);
    if (count_left(mesh, cube_of) <= most) break;
    edge *= 1.2;
  }
  scr_status status = join(mesh, cubes, cube_of, error);
  mem_free(members);
  mem_free(cube_of);
  return status;
}
