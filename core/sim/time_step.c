/* The choice of a time step. */
#include "sim/time_step.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bool sim_choose_step(const scr_scene *scene, const sim_bound *bounds, size_t count, double safety, scr_estimate *estimate)
{
  const char *rule = "duration";
  double least = INFINITY, step = scene->time.duration / 1000;
  bool given = !isnan(scene->time.time_step);
  for (size_t k = 0; k < count; k++)
    if (bounds[k].step < least) least = bounds[k].step, rule = bounds[k].name;
  if (isfinite(least)) step = safety * least;
  double interval = fmin(scene->output.sample_automatic ? INFINITY : scene->output.sample_interval,
                         scene->output.frame_automatic ? INFINITY : scene->output.frame_interval);
  if (interval < step) step = interval, rule = "output";
  estimate->time_step = given ? scene->time.time_step : step;
  snprintf(estimate->time_step_rule, sizeof estimate->time_step_rule, "%s", given ? "given" : rule);
  return given;
}

scr_status sim_not_finite(scr_error *error, uint64_t step, double time_step, const char *format, ...)
{
  char what[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "step %llu: %s is not finite after a step of %.3g s: use a smaller time step or slower loading", (unsigned long long)step,
                  what, time_step);
}
