/* Reading scene text. The gallery is compiled into the program, so its scenes need no server. */
#include "api/cli/scene_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cli/console.h"
#include "server/embedded.h"

static const char gallery_prefix[] = "gallery:";
/* Far above what a scene may be (scr_limits.text_bytes), so that the checker says what is wrong; bounds what a wrong file can take. */
enum { most_bytes = 64 << 20 };

static cli_exit read_gallery(const cli_call *call, const char *name, scene_source *source)
{
  char path[256];
  snprintf(path, sizeof path, "gallery/%s.json", name);
  const embedded_file *asset = embedded_find(path);
  if (!asset) return console_fail(call, CLI_BAD_USAGE, "the gallery has no scene '%s'; `scree gallery` lists its scenes", name);
  source->text = malloc(asset->size + 1);
  if (!source->text) return console_fail(call, CLI_FAILED, "no memory for a scene of %zu bytes", asset->size);
  memcpy(source->text, asset->data, asset->size);
  source->text[asset->size] = 0;
  source->length = asset->size;
  return CLI_DONE;
}

static cli_exit read_stream(const cli_call *call, FILE *file, const char *name, scene_source *source)
{
  size_t capacity = 0;
  for (;;) {
    if (source->length + 1 >= capacity) {
      size_t larger = capacity ? 2 * capacity : 16384;
      char *text = larger <= most_bytes ? realloc(source->text, larger) : NULL;
      if (!text) return console_fail(call, CLI_BAD_USAGE, "%s is longer than %d bytes: that is too long for a scene", name, most_bytes / 2);
      source->text = text;
      capacity = larger;
    }
    size_t got = fread(source->text + source->length, 1, capacity - 1 - source->length, file);
    source->length += got;
    if (got == 0) break;
  }
  if (ferror(file)) return console_fail(call, CLI_BAD_USAGE, "reading %s failed: %s", name, strerror(errno));
  source->text[source->length] = 0;
  return CLI_DONE;
}

static cli_exit read_file(const cli_call *call, const char *path, scene_source *source)
{
  FILE *file = fopen(path, "rbe");
  struct stat status;
  if (!file) return console_fail(call, CLI_BAD_USAGE, "the scene '%s' can't be opened: %s", path, strerror(errno));
  cli_exit code = CLI_DONE;
  if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode))
    code = console_fail(call, CLI_BAD_USAGE, "'%s' is a directory; a scene is a JSON file", path);
  else
    code = read_stream(call, file, path, source);
  fclose(file);
  return code;
}

/* Files lie beside the scene's; a folder of results has those of its scene.json in assets/. */
static void note_folder(scene_source *source, const char *path)
{
  const char *slash = strrchr(path, '/');
  int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;
  if (length >= SCENE_FOLDER_BYTES) return;
  snprintf(source->folder, sizeof source->folder, "%.*s", slash ? length : 1, slash ? path : ".");
  snprintf(source->store, sizeof source->store, "%s/assets", source->folder);
}

scr_asset_source scene_source_files(const scene_source *source)
{
  return (scr_asset_source){.store = source->store[0] ? source->store : NULL, .beside = source->folder[0] ? source->folder : NULL};
}

cli_exit scene_source_read(const cli_call *call, const char *word, scene_source *source)
{
  *source = (scene_source){0};
  cli_exit code;
  if (strncmp(word, gallery_prefix, sizeof gallery_prefix - 1) == 0)
    code = read_gallery(call, word + sizeof gallery_prefix - 1, source);
  else if (strcmp(word, "-") == 0)
    code = read_stream(call, stdin, "stdin", source);
  else
    code = read_file(call, word, source);
  if (strncmp(word, gallery_prefix, sizeof gallery_prefix - 1) != 0) note_folder(source, strcmp(word, "-") == 0 ? "" : word);
  if (code != CLI_DONE) scene_source_clear(source);
  return code;
}

void scene_source_clear(scene_source *source)
{
  free(source->text);
  *source = (scene_source){0};
}
