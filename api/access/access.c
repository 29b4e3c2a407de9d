/* One token, and a few keys of links that are not used yet. The token never changes while the program runs. */
#include "api/access/access.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/access/proof.h"
#include "server/state_folder.h"

enum { link_limit = 16 };

struct access_control {
  bool everyone;
  unsigned port;
  char token[TOKEN_BYTES];
  char copy[PATH_MAX]; /* "" when there is none */
  int copy_lock;       /* held as long as this program lives; -1 without a copy */
  session_list *sessions;
  char cookie_name[24];
  pthread_mutex_t lock; /* guards the links */
  struct {
    char key[ACCESS_KEY_BYTES]; /* "" when free */
    time_t until;
  } links[link_limit];
};

static time_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return t.tv_sec;
}

static bool file_exists(const char *path)
{
  struct stat about;
  return lstat(path, &about) == 0 || errno != ENOENT;
}

/* The data directory's own token, made when there is none. */
static scr_status take_token(access_control *access, const char *data, scr_error *error)
{
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/token", data);
  if (length < 0 || (size_t)length >= sizeof path) return scr_fail(error, SCR_IO, NULL, "the path %s/token is too long", data);
  if (!file_exists(path)) {
    if (!token_make(access->token)) return scr_fail(error, SCR_IO, NULL, "the system has no random bytes for a token");
    return token_write(path, access->token, error);
  }
  if (chmod(path, 0600) != 0) return scr_fail_io(error, "restrict", path, errno);
  if (!token_read(path, access->token))
    return scr_fail(error, SCR_BAD_FILE, NULL, "%s holds no token: remove it, and screed creates another", path);
  return SCR_OK;
}

static void leave_copy(access_control *access, scr_error *warning)
{
  if (!token_server_path(access->port, access->copy, sizeof access->copy)) {
    access->copy[0] = '\0';
    (void)scr_fail(warning, SCR_IO, NULL, "this user has no home directory where scree could find the token");
    return;
  }
  if (!state_make_folders(access->copy)) {
    (void)scr_fail_io(warning, "make the folder of", access->copy, errno);
  } else {
    token_sweep(access->copy);
    if (token_publish(access->copy, access->token, &access->copy_lock, warning) == SCR_OK) return;
  }
  access->copy[0] = '\0';
}

scr_status access_open(const char *data, unsigned port, bool everyone, access_control **out, scr_error *warning, scr_error *error)
{
  *out = NULL;
  *warning = (scr_error){0};
  access_control *access = calloc(1, sizeof *access);
  if (!access) return scr_fail_memory(error, "the access control", sizeof *access);
  pthread_mutex_init(&access->lock, NULL);
  access->everyone = everyone;
  access->copy_lock = -1;
  access->port = port;
  snprintf(access->cookie_name, sizeof access->cookie_name, "scree_%u", port);
  scr_status status = take_token(access, data, error);
  if (status == SCR_OK && !(access->sessions = sessions_open(data, access->token)))
    status = scr_fail_memory(error, "the sessions", sizeof *access);
  if (status == SCR_OK) leave_copy(access, warning);
  if (status == SCR_OK)
    *out = access;
  else
    access_close(access);
  return status;
}

void access_close(access_control *access)
{
  char token[TOKEN_BYTES];
  if (!access) return;
  if (access->copy[0] && token_read(access->copy, token) && token_same(token, access->token)) unlink(access->copy);
  if (access->copy_lock >= 0) close(access->copy_lock);
  sessions_close(access->sessions);
  pthread_mutex_destroy(&access->lock);
  free(access);
}

/* Whether one of a Cookie header's pairs is ours with the secret of a session. */
static bool cookie_holds(const access_control *access, const char *cookie)
{
  size_t name = strlen(access->cookie_name);
  while (*cookie) {
    cookie += strspn(cookie, "; ");
    size_t length = strcspn(cookie, ";");
    char value[TOKEN_BYTES];
    if (length > name + 1 && length - name - 1 < sizeof value && memcmp(cookie, access->cookie_name, name) == 0 && cookie[name] == '=') {
      memcpy(value, cookie + name + 1, length - name - 1);
      value[length - name - 1] = '\0';
      if (sessions_good(access->sessions, value)) return true;
    }
    cookie += length;
  }
  return false;
}

access_identity access_identify(const access_control *access, const char *authorization, const char *cookie)
{
  const access_identity owner = {.role = ACCESS_OWNER}, nobody = {.role = ACCESS_NOBODY};
  if (access->everyone) return owner;
  if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0) {
    authorization += 7;
    authorization += strspn(authorization, " ");
    return token_same(authorization, access->token) ? owner : nobody;
  }
  return cookie && cookie_holds(access, cookie) ? owner : nobody;
}

bool access_prove(const access_control *access, const char *nonce, const char *address, char *proof)
{
  size_t length = strlen(nonce);
  bool valid = length >= PROOF_NONCE_LEAST && length <= PROOF_NONCE_MOST;
  for (size_t i = 0; i < length && valid; i++) valid = isalnum((unsigned char)nonce[i]) || nonce[i] == '-' || nonce[i] == '_';
  if (valid) proof_make(access->token, nonce, address, proof);
  return valid;
}

size_t access_sessions(access_control *access, session_view *views)
{
  return sessions_view(access->sessions, views);
}

size_t access_sessions_end(access_control *access, const char *name)
{
  return sessions_end(access->sessions, name);
}

bool access_link_make(access_control *access, char *key)
{
  if (!token_random_text(key)) return false;
  pthread_mutex_lock(&access->lock);
  size_t oldest = 0;
  for (size_t i = 1; i < link_limit; i++)
    if (access->links[i].until < access->links[oldest].until) oldest = i;
  memcpy(access->links[oldest].key, key, ACCESS_KEY_BYTES);
  access->links[oldest].until = now() + ACCESS_LINK_SECONDS;
  pthread_mutex_unlock(&access->lock);
  return true;
}

bool access_link_use(access_control *access, const char *key, char *cookie)
{
  bool good = false;
  cookie[0] = '\0';
  char secret[SESSION_SECRET_BYTES];
  if (access->everyone) return true; /* nobody is let in for later who was not asked now */
  pthread_mutex_lock(&access->lock);
  for (size_t i = 0; i < link_limit; i++) {
    if (access->links[i].key[0] == '\0' || !token_same(access->links[i].key, key)) continue;
    good = access->links[i].until > now();
    access->links[i].key[0] = '\0';
    access->links[i].until = 0;
  }
  pthread_mutex_unlock(&access->lock);
  if (good && !sessions_begin(access->sessions, secret)) return false;
  if (good)
    snprintf(cookie, ACCESS_COOKIE_BYTES, "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict", access->cookie_name, secret,
             SESSION_DAYS * 86400);
  return good;
}
