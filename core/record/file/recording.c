/* Reading a recording that may still be growing.
 *
 * The reader keeps one entry per whole record: its header and where it lies. Opening takes the entries that the sidecar index offers and
 * that agree with the file, then scans what follows record by record, checking size, type, seq and CRC; the first record that is not
 * whole ends the scan and is looked at again by the next refresh. Nothing in either file is trusted: what the index says of a payload is
 * checked when the payload is read. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "record/file/crc32c.h"
#include "record/file/record.h"
#include "record/file/recording.h"

enum { scan_bytes = 1 << 18, type_count = SCR_RECORD_TYPE_COUNT };

typedef struct place {
  scr_record_header header;
  uint64_t offset;
  bool checked; /* the payload fits the checksum */
} place;

struct scr_recording {
  int file;
  char *path;
  place *places; /* [count] */
  size_t count, capacity;
  uint64_t bytes; /* of the whole records, magic included; 0 before the magic is there */
  uint64_t newest[type_count];
  bool cut;            /* there is damage behind the last record: nothing more is taken */
  unsigned char *scan; /* [scan_bytes] */
};

/* Reads up to `size` bytes; fewer only at the end of the file. -1 with errno on failure. */
static ssize_t read_at(int file, void *bytes, size_t size, uint64_t offset)
{
  size_t done = 0;
  while (done < size) {
    ssize_t got = pread(file, (unsigned char *)bytes + done, size - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

static scr_status add_place(scr_recording *recording, const scr_record_header *header, scr_error *error)
{
  if (recording->count == recording->capacity) {
    size_t capacity = recording->capacity ? recording->capacity * 2 : 64;
    place *places = realloc(recording->places, capacity * sizeof *places);
    if (!places) return scr_fail_memory(error, "the list of records", capacity * sizeof *places);
    recording->places = places;
    recording->capacity = capacity;
  }
  recording->places[recording->count++] = (place){.header = *header, .offset = recording->bytes};
  recording->newest[header->type] = header->seq;
  recording->bytes += SCR_RECORD_BYTES(header->size);
  return SCR_OK;
}

/* CRC of the record at `offset`, its payload taken from the file piece by piece. False when the payload is not all there. */
static scr_status check_payload(scr_recording *recording, const scr_record_header *header, uint64_t offset, bool *whole, scr_error *error)
{
  uint64_t at = offset + sizeof *header, left = SCR_RECORD_BYTES(header->size) - sizeof *header;
  uint32_t crc = record_header_crc(header);
  while (left > 0) {
    size_t piece = left < scan_bytes ? (size_t)left : scan_bytes;
    ssize_t got = read_at(recording->file, recording->scan, piece, at);
    if (got < 0) return scr_fail_io(error, "read", recording->path, errno);
    if ((size_t)got < piece) break;
    crc = crc32c(crc, recording->scan, piece);
    at += piece;
    left -= piece;
  }
  *whole = left == 0 && crc == header->crc32c;
  return SCR_OK;
}

/* Looks at the file's first bytes once they are there. A file that is still shorter is a recording about to begin. */
static scr_status check_magic(scr_recording *recording, uint64_t file_size, scr_error *error)
{
  char magic[SCR_FILE_MAGIC_BYTES] = {0};
  size_t there = file_size < sizeof magic ? (size_t)file_size : sizeof magic;
  ssize_t got = read_at(recording->file, magic, there, 0);
  if (got < 0) return scr_fail_io(error, "read", recording->path, errno);
  if (memcmp(magic, SCR_FILE_MAGIC, (size_t)got) != 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "%s is not a recording of this version: it does not begin with 'SCREE' and version 1",
                    recording->path);
  if ((size_t)got == sizeof magic) recording->bytes = sizeof magic;
  return SCR_OK;
}

scr_status recording_file_size(const scr_recording *recording, uint64_t *size, scr_error *error)
{
  struct stat about;
  if (fstat(recording->file, &about) != 0) return scr_fail_io(error, "look at", recording->path, errno);
  *size = (uint64_t)about.st_size;
  return SCR_OK;
}

/* Takes the index's entries as long as each is sound, joins the one before and has the same header as the file has in that place. */
static scr_status take_index(scr_recording *recording, uint64_t file_size, scr_error *error)
{
  char path[PATH_MAX];
  if (!index_path(recording->path, path, sizeof path)) return SCR_OK;
  int index = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (index < 0) return SCR_OK;
  char magic[sizeof RECORD_INDEX_MAGIC - 1];
  bool good = read_at(index, magic, sizeof magic, 0) == (ssize_t)sizeof magic && memcmp(magic, RECORD_INDEX_MAGIC, sizeof magic) == 0;
  scr_status status = SCR_OK;
  index_entry *entries = (index_entry *)(void *)recording->scan;
  const size_t batch = scan_bytes / sizeof *entries;
  for (uint64_t at = sizeof magic; good && status == SCR_OK;) {
    ssize_t got = read_at(index, entries, batch * sizeof *entries, at);
    size_t there = got > 0 ? (size_t)got / sizeof *entries : 0;
    good = there == batch;
    at += there * sizeof *entries;
    for (size_t i = 0; i < there && status == SCR_OK; i++) {
      const scr_record_header *header = &entries[i].header;
      scr_record_header in_file;
      if (!index_entry_valid(&entries[i]) || entries[i].offset != recording->bytes || !record_header_valid(header, recording->count + 1) ||
          file_size - recording->bytes < SCR_RECORD_BYTES(header->size) ||
          read_at(recording->file, &in_file, sizeof in_file, recording->bytes) != (ssize_t)sizeof in_file ||
          !record_header_same(&in_file, header) || scr_recording_ended(recording)) {
        good = false;
        break;
      }
      status = add_place(recording, header, error);
    }
  }
  close(index);
  return status;
}

scr_status scr_recording_refresh(scr_recording *recording, scr_error *error)
{
  uint64_t file_size = 0;
  if (recording->cut) return SCR_OK;
  SCR_TRY(recording_file_size(recording, &file_size, error));
  if (file_size < recording->bytes)
    return scr_fail(error, SCR_BAD_FILE, NULL, "%s shrank from at least %llu to %llu bytes: recordings only grow; open it anew",
                    recording->path, (unsigned long long)recording->bytes, (unsigned long long)file_size);
  if (recording->bytes == 0) {
    SCR_TRY(check_magic(recording, file_size, error));
    if (recording->bytes == 0) return SCR_OK;
  }
  while (!scr_recording_ended(recording) && file_size - recording->bytes >= sizeof(scr_record_header)) {
    scr_record_header header;
    ssize_t got = read_at(recording->file, &header, sizeof header, recording->bytes);
    if (got < 0) return scr_fail_io(error, "read", recording->path, errno);
    if ((size_t)got < sizeof header || !record_header_valid(&header, recording->count + 1)) break;
    if (file_size - recording->bytes < SCR_RECORD_BYTES(header.size)) break;
    bool whole = false;
    SCR_TRY(check_payload(recording, &header, recording->bytes, &whole, error));
    if (!whole) break;
    SCR_TRY(add_place(recording, &header, error));
    recording->places[recording->count - 1].checked = true;
  }
  return SCR_OK;
}

static scr_status open_file(scr_recording *recording, const char *path, bool use_index, scr_error *error)
{
  recording->path = strdup(path);
  recording->scan = malloc(scan_bytes);
  if (!recording->path || !recording->scan) return scr_fail_memory(error, "a recording's reader", scan_bytes);
  /* O_NONBLOCK: opening a FIFO somebody left there must not hang. */
  recording->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (recording->file < 0) return scr_fail_io(error, "open", path, errno);
  struct stat about;
  if (fstat(recording->file, &about) != 0) return scr_fail_io(error, "look at", path, errno);
  if (!S_ISREG(about.st_mode)) return scr_fail(error, SCR_BAD_FILE, NULL, "%s is not a plain file", path);
  SCR_TRY(check_magic(recording, (uint64_t)about.st_size, error));
  if (use_index && recording->bytes) SCR_TRY(take_index(recording, (uint64_t)about.st_size, error));
  return scr_recording_refresh(recording, error);
}

scr_status recording_open(const char *path, bool use_index, scr_recording **out, scr_error *error)
{
  *out = NULL;
  scr_recording *recording = calloc(1, sizeof *recording);
  if (!recording) return scr_fail_memory(error, "a recording's reader", sizeof *recording);
  recording->file = -1;
  scr_status status = open_file(recording, path, use_index, error);
  if (status != SCR_OK) {
    scr_recording_close(recording);
    return status;
  }
  *out = recording;
  return SCR_OK;
}

scr_status scr_recording_open(const char *path, scr_recording **recording, scr_error *error)
{
  return recording_open(path, true, recording, error);
}

void scr_recording_close(scr_recording *recording)
{
  if (!recording) return;
  if (recording->file >= 0) close(recording->file);
  free(recording->path);
  free(recording->places);
  free(recording->scan);
  free(recording);
}

uint64_t scr_recording_count(const scr_recording *recording)
{
  return recording->count;
}

uint64_t scr_recording_bytes(const scr_recording *recording)
{
  return recording->bytes;
}

bool scr_recording_ended(const scr_recording *recording)
{
  return recording->newest[SCR_RECORD_END] != 0;
}

const scr_record_header *scr_recording_header(const scr_recording *recording, uint64_t seq)
{
  return seq >= 1 && seq <= recording->count ? &recording->places[seq - 1].header : NULL;
}

scr_status recording_bytes_at(scr_recording *recording, uint64_t offset, void *bytes, size_t size, bool *there, scr_error *error)
{
  ssize_t got = read_at(recording->file, bytes, size, offset);
  if (got < 0) return scr_fail_io(error, "read", recording->path, errno);
  *there = (size_t)got == size;
  return SCR_OK;
}

scr_status recording_check_record(scr_recording *recording, uint64_t seq, bool *whole, scr_error *error)
{
  place *at = &recording->places[seq - 1];
  scr_record_header in_file = {0};
  *whole = at->checked;
  if (at->checked) return SCR_OK;
  SCR_TRY(recording_bytes_at(recording, at->offset, &in_file, sizeof in_file, whole, error));
  if (*whole) *whole = record_header_same(&in_file, &at->header);
  if (*whole) SCR_TRY(check_payload(recording, &at->header, at->offset, whole, error));
  at->checked = *whole;
  return SCR_OK;
}

void recording_cut(scr_recording *recording, uint64_t count)
{
  recording->cut = true;
  if (count >= recording->count) return;
  recording->bytes = recording->places[count].offset;
  recording->count = (size_t)count;
  memset(recording->newest, 0, sizeof recording->newest);
  for (size_t i = 0; i < recording->count; i++) recording->newest[recording->places[i].header.type] = i + 1;
}

uint64_t recording_offset(const scr_recording *recording, uint64_t seq)
{
  return seq >= 1 && seq <= recording->count ? recording->places[seq - 1].offset : recording->bytes;
}

uint64_t scr_recording_next(const scr_recording *recording, uint64_t seq, unsigned type_mask)
{
  for (uint64_t i = seq; i < recording->count; i++)
    if (type_mask & 1u << recording->places[i].header.type) return i + 1;
  return 0;
}

uint64_t scr_recording_newest(const scr_recording *recording, unsigned type_mask)
{
  uint64_t newest = 0;
  for (unsigned type = SCR_RECORD_SCENE; type < type_count; type++)
    if (type_mask & 1u << type && recording->newest[type] > newest) newest = recording->newest[type];
  return newest;
}

scr_status scr_recording_read(scr_recording *recording, uint64_t seq, void *buffer, size_t capacity, scr_error *error)
{
  if (seq < 1 || seq > recording->count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "record %llu was asked for; %s has 1 to %zu", (unsigned long long)seq, recording->path,
                    recording->count);
  const place *at = &recording->places[seq - 1];
  size_t size = SCR_RECORD_BYTES(at->header.size);
  if (capacity < size)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a buffer of %zu bytes is too small for record %llu of %zu bytes", capacity,
                    (unsigned long long)seq, size);
  ssize_t got = read_at(recording->file, buffer, size, at->offset);
  if (got < 0) return scr_fail_io(error, "read", recording->path, errno);
  scr_record_header in_file = {0};
  if ((size_t)got == size) memcpy(&in_file, buffer, sizeof in_file);
  if ((size_t)got < size || !record_header_same(&in_file, &at->header) ||
      record_crc(&at->header, (const unsigned char *)buffer + sizeof at->header) != at->header.crc32c)
    return scr_fail(error, SCR_BAD_FILE, NULL, "record %llu of %s is damaged: its checksum does not fit its content",
                    (unsigned long long)seq, recording->path);
  return SCR_OK;
}

scr_status recording_payload(scr_recording *recording, uint64_t seq, void **record, const void **payload, size_t *size, scr_error *error)
{
  *record = NULL;
  const scr_record_header *header = scr_recording_header(recording, seq);
  if (!header) return scr_fail(error, SCR_BAD_USAGE, NULL, "%s has no record %llu", recording->path, (unsigned long long)seq);
  size_t bytes = SCR_RECORD_BYTES(header->size);
  void *buffer = malloc(bytes);
  if (!buffer) return scr_fail_memory(error, "a record", bytes);
  scr_status status = scr_recording_read(recording, seq, buffer, bytes, error);
  if (status != SCR_OK) {
    free(buffer);
    return status;
  }
  *record = buffer;
  *payload = (const unsigned char *)buffer + sizeof *header;
  *size = header->size;
  return SCR_OK;
}
