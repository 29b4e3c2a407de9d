/** The `end` record: a run's verdict and totals (core/record/FORMAT.md). Reading it is public: scr_recording_end. */
#ifndef SCREE_RECORD_END_RECORD_H
#define SCREE_RECORD_END_RECORD_H

#include <jansson.h>

#include "scree.h"

/** The record's payload as an object with a fixed order of keys; numbers that are not finite become 0, which JSON can hold. New reference,
 *  NULL without memory. `end->verdict` must not be SCR_VERDICT_NONE. */
json_t *end_record_json(const scr_end *end);

#endif
