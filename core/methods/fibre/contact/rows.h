/** Rows of H of contacts of fibres with each other and with parts (formula in problem.h): what moves a side of a contact, and by how much.
 */
#ifndef SCREE_FIBRE_ROWS_H
#define SCREE_FIBRE_ROWS_H

#include "methods/fibre/state/state.h"

/** What moves a side of a contact: two nodes' velocities by their weights, the edge's turning about its tangent and, against bodies, how it
 *  tilts: a fibre that is wound on a body and turns with it does not slide on it, and what friction turns the body by it turns the fibre
 *  back by. */
typedef struct fibre_side {
  size_t node[2]; /**< among all */
  double weight[2];
  scr_vec3 spin;          /**< m, what a unit of turning adds to the velocity at the contact */
  scr_vec3 tangent, tilt; /**< 1, by what the nodes' velocities apart move the contact along the tangent: tilt . (v_0 - v_1) */
} fibre_side;

/** @param other  the side of fibre b */
fibre_side fibre_side_of(const fibre_state *state, const fibre_touch *touch, bool other);

/** Row `axis` of H of one unknown of one of the two nodes. */
double fibre_side_entry(const fibre_side *side, int node, int unknown, scr_vec3 axis);

/** The free part that a fibre touches, or NULL. */
fibre_body *fibre_body_at(fibre_state *state, const fibre_touch *touch);

/** Velocity over the step, m/s, of the surface of a part that isn't free at a contact. */
scr_vec3 fibre_part_velocity(const fibre_state *state, const fibre_touch *touch, double dt);

const fibre_surface *fibre_surface_at(const fibre_state *state, const fibre_touch *touch);

/** Whether an impulse can move anything there. */
bool fibre_can_move(const fibre_state *state, const fibre_touch *touch);

/** Rows, offset, friction and key of contact i of detection.touch, whose entries begin at problem.first[i]. */
void fibre_rows_add(fibre_state *state, size_t i, double dt);

/** Impulse of contact i of detection.touch on its fibre a, N s, in the world; what adhesion pulls with is taken off. */
scr_vec3 fibre_rows_impulse(const fibre_state *state, size_t i);

/** The rows of super-helices again, as they are linearised now. */
void fibre_rows_follow(fibre_state *state, double dt);

/** What the impulses there are push the points of super-helices with, into problem.pressed. */
void fibre_rows_press(fibre_state *state, double dt);

#endif
