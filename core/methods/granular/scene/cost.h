/** What a run takes, from what its start looks like. */
#ifndef SCREE_GRANULAR_COST_H
#define SCREE_GRANULAR_COST_H

#include "methods/granular/state/state.h"

/** The domain at the start. */
typedef struct granular_found {
  double points, cells, blocks; /**< cells: with sand; blocks: active */
  double poured;                /**< points that may come in later */
  double present;               /**< points that are expected, averaged over the run */
  double height;                /**< m, of the highest point over the domain's lowest corner, along gravity */
  double speed;                 /**< m/s, largest */
  double mass;                  /**< kg */
} granular_found;

/** Counts, once points are sorted. */
void granular_measure(const granular_state *state, granular_found *found);

/** Fills all of an estimate but the time step. */
void granular_estimate(const scr_scene *scene, const granular_found *found, scr_estimate *estimate);

/** B, of so many points alone. */
double granular_point_bytes(double points);

#endif
