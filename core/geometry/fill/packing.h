/** Regular packings of equal spheres. */
#ifndef SCREE_GEOMETRY_PACKING_H
#define SCREE_GEOMETRY_PACKING_H

#include "base/error.h"
#include "base/vec3.h"

typedef enum geo_packing {
  GEO_PACKING_HEXAGONAL_CLOSE, /**< 12 neighbours at 2 r, 4 sqrt2 r^3 per sphere; x along a row, z across the layers */
  GEO_PACKING_BODY_CENTRED     /**< 8 neighbours at 2 r, 32 r^3/(3 sqrt3) per sphere */
} geo_packing;

/** Volume of space per sphere, m^3. */
double geo_packing_cell_volume(geo_packing packing, double radius);

/** Centres of a block of counts[0] x counts[1] x counts[2] spheres, x fastest, the first at the origin.
 *  Hexagonal: along a row, rows of a layer, layers. Body-centred: along x, along y, and layers half a cell apart.
 *  @param centres [counts[0] counts[1] counts[2]] */
void geo_packing_block(geo_packing packing, double radius, const size_t counts[3], scr_vec3 *centres);

/** Pairs (i < j) of centres closer than `reach`, sorted by i, then j.
 *  @param pairs receives an array to mem_free, [*pair_count][2]
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE for a reach that is not > 0, a centre that is not finite or beyond 1e15 reaches, or 2^32 -
 *  1 or more centres */
scr_status geo_packing_pairs(const scr_vec3 *centres, size_t count, double reach, uint32_t (**pairs)[2], size_t *pair_count,
                             scr_error *error);

#endif
