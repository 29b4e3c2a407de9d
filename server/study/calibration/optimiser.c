#include "server/study/calibration/optimiser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "server/study/calibration/search.h"
#include "server/study/design/sobol.h"

struct optimiser {
  optimiser_unknown unknowns[OPTIMISER_UNKNOWNS];
  search_state known;
  optimiser_model *model; /* NULL: none */
  void *model_data;       /* borrowed */
  bool ended;
  char why[160];
};

const char *optimiser_start_name(optimiser_start start)
{
  static const char *const names[] = {"sobol", "direct"};
  return (size_t)start < sizeof names / sizeof *names ? names[start] : NULL;
}

const char *optimiser_method_name(optimiser_method method)
{
  static const char *const names[] = {"bobyqa", "cobyla", "crs2", "gaussian", "none"};
  return (size_t)method < sizeof names / sizeof *names ? names[method] : NULL;
}

/* ── creation ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_unknowns(const optimiser_unknown *unknowns, size_t count, scr_error *error)
{
  if (count < 1 || count > OPTIMISER_UNKNOWNS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu unknowns: a search has 1 to %d", count, OPTIMISER_UNKNOWNS);
  for (size_t i = 0; i < count; i++) {
    const optimiser_unknown *of = &unknowns[i];
    if (!(of->low < of->high) || !isfinite(of->high - of->low))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the unknown %s goes from %g to %g; both ends must be finite, the first below the second",
                      of->name, of->low, of->high);
    if (of->logarithmic && !(of->low > 0))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the unknown %s is logarithmic and begins at %g; it must begin above 0", of->name,
                      of->low);
  }
  return SCR_OK;
}

static scr_status check_options(const optimiser_options *options, scr_error *error)
{
  size_t most = options->method == OPTIMISER_GAUSSIAN ? OPTIMISER_GAUSSIAN_POINTS : OPTIMISER_POINTS;
  if (!optimiser_start_name(options->start) || !optimiser_method_name(options->method))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no start %d or method %d of searches", (int)options->start, (int)options->method);
  if (options->point_limit > most || options->start_points > options->point_limit)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu points, %zu of them to start: at most %zu, and the start within them",
                    options->point_limit, options->start_points, most);
  if (!(options->tolerance > 0 && options->tolerance < 1))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the tolerance is %g; it must be above 0 and below 1", options->tolerance);
  return SCR_OK;
}

scr_status optimiser_create(const optimiser_unknown *unknowns, size_t count, const optimiser_options *options, optimiser **made,
                            scr_error *error)
{
  *made = NULL;
  SCR_TRY(check_unknowns(unknowns, count, error));
  optimiser_options complete = *options;
  if (!complete.start_points) complete.start_points = 4 * count + 4;
  if (complete.tolerance == 0) complete.tolerance = 1e-3;
  SCR_TRY(check_options(&complete, error));
  optimiser *search = calloc(1, sizeof *search);
  if (!search) return scr_fail_memory(error, "a search", sizeof *search);
  memcpy(search->unknowns, unknowns, count * sizeof *unknowns);
  search->known.unknown_count = count;
  search->known.options = complete;
  *made = search;
  return SCR_OK;
}

void optimiser_set_model(optimiser *search, optimiser_model *model, void *data)
{
  search->model = model;
  search->model_data = data;
}

void optimiser_destroy(optimiser *search)
{
  if (search) mem_free(search->known.points);
  free(search);
}

/* ── points ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static double from_unit(const optimiser_unknown *of, double z)
{
  double x = of->logarithmic ? of->low * pow(of->high / of->low, z) : of->low + z * (of->high - of->low);
  return fmax(of->low, fmin(of->high, x));
}

static scr_status to_unit(const optimiser *search, const double *point, double *z, scr_error *error)
{
  for (size_t i = 0; i < search->known.unknown_count; i++) {
    const optimiser_unknown *of = &search->unknowns[i];
    if (!(point[i] >= of->low && point[i] <= of->high))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "a point has %s = %g; it must be %g to %g", of->name, point[i], of->low, of->high);
    z[i] = of->logarithmic ? log(point[i] / of->low) / log(of->high / of->low) : (point[i] - of->low) / (of->high - of->low);
  }
  return SCR_OK;
}

static scr_status add_point(optimiser *search, const double *z, search_point **added, scr_error *error)
{
  search_point *point;
  size_t at = search_find(&search->known, z, search->known.count);
  if (at == search->known.count) {
    SCR_TRY(mem_reserve(&search->known.points, &search->known.capacity, at + 1, sizeof *point, "points of a search", error));
    memcpy(search->known.points[at].z, z, search->known.unknown_count * sizeof *z);
    search->known.count++;
  }
  *added = &search->known.points[at];
  return SCR_OK;
}

scr_status optimiser_tell(optimiser *search, const double *point, double value, double noise, scr_error *error)
{
  double z[OPTIMISER_UNKNOWNS], low, high;
  search_point *added;
  SCR_TRY(to_unit(search, point, z, error));
  if (!(noise >= 0) || !isfinite(noise)) return scr_fail(error, SCR_BAD_USAGE, NULL, "the noise is %g; it must be 0 or more", noise);
  bool any = search_range(&search->known, &low, &high);
  SCR_TRY(add_point(search, z, &added, error));
  added->known = true;
  added->failed = !isfinite(value);
  added->value = !added->failed ? value : any ? high : 1;
  added->noise = noise;
  return SCR_OK;
}

scr_status optimiser_expect(optimiser *search, const double *point, scr_error *error)
{
  double z[OPTIMISER_UNKNOWNS];
  search_point *added;
  SCR_TRY(to_unit(search, point, z, error));
  return add_point(search, z, &added, error);
}

void optimiser_forget(optimiser *search, const double *point)
{
  double z[OPTIMISER_UNKNOWNS];
  if (to_unit(search, point, z, NULL) != SCR_OK) return;
  size_t at = search_find(&search->known, z, 0);
  if (at == search->known.count || search->known.points[at].known) return;
  search->known.count--;
  memmove(&search->known.points[at], &search->known.points[at + 1], (search->known.count - at) * sizeof *search->known.points);
  memset(&search->known.points[search->known.count], 0, sizeof *search->known.points);
}

/* ── asking ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Points to hand out. */
typedef struct proposal {
  size_t slots, count;
  double (*z)[OPTIMISER_UNKNOWNS]; /* [slots] */
} proposal;

static bool is_out(const search_state *known)
{
  for (size_t k = 0; k < known->count; k++)
    if (!known->points[k].known) return true;
  return false;
}

static void end(optimiser *search, const char *why)
{
  search->ended = true;
  snprintf(search->why, sizeof search->why, "%s", why);
}

static void sobol_point(size_t index, size_t count, double *z)
{
  for (size_t i = 0; i < count; i++) z[i] = (double)sobol_fraction((uint32_t)index + 1, (unsigned)i) * 0x1p-32;
}

/* Sobol's points that are not known; false while some of them are out. @param best receives the best of them */
static bool sobol_start(const search_state *known, proposal *wanted, double *best)
{
  bool all = true;
  double least = INFINITY, z[OPTIMISER_UNKNOWNS];
  for (size_t k = 0; k < known->options.start_points; k++) {
    sobol_point(k, known->unknown_count, z);
    size_t at = search_find(known, z, k);
    if (at == known->count) {
      if (wanted->count < wanted->slots) memcpy(wanted->z[wanted->count++], z, sizeof z);
      all = false;
    } else if (!known->points[at].known) {
      all = false;
    } else if (known->points[at].value < least) {
      least = known->points[at].value;
      memcpy(best, z, sizeof z);
    }
  }
  return all;
}

/* Runs an algorithm until it wants what is not known, and further with that answered by the least and by a high value: what it wants either
 * way is wanted for certain. True: it has ended, with the best in run->best. */
static scr_status replay_propose(replay *run, proposal *wanted, bool *finished, scr_error *error)
{
  const search_state *known = run->known;
  double low, high, (*assumed)[OPTIMISER_UNKNOWNS];
  size_t count = 0, most = known->count + wanted->slots;
  if (!search_range(known, &low, &high)) low = high = 0;
  SCR_TRY(replay_run(run, NULL, 0, 0, error));
  *finished = !run->wants;
  if (*finished) return SCR_OK;
  SCR_TRY(mem_allocate(&assumed, most, sizeof *assumed, "assumed points", error));
  scr_status status = SCR_OK;
  double spread = high - low + 1, next[OPTIMISER_UNKNOWNS];
  memcpy(next, run->wanted, sizeof next);
  while (count < most) {
    memcpy(assumed[count++], next, sizeof next);
    if (search_find(known, next, 0) == known->count) memcpy(wanted->z[wanted->count++], next, sizeof next);
    if (wanted->count == wanted->slots) break;
    replay after_low = *run, after_high = *run;
    status = replay_run(&after_low, (const double(*)[OPTIMISER_UNKNOWNS])assumed, count, low - spread, error);
    if (status == SCR_OK) status = replay_run(&after_high, (const double(*)[OPTIMISER_UNKNOWNS])assumed, count, high + spread, error);
    bool same = status == SCR_OK && after_low.wants && after_high.wants;
    for (size_t i = 0; same && i < known->unknown_count; i++) same = fabs(after_low.wanted[i] - after_high.wanted[i]) <= SEARCH_SAME;
    if (!same) break;
    memcpy(next, after_low.wanted, sizeof next);
  }
  mem_free(assumed);
  return status;
}

/* Points that the star keeps of the limit. */
static size_t star_reserve(const search_state *known)
{
  const optimiser_options *options = &known->options;
  size_t wanted = 4 * known->unknown_count, third = (options->point_limit - options->start_points) / 3;
  return options->method == OPTIMISER_NONE ? 0 : wanted < third ? wanted : third;
}

static size_t best_point(const search_state *known)
{
  size_t best = known->count;
  for (size_t k = 0; k < known->count; k++)
    if (known->points[k].known && !known->points[k].failed && (best == known->count || known->points[k].value < known->points[best].value))
      best = k;
  return best;
}

/* One of the two points of an unknown at a step from the best; true when its value is known and no more than twice the best. */
static bool star_point(const search_state *known, size_t best, size_t unknown, double step, proposal *wanted, bool *all)
{
  double z[OPTIMISER_UNKNOWNS];
  memcpy(z, known->points[best].z, sizeof z);
  z[unknown] = fmax(0, fmin(1, z[unknown] + step));
  size_t at = search_find(known, z, best);
  if (at == best) return true; /* the best lies at the end of its range */
  bool known_value = at < known->count && known->points[at].known;
  *all &= known_value;
  if (at == known->count && wanted->count < wanted->slots) memcpy(wanted->z[wanted->count++], z, sizeof z);
  return known_value && known->points[at].value <= 2 * known->points[best].value;
}

/* Points beside the best along each unknown, farther out where the value does not rise to twice the best: slopes of all unknowns for the
 * estimate. */
static void propose_star(optimiser *search, proposal *wanted, const char *why)
{
  static const double steps[] = {0.02, 0.08, 0.3};
  const search_state *known = &search->known;
  size_t best = best_point(known);
  bool all = true;
  for (size_t u = 0; best < known->count && u < known->unknown_count; u++) {
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
      bool low = star_point(known, best, u, -steps[s], wanted, &all), high = star_point(known, best, u, steps[s], wanted, &all);
      if (!low || !high) break;
    }
  }
  if (all) end(search, why);
}

/* How many of the model's points belong to a search whose method has been answered so many points: one after the method's first 2 n, one
 * more after every n + 1. */
static size_t model_points_due(const search_state *known, size_t answered)
{
  size_t first = 1 + 2 * known->unknown_count; /* the first is of the start */
  return answered < first ? 0 : 1 + (answered - first) / (known->unknown_count + 1);
}

/* Asks for the model's least place where it is due and not known.
 * @param answered known points that the method used, the best of the start among them; what is known beside those is the model's */
static void propose_model(optimiser *search, size_t answered, proposal *wanted)
{
  const search_state *known = &search->known;
  size_t others = known->options.start_points + answered, own = known->count + 1 > others ? known->count + 1 - others : 0;
  double point[OPTIMISER_UNKNOWNS], z[OPTIMISER_UNKNOWNS] = {0};
  if (!search->model || own >= model_points_due(known, answered) || !search->model(search->model_data, point)) return;
  if (to_unit(search, point, z, NULL) != SCR_OK) return;
  for (size_t k = 0; k < known->count; k++) {
    double apart = 0;
    for (size_t i = 0; i < known->unknown_count; i++) apart = fmax(apart, fabs(known->points[k].z[i] - z[i]));
    if (apart <= known->options.tolerance) return;
  }
  memcpy(wanted->z[wanted->count++], z, sizeof z);
}

/* The next steps of BOBYQA, COBYLA or CRS2, and the model's. */
static scr_status propose_steps(optimiser *search, const double *origin, proposal *wanted, bool *finished, scr_error *error)
{
  replay run = {.known = &search->known};
  memcpy(run.origin, origin, sizeof run.origin);
  SCR_TRY(replay_run(&run, NULL, 0, 0, error));
  *finished = !run.wants;
  if (*finished) return SCR_OK;
  propose_model(search, run.answered, wanted);
  return wanted->count < wanted->slots ? replay_propose(&run, wanted, finished, error) : SCR_OK;
}

static scr_status propose_gaussian(const search_state *known, proposal *wanted, bool *finished, scr_error *error)
{
  double improvement;
  SCR_TRY(gaussian_propose(known, wanted->slots, wanted->z, &improvement, error));
  *finished = improvement < known->options.tolerance;
  if (!*finished) wanted->count = wanted->slots;
  return SCR_OK;
}

static scr_status propose_method(optimiser *search, const double *origin, proposal *wanted, scr_error *error)
{
  const search_state *known = &search->known;
  const optimiser_options *options = &known->options;
  size_t left = options->point_limit - star_reserve(known);
  bool finished = known->count >= left;
  const char *why = finished ? "all points that it may take are known" : "the method's steps are below the tolerance";
  if (options->method == OPTIMISER_NONE) {
    end(search, "all points of the start are known");
    return SCR_OK;
  }
  proposal own = {.slots = wanted->slots < left - known->count ? wanted->slots : left - known->count, .z = wanted->z};
  if (!finished && options->method == OPTIMISER_GAUSSIAN) {
    why = "no point is expected to be better by more than the tolerance";
    SCR_TRY(propose_gaussian(known, &own, &finished, error));
  } else if (!finished) {
    SCR_TRY(propose_steps(search, origin, &own, &finished, error));
  }
  wanted->count = finished ? 0 : own.count;
  if (finished && wanted->count == 0) propose_star(search, wanted, why);
  return SCR_OK;
}

static scr_status propose_points(optimiser *search, proposal *wanted, scr_error *error)
{
  double origin[OPTIMISER_UNKNOWNS] = {0};
  if (search->known.options.start == OPTIMISER_DIRECT) {
    replay run = {.known = &search->known, .direct = true};
    bool finished;
    SCR_TRY(replay_propose(&run, wanted, &finished, error));
    if (!finished) return SCR_OK;
    memcpy(origin, run.best, sizeof origin);
  } else if (!sobol_start(&search->known, wanted, origin)) {
    return SCR_OK;
  }
  return propose_method(search, origin, wanted, error);
}

scr_status optimiser_ask(optimiser *search, size_t slots, double *points, size_t *count, scr_error *error)
{
  size_t limit = search->known.options.point_limit, n = search->known.unknown_count;
  *count = 0;
  if (search->known.count >= limit) {
    if (!is_out(&search->known)) end(search, "all points that it may take are known");
    return SCR_OK;
  }
  if (slots > limit - search->known.count) slots = limit - search->known.count;
  if (search->ended || slots == 0) return SCR_OK;
  proposal wanted = {.slots = slots};
  SCR_TRY(mem_allocate(&wanted.z, slots, sizeof *wanted.z, "points to run", error));
  scr_status status = propose_points(search, &wanted, error);
  for (size_t k = 0; status == SCR_OK && k < wanted.count; k++) {
    /* kept as it would come back in a tell, so that a search that is repeated has the same bits */
    for (size_t i = 0; i < n; i++) points[k * n + i] = from_unit(&search->unknowns[i], wanted.z[k][i]);
    status = optimiser_expect(search, points + k * n, error);
  }
  if (status == SCR_OK) *count = wanted.count;
  mem_free(wanted.z);
  return status;
}

/* ── the state ──────────────────────────────────────────────────────────────────────────────────────────────────── */

bool optimiser_ended(const optimiser *search, char why[static 160])
{
  memcpy(why, search->why, sizeof search->why);
  return search->ended;
}

bool optimiser_best(const optimiser *search, double *point, double *value)
{
  size_t best = best_point(&search->known);
  if (best == search->known.count) return false;
  for (size_t i = 0; i < search->known.unknown_count; i++) point[i] = from_unit(&search->unknowns[i], search->known.points[best].z[i]);
  *value = search->known.points[best].value;
  return true;
}

size_t optimiser_known_count(const optimiser *search)
{
  size_t count = 0;
  for (size_t k = 0; k < search->known.count; k++) count += search->known.points[k].known;
  return count;
}
