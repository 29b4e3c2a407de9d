/* The surfaces of a recorded frame, as a file for CAD, printers and renderers. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/http/routes/recorded/recorded.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"

static const struct {
  const char *name, *type;
} formats[] = {[SCR_SURFACE_STL] = {"stl", "model/stl"}, [SCR_SURFACE_PLY] = {"ply", "application/octet-stream"}};

/* The number of the frame whose record is `seq`; -1 when there is no such frame. */
static int64_t frame_number(const scr_recording *recording, uint64_t seq)
{
  int64_t number = 0;
  for (uint64_t at = 0; recording && (at = scr_recording_next(recording, at, 1u << SCR_RECORD_FRAME)) != 0 && at <= seq; number++)
    if (at == seq) return number;
  return -1;
}

static http_reply surface_reply(const http_request *request, int64_t frame, scr_surface_format format)
{
  scr_error error = {0};
  int fd = -1;
  uint64_t size = 0;
  int64_t id = http_request_job(request);
  lab_status status = lab_surface(request->front->lab, id, frame, format, &fd, &size, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  http_reply reply = {.status = 200, .response = MHD_create_response_from_fd64(size, fd)};
  if (!reply.response) close(fd);
  char disposition[120];
  snprintf(disposition, sizeof disposition, "attachment; filename=\"job-%lld-frame-%lld.%s\"", (long long)id, (long long)frame,
           formats[format].name);
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, formats[format].type);
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
  return reply;
}

http_reply route_surface(const http_request *request)
{
  http_reader reader;
  http_reply reply;
  long long seq = 0;
  const char *wanted = http_request_query(request, "format");
  int format = SCR_SURFACE_PLY;
  if (wanted && strcmp(wanted, "stl") == 0) format = SCR_SURFACE_STL;
  if (wanted && strcmp(wanted, formats[format].name) != 0)
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the parameter format is '%.60s'; it must be stl or ply", wanted);
  if (!http_number_parse(request->parameters.values[1], &seq)) seq = 0;
  int64_t id = http_request_job(request);
  if (!recorded_take(request, READERS_LENGTH, &reader, &reply)) return reply;
  int64_t frame = frame_number(reader.recording, (uint64_t)seq);
  recorded_give(request, &reader, NULL);
  if (frame < 0)
    return problem_reply(request, PROBLEM_NOT_FOUND, "record %lld is not a frame of this job; GET /api/v1/jobs/%lld/frames lists them", seq,
                         (long long)id);
  return surface_reply(request, frame, (scr_surface_format)format);
}
