/** A job, its estimate and a scene's problems as JSON, the same over HTTP, in the stream and on the command line. */
#ifndef SCREE_API_SHAPES_JOB_JSON_H
#define SCREE_API_SHAPES_JOB_JSON_H

#include <jansson.h>

#include "server/lab/lab.h"

/** New references; NULL: no memory. */
json_t *job_json(const lab_job *job);
json_t *estimate_json(const scr_estimate *estimate);
/** What takes the run's time, [{"what", "count", "seconds"}], as the method lists it; empty of a scene that another process checked. */
json_t *costs_json(const scr_estimate *estimate);
json_t *totals_json(const lab_totals *totals);

/** The `errors` of a problem document, or the `warnings` of a checked scene: an array of pointer, given, allowed, detail. */
json_t *problems_json(const scr_problems *problems);

#endif
