/** The frictional contact problem by projected block Gauss-Seidel: one contact after the other is solved exactly while the others hold still.
 *
 *  Contacts are visited colour by colour (delassus.h); those of one colour share nothing, so threads may take them and the result is the same for any
 *  number of threads. Simple, robust and warm-startable; slow where impulses have far to travel or masses differ much. */
#ifndef SCREE_CONTACT_GAUSS_SEIDEL_H
#define SCREE_CONTACT_GAUSS_SEIDEL_H

#include "contact/delassus.h"
#include "contact/local.h"

/** u = W r + q, (u_i, r_i) in Coulomb's law for every contact. Borrowed arrays. */
typedef struct contact_problem {
  const delassus *delassus;
  const double *free_velocity; /**< q [n d] m/s */
  const double *friction;      /**< mu [n] >= 0, or < 0 for a fixed contact */
} contact_problem;

typedef struct contact_options {
  local_solver local;
  unsigned sweep_limit; /**< > 0 */
  double tolerance;     /**< of the relative residual; >= 1e-14 */
  unsigned threads;     /**< 0 means 1 */
} contact_options;

typedef struct contact_result {
  bool solved;           /**< the relative residual is within the tolerance */
  double residual;       /**< largest natural map of a contact over the largest component of q */
  unsigned sweeps;       /**< done */
  size_t local_failures; /**< contacts that the local solver left unsolved in the last sweep */
} contact_result;

/** Hybrid, 1000 sweeps, 1e-6, one thread. */
contact_options contact_options_default(void);

/** Largest natural map over the largest component of q: what "solved" is measured in. 0 when nothing moves.
 *  @param velocity [n d] receives u = W r + q */
double contact_residual(const contact_problem *problem, const double *impulse, double *velocity);

/** Solves it.
 *  @param impulse [n d] N s: where to start, then the best point found, always finite
 *  @return SCR_OK, also when the tolerance was not reached (result->solved); SCR_NO_MEMORY */
scr_status contact_gauss_seidel(const contact_problem *problem, const contact_options *options, double *impulse, contact_result *result,
                                scr_error *error);

#endif
