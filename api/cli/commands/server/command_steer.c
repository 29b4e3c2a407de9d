/* `scree cancel`, `pause`, `resume` and `delete`: one request about each of the jobs named. */
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/server_job.h"

/* What is asked about a job. */
typedef struct steering {
  const char *verb; /* appended to the job's path; NULL deletes it */
} steering;

static cli_exit request_change(const cli_call *call, http_client *client, const steering *what, long long id, http_answer *answer)
{
  char path[80];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld%s%s", id, what->verb ? "/" : "", what->verb ? what->verb : "");
  const http_call request = {.method = what->verb ? "POST" : "DELETE", .path = path};
  return call->word_count == 1 || !call->json ? http_expect(call, client, &request, answer) : http_exchange(client, &request, answer);
}

/* What a job's answer adds to the one document that --json prints for several jobs. */
static json_t *outcome(long long id, const steering *what, const http_answer *answer)
{
  bool done = answer->status >= 200 && answer->status < 300;
  if (done && !what->verb) return json_pack("{s:I}", "deleted", (json_int_t)id);
  if (done && answer->json) return json_incref(answer->json);
  if (answer->json) return json_pack("{s:I, s:O}", "id", (json_int_t)id, "problem", answer->json);
  return json_pack("{s:I, s:{s:s}}", "id", (json_int_t)id, "problem", "detail", answer->error);
}

static cli_exit report(const cli_call *call, const steering *what, long long id, const http_answer *answer)
{
  if (what->verb) return server_job_report(call, json_incref(answer->json), CLI_DONE);
  if (call->json) return console_json(json_pack("{s:I}", "deleted", (json_int_t)id), CLI_DONE);
  printf("job %lld was deleted\n", id);
  return console_flush(CLI_DONE);
}

/* Each job in turn; what goes wrong with one is reported and the others are still asked about, unless no server answers.
 * @return the first exit code that is not CLI_DONE */
static cli_exit steer_all(const cli_call *call, http_client *client, const steering *what, const long long *ids)
{
  bool listed = call->json && call->word_count > 1;
  json_t *all = listed ? json_array() : NULL;
  cli_exit first = CLI_DONE;
  for (size_t i = 0; i < call->word_count; i++) {
    http_answer answer;
    cli_exit code = request_change(call, client, what, ids[i], &answer);
    bool reached = code != CLI_UNREACHABLE && code != CLI_INTERRUPTED;
    if (listed && code == CLI_DONE && answer.status >= 300) code = http_refusal_code(answer.status);
    if (listed) json_array_append_new(all, outcome(ids[i], what, &answer));
    if (!listed && code == CLI_DONE) code = report(call, what, ids[i], &answer);
    http_answer_clear(&answer);
    if (first == CLI_DONE) first = code;
    if (!reached) break;
  }
  return listed ? console_json(all, first) : first;
}

static cli_exit steer(const cli_call *call, const char *verb)
{
  http_client client;
  long long ids[CLI_WORD_LIMIT];
  for (size_t i = 0; i < call->word_count; i++) {
    cli_exit known = server_job_id(call, call->words[i], &ids[i]);
    if (known != CLI_DONE) return known; /* before anything is done */
  }
  cli_exit code = http_open(call, &client);
  if (code != CLI_DONE) return code;
  code = steer_all(call, &client, &(steering){verb}, ids);
  http_close(&client);
  return code;
}

static cli_exit cancel(const cli_call *call)
{
  return steer(call, "cancel");
}
static cli_exit pause_jobs(const cli_call *call)
{
  return steer(call, "pause");
}
static cli_exit resume(const cli_call *call)
{
  return steer(call, "resume");
}
static cli_exit delete_jobs(const cli_call *call)
{
  return steer(call, NULL);
}

const cli_command command_cancel = {
    .name = "cancel",
    .words = "ID...",
    .least = 1,
    .most = CLI_WORD_LIMIT,
    .needs_server = true,
    .summary = "end jobs; what they recorded is kept",
    .description = "Asks queued, paused or running jobs to end as cancelled. A running one takes a moment.\n"
                   "With --json and several jobs: a list, with the problem where a job can't be cancelled.",
    .examples = {{"cancel 12", "end job 12"}, {"cancel 12 13 14", "end three jobs"}},
    .run = cancel,
};

const cli_command command_pause = {
    .name = "pause",
    .words = "ID...",
    .least = 1,
    .most = CLI_WORD_LIMIT,
    .needs_server = true,
    .summary = "pause jobs; a running one saves a checkpoint",
    .description = "Pauses queued or running jobs until `scree resume`.",
    .examples = {{"pause 12", "pause job 12"}},
    .run = pause_jobs,
};

const cli_command command_resume = {
    .name = "resume",
    .words = "ID...",
    .least = 1,
    .most = CLI_WORD_LIMIT,
    .needs_server = true,
    .summary = "put paused jobs back in the queue",
    .description = "They go on from their checkpoints. (A run without a server goes on when `scree run` is given its folder again.)",
    .examples = {{"resume 12", "continue job 12"}},
    .run = resume,
};

const cli_command command_delete = {
    .name = "delete",
    .words = "ID...",
    .least = 1,
    .most = CLI_WORD_LIMIT,
    .needs_server = true,
    .summary = "delete ended jobs and all they recorded",
    .description = "A job that has not ended must be cancelled first.\n"
                   "With --json and several jobs: a list, with the problem where a job can't be deleted.",
    .examples = {{"delete 12", "remove job 12 and its files"}, {"delete 12 13 14", "remove three jobs"}},
    .run = delete_jobs,
};
