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
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the table of a mode's force begins with %.6g m, %.6g N; a grain at rest is 0 m, 0 N: begin with that point", amplitude,
                    force);
  if (n && !(amplitude > table->amplitude[n - 1]))
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "amplitude %.6g m of point %zu of the table of a mode's force is not above the one before, %.6g m: sort the points",
                    amplitude, n + 1, table->amplitude[n - 1]);
  if (n && !(force >= table->force[n - 1]))
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "force %.6g N of point %zu of the table of a mode's force is below the one before, %.6g N: such a grain would snap "
                    "through; give forces that don't fall",
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
      return scr_fail(error, SCR_BAD_SCENE, NULL, "point %zu of the table of a mode's force is not two numbers: '%.20s'",
                      table->point_count + 1, at);
    SCR_TRY(add_point(table, amplitude, factor * force, error));
    at = last;
  }
  if (table->point_count < 2)
    return scr_fail(error, SCR_BAD_SCENE, NULL, "the table of a mode's force has %zu points; at least 2 are needed", table->point_count);
  return SCR_OK;
}

/* ── tables from points ──────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status sort_points(lsdem_energy *table, scr_error *error)
{
  for (size_t k = 1; k < table->point_count; k++)
    for (size_t j = k; j > 0 && table->amplitude[j] < table->amplitude[j - 1]; j--) {
      double amplitude = table->amplitude[j], force = table->force[j];
      table->amplitude[j] = table->amplitude[j - 1], table->force[j] = table->force[j - 1];
      table->amplitude[j - 1] = amplitude, table->force[j - 1] = force;
    }
  for (size_t k = 1; k < table->point_count; k++) {
    if (table->amplitude[k] == table->amplitude[k - 1])
      return scr_fail(error, SCR_BAD_SCENE, NULL,
                      "two levels of the table of a mode's force have the amplitude %.6g m: leave one of them out", table->amplitude[k]);
    if (!(table->force[k] >= table->force[k - 1]))
      return scr_fail(error, SCR_BAD_SCENE, NULL,
                      "the table of a mode's force falls from %.6g N at %.6g m to %.6g N at %.6g m: such a grain would snap through; make "
                      "the levels of a load that grows",
                      table->force[k - 1], table->amplitude[k - 1], table->force[k], table->amplitude[k]);
  }
  return SCR_OK;
}

scr_status lsdem_energy_take(lsdem_energy *table, const double *amplitude, const double *force, size_t count, scr_error *error)
{
  *table = (lsdem_energy){0};
  if (count == 0 || count >= LSDEM_TABLE_LIMIT)
    return scr_fail(error, SCR_BAD_SCENE, NULL, "the table of a mode's force has %zu levels; 1 to %d are possible", count,
                    LSDEM_TABLE_LIMIT - 1);
  for (size_t k = 0; k < count; k++) table->amplitude[k + 1] = amplitude[k], table->force[k + 1] = force[k];
  table->point_count = count + 1; /* the first is rest */
  SCR_TRY(sort_points(table, error));
  size_t rest = 0;
  for (size_t k = 1; k < table->point_count; k++) {
    table->energy[k] =
        table->energy[k - 1] + 0.5 * (table->force[k] + table->force[k - 1]) * (table->amplitude[k] - table->amplitude[k - 1]);
    if (table->amplitude[k] == 0) rest = k;
  }
  double below = table->energy[rest];
  for (size_t k = 0; k < table->point_count; k++) table->energy[k] -= below;
  return SCR_OK;
}

/* ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The interval that holds an amplitude; the outermost ones go on. */
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

/* A table that begins at rest holds for both signs. */
static bool is_odd(const lsdem_energy *table)
{
  return table->amplitude[0] == 0;
}

double lsdem_table_force(const lsdem_energy *table, double amplitude)
{
  double at = is_odd(table) ? fabs(amplitude) : amplitude;
  size_t k = interval_of(table, at);
  double force = table->force[k] + slope_of(table, k) * (at - table->amplitude[k]);
  return is_odd(table) ? copysign(force, amplitude) : force;
}

double lsdem_table_energy(const lsdem_energy *table, double amplitude)
{
  double at = is_odd(table) ? fabs(amplitude) : amplitude;
  size_t k = interval_of(table, at);
  double displacement = at - table->amplitude[k];
  return table->energy[k] + (table->force[k] + 0.5 * slope_of(table, k) * displacement) * displacement;
}

double lsdem_energy_beyond(const lsdem_energy *energy, size_t a, double amplitude)
{
  if (energy->fit.term_count) return fabs(amplitude) / energy->fit.scale[a];
  if (energy->point_count == 0) return 0;
  double last = energy->amplitude[energy->point_count - 1], first = is_odd(energy) ? last : -energy->amplitude[0];
  if (!(last > 0)) last = first; /* all levels are below rest: nothing is known of the other side, where the last slope goes on */
  return fabs(amplitude) / (amplitude < 0 ? first : last);
}

double lsdem_energy_secant(const lsdem_energy *energy, const lsdem_modal *modal, size_t a)
{
  double amplitude[LSDEM_MODE_LIMIT] = {0}, gradient[LSDEM_MODE_LIMIT];
  if (energy->fit.term_count) {
    amplitude[a] = energy->fit.scale[a];
    lsdem_polynomial_gradient(&energy->fit, amplitude, gradient);
    return gradient[a] / amplitude[a];
  }
  if (energy->point_count == 0) return modal->stiffness[a][a];
  size_t last = energy->point_count - 1, far = energy->amplitude[last] > 0 ? last : 0;
  return energy->force[far] / energy->amplitude[far];
}

void lsdem_energy_steepest(const lsdem_energy *energy, const lsdem_modal *modal, double *stiffness)
{
  size_t n = modal->count;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) stiffness[a * n + b] = energy->fit.term_count ? energy->fit.steepest[a][b] : modal->stiffness[a][b];
  if (energy->point_count == 0) return;
  stiffness[0] = 0;
  for (size_t k = 0; k + 1 < energy->point_count; k++) stiffness[0] = fmax(stiffness[0], slope_of(energy, k));
}

double lsdem_energy_of(const lsdem_energy *energy, const lsdem_modal *modal, const double *amplitude)
{
  if (energy->point_count) return lsdem_table_energy(energy, amplitude[0]);
  if (energy->fit.term_count) return lsdem_polynomial_value(&energy->fit, amplitude);
  double sum = 0;
  for (size_t a = 0; a < modal->count; a++)
    for (size_t b = 0; b < modal->count; b++) sum += 0.5 * amplitude[a] * modal->stiffness[a][b] * amplitude[b];
  return sum;
}

void lsdem_energy_force(const lsdem_energy *energy, const lsdem_modal *modal, const double *amplitude, double *force)
{
  if (energy->point_count) {
    force[0] = lsdem_table_force(energy, amplitude[0]);
    return;
  }
  if (energy->fit.term_count) {
    lsdem_polynomial_gradient(&energy->fit, amplitude, force);
    return;
  }
  for (size_t a = 0; a < modal->count; a++) {
    force[a] = 0;
    for (size_t b = 0; b < modal->count; b++) force[a] += modal->stiffness[a][b] * amplitude[b];
  }
}
