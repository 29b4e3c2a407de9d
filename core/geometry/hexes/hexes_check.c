/* Whether a mesh is sound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/hexes/hexes.h"

static scr_status check_elements(const geo_hexes *mesh, unsigned char *used, scr_error *error)
{
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int a = 0; a < GEO_HEX_CORNERS; a++) {
      uint32_t n = mesh->hex[e][a];
      if (n >= mesh->node_count)
        return scr_fail(error, SCR_BAD_FILE, NULL,
                        "element %zu has node %u, but there are only %zu nodes (numbers from 0): give it an existing one", e, n,
                        mesh->node_count);
      for (int b = 0; b < a; b++)
        if (mesh->hex[e][b] == n)
          return scr_fail(error, SCR_BAD_FILE, NULL, "element %zu has node %u twice: a hexahedron has eight different corners", e, n);
      used[n] = 1;
    }
  return SCR_OK;
}

static scr_status check_nodes(const geo_hexes *mesh, const unsigned char *used, scr_error *error)
{
  for (size_t n = 0; n < mesh->node_count; n++) {
    const double *x = mesh->node[n];
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "node %zu is at (%g, %g, %g): give it finite coordinates", n, x[0], x[1], x[2]);
    if (!used[n]) return scr_fail(error, SCR_BAD_FILE, NULL, "node %zu belongs to no element: leave it out", n);
  }
  return SCR_OK;
}

typedef struct place {
  double x[3];
  size_t number;
} place;

static int by_coordinates(const void *left, const void *right)
{
  const place *a = left, *b = right;
  for (int k = 0; k < 3; k++)
    if (a->x[k] != b->x[k]) return a->x[k] < b->x[k] ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static scr_status check_places(const geo_hexes *mesh, scr_error *error)
{
  place *places = mem_array(mesh->node_count, sizeof *places);
  if (!places) return scr_fail_memory(error, "the nodes of a mesh", mesh->node_count * sizeof *places);
  for (size_t n = 0; n < mesh->node_count; n++) {
    memcpy(places[n].x, mesh->node[n], sizeof places[n].x);
    places[n].number = n;
  }
  qsort(places, mesh->node_count, sizeof *places, by_coordinates);
  scr_status status = SCR_OK;
  for (size_t n = 1; n < mesh->node_count && status == SCR_OK; n++) {
    const double *x = places[n].x, *y = places[n - 1].x;
    if (x[0] != y[0] || x[1] != y[1] || x[2] != y[2]) continue;
    status = scr_fail(error, SCR_BAD_FILE, NULL, "nodes %zu and %zu are both at (%g, %g, %g): make them one, or the body is torn there",
                      places[n - 1].number, places[n].number, x[0], x[1], x[2]);
  }
  mem_free(places);
  return status;
}

static int by_pair(const void *left, const void *right)
{
  return memcmp(left, right, 2 * sizeof(uint32_t));
}

/* On a surface that bounds a solid without pinches every edge has two faces. */
static scr_status check_edges(const geo_hexes_surface *surface, scr_error *error)
{
  size_t count = surface->face_count * 4;
  uint32_t(*edges)[2] = mem_array(count, sizeof *edges);
  if (!edges) return scr_fail_memory(error, "the edges of a surface", count * sizeof *edges);
  for (size_t k = 0; k < count; k++) {
    uint32_t a = surface->face[k / 4][k % 4], b = surface->face[k / 4][(k + 1) % 4];
    edges[k][0] = a < b ? a : b;
    edges[k][1] = a < b ? b : a;
  }
  qsort(edges, count, sizeof *edges, by_pair);
  scr_status status = SCR_OK;
  for (size_t k = 0; k < count && status == SCR_OK;) {
    size_t same = 1;
    while (k + same < count && memcmp(edges[k], edges[k + same], sizeof *edges) == 0) same++;
    if (same != 2)
      status = scr_fail(
          error, SCR_BAD_FILE, NULL,
          "the edge between nodes %u and %u has %zu faces of the surface: bodies that touch along an edge only are no solid; fill or part "
          "them there",
          edges[k][0], edges[k][1], same);
    k += same;
  }
  mem_free(edges);
  return status;
}

scr_status geo_hexes_check(const geo_hexes *mesh, scr_error *error)
{
  if (mesh->hex_count == 0) return scr_fail(error, SCR_BAD_FILE, NULL, "the mesh has no elements: give at least one hexahedron");
  unsigned char *used = mem_array(mesh->node_count, 1);
  if (!used) return scr_fail_memory(error, "the nodes of a mesh", mesh->node_count);
  scr_status status = check_elements(mesh, used, error);
  if (status == SCR_OK) status = check_nodes(mesh, used, error);
  mem_free(used);
  SCR_TRY(status);
  SCR_TRY(check_places(mesh, error));
  geo_hexes_quality quality = geo_hexes_measure(mesh);
  if (!(quality.least_jacobian > 0))
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "element %zu is folded or inside out: its smallest Jacobian is %.3g of its largest, and must be > 0; look at the order "
                    "of its corners "
                    "and at where they are",
                    quality.worst, quality.least_jacobian);
  geo_hexes_surface surface;
  SCR_TRY(geo_hexes_find_surface(mesh, &surface, error));
  status = check_edges(&surface, error);
  geo_hexes_surface_clear(&surface);
  return status;
}
