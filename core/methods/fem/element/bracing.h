/** What keeps incompatible modes stable under large compression.
 *
 *  Modes that are free soften an element as it is compressed: below a stretch of about 0.55 it has bending patterns without stiffness, and
 *  meshes fall into them
 *  (Wriggers and Reese 1996, Comp. Meth. Appl. Mech. Engng 135, 201). Their energy is therefore raised as the element is compressed,
 *
 *      W_b = c(I) mu/2 sum_kl M_kl alpha_k.alpha_l,   M_kl = sum_g w G_k.G_l,   I = |F^-T|^2, F the mean compatible deformation gradient
 *      c(I) = c0 (max(0, I - I0)/I0)^3
 *
 *  so that the element goes over smoothly to the plain one, which stays stable. I is 3 at rest and the sum of 1/stretch^2 of the principal
 *  stretches: large where one of them is
 *  small, and the same in every frame. Up to I0 nothing changes at all. A uniform strain calls for no modes, so it is exact whatever I is.
 *  The energy is twice differentiable. */
#ifndef SCREE_METHODS_FEM_ELEMENT_BRACING_H
#define SCREE_METHODS_FEM_ELEMENT_BRACING_H

#include <stdbool.h>

#include "methods/fem/element/hex.h"

/** I0. */
static const double fem_bracing_begins = 3.7;

/** Of one element at displaced corners. */
typedef struct fem_bracing {
  double share, slope, curve;        /**< c, dc/dI, d2c/dI2; all 0 up to I0, and the rest is not filled then */
  double mean[FEM_CORNERS][3];       /**< 1/m: gradients of the corners' functions, mean over the element */
  double turned[9];                  /**< t = F^-T */
  double first[9];                   /**< dI/dF = -2 t t^T t */
  double gram[FEM_MODES][FEM_MODES]; /**< M, m */
} fem_bracing;

/** @param displacement [8][3] m    @return false where the mean deformation gradient is turned inside out */
bool fem_bracing_find(const fem_hex *hex, const double displacement[FEM_CORNERS][3], fem_bracing *bracing);

/** sum_kl M_kl alpha_k.alpha_l / 2 and its gradient, M alpha.  @param mode [9] m    @param slope [9] written */
double fem_bracing_measure(const fem_bracing *bracing, const double *mode, double *slope);

/** d2I/dF2, [81] as tangents of laws. */
void fem_bracing_second(const fem_bracing *bracing, double second[81]);

#endif
