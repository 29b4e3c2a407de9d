/** Pattern, lookup and product of block matrices. */
#include "linalg/block6/block_matrix.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare_columns(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Counts and places both directions of every pair and the diagonal; rows hold repetitions until pack_rows. */
static void place_pairs(const uint32_t (*pairs)[2], size_t pair_count, la_block_matrix *matrix, size_t *next)
{
  for (size_t row = 0; row < matrix->row_count; ++row) matrix->column[next[row]++] = (uint32_t)row;
  for (size_t k = 0; k < pair_count; ++k) {
    uint32_t i = pairs[k][0], j = pairs[k][1];
    if (i == j) continue;
    matrix->column[next[i]++] = j;
    matrix->column[next[j]++] = i;
  }
}

/* Sorts every row and drops repetitions, moving rows together. */
static void pack_rows(la_block_matrix *matrix)
{
  size_t out = 0, begin = 0;
  for (size_t row = 0; row < matrix->row_count; ++row) {
    size_t end = matrix->first[row + 1];
    qsort(matrix->column + begin, end - begin, sizeof *matrix->column, compare_columns);
    size_t start = out;
    for (size_t k = begin; k < end; ++k) {
      uint32_t column = matrix->column[k];
      if (out > start && matrix->column[out - 1] == column) continue;
      if (column == row) matrix->diagonal[row] = out;
      matrix->column[out++] = column;
    }
    matrix->first[row + 1] = out;
    begin = end;
  }
  matrix->block_count = out;
}

scr_status la_block_matrix_create(size_t row_count, const uint32_t (*pairs)[2], size_t pair_count, la_block_matrix *matrix,
                                  scr_error *error)
{
  size_t capacity = row_count + 2 * pair_count;
  size_t *next = mem_array(row_count + 1, sizeof *next);
  *matrix = (la_block_matrix){.row_count = row_count};
  matrix->first = mem_array(row_count + 1, sizeof *matrix->first);
  matrix->column = mem_array(capacity, sizeof *matrix->column);
  matrix->diagonal = mem_array(row_count, sizeof *matrix->diagonal);
  if (next && matrix->first && matrix->column && matrix->diagonal) {
    for (size_t row = 0; row < row_count; ++row) matrix->first[row + 1] = 1;
    for (size_t k = 0; k < pair_count; ++k)
      if (pairs[k][0] != pairs[k][1]) {
        matrix->first[pairs[k][0] + 1]++;
        matrix->first[pairs[k][1] + 1]++;
      }
    for (size_t row = 0; row < row_count; ++row) {
      matrix->first[row + 1] += matrix->first[row];
      next[row] = matrix->first[row];
    }
    place_pairs(pairs, pair_count, matrix, next);
    pack_rows(matrix);
    matrix->values = mem_array(matrix->block_count, LA_BLOCK_SIZE * sizeof *matrix->values);
  }
  mem_free(next);
  if (matrix->values) return SCR_OK;
  la_block_matrix_destroy(matrix);
  return scr_fail_memory(error, "a block matrix", capacity * LA_BLOCK_SIZE * sizeof(double));
}

void la_block_matrix_destroy(la_block_matrix *matrix)
{
  if (!matrix) return;
  mem_free(matrix->first);
  mem_free(matrix->column);
  mem_free(matrix->diagonal);
  mem_free(matrix->values);
  *matrix = (la_block_matrix){0};
}

size_t la_block_matrix_slot(const la_block_matrix *matrix, uint32_t row, uint32_t column)
{
  size_t low = matrix->first[row], high = matrix->first[row + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (matrix->column[middle] == column) return middle;
    if (matrix->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return SIZE_MAX;
}

void la_block_matrix_clear(la_block_matrix *matrix)
{
  memset(matrix->values, 0, matrix->block_count * LA_BLOCK_SIZE * sizeof *matrix->values);
}

/* Three rows of a block row times x: nine registers collect entry by entry, sum[e] += block[e] x[e mod 6], and are added up across the six
 * columns at the end only. `blocks` is the first of those three rows in the row's first block. */
static void multiply_three(const double *blocks, const uint32_t *columns, size_t count, const double *x, double *y)
{
  block6_pair sum[9] = {{0}};
  for (size_t k = 0; k < count; ++k) {
    const block6_pair *entries = (const block6_pair *)(blocks + LA_BLOCK_SIZE * k),
                      *from = (const block6_pair *)(x + (size_t)6 * columns[k]);
    block6_pair a = from[0], b = from[1], c = from[2];
    for (int r = 0; r < 9; r += 3) {
      sum[r] += entries[r] * a;
      sum[r + 1] += entries[r + 1] * b;
      sum[r + 2] += entries[r + 2] * c;
    }
  }
  for (int r = 0; r < 3; ++r) {
    const block6_pair *of = sum + (ptrdiff_t)3 * r;
    y[r] = ((of[0][0] + of[0][1]) + (of[1][0] + of[1][1])) + (of[2][0] + of[2][1]);
  }
}

void la_block_matrix_multiply(const la_block_matrix *matrix, const double *x, double *y, scr_execution execution)
{
  ptrdiff_t rows = (ptrdiff_t)matrix->row_count;
  (void)execution; /* read by the pragma only */
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    size_t begin = matrix->first[row], count = matrix->first[row + 1] - begin;
    const double *blocks = matrix->values + LA_BLOCK_SIZE * begin;
    multiply_three(blocks, matrix->column + begin, count, x, y + 6 * row);
    multiply_three(blocks + 18, matrix->column + begin, count, x, y + 6 * row + 3);
  }
}
