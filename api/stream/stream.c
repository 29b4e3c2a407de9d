/* The stream's thread: libwebsockets' context and callbacks around sessions.
 *
 * libwebsockets 4.1.6 allows other threads nothing but lws_cancel_service, which wakes this one with EVENT_WAIT_CANCELLED. Writing happens
 * only in SERVER_WRITEABLE, one piece per callback, out of a scratch buffer: the library writes into the bytes before what it sends, so a
 * record that several viewers share can't be sent in place. */
#include "api/stream/stream.h"

#include <jansson.h>
#include <libwebsockets.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "api/stream/gate.h"
#include "api/stream/inbox.h"
#include "api/stream/mask_screen.h"
#include "api/stream/session.h"
#include "base/error.h"

enum {
  piece_bytes = 32768,            /* what the library may have to keep of a message for a full socket */
  burst_bytes = 65536,            /* sent to one viewer before the others' turn */
  send_buffer_bytes = 256 * 1024, /* of a socket: what the kernel holds for a viewer that does not read */
  turn_viewers = 64,              /* who may begin a frame between two looks at what happened ... */
  turn_frame_bytes = 1 << 20,     /* ... and of how many bytes */
  reader_count = 3,
  describe_count = 64,    /* jobs asked about in one task */
  held_bytes = 256 << 20, /* of records in memory, above which no more are read */
  kept_bytes = 32 << 20,  /* above which none are kept that nobody waits for */
  space_poll_us = 20000,
  stop_poll_us = 50000,
  header_seconds = 5,
  ping_seconds = 20,
  hangup_seconds = 30,
  refused_viewers = 64,  /* let in at once only to be told, by a close frame, that they are too many: pages can't read a 503 */
  try_again_later = 1013 /* close code of the IANA registry that libwebsockets has no name for */
};

/* What libwebsockets keeps per connection. */
typedef struct viewer {
  struct viewer *next;
  struct lws *wsi;
  session session;
  char incoming[STREAM_MESSAGE_BYTES]; /* the message being received */
  size_t incoming_size;
  outgoing sending; /* the message being sent */
  size_t sent;      /* bytes of it */
  bool in_line;     /* for a frame */
  bool has_turn;    /* it may begin a frame */
  struct viewer *next_in_line;
  int64_t wait_us; /* when it may have something to be sent without anything happening; INT64_MAX: never */
} viewer;

/* Asks the lab about jobs whose messages are due. */
typedef struct describe_task {
  reader_task base;
  lab *lab;
  size_t count;
  int64_t jobs[describe_count];
  char *texts[describe_count];
  lab_status statuses[describe_count];
} describe_task;

struct stream {
  stream_config config;
  gate gate; /* what every request passes */
  struct lws_context *context;
  struct lws_vhost *vhost;
  lws_retry_bo_t keep_alive;
  struct lws_protocols protocols[3];
  lws_sorted_usec_list_t timer;
  int64_t timer_us; /* when it is set for; INT64_MAX: it is not */
  inbox inbox;
  inbox_content taken; /* the thread's copy */
  viewer *viewers;
  unsigned viewer_count;
  mask_screens screens;     /* of the sockets that were taken */
  viewer *line, **line_end; /* viewers who wait for a frame, those who wait longest first */
  size_t frame_bytes;       /* begun in this turn */
  feed_set feeds;
  readers *readers;
  job_feed job_feed;
  bool stopping;
  int64_t stop_us; /* deadline */
  double stop_seconds;
  char full_reason[100]; /* to a viewer too many */
  pthread_t thread;
  unsigned char scratch[LWS_PRE + piece_bytes];
};

static int64_t now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ── time and wake-ups ── */

static void timer_fired(lws_sorted_usec_list_t *timer);

/* Makes sure that the thread looks again no later than at `at_us`. */
static void look_again(stream *s, int64_t at_us)
{
  if (at_us >= s->timer_us) return;
  int64_t delay = at_us - now_us();
  s->timer_us = at_us;
  lws_sul_schedule(s->context, 0, &s->timer, timer_fired, delay > 1 ? delay : 1);
}

static void offer_to_all(stream *s)
{
  for (viewer *v = s->viewers; v; v = v->next) lws_callback_on_writable(v->wsi);
}

static void offer_to_followers(stream *s, const feed *f)
{
  for (viewer *v = s->viewers; v; v = v->next)
    if (session_follows(&v->session, f->job)) lws_callback_on_writable(v->wsi);
}

static void offer_news(stream *s)
{
  for (viewer *v = s->viewers; v; v = v->next)
    if (session_has_news(&v->session)) lws_callback_on_writable(v->wsi);
}

/* Offers to those whose time has come, and looks again for the others. */
static void offer_to_waiting(stream *s, int64_t now)
{
  int64_t next = INT64_MAX;
  for (viewer *v = s->viewers; v; v = v->next) {
    if (v->wait_us <= now) {
      v->wait_us = INT64_MAX;
      lws_callback_on_writable(v->wsi);
    } else if (v->wait_us < next) {
      next = v->wait_us;
    }
  }
  look_again(s, next);
}

/* ── what the readers do for this thread ── */

static void describe(reader_task *base)
{
  describe_task *task = (describe_task *)base;
  for (size_t i = 0; i < task->count; i++) task->texts[i] = job_feed_text(task->lab, task->jobs[i], &task->statuses[i]);
}

/* Puts what is due into the job feed, or has it asked for. */
static void publish(stream *s)
{
  uint64_t before = s->job_feed.changes;
  int64_t jobs[describe_count], next = INT64_MAX;
  for (;;) {
    size_t count = job_feed_due(&s->job_feed, now_us(), jobs, describe_count, &next);
    if (count == 0) break;
    describe_task *task = calloc(1, sizeof *task);
    if (!task) {
      for (size_t i = 0; i < count; i++) job_feed_answer(&s->job_feed, jobs[i], NULL, true, now_us());
      continue;
    }
    *task = (describe_task){.base.run = describe, .lab = s->config.lab, .count = count};
    memcpy(task->jobs, jobs, count * sizeof *jobs);
    readers_put(s->readers, &task->base);
  }
  look_again(s, next);
  if (s->job_feed.changes != before) offer_news(s);
}

static void take_descriptions(stream *s, describe_task *task)
{
  for (size_t i = 0; i < task->count; i++)
    job_feed_answer(&s->job_feed, task->jobs[i], task->texts[i], task->statuses[i] != LAB_NOT_FOUND, now_us());
  free(task);
}

/* Has done what the feeds want done. */
static void run_feeds(stream *s)
{
  int64_t wait = INT64_MAX, now = now_us();
  for (feed *f = s->feeds.first; f; f = f->next) {
    reader_task *task = feed_make_task(f, now, &wait);
    if (task) readers_put(s->readers, task);
  }
  look_again(s, wait);
  if (!s->feeds.limit_reached) return;
  s->feeds.limit_reached = false;
  look_again(s, now + space_poll_us);
  for (viewer *v = s->viewers; v; v = v->next)
    if (v->wait_us > now + space_poll_us) v->wait_us = now + space_poll_us;
}

static void take_feed_task(stream *s, reader_task *task)
{
  feed *f = feed_take_over(&s->feeds, task);
  if (f) {
    feed_hold(f); /* a viewer that is told there is no such job leaves it, and may have been the last */
    offer_to_followers(s, f); /* before: whoever is told why it can't be followed does not follow it afterwards */
    for (viewer *v = s->viewers; v; v = v->next) session_feed_changed(&v->session, f, task);
    feed_give(f);
  }
  feed_task_free(task);
}

/* Called by the readers: this thread takes over what they did. */
static void reader_done(void *user)
{
  stream *s = user;
  lws_cancel_service(s->context);
}

static void take_done(stream *s)
{
  uint64_t before = s->job_feed.changes;
  for (reader_task *task = readers_take_done(s->readers), *next; task; task = next) {
    next = task->next;
    if (feed_task_is(task))
      take_feed_task(s, task);
    else
      take_descriptions(s, (describe_task *)task);
  }
  if (s->job_feed.changes != before) offer_news(s);
}

static void timer_fired(lws_sorted_usec_list_t *timer)
{
  stream *s = lws_container_of(timer, stream, timer);
  s->timer_us = INT64_MAX;
  publish(s);
  offer_to_waiting(s, now_us());
  run_feeds(s);
  if (s->stopping) {
    offer_to_all(s);
    look_again(s, now_us() + stop_poll_us);
  }
}

/* ── what happens ── */

static bool is_interesting(const stream *s, int64_t job)
{
  for (const viewer *v = s->viewers; v; v = v->next)
    if (v->session.watching || session_follows(&v->session, job)) return true;
  return false;
}

static void job_happened(stream *s, int64_t job, unsigned events)
{
  for (feed *f = s->feeds.first; f; f = f->next)
    if (f->job == job) f->look = true;
  bool shown = (events & (1u << LAB_EVENT_JOB | 1u << LAB_EVENT_DELETED)) != 0;
  if (shown && is_interesting(s, job)) job_feed_touch(&s->job_feed, job, (events & 1u << LAB_EVENT_DELETED) != 0);
}

static void begin_stop(stream *s)
{
  if (s->stopping) return;
  s->stopping = true;
  s->stop_us = now_us() + (int64_t)(s->stop_seconds * 1e6);
  for (viewer *v = s->viewers; v; v = v->next) {
    if (v->session.close_code) continue;
    v->session.close_code = LWS_CLOSE_STATUS_GOINGAWAY;
    v->session.close_reason = "shutting down";
  }
  offer_to_all(s);
  look_again(s, now_us() + stop_poll_us);
}

/* Takes a socket. What the kernel keeps for a viewer that does not read is bounded, so that memory is. */
static void adopt(stream *s, int socket)
{
  if (!mask_screens_begin(&s->screens, (size_t)socket)) {
    close(socket);
    return;
  }
  int bytes = send_buffer_bytes / 2; /* Linux doubles it */
  (void)setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  (void)lws_adopt_socket_vhost(s->vhost, socket); /* closes it on failure */
}

/* Takes over what other threads left. */
static void empty_inbox(stream *s)
{
  inbox_take(&s->inbox, &s->taken);
  for (size_t i = 0; i < s->taken.socket_count; i++) adopt(s, s->taken.sockets[i]);
  for (size_t i = 0; i < s->taken.job_count; i++) job_happened(s, s->taken.jobs[i].job, s->taken.jobs[i].events);
  if (s->taken.overflow) {
    for (feed *f = s->feeds.first; f; f = f->next) f->look = true;
    job_feed_forget(&s->job_feed);
    offer_news(s);
  }
  take_done(s);
  if (s->taken.stopping) begin_stop(s);
  publish(s);
  run_feeds(s);
}

/* ── frames, in turn ──
 *
 * A frame is a thousand times the size of a curve sample. So that samples, which must all arrive and soon, don't wait for the frames of a
 * thousand other viewers, frames are begun a megabyte at a time, by those who wait longest, and what happened meanwhile comes in between.
 * */

static void stand_in_line(stream *s, viewer *v)
{
  if (v->in_line) return;
  v->in_line = true;
  v->next_in_line = NULL;
  *s->line_end = v;
  s->line_end = &v->next_in_line;
}

static void leave_line(stream *s, viewer *v)
{
  if (!v->in_line) return;
  viewer **link = &s->line;
  while (*link != v) link = &(*link)->next_in_line;
  *link = v->next_in_line;
  if (s->line_end == &v->next_in_line) s->line_end = link;
  v->in_line = false;
}

/* Lets those who wait longest begin a frame. Those for whom the megabyte does not last stand in line again. */
static void begin_turn(stream *s)
{
  s->frame_bytes = 0;
  for (unsigned i = 0; s->line && i < turn_viewers; i++) {
    viewer *v = s->line;
    leave_line(s, v);
    v->has_turn = true;
    lws_callback_on_writable(v->wsi);
  }
}

/* ── viewers ── */

static void viewer_opened(stream *s, viewer *v, struct lws *wsi)
{
  memset(v, 0, sizeof *v);
  v->wsi = wsi;
  v->next = s->viewers;
  s->viewers = v;
  s->viewer_count++;
  v->wait_us = INT64_MAX;
  session_begin(&v->session, &s->feeds, &s->job_feed);
  if (s->stopping) v->session.close_code = LWS_CLOSE_STATUS_GOINGAWAY;
  if (s->viewer_count > s->config.connection_limit && !v->session.close_code) {
    v->session.close_code = try_again_later;
    v->session.close_reason = s->full_reason;
    log_write_bounded(s->config.log, LOG_LEVEL_WARNING, "viewer_refused", LOG_FIELDS(log_text("reason", s->full_reason)));
  }
  lws_callback_on_writable(wsi);
}

static void viewer_closed(stream *s, viewer *v)
{
  for (viewer **link = &s->viewers; *link; link = &(*link)->next)
    if (*link == v) {
      *link = v->next;
      s->viewer_count--;
      break;
    }
  leave_line(s, v);
  free(v->sending.text);
  block_release(v->sending.block);
  session_end(&v->session);
}

static bool is_utf8(const char *text, size_t size)
{
  json_t *value = json_stringn(text, size); /* takes no other */
  json_decref(value);
  return value != NULL;
}

static int viewer_received(stream *s, viewer *v, const char *data, size_t size)
{
  bool first = lws_is_first_fragment(v->wsi) != 0, final = lws_is_final_fragment(v->wsi) != 0;
  if (first) v->incoming_size = 0;
  if (v->incoming_size + size > sizeof v->incoming || lws_remaining_packet_payload(v->wsi) > sizeof v->incoming) {
    lws_close_reason(v->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
    return -1;
  }
  memcpy(v->incoming + v->incoming_size, data, size);
  v->incoming_size += size;
  if (!final || lws_remaining_packet_payload(v->wsi) > 0) return 0;
  bool binary = lws_frame_is_binary(v->wsi) != 0;
  if (!binary && !is_utf8(v->incoming, v->incoming_size)) { /* RFC 6455, section 8.1 */
    lws_close_reason(v->wsi, LWS_CLOSE_STATUS_INVALID_PAYLOAD, NULL, 0);
    return -1;
  }
  if (binary)
    session_report_error(&v->session, 0, "binary messages are not understood");
  else
    session_receive(&v->session, v->incoming, v->incoming_size, now_us());
  v->incoming_size = 0;
  run_feeds(s);
  lws_callback_on_writable(v->wsi);
  return 0;
}

/* Sends the next piece of the message under way. */
static int send_piece(stream *s, viewer *v, size_t *bytes)
{
  const outgoing *o = &v->sending;
  size_t total = o->text ? strlen(o->text) : o->block->size;
  size_t size = total - v->sent < piece_bytes ? total - v->sent : piece_bytes;
  unsigned char *to = s->scratch + LWS_PRE;
  memcpy(to, (o->text ? (const unsigned char *)o->text : o->block->bytes) + v->sent, size);
  if (!o->text && v->sent == 0) memcpy(to, &o->header, sizeof o->header);
  int flags = lws_write_ws_flags(o->text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY, v->sent == 0, v->sent + size == total);
  if (lws_write(v->wsi, to, size, (enum lws_write_protocol)flags) < (int)size) return -1;
  *bytes = size;
  v->sent += size;
  if (v->sent == total) {
    free(v->sending.text);
    block_release(v->sending.block);
    v->sending = (outgoing){0};
    v->sent = 0;
  }
  return 0;
}

/* Gives the viewer the next message to be sent, if there is one. */
static bool begin_message(stream *s, viewer *v)
{
  bool turn = v->has_turn && s->frame_bytes < turn_frame_bytes;
  v->sending = session_next(&v->session, now_us(), turn);
  v->wait_us = v->sending.wait_until_us;
  look_again(s, v->wait_us);
  if (v->sending.frame_waits && !v->sending.text && !v->sending.block) stand_in_line(s, v);
  if (v->sending.block && v->sending.header.type == SCR_RECORD_FRAME) {
    s->frame_bytes += v->sending.block->size;
    v->has_turn = false;
  }
  return v->sending.text || v->sending.block;
}

static int viewer_writable(stream *s, viewer *v)
{
  /* Several messages at once, as long as the socket takes them: with a thousand viewers each turn around all of them takes its time. */
  for (size_t sent = 0; sent < burst_bytes;) {
    if (lws_partial_buffered(v->wsi)) break;
    bool is_sending = v->sending.text || v->sending.block;
    if (!is_sending && v->session.close_code) {
      const char *reason = v->session.close_reason ? v->session.close_reason : "";
      size_t length = strlen(reason);
      memcpy(s->scratch + LWS_PRE, reason, length);
      lws_close_reason(v->wsi, (enum lws_close_status)v->session.close_code, s->scratch + LWS_PRE, length);
      return -1;
    }
    if (!is_sending && !begin_message(s, v)) {
      run_feeds(s);
      if (v->session.close_code) lws_callback_on_writable(v->wsi);
      return 0;
    }
    size_t size = 0;
    if (send_piece(s, v, &size) != 0) return -1;
    sent += size;
  }
  lws_callback_on_writable(v->wsi);
  return 0;
}

/* ── libwebsockets' callbacks ── */

static stream *stream_of(struct lws *wsi)
{
  return lws_context_user(lws_get_context(wsi));
}

static int judge(struct lws *wsi, bool upgrade)
{
  stream *s = stream_of(wsi);
  gate_admission admission = s->stopping                                                       ? GATE_STOPPING
                             : s->viewer_count >= s->config.connection_limit + refused_viewers ? GATE_FULL
                                                                                               : GATE_OPEN;
  return gate_judge(&s->gate, wsi, upgrade, admission);
}

/* Protocol 0 gets plain HTTP requests and the decision on every upgrade. */
static int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
  (void)user;
  (void)in;
  (void)size;
  switch (reason) {
  case LWS_CALLBACK_HTTP: return judge(wsi, false);
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return judge(wsi, true) != 0 ? 1 : 0;
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1; /* nobody gets here: the gate wants our subprotocol */
  default: return 0;
  }
}

static int stream_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
  switch (reason) {
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED: empty_inbox(stream_of(wsi)); return 0;
  case LWS_CALLBACK_ESTABLISHED: viewer_opened(stream_of(wsi), user, wsi); return 0;
  case LWS_CALLBACK_CLOSED: viewer_closed(stream_of(wsi), user); return 0;
  case LWS_CALLBACK_RECEIVE: return viewer_received(stream_of(wsi), user, in, size);
  case LWS_CALLBACK_SERVER_WRITEABLE: return viewer_writable(stream_of(wsi), user);
  default: return 0;
  }
}

/* ── life ── */

static void *stream_thread(void *user)
{
  stream *s = user;
  receive_watched_by(&s->screens.watch);
  while (!s->stopping || (s->viewer_count > 0 && now_us() < s->stop_us)) {
    if (lws_service(s->context, 0) < 0) break;
    begin_turn(s);
  }
  return NULL;
}

static bool create_context(stream *s)
{
  s->keep_alive = (lws_retry_bo_t){.secs_since_valid_ping = ping_seconds, .secs_since_valid_hangup = hangup_seconds};
  s->protocols[0] = (struct lws_protocols){.name = "http", .callback = http_callback};
  s->protocols[1] = (struct lws_protocols){
      .name = "scree.v1", .callback = stream_callback, .per_session_data_size = sizeof(viewer), .rx_buffer_size = STREAM_MESSAGE_BYTES};
  struct lws_context_creation_info info = {
      .port = CONTEXT_PORT_NO_LISTEN_SERVER,
      .protocols = s->protocols,
      .gid = (gid_t)-1,
      .uid = (uid_t)-1,
      .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
      .user = s,
      .timeout_secs = header_seconds,
      .max_http_header_data = 8192,
      .max_http_header_pool = 64,
      .fd_limit_per_thread = s->config.connection_limit + refused_viewers + INBOX_SOCKETS,
      .retry_and_idle_policy = &s->keep_alive,
      .vhost_name = "scree",
  };
  lws_set_log_level(0, NULL);
  s->context = lws_create_context(&info);
  s->vhost = s->context ? lws_create_vhost(s->context, &info) : NULL;
  return s->vhost != NULL;
}

static void destroy(stream *s)
{
  for (reader_task *task = readers_stop(s->readers), *next; task; task = next) {
    next = task->next;
    if (feed_task_is(task)) {
      (void)feed_take_over(&s->feeds, task);
      feed_task_free(task);
    } else {
      take_descriptions(s, (describe_task *)task);
    }
  }
  if (s->context) lws_context_destroy(s->context); /* after the readers, who wake it, and after they gave back what they had of feeds */
  job_feed_clear(&s->job_feed);
  inbox_destroy(&s->inbox);
  mask_screens_clear(&s->screens);
  free(s);
}

scr_status stream_start(const stream_config *config, stream **out, scr_error *error)
{
  *out = NULL;
  stream *s = calloc(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "the stream", sizeof *s);
  s->config = *config;
  gate_init(&s->gate, config->hosts, config->access, config->log);
  snprintf(s->full_reason, sizeof s->full_reason, "%u viewers are connected, which is the limit; screed --viewers N allows more",
           config->connection_limit);
  mask_screens_init(&s->screens);
  s->timer_us = INT64_MAX;
  s->line_end = &s->line;
  s->feeds = (feed_set){.lab = config->lab, .limit = held_bytes, .kept_limit = kept_bytes};
  inbox_init(&s->inbox);
  bool started = create_context(s) && readers_start(reader_count, reader_done, s, &s->readers, NULL) == SCR_OK;
  if (!started || pthread_create(&s->thread, NULL, stream_thread, s) != 0) {
    destroy(s);
    return scr_fail(error, SCR_IO, NULL,
                    "the stream's thread could not be started: the limits on threads, memory or open files are too low");
  }
  *out = s;
  return SCR_OK;
}

void stream_take(stream *s, int socket)
{
  if (inbox_put_socket(&s->inbox, socket))
    lws_cancel_service(s->context);
  else
    close(socket);
}

void stream_notify(stream *s, int64_t job, lab_event event)
{
  inbox_put_job(&s->inbox, job, event);
  lws_cancel_service(s->context);
}

void stream_stop(stream *s, double seconds)
{
  if (!s) return;
  s->stop_seconds = seconds; /* read by the thread after it sees the flag, which the inbox's lock orders */
  inbox_put_stop(&s->inbox);
  lws_cancel_service(s->context);
  pthread_join(s->thread, NULL);
  destroy(s);
}
