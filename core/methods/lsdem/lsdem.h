/** Soft grains of any shape: level-set discrete elements with deformation modes. README.md says what the method computes. */
#ifndef SCREE_LSDEM_LSDEM_H
#define SCREE_LSDEM_LSDEM_H

#include "sim/method.h"

extern const scr_method scr_method_lsdem;

#endif
