/* The recording itself: its frames' list, single records, and the file with ranges and validators. */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/http/parse/range.h"
#include "api/http/routes/recorded/recorded.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/check_json.h"
#include "api/shapes/json_text.h"
#include "record/frame/visible_points.h"

enum { tag_bytes = 64 };

static json_t *frame_list(const scr_recording *recording, uint64_t after)
{
  json_t *frames = json_array();
  const unsigned mask = 1u << SCR_RECORD_FRAME;
  for (uint64_t seq = scr_recording_next(recording, after, mask); seq; seq = scr_recording_next(recording, seq, mask)) {
    const scr_record_header *header = scr_recording_header(recording, seq);
    json_t *frame = json_pack("{s:o, s:o, s:o}", "seq", json_count(seq), "time", json_finite(header->sim_time), "bytes",
                              json_count(SCR_RECORD_BYTES(header->size)));
    if (json_array_append_new(frames, frame) != 0) break;
  }
  return frames;
}

http_reply route_frames(const http_request *request)
{
  http_reply reply;
  http_reader reader;
  long long after = 0;
  const char *after_text = http_request_query(request, "after");
  if (after_text && !http_number_parse(after_text, &after))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the parameter after is '%.60s'; it must be a whole number >= 0", after_text);
  if (!recorded_take(request, READERS_LENGTH, &reader, &reply)) return reply;
  uint64_t topology = reader.recording ? scr_recording_next(reader.recording, 0, 1u << SCR_RECORD_TOPOLOGY) : 0;
  json_t *frames = reader.recording ? frame_list(reader.recording, (uint64_t)after) : json_array();
  reply = reply_json(200, json_pack("{s:o, s:o}", "frames", frames, "topology_seq", topology ? json_count(topology) : json_null()));
  recorded_give(request, &reader, &reply);
  return reply;
}

/* ── one record ── */

/* Reads a record, of a frame at most so many points of each drawable where `points` is not 0. @param bytes receives it, from malloc */
static scr_status read_record(scr_recording *recording, uint64_t seq, uint32_t points, unsigned char **bytes, size_t *size,
                              scr_error *error)
{
  *size = SCR_RECORD_BYTES(scr_recording_header(recording, seq)->size);
  if (points > 0) {
    scr_topology topology = {0};
    bool found = false;
    scr_status status = topology_read(recording, &topology, &found, error);
    if (status == SCR_OK) status = record_read_outside(recording, &topology, seq, points, bytes, size, error);
    topology_clear(&topology);
    return status;
  }
  *bytes = malloc(*size);
  if (!*bytes) return scr_fail_memory(error, "a record", *size);
  return scr_recording_read(recording, seq, *bytes, *size, error);
}

static http_reply record_reply(const http_request *request, scr_recording *recording, uint64_t seq, uint32_t points)
{
  const scr_record_header *header = recording ? scr_recording_header(recording, seq) : NULL;
  if (!header)
    return problem_reply(request, PROBLEM_NOT_FOUND, "there is no record %" PRIu64 " yet; the newest is %" PRIu64, seq,
                         recording ? scr_recording_count(recording) : 0);
  char etag[tag_bytes];
  snprintf(etag, sizeof etag, points ? "\"%" PRIu64 "-%08" PRIx32 "-%" PRIu32 "\"" : "\"%" PRIu64 "-%08" PRIx32 "\"", seq, header->crc32c,
           points);
  http_reply reply;
  if (http_etag_listed(http_request_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH), etag)) {
    reply = reply_empty(304);
  } else {
    size_t bytes = 0;
    unsigned char *buffer = NULL;
    scr_error error = {0};
    scr_status status = read_record(recording, seq, points, &buffer, &bytes, &error);
    if (status != SCR_OK) {
      free(buffer);
      return recorded_failure(request, status, &error);
    }
    reply = reply_text(200, "application/octet-stream", (char *)buffer, bytes);
  }
  reply_header(&reply, MHD_HTTP_HEADER_ETAG, etag);
  reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL,
               "private, max-age=31536000, immutable"); /* a record never changes, nor is its job's number given again */
  return reply;
}

http_reply route_record(const http_request *request)
{
  http_reply reply;
  http_reader reader;
  long long seq = 0, wished = 0;
  uint32_t points = 0;
  const char *query = http_request_query(request, "points");
  if (query && !(http_number_parse(query, &wished) && frame_points_level(wished, &points)))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "points must be 0, for all, or a whole number from %d on", FRAME_POINTS_LEAST);
  if (!http_number_parse(request->parameters.values[1], &seq)) seq = 0;
  if (!recorded_take(request, READERS_LENGTH, &reader, &reply)) return reply;
  reply = record_reply(request, reader.recording, (uint64_t)seq, points);
  recorded_give(request, &reader, &reply);
  return reply;
}

/* ── the file ── */

/* `length` bytes of the file from `offset` on. */
static http_reply file_reply(const http_request *request, unsigned status, uint64_t offset, uint64_t length)
{
  char path[PATH_MAX];
  scr_error error = {0};
  lab_status found = lab_job_file(request->front->lab, http_request_job(request), "recording.scree", path, sizeof path, &error);
  if (found != LAB_OK) return problem_reply_lab(request, found, &error);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return problem_reply(request, PROBLEM_NOT_FOUND, "the recording is missing");
  http_reply reply = {.status = status, .response = MHD_create_response_from_fd_at_offset64(length, fd, offset)};
  if (!reply.response) close(fd);
  char disposition[96];
  snprintf(disposition, sizeof disposition, "attachment; filename=\"job-%lld.scree\"", (long long)http_request_job(request));
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, "application/octet-stream");
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
  return reply;
}

/* Names of one recording, as far as it goes. */
typedef struct recording_tags {
  char live[tag_bytes];    /* of it while it grows: what was received of it stays right */
  char current[tag_bytes]; /* `live`, or that of the whole when it has ended */
} recording_tags;

/* A recording only grows, so bytes received under its live tag are bytes of the whole too: If-Range takes both. */
static http_range_result wanted_range(const http_request *request, uint64_t size, const recording_tags *tags, http_range *range)
{
  const char *condition = http_request_header(request, MHD_HTTP_HEADER_IF_RANGE);
  if (!http_if_range_holds(condition, tags->current) && !http_if_range_holds(condition, tags->live)) return HTTP_RANGE_ALL;
  return http_range_parse(http_request_header(request, MHD_HTTP_HEADER_RANGE), size, range);
}

/* Answers for the first `size` bytes, which are whole records and never change. */
static http_reply recording_reply(const http_request *request, uint64_t size, const recording_tags *tags, bool grows)
{
  if (!grows && http_etag_listed(http_request_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH), tags->current)) return reply_empty(304);
  http_range range;
  char content_range[96];
  http_reply reply;
  switch (wanted_range(request, size, tags, &range)) {
  case HTTP_RANGE_UNSATISFIABLE:
    snprintf(content_range, sizeof content_range, "bytes */%" PRIu64, size);
    reply = problem_reply(request, PROBLEM_RANGE, "the recording has %" PRIu64 " bytes", size);
    reply_header(&reply, MHD_HTTP_HEADER_CONTENT_RANGE, content_range);
    return reply;
  case HTTP_RANGE_PART:
    snprintf(content_range, sizeof content_range, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, range.first, range.last, size);
    reply = file_reply(request, 206, range.first, range.last - range.first + 1);
    if (reply.status == 206) reply_header(&reply, MHD_HTTP_HEADER_CONTENT_RANGE, content_range);
    return reply;
  case HTTP_RANGE_ALL: break;
  }
  return file_reply(request, 200, 0, size);
}

http_reply route_recording(const http_request *request)
{
  http_reply reply;
  http_reader reader;
  if (!recorded_take(request, READERS_EVERY_BYTE, &reader, &reply)) return reply;
  const scr_record_header *first = reader.recording ? scr_recording_header(reader.recording, 1) : NULL;
  if (!first) {
    recorded_give(request, &reader, NULL);
    return problem_reply(request, PROBLEM_NOT_FOUND, "nothing is recorded yet");
  }
  uint64_t size = scr_recording_bytes(reader.recording), count = scr_recording_count(reader.recording);
  bool grows = !reader.ended && !scr_recording_ended(reader.recording);
  recording_tags tags;
  snprintf(tags.live, sizeof tags.live, "\"%" PRId64 "-%08" PRIx32 "-live\"", reader.id, first->crc32c);
  snprintf(tags.current, sizeof tags.current, "\"%" PRId64 "-%08" PRIx32 "-%" PRIu64 "\"", reader.id, first->crc32c, count);
  if (grows) memcpy(tags.current, tags.live, sizeof tags.current);
  reply = recording_reply(request, size, &tags, grows);
  recorded_give(request, &reader, &reply);
  if (reply.status < 400 || reply.status == 416) reply_header(&reply, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
  if (reply.status < 400) {
    reply_header(&reply, MHD_HTTP_HEADER_ETAG, tags.current);
    reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, grows ? "no-store" : "no-cache");
  }
  return reply;
}

/* ── whether it is all there ── */

http_reply route_integrity(const http_request *request)
{
  http_reader reader;
  scr_error error = {0};
  scr_check check = {.integrity = SCR_UNFINISHED, .time = NAN, .message = "nothing is recorded yet"};
  lab_status status =
      readers_take(request->front->readers, request->front->lab, http_request_job(request), READERS_EVERY_BYTE, &reader, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  scr_status done = SCR_OK;
  if (reader.recording && !reader.verified) {
    reader.verified = true;
    done = scr_recording_verify(reader.recording, 0, &reader.check, &error);
  }
  if (reader.recording) check = reader.check;
  json_t *answer = done == SCR_OK ? check_json(&check) : NULL;
  if (answer) (void)json_object_set_new(answer, "going_on", json_boolean(!reader.ended));
  readers_give(request->front->readers, &reader);
  return done == SCR_OK ? reply_json(200, answer) : recorded_failure(request, done, &error);
}
