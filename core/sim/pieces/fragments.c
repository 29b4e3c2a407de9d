/* Pieces counted by classes of their mass, and their rows in the recording. */
#include "sim/pieces/fragments.h"

#include <math.h>
#include <string.h>

/* Masses are sums in some order: this close to a class's upper bound they are on it. */
static const double rounding = 1e-9;

void fragments_add(fragment_summary *summary, double mass, bool dust)
{
  double halvings = floor(log2(summary->whole / mass) + rounding);
  int k = halvings < 0 ? 0 : halvings < FRAGMENT_CLASSES ? (int)halvings : FRAGMENT_CLASSES - 1;
  fragment_class *class = dust ? &summary->dust : &summary->classes[k];
  class->count++;
  class->mass += mass;
  summary->count++;
  summary->largest = fmax(summary->largest, mass);
  if (dust) summary->grit = fmax(summary->grit, mass);
}

void fragments_add_body(fragment_summary *summary, size_t count, const uint32_t *piece, const double *mass, bool uniform, double *sum,
                        double *points)
{
  size_t pieces = 0;
  for (size_t i = 0; i < count; i++) {
    size_t k = piece[i] - piece[0];
    if (k == pieces) {
      sum[k] = points[k] = 0;
      pieces++;
    }
    points[k]++;
    sum[k] = uniform ? points[k] * mass[0] : sum[k] + mass[i];
  }
  for (size_t k = 0; k < pieces; k++) fragments_add(summary, sum[k], points[k] < 1.5 && count > 1);
}

scr_status fragments_declare(scr_sim *sim, size_t *number, scr_error *error)
{
  scr_column columns[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "dust", .unit = "1", .label = "1: single spheres or nodes"},
      {.name = "lower_mass", .unit = "kg", .label = "Masses above"},
      {.name = "upper_mass", .unit = "kg", .label = "Masses up to"},
      {.name = "count", .unit = "1", .label = "Fragments"},
      {.name = "mass", .unit = "kg", .label = "Mass of all of them"},
  };
  const scr_table table = {
      .name = "fragments", .label = "Fragments by mass", .column_count = sizeof columns / sizeof *columns, .columns = columns};
  *number = sim->table_count;
  return scr_sim_declare_table(sim, &table, error);
}

static scr_status add_row(scr_sim *sim, size_t number, bool dust, double low, double high, const fragment_class *class, scr_error *error)
{
  const double row[] = {sim->time, dust, low, high, class->count, class->mass};
  return class->count > 0 ? scr_sim_add_row(sim, number, row, error) : SCR_OK;
}

scr_status fragments_add_rows(scr_sim *sim, size_t number, const fragment_summary *summary, scr_error *error)
{
  for (int k = 0; k < FRAGMENT_CLASSES; k++)
    SCR_TRY(add_row(sim, number, false, ldexp(summary->whole, -k - 1), ldexp(summary->whole, -k), &summary->classes[k], error));
  return add_row(sim, number, true, 0, summary->grit, &summary->dust, error);
}

/* At most a row per class of masses, which halve from the heaviest body to a single point. */
void fragments_estimate(scr_estimate *estimate)
{
  enum { COLUMNS = 6 };
  estimate->frame_row_bytes += COLUMNS * sizeof(double) * (2 + log2(fmax(1, (double)estimate->node_count)));
}
