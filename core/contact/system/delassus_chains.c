/* W of a mass in chains: W_k = H_k A_k^-1 H_k' of each chain by itself, dense among the contacts that act on it, then block rows of their
 * sums. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/system/delassus.h"
#include "contact/system/workspace.h"

enum { LANES = LA_BAND_LANES, BLOCKS_MAX = 1 << 23 /* of all W_k: 576 MiB in space */ };

/* What is being made: parts that belong to a system. */
typedef struct chain_parts {
  const contact_system *system;
  size_t *first, *begin;
  uint32_t *list;
  double *block;
  bool *fresh; /* [chains] whose W_k is made, not taken over */
} chain_parts;

static void clear_parts(delassus_parts *o)
{
  mem_free(o->first), mem_free(o->list), mem_free(o->begin), mem_free(o->block);
  *o = (delassus_parts){0};
}

static void forget(contact_chain_memory *memory)
{
  clear_parts(&memory->parts);
  delassus_clear(&memory->w);
  contact_stripes_clear(&memory->stripes);
}

contact_chain_memory *contact_chain_memory_create(void)
{
  return mem_array(1, sizeof(contact_chain_memory));
}

void contact_chain_memory_destroy(contact_chain_memory *memory)
{
  if (memory) forget(memory);
  mem_free(memory);
}

/* The chains of a contact, none twice. @return how many */
static size_t chains_of(const contact_system *s, size_t i, size_t most, uint32_t *chain)
{
  const contact_problem *p = s->problem;
  size_t count = 0;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    uint32_t of = s->chains.chain_of[p->block[k]];
    size_t at = 0;
    while (at < count && chain[at] != of) ++at;
    if (at == count && count < most) chain[count++] = of;
  }
  return count;
}

enum { CHAINS_MAX = 8 /* of a contact; with more of them W is not made this way */ };

static bool acts_on_few(const contact_problem *p)
{
  for (size_t i = 0; i < p->contact_count; ++i)
    if (p->first[i + 1] - p->first[i] > CHAINS_MAX) return false;
  return true;
}

/* @return false: no memory */
static bool list_contacts(chain_parts *o)
{
  const contact_system *s = o->system;
  size_t n = s->problem->contact_count, chains = s->chains.count;
  uint32_t of[CHAINS_MAX];
  o->first = mem_array(chains + 2, sizeof *o->first);
  o->begin = mem_array(chains + 1, sizeof *o->begin);
  if (!o->first || !o->begin) return false;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0, count = chains_of(s, i, CHAINS_MAX, of); k < count; ++k) o->first[of[k] + 2]++;
  for (size_t k = 2; k <= chains + 1; ++k) o->first[k] += o->first[k - 1];
  o->list = mem_array(o->first[chains + 1], sizeof *o->list);
  if (!o->list) return false;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0, count = chains_of(s, i, CHAINS_MAX, of); k < count; ++k) o->list[o->first[of[k] + 1]++] = (uint32_t)i;
  for (size_t k = 0; k < chains; ++k) {
    size_t count = o->first[k + 1] - o->first[k];
    o->begin[k + 1] = o->begin[k] + count * count;
  }
  return true;
}

/* A contact of a chain, by where it begins to act on it. */
typedef struct chain_place {
  uint32_t at; /* which of the chain's contacts */
  size_t row;  /* first unknown that it acts on */
} chain_place;

static int by_row(const void *a, const void *b)
{
  const chain_place *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static size_t first_row(const contact_system *s, size_t i, size_t chain)
{
  const contact_problem *p = s->problem;
  size_t low = SIZE_MAX;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
    if (s->chains.chain_of[p->block[k]] == chain && p->block[k] < low) low = p->block[k];
  return (low - s->chains.first_block[chain]) * s->chains.size;
}

/* Writes column q of H_i' of a chain into a lane. */
static void put_column(const contact_system *s, size_t i, size_t chain, size_t q, size_t lane, double (*x)[LANES])
{
  const contact_problem *p = s->problem;
  size_t b = s->chains.size, d = p->dimension, base = s->chains.first_block[chain];
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
    for (size_t y = 0; y < b && s->chains.chain_of[p->block[k]] == chain; ++y)
      x[(p->block[k] - base) * b + y][lane] += p->jacobian[(k * b + y) * d + q];
}

/* H_i x of all lanes. @param u [d][LANES] */
static void apply_rows(const contact_system *s, size_t i, size_t chain, const double (*x)[LANES], double (*restrict u)[LANES])
{
  const contact_problem *p = s->problem;
  size_t b = s->chains.size, d = p->dimension, base = s->chains.first_block[chain];
  memset(u, 0, d * sizeof *u);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    if (s->chains.chain_of[p->block[k]] != chain) continue;
    const double *h = p->jacobian + k * b * d;
    for (size_t y = 0; y < b; ++y)
      for (size_t r = 0; r < d; ++r)
        for (size_t lane = 0; lane < LANES; ++lane) u[r][lane] += h[y * d + r] * x[(p->block[k] - base) * b + y][lane];
  }
}

/* Both triangles of W_k from the one that is there: of blocks on the diagonal their means, else that of the contact that begins farther on.
 */
static void mirror(double *w, size_t count, size_t d, const chain_place *place)
{
  for (size_t m = 0; m < count; ++m)
    for (size_t l = 0; l <= m; ++l) {
      double *block = w + (place[m].at * count + place[l].at) * d * d, *across = w + (place[l].at * count + place[m].at) * d * d;
      for (size_t q = 0; q < d; ++q)
        for (size_t r = 0; r < (l < m ? d : q); ++r)
          across[r * d + q] = block[q * d + r] = l < m ? block[q * d + r] : 0.5 * (block[q * d + r] + block[r * d + q]);
    }
}

/* W_k, eight columns at a time, in the order in which contacts lie along the chain: a column is solved for from its contact on, where all
 * later ones are. @param x [unknowns of the chain], place [contacts of the chain]: scratch */
static void fill_chain(const chain_parts *o, size_t k, double (*x)[LANES], chain_place *place)
{
  const contact_system *s = o->system;
  const la_band *factor = &s->chains.factor[k];
  const uint32_t *list = o->list + o->first[k];
  size_t d = s->problem->dimension > 0 ? s->problem->dimension : 1, count = o->first[k + 1] - o->first[k];
  double *w = o->block + o->begin[k] * d * d, u[CONE_DIMENSION_MAX][LANES];
  for (size_t i = 0; i < count; ++i) place[i] = (chain_place){(uint32_t)i, first_row(s, list[i], k)};
  if (count > 1) qsort(place, count, sizeof *place, by_row);
  for (size_t from = 0; from < count * d; from += LANES) {
    size_t to = from + LANES < count * d ? from + LANES : count * d, low = place[from / d].row;
    memset(x + low, 0, (factor->size - low) * sizeof *x);
    for (size_t c = from; c < to; ++c) put_column(s, list[place[c / d].at], k, c % d, c - from, x);
    la_band_solve_lanes(factor, low, low, x);
    for (size_t m = from / d; m < count; ++m) {
      apply_rows(s, list[place[m].at], k, (const double(*)[LANES])x, u);
      for (size_t c = from; c < to && c / d <= m; ++c)
        for (size_t r = 0; r < d; ++r) w[((place[m].at * count + place[c / d].at) * d + c % d) * d + r] = u[r][c - from];
    }
  }
  mirror(w, count, d, place);
}

/* W_k of chains that are fresh. */
static bool fill_chains(const chain_parts *o)
{
  const contact_system *s = o->system;
  size_t longest = 1, most = 1;
  bool memory = true;
  for (size_t k = 0; k < s->chains.count; ++k) most = o->first[k + 1] - o->first[k] > most ? o->first[k + 1] - o->first[k] : most;
  for (size_t k = 0; k < s->chains.count; ++k) longest = s->chains.factor[k].size > longest ? s->chains.factor[k].size : longest;
#pragma omp parallel num_threads(s->execution.threads) reduction(&& : memory) if (s->execution.threads > 1)
  {
    double(*x)[LANES] = mem_array(longest, sizeof *x);
    chain_place *place = mem_array(most, sizeof *place);
    memory = x && place;
#pragma omp for schedule(static)
    for (size_t k = 0; k < s->chains.count; ++k)
      if (x && place && o->fresh[k]) fill_chain(o, k, x, place);
    mem_free(x);
    mem_free(place);
  }
  return memory;
}

/* Where contact i is among those of a chain. */
static size_t place_in(const chain_parts *o, size_t chain, size_t i)
{
  size_t low = o->first[chain], high = o->first[chain + 1];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (o->list[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low - o->first[chain];
}

/* Row i of W from the rows of its chains, which are merged. @param column, block  receive it; NULL: it does not    @return how many
 * blocks */
static size_t merge_row(const chain_parts *o, size_t i, uint32_t *column, double *block)
{
  const contact_system *s = o->system;
  size_t d2 = (size_t)s->problem->dimension * s->problem->dimension, at[CHAINS_MAX], blocks = 0;
  uint32_t of[CHAINS_MAX];
  const double *row[CHAINS_MAX];
  size_t count = chains_of(s, i, CHAINS_MAX, of);
  for (size_t k = 0; k < count; ++k) {
    size_t wide = o->first[of[k] + 1] - o->first[of[k]];
    at[k] = o->first[of[k]];
    row[k] = o->block + (o->begin[of[k]] + place_in(o, of[k], i) * wide) * d2;
  }
  for (;; ++blocks) {
    uint32_t next = UINT32_MAX;
    for (size_t k = 0; k < count; ++k)
      if (at[k] < o->first[of[k] + 1] && o->list[at[k]] < next) next = o->list[at[k]];
    if (next == UINT32_MAX) return blocks;
    if (column) column[blocks] = next;
    for (size_t k = 0; k < count; ++k) {
      if (at[k] == o->first[of[k] + 1] || o->list[at[k]] != next) continue;
      for (size_t c = 0; block && c < d2; ++c) block[blocks * d2 + c] += row[k][(at[k] - o->first[of[k]]) * d2 + c];
      ++at[k];
    }
  }
}

/* Rows of contacts on fresh chains. */
static void fill_rows(const chain_parts *o, delassus *w)
{
  size_t d = w->dimension;
#pragma omp parallel for schedule(static) num_threads(o->system->execution.threads) if (o->system->execution.threads > 1)
  for (size_t i = 0; i < w->contact_count; ++i) {
    uint32_t of[CHAINS_MAX];
    bool fresh = false;
    for (size_t k = chains_of(o->system, i, CHAINS_MAX, of); k-- > 0;) fresh = fresh || o->fresh[of[k]];
    if (!fresh) continue;
    double *block = w->block + w->begin[i] * d * d;
    memset(block, 0, (w->first[i + 1] - w->first[i]) * d * d * sizeof *block);
    merge_row(o, i, NULL, block);
    w->scale[i] = 0;
    for (size_t r = 0; r < d; ++r) w->scale[i] += w->block[w->diagonal[i] * d * d + r * d + r] / (double)d;
  }
}

/* Which blocks rows have, and their order; all blocks zero. */
static scr_status lay_rows(const chain_parts *o, delassus *w, contact_stripes *stripes, scr_error *error)
{
  size_t n = o->system->problem->contact_count;
  delassus_clear(w);
  contact_stripes_clear(stripes);
  SCR_TRY(contact_stripes_create(o->system, stripes, error));
  *w = (delassus){.dimension = o->system->problem->dimension, .contact_count = n, .first = calloc(n + 1, sizeof *w->first)};
  if (!w->first) return no_memory(error, "a Delassus operator", n * sizeof *w->first);
#pragma omp parallel for schedule(static) num_threads(o->system->execution.threads) if (o->system->execution.threads > 1)
  for (size_t i = 0; i < n; ++i) w->first[i + 1] = merge_row(o, i, NULL, NULL);
  for (size_t i = 0; i < n; ++i) w->first[i + 1] += w->first[i];
  w->block_count = w->first[n];
  SCR_TRY(delassus_allocate(w, error));
#pragma omp parallel for schedule(static) num_threads(o->system->execution.threads) if (o->system->execution.threads > 1)
  for (size_t i = 0; i < n; ++i) merge_row(o, i, w->column + w->first[i], NULL);
  return delassus_lay_out(w, stripes->order, error);
}

/* Whether a visit of every contact reads less of W than of the compliances of chains (compliance.h), which are the other way. */
static bool pays(const chain_parts *o)
{
  const contact_system *s = o->system;
  size_t b = s->chains.size, d = s->problem->dimension;
  double pushes = 0, products = 0; /* numbers read */
  for (size_t k = 0; k < s->chains.count; ++k) {
    size_t entries = 0, touched = 0;
    for (size_t i = s->chains.first_block[k]; i < s->chains.first_block[k + 1]; ++i) {
      size_t here = s->of_block_first[i + 1] - s->of_block_first[i];
      entries += here, touched += here > 0;
    }
    pushes += (double)(entries * b * touched * b);
    products += (double)((o->begin[k + 1] - o->begin[k]) * d * d);
  }
  return products < pushes;
}

/* Whether the same contacts act on the same chains as before. */
static bool are_alike(const delassus_parts *before, const chain_parts *o)
{
  size_t chains = o->system->chains.count;
  return before->block && before->chain_count == chains && memcmp(before->first, o->first, (chains + 1) * sizeof *o->first) == 0 &&
         memcmp(before->list, o->list, o->first[chains] * sizeof *o->list) == 0;
}

/* Whether W_k is as it was before. */
static bool is_same(const delassus_parts *before, const chain_parts *o, size_t k)
{
  const contact_problem *p = o->system->problem;
  if (!before->block || !p->chain_same || !p->chain_same[k] || before->chain_count != o->system->chains.count) return false;
  size_t count = o->first[k + 1] - o->first[k];
  return before->first[k + 1] - before->first[k] == count &&
         (count == 0 || memcmp(before->list + before->first[k], o->list + o->first[k], count * sizeof *o->list) == 0);
}

/* W_k of all chains: those of before that hold, and fresh ones. @param alike  before->block is of the same form, and is taken */
static bool make_blocks(const delassus_parts *before, bool alike, chain_parts *o)
{
  size_t chains = o->system->chains.count, squared = (size_t)o->system->problem->dimension * o->system->problem->dimension;
  o->fresh = mem_array(chains, sizeof *o->fresh);
  o->block = alike ? before->block : mem_array(o->begin[chains] * squared, sizeof *o->block);
  if (!o->fresh || !o->block) return false;
  for (size_t k = 0; k < chains; ++k) {
    o->fresh[k] = !is_same(before, o, k);
    if (o->fresh[k] || alike || o->begin[k + 1] == o->begin[k]) continue;
    memcpy(o->block + o->begin[k] * squared, before->block + before->begin[k] * squared,
           (o->begin[k + 1] - o->begin[k]) * squared * sizeof *o->block);
  }
  return fill_chains(o);
}

/* Rows of W anew, or where contacts are those of before what has changed of them. */
static scr_status make(chain_parts *o, contact_chain_memory *memory, scr_error *error)
{
  bool alike = are_alike(&memory->parts, o), memory_left = make_blocks(&memory->parts, alike, o);
  if (alike) memory->parts.block = NULL; /* is the new ones' */
  if (!memory_left) return no_memory(error, "a Delassus operator", o->begin[o->system->chains.count] * sizeof *o->block * 9);
  if (!alike || memory->w.contact_count == 0) {
    SCR_TRY(lay_rows(o, &memory->w, &memory->stripes, error));
    memset(o->fresh, true, o->system->chains.count * sizeof *o->fresh);
  }
  fill_rows(o, &memory->w);
  return SCR_OK;
}

scr_status delassus_from_chains(const contact_system *s, contact_chain_memory *memory, bool last, scr_error *error)
{
  chain_parts o = {.system = s};
  scr_status status = SCR_OK;
  bool wanted = acts_on_few(s->problem);
  if (wanted && !list_contacts(&o)) status = no_memory(error, "a Delassus operator", s->problem->contact_count * 16);
  wanted = wanted && status == SCR_OK && o.begin[s->chains.count] <= BLOCKS_MAX && pays(&o);
  if (wanted) status = make(&o, memory, error);
  delassus_parts now = {.chain_count = s->chains.count, .first = o.first, .list = o.list, .begin = o.begin, .block = o.block};
  mem_free(o.fresh);
  clear_parts(&memory->parts);
  if (!wanted || status != SCR_OK) delassus_clear(&memory->w);
  if (last || !wanted || status != SCR_OK)
    clear_parts(&now);
  else
    memory->parts = now;
  return status;
}
