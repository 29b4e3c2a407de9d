/* The list of connections and the thread that looks through it a few times in the shortest limit. One lock guards the list; a late socket
 * is shut down under it, so that its number can't belong to another connection by then. */
#include "api/http/listen/watch.h"

#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include "api/http/parse/head_screen.h"

enum {
  moved_bytes = 65536, /* of an answer, at least, in every limit: 1 kB/s at the default */
  tcp_close_wait = 8,  /* of the kernel's tcp_states.h, which can't be included together with netinet/tcp.h */
  grace_ms = 1000,     /* for a request to come before its connection may have to make room */
};

typedef enum watch_phase { WATCH_RECEIVING, WATCH_WORKING, WATCH_SENDING, WATCH_CUT } watch_phase;

struct watched {
  http_watch *watch;
  watched *previous, *next;
  int socket;
  watch_phase phase;
  int64_t since_ms, until_ms; /* in its phase; the end of the present limit */
  uint64_t acknowledged;      /* sending: bytes when the present limit began */
  head_screen heads;          /* belongs to the thread that reads the socket */
};

struct http_watch {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  watched *first;
  watched **by_socket; /* [capacity], NULL where a socket is not watched */
  size_t capacity;
  bool ending;
  int64_t limit_ms, idle_ms, tick_ms;
  watch_answers answers;
  pthread_t thread;
};

static int64_t now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Bytes that the other side has acknowledged in the connection's life. */
static uint64_t acknowledged_bytes(int socket)
{
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_acked : 0;
}

static void cut(watched *c, bool report)
{
  if (report) c->watch->answers.late(c->watch->answers.user, c->socket);
  shutdown(c->socket, SHUT_RDWR);
  c->phase = WATCH_CUT;
}

/* Whether the client has closed its side and everything it sent is read, so that no request can become whole any more. libmicrohttpd does
 * not see this end when it came together with the last bytes. */
static bool has_left(int socket)
{
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  int unread = 0;
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_state == tcp_close_wait &&
         ioctl(socket, FIONREAD, &unread) == 0 && unread == 0;
}

static void look(watched *c, int64_t now)
{
  if (c->phase == WATCH_RECEIVING && now - c->since_ms >= grace_ms && has_left(c->socket)) cut(c, false);
  if (now < c->until_ms) return;
  if (c->phase == WATCH_RECEIVING) {
    cut(c, true);
  } else if (c->phase == WATCH_SENDING) {
    uint64_t acknowledged = acknowledged_bytes(c->socket);
    if (acknowledged - c->acknowledged < moved_bytes) cut(c, false);
    c->acknowledged = acknowledged;
    c->until_ms = now + c->watch->limit_ms;
  }
}

static void *watch_thread(void *user)
{
  http_watch *watch = user;
  pthread_mutex_lock(&watch->lock);
  while (!watch->ending) {
    if (!watch->first) {
      pthread_cond_wait(&watch->changed, &watch->lock);
      continue;
    }
    int64_t now = now_ms(), wake = now + watch->tick_ms;
    for (watched *c = watch->first; c; c = c->next) look(c, now);
    struct timespec until = {.tv_sec = wake / 1000, .tv_nsec = wake % 1000 * 1000000};
    pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
  }
  pthread_mutex_unlock(&watch->lock);
  return NULL;
}

http_watch *watch_create(double seconds, double idle_seconds, const watch_answers *answers)
{
  http_watch *watch = calloc(1, sizeof *watch);
  if (!watch) return NULL;
  watch->answers = *answers;
  watch->limit_ms = (int64_t)(seconds * 1000);
  watch->idle_ms = (int64_t)(idle_seconds * 1000);
  watch->tick_ms = (int64_t)fmin(fmax(seconds * 100, 10), 1000);
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&watch->lock, NULL);
  pthread_cond_init(&watch->changed, &clock);
  pthread_condattr_destroy(&clock);
  if (pthread_create(&watch->thread, NULL, watch_thread, watch) == 0) return watch;
  pthread_cond_destroy(&watch->changed);
  pthread_mutex_destroy(&watch->lock);
  free(watch);
  return NULL;
}

void watch_destroy(http_watch *watch)
{
  if (!watch) return;
  pthread_mutex_lock(&watch->lock);
  watch->ending = true;
  pthread_cond_signal(&watch->changed);
  pthread_mutex_unlock(&watch->lock);
  pthread_join(watch->thread, NULL);
  pthread_cond_destroy(&watch->changed);
  pthread_mutex_destroy(&watch->lock);
  free(watch->by_socket);
  free(watch);
}

/* Room for a socket in the table. The lock is held. */
static bool grow(http_watch *watch, size_t needed)
{
  if (needed <= watch->capacity) return true;
  size_t capacity = watch->capacity ? watch->capacity : 256;
  while (capacity < needed) capacity *= 2;
  watched **table = realloc(watch->by_socket, capacity * sizeof *table);
  if (!table) return false;
  memset(table + watch->capacity, 0, (capacity - watch->capacity) * sizeof *table);
  watch->by_socket = table;
  watch->capacity = capacity;
  return true;
}

watched *watch_begin(http_watch *watch, int socket)
{
  watched *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  *c = (watched){.watch = watch, .socket = socket, .since_ms = now_ms(), .until_ms = now_ms() + watch->limit_ms};
  pthread_mutex_lock(&watch->lock);
  if (!grow(watch, (size_t)socket + 1)) {
    pthread_mutex_unlock(&watch->lock);
    free(c);
    return NULL;
  }
  watch->by_socket[socket] = c;
  c->next = watch->first;
  if (c->next) c->next->previous = c;
  watch->first = c;
  pthread_cond_signal(&watch->changed);
  pthread_mutex_unlock(&watch->lock);
  return c;
}

/* A connection that was cut stays so. */
static void enter(watched *c, watch_phase phase, int64_t more_ms)
{
  if (!c) return;
  uint64_t acknowledged = phase == WATCH_SENDING ? acknowledged_bytes(c->socket) : 0;
  pthread_mutex_lock(&c->watch->lock);
  if (c->phase != WATCH_CUT) c->phase = phase;
  c->acknowledged = acknowledged;
  c->since_ms = now_ms();
  c->until_ms = c->since_ms + c->watch->limit_ms + more_ms;
  pthread_mutex_unlock(&c->watch->lock);
}

void watch_more(watched *connection)
{
  enter(connection, WATCH_RECEIVING, 0);
}

void watch_working(watched *connection)
{
  enter(connection, WATCH_WORKING, 0);
}

void watch_sending(watched *connection)
{
  enter(connection, WATCH_SENDING, 0);
}

void watch_idle(watched *connection)
{
  if (connection) enter(connection, WATCH_RECEIVING, connection->watch->idle_ms);
}

void watch_cut(watched *connection)
{
  if (!connection) return;
  pthread_mutex_lock(&connection->watch->lock);
  if (connection->phase != WATCH_CUT) cut(connection, connection->phase == WATCH_RECEIVING);
  pthread_mutex_unlock(&connection->watch->lock);
}

void watch_misread(watched *connection, unsigned status, const char *detail)
{
  if (!connection) return;
  const watch_answers *answers = &connection->watch->answers;
  pthread_mutex_lock(&connection->watch->lock);
  if (connection->phase != WATCH_CUT) {
    answers->misread(answers->user, connection->socket, status, detail);
    cut(connection, false);
  }
  pthread_mutex_unlock(&connection->watch->lock);
}

bool watch_received(http_watch *watch, int socket, const char *bytes, size_t count)
{
  pthread_mutex_lock(&watch->lock);
  watched *c = (size_t)socket < watch->capacity ? watch->by_socket[socket] : NULL;
  pthread_mutex_unlock(&watch->lock);
  const char *wrong = c ? head_screen_take(&c->heads, bytes, count) : NULL;
  if (wrong) watch_misread(c, 400, wrong);
  return !wrong;
}

bool watch_is_cut(watched *connection)
{
  if (!connection) return false;
  pthread_mutex_lock(&connection->watch->lock);
  bool is_cut = connection->phase == WATCH_CUT;
  pthread_mutex_unlock(&connection->watch->lock);
  return is_cut;
}

bool watch_close_idlest(http_watch *watch)
{
  watched *oldest = NULL;
  pthread_mutex_lock(&watch->lock);
  int64_t latest = now_ms() - grace_ms;
  for (watched *c = watch->first; c; c = c->next)
    if (c->phase == WATCH_RECEIVING && c->since_ms <= latest && (!oldest || c->since_ms < oldest->since_ms)) oldest = c;
  if (oldest) cut(oldest, false);
  pthread_mutex_unlock(&watch->lock);
  return oldest != NULL;
}

void watch_end(watched *connection)
{
  if (!connection) return;
  http_watch *watch = connection->watch;
  pthread_mutex_lock(&watch->lock);
  watch->by_socket[connection->socket] = NULL;
  if (connection->previous)
    connection->previous->next = connection->next;
  else
    watch->first = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  pthread_mutex_unlock(&watch->lock);
  free(connection);
}
