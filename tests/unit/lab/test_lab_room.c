/* What a lab allows its workers and what it makes of those that meet a limit: signs of life while building, full disks, limits, late
 * requests, doubts; and what a worker has given up before it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/lab/lab_internal.h"
#include "server/supervisor/verdict.h"
#include "server/worker/confine.h"
#include "tests/support/actor_lab.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

/* ── signs of life ────────────────────────────────────────────────────────────────────────────────────────────── */

/* Building takes two leases; without the pulse each attempt would be killed (test_lab_runs.c: a worker that hangs). */
static void test_a_worker_that_builds_for_longer_than_its_lease_is_left_alone(void **state)
{
  actor_lab *f = *state;
  assert_int_equal(actor_lab_run(f, 2.5, "build", JOB_SUCCEEDED).attempt, 1);
}

/* ── limits ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_a_full_disk_uses_up_no_attempt_and_the_job_goes_on_by_itself(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 10, "disk-full", JOB_SUCCEEDED);
  assert_int_equal(job.attempt, 1);
  assert_string_equal(job.waiting, "");
  lab_attempt attempts[4];
  size_t count;
  assert_int_equal(lab_attempts(f->lab, 1, attempts, 4, &count, NULL), LAB_OK);
  assert_int_equal(count, 2);
  assert_string_equal(attempts[0].outcome, "disk_full");
  assert_string_equal(attempts[1].outcome, "succeeded");
}

/* Another attempt would reach the limit too. */
static void test_a_file_at_its_limit_fails_the_job_at_once_with_the_reason(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 10, "limit", JOB_FAILED);
  assert_int_equal(job.attempt, 1);
  assert_non_null(strstr(job.error, "a file grew beyond the"));
}

static void test_processor_time_that_is_used_up_fails_the_job_at_once_with_the_reason(void **state)
{
  (void)state;
  recording_end recording = {0};
  char message[400];
  attempt_facts facts = {.ended = {.by_signal = true, .code = SIGXCPU, .cpu_seconds = 7200},
                         .recording = &recording,
                         .cpu_limit = 7100,
                         .text = "",
                         .directory = "/nonexistent"};
  assert_int_equal(attempt_judge(&facts, message, sizeof message), ATTEMPT_REFUSED);
  assert_non_null(strstr(message, "7200 s of processor time"));
  assert_non_null(strstr(message, "7100 s allowed"));
}

/* ── late requests ────────────────────────────────────────────────────────────────────────────────────────────── */

/* A pause that is under way when its attempt ends by itself must not stop the next one, which nobody asked to pause. */
static void test_a_request_for_an_attempt_that_has_ended_does_not_meet_the_next_one(void **state)
{
  actor_lab *f = *state;
  actor_lab_open(f, 10);
  actor_lab_submit(f, "beat");
  actor_lab_wait_alive(f, 1);
  lab_job job;
  store_answer answer = {0};
  assert_int_equal(store_request(f->lab->store, 1, JOB_RESUME, 1, &answer, NULL), SCR_OK);
  assert_false(answer.answer.allowed); /* asked for the token only */
  supervisor_request(f->lab->supervisor, 1, 4711, JOB_PAUSE);
  supervisor_request(f->lab->supervisor, 1, 4711, JOB_CANCEL);
  uint64_t step = actor_lab_get(f, 1).progress.step;
  for (int i = 0; i < 2000 && actor_lab_get(f, 1).progress.step < step + 30; i++) usleep(10000);
  assert_true(actor_lab_get(f, 1).progress.step >= step + 30);
  assert_int_equal(actor_lab_get(f, 1).state, JOB_RUNNING);
  lab_attempt attempts[4];
  size_t count;
  assert_int_equal(lab_attempts(f->lab, 1, attempts, 4, &count, NULL), LAB_OK);
  assert_int_equal(count, 1);                                 /* it was not ended and begun again */
  assert_int_equal(lab_pause(f->lab, 1, &job, NULL), LAB_OK); /* one that is for it is obeyed */
  actor_lab_wait(f, 1, JOB_PAUSED);
}

/* ── doubts ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_the_doubts_of_a_recording_are_those_of_its_job_also_after_reopening(void **state)
{
  actor_lab *f = *state;
  actor_lab_open(f, 10);
  actor_lab_submit(f, "doubt");
  actor_lab_wait(f, 1, JOB_SUCCEEDED);
  for (int i = 0; i < 2; i++) {
    lab_job job = actor_lab_get(f, 1);
    assert_int_equal(job.doubt_count, 1);
    assert_string_equal(job.doubts[0].kind, "stage");
    assert_string_equal(job.doubts[0].message, "The stage \"shook\".");
    assert_int_equal(job.record_count, 2);
    lab_close(f->lab, 1);
    f->lab = NULL;
    actor_lab_open(f, 10);
  }
  lab_happening events[8];
  size_t count;
  bool more;
  assert_int_equal(lab_events(f->lab, 1, 0, events, 8, &count, &more, NULL), LAB_OK);
  assert_int_equal(count, 4);
  assert_string_equal(events[2].type, "doubt");
}

/* ── what a worker gives up ───────────────────────────────────────────────────────────────────────────────────── */

/* In the child: 0, or the number of what it could do and must not, or could not and must. */
static int try_everything(const char *directory, const char *outside)
{
  char inside[4200], left[200];
  snprintf(inside, sizeof inside, "%s/inside", directory);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !confine(directory, NULL, "", false, left, sizeof left)) return 99;
  int fd = open(inside, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || write(fd, "x", 1) != 1 || lseek(fd, 0, SEEK_SET) != 0) return 1;
  if (close(fd) != 0 || rename(inside, inside) != 0 || unlink(inside) != 0) return 2;
  if (open(outside, O_RDONLY) >= 0) return 3;
  if (open(outside, O_WRONLY) >= 0) return 4;
  if (open("/etc/passwd", O_RDONLY) >= 0) return 5;
  if (open("/etc", O_RDONLY | O_DIRECTORY) >= 0) return 6;
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0) return 7;
  if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) return 8;
  char *const arguments[] = {(char[]){"true"}, NULL};
  if (execv("/bin/true", arguments) == 0) return 9;
  if (kill(getppid(), 0) == 0) return 10;
  if (open("/proc/self/status", O_RDONLY) < 0) return 11;
  if (syscall(SYS_ptrace, 0, 0, 0, 0) == 0) return 12;
  return 0;
}

static void test_a_confined_worker_reaches_its_directory_and_nothing_else(void **state)
{
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(); /* sanitized workers are not confined: sanitizers need what is given up */
#endif
  char *folder = folder_create(), *inner = folder_path(folder, "job"), *outside = folder_path(folder, "outside");
  assert_int_equal(mkdir(inner, 0700), 0);
  int fd = open(outside, O_CREAT | O_WRONLY, 0600), status = 0;
  assert_true(fd >= 0);
  close(fd);
  pid_t child = fork();
  if (child == 0) _exit(try_everything(inner, outside));
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 99)
    print_message("# this system has no Landlock or no seccomp\n");
  else
    assert_int_equal(WEXITSTATUS(status), 0);
  folder_remove(folder);
  free(inner);
  free(outside);
}

SUITE(test_lab_room)
{
  ACTOR_MAIN(argc, argv);
  const struct CMUnitTest tests[] = {
      WITH_ACTOR_LAB(test_a_worker_that_builds_for_longer_than_its_lease_is_left_alone),
      WITH_ACTOR_LAB(test_a_full_disk_uses_up_no_attempt_and_the_job_goes_on_by_itself),
      WITH_ACTOR_LAB(test_a_file_at_its_limit_fails_the_job_at_once_with_the_reason),
      cmocka_unit_test(test_processor_time_that_is_used_up_fails_the_job_at_once_with_the_reason),
      WITH_ACTOR_LAB(test_a_request_for_an_attempt_that_has_ended_does_not_meet_the_next_one),
      WITH_ACTOR_LAB(test_the_doubts_of_a_recording_are_those_of_its_job_also_after_reopening),
      cmocka_unit_test(test_a_confined_worker_reaches_its_directory_and_nothing_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
