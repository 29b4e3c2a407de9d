/* Counts times costs. */
#include "sim/cost.h"

double sim_cost_sum(const sim_cost *table, size_t entries, const double *count)
{
  double sum = 0;
  for (size_t k = 0; k < entries; k++)
    if (count[k] != 0) sum += count[k] * table[k].each;
  return sum;
}
