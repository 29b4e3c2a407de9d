/* `scree jobs`: a page of a server's jobs, or one of them. */
#include <math.h>
#include <string.h>

#include "api/cli/commands/commands.h"
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

/* A path with parameters, built piece by piece; `full` once something did not fit. */
typedef struct query_path {
  char text[2048];
  size_t length;
  bool full;
} query_path;

static void add_parameter(query_path *path, http_client *client, const char *name, const char *value)
{
  if (!value) return;
  char *escaped = curl_easy_escape(client->handle, value, 0);
  int added =
      escaped ? snprintf(path->text + path->length, sizeof path->text - path->length, "%c%s=%s", path->length ? '&' : '?', name, escaped)
              : -1;
  curl_free(escaped);
  if (added < 0 || path->length + (size_t)added >= sizeof path->text)
    path->full = true;
  else
    path->length += (size_t)added;
}

static void print_page(const cli_call *call, const json_t *answer, bool filtered)
{
  const json_t *page = json_object_get(answer, "jobs");
  for (size_t i = 0; i < json_array_size(page); i++) print_row(json_array_get(page, i));
  double before = report_number(answer, "next_before");
  const char *cursor = report_text(answer, "next");
  if (json_array_size(page) == 0 && !*cursor)
    console_say(call, filtered ? "there are no such jobs" : "there are no jobs yet: `scree submit SCENE%s` makes one",
                console_hint_server(call).text);
  if (isfinite(before))
    console_say(call, "there are older ones: the same with --before %.0f", before);
  else if (*cursor)
    console_say(call, "there are more: the same with --cursor %s", cursor);
}

/* Whether every name between commas is a state. */
static bool are_states(const char *list)
{
  static const char *const states[] = {"queued", "running", "paused", "succeeded", "failed", "cancelled"};
  for (;;) {
    size_t length = strcspn(list, ",");
    bool known = false;
    for (size_t i = 0; i < sizeof states / sizeof states[0] && !known; i++)
      known = strlen(states[i]) == length && strncmp(list, states[i], length) == 0;
    if (!known) return false;
    if (!list[length]) return true;
    list += length + 1;
  }
}

static cli_exit list(const cli_call *call, http_client *client)
{
  static const char *const filters[][2] = {
      {"state", "state"}, {"method", "method"}, {"user", "user"}, {"search", "q"}, {"before", "before"}};
  static const char *const others[][2] = {{"limit", "limit"}, {"sort", "sort"}, {"cursor", "cursor"}};
  query_path query = {.text = ""};
  char message[256], path[2100];
  long long number = 1;
  bool filtered = call->repeated_count > 0;
  if (!cli_whole(call, "limit", 1, 200, &number, message, sizeof message) ||
      !cli_whole(call, "before", 1, INT64_MAX, &number, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  if (cli_given(call, "state") && !are_states(cli_text(call, "state")))
    return console_fail(call, CLI_BAD_USAGE,
                        "--state must be queued, running, paused, succeeded, failed or cancelled, or several of them with commas, not '%s'",
                        cli_text(call, "state"));
  for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
    filtered |= cli_given(call, filters[i][0]);
    add_parameter(&query, client, filters[i][1], cli_text(call, filters[i][0]));
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) add_parameter(&query, client, others[i][1], cli_text(call, others[i][0]));
  for (size_t i = 0; i < call->repeated_count; i++) add_parameter(&query, client, "tag", call->repeated[i]);
  if (query.full) return console_fail(call, CLI_BAD_USAGE, "the filters are too long: use shorter or fewer ones");
  snprintf(path, sizeof path, "/api/v1/jobs%s", query.text);
  http_answer answer;
  cli_exit code = http_expect(call, client, &(http_call){.path = path}, &answer);
  if (code == CLI_DONE && call->json) {
    code = console_json(json_incref(answer.json), CLI_DONE);
  } else if (code == CLI_DONE) {
    print_page(call, answer.json, filtered);
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

const cli_command command_jobs = {
    .name = "jobs",
    .words = "[ID]",
    .most = 1,
    .needs_server = true,
    .summary = "list a server's jobs, or show one",
    .description = "Newest first: number, state, progress, time of submission (UTC), title. Filters must all fit.\n"
                   "With ID: the job, who submitted it, its tags, and what is doubtful about it.",
    .options = {{"state", 0, "STATE", "only jobs that are queued, running, paused, succeeded, failed or cancelled; several with commas"},
                {"method", 0, "NAME", "only jobs of this method"},
                {"user", 0, "NAME", "only jobs that this user submitted, as they said"},
                {"tag", 0, "NAME:VALUE", "only jobs with this tag; up to 4 times"},
                {"search", 0, "WORDS", "only jobs with all these words, or words that begin with them, in name, title or notes"},
                {"sort", 0, "ORDER", "created, name, priority or ended, '-' before it for descending; default -created"},
                {"limit", 0, "N", "at most N, 1 to 200; default 50"},
                {"before", 0, "ID", "only jobs older than this one"},
                {"cursor", 0, "TEXT", "go on where the page before ended, as it says"}},
    .repeats = "tag",
    .examples = {{"jobs", "the newest jobs"},
                 {"jobs 12", "one job, with what is doubtful about it"},
                 {"jobs --state failed --limit 10", "recent failures"},
                 {"jobs --tag study:notch --method bdem --sort name", "one study"}},
    .run = jobs,
};
