/** What grips hold: elements of bodies (spheres, nodes, vertices, whole bodies) whose motion a part of the rig imposes.
 *
 *  A grip that does not slide and turns carries what it holds as one rigid body; one that slides rules over the component along its axis
 *  alone. How the force that an element feels from all else becomes the grip's load is the method's: in general, load = sum of those forces
 *  along what the grip rules over. */
#ifndef SCREE_SIM_GRIPS_H
#define SCREE_SIM_GRIPS_H

#include "sim/rig/parts.h"

/** Components that a grip rules over: bits 0, 1, 2 of the position, 3, 4, 5 of the turn about x, y, z. */
typedef uint8_t grip_mask;
#define GRIP_ALL ((grip_mask)63)

/** An element that a grip holds. */
typedef struct grip_held {
  uint32_t element, part;
  scr_vec3 start; /**< m, at t = 0 */
} grip_held;

/** All of them. Starts zeroed. */
typedef struct sim_grips {
  grip_held *held; /**< [count] by part, then element; an element in two grips twice */
  size_t count;
  size_t first[SCR_PART_LIMIT + 1]; /**< part p holds held[first[p]] ... held[first[p + 1] - 1]; for other parts none */
} sim_grips;

/** Where element `index` of `bodies` is at t = 0, m. */
typedef scr_vec3 (*grip_place_of)(const void *bodies, size_t index);

/** Finds what the parts hold of `count` elements. @return SCR_OK; SCR_NO_MEMORY, after which grips_clear is all there is to do */
scr_status grips_create(sim_grips *grips, const sim_parts *parts, size_t count, grip_place_of place, const void *bodies, scr_error *error);
void grips_clear(sim_grips *grips);

/** Whether part p holds anything. */
static inline bool grips_hold(const sim_grips *grips, size_t p)
{
  return grips->first[p] < grips->first[p + 1];
}

/** What a grip rules over. */
grip_mask grip_rules(const scr_part *form);

/** `value` along the components in the mask's bits 0 to 2, `rest` along the others; shift it by 3 for turns. */
static inline scr_vec3 grip_ruled(unsigned mask, scr_vec3 value, scr_vec3 rest)
{
  return vec3(mask & 1 ? value.x : rest.x, mask & 2 ? value.y : rest.y, mask & 4 ? value.z : rest.z);
}

/** Where a grip takes what began at `start`, m. @param turn receives by how much it is turned, from t = 0; NULL: not asked */
scr_vec3 grip_place(const scr_part *form, const part_motion *motion, scr_vec3 start, scr_quat *turn);

/** Its velocity there, m/s: now, or with `from` the mean one from there to here within dt, s. */
scr_vec3 grip_velocity(const scr_part *form, const part_motion *now, const part_motion *from, double dt, scr_vec3 start);

#endif
