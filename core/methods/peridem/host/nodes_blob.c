/* The host's arrays on disk: everything of nodes, bonds and contacts that later bits depend on, bond rows and the positions of the last
 * pair list included. */
#include "methods/peridem/host/nodes_blob.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/contact.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "sim/method.h"

/* What explicit damping hands on to the next step, and where nodes were at the last search. */
static scr_status save_vectors(const pd_state *s, scr_blob *blob, scr_error *error)
{
  const pd_host *h = s->host;
  for (int a = 0; a < 3; a++) {
    SCR_TRY(scr_blob_write_array(blob, h->near.at[a], h->node_count, sizeof(double), error));
    SCR_TRY(scr_blob_write_array(blob, pd_axis(&h->damping, a), h->explicit_count, sizeof(double), error));
  }
  return SCR_OK;
}

static scr_status load_vectors(pd_state *s, scr_blob *blob, scr_error *error)
{
  pd_host *h = s->host;
  for (int a = 0; a < 3; a++) {
    SCR_TRY(scr_blob_read_finite(blob, h->near.at[a], h->node_count, sizeof(double), "listed places of nodes", error));
    SCR_TRY(scr_blob_read_finite(blob, pd_axis(&h->damping, a), h->explicit_count, sizeof(double), "damping", error));
  }
  return SCR_OK;
}

static scr_status save_rows(const pd_bonds *b, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_array(blob, b->count, b->node_count, sizeof *b->count, error));
  SCR_TRY(scr_blob_write_array(blob, b->other, b->slot_count, sizeof *b->other, error));
  SCR_TRY(scr_blob_write_array(blob, b->inverse_length, b->slot_count, sizeof *b->inverse_length, error));
  return b->weight ? scr_blob_write_array(blob, b->weight, b->slot_count, sizeof *b->weight, error) : SCR_OK;
}

static scr_status save_grain(const pd_state *s, size_t g, scr_blob *blob, scr_error *error)
{
  const pd_grain *grain = &s->host->grains[g];
  SCR_TRY(scr_blob_write_u64(blob, grain->broken, error));
  if (!grain->broken) return SCR_OK;
  pd_bonds copy = {0};
  scr_status status;
  const pd_bonds *rows = pd_ranks_rows(s, g, &copy, &status, error);
  if (rows) status = save_rows(rows, blob, error);
  pd_bonds_clear(&copy);
  return status;
}

scr_status pd_nodes_save(const pd_state *s, scr_blob *blob, scr_error *error)
{
  const pd_host *h = s->host;
  pd_ranks_complete(s);
  if (pd_leads(s)) SCR_TRY(fields_save(pd_host_fields, PD_HOST_FIELDS, h, blob, error));
  if (pd_leads(s)) SCR_TRY(save_vectors(s, blob, error));
  for (size_t g = 0; g < s->grain_count; g++) SCR_TRY(save_grain(s, g, blob, error));
  if (!pd_leads(s)) return SCR_OK;
  for (size_t b = 0; b < h->block_count; b++)
    SCR_TRY(scr_blob_write_array(blob, h->rig_blocks[b].now, h->rig_blocks[b].count, sizeof *h->rig_blocks[b].now, error));
  for (size_t k = 0; h->facing && k < h->facing->strip_count; k++)
    SCR_TRY(scr_blob_write_array(blob, h->facing->strip[k].now, h->facing->strip[k].count, sizeof *h->facing->strip[k].now, error));
  return SCR_OK;
}

/* @param holds whether this rank needs the rows */
static scr_status load_grain(pd_grain *grain, const pd_body *body, bool holds, scr_blob *blob, scr_error *error)
{
  uint64_t broken;
  SCR_TRY(scr_blob_read_u64(blob, &broken, error));
  pd_bonds_clear(&grain->own); /* of the state that was there before */
  grain->bonds = &body->bonds;
  grain->broken = broken != 0;
  if (!broken) return SCR_OK;
  SCR_TRY(pd_bonds_copy(&grain->own, &body->bonds, error));
  grain->bonds = &grain->own;
  pd_bonds *b = &grain->own;
  SCR_TRY(scr_blob_read_array(blob, b->count, b->node_count, sizeof *b->count, "bond counts", error));
  SCR_TRY(scr_blob_read_array(blob, b->other, b->slot_count, sizeof *b->other, "bonds", error));
  SCR_TRY(scr_blob_read_array(blob, b->inverse_length, b->slot_count, sizeof *b->inverse_length, "bond lengths", error));
  if (b->weight) SCR_TRY(scr_blob_read_array(blob, b->weight, b->slot_count, sizeof *b->weight, "bond weights", error));
  for (size_t i = 0; i < b->node_count; i++) {
    if (b->count[i] > b->first[i + 1] - b->first[i]) return scr_sim_damaged("bond counts", error);
    for (uint32_t k = b->first[i]; k < b->first[i] + b->count[i]; k++)
      if (b->other[k] >= b->node_count || !(b->inverse_length[k] > 0) || (b->weight && !(b->weight[k] >= 0)))
        return scr_sim_damaged("bonds", error);
  }
  if (holds) return SCR_OK;
  pd_bonds_clear(&grain->own);
  grain->bonds = &body->bonds;
  return SCR_OK;
}

static bool torn_bonds_are_valid(const pd_host *h)
{
  for (size_t k = 0; k < h->torn_bond_count; k++)
    if (h->torn_bonds[k].near >= h->node_count || h->torn_bonds[k].far >= h->node_count) return false;
  return true;
}

/* A block's contacts with the rig: parts and nodes that there are, in their order. */
static scr_status load_rig_block(pd_state *s, size_t b, scr_blob *blob, scr_error *error)
{
  pd_rig_block *block = &s->host->rig_blocks[b];
  size_t count, begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  if (count > s->rig->count * PD_BLOCK || count > blob->size / sizeof *block->now) return scr_sim_damaged("contacts with the rig", error);
  SCR_TRY(mem_reserve(&block->now, &block->capacity, count, sizeof *block->now, "the contacts with the rig", error));
  block->count = 0;
  SCR_TRY(scr_blob_read_array(blob, block->now, count, sizeof *block->now, "contacts with the rig", error));
  const pd_rig_contact *last = NULL;
  for (size_t k = 0; k < count; k++) {
    const pd_rig_contact *contact = &block->now[k];
    bool ordered = k == 0 || contact->part > last->part || (contact->part == last->part && contact->node > last->node);
    last = contact;
    if (!ordered || contact->part >= s->rig->count || contact->node < begin || contact->node >= end)
      return scr_sim_damaged("contacts with the rig", error);
  }
  block->count = count;
  return SCR_OK;
}

/* Springs of friction between bodies, of a strip's nodes in their order. */
static scr_status load_strip(pd_state *s, size_t k, scr_blob *blob, scr_error *error)
{
  pd_spring_strip *strip = &s->host->facing->strip[k];
  size_t count;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  if (count > blob->size / sizeof *strip->now) return scr_sim_damaged("friction between bodies", error);
  SCR_TRY(mem_reserve(&strip->now, &strip->capacity, count, sizeof *strip->now, "friction between bodies", error));
  strip->count = 0;
  SCR_TRY(scr_blob_read_array(blob, strip->now, count, sizeof *strip->now, "friction between bodies", error));
  for (size_t n = 0; n < count; n++) {
    const pd_pair_spring *spring = &strip->now[n];
    bool ordered = n == 0 || spring->near >= strip->now[n - 1].near;
    if (!ordered || spring->near / PD_STRIP != k || spring->near >= s->node_count || spring->far >= s->node_count)
      return scr_sim_damaged("friction between bodies", error);
    s->host->facing->held[spring->near] = 1;
  }
  strip->count = count;
  return SCR_OK;
}

scr_status pd_nodes_load(pd_state *s, scr_blob *blob, scr_error *error)
{
  pd_host *h = s->host;
  SCR_TRY(fields_load(pd_host_fields, PD_HOST_FIELDS, h, blob, error));
  if (!torn_bonds_are_valid(h)) return scr_sim_damaged("broken bonds", error);
  SCR_TRY(load_vectors(s, blob, error));
  for (size_t g = 0; g < s->grain_count; g++)
    SCR_TRY(load_grain(&h->grains[g], &s->bodies[h->grains[g].body], pd_holds(h, g), blob, error));
  SCR_TRY(pd_runs_restore(&h->runs, s, error));
  for (size_t b = 0; b < h->block_count; b++) SCR_TRY(load_rig_block(s, b, blob, error));
  for (size_t k = 0; h->facing && k < h->facing->strip_count; k++) SCR_TRY(load_strip(s, k, blob, error));
  h->ranks->shown = false;
  h->near.known = NULL; /* all of them, by the checkpoint */
  if (h->near.stale) return pd_ranks_find_halo(s, error);
  SCR_TRY(pd_contact_list(s, true, error));
  if (h->facing) pd_facing_turn(s); /* as the last force pass left them */
  return SCR_OK;
}
