/* Compliances of touched blocks, and what sweeps do with them. */
#include "contact/system/compliance.h"

#include <string.h>

#include "base/memory.h"
#include "contact/system/workspace.h"
#include "linalg/wide.h"

enum { LANES = LA_BAND_LANES, DOUBLES_MAX = 1 << 27 /* of all G: 1 GiB */ };

void chain_compliance_clear(chain_compliance *o)
{
  mem_free(o->touched_first), mem_free(o->touched), mem_free(o->place);
  mem_free(o->first), mem_free(o->g), mem_free(o->solution);
  *o = (chain_compliance){0};
}

static bool allocate(chain_compliance *o, size_t *longest)
{
  const contact_chains *c = &o->system->chains;
  size_t blocks = o->system->problem->block_count;
  for (size_t k = 0; k < c->count; ++k) *longest = c->factor[k].size > *longest ? c->factor[k].size : *longest;
  o->touched_first = mem_array(c->count + 1, sizeof *o->touched_first);
  o->touched = mem_array(blocks, sizeof *o->touched);
  o->place = mem_array(blocks, sizeof *o->place);
  o->first = mem_array(c->count, sizeof *o->first);
  o->solution = mem_array(*longest, sizeof *o->solution);
  return o->touched_first && o->touched && o->place && o->first && o->solution;
}

/* Touched blocks of each chain; where G stands. @return its doubles */
static size_t list_touched(chain_compliance *o, size_t widest)
{
  const contact_system *s = o->system;
  const contact_chains *c = &s->chains;
  size_t count = 0, doubles = 0;
  for (size_t k = 0; k < c->count; ++k) {
    o->touched_first[k] = count;
    for (size_t i = c->first_block[k]; i < c->first_block[k + 1]; ++i) {
      bool is_touched = s->of_block_first[i + 1] > s->of_block_first[i];
      o->place[i] = is_touched ? (uint32_t)count : UINT32_MAX;
      if (is_touched) o->touched[count++] = (uint32_t)i;
    }
    size_t wide = (count - o->touched_first[k]) * c->size, takes = wide * wide;
    bool kept = wide <= widest && doubles + takes <= DOUBLES_MAX;
    o->first[k] = kept ? doubles : SIZE_MAX;
    o->solves = o->solves || !kept;
    doubles += kept ? takes : 0;
  }
  o->touched_first[c->count] = count;
  return doubles;
}

/* Columns of G_k, eight at a time: those below the diagonal, which are those right of it too. @param x [unknowns of the chain] scratch */
static void fill(const chain_compliance *o, size_t k, double (*x)[LANES])
{
  const contact_chains *c = &o->system->chains;
  size_t b = c->size, at = o->touched_first[k], wide = (o->touched_first[k + 1] - at) * b, base = c->first_block[k];
  double *g = o->g + o->first[k];
  const la_band *l = &c->factor[k];
  for (size_t from = 0; from < wide; from += LANES) {
    size_t lanes = wide - from < LANES ? wide - from : LANES, begin = (o->touched[at + from / b] - base) * b + from % b;
    memset(x + begin, 0, (l->size - begin) * sizeof *x);
    for (size_t n = 0; n < lanes; ++n) x[(o->touched[at + (from + n) / b] - base) * b + (from + n) % b][n] = 1.0;
    la_band_solve_lanes(l, begin, begin, x);
    for (size_t i = from; i < wide; ++i) {
      const double *row = x[(o->touched[at + i / b] - base) * b + i % b];
      for (size_t n = 0; n < lanes; ++n) g[(from + n) * wide + i] = row[n];
      for (size_t n = 0; n < lanes && i >= from + LANES; ++n) g[i * wide + from + n] = row[n];
    }
  }
}

scr_status chain_compliance_create(const contact_system *s, size_t widest, chain_compliance *o, scr_error *error)
{
  const contact_chains *c = &s->chains;
  size_t longest = 1, doubles = 0;
  bool memory = true;
  *o = (chain_compliance){.system = s};
  if (allocate(o, &longest)) {
    doubles = list_touched(o, widest ? widest : CHAIN_COMPLIANCE_WIDEST);
    o->g = mem_array(doubles, sizeof *o->g);
  }
  if (!o->g) return no_memory(error, "compliances of chains", doubles * sizeof *o->g);
#pragma omp parallel num_threads(s->execution.threads) reduction(&& : memory) if (s->execution.threads > 1)
  {
    double(*x)[LANES] = mem_array(longest, sizeof *x);
    memory = x != NULL;
#pragma omp for schedule(static)
    for (size_t k = 0; k < c->count; ++k)
      if (x && o->first[k] != SIZE_MAX) fill(o, k, x);
    mem_free(x);
  }
  return memory ? SCR_OK : no_memory(error, "compliances of chains", longest * LANES * sizeof *o->g);
}

/* ── sweeps ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* v += G x for some columns of G. */
WIDE static void add_columns(const double *g, size_t wide, const double *x, size_t columns, double *restrict v)
{
  size_t n = 0;
  for (; n + 4 <= columns; n += 4) {
    const double *a = g + n * wide, *b = a + wide, *c = b + wide, *e = c + wide, xa = x[n], xb = x[n + 1], xc = x[n + 2], xe = x[n + 3];
    for (size_t i = 0; i < wide; ++i) v[i] += (a[i] * xa + b[i] * xb) + (c[i] * xc + e[i] * xe);
  }
  for (; n < columns; ++n)
    for (size_t i = 0; i < wide; ++i) v[i] += g[n * wide + i] * x[n];
}

/* The same where G is not there: a solution. */
static void add_solution(const chain_compliance *o, size_t i, size_t chain, const double *change, double *v)
{
  const contact_problem *p = o->system->problem;
  const contact_chains *c = &o->system->chains;
  size_t b = c->size, d = p->dimension, from = c->first_block[chain];
  memset(o->solution, 0, c->factor[chain].size * sizeof *o->solution);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
    for (size_t y = 0; y < b && c->chain_of[p->block[k]] == chain; ++y)
      for (size_t q = 0; q < d; ++q) o->solution[(p->block[k] - from) * b + y] += p->jacobian[(k * b + y) * d + q] * change[q];
  la_band_solve(&c->factor[chain], o->solution);
  for (size_t k = o->touched_first[chain]; k < o->touched_first[chain + 1]; ++k)
    for (size_t y = 0; y < b; ++y) v[k * b + y] += o->solution[(o->touched[k] - from) * b + y];
}

static bool is_first_in_chain(const contact_system *s, size_t i, size_t entry)
{
  const contact_problem *p = s->problem;
  for (size_t l = p->first[i]; l < entry; ++l)
    if (s->chains.chain_of[p->block[l]] == s->chains.chain_of[p->block[entry]]) return false;
  return true;
}

void chain_compliance_push(const chain_compliance *o, size_t i, const double *change, double *v)
{
  const contact_problem *p = o->system->problem;
  const contact_chains *c = &o->system->chains;
  size_t b = c->size, d = p->dimension, end = p->first[i + 1];
  for (size_t k = p->first[i]; k < end; ++k) {
    size_t chain = c->chain_of[p->block[k]], at = o->touched_first[chain], wide = (o->touched_first[chain + 1] - at) * b;
    if (o->first[chain] == SIZE_MAX) {
      if (is_first_in_chain(o->system, i, k)) add_solution(o, i, chain, change, v);
      continue;
    }
    double x[CONTACT_BLOCK_MAX] = {0};
    const double *h = p->jacobian + k * b * d;
    for (size_t y = 0; y < b; ++y)
      for (size_t q = 0; q < d; ++q) x[y] += h[y * d + q] * change[q];
    size_t column = (o->place[p->block[k]] - at) * b;
    add_columns(o->g + o->first[chain] + column * wide, wide, x, b, v + at * b);
  }
}
