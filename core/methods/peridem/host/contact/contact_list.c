/* Candidates for contact between nodes.
 *
 * Every node keeps a row of candidates nearer than Rc + skin; rows are made anew when a node has moved by half the skin. */
#include "methods/peridem/host/bonds/bond_force.h"
#include "methods/peridem/host/contact/contact.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/ranks/ranks.h"

enum { FEW = 8, WORDS = 64, WORD_BITS = 64 };

static void insert_in_order(uint32_t *row, size_t count)
{
  for (size_t k = 1; k < count; k++) {
    uint32_t entry = row[k], number = entry & ~PD_BONDED;
    size_t at = k;
    for (; at > 0 && (row[at - 1] & ~PD_BONDED) > number; at--) row[at] = row[at - 1];
    row[at] = entry;
  }
}

/* Marks numbers in a set of bits from `lowest` on, and reads them from it in order. */
static void sort_by_bits(uint32_t *row, size_t count, uint32_t lowest, uint32_t highest)
{
  uint64_t listed[WORDS], bonded[WORDS];
  size_t words = (highest - lowest) / WORD_BITS + 1, filled = 0;
  memset(listed, 0, words * sizeof *listed);
  memset(bonded, 0, words * sizeof *bonded);
  for (size_t k = 0; k < count; k++) {
    uint32_t at = (row[k] & ~PD_BONDED) - lowest;
    listed[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
    bonded[at / WORD_BITS] |= (uint64_t)(row[k] != (row[k] & ~PD_BONDED)) << at % WORD_BITS;
  }
  for (size_t w = 0; w < words; w++)
    for (uint64_t bits = listed[w]; bits; bits &= bits - 1) {
      uint32_t bit = (uint32_t)__builtin_ctzll(bits), number = lowest + (uint32_t)w * WORD_BITS + bit;
      row[filled++] = bonded[w] >> bit & 1 ? number | PD_BONDED : number;
    }
}

/* By the number of the node, so that forces are added in an order that does not depend on where nodes were when rows were made. Neighbours
 * within a body lie in a few thousand numbers; those of several bodies are parted in the middle first, at most 20 times over. */
static void sort_row(uint32_t *row, size_t count)
{
  uint32_t lowest = UINT32_MAX, highest = 0;
  size_t below = 0;
  if (count <= FEW) {
    insert_in_order(row, count);
    return;
  }
  for (size_t k = 0; k < count; k++) {
    uint32_t number = row[k] & ~PD_BONDED;
    lowest = number < lowest ? number : lowest;
    highest = number > highest ? number : highest;
  }
  if (highest - lowest < WORDS * WORD_BITS) {
    sort_by_bits(row, count, lowest, highest);
    return;
  }
  for (size_t k = 0; k < count; k++) {
    uint32_t entry = row[k];
    if ((entry & ~PD_BONDED) - lowest > (highest - lowest) / 2) continue;
    row[k] = row[below];
    row[below++] = entry;
  }
  sort_row(row, below);
  sort_row(row + below, count - below);
}

/* Drops nodes of other grains that are too far to meet before rows are made anew. Of i's own grain stay, with self-contact, those that no
 * bond joins with it, and those that one does where the grain has broken before: the first break of an unbroken grain makes the list stale.
 * Who is bonded is marked in the thread's stamps, by i. */
static size_t filter_row(const void *user, unsigned thread, uint32_t i, uint32_t *row, size_t count)
{
  const pd_state *s = user;
  const pd_host *h = s->host;
  const pd_grain *grain = &h->grains[h->grain_of[i]];
  const pd_bonds *bonds = grain->bonds;
  const size_t first = grain->first, nodes = s->bodies[grain->body].node_count;
  const bool self = s->options->self_contact, broken = grain->broken;
  uint32_t *stamp = h->stamp[thread], from = bonds->first[i - first];
  const double limit = (h->touch + h->near.skin) * (h->touch + h->near.skin) * (1 + 1e-12), *const *at = (const double *const *)h->near.at;
  const double own_limit = (s->contact_radius + h->near.skin) * (s->contact_radius + h->near.skin) * (1 + 1e-12);
  size_t kept = 0;
  h->wide[i] = 0;
  if (self)
    for (uint32_t k = from; k < from + bonds->count[i - first]; k++) stamp[bonds->other[k]] = i + 1;
  for (size_t k = 0; k < count; k++) {
    uint32_t entry = row[k];
    bool own = entry - first < nodes, bonded = own && self && stamp[entry - first] == i + 1;
    double dx = at[0][entry] - at[0][i], dy = at[1][entry] - at[1][i], dz = at[2][entry] - at[2][i];
    double r2 = dx * dx + dy * dy + dz * dz;
    bool stays = own ? self && (!bonded || broken) && r2 < own_limit : r2 < limit;
    row[kept] = bonded ? entry | PD_BONDED : entry;
    kept += stays;
    h->wide[i] |= own && stays;
  }
  sort_row(row, kept);
  return kept;
}

static scr_status make_list(pd_state *s, bool from_listed, scr_error *error)
{
  pd_host *h = s->host;
  geo_near_list *near = &h->near;
  near->skin = s->options->contact_skin * s->contact_radius;
  for (unsigned t = 0; t < s->execution.threads; t++) memset(h->stamp[t], 0, h->stamp_count * sizeof *h->stamp[t]);
  if (!from_listed) SCR_TRY(pd_ranks_find_near(s, (h->wide_reach + near->skin) * (1 + 1e-9), error));
  if (!from_listed) geo_near_list_place(near, h->position.x, h->position.y, h->position.z, s->execution);
  SCR_TRY(geo_near_list_build(near, h->wide_reach + near->skin, filter_row, s, s->execution, error));
  return pd_ranks_find_halo(s, error);
}

/* Where work has been shared out anew, what bonds of nodes that have come lead to. */
static scr_status balance(pd_state *s, scr_error *error)
{
  const pd_host *h = s->host;
  bool moved;
  SCR_TRY(pd_ranks_balance(s, &moved, error));
  if (!moved) return SCR_OK;
  SCR_TRY(make_list(s, false, error));
  const pd_node_field bonded[] = {PD_NODE_VECTORS(h->position), PD_NODE_FIELD(h->dilatation)};
  pd_ranks_update(s, bonded, 4);
  return SCR_OK;
}

scr_status pd_contact_list(pd_state *s, bool from_listed, scr_error *error)
{
  pd_host *h = s->host;
  const geo_near_list *near = &h->near;
  SCR_TRY(make_list(s, from_listed, error));
  if (!from_listed) SCR_TRY(balance(s, error));
  if (h->facing && !mem_grow(&h->met_held, &h->held_capacity, near->first[near->count], sizeof *h->met_held))
    return scr_fail_memory(error, "the contact pairs", near->first[near->count] * sizeof *h->met_held);
  if (s->explicit_damping || mem_grow(&h->pair_met, &h->met_capacity, near->first[near->count], sizeof *h->pair_met)) return SCR_OK;
  return scr_fail_memory(error, "the contact pairs", near->first[near->count] * sizeof *h->pair_met);
}

static void raise_moved(const void *user, size_t from, size_t to, double *square)
{
  const pd_state *s = user;
  const pd_vectors *p = &s->host->position;
  for (size_t n = from; n < to; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    *square = fmax(*square, geo_near_list_square_moved(&s->host->near, p->x, p->y, p->z, begin, end));
  }
}

bool pd_contact_list_is_old(const pd_state *s)
{
  const pd_host *h = s->host;
  double square = 0;
  if (h->near.stale) return true;
  execution_largest(s->execution, h->own_count, 1, raise_moved, s, &square);
  return sqrt(pd_ranks_largest(s, square)) > 0.5 * s->options->contact_skin * s->contact_radius;
}
