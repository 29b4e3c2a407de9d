/** How the surfaces of one contact press each other, at the present places: spheres, faces of two bodies (contact/opposed_faces.h), a
 *  sphere or its face and a part of the rig.
 *
 *  A face meets a roller or a jaw by the mean over 5 x 5 points of the square of its area, in the plane through the sphere's
 *  centre: a roller meets spheres beside its line as well, and what is thinner than a sphere is not passed. Each point pushes as the
 *  part's normal there says and turns the sphere by its lever. */
#ifndef SCREE_METHODS_BDEM_PRESS_H
#define SCREE_METHODS_BDEM_PRESS_H

#include "methods/bdem/contact/contact.h"

typedef struct bdem_press {
  double overlap;        /**< m, > 0: the force along the normal over the contact's stiffness */
  double stiffness;      /**< N/m, of that force as the surfaces come nearer */
  double energy;         /**< J */
  scr_vec3 normal;       /**< unit, from i to j, or out of the part */
  scr_vec3 push;         /**< N, on j, or on the sphere of a touch */
  scr_vec3 turn[2];      /**< N m, of the push on i and j; on the sphere of a touch the first */
  scr_vec3 arm_i, arm_j; /**< m, from the centres to the point where friction acts */
} bdem_press;

/** @return whether they touch; else `press` means nothing */
bool bdem_pair_press(const bdem_pair *pair, const bdem_body *body, bdem_press *press);
bool bdem_touch_press(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, bdem_press *press);

/** Overlap of a pair whose centres were d apart, m, turned as they are now; as bdem_pair_overlap. */
double bdem_pair_overlap_apart(const bdem_pair *pair, const bdem_body *body, scr_vec3 d, scr_vec3 *normal);

/** Stiffness of what a pair belongs to, N/m: its own, or of all pairs of the face that it is one of. */
double bdem_pair_stiffness_together(const bdem_pair *pair);

/** Distance from the part of the nearest point of a touch by facet, m; INFINITY: farther than its face is deep. */
double bdem_facet_distance(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body);

/** How the overlap of contacting surfaces changes with what their spheres do: d overlap = - sum of `along`[k] . (dp, z), with z r / 2 of
 *  a turn. */
typedef struct bdem_press_slope {
  double stiffness;   /**< N/m */
  double along[2][6]; /**< of i and j, of the sphere of a touch the first */
} bdem_press_slope;

enum { BDEM_FACET = 5, BDEM_SLOPES = BDEM_FACET * BDEM_FACET }; /**< points along its edges; most slopes of a contact */

/** Slopes of a contact whose energy is the sum of 1/2 k overlap^2 over them. @return how many; 0: apart */
size_t bdem_pair_slopes(const bdem_pair *pair, const bdem_body *body, bdem_press_slope slope[static 1]);
size_t bdem_touch_slopes(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body,
                         bdem_press_slope slope[static BDEM_SLOPES]);

#endif
