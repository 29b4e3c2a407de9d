/** Checks of bodies against each other, before a run. */
#ifndef SCREE_METHODS_FEM_CHECK_BODIES_H
#define SCREE_METHODS_FEM_CHECK_BODIES_H

#include "scene/scene.h"

/** Adds a problem for every pair of bodies that start in each other by more than a hundredth of an element: a node of one's surface inside the other, with none of its faces that near.
 *  All specimens must be sound meshes.  @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_check_overlaps(const scr_scene *scene, scr_problems *problems);

#endif
