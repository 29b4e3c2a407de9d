/** How many contacts the fibres of a scene have, foreseen by counting: half-way between how they are laid and how they would be without
 *  loads, curled from where each begins; which of them touch each other, and which touch parts, as they are laid, as what holds them has
 *  come or as they have fallen.
 *
 *  Flat parts that come in press the places of all fibres together, so that touches grow as a felt is pressed: those of curves at random as
 *  their room is smaller (van Wyk 1946: <|sin|> D L^2 / V of a length L in a room V are nearer than D). */
#ifndef SCREE_FIBRE_CROWD_H
#define SCREE_FIBRE_CROWD_H

#include "methods/fibre/scene/layout.h"

/** A node, and with the one behind it an edge. */
typedef struct crowd_node {
  scr_vec3 laid, curled; /**< m */
  uint32_t fibre, specimen;
  bool last; /**< of its fibre: no edge begins there */
} crowd_node;

/** All fibres of a scene. Starts zeroed; emptied by fibre_crowd_clear. */
typedef struct fibre_crowd {
  crowd_node *node;
  size_t count, capacity;
  uint32_t fibres;
  bool curls; /**< some have natural curvature */
} fibre_crowd;

/** Adds the fibres that lie at all places of specimen k. @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_crowd_add(fibre_crowd *crowd, const scr_scene *scene, size_t k, const fibre_layout *layout);
void fibre_crowd_clear(fibre_crowd *crowd);

/** Contacts that take part in a step, on the mean over a run. */
typedef struct crowd_touches {
  double touches; /**< of fibres with each other, and of nodes and edges with parts */
  double effort; /**< the same by what they take in a step: more of what is pressed, as the room is smaller, where all bear on each other */
} crowd_touches;

/** @param time_step  s    @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_crowd_touches(const fibre_crowd *crowd, const scr_scene *scene, double time_step, crowd_touches *touches);

#endif
