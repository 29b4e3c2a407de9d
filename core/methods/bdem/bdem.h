/** Method "bdem": breakable solids of bonded spheres, with contact. Start reading here, then bonds/bond.h, state.h, step/stages.h.
 *  Source of all formulas: bonded DEM with manifold optimisation (2025), with the corrections listed in README.md. */
#ifndef SCREE_METHODS_BDEM_BDEM_H
#define SCREE_METHODS_BDEM_BDEM_H

#include "sim/method.h"

extern const scr_method scr_method_bdem;

#endif
