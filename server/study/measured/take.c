/* Two columns as a curve, with what is known to be wrong of the machine taken out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "server/study/measured/measured.h"

void measured_curve_clear(measured_curve *curve)
{
  mem_free(curve->x);
  mem_free(curve->y);
  mem_free(curve->x_raw);
  mem_free(curve->y_raw);
  memset(curve, 0, sizeof *curve);
}

static scr_status check(const measured_table *table, const measured_choice *choice, scr_error *error)
{
  if (choice->x >= table->column_count || choice->y >= table->column_count || choice->x == choice->y)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "columns %zu and %zu: choose two different ones of the %zu there are", choice->x + 1,
                    choice->y + 1, table->column_count);
  const double numbers[] = {choice->x_factor, choice->y_factor, choice->x_zero, choice->y_zero};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!isfinite(numbers[i])) return scr_fail(error, SCR_BAD_USAGE, NULL, "a factor or zero of a curve is not finite");
  if (!(choice->preload >= 0) || !isfinite(choice->preload))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the preload is %g; it must be 0 or more", choice->preload);
  if (!(choice->compliance >= 0) || !isfinite(choice->compliance))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the compliance is %g m/N; it must be 0 or more", choice->compliance);
  const char *x = table->columns[choice->x].unit, *y = table->columns[choice->y].unit;
  if (choice->compliance > 0 && (strcmp(x, "m") != 0 || strcmp(y, "N") != 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "a compliance corrects a displacement in m by a force in N; these columns are in '%s' and '%s'", x, y);
  return SCR_OK;
}

static scr_status allocate(measured_curve *curve, size_t rows, scr_error *error)
{
  double **arrays[] = {&curve->x, &curve->y, &curve->x_raw, &curve->y_raw};
  for (size_t i = 0; i < 4; i++) SCR_TRY(mem_allocate(arrays[i], rows, sizeof(double), "a measured curve", error));
  return SCR_OK;
}

static void fill(const measured_table *table, const measured_choice *choice, measured_curve *curve)
{
  double x_factor = choice->x_factor == 0 ? 1 : choice->x_factor, y_factor = choice->y_factor == 0 ? 1 : choice->y_factor;
  bool loaded = choice->preload == 0;
  for (size_t r = 0; r < table->row_count; r++) {
    double x_raw = table->values[r * table->column_count + choice->x], y_raw = table->values[r * table->column_count + choice->y];
    if (!isfinite(x_raw) || !isfinite(y_raw)) continue;
    double x = x_factor * x_raw - choice->x_zero, y = y_factor * y_raw - choice->y_zero;
    if (!loaded && y < choice->preload) continue;
    if (!loaded) curve->x_moved = x;
    loaded = true;
    curve->x[curve->count] = x - curve->x_moved - choice->compliance * y;
    curve->y[curve->count] = y;
    curve->x_raw[curve->count] = x_raw;
    curve->y_raw[curve->count++] = y_raw;
  }
}

scr_status measured_take(const measured_table *table, const measured_choice *choice, measured_curve *curve, scr_error *error)
{
  memset(curve, 0, sizeof *curve);
  SCR_TRY(check(table, choice, error));
  scr_status status = allocate(curve, table->row_count, error);
  if (status == SCR_OK) fill(table, choice, curve);
  if (status == SCR_OK && curve->count < 2)
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "%zu samples have a number in both columns%s: a curve needs 2 at least", curve->count,
                      choice->preload > 0 ? " from the preload on" : "");
  snprintf(curve->x_unit, sizeof curve->x_unit, "%s", table->columns[choice->x].unit);
  snprintf(curve->y_unit, sizeof curve->y_unit, "%s", table->columns[choice->y].unit);
  if (status != SCR_OK) measured_curve_clear(curve);
  return status;
}
