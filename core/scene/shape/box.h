/** What blocks share. Private to core/scene/shape. */
#ifndef SCREE_SCENE_SHAPE_BOX_H
#define SCREE_SCENE_SHAPE_BOX_H

#include "scene/shape/shape.h"

/** Functions of scr_shape_form. */
double box_reach(const scr_shape *shape);
scr_vec3 box_half_extents(const scr_shape *shape, double resolution);

#endif
