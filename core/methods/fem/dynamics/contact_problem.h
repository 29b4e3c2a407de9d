/** The frictional contact problem of bodies by their compliance where they touch:  u = W f + q,  W = A^T C A,  (u_k, f_k) in Coulomb's law
 *  for every contact k.
 *
 *  Without friction anywhere only normals count and W has one row a contact; else three. It falls into islands of bodies that hang together
 *  by contacts (contact_island.h), W into their blocks. Each is solved by Newton's method on all its contacts together; where that fails,
 * by sweeps from where Newton's method starts anew, and where both take long, by the solvers of contact/. */
#ifndef SCREE_METHODS_FEM_CONTACT_PROBLEM_H
#define SCREE_METHODS_FEM_CONTACT_PROBLEM_H

#include "base/execution.h"
#include "methods/fem/dynamics/compliance.h"
#include "methods/fem/dynamics/contact_island.h"
#include "methods/fem/dynamics/touch.h"

/** What a problem is made of; all borrowed. */
typedef struct fem_contact_source {
  const fem_system *system;
  const fem_touches *touches;
  const unsigned char *fixed; /**< [3 n] unknowns that contacts don't move */
  bool impact;                /**< friction counts for nothing */
  fem_compliance *compliance; /**< C, which receives what it lacks of the touches' unknowns */
  la_factor *factor;          /**< of the matrix that C is the inverse of */
  scr_liveness liveness;
  scr_execution execution;
} fem_contact_source;

/** Zero-initialised, and kept from problem to problem. */
typedef struct fem_contact_problem {
  fem_contact_source source;
  unsigned directions; /**< of a contact: 1 or 3 */
  double *q;           /**< [directions * count] u without contact forces: to be filled */
  double *force;       /**< [directions * count] where to start, then the solution: to be filled */
  size_t island_count;
  fem_island *island; /**< [island_count] in the order of their first contacts */
  double *numbers;    /**< what the arrays of doubles are cut out of */
  uint32_t *order;    /**< [count] contacts, island after island; then what finding them needs */
  size_t island_capacity, number_capacity, order_capacity;
  size_t steps, sweeps, strong; /**< work of all problems so far: factors of Newton's method, sweeps, islands left to contact/ */
} fem_contact_problem;

/** Makes the W of each island, and room for q and force.  @return SCR_OK, SCR_NO_MEMORY, or what la_factor_solve says */
scr_status fem_contact_problem_make(fem_contact_problem *problem, const fem_contact_source *source, scr_error *error);
void fem_contact_problem_clear(fem_contact_problem *problem);

/** Where q was filled with u under `force`: takes W f out of it, which leaves u without contact forces. */
void fem_contact_problem_subtract(fem_contact_problem *problem);

/** Solves it to a relative residual of 1e-11 if that can be reached.
 *  @param sweep_limit  of sweeps in a row    @param residual receives the largest natural map of a contact over the largest q
 *  @return SCR_OK, also where the residual is larger; SCR_NO_MEMORY */
scr_status fem_contact_problem_solve(fem_contact_problem *problem, unsigned sweep_limit, double *residual, scr_error *error);

#endif
