/* Bond forces and the breaking of bonds.
 *
 *   F_i = sum_j k w s d / r,   d = x_j - x_i,  r = |d|,  s = r / L - 1,  k = c V^2,   s / r = 1 / L - 1 / r  (bond-based peridynamics; spec
 *   3.1)
 *
 * Forces of lattices and of equal grains come from bond_runs.c, those of other bodies from their rows: there both ends compute the same
 * force to the last bit, since d only changes its sign. The kernels mark what is near the critical stretch; what breaks is decided here. */
#include "methods/peridem/host/bonds/bond_force.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/ranks/ranks.h"

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
  const pd_node_field places[] = {PD_NODE_VECTORS(h->position)};
  pd_ranks_update(s, places, 3);
#pragma omp parallel num_threads(s->execution.threads) reduction(+ : torn)
  {
    torn += pd_runs_work(s);
#pragma omp single
    pd_ranks_send_tiles(s);
    pd_runs_join(s);
#pragma omp for schedule(static) nowait
    for (size_t n = 0; n < h->own_count; n++) {
      size_t end, begin = pd_own_block(s, n, &end);
      torn += block_forces(s, begin, end);
    }
  }
  pd_ranks_send_forces(s);
  return pd_ranks_count(s, torn);
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

/* A bond past its critical stretch, as one of its nodes sees it: half of its energy. */
typedef struct broken_bond {
  uint32_t near, far;         /* nodes */
  double energy, load;        /* J; stretch over the critical one */
  double force[3], middle[3]; /* N, on `near`; m */
} broken_bond;

/* What own nodes have found, by near node, then in the order of its row. */
typedef struct broken_list {
  broken_bond *bond;
  size_t count, capacity;
} broken_list;

/* Looks through one node's row. */
static scr_status find_broken(const pd_state *s, const pd_grain *grain, size_t i, broken_list *list, scr_error *error)
{
  const pd_vectors *p = &s->host->position;
  const pd_body *body = &s->bodies[grain->body];
  const pd_bonds *bonds = grain->bonds;
  uint32_t first = bonds->first[i - grain->first];
  for (uint32_t k = first; k < first + bonds->count[i - grain->first]; k++) {
    size_t j = grain->first + bonds->other[k];
    if (s->host->seen && !s->host->seen[j]) continue;
    double stretch = stretch_of(s, bonds, i, j, k), weight = bonds->weight ? bonds->weight[k] : 1.0;
    if (!is_past(s, grain, i, j, stretch)) continue;
    SCR_TRY(mem_reserve(&list->bond, &list->capacity, list->count + 1, sizeof *list->bond, "the bonds that broke", error));
    double f = body->stiffness * weight * stretch * bonds->inverse_length[k] / (stretch + 1.0); /* k w s / r */
    list->bond[list->count++] = (broken_bond){.near = (uint32_t)i,
                                              .far = (uint32_t)j,
                                              .energy = 0.25 * body->stiffness * weight * stretch * stretch / bonds->inverse_length[k],
                                              .load = stretch / critical_of(s, grain, i, j),
                                              .force = {f * (p->x[j] - p->x[i]), f * (p->y[j] - p->y[i]), f * (p->z[j] - p->z[i])},
                                              .middle = {0.5 * (p->x[i] + p->x[j]), 0.5 * (p->y[i] + p->y[j]), 0.5 * (p->z[i] + p->z[j])}};
  }
  return SCR_OK;
}

static scr_status log_break(pd_state *s, const broken_bond *bond, scr_error *error)
{
  if (!s->log) return SCR_OK;
  break_entry entry = {.time = (double)(s->step) * s->time_step,
                       .step = s->step,
                       .a = bond->near,
                       .b = bond->far,
                       .mode = BREAK_STRETCH,
                       .load = bond->load,
                       .position = {bond->middle[0], bond->middle[1], bond->middle[2]}};
  return breaks_add(s->log, &entry, error);
}

/* Takes the bond out of its near node's row. */
static void drop_from_row(pd_bonds *bonds, uint32_t row, uint32_t other)
{
  for (uint32_t k = bonds->first[row]; k < bonds->first[row] + bonds->count[row]; k++)
    if (bonds->other[k] == other) {
      pd_bonds_remove(bonds, row, k);
      return;
    }
}

/* Drops a bond from its near node's row; its energy, half at each end, goes to fracture. */
static scr_status drop(pd_state *s, const broken_bond *bond, double *fracture, uint64_t *broken, scr_error *error)
{
  pd_host *h = s->host;
  pd_grain *grain = &h->grains[h->grain_of[bond->near]];
  bool holds = pd_holds(h, h->grain_of[bond->near]);
  if (!grain->broken) {
    h->near.stale = grain->broken = true; /* the list left out this grain's bonded pairs, which may break from now on */
    if (holds) SCR_TRY(pd_bonds_copy(&grain->own, grain->bonds, error));
    if (holds) grain->bonds = &grain->own;
  }
  *fracture += bond->energy;
  if (bond->near < bond->far) {
    SCR_TRY(
        mem_reserve(&h->torn_bonds, &h->torn_bond_capacity, h->torn_bond_count + 1, sizeof *h->torn_bonds, "the bonds that broke", error));
    h->torn_bonds[h->torn_bond_count++] = (pd_torn_bond){bond->near, bond->far, {bond->force[0], bond->force[1], bond->force[2]}};
    ++*broken;
    SCR_TRY(log_break(s, bond, error));
    if (holds) SCR_TRY(pd_runs_remove(&h->runs, s, bond->near, bond->far, error));
  }
  if (!holds) return SCR_OK;
  if (!h->near.stale) unmark_pair(s, bond->near, bond->far);
  drop_from_row(&grain->own, (uint32_t)(bond->near - grain->first), (uint32_t)(bond->far - grain->first));
  return SCR_OK;
}

/* Nodes marked by own tiles and rows, to those who own them; own nodes that anybody marked. Marks are gone then.
 * @return SCR_OK, with the own nodes' broken bonds in the list */
static scr_status find_all_broken(pd_state *s, broken_list *list, scr_error *error)
{
  pd_host *h = s->host;
  uint32_t *mine = NULL, *all = NULL;
  size_t count = 0, capacity = 0;
  scr_status status = SCR_OK;
  for (size_t i = 0; i < s->node_count && status == SCR_OK && h->ranks->team; i++) {
    if (!h->torn[i]) continue;
    status = mem_reserve(&mine, &capacity, count + 1, sizeof *mine, "the bonds that broke", error);
    if (status == SCR_OK) mine[count++] = (uint32_t)i;
  }
  if (h->ranks->team) count = pd_ranks_join(s, mine, count, sizeof *mine, (void **)&all);
  for (size_t k = 0; all && k < count; k++) h->torn[all[k]] = 1;
  for (size_t i = 0; i < s->node_count && status == SCR_OK; i++) {
    if (!h->torn[i]) continue;
    h->torn[i] = 0;
    if (pd_is_own(h, i)) status = find_broken(s, &h->grains[h->grain_of[i]], i, list, error);
  }
  mem_free(mine), mem_free(all);
  return status;
}

static int by_near(const void *a, const void *b)
{
  const broken_bond *p = a, *q = b;
  if (p->near != q->near) return p->near < q->near ? -1 : 1;
  return p->far < q->far ? -1 : p->far > q->far;
}

/* What all ranks have found, in the order of nodes. */
static scr_status join_broken(pd_state *s, broken_list *list)
{
  if (!s->host->ranks->team) return SCR_OK;
  broken_bond *all = NULL;
  size_t count = pd_ranks_join(s, list->bond, list->count, sizeof *all, (void **)&all);
  mem_free(list->bond);
  *list = (broken_list){all, count, count};
  qsort(all, count, sizeof *all, by_near);
  return SCR_OK;
}

scr_status pd_break_bonds(pd_state *s, double *fracture, uint64_t *broken, scr_error *error)
{
  broken_list list = {NULL, 0, 0};
  scr_status status = find_all_broken(s, &list, error);
  if (status == SCR_OK) status = join_broken(s, &list);
  for (size_t k = 0; k < list.count && status == SCR_OK; k++) status = drop(s, &list.bond[k], fracture, broken, error);
  mem_free(list.bond);
  return status;
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
