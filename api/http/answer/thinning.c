/* One run of samples at a time: for each curve its smallest and largest row so far. Values that are not finite are no extremes. */
#include "api/http/answer/thinning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct kept_row {
  uint64_t number; /* of the sample, from 0; UINT64_MAX: none */
  double *values;  /* [columns] */
} kept_row;

struct thinning {
  size_t columns, row_count;
  uint64_t samples, runs, at, run;
  void (*keep)(void *user, const double *row);
  void *user;
  kept_row *rows;   /* [row_count]: smallest and largest of columns 1, 2, ... */
  kept_row **order; /* [row_count] */
  double *values;
};

size_t thinning_least(size_t columns)
{
  size_t curves = columns > 1 ? columns - 1 : 1;
  return 2 * curves + 2;
}

thinning *thinning_create(size_t columns, uint64_t samples, size_t most, void (*keep)(void *user, const double *row), void *user)
{
  thinning *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  size_t count = thinning_least(columns) - 2;
  *self = (thinning){.columns = columns, .row_count = count, .samples = samples, .runs = (most - 2) / count, .keep = keep, .user = user};
  self->rows = calloc(count, sizeof *self->rows);
  self->order = calloc(count, sizeof(kept_row *));
  self->values = calloc(count * columns, sizeof *self->values);
  if (!self->rows || !self->order || !self->values) {
    thinning_destroy(self);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) self->rows[i] = (kept_row){.number = UINT64_MAX, .values = self->values + i * columns};
  return self;
}

void thinning_destroy(thinning *self)
{
  if (!self) return;
  free(self->rows);
  free(self->order);
  free(self->values);
  free(self);
}

static int by_number(const void *a, const void *b)
{
  const kept_row *x = *(kept_row *const *)a, *y = *(kept_row *const *)b;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* Hands over the rows of the run that has ended, each once. */
static void end_run(thinning *self)
{
  size_t count = 0;
  for (size_t i = 0; i < self->row_count; i++)
    if (self->rows[i].number != UINT64_MAX) self->order[count++] = &self->rows[i];
  qsort(self->order, count, sizeof *self->order, by_number);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || self->order[i]->number != self->order[i - 1]->number) self->keep(self->user, self->order[i]->values);
  for (size_t i = 0; i < self->row_count; i++) self->rows[i].number = UINT64_MAX;
}

static void consider(thinning *self, kept_row *kept, const double *row, size_t column, double sign)
{
  if (kept->number != UINT64_MAX && !(sign * row[column] > sign * kept->values[column])) return;
  kept->number = self->at;
  memcpy(kept->values, row, self->columns * sizeof *row);
}

void thinning_add(thinning *self, const double *row)
{
  uint64_t inner = self->samples > 2 ? self->samples - 2 : 1; /* the first and the last stay whatever they are */
  bool first = self->at == 0, last = self->at + 1 == self->samples;
  if (first || last) {
    if (last) end_run(self);
    self->keep(self->user, row);
    self->at++;
    return;
  }
  uint64_t run = (uint64_t)((double)(self->at - 1) / (double)inner * (double)self->runs);
  if (run != self->run) end_run(self);
  self->run = run;
  for (size_t column = self->columns > 1 ? 1 : 0, i = 0; i < self->row_count; i += 2, column++) {
    if (!isfinite(row[column])) continue;
    consider(self, &self->rows[i], row, column, -1.0);
    consider(self, &self->rows[i + 1], row, column, 1.0);
  }
  self->at++;
}
