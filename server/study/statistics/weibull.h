/** The Weibull distribution of strengths: F(v) = 1 - exp(-(v / scale)^modulus), fitted by maximum likelihood.
 *
 *  Rows may be censored on the right: the run ended at `value` without breaking, so its strength is more than that. With r rows that broke
 * of n in all, the likelihood equations are
 *
 *    sum_all v^m ln v / sum_all v^m - 1/m - (1/r) sum_broken ln v = 0,      scale = (sum_all v^m / r)^(1/m).
 *
 *  Confidence intervals. Of complete samples: the distributions of modulus_fit / modulus and modulus_fit ln(scale_fit / scale) depend on n
 *  alone (Thoman, Bain and Antle 1969), so quantiles of them from many made samples of a fixed seed give exact intervals up to the noise of
 *  the making; above WEIBULL_PIVOTAL rows their normal limits are used. Of samples with censored rows: where the profile likelihood falls
 * by half the quantile of chi squared with one degree of freedom. `method` says which.
 *
 *  The bias of the modulus (1.17 times too high at n = 10) is taken out with the mean of modulus_fit / modulus of the same made samples;
 * for samples with censored rows it is 1 + 1.37 / (r - 1.92) (after Ross 1996), that of a complete sample of r rows: from r = 3 on, and
 * some per cent too much where rows were censored at one value (7 % at 8 of 10). */
#ifndef SCREE_SERVER_STUDY_STATISTICS_WEIBULL_H
#define SCREE_SERVER_STUDY_STATISTICS_WEIBULL_H

#include "base/error.h"

enum { WEIBULL_ROWS = 1000000, WEIBULL_PIVOTAL = 500 }; /**< most rows of a sample; most of one whose pivotal quantities are made */

typedef enum weibull_method {
  WEIBULL_BY_PIVOTS, /**< complete, up to WEIBULL_PIVOTAL rows */
  WEIBULL_BY_NORMAL, /**< complete, more rows */
  WEIBULL_BY_PROFILE /**< with censored rows */
} weibull_method;

/** "pivotal quantities", "normal limit", "profile likelihood". Static text. */
const char *weibull_method_name(weibull_method method);

/** Quantiles of the pivotal quantities of complete samples of n rows. */
typedef struct weibull_pivots {
  size_t count;                     /**< n */
  double level;                     /**< of the interval between low and high: 0.9 */
  double modulus_low, modulus_high; /**< of modulus_fit / modulus */
  double modulus_mean;              /**< of the same: the bias */
  double scale_low, scale_high;     /**< of modulus_fit ln(scale_fit / scale) */
} weibull_pivots;

typedef struct weibull_fit {
  double modulus, scale;            /**< of maximum likelihood; scale in the unit of the values */
  double modulus_unbiased;          /**< modulus over its bias; what to quote. NaN of 2 rows that broke among censored ones */
  double modulus_low, modulus_high; /**< confidence interval of the modulus */
  double scale_low, scale_high;     /**< and of the scale; infinite or 0 where the data bounds it on one side only */
  double level;                     /**< of both intervals */
  size_t broken, censored;          /**< rows of each kind */
  weibull_method method;            /**< of the intervals */
  double log_likelihood;            /**< at the fit */
} weibull_fit;

/** Pivots of n rows at a level. @param count 2 ... WEIBULL_ROWS    @param level 0.5 ... 0.999. Some tenths of a second at most. */
scr_status weibull_make_pivots(size_t count, double level, weibull_pivots *pivots, scr_error *error);

/** Fits a sample.
 *  @param values   [count] > 0 and finite, 2 ... WEIBULL_ROWS
 *  @param censored [count] whether the row ended without breaking; NULL: none did
 *  @param level    0.5 ... 0.999
 *  @param pivots   of as many rows and that level, to save their making; NULL: they are made
 *  @return SCR_OK; SCR_BAD_USAGE: fewer than two different values broke, values out of range (with the row, from 1); SCR_NO_MEMORY */
scr_status weibull_estimate(const double *values, const bool *censored, size_t count, double level, const weibull_pivots *pivots,
                            weibull_fit *fit, scr_error *error);

/** Complete rows that an interval of the modulus of relative width `width` = (high - low) / modulus_fit needs in all.
 *  @param width > 0    @param rows receives the least number of rows from 3 to WEIBULL_ROWS; more are needed: WEIBULL_ROWS + 1 */
scr_status weibull_rows_needed(double width, double level, size_t *rows, scr_error *error);

/** Points of the Weibull plot, by rising value: x = ln(value), y = ln(-ln(1 - F)), F = (rank - 0.5) / n of the rows that broke, ranks moved
 * on by the censored rows before them (Johnson 1964). A Weibull sample lies on the line y = modulus (x - ln scale).
 *  @param value, y [count], of which the first *points are filled */
scr_status weibull_plot(const double *values, const bool *censored, size_t count, double *value, double *y, size_t *points,
                        scr_error *error);

#endif
