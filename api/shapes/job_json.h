/** A job and its estimate as JSON, the same over HTTP and in the stream. */
#ifndef SCREE_API_SHAPES_JOB_JSON_H
#define SCREE_API_SHAPES_JOB_JSON_H

#include <jansson.h>

#include "server/lab.h"

/** New references; NULL: no memory. */
json_t *job_json(const lab_job *job);
json_t *estimate_json(const scr_estimate *estimate);
json_t *totals_json(const lab_totals *totals);

#endif
