/* Sharing out: tiles by the work in them, in their order, so that neighbours stay together; blocks go to whoever works on most of their
 * nodes' bonds. */
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/ranks/halo.h"

/* Work of a tile: entries, and a node's share of all the rest. */
static double tile_work(const pd_run_group *group, const pd_run_tile *tile)
{
  const pd_run_plan *plan = group->plan;
  return (double)(plan->first[tile->end] - plan->first[tile->begin]) + 0.5 * (double)(plan->near[tile->end] - plan->near[tile->begin]);
}

/* Work of a grain whose rows are used. */
static double rows_work(const pd_grain *grain)
{
  return 0.5 * (double)grain->bonds->slot_count + 0.5 * (double)grain->bonds->node_count;
}

/* Calls of share(), in the order of grains. */
typedef struct sharing {
  double done, all;
  unsigned ranks;
} sharing;

/* The rank of a piece of work, by where its middle is among all. */
static uint16_t share(sharing *of, double work)
{
  double middle = of->done + 0.5 * work;
  unsigned rank = (unsigned)(middle / of->all * of->ranks);
  of->done += work;
  return (uint16_t)(rank < of->ranks ? rank : of->ranks - 1);
}

static double all_work(const pd_state *s)
{
  const pd_host *h = s->host;
  double all = 0;
  for (size_t t = 0; t < h->runs.tile_count; t++) all += tile_work(&h->runs.group[h->runs.tile[t].group], &h->runs.tile[t]);
  for (size_t g = 0; g < s->grain_count; g++)
    if (h->runs.group_of[g] == PD_NO_GROUP) all += rows_work(&h->grains[g]);
  return all > 0 ? all : 1;
}

/* Ranks of a group's tiles, and of the near ends of each. */
static void share_group(const pd_state *s, const pd_run_group *group, sharing *of, uint16_t *rank)
{
  const pd_runs *runs = &s->host->runs;
  for (size_t t = group->first_tile; t < group->first_tile + group->tile_count; t++) {
    const pd_run_tile *tile = &runs->tile[t];
    uint16_t mine = s->host->ranks->tile_owner[t] = share(of, tile_work(group, tile));
    size_t low = group->plan->near[tile->begin], high = group->plan->near[tile->end];
    for (size_t e = low; e < high; e++) rank[pd_run_node(s, group, e)] = mine;
  }
}

/* Nodes of a grain whose rows are used, in as many stretches as there are blocks. */
static void share_rows(const pd_state *s, size_t g, sharing *of, uint16_t *rank)
{
  const pd_grain *grain = &s->host->grains[g];
  size_t n = s->bodies[grain->body].node_count;
  double each = rows_work(grain) / (double)n;
  for (size_t begin = 0; begin < n;) {
    size_t end = begin + PD_BLOCK - (grain->first + begin) % PD_BLOCK;
    if (end > n) end = n;
    uint16_t mine = share(of, each * (double)(end - begin));
    for (; begin < end; begin++) rank[grain->first + begin] = mine;
  }
}

/* Each block to the rank that most of its nodes have. */
static void share_blocks(const pd_state *s, const uint16_t *rank)
{
  const pd_host *h = s->host;
  for (size_t b = 0; b < h->block_count; b++) {
    size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count, most = 0;
    for (size_t i = begin; i < end; i++) {
      size_t same = 0;
      if (i > begin && rank[i] == rank[i - 1]) continue;
      for (size_t k = begin; k < end; k++) same += rank[k] == rank[i];
      if (same > most) h->ranks->owner[b] = rank[i];
      most = same > most ? same : most;
    }
  }
}

static void note_own(pd_state *s)
{
  pd_host *h = s->host;
  unsigned me = team_rank(h->ranks->team);
  h->own_count = 0;
  for (size_t b = 0; b < h->block_count; b++) {
    size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
    if (h->ranks->owner[b] == me)
      h->own[h->own_count++] = (uint32_t)b;
    else
      memset(h->ranks->foreign + begin, 1, end - begin);
  }
}

/* ── what own work reaches ────────────────────────────────────────────────────────────────────────────────────────── */

static void reach_bonded(const pd_state *s, size_t i)
{
  const pd_host *h = s->host;
  const pd_grain *grain = &h->grains[h->grain_of[i]];
  const pd_bonds *bonds = grain->bonds;
  size_t row = i - grain->first;
  for (uint32_t k = bonds->first[row]; k < bonds->first[row] + bonds->count[row]; k++)
    h->ranks->reached[grain->first + bonds->other[k]] = 1;
}

static void reach_tile(const pd_state *s, const pd_run_tile *tile)
{
  const pd_run_group *group = &s->host->runs.group[tile->group];
  size_t elements = group->plan->near[group->plan->vector_count], high = tile->high < elements ? tile->high : elements;
  for (size_t e = tile->low; e < high; e++) s->host->ranks->reached[pd_run_node(s, group, e)] = 1;
}

/* Where bodies meet by faces, those whose normals turn with what is reached: twice, for the couples of neighbours are worked out here too.
 */
static void find_reached(const pd_state *s)
{
  const pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  for (size_t i = 0; i < s->node_count; i++)
    if (!r->foreign[i]) reach_bonded(s, i);
  for (size_t t = 0; t < h->runs.tile_count; t++)
    if (r->tile_owner[t] == r->team->rank) reach_tile(s, &h->runs.tile[t]);
  if (!h->facing) return;
  uint32_t *first = mem_array(s->node_count, sizeof *first);
  size_t count = 0;
  for (size_t i = 0; first && i < s->node_count; i++)
    if (r->reached[i] && r->foreign[i]) first[count++] = (uint32_t)i;
  for (size_t k = 0; k < count; k++) reach_bonded(s, first[k]);
  mem_free(first);
}

/* ── messages of tiles ────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status find_overlaps(pd_state *s, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  for (uint32_t onto = 0; onto < h->runs.tile_count; onto++) {
    const pd_run_tile *tile = &h->runs.tile[onto];
    const pd_run_group *group = &h->runs.group[tile->group];
    size_t low = tile->low, high = group->plan->near[tile->end];
    for (uint32_t from = (uint32_t)group->first_tile; from < onto; from++) {
      const pd_run_tile *other = &h->runs.tile[from];
      if (r->tile_owner[from] == r->tile_owner[onto] || other->high <= low) continue;
      if (r->tile_owner[from] != r->team->rank && r->tile_owner[onto] != r->team->rank) continue;
      SCR_TRY(mem_reserve(&r->overlap, &r->overlap_capacity, r->overlap_count + 1, sizeof *r->overlap, "what ranks share", error));
      r->overlap[r->overlap_count++] = (pd_tile_overlap){from, onto, low, other->high < high ? other->high : high};
    }
  }
  return SCR_OK;
}

/* Nodes by who works on their bonds (`rank`) and who owns them, where the two differ. */
static scr_status find_given(pd_state *s, const uint16_t *rank, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  unsigned me = r->team->rank;
  for (unsigned q = 0; q < r->team->size; q++) {
    for (size_t i = 0; i < s->node_count && q != me; i++) {
      unsigned owner = r->owner[i / PD_BLOCK];
      if (owner == rank[i] || h->runs.group_of[h->grain_of[i]] == PD_NO_GROUP) continue;
      if (rank[i] == me && owner == q) SCR_TRY(pd_node_lists_add(&r->given, q, (uint32_t)i, error));
      if (rank[i] == q && owner == me) SCR_TRY(pd_node_lists_add(&r->taken, q, (uint32_t)i, error));
    }
    r->given.first[q + 1] = r->given.first[q + 1] > r->given.first[q] ? r->given.first[q + 1] : r->given.first[q];
    r->taken.first[q + 1] = r->taken.first[q + 1] > r->taken.first[q] ? r->taken.first[q + 1] : r->taken.first[q];
  }
  return SCR_OK;
}

static scr_status share_out(pd_state *s, uint16_t *rank, scr_error *error)
{
  pd_host *h = s->host;
  sharing of = {0, all_work(s), h->ranks->team->size};
  for (size_t g = 0, last = SIZE_MAX; g < s->grain_count; g++) {
    uint32_t group = h->runs.group_of[g];
    if (group == PD_NO_GROUP)
      share_rows(s, g, &of, rank);
    else if (group != last)
      share_group(s, &h->runs.group[group], &of, rank);
    last = group;
  }
  share_blocks(s, rank);
  note_own(s);
  find_reached(s);
  SCR_TRY(find_overlaps(s, error));
  return find_given(s, rank, error);
}

static scr_status make_arrays(pd_state *s, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  r->owner = mem_array(h->block_count, sizeof *r->owner);
  r->tile_owner = mem_array(h->runs.tile_count, sizeof *r->tile_owner);
  r->foreign = mem_array(s->node_count, 1);
  r->reached = mem_array(s->node_count, 1);
  pd_node_lists *lists[] = {&r->wanted, &r->asked, &r->given, &r->taken};
  bool enough = r->owner && r->tile_owner && r->foreign && r->reached;
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    enough = (lists[k]->first = mem_array(r->team->size + 1, sizeof *lists[k]->first)) && enough;
  return enough ? SCR_OK : scr_fail_memory(error, "what ranks share", s->node_count * 2);
}

scr_status pd_ranks_create(pd_state *s, scr_error *error)
{
  pd_host *h = s->host;
  SCR_TRY(mem_allocate(&h->ranks, 1, sizeof *h->ranks, "what ranks share", error));
  h->ranks->team = s->execution.team;
  h->own_count = h->block_count;
  for (size_t b = 0; b < h->block_count; b++) h->own[b] = (uint32_t)b;
  if (!h->ranks->team) return SCR_OK;
  SCR_TRY(make_arrays(s, error));
  uint16_t *rank = mem_array(s->node_count, sizeof *rank);
  scr_status status = rank ? share_out(s, rank, error) : scr_fail_memory(error, "what ranks share", s->node_count * sizeof *rank);
  mem_free(rank);
  h->near.passed = h->ranks->foreign;
  return status == SCR_OK ? pd_ranks_find_halo(s, error) : status;
}

void pd_ranks_clear(pd_host *h)
{
  pd_ranks *r = h->ranks;
  if (!r) return;
  pd_node_lists *lists[] = {&r->wanted, &r->asked, &r->given, &r->taken};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    mem_free(lists[k]->node);
    mem_free(lists[k]->first);
  }
  void *all[] = {r->owner, r->tile_owner, r->foreign, r->reached, r->overlap, r->out, r->in};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  mem_free(r);
  h->ranks = NULL;
}
