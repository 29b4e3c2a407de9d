/* Counts times costs. */
#include "sim/cost.h"

static double sum_of(const sim_cost *table, size_t entries, const double *count)
{
  double sum = 0;
  for (size_t k = 0; k < entries; k++)
    if (count[k] != 0) sum += count[k] * table[k].each;
  return sum;
}

void sim_cost_add(const sim_cost *table, size_t entries, const double *count, scr_estimate *estimate)
{
  estimate->run_seconds += sum_of(table, entries, count);
  for (size_t k = 0; k < entries; k++)
    if (count[k] != 0 && estimate->cost_count < SCR_COST_LIMIT)
      estimate->costs[estimate->cost_count++] = (scr_cost){table[k].what, count[k], count[k] * table[k].each};
}
