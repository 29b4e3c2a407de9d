/** Method "fibre": hair, yarns and rods that stretch, bend, twist, touch and rub. */
#ifndef SCREE_METHODS_FIBRE_H
#define SCREE_METHODS_FIBRE_H

#include "sim/method.h"

extern const scr_method scr_method_fibre;

#endif
