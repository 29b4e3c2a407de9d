/** Results of a run: a study's expressions, evaluated from the recording. Reads the curves that are named and nothing else of them. */
#ifndef SCREE_SERVER_STUDY_RESULTS_H
#define SCREE_SERVER_STUDY_RESULTS_H

#include <jansson.h>

#include "server/job.h"
#include "server/study/expression/expression.h"

enum { STUDY_RESULT_LIMIT = 32, STUDY_RESULT_BYTES = 256 << 20 /**< most memory that curves may take while they are evaluated */ };

/** One result of a study. */
typedef struct study_result {
  char name[EXPRESSION_NAME_BYTES];
  char unit[16];          /**< for people; "" where none is given */
  char *text;             /**< as it was given; owned */
  expression *expression; /**< owned */
} study_result;

/** What is evaluated, and with what. All is borrowed. */
typedef struct results_request {
  const study_result *results; /**< [result_count] */
  size_t result_count;
  const json_t *factors; /**< values of the row's factors by name */
  const lab_job *job;    /**< as it ended */
  const char *recording; /**< path */
  const char *build;     /**< the recording must be of this build (core/run/build_id.h); NULL: of any */
} results_request;

/** What came of it. */
typedef struct results_answer {
  char *text;      /**< {"values": {NAME: number, text or null}, "reasons": {NAME: why it is null}}, to be freed */
  bool same_build; /**< false, and no text: the recording is of another build */
} results_answer;

/** Whether every run has a value of this name, curve or not: pi, doubts, steps, end_time, run_seconds, samples, stop_reason, state. */
bool results_is_own_name(const char *name);

/** @return SCR_OK, also where single results can't be computed; SCR_BAD_FILE, SCR_IO: the recording can't be read; SCR_NO_MEMORY */
scr_status results_evaluate(const results_request *request, results_answer *answer, scr_error *error);

/** Two expressions as curves. Owned by whoever asked: results_pair_clear. */
typedef struct results_pair {
  double *x, *y; /**< [count] */
  size_t count;
  char x_unit[EXPRESSION_UNIT_BYTES], y_unit[EXPRESSION_UNIT_BYTES]; /**< "": not known */
} results_pair;

void results_pair_clear(results_pair *pair);

/** Two expressions as curves over the samples of a run, evenly thinned to at most `limit` samples.
 *  @param request with two results: x and y    @param out receives them on SCR_OK
 *  @return SCR_OK, SCR_BAD_USAGE (an expression can't be evaluated), else as results_evaluate */
scr_status results_curve(const results_request *request, size_t limit, results_pair *out, scr_error *error);

/** The units of one result, as results_pair has them, of a run. @param unit receives it, "": not known */
scr_status results_unit(const results_request *request, char unit[static EXPRESSION_UNIT_BYTES], scr_error *error);

#endif
