/** Pictures of obstacles that are solids of their own shape: rigid bodies of triangles. */
#ifndef SCREE_SIM_SOLID_VIEW_H
#define SCREE_SIM_SOLID_VIEW_H

#include "sim/method.h"

/** Declares one drawable of the parts that are boxes, balls and meshes; nothing when there are none. */
scr_status solid_declare_drawable(scr_sim *sim, scr_error *error);

/** Draws them. @param drawable its number: sim->drawable_count before it was declared */
scr_status solid_draw(const scr_sim *sim, scr_frame *frame, uint32_t drawable, scr_error *error);

#endif
