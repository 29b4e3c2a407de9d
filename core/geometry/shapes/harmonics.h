/** Real spherical harmonics, and random fields on the sphere made of them. */
#ifndef SCREE_GEOMETRY_SHAPES_HARMONICS_H
#define SCREE_GEOMETRY_SHAPES_HARMONICS_H

#include <stdint.h>

#include "base/vec3.h"

enum { HARMONICS_DEGREE = 20, HARMONICS_TERMS = (HARMONICS_DEGREE + 1) * (HARMONICS_DEGREE + 1) };

/** All up to `degree` <= HARMONICS_DEGREE in a direction of length 1, each of mean square 1 over the sphere: value[l^2 + l + m].
 *  Source: the stable recursion of normalised Legendre functions, Holmes, Featherstone, J. Geodesy 76 (2002) 279, eqs (11)-(13). */
void harmonics_at(scr_vec3 direction, int degree, double value[HARMONICS_TERMS]);

/** Random factors of the harmonics of degrees low ... high that fall as degree^-decay, of which the sum of squares is 1: a field of mean
 *  square 1. The same seed gives the same bits. */
void harmonics_draw(uint64_t seed, int low, int high, double decay, double factor[HARMONICS_TERMS]);

#endif
