/* The recording itself: its frames' list, single records, and the file with ranges and validators. */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/http/range.h"
#include "api/http/readers.h"
#include "api/http/reply.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"

enum { tag_bytes = 64 };

/* The recording of the request's job. False: `reply` is the answer. `*recording` may be NULL: nothing recorded yet. */
static bool take(const http_request *request, scr_recording **recording, http_reply *reply)
{
  scr_error error = {0};
  lab_status status = readers_take(request->front->readers, request->front->lab, http_request_job(request), recording, &error);
  if (status != LAB_OK) *reply = problem_reply_lab(request, status, &error);
  return status == LAB_OK;
}

static void give(const http_request *request, scr_recording *recording)
{
  readers_give(request->front->readers, http_request_job(request), recording);
}

static json_t *frame_list(const scr_recording *recording)
{
  json_t *frames = json_array();
  const unsigned mask = 1u << SCR_RECORD_FRAME;
  for (uint64_t seq = scr_recording_next(recording, 0, mask); seq; seq = scr_recording_next(recording, seq, mask)) {
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
  scr_recording *recording;
  if (!take(request, &recording, &reply)) return reply;
  uint64_t topology = recording ? scr_recording_next(recording, 0, 1u << SCR_RECORD_TOPOLOGY) : 0;
  json_t *frames = recording ? frame_list(recording) : json_array();
  give(request, recording);
  return reply_json(200, json_pack("{s:o, s:o}", "frames", frames, "topology_seq", topology ? json_count(topology) : json_null()));
}

/* ── one record ── */

static http_reply record_reply(const http_request *request, scr_recording *recording, uint64_t seq)
{
  const scr_record_header *header = recording ? scr_recording_header(recording, seq) : NULL;
  if (!header)
    return problem_reply(request, PROBLEM_NOT_FOUND, "there is no record %" PRIu64 " yet; the newest is %" PRIu64, seq,
                         recording ? scr_recording_count(recording) : 0);
  char etag[tag_bytes];
  snprintf(etag, sizeof etag, "\"%" PRIu64 "-%08" PRIx32 "\"", seq, header->crc32c);
  http_reply reply;
  if (http_etag_listed(http_request_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH), etag)) {
    reply = reply_empty(304);
  } else {
    size_t bytes = SCR_RECORD_BYTES(header->size);
    void *buffer = malloc(bytes);
    scr_error error = {0};
    if (buffer && scr_recording_read(recording, seq, buffer, bytes, &error) != SCR_OK) {
      free(buffer);
      return problem_reply(request, PROBLEM_FAILED, "%s", error.message);
    }
    reply = reply_text(200, "application/octet-stream", buffer, bytes);
  }
  reply_header(&reply, MHD_HTTP_HEADER_ETAG, etag);
  reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
  return reply;
}

http_reply route_record(const http_request *request)
{
  http_reply reply;
  scr_recording *recording;
  long long seq = 0;
  if (!http_number_parse(request->parameters.values[1], &seq)) seq = 0;
  if (!take(request, &recording, &reply)) return reply;
  reply = record_reply(request, recording, (uint64_t)seq);
  give(request, recording);
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
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return problem_reply(request, PROBLEM_NOT_FOUND, "the recording is not there any more");
  http_reply reply = {.status = status, .response = MHD_create_response_from_fd_at_offset64(length, fd, offset)};
  if (!reply.response) close(fd);
  char disposition[96];
  snprintf(disposition, sizeof disposition, "attachment; filename=\"job-%lld.scree\"", (long long)http_request_job(request));
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, "application/octet-stream");
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
  return reply;
}

/* Answers for the first `size` bytes, which are whole records and never change. */
static http_reply recording_reply(const http_request *request, uint64_t size, const char *etag)
{
  if (http_etag_listed(http_request_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH), etag)) return reply_empty(304);
  const char *header = http_request_header(request, MHD_HTTP_HEADER_RANGE);
  http_range range;
  http_range_result wanted = http_range_parse(header, size, &range);
  if (!http_if_range_holds(http_request_header(request, MHD_HTTP_HEADER_IF_RANGE), etag)) wanted = HTTP_RANGE_ALL;
  char content_range[96];
  http_reply reply;
  switch (wanted) {
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
  scr_recording *recording;
  if (!take(request, &recording, &reply)) return reply;
  if (!recording) return problem_reply(request, PROBLEM_NOT_FOUND, "nothing is recorded yet");
  uint64_t size = scr_recording_bytes(recording), count = scr_recording_count(recording);
  give(request, recording);
  char etag[tag_bytes];
  snprintf(etag, sizeof etag, "\"%" PRIu64 "-%" PRIu64 "\"", count, size);
  reply = recording_reply(request, size, etag);
  if (reply.status < 400 || reply.status == 416) reply_header(&reply, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
  if (reply.status < 400) {
    reply_header(&reply, MHD_HTTP_HEADER_ETAG, etag);
    reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
  }
  return reply;
}
