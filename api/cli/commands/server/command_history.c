/* `scree log` and `scree events`: what a job's worker wrote, and what happened to the job. */
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/server_job.h"

static cli_exit print_log(const cli_call *call, http_client *client, long long id)
{
  char path[80];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld/log", id);
  http_answer answer;
  cli_exit code = http_exchange(client, &(http_call){.path = path}, &answer);
  if (code != CLI_DONE)
    code = console_fail(call, code, "%s", code == CLI_INTERRUPTED ? "interrupted" : answer.error);
  else if (answer.status != 200)
    code = http_refusal(call, &answer);
  else if (call->json)
    code = console_json(json_pack("{s:I, s:s#}", "id", (json_int_t)id, "log", answer.body ? answer.body : "", answer.size), CLI_DONE);
  else
    code =
        fwrite(answer.body ? answer.body : "", 1, answer.size, stdout) == answer.size ? console_flush(CLI_DONE) : console_flush(CLI_FAILED);
  http_answer_clear(&answer);
  return code;
}

/* All pages, oldest first, added to `all`. */
static cli_exit read_events(const cli_call *call, http_client *client, long long id, json_t *all)
{
  long long after = 0;
  for (;;) {
    char path[128];
    snprintf(path, sizeof path, "/api/v1/jobs/%lld/events?limit=1000&after=%lld", id, after);
    http_answer answer;
    cli_exit code = http_expect(call, client, &(http_call){.path = path}, &answer);
    const json_t *page = code == CLI_DONE ? json_object_get(answer.json, "events") : NULL;
    size_t count = json_array_size(page);
    if (count) {
      json_array_extend(all, (json_t *)json_object_get(answer.json, "events"));
      after = (long long)json_integer_value(json_object_get(json_array_get(page, count - 1), "id"));
    }
    http_answer_clear(&answer);
    if (code != CLI_DONE || count < 1000) return code;
  }
}

static cli_exit print_events(const cli_call *call, http_client *client, long long id)
{
  json_t *all = json_array();
  cli_exit code = read_events(call, client, id, all);
  if (code == CLI_DONE && call->json) return console_json(json_pack("{s:o}", "events", all), CLI_DONE);
  for (size_t i = 0; code == CLI_DONE && i < json_array_size(all); i++) {
    const json_t *event = json_array_get(all, i);
    printf("%.19s  %-12s %s\n", report_text(event, "time"), report_text(event, "type"), report_text(event, "text"));
  }
  json_decref(all);
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit about_job(const cli_call *call, cli_exit (*print)(const cli_call *, http_client *, long long))
{
  http_client client;
  long long id;
  cli_exit code = server_job_id(call, call->words[0], &id);
  if (code == CLI_DONE) code = http_open(call, &client);
  if (code != CLI_DONE) return code;
  code = print(call, &client, id);
  http_close(&client);
  return code;
}

static cli_exit show_log(const cli_call *call)
{
  return about_job(call, print_log);
}
static cli_exit show_events(const cli_call *call)
{
  return about_job(call, print_events);
}

const cli_command command_log = {
    .name = "log",
    .words = "ID",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "print what a job's worker wrote to its log",
    .description = "Of all attempts; empty before the first. What a failed run says last stands there too.",
    .examples = {{"log 12", "the log of job 12"}},
    .run = show_log,
};

const cli_command command_events = {
    .name = "events",
    .words = "ID",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "list what happened to a job: queued, started, paused, ended",
    .description = "Oldest first: time (UTC), type, text. What happened inside the run, such as the first break, stands in its recording.",
    .examples = {{"events 12", "the history of job 12"}},
    .run = show_events,
};
