/** What super-helices cannot do: refused, all of it at once. */
#ifndef SCREE_FIBRE_ELEMENT_H
#define SCREE_FIBRE_ELEMENT_H

#include "methods/fibre/scene/options.h"
#include "scene/check/checker.h"

/** Whether any specimen of a scene is of super-helices. */
bool fibre_any_helix(const scr_scene *scene);

/** Refuses what specimen k, of super-helices, cannot do or be. Nothing, of rods. */
void fibre_check_element(const scr_checker *c, size_t k);

/** Refuses options and rigs that no super-helix of the scene can do with. Nothing, where there are none. */
void fibre_check_elements(const scr_checker *c);

#endif
