#include "server/study/calibration/target.h"

#include <math.h>
#include <stdio.h>

size_t target_residual_count(const target *targets, size_t count)
{
  size_t sum = 0;
  if (count > TARGETS) return 0;
  for (size_t t = 0; t < count; t++) {
    size_t of = targets[t].is_curve ? distance_residual_count(&targets[t].options) : 1;
    if (of > 2 * (size_t)DISTANCE_POINTS) return 0;
    sum += of;
  }
  return sum;
}

static scr_status check(const target *of, size_t number, scr_error *error)
{
  if (!(of->weight >= 0) || !isfinite(of->weight))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "target %zu has a weight of %g; it must be above 0", number, of->weight);
  if (!of->is_curve && (!(of->scatter > 0) || !isfinite(of->scatter) || !isfinite(of->number)))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "target %zu is the number %g with a scatter of %g; both must be finite, and the scatter above 0", number, of->number,
                    of->scatter);
  return SCR_OK;
}

scr_status target_residuals(const target *targets, const target_result *results, size_t count, double *residuals, double *value,
                            scr_error *error)
{
  if (count < 1 || count > TARGETS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu targets are given; a calibration has 1 to %d", count, TARGETS);
  *value = 0;
  for (size_t t = 0; t < count; t++) {
    const target *of = &targets[t];
    SCR_TRY(check(of, t + 1, error));
    size_t own = 1;
    if (of->is_curve) {
      scr_error why = {0};
      own = distance_residual_count(&of->options);
      scr_status status = distance_residuals(&of->curve, &results[t].curve, &of->options, residuals, NULL, NULL, &why);
      if (status != SCR_OK) return scr_fail(error, status, NULL, "target %zu: %s", t + 1, why.message);
    } else {
      residuals[0] = (results[t].number - of->number) / of->scatter;
    }
    double root = of->weight == 0 ? 1 : sqrt(of->weight);
    for (size_t k = 0; k < own; k++) {
      residuals[k] *= root;
      *value += residuals[k] * residuals[k];
    }
    residuals += own;
  }
  return SCR_OK;
}

void target_blocks(const target *targets, size_t count, estimate_block *blocks)
{
  for (size_t t = 0; t < count; t++) {
    blocks[t] = (estimate_block){.count = 1, .variance = targets[t].weight == 0 ? 1 : targets[t].weight};
    if (targets[t].is_curve) blocks[t] = (estimate_block){.count = distance_residual_count(&targets[t].options)};
  }
}
