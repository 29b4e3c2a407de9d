/** Numbers that a test checks, printed as rows of the validation report: measured, reference, tolerance, where the reference comes from,
 *  verdict.
 *
 *  Each claim_... prints its row, then fails the test when the number is out of tolerance (NaN always is):
 *
 *      claim_relative("tip deflection, m", tip, P * L * L * L / (3 * E * I), 5e-3, "Timoshenko's beam");
 *      claim_absolute("energy balance error", balance, 0, 1e-6, "conservation of energy");
 *      claim_between("force over the formula's", force / formula, 0.9, 1.1, "Tada, Paris, Irwin 2000, p. 2.10");
 *      claim_guard("limit of the load", limit, 1.28, 0.05);     the code's own earlier value: no reference, a guard against changes
 *      claim_shown("steps", steps);                              measured, not checked, and the row says so
 *
 *  What takes long is left out unless SCREE_SLOW is set, and counted as skipped: a case of its own begins with claim_slow(), a loop over
 *  sizes asks claim_slow_part("what its last sizes are").
 *
 *  There are no other rows: tests/run.py fails a program that prints one without a verdict.
 *
 *  The comment above a case goes into the report too: it says why the tolerance is what it is. Text must have no tabs or line ends. */
#ifndef SCREE_SUPPORT_CLAIM_H
#define SCREE_SUPPORT_CLAIM_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Prints a row and fails at the caller's place; tests/run.py reads it. */
static inline void claim_row(bool holds, const char *what, double measured, const char *reference, const char *tolerance,
                             const char *source, const char *file, int line)
{
  print_message("# claim: %s\t%.9g\t%s\t%s\t%s\t%s\n", what, measured, reference, tolerance, source, holds ? "holds" : "FAILS");
  if (holds) return;
  print_message("# %s: measured %.9g, reference %s, tolerance %s\n", what, measured, reference, tolerance);
  _fail(file, line);
}

static inline void claim_near(const char *what, double measured, double reference, double tolerance, bool relative, const char *source,
                              const char *file, int line)
{
  char wanted[40], allowed[40];
  double scale = relative ? fabs(reference) : 1;
  snprintf(wanted, sizeof wanted, "%.9g", reference);
  if (relative && tolerance >= 1e-4)
    snprintf(allowed, sizeof allowed, "%.3g %%", 100 * tolerance);
  else
    snprintf(allowed, sizeof allowed, relative ? "%.3g of it" : "+-%.3g", tolerance);
  claim_row(fabs(measured - reference) <= tolerance * scale, what, measured, wanted, allowed, source, file, line);
}

static inline void claim_range(const char *what, double measured, double low, double high, const char *source, const char *file, int line)
{
  char wanted[80];
  snprintf(wanted, sizeof wanted, "%.6g to %.6g", low, high);
  claim_row(measured >= low && measured <= high, what, measured, wanted, "in the range", source, file, line);
}

/** |measured - reference| <= tolerance |reference|. `source`: where the reference comes from, a few words. */
#define claim_relative(what, measured, reference, tolerance, source)                                                                       \
  claim_near(what, measured, reference, tolerance, true, source, __FILE__, __LINE__)

/** |measured - reference| <= tolerance, in the quantity's unit. */
#define claim_absolute(what, measured, reference, tolerance, source)                                                                       \
  claim_near(what, measured, reference, tolerance, false, source, __FILE__, __LINE__)

/** low <= measured <= high; either may be infinite. */
#define claim_between(what, measured, low, high, source) claim_range(what, measured, low, high, source, __FILE__, __LINE__)

/** A regression guard: `earlier` is what this code gave when the case was written, so that a change is noticed. Says nothing on whether it
 *  is right. */
#define claim_guard(what, measured, earlier, tolerance)                                                                                    \
  claim_near(what, measured, earlier, tolerance, true, "regression guard: this code's own earlier value", __FILE__, __LINE__)

/** A number worth reading that nothing depends on. */
#define claim_shown(what, measured) print_message("# claim: %s\t%.9g\t\t\t\tmeasured, not checked\n", what, (double)(measured))

/** Skips the case that begins with it, unless slow cases are asked for. */
#define claim_slow()                                                                                                                       \
  do {                                                                                                                                     \
    if (!getenv("SCREE_SLOW")) skip();                                                                                                     \
  } while (0)

/** Whether a case shall also do its slow part, which `what` names in a few words; if not, tests/run.py lists the part as skipped. */
static inline bool claim_slow_part(const char *what)
{
  if (getenv("SCREE_SLOW")) return true;
  print_message("# left out: %s\n", what);
  return false;
}

#endif
