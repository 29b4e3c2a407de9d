/* Query parameters with their checks. */
#include "api/http/parse/query.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "api/http/answer/reply.h"
#include "base/error.h"

void query_number(const http_request *request, const char *name, long long low, long long high, long long *value, scr_problems *problems)
{
  const char *text = http_request_query(request, name);
  if (!text) return;
  long long number;
  bool negative = text[0] == '-';
  bool fine = http_number_parse(text + (negative ? 1 : 0), &number);
  if (fine && negative) number = -number;
  char allowed[96];
  snprintf(allowed, sizeof allowed, high == LLONG_MAX ? "a whole number >= %lld" : "a whole number from %lld to %lld", low, high);
  if (fine && number >= low && number <= high)
    *value = number;
  else
    (void)scr_problems_add(problems, name, text, allowed, "the parameter %s is '%.60s'; it must be %s", name, text, allowed);
}

query_page query_page_read(const http_request *request, scr_problems *problems)
{
  query_page page = {.limit = 50};
  query_number(request, "before", 1, LLONG_MAX, &page.before, problems);
  query_number(request, "limit", 1, 200, &page.limit, problems);
  return page;
}

void query_states(const http_request *request, unsigned *states, scr_problems *problems)
{
  static const char allowed[] = "queued, running, paused, succeeded, failed, cancelled, or several of them with commas between";
  const char *text = http_request_query(request, "state");
  for (const char *name = text; name;) {
    size_t length = strcspn(name, ",");
    unsigned found = 0;
    for (int s = JOB_QUEUED; s <= JOB_CANCELLED; s++) {
      const char *known = lab_job_state_name((lab_job_state)s);
      if (strlen(known) == length && memcmp(known, name, length) == 0) found = 1U << s;
    }
    if (!found) {
      (void)scr_problems_add(problems, "state", text, allowed, "the parameter state is '%.60s'; it must be %s", text, allowed);
      return;
    }
    *states |= found;
    name = name[length] ? name + length + 1 : NULL;
  }
}

void query_choice(const http_request *request, const char *name, const char *const *names, size_t count, const char *allowed,
                  size_t *choice, scr_problems *problems)
{
  const char *text = http_request_query(request, name);
  if (!text) return;
  for (size_t i = 0; i < count; i++)
    if (strcmp(text, names[i]) == 0) {
      *choice = i;
      return;
    }
  (void)scr_problems_add(problems, name, text, allowed, "the parameter %s is '%.60s'; it must be %s", name, text, allowed);
}

http_reply query_refused(const http_request *request, scr_problems *problems)
{
  http_reply reply =
      problem_reply_list(request, PROBLEM_BAD_REQUEST, problems, "parameters are not understood, for the reasons in `errors`");
  scr_problems_clear(problems);
  return reply;
}
