/* Answers by hand. */
#include "api/http/listen/raw_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
  /* Not by recv(): its thread may be looking on at that (receive.h), and be what answers here. */
  for (int i = 0; i < 64 && recvfrom(socket, rest, sizeof rest, MSG_DONTWAIT, NULL, NULL) > 0; i++) continue;
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

bool raw_version_is_wrong(int socket)
{
  char line[8192];
  ssize_t got = recv(socket, line, sizeof line - 1, MSG_PEEK | MSG_DONTWAIT);
  if (got <= 0) return false;
  line[got] = '\0';
  size_t end = strcspn(line, "\r\n");
  if (line[end] == '\0') return false; /* its end, and so perhaps a part of the version, is still on the way */
  line[end] = '\0';
  const char *version = strrchr(line, ' ');
  return version && strncmp(version, " HTTP/", 6) == 0 && strcmp(version, " HTTP/1.1") != 0 && strcmp(version, " HTTP/1.0") != 0;
}
