/* Broken bonds of a job as CSV. */
#include "api/http/recorded.h"
#include "api/http/router.h"

static http_reply breaks_csv(const http_request *request, scr_recording *recording, uint64_t after)
{
  static const scr_breaks none;
  scr_error error = {0};
  scr_breaks *breaks = NULL;
  char *text = NULL;
  size_t length = 0;
  scr_status status = recording ? scr_breaks_read(recording, after, &breaks, &error) : SCR_OK;
  if (status == SCR_OK) status = scr_breaks_csv(breaks ? breaks : &none, &text, &length, &error);
  scr_breaks_destroy(breaks);
  return recorded_text(request, status, &error, "text/csv; charset=utf-8", text, length);
}

http_reply route_breaks(const http_request *request)
{
  static const recorded_form forms[] = {{"text/csv", breaks_csv}};
  return recorded_reply(request, forms, 1, "broken bonds come as text/csv");
}
