/* The functions of expressions: a table, and what each makes of the samples. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/study/expression/expression_internal.h"

scr_status expression_fail(scr_error *error, unsigned at, const char *format, ...)
{
  char message[480];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return scr_fail(error, SCR_BAD_USAGE, NULL, "character %u: %s", at, message);
}

static size_t samples(const call *c)
{
  return c->source->sample_count;
}

/* The values of an argument; of a number itself, as if the curve were constant. */
static double value_of(const operand *o, size_t sample)
{
  return o->is_series ? o->series[sample] : o->number;
}

static scr_status need_samples(const call *c)
{
  return samples(c) > 0 ? SCR_OK : expression_fail(c->error, c->node->at, "the run recorded no samples of its curves");
}

static scr_status need_series(const call *c, size_t argument)
{
  if (c->arguments[argument].is_series) return need_samples(c);
  return expression_fail(c->error, c->node->at, "argument %zu must be a curve, and is a number", argument + 1);
}

/* ── of one curve ── */

static scr_status largest(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  *result = -DBL_MAX;
  for (size_t i = 0; i < samples(c); i++) *result = fmax(*result, c->arguments[0].series[i]);
  return SCR_OK;
}

static scr_status smallest(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  *result = DBL_MAX;
  for (size_t i = 0; i < samples(c); i++) *result = fmin(*result, c->arguments[0].series[i]);
  return SCR_OK;
}

/* The sample at which a curve is farthest from zero; the first of several. */
static size_t peak_sample(const operand *y, size_t count)
{
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    if (fabs(y->series[i]) > fabs(y->series[best])) best = i;
  return best;
}

static scr_status peak(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  *result = c->arguments[0].series[peak_sample(&c->arguments[0], samples(c))];
  return SCR_OK;
}

static bool counts(const call *c, size_t sample)
{
  return c->node->argument_count < 2 || value_of(&c->arguments[1], sample) != 0;
}

static scr_status sum_where(const call *c, double *sum, size_t *count)
{
  SCR_TRY(need_series(c, 0));
  *sum = 0, *count = 0;
  for (size_t i = 0; i < samples(c); i++)
    if (counts(c, i)) *sum += c->arguments[0].series[i], (*count)++;
  return *count > 0 ? SCR_OK : expression_fail(c->error, c->node->at, "its condition never holds in this run");
}

static scr_status mean(const call *c, double *result)
{
  double sum;
  size_t count;
  SCR_TRY(sum_where(c, &sum, &count));
  *result = sum / (double)count;
  return SCR_OK;
}

static scr_status deviation(const call *c, double *result)
{
  double average, sum = 0;
  size_t count;
  SCR_TRY(sum_where(c, &average, &count));
  if (count < 2) return expression_fail(c->error, c->node->at, "a standard deviation needs two samples at least");
  average /= (double)count;
  for (size_t i = 0; i < samples(c); i++)
    if (counts(c, i)) sum += (c->arguments[0].series[i] - average) * (c->arguments[0].series[i] - average);
  *result = sqrt(sum / (double)(count - 1));
  return SCR_OK;
}

static scr_status initial(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  *result = c->arguments[0].series[0];
  return SCR_OK;
}

static scr_status final(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  *result = c->arguments[0].series[samples(c) - 1];
  return SCR_OK;
}

static scr_status count_samples(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  *result = 0;
  for (size_t i = 0; i < samples(c); i++) *result += c->arguments[0].series[i] != 0;
  return SCR_OK;
}

/* ── where something holds ── */

static scr_status first_sample(const call *c, size_t argument, size_t *sample)
{
  SCR_TRY(need_series(c, argument));
  for (*sample = 0; *sample < samples(c); (*sample)++)
    if (c->arguments[argument].series[*sample] != 0) return SCR_OK;
  return expression_fail(c->error, c->node->at, "its condition never holds in this run");
}

static scr_status first(const call *c, double *result)
{
  size_t sample;
  SCR_TRY(first_sample(c, 0, &sample));
  *result = c->source->time[sample];
  return SCR_OK;
}

/* `y` where the curve `x` first reaches `value`, linear between two samples. */
static scr_status at_value(const call *c, const double *x, double value, double *result)
{
  const double *y = c->arguments[0].series;
  for (size_t i = 0; i < samples(c); i++) {
    if (x[i] == value) {
      *result = y[i];
      return SCR_OK;
    }
    if (i == 0 || (x[i - 1] < value) == (x[i] < value)) continue;
    double share = (value - x[i - 1]) / (x[i] - x[i - 1]);
    *result = y[i - 1] + share * (y[i] - y[i - 1]);
    return SCR_OK;
  }
  return expression_fail(c->error, c->node->at, "the curve never reaches %.6g in this run", value);
}

/* at(y, condition), at(y, time), at(y, x, value). */
static scr_status at(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  if (c->node->argument_count == 3) {
    SCR_TRY(need_series(c, 1));
    if (c->arguments[2].is_series)
      return expression_fail(c->error, c->node->at, "the value to be reached must be a number, and is a curve");
    return at_value(c, c->arguments[1].series, c->arguments[2].number, result);
  }
  if (!c->arguments[1].is_series) return at_value(c, c->source->time, c->arguments[1].number, result);
  size_t sample;
  SCR_TRY(first_sample(c, 1, &sample));
  *result = c->arguments[0].series[sample];
  return SCR_OK;
}

/* ── of two curves ── */

/* Whether a sample lies in the range of a slope: y between parts of its peak, on the side before it; or x between two values. */
static bool in_range(const call *c, size_t sample, size_t top)
{
  const expression_node *node = c->node;
  if (!node->has_range) return true;
  double value = value_of(&c->arguments[1], sample);
  if (node->of_peak) {
    double most = c->arguments[0].series[top];
    if (sample > top || most == 0) return false;
    value = c->arguments[0].series[sample] / most;
  }
  return value >= node->range_from && value <= node->range_to;
}

/* Least squares: sum (x - mean x)(y - mean y) / sum (x - mean x)^2. */
static scr_status slope(const call *c, double *result)
{
  SCR_TRY(need_series(c, 0));
  SCR_TRY(need_series(c, 1));
  const double *y = c->arguments[0].series, *x = c->arguments[1].series;
  size_t top = peak_sample(&c->arguments[0], samples(c)), count = 0;
  double x_mean = 0, y_mean = 0, product = 0, square = 0;
  for (size_t i = 0; i < samples(c); i++)
    if (in_range(c, i, top)) x_mean += x[i], y_mean += y[i], count++;
  if (count < 2)
    return expression_fail(c->error, c->node->at, "%zu sample%s lie in its range; a slope needs two", count, count == 1 ? "" : "s");
  x_mean /= (double)count, y_mean /= (double)count;
  for (size_t i = 0; i < samples(c); i++)
    if (in_range(c, i, top)) product += (x[i] - x_mean) * (y[i] - y_mean), square += (x[i] - x_mean) * (x[i] - x_mean);
  if (!(square > 0)) return expression_fail(c->error, c->node->at, "x is the same at all samples of its range");
  *result = product / square;
  return SCR_OK;
}

/* Trapezoids; over time where no x is given. */
static scr_status integral(const call *c, double *result)
{
  bool over_time = c->node->argument_count == 1;
  SCR_TRY(need_series(c, 0));
  if (!over_time) SCR_TRY(need_series(c, 1));
  const double *y = c->arguments[0].series, *x = over_time ? c->source->time : c->arguments[1].series;
  *result = 0;
  for (size_t i = 1; i < samples(c); i++) *result += 0.5 * (y[i] + y[i - 1]) * (x[i] - x[i - 1]);
  return SCR_OK;
}

/* headline(NAME), rows(TABLE): the name's number itself. */
static scr_status named(const call *c, double *result)
{
  *result = c->arguments[0].number;
  return SCR_OK;
}

static const expression_function functions[] = {
    {.name = "max", .least = 1, .most = ARGUMENT_LIMIT, .reduce = largest},
    {.name = "min", .least = 1, .most = ARGUMENT_LIMIT, .reduce = smallest},
    {.name = "peak", .least = 1, .most = 1, .reduce = peak},
    {.name = "mean", .least = 1, .most = 2, .reduce = mean},
    {.name = "deviation", .least = 1, .most = 2, .reduce = deviation},
    {.name = "initial", .least = 1, .most = 1, .reduce = initial},
    {.name = "final", .least = 1, .most = 1, .reduce = final},
    {.name = "last", .least = 1, .most = 1, .reduce = final},
    {.name = "count", .least = 1, .most = 1, .reduce = count_samples},
    {.name = "first", .least = 1, .most = 1, .reduce = first},
    {.name = "at", .least = 2, .most = 3, .reduce = at},
    {.name = "slope", .least = 2, .most = 2, .takes_range = true, .reduce = slope},
    {.name = "integral", .least = 1, .most = 2, .reduce = integral},
    {.name = "headline", .least = 1, .most = 1, .takes_name = true, .name_kind = EXPRESSION_HEADLINE, .reduce = named},
    {.name = "rows", .least = 1, .most = 1, .takes_name = true, .name_kind = EXPRESSION_TABLE, .reduce = named},
    {.name = "abs", .least = 1, .most = 1, .apply = fabs},
    {.name = "sqrt", .least = 1, .most = 1, .apply = sqrt},
    {.name = "log", .least = 1, .most = 1, .apply = log},
    {.name = "log10", .least = 1, .most = 1, .apply = log10},
    {.name = "exp", .least = 1, .most = 1, .apply = exp},
    {.name = "sin", .least = 1, .most = 1, .apply = sin},
    {.name = "cos", .least = 1, .most = 1, .apply = cos},
    {.name = "tan", .least = 1, .most = 1, .apply = tan},
    {.name = "atan", .least = 1, .most = 1, .apply = atan},
};

const expression_function *expression_functions(size_t *count)
{
  *count = sizeof functions / sizeof *functions;
  return functions;
}

int expression_function_find(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0) return (int)i;
  return -1;
}
