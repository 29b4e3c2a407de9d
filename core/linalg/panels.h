/** One right-hand side through a Cholesky factor in dense panels, CHOLMOD's supernodes: columns that share their rows below the diagonal,
 *  stored as one dense matrix, whose upper triangle is out of use. Substitution after substitution is bound by memory where the factor is
 *  larger than caches are: each number is read once on the way down and once on the way up, four columns at a time. Panels that nothing
 *  reaches on the way down are passed over. */
#ifndef SCREE_LINALG_PANELS_H
#define SCREE_LINALG_PANELS_H

#include <suitesparse/cholmod.h>

/** Doubles of workspace. @param factor analysed, in panels */
size_t la_panels_work(const cholmod_factor *factor);

/** x = A^-1 b.  @param factor L L^T in panels, of longs and doubles    @param b, x [n], may be the same    @param work [la_panels_work] */
void la_panels_solve(const cholmod_factor *factor, const double *b, double *x, double *work);

#endif
