/** diffusion: a made-up method as short as a method can be. */
#ifndef SCREE_TESTS_DIFFUSION_H
#define SCREE_TESTS_DIFFUSION_H

#include "sim/method.h"

extern const scr_method scr_method_diffusion;

#endif
