/* Surfaces of balls, boxes, cylinders, and of meshes cut fine. */
#include "geometry/level_set/shell.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_shapes.h"

double shell_expected(double area, double spacing)
{
  return 16 + 2.5 * area / (spacing * spacing);
}

/* ── stars ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* On the octahedron |x| + |y| + |z| = 1 the corners are even; pushed straight out to a ball they are up to 2.3 times farther apart in the
 * middle of a face than at its corners. By sines of the coordinates it is 1.3 times, and edges are cut into even arcs. */
static scr_vec3 evened(scr_vec3 p)
{
  double sum = fabs(p.x) + fabs(p.y) + fabs(p.z);
  scr_vec3 q = vec3(sin(M_PI_2 * p.x / sum), sin(M_PI_2 * p.y / sum), sin(M_PI_2 * p.z / sum));
  return vec3_scale(q, 1 / vec3_length(q));
}

scr_status shell_make_star(geo_mesh *mesh, shell_radius radius, const void *user, double reach, double spacing, scr_error *error)
{
  double cuts = ceil(M_PI_2 * M_SQRT2 * reach / spacing); /* across the middle of a face */
  if (!(cuts < 20000))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a surface of radius %.4g m has too many nodes at a distance of %.4g m", reach, spacing);
  SCR_TRY(geo_mesh_make_ball(mesh, 1, cuts < 2 ? 2 : (unsigned)cuts, error));
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    scr_vec3 direction = evened(mesh->vertex[v]);
    mesh->vertex[v] = vec3_scale(direction, radius(user, direction));
  }
  return SCR_OK;
}

static double same_radius(const void *user, scr_vec3 direction)
{
  (void)direction;
  return *(const double *)user;
}

scr_status shell_make_ball(geo_mesh *mesh, double radius, double spacing, scr_error *error)
{
  return shell_make_star(mesh, same_radius, &radius, radius, spacing, error);
}

/* ── boxes and cylinders ─────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status add_field(geo_mesh *mesh, const scr_vec3 corner[static 4], bool turned, scr_error *error)
{
  uint32_t first = (uint32_t)mesh->vertex_count;
  for (int k = 0; k < 4; k++) SCR_TRY(geo_mesh_add_vertex(mesh, corner[k], error));
  uint32_t a = first, b = first + 1, c = first + 2, d = first + 3;
  if (turned) {
    SCR_TRY(geo_mesh_add_triangle(mesh, a, b, d, 0, error));
    return geo_mesh_add_triangle(mesh, b, c, d, 0, error);
  }
  SCR_TRY(geo_mesh_add_triangle(mesh, a, b, c, 0, error));
  return geo_mesh_add_triangle(mesh, a, c, d, 0, error);
}

/* Coordinate number k of `cuts` + 1 from -half to half, the same bits on all faces and mirrored about 0; the ends are the faces across, to
 * the bit. */
static double cut_at(double half, unsigned k, unsigned cuts)
{
  if (k == 0 || k == cuts) return k ? half : -half;
  return half * (2.0 * k - cuts) / cuts;
}

/* The face across axis `a` on side `sign`, whose corners are cut as the axes are. */
static scr_status add_face(geo_mesh *mesh, const double half[3], const unsigned cuts[3], int a, int sign, scr_error *error)
{
  int u = (a + 1) % 3, v = (a + 2) % 3;
  for (unsigned i = 0; i < cuts[u]; i++)
    for (unsigned j = 0; j < cuts[v]; j++) {
      scr_vec3 corner[4];
      for (unsigned k = 0; k < 4; k++) {
        unsigned n = sign > 0 ? k : 3 - k;
        double p[3];
        p[a] = sign * half[a];
        p[u] = cut_at(half[u], i + (n == 1 || n == 2), cuts[u]);
        p[v] = cut_at(half[v], j + (n >= 2), cuts[v]);
        corner[k] = vec3(p[0], p[1], p[2]);
      }
      bool mirrored = (2 * i >= cuts[u]) != (2 * j >= cuts[v]);
      SCR_TRY(add_field(mesh, corner, mirrored == (sign > 0), error));
    }
  return SCR_OK;
}

scr_status shell_make_box(geo_mesh *mesh, scr_vec3 half, double spacing, scr_error *error)
{
  const double edges[3] = {half.x, half.y, half.z};
  unsigned cuts[3];
  double side = spacing / M_SQRT2; /* the longest edge is a field's diagonal */
  for (int a = 0; a < 3; a++) {
    double wanted = ceil(2 * edges[a] / side * (1 - 1e-9));
    if (!(wanted < 20000))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "an edge of %.4g m has too many nodes at a distance of %.4g m", 2 * edges[a], spacing);
    cuts[a] = wanted < 1 ? 1 : (unsigned)wanted;
  }
  for (int a = 0; a < 3; a++)
    for (int sign = -1; sign <= 1; sign += 2) SCR_TRY(add_face(mesh, edges, cuts, a, sign, error));
  return geo_mesh_merge_vertices(mesh, error);
}

/* Corner number k of ring r of a disc: ring r has 6 r corners, ring 0 is the middle. */
static scr_vec3 ring_corner(double radius, unsigned rings, unsigned r, unsigned k, double z)
{
  if (r == 0) return vec3(0, 0, z);
  double at = radius * r / rings, angle = 2 * M_PI * (k % (6 * r)) / (6.0 * r);
  return vec3(at * cos(angle), at * sin(angle), z);
}

static scr_status add_corners(geo_mesh *mesh, scr_vec3 a, scr_vec3 b, scr_vec3 c, bool flip, scr_error *error)
{
  uint32_t first = (uint32_t)mesh->vertex_count;
  SCR_TRY(geo_mesh_add_vertex(mesh, a, error));
  SCR_TRY(geo_mesh_add_vertex(mesh, flip ? c : b, error));
  SCR_TRY(geo_mesh_add_vertex(mesh, flip ? b : c, error));
  return geo_mesh_add_triangle(mesh, first, first + 1, first + 2, 0, error);
}

static scr_status add_disc(geo_mesh *mesh, double radius, unsigned rings, double z, bool flip, scr_error *error)
{
  for (unsigned r = 1; r <= rings; r++)
    for (unsigned sector = 0; sector < 6; sector++)
      for (unsigned k = 0; k < r; k++) {
        scr_vec3 outer = ring_corner(radius, rings, r, sector * r + k, z), next = ring_corner(radius, rings, r, sector * r + k + 1, z);
        scr_vec3 inner = ring_corner(radius, rings, r - 1, sector * (r - 1) + k, z);
        SCR_TRY(add_corners(mesh, inner, outer, next, flip, error));
        if (k + 1 == r) continue;
        SCR_TRY(add_corners(mesh, inner, next, ring_corner(radius, rings, r - 1, sector * (r - 1) + k + 1, z), flip, error));
      }
  return SCR_OK;
}

scr_status shell_make_cylinder(geo_mesh *mesh, double radius, double half_length, double spacing, scr_error *error)
{
  double wanted = ceil(radius * M_PI / 3 / spacing), along = ceil(2 * half_length / spacing);
  if (!(wanted < 5000 && along < 20000))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a cylinder of radius %.4g m and length %.4g m has too many nodes at a distance of %.4g m",
                    radius, 2 * half_length, spacing);
  unsigned rings = wanted < 1 ? 1 : (unsigned)wanted, floors = along < 1 ? 1 : (unsigned)along;
  SCR_TRY(add_disc(mesh, radius, rings, -half_length, true, error));
  SCR_TRY(add_disc(mesh, radius, rings, half_length, false, error));
  for (unsigned f = 0; f < floors; f++)
    for (unsigned k = 0; k < 6 * rings; k++) {
      double low = cut_at(half_length, f, floors), high = cut_at(half_length, f + 1, floors);
      const scr_vec3 corner[4] = {ring_corner(radius, rings, rings, k, low), ring_corner(radius, rings, rings, k + 1, low),
                                  ring_corner(radius, rings, rings, k + 1, high), ring_corner(radius, rings, rings, k, high)};
      SCR_TRY(add_field(mesh, corner, k % 2 != f % 2, error));
    }
  return geo_mesh_merge_vertices(mesh, error);
}

/* ── meshes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* An edge that is to be cut, named by its ends. */
typedef struct cut_edge {
  uint32_t low, high, middle;
} cut_edge;

static int compare_edges(const void *a, const void *b)
{
  const cut_edge *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return p->high < q->high ? -1 : p->high > q->high;
}

static cut_edge edge_of(uint32_t a, uint32_t b)
{
  return a < b ? (cut_edge){a, b, 0} : (cut_edge){b, a, 0};
}

/* The edges longer than the spacing, each once, with new corners in their middles. */
static scr_status cut_edges(geo_mesh *mesh, double spacing, cut_edge **edges, size_t *count, scr_error *error)
{
  size_t capacity = 0, found = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      uint32_t a = mesh->triangle[t][k], b = mesh->triangle[t][(k + 1) % 3];
      if (a > b || vec3_length(vec3_sub(mesh->vertex[b], mesh->vertex[a])) <= spacing)
        continue; /* the neighbour runs through it from b to a */
      SCR_TRY(mem_reserve(edges, &capacity, found + 1, sizeof **edges, "a surface's edges", error));
      (*edges)[found++] = edge_of(a, b);
    }
  if (found) qsort(*edges, found, sizeof **edges, compare_edges);
  for (size_t k = 0; k < found; k++) {
    scr_vec3 middle = vec3_scale(vec3_add(mesh->vertex[(*edges)[k].low], mesh->vertex[(*edges)[k].high]), 0.5);
    (*edges)[k].middle = (uint32_t)mesh->vertex_count;
    SCR_TRY(geo_mesh_add_vertex(mesh, middle, error));
  }
  *count = found;
  return SCR_OK;
}

static uint32_t middle_of(const cut_edge *edges, size_t count, uint32_t a, uint32_t b)
{
  cut_edge key = edge_of(a, b);
  const cut_edge *found = count ? bsearch(&key, edges, count, sizeof *edges, compare_edges) : NULL;
  return found ? found->middle : UINT32_MAX;
}

/* A triangle by how many of its edges are cut: turned so that the first, or the first two, are. */
static scr_status divide(geo_mesh *to, const uint32_t v[3], const uint32_t m[3], scr_error *error)
{
  int cuts = (m[0] != UINT32_MAX) + (m[1] != UINT32_MAX) + (m[2] != UINT32_MAX), s = 0;
  if (cuts == 1)
    while (m[s] == UINT32_MAX) s++;
  if (cuts == 2)
    while (m[(s + 2) % 3] != UINT32_MAX) s++;
  uint32_t a = v[s], b = v[(s + 1) % 3], c = v[(s + 2) % 3], ab = m[s], bc = m[(s + 1) % 3], ca = m[(s + 2) % 3];
  if (cuts == 0) return geo_mesh_add_triangle(to, a, b, c, 0, error);
  if (cuts == 1) {
    SCR_TRY(geo_mesh_add_triangle(to, a, ab, c, 0, error));
    return geo_mesh_add_triangle(to, ab, b, c, 0, error);
  }
  SCR_TRY(geo_mesh_add_triangle(to, ab, b, bc, 0, error));
  if (cuts == 2) {
    SCR_TRY(geo_mesh_add_triangle(to, a, ab, bc, 0, error));
    return geo_mesh_add_triangle(to, a, bc, c, 0, error);
  }
  SCR_TRY(geo_mesh_add_triangle(to, a, ab, ca, 0, error));
  SCR_TRY(geo_mesh_add_triangle(to, ca, bc, c, 0, error));
  return geo_mesh_add_triangle(to, ab, bc, ca, 0, error);
}

static scr_status refine_once(geo_mesh *mesh, double spacing, bool *more, scr_error *error)
{
  cut_edge *edges = NULL;
  size_t count = 0;
  geo_mesh finer = {0};
  scr_status status = cut_edges(mesh, spacing, &edges, &count, error);
  for (size_t v = 0; status == SCR_OK && count && v < mesh->vertex_count; v++) status = geo_mesh_add_vertex(&finer, mesh->vertex[v], error);
  for (size_t t = 0; status == SCR_OK && count && t < mesh->triangle_count; t++) {
    const uint32_t *v = mesh->triangle[t];
    const uint32_t m[3] = {middle_of(edges, count, v[0], v[1]), middle_of(edges, count, v[1], v[2]), middle_of(edges, count, v[2], v[0])};
    status = divide(&finer, v, m, error);
  }
  mem_free(edges);
  *more = count > 0;
  if (count && status == SCR_OK) {
    geo_mesh_clear(mesh);
    *mesh = finer;
  } else {
    geo_mesh_clear(&finer);
  }
  return status;
}

scr_status shell_refine(const geo_mesh *mesh, double spacing, geo_mesh *copy, scr_error *error)
{
  bool more = true;
  for (size_t v = 0; v < mesh->vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(copy, mesh->vertex[v], error));
  for (size_t t = 0; t < mesh->triangle_count; t++)
    SCR_TRY(geo_mesh_add_triangle(copy, mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2], 0, error));
  while (more) SCR_TRY(refine_once(copy, spacing, &more, error));
  return SCR_OK;
}
