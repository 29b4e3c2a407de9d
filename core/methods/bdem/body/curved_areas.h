/** How a solid's curved faces are shared by the spheres below them: every piece of surface belongs to the nearest of those that have a face
 *  there, so that the areas add up to the surface's, wherever a lattice is cut. */
#ifndef SCREE_METHODS_BDEM_CURVED_AREAS_H
#define SCREE_METHODS_BDEM_CURVED_AREAS_H

#include "geometry/fill/lattice.h"

/** Shares out the mantle of a cylinder, and the surface of a ball with that of its void. Pieces are about `piece` wide, m; what is farther
 *  than `reach`, m, from every place is shared by all in proportion.
 *  @param place [3][count] x, y, z, m, of what shares, in the solid's own axes, below its faces
 *  @param outward [count] whether the face above it is the outer one; else the void's
 *  @param area [count] receives m^2
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status bdem_share_curved_faces(const geo_solid *solid, double piece, double reach, double *const place[3], const bool *outward,
                                   size_t count, double *area, scr_error *error);

#endif
