/** What a check of a recording found as JSON, the same over HTTP and on the command line. */
#ifndef SCREE_API_SHAPES_CHECK_JSON_H
#define SCREE_API_SHAPES_CHECK_JSON_H

#include <jansson.h>

#include "scree.h"

/** New reference; NULL: no memory. */
json_t *check_json(const scr_check *check);

#endif
