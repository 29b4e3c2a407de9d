/** Pieces of pages for people that are made from JSON. */
#ifndef SCREE_API_SHAPES_PAGE_H
#define SCREE_API_SHAPES_PAGE_H

#include <jansson.h>

#include "base/text.h"

/** A text of an object; "" where it has none. The object's. */
const char *page_text_of(const json_t *object, const char *key);

/** Text, its <, >, & and " written so that HTML shows them. */
void page_add_escaped(text_builder *out, const char *text);

/** All up to <main>: head with the title, style sheet and icon; the bar of links. */
void page_add_head(text_builder *out, const char *title);

/** Where the reference has the row of a key.
 *  @param path  as the reference names the place: "options", "materials[]"    @param more  the method or type of a union; "": none */
void page_add_key_anchor(text_builder *out, const char *path, const char *more, const char *key);

/** An identifier made of a path and what tells it from others of that path: "at-..."; letters, digits and _ stay, the rest becomes '-'. */
void page_add_anchor(text_builder *out, const char *path, const char *more);

#endif
