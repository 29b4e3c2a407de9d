/* Reading files by their names, one component of a path after the other, so that no link is followed. */
#include "scene/asset/asset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sha256.h"

static const char prefix[] = "sha256:";
enum { prefix_length = sizeof prefix - 1, digest_length = SCR_ASSET_DIGEST_BYTES - 1 };

bool asset_is_named(const char *reference)
{
  const char *digest = reference + prefix_length;
  return strncmp(reference, prefix, prefix_length) == 0 && strlen(digest) == digest_length &&
         strspn(digest, "0123456789abcdef") == digest_length;
}

/* ── opening ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether a path is relative, and every component of it a plain name. */
static bool is_plain_path(const char *given_path)
{
  if (!*given_path) return false;
  while (*given_path) {
    size_t length = strcspn(given_path, "/");
    bool dots = (length == 1 && given_path[0] == '.') || (length == 2 && given_path[0] == '.' && given_path[1] == '.');
    if (length == 0 || length > 255 || dots) return false;
    given_path += length;
    if (*given_path == '/' && !*++given_path) return false;
  }
  return true;
}

/* Opens a plain path below a directory without following a link. @return a descriptor, or -1 with errno */
static int open_below(const char *directory, const char *given_path)
{
  char name[256];
  int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC); /* O_PATH: a confined worker may not list the folder */
  while (folder >= 0) {
    size_t length = strcspn(given_path, "/");
    bool last = given_path[length] == '\0';
    memcpy(name, given_path, length);
    name[length] = '\0';
    int next = openat(folder, name, O_NOFOLLOW | O_CLOEXEC | (last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY));
    int reason = errno;
    close(folder);
    errno = reason;
    if (last || next < 0) return next;
    folder = next;
    given_path += length + 1;
  }
  return -1;
}

/* ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Why a file can't be had; NULL: it can. */
typedef struct failure {
  const char *why;
  const char *what_to_do;
} failure;

static failure why_not_open(bool named, int reason)
{
  if (named && reason == ENOENT)
    return (failure){"is not here", "upload the file first: `scree assets upload FILE`, or POST /api/v1/assets"};
  if (reason == ENOENT || reason == ENOTDIR)
    return (failure){"is not there, or leads through a link", "give a path beside the scene's file, such as \"part.stl\""};
  if (reason == ELOOP) return (failure){"is a link, or leads through one", "links are not followed: copy the file beside the scene"};
  if (reason == EACCES || reason == EPERM) return (failure){"can't be read: permission is denied", "make it readable"};
  return (failure){"can't be opened", "give a file that can be read"};
}

/* Reads all of an open file. @param room most bytes it may have */
static scr_status read_whole(int fd, uint64_t capacity, scr_asset *asset, failure *failed)
{
  struct stat about;
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    *failed = (failure){"is no regular file", "give a file"};
    return SCR_OK;
  }
  if (about.st_size == 0) *failed = (failure){"is empty", "give a file that is not empty"};
  if ((uint64_t)about.st_size > capacity)
    *failed = (failure){"exceeds what all files of a scene may have together", "use a smaller file, or ask for a larger limit"};
  if (failed->why) return SCR_OK;
  size_t size = (size_t)about.st_size, got = 0;
  unsigned char *bytes = malloc(size + 1);
  if (!bytes) return SCR_NO_MEMORY;
  while (got < size) {
    ssize_t part = read(fd, bytes + got, size - got);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    got += (size_t)part;
  }
  if (got < size) {
    free(bytes);
    *failed = (failure){"could not be read to its end", "give a file that is whole and stays as it is"};
    return SCR_OK;
  }
  bytes[size] = 0; /* for readers of text */
  asset->bytes = bytes;
  asset->size = size;
  return SCR_OK;
}

static void digest_of(const scr_asset *asset, char digest[static SCR_ASSET_DIGEST_BYTES])
{
  sha256 sum;
  sha256_begin(&sum);
  sha256_add(&sum, asset->bytes, asset->size);
  sha256_text(&sum, digest);
}

static scr_status load(const scene_assets *assets, const char *given, scr_asset *asset, failure *failed)
{
  bool named = asset_is_named(given);
  const char *folder = named ? assets->source->store : assets->source->beside;
  int fd = open_below(folder, named ? given + prefix_length : given);
  if (fd < 0) {
    *failed = why_not_open(named, errno);
    return SCR_OK;
  }
  scr_status status = read_whole(fd, assets->most - assets->bytes, asset, failed);
  close(fd);
  if (status != SCR_OK || failed->why) return status;
  digest_of(asset, asset->digest);
  if (!named || strcmp(asset->digest, given + prefix_length) == 0) return SCR_OK;
  free((void *)(uintptr_t)asset->bytes);
  *asset = (scr_asset){0};
  *failed = (failure){"is damaged where it is kept: its bytes have another digest", "remove it there and upload the file again"};
  return SCR_OK;
}

/* What a reference can't be although nothing was opened yet. */
static failure why_not(const scene_assets *assets, const char *given)
{
  const scr_asset_source *source = assets->source;
  bool named = asset_is_named(given);
  if (strncmp(given, prefix, prefix_length) == 0 && !named)
    return (failure){"is no name of an asset", "it is \"sha256:\" and 64 hexadecimal digits, small letters"};
  if (named && !(source && source->store))
    return (failure){"names an asset, but there is no asset store here", "give the path of the file beside the scene's file"};
  if (!named && !(source && source->beside))
    return (failure){"is a path, but no files are read here",
                     "`scree run` and `scree submit` take paths beside the scene's file; a service takes what was uploaded to it, "
                     "\"sha256:...\": `scree assets upload FILE`, or POST /api/v1/assets"};
  if (!named && !is_plain_path(given))
    return (failure){"leads out of the scene's folder, or is not a plain path",
                     "give a path below the folder of the scene's file, without \"..\" and not from the root"};
  if (assets->count == SCENE_ASSET_LIMIT) return (failure){"is one file too many", "a scene may refer to 64 files"};
  return (failure){NULL, NULL};
}

/* ── the files of a scene ─────────────────────────────────────────────────────────────────────────────────────── */

static scr_status refuse(const scr_param *param, const path *place, const char *given, failure failed, scr_problems *problems)
{
  char shown[80];
  json_t *value = json_string(given);
  if (!value) return SCR_NO_MEMORY;
  scr_status status =
      problem_add(problems, place, value, "\"sha256:...\" of an uploaded file, or a path beside the scene", "%s \"%s\" %s: %s (%s)",
                  param->name, short_text(given, shown, sizeof shown), failed.why, failed.what_to_do, param->help);
  json_decref(value);
  return status;
}

/* Keeps a file that was read, unless it is there already. @return its index; SIZE_MAX: no memory */
static size_t keep(scene_assets *assets, scr_asset *asset)
{
  for (size_t i = 0; i < assets->count; i++) {
    if (strcmp(assets->items[i].digest, asset->digest) != 0) continue;
    free((void *)(uintptr_t)asset->bytes);
    return i;
  }
  if (!assets->items) assets->items = calloc(SCENE_ASSET_LIMIT, sizeof *assets->items);
  if (!assets->items) {
    free((void *)(uintptr_t)asset->bytes);
    return SIZE_MAX;
  }
  assets->bytes += asset->size;
  assets->items[assets->count] = *asset;
  return assets->count++;
}

static scr_status note_use(scene_assets *assets, const path *place, const char *given, size_t asset)
{
  void *uses = assets->uses;
  if (!mem_grow(&uses, &assets->use_capacity, assets->use_count + 1, sizeof *assets->uses)) return SCR_NO_MEMORY;
  assets->uses = uses;
  scene_asset_use *use = &assets->uses[assets->use_count];
  *use = (scene_asset_use){.pointer = path_pointer(place), .given = strdup(given), .asset = asset};
  assets->use_count++;
  return use->pointer && use->given ? SCR_OK : SCR_NO_MEMORY;
}

static void refer(const scene_assets *assets, size_t asset, scr_asset_reference *to)
{
  to->index = (int64_t)asset;
  memcpy(to->digest, assets->items[asset].digest, sizeof to->digest);
}

scr_status asset_take(scene_assets *assets, const scr_param *param, const path *place, const char *given, scr_problems *problems,
                      scr_asset_reference *to)
{
  scr_asset asset = {0};
  *to = (scr_asset_reference){.index = -1};
  for (size_t i = 0; i < assets->use_count; i++) /* read before */
    if (strcmp(assets->uses[i].given, given) == 0) {
      refer(assets, assets->uses[i].asset, to);
      return note_use(assets, place, given, assets->uses[i].asset);
    }
  failure failed = why_not(assets, given);
  if (!failed.why) SCR_TRY(load(assets, given, &asset, &failed));
  if (failed.why) return refuse(param, place, given, failed, problems);
  size_t index = keep(assets, &asset);
  if (index == SIZE_MAX) return SCR_NO_MEMORY;
  refer(assets, index, to);
  return note_use(assets, place, given, index);
}

void scene_assets_clear(scene_assets *assets)
{
  for (size_t i = 0; i < assets->count; i++) free((void *)(uintptr_t)assets->items[i].bytes);
  for (size_t i = 0; i < assets->use_count; i++) {
    free(assets->uses[i].pointer);
    free(assets->uses[i].given);
  }
  free(assets->items);
  mem_free(assets->uses);
  *assets = (scene_assets){0};
}
