#include "server/machine.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/state_folder.h"

enum { FILE_VERSION = 1 };

bool machine_path(char *path, size_t capacity)
{
  return state_path("machine.json", path, capacity);
}

/* What the model says must make sense, whoever wrote the file. */
static bool is_valid(const machine *m)
{
  return m->sharing.unevenness > 0 && m->sharing.unevenness < 1e3 && m->sharing.message_seconds >= 0 && m->sharing.message_seconds < 10 &&
         strlen(m->measured) == 10;
}

void machine_read(const char *path, machine *known)
{
  char own[PATH_MAX];
  *known = (machine){.sharing = sharing_usual()};
  if (!path && !machine_path(own, sizeof own)) return;
  json_t *root = json_load_file(path ? path : own, 0, NULL);
  int version = 0, processors = 0;
  const char *day = "";
  machine m = {0};
  if (root && json_unpack(root, "{s:i, s:{s:F, s:F, s:F, s:s, s:i}}", "scree_machine", &version, "ranks", "unevenness",
                          &m.sharing.unevenness, "message_seconds", &m.sharing.message_seconds, "largest_error", &m.largest_error,
                          "measured", &day, "processors", &processors) == 0) {
    snprintf(m.measured, sizeof m.measured, "%s", day);
    m.processors = processors > 0 ? (unsigned)processors : 0;
    if (version == FILE_VERSION && is_valid(&m)) *known = m;
  }
  json_decref(root);
}

scr_status machine_write(const char *path, const machine *known, scr_error *error)
{
  char own[PATH_MAX];
  if (!path && !machine_path(own, sizeof own)) return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no home folder to keep this in");
  if (!path) path = own;
  if (!state_make_folders(path)) return scr_fail(error, SCR_IO, NULL, "the folders above %s could not be made", path);
  json_t *root = json_pack("{s:i, s:{s:f, s:f, s:f, s:s, s:i}}", "scree_machine", FILE_VERSION, "ranks", "unevenness",
                           known->sharing.unevenness, "message_seconds", known->sharing.message_seconds, "largest_error",
                           known->largest_error, "measured", known->measured, "processors", (int)known->processors);
  char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
  scr_status status = text ? scr_write_file(path, text, strlen(text), error) : scr_fail_memory(error, "what was measured", 0);
  free(text);
  json_decref(root);
  return status;
}

void machine_source(const machine *known, char source[MACHINE_SOURCE_BYTES])
{
  if (known->measured[0])
    snprintf(source, MACHINE_SOURCE_BYTES, "as `scree bench ranks` measured here on %s", known->measured);
  else
    snprintf(source, MACHINE_SOURCE_BYTES, "by what messages usually take on one machine (`scree bench ranks` measures yours)");
}
