/* Answers as libmicrohttpd responses. A failed allocation leaves a reply without a response; the server then answers a plain 500. */
#include "api/http/answer/reply.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

bool http_request_gone(void *request)
{
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(((const http_request *)request)->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  struct pollfd watched = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};
  return info && poll(&watched, 1, 0) > 0 && watched.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

const char *http_request_header(const http_request *request, const char *name)
{
  return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *http_request_query(const http_request *request, const char *name)
{
  return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

int64_t http_request_job(const http_request *request)
{
  long long id;
  return http_number_parse(request->parameters.values[0], &id) ? id : 0;
}

void reply_header(http_reply *reply, const char *name, const char *value)
{
  if (reply->response) (void)MHD_add_response_header(reply->response, name, value);
}

http_reply reply_text(unsigned status, const char *type, char *text, size_t length)
{
  http_reply reply = {.status = status};
  if (!text) return reply;
  reply.response = MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
  if (!reply.response) free(text);
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  return reply;
}

http_reply reply_json(unsigned status, json_t *value)
{
  char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(value);
  return reply_text(status, "application/json", text, text ? strlen(text) : 0);
}

http_reply reply_page(const char *name, json_t *list, const char *next, int64_t at)
{
  return reply_json(200, json_pack("{s:o, s:o}", name, list, next, at ? json_integer((json_int_t)at) : json_null()));
}

http_reply reply_static(unsigned status, const char *type, const void *data, size_t length)
{
  /* libmicrohttpd's buffer is not const but MHD_RESPMEM_PERSISTENT means it only reads. */
  union {
    const void *read;
    void *write;
  } bytes = {.read = data};
  http_reply reply = {.status = status, .response = MHD_create_response_from_buffer(length, bytes.write, MHD_RESPMEM_PERSISTENT)};
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  return reply;
}

http_reply reply_empty(unsigned status)
{
  return (http_reply){.status = status, .response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)};
}

void reply_secure(http_reply *reply)
{
  reply_header(reply, "X-Content-Type-Options", "nosniff");
  reply_header(reply, "Referrer-Policy", "no-referrer");
  reply_header(reply, "Cross-Origin-Resource-Policy", "same-origin");
  reply_header(reply, "Cross-Origin-Opener-Policy", "same-origin");
  reply_header(reply, "X-Frame-Options", "DENY");
  reply_header(reply, "Content-Security-Policy",
               "default-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; "
               "form-action 'self'; frame-ancestors 'none'");
  if (reply->response && !MHD_get_response_header(reply->response, MHD_HTTP_HEADER_CACHE_CONTROL))
    reply_header(reply, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}
