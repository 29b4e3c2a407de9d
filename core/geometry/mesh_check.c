/* Whether a mesh bounds a solid. Each test looks for its first offender in the order of the triangles, so that the message does not depend
 * on how the edges were sorted. */
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/mesh_edges.h"

/* Twice the area over the longest side squared below which a triangle counts as a line: round-off makes its normal meaningless. */
static const double thinnest = 1e-12;

static scr_status check_vertices(const geo_mesh *mesh, scr_error *error)
{
  if (mesh->triangle_count == 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the mesh has no triangles; a solid needs a closed surface of at least 4");
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      uint32_t v = mesh->triangle[t][k];
      if (v >= mesh->vertex_count)
        return scr_fail(error, SCR_BAD_FILE, NULL, "triangle %zu names vertex %u; the mesh has vertices 0 to %zu", t, v,
                        mesh->vertex_count - 1);
      scr_vec3 p = mesh->vertex[v];
      if (!(fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)) <= GEO_MESH_COORDINATE_LIMIT) || isnan(p.x + p.y + p.z))
        return scr_fail(error, SCR_BAD_FILE, NULL, "vertex %u is at (%g, %g, %g) m; coordinates must be finite, at most %g m", v, p.x, p.y,
                        p.z, GEO_MESH_COORDINATE_LIMIT);
    }
  return SCR_OK;
}

static double square(scr_vec3 v)
{
  return vec3_dot(v, v);
}

static scr_status check_areas(const geo_mesh *mesh, scr_error *error)
{
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 a = mesh->vertex[mesh->triangle[t][0]], b = mesh->vertex[mesh->triangle[t][1]], c = mesh->vertex[mesh->triangle[t][2]];
    double longest = fmax(square(vec3_sub(b, a)), fmax(square(vec3_sub(c, b)), square(vec3_sub(a, c))));
    if (!(vec3_length(geo_mesh_area_normal(mesh, t)) > thinnest * longest))
      return scr_fail(
          error, SCR_BAD_FILE, NULL,
          "triangle %zu has no area: its corners are (%g, %g, %g), (%g, %g, %g) and (%g, %g, %g) m; remove it and join the edges "
          "it leaves",
          t, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z);
  }
  return SCR_OK;
}

static scr_status fail_at_edge(const geo_mesh *mesh, const geo_mesh_side *side, const char *what, scr_error *error)
{
  scr_vec3 a = mesh->vertex[side->low], b = mesh->vertex[side->high];
  return scr_fail(error, SCR_BAD_FILE, NULL, "the edge from (%g, %g, %g) to (%g, %g, %g) m, of triangle %u, %s", a.x, a.y, a.z, b.x, b.y,
                  b.z, side->triangle, what);
}

/* The sides of each edge are sorted by triangle, so the first of a bad edge is its earliest. */
static scr_status check_edges(const geo_mesh *mesh, const geo_mesh_side *sides, scr_error *error)
{
  size_t n = mesh->triangle_count * 3, worst = n, sharing = 0;
  for (size_t s = 0, next; s < n; s = next) {
    for (next = s + 1; next < n && geo_mesh_same_edge(&sides[s], &sides[next]);) next++;
    bool good = next - s == 2 && sides[s].turns != sides[s + 1].turns;
    if (good || (worst < n && sides[worst].triangle <= sides[s].triangle)) continue;
    worst = s;
    sharing = next - s;
  }
  if (worst == n) return SCR_OK;
  if (sharing == 1)
    return fail_at_edge(mesh, &sides[worst], "belongs to no other triangle: the surface is not closed; fill the hole", error);
  if (sharing == 2)
    return fail_at_edge(mesh, &sides[worst],
                        "is run through in the same direction by both its triangles: their sides face opposite ways; orient all triangles "
                        "counter-clockwise seen from outside",
                        error);
  return fail_at_edge(mesh, &sides[worst],
                      "belongs to more than two triangles: the surface is not manifold; separate the sheets that meet there", error);
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
static scr_status find_second_ring(const geo_mesh *mesh, const geo_mesh_side *sides, uint32_t *parent, unsigned char *rings,
                                   scr_error *error)
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
    if (rings[v])
      return scr_fail(error, SCR_BAD_FILE, NULL,
                      "vertex %u at (%g, %g, %g) m, of triangle %u, joins two surfaces that touch only there: the surface is not manifold; "
                      "give each its own vertex",
                      v, p.x, p.y, p.z, c / 3);
    rings[v] = 1;
  }
  return SCR_OK;
}

static scr_status check_fans(const geo_mesh *mesh, const geo_mesh_side *sides, scr_error *error)
{
  uint32_t *parent = mem_array(mesh->triangle_count * 3, sizeof *parent);
  unsigned char *rings = mem_array(mesh->vertex_count, 1);
  scr_status status;
  if (parent && rings)
    status = find_second_ring(mesh, sides, parent, rings, error);
  else
    status = scr_fail_memory(error, "checking a mesh", mesh->triangle_count * 3 * sizeof *parent + mesh->vertex_count);
  mem_free(parent);
  mem_free(rings);
  return status;
}

scr_status geo_mesh_check(const geo_mesh *mesh, scr_error *error)
{
  SCR_TRY(check_vertices(mesh, error));
  SCR_TRY(check_areas(mesh, error));
  geo_mesh_side *sides;
  SCR_TRY(geo_mesh_sides(mesh, &sides, error));
  scr_status status = check_edges(mesh, sides, error);
  if (status == SCR_OK) status = check_fans(mesh, sides, error);
  mem_free(sides);
  if (status != SCR_OK) return status;
  geo_mesh_measures measures;
  SCR_TRY(geo_mesh_measure(mesh, &measures, error));
  if (!(measures.volume > 0.0))
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "the mesh bounds a volume of %g m^3, which must be > 0: it is inside out; reverse the corners of every triangle",
                    measures.volume);
  return SCR_OK;
}
