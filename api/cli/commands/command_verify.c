/* `scree verify`: whether a recording is all there. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/recording_source.h"
#include "api/cli/report.h"
#include "api/cli/server_job.h"
#include "api/shapes/check_json.h"

static cli_exit verify_file(const cli_call *call)
{
  scr_recording *recording;
  scr_check check;
  bool going_on;
  cli_exit code = recording_source_open(call, call->words[0], &recording, &check, &going_on);
  if (code != CLI_DONE) return code;
  scr_recording_close(recording);
  code = recording_source_verdict(call, &check, going_on);
  if (call->json) return console_json(check_json(&check), code);
  if (check.integrity == SCR_COMPLETE) printf("%s\n", check.message);
  if (check.integrity == SCR_COMPLETE && check.digest[0]) printf("digest %s\n", check.digest);
  return console_flush(code);
}

static cli_exit verify_job(const cli_call *call, long long id)
{
  http_client client;
  http_answer answer = {0};
  char path[96];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld/integrity", id);
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE) code = http_expect(call, &client, &(http_call){.path = path}, &answer);
  if (code == CLI_DONE) {
    const char *integrity = report_text(answer.json, "integrity"), *digest = report_text(answer.json, "digest");
    bool complete = strcmp(integrity, "complete") == 0, going_on = json_is_true(json_object_get(answer.json, "going_on"));
    if (!complete && !going_on) code = CLI_INCOMPLETE;
    if (call->json) {
      code = console_json(json_incref(answer.json), code);
    } else if (complete) {
      printf("%s\n", report_text(answer.json, "message"));
      if (*digest) printf("digest %s\n", digest);
      code = console_flush(code);
    } else if (going_on) {
      console_say(call, "the run is not finished: %s intact so far", report_text(answer.json, "message"));
    } else {
      fprintf(stderr, "scree: the recording of job %lld is %s: %s\n", id, integrity, report_text(answer.json, "message"));
    }
  }
  http_answer_clear(&answer);
  http_close(&client);
  return code;
}

/* A file or folder of that name comes first: `./3` and `3` are the same then. */
static cli_exit verify(const cli_call *call)
{
  long long id;
  const char *word = call->words[0];
  bool number = word[strspn(word, "0123456789")] == '\0' && *word;
  if (!number || access(word, F_OK) == 0) return verify_file(call);
  cli_exit code = server_job_id(call, word, &id);
  return code == CLI_DONE ? verify_job(call, id) : code;
}

const cli_command command_verify = {
    .name = "verify",
    .words = "FILE|JOB",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "check whether a recording is complete",
    .description =
        "FILE is a recording.scree or a folder that holds one, JOB the number of a job on a server. Every byte is read and compared "
        "with\nits checksum, and the whole with the count and digest in its end record. Ends with 0 when it is complete, or its run still "
        "goes\non; with 7 when records are damaged or missing: it says which, where in the file, and what is left.",
    .examples = {{"verify out", "the recording in a folder"}, {"verify 12", "that of job 12"}},
    .run = verify,
};
