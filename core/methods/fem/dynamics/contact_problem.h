/** The frictional contact problem of bodies by their compliance where they touch:  u = W f + q,  W = A^T C A,  (u_k, f_k) in Coulomb's law
 *  for every contact k.
 *
 *  Without friction anywhere only normals count and W has one row a contact; else three. Solved by sweeps, one contact after the other,
 *  each exactly, and Newton's method on all closed ones together from where sweeps come to (contact_newton.h); where both take long, by the
 *  solvers of contact/, which are given C^-1 as the mass of what touches. */
#ifndef SCREE_METHODS_FEM_CONTACT_PROBLEM_H
#define SCREE_METHODS_FEM_CONTACT_PROBLEM_H

#include "base/execution.h"
#include "methods/fem/dynamics/compliance.h"
#include "methods/fem/dynamics/touch.h"

typedef struct fem_contact_problem {
  const fem_touches *touches;
  const unsigned char *fixed; /**< [3 n] unknowns that contacts don't move */
  unsigned directions;        /**< of a contact: 1 or 3 */
  double *w;                  /**< [size][size], size = directions * count, symmetric */
  double *q;                  /**< [size] u without contact forces: to be filled */
  double *force;              /**< [size] where to start, then the solution: to be filled */
  double *relative;           /**< [size] u, where fem_contact_velocities or sweeps have left it */
  double *friction;           /**< [count] */
  double *workspace;          /**< what the arrays are cut out of; zero-initialised and kept from problem to problem */
  size_t capacity;
} fem_contact_problem;

/** Makes W of these touches, and room for q and force; adds what C lacks of their unknowns.
 *  @param impact  friction counts for nothing    @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_contact_problem_make(fem_contact_problem *problem, const fem_touches *touches, const unsigned char *fixed, bool impact,
                                    fem_compliance *compliance, la_factor *factor, const scr_liveness *liveness, scr_error *error);
void fem_contact_problem_clear(fem_contact_problem *problem);

/** Solves it to a relative residual of 1e-11 if that can be reached.
 *  @param sweep_limit  of sweeps in all    @param residual receives the largest natural map of a contact over the largest q
 *  @return SCR_OK, also where the residual is larger; SCR_NO_MEMORY */
scr_status fem_contact_problem_solve(fem_contact_problem *problem, const fem_compliance *compliance, unsigned sweep_limit,
                                     scr_execution execution, double *residual, scr_error *error);

#endif
