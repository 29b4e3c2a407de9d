/* The writing end of a recording. A record is put together in one buffer and handed to the kernel with one write, so that a reader
 * sees it whole almost always, and knows by its checksum when it does not. */
#include "record/file/recording_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sha256.h"
#include "record/file/record.h"
#include "record/file/recording.h"

struct recording_writer {
  int file;
  int index; /* -1 once the index could not be written: it is only a help */
  char *path;
  uint64_t seq; /* stands behind this record */
  uint64_t offset;
  uint64_t newest; /* last whole record in the file */
  uint64_t bytes;  /* end of the last whole record */
  bool tail_cut;   /* nothing lies behind `bytes` */
  sha256 digest;   /* of the headers of records 1 ... seq */
  scr_recording *found;
  unsigned char *record, *there; /* [capacity] the record being appended; the same one in the file */
  size_t capacity;
};

static int write_at(int file, const unsigned char *bytes, size_t size, uint64_t offset)
{
  while (size > 0) {
    ssize_t written = pwrite(file, bytes, size, (off_t)offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes += written;
    size -= (size_t)written;
    offset += (size_t)written;
  }
  return 0;
}

static void extend_index(recording_writer *writer, const scr_record_header *header, uint64_t offset)
{
  if (writer->index < 0) return;
  index_entry entry = index_entry_make(header, offset);
  if (write(writer->index, &entry, sizeof entry) == (ssize_t)sizeof entry) return;
  close(writer->index);
  writer->index = -1;
}

/* Starts the index anew from the records found, so that it never says more than the recording holds. It is not synced: a reader believes
 * nothing in it that the recording does not confirm. */
static void rewrite_index(recording_writer *writer)
{
  char path[PATH_MAX];
  if (!index_path(writer->path, path, sizeof path)) return;
  writer->index = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  if (writer->index < 0) return;
  ssize_t head = sizeof RECORD_INDEX_MAGIC - 1;
  if (write(writer->index, RECORD_INDEX_MAGIC, (size_t)head) != head) {
    close(writer->index);
    writer->index = -1;
  }
  for (uint64_t seq = 1; seq <= scr_recording_count(writer->found); seq++)
    extend_index(writer, scr_recording_header(writer->found, seq), recording_offset(writer->found, seq));
}

static scr_status open_file(recording_writer *writer, const char *path, scr_error *error)
{
  writer->path = strdup(path);
  if (!writer->path) return scr_fail_memory(error, "a recording's writer", strlen(path));
  writer->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
  if (writer->file < 0) return scr_fail_io(error, "open for writing", path, errno);
  SCR_TRY(recording_open(path, false, &writer->found, error));
  if (scr_recording_bytes(writer->found) == 0) {
    int failure = write_at(writer->file, (const unsigned char *)SCR_FILE_MAGIC, SCR_FILE_MAGIC_BYTES, 0);
    if (failure) return scr_fail_io(error, "write", path, failure);
    SCR_TRY(scr_recording_refresh(writer->found, error));
  }
  writer->newest = scr_recording_count(writer->found);
  writer->bytes = scr_recording_bytes(writer->found);
  writer->offset = SCR_FILE_MAGIC_BYTES;
  rewrite_index(writer);
  return SCR_OK;
}

scr_status recording_writer_open(const char *path, recording_writer **out, scr_error *error)
{
  *out = NULL;
  recording_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return scr_fail_memory(error, "a recording's writer", sizeof *writer);
  writer->file = writer->index = -1;
  sha256_begin(&writer->digest);
  scr_status status = path ? open_file(writer, path, error) : SCR_OK;
  if (status != SCR_OK) {
    recording_writer_close(writer);
    return status;
  }
  *out = writer;
  return SCR_OK;
}

void recording_writer_close(recording_writer *writer)
{
  if (!writer) return;
  if (writer->file >= 0) close(writer->file);
  if (writer->index >= 0) close(writer->index);
  scr_recording_close(writer->found);
  free(writer->path);
  free(writer->record);
  free(writer->there);
  free(writer);
}

/* Moves to a record that was found when the file was opened. */
static void stand_behind(recording_writer *writer, uint64_t seq)
{
  sha256_begin(&writer->digest);
  for (uint64_t k = 1; k <= seq; k++) sha256_add(&writer->digest, scr_recording_header(writer->found, k), sizeof(scr_record_header));
  writer->seq = seq;
}

scr_status recording_writer_seek(recording_writer *writer, uint64_t seq, uint64_t offset, scr_error *error)
{
  if (!writer->path) {
    writer->seq = writer->newest = seq;
    return SCR_OK;
  }
  if (seq > scr_recording_count(writer->found) || recording_offset(writer->found, seq + 1) != offset)
    return scr_fail(error, SCR_MISMATCH, NULL, "record %llu of %s does not end at byte %llu: the checkpoint belongs to another recording",
                    (unsigned long long)seq, writer->path, (unsigned long long)offset);
  stand_behind(writer, seq);
  writer->offset = offset;
  return SCR_OK;
}

void recording_writer_seek_end(recording_writer *writer)
{
  stand_behind(writer, writer->newest);
  writer->offset = writer->bytes;
}

/* Makes both buffers hold `size` bytes. */
static scr_status reserve(recording_writer *writer, size_t size, scr_error *error)
{
  if (size <= writer->capacity) return SCR_OK;
  size_t capacity = size + size / 2;
  unsigned char *record = realloc(writer->record, capacity);
  if (record) writer->record = record;
  unsigned char *there = record ? realloc(writer->there, capacity) : NULL;
  if (there) writer->there = there;
  if (!there) return scr_fail_memory(error, "a record", capacity);
  writer->capacity = capacity;
  return SCR_OK;
}

/* The record was recorded before: it must be the same one. */
static scr_status compare(recording_writer *writer, const scr_record_header *header, size_t size, scr_error *error)
{
  const scr_record_header *there = scr_recording_header(writer->found, header->seq);
  bool same = there && record_header_same(there, header);
  if (same) {
    SCR_TRY(scr_recording_read(writer->found, header->seq, writer->there, size, error));
    same = memcmp(writer->there, writer->record, size) == 0;
  }
  if (!same)
    return scr_fail(
        error, SCR_MISMATCH, NULL,
        "record %llu (t = %g s) of %s came out differently when it was computed again: it was recorded by another scene, version or "
        "kind of processor, or the method is not deterministic; start in a new directory",
        (unsigned long long)header->seq, header->sim_time, writer->path);
  return SCR_OK;
}

/* The first record behind what was found cuts off the torn tail: it can only be the rest of a write that never ended. */
static scr_status extend(recording_writer *writer, const scr_record_header *header, size_t size, scr_error *error)
{
  if (!writer->tail_cut) {
    if (ftruncate(writer->file, (off_t)writer->bytes) != 0) return scr_fail_io(error, "cut the torn tail of", writer->path, errno);
    writer->tail_cut = true;
  }
  int failure = write_at(writer->file, writer->record, size, writer->offset);
  if (failure) {
    writer->tail_cut = false;
    return scr_fail(error, SCR_IO, NULL,
                    "record %llu (%zu bytes) could not be written to %s: %s; the run can be resumed once there is room",
                    (unsigned long long)header->seq, size, writer->path, strerror(failure));
  }
  extend_index(writer, header, writer->offset);
  writer->newest = header->seq;
  writer->bytes = writer->offset + size;
  return SCR_OK;
}

scr_status recording_writer_append(recording_writer *writer, scr_record_type type, double sim_time, const void *payload, size_t size,
                                   scr_error *error)
{
  if (!writer->path) {
    writer->newest = ++writer->seq;
    return SCR_OK;
  }
  if (size > UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a record of %zu bytes is longer than the %u a record can be", size, UINT32_MAX);
  scr_record_header header = {.size = (uint32_t)size, .type = (uint16_t)type, .seq = writer->seq + 1, .sim_time = sim_time};
  size_t bytes = SCR_RECORD_BYTES(size);
  SCR_TRY(reserve(writer, bytes, error));
  memset(writer->record + bytes - 8, 0, 8); /* the padding; the payload's end then covers what is not padding */
  if (size) memcpy(writer->record + sizeof header, payload, size);
  header.crc32c = record_crc(&header, writer->record + sizeof header);
  memcpy(writer->record, &header, sizeof header);
  SCR_TRY(writer->seq < writer->newest ? compare(writer, &header, bytes, error) : extend(writer, &header, bytes, error));
  sha256_add(&writer->digest, &header, sizeof header);
  writer->seq++;
  writer->offset += bytes;
  return SCR_OK;
}

scr_status recording_writer_sync(recording_writer *writer, scr_error *error)
{
  return writer->path && fsync(writer->file) != 0 ? scr_fail_io(error, "sync", writer->path, errno) : SCR_OK;
}

uint64_t recording_writer_seq(const recording_writer *writer)
{
  return writer->seq;
}

uint64_t recording_writer_offset(const recording_writer *writer)
{
  return writer->offset;
}

void recording_writer_digest(const recording_writer *writer, char *text)
{
  sha256_text(&writer->digest, text);
}

uint64_t recording_writer_newest(const recording_writer *writer)
{
  return writer->newest;
}

scr_recording *recording_writer_found(recording_writer *writer)
{
  return writer->found;
}
