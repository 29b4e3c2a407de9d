/* Points to nodes and back by affine particle-in-cell transfers (APIC: Jiang et al. 2015, ACM Trans. Graph. 34, 51):
 *
 *     m_i = sum_p m_p N_i(x_p),   (m u)_i = sum_p m_p N_i(x_p) [u_p + C_p (y_i - x_p)]
 *     u_p = sum_i N_i(x_p) u_i,   C_p = sum_i u_i grad N_i(x_p)^T,   x_p += dt u_p
 *
 * Momentum is kept to rounding. Kinetic energy of points counts their affine motion, sum_i N_i |C (y_i - x_p)|^2, so neither transfer
 * can add to it; with
 * multilinear N that is h^2 f_a (1 - f_a) |C_a|^2 summed over the axes, f the place in the cell. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/law/packing.h"
#include "methods/granular/step/stages.h"

static void place_in_cell(const granular_state *s, const granular_point *p, const int64_t cell[3], double f[3])
{
  for (int a = 0; a < 3; a++) f[a] = a < s->d ? (p->x[a] - s->domain.origin[a]) / s->domain.h - (double)cell[a] : 0;
}

/* J of a point at f in its cell. @param half half of its mass, kg    @param square h^2 */
static inline __attribute__((always_inline)) double affine_energy(int d, const granular_point *p, const double f[3], double half,
                                                                  double square)
{
  double sum = 0;
  for (int a = 0; a < d; a++) {
    const double x = p->c[a][0], y = p->c[a][1], z = p->c[a][2];
    sum += square * f[a] * (1 - f[a]) * (x * x + y * y + z * z);
  }
  return half * (p->u[0] * p->u[0] + p->u[1] * p->u[1] + p->u[2] * p->u[2] + sum);
}

/* @param half half of its mass, kg */
static inline __attribute__((always_inline)) double point_energy(int d, const granular_state *s, const granular_point *p, double half)
{
  double f[3] = {0};
  for (int a = 0; a < d; a++) {
    double x = (p->x[a] - s->domain.origin[a]) / s->domain.h;
    f[a] = x - floor(x);
  }
  return affine_energy(d, p, f, half, s->domain.h * s->domain.h);
}

double granular_point_energy(const granular_state *s, const granular_point *p)
{
  return point_energy(s->d, s, p, 0.5 * granular_mass(s, p));
}

enum { AHEAD = 8 /* points */, BLOCKS_AT_A_TIME = 8 /* of a thread: some have less sand than others */ };

/* Four numbers of a corner or of an edge at a time; functions that hand them on are all inlined. */
typedef double lanes __attribute__((vector_size(32)));
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))
#define WIDE __attribute__((target_clones("avx2", "default")))

/* What is summed up over the points of a cell. */
typedef struct cell_sum {
  lanes corner[GEO_GRID_CORNERS]; /* mass, momentum */
  lanes volume[2], wall[2];       /* of corners: volume, volume times friction of parts */
  lanes edge[3];                  /* of the edges along an axis: volume */
  double cohesion, packing;       /* volume times each */
  double energy;                  /* J */
} cell_sum;

/* Weights of the corners, and of the edges along the axes. */
INLINE void shape(int d, const double f[3], lanes weight[2], lanes edge[3])
{
  const lanes x = {1 - f[0], f[0], 1 - f[0], f[0]}, y = {1 - f[1], 1 - f[1], f[1], f[1]};
  weight[0] = x * y;
  if (d == 2) {
    edge[0] = (lanes){1 - f[1], f[1], 0, 0};
    edge[1] = (lanes){1 - f[0], f[0], 0, 0};
    return;
  }
  const double low = 1 - f[2], high = f[2];
  const lanes y_first = {1 - f[1], f[1], 1 - f[1], f[1]}, z_last = {low, low, high, high}, z_first = {low, high, low, high};
  const lanes x_last = {1 - f[0], 1 - f[0], f[0], f[0]};
  edge[0] = y_first * z_last;
  edge[1] = z_first * x_last;
  edge[2] = weight[0];
  weight[1] = weight[0] * high;
  weight[0] *= low;
}

/* @param half  half of its mass, kg    @param wall its friction with parts */
INLINE void add_point(int d, const granular_point *p, const double f[3], double h, double half, double wall, cell_sum *sum)
{
  const int corners = d == 2 ? 4 : 8;
  const double mass = 2 * half, step = mass * h;
  lanes weight[2], edge[3] = {{0}}, base, along[3] = {{0}};
  shape(d, f, weight, edge);
  base = (lanes){mass, mass * p->u[0], mass * p->u[1], mass * p->u[2]};
  for (int a = 0; a < d; a++) {
    along[a] = (lanes){0, step * (double)p->c[a][0], step * (double)p->c[a][1], step * (double)p->c[a][2]};
    base -= f[a] * along[a];
  }
#pragma GCC unroll 8
  for (int n = 0; n < corners; n++) {
    lanes there = base;
#pragma GCC unroll 3
    for (int a = 0; a < d; a++)
      if (n >> a & 1) there += along[a];
    sum->corner[n] += weight[n / 4][n % 4] * there;
  }
  for (int part = 0; part < d - 1; part++) {
    sum->volume[part] += p->volume * weight[part];
    sum->wall[part] += p->volume * wall * weight[part];
  }
  for (int a = 0; a < d; a++) sum->edge[a] += p->volume * edge[a];
  sum->cohesion += p->volume * p->cohesion;
  sum->packing += p->volume * p->packing;
  sum->energy += affine_energy(d, p, f, half, h * h);
}

/* The point at a place in the order of cells. */
INLINE const granular_point *point_of(const granular_state *s, uint32_t i)
{
  return &s->points[s->grid.item[i]];
}

/* Cells of a block in the order of their places, in which their points lie in memory. @return how many */
static uint32_t by_place(const granular_state *s, uint32_t block, uint32_t *cell)
{
  uint32_t at[GEO_GRID_BLOCK], count = 0;
  memset(at, 0xff, sizeof at);
  for (uint32_t c = s->block_first[block]; c < s->block_first[block + 1]; c++) at[s->extra[c].place % GEO_GRID_BLOCK] = c;
  for (int place = 0; place < GEO_GRID_BLOCK; place++)
    if (at[place] != UINT32_MAX) cell[count++] = at[place];
  return count;
}

/* Fetches a point that is needed soon; beyond the last there is none. */
INLINE void fetch_point(const granular_state *s, uint32_t i)
{
  if (i >= s->point_count) return;
  const char *point = (const char *)point_of(s, i);
  __builtin_prefetch(point);
  __builtin_prefetch(point + 64);
}

/* Volume of the points of a material in a cell: what it adds to the cell's means. */
static void add_material(const granular_material *m, double volume, granular_extra *extra)
{
  extra->volume += volume;
  extra->friction += volume * m->internal_friction;
  extra->increment += volume * m->friction_increment;
  extra->constant += volume * m->inertial_constant;
  extra->diameter += volume * (isnan(m->grain_diameter) ? 0 : m->grain_diameter);
  extra->density += volume * m->density;
}

/* Friction of a cell and what mu(I) and cohesion need of it; the rate follows when nodes have velocities. */
static void keep_means(granular_extra *extra, const cell_sum *sum)
{
  double per = 1 / extra->volume;
  extra->friction *= per;
  extra->increment *= per;
  extra->constant *= per;
  extra->diameter *= per;
  extra->density *= per;
  extra->cohesion = sum->cohesion * per;
  extra->packing = sum->packing * per;
  extra->energy = sum->energy;
}

INLINE void sum_cell_of(int d, granular_state *s, size_t c, cell_sum *sum)
{
  granular_extra *extra = &s->extra[c];
  uint32_t i = s->grid.first[extra->place];
  const uint32_t end = s->grid.first[extra->place + 1];
  int64_t at[3];
  memset(sum, 0, sizeof *sum);
  geo_grid_place(&s->grid, extra->place, at);
  while (i < end) { /* points of one material in a row */
    const uint32_t material = point_of(s, i)->material;
    const granular_material *m = scr_scene_material(s->scene, material);
    const granular_surface *wall = scr_scene_surface(s->scene, material, s->scene->material_count);
    const double half = 0.5 * granular_bulk_density(m), friction = wall->friction_coefficient;
    double volume = 0;
    for (; i < end && point_of(s, i)->material == material; i++) {
      const granular_point *p = point_of(s, i);
      double f[3];
      place_in_cell(s, p, at, f);
      add_point(d, p, f, s->domain.h, half * p->volume, friction, sum);
      volume += p->volume;
    }
    add_material(m, volume, extra);
  }
  keep_means(extra, sum);
}

WIDE static void sum_cell(granular_state *s, size_t c)
{
  const int edges = s->d == 2 ? 2 : 4;
  double *corners = s->corners + c * s->grid.corner_count * GRANULAR_SUMS, per = 1 / (granular_cell_volume(s) * s->domain.h);
  cell_sum sum;
  if (s->d == 2)
    sum_cell_of(2, s, c, &sum);
  else
    sum_cell_of(3, s, c, &sum);
  for (uint32_t n = 0; n < s->grid.corner_count; n++, corners += GRANULAR_SUMS) {
    memcpy(corners, &sum.corner[n], sizeof sum.corner[n]);
    corners[4] = sum.volume[n / 4][n % 4];
    corners[5] = sum.wall[n / 4][n % 4];
  }
  for (int a = 0; a < s->d; a++)
    for (int e = 0; e < edges; e++) s->cells[c].edge[4 * a + e] = sum.edge[a][e] * per;
}

/* In the order of the list of cells, into which it writes. */
static void sum_block(granular_state *s, uint32_t block)
{
  const uint32_t end = s->block_first[block + 1];
  for (uint32_t c = s->block_first[block]; c < end; c++) {
    for (uint32_t next = c + 1 < end ? s->grid.first[s->extra[c + 1].place] : 0, k = 0; next > 0 && k < AHEAD; k++)
      fetch_point(s, next + k);
    sum_cell(s, c);
  }
}

static void add_corners(granular_state *s, uint32_t block)
{
  for (uint32_t c = s->block_first[block]; c < s->block_first[block + 1]; c++)
    for (uint32_t n = 0; n < s->grid.corner_count; n++) {
      const double *from = s->corners + (c * s->grid.corner_count + n) * GRANULAR_SUMS;
      double *to = s->sums + (size_t)s->cells[c].node[n] * GRANULAR_SUMS;
      for (int k = 0; k < GRANULAR_SUMS; k++) to[k] += from[k];
    }
}

scr_status granular_to_nodes(granular_state *s, const granular_pass *pass, granular_energy *energy, scr_error *error)
{
  const unsigned parts = pass->execution.threads;
  size_t places = s->grid.cell_count;
  (void)error;
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static, BLOCKS_AT_A_TIME)
  for (uint32_t b = 0; b < s->grid.block_count; b++) sum_block(s, b);
  memset(s->sums, 0, places * GRANULAR_SUMS * sizeof *s->sums);
  for (int colour = 0; colour < GRANULAR_COLOURS; colour++) {
    if (s->colour_first[colour] == s->colour_first[colour + 1]) continue;
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (unsigned part = 0; part < parts; part++) {
      const uint32_t end = granular_first_of_share(s, colour, part + 1, parts);
      for (uint32_t k = granular_first_of_share(s, colour, part, parts); k < end; k++) add_corners(s, s->colour_block[k]);
    }
  }
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static)
  for (size_t n = 0; n < places; n++) {
    double *sum = s->sums + n * GRANULAR_SUMS, inverse = sum[0] > 0 ? 1 / sum[0] : 0;
    for (int i = 0; i < 3; i++) s->nodes[n].u[i] = sum[1 + i] *= inverse;
    s->nodes[n].inverse_mass = inverse;
  }
  for (size_t c = 0; c < s->cell_count; c++) energy->points_before += s->extra[c].energy;
  return SCR_OK;
}

/* ── back ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What points of a cell read of its nodes. */
typedef struct cell_velocity {
  lanes corner[GEO_GRID_CORNERS]; /* velocity */
  lanes edge[3][4];               /* change of velocity along an edge, over its length */
} cell_velocity;

INLINE void read_nodes(int d, const granular_cell *cell, const granular_node *nodes, double h, cell_velocity *v)
{
  const double per = 1 / h;
  for (int n = 0; n < (d == 2 ? 4 : 8); n++) {
    const double *u = nodes[cell->node[n]].u;
    v->corner[n] = (lanes){u[0], u[1], d == 2 ? 0 : u[2], 0};
  }
  for (int a = 0; a < d; a++)
    for (int e = 0; e < (d == 2 ? 2 : 4); e++) {
      const int b = (a + 1) % d, k = (a + 2) % d, near = (e & 1) << b | (d == 3 ? (e >> 1) << k : 0);
      v->edge[a][e] = per * (v->corner[near | 1 << a] - v->corner[near]);
    }
}

INLINE void read_point(int d, const cell_velocity *v, const double f[3], granular_point *p)
{
  lanes weight[2], edge[3] = {{0}}, u = {0, 0, 0, 0};
  const int corners = d == 2 ? 4 : 8, edges = d == 2 ? 2 : 4;
  shape(d, f, weight, edge);
#pragma GCC unroll 8
  for (int n = 0; n < corners; n++) u += weight[n / 4][n % 4] * v->corner[n];
  for (int i = 0; i < d; i++) p->u[i] = u[i];
#pragma GCC unroll 3
  for (int a = 0; a < d; a++) {
    lanes gradient = {0, 0, 0, 0};
#pragma GCC unroll 4
    for (int e = 0; e < edges; e++) gradient += edge[a][e] * v->edge[a][e];
    for (int i = 0; i < d; i++) p->c[a][i] = (float)gradient[i];
  }
}

/* Keeps a point in the domain where it is closed, brings it back in where it goes around. @param changed set where it
 * is brought back    @return false: it left through an open side */
static bool keep_inside(const granular_state *s, granular_point *p, bool *changed)
{
  for (int a = 0; a < s->d; a++) {
    double low = s->domain.origin[a], length = s->domain.h * s->domain.cells[a], high = low + length, slack = 1e-6 * s->domain.h;
    if (s->periodic[a]) {
      if (p->x[a] < low) p->x[a] += length;
      if (p->x[a] >= high) p->x[a] -= length;
      p->x[a] = fmax(p->x[a], low);
      *changed = true; /* perhaps */
      continue;
    }
    bool below = p->x[a]<low + slack, above = p->x[a]> high - slack;
    if ((below || above) && s->scene->rig.kind != SCR_RIG_BOX) return false;
    *changed = *changed || below || above;
    if (below) p->x[a] = low + slack, p->u[a] = fmax(p->u[a], 0);
    if (above) p->x[a] = high - slack, p->u[a] = fmin(p->u[a], 0);
  }
  return true;
}

static bool is_in_outlet(const granular_state *s, const granular_point *p)
{
  scr_vec3 x = granular_place(s, p->x), low = s->options->outlet_minimum, high = s->options->outlet_maximum;
  if (isnan(low.x)) return false;
  return x.x >= low.x && x.x <= high.x && x.z >= low.z && x.z <= high.z && (s->d == 2 || (x.y >= low.y && x.y <= high.y));
}

static void loosen(const granular_state *s, granular_point *p, double step)
{
  const granular_material *m = scr_scene_material(s->scene, p->material);
  double rate[GRANULAR_TENSOR] = {0};
  if (p->cohesion == 0 || m->debonding == 0) return;
  granular_point_strain(s->d, p, rate);
  p->cohesion /= 1 + m->debonding * step * tensor_deviator(s->d, rate);
}

/* Share of its volume by which the sand of a cell opens in a step. */
INLINE double opening_of(int d, const granular_state *s, const granular_cell *cell, const granular_extra *extra, double step)
{
  double rate[GRANULAR_TENSOR];
  granular_rate(d, cell, s->nodes, rate);
  return step * rate[0] * tensor_pressure_scale(d) * granular_cell_volume(s) / extra->volume;
}

/* Packing of a point after a step. Cells within the sand that count as full are. */
INLINE double packing_of(const granular_extra *extra, double packing, double opening)
{
  if (extra->surface) return packing_after(packing, opening);
  return extra->counted >= 1 ? 1 : packing_after(fmin(packing, extra->packing), opening);
}

/* Moves the points of a cell, to their places in its order; those that leave get the pressure -INFINITY. */
INLINE void move_cell_of(int d, granular_state *s, size_t c, double step)
{
  const granular_cell *cell = &s->cells[c];
  granular_extra *extra = &s->extra[c];
  cell_velocity velocity;
  int64_t at[3];
  geo_grid_place(&s->grid, extra->place, at);
  read_nodes(d, cell, s->nodes, s->domain.h, &velocity);
  double scale = 1 / (step * granular_cell_volume(s) * tensor_pressure_scale(d)), limit = cell->friction * cell->r[0];
  double pressure = (cell->r[0] - extra->cohesion_impulse) * scale, mobility = limit > 0 ? cell_tangent(d, cell->r) / limit : 1;
  double opening = opening_of(d, s, cell, extra, step);
  extra->energy = extra->removed = 0;
  extra->removed_count = 0;
  for (uint32_t i = s->grid.first[extra->place]; i < s->grid.first[extra->place + 1]; i++) {
    granular_point *p = &s->sorted[i];
    double f[3];
    fetch_point(s, i + AHEAD);
    *p = *point_of(s, i);
    place_in_cell(s, p, at, f);
    read_point(d, &velocity, f, p);
    for (int a = 0; a < d; a++) p->x[a] += step * p->u[a];
    p->fraction = (float)extra->fraction, p->pressure = (float)pressure, p->mobility = (float)mobility;
    p->packing = packing_of(extra, p->packing, opening);
    loosen(s, p, step);
    const double half = 0.5 * granular_mass(s, p), energy = point_energy(d, s, p, half);
    bool changed = false, stays = keep_inside(s, p, &changed) && !is_in_outlet(s, p);
    if (stays)
      extra->energy += changed ? point_energy(d, s, p, half) : energy;
    else
      extra->removed += energy, p->pressure = -INFINITY, extra->removed_count++;
  }
}

WIDE static void move_cell(granular_state *s, size_t c, double step)
{
  if (s->d == 2)
    move_cell_of(2, s, c, step);
  else
    move_cell_of(3, s, c, step);
}

/* Fetches what move_cell reads and writes of a cell. */
INLINE void fetch_cell(const granular_state *s, uint32_t c)
{
  const char *cell = (const char *)&s->cells[c], *extra = (const char *)&s->extra[c];
  for (size_t k = 0; k < sizeof *s->cells; k += 64) __builtin_prefetch(cell + k);
  for (size_t k = 0; k < sizeof *s->extra; k += 64) __builtin_prefetch(extra + k, 1);
}

static void move_block(granular_state *s, uint32_t block, double step)
{
  uint32_t cell[GEO_GRID_BLOCK], count = by_place(s, block, cell);
  for (uint32_t k = 0; k < count; k++) {
    if (k + 2 < count) fetch_cell(s, cell[k + 2]);
    move_cell(s, cell[k], step);
  }
}

/* Takes out the points that left, in their order. */
static void take_out(granular_state *s)
{
  size_t live = 0;
  for (size_t i = 0; i < s->point_count; i++) {
    if (s->points[i].pressure == -INFINITY) {
      s->report.removed_mass += granular_mass(s, &s->points[i]);
      s->report.removed_volume += s->points[i].volume;
      continue;
    }
    if (live != i) s->points[live] = s->points[i];
    live++;
  }
  s->point_count = live;
}

void granular_to_points(granular_state *s, const granular_pass *pass, granular_energy *energy)
{
  uint32_t removed = 0;
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static, BLOCKS_AT_A_TIME)
  for (uint32_t b = 0; b < s->grid.block_count; b++) move_block(s, b, pass->step);
  for (size_t c = 0; c < s->cell_count; c++) {
    energy->points_after += s->extra[c].energy;
    energy->removed += s->extra[c].removed;
    removed += s->extra[c].removed_count;
  }
  granular_point *points = s->points;
  size_t capacity = s->point_capacity;
  s->points = s->sorted, s->point_capacity = s->sorted_capacity;
  s->sorted = points, s->sorted_capacity = capacity;
  if (removed > 0) take_out(s);
}
