/* The dashboard's files, compiled into the program. Only names in the table exist, so no path can lead elsewhere. */
#include <stdio.h>

#include "api/http/parse/accept.h"
#include "api/http/parse/range.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/http/routes/route_access.h"
#include "server/embedded.h"

/* The compressed form, made when the program was built, for clients that take it. */
static http_reply asset_reply(const http_request *request, const embedded_file *asset)
{
  bool packed = asset->gzip && http_accept_gzip(http_request_header(request, MHD_HTTP_HEADER_ACCEPT_ENCODING));
  const char *etag = packed ? asset->gzip_etag : asset->etag;
  bool known = http_etag_listed(http_request_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH), etag);
  http_reply reply = known    ? reply_empty(304)
                     : packed ? reply_static(200, asset->type, asset->gzip, asset->gzip_size)
                              : reply_static(200, asset->type, asset->data, asset->size);
  if (packed && !known) reply_header(&reply, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
  if (asset->gzip) reply_header(&reply, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
  reply_header(&reply, MHD_HTTP_HEADER_ETAG, etag);
  reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
  return reply;
}

http_reply route_dashboard(const http_request *request)
{
  if (request->identity.role == ACCESS_NOBODY) return access_page(401, "Open the link that screed printed when it started.");
  const embedded_file *asset = embedded_find("web/index.html");
  if (!asset) return problem_reply(request, PROBLEM_NOT_FOUND, "this build has no dashboard");
  return asset_reply(request, asset);
}

http_reply route_asset(const http_request *request)
{
  char path[HTTP_PATH_BYTES + 8] = "web/";
  if (!http_path_join(&request->path, 0, path + 4, sizeof path - 4)) return problem_reply(request, PROBLEM_NOT_FOUND, "no such file");
  const embedded_file *asset = embedded_find(path);
  if (!asset) return problem_reply(request, PROBLEM_NOT_FOUND, "the dashboard has no such file");
  return asset_reply(request, asset);
}
