/* W = H M^-1 H' of a problem, block by block. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/system/delassus.h"
#include "contact/system/workspace.h"

static int by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Contacts that act on a block of contact i, itself among them, ascending; `seen` [n] holds i + 1 where one has been. @return how many */
static size_t neighbours(const contact_system *s, size_t i, uint32_t *seen, uint32_t *list)
{
  const contact_problem *p = s->problem;
  size_t count = 0;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
    for (size_t at = s->of_block_first[p->block[k]]; at < s->of_block_first[p->block[k] + 1]; ++at) {
      uint32_t j = s->contact_of[s->of_block[at]];
      if (seen[j] == i + 1) continue;
      seen[j] = (uint32_t)i + 1;
      list[count++] = j;
    }
  qsort(list, count, sizeof *list, by_number);
  return count;
}

/* Adds H of entry k times the response of entry l, which act on the same block. */
static void add_product(const contact_system *s, size_t k, size_t l, double *block)
{
  size_t d = s->problem->dimension, b = s->problem->block_size;
  const double *h = s->problem->jacobian + k * b * d, *y = s->response + l * b * d;
  for (size_t c = 0; c < d; ++c)
    for (size_t x = 0; x < b; ++x)
      for (size_t r = 0; r < d; ++r) block[c * d + r] += h[x * d + r] * y[c * b + x];
}

static void fill_row(const contact_system *s, size_t i, delassus *w)
{
  const contact_problem *p = s->problem;
  size_t d = p->dimension;
  for (size_t at = w->first[i]; at < w->first[i + 1]; ++at) {
    uint32_t j = w->column[at];
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
      for (size_t l = p->first[j]; l < p->first[j + 1]; ++l)
        if (p->block[k] == p->block[l]) add_product(s, k, l, w->block + at * d * d);
  }
}

static scr_status build_by_blocks(const contact_system *s, delassus *w, uint32_t *seen, uint32_t *list, scr_error *error)
{
  size_t n = w->contact_count;
  for (size_t i = 0; i < n; ++i) w->first[i + 1] = w->first[i] + neighbours(s, i, seen, list);
  w->block_count = w->first[n];
  SCR_TRY(delassus_allocate(w, error));
  memset(seen, 0, n * sizeof *seen);
  for (size_t i = 0; i < n; ++i) {
    size_t count = neighbours(s, i, seen, list);
    memcpy(w->column + w->first[i], list, count * sizeof *list);
    fill_row(s, i, w);
  }
  return delassus_complete(w, error);
}

static bool is_coupled(const contact_system *s)
{
  return s->factor != NULL || s->chains.count > 0;
}

/* Row i of W for a mass that couples blocks, as blocks: those that vanish are left out. @param columns [d][m] M^-1 H_i'    @param row
 * [n][d][d] receives the blocks */
static scr_status solve_row(const contact_system *s, size_t i, double *columns, double *row, scr_error *error)
{
  const contact_problem *p = s->problem;
  size_t d = p->dimension, b = p->block_size;
  memset(columns, 0, d * s->size * sizeof *columns);
  memset(row, 0, s->rows * d * sizeof *row);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
    for (size_t c = 0; c < b; ++c)
      for (size_t r = 0; r < d; ++r) columns[r * s->size + p->block[k] * b + c] = p->jacobian[(k * b + c) * d + r];
  if (s->factor)
    SCR_TRY(la_factor_solve(s->factor, columns, d, columns, error));
  else
    for (size_t r = 0; r < d; ++r) contact_chains_accelerate(&s->chains, columns + r * s->size, columns + r * s->size, s->execution);
  for (size_t j = 0; j < p->contact_count; ++j)
    for (size_t k = p->first[j]; k < p->first[j + 1]; ++k)
      for (size_t c = 0; c < b; ++c)
        for (size_t q = 0; q < d; ++q) /* W_ij is the transpose of W_ji = H_j M^-1 H_i' */
          for (size_t r = 0; r < d; ++r)
            row[(j * d + q) * d + r] += p->jacobian[(k * b + c) * d + q] * columns[r * s->size + p->block[k] * b + c];
  return SCR_OK;
}

static bool vanishes(const double *block, size_t count)
{
  for (size_t k = 0; k < count; ++k)
    if (block[k] != 0.0) return false;
  return true;
}

/* Counts the blocks, makes room, and fills: each row is solved for twice, so that nothing of the size of n^2 is kept. */
static scr_status build_by_rows(const contact_system *s, delassus *w, double *columns, double *row, scr_error *error)
{
  size_t n = w->contact_count, squared = (size_t)w->dimension * w->dimension;
  for (size_t i = 0; i < n; ++i) {
    SCR_TRY(solve_row(s, i, columns, row, error));
    w->first[i + 1] = w->first[i];
    for (size_t j = 0; j < n; ++j) w->first[i + 1] += j == i || !vanishes(row + j * squared, squared);
  }
  w->block_count = w->first[n];
  SCR_TRY(delassus_allocate(w, error));
  for (size_t i = 0; i < n; ++i) {
    size_t at = w->first[i];
    SCR_TRY(solve_row(s, i, columns, row, error));
    for (size_t j = 0; j < n; ++j) {
      if (j != i && vanishes(row + j * squared, squared)) continue;
      w->column[at] = (uint32_t)j;
      memcpy(w->block + at++ * squared, row + j * squared, squared * sizeof *row);
    }
  }
  return delassus_complete(w, error);
}

scr_status delassus_from_system(const contact_system *s, delassus *w, scr_error *error)
{
  size_t n = s->problem->contact_count, d = s->problem->dimension;
  *w = (delassus){.dimension = (unsigned)d, .contact_count = n, .first = calloc(n + 1, sizeof *w->first)};
  uint32_t *seen = mem_array(n, sizeof *seen), *list = mem_array(n, sizeof *list);
  double *columns = is_coupled(s) ? mem_array(d * s->size, sizeof *columns) : NULL,
         *row = is_coupled(s) ? mem_array(s->rows * d, sizeof *row) : NULL;
  scr_status status = SCR_OK;
  if (!w->first || !seen || !list || (is_coupled(s) && (!columns || !row)))
    status = no_memory(error, "a Delassus operator", n * 16 + s->rows * d * 8);
  else
    status = is_coupled(s) ? build_by_rows(s, w, columns, row, error) : build_by_blocks(s, w, seen, list, error);
  mem_free(seen);
  mem_free(list);
  mem_free(columns);
  mem_free(row);
  if (status != SCR_OK) delassus_clear(w);
  return status;
}
