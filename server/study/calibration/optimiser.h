/** Searches for the least value of a function that is a run: a search is asked for points and told their values.
 *
 *    optimiser_ask(o, slots, points, &count)     points to run; fewer than slots, or none while the next depends on runs that go on
 *    optimiser_tell(o, point, value, noise)      what came of one, in any order
 *
 *  until optimiser_ended. What is asked next follows from the tells and the points that are out, so that a search goes on after a restart
 * when the tells are repeated in their order and points still running are announced by optimiser_expect; no random state is kept.
 *
 *  A search has a start, which covers the ranges, and a method, which goes on from the best of it:
 *
 *    start   Sobol's sequence (Joe and Kuo 2008), without its first point, the corner: all points are known at once
 *            DIRECT-L (Gablonsky and Kelley 2001), which divides the ranges where it is promising
 *    method  BOBYQA (Powell 2009): quadratic models in a trust region; for smooth distances, quickest near the minimum
 *            COBYLA (Powell 1994): linear models; slower, and takes kinks
 *            CRS2 (Price 1983): a population; for rough distances and many runs
 *            Gaussian process with expected improvement (Jones, Schonlau, Welch 1998): Matern 5/2 with a length for each unknown and noise,
 * by likelihood; batches by the constant liar. For runs of minutes, of which a hundred is all there is
 *
 *  Beside the steps of BOBYQA, COBYLA and CRS2 the least place of a model is asked for where the search has one (optimiser_set_model):
 * after the first 2 n of the method's points and then after every n + 1 of them, n unknowns. Along a narrow, bent valley such a step is
 * worth many of the method's.
 *
 *  When the method has ended, or 4 points for each unknown are left of the limit, a star of points beside the best, along each unknown, is
 * asked for: by those the estimate knows what each unknown does (estimate.h). They go farther out where the value does not rise to twice
 * the best.
 *
 *  DIRECT-L, BOBYQA, COBYLA and CRS2 are NLopt's, which call a function. They are turned round by replay: the algorithm runs anew from its
 * start and is answered from the known values until it wants one that is not known: that is the next point. To fill more slots the unknown
 * value is answered by a very low and a very high one; a point that is wanted after either does not depend on it and is asked too.
 *
 *  Unknowns are searched on [0, 1], linearly or by the logarithm. A value that is NaN is a failed run: it counts as the worst so far. */
#ifndef SCREE_SERVER_STUDY_CALIBRATION_OPTIMISER_H
#define SCREE_SERVER_STUDY_CALIBRATION_OPTIMISER_H

#include "base/error.h"

enum { OPTIMISER_UNKNOWNS = 12, OPTIMISER_POINTS = 10000, OPTIMISER_GAUSSIAN_POINTS = 1000, OPTIMISER_NAME_BYTES = 64 }; /**< at most */

typedef struct optimiser_unknown {
  char name[OPTIMISER_NAME_BYTES];
  double low, high; /**< low < high, in the unknown's unit */
  bool logarithmic; /**< low > 0 */
} optimiser_unknown;

typedef enum optimiser_start { OPTIMISER_SOBOL, OPTIMISER_DIRECT } optimiser_start;
typedef enum optimiser_method { OPTIMISER_BOBYQA, OPTIMISER_COBYLA, OPTIMISER_CRS2, OPTIMISER_GAUSSIAN, OPTIMISER_NONE } optimiser_method;

/** "sobol", "direct"; "bobyqa", "cobyla", "crs2", "gaussian", "none". Static text; NULL past the last. */
const char *optimiser_start_name(optimiser_start start);
const char *optimiser_method_name(optimiser_method method);

typedef struct optimiser_options {
  optimiser_start start;
  optimiser_method method;
  size_t start_points; /**< 0: 4 times the unknowns, and 4 */
  size_t point_limit;  /**< points in all, start_points + 1 ... OPTIMISER_POINTS (OPTIMISER_GAUSSIAN_POINTS) */
  double tolerance; /**< step, of a range, at which the method ends; 0: 0.001. A Gaussian process ends where the improvement it expects is
                         below this share of the spread of the values */
  uint64_t seed;    /**< of CRS2 and of the places where expected improvement is looked for */
} optimiser_options;

typedef struct optimiser optimiser;

/** @param unknowns [count], 1 ... OPTIMISER_UNKNOWNS; copied    @return SCR_OK; SCR_BAD_USAGE: what is out of range; SCR_NO_MEMORY */
scr_status optimiser_create(const optimiser_unknown *unknowns, size_t count, const optimiser_options *options, optimiser **made,
                            scr_error *error);
void optimiser_destroy(optimiser *search);

/** A model of the function by what is known of it, richer than its values: a fit of a run's residuals.
 *  @param point [unknowns] receives its least place, in the unknowns' units, within their ranges    @return false: there is none yet */
typedef bool optimiser_model(void *data, double *point);

/** Sets the model that is consulted in optimiser_ask; the same known points have to give the same place. @param data borrowed */
void optimiser_set_model(optimiser *search, optimiser_model *model, void *data);

/** Points to run next, none of them known or out already; they are out from then on.
 *  @param slots  most points wanted, >= 1    @param points [slots][count] receives them in the unknowns' units
 *  @param count  receives how many; 0 while others must come first, or when the search has ended */
scr_status optimiser_ask(optimiser *search, size_t slots, double *points, size_t *count, scr_error *error);

/** A value: any point in the ranges, asked for or not; the last one told of a point counts.
 *  @param value the function, NaN: the run failed    @param noise its standard deviation, from repeated seeds; 0: exact, or not known */
scr_status optimiser_tell(optimiser *search, const double *point, double value, double noise, scr_error *error);

/** A point that was asked for before a restart and still runs. */
scr_status optimiser_expect(optimiser *search, const double *point, scr_error *error);

/** A point that will never be told, as its run was deleted: it may be asked for again. */
void optimiser_forget(optimiser *search, const double *point);

/** Whether nothing more will be asked. `why` receives it in words, or "". */
bool optimiser_ended(const optimiser *search, char why[static 160]);

/** The best point told. False: none was told yet. @param point [count] */
bool optimiser_best(const optimiser *search, double *point, double *value);

size_t optimiser_known_count(const optimiser *search);

#endif
