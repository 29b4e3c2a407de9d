/* A scene's picture before any run: the records that its recording would begin with, for the dashboard's view. */
#include <stdlib.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"

http_reply route_scene_picture(const http_request *request)
{
  http_reply reply;
  http_request waiting = *request;
  const lab_caller caller = {.gone = http_request_gone, .user = &waiting};
  unsigned char *records = NULL;
  size_t size = 0;
  scr_problems problems = {0};
  scr_error error = {0};
  if (!scene_body_is_json(request, &reply)) return reply;
  lab_status status =
      lab_picture(request->front->lab, request->body ? request->body : "", request->body_size, &caller, &records, &size, &problems, &error);
  if (status == LAB_OK)
    reply = reply_text(200, "application/octet-stream", (char *)records, size);
  else
    reply = scene_failed(request, status, PROBLEM_NO_PICTURE, &problems, &error);
  scr_problems_clear(&problems);
  return reply;
}
