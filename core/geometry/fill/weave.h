/** Yarns of a plain weave, each a chain of equal spheres. */
#ifndef SCREE_GEOMETRY_WEAVE_H
#define SCREE_GEOMETRY_WEAVE_H

#include "base/error.h"
#include "base/vec3.h"

/** A rectangular piece of plain weave about the origin in the plane z = 0: weft yarns along x, warp yarns along y, each over and under
 *  by turns. A yarn's axis is z = +-a cos(pi x / pitch) with a = radius (1 + clearance), so that crossing yarns miss each other by the
 *  clearance. */
typedef struct geo_weave {
  double radius;    /**< m, > 0, of a yarn and its spheres */
  double pitch;     /**< m, between neighbouring yarns, >= 5 radius: closer ones overlap on the slopes */
  double clearance; /**< of the radius, >= 0, small */
  size_t wefts;     /**< yarns along x, >= 2 */
  size_t warps;     /**< yarns along y, >= 2 */
} geo_weave;

/** Length of one pitch of a yarn along its axis, m. */
double geo_weave_pitch_length(const geo_weave *weave);

/** Spheres of each weft and of each warp yarn: neighbours on a yarn lie as near to 2 radius apart as a whole number allows. */
void geo_weave_counts(const geo_weave *weave, size_t *per_weft, size_t *per_warp);

/** Centres yarn after yarn, wefts by rising y, then warps by rising x; along a yarn from low to high.
 *  @param centres [wefts per_weft + warps per_warp]
 *  @return SCR_OK; SCR_BAD_USAGE for a weave out of range */
scr_status geo_weave_fill(const geo_weave *weave, scr_vec3 *centres, scr_error *error);

#endif
