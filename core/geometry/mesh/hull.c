/* Convex polyhedra from meshes: planes first, then the loops around the triangles of each plane, then edges. */
#include "geometry/mesh/hull.h"

#include <string.h>

#include "base/memory.h"

static const double flat = 1e-9; /* of the mesh's size: what counts as one plane */

static double size_of(const geo_mesh *mesh)
{
  double largest = 0;
  for (size_t v = 0; v < mesh->vertex_count; v++) largest = fmax(largest, vec3_length(mesh->vertex[v]));
  return largest;
}

/* Whether all corners lie behind the planes of all triangles. */
static bool is_convex(const geo_mesh *mesh, double size)
{
  if (mesh->triangle_count > GEO_HULL_LIMIT || mesh->vertex_count > GEO_HULL_LIMIT) return false;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 n = geo_mesh_area_normal(mesh, t), on = mesh->vertex[mesh->triangle[t][0]];
    double length = vec3_length(n);
    for (size_t v = 0; v < mesh->vertex_count; v++)
      if (vec3_dot(n, vec3_sub(mesh->vertex[v], on)) > flat * size * length) return false;
  }
  return true;
}

/* Which face each triangle belongs to; fills normals and offsets. */
static void find_planes(const geo_mesh *mesh, double size, geo_hull *hull, uint32_t *face_of)
{
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 n = geo_mesh_area_normal(mesh, t);
    n = vec3_scale(n, 1 / vec3_length(n));
    double offset = vec3_dot(n, mesh->vertex[mesh->triangle[t][0]]);
    size_t f = 0;
    while (f < hull->face_count && !(vec3_length(vec3_sub(n, hull->normal[f])) < 1e-7 && fabs(offset - hull->offset[f]) < 10 * flat * size))
      f++;
    if (f == hull->face_count) {
      hull->normal[f] = n;
      hull->offset[f] = offset;
      hull->face_count++;
    }
    face_of[t] = (uint32_t)f;
  }
}

/* The triangle that runs through the directed side a -> b; SIZE_MAX: none. `from`: triangles at each corner in compressed rows. */
static size_t triangle_with(const geo_mesh *mesh, uint32_t a, uint32_t b, const uint32_t *first, const uint32_t *around)
{
  for (uint32_t k = first[a]; k < first[a + 1]; k++) {
    const uint32_t *corner = mesh->triangle[around[k]];
    for (int side = 0; side < 3; side++)
      if (corner[side] == a && corner[(side + 1) % 3] == b) return around[k];
  }
  return SIZE_MAX;
}

/* Rows of the triangles around each corner. first: [vertex_count + 1], zeroed; around: [3 triangle_count] */
static void list_around(const geo_mesh *mesh, uint32_t *first, uint32_t *around, uint32_t *fill)
{
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) first[mesh->triangle[t][k] + 1]++;
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    first[v + 1] += first[v];
    fill[v] = first[v];
  }
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) around[fill[mesh->triangle[t][k]]++] = (uint32_t)t;
}

/* Work space of making a hull. */
typedef struct maker {
  const geo_mesh *mesh;
  uint32_t *face_of; /* [triangles] */
  uint32_t *first, *around, *fill;
  uint32_t *next; /* [corners] the corner behind this one in the face under way */
} maker;

/* The loop around face f, and the edges of which it is the first side. A convex face has one loop, without a corner twice. */
static void trace(maker *m, uint32_t f, geo_hull *hull)
{
  const geo_mesh *mesh = m->mesh;
  uint32_t start = UINT32_MAX;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    if (m->face_of[t] != f) continue;
    for (int k = 0; k < 3; k++) {
      uint32_t a = mesh->triangle[t][k], b = mesh->triangle[t][(k + 1) % 3];
      size_t across = triangle_with(mesh, b, a, m->first, m->around);
      uint32_t g = across == SIZE_MAX ? f : m->face_of[across];
      if (g == f) continue;
      m->next[a] = b;
      if (start == UINT32_MAX) start = a;
      if (f > g) continue; /* told from the other side */
      hull->edge[hull->edge_count][0] = a;
      hull->edge[hull->edge_count][1] = b;
      hull->sides[hull->edge_count][0] = f;
      hull->sides[hull->edge_count++][1] = g;
    }
  }
  uint32_t at = hull->first[f], v = start;
  do {
    hull->loop[at++] = v;
    v = m->next[v];
  } while (v != start && at < 3 * mesh->triangle_count);
  hull->first[f + 1] = at;
}

static scr_status allocate(const geo_mesh *mesh, geo_hull *hull, maker *m, scr_error *error)
{
  size_t n = mesh->vertex_count, t = mesh->triangle_count;
  *hull = (geo_hull){.corner_count = n};
  hull->corner = mem_array(n, sizeof *hull->corner);
  hull->normal = mem_array(t, sizeof *hull->normal);
  hull->offset = mem_array(t, sizeof *hull->offset);
  hull->first = mem_array(t + 1, sizeof *hull->first);
  hull->loop = mem_array(3 * t, sizeof *hull->loop);
  hull->edge = mem_array(3 * t, sizeof *hull->edge);
  hull->sides = mem_array(3 * t, sizeof *hull->sides);
  *m = (maker){.mesh = mesh};
  m->face_of = mem_array(t, sizeof *m->face_of);
  m->first = mem_array(n + 1, sizeof *m->first);
  m->around = mem_array(3 * t, sizeof *m->around);
  m->fill = mem_array(n, sizeof *m->fill);
  m->next = mem_array(n, sizeof *m->next);
  bool all = hull->corner && hull->normal && hull->offset && hull->first && hull->loop && hull->edge && hull->sides;
  all = all && m->face_of && m->first && m->around && m->fill && m->next;
  return all ? SCR_OK : scr_fail_memory(error, "a convex body", (n + 3 * t) * sizeof *hull->corner);
}

static double width_of(const geo_hull *hull)
{
  double least = INFINITY;
  for (size_t f = 0; f < hull->face_count; f++) {
    double deepest = 0;
    for (size_t v = 0; v < hull->corner_count; v++) deepest = fmax(deepest, hull->offset[f] - vec3_dot(hull->normal[f], hull->corner[v]));
    least = fmin(least, deepest);
  }
  return least;
}

scr_status geo_hull_create(const geo_mesh *mesh, geo_hull *hull, bool *convex, scr_error *error)
{
  maker m;
  double size = size_of(mesh);
  *hull = (geo_hull){0};
  *convex = is_convex(mesh, size);
  if (!*convex) return SCR_OK;
  scr_status status = allocate(mesh, hull, &m, error);
  if (status == SCR_OK) {
    memcpy(hull->corner, mesh->vertex, mesh->vertex_count * sizeof *hull->corner);
    find_planes(mesh, size, hull, m.face_of);
    list_around(mesh, m.first, m.around, m.fill);
    for (uint32_t f = 0; f < hull->face_count; f++) trace(&m, f, hull);
    hull->width = width_of(hull);
  }
  mem_free(m.face_of);
  mem_free(m.first);
  mem_free(m.around);
  mem_free(m.fill);
  mem_free(m.next);
  if (status != SCR_OK) geo_hull_clear(hull);
  return status;
}

void geo_hull_clear(geo_hull *hull)
{
  mem_free(hull->corner);
  mem_free(hull->normal);
  mem_free(hull->offset);
  mem_free(hull->first);
  mem_free(hull->loop);
  mem_free(hull->edge);
  mem_free(hull->sides);
  *hull = (geo_hull){0};
}
