/* Groups of grains and their tiles: memory, forces, breaking. */
#include "methods/peridem/host/bonds/bond_runs.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/host.h"
#include "methods/peridem/host/ranks/ranks.h"

enum { STRIP = 64, TILE_LIMIT = 64, MANY_GROUPS = 16 }; /* STRIP: nodes of eight grains brought into order at a time, 24 KiB */

/* ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const pd_run_entry *entries_of(const pd_run_group *group)
{
  return group->first ? group->entry : group->plan->entry;
}

static const uint32_t *firsts_of(const pd_run_group *group)
{
  return group->first ? group->first : group->plan->first;
}

/* Eight grains in lanes cost a full entry for every bond, and 3 a node to bring them into order; alone they have emptier entries, or rows.
 * */
static bool eight_pay(const pd_run_plan *one, const pd_run_plan *eight)
{
  if (!eight->vector_count) return false;
  return !one->vector_count || (double)eight->entry_count + 3.0 * (double)eight->vector_count < 8.0 * (double)one->entry_count;
}

typedef struct row_place {
  int64_t row[3]; /* z, y, x in spacings */
  uint32_t node;
} row_place;

static int compare_places(const void *a, const void *b)
{
  const row_place *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (p->row[k] != q->row[k]) return p->row[k] < q->row[k] ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}

/* Nodes by the rows of the lattice that was turned into the specimen's pose. @param order [n] set */
static scr_status order_nodes(const pd_body *body, const scr_specimen *specimen, uint32_t *order, scr_error *error)
{
  row_place *places = mem_array(body->node_count, sizeof *places);
  if (!places) return scr_fail_memory(error, "the order of nodes", body->node_count * sizeof *places);
  scr_quat back = quat_exp(vec3_scale(specimen->rotation_axis, -specimen->rotation_angle));
  for (size_t i = 0; i < body->node_count; i++) {
    scr_vec3 p = quat_rotate(back, vec3(body->x[i], body->y[i], body->z[i]));
    places[i] =
        (row_place){{llround(p.z / body->spacing * 2), llround(p.y / body->spacing * 2), llround(p.x / body->spacing * 2)}, (uint32_t)i};
  }
  qsort(places, body->node_count, sizeof *places, compare_places);
  for (size_t k = 0; k < body->node_count; k++) order[k] = places[k].node;
  mem_free(places);
  return SCR_OK;
}

/* The plans of a body, for one grain and for eight. */
static scr_status make_pair(pd_run_plan *one, pd_run_plan *eight, const pd_body *body, const scr_specimen *specimen, size_t count,
                            scr_error *error)
{
  uint32_t *order = mem_array(body->node_count, sizeof *order);
  if (!order) return scr_fail_memory(error, "the order of nodes", body->node_count * sizeof *order);
  scr_status status = order_nodes(body, specimen, order, error);
  if (status == SCR_OK) status = pd_run_plan_make(one, &body->bonds, pd_least_critical_stretch(body), order, 1, error);
  if (status == SCR_OK && count >= PD_LANES)
    status = pd_run_plan_make(eight, &body->bonds, pd_least_critical_stretch(body), order, PD_LANES, error);
  mem_free(order);
  if (!eight_pay(one, eight)) pd_run_plan_clear(eight);
  return status;
}

scr_status pd_runs_count(const pd_body *body, const scr_specimen *specimen, size_t count, pd_run_counts *counts, scr_error *error)
{
  pd_run_plan one = {0}, eight = {0};
  scr_status status = make_pair(&one, &eight, body, specimen, count, error);
  size_t groups = eight.vector_count ? count / PD_LANES : 0;
  double together = (double)groups, alone = (double)(count - PD_LANES * groups);
  counts->entries = together * (double)eight.entry_count + alone * (double)one.entry_count;
  counts->row_slots = one.vector_count ? 0 : alone * (double)body->bonds.slot_count;
  pd_run_plan_clear(&one);
  pd_run_plan_clear(&eight);
  return status;
}

static scr_status make_plans(pd_runs *runs, const pd_state *s, scr_error *error)
{
  SCR_TRY(mem_allocate(&runs->plan, 2 * s->body_count, sizeof *runs->plan, "the order of bonds", error));
  runs->plan_count = 2 * s->body_count;
  for (size_t b = 0; b < s->body_count; b++) {
    const scr_specimen *specimen = &s->scene->specimens[b];
    SCR_TRY(make_pair(&runs->plan[2 * b], &runs->plan[2 * b + 1], &s->bodies[b], specimen, specimen->position_count, error));
  }
  return SCR_OK;
}

/* Equal grains follow each other: eight at a time, the rest one by one. */
static scr_status make_groups(pd_runs *runs, const pd_state *s, scr_error *error)
{
  const pd_grain *grains = s->host->grains;
  runs->group = mem_array(s->grain_count, sizeof *runs->group);
  runs->group_of = mem_array(s->grain_count, sizeof *runs->group_of);
  if (!runs->group || !runs->group_of) return scr_fail_memory(error, "the order of bonds", s->grain_count * sizeof *runs->group);
  for (size_t g = 0; g < s->grain_count;) {
    const pd_run_plan *plan = &runs->plan[2 * grains[g].body];
    size_t alike = 1;
    while (alike < PD_LANES && g + alike < s->grain_count && grains[g + alike].body == grains[g].body) alike++;
    if (alike == PD_LANES && plan[1].vector_count)
      plan++;
    else
      alike = 1;
    for (size_t k = 0; k < alike; k++) runs->group_of[g + k] = plan->vector_count ? (uint32_t)runs->group_count : PD_NO_GROUP;
    if (plan->vector_count) runs->group[runs->group_count++] = (pd_run_group){.grain = g, .plan = plan};
    g += alike;
  }
  return SCR_OK;
}

/* ── tiles ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Into how many tiles a plan's vectors go where there are few groups: each at least twice as long as it reaches beyond itself. */
static size_t tiles_of(const pd_run_plan *plan, size_t group_count)
{
  size_t nodes = plan->near[plan->vector_count] / plan->lanes, count = nodes / (2 * (plan->reach > 64 ? plan->reach : 64));
  if (count < 2 || group_count >= MANY_GROUPS) return 1;
  if (count < 4) return 2;
  return count > TILE_LIMIT ? TILE_LIMIT : count / 4 * 4;
}

/* The tile of vectors [begin, end) and the elements that it reaches. */
static pd_run_tile tile_of(const pd_run_group *group, size_t index, size_t begin, size_t end)
{
  const pd_run_plan *plan = group->plan;
  pd_run_tile tile = {.group = index, .begin = begin, .end = end, .low = plan->near[begin], .high = plan->near[end - 1] + PD_LANES};
  for (uint32_t k = plan->first[begin]; k < plan->first[end]; k++)
    if (plan->entry[k].far + PD_LANES > tile.high) tile.high = plan->entry[k].far + PD_LANES;
  return tile;
}

static scr_status make_tiles(pd_runs *runs, scr_error *error)
{
  size_t capacity = 0;
  for (size_t g = 0; g < runs->group_count; g++) {
    pd_run_group *group = &runs->group[g];
    const pd_run_plan *plan = group->plan;
    group->first_tile = runs->tile_count;
    group->tile_count = tiles_of(plan, runs->group_count);
    if (!mem_grow(&runs->tile, &capacity, runs->tile_count + group->tile_count, sizeof *runs->tile))
      return scr_fail_memory(error, "the tiles of bonds", group->tile_count * sizeof *runs->tile);
    for (size_t t = 0, begin = 0; t < group->tile_count; t++) {
      size_t end = begin + 1, target = plan->entry_count * (t + 1) / group->tile_count;
      while (end < plan->vector_count && (t + 1 == group->tile_count || plan->first[end] < target)) end++;
      pd_run_tile *tile = &runs->tile[runs->tile_count++];
      *tile = tile_of(group, g, begin, end);
      begin = end;
      size_t span = tile->high - tile->low;
      if (span > runs->span) runs->span = span;
      if (group->tile_count > 1 && !(tile->force = mem_array(3 * span, sizeof(double))))
        return scr_fail_memory(error, "the forces of bonds", 3 * span * sizeof(double));
    }
  }
  return SCR_OK;
}

scr_status pd_runs_create(pd_runs *runs, const pd_state *s, scr_error *error)
{
  SCR_TRY(make_plans(runs, s, error));
  SCR_TRY(make_groups(runs, s, error));
  SCR_TRY(make_tiles(runs, error));
  runs->scratch = mem_array(s->execution.threads, sizeof *runs->scratch);
  if (!runs->scratch) return scr_fail_memory(error, "the forces of bonds", s->execution.threads * sizeof *runs->scratch);
  runs->thread_count = s->execution.threads;
  for (size_t t = 0; t < s->execution.threads; t++)
    if (!(runs->scratch[t] = mem_array(6 * runs->span, sizeof(double))))
      return scr_fail_memory(error, "the forces of bonds", 6 * runs->span * sizeof(double));
  return SCR_OK;
}

static void drop_own(pd_run_group *group)
{
  mem_free(group->first);
  mem_free(group->entry);
  group->first = NULL;
  group->entry = NULL;
  group->emptied = 0;
}

void pd_runs_clear(pd_runs *runs)
{
  for (size_t k = 0; k < runs->plan_count; k++) pd_run_plan_clear(&runs->plan[k]);
  for (size_t k = 0; k < runs->group_count; k++) drop_own(&runs->group[k]);
  for (size_t k = 0; k < runs->tile_count; k++) mem_free(runs->tile[k].force);
  for (size_t k = 0; k < runs->thread_count; k++) mem_free(runs->scratch[k]);
  void *all[] = {runs->plan, runs->group, runs->tile, runs->group_of, runs->scratch};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  *runs = (pd_runs){0};
}

/* ── forces ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where a bond is to be marked, and how many have been. */
typedef struct marking {
  const pd_state *state;
  const pd_run_group *group;
  size_t count;
} marking;

/* The node that element + lane stands for. */
static size_t node_of(const pd_state *s, const pd_run_group *group, size_t element, unsigned lane)
{
  const pd_grain *grains = s->host->grains + group->grain;
  const uint32_t *node = group->plan->node;
  return group->plan->lanes == 1 ? grains->first + node[element + lane] : grains[lane].first + node[element / PD_LANES];
}

static void mark(const pd_run_task *task, size_t vector, const pd_run_entry *entry, unsigned lanes)
{
  marking *to = task->user;
  unsigned char *torn = to->state->host->torn;
  for (; lanes; lanes &= lanes - 1, to->count++) {
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    size_t i = node_of(to->state, to->group, task->near[vector], lane), j = node_of(to->state, to->group, entry->far, lane);
#pragma omp atomic write
    torn[i] = 1; /* two tiles may know a node */
#pragma omp atomic write
    torn[j] = 1;
  }
}

/* Positions of the elements [low, high), of eight grains by strips that stay in the nearest cache. What is beyond the last place keeps what
 * it was, which is a number. */
static void bring_in(const pd_state *s, const pd_run_group *group, size_t low, size_t high, double *to)
{
  const pd_grain *grains = s->host->grains + group->grain;
  const uint32_t *node = group->plan->node;
  size_t elements = group->plan->near[group->plan->vector_count], top = high < elements ? high : elements, span = high - low;
  size_t begin = low / PD_LANES, end = top / PD_LANES;
  for (int a = 0; a < 3; a++, to += span) {
    const double *position = pd_axis(&s->host->position, a);
    if (group->plan->lanes == 1) {
      const double *x = position + grains->first;
      for (size_t i = low; i < top; i++) to[i - low] = x[node[i]];
      continue;
    }
    for (size_t strip = begin; strip < end; strip += STRIP)
      for (size_t c = 0; c < PD_LANES; c++) {
        const double *x = position + grains[c].first;
        for (size_t i = strip; i < end && i < strip + STRIP; i++) to[PD_LANES * (i - begin) + c] = x[node[i]];
      }
  }
}

/* Forces of the elements [low, high), k times the sums from `from` on, onto their nodes. */
static void bring_out(const pd_state *s, const pd_run_group *group, size_t low, size_t high, const double *const from[3])
{
  const pd_grain *grains = s->host->grains + group->grain;
  const double stiffness = s->bodies[grains->body].stiffness;
  const uint32_t *node = group->plan->node;
  for (int a = 0; a < 3; a++) {
    const double *sum = from[a];
    if (group->plan->lanes == 1) {
      double *force = pd_axis(&s->host->force, a) + grains->first;
      for (size_t i = low; i < high; i++) force[node[i]] = stiffness * sum[i - low];
      continue;
    }
    for (size_t strip = low / PD_LANES; strip < high / PD_LANES; strip += STRIP)
      for (size_t c = 0; c < PD_LANES; c++) {
        double *force = pd_axis(&s->host->force, a) + grains[c].first;
        for (size_t i = strip; i < high / PD_LANES && i < strip + STRIP; i++) force[node[i]] = stiffness * sum[PD_LANES * i - low + c];
      }
  }
}

/* The elements that a tile's vectors are the near ends of. */
static size_t end_of(const pd_run_group *group, const pd_run_tile *tile)
{
  return group->plan->near[tile->end];
}

/* One tile: its bonds' forces into its buffer, or onto the nodes where it is the only one. @return number of bonds marked */
static size_t work_tile(const pd_state *s, const pd_run_tile *tile, double *scratch)
{
  const pd_runs *runs = &s->host->runs;
  const pd_run_group *group = &runs->group[tile->group];
  size_t span = tile->high - tile->low;
  double *force = tile->force ? tile->force : scratch + 3 * span;
  marking to = {s, group, 0};
  pd_run_task task = {.near = group->plan->near,
                      .first = firsts_of(group),
                      .entry = entries_of(group),
                      .kind = group->plan->kind,
                      .lane_kind = group->plan->lane_kind,
                      .whole = !group->first,
                      .force = {force, force + span, force + 2 * span},
                      .position = {scratch, scratch + span, scratch + 2 * span},
                      .from = tile->low,
                      .begin = tile->begin,
                      .end = tile->end,
                      .torn = mark,
                      .user = &to};
  bring_in(s, group, tile->low, tile->high, scratch);
  memset(force, 0, 3 * span * sizeof *force);
  s->host->kernels->runs(&task);
  const double *const from[3] = {force, force + span, force + 2 * span};
  if (!tile->force) bring_out(s, group, tile->low, end_of(group, tile), from);
  return to.count;
}

/* Sums what the group's tiles have for the near ends of one of them, in their order, into its own buffer: no other one reads that part of
 * it. */
static void join_tile(const pd_state *s, const pd_run_tile *tile)
{
  const pd_runs *runs = &s->host->runs;
  const pd_run_group *group = &runs->group[tile->group];
  size_t low = tile->low, high = end_of(group, tile), span = tile->high - low;
  double *own[3] = {tile->force, tile->force + span, tile->force + 2 * span};
  for (const pd_run_tile *other = runs->tile + group->first_tile; other < tile; other++) {
    size_t end = other->high < high ? other->high : high, reach = other->high - other->low;
    for (int a = 0; a < 3 && other->high > low; a++) {
      const double *restrict theirs = other->force + (size_t)a * reach + (low - other->low);
      double *restrict ours = own[a];
      for (size_t k = 0; k < end - low; k++) ours[k] += theirs[k];
    }
  }
  const double *const from[3] = {own[0], own[1], own[2]};
  bring_out(s, group, low, high, from);
}

static bool is_own(const pd_state *s, size_t tile)
{
  const pd_ranks *ranks = s->host->ranks;
  return !ranks->tile_owner || ranks->tile_owner[tile] == ranks->team->rank;
}

size_t pd_runs_work(const pd_state *s)
{
  const pd_runs *runs = &s->host->runs;
  size_t marked = 0;
#pragma omp for schedule(dynamic)
  for (size_t t = 0; t < runs->tile_count; t++)
    if (is_own(s, t)) marked += work_tile(s, &runs->tile[t], runs->scratch[omp_get_thread_num()]);
  return marked;
}

void pd_runs_join(const pd_state *s)
{
  const pd_runs *runs = &s->host->runs;
#pragma omp for schedule(static) nowait
  for (size_t t = 0; t < runs->tile_count; t++)
    if (runs->tile[t].force && is_own(s, t)) join_tile(s, &runs->tile[t]);
}

size_t pd_run_node(const pd_state *s, const pd_run_group *group, size_t element)
{
  return group->plan->lanes == 1 ? node_of(s, group, element, 0) : node_of(s, group, element, element % PD_LANES);
}

/* ── breaking ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status make_own(pd_run_group *group, scr_error *error)
{
  const pd_run_plan *plan = group->plan;
  if (group->first) return SCR_OK;
  group->first = mem_array(plan->vector_count + 1, sizeof *group->first);
  group->entry = mem_array(plan->entry_count + PD_SPARE_ENTRIES, sizeof *group->entry);
  if (!group->first || !group->entry) {
    drop_own(group);
    return scr_fail_memory(error, "the bonds of a grain", plan->entry_count * sizeof *group->entry);
  }
  memcpy(group->first, plan->first, (plan->vector_count + 1) * sizeof *group->first);
  memcpy(group->entry, plan->entry, plan->entry_count * sizeof *group->entry);
  return SCR_OK;
}

/* Entries without a bond leave, once they are an eighth of all. */
static void squeeze(pd_run_group *group)
{
  uint32_t kept = 0;
  size_t vectors = group->plan->vector_count;
  if (8 * group->emptied < group->first[vectors]) return;
  for (size_t v = 0; v < vectors; v++) {
    uint32_t begin = group->first[v], end = group->first[v + 1];
    group->first[v] = kept;
    for (uint32_t k = begin; k < end; k++)
      if (group->entry[k].kind & 0xff) group->entry[kept++] = group->entry[k];
  }
  group->first[vectors] = kept;
  group->emptied = 0;
}

/* The vector that has an element among its near ends. */
static size_t vector_of(const pd_run_plan *plan, size_t element)
{
  size_t low = 0, high = plan->vector_count;
  if (plan->lanes != 1) return element / PD_LANES;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (plan->near[middle] <= element)
      low = middle;
    else
      high = middle;
  }
  return low;
}

scr_status pd_runs_remove(pd_runs *runs, const pd_state *s, size_t i, size_t j, scr_error *error)
{
  size_t g = s->host->grain_of[i], from = s->host->grains[g].first;
  if (runs->group_of[g] == PD_NO_GROUP) return SCR_OK;
  pd_run_group *group = &runs->group[runs->group_of[g]];
  SCR_TRY(make_own(group, error));
  const uint32_t *place = group->plan->place;
  size_t lanes = group->plan->lanes, lane = lanes == 1 ? 0 : g - group->grain, a = place[i - from], b = place[j - from];
  size_t near = (a < b ? a : b) * lanes + lane, far = (a < b ? b : a) * lanes + lane;
  size_t v = vector_of(group->plan, near), c = near - group->plan->near[v];
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): make_own has made it */
  for (uint32_t k = group->first[v]; k < group->first[v + 1]; k++) {
    pd_run_entry *entry = &group->entry[k];
    if (entry->far + c != far || !(entry->kind >> c & 1)) continue;
    entry->kind &= ~(1u << c);
    group->emptied += !(entry->kind & 0xff);
    squeeze(group);
    return SCR_OK;
  }
  return SCR_OK;
}

/* Takes out what a broken grain's rows have no longer: both they and the template's ascend. */
static scr_status remove_missing(pd_runs *runs, const pd_state *s, const pd_grain *grain, scr_error *error)
{
  const pd_bonds *all = &s->bodies[grain->body].bonds, *left = grain->bonds;
  for (size_t i = 0; i < all->node_count; i++) {
    uint32_t at = left->first[i], end = at + left->count[i];
    for (uint32_t k = all->first[i]; k < all->first[i] + all->count[i]; k++) {
      uint32_t j = all->other[k];
      while (at < end && left->other[at] < j) at++;
      if (j > i && (at == end || left->other[at] != j)) SCR_TRY(pd_runs_remove(runs, s, grain->first + i, grain->first + j, error));
    }
  }
  return SCR_OK;
}

scr_status pd_runs_restore_group(pd_runs *runs, const pd_state *s, size_t group, scr_error *error)
{
  const pd_run_group *of = &runs->group[group];
  drop_own(&runs->group[group]);
  for (size_t g = of->grain; g < of->grain + of->plan->lanes; g++)
    if (s->host->grains[g].broken && pd_holds(s->host, g)) SCR_TRY(remove_missing(runs, s, &s->host->grains[g], error));
  return SCR_OK;
}

scr_status pd_runs_restore(pd_runs *runs, const pd_state *s, scr_error *error)
{
  for (size_t k = 0; k < runs->group_count; k++) SCR_TRY(pd_runs_restore_group(runs, s, k, error));
  return SCR_OK;
}
