/** Reads JSON values into structs, as sections say. */
#ifndef SCREE_SCENE_BIND_H
#define SCREE_SCENE_BIND_H

#include "scene/problem.h"
#include "scene/section.h"

typedef struct binding {
  scr_problems *problems;
  scr_method_list methods;              /**< for MEMBER_METHOD */
  const scr_method_description *method; /**< the method named so far; NULL when it is unknown */
  bool no_memory;                       /**< an allocation failed; what was bound is incomplete */
} binding;

/** Fills the zeroed struct at `base` from a JSON object, or wholly from defaults when `object` is NULL, and reports every problem.
 *
 *  What could not be read is left so that later checks stay silent about it: numbers and vectors NaN, text empty, lists empty,
 *  everything else its default. Lists are allocated; section_release frees them, also after problems. */
void bind_section(binding *binder, const section *form, const path *place, const json_t *object, void *base);

#endif
