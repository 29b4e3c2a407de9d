/* The table of a study: a page of rows as JSON, or all of them as CSV, made a page at a time while they are sent. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/answer/reply.h"
#include "api/http/answer/text_stream.h"
#include "api/http/parse/accept.h"
#include "api/http/parse/query.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"
#include "api/shapes/study_json.h"
#include "base/text.h"

enum { page_limit = 1000, page_default = 200, piece_rows = 100 };

/* ── JSON ── */

static json_t *rows_array(const lab_study_row *rows, size_t count)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    if (json_array_append_new(list, study_row_json(&rows[i])) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

static json_t *next_page(const study_query *query, const lab_study_row *rows, size_t count, size_t limit)
{
  if (count < limit) return json_null();
  const lab_study_row *last = &rows[count - 1];
  if (!query->changed) return json_pack("{s:I}", "after", (json_int_t)last->number);
  return json_pack("{s:I, s:o}", "after", (json_int_t)last->number, "changed", json_count(last->version));
}

static http_reply page_reply(const http_request *request, const lab_study *study, const study_query *query, size_t limit)
{
  scr_error error = {0};
  size_t count = 0;
  lab_study_row *rows = calloc(limit, sizeof *rows);
  if (!rows) return (http_reply){0};
  lab_status status = lab_study_rows(request->front->lab, study->id, query, rows, limit, &count, &error);
  http_reply reply = status != LAB_OK
                         ? problem_reply_lab(request, status, &error)
                         : reply_json(200, json_pack("{s:o, s:o, s:o}", "rows", rows_array(rows, count), "version",
                                                     json_count(study->version), "next", next_page(query, rows, count, limit)));
  for (size_t i = 0; i < count; i++) lab_study_row_clear(&rows[i]);
  free(rows);
  return reply;
}

/* ── CSV ── */

typedef struct table_stream {
  lab *lab;
  int64_t study, after;
  study_document document;
  bool begun;
} table_stream;

static void end_stream(void *user)
{
  table_stream *self = user;
  study_document_clear(&self->document);
  free(self);
}

/* A cell (RFC 4180): texts in quotes where they need them. A text that a spreadsheet would take for a formula gets an apostrophe. */
static void write_text(FILE *out, const char *text)
{
  bool formula = text[0] && strchr("=+-@\t\r", text[0]);
  if (!formula && !strpbrk(text, ",\"\r\n")) {
    fputs(text, out);
    return;
  }
  fputs(formula ? "\"'" : "\"", out);
  for (const char *c = text; *c; c++) {
    if (*c == '"') fputc('"', out);
    fputc(*c, out);
  }
  fputc('"', out);
}

static void write_value(FILE *out, const json_t *value)
{
  if (json_is_integer(value))
    fprintf(out, "%lld", (long long)json_integer_value(value));
  else if (json_is_real(value)) {
    char text[NUMBER_TEXT_BYTES];
    fputs(number_text(json_real_value(value), text), out);
  } else if (json_is_string(value))
    write_text(out, json_string_value(value));
  else if (value && !json_is_null(value)) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text) write_text(out, text);
    free(text);
  }
}

static void write_column(FILE *out, const char *name, const char *unit)
{
  char heading[100];
  snprintf(heading, sizeof heading, unit[0] ? "%s [%s]" : "%s", name, unit);
  fputc(',', out);
  write_text(out, heading);
}

static void write_heading(const table_stream *self, FILE *out)
{
  fputs("row,state,job", out);
  for (size_t i = 0; i < self->document.factor_count; i++)
    write_column(out, self->document.factors[i].name, self->document.factors[i].unit);
  for (size_t i = 0; i < self->document.result_count; i++)
    write_column(out, self->document.results[i].name, self->document.results[i].unit);
  fputs(",reason\r\n", out);
}

static bool write_row(const table_stream *self, FILE *out, const lab_study_row *row)
{
  json_t *shape = study_row_json(row);
  if (!shape) return false;
  json_t *factors = json_object_get(shape, "factors"), *results = json_object_get(shape, "results");
  fprintf(out, "%lld,%s,", (long long)row->number, json_string_value(json_object_get(shape, "state")));
  if (row->job) fprintf(out, "%lld", (long long)row->job);
  for (size_t i = 0; i < self->document.factor_count; i++) {
    fputc(',', out);
    write_value(out, json_object_get(factors, self->document.factors[i].name));
  }
  for (size_t i = 0; i < self->document.result_count; i++) {
    fputc(',', out);
    write_value(out, json_object_get(results, self->document.results[i].name));
  }
  fputc(',', out);
  write_text(out, row->reason);
  fputs("\r\n", out);
  json_decref(shape);
  return true;
}

static int next_piece(void *user, FILE *out)
{
  table_stream *self = user;
  lab_study_row rows[piece_rows];
  size_t count = 0;
  bool whole = true;
  if (!self->begun) write_heading(self, out);
  self->begun = true;
  const study_query query = {.after = self->after};
  if (lab_study_rows(self->lab, self->study, &query, rows, piece_rows, &count, NULL) != LAB_OK) return -1;
  for (size_t i = 0; i < count; i++) {
    whole = whole && write_row(self, out, &rows[i]);
    self->after = rows[i].number;
    lab_study_row_clear(&rows[i]);
  }
  return !whole ? -1 : count == piece_rows ? 1 : 0;
}

static http_reply table_reply(const http_request *request, const lab_study *study)
{
  char *text = NULL;
  scr_error error = {0};
  scr_problems problems = {0};
  table_stream *self = calloc(1, sizeof *self);
  if (!self) return (http_reply){0};
  *self = (table_stream){.lab = request->front->lab, .study = study->id};
  lab_status status = lab_study_document(request->front->lab, study->id, &text, &error);
  if (status == LAB_OK && study_document_read(text, strlen(text), &self->document, &problems) != SCR_OK) status = LAB_FAILED;
  free(text);
  scr_problems_clear(&problems);
  if (status == LAB_OK) return text_stream_reply("text/csv; charset=utf-8", next_piece, end_stream, self);
  end_stream(self);
  return problem_reply_lab(request, status, &error);
}

/* ── the route ── */

http_reply route_study_rows(const http_request *request)
{
  static const char *const types[] = {"application/json", "text/csv"};
  scr_problems problems = {0};
  scr_error error = {0};
  lab_study study;
  long long after = 0, changed = 0, limit = page_default;
  query_number(request, "after", 0, LLONG_MAX, &after, &problems);
  query_number(request, "changed", 0, LLONG_MAX, &changed, &problems);
  query_number(request, "limit", 1, page_limit, &limit, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_status status = lab_study_get(request->front->lab, http_request_job(request), &study, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  int form = http_accept_choose(http_request_header(request, MHD_HTTP_HEADER_ACCEPT), types, 2);
  const study_query query = {.after = after, .changed = (uint64_t)changed};
  http_reply reply = form < 0    ? problem_reply(request, PROBLEM_NOT_ACCEPTABLE, "rows come as application/json or text/csv")
                     : form == 0 ? page_reply(request, &study, &query, (size_t)limit)
                                 : table_reply(request, &study);
  reply_header(&reply, MHD_HTTP_HEADER_VARY, "Accept");
  return reply;
}
