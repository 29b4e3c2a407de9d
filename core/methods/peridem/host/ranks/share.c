/* Sharing out: blocks by the work on their nodes, then tiles by their bonds beside those of the blocks' rows, each so that all ranks have
 * as much, since ranks wait for each other between work on bonds and work on nodes. Both go in their order, so that what belongs together
 * stays together where there are many grains, and single grains are cut as well; where tiles are few, some of the smaller ones then go from
 * who has most to who has least. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/ranks/halo.h"

/* Even enough: of the rank with most tiles, over the mean. */
static const double even = 1.02;

/* Moves the tile that evens out most from the rank with most to the one with least. @return whether there is one */
static bool move_tile(const pd_state *s, const double *tile, double *load, double mean)
{
  const pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  unsigned most = 0, least = 0;
  for (unsigned q = 1; q < r->team->size; q++) {
    if (load[q] > load[most]) most = q;
    if (load[q] < load[least]) least = q;
  }
  if (load[most] <= even * mean) return false;
  double half = 0.5 * (load[most] - load[least]);
  size_t best = h->runs.tile_count;
  for (size_t t = 0; t < h->runs.tile_count; t++)
    if (r->tile_owner[t] == most && tile[t] > 0 && tile[t] < 2 * half &&
        (best == h->runs.tile_count || fabs(tile[t] - half) < fabs(tile[best] - half)))
      best = t;
  if (best == h->runs.tile_count) return false;
  r->tile_owner[best] = (uint16_t)least;
  load[most] -= tile[best];
  load[least] += tile[best];
  return true;
}

/* In their order, each rank as many as leave its bonds even beside those of its blocks' rows. rows: [ranks] s, work of these */
static void choose_tiles(const pd_state *s, const double *tile, const double *rows)
{
  const pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  const unsigned ranks = r->team->size;
  double all = 0, mean, done = 0, load[TEAM_MOST] = {0};
  for (size_t t = 0; t < h->runs.tile_count; t++) all += tile[t];
  mean = all;
  for (unsigned q = 0; q < ranks; q++) load[q] = rows[q], mean += rows[q];
  mean /= ranks;
  double below = 0; /* what tiles would fill up to the mean */
  for (unsigned q = 0; q < ranks; q++) below += fmax(mean - rows[q], 0);
  double share = below > 0 ? all / below : 0, until = share * fmax(mean - rows[0], 0);
  unsigned rank = 0;
  for (size_t t = 0; t < h->runs.tile_count; t++) {
    while (rank + 1 < ranks && done + 0.5 * tile[t] >= until) until += share * fmax(mean - rows[++rank], 0); /* by where its middle is */
    r->tile_owner[t] = (uint16_t)rank;
    load[rank] += tile[t];
    done += tile[t];
  }
  for (size_t moves = 0; moves < h->runs.tile_count && move_tile(s, tile, load, mean); moves++) {
  }
}

void pd_ranks_choose(pd_state *s, const pd_ranks_work *work)
{
  const pd_host *h = s->host;
  const unsigned ranks = h->ranks->team->size;
  double all = 0, done = 0, rows[TEAM_MOST] = {0};
  for (size_t b = 0; b < h->block_count; b++) all += work->block[b];
  for (size_t b = 0; b < h->block_count; b++) {
    unsigned rank = (unsigned)((done + 0.5 * work->block[b]) / all * ranks);
    h->ranks->owner[b] = (uint16_t)(rank < ranks ? rank : ranks - 1);
    rows[h->ranks->owner[b]] += work->rows[b];
    done += work->block[b];
  }
  choose_tiles(s, work->tile, rows);
}

static void note_own(pd_state *s)
{
  pd_host *h = s->host;
  unsigned me = team_rank(h->ranks->team);
  h->own_count = 0;
  memset(h->ranks->foreign, 0, s->node_count);
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
  memset(r->reached, 0, s->node_count);
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
  r->overlap_count = 0;
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

/* Nodes by who works on their bonds (`rank`, of those in groups) and who owns them, where the two differ. */
static scr_status find_given(pd_state *s, const uint16_t *rank, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  unsigned me = r->team->rank;
  memset(r->given.first, 0, (r->team->size + 1) * sizeof *r->given.first);
  memset(r->taken.first, 0, (r->team->size + 1) * sizeof *r->taken.first);
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

void pd_ranks_held(const pd_state *s, unsigned rank, unsigned char *holds)
{
  const pd_host *h = s->host;
  const pd_ranks *r = h->ranks;
  memset(holds, 0, s->grain_count);
  for (size_t b = 0; b < h->block_count; b++) {
    size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
    for (size_t g = h->grain_of[begin]; r->owner[b] == rank && g <= h->grain_of[end - 1]; g++) holds[g] = 1;
  }
  for (size_t t = 0; t < h->runs.tile_count; t++) {
    const pd_run_group *group = &h->runs.group[h->runs.tile[t].group];
    if (r->tile_owner[t] == rank) memset(holds + group->grain, 1, group->plan->lanes);
  }
}

scr_status pd_ranks_follow(pd_state *s, scr_error *error)
{
  const pd_host *h = s->host;
  note_own(s);
  pd_ranks_held(s, team_rank(h->ranks->team), h->ranks->holds);
  pd_ranks_held(s, 0, h->ranks->led);
  find_reached(s);
  SCR_TRY(find_overlaps(s, error));
  uint16_t *rank = mem_array(s->node_count, sizeof *rank);
  if (!rank) return scr_fail_memory(error, "what ranks share", s->node_count * sizeof *rank);
  for (size_t t = 0; t < h->runs.tile_count; t++) {
    const pd_run_tile *tile = &h->runs.tile[t];
    const pd_run_group *group = &h->runs.group[tile->group];
    for (size_t e = group->plan->near[tile->begin]; e < group->plan->near[tile->end]; e++)
      rank[pd_run_node(s, group, e)] = h->ranks->tile_owner[t];
  }
  scr_status status = find_given(s, rank, error);
  mem_free(rank);
  return status;
}

static scr_status make_arrays(pd_state *s, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  r->owner = mem_array(h->block_count, sizeof *r->owner);
  r->tile_owner = mem_array(h->runs.tile_count, sizeof *r->tile_owner);
  r->foreign = mem_array(s->node_count, 1);
  r->reached = mem_array(s->node_count, 1);
  r->holds = mem_array(s->grain_count, 1);
  r->led = mem_array(s->grain_count, 1);
  pd_node_lists *lists[] = {&r->wanted, &r->asked, &r->given, &r->taken, &r->sent, &r->got};
  bool enough = r->owner && r->tile_owner && r->foreign && r->reached && r->holds && r->led;
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
  pd_ranks_work work;
  scr_status status = pd_ranks_work_create(s, &work, error);
  if (status == SCR_OK) pd_ranks_estimate(s, &work);
  if (status == SCR_OK) pd_ranks_choose(s, &work);
  pd_ranks_work_clear(&work);
  if (status == SCR_OK) status = pd_ranks_follow(s, error);
  h->near.passed = h->ranks->foreign;
  return status == SCR_OK ? pd_ranks_find_halo(s, error) : status;
}

void pd_ranks_clear(pd_host *h)
{
  pd_ranks *r = h->ranks;
  if (!r) return;
  pd_node_lists *lists[] = {&r->wanted, &r->asked, &r->given, &r->taken, &r->sent, &r->got};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    mem_free(lists[k]->node);
    mem_free(lists[k]->first);
  }
  void *all[] = {r->owner, r->tile_owner, r->foreign, r->reached, r->holds, r->led, r->known, r->overlap, r->out, r->in};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  mem_free(r);
  h->ranks = NULL;
}
