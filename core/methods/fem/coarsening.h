/** Coarsening of a mesh of hexahedra: which modes a body has, the coarsest mesh that has them too, and what its stiffness must be.
 *  README.md says more. */
#ifndef SCREE_METHODS_FEM_COARSENING_H
#define SCREE_METHODS_FEM_COARSENING_H

#include "sim/method.h"

extern const scr_method scr_method_coarsening;

#endif
