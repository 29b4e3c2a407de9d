/** A scene's shapes as solids, for methods that fill them. */
#ifndef SCREE_SIM_SHAPE_H
#define SCREE_SIM_SHAPE_H

#include "geometry/fill/lattice.h"
#include "scene/scene.h"

/** The shape about the origin, before the specimen's rotation. A weave, a capsule and a compound are none of these: the answer
 *  has the radius alone. */
geo_solid scr_shape_solid(const scr_shape *shape);

/** Its volume, m^3; of a compound the sum of its pieces'. */
double scr_shape_volume(const scr_shape *shape);

#endif
