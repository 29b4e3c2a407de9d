/* Keeping and uploading the files of a scene. */
#include "api/cli/scene_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/console.h"
#include "api/cli/folder.h"
#include "api/cli/report.h"

/* ── here ── */

cli_exit scene_files_keep(const cli_call *call, const scr_scene *scene, const char *directory)
{
  char folder[FOLDER_PATH], path[FOLDER_PATH];
  scr_error error = {0};
  if (scr_scene_asset_count(scene) == 0) return CLI_DONE;
  if (!folder_path(directory, "assets", folder)) return console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  cli_exit code = folder_make(call, folder);
  for (size_t i = 0; i < scr_scene_asset_count(scene) && code == CLI_DONE; i++) {
    const scr_asset *asset = scr_scene_asset(scene, i);
    if (!folder_path(folder, asset->digest, path)) return console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", folder);
    if (access(path, F_OK) == 0) continue;
    if (scr_write_file(path, asset->bytes, asset->size, &error) != SCR_OK) code = console_fail(call, CLI_FAILED, "%s", error.message);
  }
  return code;
}

/* ── away ── */

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

cli_exit scene_files_send(const cli_call *call, http_client *client, const char *name, const void *bytes, size_t size, http_answer *answer)
{
  char path[600];
  char *escaped = curl_easy_escape(client->handle, base_name(name), 0);
  if (!escaped) return console_fail(call, CLI_FAILED, "no memory for a request");
  snprintf(path, sizeof path, "/api/v1/assets?name=%.500s", escaped);
  curl_free(escaped);
  return http_expect(call, client,
                     &(http_call){.method = "POST", .path = path, .body = bytes, .body_size = size, .type = "application/octet-stream"},
                     answer);
}

/* Uploads an asset unless the server has it. */
static cli_exit send_missing(const cli_call *call, http_client *client, const scr_asset_use *use)
{
  char path[120];
  http_answer answer;
  snprintf(path, sizeof path, "/api/v1/assets/%s", use->asset->digest);
  cli_exit code = http_exchange(client, &(http_call){.path = path}, &answer);
  bool there = code == CLI_DONE && answer.status == 200;
  http_answer_clear(&answer);
  if (there) return CLI_DONE;
  console_say(call, "uploading %s (%zu bytes)", use->given, use->asset->size);
  code = scene_files_send(call, client, use->given, use->asset->bytes, use->asset->size, &answer);
  http_answer_clear(&answer);
  return code;
}

/* The value at a JSON Pointer, whose keys need no decoding: they are the scene's own. Its holder and key in it, to be replaced. */
static bool put_at(json_t *root, const char *pointer, json_t *value)
{
  json_t *holder = root;
  char key[128];
  while (holder && *pointer == '/') {
    size_t length = strcspn(++pointer, "/");
    bool last = pointer[length] == '\0';
    if (length >= sizeof key) break;
    memcpy(key, pointer, length);
    key[length] = '\0';
    pointer += length;
    if (last)
      return (json_is_array(holder) ? json_array_set_new(holder, strtoul(key, NULL, 10), value)
                                    : json_object_set_new(holder, key, value)) == 0;
    holder = json_is_array(holder) ? json_array_get(holder, strtoul(key, NULL, 10)) : json_object_get(holder, key);
  }
  json_decref(value);
  return false;
}

static cli_exit rewrite(const cli_call *call, const scr_scene *scene, scene_source *source)
{
  scr_asset_use use;
  json_t *root = json_loadb(source->text, source->length, 0, NULL);
  bool fine = root != NULL;
  for (size_t i = 0; fine && scr_scene_asset_use(scene, i, &use); i++)
    fine = put_at(root, use.pointer, json_sprintf("sha256:%s", use.asset->digest));
  char *text = fine ? json_dumps(root, JSON_REAL_PRECISION(17)) : NULL;
  json_decref(root);
  if (!text) return console_fail(call, CLI_FAILED, "the scene could not be written with its files' digests");
  free(source->text);
  source->text = text;
  source->length = strlen(text);
  return CLI_DONE;
}

/* Limits are the server's to judge. */
static scr_status parse_widely(const scene_source *source, scr_scene **scene, scr_problems *problems)
{
  const scr_limits limits = {.text_bytes = (size_t)1 << 32,
                             .memory_bytes = (size_t)1 << 50,
                             .step_count = (uint64_t)1 << 60,
                             .record_bytes = (uint64_t)1 << 60,
                             .asset_bytes = (uint64_t)1 << 40};
  const scr_asset_source files = scene_source_files(source);
  return scr_scene_parse_with(source->text, source->length, &limits, &files, scene, problems);
}

cli_exit scene_files_upload(const cli_call *call, http_client *client, scene_source *source)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  scr_asset_use use;
  cli_exit code = CLI_DONE;
  if (!strstr(source->text, "\"file\"")) return CLI_DONE;
  scr_status status = parse_widely(source, &scene, &problems);
  if (status == SCR_BAD_SCENE) code = report_refusal(call, &problems, stderr);
  scr_problems_clear(&problems);
  for (size_t i = 0; code == CLI_DONE && scr_scene_asset_use(scene, i, &use); i++) code = send_missing(call, client, &use);
  if (code == CLI_DONE && scr_scene_asset_count(scene) > 0) code = rewrite(call, scene, source);
  scr_scene_destroy(scene);
  return code;
}
