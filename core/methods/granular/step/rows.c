/* What the law needs of each cell: how full it is, its friction, and bounds of its matrix W = B M^-1 B^T. */
#include <math.h>

#include "methods/granular/law/bound.h"
#include "methods/granular/law/cone.h"
#include "methods/granular/law/inertial.h"
#include "methods/granular/law/packing.h"
#include "methods/granular/step/bodies.h"

#define MOSTLY_OPEN 0.5
#define LEAST_OPEN 0.05 /* share of a cell below which it counts as so open, that fractions stay finite */

static double open_of(const granular_state *s, uint32_t cell)
{
  return s->walls_stand ? 1 : fmax(s->open[cell], LEAST_OPEN);
}

/* Share of a node's cells, in cells, that is in the domain and free. */
static double open_share_of(const granular_state *s, uint32_t node)
{
  int64_t at[3];
  double open = 0;
  bool amid = s->walls_stand;
  geo_grid_place(&s->grid, node, at);
  for (int a = 0; a < s->d; a++) amid = amid && (s->periodic[a] || (at[a] > 0 && at[a] < (int64_t)s->domain.cells[a]));
  if (amid) return 1;
  for (uint32_t n = 0; n < s->grid.corner_count; n++) {
    int64_t cell[3];
    bool inside = true;
    for (int a = 0; a < 3; a++) {
      cell[a] = at[a] - (a < s->d ? (int64_t)(n >> a & 1) : 0);
      int64_t count = s->domain.cells[a];
      if (s->periodic[a]) cell[a] = (cell[a] + count) % count;
      inside = inside && cell[a] >= 0 && cell[a] < count;
    }
    if (!inside) continue;
    uint32_t number = s->walls_stand ? GEO_GRID_NONE : geo_grid_at(&s->grid, cell[0], cell[1], cell[2]);
    open += number == GEO_GRID_NONE ? 1 : s->open[number];
  }
  return fmax(open / s->grid.corner_count, LEAST_OPEN);
}

/* Whether all cells of a block's nodes are in the domain, and no part may lie in them. */
static bool is_amid(const granular_state *s, uint32_t block)
{
  int64_t first[3], last[3];
  bool amid = s->walls_stand;
  geo_grid_place(&s->grid, block * GEO_GRID_BLOCK, first);
  geo_grid_place(&s->grid, (block + 1) * GEO_GRID_BLOCK - 1, last);
  for (int a = 0; a < s->d; a++) amid = amid && (s->periodic[a] || (first[a] > 0 && last[a] < (int64_t)s->domain.cells[a]));
  return amid;
}

/* Fraction of the sand over the room around a node, into sums[4]. */
static void node_fractions(granular_state *s, scr_execution execution)
{
  double per = 1 / granular_cell_volume(s);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t block = 0; block < s->grid.block_count; block++) {
    const bool amid = is_amid(s, block);
    for (uint32_t n = block * GEO_GRID_BLOCK; n < (block + 1) * GEO_GRID_BLOCK; n++) {
      double *sum = s->sums + (size_t)n * GRANULAR_SUMS;
      if (sum[0] > 0) sum[4] *= amid ? per : per / open_share_of(s, n);
    }
  }
}

/* The rows of bound_hourglass. */
static inline __attribute__((always_inline)) void bound_modes(const granular_cell *c, const granular_node *nodes,
                                                              double w[GRANULAR_TENSOR][GRANULAR_TENSOR])
{
  const double weight = hourglass_weight(c->edge);
  double own = 0, cross[2] = {0, 0};
  for (int n = 0; n < 4; n++) {
    double k = hourglass_sign(n) * weight, inverse = nodes[c->node[n]].inverse_mass;
    own += k * k * inverse;
    cross[0] += inverse * k * (n & 1 ? c->edge[n >> 1] : -c->edge[n >> 1]);
    cross[1] += inverse * k * (n >> 1 ? c->edge[4 + (n & 1)] : -c->edge[4 + (n & 1)]);
  }
  bound_hourglass(own, cross, w);
}

/* The bounds of bound.h, from the weighted gradients of the corners. */
static inline __attribute__((always_inline)) void bound_cell(int d, granular_cell *c, const granular_node *nodes)
{
  double w[GRANULAR_TENSOR][GRANULAR_TENSOR], q[GRANULAR_TENSOR] = {0};
  for (int n = 0; n < (d == 2 ? 4 : 8); n++) {
    double g[3], inverse = nodes[c->node[n]].inverse_mass;
    for (int a = 0; a < d; a++) {
      const int b = (a + 1) % d, k = (a + 2) % d, e = (n >> b & 1) | (d == 3 ? (n >> k & 1) << 1 : 0);
      g[a] = n >> a & 1 ? c->edge[4 * a + e] : -c->edge[4 * a + e];
    }
    for (int a = 0; a < d; a++) q[a] += inverse * g[a] * g[a];
    // cppcheck-suppress uninitvar; the loop above fills it
    q[d] += inverse * g[0] * g[1];
    if (d == 2) continue;
    q[4] += inverse * g[0] * g[2];
    q[5] += inverse * g[1] * g[2];
  }
  bound_matrix(d, q, w);
  if (d == 2) bound_modes(c, nodes, w);
  bound_inverses(d, w, &c->inverse_normal, &c->inverse_tangent);
}

/* The cell's mean gradient times its fill. Points at random places give pressure waves to grow on where there is no friction, and take some
 * of the friction where there is: stress then differs from cell to cell. */
static void even_out(const granular_state *s, granular_cell *c, const granular_extra *extra)
{
  double share = extra->volume / granular_cell_volume(s) / (s->domain.h * (s->d == 2 ? 2 : 4));
  for (int a = 0; a < s->d; a++)
    for (int e = 0; e < (s->d == 2 ? 2 : 4); e++) c->edge[4 * a + e] = share;
}

/* How full a cell is, and the gap of its law. */
static void measure_cell(const granular_state *s, granular_cell *c, granular_extra *extra, double step)
{
  double open = open_of(s, extra->place), own = extra->volume / granular_cell_volume(s) / open, around = 0, least = INFINITY;
  for (uint32_t n = 0; n < s->grid.corner_count; n++) {
    double of_node = s->sums[(size_t)c->node[n] * GRANULAR_SUMS + 4];
    around += of_node, least = of_node < least ? of_node : least;
  }
  extra->fraction = extra->counted = packing_fraction(own, around / s->grid.corner_count);
  extra->surface = least < GRANULAR_SURFACE;
  if (!extra->surface) extra->packing = fmin(extra->packing, extra->counted + GRANULAR_CARRIED_BAND);
  c->gap = open * packing_gap(s->d, extra->fraction, step);
  if (extra->packing > extra->fraction) { /* what it lacks of its points' packing, weighted as its rate is by its fill */
    extra->fraction = extra->packing;
    c->gap = open * fmin(own / extra->packing, 1) * packing_gap(s->d, extra->packing, step);
  }
  if (open < MOSTLY_OPEN) c->gap = fmax(c->gap, 0); /* its nodes go with a part: over-filling can't be undone there */
}

void granular_make_rows(granular_state *s, const granular_pass *pass)
{
  node_fractions(s, pass->execution);
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static)
  for (size_t k = 0; k < s->cell_count; k++) {
    granular_cell *c = &s->cells[k];
    granular_extra *extra = &s->extra[k];
    measure_cell(s, c, extra, pass->step);
    c->friction = cone_friction(s->d, extra->friction);
    if ((extra->friction == 0 && extra->increment == 0) || (s->d == 2 && !extra->surface)) even_out(s, c, extra);
    if (s->d == 2)
      bound_cell(2, c, s->nodes);
    else
      bound_cell(3, c, s->nodes);
  }
}

/* ── stresses of the last step ──────────────────────────────────────────────────────────────────────────────────── */

/* Where the last step has the stresses of a block's cells; NULL: it has none. */
static const double *stresses_of(const granular_state *s, uint32_t block)
{
  uint32_t place = s->grid.block[block];
  size_t low = 0, high = s->warm_block_count; /* the first that does not lie before it */
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (s->warm_block[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == s->warm_block_count || s->warm_block[low] != place) return NULL;
  return s->warm + low * GEO_GRID_BLOCK * (size_t)cell_size(s->d);
}

/* mu(I) of a cell, by its rate and its pressure before the step. */
static void inertial(const granular_state *s, granular_cell *c, const granular_extra *extra, double scale)
{
  double rate[GRANULAR_TENSOR],
      least = 0.1 * extra->density * sqrt(s->gravity[0] * s->gravity[0] + s->gravity[1] * s->gravity[1] + s->gravity[2] * s->gravity[2]) *
              extra->diameter;
  if (extra->increment == 0) return;
  granular_rate(s->d, c, s->nodes, rate);
  double fill = fmax(extra->volume / granular_cell_volume(s), 0.05), pressure = fmax(c->r[0] * scale, fmax(least, 1e-300));
  double number = inertial_number(cell_tangent(s->d, rate) / fill, pressure, extra->diameter, extra->density);
  c->friction = cone_friction(s->d, inertial_friction(extra->friction, extra->increment, extra->constant, number));
}

/* Cohesion presses from outside: full in packed cells, none below nine tenths. */
static double cohesion_impulse(const granular_state *s, const granular_extra *extra, double step)
{
  double full = fmin(fmax((extra->fraction - 0.9) / 0.1, 0), 1);
  return full * extra->cohesion * tensor_pressure_scale(s->d) * step * granular_cell_volume(s);
}

static void start_block(granular_state *s, const granular_pass *pass, uint32_t block, const double *last)
{
  const int size = cell_size(s->d);
  double scale = 1 / (pass->step * granular_cell_volume(s) * tensor_pressure_scale(s->d));
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) {
    granular_cell *c = &s->cells[k];
    granular_extra *extra = &s->extra[k];
    for (int i = 0; i < size; i++) c->r[i] = last ? last[(extra->place % GEO_GRID_BLOCK) * (uint32_t)size + (uint32_t)i] * pass->step : 0;
    inertial(s, c, extra, scale);
    double limit = c->friction * c->r[0], tangent = cell_tangent(s->d, c->r);
    for (int i = 1; i < size && tangent > limit; i++) c->r[i] *= limit / tangent;
    extra->cohesion_impulse = cohesion_impulse(s, extra, pass->step);
  }
}

static inline __attribute__((always_inline)) void push_block_of(int d, granular_state *s, uint32_t block)
{
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) {
    granular_cell *c = &s->cells[k];
    double r[GRANULAR_TENSOR];
    for (int i = 0; i < GRANULAR_TENSOR; i++) r[i] = c->r[i];
    r[0] -= s->extra[k].cohesion_impulse;
    granular_push(d, c, s->nodes, r);
  }
}

/* With wider registers where the processor has them: the same operations in the same order, so the same bits. */
__attribute__((target_clones("avx2", "default"))) static void push_block(granular_state *s, uint32_t block)
{
  if (s->d == 2)
    push_block_of(2, s, block);
  else
    push_block_of(3, s, block);
}

/* Contacts of the last step by node and part; both lists ascend. */
static void start_contacts(granular_state *s, double step)
{
  size_t from = 0;
  for (size_t k = 0; k < s->contact_count; k++) {
    granular_contact *c = &s->contacts[k];
    uint64_t key = granular_contact_key(s, c);
    while (from < s->touch_count && s->touches[from].key < key) from++;
    bool known = from < s->touch_count && s->touches[from].key == key;
    for (int i = 0; i < s->d; i++) c->r[i] = known ? s->touches[from].force[i] * step : 0;
    if (c->body >= 0) granular_push_body(s, &s->bodies[c->body], c->arm, c->r);
  }
}

scr_status granular_warm_start(granular_state *s, const granular_pass *pass, scr_error *error)
{
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static)
  for (uint32_t b = 0; b < s->grid.block_count; b++) start_block(s, pass, b, stresses_of(s, b));
  start_contacts(s, pass->step);
  /* Under water sand bears a part of its weight: a start from all of it presses too much, and grains rub too much for many steps. */
  if (s->warm_block_count == 0 && !s->fluid) SCR_TRY(granular_start_from_weight(s, pass, error));
  granular_move_nodes(s, pass);
  return SCR_OK;
}

void granular_move_nodes(granular_state *s, const granular_pass *pass)
{
  const unsigned parts = pass->execution.threads;
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static)
  for (size_t n = 0; n < s->grid.cell_count; n++) {
    const double *before = s->sums + n * GRANULAR_SUMS + 1;
    for (int i = 0; i < s->d; i++) s->nodes[n].u[i] = before[i] + (s->nodes[n].inverse_mass > 0 ? pass->step * s->gravity[i] : 0);
  }
  for (int colour = 0; colour < GRANULAR_COLOURS; colour++) {
    if (s->colour_first[colour] == s->colour_first[colour + 1]) continue;
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (unsigned part = 0; part < parts; part++) {
      const uint32_t end = granular_first_of_share(s, colour, part + 1, parts);
      for (uint32_t k = granular_first_of_share(s, colour, part, parts); k < end; k++) push_block(s, s->colour_block[k]);
    }
  }
  for (size_t k = 0; k < s->contact_count; k++) {
    const granular_contact *c = &s->contacts[k];
    granular_node *node = &s->nodes[c->node];
    for (int i = 0; i < s->d; i++) node->u[i] += node->inverse_mass * c->r[i];
  }
}
