/* Whether the daemon lives and can work, where its jobs run, and its contract. */
#include <stdlib.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/device_json.h"
#include "api/shapes/executor_json.h"
#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"
#include "server/embedded.h"

/* No I/O and no lock: it answers as long as the process does. */
http_reply route_health(const http_request *request)
{
  (void)request;
  return reply_json(200, json_pack("{s:s, s:s}", "status", "ok", "version", SCR_VERSION));
}

http_reply route_ready(const http_request *request)
{
  char reason[512] = "";
  scr_error error = {0};
  lab_totals totals;
  if (!lab_ready(request->front->lab, reason, sizeof reason)) return problem_reply(request, PROBLEM_NOT_READY, "%s", reason);
  lab_status status = lab_count(request->front->lab, &totals, &error);
  if (status != LAB_OK) return problem_reply(request, PROBLEM_NOT_READY, "%s", error.message);
  return reply_json(200, json_pack("{s:s, s:s, s:i, s:o, s:o}", "status", "ready", "version", SCR_VERSION, "slots", (int)totals.slots,
                                   "totals", totals_json(&totals), "disk_free_bytes", json_count(totals.disk_free_bytes)));
}

http_reply route_executors(const http_request *request)
{
  json_t *list = json_array();
  lab_executor *shown = malloc(sizeof *shown);
  for (size_t i = 0; list && shown && lab_show_executor(request->front->lab, i, shown); i++)
    if (json_array_append_new(list, executor_json(shown)) != 0) {
      json_decref(list);
      list = NULL;
    }
  if (!shown) json_decref(list);
  json_t *answer = shown && list ? json_pack("{s:o}", "executors", list) : NULL;
  free(shown);
  return reply_json(200, answer);
}

http_reply route_devices(const http_request *request)
{
  device_list list;
  scr_error error = {0};
  if (lab_devices(request->front->lab, &list, &error) != SCR_OK) return problem_reply(request, PROBLEM_FAILED, "%s", error.message);
  return reply_json(200, devices_json(&list));
}

http_reply route_openapi(const http_request *request)
{
  const embedded_file *asset = embedded_find("openapi.json");
  if (!asset) return problem_reply(request, PROBLEM_FAILED, "this build lacks its OpenAPI document");
  return reply_static(200, asset->type, asset->data, asset->size);
}
