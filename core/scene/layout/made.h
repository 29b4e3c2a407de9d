/** The forms of the shapes that are made into meshes (core/scene/grains/). Private to core/scene. */
#ifndef SCREE_SCENE_LAYOUT_MADE_H
#define SCREE_SCENE_LAYOUT_MADE_H

#include "scene/layout/layout.h"

/** Each a scr_shape. */
extern const section superellipsoid_section, grain_section, jack_section, tube_section, image_section, points_section;

#endif
