/* Stripes of chains. */
#include "contact/system/stripes.h"

#include "base/memory.h"
#include "contact/system/workspace.h"

enum { N = CONTACT_STRIPES, FEW = 300 /* contacts that one thread sweeps as quickly */, ITEMS = 2 * N - 1, UNSEEN = UINT32_MAX };

/* Chains by how many contacts they are away from the first one. */
typedef struct chain_levels {
  size_t *first;   /* [chains + 2] entries of H on a chain, by chain */
  uint32_t *touch; /* contacts that have them */
  uint32_t *level; /* [chains] */
  uint32_t *queue; /* [chains] in the order in which they are come upon */
} chain_levels;

static void clear(chain_levels *o)
{
  mem_free(o->first), mem_free(o->touch), mem_free(o->level), mem_free(o->queue);
}

static bool list_touches(const contact_system *s, chain_levels *o)
{
  const contact_problem *p = s->problem;
  size_t chains = s->chains.count, n = p->contact_count;
  *o = (chain_levels){mem_array(chains + 2, sizeof *o->first), mem_array(p->first[n], sizeof *o->touch),
                      mem_array(chains, sizeof *o->level), mem_array(chains, sizeof *o->queue)};
  if (!o->first || !o->touch || !o->level || !o->queue) return false;
  for (size_t k = 0; k < p->first[n]; ++k) o->first[s->chains.chain_of[p->block[k]] + 2]++;
  for (size_t k = 2; k < chains + 2; ++k) o->first[k] += o->first[k - 1];
  for (size_t i = 0; i < n; ++i)
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) o->touch[o->first[s->chains.chain_of[p->block[k]] + 1]++] = (uint32_t)i;
  return true;
}

/* Chains that touch are a level apart at most. Those of another group begin behind the last level of the one before. */
static void find_levels(const contact_system *s, chain_levels *o)
{
  const contact_problem *p = s->problem;
  size_t chains = s->chains.count, count = 0;
  for (size_t k = 0; k < chains; ++k) o->level[k] = UNSEEN;
  for (size_t begin = 0, done = 0; begin < chains; ++begin) {
    if (o->level[begin] != UNSEEN) continue;
    o->level[begin] = count > 0 ? o->level[o->queue[count - 1]] + 1 : 0;
    for (o->queue[count++] = (uint32_t)begin; done < count; ++done) {
      uint32_t chain = o->queue[done];
      for (size_t t = o->first[chain]; t < o->first[chain + 1]; ++t)
        for (size_t k = p->first[o->touch[t]]; k < p->first[o->touch[t] + 1]; ++k) {
          uint32_t other = s->chains.chain_of[p->block[k]];
          if (o->level[other] != UNSEEN) continue;
          o->level[other] = o->level[chain] + 1;
          o->queue[count++] = other;
        }
    }
  }
}

/* Stripe of each chain: whole levels, about as many entries in each, none left out between two levels. @param stripe [chains] */
static void divide(const contact_system *s, const chain_levels *o, uint8_t *stripe)
{
  size_t chains = s->chains.count, all = o->first[chains], before = 0;
  uint8_t now = 0;
  for (size_t k = 0; k < chains; ++k) {
    uint32_t chain = o->queue[k];
    if (k > 0 && o->level[chain] != o->level[o->queue[k - 1]] && before * N >= all * (now + 1u) && now < N - 1) ++now;
    stripe[chain] = now;
    before += o->first[chain + 1] - o->first[chain];
  }
}

/* 0 ... N - 1 within a stripe, then pairs of neighbours, those that begin with an even one first. */
static unsigned item_of(const contact_system *s, size_t i, const uint8_t *stripe)
{
  const contact_problem *p = s->problem;
  unsigned low = N, high = 0;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    unsigned at = stripe[s->chains.chain_of[p->block[k]]];
    low = at < low ? at : low, high = at > high ? at : high;
  }
  if (low == high) return low;
  return N + low / 2 + (low % 2 == 0 ? 0 : N / 2);
}

/* @param stripe [chains], item [n]: scratch    @return false: no memory */
static bool lay(const contact_system *s, contact_stripes *o, uint8_t *stripe, uint8_t *item)
{
  size_t n = s->problem->contact_count, place[ITEMS];
  chain_levels levels;
  bool memory = list_touches(s, &levels);
  if (memory) {
    find_levels(s, &levels);
    divide(s, &levels, stripe);
    for (size_t i = 0; i < n; ++i) o->first[1 + (item[i] = (uint8_t)item_of(s, i, stripe))]++;
    for (unsigned k = 0; k < ITEMS; ++k) o->first[k + 1] += o->first[k], place[k] = o->first[k];
    for (size_t i = 0; i < n; ++i) o->order[place[item[i]]++] = (uint32_t)i;
    o->phase_count = CONTACT_STRIPE_PHASES;
    o->phase[1] = N, o->phase[2] = N + N / 2, o->phase[3] = ITEMS;
  }
  clear(&levels);
  return memory;
}

scr_status contact_stripes_create(const contact_system *s, contact_stripes *o, scr_error *error)
{
  size_t n = s->problem->contact_count;
  *o = (contact_stripes){.order = mem_array(n, sizeof *o->order), .phase_count = 1};
  uint8_t *stripe = mem_array(s->chains.count, 1), *item = mem_array(n, 1);
  bool memory = o->order && stripe && item;
  if (memory && n <= FEW) {
    for (size_t i = 0; i < n; ++i) o->order[i] = (uint32_t)i;
    o->first[1] = n, o->phase[1] = 1;
  } else if (memory)
    memory = lay(s, o, stripe, item);
  mem_free(stripe);
  mem_free(item);
  return memory ? SCR_OK : no_memory(error, "the order of contacts", 5 * n);
}

void contact_stripes_clear(contact_stripes *o)
{
  mem_free(o->order);
  *o = (contact_stripes){0};
}
