/** Headlines in JSON, as records, the store and the service have them. */
#ifndef SCREE_RECORD_HEADLINES_H
#define SCREE_RECORD_HEADLINES_H

#include <jansson.h>

#include "scree.h"

/** [ {"name", "label", "unit", "value" (null: not known)} ]. New reference; NULL without memory. */
json_t *headlines_json(const scr_headline *headlines, size_t count);

/** Reads such a list; what is no headline in it is left out. @param headlines [SCR_HEADLINE_LIMIT]    @return how many */
size_t headlines_take_list(const json_t *list, scr_headline *headlines);

/** The headlines of a record: its key `headlines`, or what records from before there were any said instead. */
size_t headlines_take(const json_t *record, scr_headline *headlines);

#endif
