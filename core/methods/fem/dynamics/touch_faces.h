/** Contacts between bodies: a node of one near a face of another.
 *
 *  The nearest point of the bilinear face  x(s, t) = sum_i b_i(s, t) x_i,  b = ((1-s)(1-t), s(1-t), s t, (1-s) t),  s, t in [0, 1], by
 *  Newton's method on the two conditions (x_v - x).dx/ds = 0, (x_v - x).dx/dt = 0, projected onto the square. n is the normal of the face
 *  there, out of its body. Only faces whose normal is against that of the node's own surface count: a node at a rim does not meet the other
 *  body's sides. */
#ifndef SCREE_METHODS_FEM_TOUCH_FACES_H
#define SCREE_METHODS_FEM_TOUCH_FACES_H

#include "methods/fem/dynamics/touch.h"

/** Adds each node's nearest face of each other body, nearer than the band, or what the search keeps. */
scr_status fem_find_faces(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error);

/** Where a point stands to one face. */
typedef struct fem_face_nearest {
  double share[4];  /**< b_i, >= 0, sum 1 */
  double normal[3]; /**< unit, out of the body */
  double gap;       /**< m, along the normal; < 0 behind the face */
  double distance;  /**< m, to the nearest point, >= 0 */
} fem_face_nearest;

/** @param corner [4][3] m, counter-clockwise seen from outside    @return false for a face without area */
bool fem_face_nearest_point(const double corner[4][3], const double point[3], fem_face_nearest *nearest);

#endif
