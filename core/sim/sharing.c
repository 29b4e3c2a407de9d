#include "sim/sharing.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

static const double message_rounds = 12, round_seconds = 3e-6; /* of a step of peridem (host/ranks); of one, for each doubling */
static const double enough = 0.6;                              /* of what ranks could give */

sharing_model sharing_usual(void)
{
  return (sharing_model){.unevenness = 1, .message_seconds = message_rounds * round_seconds};
}

static double doublings(unsigned ranks)
{
  return ceil(log2(ranks));
}

static double step_on(const sharing_model *model, double one, unsigned ranks)
{
  return ranks < 2 ? one : model->unevenness * one / ranks + model->message_seconds * doublings(ranks);
}

double sharing_gain(const sharing_model *model, double step_seconds, unsigned ranks)
{
  return step_seconds / step_on(model, step_seconds, ranks);
}

/* Of points a_i = t(1) / (P t(P)), b_i = ceil(log2 P) / t(P): the least sum of (w a_i + m b_i - 1)^2. */
bool sharing_fit(const sharing_point *points, size_t count, sharing_model *model, double *largest_error)
{
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  *largest_error = 0;
  for (size_t i = 0; i < count; i++) {
    double a = points[i].one / (points[i].ranks * points[i].several), b = doublings(points[i].ranks) / points[i].several;
    aa += a * a, ab += a * b, bb += b * b, a1 += a, b1 += b;
  }
  double determinant = aa * bb - ab * ab;
  if (count < 2 || !(determinant > 1e-6 * aa * bb)) return false;
  *model = (sharing_model){.unevenness = (a1 * bb - b1 * ab) / determinant, .message_seconds = (b1 * aa - a1 * ab) / determinant};
  if (model->message_seconds < 0) *model = (sharing_model){.unevenness = a1 / aa};
  for (size_t i = 0; i < count; i++)
    *largest_error = fmax(*largest_error, fabs(step_on(model, points[i].one, points[i].ranks) / points[i].several - 1));
  return model->unevenness > 0;
}

double sharing_step(const scr_estimate *estimate)
{
  return estimate->step_count > 0 ? estimate->run_seconds / (double)estimate->step_count : (double)NAN;
}

void sharing_warn(const sharing_model *model, const char *source, const scr_estimate *estimate, unsigned ranks, scr_problems *warnings)
{
  double step = sharing_step(estimate), gain = sharing_gain(model, step, ranks);
  char given[24];
  if (ranks < 2 || !(step > 0) || !(gain < enough * ranks)) return;
  snprintf(given, sizeof given, "%u", ranks);
  (void)scr_problems_add(
      warnings, "/run/ranks", given, "fewer ranks",
      "run.ranks is %u, but a step of about %.2g ms on one is %.2g times as quick on them, %s: take fewer, or threads alone", ranks,
      1e3 * step, gain, source);
}
