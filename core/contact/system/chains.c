/* Masses in chains. */
#include "contact/system/chains.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/system/system.h"
#include "contact/system/workspace.h"

enum { LANES = LA_BAND_LANES };

void contact_chains_clear(contact_chains *c)
{
  mem_free(c->own), mem_free(c->rows), mem_free(c->first_block), mem_free(c->chain_of);
  *c = (contact_chains){0};
}

/* ── factors ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static size_t doubles_of(const contact_problem *p)
{
  size_t doubles = 0;
  for (size_t k = 0; k < p->chain_count; ++k) doubles += p->chain[k].size * (p->chain[k].width + 1);
  return doubles;
}

/* Bands like those of the problem, cut out of one array. */
static scr_status lay_bands(const contact_problem *p, la_band **band, double **rows, scr_error *error)
{
  size_t doubles = doubles_of(p);
  *band = mem_array(p->chain_count, sizeof **band);
  *rows = mem_array(doubles, sizeof **rows);
  if (!*band || !*rows) return no_memory(error, "the chains of a contact problem", doubles * sizeof **rows);
  double *at = *rows;
  for (size_t k = 0; k < p->chain_count; at += p->chain[k].size * (p->chain[k].width + 1), ++k)
    (*band)[k] = (la_band){p->chain[k].size, p->chain[k].width, at};
  return SCR_OK;
}

static scr_status factorise(const contact_problem *p, scr_execution execution, contact_chains *c, scr_error *error)
{
  size_t bad = SIZE_MAX;
  SCR_TRY(lay_bands(p, &c->own, &c->rows, error));
  c->factor = c->own;
#pragma omp parallel for schedule(static) num_threads(execution.threads) reduction(min : bad) if (execution.threads > 1)
  for (size_t k = 0; k < c->count; ++k) {
    const la_band *a = &p->chain[k];
    memcpy(c->own[k].row, a->row, a->size * (a->width + 1) * sizeof *a->row);
    size_t made = la_band_factor(&c->own[k]);
    if (made < a->size) bad = c->first_block[k] + made / c->size < bad ? c->first_block[k] + made / c->size : bad;
  }
  if (bad == SIZE_MAX) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the mass of chain %u is not positive definite: the pivot of block %zu is not above 0",
                  (unsigned)c->chain_of[bad], bad);
}

scr_status contact_chains_create(const contact_problem *p, scr_execution execution, contact_chains *c, scr_error *error)
{
  *c = (contact_chains){.count = p->chain_count, .size = p->block_size, .factor = p->chain_factor};
  c->first_block = mem_array(c->count + 1, sizeof *c->first_block);
  c->chain_of = mem_array(p->block_count, sizeof *c->chain_of);
  if (!c->first_block || !c->chain_of) return no_memory(error, "the chains of a contact problem", p->block_count * 12);
  for (size_t k = 0; k < c->count; ++k) {
    c->first_block[k + 1] = c->first_block[k] + p->chain[k].size / c->size;
    for (size_t i = c->first_block[k]; i < c->first_block[k + 1]; ++i) c->chain_of[i] = (uint32_t)k;
  }
  return c->factor ? SCR_OK : factorise(p, execution, c, error);
}

void contact_chains_accelerate(const contact_chains *c, const double *p, double *x, scr_execution execution)
{
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1 && c->count > 16)
  for (size_t k = 0; k < c->count; ++k) {
    size_t from = c->first_block[k] * c->size;
    if (x != p) memcpy(x + from, p + from, c->factor[k].size * sizeof *x);
    la_band_solve(&c->factor[k], x + from);
  }
}

/* ── diagonal blocks of W ────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether all blocks of a chain that the contact acts on lie within its band. */
static bool are_near(const contact_system *s, size_t i, size_t chain)
{
  const contact_problem *p = s->problem;
  size_t low = SIZE_MAX, high = 0, b = s->chains.size;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    if (s->chains.chain_of[p->block[k]] != chain) continue;
    if (p->block[k] < low) low = p->block[k];
    if (p->block[k] > high) high = p->block[k];
  }
  return (high - low + 1) * b - 1 <= s->chains.factor[chain].width;
}

static bool is_first_in_chain(const contact_system *s, size_t i, size_t entry)
{
  const contact_problem *p = s->problem;
  for (size_t l = p->first[i]; l < entry; ++l)
    if (s->chains.chain_of[p->block[l]] == s->chains.chain_of[p->block[entry]]) return false;
  return true;
}

/* Adds H_k Z_kl H_l' of two blocks of a chain, Z the band of its inverse. */
static void add_from_band(const contact_system *s, size_t k, size_t l, const la_band *z, size_t first, double *w)
{
  const contact_problem *p = s->problem;
  size_t b = s->chains.size, d = p->dimension, row = p->block[k] * b - first, column = p->block[l] * b - first;
  const double *hk = p->jacobian + k * b * d, *hl = p->jacobian + l * b * d;
  for (size_t x = 0; x < b; ++x) {
    double product[CONE_DIMENSION_MAX] = {0}; /* row x of Z H_l' */
    for (size_t y = 0; y < b; ++y) {
      size_t i = row + x, j = column + y;
      double entry = i > j ? *la_band_at(z, i, j) : *la_band_at(z, j, i);
      for (size_t q = 0; q < d; ++q) product[q] += entry * hl[y * d + q];
    }
    for (size_t q = 0; q < d; ++q)
      for (size_t r = 0; r < d; ++r) w[q * d + r] += hk[x * d + r] * product[q];
  }
}

/* Adds what a chain does to W_ii, solved for: columns of A^-1 H_i'. @param x [unknowns] scratch */
static void add_solved(const contact_system *s, size_t i, size_t chain, double (*x)[LANES])
{
  const contact_problem *p = s->problem;
  const contact_chains *c = &s->chains;
  size_t b = c->size, d = p->dimension, from = c->first_block[chain];
  memset(x, 0, c->factor[chain].size * sizeof *x);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
    for (size_t y = 0; y < b && c->chain_of[p->block[k]] == chain; ++y)
      for (size_t q = 0; q < d; ++q) x[(p->block[k] - from) * b + y][q] = p->jacobian[(k * b + y) * d + q];
  la_band_solve_lanes(&c->factor[chain], 0, 0, x);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
    for (size_t y = 0; y < b && c->chain_of[p->block[k]] == chain; ++y)
      for (size_t q = 0; q < d; ++q)
        for (size_t r = 0; r < d; ++r)
          s->diagonal[(i * d + q) * d + r] += p->jacobian[(k * b + y) * d + r] * x[(p->block[k] - from) * b + y][q];
}

/* W_ii, symmetric to the last bit. */
static void fill_diagonal(const contact_system *s, size_t i, const la_band *inverse, double (*x)[LANES])
{
  const contact_problem *p = s->problem;
  size_t d = p->dimension;
  double *w = s->diagonal + i * d * d;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    size_t chain = s->chains.chain_of[p->block[k]];
    bool near = are_near(s, i, chain);
    if (!near && is_first_in_chain(s, i, k)) add_solved(s, i, chain, x);
    for (size_t l = p->first[i]; near && l < p->first[i + 1]; ++l)
      if (s->chains.chain_of[p->block[l]] == chain)
        add_from_band(s, k, l, &inverse[chain], s->chains.first_block[chain] * s->chains.size, w);
  }
  for (size_t q = 0; q < d; ++q)
    for (size_t r = 0; r < q; ++r) w[q * d + r] = w[r * d + q] = 0.5 * (w[q * d + r] + w[r * d + q]);
}

scr_status contact_chains_respond(contact_system *s, scr_error *error)
{
  const contact_chains *c = &s->chains;
  size_t longest = 1;
  la_band *inverse;
  double *rows;
  bool memory = true;
  for (size_t k = 0; k < c->count; ++k) longest = c->factor[k].size > longest ? c->factor[k].size : longest;
  scr_status status = lay_bands(s->problem, &inverse, &rows, error);
#pragma omp parallel num_threads(s->execution.threads) reduction(&& : memory) if (s->execution.threads > 1 && status == SCR_OK)
  {
    double(*x)[LANES] = status == SCR_OK ? mem_array(longest, sizeof *x) : NULL;
    memory = x != NULL;
#pragma omp for schedule(static)
    for (size_t k = 0; k < c->count; ++k)
      if (x) la_band_inverse(&c->factor[k], &inverse[k]);
#pragma omp for schedule(static)
    for (size_t i = 0; i < s->problem->contact_count; ++i)
      if (x) fill_diagonal(s, i, inverse, x);
    mem_free(x);
  }
  mem_free(inverse);
  mem_free(rows);
  SCR_TRY(status);
  return memory ? SCR_OK : no_memory(error, "compliances of chains", longest * LANES * sizeof(double));
}

/* ── M ───────────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status contact_chains_matrix(const contact_problem *p, la_sparse *mass, scr_error *error)
{
  size_t most = 2 * doubles_of(p), count = 0, base = 0, m = p->block_count * p->block_size;
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
