/** Shapes of parts, where free ones meet others: balls, and in the plane discs, are a middle and a radius; all else are pieces. */
#ifndef SCREE_GRANULAR_SHAPES_H
#define SCREE_GRANULAR_SHAPES_H

#include "geometry/touch/touch.h"
#include "sim/rig/parts.h"

/** Parts as pieces, and where those are in a step. */
struct granular_shapes {
  geo_piece piece[SCR_PART_LIMIT];   /**< of solids; others stay empty */
  geo_placed placed[SCR_PART_LIMIT]; /**< where they are at the step's start */
  scr_vec3 *vectors;                 /**< corners and normals of those with flat faces */
  touch_list touches;                /**< of one pair */
};

/** Radius of a ball, or in the plane of a rod across it, m; 0: another shape. */
double granular_round(const scr_part *form, bool plane);

/** Makes the pieces of all solids where a free part is not round; nothing otherwise. @param shapes  receives them, or NULL */
scr_status granular_shapes_create(const sim_parts *parts, bool plane, struct granular_shapes **shapes, scr_error *error);
void granular_shapes_destroy(struct granular_shapes *shapes);

/** Puts them where parts are. @param motion  [parts->count] */
void granular_shapes_place(struct granular_shapes *shapes, const sim_parts *parts, const part_motion *motion);

#endif
