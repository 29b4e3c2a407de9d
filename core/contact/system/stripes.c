/* Stripes of chains. */
#include "contact/system/stripes.h"

#include "base/memory.h"
#include "contact/system/workspace.h"

enum { N = CONTACT_STRIPES, FEW = 1500 /* contacts that one thread sweeps as quickly */, REST = 2 * N - 1, ITEMS = 2 * N };

/* Stripe of each chain, with about as many contacts in each. @param stripe [chains] */
static void divide(size_t chains, const size_t *first, uint8_t *stripe)
{
  for (size_t k = 0; k < chains; ++k) {
    stripe[k] = first[chains] > 0 ? (uint8_t)(first[k] * N / first[chains]) : 0;
    if (stripe[k] >= N) stripe[k] = N - 1;
  }
}

/* 0 ... N - 1 within a stripe, then pairs of neighbours, those that begin with an even one first, then the rest. */
static unsigned item_of(const contact_system *s, size_t i, const uint8_t *stripe)
{
  const contact_problem *p = s->problem;
  unsigned low = N, high = 0;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    unsigned at = stripe[s->chains.chain_of[p->block[k]]];
    low = at < low ? at : low, high = at > high ? at : high;
  }
  if (low == high) return low;
  if (high - low > 1) return REST;
  return N + low / 2 + (low % 2 == 0 ? 0 : N / 2);
}

scr_status contact_stripes_create(const contact_system *s, const size_t *first, contact_stripes *o, scr_error *error)
{
  size_t n = s->problem->contact_count, place[ITEMS];
  *o = (contact_stripes){.order = mem_array(n, sizeof *o->order), .phase_count = 1};
  uint8_t *stripe = mem_array(s->chains.count, 1), *item = mem_array(n, 1);
  scr_status status = o->order && stripe && item ? SCR_OK : no_memory(error, "the order of contacts", 5 * n);
  if (status == SCR_OK && n <= FEW) {
    for (size_t i = 0; i < n; ++i) o->order[i] = (uint32_t)i;
    o->first[1] = n, o->phase[1] = 1;
  } else if (status == SCR_OK) {
    divide(s->chains.count, first, stripe);
    for (size_t i = 0; i < n; ++i) o->first[1 + (item[i] = (uint8_t)item_of(s, i, stripe))]++;
    for (unsigned k = 0; k < ITEMS; ++k) o->first[k + 1] += o->first[k], place[k] = o->first[k];
    for (size_t i = 0; i < n; ++i) o->order[place[item[i]]++] = (uint32_t)i;
    o->phase_count = CONTACT_STRIPE_PHASES;
    o->phase[1] = N, o->phase[2] = N + N / 2, o->phase[3] = REST, o->phase[4] = ITEMS;
  }
  mem_free(stripe);
  mem_free(item);
  return status;
}

void contact_stripes_clear(contact_stripes *o)
{
  mem_free(o->order);
  *o = (contact_stripes){0};
}
