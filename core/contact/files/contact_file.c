/* Problems from scalar matrices. */
#include "contact/files/contact_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/files/fclib.h"
#include "contact/files/text_problem.h"
#include "contact/local/cone.h"
#include "contact/system/delassus.h"
#include "contact/system/workspace.h"

static double *copy_of(const double *x, size_t count)
{
  double *copy = mem_array(count, sizeof *copy);
  if (copy) memcpy(copy, x, count * sizeof *copy);
  return copy;
}

/* Whether every entry lies within a diagonal block of that size. */
static bool falls_into(const la_sparse *mass, size_t b)
{
  if (mass->column_count % b != 0) return false;
  for (size_t c = 0; c < mass->column_count; ++c)
    for (size_t k = mass->first[c]; k < mass->first[c + 1]; ++k)
      if (mass->value[k] != 0.0 && mass->row[k] / b != c / b) return false;
  return true;
}

static scr_status take_mass(const la_sparse *mass, contact_file *file, scr_error *error)
{
  static const unsigned sizes[] = {6, 3, 2, 1};
  contact_problem *p = &file->problem;
  size_t m = mass->column_count;
  unsigned b = 0;
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes && b == 0; ++k)
    if (falls_into(mass, sizes[k])) b = sizes[k];
  p->block_size = b ? b : 1;
  p->block_count = m / p->block_size;
  if (b == 0) {
    size_t entries = mass->first[m];
    file->mass = (la_sparse){.row_count = m, .column_count = m};
    file->mass.first = mem_array(m + 1, sizeof *file->mass.first);
    file->mass.row = mem_array(entries, sizeof *file->mass.row);
    file->mass.value = copy_of(mass->value, entries);
    if (!file->mass.first || !file->mass.row || !file->mass.value) return scr_fail_memory(error, "a mass matrix", entries * 12);
    memcpy(file->mass.first, mass->first, (m + 1) * sizeof *mass->first);
    memcpy(file->mass.row, mass->row, entries * sizeof *mass->row);
    p->mass = &file->mass;
    return SCR_OK;
  }
  double *block = mem_array(m * b, sizeof *block);
  p->mass_block = block;
  if (!block) return scr_fail_memory(error, "a mass matrix", m * b * sizeof *block);
  for (size_t c = 0; c < m; ++c)
    for (size_t k = mass->first[c]; k < mass->first[c + 1]; ++k) block[c * b + mass->row[k] % b] = mass->value[k];
  return SCR_OK;
}

static int by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Blocks that a contact's rows of H act on, in ascending order; `seen` [block_count] holds i + 1 where one has been. @return how many */
static size_t list_blocks(const contact_problem *p, const la_sparse *h, size_t i, uint32_t *seen, uint32_t *list)
{
  size_t d = p->dimension, count = 0;
  for (size_t row = i * d; row < i * d + d; ++row)
    for (size_t k = h->first[row]; k < h->first[row + 1]; ++k) {
      uint32_t block = h->row[k] / p->block_size;
      if (h->value[k] == 0.0 || seen[block] == i + 1) continue;
      seen[block] = (uint32_t)i + 1;
      if (list) list[count] = block;
      ++count;
    }
  if (list) qsort(list, count, sizeof *list, by_number);
  return count;
}

static scr_status take_rows(const la_sparse *h, contact_file *file, scr_error *error)
{
  contact_problem *p = &file->problem;
  size_t n = p->contact_count, d = p->dimension, b = p->block_size;
  uint32_t *seen = mem_array(p->block_count, sizeof *seen);
  size_t *first = mem_array(n + 1, sizeof *first);
  p->first = first;
  for (size_t i = 0; seen && first && i < n; ++i) first[i + 1] = first[i] + list_blocks(p, h, i, seen, NULL);
  uint32_t *block = first ? mem_array(first[n], sizeof *block) : NULL;
  double *jacobian = first ? mem_array(first[n], b * d * sizeof *jacobian) : NULL;
  p->block = block;
  p->jacobian = jacobian;
  if (!seen || !block || !jacobian) {
    mem_free(seen);
    return scr_fail_memory(error, "H", n * d * b * sizeof *jacobian);
  }
  memset(seen, 0, p->block_count * sizeof *seen);
  for (size_t i = 0; i < n; ++i) {
    list_blocks(p, h, i, seen, block + first[i]);
    for (size_t r = 0; r < d; ++r)
      for (size_t k = h->first[i * d + r]; k < h->first[i * d + r + 1]; ++k) {
        if (h->value[k] == 0.0) continue;
        const uint32_t wanted = (uint32_t)(h->row[k] / b);
        const uint32_t *at = bsearch(&wanted, block + first[i], first[i + 1] - first[i], sizeof *block, by_number);
        if (at) jacobian[((size_t)(at - block) * b + h->row[k] % b) * d + r] = h->value[k];
      }
  }
  mem_free(seen);
  return SCR_OK;
}

static scr_status build(const la_sparse *mass, const la_sparse *h, const double *momentum, const double *offset, const double *friction,
                        contact_file *file, scr_error *error)
{
  contact_problem *p = &file->problem;
  size_t n = p->contact_count, d = p->dimension;
  SCR_TRY(take_mass(mass, file, error));
  SCR_TRY(take_rows(h, file, error));
  p->momentum = copy_of(momentum, mass->column_count);
  p->offset = copy_of(offset, n * d);
  p->friction = copy_of(friction, n);
  if (!p->momentum || !p->offset || !p->friction) return scr_fail_memory(error, "a contact problem", n * d * sizeof *offset);
  return SCR_OK;
}

scr_status contact_file_from_matrices(unsigned dimension, const la_sparse *mass, const la_sparse *columns_of_h, const double *momentum,
                                      const double *offset, const double *friction, contact_file *file, scr_error *error)
{
  *file = (contact_file){.problem = {.dimension = dimension}};
  size_t rows = columns_of_h->column_count;
  if ((dimension != 2 && dimension != 3 && dimension != 6) || rows == 0 || rows % dimension != 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "%zu rows of H in %u dimensions; dimensions are 2, 3 or 6, rows a multiple of them", rows,
                    dimension);
  if (mass->row_count != mass->column_count || mass->column_count != columns_of_h->row_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a mass of %zu x %zu beside an H of %zu velocities", mass->row_count, mass->column_count,
                    columns_of_h->row_count);
  file->problem.contact_count = rows / dimension;
  scr_status status = build(mass, columns_of_h, momentum, offset, friction, file, error);
  if (status == SCR_OK) {
    status = contact_problem_check(&file->problem, error);
    if (status == SCR_BAD_USAGE) status = SCR_BAD_FILE;
  }
  if (status != SCR_OK) contact_file_clear(file);
  return status;
}

/* W = L L' by columns, the largest remaining pivot first, until what remains is below 1e-10 of the first. @param l [rank][rows]    @return
 * rank */
static size_t pivoted_cholesky(size_t rows, double *w, double *l)
{
  double first = 0.0;
  for (size_t rank = 0; rank < rows; ++rank) {
    size_t pivot = 0;
    for (size_t k = 1; k < rows; ++k)
      if (w[k * rows + k] > w[pivot * rows + pivot]) pivot = k;
    double largest = w[pivot * rows + pivot], root = sqrt(largest);
    if (rank == 0) first = largest;
    if (!(largest > 1e-10 * first)) return rank;
    double *column = l + rank * rows;
    for (size_t k = 0; k < rows; ++k) column[k] = w[pivot * rows + k] / root;
    for (size_t c = 0; c < rows; ++c)
      if (column[c] != 0.0)
        for (size_t r = 0; r < rows; ++r) w[c * rows + r] -= column[c] * column[r];
  }
  return rows;
}

/* The smallest remaining pivot must be zero to round-off. */
static scr_status check_remainder(size_t rows, const double *w, double first, scr_error *error)
{
  for (size_t k = 0; k < rows; ++k)
    if (w[k * rows + k] < -1e-6 * first)
      return scr_fail(error, SCR_BAD_FILE, NULL, "W is not positive semi-definite: a pivot of %g at row %zu", w[k * rows + k], k);
  return SCR_OK;
}

static scr_status from_factor(unsigned d, size_t rows, size_t rank, const double *l, const double *q, const double *friction,
                              contact_file *file, scr_error *error)
{
  size_t count = 0;
  la_triplet *entry = mem_array(rows * rank + rank, sizeof *entry);
  double *none = mem_array(rank, sizeof *none);
  la_sparse h = {0}, one = {0};
  scr_status status = entry && none ? SCR_OK : no_memory(error, "a factor of W", rows * rank * sizeof *entry);
  for (size_t c = 0; status == SCR_OK && c < rank; ++c)
    for (size_t r = 0; r < rows; ++r)
      if (l[c * rows + r] != 0.0) entry[count++] = (la_triplet){(uint32_t)c, (uint32_t)r, l[c * rows + r]};
  if (status == SCR_OK) status = la_sparse_from_triplets(rank, rows, entry, count, &h, error);
  for (size_t c = 0; status == SCR_OK && c < rank; ++c) entry[c] = (la_triplet){(uint32_t)c, (uint32_t)c, 1.0};
  if (status == SCR_OK) status = la_sparse_from_triplets(rank, rank, entry, rank, &one, error);
  if (status == SCR_OK) status = contact_file_from_matrices(d, &one, &h, none, q, friction, file, error);
  if (status == SCR_OK) file->dual = true;
  la_sparse_clear(&h);
  la_sparse_clear(&one);
  mem_free(entry);
  mem_free(none);
  return status;
}

scr_status contact_file_from_dual(unsigned dimension, const la_sparse *w, const double *q, const double *friction, contact_file *file,
                                  scr_error *error)
{
  size_t rows = w->column_count;
  delassus checked;
  *file = (contact_file){0};
  if (w->row_count != rows || rows > CONTACT_DUAL_ROWS_MAX)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "W has %zu x %zu entries; it must be square, with at most %d rows: give larger problems as fclib_global, by M and H",
                    w->row_count, rows, CONTACT_DUAL_ROWS_MAX);
  SCR_TRY(delassus_from_rows(dimension, rows, w->first, w->row, w->value, &checked, error));
  delassus_clear(&checked);
  double *dense = mem_array(rows * rows, sizeof *dense), *l = mem_array(rows * rows, sizeof *l), first = 0.0;
  scr_status status = dense && l ? SCR_OK : no_memory(error, "W", 2 * rows * rows * sizeof *dense);
  for (size_t c = 0; status == SCR_OK && c < rows; ++c)
    for (size_t k = w->first[c]; k < w->first[c + 1]; ++k) dense[c * rows + w->row[k]] = w->value[k];
  for (size_t c = 0; status == SCR_OK && c < rows; ++c) first = fmax(first, dense[c * rows + c]);
  if (status == SCR_OK) {
    size_t rank = pivoted_cholesky(rows, dense, l);
    status = check_remainder(rows, dense, first, error);
    if (status == SCR_OK) status = from_factor(dimension, rows, rank, l, q, friction, file, error);
  }
  mem_free(dense);
  mem_free(l);
  return status;
}

/* The problem's arrays are read-only to solvers; here is where they belong. */
static void free_of(const void *array)
{
  void *own;
  memcpy(&own, &array, sizeof own);
  mem_free(own);
}

void contact_file_clear(contact_file *file)
{
  const contact_problem *p = &file->problem;
  free_of(p->mass_block);
  free_of(p->momentum);
  free_of(p->first);
  free_of(p->block);
  free_of(p->jacobian);
  free_of(p->offset);
  free_of(p->friction);
  la_sparse_clear(&file->mass);
  mem_free(file->impulse);
  mem_free(file->relative);
  mem_free(file->velocity);
  *file = (contact_file){0};
}

double contact_merit(const contact_problem *problem, const double *free_velocity, const double *impulse, const double *relative,
                     bool as_coded)
{
  unsigned d = problem->dimension;
  double sum = 0.0, size = 0.0;
  for (size_t k = 0; k < problem->contact_count * d; ++k) size += free_velocity[k] * free_velocity[k];
  for (size_t i = 0; i < problem->contact_count; ++i) {
    double residual = cone_residual(d, problem->friction[i], 1.0, relative + i * d, impulse + i * d);
    sum += residual * residual;
  }
  return sqrt(sum) / (1.0 + (as_coded ? sqrt(sqrt(size)) : sqrt(size)));
}
