/** The method `fem`: finite elements with contact. */
#ifndef SCREE_METHODS_FEM_FEM_H
#define SCREE_METHODS_FEM_FEM_H

#include "sim/method.h"

extern const scr_method scr_method_fem;

#endif
