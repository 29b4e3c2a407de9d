/* Answers by hand. */
#include "api/http/listen/raw_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

void raw_send(int socket, problem_kind kind, const char *detail, const char *id)
{
  char head[640];
  unsigned status = problem_status(kind);
  char *body = problem_text(kind, "", detail, id);
  int length = snprintf(
      head, sizeof head,
      "HTTP/1.1 %u %s\r\nConnection: close\r\nX-Request-Id: %s\r\n%sContent-Type: application/problem+json\r\nContent-Length: %zu\r\n\r\n",
      status, problem_title(kind), id, status == 503 ? "Retry-After: 5\r\n" : "", body ? strlen(body) : 0);
  if (send(socket, head, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) == length && body)
    (void)send(socket, body, strlen(body), MSG_DONTWAIT | MSG_NOSIGNAL);
  free(body);
}

void raw_answer(int socket, problem_kind kind, const char *detail, const char *id)
{
  char rest[4096];
  for (int i = 0; i < 64 && recv(socket, rest, sizeof rest, MSG_DONTWAIT) > 0; i++) continue;
  raw_send(socket, kind, detail, id);
  (void)shutdown(socket, SHUT_RDWR);
}

problem_kind raw_misread(unsigned status, const char **detail)
{
  static const struct {
    unsigned status;
    problem_kind kind;
    const char *detail;
  } known[] = {
      {413, PROBLEM_TOO_LARGE, "a part of the body is too long"}, {414, PROBLEM_TARGET_TOO_LONG, "the path and query are too long"},
      {431, PROBLEM_HEAD_TOO_LARGE, "the head is too long"},      {503, PROBLEM_BUSY, "there is no memory for the request: try again"},
      {505, PROBLEM_VERSION, "this server speaks HTTP/1.1"},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (known[k].status == status) {
      *detail = known[k].detail;
      return known[k].kind;
    }
  *detail = "the head, or a chunk of the body, is malformed or too long";
  return PROBLEM_BAD_REQUEST;
}

/* Whether a header line is a Content-Length that is no number. */
static bool is_wrong_length(const char *line, size_t length)
{
  static const char name[] = "Content-Length:";
  if (length < sizeof name - 1 || strncasecmp(line, name, sizeof name - 1) != 0) return false;
  line += sizeof name - 1;
  line += strspn(line, " \t");
  size_t digits = strspn(line, "0123456789");
  return digits == 0 || digits > 18 || line[digits + strspn(line + digits, " \t")] != '\0';
}

/* Whether there is a byte in the head that has no place in one (RFC 9112, section 2.2): zero, or the end of a line without its CR, which
 * other programs in between may read in another way. */
static bool has_control_byte(const char *head, size_t size)
{
  const char *end = memmem(head, size, "\r\n\r\n", 4);
  if (end) size = (size_t)(end - head);
  if (memchr(head, '\0', size)) return true;
  for (size_t i = 0; i < size; i++)
    if (head[i] == '\n' && (i == 0 || head[i - 1] != '\r')) return true;
  return false;
}

bool raw_head_is_wrong(int socket, problem_kind *kind, const char **detail)
{
  char head[8192];
  ssize_t got = recv(socket, head, sizeof head - 1, MSG_PEEK | MSG_DONTWAIT);
  if (got <= 0) return false;
  head[got] = '\0';
  if (has_control_byte(head, (size_t)got)) {
    *kind = PROBLEM_BAD_REQUEST;
    *detail = "the head has a zero byte, or a line that ends without CR LF";
    return true;
  }
  bool first = true;
  for (char *line = head, *end; (end = strstr(line, "\r\n")) && end != line; line = end + 2, first = false) {
    *end = '\0';
    const char *version = first ? strrchr(line, ' ') : NULL;
    if (version && strncmp(version, " HTTP/", 6) == 0 && strcmp(version, " HTTP/1.1") != 0 && strcmp(version, " HTTP/1.0") != 0) {
      *kind = PROBLEM_VERSION;
      *detail = "this server speaks HTTP/1.1";
      return true;
    }
    if (!first && is_wrong_length(line, (size_t)(end - line))) {
      *kind = PROBLEM_BAD_REQUEST;
      *detail = "the header Content-Length is no number of bytes";
      return true;
    }
  }
  return false;
}
