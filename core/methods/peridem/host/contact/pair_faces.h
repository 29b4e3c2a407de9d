/** contact_surface "faces" between two bodies: nodes below faces that look at each other press by how far the faces overlap
 *  (contact/face_pairs.h has the potential, of all faces that two nodes have).
 *
 *      K w = A_i A_j / (A_i / k_i + A_j / k_j) 3 / (pi a^2) (1 - t^2 / a^2)^2,  a = 1.5 h, which integrates to 1 over the plane
 *
 *  A_i: section of i's cell at the face, k_i: its stiffness against the rig, n_i: the face's normal, turned with the neighbours. Nodes
 *  without a face that looks at the other, and all that have lost bonds, repel each other along the line between them, nearer than their
 *  bodies reach beyond them (half a spacing, or to the nearest face), with K h^2.
 *
 *  What moves a normal goes to the neighbours by what they do to it, so forces are the gradient of one potential, and momentum and angular
 *  momentum are kept to rounding.
 *
 *  Friction and damping act at the middle c between the two nodes, which is on neither: each node gets the force, and its neighbours the
 *  couple (c - x_i) x F, as forces m (J^-1 couple) x r. Friction is a spring of each pair, which turns with what presses and follows the
 *  way of the two bodies at c, by the turn J^-1 sum m r x dx of the neighbours, which those forces belong to: what lies on a body rests
 *  there, and what friction does is what is booked. */
#ifndef SCREE_PERIDEM_PAIR_FACES_H
#define SCREE_PERIDEM_PAIR_FACES_H

#include "methods/peridem/host/contact/pair_law.h"

/** A touching pair's friction, as node `near` sees it; the row of the other has it too, with all vectors of opposite sign or swapped. */
typedef struct pd_pair_spring {
  uint32_t near, far;
  scr_vec3 stretched; /**< m, way of near relative to far, across the normal, that friction holds */
  double stiffness;   /**< N/m */
} pd_pair_spring;

/** Springs of the nodes of one strip, by near node, and those of the force pass before. */
typedef struct pd_spring_strip {
  pd_pair_spring *now, *before;
  size_t count, capacity, before_count, before_capacity;
  double heat; /**< J, of the last force pass */
} pd_spring_strip;

enum { PD_STRIP = 64 }; /**< nodes */

/** What is kept where bodies meet by faces. */
typedef struct pd_facing {
  scr_vec3 (*normal)[GEO_FACES]; /**< [n] of nodes with candidates: as turned in the last force pass */
  unsigned char *count;          /**< [n] how many; 0: the node takes no couples */
  unsigned char *turned;         /**< [n] whether its couple or pushes are not 0 */
  unsigned char *held;           /**< [n] whether friction's springs hold it */
  scr_vec3 *turn;                /**< [n] of nodes with springs of the pass before: by how much their neighbours turned since */
  pd_vectors couple;             /**< [n] N m */
  scr_vec3 (*push)[GEO_FACES];   /**< [n] N m, on the normals: what moves them, as contact_face_press has it */
  pd_spring_strip *strip;        /**< [strip_count] NULL: friction between bodies is viscous */
  size_t strip_count;
} pd_facing;

/** Bonds of at least this inverse length lead to a node's family, up to a cell's diagonal away: by it faces are turned, and it takes their
 *  couples. 1/m */
static inline double pd_family_bound(const pd_body *body)
{
  return 1 / (1.8 * fmax(body->cell.x, fmax(body->cell.y, body->cell.z)));
}

/** For a state whose nodes and options are set; NULL where no two bodies can meet by faces. */
scr_status pd_facing_create(pd_state *state, scr_error *error);
void pd_facing_clear(pd_facing *facing);

/** Normals of the nodes that have candidates, at the present positions. */
void pd_facing_turn(const pd_state *state);
/** The same at the start of a force pass, and turns of the nodes that springs hold. */
void pd_facing_advance(const pd_state *state);
/** Way of a node in the step that leads to this force pass, m. */
scr_vec3 pd_predicted_displacement(const pd_state *state, size_t i);

/** Whether a node has lost bonds. It then lies at a crack: the face above it may be gone, and what is left of its family does not determine
 *  how it is turned. Debris that kept its faces gained twice the largest energy of a crush. @param node of the body */
bool pd_node_is_torn(const pd_bonds *bonds, size_t node);
/** Takes the faces from the nodes that have just lost bonds. What that changes of contacts' energy, and of half their force over the step
 *  after, is fracture's. @param fracture J, added to */
scr_status pd_facing_tear(pd_state *state, double *fracture, scr_error *error);

/** What a touching pair holds by friction. */
typedef struct pd_pair_held {
  double friction[3]; /**< N, on i */
  double size;        /**< N, of it */
  double heat;        /**< J, half of what slips */
} pd_pair_held;

/** The same brought up to now. Rows of a strip in ascending order of nodes, from walk = 0.  @return false without memory */
bool pd_pair_hold(pd_state *state, pd_spring_strip *strip, size_t *walk, size_t i, size_t j, const pd_pair *pair, pd_pair_held *held);
/** Begins a strip; ends it: heat of springs whose pairs have parted is added. */
void pd_strip_begin(pd_spring_strip *strip);
void pd_strip_end(const pd_spring_strip *strip, double *heat);

/** Couple on node i of a force on it at the middle of the pair. */
void pd_pair_couple(const pd_state *state, size_t i, size_t j, const double force[3]);
/** What the pair's potential does to the normals of node i's faces. */
void pd_pair_push(const pd_state *state, size_t i, const pd_pair *pair);

/** Gives pushes and couples to the nodes' neighbours: adds to `onto`, and zeroes them. */
void pd_couples_distribute(const pd_state *state, pd_vectors *onto);

/** Friction's force on node i of the pair with j as it is now, N; 0 where no spring holds it. */
scr_vec3 pd_pair_friction(const pd_state *state, size_t i, size_t j);

/** J, of all springs. */
double pd_pair_springs_energy(const pd_state *state);

#endif
