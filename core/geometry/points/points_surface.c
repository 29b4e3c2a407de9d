/* Poisson's equation on a grid, the level through the points, and what of it is far from all of them. */
#include "base/memory.h"
#include "geometry/marching_cubes.h"
#include "geometry/points/points.h"

enum { MARGIN = 5, LEAST_CELLS = 8, ITERATIONS = 600 };

/* Samples of a function at (i, j, k) h from `origin`, x fastest; 0 on the rim. */
typedef struct grid {
  size_t count[3], points;
  double h;
  scr_vec3 origin;
  double *field[3];                 /* [points] normals spread over the grid */
  double *value;                    /* [points] the function */
  double *rest, *direction, *image; /* [points] of conjugate gradients */
} grid;

static scr_status make_grid(grid *g, const geo_points *points, unsigned cells, scr_error *error)
{
  scr_vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3(-INFINITY, -INFINITY, -INFINITY);
  for (size_t k = 0; k < points->count; k++) {
    scr_vec3 p = points->point[k];
    low = vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  scr_vec3 edge = vec3_sub(high, low);
  double longest = fmax(edge.x, fmax(edge.y, edge.z));
  g->h = fmax(longest / cells, fmin(points->spacing, longest / LEAST_CELLS));
  g->origin = vec3_sub(low, vec3(MARGIN * g->h, MARGIN * g->h, MARGIN * g->h));
  const double edges[3] = {edge.x, edge.y, edge.z};
  g->points = 1;
  for (int a = 0; a < 3; a++) g->points *= g->count[a] = (size_t)ceil(edges[a] / g->h) + 2 * MARGIN + 1;
  double **arrays[] = {&g->field[0], &g->field[1], &g->field[2], &g->value, &g->rest, &g->direction, &g->image};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    *arrays[k] = mem_array(g->points, sizeof(double));
    if (!*arrays[k]) return scr_fail_memory(error, "a grid around points", g->points * sizeof(double));
  }
  return SCR_OK;
}

static void clear_grid(grid *g)
{
  double *arrays[] = {g->field[0], g->field[1], g->field[2], g->value, g->rest, g->direction, g->image};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(arrays[k]);
}

/* ── spreading and asking ───────────────────────────────────────────────────────────────────────────────────────── */

/* Quadratic B-spline weights of the three grid points nearest to a coordinate, in cells. @return the first of them */
static size_t weights_at(double x, double weight[3])
{
  double nearest = floor(x + 0.5), f = x - nearest;
  weight[0] = 0.5 * (0.5 - f) * (0.5 - f);
  weight[1] = 0.75 - f * f;
  weight[2] = 0.5 * (0.5 + f) * (0.5 + f);
  return (size_t)nearest - 1;
}

/* Adds `add[..]` at a place to the field, or, without, @return the function there. */
static double at_place(grid *g, scr_vec3 p, const scr_vec3 *add)
{
  double w[3][3], sum = 0;
  scr_vec3 q = vec3_scale(vec3_sub(p, g->origin), 1 / g->h);
  size_t first[3] = {weights_at(q.x, w[0]), weights_at(q.y, w[1]), weights_at(q.z, w[2])};
  for (size_t k = 0; k < 3; k++)
    for (size_t j = 0; j < 3; j++)
      for (size_t i = 0; i < 3; i++) {
        size_t n = ((first[2] + k) * g->count[1] + first[1] + j) * g->count[0] + first[0] + i;
        double weight = w[0][i] * w[1][j] * w[2][k];
        sum += weight * g->value[n];
        if (!add) continue;
        g->field[0][n] += weight * add->x;
        g->field[1][n] += weight * add->y;
        g->field[2][n] += weight * add->z;
      }
  return sum;
}

/* ── Poisson's equation ─────────────────────────────────────────────────────────────────────────────────────────── */

/* image = minus the seven-point Laplacian of way, times h^2, within the rim. */
static double apply(grid *g)
{
  size_t row = g->count[0], layer = row * g->count[1];
  double along = 0;
  for (size_t k = 1; k + 1 < g->count[2]; k++)
    for (size_t j = 1; j + 1 < g->count[1]; j++)
      for (size_t i = 1; i + 1 < g->count[0]; i++) {
        size_t n = k * layer + j * row + i;
        const double *p = g->direction + n;
        g->image[n] = 6 * p[0] - p[1] - p[-1] - p[row] - *(p - row) - p[layer] - *(p - layer);
        along += p[0] * g->image[n];
      }
  return along;
}

/* rest = divergence of the field, central differences, times h^2. @return its square sum */
static double set_right_side(grid *g)
{
  size_t row = g->count[0], layer = row * g->count[1];
  double sum = 0;
  for (size_t k = 1; k + 1 < g->count[2]; k++)
    for (size_t j = 1; j + 1 < g->count[1]; j++)
      for (size_t i = 1; i + 1 < g->count[0]; i++) {
        size_t n = k * layer + j * row + i;
        double divergence = g->field[0][n + 1] - g->field[0][n - 1] + g->field[1][n + row] - g->field[1][n - row] + g->field[2][n + layer] -
                            g->field[2][n - layer];
        g->rest[n] = g->direction[n] = 0.5 * g->h * divergence;
        sum += g->rest[n] * g->rest[n];
      }
  return sum;
}

static void solve(grid *g)
{
  double square = set_right_side(g), enough = 1e-12 * square;
  for (int step = 0; step < ITERATIONS && square > enough; step++) {
    double share = square / apply(g), next = 0;
    for (size_t n = 0; n < g->points; n++) {
      g->value[n] += share * g->direction[n];
      g->rest[n] -= share * g->image[n];
      next += g->rest[n] * g->rest[n];
    }
    for (size_t n = 0; n < g->points; n++) g->direction[n] = g->rest[n] + next / square * g->direction[n];
    square = next;
  }
}

/* ── the surface ────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status cut(const grid *g, double level, geo_mesh *mesh, scr_error *error)
{
  block_grid blocks = {.cell = g->h, .origin = g->origin};
  block_range all = {.low = {0, 0, 0}};
  size_t limit = 1;
  for (int a = 0; a < 3; a++) {
    all.high[a] = (int32_t)((g->count[a] - 1) / BLOCK_EDGE);
    limit *= (size_t)all.high[a] + 1;
  }
  scr_status status = block_grid_cover(&blocks, &all, limit, error);
  if (status == SCR_OK) status = block_grid_allocate(&blocks, limit, error);
  for (size_t b = 0; status == SCR_OK && b < blocks.block_count; b++)
    for (size_t n = 0; n < BLOCK_POINTS; n++) {
      size_t p[3];
      bool in = true;
      for (int a = 0; a < 3; a++) {
        p[a] = (size_t)block_key_along(blocks.key[b], a) * BLOCK_EDGE + (n >> (3 * a) & (BLOCK_EDGE - 1));
        in = in && p[a] > 0 && p[a] + 1 < g->count[a];
      }
      double value = in ? g->value[(p[2] * g->count[1] + p[1]) * g->count[0] + p[0]] : 0;
      blocks.value[b * BLOCK_POINTS + n] = in ? (float)((level - value) / level) : 1.0f;
    }
  if (status == SCR_OK) status = geo_marching_cubes(&blocks, 0, mesh, error);
  block_grid_clear(&blocks);
  return status;
}

/* Largest first; those near a larger one are it. */
static void note_hole(geo_points_hole found, geo_points_hole *holes, size_t *count)
{
  for (size_t k = 0; k < *count; k++) {
    if (vec3_length(vec3_sub(found.at, holes[k].at)) > 2 * fmax(found.radius, holes[k].radius)) continue;
    if (found.radius > holes[k].radius) holes[k] = found;
    return;
  }
  if (*count < GEO_POINTS_HOLE_LIMIT)
    holes[(*count)++] = found;
  else if (found.radius > holes[*count - 1].radius)
    holes[*count - 1] = found;
  for (size_t k = *count - 1; k > 0 && holes[k].radius > holes[k - 1].radius; k--) {
    geo_points_hole other = holes[k];
    holes[k] = holes[k - 1], holes[k - 1] = other;
  }
}

static void find_holes(const geo_points *points, double h, const geo_mesh *mesh, geo_points_hole *holes, size_t *count)
{
  double least = 3 * fmax(points->spacing, 0.5 * h);
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    double square = INFINITY;
    for (size_t k = 0; k < points->count && square > least * least; k++) {
      scr_vec3 d = vec3_sub(points->point[k], mesh->vertex[v]);
      square = fmin(square, vec3_dot(d, d));
    }
    if (square > least * least) note_hole((geo_points_hole){mesh->vertex[v], sqrt(square)}, holes, count);
  }
}

static scr_status make_surface(grid *g, const geo_points *points, geo_mesh *mesh, scr_error *error)
{
  double level = 0, area = 0, cell = g->h * g->h * g->h;
  for (size_t k = 0; k < points->count; k++) {
    scr_vec3 outward = vec3_scale(points->normal[k], points->area[k] / cell); /* minus the gradient of a function that is 1 inside */
    (void)at_place(g, points->point[k], &outward);
  }
  solve(g);
  for (size_t k = 0; k < points->count; k++) {
    level += points->area[k] * at_place(g, points->point[k], NULL);
    area += points->area[k];
  }
  level /= area;
  if (!(level > 0.05))
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "the points do not bound a solid: outside and inside differ by %.3g only, 1 for a closed surface. Is a large part of "
                    "it missing, or are there points within the body?",
                    2 * level);
  return cut(g, level, mesh, error);
}

scr_status geo_points_surface(const geo_points *points, unsigned cells, geo_mesh *mesh, geo_points_hole *holes, size_t *hole_count,
                              scr_error *error)
{
  grid g = {0};
  *hole_count = 0;
  if (cells < LEAST_CELLS || cells > 96)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "cells are %u; %d to 96 are possible", cells, LEAST_CELLS);
  if (!points->normal || !points->area || !(points->spacing > 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a surface needs points with normals");
  scr_status status = make_grid(&g, points, cells, error);
  if (status == SCR_OK) status = make_surface(&g, points, mesh, error);
  if (status == SCR_OK) status = geo_mesh_check(mesh, error);
  if (status == SCR_OK) find_holes(points, g.h, mesh, holes, hole_count);
  clear_grid(&g);
  return status;
}
