/* `scree executors`: where jobs run, and why they wait there. */
#include <math.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/http_client.h"
#include "api/cli/report.h"

static void print_partition(const json_t *p)
{
  double limit = report_number(p, "time_limit");
  printf("  partition %s%s: %s, %.0f of %.0f processors idle on %.0f node%s, %.3g GB each", report_text(p, "name"),
         json_is_true(json_object_get(p, "default")) ? " (default)" : "", json_is_true(json_object_get(p, "up")) ? "up" : "down",
         report_number(p, "idle_processors"), report_number(p, "processors"), report_number(p, "nodes"),
         report_number(p, "nodes") == 1 ? "" : "s", report_number(p, "memory_bytes") / 1e9);
  if (isfinite(limit))
    printf(", at most %.3g h\n", limit / 3600);
  else
    printf(", no time limit\n");
}

static void print_executor(const json_t *one)
{
  bool engine = !json_is_null(json_object_get(one, "queued"));
  size_t i;
  const json_t *item;
  printf("%s: %s%s%s", report_text(one, "name"), report_text(one, "engine"), report_text(one, "engine")[0] ? ", " : "",
         json_is_true(json_object_get(one, "available")) ? "answers" : "does not answer");
  if (report_text(one, "reason")[0]) printf(" (%s)", report_text(one, "reason"));
  printf(", at most %.0f job%s at once", report_number(one, "slots"), report_number(one, "slots") == 1 ? "" : "s");
  if (engine)
    printf(", %.0f running, %.0f waiting\n", report_number(one, "running"), report_number(one, "queued"));
  else
    printf(", %.0f threads and %.3g GB together\n", report_number(one, "threads"), report_number(one, "memory_bytes") / 1e9);
  json_array_foreach(json_object_get(one, "partitions"), i, item)
  {
    print_partition(item);
  }
  json_array_foreach(json_object_get(one, "waiting"), i, item)
  {
    printf("  job %.0f %s\n", report_number(item, "job"), report_text(item, "reason"));
  }
}

static cli_exit executors(const cli_call *call)
{
  http_client client;
  http_answer answer = {0};
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE) code = http_expect(call, &client, &(http_call){.path = "/api/v1/executors"}, &answer);
  if (code == CLI_DONE && call->json) {
    code = console_json(json_incref(answer.json), CLI_DONE);
  } else if (code == CLI_DONE) {
    const json_t *list = json_object_get(answer.json, "executors");
    for (size_t i = 0; i < json_array_size(list); i++) print_executor(json_array_get(list, i));
    code = console_flush(CLI_DONE);
  }
  http_answer_clear(&answer);
  http_close(&client);
  return code;
}

const cli_command command_executors = {
    .name = "executors",
    .words = "",
    .needs_server = true,
    .summary = "show where a server's jobs run, and why they wait there",
    .description =
        "This machine, and batch engines that the server was started with (`screed --executor`): whether they answer, what they have, and\n"
        "why jobs wait there. `scree submit --executor NAME` sends a job to one of them.",
    .examples = {{"executors", "list them"}},
    .run = executors,
};
