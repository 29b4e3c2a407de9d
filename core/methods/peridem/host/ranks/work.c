/* The work of a step, by counts of what is done. */
#include <math.h>

#include "base/memory.h"
#include "methods/peridem/host/ranks/halo.h"

/* Processor times, s, as scene/cost.c has them: an entry of bonds of eight nodes, a bond of a row, a node, a node near another, and one of
 * another grain by faces. */
static const double per_entry = 15e-9, per_slot = 4e-9, per_node = 44e-9, per_near = 1.7e-9, per_facing = 115e-9;

scr_status pd_ranks_work_create(const pd_state *s, pd_ranks_work *work, scr_error *error)
{
  const pd_host *h = s->host;
  *work = (pd_ranks_work){mem_array(h->runs.tile_count, sizeof(double)), mem_array(h->block_count, sizeof(double)),
                          mem_array(h->block_count, sizeof(double))};
  if (work->tile && work->rows && work->block) return SCR_OK;
  return scr_fail_memory(error, "what ranks share", (h->runs.tile_count + 2 * h->block_count) * sizeof(double));
}

void pd_ranks_work_clear(pd_ranks_work *work)
{
  mem_free(work->tile);
  mem_free(work->rows);
  mem_free(work->block);
}

/* Of a tile whose bonds are whole, or are those left in its group. */
static double tile_work(const pd_state *s, size_t t)
{
  const pd_run_tile *tile = &s->host->runs.tile[t];
  const pd_run_group *group = &s->host->runs.group[tile->group];
  const uint32_t *first = group->first ? group->first : group->plan->first;
  return per_entry * (double)(first[tile->end] - first[tile->begin]);
}

/* Of a node's bonds, where they are worked on by rows. */
static double row_work(const pd_state *s, size_t i)
{
  const pd_grain *grain = &s->host->grains[s->host->grain_of[i]];
  bool rows = s->host->runs.group_of[s->host->grain_of[i]] == PD_NO_GROUP;
  return rows ? per_slot * (double)grain->bonds->count[i - grain->first] : 0;
}

static double near_work(const pd_state *s, size_t i)
{
  const pd_host *h = s->host;
  size_t facing = 0;
  for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1] && h->facing; k++)
    facing += h->grain_of[h->near.other[k] & ~PD_BONDED] != h->grain_of[i];
  return per_facing * (double)facing + per_near * (double)(h->near.first[i + 1] - h->near.first[i]);
}

void pd_ranks_estimate(const pd_state *s, pd_ranks_work *work)
{
  for (size_t t = 0; t < s->host->runs.tile_count; t++) work->tile[t] = tile_work(s, t);
  for (size_t i = 0; i < s->node_count; i++) work->rows[i / PD_BLOCK] += row_work(s, i), work->block[i / PD_BLOCK] += per_node;
}

/* What each rank knows of its own, to all. */
void pd_ranks_measure(const pd_state *s, pd_ranks_work *work)
{
  const pd_host *h = s->host;
  for (size_t t = 0; t < h->runs.tile_count; t++)
    if (h->ranks->tile_owner[t] == h->ranks->team->rank) work->tile[t] = tile_work(s, t);
  for (size_t n = 0; n < h->own_count; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    for (size_t i = begin; i < end; i++) work->rows[h->own[n]] += row_work(s, i), work->block[h->own[n]] += per_node + near_work(s, i);
  }
  team_sum_bits(h->ranks->team, work->tile, h->runs.tile_count);
  team_sum_bits(h->ranks->team, work->rows, h->block_count);
  team_sum_bits(h->ranks->team, work->block, h->block_count);
}

double pd_ranks_all_work(const pd_state *s, const pd_ranks_work *work)
{
  double all = 0;
  for (size_t t = 0; t < s->host->runs.tile_count; t++) all += work->tile[t];
  for (size_t b = 0; b < s->host->block_count; b++) all += work->rows[b] + work->block[b];
  return all > 0 ? all : 1;
}

/* Adds what each rank has of it. owner: [count] */
static void add_loads(const double *work, const uint16_t *owner, size_t count, double *load)
{
  for (size_t k = 0; k < count; k++) load[owner[k]] += work[k];
}

double pd_ranks_unevenness(const pd_state *s, const pd_ranks_work *work)
{
  const pd_host *h = s->host;
  const pd_ranks *r = h->ranks;
  double bonds[TEAM_MOST] = {0}, nodes[TEAM_MOST] = {0}, most_bonds = 0, most_nodes = 0;
  add_loads(work->tile, r->tile_owner, h->runs.tile_count, bonds);
  add_loads(work->rows, r->owner, h->block_count, bonds);
  add_loads(work->block, r->owner, h->block_count, nodes);
  for (unsigned q = 0; q < r->team->size; q++) most_bonds = fmax(most_bonds, bonds[q]), most_nodes = fmax(most_nodes, nodes[q]);
  return (most_bonds + most_nodes) * r->team->size / pd_ranks_all_work(s, work);
}
