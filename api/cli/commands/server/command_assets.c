/* `scree assets`: the files of a server that scenes refer to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/scene_files.h"
#include "base/quantity.h"

static void print_asset(const json_t *asset)
{
  char size[QUANTITY_BYTES];
  long long jobs = (long long)json_integer_value(json_object_get(asset, "job_count"));
  quantity_text(report_number(asset, "bytes"), "B", size, sizeof size);
  printf("%s  %9s  %4lld job%s  %s\n", report_text(asset, "asset"), size, jobs, jobs == 1 ? " " : "s", report_text(asset, "name"));
}

static cli_exit list(const cli_call *call, http_client *client)
{
  char path[160] = "/api/v1/assets?limit=1000";
  json_t *all = json_array();
  cli_exit code = CLI_DONE;
  for (bool more = true; more && code == CLI_DONE;) {
    http_answer answer;
    code = http_expect(call, client, &(http_call){.path = path}, &answer);
    if (code == CLI_DONE) json_array_extend(all, json_object_get(answer.json, "assets"));
    more = code == CLI_DONE && *report_text(answer.json, "next");
    if (more) snprintf(path, sizeof path, "/api/v1/assets?limit=1000&after=%.64s", report_text(answer.json, "next"));
    http_answer_clear(&answer);
  }
  if (code == CLI_DONE && call->json) return console_json(json_pack("{s:o}", "assets", all), code);
  for (size_t i = 0; i < json_array_size(all) && code == CLI_DONE; i++) print_asset(json_array_get(all, i));
  if (code == CLI_DONE && json_array_size(all) == 0)
    console_say(call, "there are no assets yet: `scree assets upload FILE%s` makes one", console_hint_server(call).text);
  json_decref(all);
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit read_whole(const cli_call *call, const char *path, char **bytes, size_t *size)
{
  struct stat about;
  FILE *file = fopen(path, "rbe");
  if (!file) return console_fail(call, CLI_BAD_USAGE, "the file '%s' can't be opened: %s", path, strerror(errno));
  cli_exit code = CLI_DONE;
  if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0)
    code = console_fail(call, CLI_BAD_USAGE, "'%s' is empty, or not a file", path);
  *bytes = code == CLI_DONE ? malloc((size_t)about.st_size) : NULL;
  if (code == CLI_DONE && !*bytes) code = console_fail(call, CLI_FAILED, "no memory for a file of %lld bytes", (long long)about.st_size);
  *size = *bytes ? fread(*bytes, 1, (size_t)about.st_size, file) : 0;
  if (code == CLI_DONE && *size != (size_t)about.st_size) code = console_fail(call, CLI_FAILED, "'%s' could not be read completely", path);
  fclose(file);
  return code;
}

static cli_exit upload(const cli_call *call, http_client *client)
{
  cli_exit code = CLI_DONE;
  if (call->word_count < 2) return console_fail(call, CLI_BAD_USAGE, "which file? `scree assets upload FILE`");
  for (size_t i = 1; i < call->word_count && code == CLI_DONE; i++) {
    char *bytes = NULL;
    size_t size = 0;
    http_answer answer = {0};
    code = read_whole(call, call->words[i], &bytes, &size);
    if (code == CLI_DONE) code = scene_files_send(call, client, call->words[i], bytes, size, &answer);
    if (code == CLI_DONE && call->json)
      code = console_json(json_incref(answer.json), code);
    else if (code == CLI_DONE)
      printf("%s\n", report_text(answer.json, "asset"));
    http_answer_clear(&answer);
    free(bytes);
  }
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit erase(const cli_call *call, http_client *client)
{
  cli_exit code = CLI_DONE;
  if (call->word_count < 2)
    return console_fail(call, CLI_BAD_USAGE, "which asset? `scree assets remove sha256:...`; `scree assets%s` lists them",
                        console_hint_server(call).text);
  for (size_t i = 1; i < call->word_count && code == CLI_DONE; i++) {
    char path[120];
    http_answer answer;
    snprintf(path, sizeof path, "/api/v1/assets/%.80s", call->words[i]);
    code = http_expect(call, client, &(http_call){.method = "DELETE", .path = path}, &answer);
    if (code == CLI_DONE) console_say(call, "%s was removed", call->words[i]);
    http_answer_clear(&answer);
  }
  return code;
}

static cli_exit assets(const cli_call *call)
{
  static const struct {
    const char *name;
    cli_exit (*act)(const cli_call *call, http_client *client);
  } actions[] = {{"list", list}, {"upload", upload}, {"remove", erase}};
  http_client client;
  const char *wanted = call->word_count ? call->words[0] : "list";
  size_t i = 0;
  while (i < 3 && strcmp(actions[i].name, wanted) != 0) i++;
  if (i == 3) return console_fail(call, CLI_BAD_USAGE, "unknown action '%.60s': give list, upload or remove", wanted);
  if (i == 0 && call->word_count > 1) return console_fail(call, CLI_BAD_USAGE, "list takes no further argument");
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE) code = actions[i].act(call, &client);
  http_close(&client);
  return code;
}

const cli_command command_assets = {
    .name = "assets",
    .words = "[list | upload FILE.. | remove ASSET..]",
    .most = 4,
    .needs_server = true,
    .summary = "list, upload or remove files that scenes refer to",
    .description =
        "A scene says \"file\": \"sha256:...\" for a file that was uploaded. `scree submit` uploads files beside the scene by itself.\n"
        "An asset that jobs need can't be removed; one that no job needs is removed automatically after some weeks.",
    .examples = {{"assets", "list them, how large, and how many jobs need it"},
                 {"assets upload grain.stl", "upload a file and print how a scene refers to it"},
                 {"assets remove sha256:0f3a", "remove one, named in full"}},
    .run = assets,
};
