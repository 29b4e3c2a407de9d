/** A look at raw scene text before the parser sees it. */
#ifndef SCREE_SCENE_SCAN_H
#define SCREE_SCENE_SCAN_H

#include "scene/problem.h"

/** Deepest nesting a scene may have, most objects, and most values of any kind: what bounds the parser's recursion and memory. */
enum { SCENE_DEPTH_LIMIT = 32, SCENE_OBJECT_LIMIT = 20000, SCENE_VALUE_LIMIT = 1000000 };

/** Refuses text that is too long, nested too deeply or made of too many pieces, with one problem that names line and column.
 *  Anything else about the text is the parser's business. @return SCR_OK, SCR_BAD_SCENE, SCR_NO_MEMORY */
scr_status scan_text(const char *text, size_t length, size_t longest, scr_problems *problems);

#endif
