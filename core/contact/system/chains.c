/* Masses in chains. */
#include "contact/system/chains.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/system/system.h"
#include "contact/system/workspace.h"

enum {
  LANES = LA_BAND_LANES,
  TOUCHED_MAX = 1024,      /* unknowns of a chain's touched blocks, beyond which solving takes less than G does */
  COMPLIANCE_MAX = 1 << 27 /* doubles of all G */
};

void contact_chains_clear(contact_chains *c)
{
  mem_free(c->factor), mem_free(c->rows), mem_free(c->first_block), mem_free(c->chain_of);
  mem_free(c->touched_first), mem_free(c->touched), mem_free(c->place);
  mem_free(c->compliance_first), mem_free(c->compliance), mem_free(c->solution);
  *c = (contact_chains){0};
}

/* ── factors ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status allocate(const contact_problem *p, contact_chains *c, scr_error *error)
{
  size_t doubles = 0, longest = 0, n = p->chain_count;
  for (size_t k = 0; k < n; ++k) {
    doubles += p->chain[k].size * (p->chain[k].width + 1);
    if (p->chain[k].size > longest) longest = p->chain[k].size;
  }
  c->factor = mem_array(n, sizeof *c->factor);
  c->rows = mem_array(doubles, sizeof *c->rows);
  c->first_block = mem_array(n + 1, sizeof *c->first_block);
  c->chain_of = mem_array(p->block_count, sizeof *c->chain_of);
  c->touched_first = mem_array(n + 1, sizeof *c->touched_first);
  c->touched = mem_array(p->block_count, sizeof *c->touched);
  c->place = mem_array(p->block_count, sizeof *c->place);
  c->compliance_first = mem_array(n, sizeof *c->compliance_first);
  c->solution = mem_array(longest, sizeof *c->solution);
  if (c->factor && c->rows && c->first_block && c->chain_of && c->touched_first && c->touched && c->place && c->compliance_first &&
      c->solution)
    return SCR_OK;
  return no_memory(error, "the chains of a contact problem", doubles * sizeof *c->rows);
}

scr_status contact_chains_create(const contact_problem *p, unsigned threads, contact_chains *c, scr_error *error)
{
  *c = (contact_chains){.count = p->chain_count, .size = p->block_size};
  SCR_TRY(allocate(p, c, error));
  double *rows = c->rows;
  for (size_t k = 0; k < c->count; ++k) {
    const la_band *a = &p->chain[k];
    c->factor[k] = (la_band){a->size, a->width, rows};
    c->first_block[k + 1] = c->first_block[k] + a->size / c->size;
    for (size_t i = c->first_block[k]; i < c->first_block[k + 1]; ++i) c->chain_of[i] = (uint32_t)k;
    rows += a->size * (a->width + 1);
  }
  size_t bad = SIZE_MAX;
#pragma omp parallel for schedule(static) num_threads((int)threads) reduction(min : bad) if (threads > 1)
  for (size_t k = 0; k < c->count; ++k) {
    const la_band *a = &p->chain[k];
    memcpy(c->factor[k].row, a->row, a->size * (a->width + 1) * sizeof *a->row);
    size_t made = la_band_factor(&c->factor[k]);
    if (made < a->size) bad = c->first_block[k] + made / c->size < bad ? c->first_block[k] + made / c->size : bad;
  }
  if (bad == SIZE_MAX) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the mass of chain %u is not positive definite: the pivot of block %zu is not above 0",
                  (unsigned)c->chain_of[bad], bad);
}

void contact_chains_accelerate(const contact_chains *c, const double *p, double *x, unsigned threads)
{
#pragma omp parallel for schedule(static) num_threads((int)threads) if (threads > 1 && c->count > 16)
  for (size_t k = 0; k < c->count; ++k) {
    size_t from = c->first_block[k] * c->size;
    if (x != p) memcpy(x + from, p + from, c->factor[k].size * sizeof *x);
    la_band_solve(&c->factor[k], x + from);
  }
}

/* ── compliance of touched blocks ────────────────────────────────────────────────────────────────────────────────── */

/* Touched blocks of each chain; where G stands. @return its doubles */
static size_t list_touched(const contact_system *s, contact_chains *c)
{
  size_t count = 0, doubles = 0;
  for (size_t k = 0; k < c->count; ++k) {
    c->touched_first[k] = count;
    for (size_t i = c->first_block[k]; i < c->first_block[k + 1]; ++i) {
      bool is_touched = s->of_block_first[i + 1] > s->of_block_first[i];
      c->place[i] = is_touched ? (uint32_t)count : UINT32_MAX;
      if (is_touched) c->touched[count++] = (uint32_t)i;
    }
    size_t wide = (count - c->touched_first[k]) * c->size, takes = wide * wide;
    bool kept = wide <= TOUCHED_MAX && doubles + takes <= COMPLIANCE_MAX;
    c->compliance_first[k] = kept ? doubles : SIZE_MAX;
    doubles += kept ? takes : 0;
  }
  c->touched_first[c->count] = count;
  return doubles;
}

/* Columns of G_k, eight at a time. @param x [unknowns of the chain] */
static void fill_compliance(const contact_chains *c, size_t k, double (*x)[LANES])
{
  size_t b = c->size, at = c->touched_first[k], wide = (c->touched_first[k + 1] - at) * b;
  double *g = c->compliance + c->compliance_first[k];
  const la_band *l = &c->factor[k];
  if (wide == 0) return;
  size_t top = (c->touched[at] - c->first_block[k]) * b;
  for (size_t from = 0; from < wide; from += LANES) {
    size_t lanes = wide - from < LANES ? wide - from : LANES, begin = (c->touched[at + from / b] - c->first_block[k]) * b;
    memset(x + top, 0, (l->size - top) * sizeof *x);
    for (size_t n = 0; n < lanes; ++n) x[(c->touched[at + (from + n) / b] - c->first_block[k]) * b + (from + n) % b][n] = 1.0;
    la_band_solve_lanes(l, begin, top, x);
    for (size_t i = 0; i < wide; ++i) {
      const double *row = x[(c->touched[at + i / b] - c->first_block[k]) * b + i % b];
      for (size_t n = 0; n < lanes; ++n) g[(from + n) * wide + i] = row[n];
    }
  }
}

/* Columns of M^-1 H_i' in the chain of entry k of the contact, all its entries there. @param x [unknowns] written; from row `*top` on it
 * holds what the contact's entries need */
static void solve_side(const contact_system *s, size_t i, size_t chain, double (*x)[LANES])
{
  const contact_problem *p = s->problem;
  const contact_chains *c = &s->chains;
  size_t b = c->size, d = p->dimension, begin = SIZE_MAX;
  memset(x, 0, c->factor[chain].size * sizeof *x);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    if (c->chain_of[p->block[k]] != chain) continue;
    size_t row = (p->block[k] - c->first_block[chain]) * b;
    if (row < begin) begin = row;
    for (size_t y = 0; y < b; ++y)
      for (size_t q = 0; q < d; ++q) x[row + y][q] = p->jacobian[(k * b + y) * d + q];
  }
  la_band_solve_lanes(&c->factor[chain], begin, 0, x);
}

/* Adds H_k times a block of M^-1 times H_l' to a diagonal block of W. @param g  column of the block's first unknown    @param stride of
 * columns */
static void add_from_compliance(size_t d, size_t b, const double *hk, const double *hl, const double *g, size_t stride, double *w)
{
  double product[CONTACT_BLOCK_MAX * CONE_DIMENSION_MAX] = {0}; /* G H_l', [d][b] */
  for (size_t q = 0; q < d; ++q)
    for (size_t y = 0; y < b; ++y)
      for (size_t x = 0; x < b; ++x) product[q * b + x] += g[y * stride + x] * hl[y * d + q];
  for (size_t q = 0; q < d; ++q)
    for (size_t x = 0; x < b; ++x)
      for (size_t r = 0; r < d; ++r) w[q * d + r] += hk[x * d + r] * product[q * b + x];
}

/* Adds what a chain does to W_ii, solved for. */
static void add_solved(const contact_system *s, size_t i, size_t chain, double (*x)[LANES])
{
  const contact_problem *p = s->problem;
  size_t b = s->chains.size, d = p->dimension;
  solve_side(s, i, chain, x);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    if (s->chains.chain_of[p->block[k]] != chain) continue;
    size_t row = (p->block[k] - s->chains.first_block[chain]) * b;
    for (size_t q = 0; q < d; ++q)
      for (size_t y = 0; y < b; ++y)
        for (size_t r = 0; r < d; ++r) s->diagonal[(i * d + q) * d + r] += p->jacobian[(k * b + y) * d + r] * x[row + y][q];
  }
}

/* W_ii, made symmetric to the last bit. */
static void fill_diagonal(const contact_system *s, size_t i, double (*x)[LANES])
{
  const contact_problem *p = s->problem;
  const contact_chains *c = &s->chains;
  size_t b = c->size, d = p->dimension;
  double *w = s->diagonal + i * d * d;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    size_t chain = c->chain_of[p->block[k]], wide = (c->touched_first[chain + 1] - c->touched_first[chain]) * b;
    bool seen = false;
    for (size_t l = p->first[i]; l < k; ++l) seen = seen || c->chain_of[p->block[l]] == chain;
    if (c->compliance_first[chain] == SIZE_MAX) {
      if (!seen) add_solved(s, i, chain, x);
      continue;
    }
    const double *g = c->compliance + c->compliance_first[chain];
    size_t row = (c->place[p->block[k]] - c->touched_first[chain]) * b;
    for (size_t l = p->first[i]; l < p->first[i + 1]; ++l) {
      if (c->chain_of[p->block[l]] != chain) continue;
      size_t column = (c->place[p->block[l]] - c->touched_first[chain]) * b;
      add_from_compliance(d, b, p->jacobian + k * b * d, p->jacobian + l * b * d, g + column * wide + row, wide, w);
    }
  }
  for (size_t q = 0; q < d; ++q)
    for (size_t r = 0; r < q; ++r) w[q * d + r] = w[r * d + q] = 0.5 * (w[q * d + r] + w[r * d + q]);
}

scr_status contact_chains_respond(contact_system *s, scr_error *error)
{
  contact_chains *c = &s->chains;
  size_t doubles = list_touched(s, c), longest = 1;
  bool memory = true;
  for (size_t k = 0; k < c->count; ++k) longest = c->factor[k].size > longest ? c->factor[k].size : longest;
  c->compliance = mem_array(doubles, sizeof *c->compliance);
  if (!c->compliance) return no_memory(error, "compliances of chains", doubles * sizeof *c->compliance);
#pragma omp parallel num_threads((int)s->threads) reduction(&& : memory) if (s->threads > 1)
  {
    double(*x)[LANES] = mem_array(longest, sizeof *x);
    memory = x != NULL;
#pragma omp for schedule(static)
    for (size_t k = 0; k < c->count; ++k)
      if (x && c->compliance_first[k] != SIZE_MAX) fill_compliance(c, k, x);
#pragma omp for schedule(static)
    for (size_t i = 0; i < s->problem->contact_count; ++i)
      if (x) fill_diagonal(s, i, x);
    mem_free(x);
  }
  return memory ? SCR_OK : no_memory(error, "compliances of chains", longest * LANES * sizeof *c->compliance);
}

/* ── sweeps ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* v += G x, x a block's impulse; eight columns go together where blocks of four stand next to each other. */
static void add_columns(const double *g, size_t wide, const double *x, size_t columns, double *v)
{
  size_t n = 0;
  for (; n + 4 <= columns; n += 4) {
    const double *a = g + n * wide, *b = a + wide, *c = b + wide, *e = c + wide, xa = x[n], xb = x[n + 1], xc = x[n + 2], xe = x[n + 3];
    for (size_t i = 0; i < wide; ++i) v[i] += a[i] * xa + b[i] * xb + (c[i] * xc + e[i] * xe);
  }
  for (; n < columns; ++n)
    for (size_t i = 0; i < wide; ++i) v[i] += g[n * wide + i] * x[n];
}

/* The same where G is not there: a solution. */
static void add_solution(const contact_system *s, size_t i, size_t chain, const double *change, double *v)
{
  const contact_problem *p = s->problem;
  const contact_chains *c = &s->chains;
  size_t b = c->size, d = p->dimension;
  memset(c->solution, 0, c->factor[chain].size * sizeof *c->solution);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    if (c->chain_of[p->block[k]] != chain) continue;
    double *x = c->solution + (p->block[k] - c->first_block[chain]) * b;
    for (size_t y = 0; y < b; ++y)
      for (size_t q = 0; q < d; ++q) x[y] += p->jacobian[(k * b + y) * d + q] * change[q];
  }
  la_band_solve(&c->factor[chain], c->solution);
  for (size_t k = c->touched_first[chain]; k < c->touched_first[chain + 1]; ++k)
    for (size_t y = 0; y < b; ++y) v[k * b + y] += c->solution[(c->touched[k] - c->first_block[chain]) * b + y];
}

void contact_chains_push(const contact_system *s, size_t i, const double *change, double *v)
{
  const contact_problem *p = s->problem;
  const contact_chains *c = &s->chains;
  size_t b = c->size, d = p->dimension, end = p->first[i + 1];
  for (size_t k = p->first[i]; k < end; ++k) {
    size_t chain = c->chain_of[p->block[k]], first = c->touched_first[chain], wide = (c->touched_first[chain + 1] - first) * b;
    if (c->compliance_first[chain] == SIZE_MAX) {
      bool seen = false;
      for (size_t l = p->first[i]; l < k; ++l) seen = seen || c->chain_of[p->block[l]] == chain;
      if (!seen) add_solution(s, i, chain, change, v);
      continue;
    }
    double x[CONTACT_BLOCK_MAX] = {0};
    const double *h = p->jacobian + k * b * d;
    for (size_t y = 0; y < b; ++y)
      for (size_t q = 0; q < d; ++q) x[y] += h[y * d + q] * change[q];
    size_t column = (c->place[p->block[k]] - first) * b;
    add_columns(c->compliance + c->compliance_first[chain] + column * wide, wide, x, b, v + first * b);
  }
}

/* ── M ───────────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status contact_chains_matrix(const contact_problem *p, la_sparse *mass, scr_error *error)
{
  size_t most = 0, count = 0, base = 0, m = p->block_count * p->block_size;
  for (size_t k = 0; k < p->chain_count; ++k) most += p->chain[k].size * (2 * p->chain[k].width + 1);
  la_triplet *triplet = mem_array(most, sizeof *triplet);
  if (!triplet) return no_memory(error, "the mass of chains", most * sizeof *triplet);
  for (size_t k = 0; k < p->chain_count; base += p->chain[k++].size) {
    const la_band *a = &p->chain[k];
    for (size_t i = 0; i < a->size; ++i)
      for (size_t j = i > a->width ? i - a->width : 0; j <= i; ++j) {
        double value = *la_band_at(a, i, j);
        if (value == 0.0 && i != j) continue;
        triplet[count++] = (la_triplet){(uint32_t)(base + i), (uint32_t)(base + j), value};
        if (i != j) triplet[count++] = (la_triplet){(uint32_t)(base + j), (uint32_t)(base + i), value};
      }
  }
  scr_status status = la_sparse_from_triplets(m, m, triplet, count, mass, error);
  mem_free(triplet);
  return status;
}
