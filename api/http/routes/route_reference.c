/* Pages for people: a scene, a study and a calibration, each explained by an example, and the reference of every key. */
#include "api/http/answer/reply.h"
#include "api/http/router.h"
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

http_reply route_reference(const http_request *request)
{
  (void)request;
  size_t length = 0;
  char *page = reference_html(&length);
  return reply_text(200, html, page, length);
}
