/** Reads JSON values into structs, as sections say. */
#ifndef SCREE_SCENE_BIND_H
#define SCREE_SCENE_BIND_H

#include "base/suggest.h"
#include "scene/asset/asset.h"
#include "scene/problem.h"
#include "scene/bind/section.h"

typedef struct binding {
  scr_problems *problems;
  scr_method_list methods;              /**< for MEMBER_METHOD */
  const scr_method_description *method; /**< the method named so far; NULL when it is unknown */
  scene_assets *assets;                 /**< where files that are referred to go */
  bool no_memory;                       /**< an allocation failed; what was bound is incomplete */
} binding;

/** Fills the zeroed struct at `base` from a JSON object, or wholly from defaults when `object` is NULL, and reports every problem.
 *
 *  What could not be read is left so that later checks stay silent about it: numbers and vectors NaN, text empty, lists empty,
 *  everything else its default. Lists and blocks are allocated; section_release frees them, also after problems. */
void bind_section(binding *binder, const section *form, const path *place, const json_t *object, void *base);

/** Fills one field from its key in the object, else from its default, and reports what is wrong. @return whether the object says the value
 *  */
bool bind_param(binding *binder, const scr_param *param, const path *parent, const json_t *object, void *base);

/** What a field holds when the scene does not say it, or (`unsound`) when it could not be read. */
void bind_default(const scr_param *param, void *field, bool invalid);

/** Adds a key to the list of those that would have been understood. */
void bind_known(text_builder *names, suggestion *search, const char *name);

/** Reports a key that the form does not have. `tagged`: the union the form is a variant of, or NULL. */
void bind_unknown_key(binding *binder, const section *form, const section *tagged, const path *place, const char *key, const json_t *value);

#endif
