/* Pages for people: a scene, a study and a calibration, each explained by an example; methods; validation; the reference of every key. */
#include <stdio.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/method_page.h"
#include "api/shapes/reference_page.h"
#include "server/embedded.h"

static const char html[] = "text/html; charset=utf-8";

static http_reply guide(const http_request *request, const char *name)
{
  const embedded_file *asset = embedded_find(name);
  if (!asset) return problem_reply(request, PROBLEM_NOT_FOUND, "this build has no guide");
  return reply_static(200, html, asset->data, asset->size);
}

http_reply route_guide(const http_request *request)
{
  return guide(request, "docs/scene.html");
}

http_reply route_guide_study(const http_request *request)
{
  return guide(request, "docs/study.html");
}

http_reply route_guide_calibration(const http_request *request)
{
  return guide(request, "docs/calibration.html");
}

http_reply route_guide_methods(const http_request *request)
{
  return guide(request, "docs/methods.html");
}

http_reply route_guide_method(const http_request *request)
{
  char path[128];
  const char *name = request->parameters.values[0];
  snprintf(path, sizeof path, "docs/methods/%s.html", name);
  const embedded_file *written = embedded_find(path);
  size_t length = 0;
  bool found = false;
  char *page = method_page_html(name, written ? (const char *)written->data : NULL, &length, &found);
  if (!found) return problem_reply(request, PROBLEM_NOT_FOUND, "there is no method '%.80s'; /guide/methods has them all", name);
  return reply_text(200, html, page, length);
}

http_reply route_guide_validation(const http_request *request)
{
  char path[128];
  snprintf(path, sizeof path, "%s.html", request->parameters.values[0]);
  return guide(request, path);
}

http_reply route_reference(const http_request *request)
{
  (void)request;
  size_t length = 0;
  char *page = reference_html(&length);
  return reply_text(200, html, page, length);
}
