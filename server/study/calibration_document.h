/** The design of a study that is an optimiser: which factors are unknowns, what is aimed at, how it is searched.
 *
 *    "design": { "kind": "calibrate", "targets": {
 *      "force": { "scene": "bend", "x": "roller.load.displacement", "y": "roller.load.force_z", "measured": "bend-3", "distance": "axis" },
 *      "slope": { "scene": "press", "expression": "slope(platen.top.force_z, platen.top.displacement)", "value": 1.2e6, "scatter": 5e4 } },
 *      "runs": 120, "start": "sobol", "method": "bobyqa" }
 *
 *  Factors with a range are unknowns; one with seeds repeats every point. A point is run once for each scene and seed: its rows follow each
 *  other, scene by scene. In a study that runs "measured" holds the curve itself: {"name", "x": [..], "y": [..], "scatter": [..]}. */
#ifndef SCREE_SERVER_STUDY_CALIBRATION_DOCUMENT_H
#define SCREE_SERVER_STUDY_CALIBRATION_DOCUMENT_H

#include "server/study/calibration/optimiser.h"
#include "server/study/calibration/target.h"
#include "server/study/design/factor.h"
#include "server/study/results.h"

enum {
  CALIBRATION_TARGETS = 16,
  CALIBRATION_SAMPLES = 1000,   /**< of a measured curve; longer ones are thinned evenly when the study is submitted */
  CALIBRATION_RUNS = 3000,      /**< most rows */
  CALIBRATION_VALUES = 1000000, /**< most residuals of all runs together */
  CALIBRATION_RUNS_EACH = 30    /**< points for each unknown, where `runs` is not given */
};

/** One target. */
typedef struct calibration_target {
  char name[EXPRESSION_NAME_BYTES];
  char scene[64];    /**< of the study's scenes; "" where there is one */
  char measured[48]; /**< name of the measured curves, "": none */
  char x_unit[EXPRESSION_UNIT_BYTES],
      y_unit[EXPRESSION_UNIT_BYTES]; /**< SI units of what was measured, y's also of a number; "": not said */
  study_result x, y;                 /**< expressions of a curve; y alone of a number */
  double *samples;                   /**< of a curve: x, y and perhaps scatter of the measured one; owned */
  target aim;                        /**< its arrays are `samples` */
  size_t first, size;                /**< its residuals among those of a row of its scene */
} calibration_target;

/** Owned by the study's document. */
typedef struct study_calibration {
  size_t unknown_count;
  size_t factors[OPTIMISER_UNKNOWNS]; /**< numbers of the unknowns' factors */
  optimiser_unknown unknowns[OPTIMISER_UNKNOWNS];
  optimiser_options options; /**< its point_limit is of points */
  size_t scene_count, repetition_count;
  size_t run_limit; /**< rows in all */
  size_t target_count;
  calibration_target targets[CALIBRATION_TARGETS];
} study_calibration;

/** What of the rest of a study it needs. Borrowed. */
typedef struct calibration_about {
  const factor *factors;
  size_t factor_count;
  const json_t *scene_labels; /**< names of the scenes; empty: one without a name */
} calibration_about;

/** Reads "design" of a calibration. @param made receives it, also where problems were added; NULL without memory */
void calibration_read(const json_t *design, const calibration_about *about, study_calibration **made, scr_problems *problems);
void calibration_destroy(study_calibration *self);

/** Rows of a point: scenes times repetitions. */
size_t calibration_rows_each(const study_calibration *self);

/** Residuals of a row of a scene. */
size_t calibration_residual_count(const study_calibration *self, const char *scene);

/** Row `within` of a point, from 0: {FACTOR: value}, a new reference; NULL without memory. @param point [unknown_count] */
json_t *calibration_row(const study_calibration *self, const calibration_about *about, const double *point, size_t within);

/** Whether what was measured and what is simulated are quantities of one kind, as far as the units of curves tell.
 *  @param find,user as expression_unit's
 *  @return SCR_OK; SCR_BAD_USAGE: they are not, `why` says which */
scr_status calibration_check_units(const calibration_target *of, const char *(*find)(void *user, const char *name), void *user,
                                   scr_error *why);

/** Compares a run with the targets of its scene.
 *  @param request of the run, with any results    @param residuals [calibration_residual_count] NaN all of them where one is missing
 *  @param reason  receives which target the run has no value for, and why; "" where it has all
 *  @return SCR_OK; SCR_NO_MEMORY, SCR_IO, SCR_BAD_FILE: the recording can't be read */
scr_status calibration_compare(const study_calibration *self, const char *scene, const results_request *request, double *residuals,
                               char reason[static 480], scr_error *error);

#endif
