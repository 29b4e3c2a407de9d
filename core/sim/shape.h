/** A scene's shapes as solids, for methods that fill them. */
#ifndef SCREE_SIM_SHAPE_H
#define SCREE_SIM_SHAPE_H

#include "geometry/lattice.h"
#include "scene/scene.h"

/** The shape about the origin, before the specimen's rotation. A weave is no solid: the answer has no size. */
geo_solid scr_shape_solid(const scr_shape *shape);

/** Its volume, m^3. */
double scr_shape_volume(const scr_shape *shape);

#endif
