/* Marching cubes. Source of the idea: Lorensen, Cline, Computer Graphics 21 (1987) 163. The table of cases is not theirs: it is derived
 * here, from faces, so that cubes that share a face agree on it by construction.
 *
 * Every face of a cube, seen from outside with its corners counter-clockwise, has for each run of neighbouring inside corners a segment
 * from the edge where the run is entered to the edge where it is left. A crossed edge is left on one of its two faces and entered on the
 * other, so the segments of a cube close to loops that visit each crossed edge once; they run counter-clockwise around the outward normal.
 * A loop becomes a triangle, two triangles, or, with five corners or more, a fan around its middle.
 *
 * Why the mesh is manifold: a segment belongs to the two loops of the cubes that share its face, which run through it in opposite
 * directions; the four cubes around a crossed edge have one loop each through its vertex, and they follow one another. The new edges within
 * a loop are its own: those to a middle plainly so, the diagonal of four corners because opposite corners of such a loop never lie on one
 * face of the cube, hence in no other cube. (On one face they would be joined by a segment, or the face would have two segments and hold
 * all four corners, and then the loop would need a second face through two edges of the first.) */
#include "geometry/marching_cubes.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

enum { edge_count = 12, loop_limit = 4, padded = BLOCK_EDGE + 1, padded_points = padded * padded * padded };

/* Nearest that a vertex comes to a grid point, in cells. */
static const double margin = 0.01;

/* ── the table ───────────────────────────────────────────────────────────────────────────────────────────────────────
 * Corner c of a cube lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + n runs along axis a from the corner with the two bits of n on the axes
 * a + 1 and a + 2. */

typedef struct cube_case {
  uint8_t loop_count;
  uint8_t length[loop_limit];
  uint8_t edge[edge_count]; /* of all loops, one after another */
} cube_case;

static int edge_start(int edge)
{
  int axis = edge / 4, n = edge % 4;
  return (n & 1) << (axis + 1) % 3 | (n >> 1) << (axis + 2) % 3;
}

static int edge_between(int p, int q)
{
  int axis = (p ^ q) >> 1, low = p & q; /* p ^ q is 1, 2 or 4 */
  return 4 * axis + (low >> (axis + 1) % 3 & 1) + 2 * (low >> (axis + 2) % 3 & 1);
}

/* Corners of the face across `axis` at `side`, counter-clockwise seen from outside. */
static void face_corners(int axis, int side, int corner[4])
{
  static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int k = 0; k < 4; k++) {
    const int *at = around[side ? k : 3 - k];
    corner[k] = side << axis | at[0] << (axis + 1) % 3 | at[1] << (axis + 2) % 3;
  }
}

/* next[e] of every crossed edge of a cube with these inside corners (bits); -1 for the others. */
static void join_segments(unsigned inside, int next[edge_count])
{
  for (int e = 0; e < edge_count; e++) next[e] = -1;
  for (int face = 0; face < 6; face++) {
    int corner[4];
    face_corners(face / 2, face % 2, corner);
    for (int k = 0; k < 4; k++) {
      if (inside >> corner[k] & 1 || !(inside >> corner[(k + 1) % 4] & 1)) continue;
      int last = (k + 1) % 4; /* a run of inside corners is entered from corner k; find where it is left */
      while (inside >> corner[(last + 1) % 4] & 1) last = (last + 1) % 4;
      next[edge_between(corner[k], corner[(k + 1) % 4])] = edge_between(corner[last], corner[(last + 1) % 4]);
    }
  }
}

static cube_case make_case(unsigned inside)
{
  cube_case c = {0};
  int next[edge_count], used = 0;
  join_segments(inside, next);
  for (int first = 0; first < edge_count; first++) {
    if (next[first] < 0) continue;
    int e = first;
    do {
      int following = next[e];
      c.edge[used++] = (uint8_t)e;
      c.length[c.loop_count]++;
      next[e] = -1;
      e = following;
    } while (e != first);
    c.loop_count++;
  }
  return c;
}

/* ── the grid ────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct marcher {
  const block_grid *grid;
  geo_mesh *mesh;
  uint32_t part;
  cube_case cases[256]; /* made when first met: small surfaces meet few */
  bool made[256];
  uint32_t *active;      /* [block_count] number among the blocks with a surface, or BLOCK_ABSENT */
  uint32_t (*vertex)[3]; /* [active blocks][BLOCK_POINTS] vertex on the edge along x, y, z from a grid point, where it crosses */
  size_t active_count, vertex_capacity;
} marcher;

static size_t at_padded(int x, int y, int z)
{
  return ((size_t)z * padded + (size_t)y) * padded + (size_t)x;
}

static size_t in_block(int x, int y, int z)
{
  return ((size_t)z * BLOCK_EDGE + (size_t)y) * BLOCK_EDGE + (size_t)x;
}

/* The blocks that follow block b by the bits of n along x, y, z; BLOCK_ABSENT where there is none. */
static void find_followers(const block_grid *grid, size_t b, uint32_t follower[8])
{
  uint64_t key = grid->key[b];
  for (int n = 0; n < 8; n++)
    follower[n] = block_grid_find(grid, block_key_along(key, 0) + (n & 1), block_key_along(key, 1) + (n >> 1 & 1),
                                  block_key_along(key, 2) + (n >> 2));
}

/* A block and the first points of those that follow it: values, and for every row along x a bit per point, set inside. */
typedef struct window {
  float value[padded_points];
  unsigned inside[padded][padded]; /* [z][y] */
} window;

/* @return whether both sides of the surface occur */
static bool gather(const block_grid *grid, const uint32_t follower[8], window *w)
{
  unsigned any = 0, all = ~0u;
  for (int z = 0; z < padded; z++)
    for (int y = 0; y < padded; y++) {
      const uint32_t *pair = follower + 2 * (y / BLOCK_EDGE) + 4 * (z / BLOCK_EDGE);
      size_t row = in_block(0, y % BLOCK_EDGE, z % BLOCK_EDGE);
      float *value = w->value + at_padded(0, y, z);
      unsigned bits = 0;
      for (int x = 0; x < BLOCK_EDGE; x++)
        value[x] = pair[0] == BLOCK_ABSENT ? 1.0f : grid->value[(size_t)pair[0] * BLOCK_POINTS + row + (size_t)x];
      value[BLOCK_EDGE] = pair[1] == BLOCK_ABSENT ? 1.0f : grid->value[(size_t)pair[1] * BLOCK_POINTS + row];
      for (int x = 0; x < padded; x++) bits |= (unsigned)(value[x] < 0) << x;
      w->inside[z][y] = bits;
      any |= bits;
      all &= bits;
    }
  return any != 0 && all != (1u << padded) - 1;
}

/* ── vertices ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status add_crossing(marcher *m, size_t b, const int at[3], int axis, double here, double there, uint32_t *vertex,
                               scr_error *error)
{
  double t = fmin(fmax(here / (here - there), margin), 1.0 - margin), place[3];
  for (int a = 0; a < 3; a++) place[a] = (double)block_key_along(m->grid->key[b], a) * BLOCK_EDGE + at[a] + (a == axis ? t : 0.0);
  *vertex = (uint32_t)m->mesh->vertex_count;
  return geo_mesh_add_vertex(m->mesh, vec3_add(m->grid->origin, vec3_scale(vec3(place[0], place[1], place[2]), m->grid->cell)), error);
}

static scr_status add_block_vertices(marcher *m, size_t b, const window *w, uint32_t (*vertex)[3], scr_error *error)
{
  for (int z = 0; z < BLOCK_EDGE; z++)
    for (int y = 0; y < BLOCK_EDGE; y++) {
      unsigned here = w->inside[z][y];
      const unsigned crossed[3] = {here ^ here >> 1, here ^ w->inside[z][y + 1], here ^ w->inside[z + 1][y]};
      if (((crossed[0] | crossed[1] | crossed[2]) & ((1u << BLOCK_EDGE) - 1)) == 0) continue;
      for (int x = 0; x < BLOCK_EDGE; x++) {
        const int at[3] = {x, y, z};
        uint32_t *edges = vertex[in_block(x, y, z)];
        for (int axis = 0; axis < 3; axis++) {
          float there = w->value[at_padded(x + (axis == 0), y + (axis == 1), z + (axis == 2))];
          if (crossed[axis] >> x & 1) SCR_TRY(add_crossing(m, b, at, axis, w->value[at_padded(x, y, z)], there, &edges[axis], error));
        }
      }
    }
  return SCR_OK;
}

static scr_status add_vertices(marcher *m, scr_error *error)
{
  window w;
  uint32_t follower[8];
  for (size_t b = 0; b < m->grid->block_count; b++) {
    find_followers(m->grid, b, follower);
    m->active[b] = BLOCK_ABSENT;
    if (!gather(m->grid, follower, &w)) continue;
    void *array = m->vertex;
    size_t needed = (m->active_count + 1) * BLOCK_POINTS;
    SCR_TRY(mem_reserve(&array, &m->vertex_capacity, needed, sizeof *m->vertex, "the vertices of a surface", error));
    m->vertex = array;
    m->active[b] = (uint32_t)m->active_count++;
    SCR_TRY(add_block_vertices(m, b, &w, m->vertex + (size_t)m->active[b] * BLOCK_POINTS, error));
  }
  return SCR_OK;
}

/* ── triangles ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Vertex on edge `e` of the cube at (x, y, z) of a block. It is there: the block that owns a crossed edge has a surface. */
static uint32_t edge_vertex(const marcher *m, const uint32_t follower[8], int x, int y, int z, int e)
{
  int start = edge_start(e);
  x += start & 1;
  y += start >> 1 & 1;
  z += start >> 2;
  uint32_t b = follower[x / BLOCK_EDGE + 2 * (y / BLOCK_EDGE) + 4 * (z / BLOCK_EDGE)];
  return m->vertex[(size_t)m->active[b] * BLOCK_POINTS + in_block(x % BLOCK_EDGE, y % BLOCK_EDGE, z % BLOCK_EDGE)][e / 4];
}

static double squared_distance(const geo_mesh *mesh, uint32_t a, uint32_t b)
{
  scr_vec3 d = vec3_sub(mesh->vertex[a], mesh->vertex[b]);
  return vec3_dot(d, d);
}

/* Four corners are cut along the shorter diagonal. */
static scr_status add_polygon(marcher *m, const uint32_t *corner, size_t n, scr_error *error)
{
  if (n <= 4) {
    bool other = n == 4 && squared_distance(m->mesh, corner[1], corner[3]) < squared_distance(m->mesh, corner[0], corner[2]);
    const uint32_t *c = corner;
    if (n == 3) return geo_mesh_add_triangle(m->mesh, c[0], c[1], c[2], m->part, error);
    SCR_TRY(geo_mesh_add_triangle(m->mesh, c[0], c[1], c[other ? 3 : 2], m->part, error));
    return geo_mesh_add_triangle(m->mesh, c[2], c[3], c[other ? 1 : 0], m->part, error);
  }
  scr_vec3 middle = vec3(0, 0, 0);
  for (size_t k = 0; k < n; k++) middle = vec3_add(middle, vec3_scale(m->mesh->vertex[corner[k]], 1.0 / (double)n));
  uint32_t centre = (uint32_t)m->mesh->vertex_count;
  SCR_TRY(geo_mesh_add_vertex(m->mesh, middle, error));
  for (size_t k = 0; k < n; k++) SCR_TRY(geo_mesh_add_triangle(m->mesh, centre, corner[k], corner[(k + 1) % n], m->part, error));
  return SCR_OK;
}

static scr_status add_cube(marcher *m, const uint32_t follower[8], unsigned inside, int x, int y, int z, scr_error *error)
{
  cube_case *found = &m->cases[inside];
  if (!m->made[inside]) *found = make_case(inside);
  m->made[inside] = true;
  for (int loop = 0, used = 0; loop < found->loop_count; used += found->length[loop++]) {
    uint32_t corner[edge_count] = {0};
    for (int k = 0; k < found->length[loop]; k++) corner[k] = edge_vertex(m, follower, x, y, z, found->edge[used + k]);
    SCR_TRY(add_polygon(m, corner, found->length[loop], error));
  }
  return SCR_OK;
}

static scr_status add_triangles(marcher *m, scr_error *error)
{
  window w;
  uint32_t follower[8];
  for (size_t b = 0; b < m->grid->block_count; b++) {
    if (m->active[b] == BLOCK_ABSENT) continue;
    find_followers(m->grid, b, follower);
    gather(m->grid, follower, &w);
    for (int z = 0; z < BLOCK_EDGE; z++)
      for (int y = 0; y < BLOCK_EDGE; y++) {
        const unsigned row[4] = {w.inside[z][y], w.inside[z][y + 1], w.inside[z + 1][y], w.inside[z + 1][y + 1]};
        unsigned any = row[0] | row[1] | row[2] | row[3], all = row[0] & row[1] & row[2] & row[3];
        if (any == 0 || all == (1u << padded) - 1) continue;
        for (int x = 0; x < BLOCK_EDGE; x++) {
          unsigned inside = 0;
          for (int k = 0; k < 4; k++) inside |= (row[k] >> x & 3) << 2 * k;
          if (inside != 0 && inside != 255) SCR_TRY(add_cube(m, follower, inside, x, y, z, error));
        }
      }
  }
  return SCR_OK;
}

scr_status geo_marching_cubes(const block_grid *grid, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  marcher m = {.grid = grid, .mesh = mesh, .part = part};
  SCR_TRY(mem_allocate(&m.active, grid->block_count, sizeof *m.active, "the blocks of a surface", error));
  scr_status status = add_vertices(&m, error);
  if (status == SCR_OK) status = add_triangles(&m, error);
  mem_free(m.active);
  mem_free(m.vertex);
  return status;
}
