#include "server/state_folder.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool state_path(const char *name, char *path, size_t capacity)
{
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  struct passwd entry, *found = NULL;
  char text[4096];
  if ((!home || !*home) && getpwuid_r(getuid(), &entry, text, sizeof text, &found) == 0 && found) home = entry.pw_dir;
  int length;
  if (state && *state == '/')
    length = snprintf(path, capacity, "%s/scree/%s", state, name);
  else if (home && *home == '/')
    length = snprintf(path, capacity, "%s/.local/state/scree/%s", home, name);
  else
    return false;
  return length > 0 && (size_t)length < capacity;
}

bool state_make_folders(const char *path)
{
  char part[PATH_MAX];
  if (strlen(path) >= sizeof part) return false;
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = part + 1; *slash; slash++) {
    if (*slash != '/') continue;
    *slash = '\0';
    if (mkdir(part, 0700) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return true;
}
