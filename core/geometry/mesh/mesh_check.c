/* Whether a mesh bounds a solid. Each test tells its offenders in the order of the triangles, so that what is told does not depend on how
 * the edges were sorted. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/mesh_edges.h"

/* Twice the area over the longest side squared below which a triangle counts as a line: round-off makes its normal meaningless. */
static const double thinnest = 1e-12;

/* Where faults go; `go_on` turns false when no more are wanted, `found` counts. */
typedef struct reporter {
  geo_mesh_report report;
  void *user;
  size_t found;
  bool go_on;
} reporter;

static void report_fault(reporter *to, geo_mesh_fault fault, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void report_fault(reporter *to, geo_mesh_fault fault, const char *format, ...)
{
  va_list arguments;
  if (!to->go_on) return;
  va_start(arguments, format);
  vsnprintf(fault.message, sizeof fault.message, format, arguments);
  va_end(arguments);
  to->found++;
  to->go_on = to->report(to->user, &fault);
}

static bool is_valid(scr_vec3 p)
{
  return fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)) <= GEO_MESH_COORDINATE_LIMIT && !isnan(p.x + p.y + p.z);
}

static scr_status check_vertices(const geo_mesh *mesh, reporter *to, scr_error *error)
{
  unsigned char *seen = mem_array(mesh->vertex_count, 1);
  if (!seen) return scr_fail_memory(error, "checking a mesh", mesh->vertex_count);
  if (mesh->triangle_count == 0)
    report_fault(to, (geo_mesh_fault){.place = GEO_MESH_WHOLE}, "the mesh has no triangles; a solid needs a closed surface of at least 4");
  for (size_t c = 0; c < mesh->triangle_count * 3; c++) {
    uint32_t v = mesh->triangle[c / 3][c % 3];
    if (v >= mesh->vertex_count) {
      report_fault(to, (geo_mesh_fault){.place = GEO_MESH_CORNER, .number = c / 3, .corner = (int)(c % 3)},
                   "triangle %zu names vertex %u; the mesh has vertices 0 to %zu", c / 3, v, mesh->vertex_count - 1);
    } else if (!seen[v]) {
      scr_vec3 p = mesh->vertex[v];
      seen[v] = 1;
      if (!is_valid(p))
        report_fault(to, (geo_mesh_fault){.place = GEO_MESH_VERTEX, .number = v},
                     "vertex %u is at (%g, %g, %g) m; coordinates must be finite, at most %g m", v, p.x, p.y, p.z,
                     GEO_MESH_COORDINATE_LIMIT);
    }
  }
  mem_free(seen);
  return SCR_OK;
}

static double square(scr_vec3 v)
{
  return vec3_dot(v, v);
}

/* @return whether a triangle names a vertex twice: then its edges mean nothing */
static bool check_areas(const geo_mesh *mesh, reporter *to)
{
  bool repeats = false;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *v = mesh->triangle[t];
    scr_vec3 a = mesh->vertex[v[0]], b = mesh->vertex[v[1]], c = mesh->vertex[v[2]];
    double longest = fmax(square(vec3_sub(b, a)), fmax(square(vec3_sub(c, b)), square(vec3_sub(a, c))));
    if (vec3_length(geo_mesh_area_normal(mesh, t)) > thinnest * longest) continue;
    repeats = repeats || v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
    report_fault(to, (geo_mesh_fault){.place = GEO_MESH_TRIANGLE, .number = t},
                 "triangle %zu has no area: its corners are (%g, %g, %g), (%g, %g, %g) and (%g, %g, %g) m; remove it and join the edges "
                 "it leaves",
                 t, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z);
  }
  return repeats;
}

/* The sides of one edge, from `side` on; `sharing` of them. */
typedef struct bad_edge {
  const geo_mesh_side *side;
  size_t sharing;
} bad_edge;

static int by_first_triangle(const void *left, const void *right)
{
  const bad_edge *a = left, *b = right;
  if (a->side->triangle != b->side->triangle) return a->side->triangle < b->side->triangle ? -1 : 1;
  return (a->side > b->side) - (a->side < b->side);
}

static void report_edge(const geo_mesh *mesh, const bad_edge *edge, reporter *to)
{
  const geo_mesh_side *side = edge->side;
  scr_vec3 a = mesh->vertex[side->low], b = mesh->vertex[side->high];
  const char *what =
      edge->sharing == 1 ? "belongs to no other triangle: the surface is not closed; fill the hole"
      : edge->sharing == 2
          ? "is run through in the same direction by both its triangles: their sides face opposite ways; orient all triangles "
            "counter-clockwise seen from outside"
          : "belongs to more than two triangles: the surface is not manifold; separate the sheets that meet there";
  report_fault(to, (geo_mesh_fault){.place = GEO_MESH_TRIANGLE, .number = side->triangle},
               "the edge from (%g, %g, %g) to (%g, %g, %g) m, of triangle %u, %s", a.x, a.y, a.z, b.x, b.y, b.z, side->triangle, what);
}

/* The sides of each edge are sorted by triangle, so the first of a bad edge is its earliest. Walks twice: to count, then to keep.
 * @param bad NULL: only count    @return how many edges are bad */
static size_t find_bad_edges(const geo_mesh_side *sides, size_t n, bad_edge *bad)
{
  size_t count = 0;
  for (size_t s = 0, next; s < n; s = next) {
    for (next = s + 1; next < n && geo_mesh_same_edge(&sides[s], &sides[next]);) next++;
    if (next - s == 2 && sides[s].turns != sides[s + 1].turns) continue;
    if (bad) bad[count] = (bad_edge){&sides[s], next - s};
    count++;
  }
  return count;
}

static scr_status check_edges(const geo_mesh *mesh, const geo_mesh_side *sides, reporter *to, scr_error *error)
{
  size_t n = mesh->triangle_count * 3, count = find_bad_edges(sides, n, NULL);
  if (count == 0) return SCR_OK;
  bad_edge *bad = mem_array(count, sizeof *bad);
  if (!bad) return scr_fail_memory(error, "checking a mesh", count * sizeof *bad);
  find_bad_edges(sides, n, bad);
  qsort(bad, count, sizeof *bad, by_first_triangle);
  for (size_t k = 0; k < count && to->go_on; k++) report_edge(mesh, &bad[k], to);
  mem_free(bad);
  return SCR_OK;
}

/* Corners of triangles joined to rings around their vertex, by union-find. */
static uint32_t root_of(uint32_t *parent, uint32_t c)
{
  while (parent[c] != c) {
    parent[c] = parent[parent[c]];
    c = parent[c];
  }
  return c;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
  a = root_of(parent, a);
  b = root_of(parent, b);
  if (a < b) /* the smaller is the root, so that a root is the earliest corner of its ring */
    parent[b] = a;
  else
    parent[a] = b;
}

/* With every edge shared by two triangles the corners at a vertex form closed rings; two of them touch in that vertex only.
 * @param parent [3 triangle_count]    @param rings [vertex_count], zero */
static void find_second_rings(const geo_mesh *mesh, const geo_mesh_side *sides, uint32_t *parent, unsigned char *rings, reporter *to)
{
  size_t n = mesh->triangle_count * 3;
  for (size_t c = 0; c < n; c++) parent[c] = (uint32_t)c;
  for (size_t s = 0; s < n; s += 2) {
    const geo_mesh_side *one = &sides[s], *two = &sides[s + 1]; /* run in opposite directions: the start of one is the end of the other */
    join(parent, one->triangle * 3 + one->side, two->triangle * 3 + (two->side + 1u) % 3);
    join(parent, one->triangle * 3 + (one->side + 1u) % 3, two->triangle * 3 + two->side);
  }
  for (uint32_t c = 0; c < n; c++) {
    uint32_t v = mesh->triangle[c / 3][c % 3];
    if (root_of(parent, c) != c) continue;
    scr_vec3 p = mesh->vertex[v];
    if (rings[v] == 1)
      report_fault(to, (geo_mesh_fault){.place = GEO_MESH_VERTEX, .number = v},
                   "vertex %u at (%g, %g, %g) m, of triangle %u, joins two surfaces that touch only there: the surface is not manifold; "
                   "give each its own vertex",
                   v, p.x, p.y, p.z, c / 3);
    rings[v] = rings[v] ? 2 : 1;
  }
}

static scr_status check_fans(const geo_mesh *mesh, const geo_mesh_side *sides, reporter *to, scr_error *error)
{
  uint32_t *parent = mem_array(mesh->triangle_count * 3, sizeof *parent);
  unsigned char *rings = mem_array(mesh->vertex_count, 1);
  scr_status status = SCR_OK;
  if (parent && rings)
    find_second_rings(mesh, sides, parent, rings, to);
  else
    status = scr_fail_memory(error, "checking a mesh", mesh->triangle_count * 3 * sizeof *parent + mesh->vertex_count);
  mem_free(parent);
  mem_free(rings);
  return status;
}

static scr_status check_volume(const geo_mesh *mesh, reporter *to, scr_error *error)
{
  geo_mesh_measures measures;
  SCR_TRY(geo_mesh_measure(mesh, &measures, error));
  if (!(measures.volume > 0.0))
    report_fault(to, (geo_mesh_fault){.place = GEO_MESH_WHOLE},
                 "the mesh bounds a volume of %g m^3, which must be > 0: it is inside out; reverse the corners of every triangle",
                 measures.volume);
  return SCR_OK;
}

scr_status geo_mesh_find_faults(const geo_mesh *mesh, geo_mesh_report report, void *user, scr_error *error)
{
  reporter to = {.report = report, .user = user, .go_on = true};
  SCR_TRY(check_vertices(mesh, &to, error));
  if (to.found || check_areas(mesh, &to) || !to.go_on) return SCR_OK;
  geo_mesh_side *sides;
  SCR_TRY(geo_mesh_sides(mesh, &sides, error));
  scr_status status = check_edges(mesh, sides, &to, error);
  if (status == SCR_OK && to.found == 0) status = check_fans(mesh, sides, &to, error);
  mem_free(sides);
  if (status == SCR_OK && to.found == 0) status = check_volume(mesh, &to, error);
  return status;
}

static bool keep_first(void *user, const geo_mesh_fault *fault)
{
  *(geo_mesh_fault *)user = *fault;
  return false;
}

scr_status geo_mesh_check(const geo_mesh *mesh, scr_error *error)
{
  geo_mesh_fault first = {0};
  SCR_TRY(geo_mesh_find_faults(mesh, keep_first, &first, error));
  if (!first.message[0]) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "%s", first.message);
}
