/** Ensembles of a study's rows: strengths by Weibull's law, curves as bands; for all rows, or for each value of a factor. */
#ifndef SCREE_SERVER_STUDY_ENSEMBLE_H
#define SCREE_SERVER_STUDY_ENSEMBLE_H

#include "server/study/results.h"

enum {
  ENSEMBLE_GROUPS = 64,
  ENSEMBLE_CURVES = 1000,      /**< most runs that bands are made of */
  ENSEMBLE_SAMPLES = 2000,     /**< of a curve; longer ones are thinned evenly */
  ENSEMBLE_SHOWN_CURVES = 60,  /**< curves that an answer lists singly, at most */
  ENSEMBLE_SHOWN_SAMPLES = 120 /**< samples of each of them */
};

/** One row's part in an ensemble. */
typedef struct ensemble_member {
  char label[96]; /**< value of the factor that groups rows; "" where there is none */
  double value;   /**< of a strength */
  bool censored;  /**< it ended without breaking: its strength is more than `value` */
  double *x, *y;  /**< of a curve: [count]; owned */
  size_t count;
} ensemble_member;

void ensemble_members_clear(ensemble_member *members, size_t count);

/** For each group its rows, mean, deviation, quantiles, and, where all values are above 0 and three rows broke, the fit of Weibull's law
 * with intervals of the level, the points of its plot, and how many rows an interval of the modulus half as wide needs.
 *  @param json receives {"level", "groups": [..]}: a new reference
 *  @return SCR_OK; SCR_BAD_USAGE: more than ENSEMBLE_GROUPS groups; SCR_NO_MEMORY */
scr_status ensemble_strengths(const ensemble_member *members, size_t count, double level, json_t **json, scr_error *error);

/** For each group the mean of its curves and quantiles (1 - level) / 2, 1/2, (1 + level) / 2 on a common axis of `points` points, how many
 *  curves reach each point, and some of the curves themselves.
 *  @return as ensemble_strengths; SCR_BAD_USAGE too: a curve whose x turns back */
scr_status ensemble_bands(const ensemble_member *members, size_t count, double level, size_t points, json_t **json, scr_error *error);

#endif
