/* Pattern and numbers of M + H' B H. */
#include "contact/system/contact_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/system/workspace.h"

static const size_t most_pairs = (size_t)1 << 27;

static int by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Block rows of a block column, ascending: itself, what the mass couples it to, what it shares a contact with. @param seen [block_count]
 * holds c + 1 */
static size_t list_rows(const contact_matrix *m, size_t c, uint32_t *seen, uint32_t *list)
{
  const contact_system *s = m->system;
  const contact_problem *p = s->problem;
  size_t count = 0, b = p->block_size;
  seen[c] = (uint32_t)c + 1;
  list[count++] = (uint32_t)c;
  for (size_t column = c * b; m->coupled && column < c * b + b; ++column)
    for (size_t k = m->coupled->first[column]; k < m->coupled->first[column + 1]; ++k) {
      uint32_t row = (uint32_t)(m->coupled->row[k] / b);
      if (seen[row] == c + 1) continue;
      seen[row] = (uint32_t)c + 1;
      list[count++] = row;
    }
  for (size_t at = s->of_block_first[c]; at < s->of_block_first[c + 1]; ++at) {
    size_t i = s->contact_of[s->of_block[at]];
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
      uint32_t row = p->block[k];
      if (seen[row] == c + 1) continue;
      seen[row] = (uint32_t)c + 1;
      list[count++] = row;
    }
  }
  qsort(list, count, sizeof *list, by_number);
  return count;
}

/* Place of a block row in a block column, which has it. */
static uint32_t place_of(const contact_matrix *m, size_t column, uint32_t row)
{
  size_t low = m->column_first[column], high = m->column_first[column + 1];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (m->column_row[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)(low - m->column_first[column]);
}

/* The scalar pattern from the block pattern, and M on it. */
static void spread(contact_matrix *m)
{
  const contact_problem *p = m->system->problem;
  size_t b = p->block_size;
  for (size_t c = 0; c < p->block_count; ++c) {
    size_t count = m->column_first[c + 1] - m->column_first[c], base = b * b * m->column_first[c];
    for (size_t x = 0; x < b; ++x) {
      size_t at = base + x * count * b;
      m->k.first[c * b + x + 1] = at + count * b;
      for (size_t r = 0; r < count; ++r)
        for (size_t y = 0; y < b; ++y) m->k.row[at + r * b + y] = (uint32_t)(m->column_row[m->column_first[c] + r] * b + y);
      if (p->mass_block) {
        uint32_t place = place_of(m, c, (uint32_t)c);
        memcpy(m->mass + at + place * b, p->mass_block + (c * b + x) * b, b * sizeof *m->mass);
        continue;
      }
      for (size_t k = m->coupled->first[c * b + x]; k < m->coupled->first[c * b + x + 1]; ++k)
        m->mass[at + (size_t)place_of(m, c, (uint32_t)(m->coupled->row[k] / b)) * b + m->coupled->row[k] % b] = m->coupled->value[k];
    }
  }
}

static scr_status build_pattern(contact_matrix *m, uint32_t *seen, uint32_t *list, scr_error *error)
{
  const contact_system *s = m->system;
  size_t blocks = s->problem->block_count, b = s->problem->block_size;
  for (size_t c = 0; c < blocks; ++c) m->column_first[c + 1] = m->column_first[c] + list_rows(m, c, seen, list);
  size_t entries = m->column_first[blocks] * b * b;
  m->column_row = mem_array(m->column_first[blocks], sizeof *m->column_row);
  m->k = (la_sparse){.row_count = s->size, .column_count = s->size};
  m->k.first = mem_array(s->size + 1, sizeof *m->k.first);
  m->k.row = mem_array(entries, sizeof *m->k.row);
  m->k.value = mem_array(entries, sizeof *m->k.value);
  m->mass = mem_array(entries, sizeof *m->mass);
  if (!m->column_row || !m->k.first || !m->k.row || !m->k.value || !m->mass)
    return scr_fail_memory(error, "the matrix M + H' B H", entries * 20);
  memset(seen, 0, blocks * sizeof *seen);
  for (size_t c = 0; c < blocks; ++c) {
    size_t count = list_rows(m, c, seen, list);
    memcpy(m->column_row + m->column_first[c], list, count * sizeof *list);
  }
  spread(m);
  return SCR_OK;
}

/* Counted before the pattern is made: a dense one is refused here. */
static scr_status count_pairs(contact_matrix *m, scr_error *error)
{
  const contact_problem *p = m->system->problem;
  m->pair_first = mem_array(p->contact_count + 1, sizeof *m->pair_first);
  if (!m->pair_first) return scr_fail_memory(error, "pairs of bodies", p->contact_count * sizeof *m->pair_first);
  for (size_t i = 0; i < p->contact_count; ++i) {
    size_t e = p->first[i + 1] - p->first[i];
    m->pair_first[i + 1] = m->pair_first[i] + e * e;
  }
  if (m->pair_first[p->contact_count] <= most_pairs) return SCR_OK;
  return scr_fail(
      error, SCR_BAD_USAGE, NULL,
      "contacts act on so many blocks that M + H'H has %zu contributions, of %zu at most: solve it by Gauss-Seidel or projected "
      "gradients",
      m->pair_first[p->contact_count], most_pairs);
}

static scr_status place_pairs(contact_matrix *m, scr_error *error)
{
  const contact_problem *p = m->system->problem;
  size_t pairs = m->pair_first[p->contact_count];
  SCR_TRY(mem_allocate(&m->pair_place, pairs, sizeof *m->pair_place, "pairs of bodies", error));
  for (size_t i = 0; i < p->contact_count; ++i) {
    size_t e = p->first[i + 1] - p->first[i];
    for (size_t l = 0; l < e; ++l)
      for (size_t k = 0; k < e; ++k)
        m->pair_place[m->pair_first[i] + e * l + k] = place_of(m, p->block[p->first[i] + l], p->block[p->first[i] + k]);
  }
  return SCR_OK;
}

scr_status contact_matrix_create(const contact_system *system, contact_matrix *matrix, scr_error *error)
{
  size_t blocks = system->problem->block_count;
  *matrix = (contact_matrix){.system = system, .coupled = system->problem->mass};
  uint32_t *seen = mem_array(blocks, sizeof *seen), *list = mem_array(blocks, sizeof *list);
  matrix->column_first = mem_array(blocks + 1, sizeof *matrix->column_first);
  scr_status status =
      seen && list && matrix->column_first ? count_pairs(matrix, error) : no_memory(error, "the matrix M + H' B H", blocks * 16);
  if (status == SCR_OK && system->problem->chain) {
    matrix->coupled = &matrix->of_chains;
    status = contact_chains_matrix(system->problem, &matrix->of_chains, error);
  }
  if (status == SCR_OK) status = build_pattern(matrix, seen, list, error);
  if (status == SCR_OK) status = place_pairs(matrix, error);
  mem_free(seen);
  mem_free(list);
  if (status != SCR_OK) contact_matrix_clear(matrix);
  return status;
}

void contact_matrix_clear(contact_matrix *m)
{
  la_sparse_clear(&m->of_chains);
  la_sparse_clear(&m->k);
  mem_free(m->mass);
  mem_free(m->column_first);
  mem_free(m->column_row);
  mem_free(m->pair_first);
  mem_free(m->pair_place);
  *m = (contact_matrix){0};
}

/* product [b][d] = B H_l, by columns. */
static void multiply_block(size_t d, size_t b, const double *block, const double *h, double *product)
{
  for (size_t x = 0; x < b; ++x)
    for (size_t r = 0; r < d; ++r) {
      double sum = 0.0;
      for (size_t q = 0; q < d; ++q) sum += block[q * d + r] * h[x * d + q];
      product[x * d + r] = sum;
    }
}

void contact_matrix_fill(contact_matrix *m, const double *block)
{
  const contact_problem *p = m->system->problem;
  size_t d = p->dimension, b = p->block_size;
  memcpy(m->k.value, m->mass, m->k.first[m->system->size] * sizeof *m->mass);
  for (size_t i = 0; i < p->contact_count; ++i) {
    size_t from = p->first[i], e = p->first[i + 1] - from;
    for (size_t l = 0; l < e; ++l) {
      double product[CONTACT_BLOCK_MAX * CONE_DIMENSION_MAX];
      size_t column = p->block[from + l], count = m->column_first[column + 1] - m->column_first[column];
      double *base = m->k.value + b * b * m->column_first[column];
      multiply_block(d, b, block + i * d * d, p->jacobian + (from + l) * b * d, product);
      for (size_t k = 0; k < e; ++k) {
        const double *h = p->jacobian + (from + k) * b * d;
        double *at = base + (size_t)m->pair_place[m->pair_first[i] + e * l + k] * b;
        for (size_t x = 0; x < b; ++x)
          for (size_t y = 0; y < b; ++y) {
            double sum = 0.0;
            for (size_t q = 0; q < d; ++q) sum += h[y * d + q] * product[x * d + q];
            at[x * count * b + y] += sum;
          }
      }
    }
  }
}
