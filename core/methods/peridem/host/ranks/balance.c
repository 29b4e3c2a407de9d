/* Even shares: what moves when work is shared out anew. Who works on what changes no bits. */
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/ranks/halo.h"

/* Of the most loaded rank, over the mean: above it work is shared out anew, if that lessens it by as much as this at least. */
static const double uneven = 1.1, gain = 0.05;

/* Who had what. */
typedef struct pd_shares {
  uint16_t *owner;      /* [block_count] */
  uint16_t *tile_owner; /* [tile_count] */
  unsigned char *held;  /* [ranks][grain_count] */
  unsigned char *now;   /* [ranks][grain_count] who has what now */
} pd_shares;

static void shares_clear(pd_shares *old)
{
  mem_free(old->owner), mem_free(old->tile_owner), mem_free(old->held), mem_free(old->now);
}

static scr_status shares_copy(const pd_state *s, pd_shares *old, scr_error *error)
{
  const pd_host *h = s->host;
  const pd_ranks *r = h->ranks;
  *old = (pd_shares){mem_array(h->block_count, sizeof *old->owner), mem_array(h->runs.tile_count, sizeof *old->tile_owner),
                     mem_array(r->team->size, s->grain_count), mem_array(r->team->size, s->grain_count)};
  if (!old->owner || !old->tile_owner || !old->held || !old->now)
    return scr_fail_memory(error, "what ranks share", r->team->size * s->grain_count);
  memcpy(old->owner, r->owner, h->block_count * sizeof *old->owner);
  memcpy(old->tile_owner, r->tile_owner, h->runs.tile_count * sizeof *old->tile_owner);
  for (unsigned q = 0; q < r->team->size; q++) pd_ranks_held(s, q, old->held + q * s->grain_count);
  return SCR_OK;
}

/* Lists of nodes whose block goes from this rank to each other, and comes from each. */
static scr_status list_moving(pd_state *s, const pd_shares *old, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  unsigned me = r->team->rank;
  memset(r->sent.first, 0, (r->team->size + 1) * sizeof *r->sent.first);
  memset(r->got.first, 0, (r->team->size + 1) * sizeof *r->got.first);
  for (unsigned q = 0; q < r->team->size; q++) {
    r->sent.first[q + 1] = r->sent.first[q];
    r->got.first[q + 1] = r->got.first[q];
    for (size_t i = 0; i < s->node_count && q != me; i++) {
      size_t b = i / PD_BLOCK;
      if (old->owner[b] == me && r->owner[b] == q) SCR_TRY(pd_node_lists_add(&r->sent, q, (uint32_t)i, error));
      if (old->owner[b] == q && r->owner[b] == me) SCR_TRY(pd_node_lists_add(&r->got, q, (uint32_t)i, error));
    }
  }
  return SCR_OK;
}

/* All that a node has from step to step, and the forces of the pass that is under way. */
static void move_nodes(pd_state *s)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  const pd_node_field motion[] = {PD_NODE_VECTORS(h->moved),        PD_NODE_VECTORS(h->position), PD_NODE_VECTORS(h->velocity),
                                  PD_NODE_VECTORS(h->acceleration), PD_NODE_VECTORS(h->force),    PD_NODE_FIELD(h->dilatation)};
  pd_ranks_pass(s, &r->sent, &r->got, motion, sizeof motion / sizeof *motion);
  if (s->explicit_damping) {
    const pd_node_field damping[] = {PD_NODE_VECTORS(h->damping), PD_NODE_VECTORS(h->friction), PD_NODE_VECTORS(h->last_damping),
                                     PD_NODE_VECTORS(h->last_friction)};
    pd_ranks_pass(s, &r->sent, &r->got, damping, sizeof damping / sizeof *damping);
  } else {
    const pd_node_field damping[] = {PD_NODE_VECTORS(h->damping), PD_NODE_FIELD(h->share)};
    pd_ranks_pass(s, &r->sent, &r->got, damping, sizeof damping / sizeof *damping);
  }
  if (h->facing) {
    const pd_node_field held[] = {PD_NODE_FIELD(h->facing->held)};
    pd_ranks_pass(s, &r->sent, &r->got, held, 1);
  }
  for (size_t k = 0; k < r->got.first[r->team->size]; k++) {
    uint32_t i = r->got.node[k];
    scr_vec3 start = pd_node_start(s, i);
    h->reference.x[i] = start.x, h->reference.y[i] = start.y, h->reference.z[i] = start.z;
  }
}

/* A list of a block or strip as a message between two ranks: its length, then its elements. @return false without memory */
static bool move_list(scr_team *team, unsigned from, unsigned to, void *list, size_t *capacity, size_t *count, size_t size)
{
  bool sends = team->rank == from;
  uint64_t number = *count;
  team_parcel parcel = {sends ? to : from, &number, sizeof number};
  team_exchange(team, &parcel, sends, &parcel, !sends);
  if (!sends && !mem_grow(list, capacity, number, size)) return false;
  void *elements;
  memcpy(&elements, list, sizeof elements);
  parcel = (team_parcel){sends ? to : from, elements, number * size};
  if (number) team_exchange(team, &parcel, sends, &parcel, !sends);
  *count = sends ? 0 : number;
  return true;
}

/* Contacts with the rig, and springs of friction between bodies, of the blocks that move. */
static bool move_lists(pd_state *s, const pd_shares *old)
{
  pd_host *h = s->host;
  const pd_ranks *r = h->ranks;
  size_t strips = h->facing && h->facing->strip ? h->facing->strip_count : 0;
  bool enough = true;
  for (size_t b = 0; b < h->block_count && enough; b++) {
    unsigned from = old->owner[b], to = r->owner[b];
    if (from == to || (from != r->team->rank && to != r->team->rank)) continue;
    pd_rig_block *block = &h->rig_blocks[b];
    enough = move_list(r->team, from, to, &block->now, &block->capacity, &block->count, sizeof *block->now);
    for (size_t k = b * (PD_BLOCK / PD_STRIP), end = k + PD_BLOCK / PD_STRIP; k < end && k < strips && enough; k++) {
      pd_spring_strip *strip = &h->facing->strip[k];
      enough = move_list(r->team, from, to, &strip->now, &strip->capacity, &strip->count, sizeof *strip->now);
      if (from == r->team->rank) strip->heat = 0;
    }
  }
  return enough;
}

/* Rows of a broken grain from the first rank that had them to those that have it now and had not; who has it no longer forgets them. */
static scr_status move_rows(pd_state *s, const pd_shares *old, size_t g, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  pd_grain *grain = &h->grains[g];
  const pd_bonds *whole = &s->bodies[grain->body].bonds;
  unsigned me = r->team->rank, from = 0;
  while (!old->held[from * s->grain_count + g]) from++;
  bool had = old->held[me * s->grain_count + g];
  if (r->holds[g] && !had) {
    SCR_TRY(pd_bonds_copy(&grain->own, whole, error));
    grain->bonds = &grain->own;
    pd_ranks_pass_rows(r->team, from, me, &grain->own);
  }
  for (unsigned q = 0; q < r->team->size && me == from; q++)
    if (!old->held[q * s->grain_count + g] && old->now[q * s->grain_count + g]) pd_ranks_pass_rows(r->team, from, q, &grain->own);
  if (!r->holds[g] && had) {
    pd_bonds_clear(&grain->own);
    grain->bonds = whole;
  }
  return SCR_OK;
}

/* The state goes to who has it now. */
static scr_status move_all(pd_state *s, pd_shares *old, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  for (unsigned q = 0; q < r->team->size; q++) pd_ranks_held(s, q, old->now + q * s->grain_count);
  SCR_TRY(list_moving(s, old, error));
  move_nodes(s);
  if (!move_lists(s, old)) return scr_fail_memory(error, "what ranks share", s->node_count);
  for (size_t g = 0; g < s->grain_count; g++)
    if (h->grains[g].broken) SCR_TRY(move_rows(s, old, g, error));
  for (size_t k = 0; k < h->runs.group_count; k++) SCR_TRY(pd_runs_restore_group(&h->runs, s, k, error));
  return SCR_OK;
}

/* Shares out by the work as it is, where that is better. */
static scr_status share_anew(pd_state *s, const pd_ranks_work *work, double before, bool *moved, scr_error *error)
{
  const pd_host *h = s->host;
  pd_shares old = {NULL, NULL, NULL, NULL};
  scr_status status = shares_copy(s, &old, error);
  if (status == SCR_OK) pd_ranks_choose(s, work);
  *moved = status == SCR_OK && pd_ranks_unevenness(s, work) < before - gain;
  if (status == SCR_OK && !*moved) {
    memcpy(h->ranks->owner, old.owner, h->block_count * sizeof *old.owner);
    memcpy(h->ranks->tile_owner, old.tile_owner, h->runs.tile_count * sizeof *old.tile_owner);
  }
  if (*moved) h->ranks->team->moves++;
  if (*moved) status = pd_ranks_follow(s, error);
  if (*moved && status == SCR_OK) status = move_all(s, &old, error);
  shares_clear(&old);
  return status;
}

scr_status pd_ranks_balance(pd_state *s, bool *moved, scr_error *error)
{
  *moved = false;
  if (!s->host->ranks->team || s->host->ranks->team->size < 2) return SCR_OK;
  pd_ranks_work work;
  scr_status status = pd_ranks_work_create(s, &work, error);
  if (status == SCR_OK) pd_ranks_measure(s, &work);
  double now = status == SCR_OK ? pd_ranks_unevenness(s, &work) : 0;
  if (now > uneven) status = share_anew(s, &work, now, moved, error);
  pd_ranks_work_clear(&work);
  return status;
}
