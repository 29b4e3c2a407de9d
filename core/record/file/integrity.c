/* Whether a recording is all there. The reader stops at the first record that is not whole; here the file behind that record is searched
 * for others, as only a torn tail has none. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "record/file/crc32c.h"
#include "record/file/record.h"
#include "record/file/recording.h"

enum { piece_bytes = 1 << 18 };

/* What lies behind a damaged record. */
typedef struct survey {
  uint64_t found; /* whole records */
  uint64_t first; /* where the first of them begins in the file */
  uint64_t first_seq;
  uint64_t last_seq; /* of the last of them; 0 when there is none */
  double last_time;  /* s, of the last of them */
  bool ended;        /* it is an `end` record */
} survey;

/* Whether a whole record begins at `offset` whose number is above `seq`. */
static scr_status whole_record_at(scr_recording *recording, uint64_t offset, uint64_t file_size, uint64_t seq, unsigned char *piece,
                                  scr_record_header *header, bool *whole, scr_error *error)
{
  *whole = false;
  if (file_size < offset + sizeof *header) return SCR_OK;
  bool there;
  SCR_TRY(recording_bytes_at(recording, offset, header, sizeof *header, &there, error));
  if (!there || header->seq <= seq || header->seq - seq > (file_size - offset) / sizeof *header + 1 + seq ||
      !record_header_valid(header, header->seq) || file_size - offset < SCR_RECORD_BYTES(header->size))
    return SCR_OK;
  uint64_t at = offset + sizeof *header, left = SCR_RECORD_BYTES(header->size) - sizeof *header;
  uint32_t crc = record_header_crc(header);
  while (left > 0) {
    size_t size = left < piece_bytes ? (size_t)left : piece_bytes;
    SCR_TRY(recording_bytes_at(recording, at, piece, size, &there, error));
    if (!there) return SCR_OK;
    crc = crc32c(crc, piece, size);
    at += size;
    left -= size;
  }
  *whole = crc == header->crc32c;
  return SCR_OK;
}

/* Next offset at or after `from` where the header of a record above `seq` could stand. Records begin at multiples of 8. */
static scr_status next_candidate(scr_recording *recording, uint64_t from, uint64_t file_size, uint64_t seq, unsigned char *piece,
                                 uint64_t *candidate, scr_error *error)
{
  const size_t header_bytes = sizeof(scr_record_header);
  for (*candidate = file_size; from + header_bytes <= file_size;) {
    size_t size = file_size - from < piece_bytes ? (size_t)(file_size - from) : piece_bytes;
    bool there;
    SCR_TRY(recording_bytes_at(recording, from, piece, size, &there, error));
    if (!there) return SCR_OK;
    for (size_t at = 0; at + header_bytes <= size; at += 8) {
      scr_record_header header;
      memcpy(&header, piece + at, sizeof header);
      if (header.seq <= seq || !record_header_valid(&header, header.seq)) continue;
      *candidate = from + at;
      return SCR_OK;
    }
    if (size < piece_bytes) return SCR_OK;
    from += size - header_bytes + 8;
  }
  return SCR_OK;
}

/* Searches the file from a record that is not whole on. */
static scr_status look_behind(scr_recording *recording, uint64_t bad_seq, uint64_t offset, survey *found, scr_error *error)
{
  *found = (survey){0};
  uint64_t file_size, at = offset, seq = bad_seq;
  SCR_TRY(recording_file_size(recording, &file_size, error));
  unsigned char *piece = malloc(piece_bytes);
  if (!piece) return scr_fail_memory(error, "looking behind a damaged record", piece_bytes);
  scr_record_header header;
  bool whole = false, jumped = false;
  scr_status status = SCR_OK;
  if (file_size >= offset + sizeof header) status = recording_bytes_at(recording, offset, &header, sizeof header, &whole, error);
  /* The quick way, when only its content is damaged: by its own length. */
  jumped = status == SCR_OK && whole && record_header_valid(&header, bad_seq) && file_size - offset > SCR_RECORD_BYTES(header.size);
  if (jumped) at += SCR_RECORD_BYTES(header.size);
  while (status == SCR_OK && at < file_size && !found->ended) {
    status = whole_record_at(recording, at, file_size, seq, piece, &header, &whole, error);
    if (status == SCR_OK && whole) {
      jumped = false;
      if (found->found++ == 0) {
        found->first = at;
        found->first_seq = header.seq;
      }
      found->last_seq = seq = header.seq;
      found->last_time = header.sim_time;
      found->ended = header.type == SCR_RECORD_END;
      at += SCR_RECORD_BYTES(header.size);
    } else if (status == SCR_OK) {
      uint64_t from = jumped ? offset + 8 : at + 8; /* where the jump led nowhere, its length may be what is damaged */
      jumped = false;
      status = next_candidate(recording, from, file_size, seq, piece, &at, error);
    }
  }
  free(piece);
  return status;
}

static void time_text(double time, char *text, size_t capacity)
{
  snprintf(text, capacity, isfinite(time) ? "%g s" : "?", time);
}

static void describe_damage(scr_check *check, const survey *behind, uint64_t file_size)
{
  char of[40] = "", from[32], to[32];
  if (check->expected) snprintf(of, sizeof of, " of %" PRIu64, check->expected);
  time_text(check->time, from, sizeof from);
  time_text(behind->last_time, to, sizeof to);
  if (behind->found == 0) {
    snprintf(check->message, sizeof check->message,
             "it ends after record %" PRIu64 "%s (t = %s): %" PRIu64 " records are missing from byte %" PRIu64 " on", check->records, of,
             from, check->expected - check->records, check->offset);
    return;
  }
  uint64_t last_bad = behind->first_seq - 1;
  char which[128];
  if (last_bad > check->damaged)
    snprintf(which, sizeof which, "records %" PRIu64 " to %" PRIu64 "%s are", check->damaged, last_bad, of);
  else
    snprintf(which, sizeof which, "record %" PRIu64 "%s is", check->damaged, of);
  uint64_t lost = behind->last_seq - last_bad - behind->found;
  char more[64] = "";
  if (lost) snprintf(more, sizeof more, ", and %" PRIu64 " more among those behind", lost);
  snprintf(check->message, sizeof check->message,
           "%s damaged (bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64 ")%s: %" PRIu64
           " whole records lie before, up to t = %s, and %" PRIu64 " behind, up to t = %s",
           which, check->offset, behind->first - 1, file_size, more, check->records, from, behind->found, to);
}

/* First record whose payload does not fit its checksum; 0 when there is none. */
static scr_status first_damaged(scr_recording *recording, uint64_t *seq, scr_error *error)
{
  uint64_t count = scr_recording_count(recording);
  bool whole = true;
  for (*seq = 1; *seq <= count; ++*seq) {
    SCR_TRY(recording_check_record(recording, *seq, &whole, error));
    if (!whole) return SCR_OK;
  }
  *seq = 0;
  return SCR_OK;
}

/* Compares the end record's count and digest with what is there. */
static scr_status check_end(scr_recording *recording, scr_check *check, scr_error *error)
{
  scr_end *end = calloc(1, sizeof *end);
  if (!end) return scr_fail_memory(error, "an end record", sizeof *end);
  scr_status status = scr_recording_end(recording, end, error);
  if (status == SCR_BAD_FILE) {
    check->integrity = SCR_DAMAGED;
    snprintf(check->message, sizeof check->message, "%.*s", (int)sizeof check->message - 1, error->message);
    status = SCR_OK;
  } else if (status == SCR_OK && end->digest[0]) {
    sha256 digest;
    sha256_begin(&digest);
    for (uint64_t seq = 1; seq < check->records; seq++)
      sha256_add(&digest, scr_recording_header(recording, seq), sizeof(scr_record_header));
    sha256_text(&digest, check->digest);
    if (end->records != check->records || strcmp(check->digest, end->digest) != 0) {
      check->integrity = SCR_DAMAGED;
      snprintf(check->message, sizeof check->message,
               "its %" PRIu64 " records are whole, but not those that were recorded: their end record tells of %" PRIu64
               " with another digest, so some were replaced",
               check->records, end->records);
    }
  }
  free(end);
  return status;
}

static scr_status check_tail(scr_recording *recording, uint64_t bad, scr_check *check, scr_error *error)
{
  survey behind;
  uint64_t file_size;
  check->records = bad - 1;
  check->offset = recording_offset(recording, bad);
  check->time = check->records ? scr_recording_header(recording, check->records)->sim_time : NAN;
  SCR_TRY(recording_file_size(recording, &file_size, error));
  SCR_TRY(look_behind(recording, bad, check->offset, &behind, error));
  if (behind.last_seq > check->expected && behind.ended) check->expected = behind.last_seq;
  check->behind = behind.found;
  bool missing = check->expected > check->records;
  bool within = bad <= scr_recording_count(recording); /* the reader had believed it */
  if (behind.found > 0 || missing || within) {
    check->integrity = SCR_DAMAGED;
    check->damaged = bad;
    if (behind.found > 0 || missing)
      describe_damage(check, &behind, file_size);
    else
      snprintf(check->message, sizeof check->message,
               "record %" PRIu64 " (from byte %" PRIu64 " on) is damaged, and nothing whole lies behind it", bad, check->offset);
    recording_cut(recording, check->records);
    return SCR_OK;
  }
  check->integrity = SCR_UNFINISHED;
  uint64_t torn = file_size > check->offset ? file_size - check->offset : 0;
  if (check->records == 0)
    snprintf(check->message, sizeof check->message, "it holds no record yet (%" PRIu64 " bytes)", file_size);
  else
    snprintf(check->message, sizeof check->message,
             "%" PRIu64 " whole records and no end%s: the run goes on, was interrupted, or the file was cut off", check->records,
             torn ? ", with part of another one" : "");
  return SCR_OK;
}

scr_status scr_recording_verify(scr_recording *recording, uint64_t expected, scr_check *check, scr_error *error)
{
  uint64_t bad = 0;
  *check = (scr_check){.integrity = SCR_COMPLETE, .expected = expected, .time = NAN};
  SCR_TRY(first_damaged(recording, &bad, error));
  check->records = scr_recording_count(recording);
  if (!bad && !scr_recording_ended(recording)) {
    /* Between the last refresh and now a record may have become whole that was not. */
    SCR_TRY(scr_recording_refresh(recording, error));
    SCR_TRY(first_damaged(recording, &bad, error));
    check->records = scr_recording_count(recording);
    if (!bad && !scr_recording_ended(recording)) bad = check->records + 1;
  }
  if (bad) return check_tail(recording, bad, check, error);
  check->expected = check->records;
  check->time = scr_recording_header(recording, check->records)->sim_time;
  snprintf(check->message, sizeof check->message, "%" PRIu64 " records, complete", check->records);
  return check_end(recording, check, error);
}

scr_status scr_recording_check_record(scr_recording *recording, uint64_t seq, bool *whole, scr_error *error)
{
  *whole = false;
  uint64_t count = scr_recording_count(recording);
  if (seq < 1 || seq > count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "record %" PRIu64 " is asked for; there are %" PRIu64, seq, count);
  return recording_check_record(recording, seq, whole, error);
}

const char *scr_integrity_name(scr_integrity integrity)
{
  static const char *const names[] = {[SCR_COMPLETE] = "complete", [SCR_UNFINISHED] = "unfinished", [SCR_DAMAGED] = "damaged"};
  size_t index = (size_t)integrity;
  return index < sizeof names / sizeof *names ? names[index] : "unknown";
}
