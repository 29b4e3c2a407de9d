/** An arc of one element of a super-helix, from its beginning to a point of it. */
#ifndef SCREE_FIBRE_HELIX_ELEMENT_H
#define SCREE_FIBRE_HELIX_ELEMENT_H

#include "methods/fibre/helix/helix.h"
#include "methods/fibre/helix/turn_map.h"

typedef struct helix_arc {
  double along;   /**< m */
  scr_vec3 theta; /**< rad, in the axes of its beginning */
  double series[TURN_SERIES];
  turn_map mean;
} helix_arc;

helix_arc helix_arc_of(const helix_strain strain, double along);

/** A vector in the axes of a frame, in the world. */
scr_vec3 helix_to_world(const helix_frame *frame, scr_vec3 v);

/** Where an arc ends. */
scr_vec3 helix_arc_place(const helix_frame *begin, const helix_arc *arc);

#endif
