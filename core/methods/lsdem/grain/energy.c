/* Energies of modes. */
#include "methods/lsdem/grain/energy.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const char *skip(const char *text)
{
  while (isspace((unsigned char)*text) || *text == ',' || *text == ';') text++;
  return text;
}

static scr_status add_point(lsdem_energy *table, double amplitude, double force, scr_error *error)
{
  size_t n = table->point_count;
  if (n == LSDEM_TABLE_LIMIT)
    return scr_fail(error, SCR_BAD_SCENE, NULL, "the table of a mode's force has more than %d points: leave some out", LSDEM_TABLE_LIMIT);
  if (n == 0 && (amplitude != 0 || force != 0))
    return scr_fail(error, SCR_BAD_SCENE, NULL, "the table of a mode's force begins with %.6g m, %.6g N; a grain at rest is 0 m, 0 N: begin with that point",
                    amplitude, force);
  if (n && !(amplitude > table->amplitude[n - 1]))
    return scr_fail(error, SCR_BAD_SCENE, NULL, "amplitude %.6g m of point %zu of the table of a mode's force is not above the one before, %.6g m: sort the points",
                    amplitude, n + 1, table->amplitude[n - 1]);
  if (n && !(force >= table->force[n - 1]))
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "force %.6g N of point %zu of the table of a mode's force is below the one before, %.6g N: such a grain would snap through; give forces that don't fall",
                    force, n + 1, table->force[n - 1]);
  table->amplitude[n] = amplitude;
  table->force[n] = force;
  table->energy[n] = n ? table->energy[n - 1] + 0.5 * (force + table->force[n - 1]) * (amplitude - table->amplitude[n - 1]) : 0;
  table->point_count++;
  return SCR_OK;
}

scr_status lsdem_energy_read(lsdem_energy *table, const char *text, double factor, scr_error *error)
{
  *table = (lsdem_energy){0};
  for (const char *at = skip(text); *at; at = skip(at)) {
    char *end, *last;
    double amplitude = strtod(at, &end), force = strtod(skip(end), &last);
    if (end == at || last == skip(end) || !isfinite(amplitude) || !isfinite(force))
      return scr_fail(error, SCR_BAD_SCENE, NULL, "point %zu of the table of a mode's force is not two numbers: '%.20s'", table->point_count + 1, at);
    SCR_TRY(add_point(table, amplitude, factor * force, error));
    at = last;
  }
  if (table->point_count < 2)
    return scr_fail(error, SCR_BAD_SCENE, NULL, "the table of a mode's force has %zu points; at least 2 are needed", table->point_count);
  return SCR_OK;
}

/* The interval that holds an amplitude >= 0; the last one goes on. */
static size_t interval_of(const lsdem_energy *table, double amplitude)
{
  size_t low = 0, high = table->point_count - 1;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (amplitude < table->amplitude[middle])
      high = middle;
    else
      low = middle;
  }
  return low;
}

static double slope_of(const lsdem_energy *table, size_t k)
{
  return (table->force[k + 1] - table->force[k]) / (table->amplitude[k + 1] - table->amplitude[k]);
}

double lsdem_table_force(const lsdem_energy *table, double amplitude)
{
  double at = fabs(amplitude);
  size_t k = interval_of(table, at);
  return copysign(table->force[k] + slope_of(table, k) * (at - table->amplitude[k]), amplitude);
}

double lsdem_table_energy(const lsdem_energy *table, double amplitude)
{
  double at = fabs(amplitude);
  size_t k = interval_of(table, at);
  double way = at - table->amplitude[k];
  return table->energy[k] + (table->force[k] + 0.5 * slope_of(table, k) * way) * way;
}

double lsdem_energy_slope(const lsdem_energy *table)
{
  double steepest = 0;
  for (size_t k = 0; k + 1 < table->point_count; k++) steepest = fmax(steepest, slope_of(table, k));
  return steepest;
}

double lsdem_energy_of(const lsdem_energy *table, const lsdem_modal *modal, const double *amplitude)
{
  if (table->point_count) return lsdem_table_energy(table, amplitude[0]);
  double sum = 0;
  for (size_t a = 0; a < modal->count; a++)
    for (size_t b = 0; b < modal->count; b++) sum += 0.5 * amplitude[a] * modal->stiffness[a][b] * amplitude[b];
  return sum;
}

void lsdem_energy_force(const lsdem_energy *table, const lsdem_modal *modal, const double *amplitude, double *force)
{
  if (table->point_count) {
    force[0] = lsdem_table_force(table, amplitude[0]);
    return;
  }
  for (size_t a = 0; a < modal->count; a++) {
    force[a] = 0;
    for (size_t b = 0; b < modal->count; b++) force[a] += modal->stiffness[a][b] * amplitude[b];
  }
}
