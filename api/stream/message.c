/* Parses viewers' messages. Keys that are not known are passed over, so that newer viewers can talk to older servers. */
#include "api/stream/message.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"
#include "record/frame/visible_points.h"
#include "scree.h"

typedef struct reading {
  const json_t *object;
  char *detail;
  size_t capacity;
} reading;

static bool refuse(const reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const reading *r, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->detail, r->capacity, format, arguments);
  va_end(arguments);
  return false;
}

/* A whole number in [low, high] under `key`; when absent `fallback`, unless that is negative. */
static bool read_whole(const reading *r, const char *key, json_int_t low, json_int_t high, json_int_t fallback, json_int_t *value)
{
  const json_t *given = json_object_get(r->object, key);
  if (!given && fallback >= 0) {
    *value = fallback;
    return true;
  }
  *value = json_integer_value(given);
  if (json_is_integer(given) && *value >= low && *value <= high) return true;
  return refuse(r, "\"%s\" must be a whole number from %lld to %lld", key, (long long)low, (long long)high);
}

static bool read_from(const reading *r, stream_message *message)
{
  const json_t *given = json_object_get(r->object, "from");
  const char *text = json_string_value(given);
  message->live = text && strcmp(text, "live") == 0;
  if (!given || message->live) return true;
  message->from = (uint64_t)json_integer_value(given);
  if (json_is_integer(given) && json_integer_value(given) >= 0) return true;
  return refuse(r, "\"from\" must be a whole number >= 0 or \"live\"");
}

static unsigned channel_bit(const char *name)
{
  if (!name) return 0;
  if (strcmp(name, "frame") == 0) return 1u << SCR_RECORD_FRAME;
  if (strcmp(name, "curve") == 0) return 1u << SCR_RECORD_CURVE;
  if (strcmp(name, "event") == 0) return 1u << SCR_RECORD_EVENT;
  if (strcmp(name, "progress") == 0) return 1u << SCR_RECORD_PROGRESS;
  return 0;
}

static bool read_channels(const reading *r, stream_message *message)
{
  const json_t *given = json_object_get(r->object, "channels");
  message->channels = 1u << SCR_RECORD_FRAME | 1u << SCR_RECORD_CURVE | 1u << SCR_RECORD_EVENT | 1u << SCR_RECORD_PROGRESS;
  if (!given) return true;
  message->channels = 0;
  bool fine = json_is_array(given);
  for (size_t i = 0; fine && i < json_array_size(given); i++) {
    unsigned bit = channel_bit(json_string_value(json_array_get(given, i)));
    fine = bit != 0;
    message->channels |= bit;
  }
  return fine || refuse(r, "\"channels\" must be a list of \"frame\", \"curve\", \"event\", \"progress\"");
}

/* All, or as many as a view shows. */
static bool read_points(const reading *r, stream_message *message)
{
  const json_t *given = json_object_get(r->object, "points");
  json_int_t wished = json_integer_value(given);
  if (!given) return true;
  if (json_is_integer(given) && frame_points_level(wished, &message->points)) return true;
  return refuse(r, "\"points\" must be 0, for all, or a whole number from %d on", FRAME_POINTS_LEAST);
}

static bool read_subscribe(const reading *r, stream_message *message)
{
  json_int_t job, window;
  const json_t *fps = json_object_get(r->object, "max_fps");
  if (!read_whole(r, "job", 1, INT64_MAX, -1, &job)) return false;
  if (!read_whole(r, "window", 1, STREAM_WINDOW_LIMIT, 2, &window)) return false;
  message->job = job;
  message->window = (unsigned)window;
  message->max_fps = fps ? json_number_value(fps) : 30.0;
  if (!(message->max_fps > 0.0 && message->max_fps <= STREAM_FPS_LIMIT))
    return refuse(r, "\"max_fps\" must be a number above 0 and at most %d", STREAM_FPS_LIMIT);
  return read_points(r, message) && read_from(r, message) && read_channels(r, message);
}

static bool read_kind(const reading *r, stream_message *message)
{
  static const char *const names[] = {"subscribe", "ack", "unsubscribe", "watch"};
  const char *name = json_string_value(json_object_get(r->object, "type"));
  for (unsigned i = 0; name && i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) {
      message->kind = (stream_message_kind)i;
      return true;
    }
  return refuse(r, "\"type\" must be \"subscribe\", \"ack\", \"unsubscribe\" or \"watch\"");
}

static bool read_message(const reading *r, stream_message *message)
{
  json_int_t number = 0;
  bool named = json_object_get(r->object, "stream") != NULL;
  if (named && !read_whole(r, "stream", 1, UINT32_MAX, -1, &number)) return false;
  message->stream = (uint32_t)number;
  if (!read_kind(r, message)) return false;
  if (message->kind == STREAM_WATCH) return true;
  if (!named) return refuse(r, "\"stream\" is missing: a number above 0 that is not in use on this connection");
  if (message->kind == STREAM_SUBSCRIBE) return read_subscribe(r, message);
  if (message->kind == STREAM_ACK) {
    if (!read_whole(r, "seq", 1, INT64_MAX, -1, &number)) return false;
    message->seq = (uint64_t)number;
  }
  return true;
}

bool stream_message_parse(const char *text, size_t length, stream_message *message, char *detail, size_t capacity)
{
  *message = (stream_message){0};
  detail[0] = '\0';
  json_t *object = NULL;
  scr_status status = json_read(text, length, JSON_REJECT_DUPLICATES, &object, NULL);
  reading r = {.object = object, .detail = detail, .capacity = capacity};
  bool fine = json_is_object(object)    ? read_message(&r, message)
              : status == SCR_NO_MEMORY ? refuse(&r, "the server is out of memory: try again")
                                        : refuse(&r, "a message must be a JSON object");
  json_decref(object);
  return fine;
}
