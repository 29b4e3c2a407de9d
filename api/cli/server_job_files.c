/* Bringing home the files that a job's method made. The server's names are not trusted: only such as a method may give are written, one
 * folder deep. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/console.h"
#include "api/cli/folder.h"
#include "api/cli/server_job.h"

static bool is_name(const char *name, size_t length)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
  return length > 0 && *name != '.' && *name != '-' && strspn(name, letters) >= length;
}

static cli_exit receive(const cli_call *call, http_client *client, const char *address, const char *part, const char *whole)
{
  FILE *file = fopen(part, "w+be");
  if (!file) return console_fail(call, CLI_FAILED, "opening %s failed: %s", part, strerror(errno));
  http_answer answer;
  cli_exit code = http_expect(call, client, &(http_call){.path = address, .file = file}, &answer);
  http_answer_clear(&answer);
  bool written = fflush(file) == 0 && fsync(fileno(file)) == 0;
  if (fclose(file) != 0) written = false;
  if (code == CLI_DONE && (!written || rename(part, whole) != 0))
    code = console_fail(call, CLI_FAILED, "writing %s failed: %s", whole, strerror(errno));
  if (code != CLI_DONE) unlink(part);
  return code;
}

static cli_exit fetch_one(const cli_call *call, http_client *client, long long id, const char *directory, const char *name)
{
  char address[200], folder[FOLDER_PATH], part[FOLDER_PATH], whole[FOLDER_PATH], inner[160];
  size_t length = strcspn(name, "/");
  if (strlen(name) > 95 || name[length] != '/' || !is_name(name, length) || !is_name(name + length + 1, strlen(name + length + 1)))
    return console_fail(call, CLI_FAILED, "the server offers a file '%.100s', which is not a valid file name", name);
  snprintf(address, sizeof address, "/api/v1/jobs/%lld/files/%s", id, name);
  snprintf(inner, sizeof inner, "%s.part", name);
  if (!folder_path(directory, name, whole) || !folder_path(directory, inner, part))
    return console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  snprintf(inner, sizeof inner, "%.*s", (int)length, name);
  if (!folder_path(directory, inner, folder)) return console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  cli_exit code = folder_make(call, folder);
  return code == CLI_DONE ? receive(call, client, address, part, whole) : code;
}

cli_exit server_job_files(const cli_call *call, http_client *client, long long id, const char *directory)
{
  char path[80];
  http_answer answer;
  snprintf(path, sizeof path, "/api/v1/jobs/%lld/files", id);
  cli_exit code = http_exchange(client, &(http_call){.path = path}, &answer);
  if (code == CLI_DONE && answer.status == 404) { /* a server of an older version keeps none */
    http_answer_clear(&answer);
    return CLI_DONE;
  }
  if (code == CLI_DONE && answer.status != 200)
    code = http_refusal(call, &answer);
  else if (code == CLI_UNREACHABLE || code == CLI_FAILED)
    code = console_fail(call, code, "%s", answer.error);
  const json_t *list = code == CLI_DONE ? json_object_get(answer.json, "files") : NULL, *file;
  size_t k;
  json_array_foreach(list, k, file)
  {
    const char *name = json_string_value(json_object_get(file, "name"));
    if (code == CLI_DONE && name) code = fetch_one(call, client, id, directory, name);
  }
  http_answer_clear(&answer);
  return code;
}
