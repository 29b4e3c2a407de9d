/** How far a step's solution has come: checks of the options, what the observer is told, the message of a failure. Shared by every
 *  solver of a step; private to this folder. */
#ifndef SCREE_METHODS_BDEM_STEP_PROGRESS_H
#define SCREE_METHODS_BDEM_STEP_PROGRESS_H

#include "methods/bdem/implicit/implicit.h"
#include "methods/bdem/implicit/step_problem.h"

typedef struct bdem_progress {
  const bdem_implicit_options *options;
  bdem_implicit_report *report;
  double begun;     /**< processor time, s */
  double tolerance; /**< of the residual: the options', or what rounding leaves where that is more */
} bdem_progress;

/** Empties the report and starts the clock. SCR_BAD_USAGE for options out of range. */
scr_status bdem_progress_begin(const bdem_implicit_options *options, bdem_implicit_report *report, bdem_progress *progress,
                               scr_error *error);

/** Raises the tolerance to what rounding leaves of a residual in this problem, at most to 1e-6; after bdem_step_begin. */
void bdem_progress_allow_rounding(bdem_progress *progress, const bdem_step_problem *problem);

/** Takes the residual over into the report and tells the observer. */
void bdem_progress_note(const bdem_progress *progress, double residual);

/** True while the residual is above the tolerance, and before the first iteration. */
bool bdem_progress_unfinished(const bdem_progress *progress);

/** SCR_OK, or SCR_DIVERGED for numbers that are not finite and for the iteration limit; the body is then as it was. */
scr_status bdem_progress_check(const bdem_progress *progress, const bdem_step_problem *problem, double objective, scr_error *error);

/** The same where the line search has seen to it that no bond is turned too far. */
scr_status bdem_progress_check_numbers(const bdem_progress *progress, const bdem_step_problem *problem, double objective, scr_error *error);

/** Puts the body back to where the step began and returns SCR_DIVERGED. @param what "did not converge" */
scr_status bdem_progress_failed(const bdem_progress *progress, const bdem_step_problem *problem, const char *what, scr_error *error);

/** The linear solve's relative tolerance: loose far from the solution, and no tighter than the step's own tolerance asks for. @param
 *  norm,first |g| now and at the start */
double bdem_progress_linear_tolerance(const bdem_progress *progress, double norm, double first);

#endif
