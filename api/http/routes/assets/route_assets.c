/* Assets: files that scenes refer to. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/http/parse/query.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/http/routes/assets/upload.h"
#include "api/shapes/json_text.h"

enum { page_default = 100, page_limit = 1000, jobs_shown = 100, name_bytes = 127 };

static json_t *asset_json(const lab_asset *asset)
{
  return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "asset", json_sprintf("sha256:%s", asset->digest), "digest",
                   asset->digest, "bytes", json_count(asset->bytes), "name", json_text(asset->name), "media", json_text(asset->media),
                   "created", json_time(asset->created_ms), "used", json_time(asset->used_ms), "job_count", json_count(asset->job_count),
                   "measured_count", json_count(asset->measured_count));
}

/* The digest in the path, with or without "sha256:". */
static const char *digest_of(const http_request *request)
{
  const char *text = request->parameters.values[0];
  return strncmp(text, "sha256:", 7) == 0 ? text + 7 : text;
}

/* Of a file, for people: no path, nothing that would not show. */
static const char *file_name(const http_request *request, scr_problems *problems)
{
  const char *name = http_request_query(request, "name");
  if (!name) return "";
  bool plain = strlen(name) <= name_bytes && !strpbrk(name, "/\\");
  for (const char *c = name; *c; c++) plain = plain && (unsigned char)*c >= 0x20 && *c != 0x7f;
  if (!plain)
    (void)scr_problems_add(problems, "name", "", "1 to 127 bytes without '/', '\\' and control characters",
                           "the parameter name is not a file name; it must be 1 to 127 bytes without '/', '\\' and control characters");
  return name;
}

http_reply route_assets_upload(const http_request *request)
{
  http_reply reply;
  scr_problems problems = {0};
  scr_error error = {0};
  lab_asset asset;
  bool created = false;
  if (http_upload_refusal(request, &reply)) return reply;
  const char *name = file_name(request, &problems), *media = http_request_header(request, "Content-Type");
  if (problems.count > 0) return query_refused(request, &problems);
  lab_upload *file = http_upload_claim(request);
  if (!file) return problem_reply(request, PROBLEM_BAD_REQUEST, "the body is empty: send the bytes of the file");
  lab_status status = lab_upload_end(file, name, media ? media : "", &asset, &created, &error);
  if (status == LAB_BAD_REQUEST) return problem_reply(request, PROBLEM_BAD_REQUEST, "%s", error.message);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  char location[128];
  snprintf(location, sizeof location, "/api/v1/assets/%s", asset.digest);
  reply = reply_json(created ? 201 : 200, asset_json(&asset));
  reply_header(&reply, MHD_HTTP_HEADER_LOCATION, location);
  return reply;
}

static json_t *asset_item(const void *item)
{
  return asset_json(item);
}

static http_reply list_reply(const http_request *request, const char *after, size_t limit, lab_asset *assets)
{
  scr_error error = {0};
  size_t count = 0;
  uint64_t bytes = 0;
  lab_status status = lab_assets(request->front->lab, after, assets, limit, &count, &bytes, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  return reply_json(200, json_pack("{s:o, s:o, s:o, s:o, s:o}", "assets", json_list(assets, count, sizeof *assets, asset_item), "next",
                                   count == limit ? json_text(assets[count - 1].digest) : json_null(), "bytes", json_count(bytes), "quota",
                                   json_count(lab_asset_quota(request->front->lab)), "file_limit",
                                   json_count(lab_limits(request->front->lab)->asset_bytes)));
}

http_reply route_assets_list(const http_request *request)
{
  long long limit = page_default;
  scr_problems problems = {0};
  const char *after = http_request_query(request, "after");
  query_number(request, "limit", 1, page_limit, &limit, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_asset *assets = calloc((size_t)limit, sizeof *assets);
  if (!assets) return (http_reply){0};
  http_reply reply = list_reply(request, after ? after : "", (size_t)limit, assets);
  free(assets);
  return reply;
}

http_reply route_assets_get(const http_request *request)
{
  lab_asset asset;
  scr_error error = {0};
  int64_t jobs[jobs_shown];
  size_t count = 0;
  lab_status status = lab_asset_get(request->front->lab, digest_of(request), &asset, &error);
  if (status == LAB_OK) status = lab_asset_jobs(request->front->lab, asset.digest, jobs, jobs_shown, &count, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  json_t *answer = asset_json(&asset), *numbers = json_array();
  for (size_t i = 0; i < count && numbers; i++) (void)json_array_append_new(numbers, json_integer((json_int_t)jobs[i]));
  if (answer) (void)json_object_set_new(answer, "jobs", numbers);
  return reply_json(200, answer);
}

http_reply route_assets_content(const http_request *request)
{
  lab_asset asset;
  scr_error error = {0};
  int fd = -1;
  lab_status status = lab_asset_open(request->front->lab, digest_of(request), &fd, &asset, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  http_reply reply = {.status = 200, .response = MHD_create_response_from_fd64(asset.bytes, fd)};
  if (!reply.response) close(fd);
  char disposition[96], tag[80];
  snprintf(disposition, sizeof disposition, "attachment; filename=\"%.16s\"", asset.digest);
  snprintf(tag, sizeof tag, "\"%s\"", asset.digest);
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, "application/octet-stream"); /* what its sender called it is no promise */
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
  reply_header(&reply, MHD_HTTP_HEADER_ETAG, tag);
  reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, "private, max-age=31536000, immutable");
  return reply;
}

http_reply route_assets_delete(const http_request *request)
{
  scr_error error = {0};
  lab_status status = lab_asset_delete(request->front->lab, digest_of(request), &error);
  return status == LAB_OK ? reply_empty(204) : problem_reply_lab(request, status, &error);
}
