/* Bytes written and read back with checks: what checkpoints are made of. */
#include "record/file/blob.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scr_blob_destroy(scr_blob *blob)
{
  if (!blob) return;
  free(blob->data);
  *blob = (scr_blob){0};
}

static scr_status reserve(scr_blob *blob, size_t extra, scr_error *error)
{
  size_t needed;
  if (__builtin_add_overflow(blob->size, extra, &needed)) return scr_fail_memory(error, "a checkpoint", SIZE_MAX);
  if (needed <= blob->capacity) return SCR_OK;
  size_t capacity = blob->capacity < 4096 ? 4096 : blob->capacity;
  while (capacity < needed)
    if (__builtin_mul_overflow(capacity, (size_t)2, &capacity)) return scr_fail_memory(error, "a checkpoint", needed);
  unsigned char *data = realloc(blob->data, capacity);
  if (!data) return scr_fail_memory(error, "a checkpoint", capacity);
  blob->data = data;
  blob->capacity = capacity;
  return SCR_OK;
}

enum { sink_bytes = 1 << 18 };

scr_status scr_blob_flush(scr_blob *blob, scr_error *error)
{
  size_t held = blob->size - blob->given;
  if (!blob->sink || held == 0) return SCR_OK;
  SCR_TRY(blob->sink(blob->sink_user, blob->data, held, error));
  blob->given = blob->size;
  return SCR_OK;
}

/* Small pieces gather in the buffer, large ones pass it by. */
static scr_status write_through(scr_blob *blob, const void *bytes, size_t size, scr_error *error)
{
  if (!blob->data) {
    blob->data = malloc(sink_bytes);
    if (!blob->data) return scr_fail_memory(error, "a checkpoint's buffer", sink_bytes);
    blob->capacity = sink_bytes;
  }
  if (size > blob->capacity - (blob->size - blob->given)) SCR_TRY(scr_blob_flush(blob, error));
  if (size >= blob->capacity) {
    SCR_TRY(blob->sink(blob->sink_user, bytes, size, error));
    blob->given += size;
  } else {
    memcpy(blob->data + (blob->size - blob->given), bytes, size);
  }
  blob->size += size;
  return SCR_OK;
}

scr_status scr_blob_write(scr_blob *blob, const void *bytes, size_t size, scr_error *error)
{
  if (size == 0) return SCR_OK;
  if (blob->sink) return write_through(blob, bytes, size, error);
  SCR_TRY(reserve(blob, size, error));
  memcpy(blob->data + blob->size, bytes, size);
  blob->size += size;
  return SCR_OK;
}

scr_status scr_blob_write_u64(scr_blob *blob, uint64_t value, scr_error *error)
{
  return scr_blob_write(blob, &value, sizeof value, error);
}

scr_status scr_blob_write_f64(scr_blob *blob, double value, scr_error *error)
{
  return scr_blob_write(blob, &value, sizeof value, error);
}

scr_status scr_blob_write_array(scr_blob *blob, const void *array, size_t count, size_t element_size, scr_error *error)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, element_size, &bytes)) return scr_fail_memory(error, "a checkpoint", SIZE_MAX);
  SCR_TRY(scr_blob_write_u64(blob, count, error));
  return scr_blob_write(blob, array, bytes, error);
}

scr_status scr_blob_read(scr_blob *blob, void *bytes, size_t size, scr_error *error)
{
  if (blob->cursor > blob->size || size > blob->size - blob->cursor)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint ends after %zu bytes; %zu more were expected", blob->size, size);
  if (size == 0) return SCR_OK;
  memcpy(bytes, blob->data + blob->cursor, size);
  blob->cursor += size;
  return SCR_OK;
}

scr_status scr_blob_read_u64(scr_blob *blob, uint64_t *value, scr_error *error)
{
  return scr_blob_read(blob, value, sizeof *value, error);
}

scr_status scr_blob_read_f64(scr_blob *blob, double *value, scr_error *error)
{
  return scr_blob_read(blob, value, sizeof *value, error);
}

scr_status scr_blob_read_finite(scr_blob *blob, void *array, size_t count, size_t element_size, const char *what, scr_error *error)
{
  const double *number = array;
  SCR_TRY(scr_blob_read_array(blob, array, count, element_size, what, error));
  for (size_t k = 0; k < count * (element_size / sizeof *number); k++)
    if (!isfinite(number[k]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's %s are not finite: number %zu is %g", what, k, number[k]);
  return SCR_OK;
}

scr_status scr_blob_peek_count(const scr_blob *blob, size_t *count, scr_error *error)
{
  scr_blob view = *blob; /* a copy's cursor moves instead of ours; the bytes are shared and only read */
  uint64_t stored = 0;
  SCR_TRY(scr_blob_read_u64(&view, &stored, error));
  *count = (size_t)stored;
  return SCR_OK;
}

scr_status scr_blob_read_array(scr_blob *blob, void *array, size_t count, size_t element_size, const char *what, scr_error *error)
{
  size_t stored = 0, bytes;
  SCR_TRY(scr_blob_peek_count(blob, &stored, error));
  if (stored != count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint holds %zu of %s; this scene has %zu", stored, what, count);
  if (__builtin_mul_overflow(count, element_size, &bytes) || bytes > blob->size - blob->cursor - sizeof(uint64_t))
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint ends in the middle of %s", what);
  blob->cursor += sizeof(uint64_t);
  return scr_blob_read(blob, array, bytes, error);
}
