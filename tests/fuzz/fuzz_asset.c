/* References to files: whatever a scene says, what is read is a file of the store or one below the scene's folder, and the same scene comes
 * back.
 *
 *  The input's first line is the reference, the rest the content of the files that are there: STORE/<its digest> and BESIDE/a.obj. Beside
 *  them stand a secret that no reference may reach, and links to it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/sha256.h"
#include "scree.h"

static const char secret[] = "v 0 0 0\n# the secret\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
  if (!holds) abort();
}

static void put(const char *folder, const char *name, const void *bytes, size_t size)
{
  char path[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  demand(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
  close(fd);
}

/* Made once: root/{secret, store/, beside/{a.obj, link, folder}}. */
static const char *root_folder(void)
{
  static char root[] = "/tmp/fuzz-asset-XXXXXX";
  static int made;
  char path[300], target[300];
  if (made) return root;
  made = 1;
  demand(mkdtemp(root) != NULL);
  snprintf(path, sizeof path, "%s/store", root);
  demand(mkdir(path, 0700) == 0);
  snprintf(path, sizeof path, "%s/beside", root);
  demand(mkdir(path, 0700) == 0);
  put(root, "secret", secret, sizeof secret - 1);
  snprintf(target, sizeof target, "%s/secret", root);
  snprintf(path, sizeof path, "%s/beside/link", root);
  demand(symlink(target, path) == 0);
  snprintf(path, sizeof path, "%s/beside/folder", root);
  demand(symlink(root, path) == 0);
  return root;
}

/* A scene whose obstacle is the mesh of that file; NULL: it can't be said in JSON. */
static char *scene_text(const char *reference, size_t length)
{
  json_t *shape = json_pack("{s:s, s:s%}", "type", "mesh", "file", reference, length);
  json_t *scene = shape ? json_pack("{s:s, s:s, s:[{s:s, s:f, s:f, s:f}], s:[{s:s, s:s, s:f, s:{s:s, s:f}}], s:[{s:s, s:o}], s:{s:f}}",
                                    "name", "f", "method", "peridem", "materials", "name", "m", "density", 1200.0, "bulk_modulus", 2e9,
                                    "fracture_energy", 135.0, "specimens", "name", "s", "material", "m", "spacing", 2.5e-4, "shape", "type",
                                    "sphere", "radius", 1e-3, "obstacles", "name", "o", "shape", shape, "time", "duration", 1e-6)
                        : NULL;
  char *text = scene ? json_dumps(scene, 0) : NULL;
  json_decref(scene);
  return text;
}

static void parse(const char *text, const scr_asset_source *source)
{
  scr_scene *scene = NULL, *again = NULL;
  scr_problems problems = {0};
  scr_status status = scr_scene_parse_with(text, strlen(text), NULL, source, &scene, &problems);
  demand(status != SCR_OK || scene != NULL);
  demand(status != SCR_BAD_SCENE || problems.count > 0);
  for (size_t i = 0; i < scr_scene_asset_count(scene); i++) demand(strstr(scr_scene_asset(scene, i)->bytes, "the secret") == NULL);
  for (size_t i = 0; i < problems.count; i++) demand(strstr(problems.items[i].detail, "the secret") == NULL);
  char *effective = status == SCR_OK ? scr_scene_json(scene) : NULL;
  if (effective && source->store && scr_scene_asset_count(scene) > 0)
    demand(scr_scene_parse_with(effective, strlen(effective), NULL, source, &again, NULL) == SCR_OK);
  scr_scene_destroy(again);
  scr_scene_destroy(scene);
  scr_free(effective);
  scr_problems_clear(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char store[280], beside[280], digest[SHA256_TEXT_BYTES], stored[400];
  const uint8_t *line = memchr(data, '\n', size);
  size_t length = line ? (size_t)(line - data) : size;
  const void *content = line ? line + 1 : data + size;
  size_t rest = line ? size - length - 1 : 0;
  if (memmem(data, size, "the secret", 10) || size > 65536) return 0;
  const char *root = root_folder();
  snprintf(store, sizeof store, "%s/store", root);
  snprintf(beside, sizeof beside, "%s/beside", root);
  sha256 sum;
  sha256_begin(&sum);
  sha256_add(&sum, content, rest);
  sha256_text(&sum, digest);
  put(store, digest, content, rest);
  put(beside, "a.obj", content, rest);
  snprintf(stored, sizeof stored, "sha256:%s", digest);
  const scr_asset_source both = {store, beside}, away = {store, NULL}, here = {NULL, beside};
  const scr_asset_source *const sources[] = {&both, &away, &here};
  for (size_t i = 0; i < 3; i++) {
    char *text = scene_text((const char *)data, length), *named = scene_text(stored, strlen(stored));
    if (text) parse(text, sources[i]);
    if (named) parse(named, sources[i]);
    free(text);
    free(named);
  }
  snprintf(stored, sizeof stored, "%s/%s", store, digest);
  unlink(stored);
  return 0;
}
