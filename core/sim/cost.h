/** What a run costs before it is made: each method has a table of what a run does, or holds, again and again, and what one of it takes; it
 *  counts, and the sum is made here. The constants stand in tables alone: times in seconds on one thread of the machine that the method's
 *  report names, fitted to whole runs (tests/reports/bench/). */
#ifndef SCREE_SIM_COST_H
#define SCREE_SIM_COST_H

#include <stddef.h>

#include "scree.h"

typedef struct sim_cost {
  const char *what; /**< "a bond in a step" */
  double each;      /**< s or B */
} sim_cost;

/** Adds the sum of count[k] times table[k].each to the estimate's run time, s, and the entries that are counted to its costs (those beyond
 *  SCR_COST_LIMIT to the time alone), so that a study can fit the table (tests/studies/study_costs.py). An entry that is counted 0 times
 *  adds 0, whatever it takes. */
void sim_cost_add(const sim_cost *table, size_t entries, const double *count, scr_estimate *estimate);

#endif
