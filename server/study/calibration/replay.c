/* NLopt's algorithms run anew from their start for each point: they take microseconds a point, runs take seconds. */
#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "server/study/calibration/search.h"

typedef struct answers {
  replay *of;
  const double (*assumed)[OPTIMISER_UNKNOWNS];
  size_t assumed_count;
  double answer;
  size_t place; /* in the known points, behind the last one found */
  nlopt_opt algorithm;
} answers;

static bool is_same(const double *a, const double *b, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (fabs(a[i] - b[i]) > SEARCH_SAME) return false;
  return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): NLopt's type of a function */
static double answer(unsigned count, const double *z, double *gradient, void *data)
{
  (void)gradient;
  answers *with = data;
  replay *of = with->of;
  if (of->wants) return with->answer; /* some algorithms go on a little after they were stopped */
  size_t at = search_find(of->known, z, with->place);
  if (at < of->known->count && of->known->points[at].known) {
    with->place = at + 1;
    of->answered++;
    double value = of->known->points[at].value;
    if (value < of->best_value) {
      of->best_value = value;
      memcpy(of->best, z, count * sizeof *z);
    }
    return value;
  }
  for (size_t i = 0; i < with->assumed_count; i++)
    if (is_same(z, with->assumed[i], count)) return with->answer;
  of->wants = true;
  memcpy(of->wanted, z, count * sizeof *z);
  nlopt_force_stop(with->algorithm);
  return with->answer;
}

static nlopt_algorithm algorithm_of(const replay *of)
{
  if (of->direct) return NLOPT_GN_DIRECT_L;
  switch (of->known->options.method) {
  case OPTIMISER_BOBYQA: return of->known->unknown_count > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_COBYLA;
  case OPTIMISER_CRS2: return NLOPT_GN_CRS2_LM;
  default: return NLOPT_LN_COBYLA;
  }
}

scr_status replay_run(replay *of, const double (*assumed)[OPTIMISER_UNKNOWNS], size_t count, double value, scr_error *error)
{
  const search_state *known = of->known;
  const optimiser_options *options = &known->options;
  size_t n = known->unknown_count;
  double z[OPTIMISER_UNKNOWNS], least;
  nlopt_opt algorithm = nlopt_create(algorithm_of(of), (unsigned)n);
  if (!algorithm) return scr_fail_memory(error, "an optimiser", 1);
  answers with = {.of = of, .assumed = assumed, .assumed_count = count, .answer = value, .algorithm = algorithm};
  /* the first step: half the distance of neighbouring points of the start */
  double step = fmin(0.25, fmax(0.02, 0.5 * pow((double)options->start_points, -1 / (double)n)));
  of->wants = false;
  of->answered = 0;
  of->best_value = INFINITY;
  for (size_t i = 0; i < n; i++) z[i] = of->direct ? 0.5 : of->origin[i];
  nlopt_set_min_objective(algorithm, answer, &with);
  nlopt_set_lower_bounds1(algorithm, 0);
  nlopt_set_upper_bounds1(algorithm, 1);
  nlopt_set_initial_step1(algorithm, step);
  nlopt_set_maxeval(algorithm, (int)(of->direct ? options->start_points : options->point_limit));
  if (!of->direct) nlopt_set_xtol_abs1(algorithm, options->tolerance);
  nlopt_srand((unsigned long)options->seed);
  nlopt_result result = nlopt_optimize(algorithm, z, &least);
  nlopt_destroy(algorithm);
  if (result == NLOPT_OUT_OF_MEMORY) return scr_fail_memory(error, "an optimiser", 1);
  return SCR_OK; /* what it ends with otherwise, rounding included, is an end */
}
