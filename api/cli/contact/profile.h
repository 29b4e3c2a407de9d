/** Performance profiles: for each solver, the share of problems that it solves within a factor of the quickest one's time.
 *
 *  Source: Dolan and More 2002. */
#ifndef SCREE_API_CLI_CONTACT_PROFILE_H
#define SCREE_API_CLI_CONTACT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** One solver on one problem. */
typedef struct profile_run {
  bool solved;
  double seconds, residual;
  unsigned iterations, factorisations;
} profile_run;

typedef struct profile {
  size_t problem_count, solver_count;
  const char *const *problem; /**< [problem_count] names, borrowed */
  const size_t *contacts;     /**< [problem_count] */
  const char *const *solver;  /**< [solver_count] names, borrowed */
  const profile_run *run;     /**< [problem_count][solver_count] */
  double tolerance;           /**< that "solved" means */
} profile;

/** Share of all problems, those that nobody solved among them, that the solver solves within `factor` times the quickest's time. */
double profile_share(const profile *self, size_t solver, double factor);

/** Two Markdown tables: each problem with each solver's time, or the residual it left; and the shares at some factors. */
void profile_write_markdown(const profile *self, FILE *out);

/** The shares as curves over the factor, logarithmic, up to the largest factor there is. */
void profile_write_svg(const profile *self, FILE *out);

#endif
