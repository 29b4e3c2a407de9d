/** Writing a recording: appending new records, and comparing records that are made a second time with those already there.
 *
 *  A writer stands behind record `seq` at byte `offset`. While whole records lie ahead of it in the file (a run that was interrupted is
 *  being computed again), an appended record must be byte for byte the next one there. At the end of the whole records a torn tail is cut
 *  off and writing goes on. One writer per file; the run's lock sees to that. SIGXFSZ should be ignored by the program, so that a file
 *  size limit is an error and not a death. */
#ifndef SCREE_RECORD_RECORDING_WRITER_H
#define SCREE_RECORD_RECORDING_WRITER_H

#include <stdint.h>

#include "scree.h"

typedef struct recording_writer recording_writer;

/** Opens `path` for writing, creating it if missing, standing before its first record, and rewrites the sidecar index. NULL: a writer
 * without a file, which only counts, for a process that shares a run whose recording another one writes; it has found NULL.
 *  @return SCR_OK, SCR_BAD_FILE (something else lies there), SCR_IO, SCR_NO_MEMORY */
scr_status recording_writer_open(const char *path, recording_writer **out, scr_error *error);
void recording_writer_close(recording_writer *writer);

/** Moves behind record `seq`, which must end at byte `offset`. SCR_MISMATCH (and nothing changed) when it does not. */
scr_status recording_writer_seek(recording_writer *writer, uint64_t seq, uint64_t offset, scr_error *error);
/** Moves behind the last whole record. */
void recording_writer_seek_end(recording_writer *writer);

/** Appends or compares the next record. @param size bytes of payload, at most UINT32_MAX
 *  @return SCR_OK, SCR_MISMATCH naming the record, SCR_IO (full disk: resuming heals it), SCR_NO_MEMORY */
scr_status recording_writer_append(recording_writer *writer, scr_record_type type, double sim_time, const void *payload, size_t size,
                                   scr_error *error);

/** Makes all that was appended survive a loss of power. */
scr_status recording_writer_sync(recording_writer *writer, scr_error *error);

uint64_t recording_writer_seq(const recording_writer *writer);    /**< the record it stands behind, 0 at the start */
uint64_t recording_writer_offset(const recording_writer *writer); /**< bytes up to there, magic included */
/** SHA-256 of the headers of the records it stands behind, as the `end` record has it. @param text [65] */
void recording_writer_digest(const recording_writer *writer, char *text);
uint64_t recording_writer_newest(const recording_writer *writer); /**< last whole record in the file */
/** The reader of what was there when it was opened: to look for an `end` record. Owned by the writer. */
scr_recording *recording_writer_found(recording_writer *writer);

#endif
