/* The file: the digest of the token, then a line for each session, its digest and when it ends (s since 1970). */
#include "api/access/sessions.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/access/token.h"
#include "base/sha256.h"

typedef struct session {
  char digest[SHA256_TEXT_BYTES]; /* "": free */
  int64_t until;                  /* s since 1970 */
} session;

struct session_list {
  char path[PATH_MAX];           /* "": not kept */
  char owner[SHA256_TEXT_BYTES]; /* digest of the token; constant */
  pthread_mutex_t lock;          /* guards the rest */
  session sessions[SESSION_LIMIT];
};

static void digest_of(const char *purpose, const char *text, char digest[SHA256_TEXT_BYTES])
{
  sha256 sum;
  sha256_begin(&sum);
  sha256_add(&sum, purpose, strlen(purpose) + 1);
  sha256_add(&sum, text, strlen(text));
  sha256_text(&sum, digest);
}

/* Takes in one line; one that is no session is passed over. */
static void read_line(session_list *list, const char *line, size_t *count)
{
  enum { DIGITS = 64 };
  session read = {.digest = ""};
  char *end = NULL;
  if (*count == SESSION_LIMIT || strspn(line, "0123456789abcdef") != DIGITS || line[DIGITS] != ' ') return;
  memcpy(read.digest, line, DIGITS);
  read.until = strtoll(line + DIGITS + 1, &end, 10);
  int64_t longest = (int64_t)time(NULL) + SESSION_DAYS * 86400; /* those of an older screed were longer */
  if (read.until > longest) read.until = longest;
  if (end != line + DIGITS + 1 && read.until > (int64_t)time(NULL)) list->sessions[(*count)++] = read;
}

static void read_file(session_list *list)
{
  char line[128];
  size_t count = 0;
  FILE *file = fopen(list->path, "re");
  if (!file) return;
  if (fgets(line, sizeof line, file) && strncmp(line, list->owner, 64) == 0)
    while (fgets(line, sizeof line, file)) read_line(list, line, &count);
  (void)fclose(file);
}

/* Should it fail the sessions end with this program: no reason to refuse them. The lock is held. */
static void write_file(const session_list *list)
{
  enum { line_bytes = SHA256_TEXT_BYTES + 24 };
  char part[PATH_MAX + 8];
  if (!list->path[0]) return;
  snprintf(part, sizeof part, "%s.XXXXXX", list->path);
  int fd = mkstemp(part); /* mode 0600 */
  FILE *file = fd >= 0 ? fdopen(fd, "we") : NULL;
  if (!file) {
    if (fd >= 0) close(fd);
    return;
  }
  bool fine = fprintf(file, "%s\n", list->owner) > 0;
  for (size_t i = 0; i < SESSION_LIMIT && fine; i++)
    if (list->sessions[i].digest[0]) fine = fprintf(file, "%s %" PRId64 "\n", list->sessions[i].digest, list->sessions[i].until) > 0;
  fine = fflush(file) == 0 && fine && fsync(fd) == 0;
  if (fclose(file) != 0 || !fine || rename(part, list->path) != 0) unlink(part);
}

session_list *sessions_open(const char *data, const char *token)
{
  session_list *list = calloc(1, sizeof *list);
  if (!list) return NULL;
  pthread_mutex_init(&list->lock, NULL);
  int length = snprintf(list->path, sizeof list->path, "%s/sessions", data);
  if (length < 0 || (size_t)length >= sizeof list->path) list->path[0] = '\0';
  digest_of("token", token, list->owner);
  read_file(list);
  return list;
}

void sessions_close(session_list *list)
{
  if (!list) return;
  pthread_mutex_destroy(&list->lock);
  free(list);
}

bool sessions_begin(session_list *list, char *secret)
{
  if (!token_random_text(secret)) return false;
  session fresh = {.until = (int64_t)time(NULL) + SESSION_DAYS * 86400};
  digest_of("session", secret, fresh.digest);
  pthread_mutex_lock(&list->lock);
  size_t oldest = 0;
  for (size_t i = 1; i < SESSION_LIMIT; i++)
    if (list->sessions[i].until < list->sessions[oldest].until) oldest = i;
  list->sessions[oldest] = fresh;
  write_file(list);
  pthread_mutex_unlock(&list->lock);
  return true;
}

static int later_first(const void *a, const void *b)
{
  int64_t x = ((const session_view *)a)->until, y = ((const session_view *)b)->until;
  return x < y ? 1 : x > y ? -1 : 0;
}

size_t sessions_view(session_list *list, session_view *views)
{
  size_t count = 0;
  pthread_mutex_lock(&list->lock);
  for (size_t i = 0; i < SESSION_LIMIT; i++) {
    const session *s = &list->sessions[i];
    if (!s->digest[0] || s->until <= (int64_t)time(NULL)) continue;
    views[count] = (session_view){.begun = s->until - SESSION_DAYS * 86400, .until = s->until};
    memcpy(views[count++].name, s->digest, SESSION_NAME_BYTES - 1);
  }
  pthread_mutex_unlock(&list->lock);
  qsort(views, count, sizeof *views, later_first);
  return count;
}

size_t sessions_end(session_list *list, const char *name)
{
  size_t count = 0;
  if (name && strlen(name) != SESSION_NAME_BYTES - 1) return 0;
  pthread_mutex_lock(&list->lock);
  for (size_t i = 0; i < SESSION_LIMIT; i++) {
    session *s = &list->sessions[i];
    if (!s->digest[0] || (name && strncmp(s->digest, name, SESSION_NAME_BYTES - 1) != 0)) continue;
    count += s->until > (int64_t)time(NULL);
    *s = (session){.digest = ""};
  }
  write_file(list);
  pthread_mutex_unlock(&list->lock);
  return count;
}

bool sessions_good(session_list *list, const char *secret)
{
  char digest[SHA256_TEXT_BYTES];
  bool good = false;
  if (strlen(secret) != SESSION_SECRET_BYTES - 1) return false;
  digest_of("session", secret, digest);
  pthread_mutex_lock(&list->lock);
  for (size_t i = 0; i < SESSION_LIMIT; i++)
    good = (list->sessions[i].until > (int64_t)time(NULL) && token_same(list->sessions[i].digest, digest)) || good;
  pthread_mutex_unlock(&list->lock);
  return good;
}
