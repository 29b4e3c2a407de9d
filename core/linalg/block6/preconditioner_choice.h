/** Which preconditioner to take: by name, or chosen by the size of the system, its connections and the length of the step. */
#ifndef SCREE_LINALG_BLOCK6_PRECONDITIONER_CHOICE_H
#define SCREE_LINALG_BLOCK6_PRECONDITIONER_CHOICE_H

#include "base/execution.h"
#include "linalg/block6/preconditioner.h"

typedef enum la_preconditioner_kind {
  LA_AUTOMATIC, /**< la_preconditioner_choose */
  LA_BLOCK_JACOBI,
  LA_BLOCK_CHOLESKY, /**< incomplete */
  LA_MULTIGRID,
  LA_DIRECT
} la_preconditioner_kind;

/** Creates one of the kinds; SCR_BAD_USAGE for LA_AUTOMATIC, which has to be chosen first.
 *  @param execution whose threads are used by those that can: block Jacobi and multigrid */
scr_status la_preconditioner_create(la_preconditioner_kind kind, scr_execution execution, la_preconditioner *preconditioner,
                                    scr_error *error);

/** The kind expected to be fastest; never LA_AUTOMATIC. By measurement: README.md has the rule and where the numbers are.
 *  @param row_count    nodes of the system
 *  @param neighbours   stiff connections per row on average, without contacts: 2 in a chain or in cloth, 12 inside a close packing
 *  @param stable_steps length of the time step over the stable explicit one; INFINITY for a static solve */
la_preconditioner_kind la_preconditioner_choose(size_t row_count, double neighbours, double stable_steps);

#endif
