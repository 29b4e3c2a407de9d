/** Bytes that checkpoints are made of: a growing buffer, or, with a sink, a small one whose content goes to a file as it fills, so that
 *  saving takes no memory in proportion to the state. Little-endian, no padding. */
#ifndef SCREE_RECORD_BLOB_H
#define SCREE_RECORD_BLOB_H

#include "base/error.h"

/** Takes the next bytes of a blob that is written. */
typedef scr_status (*scr_blob_sink)(void *user, const void *bytes, size_t size, scr_error *error);

typedef struct scr_blob {
  unsigned char *data; /**< owned, but for a blob that is a view of bytes that others own; with a sink what it was not given yet */
  size_t size;         /**< bytes written, in all */
  size_t capacity;
  size_t cursor;      /**< next byte to read */
  scr_blob_sink sink; /**< NULL: all bytes are kept in `data`. Else nothing can be read back */
  void *sink_user;
  size_t given; /**< bytes that the sink was given */
} scr_blob;

void scr_blob_destroy(scr_blob *blob);

/** Appends `size` bytes. SCR_NO_MEMORY. */
scr_status scr_blob_write(scr_blob *blob, const void *bytes, size_t size, scr_error *error);
scr_status scr_blob_write_u64(scr_blob *blob, uint64_t value, scr_error *error);
scr_status scr_blob_write_f64(scr_blob *blob, double value, scr_error *error);
/** Appends a count and the array. */
scr_status scr_blob_write_array(scr_blob *blob, const void *array, size_t count, size_t element_size, scr_error *error);

/** Gives the sink what it was not given yet. */
scr_status scr_blob_flush(scr_blob *blob, scr_error *error);

/** Takes the next bytes; SCR_BAD_FILE past the end. */
scr_status scr_blob_read(scr_blob *blob, void *bytes, size_t size, scr_error *error);
scr_status scr_blob_read_u64(scr_blob *blob, uint64_t *value, scr_error *error);
scr_status scr_blob_read_f64(scr_blob *blob, double *value, scr_error *error);
/** Reads an array that must have exactly `count` elements; SCR_BAD_FILE naming `what` otherwise. */
scr_status scr_blob_read_array(scr_blob *blob, void *array, size_t count, size_t element_size, const char *what, scr_error *error);
/** Reads as scr_blob_read_array elements that consist of doubles alone, which must all be finite. */
scr_status scr_blob_read_finite(scr_blob *blob, void *array, size_t count, size_t element_size, const char *what, scr_error *error);
/** Reads the count of the array that comes next, without moving on. */
scr_status scr_blob_peek_count(const scr_blob *blob, size_t *count, scr_error *error);

#endif
