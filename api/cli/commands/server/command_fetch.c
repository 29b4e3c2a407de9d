/* `scree fetch`: a job's results into a folder. */
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/folder.h"
#include "api/cli/server_job.h"

static cli_exit report(const cli_call *call, long long id, const char *directory)
{
  if (!call->json) {
    folder_report(directory);
    return console_flush(CLI_DONE);
  }
  json_t *files =
      json_pack("{s:o, s:o, s:o, s:o}", "curves", json_sprintf("%s/curves.csv", directory), "plot", json_sprintf("%s/plot.svg", directory),
                "recording", json_sprintf("%s/recording.scree", directory), "scene", json_sprintf("%s/scene.json", directory));
  return console_json(json_pack("{s:I, s:s, s:o}", "job", (json_int_t)id, "directory", directory, "files", files), CLI_DONE);
}

static cli_exit run(const cli_call *call)
{
  http_client client;
  long long id;
  const char *directory = cli_text(call, "output");
  if (!directory) return console_fail(call, CLI_BAD_USAGE, "-o DIR is missing: give a folder for the results");
  cli_exit code = server_job_id(call, call->words[0], &id);
  if (code == CLI_DONE) code = http_open(call, &client);
  if (code != CLI_DONE) return code;
  code = server_job_fetch(call, &client, id, directory);
  http_close(&client);
  return code == CLI_DONE ? report(call, id, directory) : code;
}

const cli_command command_fetch = {
    .name = "fetch",
    .words = "ID -o DIR",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "download a job's results into a folder",
    .description =
        "Writes curves.csv, plot.svg, pictures of tables, recording.scree and scene.json into DIR. A running job gives what it has "
        "recorded so far.\n"
        "A download that was interrupted goes on where it stopped; every record's checksum is verified.",
    .options = {{"output", 'o', "DIR", "folder for the files; created if missing"}},
    .examples = {{"fetch 12 -o out", "the results of job 12"}},
    .run = run,
};
