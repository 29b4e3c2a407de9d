/* Event tables of a job: which there are, and each as CSV or JSON, a record at a time, or as a picture. */
#include <stdlib.h>

#include "api/http/routes/recorded/recorded.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/http/answer/text_stream.h"

typedef scr_status (*write_table)(const scr_table *table, scr_table_part part, char **text, size_t *length, scr_error *error);

/* ── the list ── */

static http_reply list_json(const http_request *request, http_reader *reader, uint64_t after)
{
  (void)after; /* the list is of all there is */
  scr_error error = {0};
  scr_table *tables = NULL;
  size_t count = 0, length = 0;
  char *text = NULL;
  scr_status status = reader->recording ? scr_tables_list(reader->recording, &tables, &count, &error) : SCR_OK;
  if (status == SCR_OK) status = scr_tables_json(tables, count, &text, &length, &error);
  scr_tables_destroy(tables, count);
  return recorded_text(request, status, &error, "application/json", text, length);
}

http_reply route_table_list(const http_request *request)
{
  static const recorded_form forms[] = {{"application/json", list_json}};
  return recorded_reply(request, forms, 1, "the list of tables comes as application/json");
}

/* ── one table ── */

typedef struct table_stream {
  http_readers *readers;
  http_reader reader;
  scr_table *table;
  write_table write;
  uint64_t seq; /* records up to here are sent */
  enum { AT_HEAD, AT_FIRST_ROWS, AT_MORE_ROWS, AT_END } at;
} table_stream;

/* Writes the next part: the head, the rows of a record, the tail. */
static int next_piece(void *user, FILE *out)
{
  table_stream *self = user;
  scr_table_part part = self->at == AT_HEAD ? SCR_TABLE_HEAD : self->at == AT_FIRST_ROWS ? SCR_TABLE_ROWS : SCR_TABLE_MORE;
  char *text = NULL;
  size_t length = 0;
  if (self->at == AT_END) return 0;
  scr_status status = part == SCR_TABLE_HEAD ? SCR_OK : scr_table_next(self->reader.recording, self->table, &self->seq, NULL);
  if (part != SCR_TABLE_HEAD && self->table->row_count == 0) part = SCR_TABLE_TAIL;
  if (status == SCR_OK) status = self->write(self->table, part, &text, &length, NULL);
  if (status == SCR_OK) fwrite(text, 1, length, out);
  scr_free(text);
  if (status != SCR_OK) return -1;
  self->at = part == SCR_TABLE_HEAD ? AT_FIRST_ROWS : part == SCR_TABLE_TAIL ? AT_END : AT_MORE_ROWS;
  return 1;
}

static void end_stream(void *user)
{
  table_stream *self = user;
  scr_table_destroy(self->table);
  readers_give(self->readers, &self->reader);
  free(self);
}

static http_reply refuse(const http_request *request, const scr_error *error)
{
  return problem_reply(request, PROBLEM_NOT_FOUND, "%s",
                       error->message[0] ? error->message : "nothing is recorded yet, so there are no tables");
}

/* Every record is looked at before the first byte is sent: a damaged one is an answer of its own. */
static scr_status check_records(scr_recording *recording, scr_table *table, uint64_t after, scr_error *error)
{
  uint64_t seq = after;
  do SCR_TRY(scr_table_next(recording, table, &seq, error));
  while (table->row_count > 0);
  return SCR_OK;
}

static http_reply as_text(const http_request *request, http_reader *reader, uint64_t after, write_table write, const char *type)
{
  scr_error error = {0};
  scr_table *table = NULL;
  const char *name = request->parameters.values[1];
  scr_status status = reader->recording ? scr_table_open(reader->recording, name, &table, &error) : SCR_BAD_USAGE;
  if (status == SCR_BAD_USAGE) return refuse(request, &error);
  if (status == SCR_OK) status = check_records(reader->recording, table, after, &error);
  if (status != SCR_OK) {
    scr_table_destroy(table);
    return recorded_failure(request, status, &error);
  }
  table_stream *self = calloc(1, sizeof *self);
  if (!self) {
    scr_table_destroy(table);
    return (http_reply){0};
  }
  *self = (table_stream){.readers = request->front->readers, .reader = *reader, .table = table, .write = write, .seq = after};
  reader->recording = NULL;
  return text_stream_reply(type, next_piece, end_stream, self);
}

static http_reply as_json(const http_request *request, http_reader *reader, uint64_t after)
{
  return as_text(request, reader, after, scr_table_json, "application/json");
}

static http_reply as_csv(const http_request *request, http_reader *reader, uint64_t after)
{
  return as_text(request, reader, after, scr_table_csv, "text/csv; charset=utf-8");
}

static http_reply as_picture(const http_request *request, http_reader *reader, uint64_t after)
{
  (void)after; /* the picture is of the newest */
  scr_error error = {0};
  char *text = NULL;
  size_t length = 0;
  scr_status status =
      reader->recording ? scr_table_svg(reader->recording, request->parameters.values[1], &text, &length, &error) : SCR_BAD_USAGE;
  if (status == SCR_BAD_USAGE) return refuse(request, &error);
  return recorded_text(request, status, &error, "image/svg+xml", text, length);
}

http_reply route_table(const http_request *request)
{
  static const recorded_form forms[] = {{"application/json", as_json}, {"text/csv", as_csv}, {"image/svg+xml", as_picture}};
  return recorded_reply(request, forms, 3, "tables come as application/json, text/csv or, where they are histograms, image/svg+xml");
}
