/** The Sobol sequence with the direction numbers of Joe and Kuo (new-joe-kuo-6.21201): points that fill a unit cube evenly, more and more
 *  of them.
 *  Source: Joe, Kuo 2008, Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30, 2635. */
#ifndef SCREE_SERVER_STUDY_SOBOL_H
#define SCREE_SERVER_STUDY_SOBOL_H

#include <stdint.h>

enum { SOBOL_DIMENSIONS = 16 };

/** Coordinate `dimension` (below SOBOL_DIMENSIONS) of point `index` (from 0), as a fraction of 2^32; in the order of Gray codes. */
uint32_t sobol_fraction(uint32_t index, unsigned dimension);

#endif
