/** Bookkeeping of a step's solution. */
#include "methods/bdem/implicit/step_progress.h"

#include <time.h>

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

scr_status bdem_progress_begin(const bdem_implicit_options *options, bdem_implicit_report *report, bdem_progress *progress,
                               scr_error *error)
{
  *report = (bdem_implicit_report){0};
  *progress = (bdem_progress){.options = options, .report = report, .begun = processor_time(), .tolerance = options->tolerance};
  if (!(options->time_step > 0.0) || !(options->force_scale > 0.0) || !(options->tolerance > 0.0) || options->iteration_limit < 1)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "time step %.3g s, force scale %.3g N and tolerance %.3g must be > 0, and the iteration limit %zu at least 1",
                    options->time_step, options->force_scale, options->tolerance, options->iteration_limit);
  if (!(options->linear_tolerance >= 0.0 && options->linear_tolerance < 1.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the linear solver's tolerance %.3g must be at least 0 (0 = 0.1) and below 1",
                    options->linear_tolerance);
  return SCR_OK;
}

/* Of the force scale. Where rounding leaves more, steps are so short that they would lose forces: they fail as before. */
static const double most_rounding = 1e-6;

void bdem_progress_allow_rounding(bdem_progress *progress, const bdem_step_problem *problem)
{
  progress->tolerance = fmax(progress->options->tolerance, fmin(problem->rounding, most_rounding));
}

void bdem_progress_note(const bdem_progress *progress, double residual)
{
  bdem_implicit_report *report = progress->report;
  report->residual = residual;
  report->seconds = processor_time() - progress->begun;
  bdem_iteration iteration = {.iteration = report->newton_iterations, .residual = residual, .seconds = report->seconds};
  scr_report_alive(progress->options->liveness);
  if (progress->options->observe) progress->options->observe(progress->options->context, &iteration);
}

bool bdem_progress_unfinished(const bdem_progress *progress)
{
  /* negated, so that a residual that is not a number goes on to be reported by the check */
  return progress->report->newton_iterations == 0 || !(progress->report->residual <= progress->tolerance);
}

scr_status bdem_progress_check(const bdem_progress *progress, const bdem_step_problem *problem, double objective, scr_error *error)
{
  if (!bdem_step_admissible(problem))
    return bdem_progress_failed(progress, problem, "met a bond whose ends are turned by almost 180 degrees", error);
  return bdem_progress_check_numbers(progress, problem, objective, error);
}

scr_status bdem_progress_check_numbers(const bdem_progress *progress, const bdem_step_problem *problem, double objective, scr_error *error)
{
  if (!isfinite(progress->report->residual) || !isfinite(objective))
    return bdem_progress_failed(progress, problem, "lost its state to non-finite numbers", error);
  if (progress->report->newton_iterations >= progress->options->iteration_limit)
    return bdem_progress_failed(progress, problem, "did not converge", error);
  return SCR_OK;
}

scr_status bdem_progress_failed(const bdem_progress *progress, const bdem_step_problem *problem, const char *what, scr_error *error)
{
  bdem_step_restore(problem);
  progress->report->seconds = processor_time() - progress->begun;
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "the implicit step of %.3g s %s after %zu iterations; the residual is %.3g of the force scale and must reach %.3g: "
                  "use a smaller time step or a coarser tolerance",
                  progress->options->time_step, what, progress->report->newton_iterations, progress->report->residual, progress->tolerance);
}

double bdem_progress_linear_tolerance(const bdem_progress *progress, double norm, double first)
{
  double loosest = progress->options->linear_tolerance > 0.0 ? progress->options->linear_tolerance : 0.1;
  double enough = 0.25 * progress->tolerance / progress->report->residual;
  return fmin(loosest, fmax(sqrt(norm / first), enough));
}
