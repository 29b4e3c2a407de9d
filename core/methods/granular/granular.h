/** granular: sand as a continuum that flows, rests and flies by one law (README.md). */
#ifndef SCREE_GRANULAR_H
#define SCREE_GRANULAR_H

#include "sim/method.h"

extern const scr_method scr_method_granular;

#endif
