/** Numbers that follow from a scene alone. */
#ifndef SCREE_PERIDEM_BOUNDS_H
#define SCREE_PERIDEM_BOUNDS_H

#include "sim/rig/parts.h"

/** Contact radius of a scene: the option's, or 1.6 times the largest spacing. */
double pd_contact_radius(const scr_scene *scene);

/** Smallest of the step bounds of section 3.5 (bonds of the bodies, contact; explicit damping by walls and between nodes) and the name of
 *  the one that rules. Limited damping needs none. */
double pd_step_bound(const scr_scene *scene, double bond_bound, const char **rule);

/** How the scene's specimens answer to servos. */
part_response pd_part_response(const scr_scene *scene);

#endif
