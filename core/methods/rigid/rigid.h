/** Method "rigid": bodies that neither deform nor overlap, with exact Coulomb friction. */
#ifndef SCREE_METHODS_RIGID_H
#define SCREE_METHODS_RIGID_H

#include "sim/method.h"

extern const scr_method scr_method_rigid;

#endif
