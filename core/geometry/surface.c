/* The skin of a cloud of spheres: blocks of the grid that the hull touches, the function f of surface.h on them, marching cubes.
 *
 * Every block gathers from the spheres that reach it, in their order, so f is the same bits for any number of threads. A sphere of radius r
 * on a grid of cell h reaches (4/3) pi (4 r / h)^3 points, 2100 for h = r / 2; each costs about 20 flops and a square root, four at a time.
 * */
#include "geometry/surface.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/search/block_grid.h"
#include "geometry/marching_cubes.h"

/* Smallest cell relative to the largest coordinate: vertices a hundredth of a cell apart are then still far more than round-off apart. */
static const double finest = 1e-11;

static const double support = 4.0, core_part = 0.75, hull_part = 2.0; /* radii, see surface.h */

typedef struct cloud {
  const scr_vec3 *centre;
  const double *radius;
  size_t count;
  block_grid grid;
  size_t *first; /* [block_count + 1] spheres that reach block b: sphere[first[b]] ... sphere[first[b + 1] - 1] */
  uint32_t *sphere;
} cloud;

static double along(scr_vec3 v, int axis)
{
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static scr_status check_spheres(const cloud *c, const geo_surface_options *options, scr_error *error)
{
  double smallest = INFINITY;
  if (c->count >= UINT32_MAX) return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu spheres are too many for one surface", c->count);
  for (size_t i = 0; i < c->count; i++) {
    scr_vec3 p = c->centre[i];
    double r = c->radius[i];
    if (!(r > 0.0 && r <= GEO_MESH_COORDINATE_LIMIT))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "sphere %zu has a radius of %g m; it must be > 0 and at most %g m", i, r,
                      GEO_MESH_COORDINATE_LIMIT);
    if (!(fabs(p.x) <= GEO_MESH_COORDINATE_LIMIT && fabs(p.y) <= GEO_MESH_COORDINATE_LIMIT && fabs(p.z) <= GEO_MESH_COORDINATE_LIMIT))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "sphere %zu is at (%g, %g, %g) m; coordinates must be finite, at most %g m", i, p.x, p.y,
                      p.z, GEO_MESH_COORDINATE_LIMIT);
    smallest = fmin(smallest, r);
  }
  if (!(options->cell > 0.0 && options->cell <= GEO_SURFACE_COARSEST * smallest))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "cells of %g m do not fit spheres of radius %g m; they must be > 0 and at most %g m",
                    options->cell, smallest, GEO_SURFACE_COARSEST * smallest);
  return SCR_OK;
}

/* Places the grid: two cells of room around the hull on the lower side. */
static scr_status place_grid(cloud *c, double cell, scr_error *error)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < c->count; i++)
    for (int a = 0; a < 3; a++) {
      low[a] = fmin(low[a], along(c->centre[i], a) - hull_part * c->radius[i]);
      high[a] = fmax(high[a], along(c->centre[i], a) + hull_part * c->radius[i]);
    }
  for (int a = 0; a < 3; a++) {
    double farthest = fmax(fabs(low[a]), fabs(high[a]));
    if (!(cell >= finest * farthest))
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "cells of %g m are lost in the rounding of coordinates of %g m: use cells of at least %g m", cell, farthest,
                      finest * farthest);
    if (!((high[a] - low[a]) / cell < (double)BLOCK_AXIS_LIMIT * BLOCK_EDGE - 16))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "a surface %g m long has too many cells of %g m: use cells of at least %g m",
                      high[a] - low[a], cell, (high[a] - low[a]) / ((double)BLOCK_AXIS_LIMIT * BLOCK_EDGE - 16));
  }
  c->grid.cell = cell;
  c->grid.origin = vec3(low[0] - 2 * cell, low[1] - 2 * cell, low[2] - 2 * cell);
  return SCR_OK;
}

static int32_t clamp_point(double value)
{
  return value < 0 ? 0 : value > BLOCK_AXIS_LIMIT * BLOCK_EDGE - 1 ? BLOCK_AXIS_LIMIT * BLOCK_EDGE - 1 : (int32_t)value;
}

/* Blocks of the grid points within `reach` of sphere i and `extra` points more. */
static block_range blocks_around(const cloud *c, size_t i, double reach, int extra)
{
  block_range range;
  for (int a = 0; a < 3; a++) {
    double at = along(c->centre[i], a) - along(c->grid.origin, a);
    range.low[a] = clamp_point(floor((at - reach) / c->grid.cell) - extra) / BLOCK_EDGE;
    range.high[a] = clamp_point(ceil((at + reach) / c->grid.cell) + extra) / BLOCK_EDGE;
  }
  return range;
}

static scr_status cover_hull(cloud *c, size_t node_limit, scr_error *error)
{
  size_t block_limit = (node_limit ? node_limit : GEO_SURFACE_NODE_LIMIT) / BLOCK_POINTS;
  for (size_t i = 0; i < c->count; i++) {
    block_range range = blocks_around(c, i, hull_part * c->radius[i], 1); /* 1: neighbours of points inside belong to the grid */
    SCR_TRY(block_grid_cover(&c->grid, &range, block_limit, error));
  }
  return block_grid_allocate(&c->grid, block_limit, error);
}

/* Calls for every block that sphere i reaches: counts it, or notes the sphere in it. */
static void visit_blocks(cloud *c, size_t i, size_t *counter, uint32_t *list)
{
  block_range range = blocks_around(c, i, support * c->radius[i], 0);
  for (int32_t z = range.low[2]; z <= range.high[2]; z++)
    for (int32_t y = range.low[1]; y <= range.high[1]; y++)
      for (int32_t x = range.low[0]; x <= range.high[0]; x++) {
        uint32_t b = block_grid_find(&c->grid, x, y, z);
        if (b == BLOCK_ABSENT) continue;
        if (list) list[counter[b]] = (uint32_t)i;
        counter[b]++;
      }
}

/* Lists the spheres of each block, in their order: first[b + 2] counts, then becomes the place to write, and ends as the end of b's list.
 * */
static scr_status list_spheres(cloud *c, scr_error *error)
{
  size_t blocks = c->grid.block_count;
  SCR_TRY(mem_allocate(&c->first, blocks + 2, sizeof *c->first, "the blocks of a surface", error));
  for (size_t i = 0; i < c->count; i++) visit_blocks(c, i, c->first + 2, NULL);
  for (size_t b = 2; b < blocks + 2; b++) c->first[b] += c->first[b - 1];
  SCR_TRY(mem_allocate(&c->sphere, c->first[blocks + 1], sizeof *c->sphere, "the spheres of a surface", error));
  for (size_t i = 0; i < c->count; i++) visit_blocks(c, i, c->first + 1, c->sphere);
  return SCR_OK;
}

/* Sums of one block's points, in single precision as the samples they become: coordinates are taken from the block's first point, so all
 * numbers are of the size of a few cells. Rows of BLOCK_EDGE points along x are worked on as a whole. */
typedef struct block_sums {
  float weight[BLOCK_POINTS], radius[BLOCK_POINTS];        /* sum w, sum w r */
  float x[BLOCK_POINTS], y[BLOCK_POINTS], z[BLOCK_POINTS]; /* sum w (x_i - x) */
  float core[BLOCK_POINTS], hull[BLOCK_POINTS];            /* m */
} block_sums;

static inline float smaller(float a, float b)
{
  return a < b ? a : b;
}

/* One row: `dx` is the sphere's centre less each point's x, `across` the square of the distance across x. */
static inline void add_row(block_sums *s, size_t row, const float dx[BLOCK_EDGE], float dy, float dz, float across, float r, float inverse)
{
  float core = (float)core_part * r, hull = (float)hull_part * r;
  for (int i = 0; i < BLOCK_EDGE; i++) {
    size_t n = row + (size_t)i;
    float d2 = dx[i] * dx[i] + across, d = sqrtf(d2), left = 1.0f - d2 * inverse, q = left > 0.0f ? left : 0.0f, w = q * q * q;
    s->weight[n] += w;
    s->radius[n] += w * r;
    s->x[n] += w * dx[i];
    s->y[n] += w * dy;
    s->z[n] += w * dz;
    s->core[n] = smaller(d - core, s->core[n]);
    s->hull[n] = smaller(d - hull, s->hull[n]);
  }
}

/* Adds a sphere with its centre at `at`, in metres from the block's first point. Only rows within its support are touched. */
static inline void add_sphere(block_sums *s, scr_vec3 at, double r, double cell)
{
  float reach = (float)(support * r), square = reach * reach, inverse = 1.0f / square, dx[BLOCK_EDGE], dy[BLOCK_EDGE], dz[BLOCK_EDGE];
  for (int i = 0; i < BLOCK_EDGE; i++) {
    dx[i] = (float)(at.x - i * cell);
    dy[i] = (float)(at.y - i * cell);
    dz[i] = (float)(at.z - i * cell);
  }
  float beside = dx[0] < 0 ? dx[0] : dx[BLOCK_EDGE - 1] > 0 ? dx[BLOCK_EDGE - 1] : 0; /* to the nearest end of the rows, along x */
  float left = square - beside * beside;
  for (int k = 0; k < BLOCK_EDGE; k++) {
    float above = dz[k] * dz[k];
    if (above >= left) continue;
    for (int j = 0; j < BLOCK_EDGE; j++) {
      float across = dy[j] * dy[j] + above;
      if (across < left) add_row(s, ((size_t)k * BLOCK_EDGE + (size_t)j) * BLOCK_EDGE, dx, dy[j], dz[k], across, (float)r, inverse);
    }
  }
}

/* Far from every sphere a sample is limited to the block's length, so that none is infinite. */
static float sample(const block_sums *s, size_t n, float cell)
{
  float w = s->weight[n]; /* 0 out of every support, and just within one by underflow: outside the hull in either case */
  float blend = w > 0.0f ? (sqrtf(s->x[n] * s->x[n] + s->y[n] * s->y[n] + s->z[n] * s->z[n]) - s->radius[n]) / w : cell;
  float filled = smaller(blend, s->core[n]), f = filled > s->hull[n] ? filled : s->hull[n];
  return smaller(f, cell * BLOCK_EDGE);
}

/* Eight points at a time where the processor can. Nothing is contracted and no sum crosses lanes, so all versions give the same bits. */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE_WHERE_POSSIBLE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_WHERE_POSSIBLE
#endif

WIDE_WHERE_POSSIBLE static void fill_block(const cloud *c, size_t b)
{
  block_sums s;
  memset(&s, 0, sizeof s);
  for (size_t n = 0; n < BLOCK_POINTS; n++) s.core[n] = s.hull[n] = INFINITY;
  double corner[3];
  for (int a = 0; a < 3; a++) corner[a] = (double)block_key_along(c->grid.key[b], a) * BLOCK_EDGE * c->grid.cell;
  for (size_t k = c->first[b]; k < c->first[b + 1]; k++) {
    uint32_t i = c->sphere[k];
    scr_vec3 at = vec3_sub(c->centre[i], c->grid.origin); /* first from the origin, as blocks_around does, so that both round alike */
    add_sphere(&s, vec3_sub(at, vec3(corner[0], corner[1], corner[2])), c->radius[i], c->grid.cell);
  }
  float *value = c->grid.value + b * BLOCK_POINTS;
  for (size_t n = 0; n < BLOCK_POINTS; n++) value[n] = sample(&s, n, (float)c->grid.cell);
}

/* One thread does without OpenMP, whose runtime ends the program when it gets no memory for a team. */
static void fill_blocks(const cloud *c, unsigned threads)
{
  if (threads <= 1) {
    for (size_t b = 0; b < c->grid.block_count; b++) fill_block(c, b);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t b = 0; b < c->grid.block_count; b++) fill_block(c, b);
}

static scr_status make_surface(cloud *c, const geo_surface_options *options, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  SCR_TRY(cover_hull(c, options->node_limit, error));
  SCR_TRY(list_spheres(c, error));
  fill_blocks(c, options->threads);
  return geo_marching_cubes(&c->grid, part, mesh, error);
}

scr_status geo_surface_of_balls(const scr_vec3 *centre, const double *radius, size_t count, const geo_surface_options *options,
                                uint32_t part, geo_mesh *mesh, scr_error *error)
{
  cloud c = {.centre = centre, .radius = radius, .count = count};
  if (count == 0) return SCR_OK;
  SCR_TRY(check_spheres(&c, options, error));
  SCR_TRY(place_grid(&c, options->cell, error));
  scr_status status = make_surface(&c, options, part, mesh, error);
  mem_free(c.first);
  mem_free(c.sphere);
  block_grid_clear(&c.grid);
  return status;
}
