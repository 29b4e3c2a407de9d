/* Requests from libmicrohttpd to the router and answers back.
 *
 * A request's life: `target_seen` makes its exchange; the handler's first call checks everything that the headers tell and may refuse;
 * further calls collect the body; the last one runs the route, at once or on the pool. `exchange_done` frees it, also when the client
 * has gone. */
#include "api/http/server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/http/parse/accept.h"
#include "api/http/admission.h"
#include "api/http/listen/gate.h"
#include "api/http/pool.h"
#include "api/http/listen/raw_answer.h"
#include "api/http/listen/receive.h"
#include "api/http/readers.h"
#include "api/http/answer/reply.h"
#include "api/http/request_log.h"
#include "base/error.h"
#include "api/http/router.h"
#include "api/http/routes/assets/upload.h"
#include "api/http/listen/library_answer.h"
#include "api/http/listen/watch.h"
#include "server/clock.h"

enum {
  daemon_limit = 2, /* libmicrohttpd threads */
  slow_threads = 3, /* requests at once that read the store or a file */
  /* That wait for checks and what else takes long, and for pictures and surfaces, each: more than may be under way for long, so that short
   * ones find one. */
  heavy_threads = LAB_LONG_REQUESTS + 6,
  pool_capacity = 128,      /* waiting for either */
  small_body = 4096,        /* bodies of routes that take none are read up to here and dropped */
  upload_grace_seconds = 3, /* before an upload may have to make room for others */
  swallow_factor = 4,       /* a body that is too long is read up to this many limits, so that its sender comes to read the answer */
  spare_connections = 64,   /* of libmicrohttpd, which may count a connection for a moment longer than the gate */
  header_memory = 262144,   /* for one connection's headers, both ways: more than may be, so that too many are refused here */
};

typedef struct exchange exchange;

struct http_server {
  http_server_config config;
  http_front front;
  struct MHD_Daemon *daemons[daemon_limit];
  size_t daemon_count;
  atomic_uint next_daemon;
  atomic_size_t body_bytes; /* held by all exchanges */
  atomic_size_t exchanges;  /* requests whose answer has not gone out whole */
  http_gate *gate;
  http_pool *slow;
  http_pool *heavy;
  http_pool *drawing;
  http_watch *watch;
  receive_watch received; /* by the library's threads */
  request_names names;
  pthread_mutex_t lock; /* orders suspending before resuming */
  pthread_mutex_t bodies_lock;
  struct exchange *newest_body; /* of those being received */
};

struct exchange {
  http_server *server;
  watched *watched; /* its connection */
  http_request request;
  const http_route *route;
  const char *method; /* NULL: not read yet */
  char id[REQUEST_ID_BYTES];
  int64_t came_at;              /* monotonic: all of it that is wanted */
  char target[HTTP_PATH_BYTES]; /* cut to fit; `target_ok` tells whether its path is all there */
  size_t target_bytes;          /* before it was cut */
  bool target_ok, begun, waiting, answered;
  size_t limit, capacity, seen; /* of the body: longest, allocated, bytes so far including dropped ones */
  bool too_large, queue_full;
  bool listed; /* among the bodies being received; these four belong to the server's bodies_lock */
  time_t began;
  struct exchange *older, *newer;
  http_reply reply;
};

/* ── connections ── */

static void connection_changed(void *user, struct MHD_Connection *connection, void **watched_place,
                               enum MHD_ConnectionNotificationCode what)
{
  http_server *server = user;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    watch_end(*watched_place);
    *watched_place = NULL;
    if (info) gate_leave(server->gate, info->connect_fd);
    return;
  }
  receive_watched_by(&server->received); /* called by the thread that will read the connection */
  *watched_place = info ? watch_begin(server->watch, info->connect_fd) : NULL;
  if (info && !*watched_place) shutdown(info->connect_fd, SHUT_RDWR); /* no memory: none that nobody watches */
}

static watched *watched_of(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* ── bodies being received ── */

/* Enters the list of bodies that are being received. */
static void list_body(exchange *x)
{
  http_server *server = x->server;
  pthread_mutex_lock(&server->bodies_lock);
  if (!x->listed) {
    x->listed = true;
    x->began = time(NULL);
    x->older = server->newest_body;
    if (x->older) x->older->newer = x;
    server->newest_body = x;
  }
  pthread_mutex_unlock(&server->bodies_lock);
}

/* Leaves it: the body is there, or its request is over. */
static void unlist_body(exchange *x)
{
  http_server *server = x->server;
  pthread_mutex_lock(&server->bodies_lock);
  if (x->listed) {
    if (x->newer)
      x->newer->older = x->older;
    else
      server->newest_body = x->older;
    if (x->older) x->older->newer = x->newer;
    x->listed = false;
  }
  pthread_mutex_unlock(&server->bodies_lock);
}

/* ── answers by hand ── */

/* Says so in the log, and names the request as in the answer. */
static void name_raw(http_server *server, problem_kind kind, const char *detail, char *id)
{
  request_name(&server->names, NULL, id);
  log_write_bounded(server->config.log, LOG_LEVEL_INFO, "request_refused",
                    LOG_FIELDS(log_text("request", id), log_integer("status", problem_status(kind)), log_text("reason", detail)));
}

static void refuse_raw(http_server *server, int socket, problem_kind kind, const char *detail)
{
  char id[REQUEST_ID_BYTES];
  name_raw(server, kind, detail, id);
  raw_answer(socket, kind, detail, id);
}

static void answer_late(void *user, int socket)
{
  static const char detail[] = "head and body must have come in time; nothing was done";
  char id[REQUEST_ID_BYTES];
  name_raw(user, PROBLEM_LATE, detail, id);
  raw_send(socket, PROBLEM_LATE, detail, id);
}

static void answer_misread(void *user, int socket, unsigned status, const char *detail)
{
  const char *usual;
  problem_kind kind = raw_misread(status, &usual);
  refuse_raw(user, socket, kind, detail ? detail : usual);
}

static bool look_at_received(void *user, int socket, const void *bytes, size_t count)
{
  const http_server *server = user;
  return watch_received(server->watch, socket, bytes, count);
}

/* ── a request's beginning and end ── */

static void *target_seen(void *user, const char *target, struct MHD_Connection *connection)
{
  exchange *x = calloc(1, sizeof *x);
  if (!x) return NULL;
  x->server = user;
  atomic_fetch_add(&x->server->exchanges, 1);
  x->watched = watched_of(connection);
  x->request.front = &x->server->front;
  x->request.connection = connection;
  x->target_bytes = strlen(target);
  x->target_ok = strcspn(target, "?") < sizeof x->target;
  snprintf(x->target, sizeof x->target, "%s", target);
  x->request.target = x->target;
  size_t parameters = 0;
  for (const char *c = target; *c; c++) parameters += *c == '&';
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info &&
      parameters >= ADMISSION_PARAMETER_LIMIT) /* taking them apart would use up libmicrohttpd's memory for the head, and then it hangs */
    refuse_raw(x->server, info->connect_fd, PROBLEM_TARGET_TOO_LONG, "the query has more than 100 parameters");
  return x;
}

static void exchange_done(void *user, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode how)
{
  http_server *server = user;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (how == MHD_REQUEST_TERMINATED_WITH_ERROR && info && !watch_is_cut(watched_of(connection))) answer_late(user, info->connect_fd);
  watch_idle(watched_of(connection));
  exchange *x = *context;
  if (!x) return;
  unlist_body(x);
  if (x->reply.response) MHD_destroy_response(x->reply.response);
  atomic_fetch_sub(&server->body_bytes, x->capacity);
  atomic_fetch_sub(&server->exchanges, 1);
  http_upload_destroy(x->request.upload);
  free(x->request.body);
  free(x);
  *context = NULL;
}

/* ── answering ── */

/* The line of the log, and the name in the answer. */
static void sign(exchange *x, http_reply *reply)
{
  const request_facts facts = {
      .method = x->method, .seconds = (double)(clock_monotonic_ms() - x->came_at) / 1000.0, .slow_seconds = x->server->config.slow_seconds};
  reply_header(reply, "X-Request-Id", x->id);
  request_log(x->server->config.log, &x->request, reply, &facts);
}

/* Queues a reply and lets go of it. */
static enum MHD_Result answer(exchange *x, http_reply reply)
{
  if (!reply.response) reply = reply_static(500, "text/plain", "out of memory\n", 14);
  if (!reply.response) return MHD_NO;
  x->answered = true;
  reply_secure(&reply);
  sign(x, &reply);
  watch_sending(x->watched);
  enum MHD_Result result = library_queue(x->request.connection, reply.status, reply.response);
  MHD_destroy_response(reply.response);
  return result;
}

static enum MHD_Result answer_and_close(exchange *x, http_reply reply)
{
  reply_header(&reply, MHD_HTTP_HEADER_CONNECTION, "close");
  return answer(x, reply);
}

/* ── the first call: what the headers tell ── */

static http_reply too_large_reply(const exchange *x)
{
  return problem_reply(&x->request, PROBLEM_TOO_LARGE, "the body must be at most %zu bytes long", x->limit);
}

/* Whether its sender does not wait to be asked for the body, and the body is short enough to be read and dropped: many look for an answer
 * only once all is sent, and would find the connection closed. */
static bool sends_regardless(const exchange *x)
{
  return !http_request_header(&x->request, MHD_HTTP_HEADER_EXPECT) && admission_length(&x->request) <= (long long)x->limit * swallow_factor;
}

/* Refuses bodies by their headers. */
static bool body_is_fine(exchange *x, http_reply *refusal)
{
  const http_request *request = &x->request;
  bool takes = (x->route->flags & ROUTE_TAKES_JSON) != 0;
  bool file = (x->route->flags & ROUTE_TAKES_FILE) != 0;
  x->limit = file ? lab_limits(x->server->config.lab)->asset_bytes : takes ? x->server->config.body_limit : small_body;
  if (takes && !http_content_type_is(http_request_header(request, "Content-Type"), "application/json")) {
    *refusal = problem_reply(request, PROBLEM_NOT_JSON, "send the header Content-Type: application/json");
    return false;
  }
  if (admission_length(request) <= (long long)x->limit) return true;
  x->too_large = true;
  if ((takes || file) && sends_regardless(x)) return true; /* refused once it has come */
  *refusal = too_large_reply(x);
  return false;
}

static bool find_route(exchange *x, const char *method, http_reply *refusal)
{
  http_request *request = &x->request;
  char allow[64];
  if (!x->target_ok || !http_path_parse(&request->path, x->target)) {
    *refusal = problem_reply(request, PROBLEM_BAD_REQUEST, "the path is longer than %d bytes or is not a plain absolute path",
                             HTTP_PATH_BYTES - 1);
    return false;
  }
  if (strcmp(request->path.segments[0], "ws") == 0) {
    *refusal = problem_reply(
        request, PROBLEM_MISDIRECTED,
        "this connection has served other requests: open a new connection for a WebSocket (behind a proxy: no keep-alive for /ws)");
    return false;
  }
  x->route = router_find(method, &request->path, &request->parameters, allow);
  if (x->route) return true;
  if (allow[0] == '\0') {
    *refusal = problem_reply(request, PROBLEM_NOT_FOUND, "no route has this path; /api/v1/openapi.json lists them");
  } else {
    *refusal = problem_reply(request, PROBLEM_METHOD_NOT_ALLOWED, "%.20s is not allowed here; allowed: %s", method, allow);
    reply_header(refusal, MHD_HTTP_HEADER_ALLOW, allow);
  }
  return false;
}

/* Finds the route, and whether who asks may use it: strangers are not even told which routes there are. */
static bool is_allowed(exchange *x, const char *method, http_reply *refusal)
{
  http_request *request = &x->request;
  request->identity = access_identify(x->server->config.access, http_request_header(request, MHD_HTTP_HEADER_AUTHORIZATION),
                                      http_request_header(request, MHD_HTTP_HEADER_COOKIE));
  bool found = find_route(x, method, refusal);
  if (request->identity.role >= ACCESS_OWNER || (found && x->route->flags & ROUTE_PUBLIC)) return found;
  if (!found && refusal->status == 421) return false; /* another connection may do, with the token */
  if (refusal->response) MHD_destroy_response(refusal->response);
  *refusal = problem_reply(
      request, PROBLEM_UNAUTHORIZED,
      "show the token of this laboratory: Authorization: Bearer TOKEN. It is in the file `token` of screed's data "
      "directory; the owner's scree and the Python client find it by themselves, and `scree link` prints a link for a browser");
  reply_header(refusal, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"scree\"");
  return false;
}

static enum MHD_Result begin(exchange *x, const char *method)
{
  http_reply refusal = {0};
  x->begun = true;
  x->method = method;
  x->came_at = clock_monotonic_ms();
  request_name(&x->server->names, http_request_header(&x->request, "X-Request-Id"), x->id);
  x->request.id = x->id;
  x->request.head = strcmp(method, "HEAD") == 0;
  const http_request *request = &x->request;
  if (admission_form(request, x->target_bytes, &refusal) && admission_source(request, x->server->config.hosts, method, &refusal) &&
      is_allowed(x, method, &refusal) && admission_query(request, x->route, &refusal) && body_is_fine(x, &refusal))
    return MHD_YES;
  bool has_body = admission_length(&x->request) > 0 || http_request_header(&x->request, "Transfer-Encoding");
  bool close_it = has_body || refusal.status == 400 || refusal.status == 421 || refusal.status == 431;
  return close_it ? answer_and_close(x, refusal) : answer(x, refusal);
}

/* ── the body ── */

/* Ends the upload that has been under way longest, and for a few seconds at least: who sends slowly must not keep out everybody else. */
static void end_oldest_body(http_server *server, const exchange *but)
{
  exchange *oldest = NULL;
  pthread_mutex_lock(&server->bodies_lock);
  for (exchange *x = server->newest_body; x; x = x->older)
    if (x != but) oldest = x;
  if (oldest && time(NULL) - oldest->began >= upload_grace_seconds) watch_cut(oldest->watched);
  pthread_mutex_unlock(&server->bodies_lock);
}

/* Room for `size` bytes and a zero byte, within what all bodies together may hold. Beyond it the oldest upload ends, whose memory comes
 * free in a moment; until then there may be twice as much. */
static bool reserve_body(exchange *x, size_t size)
{
  if (size + 1 <= x->capacity) return true;
  long long declared = admission_length(&x->request);
  size_t wanted = x->capacity ? x->capacity * 2 : 16384, most = x->server->config.body_memory;
  while (wanted < size + 1) wanted *= 2;
  if (declared >= (long long)size && wanted > (size_t)declared + 1) wanted = (size_t)declared + 1;
  size_t more = wanted - x->capacity, all = atomic_fetch_add(&x->server->body_bytes, more) + more;
  list_body(x);
  if (all > most) end_oldest_body(x->server, x);
  if (all <= 2 * most) {
    char *grown = realloc(x->request.body, wanted);
    if (grown) {
      x->request.body = grown;
      x->capacity = wanted;
      return true;
    }
  }
  atomic_fetch_sub(&x->server->body_bytes, more);
  return false;
}

/* A file may take its time as long as it comes on. */
static enum MHD_Result collect_file(exchange *x, const char *data, size_t size)
{
  enum { step = 65536 };
  if (x->seen / step != (x->seen + size) / step) watch_more(x->watched);
  x->seen += size;
  if (x->seen > x->limit * swallow_factor) return MHD_NO;
  if (x->too_large) return MHD_YES;
  if (!x->request.upload) x->request.upload = http_upload_create();
  if (!x->request.upload) return MHD_NO;
  http_upload_take(&x->request, data, size);
  return MHD_YES;
}

static enum MHD_Result collect(exchange *x, const char *data, size_t size)
{
  http_request *request = &x->request;
  x->seen += size;
  if (x->seen > x->limit) x->too_large = true;
  if (x->seen > x->limit * swallow_factor) return MHD_NO;
  if (x->too_large || x->queue_full || !(x->route->flags & ROUTE_TAKES_JSON)) return MHD_YES;
  if (!reserve_body(x, request->body_size + size)) {
    x->queue_full = true;
    return MHD_YES;
  }
  memcpy(request->body + request->body_size, data, size);
  request->body_size += size;
  request->body[request->body_size] = '\0';
  return MHD_YES;
}

/* ── the route ── */

static void run_on_pool(void *user)
{
  exchange *x = user;
  if (x->route->flags & ROUTE_ASKS_ONLY && http_request_gone(&x->request))
    x->reply = problem_reply(&x->request, PROBLEM_BUSY, "the client closed the connection before its turn");
  else
    x->reply = x->route->handler(&x->request);
  /* After the lock has been had once, the connection is known to be suspended. */
  pthread_mutex_lock(&x->server->lock);
  pthread_mutex_unlock(&x->server->lock);
  MHD_resume_connection(x->request.connection);
}

/* Answers a request that was let in. The end of a body in chunks is the library's to find: nobody looks at a head after it (head_screen.h),
 * so that there must be none. */
static enum MHD_Result conclude(exchange *x, http_reply reply)
{
  bool chunked = http_request_header(&x->request, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
  return chunked ? answer_and_close(x, reply) : answer(x, reply);
}

/* The threads that a route runs on; NULL: the connection's own. */
static http_pool *pool_of(const exchange *x)
{
  unsigned flags = x->route->flags;
  return flags & ROUTE_DRAWS ? x->server->drawing : flags & ROUTE_HEAVY ? x->server->heavy : flags & ROUTE_SLOW ? x->server->slow : NULL;
}

static enum MHD_Result finish(exchange *x)
{
  if (x->waiting) {
    http_reply reply = x->reply;
    x->reply.response = NULL;
    return conclude(x, reply);
  }
  unlist_body(x);
  x->came_at = clock_monotonic_ms();
  if (x->too_large) return answer_and_close(x, too_large_reply(x));
  if (x->queue_full) return conclude(x, problem_reply(&x->request, PROBLEM_BUSY, "too many large bodies are being received: try again"));
  http_pool *pool = pool_of(x);
  if (!pool) return conclude(x, x->route->handler(&x->request));
  http_server *server = x->server;
  watch_working(x->watched);
  pthread_mutex_lock(&server->lock);
  x->waiting = true;
  bool queued = pool_submit(pool, run_on_pool, x);
  if (queued) MHD_suspend_connection(x->request.connection);
  pthread_mutex_unlock(&server->lock);
  if (queued) return MHD_YES;
  x->waiting = false;
  return conclude(x, problem_reply(&x->request, PROBLEM_BUSY, "%d requests like this one are waiting already: try again", pool_capacity));
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                              const char *upload, size_t *upload_size, void **context)
{
  (void)user;
  (void)connection;
  (void)url;
  (void)version;
  exchange *x = *context;
  if (!x) return MHD_NO; /* no memory for it */
  if (!x->begun) return begin(x, method);
  if (*upload_size > 0) {
    size_t size = *upload_size;
    *upload_size = 0;
    if (x->answered) return MHD_YES;
    return x->route->flags & ROUTE_TAKES_FILE ? collect_file(x, upload, size) : collect(x, upload, size);
  }
  return x->answered ? MHD_YES : finish(x);
}

/* ── life ── */

http_server_config http_server_config_default(lab *the_lab, const http_hosts *hosts, access_control *access)
{
  size_t text = lab_limits(the_lab)->text_bytes;
  return (http_server_config){.lab = the_lab,
                              .hosts = hosts,
                              .access = access,
                              .connection_limit = 1024,
                              .idle_seconds = 30,
                              .request_seconds = 60,
                              .slow_seconds = 1,
                              .body_limit = text,
                              .body_memory = text * 16 + ((size_t)64 << 20)};
}

/* Ends the pools: all suspended connections must be resumed before their daemon stops, and no later request may find its pool gone. */
static void end_pools(http_server *server)
{
  if (server->slow) pool_end(server->slow);
  if (server->heavy) pool_end(server->heavy);
  if (server->drawing) pool_end(server->drawing);
}

static void destroy(http_server *server)
{
  end_pools(server);
  for (size_t i = 0; i < server->daemon_count; i++) MHD_stop_daemon(server->daemons[i]);
  pool_destroy(server->slow);
  pool_destroy(server->heavy);
  pool_destroy(server->drawing);
  watch_destroy(server->watch);
  gate_destroy(server->gate);
  readers_destroy(server->front.readers);
  pthread_mutex_destroy(&server->lock);
  pthread_mutex_destroy(&server->bodies_lock);
  free(server);
}

static struct MHD_Daemon *start_daemon(http_server *server)
{
  return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
                          NULL, handle, server, MHD_OPTION_URI_LOG_CALLBACK, target_seen, server, MHD_OPTION_NOTIFY_COMPLETED,
                          exchange_done, server, MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server, MHD_OPTION_CONNECTION_LIMIT,
                          server->config.connection_limit + spare_connections, MHD_OPTION_CONNECTION_TIMEOUT, server->config.idle_seconds,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)header_memory, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_END);
}

scr_status http_server_start(const http_server_config *config, http_server **out, scr_error *error)
{
  http_server *server = calloc(1, sizeof *server);
  *out = NULL;
  if (!server) return scr_fail_memory(error, "the HTTP server", sizeof *server);
  server->config = *config;
  server->received = (receive_watch){look_at_received, server};
  request_names_begin(&server->names);
  server->front.lab = config->lab;
  server->front.access = config->access;
  pthread_mutex_init(&server->lock, NULL);
  pthread_mutex_init(&server->bodies_lock, NULL);
  server->front.readers = readers_create();
  server->slow = pool_create(slow_threads, pool_capacity);
  server->heavy = pool_create(heavy_threads, pool_capacity);
  server->drawing = pool_create(heavy_threads, pool_capacity);
  server->watch = watch_create(config->request_seconds, config->idle_seconds, &(watch_answers){answer_late, answer_misread, server});
  server->gate = gate_create(config->connection_limit, config->address_limit);
  bool fine = server->gate && server->front.readers && server->slow && server->heavy && server->drawing && server->watch;
  while (fine && server->daemon_count < daemon_limit) {
    struct MHD_Daemon *started = start_daemon(server);
    if (started) server->daemons[server->daemon_count++] = started;
    fine = started != NULL;
  }
  if (!fine) {
    destroy(server);
    return scr_fail(error, SCR_IO, NULL,
                    "the HTTP server's threads could not be started: the limits on threads, memory or open files are too low");
  }
  *out = server;
  return SCR_OK;
}

void http_server_take(http_server *server, int socket, const struct sockaddr *address, socklen_t length)
{
  if (raw_version_is_wrong(socket)) {
    refuse_raw(server, socket, PROBLEM_VERSION, "this server speaks HTTP/1.1");
    close(socket);
    return;
  }
  gate_answer answer = gate_enter(server->gate, socket, address);
  if (answer != GATE_OPEN) {
    const char *why = answer == GATE_ADDRESS_FULL ? "too many connections are open from your address: try again"
                                                  : "too many connections are open: try again";
    char id[REQUEST_ID_BYTES];
    request_name(&server->names, NULL, id);
    log_write_bounded(server->config.log, LOG_LEVEL_WARNING, "connection_refused",
                      LOG_FIELDS(log_text("request", id), log_text("reason", why), log_integer("open", (int64_t)gate_count(server->gate))));
    if (answer == GATE_FULL) watch_close_idlest(server->watch);
    raw_answer(socket, PROBLEM_BUSY, why, id);
    close(socket);
    return;
  }
  size_t turn = atomic_fetch_add(&server->next_daemon, 1) % daemon_limit;
  if (MHD_add_connection(server->daemons[turn], socket, address, length) != MHD_YES) gate_leave(server->gate, socket);
}

void http_server_forget(http_server *server, int64_t id)
{
  readers_forget(server->front.readers, id);
}

static bool has_connections(const http_server *server)
{
  for (size_t i = 0; i < server->daemon_count; i++) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemons[i], MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    if (info && info->num_connections > 0) return true;
  }
  return false;
}

void http_server_stop(http_server *server, double seconds)
{
  if (!server) return;
  const struct timespec pause = {.tv_nsec = 10000000}; /* a hundredth of a second */
  for (int left = (int)(seconds * 100.0); left > 0 && has_connections(server); left--) nanosleep(&pause, NULL);
  /* What the pools still had under way is answered now, and answers take a moment to go out. */
  end_pools(server);
  for (int left = (int)(seconds * 100.0); left > 0 && atomic_load(&server->exchanges) > 0; left--) nanosleep(&pause, NULL);
  destroy(server);
}
