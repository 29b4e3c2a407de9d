/** Random close packings of equal spheres. */
#ifndef SCREE_GEOMETRY_RANDOM_PACKING_H
#define SCREE_GEOMETRY_RANDOM_PACKING_H

#include "base/error.h"
#include "base/vec3.h"

enum {
  GEO_RANDOM_PACKING_LEAST = 64,   /**< fewest spheres of a packing: fewer feel their own images */
  GEO_RANDOM_PACKING_MOST = 100000 /**< most: the work grows with the number, and a periodic cell can be repeated */
};

/** Spheres of diameter 1 in a cube with periodic faces, jammed: no two overlap, and about 0.625 of the cube is filled.
 *
 *  Soft spheres at random places are pushed apart to a state without overlap, then grown a little, again and again, until they no longer
 *  find room; growth is halved at each failure. (O'Hern et al., Phys. Rev. E 68, 011306 (2003): jamming of repulsive spheres at zero
 *  temperature; the relaxation is FIRE, Bitzek et al., Phys. Rev. Lett. 97, 170201 (2006).)
 *  @param count   GEO_RANDOM_PACKING_LEAST ... GEO_RANDOM_PACKING_MOST
 *  @param seed    the same seed gives the same packing, bit for bit
 *  @param edge    receives the cube's edge in diameters
 *  @param centres [count] receives centres in [0, edge)^3, in diameters
 *  @return SCR_OK; SCR_BAD_USAGE for a count out of range; SCR_NO_MEMORY */
scr_status geo_random_packing(size_t count, uint64_t seed, double *edge, scr_vec3 *centres, scr_error *error);

#endif
