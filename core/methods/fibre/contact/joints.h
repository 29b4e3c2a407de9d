/** Ends of fibres that free bodies hold: fixed contacts of the step's problem, whose impulses are free and which neither part nor slide.
 *
 *      pinned     v - V - w x a + e / dt = 0              v of the fibre's end, e what its place is off by as the step begins
 *      clamped    the same; the far node of the clamp's edge across it; its turning, thetadot - w . t = 0, off by what it is off by
 *
 *  a is the arm half-way through the step's turn at w, over the cosine's share that makes dt w x a what the body's point goes exactly: the
 *  step ends with the node where the body has it, and does the same work on both. Rows follow the spin that each linearisation finds. A
 *  clamp's far node has no mass; along the edge its own stretching stiffness holds it. */
#ifndef SCREE_FIBRE_JOINTS_H
#define SCREE_FIBRE_JOINTS_H

#include "contact/warm_start.h"
#include "sim/ledger.h"

struct fibre_state;

/** One fixed contact. */
typedef struct fibre_joint {
  uint32_t fibre, body;
  bool turning;             /**< holds the direction and the turning of a clamp's edge, else the place of an end */
  size_t node, edge;        /**< among all: whose place it holds; where the clamp's edge begins */
  scr_vec3 arm;             /**< m, from the body's centre of mass to the node at t = 0 */
  scr_vec3 along, director; /**< turning: tangent and first director of the edge, at t = 0 */
  double length;            /**< m, that turning counts with among its velocities */
  /* of a step */
  scr_vec3 off;     /**< m, the node's place less the body's for it, as the step begins */
  double angle;     /**< rad, of the edge, as the step begins */
  scr_vec3 axis[3]; /**< of its rows; the third of one that turns is the edge's direction */
  scr_vec3 middle;  /**< m, the arm in the middle of the step */
  scr_vec3 about;   /**< m, turning: its row acts on the body's spin along it */
} fibre_joint;

typedef struct fibre_joints {
  fibre_joint *joint; /**< [count] */
  size_t count, capacity;
  double dt; /**< s, of the step */
} fibre_joints;

/** Lists them, by node_holder and edge_holder. @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_joints_create(struct fibre_state *state, const sim_parts *parts, scr_error *error);
void fibre_joints_clear(fibre_joints *joints);

/** Whether a free body holds node number `node`. */
bool fibre_is_joined(const struct fibre_state *state, size_t node);

/** Lets fibres and bodies that they join take part in the step. */
void fibre_joints_begin(struct fibre_state *state, double dt);

/** Rows of all, as contacts `first` and on. @return the next free entry */
size_t fibre_joints_add_contacts(struct fibre_state *state, size_t first, size_t entries);

/** Their rows by the spins of the last solution. */
void fibre_joints_follow(struct fibre_state *state);

/** Books their impulses: on bodies, loads of parts, and the work that they do, which is what rounding and the solver leave. */
void fibre_joints_book(struct fibre_state *state, sim_parts *parts);

#endif
