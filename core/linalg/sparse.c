/* Compressed columns: building them, products. */
#include "linalg/sparse.h"

#include "base/memory.h"

enum { PRODUCT_MANY = 20000 /* entries worth a team of threads */ };

void la_sparse_clear(la_sparse *matrix)
{
  mem_free(matrix->first);
  mem_free(matrix->row);
  mem_free(matrix->value);
  *matrix = (la_sparse){0};
}

/* Number of the column of triplet or place k. */
typedef struct entries {
  const la_triplet *triplets;  /* or NULL */
  const uint32_t (*places)[2]; /* row, column */
  size_t count;
} entries;

static la_triplet entry_at(const entries *given, size_t k)
{
  if (given->triplets) return given->triplets[k];
  return (la_triplet){given->places[k][0], given->places[k][1], 0.0};
}

/* Stable counting sort by `columns` or rows. @param order [count] numbers to sort    @param first [bins + 1] scratch */
static void sort_by(const entries *given, bool columns, const uint32_t *order, uint32_t *sorted, size_t *first, size_t bins)
{
  for (size_t b = 0; b <= bins; ++b) first[b] = 0;
  for (size_t k = 0; k < given->count; ++k) {
    la_triplet t = entry_at(given, k);
    first[(columns ? t.column : t.row) + 1]++;
  }
  for (size_t b = 0; b < bins; ++b) first[b + 1] += first[b];
  for (size_t k = 0; k < given->count; ++k) {
    uint32_t from = order ? order[k] : (uint32_t)k;
    la_triplet t = entry_at(given, from);
    sorted[first[columns ? t.column : t.row]++] = from;
  }
}

/* Takes the entries, sorted by column, then row, in; equal places are summed. */
static void take(const entries *given, const uint32_t *sorted, la_sparse *matrix)
{
  size_t used = 0, at = 0;
  for (size_t column = 0; column < matrix->column_count; ++column) {
    size_t begin = used;
    for (; at < given->count; ++at) {
      la_triplet t = entry_at(given, sorted[at]);
      if (t.column != column) break;
      if (used > begin && matrix->row[used - 1] == t.row) {
        matrix->value[used - 1] += t.value;
        continue;
      }
      matrix->row[used] = t.row;
      matrix->value[used++] = t.value;
    }
    matrix->first[column + 1] = used;
  }
}

static scr_status build(size_t row_count, size_t column_count, const entries *given, la_sparse *matrix, scr_error *error)
{
  size_t bins = row_count > column_count ? row_count : column_count, count = given->count;
  *matrix = (la_sparse){.row_count = row_count, .column_count = column_count};
  if (row_count >= UINT32_MAX || column_count >= UINT32_MAX || count >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a sparse matrix of %zu rows, %zu columns and %zu entries; each may be up to 4294967294",
                    row_count, column_count, count);
  for (size_t k = 0; k < count; ++k) {
    la_triplet t = entry_at(given, k);
    if (t.row >= row_count || t.column >= column_count)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "entry %zu is at row %u, column %u of a matrix with %zu rows and %zu columns", k, t.row,
                      t.column, row_count, column_count);
  }
  uint32_t *by_row = mem_array(count, sizeof *by_row), *sorted = mem_array(count, sizeof *sorted);
  size_t *first = mem_array(bins + 1, sizeof *first);
  matrix->first = mem_array(column_count + 1, sizeof *matrix->first);
  matrix->row = mem_array(count, sizeof *matrix->row);
  matrix->value = mem_array(count, sizeof *matrix->value);
  bool complete = by_row && sorted && first && matrix->first && matrix->row && matrix->value;
  if (complete) {
    sort_by(given, false, NULL, by_row, first, row_count);
    sort_by(given, true, by_row, sorted, first, column_count);
    take(given, sorted, matrix);
  }
  mem_free(by_row);
  mem_free(sorted);
  mem_free(first);
  if (complete) return SCR_OK;
  la_sparse_clear(matrix);
  return scr_fail_memory(error, "a sparse matrix", count * 20 + bins * 16);
}

scr_status la_sparse_from_triplets(size_t row_count, size_t column_count, const la_triplet *triplets, size_t count, la_sparse *matrix,
                                   scr_error *error)
{
  return build(row_count, column_count, &(entries){.triplets = triplets, .count = triplets ? count : 0}, matrix, error);
}

scr_status la_sparse_from_pattern(size_t row_count, size_t column_count, const uint32_t (*places)[2], size_t count, la_sparse *matrix,
                                  scr_error *error)
{
  return build(row_count, column_count, &(entries){.places = places, .count = count}, matrix, error);
}

size_t la_sparse_slot(const la_sparse *matrix, uint32_t row, uint32_t column)
{
  if (column >= matrix->column_count) return SIZE_MAX;
  size_t low = matrix->first[column], high = matrix->first[column + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (matrix->row[middle] == row) return middle;
    if (matrix->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return SIZE_MAX;
}

void la_sparse_multiply(const la_sparse *matrix, const double *x, double *y)
{
  for (size_t r = 0; r < matrix->row_count; ++r) y[r] = 0.0;
  for (size_t c = 0; c < matrix->column_count; ++c)
    for (size_t k = matrix->first[c]; k < matrix->first[c + 1]; ++k) y[matrix->row[k]] += matrix->value[k] * x[c];
}

void la_sparse_multiply_transposed(const la_sparse *matrix, const double *x, double *y, scr_execution execution)
{
  bool many = execution.threads > 1 && matrix->column_count > 0 && matrix->first[matrix->column_count] > PRODUCT_MANY;
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (many)
  for (size_t c = 0; c < matrix->column_count; ++c) {
    double sum = 0.0;
    for (size_t k = matrix->first[c]; k < matrix->first[c + 1]; ++k) sum += matrix->value[k] * x[matrix->row[k]];
    y[c] = sum;
  }
}
