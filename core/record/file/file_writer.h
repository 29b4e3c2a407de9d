/** Writing a file so that a reader, or a machine that loses power, sees the old content or the new, never a mixture: under a temporary name
 *  beside it, `PATH.tmp-XXXXXX`, that takes its place when all is written. */
#ifndef SCREE_RECORD_FILE_WRITER_H
#define SCREE_RECORD_FILE_WRITER_H

#include <limits.h>

#include "scree.h"

/** A file being written. After file_writer_begin it must be committed or abandoned. */
typedef struct file_writer {
  int file;
  char path[PATH_MAX], temporary[PATH_MAX];
} file_writer;

/** Opens the temporary file. After a failure there is nothing to abandon. @return SCR_OK, SCR_IO */
scr_status file_writer_begin(file_writer *writer, const char *path, scr_error *error);
/** Appends bytes. */
scr_status file_writer_write(file_writer *writer, const void *bytes, size_t size, scr_error *error);
/** Writes the first bytes anew, as many as were there before. */
scr_status file_writer_rewrite_head(file_writer *writer, const void *bytes, size_t size, scr_error *error);
/** Syncs the file, gives it its name and syncs the directory. On failure the old file stays, and the temporary one is gone. */
scr_status file_writer_commit(file_writer *writer, scr_error *error);
/** Removes the temporary file. */
void file_writer_abandon(file_writer *writer);

#endif
