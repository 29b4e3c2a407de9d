/** An executor as JSON. */
#ifndef SCREE_API_SHAPES_EXECUTOR_JSON_H
#define SCREE_API_SHAPES_EXECUTOR_JSON_H

#include <jansson.h>

#include "server/lab/lab.h"

/** New reference; NULL: no memory. */
json_t *executor_json(const lab_executor *shown);

#endif
