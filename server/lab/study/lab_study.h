/** Studies: what users do with them. Rows of a running study become jobs as there are slots for them, by a thread of the lab
 *  (study_runner.h). As lab.h, every function may be called from any thread. */
#ifndef SCREE_SERVER_LAB_STUDY_H
#define SCREE_SERVER_LAB_STUDY_H

#include "server/lab/lab.h"
#include "server/study/study.h"

/** What a study will take. Zero-initialised, emptied by lab_study_plan_clear. */
typedef struct lab_study_plan {
  char name[STUDY_NAME_BYTES];
  size_t row_count;
  size_t checked, refused; /**< rows whose scenes were checked, evenly spread over all, in a few seconds; those of them that can't run */
  double run_seconds, record_bytes; /**< of all rows, as those that were checked and can run say; NaN: none can */
  double memory_bytes;              /**< the most of a row that was checked */
  scr_problems refusals;            /**< of rows; pointers "/rows/NUMBER" and the place in the scene behind */
  scr_problems warnings;            /**< likewise, of the first row that has any */
} lab_study_plan;

/** Checks a study: its document, and the scenes of some of its rows.
 *  @param problems filled on LAB_REFUSED
 *  @return LAB_OK, also when rows are refused; LAB_REFUSED: the document is, or every row that was checked; else as lab_check_scene */
lab_status lab_study_check(lab *self, const char *text, size_t length, const lab_caller *caller, lab_study_plan *plan,
                           scr_problems *problems, scr_error *error);
void lab_study_plan_clear(lab_study_plan *plan);

/** A study to be added. */
typedef struct lab_study_request {
  const char *text; /**< the document */
  size_t length;
  const char *key;  /**< NULL: none; at most LAB_KEY_LIMIT characters */
  const char *user; /**< who submits it, and its runs, as lab_change says; NULL: nobody says */
} lab_study_request;

/** Checks a study and adds it; its rows begin to run. The same key and study give the first one
 *  (created=false). @param plan to be cleared
 *  @return as lab_study_check; LAB_KEY_REUSED: the key was used with another study; LAB_FULL (the disk), LAB_DRAINING, LAB_FAILED */
lab_status lab_study_submit(lab *self, const lab_study_request *wanted, lab_study_plan *plan, lab_study *study, bool *created,
                            scr_problems *problems, scr_error *error);

lab_status lab_study_get(lab *self, int64_t id, lab_study *study, scr_error *error);
/** The document as it was checked, to free(). */
lab_status lab_study_document(lab *self, int64_t id, char **text, scr_error *error);
/** Newest first, those of numbers below `before` (0: all). studies: [capacity] */
lab_status lab_study_list(lab *self, int64_t before, lab_study *studies, size_t capacity, size_t *count, scr_error *error);
/** rows: [capacity], each to be cleared */
lab_status lab_study_rows(lab *self, int64_t id, const study_query *query, lab_study_row *rows, size_t capacity, size_t *count,
                          scr_error *error);

/** What an ensemble is made of: a result (strengths), or two expressions for curves (bands). All is borrowed. */
typedef struct ensemble_request {
  const char *result;   /**< of the study; NULL: curves */
  const char *x, *y;    /**< expressions that give a value for each sample */
  const char *by;       /**< factor that groups rows; "": none */
  const char *censored; /**< result that is not 0 where a row ended without breaking; "": none */
  double level;         /**< of intervals and bands, 0.5 to 0.999 */
  size_t points;        /**< of the axis of bands, 2 to 2000 */
} ensemble_request;

/** Strengths or bands of the rows that succeeded (server/study/ensemble.h). @param json receives a new reference
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_BAD_REQUEST (no such factor or result, no expression, curves that turn back), LAB_TOO_LARGE,
 * LAB_FAILED */
lab_status lab_study_ensemble(lab *self, int64_t id, const ensemble_request *request, const lab_caller *caller, json_t **json,
                              scr_error *error);

/** What the factors do to a result, by the rows that succeeded (server/study/effect_rows.h). @param json receives a new reference
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_BAD_REQUEST (no such result, nothing varies, too few rows), LAB_ABANDONED, LAB_FAILED */
lab_status lab_study_effects(lab *self, int64_t id, const char *name, const lab_caller *caller, json_t **json, scr_error *error);

/** How far a calibration has come, its best point and its estimate (calibration_json, calibration_overlay), with the study's state.
 *  @param level of the intervals, 0.5 to 0.999    @param json receives a new reference
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_BAD_REQUEST: the study is no calibration; LAB_FAILED */
lab_status lab_study_calibration(lab *self, int64_t id, double level, json_t **json, scr_error *error);
lab_status lab_study_overlay(lab *self, int64_t id, double level, json_t **json, scr_error *error);

/** Adds rows, a list of {FACTOR: value}; a finished study runs again. @return LAB_OK, LAB_NOT_FOUND, LAB_REFUSED, LAB_CONFLICT, LAB_FAILED
 */
lab_status lab_study_add(lab *self, int64_t id, const char *text, size_t length, lab_study *study, scr_problems *problems,
                         scr_error *error);
/** No further row becomes a job; jobs that there are are paused. LAB_CONFLICT unless it runs or is stopped. */
lab_status lab_study_stop(lab *self, int64_t id, lab_study *study, scr_error *error);
/** Goes on, and so do its paused jobs. LAB_CONFLICT unless it is stopped or runs. */
lab_status lab_study_resume(lab *self, int64_t id, lab_study *study, scr_error *error);
/** Rows that failed, were cancelled or refused are run again. @param count receives how many */
lab_status lab_study_retry(lab *self, int64_t id, size_t *count, lab_study *study, scr_error *error);
/** Cancels what still runs, and takes the study away, with its jobs when `runs`; goes on in the background. LAB_CONFLICT while it runs. */
lab_status lab_study_delete(lab *self, int64_t id, bool runs, lab_study *study, scr_error *error);

#endif
