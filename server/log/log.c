/* The log's buffer and thread. Callers only copy a finished line into the buffer that is being filled; the thread swaps it for the empty
 * one and writes line by line, each only when the descriptor says that it takes bytes. */
#include "server/log/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/clock.h"

enum {
  buffer_bytes = 262144,
  bucket_limit = 24, /* events that are bounded; further ones share the last */
  poll_ms = 100      /* between looks whether the log is to end, while the descriptor takes nothing */
};

/* How often one event may be written: a token bucket. */
typedef struct event_bucket {
  const char *event;
  double tokens;
  int64_t filled_at; /* monotonic */
  uint64_t left_out;
} event_bucket;

struct event_log {
  log_config config; /* constant */
  pthread_t thread;

  /* Guarded by `mutex`, which is held for copying only. */
  pthread_mutex_t mutex;
  pthread_cond_t news;
  char *filling; /* [buffer_bytes] lines to be written, `filled` bytes */
  size_t filled;
  uint64_t unwritten; /* lines for which there was no room, or that could not be written */
  event_bucket buckets[bucket_limit];
  size_t bucket_count;
  bool left_out; /* there is something to sum up */
  bool ending;
  int64_t end_at; /* when ending: what is not written by then is given up */

  /* The thread's own. */
  char *writing; /* [buffer_bytes] */
  int64_t summed_at;
  bool cut;      /* the last line was written in part */
  bool given_up; /* the time to end ran out while the descriptor took nothing */
};

log_config log_config_default(void)
{
  return (log_config){.descriptor = STDERR_FILENO,
                      .format = LOG_FORMAT_TEXT,
                      .least = LOG_LEVEL_INFO,
                      .burst = 60,
                      .lines_per_second = 1.0,
                      .summary_seconds = 10};
}

/* ── callers ── */

bool log_takes(const event_log *log, log_level level)
{
  return log && level >= log->config.least;
}

static void put(event_log *log, const char *line, size_t length)
{
  if (length > buffer_bytes - log->filled) {
    log->unwritten++;
    log->left_out = true;
  } else {
    memcpy(log->filling + log->filled, line, length);
    log->filled += length;
  }
  pthread_cond_signal(&log->news);
}

static event_bucket *bucket_of(event_log *log, const char *event)
{
  for (size_t i = 0; i < log->bucket_count; i++)
    if (strcmp(log->buckets[i].event, event) == 0) return &log->buckets[i];
  if (log->bucket_count == bucket_limit) return &log->buckets[bucket_limit - 1];
  event_bucket *bucket = &log->buckets[log->bucket_count++];
  *bucket = (event_bucket){.event = event, .tokens = log->config.burst, .filled_at = clock_monotonic_ms()};
  return bucket;
}

/* Whether one more line of an event may be written; else it is counted. */
static bool may_write(event_log *log, const char *event)
{
  event_bucket *bucket = bucket_of(log, event);
  int64_t now = clock_monotonic_ms();
  bucket->tokens += (double)(now - bucket->filled_at) / 1000.0 * log->config.lines_per_second;
  if (bucket->tokens > log->config.burst) bucket->tokens = log->config.burst;
  bucket->filled_at = now;
  if (bucket->tokens >= 1.0) {
    bucket->tokens -= 1.0;
    return true;
  }
  bucket->left_out++;
  log->left_out = true;
  pthread_cond_signal(&log->news);
  return false;
}

void log_write(event_log *log, log_level level, const char *event, const log_field *fields)
{
  char line[LOG_LINE_BYTES];
  if (!log_takes(log, level)) return;
  size_t length = log_line(line, log->config.format, clock_wall_ms(), level, event, fields);
  pthread_mutex_lock(&log->mutex);
  put(log, line, length);
  pthread_mutex_unlock(&log->mutex);
}

void log_write_bounded(event_log *log, log_level level, const char *event, const log_field *fields)
{
  if (!log_takes(log, level)) return;
  pthread_mutex_lock(&log->mutex);
  bool may = may_write(log, event);
  pthread_mutex_unlock(&log->mutex);
  if (may) log_write(log, level, event, fields);
}

/* ── the thread ── */

static bool gives_up(event_log *log)
{
  pthread_mutex_lock(&log->mutex);
  bool late = log->ending && clock_monotonic_ms() >= log->end_at;
  pthread_mutex_unlock(&log->mutex);
  return late;
}

/* Waits until the descriptor takes bytes, or has an error that a write will tell. False: the log is to end. */
static bool wait_for_space(event_log *log)
{
  struct pollfd wanted = {.fd = log->config.descriptor, .events = POLLOUT};
  while (!log->given_up) {
    if (poll(&wanted, 1, poll_ms) > 0) return true;
    log->given_up = gives_up(log);
  }
  return false;
}

/* Writes all of some bytes. False when that can't be done; `cut` tells whether a part was. */
static bool write_all(event_log *log, const char *bytes, size_t length)
{
  size_t done = 0;
  while (done < length) {
    if (!wait_for_space(log)) break;
    ssize_t written = write(log->config.descriptor, bytes + done, length - done);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) {
      if (errno == EAGAIN && gives_up(log)) break;
      continue;
    }
    if (written <= 0) break;
    done += (size_t)written;
  }
  log->cut = done < length && (done > 0 || log->cut);
  return done == length;
}

static bool write_line(event_log *log, const char *line, size_t length)
{
  if (log->cut && !write_all(log, "\n", 1)) return false;
  return write_all(log, line, length);
}

static void write_lines(event_log *log, size_t length)
{
  uint64_t unwritten = 0;
  for (size_t begin = 0; begin < length;) {
    const char *line = log->writing + begin;
    size_t bytes = (size_t)((const char *)memchr(line, '\n', length - begin) - line) + 1;
    unwritten += !write_line(log, line, bytes);
    begin += bytes;
  }
  if (unwritten == 0) return;
  pthread_mutex_lock(&log->mutex);
  log->unwritten += unwritten;
  log->left_out = true;
  pthread_mutex_unlock(&log->mutex);
}

/* One line on lines that are missing. Whether it could be written. */
static bool write_summary(event_log *log, const char *event, const char *reason, uint64_t count)
{
  char line[LOG_LINE_BYTES];
  const log_field *fields = LOG_FIELDS(log_text("of", event), log_integer("count", (int64_t)count), log_text("reason", reason));
  return write_line(log, line, log_line(line, log->config.format, clock_wall_ms(), LOG_LEVEL_WARNING, "lines_left_out", fields));
}

/* Says what was left out since the last time. What can't be said is kept for the next. */
static void sum_up(event_log *log)
{
  event_bucket taken[bucket_limit];
  pthread_mutex_lock(&log->mutex);
  size_t count = log->bucket_count;
  uint64_t unwritten = log->unwritten;
  memcpy(taken, log->buckets, count * sizeof *taken);
  for (size_t i = 0; i < count; i++) log->buckets[i].left_out = 0;
  log->unwritten = 0;
  log->left_out = false;
  pthread_mutex_unlock(&log->mutex);
  if (unwritten > 0 && write_summary(log, NULL, "they could not be written", unwritten)) unwritten = 0;
  for (size_t i = 0; i < count; i++)
    if (taken[i].left_out > 0 && write_summary(log, taken[i].event, "there were too many at once", taken[i].left_out))
      taken[i].left_out = 0;
  pthread_mutex_lock(&log->mutex);
  log->unwritten += unwritten;
  log->left_out = log->left_out || unwritten > 0;
  for (size_t i = 0; i < count; i++) {
    log->buckets[i].left_out += taken[i].left_out;
    log->left_out = log->left_out || taken[i].left_out > 0;
  }
  pthread_mutex_unlock(&log->mutex);
}

static void wait_for_news(event_log *log)
{
  struct timespec until;
  int64_t at = log->summed_at + (int64_t)log->config.summary_seconds * 1000;
  until = (struct timespec){.tv_sec = (time_t)(at / 1000), .tv_nsec = (long)(at % 1000) * 1000000};
  if (log->left_out)
    pthread_cond_timedwait(&log->news, &log->mutex, &until);
  else
    pthread_cond_wait(&log->news, &log->mutex);
}

/* Takes the lines to be written; whether it is time for a summary, and whether the log is to end. */
static size_t take_lines(event_log *log, bool *summary, bool *ending)
{
  pthread_mutex_lock(&log->mutex);
  for (;;) {
    *ending = log->ending;
    *summary = log->left_out && (log->ending || clock_monotonic_ms() >= log->summed_at + (int64_t)log->config.summary_seconds * 1000);
    if (*summary || *ending || log->filled > 0) break;
    wait_for_news(log);
  }
  char *lines = log->filling;
  size_t length = log->filled;
  log->filling = log->writing;
  log->filled = 0;
  log->writing = lines;
  pthread_mutex_unlock(&log->mutex);
  return length;
}

static void *log_main(void *argument)
{
  event_log *log = argument;
  for (bool ending = false, summary; !ending;) {
    size_t length = take_lines(log, &summary, &ending);
    write_lines(log, length);
    if (!summary && !ending) continue;
    log->summed_at = clock_monotonic_ms();
    sum_up(log);
  }
  return NULL;
}

/* ── life ── */

static void destroy(event_log *log)
{
  pthread_mutex_destroy(&log->mutex);
  pthread_cond_destroy(&log->news);
  free(log->filling);
  free(log->writing);
  free(log);
}

/* The thread takes no signals: they are the main program's. */
static int start_thread(event_log *log)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int code = pthread_create(&log->thread, NULL, log_main, log);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

event_log *log_open(const log_config *config)
{
  event_log *log = calloc(1, sizeof *log);
  if (!log) return NULL;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&log->mutex, NULL);
  pthread_cond_init(&log->news, &monotonic);
  pthread_condattr_destroy(&monotonic);
  log->config = *config;
  log->filling = malloc(buffer_bytes);
  log->writing = malloc(buffer_bytes);
  log->summed_at = clock_monotonic_ms();
  if (log->filling && log->writing && start_thread(log) == 0) return log;
  destroy(log);
  return NULL;
}

void log_close(event_log *log, double seconds)
{
  if (!log) return;
  pthread_mutex_lock(&log->mutex);
  log->ending = true;
  log->end_at = clock_monotonic_ms() + (int64_t)(seconds * 1000);
  pthread_cond_signal(&log->news);
  pthread_mutex_unlock(&log->mutex);
  /* A write that hangs in the kernel all the same (a dead network disk) is left behind with its thread: the program ends without it. */
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)seconds + 2;
  if (pthread_clockjoin_np(log->thread, NULL, CLOCK_MONOTONIC, &until) == 0)
    destroy(log);
  else
    pthread_detach(log->thread);
}
