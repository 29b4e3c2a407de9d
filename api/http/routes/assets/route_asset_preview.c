/* What an asset looks like: triangles for the dashboard. */
#include <math.h>
#include <string.h>

#include "api/http/answer/reply.h"
#include "api/http/parse/query.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"

enum { triangles_default = 10000, triangles_limit = 50000 };

/* The digest in the path, with or without "sha256:". */
static const char *digest_of(const http_request *request)
{
  const char *text = request->parameters.values[0];
  return strncmp(text, "sha256:", 7) == 0 ? text + 7 : text;
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

http_reply route_assets_preview(const http_request *request)
{
  lab_asset asset;
  scr_preview preview;
  scr_error error = {0};
  scr_problems problems = {0};
  long long triangles = triangles_default;
  http_request waiting = *request;
  const lab_caller caller = {.gone = http_request_gone, .user = &waiting};
  query_number(request, "triangles", 100, triangles_limit, &triangles, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_status status = lab_asset_preview(request->front->lab, digest_of(request), (size_t)triangles, &caller, &asset, &preview, &error);
  if (status == LAB_BAD_REQUEST) return problem_reply(request, PROBLEM_NO_PREVIEW, "%s", error.message);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  http_reply reply = reply_json(200, preview_json(&asset, &preview));
  scr_preview_clear(&preview);
  reply_header(&reply, MHD_HTTP_HEADER_CACHE_CONTROL, "private, max-age=86400");
  return reply;
}
