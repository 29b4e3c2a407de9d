/** contact_surface "faces" between two bodies: nodes below faces that look at each other press along their mean normal, by how far the
 *  faces overlap.
 *
 *      U = K A_i A_j w(t) g^2 / 2      n = (n_i - n_j) / |n_i - n_j|      g = s_i + s_j - d.n,  d = x_j - x_i,  t = |d - (d.n) n|
 *      w = 3 / (pi a^2) (1 - t^2 / a^2)^2,  a = 1.5 h, which integrates to 1 over the plane       1 / K = A_i / k_i + A_j / k_j
 *
 *  n_i: normal of i's face, turned with its neighbours, s_i: its depth below it, A_i: its section there, k_i: its stiffness against the
 *  rig. The force is -dU/dx at n, so it has a part across n. Nodes without a face that looks at the other, and all that have lost
 *  bonds, repel each other along the line between them, nearer than the mean of their spacings, with K h^2.
 *
 *  Force, friction and damping act at the middle c between the two nodes, which is on neither: each node gets the force, and with its
 *  neighbours the couple (c - x_i) x F, by the forces that move n_i: so the couples are the normals' part of dU/dx. What of a couple is
 *  about n_i goes to the neighbours as a turn of theirs needs it, m (J^-1 couple) x r. So momentum and angular momentum are kept to
 *  rounding.
 *
 *  Friction is a spring of each pair, which turns with n and follows the way of the two bodies at c: what lies on a body rests there. */
#ifndef SCREE_PERIDEM_PAIR_FACES_H
#define SCREE_PERIDEM_PAIR_FACES_H

#include "methods/peridem/host/contact/pair_law.h"

/** A touching pair's friction, as node `near` sees it; the row of the other has it too, with all vectors of opposite sign or swapped. */
typedef struct pd_pair_spring {
  uint32_t near, far;
  scr_vec3 stretched; /**< m, way of near relative to far, across the normal, that friction holds */
  double stiffness;   /**< N/m */
  scr_vec3 face[2];   /**< normals of the two faces, of near's first */
  uint32_t picked[2]; /**< which faces of the two nodes those are */
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
  unsigned char *picked;         /**< [n] the face that met last */
  unsigned char *turned;         /**< [n] whether its couple is not 0 */
  pd_vectors couple;             /**< [n] N m */
  pd_spring_strip *strip;        /**< [strip_count] NULL: friction between bodies is viscous */
  size_t strip_count;
} pd_facing;

/** For a state whose nodes and options are set; NULL where no two bodies can meet by faces. */
scr_status pd_facing_create(pd_state *state, scr_error *error);
void pd_facing_clear(pd_facing *facing);

/** Normals of the nodes that have candidates, at the present positions. */
void pd_facing_turn(const pd_state *state);

/** Adds what a node's row of touching pairs holds by friction to its force and couple, and brings its springs up to now. Rows of a strip in
 *  ascending order of nodes, from walk = 0. @param heat receives half of what slips, J    @return false without memory */
bool pd_pair_hold(pd_state *state, pd_spring_strip *strip, size_t *walk, size_t i, size_t j, const pd_pair *pair, double force[3],
                  double *held, double *heat);
/** Begins a strip; ends it: heat of springs whose pairs have parted is added. */
void pd_strip_begin(pd_spring_strip *strip);
void pd_strip_end(const pd_spring_strip *strip, double *heat);

/** Couple on node i of a force on it at the middle of the pair. */
void pd_pair_couple(const pd_state *state, size_t i, size_t j, const double force[3]);

/** Gives couples to the nodes' neighbours: adds to `onto`, and zeroes them. */
void pd_couples_give(const pd_state *state, pd_vectors *onto);

/** J, of all springs. */
double pd_pair_springs_energy(const pd_state *state);

#endif
