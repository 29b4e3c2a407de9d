/* Lines about requests. */
#include "api/http/request_log.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "api/http/answer/reply.h"

void request_names_begin(request_names *names)
{
  uint32_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) random = (uint32_t)(uintptr_t)names;
  snprintf(names->run, sizeof names->run, "%08x", random);
  atomic_init(&names->count, 0);
}

void request_name(request_names *names, const char *sent, char *id)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  size_t length = sent ? strspn(sent, plain) : 0;
  if (length > 0 && length < REQUEST_ID_BYTES && sent[length] == '\0')
    memcpy(id, sent, length + 1);
  else
    snprintf(id, REQUEST_ID_BYTES, "%s-%llu", names->run, (unsigned long long)(atomic_fetch_add(&names->count, 1) + 1));
}

/* The address of who asks; "" when it is not known. */
static void client_address(const http_request *request, char text[INET6_ADDRSTRLEN])
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  const struct sockaddr *address = info ? info->client_addr : NULL;
  text[0] = '\0';
  if (address && address->sa_family == AF_INET)
    inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, text, INET6_ADDRSTRLEN);
  else if (address && address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, text, INET6_ADDRSTRLEN);
}

typedef struct line_kind {
  const char *event;
  log_level level;
  bool bounded;
} line_kind;

static line_kind kind_of(const http_reply *reply, const request_facts *facts)
{
  bool safe = !facts->method || strcmp(facts->method, "GET") == 0 || strcmp(facts->method, "HEAD") == 0;
  bool made = reply->status == 201 || reply->status == 202 || reply->status == 204;
  bool changed = !safe && (made || (reply->status < 300 && strcmp(facts->method, "PATCH") == 0));
  if (reply->status >= 400) {
    bool ours = reply->status >= 500 && reply->status != 503 && reply->status != 505;
    bool notable = reply->status == 401 || reply->status == 403 || reply->status == 429 || reply->status == 503;
    return (line_kind){"request_refused", ours ? LOG_LEVEL_ERROR : notable ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, true};
  }
  return (line_kind){"request", changed ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG, false};
}

void request_log(event_log *log, const http_request *request, const http_reply *reply, const request_facts *facts)
{
  char path[256], from[INET6_ADDRSTRLEN];
  line_kind kind = kind_of(reply, facts);
  bool slow = facts->seconds > facts->slow_seconds;
  if (!log_takes(log, slow && kind.level < LOG_LEVEL_WARNING ? LOG_LEVEL_WARNING : kind.level)) return;
  const char *target = request->target ? request->target : "";
  const char *made = reply->response && reply->status == 201 ? MHD_get_response_header(reply->response, MHD_HTTP_HEADER_LOCATION) : NULL;
  snprintf(path, sizeof path, "%.*s", (int)strcspn(target, "?"), target);
  client_address(request, from);
  const log_field *fields =
      LOG_FIELDS(log_text("request", request->id), log_text("method", facts->method), log_text("path", path),
                 log_integer("status", reply->status), log_text("problem", reply->problem), log_text("reason", reply->reason),
                 log_text("made", made), log_real("seconds", facts->seconds), log_text("from", from));
  if (slow) log_write_bounded(log, LOG_LEVEL_WARNING, "request_slow", fields);
  if (kind.bounded)
    log_write_bounded(log, kind.level, kind.event, fields);
  else
    log_write(log, kind.level, kind.event, fields);
}
