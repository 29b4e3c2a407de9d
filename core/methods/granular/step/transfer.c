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
#include "methods/granular/step/stages.h"

static void place_in_cell(const granular_state *s, const granular_point *p, const int64_t cell[3], double f[3])
{
  for (int a = 0; a < 3; a++) f[a] = a < s->d ? (p->x[a] - s->domain.origin[a]) / s->domain.h - (double)cell[a] : 0;
}

static double affine_energy(const granular_state *s, const granular_point *p, const double f[3])
{
  double h = s->domain.h, sum = 0;
  for (int a = 0; a < s->d; a++)
    sum += h * h * f[a] * (1 - f[a]) * (p->c[a][0] * p->c[a][0] + p->c[a][1] * p->c[a][1] + p->c[a][2] * p->c[a][2]);
  return 0.5 * granular_mass(s, p) * (p->u[0] * p->u[0] + p->u[1] * p->u[1] + p->u[2] * p->u[2] + sum);
}

double granular_point_energy(const granular_state *s, const granular_point *p)
{
  double f[3] = {0};
  for (int a = 0; a < s->d; a++) {
    double x = (p->x[a] - s->domain.origin[a]) / s->domain.h;
    f[a] = x - floor(x);
  }
  return affine_energy(s, p, f);
}

/* What is summed up over the points of a cell. */
typedef struct cell_sum {
  double edge[GRANULAR_EDGES];
  double volume, friction, increment, constant, diameter, density, cohesion; /* all but the first times volume */
  double energy;
} cell_sum;

static inline __attribute__((always_inline)) void shape(int d, const double f[3], double *w)
{
  for (int n = 0; n < (d == 2 ? 4 : 8); n++) {
    w[n] = (n & 1 ? f[0] : 1 - f[0]) * (n & 2 ? f[1] : 1 - f[1]);
    if (d == 3) w[n] *= n & 4 ? f[2] : 1 - f[2];
  }
}

static inline __attribute__((always_inline)) void add_point(int d, const granular_point *p, const double f[3], double h, double mass,
                                                            double wall, double *corners, double *edge)
{
  double w[GEO_GRID_CORNERS];
  shape(d, f, w);
  for (int n = 0; n < (d == 2 ? 4 : 8); n++) {
    double *to = corners + n * GRANULAR_SUMS, m = mass * w[n], arm[3];
    for (int a = 0; a < d; a++) arm[a] = h * ((double)(n >> a & 1) - f[a]);
    to[0] += m;
    for (int i = 0; i < d; i++) {
      double u = p->u[i];
      for (int a = 0; a < d; a++) u += p->c[a][i] * arm[a];
      to[1 + i] += m * u;
    }
    to[4] += p->volume * w[n];
    to[5] += p->volume * w[n] * wall;
  }
  for (int a = 0; a < d; a++)
    for (int e = 0; e < (d == 2 ? 2 : 4); e++) {
      const int b = (a + 1) % d, k = (a + 2) % d;
      double share = e & 1 ? f[b] : 1 - f[b];
      if (d == 3) share *= e >> 1 ? f[k] : 1 - f[k];
      edge[4 * a + e] += p->volume * share;
    }
}

/* What a point adds to its cell's means. */
static void add_means(const granular_material *m, const granular_point *p, cell_sum *sum)
{
  sum->volume += p->volume;
  sum->friction += p->volume * m->internal_friction;
  sum->increment += p->volume * m->friction_increment;
  sum->constant += p->volume * m->inertial_constant;
  sum->diameter += p->volume * (isnan(m->grain_diameter) ? 0 : m->grain_diameter);
  sum->density += p->volume * m->density;
  sum->cohesion += p->volume * p->cohesion;
}

static void sum_cell(granular_state *s, size_t c, cell_sum *sum)
{
  granular_cell *cell = &s->cells[c];
  granular_extra *extra = &s->extra[c];
  double *corners = s->corners + c * s->grid.corner_count * GRANULAR_SUMS;
  int64_t at[3];
  *sum = (cell_sum){.volume = 0};
  memset(corners, 0, s->grid.corner_count * GRANULAR_SUMS * sizeof *corners);
  geo_grid_place(&s->grid, extra->place, at);
  for (uint32_t i = s->grid.first[extra->place]; i < s->grid.first[extra->place + 1]; i++) {
    const granular_point *p = &s->points[i];
    const granular_material *m = scr_scene_material(s->scene, p->material);
    const granular_surface *wall = scr_scene_surface(s->scene, p->material, s->scene->material_count);
    double f[3], mass = granular_bulk_density(m) * p->volume;
    place_in_cell(s, p, at, f);
    if (s->d == 2)
      add_point(2, p, f, s->domain.h, mass, wall->friction_coefficient, corners, sum->edge);
    else
      add_point(3, p, f, s->domain.h, mass, wall->friction_coefficient, corners, sum->edge);
    add_means(m, p, sum);
    sum->energy += affine_energy(s, p, f);
  }
  double per = 1 / (granular_cell_volume(s) * s->domain.h);
  for (int e = 0; e < GRANULAR_EDGES; e++) cell->edge[e] = sum->edge[e] * per;
}

/* Friction of a cell and what mu(I) and cohesion need of it; the rate follows when nodes have velocities. */
static void keep_means(granular_state *s, size_t c, const cell_sum *sum)
{
  granular_extra *extra = &s->extra[c];
  double per = 1 / sum->volume;
  extra->volume = sum->volume;
  extra->friction = sum->friction * per;
  extra->increment = sum->increment * per;
  extra->constant = sum->constant * per;
  extra->diameter = sum->diameter * per;
  extra->density = sum->density * per;
  extra->cohesion = sum->cohesion * per;
  extra->energy = sum->energy;
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
  size_t places = s->grid.cell_count;
  (void)error;
#pragma omp parallel for num_threads(pass->threads) schedule(static)
  for (size_t c = 0; c < s->cell_count; c++) {
    cell_sum sum;
    sum_cell(s, c, &sum);
    keep_means(s, c, &sum);
  }
  memset(s->sums, 0, places * GRANULAR_SUMS * sizeof *s->sums);
  for (int colour = 0; colour < GRANULAR_COLOURS; colour++) {
#pragma omp parallel for num_threads(pass->threads) schedule(static)
    for (uint32_t k = s->colour_first[colour]; k < s->colour_first[colour + 1]; k++) add_corners(s, s->colour_block[k]);
  }
#pragma omp parallel for num_threads(pass->threads) schedule(static)
  for (size_t n = 0; n < places; n++) {
    double *sum = s->sums + n * GRANULAR_SUMS, inverse = sum[0] > 0 ? 1 / sum[0] : 0;
    for (int i = 0; i < 3; i++) s->nodes[n].u[i] = sum[1 + i] *= inverse;
    s->nodes[n].inverse_mass = inverse;
  }
  for (size_t c = 0; c < s->cell_count; c++) energy->points_before += s->extra[c].energy;
  return SCR_OK;
}

/* ── back ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static inline __attribute__((always_inline)) void read_nodes(int d, const granular_cell *cell, const granular_node *nodes, double h,
                                                             const double f[3], granular_point *p)
{
  double w[GEO_GRID_CORNERS];
  shape(d, f, w);
  memset(p->u, 0, sizeof p->u);
  memset(p->c, 0, sizeof p->c);
  for (int n = 0; n < (d == 2 ? 4 : 8); n++)
    for (int i = 0; i < d; i++) p->u[i] += w[n] * nodes[cell->node[n]].u[i];
  for (int a = 0; a < d; a++)
    for (int e = 0; e < (d == 2 ? 2 : 4); e++) {
      const int b = (a + 1) % d, k = (a + 2) % d, near = (e & 1) << b | (d == 3 ? (e >> 1) << k : 0);
      double share = (e & 1 ? f[b] : 1 - f[b]) / h;
      if (d == 3) share *= e >> 1 ? f[k] : 1 - f[k];
      const double *low = nodes[cell->node[near]].u, *high = nodes[cell->node[near | 1 << a]].u;
      for (int i = 0; i < d; i++) p->c[a][i] += share * (high[i] - low[i]);
    }
}

/* Keeps a point in the domain where it is closed, brings it back in where it goes around. @return false: it left through an open side */
static bool keep_inside(const granular_state *s, granular_point *p)
{
  for (int a = 0; a < s->d; a++) {
    double low = s->domain.origin[a], length = s->domain.h * s->domain.cells[a], high = low + length, slack = 1e-6 * s->domain.h;
    if (s->periodic[a]) {
      if (p->x[a] < low) p->x[a] += length;
      if (p->x[a] >= high) p->x[a] -= length;
      p->x[a] = fmax(p->x[a], low);
      continue;
    }
    bool below = p->x[a]<low + slack, above = p->x[a]> high - slack;
    if ((below || above) && s->scene->rig.kind != SCR_RIG_BOX) return false;
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
  double rate[GRANULAR_TENSOR];
  if (p->cohesion == 0 || m->debonding == 0) return;
  tensor_strain(s->d, p->c, rate);
  p->cohesion /= 1 + m->debonding * step * tensor_deviator(s->d, rate);
}

/* Moves the points of a cell; those that leave get volume 0. */
static void move_cell(granular_state *s, size_t c, double step)
{
  const granular_cell *cell = &s->cells[c];
  granular_extra *extra = &s->extra[c];
  int64_t at[3];
  geo_grid_place(&s->grid, extra->place, at);
  double scale = 1 / (step * granular_cell_volume(s) * tensor_pressure_scale(s->d)), limit = cell->friction * cell->r[0];
  double pressure = (cell->r[0] - extra->cohesion_impulse) * scale, mobility = limit > 0 ? tensor_deviator(s->d, cell->r) / limit : 1;
  extra->energy = extra->removed = 0;
  for (uint32_t i = s->grid.first[extra->place]; i < s->grid.first[extra->place + 1]; i++) {
    granular_point *p = &s->points[i];
    double f[3];
    place_in_cell(s, p, at, f);
    if (s->d == 2)
      read_nodes(2, cell, s->nodes, s->domain.h, f, p);
    else
      read_nodes(3, cell, s->nodes, s->domain.h, f, p);
    for (int a = 0; a < s->d; a++) p->x[a] += step * p->u[a];
    p->fraction = extra->fraction, p->pressure = pressure, p->mobility = mobility;
    loosen(s, p, step);
    double energy = granular_point_energy(s, p);
    bool stays = keep_inside(s, p) && !is_in_outlet(s, p);
    if (stays)
      extra->energy += granular_point_energy(s, p);
    else
      extra->removed += energy, p->pressure = -INFINITY;
  }
}

void granular_to_points(granular_state *s, const granular_pass *pass, granular_energy *energy)
{
  size_t live = 0;
#pragma omp parallel for num_threads(pass->threads) schedule(static)
  for (size_t c = 0; c < s->cell_count; c++) move_cell(s, c, pass->step);
  for (size_t c = 0; c < s->cell_count; c++) {
    energy->points_after += s->extra[c].energy;
    energy->removed += s->extra[c].removed;
  }
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
