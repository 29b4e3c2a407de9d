/* What can be simulated: the methods' own descriptions. */
#include <string.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"

/* JSON text from the core as a value; consumes it. */
static json_t *parsed(char *text)
{
  json_t *value = text ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  return value;
}

http_reply route_methods(const http_request *request)
{
  (void)request;
  return reply_json(200, json_pack("{s:o}", "methods", parsed(scr_method_json(NULL))));
}

http_reply route_method(const http_request *request)
{
  const char *name = request->parameters.values[0];
  char *text = scr_method_json(name);
  if (!text) return problem_reply(request, PROBLEM_NOT_FOUND, "there is no method '%.100s'; /api/v1/methods lists them", name);
  return reply_json(200, parsed(text));
}
