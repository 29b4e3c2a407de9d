/* Broken bonds of a job as CSV, a record at a time. */
#include <stdlib.h>
#include <string.h>

#include "api/http/recorded.h"
#include "api/http/reply.h"
#include "api/http/router.h"
#include "api/http/text_stream.h"

typedef struct breaks_stream {
  http_readers *readers;
  http_reader reader;
  uint64_t seq; /* records up to here are sent */
  bool begun;
} breaks_stream;

static int write_records(breaks_stream *self, FILE *out)
{
  static const scr_breaks none;
  scr_breaks *breaks = NULL;
  char *text = NULL;
  size_t length = 0;
  bool heading = !self->begun;
  uint64_t seq = self->reader.recording ? scr_recording_next(self->reader.recording, self->seq, 1u << SCR_RECORD_BREAKS) : 0;
  if (!heading && !seq) return 0;
  scr_status status = heading ? SCR_OK : scr_breaks_read_record(self->reader.recording, seq, &breaks, NULL);
  if (status == SCR_OK) status = scr_breaks_csv(breaks ? breaks : &none, &text, &length, NULL);
  if (status == SCR_OK) {
    size_t skip = heading ? 0 : strcspn(text, "\n") + 1; /* the line of names comes once */
    fwrite(text + skip, 1, length - skip, out);
  }
  scr_free(text);
  scr_breaks_destroy(breaks);
  if (status != SCR_OK) return -1;
  if (!heading) self->seq = seq;
  self->begun = true;
  return 1;
}

static int next_piece(void *user, FILE *out)
{
  return write_records(user, out);
}

static void end_stream(void *user)
{
  breaks_stream *self = user;
  readers_give(self->readers, &self->reader);
  free(self);
}

/* Every record is looked at before the first byte is sent: a damaged one is an answer of its own. */
static scr_status check_records(scr_recording *recording, uint64_t after, scr_error *error)
{
  for (uint64_t seq = after; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_BREAKS)) != 0;) {
    scr_breaks *breaks = NULL;
    scr_status status = scr_breaks_read_record(recording, seq, &breaks, error);
    scr_breaks_destroy(breaks);
    if (status != SCR_OK) return status;
  }
  return SCR_OK;
}

static http_reply breaks_csv(const http_request *request, http_reader *reader, uint64_t after)
{
  scr_error error = {0};
  scr_status status = reader->recording ? check_records(reader->recording, after, &error) : SCR_OK;
  if (status != SCR_OK) return recorded_failure(request, status, &error);
  breaks_stream *self = calloc(1, sizeof *self);
  if (!self) return (http_reply){0};
  *self = (breaks_stream){.readers = request->front->readers, .reader = *reader, .seq = after};
  reader->recording = NULL;
  return text_stream_reply("text/csv; charset=utf-8", next_piece, end_stream, self);
}

http_reply route_breaks(const http_request *request)
{
  static const recorded_form forms[] = {{"text/csv", breaks_csv}};
  return recorded_reply(request, forms, 1, "broken bonds come as text/csv");
}
