/* Bonds on the device: columns made from the host's runs and rows, entries taken out as bonds break. */
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/device/device_state.h"

/* ── runs ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What is at hand while columns are made: the host's order of work is gone through once to count and once more to fill. */
typedef struct run_maker {
  const pd_state *s;
  pd_run_columns *runs;
  uint32_t *kind;       /* [longest][columns] */
  uint32_t *tile_of;    /* [columns] that the node is a near end of */
  uint32_t *last;       /* [columns] part that the newest entry belongs to, and one */
  uint32_t *class_base; /* [plans] number of a plan's first class */
  bool counting;
} run_maker;

static size_t node_of(const pd_state *s, const pd_run_group *group, size_t element, unsigned lane)
{
  const pd_grain *grains = s->host->grains + group->grain;
  const uint32_t *node = group->plan->node;
  return group->plan->lanes == 1 ? grains->first + node[element + lane] : grains[lane].first + node[element / PD_LANES];
}

/* Class of an entry's lane: each lane of those with weights of their own has one. */
static uint32_t class_of(const run_maker *m, const pd_run_group *group, uint32_t kind, unsigned lane)
{
  const pd_run_plan *plan = group->plan;
  uint32_t base = m->class_base[plan - m->s->host->runs.plan];
  return plan->lane_kind ? base + kind * PD_LANES + lane : base + kind;
}

static void add_entry(run_maker *m, size_t node, size_t other, uint32_t class, uint32_t part)
{
  pd_run_columns *runs = m->runs;
  uint32_t column = runs->column_of[node];
  size_t at = (size_t)runs->count[column]++ * runs->node_count + column;
  if (m->counting) return;
  runs->other[at] = (uint32_t)other;
  m->kind[at] = class << 1 | (m->last[column] != part + 1);
  m->last[column] = part + 1;
}

/* Which entries of a tile are taken: those of lower nodes with nodes of the tile, own bonds, those with nodes of later tiles. */
typedef enum run_pass { PASS_LOWER, PASS_OWN, PASS_BEFORE, PASS_COUNT } run_pass;

static void add_tile(run_maker *m, size_t t, run_pass pass)
{
  const pd_runs *runs = &m->s->host->runs;
  const pd_run_tile *tile = &runs->tile[t];
  const pd_run_group *group = &runs->group[tile->group];
  const pd_run_plan *plan = group->plan;
  const uint32_t *first = group->first ? group->first : plan->first;
  const pd_run_entry *entry = group->first ? group->entry : plan->entry;
  for (size_t v = tile->begin; v < tile->end; v++)
    for (uint32_t k = first[v]; k < first[v + 1]; k++)
      for (uint32_t lanes = entry[k].kind & 0xff; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        size_t i = node_of(m->s, group, plan->near[v], lane), j = node_of(m->s, group, entry[k].far, lane);
        uint32_t class = class_of(m, group, entry[k].kind >> 8, lane);
        bool within = m->tile_of[m->runs->column_of[j]] == t;
        if (pass == PASS_OWN) add_entry(m, i, j, class, 1);
        if (pass == (within ? PASS_LOWER : PASS_BEFORE)) add_entry(m, j, i, class, within ? 0 : (uint32_t)(2 + t));
      }
}

static void add_all(run_maker *m)
{
  size_t tiles = m->s->host->runs.tile_count;
  memset(m->runs->count, 0, m->runs->node_count * sizeof *m->runs->count);
  for (run_pass pass = PASS_LOWER; pass < PASS_COUNT; pass++)
    for (size_t t = 0; t < tiles; t++) add_tile(m, t, pass);
}

/* Columns are nodes with a group, in their order. */
static void number_columns(run_maker *m)
{
  const pd_state *s = m->s;
  const pd_runs *runs = &s->host->runs;
  uint32_t columns = 0;
  for (size_t i = 0; i < s->node_count; i++) {
    bool has = runs->group_of[s->host->grain_of[i]] != PD_NO_GROUP;
    m->runs->column_of[i] = has ? columns : UINT32_MAX;
    if (has) m->runs->node[columns++] = (uint32_t)i;
  }
  for (size_t t = 0; t < runs->tile_count; t++) {
    const pd_run_group *group = &runs->group[runs->tile[t].group];
    size_t step = group->plan->lanes == 1 ? 1 : PD_LANES;
    for (size_t e = group->plan->near[runs->tile[t].begin]; e < group->plan->near[runs->tile[t].end]; e += step)
      for (unsigned lane = 0; lane < step; lane++) m->tile_of[m->runs->column_of[node_of(s, group, e, lane)]] = (uint32_t)t;
  }
}

static size_t classes_of(const pd_run_plan *plan)
{
  return plan->vector_count ? plan->kind_count * (plan->lane_kind ? PD_LANES : 1) : 0;
}

static void put_class(double *to, double limit, double weight, double length, double varied)
{
  const double numbers[PD_CLASS_NUMBERS] = {limit, weight, length, varied};
  memcpy(to, numbers, sizeof numbers);
}

/* All classes of all plans, and the one that does nothing. */
static scr_status send_classes(run_maker *m, pd_device *d, scr_error *error)
{
  const pd_runs *host = &m->s->host->runs;
  size_t count = 0, bytes;
  double *numbers;
  for (size_t p = 0; p < host->plan_count; p++) m->class_base[p] = (uint32_t)count, count += classes_of(&host->plan[p]);
  SCR_TRY(mem_allocate(&numbers, (count + 1) * PD_CLASS_NUMBERS, sizeof *numbers, "the classes of bonds", error));
  double *to = numbers;
  for (size_t p = 0; p < host->plan_count; p++) {
    const pd_run_plan *plan = &host->plan[p];
    for (size_t k = 0; k < (plan->vector_count ? plan->kind_count : 0); k++)
      for (unsigned lane = 0; lane < (plan->lane_kind ? PD_LANES : 1); lane++, to += PD_CLASS_NUMBERS)
        if (plan->lane_kind)
          put_class(to, plan->lane_kind[k].limit, plan->lane_kind[k].weight[lane], plan->lane_kind[k].inverse_length, 1);
        else
          put_class(to, plan->kind[k].limit, plan->kind[k].weight, plan->kind[k].per_length, 0);
  }
  put_class(to, INFINITY, 0, 0, 0);
  m->runs->kind_count = count + 1;
  bytes = (count + 1) * PD_CLASS_NUMBERS * sizeof *numbers;
  scr_status status = device_allocate(d->device, &m->runs->classes, bytes, error);
  if (status == SCR_OK) status = device_write(d->device, &m->runs->classes, 0, numbers, bytes, error);
  mem_free(numbers);
  return status;
}

static scr_status fill_runs(run_maker *m, pd_device *d, scr_error *error)
{
  pd_run_columns *runs = m->runs;
  size_t n = runs->node_count;
  m->counting = true;
  number_columns(m);
  SCR_TRY(send_classes(m, d, error));
  add_all(m);
  for (size_t k = 0; k < n; k++) runs->longest = runs->count[k] > runs->longest ? runs->count[k] : runs->longest;
  SCR_TRY(mem_allocate(&runs->other, runs->longest * n, sizeof *runs->other, "the columns of bonds", error));
  SCR_TRY(mem_allocate(&m->kind, runs->longest * n, sizeof *m->kind, "the columns of bonds", error));
  m->counting = false;
  add_all(m);
  SCR_TRY(pd_send(d, &runs->nodes, runs->node, n * sizeof *runs->node, error));
  SCR_TRY(pd_send(d, &runs->counts, runs->count, n * sizeof *runs->count, error));
  SCR_TRY(pd_send(d, &runs->others, runs->other, runs->longest * n * sizeof *runs->other, error));
  return pd_send(d, &runs->kinds, m->kind, runs->longest * n * sizeof *m->kind, error);
}

static scr_status make_runs(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  run_maker m = {.s = s, .runs = &d->runs};
  size_t n = 0;
  for (size_t g = 0; g < s->grain_count; g++)
    if (s->host->runs.group_of[g] != PD_NO_GROUP) n += s->bodies[s->host->grains[g].body].node_count;
  d->runs.node_count = n;
  d->runs.node = mem_array(n, sizeof *d->runs.node);
  d->runs.count = mem_array(n, sizeof *d->runs.count);
  d->runs.column_of = mem_array(s->node_count, sizeof *d->runs.column_of);
  m.tile_of = mem_array(n, sizeof *m.tile_of);
  m.last = mem_array(n, sizeof *m.last);
  m.class_base = mem_array(s->host->runs.plan_count, sizeof *m.class_base);
  bool enough = d->runs.node && d->runs.count && d->runs.column_of && m.tile_of && m.last && m.class_base;
  scr_status status = enough ? fill_runs(&m, d, error) : scr_fail_memory(error, "the columns of bonds", n * sizeof *d->runs.node);
  mem_free(m.tile_of);
  mem_free(m.last);
  mem_free(m.class_base);
  mem_free(m.kind);
  return status;
}

/* ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const pd_grain *grain_of(const pd_state *s, size_t node)
{
  return &s->host->grains[s->host->grain_of[node]];
}

/* Numbers the columns of rows and finds the longest. @param node, count [nodes] filled for each column */
static void number_rows(pd_state *s, uint32_t *node, uint32_t *count)
{
  pd_row_columns *rows = &s->device->rows;
  for (size_t i = 0; i < s->node_count; i++) {
    const pd_grain *grain = grain_of(s, i);
    rows->column_of[i] = UINT32_MAX;
    if (s->host->runs.group_of[s->host->grain_of[i]] != PD_NO_GROUP) continue;
    uint32_t bonds = grain->bonds->count[i - grain->first];
    rows->weighted = rows->weighted || grain->bonds->weight;
    rows->longest = bonds > rows->longest ? bonds : rows->longest;
    rows->column_of[i] = (uint32_t)rows->node_count;
    node[rows->node_count] = (uint32_t)i;
    count[rows->node_count++] = bonds;
  }
}

static scr_status send_rows(pd_state *s, const uint32_t *node, const uint32_t *count, uint32_t *other, double *inverse, double *weight,
                            scr_error *error)
{
  pd_device *d = s->device;
  pd_row_columns *rows = &d->rows;
  size_t n = rows->node_count, slots = rows->longest * n;
  for (size_t k = 0; k < n; k++) {
    const pd_grain *grain = grain_of(s, node[k]);
    const pd_bonds *bonds = grain->bonds;
    size_t from = bonds->first[node[k] - grain->first];
    for (size_t e = 0; e < count[k]; e++) {
      size_t at = e * n + k;
      other[at] = (uint32_t)(grain->first + bonds->other[from + e]);
      inverse[at] = bonds->inverse_length[from + e];
      if (rows->weighted) weight[at] = bonds->weight ? bonds->weight[from + e] : 1;
    }
  }
  SCR_TRY(pd_send(d, &rows->nodes, node, n * sizeof *node, error));
  SCR_TRY(pd_send(d, &rows->counts, count, n * sizeof *count, error));
  SCR_TRY(pd_send(d, &rows->others, other, slots * sizeof *other, error));
  SCR_TRY(pd_send(d, &rows->inverse, inverse, slots * sizeof *inverse, error));
  return pd_send(d, &rows->weights, weight, rows->weighted ? slots * sizeof *weight : 0, error);
}

static scr_status make_rows(pd_state *s, scr_error *error)
{
  pd_row_columns *rows = &s->device->rows;
  uint32_t *node = mem_array(s->node_count, sizeof *node), *count = mem_array(s->node_count, sizeof *count), *other = NULL;
  double *inverse = NULL, *weight = NULL;
  rows->column_of = mem_array(s->node_count, sizeof *rows->column_of);
  bool enough = node && count && rows->column_of;
  if (enough) {
    number_rows(s, node, count);
    size_t slots = rows->longest * rows->node_count;
    other = mem_array(slots, sizeof *other);
    inverse = mem_array(slots, sizeof *inverse);
    weight = mem_array(rows->weighted ? slots : 0, sizeof *weight);
    enough = other && inverse && weight;
  }
  scr_status status = enough ? send_rows(s, node, count, other, inverse, weight, error)
                             : scr_fail_memory(error, "the columns of bonds", s->node_count * sizeof *node);
  void *all[] = {node, count, other, inverse, weight};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  return status;
}

/* ── both ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

void pd_columns_clear(pd_device *d)
{
  pd_run_columns *runs = &d->runs;
  pd_row_columns *rows = &d->rows;
  device_array *arrays[] = {&runs->nodes, &runs->counts, &runs->others, &runs->kinds,   &runs->classes,
                            &rows->nodes, &rows->counts, &rows->others, &rows->inverse, &rows->weights};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_release(d->device, arrays[k]);
  void *all[] = {runs->node, runs->count, runs->column_of, runs->other, rows->column_of};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  d->runs = (pd_run_columns){0};
  d->rows = (pd_row_columns){0};
}

scr_status pd_columns_create(pd_state *s, scr_error *error)
{
  pd_columns_clear(s->device);
  SCR_TRY(make_runs(s, error));
  return make_rows(s, error);
}

void pd_columns_force(const pd_state *s)
{
  pd_device *d = s->device;
  const pd_run_columns *runs = &d->runs;
  const pd_row_columns *rows = &d->rows;
  uint64_t n = s->node_count, run_count = runs->node_count, row_count = rows->node_count;
  int weighted = rows->weighted;
  const device_argument by_runs[] = {DEVICE_ARRAY(runs->nodes),
                                     DEVICE_ARRAY(runs->counts),
                                     DEVICE_ARRAY(runs->others),
                                     DEVICE_ARRAY(runs->kinds),
                                     DEVICE_ARRAY(runs->classes),
                                     DEVICE_ARRAY(d->vector[PD_POSITION]),
                                     DEVICE_ARRAY(d->vector[PD_FORCE]),
                                     DEVICE_ARRAY(d->torn),
                                     DEVICE_ARRAY(d->flags),
                                     DEVICE_ARRAY(d->body),
                                     DEVICE_ARRAY(d->bodies),
                                     DEVICE_VALUE(run_count),
                                     DEVICE_VALUE(n)};
  const device_argument by_rows[] = {DEVICE_ARRAY(rows->nodes),
                                     DEVICE_ARRAY(rows->counts),
                                     DEVICE_ARRAY(rows->others),
                                     DEVICE_ARRAY(rows->inverse),
                                     DEVICE_ARRAY(rows->weights),
                                     DEVICE_VALUE(weighted),
                                     DEVICE_ARRAY(d->vector[PD_POSITION]),
                                     DEVICE_ARRAY(d->vector[PD_FORCE]),
                                     DEVICE_ARRAY(d->torn),
                                     DEVICE_ARRAY(d->flags),
                                     DEVICE_ARRAY(d->body),
                                     DEVICE_ARRAY(d->bodies),
                                     DEVICE_VALUE(row_count),
                                     DEVICE_VALUE(n)};
  pd_run_kernel(s, PD_KERNEL_RUNS, runs->node_count, by_runs, sizeof by_runs / sizeof *by_runs);
  pd_run_kernel(s, PD_KERNEL_ROWS, rows->node_count, by_rows, sizeof by_rows / sizeof *by_rows);
}

/* ── breaking ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What has changed: slots of columns and what they hold now. */
typedef struct patch {
  uint64_t *slot;
  uint32_t *other;
  double *numbers; /* [2 count] */
  size_t count, slots, others, doubles;
} patch;

static void patch_clear(patch *p)
{
  mem_free(p->slot);
  mem_free(p->other);
  mem_free(p->numbers);
}

/* The entry of node i with node j in the runs, noted; it is there once. */
static scr_status note_entry(const pd_run_columns *runs, patch *p, size_t i, size_t j, scr_error *error)
{
  uint32_t column = runs->column_of[i];
  SCR_TRY(mem_reserve(&p->slot, &p->slots, p->count + 1, sizeof *p->slot, "the bonds that broke", error));
  for (size_t e = 0; e < runs->count[column]; e++) {
    size_t at = e * runs->node_count + column;
    if (runs->other[at] != j) continue;
    p->slot[p->count++] = at;
    return SCR_OK;
  }
  return SCR_OK;
}

static scr_status drop(pd_state *s, const patch *p, scr_error *error)
{
  pd_device *d = s->device;
  device_array slot = {0};
  uint64_t count = p->count;
  uint32_t dead = (uint32_t)(d->runs.kind_count - 1);
  if (!count) return SCR_OK;
  scr_status status = pd_send(d, &slot, p->slot, count * sizeof *p->slot, error);
  const device_argument arguments[] = {DEVICE_ARRAY(d->runs.kinds), DEVICE_ARRAY(slot), DEVICE_VALUE(dead), DEVICE_VALUE(count)};
  if (status == SCR_OK) status = device_launch(d->device, PD_KERNEL_DROP, count, arguments, 4, error);
  if (status == SCR_OK) status = device_wait(d->device, error);
  device_release(d->device, &slot);
  return status;
}

/* Node i's row as it is now. */
static scr_status note_row(pd_state *s, patch *p, size_t i, scr_error *error)
{
  const pd_row_columns *rows = &s->device->rows;
  const pd_grain *grain = grain_of(s, i);
  const pd_bonds *bonds = grain->bonds;
  uint32_t column = rows->column_of[i], count = bonds->count[i - grain->first];
  size_t from = bonds->first[i - grain->first], needed = p->count + count;
  SCR_TRY(mem_reserve(&p->slot, &p->slots, needed, sizeof *p->slot, "the bonds that broke", error));
  SCR_TRY(mem_reserve(&p->other, &p->others, needed, sizeof *p->other, "the bonds that broke", error));
  SCR_TRY(mem_reserve(&p->numbers, &p->doubles, 2 * needed, sizeof *p->numbers, "the bonds that broke", error));
  for (size_t e = 0; e < count; e++, p->count++) {
    p->slot[p->count] = e * rows->node_count + column;
    p->other[p->count] = (uint32_t)(grain->first + bonds->other[from + e]);
    p->numbers[2 * p->count] = bonds->inverse_length[from + e];
    p->numbers[2 * p->count + 1] = bonds->weight ? bonds->weight[from + e] : 1;
  }
  return device_write(s->device->device, &rows->counts, column * sizeof count, &count, sizeof count, error);
}

static scr_status rewrite(pd_state *s, const patch *p, scr_error *error)
{
  pd_device *d = s->device;
  device_array slot = {0}, other = {0}, numbers = {0};
  uint64_t count = p->count;
  int weighted = d->rows.weighted;
  if (!count) return SCR_OK;
  scr_status status = pd_send(d, &slot, p->slot, count * sizeof *p->slot, error);
  if (status == SCR_OK) status = pd_send(d, &other, p->other, count * sizeof *p->other, error);
  if (status == SCR_OK) status = pd_send(d, &numbers, p->numbers, 2 * count * sizeof *p->numbers, error);
  const device_argument arguments[] = {
      DEVICE_ARRAY(d->rows.others), DEVICE_ARRAY(d->rows.inverse), DEVICE_ARRAY(d->rows.weights), DEVICE_VALUE(weighted),
      DEVICE_ARRAY(slot),           DEVICE_ARRAY(other),           DEVICE_ARRAY(numbers),         DEVICE_VALUE(count)};
  if (status == SCR_OK) status = device_launch(d->device, PD_KERNEL_REWRITE, count, arguments, 8, error);
  if (status == SCR_OK) status = device_wait(d->device, error);
  device_release(d->device, &slot);
  device_release(d->device, &other);
  device_release(d->device, &numbers);
  return status;
}

/* The same node may come several times, and gets its row as it is now each time. */
scr_status pd_columns_break(pd_state *s, size_t first, scr_error *error)
{
  const pd_host *h = s->host;
  pd_device *d = s->device;
  patch dropped = {0}, changed = {0};
  scr_status status = SCR_OK;
  for (size_t k = first; k < h->torn_bond_count && status == SCR_OK; k++) {
    const size_t end[2] = {h->torn_bonds[k].near, h->torn_bonds[k].far};
    for (int side = 0; side < 2 && status == SCR_OK; side++)
      status = d->runs.column_of[end[side]] != UINT32_MAX ? note_entry(&d->runs, &dropped, end[side], end[1 - side], error)
                                                          : note_row(s, &changed, end[side], error);
  }
  if (status == SCR_OK) status = drop(s, &dropped, error);
  if (status == SCR_OK) status = rewrite(s, &changed, error);
  patch_clear(&dropped);
  patch_clear(&changed);
  return status;
}
