/** The reference of every key of a scene, for people: as a page and as text. Both are made from scr_reference_json. */
#ifndef SCREE_API_SHAPES_REFERENCE_PAGE_H
#define SCREE_API_SHAPES_REFERENCE_PAGE_H

#include <stddef.h>

/** The whole reference as an HTML page. From malloc, the caller's; NULL: no memory. */
char *reference_html(size_t *length);

/** The reference as text of about 100 columns: all of it, or with `about` what concerns one place: sections whose path, method or type it
 *  names ("rig", "specimens.shape", "bdem", "cylinder"; "[]" may be left out) or, failing those, every key of that name ("spacing").
 *  @return from malloc, the caller's; "" when nothing is named so; NULL: no memory */
char *reference_text(const char *about, size_t *length);

#endif
