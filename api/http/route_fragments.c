/* Fragments of a job by mass: JSON, CSV or a picture, as Accept says. */
#include "api/http/recorded.h"
#include "api/http/reply.h"
#include "api/http/router.h"

typedef scr_status (*write_table)(const scr_table *table, char **text, size_t *length, scr_error *error);

/* 404 while there is no such table: before the first record, and in recordings from before there were tables. */
static http_reply refuse(const http_request *request, const scr_error *error)
{
  if (!error->message[0]) return problem_reply(request, PROBLEM_NOT_FOUND, "nothing is recorded yet, so there are no fragments");
  return problem_reply(request, PROBLEM_NOT_FOUND, "%s", error->message);
}

static http_reply as_text(const http_request *request, scr_recording *recording, uint64_t after, write_table write, const char *type)
{
  scr_error error = {0};
  scr_table *table = NULL;
  char *text = NULL;
  size_t length = 0;
  scr_status status = recording ? scr_table_read(recording, "fragments", after, &table, &error) : SCR_BAD_USAGE;
  if (status == SCR_BAD_USAGE) return refuse(request, &error);
  if (status == SCR_OK) status = write(table, &text, &length, &error);
  scr_table_destroy(table);
  return recorded_text(request, status, &error, type, text, length);
}

static http_reply fragments_json(const http_request *request, http_reader *reader, uint64_t after)
{
  return as_text(request, reader->recording, after, scr_table_json, "application/json");
}

static http_reply fragments_csv(const http_request *request, http_reader *reader, uint64_t after)
{
  return as_text(request, reader->recording, after, scr_table_csv, "text/csv; charset=utf-8");
}

static http_reply fragments_picture(const http_request *request, http_reader *reader, uint64_t after)
{
  (void)after; /* the picture is of the newest */
  scr_error error = {0};
  char *text = NULL;
  size_t length = 0;
  scr_status status = reader->recording ? scr_fragments_svg(reader->recording, &text, &length, &error) : SCR_BAD_USAGE;
  if (status == SCR_BAD_USAGE) return refuse(request, &error);
  return recorded_text(request, status, &error, "image/svg+xml", text, length);
}

http_reply route_fragments(const http_request *request)
{
  static const recorded_form forms[] = {
      {"application/json", fragments_json}, {"text/csv", fragments_csv}, {"image/svg+xml", fragments_picture}};
  return recorded_reply(request, forms, 3, "fragments come as application/json, text/csv or image/svg+xml");
}
