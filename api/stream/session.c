/* A viewer's state. The policy of what is sent when is in pick_record; everything else is bookkeeping. */
#include "api/stream/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes/json_text.h"

enum { ordered_budget = 256 * 1024 }; /* bytes of ordered records between two frames, while a frame waits */
static const unsigned head_mask = 1u << SCR_RECORD_SCENE | 1u << SCR_RECORD_TOPOLOGY;
static const unsigned frame_mask = 1u << SCR_RECORD_FRAME;
static const unsigned end_mask = 1u << SCR_RECORD_END;

/* ── texts ── */

static void close_session(session *s, unsigned code, const char *reason)
{
  if (s->close_code) return;
  s->close_code = code;
  s->close_reason = reason;
}

/* Queues a text from malloc. A viewer that asks more than it reads is cut off. */
static void queue_text(session *s, char *text)
{
  if (!text || s->text_count == SESSION_TEXT_LIMIT) {
    if (text) close_session(s, 1008, "too many messages");
    free(text);
    return;
  }
  s->texts[(s->text_first + s->text_count++) % SESSION_TEXT_LIMIT] = text;
}

static void queue_json(session *s, json_t *message)
{
  queue_text(s, message ? json_dumps(message, JSON_COMPACT) : NULL);
  json_decref(message);
}

void session_complain(session *s, uint32_t stream, const char *detail)
{
  queue_json(
      s, json_pack("{s:s, s:o, s:o}", "type", "error", "stream", stream ? json_integer(stream) : json_null(), "detail", json_text(detail)));
}

void session_begin(session *s, lab *the_lab, feed **feeds, const board *b)
{
  s->lab = the_lab;
  s->feeds = feeds;
  s->board = b;
  s->seen = b->changes;
  queue_json(s, json_pack("{s:s, s:s, s:s, s:{s:i, s:i, s:i, s:i}}", "type", "hello", "protocol", "scree.v1", "version", SCR_VERSION,
                          "limits", "streams", (int)STREAM_SUBSCRIPTION_LIMIT, "window", (int)STREAM_WINDOW_LIMIT, "max_fps",
                          (int)STREAM_FPS_LIMIT, "message_bytes", (int)STREAM_MESSAGE_BYTES));
}

static void drop_subscription(session *s, subscription *sub)
{
  feed_give(s->feeds, sub->feed);
  *sub = (subscription){0};
}

void session_end(session *s)
{
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++)
    if (s->subscriptions[i].number) drop_subscription(s, &s->subscriptions[i]);
  for (; s->text_count > 0; s->text_count--) {
    free(s->texts[s->text_first]);
    s->text_first = (s->text_first + 1) % SESSION_TEXT_LIMIT;
  }
}

/* ── messages ── */

static subscription *find_subscription(session *s, uint32_t number)
{
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++)
    if (s->subscriptions[i].number == number) return &s->subscriptions[i];
  return NULL;
}

bool session_follows(const session *s, int64_t job)
{
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++)
    if (s->subscriptions[i].number && s->subscriptions[i].feed->job == job) return true;
  return false;
}

static void set_start(subscription *sub, const stream_message *m)
{
  uint64_t count = feed_count(sub->feed), end = feed_newest(sub->feed, end_mask), newest = feed_newest(sub->feed, frame_mask);
  sub->cursor = m->live ? count : m->from;
  if (end && sub->cursor >= end) sub->cursor = end - 1; /* `end` always comes */
  sub->frame_sent = m->live ? (newest ? newest - 1 : 0) : m->from;
}

static void subscribe(session *s, const stream_message *m, int64_t now_us)
{
  scr_error error = {0};
  if (find_subscription(s, m->stream)) {
    session_complain(s, m->stream, "this stream number is in use on this connection: unsubscribe first or take another");
    return;
  }
  subscription *sub = find_subscription(s, 0);
  if (!sub) {
    close_session(s, 4000, "too many streams");
    return;
  }
  feed *f = NULL;
  if (feed_take(s->feeds, s->lab, m->job, &f, &error) != LAB_OK) {
    char detail[768];
    snprintf(detail, sizeof detail, "job %lld can't be followed: %s", (long long)m->job,
             error.message[0] ? error.message : "there is no such job");
    session_complain(s, m->stream, detail);
    return;
  }
  *sub = (subscription){.number = m->stream,
                        .feed = f,
                        .told = s->board->changes,
                        .ordered_mask = (m->channels & ~frame_mask) | end_mask,
                        .frames = (m->channels & frame_mask) != 0,
                        .heads = 2,
                        .window = m->window,
                        .frame_interval_us = (int64_t)(1e6 / m->max_fps),
                        .next_frame_us = now_us};
  set_start(sub, m);
  queue_json(s, json_pack("{s:s, s:I, s:I, s:o}", "type", "subscribed", "stream", (json_int_t)m->stream, "job", (json_int_t)m->job,
                          "last_seq", json_count(feed_count(f))));
  queue_text(s, board_job_text(s->lab, m->job));
}

static void acknowledge(session *s, const stream_message *m)
{
  subscription *sub = find_subscription(s, m->stream);
  if (!sub) return; /* it may have been unsubscribed while the acknowledgement was under way */
  size_t gone = 0;
  while (gone < sub->in_flight_count && sub->in_flight[gone] <= m->seq) gone++;
  sub->in_flight_count -= gone;
  memmove(sub->in_flight, sub->in_flight + gone, sub->in_flight_count * sizeof *sub->in_flight);
}

static void unsubscribe(session *s, const stream_message *m)
{
  subscription *sub = find_subscription(s, m->stream);
  if (sub)
    drop_subscription(s, sub);
  else
    session_complain(s, m->stream, "this connection has no stream of that number");
}

void session_receive(session *s, const char *text, size_t length, int64_t now_us)
{
  stream_message m;
  char detail[256];
  if (s->close_code) return;
  if (!stream_message_parse(text, length, &m, detail, sizeof detail)) {
    session_complain(s, m.stream, detail);
    return;
  }
  switch (m.kind) {
  case STREAM_SUBSCRIBE: subscribe(s, &m, now_us); break;
  case STREAM_ACK: acknowledge(s, &m); break;
  case STREAM_UNSUBSCRIBE: unsubscribe(s, &m); break;
  case STREAM_WATCH:
    if (!s->watching) s->seen = s->board->changes;
    s->watching = true;
    break;
  }
}

/* ── what to send ── */

/* Older states than the one told at the beginning of a subscription would look like news. */
static bool wants_entry(const void *user, const board_entry *entry)
{
  const session *s = user;
  if (s->watching) return true;
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++) {
    const subscription *sub = &s->subscriptions[i];
    if (sub->number && sub->feed->job == entry->job && entry->change > sub->told) return true;
  }
  return false;
}

/* The record a subscription is to be sent now; 0: none, and `*wait_until_us` becomes the time to look again if time alone changes that.
 *
 * Scene and topology go first. A frame goes once the ordered records before it have gone, or when those have had their share of bytes, so
 * that a long replay of curves does not hold the picture back. The last frame of an ended run is neither skipped nor held back by a
 * viewer that does not acknowledge; `end` goes after it. */
static uint64_t pick_record(const subscription *sub, int64_t now_us, int64_t *wait_until_us)
{
  const feed *f = sub->feed;
  if (sub->ended) return 0;
  if (sub->heads > 0) return feed_next(f, sub->head_cursor, head_mask);
  uint64_t ordered = feed_next(f, sub->cursor, sub->ordered_mask);
  uint64_t frame = sub->frames ? feed_newest(f, frame_mask) : 0;
  if (frame <= sub->frame_sent) frame = 0;
  if (frame) {
    bool last = feed_ended(f), room = sub->in_flight_count < sub->window;
    bool turn = !ordered || ordered > frame || sub->ordered_bytes >= ordered_budget;
    if (turn && (last || (room && now_us >= sub->next_frame_us))) return frame;
    if (turn && room && sub->next_frame_us < *wait_until_us) *wait_until_us = sub->next_frame_us;
  }
  bool held = ordered && frame && feed_type(f, ordered) == SCR_RECORD_END;
  return held ? 0 : ordered;
}

static unsigned count_skipped(const subscription *sub, uint64_t frame)
{
  unsigned skipped = 0;
  for (uint64_t seq = feed_next(sub->feed, sub->frame_sent, frame_mask); seq && seq < frame; seq = feed_next(sub->feed, seq, frame_mask))
    if (skipped < UINT16_MAX) skipped++;
  return skipped;
}

/* Notes a record as sent and makes its header. */
static scr_record_header note_sent(subscription *sub, const stream_block *block, int64_t now_us)
{
  scr_record_header header;
  memcpy(&header, block->bytes, sizeof header);
  header.stream = sub->number;
  if (sub->heads > 0) {
    sub->heads--;
    sub->head_cursor = block->seq;
  } else if (header.type == SCR_RECORD_FRAME) {
    header.flags = (uint16_t)count_skipped(sub, block->seq);
    sub->frame_sent = block->seq;
    if (sub->in_flight_count <= STREAM_WINDOW_LIMIT) sub->in_flight[sub->in_flight_count++] = block->seq;
    /* A late frame does not make the next one come early, but a timer's small delay does not add up either. */
    int64_t due = sub->next_frame_us + sub->frame_interval_us;
    sub->next_frame_us = due + sub->frame_interval_us > now_us ? due : now_us + sub->frame_interval_us;
    sub->ordered_bytes = 0;
  } else {
    sub->cursor = block->seq;
    sub->ordered_bytes += block->size;
    sub->ended = header.type == SCR_RECORD_END;
  }
  return header;
}

static bool next_record(session *s, subscription *sub, int64_t now_us, outgoing *out)
{
  uint64_t seq = pick_record(sub, now_us, &out->wait_until_us);
  if (seq == 0) return false;
  scr_error error = {0};
  out->block = feed_read(sub->feed, seq, &error);
  if (out->block) {
    out->header = note_sent(sub, out->block, now_us);
    return true;
  }
  session_complain(s, sub->number, error.message);
  drop_subscription(s, sub);
  return false;
}

static char *next_text(session *s)
{
  if (s->text_count == 0) return NULL;
  char *text = s->texts[s->text_first];
  s->text_first = (s->text_first + 1) % SESSION_TEXT_LIMIT;
  s->text_count--;
  return text;
}

outgoing session_next(session *s, int64_t now_us)
{
  outgoing out = {.wait_until_us = INT64_MAX, .text = next_text(s)};
  if (out.text) return out;
  const board_entry *entry = board_next(s->board, s->seen, wants_entry, s);
  if (entry) {
    s->seen = entry->change;
    out.text = strdup(entry->text);
    return out;
  }
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++) {
    size_t index = (s->turn + i) % STREAM_SUBSCRIPTION_LIMIT;
    subscription *sub = &s->subscriptions[index];
    if (sub->number == 0 || !next_record(s, sub, now_us, &out)) continue;
    s->turn = (index + 1) % STREAM_SUBSCRIPTION_LIMIT;
    return out;
  }
  out.text = next_text(s); /* a record that could not be read left a message */
  return out;
}
