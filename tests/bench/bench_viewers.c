/* Viewers of one live run: connects many to /ws/v1, follows the recording beside them, and tells how late each record reaches each viewer.
 *
 *   bench_viewers PORT JOB RECORDING VIEWERS SECONDS        (started by tests/bench/bench_viewers.py, which sets SCREE_TOKEN)
 *
 * A record is "there" when a reader of the file finds it whole, looking a thousand times a second; the delay counts from then to the
 * arrival of its last byte in the viewer's socket as read by this program, which shares the machine with the server and the run. Records
 * that were there before a viewer subscribed are not counted. Viewers acknowledge every frame at once, as a fast browser does. Prints one
 * JSON object. Linux. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "record/frame.h"
#include "scree.h"

enum { connect_batch = 20, receive_bytes = 1 << 16, head_bytes = 64 };

typedef struct delays {
  float *values; /* s */
  size_t count, capacity;
} delays;

typedef struct viewer {
  int socket;
  bool open;            /* the handshake is over */
  uint64_t last_seq;    /* of `subscribed`: later records count; 0 before */
  uint64_t next_sample; /* the curve sample that must come next */
  uint64_t frames, lost_samples, records;
  /* the message being received */
  unsigned char head[head_bytes]; /* of the WebSocket frame and then of its payload */
  size_t head_size;
  uint64_t left; /* bytes of payload still to come */
  bool in_payload;
  bool continued;          /* fragments of one message follow */
  unsigned char start[64]; /* first bytes of the message */
  size_t start_size;
  bool text;
} viewer;

typedef struct bench {
  scr_recording *recording;
  double *there; /* [capacity] when record i + 1 was found */
  size_t known, capacity;
  uint64_t sample_count; /* samples of the recording so far */
  delays curves, frames;
  viewer *viewers;
  size_t count;
  bool failed;
} bench;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
  perror(what);
  exit(1);
}

static void note(delays *d, double value)
{
  if (d->count == d->capacity) {
    d->capacity = d->capacity ? d->capacity * 2 : 65536;
    d->values = realloc(d->values, d->capacity * sizeof *d->values);
    if (!d->values) die("memory");
  }
  d->values[d->count++] = (float)value;
}

static void look(bench *b)
{
  if (scr_recording_refresh(b->recording, NULL) != SCR_OK) return;
  double t = now();
  size_t count = (size_t)scr_recording_count(b->recording);
  if (count > b->capacity) {
    b->capacity = 2 * count;
    b->there = realloc(b->there, b->capacity * sizeof *b->there);
    if (!b->there) die("memory");
  }
  while (b->known < count) b->there[b->known++] = t;
}

/* ── one viewer ── */

static void send_text(viewer *v, const char *text)
{
  unsigned char frame[512];
  size_t length = strlen(text), at = 0;
  frame[at++] = 0x81;
  if (length < 126) {
    frame[at++] = (unsigned char)(0x80 | length);
  } else {
    frame[at++] = 0x80 | 126;
    frame[at++] = (unsigned char)(length >> 8);
    frame[at++] = (unsigned char)length;
  }
  memset(frame + at, 0, 4); /* a mask of zeros leaves the text as it is */
  at += 4;
  memcpy(frame + at, text, length);
  if (send(v->socket, frame, at + length, MSG_NOSIGNAL) < 0 && errno != EAGAIN) die("send");
}

static void connect_viewer(bench *b, size_t i, int poller, int port)
{
  viewer *v = &b->viewers[i];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  char request[512];
  v->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (v->socket < 0) die("socket");
  if (connect(v->socket, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
  int one = 1;
  (void)setsockopt(v->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  const char *token = getenv("SCREE_TOKEN");
  int length = snprintf(request, sizeof request,
                        "GET /ws/v1 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Protocol: scree.v1\r\n\r\n",
                        port, token ? token : "");
  if (send(v->socket, request, (size_t)length, MSG_NOSIGNAL) != length) die("send");
  if (fcntl(v->socket, F_SETFL, O_NONBLOCK) != 0) die("fcntl");
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, v->socket, &event) != 0) die("epoll");
}

/* A whole message has come; `start` holds its first bytes. */
static void take_message(bench *b, viewer *v, double t)
{
  if (v->text) {
    const char *last = memmem(v->start, v->start_size, "\"last_seq\":", 11);
    if (last) v->last_seq = strtoull(last + 11, NULL, 10) + 1;
    return;
  }
  scr_record_header header;
  scr_curve_header curve;
  memcpy(&header, v->start, sizeof header);
  v->records++;
  while (header.seq > b->known) look(b);
  bool counts = v->last_seq && header.seq >= v->last_seq;
  double delay = t - b->there[header.seq - 1];
  if (header.type == SCR_RECORD_CURVE) {
    memcpy(&curve, v->start + sizeof header, sizeof curve);
    if (curve.first_sample > v->next_sample) v->lost_samples += curve.first_sample - v->next_sample;
    v->next_sample = curve.first_sample + curve.sample_count;
    if (counts) note(&b->curves, delay > 0 ? delay : 0);
  } else if (header.type == SCR_RECORD_FRAME) {
    char text[96];
    snprintf(text, sizeof text, "{\"type\":\"ack\",\"stream\":1,\"seq\":%llu}", (unsigned long long)header.seq);
    send_text(v, text);
    v->frames++;
    if (counts) note(&b->frames, delay > 0 ? delay : 0);
  }
}

/* Takes the header of a WebSocket frame, byte by byte. */
static void take_head(viewer *v, unsigned char byte)
{
  v->head[v->head_size++] = byte;
  if (v->head_size < 2) return;
  unsigned size = v->head[1] & 0x7f, more = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (v->head_size < 2 + more) return;
  v->left = more ? 0 : size;
  for (unsigned i = 0; i < more; i++) v->left = v->left << 8 | v->head[2 + i];
  unsigned opcode = v->head[0] & 0x0f;
  if (opcode != 0) {
    v->start_size = 0;
    v->text = opcode != 2;
  }
  v->continued = !(v->head[0] & 0x80);
  v->in_payload = true;
  v->head_size = 0;
}

static void take_bytes(bench *b, viewer *v, const unsigned char *bytes, size_t size, int job, double t)
{
  char subscribe[160];
  static const char end[] = "\r\n\r\n";
  for (size_t i = 0; i < size;) {
    if (!v->open) { /* head_size counts how much of the empty line has come */
      v->head_size = bytes[i] == (unsigned char)end[v->head_size] ? v->head_size + 1 : bytes[i] == '\r';
      i++;
      if (v->head_size < 4) continue;
      v->open = true;
      v->head_size = 0;
      snprintf(subscribe, sizeof subscribe, "{\"type\":\"subscribe\",\"stream\":1,\"job\":%d,\"max_fps\":30,\"window\":2}", job);
      send_text(v, subscribe);
      continue;
    }
    if (!v->in_payload) {
      take_head(v, bytes[i++]);
      if (!v->in_payload || v->left > 0) continue;
    }
    size_t piece = size - i < v->left ? size - i : (size_t)v->left;
    size_t room = sizeof v->start - v->start_size, kept = piece < room ? piece : room;
    memcpy(v->start + v->start_size, bytes + i, kept);
    v->start_size += kept;
    v->left -= piece;
    i += piece;
    if (v->left > 0) continue;
    v->in_payload = false;
    if (!v->continued && (v->head[0] & 0x08) == 0) take_message(b, v, t);
  }
}

static void receive(bench *b, viewer *v, int job)
{
  static unsigned char bytes[receive_bytes];
  ssize_t got = recv(v->socket, bytes, sizeof bytes, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    b->failed = true;
    fprintf(stderr, "a viewer was closed\n");
    close(v->socket);
    v->socket = -1;
    return;
  }
  take_bytes(b, v, bytes, (size_t)got, job, now());
}

/* ── all ── */

static void serve(bench *b, int poller, int job, double until)
{
  struct epoll_event events[256];
  for (double next = 0; now() < until && !b->failed;) {
    if (now() >= next) {
      look(b);
      next = now() + 0.001;
    }
    int count = epoll_wait(poller, events, 256, 1);
    for (int i = 0; i < count; i++) receive(b, &b->viewers[events[i].data.u64], job);
  }
}

static int ascending(const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static void print_delays(const char *name, delays *d)
{
  if (d->count > 0) qsort(d->values, d->count, sizeof *d->values, ascending);
  double at[3] = {0};
  static const double shares[3] = {0.5, 0.99, 1.0};
  for (int i = 0; i < 3 && d->count > 0; i++) at[i] = (double)d->values[(size_t)(shares[i] * (double)(d->count - 1))];
  printf("\"%s\": {\"count\": %zu, \"median_ms\": %.1f, \"p99_ms\": %.1f, \"worst_ms\": %.1f}, ", name, d->count, 1e3 * at[0], 1e3 * at[1],
         1e3 * at[2]);
}

int main(int argc, char **argv)
{
  if (argc != 6) {
    fprintf(stderr, "usage: bench_viewers PORT JOB RECORDING VIEWERS SECONDS\n");
    return 2;
  }
  int port = atoi(argv[1]), job = atoi(argv[2]);
  scr_error error = {0};
  bench b = {.count = strtoul(argv[4], NULL, 10)};
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (scr_recording_open(argv[3], &b.recording, &error) != SCR_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  look(&b);
  b.viewers = calloc(b.count, sizeof *b.viewers);
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (!b.viewers || poller < 0) die("memory");
  double begun = now();
  for (size_t i = 0; i < b.count; i++) {
    connect_viewer(&b, i, poller, port);
    if (i % connect_batch == connect_batch - 1) serve(&b, poller, job, now() + 0.01);
  }
  double connected = now() - begun;
  serve(&b, poller, job, now() + 3.0); /* what was recorded before is caught up */
  b.curves.count = b.frames.count = 0;
  uint64_t frames = 0, lost = 0, shown = 0;
  for (size_t i = 0; i < b.count; i++) frames += b.viewers[i].frames;
  begun = now();
  serve(&b, poller, job, begun + atof(argv[5]));
  double passed = now() - begun;
  size_t subscribed = 0;
  for (size_t i = 0; i < b.count; i++) {
    shown += b.viewers[i].frames;
    lost += b.viewers[i].lost_samples;
    subscribed += b.viewers[i].last_seq > 0;
  }
  printf("{\"viewers\": %zu, \"subscribed\": %zu, \"connected_s\": %.2f, \"seconds\": %.1f, ", b.count, subscribed, connected, passed);
  print_delays("curves", &b.curves);
  print_delays("frames", &b.frames);
  printf("\"frames_per_second\": %.2f, \"lost_samples\": %llu}\n", (double)(shown - frames) / passed / (double)b.count,
         (unsigned long long)lost);
  return b.failed ? 1 : 0;
}
