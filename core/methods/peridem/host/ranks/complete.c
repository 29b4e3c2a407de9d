/* What checkpoints have, on rank 0; and the messages of tiles. */
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/ranks/halo.h"

/* How long the list of a block is. */
typedef struct list_of_block {
  uint32_t block, count;
} list_of_block;

/* Contacts with the rig of all blocks. */
static bool collect_rig(const pd_state *s)
{
  pd_host *h = s->host;
  size_t mine = 0;
  for (size_t n = 0; n < h->own_count; n++) mine += h->rig_blocks[h->own[n]].count;
  list_of_block *heads = mem_array(h->own_count, sizeof *heads), *all_heads = NULL;
  pd_rig_contact *contacts = mem_array(mine, sizeof *contacts), *all = NULL;
  if (!heads || !contacts) return false;
  for (size_t n = 0, at = 0; n < h->own_count; n++) {
    const pd_rig_block *block = &h->rig_blocks[h->own[n]];
    heads[n] = (list_of_block){h->own[n], (uint32_t)block->count};
    if (block->count) memcpy(contacts + at, block->now, block->count * sizeof *contacts);
    at += block->count;
  }
  size_t blocks = pd_ranks_join_first(s, heads, h->own_count, sizeof *heads, (void **)&all_heads);
  (void)pd_ranks_join_first(s, contacts, mine, sizeof *contacts, (void **)&all);
  bool enough = true;
  for (size_t n = 0, at = 0; n < blocks && enough; at += all_heads[n++].count) {
    pd_rig_block *block = &h->rig_blocks[all_heads[n].block];
    if (h->ranks->owner[all_heads[n].block] == h->ranks->team->rank) continue;
    enough = mem_grow(&block->now, &block->capacity, all_heads[n].count, sizeof *block->now);
    if (enough && all_heads[n].count) memcpy(block->now, all + at, all_heads[n].count * sizeof *all);
    block->count = all_heads[n].count;
  }
  mem_free(heads), mem_free(contacts), mem_free(all_heads), mem_free(all);
  return enough;
}

/* Friction's springs between bodies, of all strips. */
static bool collect_springs(const pd_state *s)
{
  pd_host *h = s->host;
  pd_facing *f = h->facing;
  size_t mine = 0;
  if (!f || !f->strip) return true;
  for (size_t k = 0; k < f->strip_count; k++)
    if (pd_is_own(h, k * PD_STRIP)) mine += f->strip[k].count;
  pd_pair_spring *springs = mem_array(mine, sizeof *springs), *all = NULL;
  if (!springs) return false;
  for (size_t k = 0, at = 0; k < f->strip_count; k++) {
    if (!pd_is_own(h, k * PD_STRIP)) {
      f->strip[k].count = 0;
      continue;
    }
    if (f->strip[k].count) memcpy(springs + at, f->strip[k].now, f->strip[k].count * sizeof *springs);
    at += f->strip[k].count;
  }
  size_t count = pd_ranks_join_first(s, springs, mine, sizeof *springs, (void **)&all);
  bool enough = true;
  for (size_t n = 0; n < count && enough; n++) {
    if (pd_is_own(h, all[n].near)) continue;
    pd_spring_strip *strip = &f->strip[all[n].near / PD_STRIP];
    enough = mem_grow(&strip->now, &strip->capacity, strip->count + 1, sizeof *strip->now);
    if (enough) strip->now[strip->count++] = all[n];
  }
  mem_free(springs), mem_free(all);
  return enough;
}

void pd_ranks_complete(const pd_state *s)
{
  const pd_host *h = s->host;
  const pd_ranks *r = h->ranks;
  if (!r->team) return;
  pd_ranks_show(s);
  const pd_node_field motion[] = {PD_NODE_VECTORS(h->moved), PD_NODE_VECTORS(h->velocity), PD_NODE_VECTORS(h->acceleration)};
  const pd_node_field listed[] = {PD_NODE_FIELD(h->near.at[0]), PD_NODE_FIELD(h->near.at[1]), PD_NODE_FIELD(h->near.at[2])};
  pd_ranks_lead(s, motion, sizeof motion / sizeof *motion);
  pd_ranks_lead(s, listed, 3);
  if (s->explicit_damping) {
    const pd_node_field more[] = {PD_NODE_VECTORS(h->damping), PD_NODE_VECTORS(h->friction)};
    pd_ranks_lead(s, more, sizeof more / sizeof *more);
  }
  if (!collect_rig(s) || !collect_springs(s)) team_abandon(r->team, 1);
}

void pd_ranks_pass_rows(scr_team *team, unsigned from, unsigned to, pd_bonds *rows)
{
  struct {
    void *array;
    size_t size;
  } of[] = {{rows->count, rows->node_count * sizeof *rows->count},
            {rows->other, rows->slot_count * sizeof *rows->other},
            {rows->inverse_length, rows->slot_count * sizeof *rows->inverse_length},
            {rows->weight, rows->weight ? rows->slot_count * sizeof *rows->weight : 0}};
  bool sends = team->rank == from;
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    const team_parcel parcel = {sends ? to : from, of[k].array, of[k].size};
    if (of[k].size) team_exchange(team, &parcel, sends, &parcel, !sends);
  }
}

const pd_bonds *pd_ranks_rows(const pd_state *s, size_t grain, pd_bonds *copy, scr_status *status, scr_error *error)
{
  const pd_host *h = s->host;
  const pd_ranks *r = h->ranks;
  *status = SCR_OK;
  if (!r->team) return h->grains[grain].bonds;
  if (r->led[grain]) return r->team->rank == 0 ? h->grains[grain].bonds : NULL;
  unsigned keeper = r->owner[h->grains[grain].first / PD_BLOCK];
  if (r->team->rank == keeper) {
    pd_bonds rows = *h->grains[grain].bonds;
    pd_ranks_pass_rows(r->team, keeper, 0, &rows);
  }
  if (r->team->rank > 0) return NULL;
  const pd_bonds *whole = &s->bodies[h->grains[grain].body].bonds;
  *status = pd_bonds_copy(copy, whole, error);
  if (*status != SCR_OK) return NULL;
  pd_ranks_pass_rows(r->team, keeper, 0, copy);
  return copy;
}

/* ── tiles ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Doubles of overlaps with rank q, from this rank or to it. */
static size_t between(const pd_state *s, unsigned q, bool sends)
{
  const pd_ranks *r = s->host->ranks;
  size_t count = 0;
  for (size_t k = 0; k < r->overlap_count; k++) {
    const pd_tile_overlap *o = &r->overlap[k];
    if (r->tile_owner[sends ? o->onto : o->from] == q) count += 3 * (o->end - o->begin);
  }
  return count;
}

/* Copies the overlaps with rank q into a message, or out of it. */
static void copy_overlaps(const pd_state *s, unsigned q, bool sends, double *message)
{
  const pd_ranks *r = s->host->ranks;
  for (size_t k = 0; k < r->overlap_count; k++) {
    const pd_tile_overlap *o = &r->overlap[k];
    if (r->tile_owner[sends ? o->onto : o->from] != q) continue;
    const pd_run_tile *tile = &s->host->runs.tile[o->from];
    size_t span = tile->high - tile->low, some = o->end - o->begin;
    for (size_t a = 0; a < 3; a++, message += some) {
      double *buffer = tile->force + a * span + (o->begin - tile->low);
      if (sends)
        memcpy(message, buffer, some * sizeof *message);
      else
        memcpy(buffer, message, some * sizeof *message);
    }
  }
}

void pd_ranks_send_tiles(const pd_state *s)
{
  pd_ranks *r = s->host->ranks;
  if (!r->team) return;
  unsigned ranks = r->team->size;
  team_parcel out[TEAM_MOST], in[TEAM_MOST];
  size_t sends = 0, receives = 0, sent = 0, received = 0, out_at[TEAM_MOST], in_at[TEAM_MOST];
  for (unsigned q = 0; q < ranks; q++) {
    out_at[q] = sent, in_at[q] = received;
    if (q != r->team->rank) sent += between(s, q, true), received += between(s, q, false);
  }
  if (!mem_grow(&r->out, &r->out_capacity, sent * sizeof(double), 1) || !mem_grow(&r->in, &r->in_capacity, received * sizeof(double), 1))
    team_abandon(r->team, 1);
  double *to = (double *)(void *)r->out, *from = (double *)(void *)r->in;
  for (unsigned q = 0; q < ranks; q++) {
    size_t sent_to = (q + 1 < ranks ? out_at[q + 1] : sent) - out_at[q], got = (q + 1 < ranks ? in_at[q + 1] : received) - in_at[q];
    if (sent_to) copy_overlaps(s, q, true, to + out_at[q]), out[sends++] = (team_parcel){q, to + out_at[q], sent_to * sizeof *to};
    if (got) in[receives++] = (team_parcel){q, from + in_at[q], got * sizeof *from};
  }
  team_exchange(r->team, out, sends, in, receives);
  for (unsigned q = 0; q < ranks; q++)
    if ((q + 1 < ranks ? in_at[q + 1] : received) > in_at[q]) copy_overlaps(s, q, false, from + in_at[q]);
}

void pd_ranks_send_forces(const pd_state *s)
{
  const pd_ranks *r = s->host->ranks;
  const pd_node_field field[] = {PD_NODE_VECTORS(s->host->force)};
  if (r->team) pd_ranks_pass(s, &r->given, &r->taken, field, 3);
}
