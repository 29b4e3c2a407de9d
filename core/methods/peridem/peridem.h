/** Method "peridem": breakable elastic grains by bond-based peridynamics, with contact. Start reading here, then step.c, backend.h.
 *  Source of all formulas: Bhattacharya, Damircheli, Lipton, "PeriDEM in 3D" (2025), with its misprints corrected as README.md says. */
#ifndef SCREE_PERIDEM_PERIDEM_H
#define SCREE_PERIDEM_PERIDEM_H

#include "sim/method.h"

extern const scr_method scr_method_peridem;

#endif
