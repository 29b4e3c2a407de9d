/* A byte at a time, but for payloads. */
#include "api/stream/mask_screen.h"

#include <stdlib.h>
#include <string.h>

enum { mask_bytes = 4 };

static void take_head(mask_screen *s, unsigned char c)
{
  static const unsigned char end[] = {'\r', '\n', '\r', '\n'};
  if (c == end[s->matched])
    s->matched++;
  else
    s->matched = c == end[0];
  if (s->matched == sizeof end) s->state = MASK_SCREEN_FIRST;
}

/* The byte with the mask bit and the length, or how many bytes of it follow. */
static bool take_second(mask_screen *s, unsigned char c)
{
  unsigned length = c & 0x7f;
  s->bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
  s->left = s->bytes ? 0 : length + mask_bytes;
  s->state = s->bytes ? MASK_SCREEN_LENGTH : MASK_SCREEN_REST;
  return (c & 0x80) != 0;
}

static void take_length(mask_screen *s, unsigned char c)
{
  s->left = s->left << 8 | c;
  if (--s->bytes > 0) return;
  s->left = s->left <= UINT64_MAX - mask_bytes ? s->left + mask_bytes : UINT64_MAX;
  s->state = MASK_SCREEN_REST;
}

bool mask_screen_take(mask_screen *s, const unsigned char *bytes, size_t count)
{
  for (size_t i = 0; i < count;) {
    if (s->state == MASK_SCREEN_REST) {
      size_t part = count - i < s->left ? count - i : (size_t)s->left;
      i += part;
      s->left -= part;
      if (s->left == 0) s->state = MASK_SCREEN_FIRST;
      continue;
    }
    unsigned char c = bytes[i++];
    switch (s->state) {
    case MASK_SCREEN_HEAD: take_head(s, c); break;
    case MASK_SCREEN_FIRST: s->state = MASK_SCREEN_SECOND; break;
    case MASK_SCREEN_SECOND:
      if (!take_second(s, c)) return false;
      break;
    default: take_length(s, c);
    }
  }
  return true;
}

static bool look(void *user, int socket, const void *bytes, size_t count)
{
  mask_screens *screens = user;
  return (size_t)socket >= screens->count || mask_screen_take(&screens->sockets[socket], bytes, count);
}

void mask_screens_init(mask_screens *screens)
{
  *screens = (mask_screens){.watch = {look, screens}};
}

bool mask_screens_begin(mask_screens *screens, size_t socket)
{
  if (socket >= screens->count) {
    size_t count = screens->count ? screens->count : 256;
    while (count <= socket) count *= 2;
    mask_screen *grown = realloc(screens->sockets, count * sizeof *grown);
    if (!grown) return false;
    memset(grown + screens->count, 0, (count - screens->count) * sizeof *grown);
    screens->sockets = grown;
    screens->count = count;
  }
  screens->sockets[socket] = (mask_screen){0};
  return true;
}

void mask_screens_clear(mask_screens *screens)
{
  free(screens->sockets);
  *screens = (mask_screens){0};
}
