/* Quality, soundness and surface of a mesh. */
#include "geometry/hexes/hexes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

scr_status geo_hexes_create(size_t node_count, size_t hex_count, geo_hexes *mesh, scr_error *error)
{
  *mesh = (geo_hexes){.node_count = node_count, .hex_count = hex_count};
  mesh->node = mem_array(node_count, sizeof *mesh->node);
  mesh->hex = mem_array(hex_count, sizeof *mesh->hex);
  if (mesh->node && mesh->hex) return SCR_OK;
  geo_hexes_clear(mesh);
  return scr_fail_memory(error, "a mesh", node_count * sizeof *mesh->node + hex_count * sizeof *mesh->hex);
}

void geo_hexes_clear(geo_hexes *mesh)
{
  mem_free(mesh->node);
  mem_free(mesh->hex);
  *mesh = (geo_hexes){0};
}

void geo_hexes_surface_clear(geo_hexes_surface *surface)
{
  mem_free(surface->face);
  mem_free(surface->element);
  mem_free(surface->node);
  *surface = (geo_hexes_surface){0};
}

static void corners_of(const geo_hexes *mesh, size_t element, double corner[GEO_HEX_CORNERS][3])
{
  for (int a = 0; a < GEO_HEX_CORNERS; a++) memcpy(corner[a], mesh->node[mesh->hex[element][a]], sizeof corner[a]);
}

static double edge(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

geo_hexes_quality geo_hexes_measure(const geo_hexes *mesh)
{
  static const uint8_t edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  geo_hexes_quality quality = {.least_jacobian = 1, .scaled_jacobian = 1, .aspect = 1, .least_edge = INFINITY};
  for (size_t e = 0; e < mesh->hex_count; e++) {
    double corner[GEO_HEX_CORNERS][3], shortest = INFINITY, longest = 0;
    corners_of(mesh, e, corner);
    double least = geo_hex_least_jacobian((const double(*)[3])corner);
    if (least < quality.least_jacobian) quality.least_jacobian = least, quality.worst = e;
    for (int k = 0; k < 12; k++) {
      double length = edge(corner[edges[k][0]], corner[edges[k][1]]);
      shortest = fmin(shortest, length);
      longest = fmax(longest, length);
    }
    quality.aspect = fmax(quality.aspect, longest / shortest);
    quality.least_edge = fmin(quality.least_edge, shortest);
    quality.scaled_jacobian = fmin(quality.scaled_jacobian, geo_hex_scaled_jacobian((const double(*)[3])corner));
    quality.volume += geo_hex_volume((const double(*)[3])corner);
  }
  quality.mean_edge = mesh->hex_count ? cbrt(quality.volume / (double)mesh->hex_count) : 0;
  return quality;
}

/* ── faces ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A face by its nodes in rising order, and where it is. */
typedef struct face_key {
  uint32_t node[4], element, side;
} face_key;

static int by_nodes(const void *left, const void *right)
{
  const face_key *a = left, *b = right;
  for (int k = 0; k < 4; k++)
    if (a->node[k] != b->node[k]) return a->node[k] < b->node[k] ? -1 : 1;
  return (a->element > b->element) - (a->element < b->element);
}

static int by_place(const void *left, const void *right)
{
  const face_key *a = left, *b = right;
  if (a->element != b->element) return a->element < b->element ? -1 : 1;
  return (a->side > b->side) - (a->side < b->side);
}

static int by_number(const void *left, const void *right)
{
  const uint32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static void list_faces(const geo_hexes *mesh, face_key *keys)
{
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (uint32_t side = 0; side < GEO_HEX_FACES; side++) {
      face_key *key = &keys[e * GEO_HEX_FACES + side];
      *key = (face_key){.element = (uint32_t)e, .side = side};
      for (int k = 0; k < 4; k++) key->node[k] = mesh->hex[e][geo_hex_face[side][k]];
      qsort(key->node, 4, sizeof *key->node, by_number);
    }
}

/* Keeps the faces that are there once. @return how many; SIZE_MAX, with `bad` the place, where one is there three times */
static size_t keep_single(face_key *keys, size_t count, size_t *bad)
{
  size_t kept = 0;
  for (size_t k = 0; k < count;) {
    size_t same = 1;
    while (k + same < count && memcmp(keys[k].node, keys[k + same].node, sizeof keys[k].node) == 0) same++;
    if (same > 2) {
      *bad = k;
      return SIZE_MAX;
    }
    if (same == 1) keys[kept++] = keys[k];
    k += same;
  }
  qsort(keys, kept, sizeof *keys, by_place);
  return kept;
}

/* Nodes of the faces, each once, rising. */
static scr_status collect_nodes(const geo_hexes *mesh, geo_hexes_surface *surface, scr_error *error)
{
  unsigned char *used = mem_array(mesh->node_count, 1);
  if (!used) return scr_fail_memory(error, "nodes of a surface", mesh->node_count);
  for (size_t f = 0; f < surface->face_count; f++)
    for (int k = 0; k < 4; k++) used[surface->face[f][k]] = 1;
  for (size_t n = 0; n < mesh->node_count; n++) surface->node_count += used[n];
  surface->node = mem_array(surface->node_count, sizeof *surface->node);
  for (size_t n = 0, at = 0; surface->node && n < mesh->node_count; n++)
    if (used[n]) surface->node[at++] = (uint32_t)n;
  mem_free(used);
  return surface->node ? SCR_OK : scr_fail_memory(error, "nodes of a surface", surface->node_count * sizeof *surface->node);
}

scr_status geo_hexes_find_surface(const geo_hexes *mesh, geo_hexes_surface *surface, scr_error *error)
{
  size_t count = mesh->hex_count * GEO_HEX_FACES, bad = 0;
  *surface = (geo_hexes_surface){0};
  face_key *keys = mem_array(count, sizeof *keys);
  if (!keys) return scr_fail_memory(error, "the faces of a mesh", count * sizeof *keys);
  list_faces(mesh, keys);
  qsort(keys, count, sizeof *keys, by_nodes);
  size_t kept = keep_single(keys, count, &bad);
  if (kept == SIZE_MAX) {
    scr_status status =
        scr_fail(error, SCR_BAD_FILE, NULL,
                 "face %u, %u, %u, %u belongs to three elements (%u, %u and more): a solid has at most two on a face; take one out",
                 keys[bad].node[0], keys[bad].node[1], keys[bad].node[2], keys[bad].node[3], keys[bad].element, keys[bad + 1].element);
    mem_free(keys);
    return status;
  }
  surface->face_count = kept;
  surface->face = mem_array(kept, sizeof *surface->face);
  surface->element = mem_array(kept, sizeof *surface->element);
  bool memory = surface->face && surface->element;
  for (size_t f = 0; f < kept && memory; f++) {
    surface->element[f] = keys[f].element;
    for (int k = 0; k < 4; k++) surface->face[f][k] = mesh->hex[keys[f].element][geo_hex_face[keys[f].side][k]];
  }
  mem_free(keys);
  scr_status status = memory ? collect_nodes(mesh, surface, error) : scr_fail_memory(error, "a surface", kept * 5 * sizeof(uint32_t));
  if (status != SCR_OK) geo_hexes_surface_clear(surface);
  return status;
}

static scr_status add_triangles(const geo_hexes *mesh, const geo_hexes_surface *surface, uint32_t *number, geo_mesh *skin, scr_error *error)
{
  for (size_t k = 0; k < surface->node_count; k++) {
    const double *x = mesh->node[surface->node[k]];
    number[surface->node[k]] = (uint32_t)k;
    SCR_TRY(geo_mesh_add_vertex(skin, vec3(x[0], x[1], x[2]), error));
  }
  for (size_t f = 0; f < surface->face_count; f++) {
    const uint32_t *q = surface->face[f];
    SCR_TRY(geo_mesh_add_triangle(skin, number[q[0]], number[q[1]], number[q[2]], 0, error));
    SCR_TRY(geo_mesh_add_triangle(skin, number[q[0]], number[q[2]], number[q[3]], 0, error));
  }
  return SCR_OK;
}

scr_status geo_hexes_skin(const geo_hexes *mesh, geo_mesh *skin, scr_error *error)
{
  geo_hexes_surface surface;
  SCR_TRY(geo_hexes_find_surface(mesh, &surface, error));
  uint32_t *number = mem_array(mesh->node_count, sizeof *number);
  scr_status status =
      number ? add_triangles(mesh, &surface, number, skin, error) : scr_fail_memory(error, "a surface", mesh->node_count * sizeof *number);
  mem_free(number);
  geo_hexes_surface_clear(&surface);
  return status;
}

size_t geo_hexes_pieces(const geo_hexes *mesh, uint32_t *piece)
{
  for (size_t n = 0; n < mesh->node_count; n++) piece[n] = (uint32_t)n;
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int a = 1; a < GEO_HEX_CORNERS; a++) {
      uint32_t p = mesh->hex[e][0], q = mesh->hex[e][a];
      while (piece[p] != p) p = piece[p] = piece[piece[p]];
      while (piece[q] != q) q = piece[q] = piece[piece[q]];
      if (p < q) piece[q] = p;
      if (q < p) piece[p] = q;
    }
  size_t count = 0;
  for (size_t n = 0; n < mesh->node_count; n++) /* roots come before what hangs on them */
    piece[n] = piece[n] == n ? (uint32_t)count++ : piece[piece[n]];
  return count;
}
