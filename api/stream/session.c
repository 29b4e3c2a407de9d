/* A viewer's state. The policy of what is sent when is in pick_ordered and pick_frame; everything else is bookkeeping. */
#include "api/stream/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes/json_text.h"

enum { ordered_budget = 256 * 1024 }; /* bytes of ordered records between two frames, while a frame waits */

static const double longest_interval_us = 1e15; /* 30 years between two frames: a rate of almost none */
/* What a viewer needs before the first frame. In a recording nothing else comes before the last of these. */
static const unsigned head_mask = 1u << SCR_RECORD_SCENE | 1u << SCR_RECORD_TOPOLOGY | 1u << SCR_RECORD_GEOMETRY;
static const unsigned body_mask =
    ((1u << SCR_RECORD_TYPE_COUNT) - 1u) & ~(1u << SCR_RECORD_SCENE | 1u << SCR_RECORD_TOPOLOGY | 1u << SCR_RECORD_GEOMETRY);
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

void session_report_error(session *s, uint32_t stream, const char *detail)
{
  queue_json(
      s, json_pack("{s:s, s:o, s:o}", "type", "error", "stream", stream ? json_integer(stream) : json_null(), "detail", json_text(detail)));
}

void session_begin(session *s, feed_set *feeds, const job_feed *b)
{
  s->feeds = feeds;
  s->job_feed = b;
  s->seen = b->changes;
  queue_json(s, json_pack("{s:s, s:s, s:s, s:{s:i, s:i, s:i, s:i}}", "type", "hello", "protocol", "scree.v1", "version", SCR_VERSION,
                          "limits", "streams", (int)STREAM_SUBSCRIPTION_LIMIT, "window", (int)STREAM_WINDOW_LIMIT, "max_fps",
                          (int)STREAM_FPS_LIMIT, "message_bytes", (int)STREAM_MESSAGE_BYTES));
}

static void drop_subscription(subscription *sub)
{
  block_release(sub->ordered.block);
  block_release(sub->frame.block);
  feed_give(sub->feed);
  *sub = (subscription){0};
}

void session_end(session *s)
{
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++)
    if (s->subscriptions[i].number) drop_subscription(&s->subscriptions[i]);
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

static bool follows_any(const session *s)
{
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++)
    if (s->subscriptions[i].number) return true;
  return s->watching;
}

static void set_start(subscription *sub)
{
  uint64_t count = feed_count(sub->feed), end = feed_newest(sub->feed, end_mask), newest = feed_newest(sub->feed, frame_mask);
  sub->cursor = sub->live ? count : sub->from;
  if (end && sub->cursor >= end) sub->cursor = end - 1; /* `end` always comes */
  sub->frame_sent = sub->live ? (newest ? newest - 1 : 0) : sub->from;
}

static void subscribe(session *s, const stream_message *m, int64_t now_us)
{
  if (find_subscription(s, m->stream)) {
    session_report_error(s, m->stream, "this stream number is in use on this connection: unsubscribe first or take another");
    return;
  }
  subscription *sub = find_subscription(s, 0);
  if (!sub) {
    close_session(s, 4000, "too many streams");
    return;
  }
  if (!follows_any(s)) s->seen = s->job_feed->changes;
  feed *f = feed_take(s->feeds, m->job, m->points);
  if (!f) {
    session_report_error(s, m->stream, "the server is out of memory: try again");
    return;
  }
  *sub = (subscription){.number = m->stream,
                        .live = m->live,
                        .from = m->from,
                        .feed = f,
                        .ticket = f->asked,
                        .reported = s->job_feed->changes,
                        .ordered_mask = (m->channels & ~frame_mask) | end_mask,
                        .frames = (m->channels & frame_mask) != 0,
                        .window = m->window,
                        .frame_interval_us = (int64_t)fmin(1e6 / m->max_fps, longest_interval_us),
                        .next_frame_us = now_us};
}

/* Answers a subscription whose feed knows by now whether there is such a job. */
static void open_subscription(session *s, subscription *sub)
{
  const feed *f = sub->feed;
  if (f->status != LAB_OK) {
    char detail[768];
    snprintf(detail, sizeof detail, "job %lld can't be followed: %s", (long long)f->job, f->detail[0] ? f->detail : "there is no such job");
    session_report_error(s, sub->number, detail);
    drop_subscription(sub);
    return;
  }
  sub->open = true;
  set_start(sub);
  queue_json(s, json_pack("{s:s, s:I, s:I, s:o}", "type", "subscribed", "stream", (json_int_t)sub->number, "job", (json_int_t)f->job,
                          "last_seq", json_count(feed_count(f))));
  if (f->job_text) queue_text(s, strdup(f->job_text));
}

/* Takes a record that was read. One that could not be ends the subscription: what must all arrive can't. */
static void take_read(session *s, subscription *sub, reading *r, const reader_task *task)
{
  if (!r->awaited) return;
  bool failed = false;
  scr_error error = {0};
  stream_block *block = feed_task_block(task, r->awaited, &failed, &error);
  if (block) {
    *r = (reading){.block = block};
  } else if (failed) {
    session_report_error(s, sub->number, error.message);
    drop_subscription(sub);
  }
}

void session_feed_changed(session *s, feed *f, const reader_task *task)
{
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++) {
    subscription *sub = &s->subscriptions[i];
    if (sub->number == 0 || sub->feed != f) continue;
    if (!sub->open && sub->ticket <= f->answered) open_subscription(s, sub);
    if (sub->number) take_read(s, sub, &sub->ordered, task);
    if (sub->number) take_read(s, sub, &sub->frame, task);
  }
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
    drop_subscription(sub);
  else
    session_report_error(s, m->stream, "this connection has no stream with this number");
}

void session_receive(session *s, const char *text, size_t length, int64_t now_us)
{
  stream_message m;
  char detail[256];
  if (s->close_code) return;
  if (!stream_message_parse(text, length, &m, detail, sizeof detail)) {
    session_report_error(s, m.stream, detail);
    return;
  }
  switch (m.kind) {
  case STREAM_SUBSCRIBE: subscribe(s, &m, now_us); break;
  case STREAM_ACK: acknowledge(s, &m); break;
  case STREAM_UNSUBSCRIBE: unsubscribe(s, &m); break;
  case STREAM_WATCH:
    if (!follows_any(s)) s->seen = s->job_feed->changes;
    s->watching = true;
    queue_json(s, json_pack("{s:s}", "type", "watching"));
    break;
  }
}

/* ── what to send ── */

/* Older states than the one told at the beginning of a subscription would look like news. */
static bool wants_entry(const void *user, const job_feed_entry *entry)
{
  const session *s = user;
  bool wanted = s->watching;
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++) {
    const subscription *sub = &s->subscriptions[i];
    if (sub->number == 0 || sub->feed->job != entry->job) continue;
    if (entry->change > sub->reported) return true;
    wanted = false;
  }
  return wanted;
}

bool session_has_news(const session *s)
{
  return s->seen < s->job_feed->changes && follows_any(s);
}

/* The next job message, or that some were lost. NULL: none */
static char *next_news(session *s)
{
  if (!follows_any(s)) {
    s->seen = s->job_feed->changes;
    return NULL;
  }
  if (job_feed_missed(s->job_feed, s->seen)) {
    s->seen = s->job_feed->changes;
    return strdup("{\"type\":\"resync\"}");
  }
  const job_feed_entry *entry = job_feed_next(s->job_feed, &s->seen, wants_entry, s);
  return entry ? strdup(entry->text) : NULL;
}

/* Whether all of the head was sent: something else is there, so that no more of it can come. */
static bool head_sent(const subscription *sub)
{
  return feed_newest(sub->feed, body_mask) > 0 && feed_next(sub->feed, sub->head_cursor, head_mask) == 0;
}

/* The newest frame a subscription has not been sent; 0: none */
static uint64_t unsent_frame(const subscription *sub)
{
  uint64_t frame = sub->frames && head_sent(sub) ? feed_newest(sub->feed, frame_mask) : 0;
  return frame > sub->frame_sent ? frame : 0;
}

/* The next of the records that must all arrive; 0: none. Scene, topology and geometry go first, `end` goes last, after the last frame. */
static uint64_t pick_ordered(const subscription *sub)
{
  const feed *f = sub->feed;
  if (!head_sent(sub)) return feed_next(f, sub->head_cursor, head_mask);
  uint64_t ordered = feed_next(f, sub->cursor, sub->ordered_mask);
  return ordered == feed_newest(f, end_mask) && unsent_frame(sub) ? 0 : ordered;
}

/* The frame a subscription may be sent now; 0: none, and `*wait_until_us` becomes the time to look again if time alone changes that.
 *
 * A frame goes once the ordered records before it have gone, or when those have had their share of bytes, so that a long replay of curves
 * does not hold the picture back. The last frame of an ended run is neither skipped nor held back by a viewer that does not acknowledge. */
static uint64_t pick_frame(const subscription *sub, int64_t now_us, int64_t *wait_until_us)
{
  const feed *f = sub->feed;
  uint64_t frame = unsent_frame(sub), ordered = frame ? feed_next(f, sub->cursor, sub->ordered_mask) : 0;
  bool last = feed_ended(f), has_space = sub->in_flight_count < sub->window;
  bool turn = frame && (!ordered || ordered > frame || sub->ordered_bytes >= ordered_budget);
  if (turn && (last || (has_space && now_us >= sub->next_frame_us))) return frame;
  if (turn && has_space && sub->next_frame_us < *wait_until_us) *wait_until_us = sub->next_frame_us;
  return 0;
}

static unsigned count_skipped(const subscription *sub, uint64_t frame)
{
  size_t skipped = feed_between(sub->feed, sub->frame_sent, frame, SCR_RECORD_FRAME);
  return skipped < UINT16_MAX ? (unsigned)skipped : UINT16_MAX;
}

/* Notes a record as sent and makes its header. */
static scr_record_header note_sent(subscription *sub, const stream_block *block, int64_t now_us)
{
  scr_record_header header;
  memcpy(&header, block->bytes, sizeof header);
  header.stream = sub->number;
  if (head_mask & 1u << header.type) {
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

/* Whether a record is in memory, in `r`; else it is read. */
static bool is_read(const subscription *sub, reading *r, uint64_t seq, unsigned mask_after)
{
  if (r->block) return true;
  r->block = feed_block(sub->feed, r->awaited ? r->awaited : seq, mask_after);
  r->awaited = r->block ? 0 : r->awaited ? r->awaited : seq;
  return r->block != NULL;
}

static bool hand_out(subscription *sub, reading *r, int64_t now_us, outgoing *out)
{
  out->block = r->block;
  *r = (reading){0};
  out->header = note_sent(sub, out->block, now_us);
  return true;
}

/* Makes a subscription's next record ready. False when there is none, it is being read, or it is a frame and those must wait. A frame that
 * was read is sent unless a newer one is at hand: waiting for the newest, a slow disk would show none at all. */
static bool next_record(subscription *sub, int64_t now_us, bool frames, outgoing *out)
{
  if (!sub->open || sub->ended) return false;
  uint64_t frame = pick_frame(sub, now_us, &out->wait_until_us);
  if (frame && is_read(sub, &sub->frame, frame, 0)) {
    stream_block *newer = feed_newest_frame(sub->feed, sub->frame.block->seq);
    if (newer) {
      block_release(sub->frame.block);
      sub->frame.block = newer;
    }
    if (frames) return hand_out(sub, &sub->frame, now_us, out);
    out->frame_waits = true;
  }
  uint64_t ordered = pick_ordered(sub);
  unsigned mask_after = !head_sent(sub) ? head_mask : sub->ordered_mask;
  return ordered && is_read(sub, &sub->ordered, ordered, mask_after) && hand_out(sub, &sub->ordered, now_us, out);
}

static char *next_text(session *s)
{
  if (s->text_count == 0) return NULL;
  char *text = s->texts[s->text_first];
  s->text_first = (s->text_first + 1) % SESSION_TEXT_LIMIT;
  s->text_count--;
  return text;
}

outgoing session_next(session *s, int64_t now_us, bool frames)
{
  outgoing out = {.wait_until_us = INT64_MAX, .text = next_text(s)};
  if (!out.text) out.text = next_news(s);
  if (out.text) return out;
  for (size_t i = 0; i < STREAM_SUBSCRIPTION_LIMIT; i++) {
    size_t index = (s->turn + i) % STREAM_SUBSCRIPTION_LIMIT;
    subscription *sub = &s->subscriptions[index];
    if (sub->number == 0 || !next_record(sub, now_us, frames, &out)) continue;
    s->turn = (index + 1) % STREAM_SUBSCRIPTION_LIMIT;
    return out;
  }
  return out;
}
