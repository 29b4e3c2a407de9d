/** Patches: what of a grain's surface a contact is, and how stiff that makes the grain. A patch is the nodes within a depth of a plane that
 *  touches the grain, over the directions of a few hundred of its nodes' normals and along its axes. */
#ifndef SCREE_LSDEM_SCENE_PATCH_H
#define SCREE_LSDEM_SCENE_PATCH_H

#include "methods/lsdem/contact/law.h"

/** The stiffest contact that a plane has, at most `depth` deep: max over directions and overlaps of sum A_k k, N/m, k the larger of dp/dd
 *  and friction's k_t. */
double lsdem_patch_stiffness(const lsdem_template *grain, const lsdem_law *law, double depth);

/** The largest eigenvalues lambda of C v = lambda M v, 1/s^2, over patches at most `depth` deep: C of springs that hold their nodes along
 *  the plane's normal, each with A_k dp/dd at the overlap where they are stiffest together, and across it with A_k k_t, M the masses of
 *  moving and turning (`rigid`), and of these and the grain's modes (`modal`). It is the square of the highest frequency that such a
 *  contact with a fixed wall gives a grain without stiffness of its own.
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED */
scr_status lsdem_patch_frequency(const lsdem_template *grain, const lsdem_law *law, double depth, double *rigid, double *modal,
                                 scr_error *error);

#endif
