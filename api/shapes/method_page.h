/** The page of one method: what api/docs/methods/ says of it, then what its own tables say: shapes, options, keys of materials, curves. */
#ifndef SCREE_API_SHAPES_METHOD_PAGE_H
#define SCREE_API_SHAPES_METHOD_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/** @param written  the page that was written for it, "<main> ... </main>" in it; NULL: there is none, and the page begins with the method's
 *                  own summary
 *  @param found    out: false where there is no such method; what is returned then is NULL
 *  @return HTML from malloc, the caller's; NULL: no memory, or not found */
char *method_page_html(const char *name, const char *written, size_t *length, bool *found);

#endif
