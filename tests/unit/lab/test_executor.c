/* Executors: processes of this machine behind the interface, and what the supervisor makes of one whose attempts wait in a queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "server/executor/local.h"
#include "server/lab/lab.h"
#include "tests/support/actor.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

enum { LONG_MS = 30000 };

typedef struct fixture {
  char *folder;
  char worker[300], directory[300];
  executor *where;
  executor_run *run;
} fixture;

static void pause_ms(long ms)
{
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* A worker that is a shell script. */
static void write_worker(const fixture *f, const char *script)
{
  FILE *file = fopen(f->worker, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", script);
  fclose(file);
  assert_int_equal(chmod(f->worker, 0700), 0);
}

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  f->folder = folder_create();
  snprintf(f->worker, sizeof f->worker, "%s/worker", f->folder);
  snprintf(f->directory, sizeof f->directory, "%s/job", f->folder);
  mkdir(f->directory, 0700);
  f->where = executor_local_create(&(executor_capacity){.threads = 3, .memory_bytes = 5e9});
  *state = f;
  return f->where ? 0 : -1;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  f->where->close(f->run);
  f->where->destroy(f->where);
  folder_remove(f->folder);
  free(f);
  return 0;
}

static void start(fixture *f, const char *script)
{
  scr_error error = {0};
  write_worker(f, script);
  const worker_request request = {
      .worker_path = f->worker, .directory = f->directory, .threads = 1, .checkpoint_seconds = 1, .asset_names = ""};
  if (f->where->start(f->where, &request, &f->run, &error) != SCR_OK) fail_msg("%s", error.message);
}

static executor_state end_of(fixture *f)
{
  executor_state state;
  for (int waited = 0; waited < LONG_MS; waited += 10) {
    f->where->poll(f->run, &state);
    if (state.phase == EXECUTOR_ENDED) return state;
    assert_int_equal(state.phase, EXECUTOR_RUNNING);
    pause_ms(10);
  }
  fail_msg("it has not ended");
  return state;
}

static void test_the_end_of_a_process_is_told_again_and_again(void **state)
{
  fixture *f = *state;
  start(f, "exit 5");
  for (int i = 0; i < 3; i++) {
    executor_state ended = end_of(f);
    assert_false(ended.ended.by_signal);
    assert_int_equal(ended.ended.code, 5);
  }
  f->where->signal(f->run, EXECUTOR_KILL); /* meets nobody */
}

static void test_a_process_that_cannot_be_started_says_why(void **state)
{
  fixture *f = *state;
  scr_error error = {0};
  const worker_request request = {.worker_path = f->worker, .directory = f->directory, .threads = 1, .asset_names = ""};
  assert_int_equal(f->where->start(f->where, &request, &f->run, &error), SCR_BAD_USAGE);
  assert_null(f->run);
  assert_non_null(strstr(error.message, "--worker"));
}

/* 10 and 11 are what a shell script with a trap says of the two signals that can be trapped. */
static void test_signals_reach_the_process_and_all_below_it(void **state)
{
  fixture *f = *state;
  start(f, "trap 'exit 11' TERM; touch \"$2/ready\"; while :; do sleep 0.05; done");
  char ready[400];
  snprintf(ready, sizeof ready, "%s/ready", f->directory);
  for (struct stat about; stat(ready, &about) != 0;) pause_ms(10);
  f->where->signal(f->run, EXECUTOR_TERMINATE);
  assert_int_equal(end_of(f).ended.code, 11);
  f->where->close(f->run);
  f->run = NULL;
  start(f, "trap '' TERM; sleep 1000 & wait");
  f->where->signal(f->run, EXECUTOR_KILL);
  executor_state ended = end_of(f);
  assert_true(ended.ended.by_signal);
  assert_int_equal(ended.ended.code, SIGKILL);
}

/* What a daemon that died left behind: another executor knows nothing but the handle. */
static void test_a_handle_finds_the_process_for_another_executor_on_its_directory_only(void **state)
{
  fixture *f = *state;
  start(f, "while :; do sleep 0.05; done");
  executor *later = executor_local_create(&(executor_capacity){.threads = 1});
  char other[400];
  snprintf(other, sizeof other, "%s/../other", f->directory);
  assert_memory_equal(f->run->handle, "local:", 6);
  const char *const wrong[] = {"", "local:", "local:0", "local:-1", "local:1", "slurm:17", "local:99999999999999999999", "local:12x"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(later->cancel(later, wrong[i], f->directory));
  char handle[EXECUTOR_HANDLE_BYTES];
  snprintf(handle, sizeof handle, "%s", f->run->handle);
  assert_false(later->cancel(later, handle, other));
  executor_state now;
  f->where->poll(f->run, &now);
  assert_int_equal(now.phase, EXECUTOR_RUNNING);
  bool found = false;
  for (int waited = 0; !found && waited < LONG_MS; waited += 10) { /* until the shell has its arguments */
    found = later->cancel(later, handle, f->directory);
    pause_ms(10);
  }
  assert_true(found);
  assert_true(end_of(f).ended.by_signal);
  assert_false(later->cancel(later, handle, f->directory));
  later->destroy(later);
}

static void test_capacity_is_what_was_given(void **state)
{
  fixture *f = *state;
  executor_capacity all = f->where->capacity(f->where);
  assert_int_equal(all.threads, 3);
  assert_true(all.memory_bytes == 5e9);
}

/* ── an engine with a queue, played by the test ── */

typedef struct engine {
  executor calls;
  executor_run run;
  _Atomic executor_phase phase;
  _Atomic unsigned polls, closed, killed;
} engine;

static engine *the_engine; /* of the case that runs */

static scr_status engine_start(executor *self, const worker_request *request, executor_run **run, scr_error *error)
{
  (void)request, (void)error;
  engine *e = (engine *)self;
  e->run = (executor_run){.handle = "engine:17", .descriptors = {-1, -1}};
  e->phase = EXECUTOR_QUEUED;
  *run = &e->run;
  return SCR_OK;
}

static void engine_poll(executor_run *run, executor_state *state)
{
  (void)run;
  the_engine->polls++;
  *state = (executor_state){.phase = the_engine->phase, .ended = {.code = WORKER_BAD_INPUT}};
  if (state->phase == EXECUTOR_QUEUED) snprintf(state->reason, sizeof state->reason, "waits for a node");
  if (state->phase == EXECUTOR_UNKNOWN) snprintf(state->reason, sizeof state->reason, "the engine does not answer");
}

static bool engine_receive(executor_run *run, control_message *message)
{
  (void)run, (void)message;
  return false;
}

static void engine_signal(executor_run *run, executor_signal signal)
{
  (void)run;
  if (signal == EXECUTOR_KILL) the_engine->killed++;
}

static bool engine_cancel(executor *self, const char *handle, const char *directory)
{
  (void)self, (void)handle, (void)directory;
  return false;
}

static void engine_close(executor_run *run)
{
  (void)run;
  the_engine->closed++;
}

static executor_capacity engine_capacity(executor *self)
{
  (void)self;
  return (executor_capacity){.threads = 64, .memory_bytes = 1e12};
}

static lab_job job_when(lab *self, int64_t id, bool (*reached)(const lab_job *job))
{
  lab_job job = {0};
  scr_error error = {0};
  for (int waited = 0; waited < LONG_MS; waited += 10) {
    assert_int_equal(lab_get(self, id, &job, &error), LAB_OK);
    if (reached(&job)) return job;
    pause_ms(10);
  }
  fail_msg("job %lld is in state %d, stage '%s'", (long long)id, (int)job.state, job.progress.stage);
  return job;
}

static bool waits_for_a_node(const lab_job *job)
{
  return strcmp(job->progress.stage, "waits for a node") == 0;
}

static bool engine_is_silent(const lab_job *job)
{
  return strcmp(job->progress.stage, "the engine does not answer") == 0;
}

static bool has_ended(const lab_job *job)
{
  return job->state == JOB_FAILED;
}

/* The lease is 0.2 s: longer than that it waits, then the engine is away, and it is not killed for its silence; its end is the engine's
 * word. */
static void test_an_attempt_may_wait_at_its_engine_for_longer_than_its_lease(void **state)
{
  fixture *f = *state;
  engine e = {.calls = {.name = "engine",
                        .poll_ms = 20,
                        .start = engine_start,
                        .poll = engine_poll,
                        .receive = engine_receive,
                        .signal = engine_signal,
                        .cancel = engine_cancel,
                        .close = engine_close,
                        .capacity = engine_capacity}};
  the_engine = &e;
  char *data = folder_path(f->folder, "data");
  lab_config config = actor_config(data);
  config.lease_seconds = 0.2;
  config.max_attempts = 1;
  config.executor = &e.calls;
  lab *self = NULL;
  scr_error error = {0};
  if (lab_open(&config, &self, &error) != SCR_OK) fail_msg("%s", error.message);
  lab_job job;
  scr_problems problems = {0};
  bool created = false;
  char *scene = actor_scene("succeed");
  const lab_submission submission = {.scene = scene, .scene_length = strlen(scene)};
  lab_status status = lab_submit(self, &submission, &job, &created, &problems, &error);
  if (status != LAB_OK) fail_msg("%s %s", error.message, problems.count ? problems.items[0].detail : "");
  job_when(self, job.id, waits_for_a_node);
  pause_ms(600);
  assert_int_equal(e.killed, 0);
  e.phase = EXECUTOR_UNKNOWN;
  job_when(self, job.id, engine_is_silent);
  pause_ms(600);
  assert_int_equal(e.killed, 0);
  assert_true(e.polls > 10);
  e.phase = EXECUTOR_ENDED;
  job_when(self, job.id, has_ended);
  assert_int_equal(e.closed, 1);
  lab_close(self, 1);
  scr_problems_clear(&problems);
  free(scene);
  free(data);
}

SUITE(test_executor)
{
  ACTOR_MAIN(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_the_end_of_a_process_is_told_again_and_again, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_process_that_cannot_be_started_says_why, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_signals_reach_the_process_and_all_below_it, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_handle_finds_the_process_for_another_executor_on_its_directory_only, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_capacity_is_what_was_given, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_an_attempt_may_wait_at_its_engine_for_longer_than_its_lease, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
