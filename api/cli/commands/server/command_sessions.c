/* `scree sessions`: browsers that were let in by a link, and ending that. */
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/http_client.h"
#include "api/cli/report.h"

static cli_exit list(const cli_call *call, http_client *client)
{
  http_answer answer;
  cli_exit code = http_expect(call, client, &(http_call){.path = "/api/v1/sessions"}, &answer);
  if (code == CLI_DONE && call->json) {
    code = console_json(json_incref(answer.json), CLI_DONE);
  } else if (code == CLI_DONE) {
    const json_t *sessions = json_object_get(answer.json, "sessions");
    if (json_array_size(sessions) == 0) printf("no browser has a session; `scree link` prints a link that begins one\n");
    for (size_t i = 0; i < json_array_size(sessions); i++) {
      const json_t *one = json_array_get(sessions, i);
      printf("%s  begun %.19s  ends %.19s\n", report_text(one, "name"), report_text(one, "begun"), report_text(one, "expires"));
    }
    code = console_flush(CLI_DONE);
  }
  http_answer_clear(&answer);
  return code;
}

static cli_exit end(const cli_call *call, http_client *client, const char *name)
{
  char path[96];
  http_answer answer;
  bool all = strcmp(name, "all") == 0;
  if (strlen(name) > 32 || strspn(name, "0123456789abcdef") != (all ? 1 : strlen(name)))
    return console_fail(call, CLI_BAD_USAGE,
                        "there is no session '%.60s'; `scree sessions` lists their names, and `all` stands for all of them", name);
  snprintf(path, sizeof path, "/api/v1/sessions%s%s", all ? "" : "/", all ? "" : name);
  cli_exit code = http_expect(call, client, &(http_call){.method = "DELETE", .path = path}, &answer);
  if (code == CLI_DONE && call->json) {
    code = console_json(json_incref(answer.json), CLI_DONE);
  } else if (code == CLI_DONE) {
    long long count = (long long)json_integer_value(json_object_get(answer.json, "ended"));
    printf("%lld session%s ended\n", count, count == 1 ? "" : "s");
    code = console_flush(CLI_DONE);
  }
  http_answer_clear(&answer);
  return code;
}

static cli_exit sessions(const cli_call *call)
{
  http_client client;
  bool ending = call->word_count == 2 && strcmp(call->words[0], "end") == 0;
  if (call->word_count > 0 && !ending)
    return console_fail(call, CLI_BAD_USAGE, "there are `scree sessions` and `scree sessions end NAME|all`");
  cli_exit code = http_open(call, &client);
  if (code != CLI_DONE) return code;
  code = ending ? end(call, &client, call->words[1]) : list(call, &client);
  http_close(&client);
  return code;
}

const cli_command command_sessions = {
    .name = "sessions",
    .words = "[end NAME|all]",
    .least = 0,
    .most = 2,
    .needs_server = true,
    .summary = "list the browsers that are signed in, or sign them out",
    .description = "A link (`scree link`) gives a browser a session of a week. A session that was ended, for example on a lost machine, "
                   "can no longer\nbe used.",
    .examples = {{"sessions", "list them"}, {"sessions end all", "every browser needs a new link"}},
    .run = sessions,
};
