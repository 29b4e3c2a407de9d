/* The acceptor's thread: epoll over the port and over the few connections whose first bytes have not come yet. It owns all of its data
 * but `wake`, which acceptor_stop writes. SO_RCVLOWAT makes epoll wait for 8 bytes, so a stalled client costs no wake-ups. */
#include "api/http/listen/acceptor.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum {
  peek_bytes = 8,
  pending_limit = 256, /* connections waiting for their first bytes, or for the whole head of an upgrade; beyond it one is closed */
  head_bytes = 8192,   /* longest head of an upgrade, as the stream takes it */
  pending_ms = 5000,
  refused_pause_ms = 100, /* after accept failed for want of descriptors */
  tag_listen = pending_limit,
  tag_wake = pending_limit + 1,
};

typedef struct pending {
  int socket; /* -1: free */
  int64_t deadline_ms;
  struct sockaddr_storage address;
  socklen_t length;
} pending;

struct acceptor {
  acceptor_sinks sinks;
  int listen, epoll, wake;
  bool paused; /* the port is not polled until the next timeout */
  pending pending[pending_limit];
  pthread_t thread;
};

static int64_t now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool acceptor_is_stream(const char *bytes)
{
  return memcmp(bytes, "GET /ws", 7) == 0 && (bytes[7] == '/' || bytes[7] == '?' || bytes[7] == ' ');
}

static bool watch(acceptor *a, int socket, unsigned tag, unsigned events)
{
  struct epoll_event event = {.events = events, .data.u32 = tag};
  return epoll_ctl(a->epoll, EPOLL_CTL_ADD, socket, &event) == 0;
}

static void drop(pending *p)
{
  close(p->socket); /* leaves the epoll set by itself */
  p->socket = -1;
}

/* Whether two connections come from one address, whatever their ports. */
static bool is_same_address(const pending *a, const pending *b)
{
  if (a->address.ss_family != b->address.ss_family) return false;
  if (a->address.ss_family == AF_INET)
    return ((const struct sockaddr_in *)&a->address)->sin_addr.s_addr == ((const struct sockaddr_in *)&b->address)->sin_addr.s_addr;
  if (a->address.ss_family != AF_INET6) return true;
  return memcmp(&((const struct sockaddr_in6 *)&a->address)->sin6_addr, &((const struct sockaddr_in6 *)&b->address)->sin6_addr,
                sizeof(struct in6_addr)) == 0;
}

static size_t count_alike(const acceptor *a, const pending *p)
{
  size_t count = 0;
  for (size_t i = 0; i < pending_limit; i++) count += is_same_address(&a->pending[i], p);
  return count;
}

/* A free place. Where there is none, of the connections of the address that holds most the one that has waited longest makes room: who
 * opens hundreds of them shuts out himself first. */
static pending *free_place(acceptor *a)
{
  pending *oldest = &a->pending[0];
  size_t most = 0;
  for (size_t i = 0; i < pending_limit; i++)
    if (a->pending[i].socket < 0) return &a->pending[i];
  for (size_t i = 0; i < pending_limit; i++) {
    size_t count = count_alike(a, &a->pending[i]);
    if (count < most || (count == most && a->pending[i].deadline_ms >= oldest->deadline_ms)) continue;
    most = count;
    oldest = &a->pending[i];
  }
  drop(oldest);
  return oldest;
}

/* Whether all of an upgrade's head has come. The stream's library has few places for heads, and a head that never ends would hold one: it
 * waits here, where there are many. If not, the next bytes wake us. */
static bool has_whole_head(const pending *p, bool *too_long)
{
  char head[head_bytes];
  ssize_t got = recv(p->socket, head, sizeof head, MSG_PEEK);
  if (got > 0 && memmem(head, (size_t)got, "\r\n\r\n", 4)) return true;
  int more = (int)got + 1;
  *too_long = got < 0 || got == (ssize_t)sizeof head || setsockopt(p->socket, SOL_SOCKET, SO_RCVLOWAT, &more, sizeof more) != 0;
  return false;
}

static void let_go(acceptor *a, pending *p)
{
  int one = 1;
  epoll_ctl(a->epoll, EPOLL_CTL_DEL, p->socket, NULL);
  setsockopt(p->socket, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
}

static void hand_over(acceptor *a, pending *p, bool ended)
{
  char first[peek_bytes];
  ssize_t got = recv(p->socket, first, sizeof first, MSG_PEEK);
  bool nothing = got < peek_bytes, stream = !nothing && acceptor_is_stream(first), too_long = false;
  if (stream && !has_whole_head(p, &too_long) && !too_long && !ended) return;
  let_go(a, p);
  int socket = p->socket;
  p->socket = -1;
  if (nothing || too_long || (stream && ended))
    close(socket); /* gone, or ended before it said anything that could be a request */
  else if (stream)
    a->sinks.take_stream(a->sinks.stream, socket);
  else
    a->sinks.take_http(a->sinks.http, socket, (const struct sockaddr *)&p->address, p->length);
}

static void pause_listening(acceptor *a)
{
  epoll_ctl(a->epoll, EPOLL_CTL_DEL, a->listen, NULL);
  a->paused = true;
}

static void accept_all(acceptor *a)
{
  for (;;) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int socket = accept4(a->listen, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) pause_listening(a);
      if (errno == ECONNABORTED || errno == EINTR || errno == EPROTO) continue;
      return;
    }
    int one = 1, low = peek_bytes;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low);
    pending *p = free_place(a);
    *p = (pending){.socket = socket, .deadline_ms = now_ms() + pending_ms, .address = address, .length = length};
    if (!watch(a, socket, (unsigned)(p - a->pending), EPOLLIN | EPOLLRDHUP)) drop(p);
  }
}

/* Closes what is late; milliseconds until the next is, -1 for never. */
static int expire(acceptor *a)
{
  int64_t now = now_ms(), next = INT64_MAX;
  for (size_t i = 0; i < pending_limit; i++) {
    pending *p = &a->pending[i];
    if (p->socket < 0) continue;
    if (p->deadline_ms <= now)
      drop(p);
    else if (p->deadline_ms < next)
      next = p->deadline_ms;
  }
  if (a->paused) return refused_pause_ms;
  return next == INT64_MAX ? -1 : (int)(next - now) + 1;
}

static void *acceptor_thread(void *user)
{
  acceptor *a = user;
  for (;;) {
    struct epoll_event events[32];
    int timeout = expire(a);
    int count = epoll_wait(a->epoll, events, 32, timeout);
    if (count < 0 && errno != EINTR) break;
    if (a->paused && watch(a, a->listen, tag_listen, EPOLLIN)) a->paused = false;
    for (int i = 0; i < count; i++) {
      unsigned tag = events[i].data.u32;
      if (tag == tag_wake) return NULL;
      if (tag == tag_listen)
        accept_all(a);
      else if (a->pending[tag].socket >= 0)
        hand_over(a, &a->pending[tag], (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
    }
  }
  return NULL;
}

static scr_status bind_failed(int socket, const char *address, unsigned port, scr_error *error)
{
  int reason = errno;
  if (socket >= 0) close(socket);
  if (reason == EADDRINUSE)
    return scr_fail(error, SCR_BUSY, NULL,
                    "port %u of %s is in use: stop the program that listens there (`ss -ltnp 'sport = :%u'` names it), or give another "
                    "with --port N, or --port 0 for any free one",
                    port, address, port);
  if (reason == EACCES)
    return scr_fail(error, SCR_IO, NULL, "port %u of %s needs special rights: give one above 1023 with --port N", port, address);
  return scr_fail(error, SCR_IO, NULL, "could not listen on %s port %u: %s; --listen takes an address of this machine", address, port,
                  strerror(reason));
}

scr_status acceptor_listen(const char *address, unsigned *port, int *out, scr_error *error)
{
  char service[16];
  snprintf(service, sizeof service, "%u", *port);
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  int problem = getaddrinfo(address, service, &hints, &found);
  if (problem != 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "--listen %s: %s; give an address of this machine such as 127.0.0.1", address,
                    gai_strerror(problem));
  int one = 1;
  int listening = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  bool fine = listening >= 0 && setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
              bind(listening, found->ai_addr, found->ai_addrlen) == 0 && listen(listening, 128) == 0;
  freeaddrinfo(found);
  if (!fine) return bind_failed(listening, address, *port, error);
  struct sockaddr_storage bound;
  socklen_t length = sizeof bound;
  char number[16];
  if (getsockname(listening, (struct sockaddr *)&bound, &length) != 0 ||
      getnameinfo((struct sockaddr *)&bound, length, NULL, 0, number, sizeof number, NI_NUMERICSERV) != 0)
    return bind_failed(listening, address, *port, error);
  *port = (unsigned)strtoul(number, NULL, 10);
  *out = listening;
  return SCR_OK;
}

static void destroy(acceptor *a)
{
  close(a->listen);
  if (a->epoll >= 0) close(a->epoll);
  if (a->wake >= 0) close(a->wake);
  for (size_t i = 0; i < pending_limit; i++)
    if (a->pending[i].socket >= 0) drop(&a->pending[i]);
  free(a);
}

scr_status acceptor_start(int socket, const acceptor_sinks *sinks, acceptor **out, scr_error *error)
{
  acceptor *a = calloc(1, sizeof *a);
  *out = NULL;
  if (!a) {
    close(socket);
    return scr_fail_memory(error, "the acceptor", sizeof *a);
  }
  a->sinks = *sinks;
  a->listen = socket;
  for (size_t i = 0; i < pending_limit; i++) a->pending[i].socket = -1;
  a->epoll = epoll_create1(EPOLL_CLOEXEC);
  a->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (a->epoll < 0 || a->wake < 0 || !watch(a, a->listen, tag_listen, EPOLLIN) || !watch(a, a->wake, tag_wake, EPOLLIN) ||
      pthread_create(&a->thread, NULL, acceptor_thread, a) != 0) {
    destroy(a);
    return scr_fail(error, SCR_IO, NULL, "the acceptor could not start: the limits on threads or open files are too low");
  }
  *out = a;
  return SCR_OK;
}

void acceptor_stop(acceptor *a)
{
  if (!a) return;
  uint64_t one = 1;
  ssize_t written = write(a->wake, &one, sizeof one);
  (void)written; /* an eventfd at 0 takes it */
  pthread_join(a->thread, NULL);
  destroy(a);
}
