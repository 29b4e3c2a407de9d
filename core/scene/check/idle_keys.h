/** Keys that a scene gives in vain. */
#ifndef SCREE_SCENE_IDLE_KEYS_H
#define SCREE_SCENE_IDLE_KEYS_H

#include "scene/document.h"

/** Warns of keys of materials, contacts and specimens that the scene's method does not have, and of keys that count only while another one
 *  has a certain value, which it has not; with what would do it. By the methods' tables alone (scr_substitute, scr_need).
 *
 *  Nothing is said of a key that is at its default, and of one of a method whose options the scene gives by its name: such a scene serves
 *  several methods.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status check_idle_keys(const scene_document *document, scr_method_list methods, scr_problems *warnings);

#endif
