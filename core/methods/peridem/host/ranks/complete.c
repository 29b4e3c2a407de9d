/* What views and checkpoints show, on every rank; and the messages of tiles. */
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
  size_t blocks = pd_ranks_join(s, heads, h->own_count, sizeof *heads, (void **)&all_heads);
  (void)pd_ranks_join(s, contacts, mine, sizeof *contacts, (void **)&all);
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
  size_t count = pd_ranks_join(s, springs, mine, sizeof *springs, (void **)&all);
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

/* Rows of candidates of all nodes, as their owners have them. */
static bool collect_rows(const pd_state *s)
{
  pd_host *h = s->host;
  geo_near_list *near = &h->near;
  size_t n = s->node_count, own = 0, total;
  uint32_t *all = NULL, *count = mem_array(n, sizeof *count), *mine = mem_array(near->first[n], sizeof *mine);
  if (!count || !mine) return false;
  for (size_t i = 0; i < n; i++) {
    count[i] = near->first[i + 1] - near->first[i];
    if (!pd_is_own(h, i)) continue;
    memcpy(mine + own, near->other + near->first[i], count[i] * sizeof *mine);
    own += count[i];
  }
  const pd_node_field field[] = {PD_NODE_FIELD(count), PD_NODE_FIELD(h->wide)};
  pd_ranks_collect(s, field, 2);
  total = pd_ranks_join(s, mine, own, sizeof *mine, (void **)&all);
  for (size_t i = 0; i < n; i++) near->first[i + 1] = near->first[i] + count[i];
  bool enough = total <= UINT32_MAX && mem_grow(&near->other, &near->other_capacity, total + GEO_NEAR_SPARE, sizeof *near->other) &&
                mem_grow(&h->pair_met, &h->met_capacity, total, sizeof *h->pair_met) &&
                (!h->facing || mem_grow(&h->met_held, &h->held_capacity, total, sizeof *h->met_held));
  size_t from = 0;
  for (unsigned q = 0; q < h->ranks->team->size && enough; q++)
    for (size_t b = 0; b < h->block_count; b++)
      for (size_t i = b * PD_BLOCK; h->ranks->owner[b] == q && i < (b + 1) * PD_BLOCK && i < n; from += count[i++])
        memcpy(near->other + near->first[i], all + from, count[i] * sizeof *all);
  mem_free(all), mem_free(count), mem_free(mine);
  return enough;
}

void pd_ranks_complete(const pd_state *s)
{
  const pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  if (!r->team || r->complete) return;
  const pd_node_field field[] = {PD_NODE_VECTORS(h->moved), PD_NODE_VECTORS(h->position), PD_NODE_VECTORS(h->velocity),
                                 PD_NODE_VECTORS(h->acceleration), PD_NODE_FIELD(h->dilatation)};
  pd_ranks_collect(s, field, sizeof field / sizeof *field);
  if (s->explicit_damping) {
    const pd_node_field more[] = {PD_NODE_VECTORS(h->damping), PD_NODE_VECTORS(h->friction)};
    pd_ranks_collect(s, more, sizeof more / sizeof *more);
  }
  if (h->facing) {
    const pd_node_field faces[] = {PD_NODE_FIELD(h->facing->normal), PD_NODE_FIELD(h->facing->count)};
    pd_ranks_collect(s, faces, 2);
  }
  if (!collect_rows(s) || !collect_rig(s) || !collect_springs(s)) team_abandon(r->team, 1);
  r->complete = true;
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
