/* Cells with sand, for scenes that ask for them: means over the points in them. They follow from the points alone, so that a run that was
 * interrupted shows the same. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "methods/granular/view/view.h"

enum { NUMBER, FRACTION, PRESSURE, VELOCITY, SHEAR_RATE, INERTIAL_NUMBER, CELL_FIELDS };

/* Columns of the picture: three for velocity. */
enum { COLUMNS = CELL_FIELDS + 2, RATE_COLUMN = SHEAR_RATE + 2, INERTIAL_COLUMN = INERTIAL_NUMBER + 2 };

scr_status granular_declare_cells(scr_sim *sim, scr_error *error)
{
  granular_state *s = sim->state;
  const scr_drawable cells = {.kind = SCR_DRAW_GRID,
                              .name = "cells",
                              .varying = true,
                              .field_count = CELL_FIELDS,
                              .fields = {[NUMBER] = {"cell", "1", 1, SCR_ENCODING_UINT32},
                                         [FRACTION] = {"volume_fraction", "1", 1, SCR_ENCODING_UINT16},
                                         [PRESSURE] = {"mean_pressure", "Pa", 1, SCR_ENCODING_UINT16},
                                         [VELOCITY] = {"mean_velocity", "m/s", 3, SCR_ENCODING_UINT16},
                                         [SHEAR_RATE] = {"mean_shear_rate", "1/s", 1, SCR_ENCODING_UINT16},
                                         [INERTIAL_NUMBER] = {"mean_inertial_number", "1", 1, SCR_ENCODING_UINT16}},
                              .grid = granular_grid(s)};
  s->cells_drawn = (uint32_t)sim->drawable_count;
  return scr_sim_declare_drawable(sim, &cells, error);
}

/* Number of the cell that holds a point, as grids count them. A point on the far side of the domain is of its last cell. */
static uint32_t cell_of(const granular_state *s, const granular_point *p)
{
  uint32_t number = 0;
  for (int a = s->d - 1; a >= 0; a--) {
    double at = floor((p->x[a] - s->domain.origin[a]) / s->domain.h), last = (double)s->domain.cells[a] - 1;
    number = number * s->domain.cells[a] + (uint32_t)fmin(fmax(at, 0), last);
  }
  return number;
}

static int compare(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* What a cell has of its points, each weighted with its volume. */
static void add_point(const granular_state *s, granular_point *p, double *const column[COLUMNS], size_t at)
{
  double rate = granular_shear_rate(s, p);
  scr_vec3 u = granular_from_grid(s, p->u);
  column[FRACTION][at] += p->volume;
  column[PRESSURE][at] += p->volume * p->pressure;
  column[VELOCITY][at] += p->volume * u.x;
  column[VELOCITY + 1][at] += p->volume * u.y;
  column[VELOCITY + 2][at] += p->volume * u.z;
  column[RATE_COLUMN][at] += p->volume * rate;
  column[INERTIAL_COLUMN][at] += p->volume * granular_inertial_number(s, p, rate);
}

/* Sums over the points of each cell, by their numbers in the state. */
static uint32_t sum_cells(const granular_state *s, const uint64_t *key, uint32_t *number, double *const column[COLUMNS])
{
  uint32_t count = 0;
  for (size_t k = 0; k < s->point_count; k++) {
    uint32_t cell = (uint32_t)(key[k] >> 32);
    if (count == 0 || number[count - 1] != cell) {
      for (int c = 1; c < COLUMNS; c++) column[c][count] = 0;
      number[count++] = cell;
    }
    add_point(s, &s->points[(uint32_t)key[k]], column, count - 1);
  }
  for (uint32_t i = 0; i < count; i++) {
    double volume = column[FRACTION][i];
    for (int c = PRESSURE; c < COLUMNS; c++) column[c][i] /= volume;
    column[FRACTION][i] = volume / granular_cell_volume(s);
  }
  return count;
}

static scr_status give_cells(scr_frame *frame, uint32_t drawable, uint32_t count, const uint32_t *number, double *const column[COLUMNS],
                             scr_error *error)
{
  SCR_TRY(scr_frame_count(frame, drawable, count, error));
  if (count == 0) return SCR_OK;
  SCR_TRY(scr_frame_field_u32(frame, drawable, NUMBER, number, error));
  SCR_TRY(scr_frame_field(frame, drawable, FRACTION, column[FRACTION], NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, drawable, PRESSURE, column[PRESSURE], NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, drawable, VELOCITY, column[VELOCITY], column[VELOCITY + 1], column[VELOCITY + 2], error));
  SCR_TRY(scr_frame_field(frame, drawable, SHEAR_RATE, column[RATE_COLUMN], NULL, NULL, error));
  return scr_frame_field(frame, drawable, INERTIAL_NUMBER, column[INERTIAL_COLUMN], NULL, NULL, error);
}

scr_status granular_draw_cells(granular_state *s, scr_frame *frame, scr_error *error)
{
  size_t n = s->point_count;
  uint64_t *key;
  uint32_t *number = NULL;
  double *column[COLUMNS];
  scr_status status = mem_allocate(&key, n, sizeof *key, "a picture", error);
  if (status == SCR_OK) status = mem_allocate(&number, n, sizeof *number, "a picture", error);
  if (status == SCR_OK) status = mem_reserve(&s->buffer, &s->buffer_capacity, COLUMNS * n + 1, sizeof *s->buffer, "a picture", error);
  for (size_t i = 0; status == SCR_OK && i < n; i++) key[i] = (uint64_t)cell_of(s, &s->points[i]) << 32 | i;
  if (status == SCR_OK && n > 0) qsort(key, n, sizeof *key, compare);
  for (size_t c = 0; status == SCR_OK && c < COLUMNS; c++) column[c] = s->buffer + c * n;
  if (status == SCR_OK) status = give_cells(frame, s->cells_drawn, sum_cells(s, key, number, column), number, column, error);
  mem_free(key);
  mem_free(number);
  return status;
}
