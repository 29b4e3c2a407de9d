/** A flat crack that a grain has from the start: bonds that pass through it are not made.
 *
 *  A bond passes when the crack's plane lies between its ends, and the point where it meets the plane is within the form or on its rim.
 *  Bonds in the plane, or that end on it, stay. */
#ifndef SCREE_PERIDEM_CRACK_H
#define SCREE_PERIDEM_CRACK_H

#include "methods/peridem/law/material_params.h"

/** Whether a specimen has a crack: all that describes one is given. */
bool pd_has_crack(const pd_specimen *specimen);

/** Whether the straight line from a to b, m, in the grain's own axes, passes through the crack. There must be one, with edges that are not
 *  parallel. */
bool pd_crack_cuts(const pd_specimen *crack, scr_vec3 a, scr_vec3 b);

#endif
