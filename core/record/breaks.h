/** Broken bonds on their way into a recording. Reading them back is public: scr_breaks_read. */
#ifndef SCREE_RECORD_BREAKS_H
#define SCREE_RECORD_BREAKS_H

#include "scree.h"

/** Bonds broken since the last record of them. Starts zeroed; owned by the simulation. */
typedef struct break_log {
  scr_break *items;
  size_t count, capacity;
} break_log;

/** Appends one. SCR_NO_MEMORY. */
scr_status break_log_add(break_log *log, const scr_break *entry, scr_error *error);
void break_log_clear(break_log *log);

/** Header of a `breaks` record's payload; the entries follow, scr_break each. */
typedef struct break_header {
  uint64_t first;    /**< number of the first entry: how many were recorded before */
  uint32_t count;    /**< entries */
  uint32_t reserved; /**< 0 */
} break_header;

#endif
