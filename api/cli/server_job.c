/* Following a job by asking for it. The command line shows numbers twice a second, which needs no stream. */
#include "api/cli/server_job.h"

#include <math.h>
#include <string.h>

#include "api/cli/console.h"
#include "api/cli/interrupt.h"
#include "api/cli/progress.h"
#include "api/cli/report.h"

static const double outage_seconds = 60.0; /* a server that restarts is back long before */
static const double first_pause = 0.05, longest_pause = 0.5;

cli_exit server_job_id(const cli_call *call, const char *word, long long *id)
{
  char message[256];
  if (cli_word_whole(word, "the job's number", 1, id, message, sizeof message)) return CLI_DONE;
  return console_fail(call, CLI_BAD_USAGE, "%s; `scree jobs%s` lists the jobs", message, console_hint_server(call).text);
}

cli_exit server_job_timeout(const cli_call *call, double *timeout)
{
  char message[256];
  *timeout = INFINITY;
  if (cli_number(call, "timeout", 0, 1e9, timeout, message, sizeof message)) return CLI_DONE;
  return console_fail(call, CLI_BAD_USAGE, "%s", message);
}

cli_exit server_job_get(const cli_call *call, http_client *client, long long id, json_t **job)
{
  char path[64];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld", id);
  http_answer answer;
  cli_exit code = http_expect(call, client, &(http_call){.path = path}, &answer);
  if (code == CLI_DONE) *job = json_incref(answer.json);
  http_answer_clear(&answer);
  return code;
}

static void show(progress_view *view, const json_t *job)
{
  const json_t *progress = json_object_get(job, "progress");
  const json_t *estimate = json_object_get(job, "estimate");
  double fraction = report_number(progress, "fraction");
  double planned = report_number(estimate, "step_count") * report_number(estimate, "time_step");
  double duration = report_number(progress, "duration"), sim_time = report_number(progress, "sim_time");
  progress_state state = {.label = report_text(job, "state"),
                          .fraction = isfinite(fraction) ? fraction : 0,
                          .sim_time = isfinite(sim_time) ? sim_time : 0,
                          .duration = isfinite(duration) && duration > 0 ? duration : planned,
                          .stage = report_text(progress, "stage"),
                          .eta_seconds = report_number(progress, "eta_seconds")};
  state.headline_count = report_headlines_of(progress, state.headlines);
  progress_show(view, &state);
}

/* How a job that is over ends the command; false while it isn't. */
static bool over(const json_t *job, cli_exit *code)
{
  const char *state = report_text(job, "state");
  if (strcmp(state, "succeeded") == 0)
    *code = report_has_doubts(job) ? CLI_DOUBTED : CLI_DONE;
  else if (strcmp(state, "failed") == 0)
    *code = CLI_FAILED;
  else if (strcmp(state, "cancelled") == 0)
    *code = CLI_CANCELLED;
  else
    return false;
  return true;
}

/* One more question. CLI_DONE with a newer job, or with the old one while an outage lasts that may pass. */
static cli_exit fetch_job_again(const cli_call *call, http_client *client, long long id, json_t **job, double *outage_began,
                                progress_view *view)
{
  char path[64];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld", id);
  http_answer answer;
  http_call request = {.path = path};
  cli_exit code = http_exchange(client, &request, &answer);
  bool away = code == CLI_UNREACHABLE || (code == CLI_DONE && answer.status == 503);
  double now = interrupt_clock();
  if (code == CLI_DONE && answer.status == 200 && answer.json) {
    json_decref(*job);
    *job = json_incref(answer.json);
    *outage_began = INFINITY;
  } else if (away && *job && isfinite(*outage_began) && now - *outage_began < outage_seconds) {
    code = CLI_DONE;
  } else if (away && *job && isinf(*outage_began)) {
    progress_end(view);
    console_say(call, "the server does not answer; waiting for it");
    *outage_began = now;
    code = CLI_DONE;
  } else if (code != CLI_INTERRUPTED) {
    progress_end(view);
    http_answer_clear(&answer);
    code = http_expect(call, client, &request, &answer); /* once more, to say what is wrong */
  }
  http_answer_clear(&answer);
  return code;
}

cli_exit server_job_follow(const cli_call *call, http_client *client, long long id, double timeout, json_t **job)
{
  progress_view view;
  progress_begin(&view, call->quiet);
  interrupt_catch();
  *job = NULL;
  cli_exit code = CLI_DONE;
  double deadline = interrupt_clock() + timeout, outage_began = INFINITY, pause = first_pause;
  while (!interrupt_came()) {
    code = fetch_job_again(call, client, id, job, &outage_began, &view);
    if (code != CLI_DONE || !*job) break;
    if (isinf(outage_began)) show(&view, *job);
    if (over(*job, &code)) break;
    if (interrupt_clock() >= deadline) {
      code = CLI_TIMED_OUT;
      break;
    }
    interrupt_sleep(fmin(pause, fmax(0.0, deadline - interrupt_clock())));
    pause = fmin(1.3 * pause, longest_pause);
  }
  progress_end(&view);
  if (interrupt_came()) code = CLI_INTERRUPTED;
  const console_server server = console_hint_server(call);
  if (code == CLI_TIMED_OUT || code == CLI_INTERRUPTED)
    console_say(call, "%s; job %lld goes on: `scree watch %lld%s` shows it, `scree cancel %lld%s` ends it",
                code == CLI_TIMED_OUT ? "the time limit was reached" : "detached", id, id, server.text, id, server.text);
  return code;
}

cli_exit server_job_report(const cli_call *call, json_t *job, cli_exit code)
{
  if (!job) return code;
  if (call->json) return console_json(job, code);
  report_job(job, stdout);
  json_decref(job);
  return console_flush(code);
}
