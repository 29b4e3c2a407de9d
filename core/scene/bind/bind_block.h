/** Reads what methods declare: options, and the keys of a section's block. Part of bind.h. */
#ifndef SCREE_SCENE_BIND_BLOCK_H
#define SCREE_SCENE_BIND_BLOCK_H

#include "scene/bind/bind.h"

/** Fills the section_blocks at the member's offset: options of the chosen method, or by methods' names. */
void bind_options(binding *binder, const section_member *member, const path *place, const json_t *value, void *base);

/** Fills the section_blocks at the form's block_offset from the object's keys that methods declare: the chosen method's wholly, with
 *  defaults and reports of what is missing; of other methods what the object gives, each key for the first that declares it. With no method
 *  chosen, all are others. */
void bind_block(binding *binder, const section *form, const path *place, const json_t *object, void *base);

/** The same for an object that could not be read: the chosen method's struct, every field unknown. */
void bind_block_invalid(binding *binder, const section *form, void *base);

/** Whether any method declares the key in the form's block. */
bool bind_block_knows(const binding *binder, const section *form, const char *key);

/** Adds the block's keys: the chosen method's to the list, all methods' to what may have been meant. */
void bind_block_names(const binding *binder, const section *form, text_builder *names, suggestion *search);

#endif
