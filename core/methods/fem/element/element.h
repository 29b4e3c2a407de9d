/** One hexahedron under load: elastic energy, its gradient by the corners' displacements, and its Hessian, for each law and formulation.
 *
 *      plain                 W = sum_g w psi(D_g),   D = sum_a u_a (x) G_a
 *      incompatible modes    W = min over alpha of sum_g w psi(D_g + sum_k alpha_k (x) G_k): three more modes, nine unknowns, which are
 *      solved for in
 *                            the element and condensed out. Bends without shear locking. Linear: the element that is known as C3D8I
 *      b-bar                 the lambda term from the element's mean dilatation: lambda/2 ln^2(mean det F) V, or lambda/2 (mean tr e)^2 V;
 *                            nearly incompressible matter does not lock in volume. The mu term is that of the plain element
 *
 *  Every formulation has an energy, so forces are its gradient and tangents its Hessian, symmetric.
 *  Sources: Simo and Rifai 1990 (Int. J. Num. Meth. Engng 29, 1595), Simo and Armero 1992 (33, 1413) for enhanced gradients; Simo, Taylor
 *  and Pister 1985 (Comp. Meth. Appl. Mech. Engng 51, 177) for the mean dilatation. */
#ifndef SCREE_METHODS_FEM_ELEMENT_H
#define SCREE_METHODS_FEM_ELEMENT_H

#include "methods/fem/element/hex.h"
#include "methods/fem/element/law.h"

enum { FEM_ELEMENT_UNKNOWNS = 3 * FEM_CORNERS, FEM_MODE_UNKNOWNS = 3 * FEM_MODES };

typedef enum fem_formulation { FEM_PLAIN, FEM_INCOMPATIBLE_MODES, FEM_B_BAR } fem_formulation;

typedef struct fem_constitutive {
  fem_law law;
  fem_formulation formulation;
  fem_moduli moduli;
} fem_constitutive;

/** When modes are in equilibrium: forces on them below this share of what they are sums of, or of (mu + |lambda|) times a face; by what a
 * step's energy may grow for its rounding: this share of itself and of (mu + |lambda|) times the volume. */
static const double fem_mode_balance = 1e-14, fem_mode_rounding = 1e-15, fem_mode_noise = 1e-10, fem_mode_spare = 1e-13;

/** Where results go; NULL: not wanted. */
typedef struct fem_element_out {
  double *energy;    /**< J */
  double *gradient;  /**< [24] dW/du, N: the elastic force is its negative */
  double *stiffness; /**< [24][24] d2W/du2, N/m, symmetric */
} fem_element_out;

/** Evaluates one element.
 *  @param displacement [8][3] m, of the corners
 *  @param mode  [9] m, alpha: where to start, then the solution; others than incompatible modes do not touch it (may be NULL)
 *  @param clamp the tangent of every Gauss point is replaced by the nearest positive semi-definite one: a direction for a solver that needs
 *  one
 *  @return false where det F <= 0 at a Gauss point, or the modes find no equilibrium: results mean nothing then */
bool fem_element_evaluate(const fem_hex *hex, const fem_constitutive *constitutive, const double displacement[FEM_CORNERS][3], double *mode,
                          bool clamp, const fem_element_out *out);

/** D at Gauss point g, modes included.  @param mode NULL: they are zero */
void fem_element_gradient(const fem_hex *hex, const fem_constitutive *constitutive, const double displacement[FEM_CORNERS][3],
                          const double *mode, int g, double d[9]);

#endif
