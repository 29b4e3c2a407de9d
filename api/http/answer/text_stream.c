/* Pieces of text on their way into an answer. */
#include "api/http/answer/text_stream.h"

#include <stdlib.h>
#include <string.h>

enum { block_bytes = 65536, piece_bytes = 60000 };

typedef struct text_stream {
  text_stream_next next;
  void (*end)(void *user);
  void *user;
  char *text; /* the piece being sent, NULL before the first */
  size_t size, sent;
  bool last;
} text_stream;

static bool make_piece(text_stream *self)
{
  free(self->text);
  self->text = NULL;
  self->size = self->sent = 0;
  FILE *out = open_memstream(&self->text, &self->size);
  if (!out) return false;
  int more = 1;
  while (more > 0 && ftello(out) < piece_bytes)
    more = self->next(self->user, out); /* small records together: each piece is a packet and more */
  bool failed = ferror(out) != 0;
  if (fclose(out) != 0 || failed || more < 0) return false;
  self->last = more == 0;
  return true;
}

static ssize_t send_piece(void *user, uint64_t position, char *to, size_t capacity)
{
  (void)position;
  text_stream *self = user;
  while (self->sent == self->size) {
    if (self->last) return MHD_CONTENT_READER_END_OF_STREAM;
    if (!make_piece(self)) return MHD_CONTENT_READER_END_WITH_ERROR;
  }
  size_t size = self->size - self->sent < capacity ? self->size - self->sent : capacity;
  memcpy(to, self->text + self->sent, size);
  self->sent += size;
  return (ssize_t)size;
}

static void stream_ended(void *user)
{
  text_stream *self = user;
  self->end(self->user);
  free(self->text);
  free(self);
}

http_reply text_stream_reply(const char *type, text_stream_next next, void (*end)(void *user), void *user)
{
  http_reply reply = {.status = 200};
  text_stream *self = calloc(1, sizeof *self);
  if (!self) {
    end(user);
    return reply;
  }
  *self = (text_stream){.next = next, .end = end, .user = user};
  reply.response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block_bytes, send_piece, self, stream_ended);
  if (!reply.response) stream_ended(self);
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  return reply;
}
