/** A bond's energy as a function of free quaternions, with first and second derivatives in all eleven numbers (e, q_i, q_j): what the
 *  optimizers that treat |q| = 1 as a constraint need. Equal to bond.h on unit quaternions. Off the sphere the shear energy does not
 *  depend on the common length of q_i and q_j (only on the direction of q_i + s q_j), and bending and twisting grow with it.
 *  Order of a quaternion's numbers: x, y, z, w. Source: bonded DEM with manifold optimisation (2025), section 3.2. */
#ifndef SCREE_TESTS_BENCH_OPTIMIZERS_BOND_EUCLID_H
#define SCREE_TESTS_BENCH_OPTIMIZERS_BOND_EUCLID_H

#include "methods/bdem/bonds/bond.h"

enum { BDEM_EUCLID = 11 };

/** Energy, J. @param sign the bond's hemisphere s: the sign that q_j is added to q_i with, +1 or -1 */
double bdem_bond_euclid_energy(const bdem_bond *bond, double sign, scr_vec3 e, scr_quat qi, scr_quat qj);

/** @param gradient [11] N and J      @param hessian [11][11] row-major, symmetric, or NULL */
void bdem_bond_euclid_derivatives(const bdem_bond *bond, double sign, scr_vec3 e, scr_quat qi, scr_quat qj, double *gradient,
                                  double *hessian);

#endif
