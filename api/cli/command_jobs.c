/* `scree jobs`, and steering them: cancel, pause, resume, delete. */
#include <math.h>
#include <string.h>

#include "api/cli/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/server_job.h"

static void print_row(const json_t *job)
{
  double fraction = report_number(json_object_get(job, "progress"), "fraction");
  char percent[16] = "";
  if (isfinite(fraction)) snprintf(percent, sizeof percent, "%.0f %%", floor(100 * fraction));
  printf("%6lld  %-22s %6s  %.19s  %s\n", (long long)json_integer_value(json_object_get(job, "id")), report_state(job), percent,
         report_text(job, "created"), report_text(job, "title"));
}

static cli_exit list(const cli_call *call, http_client *client)
{
  char path[160], message[256];
  long long limit = 50, before = 0;
  const char *state = cli_text(call, "state");
  static const char *const states[] = {"queued", "running", "paused", "succeeded", "failed", "cancelled"};
  bool known = !state;
  for (size_t i = 0; i < sizeof states / sizeof states[0] && !known; i++) known = strcmp(state, states[i]) == 0;
  if (!known)
    return console_fail(call, CLI_BAD_USAGE, "--state must be queued, running, paused, succeeded, failed or cancelled, not '%s'", state);
  if (!cli_whole(call, "limit", 1, 200, &limit, message, sizeof message) ||
      !cli_whole(call, "before", 1, INT64_MAX, &before, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  int length = snprintf(path, sizeof path, "/api/v1/jobs?limit=%lld", limit);
  if (before) length += snprintf(path + length, sizeof path - (size_t)length, "&before=%lld", before);
  if (state) snprintf(path + length, sizeof path - (size_t)length, "&state=%s", state);
  http_answer answer;
  cli_exit code = http_expect(call, client, &(http_ask){.path = path}, &answer);
  if (code == CLI_DONE && call->json) {
    code = console_json(json_incref(answer.json), CLI_DONE);
  } else if (code == CLI_DONE) {
    const json_t *page = json_object_get(answer.json, "jobs");
    for (size_t i = 0; i < json_array_size(page); i++) print_row(json_array_get(page, i));
    if (json_array_size(page) == 0)
      console_say(call, "%s", state || before ? "there are no such jobs" : "there are no jobs yet: `scree submit` makes one");
    double next = report_number(answer.json, "next_before");
    if (isfinite(next)) console_say(call, "there are older ones: scree jobs --before %.0f", next);
    code = console_flush(CLI_DONE);
  }
  http_answer_clear(&answer);
  return code;
}

static cli_exit jobs(const cli_call *call)
{
  http_client client;
  long long id = 0;
  json_t *job = NULL;
  if (call->word_count) {
    cli_exit known = server_job_id(call, call->words[0], &id);
    if (known != CLI_DONE) return known;
  }
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE && id == 0) code = list(call, &client);
  if (code == CLI_DONE && id != 0) code = server_job_get(call, &client, id, &job);
  if (job) code = server_job_report(call, job, code);
  http_close(&client);
  return code;
}

/* One request about one job. `verb` is appended to its path; NULL deletes. */
static cli_exit steer(const cli_call *call, const char *verb)
{
  http_client client;
  http_answer answer;
  long long id;
  char path[80];
  cli_exit code = server_job_id(call, call->words[0], &id);
  if (code == CLI_DONE) code = http_open(call, &client);
  if (code != CLI_DONE) return code;
  snprintf(path, sizeof path, "/api/v1/jobs/%lld%s%s", id, verb ? "/" : "", verb ? verb : "");
  code = http_expect(call, &client, &(http_ask){.method = verb ? "POST" : "DELETE", .path = path}, &answer);
  if (code == CLI_DONE && verb) {
    code = server_job_report(call, json_incref(answer.json), code);
  } else if (code == CLI_DONE && call->json) {
    code = console_json(json_pack("{s:I}", "deleted", (json_int_t)id), CLI_DONE);
  } else if (code == CLI_DONE) {
    printf("job %lld is deleted\n", id);
    code = console_flush(CLI_DONE);
  }
  http_answer_clear(&answer);
  http_close(&client);
  return code;
}

static cli_exit cancel(const cli_call *call)
{
  return steer(call, "cancel");
}
static cli_exit hold(const cli_call *call)
{
  return steer(call, "pause");
}
static cli_exit go_on(const cli_call *call)
{
  return steer(call, "resume");
}
static cli_exit erase(const cli_call *call)
{
  return steer(call, NULL);
}

const cli_command command_jobs = {
    .name = "jobs",
    .words = "[ID]",
    .most = 1,
    .needs_server = true,
    .summary = "list a server's jobs, or show one",
    .description = "Newest first: number, state, progress, time of submission (UTC), title.",
    .options = {{"state", 0, "STATE", "only jobs that are queued, running, paused, succeeded, failed or cancelled"},
                {"limit", 0, "N", "at most N, 1 to 200; default 50"},
                {"before", 0, "ID", "only jobs older than this one"}},
    .examples = {{"jobs", "the newest jobs"},
                 {"jobs 12", "one job, with what is doubtful about it"},
                 {"jobs --state failed --limit 10", "what went wrong lately"}},
    .run = jobs,
};

const cli_command command_cancel = {
    .name = "cancel",
    .words = "ID",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "end a job; what it recorded is kept",
    .description = "Asks a queued, paused or running job to end as cancelled. A running one takes a moment.",
    .examples = {{"cancel 12", "end job 12"}},
    .run = cancel,
};

const cli_command command_pause = {
    .name = "pause",
    .words = "ID",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "hold a job; a running one keeps a checkpoint",
    .description = "Holds a queued or running job until `scree resume`.",
    .examples = {{"pause 12", "hold job 12"}},
    .run = hold,
};

const cli_command command_resume = {
    .name = "resume",
    .words = "ID",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "put a paused job back in the queue",
    .description = "It goes on from its checkpoint. (A run without a server goes on when `scree run` is given its folder again.)",
    .examples = {{"resume 12", "let it go on"}},
    .run = go_on,
};

const cli_command command_delete = {
    .name = "delete",
    .words = "ID",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "delete an ended job and all it recorded",
    .description = "A job that has not ended must be cancelled first.",
    .examples = {{"delete 12", "remove job 12 and its files"}},
    .run = erase,
};
