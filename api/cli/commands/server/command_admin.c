/* `scree admin`: what whoever keeps a laboratory does with it as a whole. */
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/http_client.h"
#include "api/cli/report.h"

/* All pages of a list, joined into `all`; refusals are printed as they come. */
static cli_exit adopt_all(const cli_call *call, http_client *client, json_t *adopted, json_t *refused)
{
  long long after = 0;
  for (;;) {
    char path[96];
    snprintf(path, sizeof path, "/api/v1/recordings/adopt?after=%lld", after);
    http_answer answer;
    cli_exit code = http_expect(call, client, &(http_call){.method = "POST", .path = path}, &answer);
    const json_t *next = code == CLI_DONE ? json_object_get(answer.json, "next") : NULL;
    if (code == CLI_DONE) {
      json_array_extend(adopted, json_object_get(answer.json, "adopted"));
      json_array_extend(refused, json_object_get(answer.json, "refused"));
    }
    bool more = json_is_integer(next);
    after = (long long)json_integer_value(next);
    http_answer_clear(&answer);
    if (code != CLI_DONE || !more) return code;
  }
}

static cli_exit print(const json_t *adopted, const json_t *refused)
{
  size_t count = json_array_size(adopted), failed = json_array_size(refused);
  if (count + failed == 0) printf("every recording has its job\n");
  if (count > 0) printf("%zu recording%s taken in as job%s", count, count == 1 ? "" : "s", count == 1 ? "" : "s");
  for (size_t i = 0; i < count; i++) printf("%s%lld", i ? ", " : " ", (long long)json_integer_value(json_array_get(adopted, i)));
  if (count > 0) printf("\n");
  for (size_t i = 0; i < failed; i++) {
    const json_t *one = json_array_get(refused, i);
    printf("recording %lld is not changed: %s\n", (long long)json_integer_value(json_object_get(one, "job")), report_text(one, "reason"));
  }
  return console_flush(failed > 0 ? CLI_FAILED : CLI_DONE);
}

static cli_exit admin(const cli_call *call)
{
  http_client client;
  if (strcmp(call->words[0], "adopt") != 0)
    return console_fail(call, CLI_BAD_USAGE, "there is no 'scree admin %s'; there is: scree admin adopt", call->words[0]);
  cli_exit code = http_open(call, &client);
  if (code != CLI_DONE) return code;
  json_t *adopted = json_array(), *refused = json_array();
  code = adopt_all(call, &client, adopted, refused);
  http_close(&client);
  if (code == CLI_DONE && call->json)
    return console_json(json_pack("{s:o, s:o}", "adopted", adopted, "refused", refused),
                        json_array_size(refused) > 0 ? CLI_FAILED : CLI_DONE);
  if (code == CLI_DONE) code = print(adopted, refused);
  json_decref(adopted);
  json_decref(refused);
  return code;
}

const cli_command command_admin = {
    .name = "admin",
    .words = "adopt",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "adopt recordings that have no job on the server",
    .description = "`scree admin adopt`: recordings without a job are left when screed's store was lost or set back to an older copy; "
                   "screed counts them\n"
                   "in its log when it starts. Each becomes a job again, with its old number: a finished run with its verdict, an "
                   "unfinished one goes on.",
    .examples = {{"admin adopt", "take in all of them"}},
    .run = admin,
};
