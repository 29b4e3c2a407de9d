/** What a deformation gradient costs: energy density, stress and tangent of the two elastic materials.
 *
 *      linear        psi = mu e:e + lambda/2 (tr e)^2,   e = sym(F - 1)                     small strains and small turns only
 *      neo-Hookean   psi = mu/2 (|F|^2 - 3) - mu l + lambda/2 l^2,   l = ln det F           any deformation with det F > 0; Hooke's law at
 *      F = 1
 *
 *  F is handed over as D = F - 1, the gradient of the displacement, so that small strains keep their digits. Matrices 3 x 3 are row-major
 *  [9], D_iJ = D[3 i + J]; tangents [81], dP_iJ/dF_kL = A[9 (3 i + J) + 3 k + L], symmetric. Both in Pa. */
#ifndef SCREE_METHODS_FEM_LAW_H
#define SCREE_METHODS_FEM_LAW_H

#include <stdbool.h>

typedef enum fem_law { FEM_LINEAR, FEM_NEO_HOOKEAN } fem_law;

/** Lamé's constants, Pa. */
typedef struct fem_moduli {
  double mu, lambda;
} fem_moduli;

/** From Young's modulus, Pa, and Poisson's ratio. */
fem_moduli fem_moduli_of(double young_modulus, double poisson_ratio);

/** Energy density, J/m^3; INFINITY where det F <= 0 (neo-Hookean). */
double fem_law_energy(fem_law law, const fem_moduli *moduli, const double d[9]);

/** First Piola-Kirchhoff stress.  @param tangent [81] or NULL   @return false where det F <= 0 (neo-Hookean): nothing is written then */
bool fem_law_stress(fem_law law, const fem_moduli *moduli, const double d[9], double stress[9], double *tangent);

/** Cauchy stress, symmetric: xx, yy, zz, xy, yz, zx.  @return false where det F <= 0 */
bool fem_law_cauchy(fem_law law, const fem_moduli *moduli, const double d[9], double cauchy[6]);

/** Von Mises stress and the largest principal stress of a symmetric tensor as above. */
double fem_von_mises(const double cauchy[6]);
double fem_principal(const double cauchy[6]);

/** det F - 1 without loss of digits, and the cofactors J F^-T [9] (may be NULL). */
double fem_dilatation(const double d[9], double *cofactor);

#endif
