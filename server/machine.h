/** What was measured of this machine by `scree bench ranks`, kept in the user's state folder as machine.json; checks estimate by it what
 * ranks gain. */
#ifndef SCREE_SERVER_MACHINE_H
#define SCREE_SERVER_MACHINE_H

#include "sim/sharing.h"

enum { MACHINE_SOURCE_BYTES = 120 };

typedef struct machine {
  sharing_model sharing; /**< as measured; sharing_usual() where nothing was */
  char measured[11];     /**< day, "2026-11-27"; "": nothing was measured here */
  unsigned processors;   /**< that the machine had then */
  double largest_error;  /**< of the model against what was measured, relative */
} machine;

/** Path of the file. @return false: the user has no home */
bool machine_path(char *path, size_t capacity);

/** Reads it. One that is not there, or can't be read, leaves what is usual. @param path NULL: machine_path */
void machine_read(const char *path, machine *known);

/** Writes it as a whole, with the folders above it. @param path NULL: machine_path    @return SCR_OK, SCR_IO, SCR_NO_MEMORY, SCR_BAD_USAGE
 * (no home) */
scr_status machine_write(const char *path, const machine *known, scr_error *error);

/** Where its model comes from, for sharing_warn: "as measured here on 2026-11-27". */
void machine_source(const machine *known, char source[MACHINE_SOURCE_BYTES]);

#endif
