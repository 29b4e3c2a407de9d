/* Which cells of a grid make a solid, and the layer around them. */
#include "geometry/hexes/fill.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

static const double cell_limit = 4e6, layer_depth = 0.55 /* of a cell: how deep middles of inner cells lie at least */;

typedef struct grid {
  uint32_t count[3];
  double low[3], side[3]; /* m */
  float *depth;           /* [cells] m, of the middles; > 0 inside */
  unsigned char *keep;    /* [cells] */
} grid;

static size_t cell_at(const grid *g, uint32_t x, uint32_t y, uint32_t z)
{
  return ((size_t)z * g->count[1] + y) * g->count[0] + x;
}

static size_t cell_count(const grid *g)
{
  return (size_t)g->count[0] * g->count[1] * g->count[2];
}

static void clear(grid *g)
{
  mem_free(g->depth);
  mem_free(g->keep);
}

static scr_status lay(const geo_mesh_tree *solid, double spacing, grid *g, scr_error *error)
{
  geo_box box = geo_mesh_tree_box(solid);
  const double low[3] = {box.low.x, box.low.y, box.low.z}, high[3] = {box.high.x, box.high.y, box.high.z};
  double cells = 1;
  for (int k = 0; k < 3; k++) cells *= fmax(1, round((high[k] - low[k]) / spacing));
  if (!(cells <= cell_limit))
    return scr_fail(error, SCR_BAD_FILE, NULL, "a spacing of %.3g m makes a grid of %.3g cells; at most %.0g are made: use a larger one",
                    spacing, cells, cell_limit);
  for (int k = 0; k < 3; k++) {
    g->count[k] = (uint32_t)fmax(1, round((high[k] - low[k]) / spacing));
    g->low[k] = low[k];
    g->side[k] = (high[k] - low[k]) / g->count[k];
  }
  g->depth = mem_array(cell_count(g), sizeof *g->depth);
  g->keep = mem_array(cell_count(g), 1);
  if (!g->depth || !g->keep) return scr_fail_memory(error, "a grid", cell_count(g) * (sizeof *g->depth + 1));
  for (uint32_t z = 0; z < g->count[2]; z++)
    for (uint32_t y = 0; y < g->count[1]; y++)
      for (uint32_t x = 0; x < g->count[0]; x++) {
        scr_vec3 middle = vec3(low[0] + (x + 0.5) * g->side[0], low[1] + (y + 0.5) * g->side[1], low[2] + (z + 0.5) * g->side[2]);
        g->depth[cell_at(g, x, y, z)] = (float)-geo_mesh_nearest(solid, middle).distance;
      }
  return SCR_OK;
}

/* ── a surface without pinches ──────────────────────────────────────────────────────────────────────────────────── */

/* The 8 cells around a grid node as bits: bit 4 z + 2 y + x. Outside of the grid nothing is kept. */
static unsigned around(const grid *g, const uint32_t node[3], size_t cell[8])
{
  unsigned bits = 0;
  for (int k = 0; k < 8; k++) {
    const uint32_t at[3] = {node[0] + (uint32_t)(k & 1), node[1] + (uint32_t)(k >> 1 & 1), node[2] + (uint32_t)(k >> 2)}; /* one too high */
    bool in = at[0] > 0 && at[1] > 0 && at[2] > 0 && at[0] <= g->count[0] && at[1] <= g->count[1] && at[2] <= g->count[2];
    cell[k] = in ? cell_at(g, at[0] - 1, at[1] - 1, at[2] - 1) : SIZE_MAX;
    if (in && g->keep[cell[k]]) bits |= 1u << k;
  }
  return bits;
}

/* Whether cells of the 8 hang together by faces. */
static bool hangs_together(unsigned bits)
{
  unsigned reached = bits & (~bits + 1), before = 0;
  while (reached != before) {
    before = reached;
    for (int k = 0; k < 8; k++)
      if (before >> k & 1) reached |= bits & (1u << (k ^ 1) | 1u << (k ^ 2) | 1u << (k ^ 4));
  }
  return reached == bits;
}

/* Adds the deepest of the missing cells around nodes where the surface would touch itself, until there is none. */
static void repair(grid *g)
{
  bool changed = true;
  while (changed) {
    changed = false;
    uint32_t node[3];
    for (node[2] = 0; node[2] <= g->count[2]; node[2]++)
      for (node[1] = 0; node[1] <= g->count[1]; node[1]++)
        for (node[0] = 0; node[0] <= g->count[0]; node[0]++) {
          size_t cell[8], best = SIZE_MAX;
          unsigned bits = around(g, node, cell);
          if (bits == 0 || bits == 255 || (hangs_together(bits) && hangs_together(~bits & 255))) continue;
          for (int k = 0; k < 8; k++)
            if (cell[k] != SIZE_MAX && !g->keep[cell[k]] && (best == SIZE_MAX || g->depth[cell[k]] > g->depth[best])) best = cell[k];
          if (best == SIZE_MAX) continue;
          g->keep[best] = 1;
          changed = true;
        }
  }
}

/* Keeps the largest piece. @return share of the kept cells that were in others */
static double keep_largest(grid *g)
{
  size_t cells = cell_count(g), total = 0, most = 0, most_seed = 0, *stack = mem_array(cells, sizeof *stack);
  if (!stack) return INFINITY;
  for (int round = 0; round < 2; round++)
    for (size_t seed = round ? most_seed : 0; seed < cells; seed++) {
      unsigned char from = round ? 2 : 1, to = round ? 3 : 2;
      if (g->keep[seed] != from) continue;
      size_t size = 0, depth = 0;
      stack[depth++] = seed;
      g->keep[seed] = to;
      while (depth > 0) {
        size_t at = stack[--depth], x = at % g->count[0], y = at / g->count[0] % g->count[1], z = at / g->count[0] / g->count[1];
        const size_t slab = (size_t)g->count[0] * g->count[1];
        const struct {
          bool there;
          size_t cell;
        } next[6] = {{x > 0, at - 1},           {x + 1 < g->count[0], at + 1},
                     {y > 0, at - g->count[0]}, {y + 1 < g->count[1], at + g->count[0]},
                     {z > 0, at - slab},        {z + 1 < g->count[2], at + slab}};
        size++;
        for (int k = 0; k < 6; k++)
          if (next[k].there && g->keep[next[k].cell] == from) g->keep[next[k].cell] = to, stack[depth++] = next[k].cell;
      }
      if (round) break;
      total += size;
      if (size > most) most = size, most_seed = seed;
    }
  for (size_t k = 0; k < cells; k++) g->keep[k] = g->keep[k] == 3;
  mem_free(stack);
  return total > 0 ? 1 - (double)most / (double)total : 0;
}

/* ── meshes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status mesh_cells(const grid *g, geo_hexes *mesh, scr_error *error)
{
  size_t nodes = (size_t)(g->count[0] + 1) * (g->count[1] + 1) * (g->count[2] + 1), hexes = 0, used = 0, at = 0;
  uint32_t *number = mem_array(nodes, sizeof *number);
  if (!number) return scr_fail_memory(error, "a grid", nodes * sizeof *number);
  for (int round = 0; round < 2; round++) {
    for (uint32_t z = 0; z < g->count[2]; z++)
      for (uint32_t y = 0; y < g->count[1]; y++)
        for (uint32_t x = 0; x < g->count[0]; x++) {
          if (!g->keep[cell_at(g, x, y, z)]) continue;
          for (int a = 0; a < GEO_HEX_CORNERS; a++) {
            uint32_t i = x + (geo_hex_sign[a][0] > 0), j = y + (geo_hex_sign[a][1] > 0), k = z + (geo_hex_sign[a][2] > 0);
            size_t node = ((size_t)k * (g->count[1] + 1) + j) * (g->count[0] + 1) + i;
            if (!round && !number[node]) number[node] = (uint32_t)++used;
            if (!round) continue;
            mesh->hex[at][a] = number[node] - 1;
            double *place = mesh->node[number[node] - 1];
            place[0] = g->low[0] + i * g->side[0], place[1] = g->low[1] + j * g->side[1], place[2] = g->low[2] + k * g->side[2];
          }
          if (round)
            at++;
          else
            hexes++;
        }
    scr_status status = round ? SCR_OK : geo_hexes_create(used, hexes, mesh, error);
    if (status == SCR_OK) continue;
    mem_free(number);
    return status;
  }
  mem_free(number);
  return SCR_OK;
}

/* How far nodes of the surface are from the solid's at most. */
static double farthest(const geo_mesh_tree *solid, const geo_hexes *mesh, const geo_hexes_surface *surface)
{
  double most = 0;
  for (size_t k = 0; k < surface->node_count; k++) {
    const double *x = mesh->node[surface->node[k]];
    most = fmax(most, fabs(geo_mesh_nearest(solid, vec3(x[0], x[1], x[2])).distance));
  }
  return most;
}

/* Sums of the normals of the faces around nodes of the surface.  @param normal [node_count] of the mesh, zero */
static void sum_normals(const geo_hexes *mesh, const geo_hexes_surface *surface, scr_vec3 *normal)
{
  for (size_t f = 0; f < surface->face_count; f++) {
    const double *a = mesh->node[surface->face[f][0]], *b = mesh->node[surface->face[f][1]], *d = mesh->node[surface->face[f][3]];
    scr_vec3 of = vec3_cross(vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2]), vec3(d[0] - a[0], d[1] - a[1], d[2] - a[2]));
    for (int k = 0; k < 4; k++) normal[surface->face[f][k]] = vec3_add(normal[surface->face[f][k]], of);
  }
}

/* Nodes above those of the surface, along the cells' normals, a quarter as far as the solid's surface is: elements there are sound, if
 * flat. */
static void raise_nodes(const geo_mesh_tree *solid, const geo_hexes *inner, const geo_hexes_surface *surface, const scr_vec3 *normal,
                        uint32_t *number, geo_hexes *mesh)
{
  for (size_t k = 0; k < surface->node_count; k++) {
    uint32_t n = surface->node[k];
    const double *x = inner->node[n];
    double far = fabs(geo_mesh_nearest(solid, vec3(x[0], x[1], x[2])).distance);
    scr_vec3 shift = vec3_scale(normal[n], 0.25 * far / fmax(vec3_length(normal[n]), 1e-300));
    double *place = mesh->node[inner->node_count + k];
    number[n] = (uint32_t)(inner->node_count + k);
    place[0] = x[0] + shift.x, place[1] = x[1] + shift.y, place[2] = x[2] + shift.z;
  }
}

/* One more layer: an element on each face of the surface. */
static scr_status add_layer(const geo_mesh_tree *solid, const geo_hexes *inner, const geo_hexes_surface *surface, geo_hexes *mesh,
                            scr_error *error)
{
  uint32_t *number = mem_array(inner->node_count, sizeof *number);
  scr_vec3 *normal = mem_array(inner->node_count, sizeof *normal);
  scr_status status = number && normal ? SCR_OK : scr_fail_memory(error, "a layer of elements", inner->node_count * sizeof *normal);
  if (status == SCR_OK)
    status = geo_hexes_create(inner->node_count + surface->node_count, inner->hex_count + surface->face_count, mesh, error);
  if (number && normal && inner->node && inner->hex && status == SCR_OK) {
    memcpy(mesh->node, inner->node, inner->node_count * sizeof *mesh->node);
    memcpy(mesh->hex, inner->hex, inner->hex_count * sizeof *mesh->hex);
    sum_normals(inner, surface, normal);
    raise_nodes(solid, inner, surface, normal, number, mesh);
    for (size_t f = 0; f < surface->face_count; f++)
      for (int k = 0; k < 4; k++) {
        mesh->hex[inner->hex_count + f][k] = surface->face[f][k];
        mesh->hex[inner->hex_count + f][4 + k] = number[surface->face[f][k]];
      }
  }
  mem_free(number);
  mem_free(normal);
  return status;
}

/* Cells whose middles lie deeper than `depth` cells. @return share that lay in smaller pieces; 1: there are none at all */
static double choose(grid *g, double depth)
{
  double side = cbrt(g->side[0] * g->side[1] * g->side[2]);
  size_t count = 0;
  for (size_t k = 0; k < cell_count(g); k++) count += g->keep[k] = (double)g->depth[k] > depth * side;
  if (count == 0) return 1;
  repair(g);
  return keep_largest(g);
}

static scr_status build_layered(const geo_mesh_tree *solid, grid *g, geo_hexes *mesh, scr_error *error)
{
  geo_hexes inner = {0};
  geo_hexes_surface surface = {0};
  scr_status status = mesh_cells(g, &inner, error);
  if (status == SCR_OK) status = geo_hexes_find_surface(&inner, &surface, error);
  if (status == SCR_OK) status = add_layer(solid, &inner, &surface, mesh, error);
  if (status == SCR_OK && geo_hexes_fit(solid, mesh) < 0) status = scr_fail_memory(error, "a fit", mesh->node_count * 100);
  geo_hexes_surface_clear(&surface);
  geo_hexes_clear(&inner);
  return status;
}

/* Cells alone: kept where their surface is the solid's. @param exact receives whether it is */
static scr_status build_plain(const geo_mesh_tree *solid, const grid *g, geo_hexes *mesh, bool *exact, scr_error *error)
{
  geo_hexes_surface surface;
  SCR_TRY(mesh_cells(g, mesh, error));
  SCR_TRY(geo_hexes_find_surface(mesh, &surface, error));
  *exact = farthest(solid, mesh, &surface) <= 1e-6 * fmin(g->side[0], fmin(g->side[1], g->side[2]));
  geo_hexes_surface_clear(&surface);
  return SCR_OK;
}

static scr_status fill(const geo_mesh_tree *solid, double spacing, grid *g, geo_hexes *mesh, scr_error *error)
{
  bool exact = false;
  SCR_TRY(lay(solid, spacing, g, error));
  double lost = choose(g, 0);
  if (lost < 1) SCR_TRY(build_plain(solid, g, mesh, &exact, error));
  if (exact && lost == 0) return SCR_OK;
  geo_hexes_clear(mesh);
  lost = choose(g, layer_depth);
  if (lost > 0.02)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "elements of %.3g m are too large for this solid: %s; use a spacing of at most a fifth of its thinnest place", spacing,
                    lost < 1 ? "it falls into pieces" : "nothing of it is deeper than half of one");
  return build_layered(solid, g, mesh, error);
}

scr_status geo_hexes_fill(const geo_mesh_tree *solid, double spacing, geo_hexes *mesh, scr_error *error)
{
  grid g = {0};
  *mesh = (geo_hexes){0};
  scr_status status = fill(solid, spacing, &g, mesh, error);
  if (status == SCR_OK) status = geo_hexes_check(mesh, error);
  clear(&g);
  if (status != SCR_OK) geo_hexes_clear(mesh);
  return status;
}
