/** What a table is, as the topology and the service tell it: name, label and columns. */
#ifndef SCREE_RECORD_TABLE_JSON_H
#define SCREE_RECORD_TABLE_JSON_H

#include <jansson.h>

#include "scree.h"

/** { "name", "label", "columns": [ { "name", "unit", "label", "values" (only of columns with named values) } ] }. New reference; NULL
 *  without memory. */
json_t *table_json(const scr_table *table);

/** The same for a list of tables. New reference; NULL without memory. */
json_t *tables_json(const scr_table *tables, size_t count);

/** Reads such an object into a zeroed table. False when it is none, or without memory; table_clear frees what was read. */
bool table_take(const json_t *object, scr_table *table);

#endif
