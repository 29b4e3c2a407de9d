/** What a run shows of its rig: curves and pictures of the parts, the same for every method. */
#ifndef SCREE_SIM_RIG_VIEW_H
#define SCREE_SIM_RIG_VIEW_H

#include "sim/method.h"
#include "scene/part.h"

/** A part at one moment. */
typedef struct rig_reading {
  scr_vec3 position; /**< m, where its `start` is now */
  scr_vec3 force;    /**< N, of the specimens on the part */
  scr_vec3 torque;   /**< N m, about `position` */
  double angle;      /**< rad, by which it has turned about its axis */
} rig_reading;

/** Declares the curves of all parts, scr_part_curve_count of each. */
scr_status rig_declare_curves(scr_sim *sim, const scr_part *parts, size_t count, scr_error *error);

/** Their values, in the order of declaration. values: [at most count * SCR_PART_CURVES] @return how many */
size_t rig_observe(const scr_part *parts, const rig_reading *readings, size_t count, double *values);

/** Declares the drawables of all parts; nothing when there are none. */
scr_status rig_declare_drawables(scr_sim *sim, const scr_part *parts, size_t count, scr_error *error);

/** Draws them. @param first  number of the rig's first drawable: sim->drawable_count before they were declared */
scr_status rig_draw(scr_frame *frame, uint32_t first, const scr_part *parts, const rig_reading *readings, size_t count, scr_error *error);

#endif
