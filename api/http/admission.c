/* Judging the heads of requests. */
#include "api/http/admission.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

/* What is counted over all headers. */
typedef struct head_count {
  size_t bytes;
  int hosts, lengths, codings;
  bool strange_coding; /* a transfer coding other than "chunked" */
  bool zero_byte;      /* within a name or a value */
} head_count;

static enum MHD_Result count_header(void *user, enum MHD_ValueKind kind, const char *key, size_t key_bytes, const char *value,
                                    size_t value_bytes)
{
  (void)kind;
  head_count *count = user;
  count->bytes += key_bytes + value_bytes + 4;
  count->zero_byte = count->zero_byte || strlen(key) != key_bytes || (value && strlen(value) != value_bytes);
  if (strcasecmp(key, "Host") == 0) count->hosts++;
  if (strcasecmp(key, "Content-Length") == 0) count->lengths++;
  if (strcasecmp(key, "Transfer-Encoding") == 0) {
    count->codings++;
    count->strange_coding = count->strange_coding || !value || strcasecmp(value, "chunked") != 0;
  }
  return MHD_YES;
}

bool admission_form(const http_request *request, size_t target_bytes, http_reply *refusal)
{
  head_count count = {0};
  MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, count_header, &count);
  if (target_bytes > ADMISSION_TARGET_BYTES)
    *refusal = problem_reply(request, PROBLEM_TARGET_TOO_LONG, "the request's path and query have %zu bytes; they may have %d",
                             target_bytes, (int)ADMISSION_TARGET_BYTES);
  else if (count.bytes > ADMISSION_HEAD_BYTES)
    *refusal = problem_reply(request, PROBLEM_HEAD_TOO_LARGE, "the request's headers have %zu bytes; they may have %d", count.bytes,
                             (int)ADMISSION_HEAD_BYTES);
  else if (count.zero_byte)
    *refusal = problem_reply(request, PROBLEM_BAD_REQUEST, "the head has a zero byte");
  else if (count.hosts != 1)
    *refusal = problem_reply(request, PROBLEM_BAD_REQUEST, "the request has %d Host headers; it must have one", count.hosts);
  else if (count.strange_coding)
    *refusal = problem_reply(request, PROBLEM_BAD_REQUEST, "the header Transfer-Encoding must be 'chunked'; no other coding is accepted");
  else if (count.codings > 1 || count.lengths > 1 || (count.lengths > 0 && count.codings > 0))
    *refusal =
        problem_reply(request, PROBLEM_BAD_REQUEST,
                      "the request gives the length of its body more than once, by %d Content-Length and %d Transfer-Encoding headers",
                      count.lengths, count.codings);
  else
    return true;
  return false;
}

bool admission_source(const http_request *request, const http_hosts *hosts, const char *method, http_reply *refusal)
{
  const char *host = http_request_header(request, "Host");
  if (!http_host_allowed(hosts, host)) {
    *refusal = problem_reply(request, PROBLEM_MISDIRECTED,
                             "Host '%.200s' is not a name of this server: use localhost or its address, or start screed with --host NAME",
                             host ? host : "");
    return false;
  }
  bool changes = strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0;
  const char *site = http_request_header(request, "Sec-Fetch-Site");
  bool foreign = !http_origin_allowed(http_request_header(request, "Origin"), host) || (site && strcmp(site, "cross-site") == 0);
  if (changes && foreign) {
    *refusal = problem_reply(request, PROBLEM_FOREIGN_ORIGIN, "this request changes something and comes from a page of another origin");
    return false;
  }
  return true;
}

long long admission_length(const http_request *request)
{
  long long length;
  const char *text = http_request_header(request, "Content-Length");
  return text && http_number_parse(text, &length) ? length : -1;
}

/* ── query parameters ── */

typedef struct query_check {
  const char *names; /* "state&before&limit", "" for none */
  char allowed[256]; /* the same for people */
  scr_problems problems;
} query_check;

static bool has_name(const char *names, const char *name)
{
  size_t length = strlen(name);
  while (*names) {
    size_t item = strcspn(names, "&");
    if (item == length && memcmp(names, name, length) == 0) return true;
    names += item + (names[item] == '&');
  }
  return false;
}

static enum MHD_Result check_parameter(void *user, enum MHD_ValueKind kind, const char *key, const char *value)
{
  (void)kind;
  query_check *check = user;
  if (has_name(check->names, key)) return MHD_YES;
  (void)scr_problems_add(&check->problems, key, value ? value : "", check->allowed, "there is no parameter '%.60s' here%s%s", key,
                         check->names[0] ? "; the parameters are: " : "; ", check->allowed);
  return check->problems.count < 20 ? MHD_YES : MHD_NO;
}

bool admission_query(const http_request *request, const http_route *route, http_reply *refusal)
{
  const char *names = strchr(route->pattern, '?');
  query_check check = {.names = names ? names + 1 : ""};
  size_t used = 0;
  for (const char *c = check.names; *c && used + 3 < sizeof check.allowed; c++) {
    check.allowed[used++] = *c == '&' ? ',' : *c;
    if (*c == '&') check.allowed[used++] = ' ';
  }
  if (!names) snprintf(check.allowed, sizeof check.allowed, "it takes no parameters");
  MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, check_parameter, &check);
  bool fine = check.problems.count == 0;
  if (!fine)
    *refusal =
        problem_reply_list(request, PROBLEM_BAD_REQUEST, &check.problems, "parameters are not known here, for the reasons in `errors`");
  scr_problems_clear(&check.problems);
  return fine;
}
