/* Judging requests: host, address, upgrade, origin, token, subprotocol, room, in this order. */
#include "api/stream/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { answer_bytes = 8192 };

void gate_init(gate *g, const http_hosts *hosts, const access_control *access, event_log *log)
{
  *g = (gate){.hosts = hosts, .access = access, .log = log};
  request_names_begin(&g->names);
}

/* Answers a request that becomes no stream, in full, and has the connection closed. */
static int refuse(gate *g, struct lws *wsi, problem_kind kind, const char *headers, const char *detail)
{
  unsigned status = problem_status(kind);
  char id[REQUEST_ID_BYTES];
  request_name(&g->names, NULL, id);
  char *body = problem_text(kind, "/ws/v1", detail, id);
  log_write_bounded(g->log, status == 503 ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "stream_refused",
                    LOG_FIELDS(log_text("request", id), log_integer("status", status), log_text("problem", problem_title(kind)),
                               log_text("reason", detail)));
  if (!body) return -1;
  unsigned char answer[LWS_PRE + answer_bytes]; /* the library writes into the bytes before what it sends */
  char *text = (char *)answer + LWS_PRE;
  int length = snprintf(text, answer_bytes,
                        "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\nContent-Length: %zu\r\nConnection: close\r\n"
                        "X-Request-Id: %s\r\n%s\r\n%s",
                        status, problem_title(kind), strlen(body), id, headers, body);
  free(body);
  if (length > 0 && length < answer_bytes) (void)lws_write(wsi, (unsigned char *)text, (size_t)length, LWS_WRITE_HTTP_HEADERS);
  return -1;
}

/* A header of the request; "" when absent or too long to be one of ours. Whether it is present. */
static bool request_header(struct lws *wsi, enum lws_token_indexes token, char *text, int capacity)
{
  text[0] = '\0';
  if (lws_hdr_total_length(wsi, token) <= 0) return false;
  if (lws_hdr_copy(wsi, text, capacity, token) < 0) text[0] = '\0';
  return true;
}

/* Whether a list of subprotocols offers ours. */
static bool offers_protocol(const char *list)
{
  static const char name[] = "scree.v1";
  while (*list) {
    list += strspn(list, ", \t");
    size_t length = strcspn(list, ", \t");
    if (length == sizeof name - 1 && memcmp(list, name, length) == 0) return true;
    list += length;
  }
  return false;
}

/* Whether who asks may see the stream. */
static bool is_known(const gate *g, struct lws *wsi)
{
  char authorization[256], cookie[2048];
  bool has_authorization = request_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization);
  bool has_cookie = request_header(wsi, WSI_TOKEN_HTTP_COOKIE, cookie, sizeof cookie);
  return access_identify(g->access, has_authorization ? authorization : NULL, has_cookie ? cookie : NULL).role >= ACCESS_OWNER;
}

int gate_judge(gate *g, struct lws *wsi, bool upgrade, gate_admission admission)
{
  char path[256], host[256], origin[256], protocols[256], version[16];
  bool has_path = request_header(wsi, WSI_TOKEN_GET_URI, path, sizeof path);
  bool has_host = request_header(wsi, WSI_TOKEN_HOST, host, sizeof host);
  bool has_origin = request_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
  request_header(wsi, WSI_TOKEN_PROTOCOL, protocols, sizeof protocols);
  request_header(wsi, WSI_TOKEN_VERSION, version, sizeof version);
  if (!http_host_allowed(g->hosts, has_host ? host : NULL))
    return refuse(g, wsi, PROBLEM_MISDIRECTED, "", "this Host is not a name of this server: start screed with --host NAME if it is one");
  if (!has_path || strcmp(path, "/ws/v1") != 0) return refuse(g, wsi, PROBLEM_NOT_FOUND, "", "the stream is at /ws/v1");
  if (!upgrade || strcmp(version, "13") != 0)
    return refuse(g, wsi, PROBLEM_UPGRADE_REQUIRED, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
                  "this is a WebSocket, version 13");
  if (has_origin && !http_origin_allowed(origin, host))
    return refuse(g, wsi, PROBLEM_FOREIGN_ORIGIN, "", "the Origin of the page is not the Host it asks");
  if (!is_known(g, wsi))
    return refuse(g, wsi, PROBLEM_UNAUTHORIZED, "WWW-Authenticate: Bearer realm=\"scree\"\r\n",
                  "show the token of this laboratory: Authorization: Bearer TOKEN, or the cookie that /open gives");
  if (!offers_protocol(protocols)) return refuse(g, wsi, PROBLEM_BAD_REQUEST, "", "the subprotocol scree.v1 is required");
  if (admission == GATE_STOPPING) return refuse(g, wsi, PROBLEM_DRAINING, "Retry-After: 5\r\n", "Scree is shutting down");
  if (admission == GATE_FULL)
    return refuse(g, wsi, PROBLEM_BUSY, "Retry-After: 5\r\n", "too many viewers are connected; --viewers N allows more");
  return 0;
}
