/* Bond forces and the breaking of bonds.
 *
 *   F_i = sum_j k w s d / r,   d = x_j - x_i,  r = |d|,  s = r / L - 1,  k = c V^2,   s / r = 1 / L - 1 / r  (bond-based peridynamics; spec
 *   3.1)
 *
 * Forces of lattices and of equal grains come from bond_runs.c, those of other bodies from their rows: there both ends compute the same
 * force to the last bit, since d only changes its sign. The kernels mark what is near the critical stretch; what breaks is decided here. */
#include "methods/peridem/host/bonds/bond_force.h"

#include <string.h>

#include "base/memory.h"

/* What kernels need to go through the rows [begin, end) of a grain's own nodes. */
static pd_row_task rows_of(const pd_state *s, const pd_grain *grain, size_t begin, size_t end)
{
  const pd_host *h = s->host;
  const pd_body *body = &s->bodies[grain->body];
  pd_row_task task = {.bonds = grain->bonds,
                      .stiffness = body->stiffness,
                      .limit = (1 + pd_least_critical_stretch(body)) * (1 - 1e-12),
                      .torn = h->torn + grain->first,
                      .begin = begin - grain->first,
                      .end = end - grain->first};
  for (int a = 0; a < 3; a++) {
    task.position[a] = pd_axis(&h->position, a) + grain->first;
    task.force[a] = pd_axis(&h->force, a) + grain->first;
  }
  return task;
}

/* Of a block's nodes whose grains have no group; a block may hold parts of several grains. */
static size_t block_forces(const pd_state *s, size_t begin, size_t last)
{
  const pd_host *h = s->host;
  size_t torn = 0;
  while (begin < last) {
    size_t g = h->grain_of[begin];
    const pd_grain *grain = &h->grains[g];
    size_t grain_end = grain->first + s->bodies[grain->body].node_count, end = grain_end < last ? grain_end : last;
    if (h->runs.group_of[g] == PD_NO_GROUP) {
      pd_row_task task = rows_of(s, grain, begin, end);
      torn += h->kernels->rows(&task);
    }
    begin = end;
  }
  return torn;
}

size_t pd_bond_pass(pd_state *s)
{
  const pd_host *h = s->host;
  size_t torn = 0;
#pragma omp parallel num_threads(s->execution.threads) reduction(+ : torn)
  {
    torn += pd_runs_force(s);
#pragma omp for schedule(static) nowait
    for (size_t b = 0; b < h->block_count; b++)
      torn += block_forces(s, b * PD_BLOCK, b * PD_BLOCK + PD_BLOCK < s->node_count ? b * PD_BLOCK + PD_BLOCK : s->node_count);
  }
  return torn;
}

/* The pair i, j of the contact list is no longer joined. */
static void unmark_pair(pd_state *s, size_t i, size_t j)
{
  pd_host *h = s->host;
  for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1]; k++)
    if (h->near.other[k] == ((uint32_t)j | PD_BONDED)) {
      h->near.other[k] = (uint32_t)j;
      return;
    }
}

static scr_status log_break(pd_state *s, size_t i, size_t j, double load, scr_error *error)
{
  const pd_vectors *p = &s->host->position;
  if (!s->log) return SCR_OK;
  break_entry entry = {.time = (double)(s->step) * s->time_step,
                       .step = s->step,
                       .a = (uint32_t)i,
                       .b = (uint32_t)j,
                       .mode = BREAK_STRETCH,
                       .load = load,
                       .position = {0.5 * (p->x[i] + p->x[j]), 0.5 * (p->y[i] + p->y[j]), 0.5 * (p->z[i] + p->z[j])}};
  return breaks_add(s->log, &entry, error);
}

static double stretch_of(const pd_state *s, const pd_bonds *bonds, size_t i, size_t j, uint32_t slot)
{
  const pd_vectors *p = &s->host->position;
  double dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i], dz = p->z[j] - p->z[i];
  return sqrt(dx * dx + dy * dy + dz * dz) * bonds->inverse_length[slot] - 1.0;
}

/* Stretch at which the bond of nodes i, j of a grain breaks. */
static double critical_of(const pd_state *s, const pd_grain *grain, size_t i, size_t j)
{
  const pd_body *body = &s->bodies[grain->body];
  return body->critical_stretch *
         pd_strength_factor(&body->strength, s->host->grain_of[i], (uint32_t)(i - grain->first), (uint32_t)(j - grain->first));
}

/* Whether a bond that is stretched so much is past its critical stretch. */
static bool is_past(const pd_state *s, const pd_grain *grain, size_t i, size_t j, double stretch)
{
  return stretch > pd_least_critical_stretch(&s->bodies[grain->body]) && stretch > critical_of(s, grain, i, j);
}

/* Whether a bond of a marked node is past its critical stretch. */
static bool breaks(const pd_state *s, const pd_grain *grain, size_t i)
{
  const pd_bonds *bonds = grain->bonds;
  uint32_t first = bonds->first[i - grain->first];
  for (uint32_t k = first; k < first + bonds->count[i - grain->first]; k++) {
    size_t j = grain->first + bonds->other[k];
    if (is_past(s, grain, i, j, stretch_of(s, bonds, i, j, k))) return true;
  }
  return false;
}

/* Drops the torn bonds of one node; their energy, half at each end, goes to fracture. */
static scr_status break_row(pd_state *s, pd_grain *grain, size_t i, double *fracture, uint64_t *broken, scr_error *error)
{
  pd_host *h = s->host;
  const pd_body *body = &s->bodies[grain->body];
  pd_bonds *bonds = &grain->own;
  uint32_t row = (uint32_t)(i - grain->first);
  for (uint32_t k = bonds->first[row]; k < bonds->first[row] + bonds->count[row];) {
    size_t j = grain->first + bonds->other[k];
    double dx = h->position.x[j] - h->position.x[i], dy = h->position.y[j] - h->position.y[i], dz = h->position.z[j] - h->position.z[i];
    double stretch = stretch_of(s, bonds, i, j, k);
    if (!is_past(s, grain, i, j, stretch)) {
      k++;
      continue;
    }
    double weight = bonds->weight ? bonds->weight[k] : 1.0;
    *fracture += 0.25 * body->stiffness * weight * stretch * stretch / bonds->inverse_length[k];
    if (i < j) {
      double f = body->stiffness * weight * stretch * bonds->inverse_length[k] / (stretch + 1.0); /* k w s / r */
      SCR_TRY(mem_reserve(&h->torn_bonds, &h->torn_bond_capacity, h->torn_bond_count + 1, sizeof *h->torn_bonds, "the bonds that broke",
                          error));
      h->torn_bonds[h->torn_bond_count++] = (pd_torn_bond){(uint32_t)i, (uint32_t)j, {f * dx, f * dy, f * dz}};
      ++*broken;
      SCR_TRY(log_break(s, i, j, stretch / critical_of(s, grain, i, j), error));
      SCR_TRY(pd_runs_remove(&h->runs, s, i, j, error));
    }
    if (!h->near.stale) unmark_pair(s, i, j);
    pd_bonds_remove(bonds, row, k);
  }
  return SCR_OK;
}

scr_status pd_break_bonds(pd_state *s, double *fracture, uint64_t *broken, scr_error *error)
{
  pd_host *h = s->host;
  for (size_t i = 0; i < s->node_count; i++) {
    if (!h->torn[i]) continue;
    pd_grain *grain = &h->grains[h->grain_of[i]];
    h->torn[i] = 0;
    if (!breaks(s, grain, i)) continue;
    if (grain->bonds != &grain->own) {
      SCR_TRY(pd_bonds_copy(&grain->own, grain->bonds, error));
      grain->bonds = &grain->own;
      h->near.stale = true; /* the list left out this grain's bonded pairs, which may break from now on */
    }
    SCR_TRY(break_row(s, grain, i, fracture, broken, error));
  }
  return SCR_OK;
}

static void block_energy(const void *user, size_t begin, size_t last, double *total)
{
  const pd_state *s = user;
  const pd_host *h = s->host;
  while (begin < last) {
    const pd_grain *grain = &h->grains[h->grain_of[begin]];
    const pd_body *body = &s->bodies[grain->body];
    size_t grain_end = grain->first + body->node_count, end = grain_end < last ? grain_end : last;
    pd_row_task task = rows_of(s, grain, begin, end);
    *total += 0.25 * body->stiffness * h->kernels->energy(&task); /* 1/2 per bond, and each bond is seen from both ends */
    begin = end;
  }
}

double pd_energy_elastic(const pd_state *s)
{
  double total = 0;
  pd_sum_nodes(s, 1, block_energy, s, &total);
  return total;
}
