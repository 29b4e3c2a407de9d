/* How a browser gets in: links that are good once, and the cookie they give. */
#include "api/http/routes/route_access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/access/proof.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"

http_reply access_page(unsigned status, const char *what)
{
  static const char page[] =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
      "<title>Scree</title></head>\n<body><h1>This laboratory answers only its owner</h1>\n<p>%s</p>\n"
      "<p>A link is valid once, within 15 minutes. <code>scree link</code> on the machine and account that <code>screed</code> runs on "
      "prints "
      "another "
      "one.</p>\n</body></html>\n";
  size_t capacity = sizeof page + strlen(what);
  char *text = malloc(capacity);
  int length = text ? snprintf(text, capacity, page, what) : 0;
  http_reply reply = reply_text(status, "text/html; charset=utf-8", text, (size_t)length);
  snprintf(reply.reason, sizeof reply.reason, "%s", what);
  if (status == 401) reply_header(&reply, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"scree\"");
  return reply;
}

http_reply route_link(const http_request *request)
{
  char key[ACCESS_KEY_BYTES];
  if (!access_link_make(request->front->access, key))
    return problem_reply(request, PROBLEM_FAILED, "the system has no random bytes for a key");
  return reply_json(201, json_pack("{s:o, s:o}", "link", json_sprintf("/open?key=%s", key), "expires",
                                   json_time(((int64_t)time(NULL) + ACCESS_LINK_SECONDS) * 1000)));
}

http_reply route_sessions(const http_request *request)
{
  session_view views[SESSION_LIMIT];
  size_t count = access_sessions(request->front->access, views);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    (void)json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", views[i].name, "begun", json_time(views[i].begun * 1000),
                                                "expires", json_time(views[i].until * 1000)));
  return reply_json(200, json_pack("{s:o}", "sessions", list));
}

http_reply route_sessions_end(const http_request *request)
{
  const char *name = request->path.count > 3 ? request->parameters.values[0] : NULL;
  size_t ended = access_sessions_end(request->front->access, name);
  if (name && ended == 0) return problem_reply(request, PROBLEM_NOT_FOUND, "there is no session '%.40s'", name);
  return reply_json(200, json_pack("{s:o}", "ended", json_count(ended)));
}

http_reply route_proof(const http_request *request)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  const char *nonce = http_request_query(request, "nonce");
  struct sockaddr_storage own;
  socklen_t length = sizeof own;
  char address[PROOF_ADDRESS_BYTES], proof[PROOF_BYTES];
  if (!info || getsockname(info->connect_fd, (struct sockaddr *)&own, &length) != 0 ||
      !proof_address((const struct sockaddr *)&own, address))
    return problem_reply(request, PROBLEM_FAILED, "the address of this connection is not known");
  if (!nonce || !access_prove(request->front->access, nonce, address, proof))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the parameter nonce must be %d to %d letters, digits, - or _", PROOF_NONCE_LEAST,
                         PROOF_NONCE_MOST);
  return reply_json(200, json_pack("{s:s, s:s}", "address", address, "proof", proof));
}

/* HEAD uses no key up: programs that only look at a link must not. */
http_reply route_open(const http_request *request)
{
  char cookie[ACCESS_COOKIE_BYTES];
  const char *key = http_request_query(request, "key");
  bool let_in = request->identity.role > ACCESS_NOBODY;
  if (request->head) return reply_empty(let_in ? 303 : 403);
  bool good = key && access_link_use(request->front->access, key, cookie);
  if (!good && !let_in) return access_page(403, "This link was used before, is too old, or belongs to another server.");
  http_reply reply = reply_empty(303);
  reply_header(&reply, MHD_HTTP_HEADER_LOCATION, "/");
  if (good && cookie[0]) reply_header(&reply, MHD_HTTP_HEADER_SET_COOKIE, cookie);
  return reply;
}
