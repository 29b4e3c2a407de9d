/* `scree submit` and `scree watch`: a run on a server. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/folder.h"
#include "api/cli/interrupt.h"
#include "api/cli/report.h"
#include "api/cli/scene_files.h"
#include "api/cli/scene_source.h"
#include "api/cli/server_job.h"
#include "api/cli/user_name.h"

enum { submit_tries = 3 };

/* A key of its own for each submission, so that a request repeated after a broken connection makes no second job. */
static void make_key(const cli_call *call, char *key, size_t capacity)
{
  const char *given = cli_text(call, "key");
  uint64_t random[2] = {0};
  if (given)
    snprintf(key, capacity, "%s", given);
  else if (getrandom(random, sizeof random, 0) == (ssize_t)sizeof random)
    snprintf(key, capacity, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
  else
    *key = 0;
}

/* --tag values as an object; NULL and a message where one has no name. */
static json_t *read_tags(const cli_call *call)
{
  json_t *tags = json_object();
  for (size_t i = 0; i < call->repeated_count; i++) {
    const char *colon = strchr(call->repeated[i], ':');
    char name[80];
    if (!colon || colon == call->repeated[i] || colon - call->repeated[i] >= (int)sizeof name) {
      console_fail(call, CLI_BAD_USAGE, "--tag must be NAME:VALUE, such as study:notch, not '%.100s'", call->repeated[i]);
      json_decref(tags);
      return NULL;
    }
    snprintf(name, sizeof name, "%.*s", (int)(colon - call->repeated[i]), call->repeated[i]);
    json_object_set_new(tags, name, json_string(colon + 1));
  }
  return tags;
}

static const char *const placing[] = {"executor", "partition", "account", "constraint", "gres", "time-limit"};

/* Where it is to run. False: an option is no number, which was said. */
static bool add_placing(const cli_call *call, json_t *body)
{
  json_t *options = json_object();
  const char *executor = cli_text(call, "executor"), *limit = cli_text(call, "time-limit");
  if (executor) json_object_set_new(body, "executor", json_string(executor));
  for (size_t i = 1; i < 5; i++)
    if (cli_text(call, placing[i])) json_object_set_new(options, placing[i], json_string(cli_text(call, placing[i])));
  char *end = NULL;
  double seconds = limit ? strtod(limit, &end) : 0;
  if (limit && (end == limit || *end)) {
    console_fail(call, CLI_BAD_USAGE, "--time-limit must be a number of seconds, not '%.40s'", limit);
    json_decref(options);
    return false;
  }
  if (limit) json_object_set_new(options, "time_limit", json_real(seconds));
  if (json_object_size(options) > 0) json_object_set(body, "executor_options", options);
  json_decref(options);
  return true;
}

/* The body of a submission: the scene's text as it is, or, with a name or tags, a document around it. Text that is no JSON is sent alone,
 * so that the server says what is wrong with it and where. @param made receives what has to be freed */
static cli_exit make_body(const cli_call *call, const scene_source *source, http_call *request, char **made)
{
  const char *name = cli_text(call, "name");
  request->body = source->text;
  request->body_size = source->length;
  bool placed = false;
  for (size_t i = 0; i < sizeof placing / sizeof *placing; i++) placed = placed || cli_given(call, placing[i]);
  json_t *scene = name || placed || call->repeated_count ? json_loadb(source->text, source->length, 0, NULL) : NULL;
  if (!scene) return CLI_DONE;
  json_t *tags = read_tags(call);
  json_t *body = tags ? json_pack("{s:O, s:o}", "scene", scene, "tags", tags) : NULL;
  json_decref(scene);
  if (!tags) return CLI_BAD_USAGE;
  if (name) json_object_set_new(body, "name", json_string(name));
  if (placed && !add_placing(call, body)) {
    json_decref(body);
    return CLI_BAD_USAGE;
  }
  *made = body ? json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(body);
  if (!*made) return console_fail(call, CLI_FAILED, "no memory for the submission");
  request->body = *made;
  request->body_size = strlen(*made);
  return CLI_DONE;
}

/* Problems of a scene within a submission are told where they are in the scene. */
static void strip_pointers(json_t *problem)
{
  json_t *errors = json_object_get(problem, "errors");
  for (size_t i = 0; i < json_array_size(errors); i++) {
    json_t *error = json_array_get(errors, i);
    const char *pointer = report_text(error, "pointer");
    if (strncmp(pointer, "/scene", 6) == 0) json_object_set_new(error, "pointer", json_string(pointer + 6));
  }
}

static cli_exit post(const cli_call *call, http_client *client, const scene_source *source, json_t **job)
{
  char key[256], path[1024], user[USER_QUERY_BYTES], message[256], *made = NULL;
  long long priority = 0;
  if (!cli_whole(call, "priority", -100, 100, &priority, message, sizeof message)) return console_fail(call, CLI_BAD_USAGE, "%s", message);
  make_key(call, key, sizeof key);
  user_query(call, client, user);
  snprintf(path, sizeof path, "/api/v1/jobs?priority=%lld%s%s", priority, *user ? "&" : "", user);
  http_call request = {.method = "POST", .path = path, .key = *key ? key : NULL};
  http_answer answer;
  cli_exit code = make_body(call, source, &request, &made);
  if (code != CLI_DONE) return code;
  code = http_exchange(client, &request, &answer);
  /* A server that never took the connection is reported at once; one that dropped it may have taken the job: ask again with the same key.
   * */
  for (int tries = 1; code == CLI_UNREACHABLE && *key && tries < submit_tries && !answer.never_sent; tries++) {
    http_answer_clear(&answer);
    interrupt_sleep(1);
    code = http_exchange(client, &request, &answer);
  }
  if (code == CLI_UNREACHABLE || code == CLI_FAILED) {
    code = console_fail(call, code, "%s; is screed running there? (`make run`, or --server URL)", answer.error);
  } else if (code == CLI_DONE) {
    bool taken = (answer.status == 200 || answer.status == 201) && answer.json;
    if (taken) *job = json_incref(answer.json);
    if (made) strip_pointers(answer.json);
    if (!taken) code = http_refusal(call, &answer);
  }
  http_answer_clear(&answer);
  free(made);
  return code;
}

/* Follows the job and, with -o, brings its results. Takes no reference. */
static cli_exit follow(const cli_call *call, http_client *client, long long id)
{
  double timeout;
  json_t *job = NULL;
  const char *directory = cli_text(call, "output");
  cli_exit code = server_job_timeout(call, &timeout);
  if (code != CLI_DONE) return code;
  code = server_job_follow(call, client, id, timeout, &job);
  bool ended = job && (code == CLI_DONE || code == CLI_DOUBTED || code == CLI_FAILED || code == CLI_CANCELLED);
  if (ended && directory) {
    cli_exit fetched = server_job_fetch(call, client, id, directory);
    if (fetched != CLI_DONE && (code == CLI_DONE || code == CLI_DOUBTED)) {
      json_decref(job);
      return fetched;
    }
  }
  code = server_job_report(call, job, code);
  if (ended && directory && !call->json) folder_report(directory);
  return code;
}

static cli_exit submit(const cli_call *call)
{
  http_client client;
  scene_source source;
  json_t *job = NULL;
  double timeout;
  cli_exit code = server_job_timeout(call, &timeout);
  if (code != CLI_DONE) return code;
  code = scene_source_read(call, call->words[0], &source);
  if (code != CLI_DONE) return code;
  code = http_open(call, &client);
  if (code == CLI_DONE) code = scene_files_upload(call, &client, &source);
  if (code == CLI_DONE) code = post(call, &client, &source, &job);
  scene_source_clear(&source);
  long long id = (long long)json_integer_value(json_object_get(job, "id"));
  bool wait = cli_given(call, "wait") || cli_given(call, "output");
  if (code == CLI_DONE && !call->json && !call->quiet) report_warnings(json_object_get(job, "warnings"), stderr);
  if (code == CLI_DONE && !wait && call->json) {
    code = console_json(json_incref(job), CLI_DONE);
  } else if (code == CLI_DONE && !wait) {
    console_say(call, "job %lld is queued; `scree watch %lld%s` shows it, %s/#/jobs/%lld too", id, id, console_hint_server(call).text,
                client.base, id);
    printf("%lld\n", id);
    code = console_flush(CLI_DONE);
  } else if (code == CLI_DONE) {
    console_say(call, "job %lld", id);
    code = follow(call, &client, id);
  }
  json_decref(job);
  http_close(&client);
  return code;
}

static cli_exit watch(const cli_call *call)
{
  http_client client;
  long long id;
  cli_exit code = server_job_id(call, call->words[0], &id);
  if (code != CLI_DONE) return code;
  code = http_open(call, &client);
  if (code == CLI_DONE) code = follow(call, &client, id);
  http_close(&client);
  return code;
}

const cli_command command_submit = {
    .name = "submit",
    .words = "SCENE [--wait] [-o DIR]",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "queue a scene on a server",
    .description = CLI_SCENE_HELP
    "\n\nPrints the job's number. With --wait: shows its progress and ends as the job does (0 succeeded, 8 succeeded with doubts,\n"
    "1 failed, 5 cancelled); Ctrl-C only detaches. With -o: waits and brings the results, as `scree fetch` does.\n"
    "A scene the server refuses: every problem with its JSON Pointer; ends with 4.",
    .options = {{"wait", 'w', NULL, "wait for the job's end"},
                {"output", 'o', "DIR", "wait, then fetch the results into DIR"},
                {"timeout", 0, "S", "with --wait or -o: give up waiting after S seconds; ends with 6, the job goes on"},
                {"name", 0, "NAME", "the job's name, instead of the scene's"},
                {"tag", 0, "NAME:VALUE", "a tag to find the job by; may be given again"},
                {"priority", 0, "N", "-100 to 100, higher runs first; default 0"},
                {"user", 0, "NAME", "who submits it, for people to find it by; default: your login name; empty: nobody"},
                {"executor", 0, "NAME", "executor that runs it; `scree executors` lists them"},
                {"partition", 0, "NAME", "partition of a batch engine; the next four are for batch engines too"},
                {"account", 0, "NAME", "account that is charged"},
                {"constraint", 0, "TEXT", "features its node must have"},
                {"gres", 0, "TEXT", "generic resources of its node, such as gpu:1 for a scene whose run.device is a GPU"},
                {"time-limit", 0, "S", "time limit of one attempt; the next continues from its checkpoint"},
                {"key", 0, "TEXT", "Idempotency-Key: the same key and scene give the same job; default: a new one"}},
    .repeats = "tag",
    .examples = {{"submit scene.json", "queue it and print the job's number"},
                 {"submit scene.json --wait", "follow it to its end"},
                 {"submit scene.json -o out", "and bring the results"},
                 {"submit gallery:plate-drop --priority 5", "before others"},
                 {"submit scene.json --tag study:notch --tag run:3", "find it by its tags later"}},
    .run = submit,
};

const cli_command command_watch = {
    .name = "watch",
    .words = "ID",
    .least = 1,
    .most = 1,
    .needs_server = true,
    .summary = "show a job's progress until it ends",
    .description = "Ends as the job does: 0 succeeded, 8 succeeded with doubts, 1 failed, 5 cancelled. Ctrl-C only detaches.",
    .options = {{"timeout", 0, "S", "give up after S seconds; ends with 6, the job goes on"},
                {"output", 'o', "DIR", "then fetch the results into DIR"}},
    .examples = {{"watch 12", "follow job 12"}, {"watch 12 -o out --timeout 600", "and bring its results"}},
    .run = watch,
};
