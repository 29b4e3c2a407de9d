/** Recordings from before event tables took rows at every step have their broken bonds in records of a type of their own. They are read as
 *  the table "breaks" that recordings have now. */
#ifndef SCREE_RECORD_OLD_BREAKS_H
#define SCREE_RECORD_OLD_BREAKS_H

#include "record/topology.h"

enum { OLD_BREAKS_NUMBER = UINT32_MAX }; /**< scr_table.number of that table: it is in no topology */

/** Adds the table to a topology that has none, when it is of a recording that may have such records. SCR_NO_MEMORY. */
scr_status old_breaks_declare(scr_topology *topology, scr_error *error);

/** How many rows a record holds. SCR_BAD_FILE when it is none of that type. */
scr_status old_breaks_count(const void *payload, size_t size, size_t *count, scr_error *error);

/** Its rows. @param rows [count][columns of the table] */
void old_breaks_rows(const void *payload, size_t count, double *rows);

#endif
