/* What an asset looks like: triangles for the dashboard. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/http/answer/reply.h"
#include "api/http/parse/query.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"

enum { triangles_default = 10000, triangles_limit = 50000, file_limit = 128 << 20 };

/* The digest in the path, with or without "sha256:". */
static const char *digest_of(const http_request *request)
{
  const char *text = request->parameters.values[0];
  return strncmp(text, "sha256:", 7) == 0 ? text + 7 : text;
}

/* All of an open file, with a zero byte behind it. NULL: it could not be read */
static unsigned char *read_whole(int fd, size_t size)
{
  unsigned char *bytes = malloc(size + 1);
  size_t got = 0;
  while (bytes && got < size) {
    ssize_t part = read(fd, bytes + got, size - got);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    got += (size_t)part;
  }
  if (bytes && got < size) {
    free(bytes);
    return NULL;
  }
  if (bytes) bytes[size] = 0;
  return bytes;
}

static json_t *point(const double at[3])
{
  return json_pack("[o, o, o]", json_short(at[0]), json_short(at[1]), json_short(at[2]));
}

static json_t *preview_json(const lab_asset *asset, const scr_preview *p)
{
  return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "asset", json_sprintf("sha256:%s", asset->digest), "kind",
                   p->kind, "grains", json_count(p->grains), "whole_triangles", json_count(p->whole_count), "low", point(p->low), "high",
                   point(p->high), "volume", isfinite(p->volume) ? json_real(p->volume) : json_null(), "vertices",
                   json_floats(p->vertices, 3 * p->vertex_count), "triangles", json_indices(p->triangles, 3 * p->triangle_count), "parts",
                   json_indices(p->parts, p->triangle_count), "problems", problems_json(&p->problems));
}

static http_reply show(const http_request *request, const lab_asset *asset, const unsigned char *bytes, size_t triangles)
{
  scr_preview preview;
  scr_error error = {0};
  scr_status status = scr_asset_preview(bytes, (size_t)asset->bytes, triangles, &preview, &error);
  if (status == SCR_BAD_FILE) return problem_reply(request, PROBLEM_NO_PREVIEW, "%s", error.message);
  if (status != SCR_OK) return problem_reply(request, PROBLEM_FAILED, "%s", error.message);
  http_reply reply = reply_json(200, preview_json(asset, &preview));
  scr_preview_clear(&preview);
  reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, "private, max-age=86400");
  return reply;
}

http_reply route_assets_preview(const http_request *request)
{
  lab_asset asset;
  scr_error error = {0};
  scr_problems problems = {0};
  long long triangles = triangles_default;
  int fd = -1;
  query_number(request, "triangles", 100, triangles_limit, &triangles, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_status status = lab_asset_open(request->front->lab, digest_of(request), &fd, &asset, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  if (asset.bytes > file_limit) {
    close(fd);
    return problem_reply(request, PROBLEM_NO_PREVIEW, "the file has %llu bytes; at most %d are looked at", (unsigned long long)asset.bytes,
                         file_limit);
  }
  unsigned char *bytes = read_whole(fd, (size_t)asset.bytes);
  close(fd);
  if (!bytes) return problem_reply(request, PROBLEM_FAILED, "the file could not be read to its end");
  http_reply reply = show(request, &asset, bytes, (size_t)triangles);
  free(bytes);
  return reply;
}
