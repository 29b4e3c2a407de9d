/** JSON text to a tree, telling a lack of memory from text that is no JSON. */
#ifndef SCREE_BASE_JSON_READER_H
#define SCREE_BASE_JSON_READER_H

#include <jansson.h>

#include "scree.h"

/** Parses `length` bytes at `text`.
 *  @param flags  jansson's decoding flags, such as JSON_REJECT_DUPLICATES
 *  @param value  receives a new reference on SCR_OK, else NULL
 *  @param where  filled on SCR_BAD_FILE: line, column and what is wrong there; may be NULL
 *  @return SCR_OK, SCR_BAD_FILE (not JSON), SCR_NO_MEMORY */
scr_status json_read(const char *text, size_t length, size_t flags, json_t **value, json_error_t *where);

#endif
