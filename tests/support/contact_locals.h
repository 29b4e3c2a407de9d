/** How often each local solver fails on the local problems that Gauss-Seidel meets: every contact of every sweep, from the impulse it had.
 *  The sweeps go on with the hybrid's answer, so that all solvers see the same problems. */
#ifndef SCREE_SUPPORT_CONTACT_LOCALS_H
#define SCREE_SUPPORT_CONTACT_LOCALS_H

#include "contact/contact.h"

typedef struct contact_locals {
  size_t solves;                       /**< local problems met that are not taking off, which every solver answers with zero */
  size_t failures[LOCAL_SOLVER_COUNT]; /**< of them left by each solver: natural map above 1e-8 (1 + |r|) */
  double worst_condition;              /**< largest condition number of a W_ii */
} contact_locals;

/** Adds what `sweeps` sweeps from zero meet. */
void contact_locals_count(const contact_problem *problem, unsigned sweeps, contact_locals *counts);

#endif
