/* Which near ends go side by side: the partition of a body's nodes, in a given order of places, into vectors with the fewest entries. */
#include "methods/peridem/host/bonds/bond_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { VECTOR_COST = 2, KIND_LIMIT = 1 << 24 }; /* of a vector beside its entries, in entries */

/* What the search for the partition needs of a body. */
typedef struct planner {
  const pd_bonds *bonds;
  uint32_t *stamp; /* [reach + 1] mark of a distance */
  uint32_t *slot;  /* [reach + 1] a distance's class, then its entry in the vector being made */
  uint32_t *cost;  /* [n + 1] of vectors and entries up to a place, at least */
  uint8_t *length; /* [n + 1] of the vector that ends there */
  uint32_t mark;
  uint32_t *table; /* [table_size] hash of kinds, number + 1 */
  size_t table_size;
  uint32_t *kind_of; /* [slot_count] class of a bond; of upward ones */
  size_t kind_capacity, entry_capacity;
} planner;

static void planner_clear(planner *p)
{
  void *all[] = {p->stamp, p->slot, p->cost, p->length, p->table, p->kind_of};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

static scr_status planner_create(planner *p, const pd_bonds *bonds, size_t reach, scr_error *error)
{
  size_t n = bonds->node_count;
  size_t table_size = 1024;
  while (table_size < bonds->slot_count) table_size *= 2;
  *p = (planner){.bonds = bonds,
                 .table_size = table_size,
                 .stamp = mem_array(reach + 1, sizeof *p->stamp),
                 .slot = mem_array(reach + 1, sizeof *p->slot),
                 .cost = mem_array(n + 1, sizeof *p->cost),
                 .length = mem_array(n + 1, 1),
                 .table = mem_array(table_size, sizeof *p->table),
                 .kind_of = mem_array(bonds->slot_count + 1, sizeof *p->kind_of)};
  if (p->stamp && p->slot && p->cost && p->length && p->table && p->kind_of) return SCR_OK;
  return scr_fail_memory(error, "the order of bonds", bonds->slot_count * sizeof *p->kind_of);
}

/* The bonds of a place's node with nodes at later places: FOR_UPWARD(p, at, k, far) { bond k of the rows leads to place far } */
#define FOR_UPWARD(plan, bonds, at, k, far)                                                                                                \
  for (uint32_t k = (bonds)->first[(plan)->node[at]], k##_end = k + (bonds)->count[(plan)->node[at]], far; k < k##_end; k++)               \
    if ((far = (plan)->place[(bonds)->other[k]]) > (at))

static size_t reach_of(const pd_run_plan *plan, const pd_bonds *bonds)
{
  size_t reach = 0;
  for (size_t i = 0; i < bonds->node_count; i++) FOR_UPWARD(plan, bonds, i, k, far) reach = far - i > reach ? far - i : reach;
  return reach;
}

static uint64_t mix(double a, double b)
{
  uint64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  x = (x ^ y * 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  return x ^ x >> 29;
}

static bool same_class(const pd_bond_class *a, const pd_bond_class *b)
{
  return a->limit == b->limit && a->weight == b->weight && a->per_length == b->per_length;
}

/* Numbers the classes of all upward bonds. @param weights whether classes are of weights as well as of lengths
 *  @return false when there are too many, or too many for the memory */
static bool find_kinds(planner *p, pd_run_plan *plan, double critical_stretch, bool weights)
{
  const pd_bonds *bonds = p->bonds;
  memset(p->table, 0, p->table_size * sizeof *p->table);
  plan->kind_count = 0;
  for (size_t i = 0; i < bonds->node_count; i++) FOR_UPWARD(plan, bonds, i, k, far)
    {
      double weight = weights && bonds->weight ? bonds->weight[k] : 1, inverse = bonds->inverse_length[k];
      double most = (1 + critical_stretch) / inverse; /* INFINITY when unbreakable */
      pd_bond_class kind = {.limit = most * most * (1 - 1e-12), .weight = weight, .per_length = weight * inverse};
      size_t at = mix(inverse, weight) & (p->table_size - 1);
      while (p->table[at] && !same_class(&plan->kind[p->table[at] - 1], &kind)) at = (at + 1) & (p->table_size - 1);
      if (!p->table[at]) {
        if (plan->kind_count == KIND_LIMIT || !mem_grow(&plan->kind, &p->kind_capacity, plan->kind_count + 1, sizeof kind)) return false;
        plan->kind[plan->kind_count++] = kind;
        p->table[at] = (uint32_t)plan->kind_count;
      }
      p->kind_of[k] = p->table[at] - 1;
    }
  return true;
}

/* Distances between the ends of the bonds of place q that have not got the present mark, or had it from a bond of another class. */
static uint32_t new_distances(planner *p, const pd_run_plan *plan, size_t q)
{
  uint32_t found = 0;
  FOR_UPWARD(plan, p->bonds, q, k, far)
  {
    uint32_t distance = far - (uint32_t)q;
    found += p->stamp[distance] != p->mark || p->slot[distance] != p->kind_of[k];
    p->stamp[distance] = p->mark;
    p->slot[distance] = p->kind_of[k];
  }
  return found;
}

/* The cheapest partition into vectors of one to eight places, by dynamic programming from place 0 on. @return number of vectors */
static size_t partition(planner *p, const pd_run_plan *plan)
{
  size_t n = p->bonds->node_count, vectors = 0;
  memset(p->cost, 255, (n + 1) * sizeof *p->cost);
  p->cost[0] = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t entries = VECTOR_COST;
    p->mark++;
    for (size_t length = 1; length <= PD_LANES && i + length <= n; length++) {
      entries += new_distances(p, plan, i + length - 1);
      if (p->cost[i] + entries < p->cost[i + length]) {
        p->cost[i + length] = p->cost[i] + entries;
        p->length[i + length] = (uint8_t)length;
      }
    }
  }
  for (size_t end = n; end > 0; end -= p->length[end]) vectors++;
  return vectors;
}

static int compare_far(const void *a, const void *b)
{
  const pd_run_entry *x = a, *y = b;
  return x->far != y->far ? (x->far < y->far ? -1 : 1) : (x->kind < y->kind ? -1 : x->kind > y->kind);
}

/* Puts entries whose far ends overlap apart: a load from where two stores have just been has to wait for both. */
static void spread(pd_run_entry *entry, size_t count, pd_run_entry *copy)
{
  qsort(entry, count, sizeof *entry, compare_far);
  memcpy(copy, entry, count * sizeof *copy);
  uint32_t rank = 0, made = 0;
  for (uint32_t turn = 0; made < count; turn++)
    for (size_t k = 0; k < count; k++) {
      rank = k && copy[k].far - copy[k - 1].far <= 1 ? rank + 1 : 0;
      if (rank == turn) entry[made++] = copy[k];
    }
}

/* Entries of the vector of places [begin, end). @param weight receives those of their lanes; NULL: classes have them    @return how many */
static size_t fill_vector(planner *p, const pd_run_plan *plan, size_t begin, size_t end, pd_run_entry *entry, double (*weight)[PD_LANES])
{
  size_t count = 0;
  p->mark++;
  for (size_t q = begin; q < end; q++) FOR_UPWARD(plan, p->bonds, q, k, far)
    {
      uint32_t distance = far - (uint32_t)q, lane = 1u << (q - begin);
      far = (uint32_t)begin + distance;
      size_t at = p->stamp[distance] == p->mark ? p->slot[distance] : count;
      while (at < count && (entry[at].far != far || entry[at].kind >> 8 != p->kind_of[k]))
        at++; /* lengths may differ, on bodies that are no lattice */
      if (at == count) {
        if (weight) memset(weight[count], 0, sizeof *weight);
        entry[count++] = (pd_run_entry){far, p->kind_of[k] << 8};
      }
      entry[at].kind |= lane;
      if (weight) weight[at][q - begin] = p->bonds->weight[k];
      if (p->stamp[distance] != p->mark) p->slot[distance] = (uint32_t)at;
      p->stamp[distance] = p->mark;
    }
  return count;
}

static uint64_t mix_lanes(const pd_lane_class *kind)
{
  uint64_t words[sizeof *kind / sizeof(uint64_t)], x = 0;
  memcpy(words, kind, sizeof words);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) x = (x ^ words[k]) * 0x9E3779B97F4A7C15u, x ^= x >> 31;
  return x;
}

static bool equal_lanes(const pd_lane_class *a, const pd_lane_class *b)
{
  for (int k = 0; k < PD_LANES; k++)
    if (a->weight[k] != b->weight[k]) return false;
  return a->limit == b->limit && a->inverse_length == b->inverse_length;
}

/* Gives entries, whose classes are lengths, classes with the weights of their lanes, each once. @param length [] the classes of length
 *  @return false when there are too many, or too many for the memory */
static bool name_lanes(planner *p, pd_run_plan *plan, const pd_bond_class *length, pd_run_entry *entry, size_t count,
                       const double (*weight)[PD_LANES])
{
  for (size_t k = 0; k < count; k++) {
    const pd_bond_class *of = &length[entry[k].kind >> 8];
    pd_lane_class kind = {.limit = of->limit, .inverse_length = of->per_length};
    memcpy(kind.weight, weight[k], sizeof kind.weight);
    size_t at = mix_lanes(&kind) & (p->table_size - 1);
    while (p->table[at] && !equal_lanes(&plan->lane_kind[p->table[at] - 1], &kind)) at = (at + 1) & (p->table_size - 1);
    if (!p->table[at]) {
      if (plan->kind_count == KIND_LIMIT || !mem_grow(&plan->lane_kind, &p->kind_capacity, plan->kind_count + 1, sizeof kind)) return false;
      plan->lane_kind[plan->kind_count++] = kind;
      p->table[at] = (uint32_t)plan->kind_count;
    }
    entry[k].kind = (p->table[at] - 1) << 8 | (entry[k].kind & 0xff);
  }
  return true;
}

/* Vectors of neighbouring nodes. @param length classes of length where lanes have weights of their own, else NULL */
static scr_status fill_neighbours(planner *p, pd_run_plan *plan, const pd_bond_class *length, scr_error *error)
{
  size_t n = p->bonds->node_count, v = plan->vector_count, most = 0;
  plan->near[v] = (uint32_t)n;
  for (size_t end = n; end > 0; end -= p->length[end]) plan->near[--v] = (uint32_t)(end - p->length[end]);
  for (size_t i = 0; i < n; i++) most = p->bonds->count[i] > most ? p->bonds->count[i] : most;
  most *= PD_LANES;
  pd_run_entry *copy = mem_array(most + 1, sizeof *copy);
  double(*weight)[PD_LANES] = length ? mem_array(most + 1, sizeof *weight) : NULL;
  bool whole = copy && (weight || !length);
  for (v = 0; whole && v < plan->vector_count; v++) {
    whole = mem_grow(&plan->entry, &p->entry_capacity, plan->entry_count + most + PD_SPARE_ENTRIES, sizeof *copy);
    if (!whole) break;
    pd_run_entry *entry = plan->entry + plan->entry_count;
    plan->first[v] = (uint32_t)plan->entry_count;
    size_t count = fill_vector(p, plan, plan->near[v], plan->near[v + 1], entry, weight);
    whole = !length || name_lanes(p, plan, length, entry, count, (const double(*)[PD_LANES])weight);
    spread(entry, count, copy);
    plan->entry_count += count;
  }
  if (whole) plan->first[v] = (uint32_t)plan->entry_count;
  mem_free(copy);
  mem_free(weight);
  return whole ? SCR_OK : scr_fail_memory(error, "the order of bonds", (plan->entry_count + most) * sizeof *copy);
}

/* A vector for each place, of which there are eight. */
static void fill_grains(planner *p, pd_run_plan *plan)
{
  const pd_bonds *bonds = p->bonds;
  size_t n = bonds->node_count;
  for (size_t i = 0; i < n; i++) {
    plan->near[i] = (uint32_t)(PD_LANES * i);
    plan->first[i] = (uint32_t)plan->entry_count;
    FOR_UPWARD(plan, bonds, i, k, far)
    plan->entry[plan->entry_count++] = (pd_run_entry){PD_LANES * far, p->kind_of[k] << 8 | 0xff};
  }
  plan->near[n] = (uint32_t)(PD_LANES * n);
  plan->first[n] = (uint32_t)plan->entry_count;
}

/* Finds how many vectors of neighbours there are.
 *  @param varied receives whether lanes have weights of their own, which costs up to a fifth more for each entry but needs fewer of them
 *  @return 0 where rows are quicker: an entry costs about as much as five bonds in rows, seen from both ends */
static size_t choose_vectors(planner *p, pd_run_plan *plan, double critical_stretch, bool *varied)
{
  size_t n = p->bonds->node_count;
  double rows = (double)p->bonds->slot_count / 5; /* 2.5 bonds an entry */
  *varied = false;
  if (!find_kinds(p, plan, critical_stretch, true)) return 0;
  size_t vectors = partition(p, plan);
  double alike = p->cost[n];
  if (p->bonds->weight && find_kinds(p, plan, critical_stretch, false)) {
    size_t others = partition(p, plan);
    *varied = 1.2 * p->cost[n] < fmin(alike, rows);
    if (*varied) return others;
  }
  if (alike >= rows) return 0;
  return find_kinds(p, plan, critical_stretch, true) ? partition(p, plan) : vectors;
}

/* Vectors of neighbours whose bonds have weights of their own: their lengths' classes give way to those with the weights. */
static scr_status fill_varied(planner *p, pd_run_plan *plan, scr_error *error)
{
  pd_bond_class *length = plan->kind;
  plan->kind = NULL;
  plan->kind_count = p->kind_capacity = 0;
  memset(p->table, 0, p->table_size * sizeof *p->table);
  scr_status status = fill_neighbours(p, plan, length, error);
  mem_free(length);
  return status;
}

static scr_status make_plan(planner *p, pd_run_plan *plan, double critical_stretch, scr_error *error)
{
  const pd_bonds *bonds = p->bonds;
  size_t half = bonds->slot_count / 2;
  bool varied = false;
  if (PD_LANES * bonds->node_count > UINT32_MAX) return SCR_OK;
  size_t vectors = bonds->node_count;
  if (plan->lanes == 1)
    vectors = choose_vectors(p, plan, critical_stretch, &varied);
  else if (!find_kinds(p, plan, critical_stretch, true))
    vectors = 0;
  if (!vectors) return SCR_OK;
  plan->near = mem_array(vectors + 1, sizeof *plan->near);
  plan->first = mem_array(vectors + 1, sizeof *plan->first);
  if (plan->lanes != 1) plan->entry = mem_array(half + 1, sizeof *plan->entry);
  if (!plan->near || !plan->first || (plan->lanes != 1 && !plan->entry))
    return scr_fail_memory(error, "the order of bonds", half * sizeof *plan->entry);
  plan->vector_count = vectors;
  if (varied) return fill_varied(p, plan, error);
  if (plan->lanes == 1) return fill_neighbours(p, plan, NULL, error);
  fill_grains(p, plan);
  return SCR_OK;
}

scr_status pd_run_plan_make(pd_run_plan *plan, const pd_bonds *bonds, double critical_stretch, const uint32_t *order, size_t lanes,
                            scr_error *error)
{
  planner p = {0};
  size_t n = bonds->node_count;
  *plan = (pd_run_plan){.lanes = lanes, .node = mem_array(n, sizeof *plan->node), .place = mem_array(n, sizeof *plan->place)};
  if (!plan->node || !plan->place) return scr_fail_memory(error, "the order of nodes", n * sizeof *plan->node);
  for (size_t k = 0; k < n; k++) plan->place[plan->node[k] = order[k]] = (uint32_t)k;
  plan->reach = reach_of(plan, bonds);
  scr_status status = planner_create(&p, bonds, plan->reach, error);
  if (status == SCR_OK) status = make_plan(&p, plan, critical_stretch, error);
  planner_clear(&p);
  return status;
}

void pd_run_plan_clear(pd_run_plan *plan)
{
  void *all[] = {plan->node, plan->place, plan->near, plan->first, plan->entry, plan->kind, plan->lane_kind};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  *plan = (pd_run_plan){0};
}
