/** Whether a point goes into a part, or through it, within a step, so that the nearest side of the part at the end is not the one that it
 *  met. */
#ifndef SCREE_METHODS_FEM_PASSING_H
#define SCREE_METHODS_FEM_PASSING_H

#include "sim/rig/parts.h"

/** Follows the straight way of a point as the part sees it.
 *  @param before, now m, at the start and the end of the step  @param fine m, > 0: what counts as touching  @param from receives normal and
 *  distance from the plane that
 *         the point met first, at the end of the step     @return false: it meets nothing, or the nearest side at the end is the one it met
 *         */
bool fem_passes_through(const scr_part *form, const part_motion *start, const part_motion *end, scr_vec3 before, scr_vec3 now, double fine,
                        scr_part_distance *from);

#endif
