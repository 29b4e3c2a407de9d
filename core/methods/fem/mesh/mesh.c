/* Quality, soundness and surface of a mesh. */
#include "methods/fem/mesh/mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void fem_mesh_clear(fem_mesh *mesh)
{
  mem_free(mesh->node);
  mem_free(mesh->hex);
  *mesh = (fem_mesh){0};
}

void fem_surface_clear(fem_surface *surface)
{
  mem_free(surface->face);
  mem_free(surface->element);
  mem_free(surface->node);
  *surface = (fem_surface){0};
}

static void corners_of(const fem_mesh *mesh, size_t element, double corner[FEM_CORNERS][3])
{
  for (int a = 0; a < FEM_CORNERS; a++) memcpy(corner[a], mesh->node[mesh->hex[element][a]], sizeof corner[a]);
}

static double edge(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

fem_quality fem_mesh_quality(const fem_mesh *mesh)
{
  static const uint8_t edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  fem_quality quality = {.least_jacobian = 1, .aspect = 1, .least_edge = INFINITY};
  for (size_t e = 0; e < mesh->hex_count; e++) {
    double corner[FEM_CORNERS][3], shortest = INFINITY, longest = 0;
    fem_hex hex;
    corners_of(mesh, e, corner);
    double least = fem_hex_least_jacobian((const double(*)[3])corner);
    if (least < quality.least_jacobian) quality.least_jacobian = least, quality.worst = e;
    for (int k = 0; k < 12; k++) {
      double length = edge(corner[edges[k][0]], corner[edges[k][1]]);
      shortest = fmin(shortest, length);
      longest = fmax(longest, length);
    }
    quality.aspect = fmax(quality.aspect, longest / shortest);
    quality.least_edge = fmin(quality.least_edge, shortest);
    fem_hex_prepare((const double(*)[3])corner, &hex);
    quality.volume += hex.volume;
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

static void list_faces(const fem_mesh *mesh, face_key *keys)
{
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (uint32_t side = 0; side < FEM_FACES; side++) {
      face_key *key = &keys[e * FEM_FACES + side];
      *key = (face_key){.element = (uint32_t)e, .side = side};
      for (int k = 0; k < 4; k++) key->node[k] = mesh->hex[e][fem_face_corner[side][k]];
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
static scr_status collect_nodes(const fem_mesh *mesh, fem_surface *surface, scr_error *error)
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

scr_status fem_mesh_surface(const fem_mesh *mesh, fem_surface *surface, scr_error *error)
{
  size_t count = mesh->hex_count * FEM_FACES, bad = 0;
  *surface = (fem_surface){0};
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
    for (int k = 0; k < 4; k++) surface->face[f][k] = mesh->hex[keys[f].element][fem_face_corner[keys[f].side][k]];
  }
  mem_free(keys);
  scr_status status = memory ? collect_nodes(mesh, surface, error) : scr_fail_memory(error, "a surface", kept * 5 * sizeof(uint32_t));
  if (status != SCR_OK) fem_surface_clear(surface);
  return status;
}

size_t fem_mesh_pieces(const fem_mesh *mesh, uint32_t *piece)
{
  for (size_t n = 0; n < mesh->node_count; n++) piece[n] = (uint32_t)n;
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int a = 1; a < FEM_CORNERS; a++) {
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
