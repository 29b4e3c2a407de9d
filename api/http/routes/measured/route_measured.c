/* Measured curves: what a file holds, checking, adding, looking, removing. Each handler parses, asks the lab, and answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/answer/reply.h"
#include "api/http/parse/query.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"
#include "server/lab/study/lab_measured.h"

enum { points_default = 500, rows_default = 10, rows_limit = 100 };

static http_reply failed(const http_request *request, lab_status status, const scr_problems *problems, const scr_error *error)
{
  if (status == LAB_REFUSED)
    return problem_reply_list(request, PROBLEM_CURVES_REFUSED, problems, "the curves can't be read, for the reasons in `errors`");
  return problem_reply_lab(request, status, error);
}

/* ── what a file holds ── */

static const char *const separators[] = {"tab", "semicolon", "comma", "blank"};
static const char *const decimals[] = {"point", "comma"};

/* Units with commas between, "mm,,kN"; cuts `text`. */
static size_t split_units(char *text, const char **units)
{
  size_t count = 0;
  while (text && count < MEASURED_COLUMNS) {
    units[count++] = text;
    text = strchr(text, ',');
    if (text) *text++ = '\0';
  }
  return count;
}

static http_reply table_reply(const http_request *request, const measured_reading *reading, size_t rows)
{
  scr_error error = {0};
  json_t *json = NULL;
  const char *digest = request->parameters.values[0];
  if (strncmp(digest, "sha256:", 7) == 0) digest += 7;
  lab_status status = lab_measured_table(request->front->lab, digest, reading, rows, &json, &error);
  if (status == LAB_BAD_REQUEST) return problem_reply(request, PROBLEM_NO_PREVIEW, "%s", error.message);
  return status == LAB_OK ? reply_json(200, json) : problem_reply_lab(request, status, &error);
}

http_reply route_assets_table(const http_request *request)
{
  scr_problems problems = {0};
  size_t separator = 4, decimal = 2;
  long long rows = rows_default;
  const char *given = http_request_query(request, "units"), *units[MEASURED_COLUMNS];
  query_choice(request, "separator", separators, 4, "tab, semicolon, comma or blank", &separator, &problems);
  query_choice(request, "decimal", decimals, 2, "point or comma", &decimal, &problems);
  query_number(request, "rows", 0, rows_limit, &rows, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  char *text = given ? strdup(given) : NULL;
  const measured_reading reading = {
      .separator = "\t;, "[separator], .decimal = ".,"[decimal], .units = units, .unit_count = split_units(text, units)};
  http_reply reply = table_reply(request, &reading, (size_t)rows);
  free(text);
  return reply;
}

/* ── checking and adding ── */

static json_t *entry_json(const lab_measured *measured, json_t *about)
{
  json_t *entry = json_pack("{s:I, s:o, s:o, s:o}", "id", (json_int_t)measured->id, "name", json_text(measured->name), "title",
                            json_text(measured->title), "created", json_time(measured->created_ms));
  bool made = entry && about && json_object_update(entry, about) == 0;
  json_decref(about);
  if (made) return entry;
  json_decref(entry);
  return NULL;
}

http_reply route_measured_check(const http_request *request)
{
  http_reply reply;
  scr_problems problems = {0};
  scr_error error = {0};
  json_t *json = NULL;
  if (!scene_body_is_json(request, &reply)) return reply;
  lab_status status = lab_measured_check(request->front->lab, request->body ? request->body : "", request->body_size, points_default, &json,
                                         &problems, &error);
  reply = status == LAB_OK ? reply_json(200, json) : failed(request, status, &problems, &error);
  scr_problems_clear(&problems);
  return reply;
}

http_reply route_measured_add(const http_request *request)
{
  http_reply reply;
  lab_measured measured = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  if (!scene_body_is_json(request, &reply)) return reply;
  lab_status status =
      lab_measured_add(request->front->lab, request->body ? request->body : "", request->body_size, &measured, &problems, &error);
  if (status == LAB_OK) {
    char location[64];
    snprintf(location, sizeof location, "/api/v1/measured/%lld", (long long)measured.id);
    reply = reply_json(201, entry_json(&measured, json_loads(measured.about, 0, NULL)));
    reply_header(&reply, MHD_HTTP_HEADER_LOCATION, location);
  } else
    reply = failed(request, status, &problems, &error);
  lab_measured_clear(&measured);
  scr_problems_clear(&problems);
  return reply;
}

/* ── looking and removing ── */

static json_t *entry_item(const void *item)
{
  const lab_measured *measured = item;
  return entry_json(measured, json_loads(measured->about, 0, NULL));
}

http_reply route_measured_list(const http_request *request)
{
  scr_problems problems = {0};
  scr_error error = {0};
  query_page page = query_page_read(request, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  size_t count = 0, limit = (size_t)page.limit;
  lab_measured *measured = calloc(limit, sizeof *measured);
  if (!measured) return (http_reply){0};
  lab_status status = lab_measured_list(request->front->lab, page.before, measured, limit, &count, &error);
  http_reply reply = status != LAB_OK ? problem_reply_lab(request, status, &error)
                                      : reply_page("measured", json_list(measured, count, sizeof *measured, entry_item), "next_before",
                                                   count == limit ? measured[count - 1].id : 0);
  for (size_t i = 0; i < count; i++) lab_measured_clear(&measured[i]);
  free(measured);
  return reply;
}

http_reply route_measured_get(const http_request *request)
{
  lab_measured measured;
  curve_set set;
  scr_problems problems = {0};
  scr_error error = {0};
  long long points = points_default;
  query_number(request, "points", 2, CURVE_SET_SAMPLES, &points, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_status status = lab_measured_get(request->front->lab, http_request_job(request), &measured, &set, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  http_reply reply = reply_json(200, entry_json(&measured, curve_set_json(&set, (size_t)points)));
  curve_set_clear(&set);
  lab_measured_clear(&measured);
  return reply;
}

http_reply route_measured_remove(const http_request *request)
{
  scr_error error = {0};
  lab_status status = lab_measured_remove(request->front->lab, http_request_job(request), &error);
  return status == LAB_OK ? reply_empty(204) : problem_reply_lab(request, status, &error);
}
