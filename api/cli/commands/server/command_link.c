/* `scree link`: a way into the dashboard for a browser. */
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/http_client.h"
#include "api/cli/report.h"

static cli_exit link_to_dashboard(const cli_call *call)
{
  http_client client;
  http_answer answer = {0};
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE) code = http_expect(call, &client, &(http_call){.method = "POST", .path = "/api/v1/links"}, &answer);
  if (code == CLI_DONE && call->json) {
    code = console_json(json_incref(answer.json), CLI_DONE);
  } else if (code == CLI_DONE) {
    printf("%s%s\n", client.base, report_text(answer.json, "link"));
    console_say(call, "valid once, within 15 minutes");
    code = console_flush(CLI_DONE);
  }
  http_answer_clear(&answer);
  http_close(&client);
  return code;
}

const cli_command command_link = {
    .name = "link",
    .words = "",
    .needs_server = true,
    .summary = "print a link that lets a browser into the dashboard",
    .description = "A server answers only clients that show its token. This program finds the token of a server that you run on this "
                   "machine by itself; for\nanother machine's set SCREE_TOKEN, or SCREE_TOKEN_FILE to a copy of the file `token` in its "
                   "data directory. A browser gets it by a\nlink that works once, within 15 minutes: the server prints one when it starts, "
                   "and this command prints another.",
    .examples = {{"link", "open the line it prints in a browser"}},
    .run = link_to_dashboard,
};
