/* Making, comparing, storing and finding tokens. */
#include "api/access/token.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/state_folder.h"

enum { random_bytes = 32, text_length = 43 };

static const char prefix[] = "scree_";
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool token_random_text(char *text)
{
  unsigned char bytes[random_bytes + 1] = {0}; /* the last digit takes bits from behind the end */
  if (getrandom(bytes, random_bytes, 0) != (ssize_t)random_bytes) return false;
  for (size_t i = 0; i < text_length; i++) { /* base64url without padding: six bits each, from the front */
    size_t bit = i * 6, at = bit / 8;
    unsigned pair = (unsigned)bytes[at] << 8 | bytes[at + 1];
    text[i] = digits[pair >> (10 - bit % 8) & 63u];
  }
  text[text_length] = '\0';
  return true;
}

bool token_make(char token[TOKEN_BYTES])
{
  char text[text_length + 1];
  if (!token_random_text(text)) return false;
  snprintf(token, TOKEN_BYTES, "%s%s", prefix, text);
  return true;
}

bool token_valid(const char *text)
{
  size_t length = sizeof prefix - 1;
  return strncmp(text, prefix, length) == 0 && strlen(text) == length + text_length && strspn(text + length, digits) == text_length;
}

bool token_same(const char *a, const char *b)
{
  size_t length = strlen(a);
  if (strlen(b) != length) return false; /* how long one is, is no secret */
  unsigned different = 0;
  for (size_t i = 0; i < length; i++) different |= (unsigned char)a[i] ^ (unsigned char)b[i];
  return different == 0;
}

bool token_read(const char *path, char token[TOKEN_BYTES])
{
  char line[TOKEN_BYTES + 2] = "";
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  ssize_t got = read(file, line, sizeof line - 1);
  close(file);
  line[got > 0 ? got : 0] = '\0';
  line[strcspn(line, "\r\n")] = '\0';
  if (!token_valid(line)) return false;
  memcpy(token, line, strlen(line) + 1);
  return true;
}

/* Writes a file of this user alone beside `path` and renames it. @param lock when not NULL, receives its descriptor, locked */
static scr_status write_beside(const char *path, const char *token, int *lock, scr_error *error)
{
  char part[PATH_MAX], line[TOKEN_BYTES + 1];
  int length = snprintf(part, sizeof part, "%s.XXXXXX", path);
  if (length < 0 || (size_t)length >= sizeof part) return scr_fail(error, SCR_IO, NULL, "the path %s is too long", path);
  int size = snprintf(line, sizeof line, "%s\n", token), file = mkstemp(part); /* mode 0600 */
  if (file < 0) return scr_fail_io(error, "create", part, errno);
  bool written = write(file, line, (size_t)size) == size && fsync(file) == 0;
  int reason = errno;
  if (lock) (void)flock(file, LOCK_EX | LOCK_NB); /* before it can be found; where files can't be locked nobody takes it for a dead one's */
  if (written && rename(part, path) != 0) {
    written = false;
    reason = errno;
  }
  if (lock && written)
    *lock = file;
  else
    close(file);
  if (written) return SCR_OK;
  unlink(part);
  return scr_fail_io(error, "write", path, reason);
}

scr_status token_write(const char *path, const char *token, scr_error *error)
{
  return write_beside(path, token, NULL, error);
}

scr_status token_publish(const char *path, const char *token, int *lock, scr_error *error)
{
  *lock = -1;
  SCR_TRY(write_beside(path, token, lock, error));
  (void)fcntl(*lock, F_SETFD, FD_CLOEXEC);
  return SCR_OK;
}

/* Whether nobody holds the lock of a file that token_publish wrote. */
static bool is_abandoned(const char *path)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  bool free_now = file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0;
  if (file >= 0) close(file);
  return free_now;
}

bool token_read_published(const char *path, char token[TOKEN_BYTES])
{
  return !is_abandoned(path) && token_read(path, token);
}

void token_sweep(const char *path)
{
  char folder[PATH_MAX], entry_path[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (!slash || (size_t)(slash - path) >= sizeof folder) return;
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  DIR *entries = opendir(folder);
  if (!entries) return;
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (const struct dirent *entry; (entry = readdir(entries));) {
    int length = snprintf(entry_path, sizeof entry_path, "%s/%s", folder, entry->d_name);
    bool port = entry->d_name[strspn(entry->d_name, "0123456789")] == '\0';
    if (port && length > 0 && (size_t)length < sizeof entry_path && is_abandoned(entry_path)) unlink(entry_path);
  }
  closedir(entries);
}

bool token_server_path(unsigned port, char *path, size_t capacity)
{
  char name[32];
  snprintf(name, sizeof name, "servers/%u", port);
  return state_path(name, path, capacity);
}

/* Port of a server on loopback, 0 for any other. */
static unsigned loopback_port(const char *address)
{
  static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
  if (strncmp(address, "http://", 7) != 0) return 0;
  address += 7;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]);
    if (strncasecmp(address, names[i], length) != 0) continue;
    const char *rest = address + length;
    if (*rest == '\0' || *rest == '/') return 80;
    if (*rest != ':') continue;
    unsigned long port = strtoul(rest + 1, NULL, 10);
    return port <= 65535 ? (unsigned)port : 0;
  }
  return 0;
}

token_origin token_for_server(const char *address, char token[TOKEN_BYTES])
{
  const char *given = getenv("SCREE_TOKEN"), *file = getenv("SCREE_TOKEN_FILE");
  char path[PATH_MAX];
  if (given && *given) {
    if (!token_valid(given)) return TOKEN_NONE;
    memcpy(token, given, strlen(given) + 1);
    return TOKEN_GIVEN;
  }
  if (file && *file) return token_read(file, token) ? TOKEN_GIVEN : TOKEN_NONE;
  unsigned port = loopback_port(address);
  return port != 0 && token_server_path(port, path, sizeof path) && token_read_published(path, token) ? TOKEN_FOUND : TOKEN_NONE;
}
