/** Two points below surfaces of bodies that look at each other, each below one face or, near an edge, below several: what they do to each
 *  other by one continuous potential, whichever faces look at each other as the bodies turn.
 *
 *      U = S sum W_k U_k + (1 - S) U_c            k: pairs of faces p of i and q of j
 *      U_k = K_k w_k h_k g_k^2 / 2, where g_k > 0 as opposed_faces.h has it: n_k, g_k, w_k
 *      h_k: 1 where j lies ahead of i, d.n_k >= 0; 0 where it lies a third of the width behind, smooth between
 *      S = 1 - prod (1 - f_k)                     f_k = f(-n_p.n_q): 0 below CONTACT_OPPOSED, 1 from CONTACT_FACING on, smooth between
 *      W_k = a_k / sum a_l,  a_k = f_k / (max(g_k, 0)^2 + b_k^2 (1 - f_k)),  b_k: sum of the two depths
 *
 *  Of curved bodies beside each other the top of one and the bottom of the other look at each other, and do not touch: without h those that
 *  lie behind each other would press as if they had gone all through, from where they first are near enough on: 400 crushed irregular
 * grains got 4 % of their energy so. One pair alone that looks straight on has U_k. Where several do, W prefers the least overlap, and
 * where one that looks straight on is open, so that its plane parts the bodies, they do not press at all: the rule of separating axes of
 * convex bodies. A pair that turns away fades: its f goes to 0, and with it all that it does. U_c is what the points hold where no faces
 * look at each other.
 *
 *  The forces are -dU/dx and -dU/dn at the faces' normals, so momentum, angular momentum and energy are kept. */
#ifndef SCREE_CONTACT_FACE_PAIRS_H
#define SCREE_CONTACT_FACE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec3.h"
#include "contact/opposed_faces.h"

/** Cosine between one normal and the opposite of the other from which on a pair of faces counts in full. */
#define CONTACT_FACING 0.85

enum { CONTACT_FACES = 3, CONTACT_FACE_PAIRS = 9 };

/** One face of each point that look at each other. */
typedef struct contact_face_pair {
  unsigned char i, j; /**< numbers of the faces, below CONTACT_FACES */
  double depths;      /**< m, of the two points below them */
  double zero;        /**< m, distance along the normal at which they touch */
  double stiffness;   /**< K, N/m, where the points are opposite each other */
} contact_face_pair;

typedef struct contact_face_press {
  double share;                                        /**< S, 0 to 1: how much faces look at each other */
  double energy;                                       /**< S sum W U, J */
  double stiffness;                                    /**< S sum W K w, N/m */
  scr_vec3 force;                                      /**< N, on j: -dU/dx_j without (1 - S) dU_c/dx_j */
  scr_vec3 pressing;                                   /**< N, of it what acts along the normals of the faces */
  scr_vec3 push_i[CONTACT_FACES];                      /**< N m, -dU/dn of the faces of i: only what is across the normal has a meaning */
  scr_vec3 push_j[CONTACT_FACES];                      /**< the same of j */
  double part_i[CONTACT_FACES], part_j[CONTACT_FACES]; /**< of each face in what presses: sums of W; they sum to 1 */
} contact_face_press;

/** How much two faces look at each other: f of -n_i.n_j. @param slope f' */
double contact_face_share(double cosine, double *slope);

/** @param d x_j - x_i, m    @param n_i, n_j unit normals of the faces, out of the bodies, as they are turned
 *  @param pairs those with -n_i.n_j above CONTACT_OPPOSED, in any order, at most CONTACT_FACE_PAIRS    @param width a, m
 *  @param central U_c, J
 *  @return whether faces do anything; else `press` has share 0 */
bool contact_press_faces(scr_vec3 d, const scr_vec3 *n_i, const scr_vec3 *n_j, const contact_face_pair *pairs, size_t count, double width,
                         double central, contact_face_press *press);

#endif
