/* The Delassus operator in block rows, and a colouring of its graph. */
#include "contact/system/delassus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/local/cone.h"
#include "contact/system/workspace.h"
#include "linalg/wide.h"

typedef double lanes __attribute__((vector_size(32))); /* a column of three, and what lies behind it */

static scr_status check_rows(unsigned d, size_t rows, const size_t *first, const uint32_t *column, const double *value, scr_error *error)
{
  if ((d != 2 && d != 3 && d != 6) || rows == 0 || rows % d != 0 || rows / d > UINT32_MAX)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "a Delassus operator of %zu rows in %u dimensions; dimensions are 2, 3 or 6, rows a multiple of them", rows, d);
  for (size_t i = 0; i < rows; i++) {
    if (first[i + 1] < first[i]) return scr_fail(error, SCR_BAD_FILE, NULL, "row %zu of W ends before it begins", i);
    for (size_t k = first[i]; k < first[i + 1]; k++) {
      if (column[k] >= rows) return scr_fail(error, SCR_BAD_FILE, NULL, "row %zu of W has column %u of %zu", i, (unsigned)column[k], rows);
      if (!isfinite(value[k])) return scr_fail(error, SCR_BAD_FILE, NULL, "W(%zu, %u) is %g", i, (unsigned)column[k], value[k]);
    }
  }
  return SCR_OK;
}

static int by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Marks what block columns a row of blocks has, the diagonal always, sorted; `seen` [n] holds the row's number + 1 where it has been. */
static size_t list_columns(unsigned d, size_t row, const size_t *first, const uint32_t *column, uint32_t *seen, uint32_t *list)
{
  size_t count = 0;
  seen[row] = (uint32_t)row + 1;
  list[count++] = (uint32_t)row;
  for (size_t k = first[row * d]; k < first[row * d + d]; k++) {
    uint32_t other = column[k] / d;
    if (seen[other] == row + 1) continue;
    seen[other] = (uint32_t)row + 1;
    list[count++] = other;
  }
  qsort(list, count, sizeof *list, by_number);
  return count;
}

scr_status delassus_allocate(delassus *w, scr_error *error)
{
  size_t n = w->contact_count, d = w->dimension, entries = w->block_count * d * d;
  w->column = calloc(w->block_count + 1, sizeof *w->column);
  w->block = calloc(entries + 1, sizeof *w->block);
  w->diagonal = calloc(n + 1, sizeof *w->diagonal);
  w->scale = calloc(n + 1, sizeof *w->scale);
  w->order = calloc(n + 1, sizeof *w->order);
  w->colour_first = calloc(n + 1, sizeof *w->colour_first);
  if (w->column && w->block && w->diagonal && w->scale && w->order && w->colour_first) return SCR_OK;
  return scr_fail_memory(error, "a Delassus operator", w->block_count * d * d * sizeof *w->block);
}

/* Index of a block in its row, which has it. */
static size_t find_block(const delassus *w, size_t row, uint32_t column)
{
  size_t low = w->first[row], high = w->first[row + 1];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (w->column[middle] <= column)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void fill(delassus *w, const size_t *first, const uint32_t *column, const double *value, uint32_t *seen, uint32_t *list)
{
  unsigned d = w->dimension;
  memset(seen, 0, w->contact_count * sizeof *seen);
  for (size_t i = 0; i < w->contact_count; i++) {
    size_t count = list_columns(d, i, first, column, seen, list);
    memcpy(w->column + w->first[i], list, count * sizeof *list);
    for (unsigned r = 0; r < d; r++)
      for (size_t k = first[i * d + r]; k < first[i * d + r + 1]; k++)
        w->block[find_block(w, i, column[k] / d) * d * d + (column[k] % d) * d + r] += value[k];
  }
}

/* Where the diagonal blocks are, and their scales. */
static scr_status take_diagonal(delassus *w, scr_error *error)
{
  unsigned d = w->dimension;
  for (size_t i = 0; i < w->contact_count; i++) {
    w->diagonal[i] = find_block(w, i, (uint32_t)i);
    for (unsigned r = 0; r < d; r++) w->scale[i] += w->block[w->diagonal[i] * d * d + r * d + r] / d;
    if (!(w->scale[i] > 0.0))
      return scr_fail(error, SCR_BAD_FILE, NULL, "contact %zu has a block of trace %g in W: nothing it touches can move; leave it out", i,
                      w->scale[i] * d);
  }
  return SCR_OK;
}

static scr_status check_symmetry(const delassus *w, scr_error *error)
{
  unsigned d = w->dimension;
  double largest = 0.0;
  for (size_t k = 0; k < w->block_count * d * d; k++) largest = fmax(largest, fabs(w->block[k]));
  for (size_t i = 0; i < w->contact_count; i++)
    for (size_t k = w->first[i]; k < w->first[i + 1]; k++) {
      uint32_t j = w->column[k];
      size_t other = find_block(w, j, (uint32_t)i);
      bool there = w->column[other] == i;
      for (unsigned r = 0; r < d; r++)
        for (unsigned c = 0; c < d; c++) {
          double across = there ? w->block[other * d * d + r * d + c] : 0.0, gap = fabs(w->block[k * d * d + c * d + r] - across);
          if (gap > 1e-8 * largest)
            return scr_fail(error, SCR_BAD_FILE, NULL, "W is not symmetric: contacts %zu and %u differ by %g, %g of its largest entry", i,
                            (unsigned)j, gap, gap / largest);
        }
    }
  return SCR_OK;
}

/* Greedy, in the contacts' order: the least colour that no neighbour has. */
static void colour(delassus *w, uint32_t *colours, uint32_t *used)
{
  size_t n = w->contact_count;
  memset(used, 0, n * sizeof *used);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = w->first[i]; k < w->first[i + 1]; k++)
      if (w->column[k] < i) used[colours[w->column[k]]] = (uint32_t)i + 1;
    uint32_t c = 0;
    while (used[c] == i + 1) c++;
    colours[i] = c;
    if (c + 1 > w->colour_count) w->colour_count = c + 1;
    w->colour_first[c + 1]++;
  }
  for (uint32_t c = 0; c < w->colour_count; c++) w->colour_first[c + 1] += w->colour_first[c];
  memset(used, 0, n * sizeof *used);
  for (size_t i = 0; i < n; i++) w->order[w->colour_first[colours[i]] + used[colours[i]]++] = (uint32_t)i;
}

static scr_status build(delassus *w, const size_t *first, const uint32_t *column, const double *value, uint32_t *seen, uint32_t *list,
                        scr_error *error)
{
  size_t n = w->contact_count;
  w->first = calloc(n + 1, sizeof *w->first);
  if (!w->first) return scr_fail_memory(error, "a Delassus operator", n * sizeof *w->first);
  for (size_t i = 0; i < n; i++) w->first[i + 1] = w->first[i] + list_columns(w->dimension, i, first, column, seen, list);
  w->block_count = w->first[n];
  SCR_TRY(delassus_allocate(w, error));
  fill(w, first, column, value, seen, list);
  SCR_TRY(take_diagonal(w, error));
  SCR_TRY(check_symmetry(w, error));
  colour(w, seen, list);
  return SCR_OK;
}

scr_status delassus_complete(delassus *w, scr_error *error)
{
  uint32_t *colours = calloc(w->contact_count + 1, sizeof *colours), *used = calloc(w->contact_count + 1, sizeof *used);
  scr_status status =
      colours && used ? take_diagonal(w, error) : no_memory(error, "a Delassus operator", 2 * w->contact_count * sizeof *used);
  if (status == SCR_OK) colour(w, colours, used);
  free(colours);
  free(used);
  return status;
}

scr_status delassus_from_rows(unsigned dimension, size_t rows, const size_t *first, const uint32_t *column, const double *value,
                              delassus *w, scr_error *error)
{
  *w = (delassus){.dimension = dimension};
  SCR_TRY(check_rows(dimension, rows, first, column, value, error));
  w->contact_count = rows / dimension;
  uint32_t *seen = calloc(w->contact_count + 1, sizeof *seen), *list = calloc(w->contact_count + 1, sizeof *list);
  scr_status status = seen && list ? build(w, first, column, value, seen, list, error)
                                   : no_memory(error, "a Delassus operator", 2 * w->contact_count * sizeof *seen);
  free(seen);
  free(list);
  if (status != SCR_OK) delassus_clear(w);
  return status;
}

scr_status delassus_sort_rows(delassus *w, scr_error *error)
{
  size_t n = w->contact_count, squared = (size_t)w->dimension * w->dimension, at = 0;
  size_t *begin = calloc(n + 1, sizeof *begin);
  uint32_t *column = calloc(w->block_count + 1, sizeof *column);
  double *block = calloc(w->block_count * squared + 1, sizeof *block);
  if (!begin || !column || !block) {
    free(begin);
    free(column);
    free(block);
    return no_memory(error, "a Delassus operator", w->block_count * squared * sizeof *block);
  }
  for (size_t k = 0; k < n; k++) {
    size_t i = w->order[k], from = w->first[i], count = w->first[i + 1] - from;
    begin[i] = at;
    memcpy(column + at, w->column + from, count * sizeof *column);
    memcpy(block + at * squared, w->block + from * squared, count * squared * sizeof *block);
    w->diagonal[i] += at - from; /* modulo 2^64 where rows move forward */
    at += count;
  }
  free(w->column);
  free(w->block);
  w->column = column;
  w->block = block;
  w->begin = begin;
  return SCR_OK;
}

/* Index of a row's diagonal block, its first block being at `from`. */
static size_t diagonal_of(const delassus *w, size_t row, size_t from)
{
  size_t low = from, high = from + w->first[row + 1] - w->first[row];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (w->column[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

scr_status delassus_lay_out(delassus *w, const uint32_t *order, scr_error *error)
{
  size_t n = w->contact_count, at = 0;
  uint32_t *column = calloc(w->block_count + 1, sizeof *column);
  w->begin = calloc(n + 1, sizeof *w->begin);
  if (!column || !w->begin) {
    free(column);
    return no_memory(error, "a Delassus operator", w->block_count * sizeof *column);
  }
  memcpy(w->order, order, n * sizeof *order);
  for (size_t k = 0; k < n; k++) {
    size_t i = order[k], count = w->first[i + 1] - w->first[i];
    memcpy(column + at, w->column + w->first[i], count * sizeof *column);
    w->begin[i] = at;
    at += count;
  }
  free(w->column);
  w->column = column;
  for (size_t i = 0; i < n; i++) w->diagonal[i] = diagonal_of(w, i, w->begin[i]);
  return SCR_OK;
}

void delassus_clear(delassus *w)
{
  free(w->begin);
  free(w->first);
  free(w->column);
  free(w->block);
  free(w->diagonal);
  free(w->scale);
  free(w->order);
  free(w->colour_first);
  *w = (delassus){0};
}

static inline __attribute__((always_inline)) void add_scaled(const double *column, double r, lanes *sum)
{
  lanes read;
  memcpy(&read, column, sizeof read);
  *sum += read * r;
}

/* Adds blocks of three by their columns, each column with a sum of its own, so that no addition waits for the one before. What is read
 * behind a column goes to a fourth row, which is not looked at. */
static inline __attribute__((always_inline)) void add_blocks_of_three(const double *block, const uint32_t *column, size_t count,
                                                                      const double *impulse, lanes *sum)
{
  lanes first = sum[0], second = sum[1], third = sum[2];
  for (size_t k = 0; k < count; k++, block += 9) {
    const double *r = impulse + (size_t)column[k] * 3;
    add_scaled(block, r[0], &first);
    add_scaled(block + 3, r[1], &second);
    add_scaled(block + 6, r[2], &third);
  }
  sum[0] = first, sum[1] = second, sum[2] = third;
}

/* Blocks from .. to of W but `skipped`, in space. */
WIDE static void add_in_space(const delassus *w, size_t from, size_t skipped, size_t to, const double *impulse, double *velocity)
{
  lanes sum[3] = {0};
  add_blocks_of_three(w->block + from * 9, w->column + from, skipped - from, impulse, sum);
  if (skipped < to) add_blocks_of_three(w->block + (skipped + 1) * 9, w->column + skipped + 1, to - skipped - 1, impulse, sum);
  for (size_t row = 0; row < 3; row++) velocity[row] += sum[0][row] + sum[1][row] + sum[2][row];
}

void delassus_add_row(const delassus *w, size_t i, bool own, const double *impulse, double *velocity)
{
  size_t d = w->dimension, from = w->begin ? w->begin[i] : w->first[i], to = from + w->first[i + 1] - w->first[i];
  size_t skipped = own ? to : w->diagonal[i];
  if (d == 3) {
    add_in_space(w, from, skipped, to, impulse, velocity);
    return;
  }
  for (size_t k = from; k < to; k++) {
    const double *block = w->block + k * d * d, *r = impulse + (size_t)w->column[k] * d;
    for (size_t c = 0; c < d && k != skipped; c++)
      for (size_t row = 0; row < d; row++) velocity[row] += block[c * d + row] * r[c];
  }
}

/* Row i of W r + q. */
static void row_velocity(const delassus *w, size_t i, const double *impulse, const double *free_velocity, double *velocity)
{
  size_t d = w->dimension;
  double sum[CONE_DIMENSION_MAX] = {0};
  delassus_add_row(w, i, true, impulse, sum);
  for (size_t row = 0; row < d; row++) velocity[i * d + row] = free_velocity[i * d + row] + sum[row];
}

void delassus_velocity(const delassus *w, scr_execution execution, const double *impulse, const double *free_velocity, double *velocity)
{
  enum { MANY = 300 /* contacts worth a team of threads */ };
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1 && w->contact_count > MANY)
  for (size_t k = 0; k < w->contact_count; k++) {
    size_t i = w->begin ? w->order[k] : k; /* as rows lie */
    row_velocity(w, i, impulse, free_velocity, velocity);
  }
}
