/* Files that a job's method made: which there are, and each as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"

/* Media type of a file by the end of its name. */
static const char *type_of(const char *name)
{
  static const struct {
    const char *end, *type;
  } types[] = {{".md", "text/markdown; charset=utf-8"}, {".svg", "image/svg+xml"},           {".patch.json", "application/json-patch+json"},
               {".json", "application/json"},           {".csv", "text/csv; charset=utf-8"}, {".txt", "text/plain; charset=utf-8"},
               {".basis", "text/plain; charset=utf-8"}, {".hdf5", "application/x-hdf5"},     {".ply", "application/octet-stream"}};
  size_t length = strlen(name);
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    size_t end = strlen(types[k].end);
    if (length > end && strcmp(name + length - end, types[k].end) == 0) return types[k].type;
  }
  return "application/octet-stream";
}

http_reply route_file_list(const http_request *request)
{
  lab_file *files;
  size_t count;
  scr_error error = {0};
  lab_status status = lab_files(request->front->lab, http_request_job(request), &files, &count, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  json_t *list = json_array();
  for (size_t k = 0; k < count; k++)
    if (json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "name", files[k].name, "bytes", json_count(files[k].bytes), "type",
                                              type_of(files[k].name))) != 0)
      break;
  free(files);
  return reply_json(200, json_pack("{s:o}", "files", list));
}

http_reply route_file(const http_request *request)
{
  const char *const *values = request->parameters.values;
  int fd;
  uint64_t bytes;
  scr_error error = {0};
  lab_status status = lab_open_file(request->front->lab, http_request_job(request), values[1], values[2], &fd, &bytes, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  http_reply reply = {.status = 200, .response = MHD_create_response_from_fd64(bytes, fd)};
  if (!reply.response) close(fd);
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, type_of(values[2]));
  reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, "private, no-cache"); /* a run that goes on from a checkpoint makes it anew */
  return reply;
}
