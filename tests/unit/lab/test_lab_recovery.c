/* A lab's opening: what it refuses, and what it makes of a data directory that a dead lab left behind. Workers are actors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/lab/lab.h"
#include "tests/support/actor_lab.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

/* Opens a lab in another process, submits the parts, waits until each has been heard, and kills that process with -9. Its workers live on
 * until they notice. */
static void leave_behind(actor_lab *f, double lease_seconds, const char *const *parts, int part_count)
{
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork(); /* no lab is open here, so this process has one thread */
  assert_true(child >= 0);
  if (child == 0) {
    actor_lab_open(f, lease_seconds);
    for (int i = 0; i < part_count; i++)
      if (actor_lab_try_submit(f, parts[i], &(lab_job){0}, NULL) != LAB_OK) _exit(1);
    for (int i = 0; i < part_count; i++) {
      lab_job job = {0};
      while (job.progress.step == 0 && lab_get(f->lab, i + 1, &job, NULL) == LAB_OK) usleep(2000);
    }
    if (write(ready[1], "y", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char answer = 0;
  close(ready[1]);
  assert_int_equal(read(ready[0], &answer, 1), 1);
  close(ready[0]);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

/* ── after a death ────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_jobs_of_a_killed_lab_go_on_without_losing_an_attempt(void **state)
{
  actor_lab *f = *state;
  leave_behind(f, 10, (const char *[]){"beat-once", "beat-once"}, 2);
  actor_lab_open(f, 10);
  for (int64_t id = 1; id <= 2; id++) assert_int_equal(actor_lab_wait(f, id, JOB_SUCCEEDED).attempt, 1);
}

/* The old worker minds nothing and holds the directory's lock: the new one must wait, and after a lease's time the old one is killed. The
 * first lease is so long that the dying lab never ends it itself; the second is longer than any pause of a process on a loaded machine. */
static void test_a_worker_that_outlives_its_lab_is_never_doubled(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  char path[4200];
  leave_behind(f, 30, (const char *[]){"deaf"}, 1);
  actor_lab_open(f, 5);
  assert_int_equal(lab_job_file(f->lab, 1, "met-another", path, sizeof path, NULL), LAB_OK);
  for (int i = 0; i < 4000 && access(path, F_OK) != 0; i++) usleep(5000);
  assert_int_equal(access(path, F_OK), 0);
  for (int i = 0; i < 4000; i++) {
    assert_int_equal(lab_get(f->lab, 1, &job, NULL), LAB_OK);
    if (job.state == JOB_RUNNING && job.progress.step > 3) break;
    usleep(5000);
  }
  assert_int_equal(job.state, JOB_RUNNING);
  assert_int_equal(job.attempt, 1);
  assert_int_equal(lab_cancel(f->lab, 1, &job, NULL), LAB_OK);
  actor_lab_wait(f, 1, JOB_CANCELLED);
}

static void test_closing_sends_running_jobs_back_to_the_queue_and_a_new_lab_goes_on(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 10, "beat-once", JOB_RUNNING);
  while (job.progress.step == 0) assert_int_equal(lab_get(f->lab, 1, &job, NULL), LAB_OK);
  lab_close(f->lab, 5);
  actor_lab_open(f, 10);
  assert_int_equal(actor_lab_wait(f, 1, JOB_SUCCEEDED).attempt, 1);
}

static void test_draining_asks_the_workers_to_end_and_starts_no_other(void **state)
{
  actor_lab *f = *state;
  lab_totals totals;
  actor_lab_open(f, 10);
  for (int i = 0; i < 3; i++) actor_lab_submit(f, "beat");
  actor_lab_wait(f, 1, JOB_RUNNING);
  actor_lab_wait(f, 2, JOB_RUNNING);
  lab_drain(f->lab);
  for (int i = 0; i < 4000; i++) {
    assert_int_equal(lab_count(f->lab, &totals, NULL), LAB_OK);
    if (totals.running == 0) break;
    usleep(5000);
  }
  assert_int_equal(totals.running, 0);
  assert_int_equal(totals.queued, 3);
}

/* A worker that minds nothing is killed at the end of the grace, and its job still goes back to the queue. */
static void test_closing_does_not_wait_longer_than_its_grace(void **state)
{
  actor_lab *f = *state;
  actor_lab_open(f, 10);
  actor_lab_submit(f, "deaf");
  actor_lab_wait(f, 1, JOB_RUNNING);
  time_t begun = time(NULL);
  lab_close(f->lab, 0.2);
  assert_true(time(NULL) - begun < 60); /* 0.2 s on a quick machine; who is deaf would be waited for without end */
  actor_lab_open(f, 10);
  lab_job job;
  assert_int_equal(lab_get(f->lab, 1, &job, NULL), LAB_OK);
  assert_false(lab_job_state_ended(job.state));
}

/* ── leftovers in the directory ───────────────────────────────────────────────────────────────────────────────── */

static char *make_job_folder(actor_lab *f, const char *parent, const char *name, const char *file)
{
  char *folder = folder_path(f->folder, parent), *job = folder_path(folder, name), *path = folder_path(job, file);
  mkdir(folder, 0755);
  assert_int_equal(mkdir(job, 0755), 0);
  int fd = open(path, O_WRONLY | O_CREAT, 0644);
  assert_true(fd >= 0);
  close(fd);
  free(folder);
  free(path);
  return job;
}

static void test_half_made_directories_go_and_recordings_without_a_row_stay_and_keep_their_number(void **state)
{
  actor_lab *f = *state;
  char *half = make_job_folder(f, "jobs", "5", "scene.json"), *recorded = make_job_folder(f, "jobs", "7", "recording.scree"),
       *foreign = make_job_folder(f, "jobs", "notes", "text"), *deleted = make_job_folder(f, "trash", "3", "recording.scree");
  actor_lab_open(f, 10);
  assert_int_not_equal(access(half, F_OK), 0);
  assert_int_not_equal(access(deleted, F_OK), 0);
  assert_int_equal(access(recorded, F_OK), 0);
  assert_int_equal(access(foreign, F_OK), 0);
  lab_job job;
  actor_lab_submit(f, "succeed");
  assert_int_equal(lab_get(f->lab, 8, &job, NULL), LAB_OK);
  free(half);
  free(recorded);
  free(foreign);
  free(deleted);
}

static void test_a_deletion_that_was_cut_off_is_undone_while_the_row_is_there(void **state)
{
  actor_lab *f = *state;
  actor_lab_open(f, 10);
  actor_lab_submit(f, "succeed");
  actor_lab_wait(f, 1, JOB_SUCCEEDED);
  lab_close(f->lab, 1);
  f->lab = NULL;
  char *job = folder_path(f->folder, "jobs/1"), *trash = folder_path(f->folder, "trash/1");
  assert_int_equal(rename(job, trash), 0);
  actor_lab_open(f, 10);
  assert_int_equal(access(job, F_OK), 0);
  assert_int_not_equal(access(trash, F_OK), 0);
  free(job);
  free(trash);
}

/* Its files go first, scene.json before the others: without it there is no way back, whatever else is left. */
static void test_a_deletion_that_was_cut_off_after_files_went_is_finished(void **state)
{
  actor_lab *f = *state;
  lab_job gone;
  actor_lab_open(f, 10);
  actor_lab_submit(f, "succeed");
  actor_lab_wait(f, 1, JOB_SUCCEEDED);
  lab_close(f->lab, 1);
  f->lab = NULL;
  char *job = folder_path(f->folder, "jobs/1"), *trash = folder_path(f->folder, "trash/1"), *scene = folder_path(trash, "scene.json");
  assert_int_equal(rename(job, trash), 0);
  assert_int_equal(unlink(scene), 0);
  actor_lab_open(f, 10);
  assert_int_equal(lab_get(f->lab, 1, &gone, NULL), LAB_NOT_FOUND);
  assert_int_not_equal(access(job, F_OK), 0);
  assert_int_not_equal(access(trash, F_OK), 0);
  free(job);
  free(trash);
  free(scene);
}

/* ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status try_open(const lab_config *config, scr_error *error)
{
  lab *opened = NULL;
  scr_status status = lab_open(config, &opened, error);
  lab_close(opened, 0);
  return status;
}

static void test_a_second_lab_is_refused_with_directory_and_process(void **state)
{
  actor_lab *f = *state;
  scr_error error = {0};
  char pid[32];
  lab_config config = actor_config(f->folder);
  actor_lab_open(f, 10);
  snprintf(pid, sizeof pid, "process %ld", (long)getpid());
  assert_int_equal(try_open(&config, &error), SCR_BUSY);
  assert_non_null(strstr(error.message, f->folder));
  assert_non_null(strstr(error.message, pid));
  lab_close(f->lab, 0);
  f->lab = NULL;
  assert_int_equal(try_open(&config, &error), SCR_OK);
}

static void test_a_directory_that_cannot_be_made_or_written_is_refused(void **state)
{
  actor_lab *f = *state;
  scr_error error = {0};
  char *file = folder_path(f->folder, "file"), *below = folder_path(file, "data");
  lab_config config = actor_config(below);
  close(open(file, O_WRONLY | O_CREAT, 0644));
  assert_int_equal(try_open(&config, &error), SCR_IO);
  assert_non_null(strstr(error.message, below));
  config.data_directory = "/proc/scree";
  assert_int_equal(try_open(&config, &error), SCR_IO);
  if (geteuid() != 0) { /* root may write anywhere */
    config.data_directory = f->folder;
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(try_open(&config, &error), SCR_IO);
    assert_non_null(strstr(error.message, "Permission denied"));
    assert_int_equal(chmod(f->folder, 0755), 0);
  }
  free(file);
  free(below);
}

static void test_a_missing_or_unfit_worker_program_is_refused(void **state)
{
  actor_lab *f = *state;
  scr_error error = {0};
  char *text = folder_path(f->folder, "text");
  lab_config config = actor_config(f->folder);
  config.worker_path = "/nowhere/scree-worker";
  assert_int_equal(try_open(&config, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "/nowhere/scree-worker"));
  close(open(text, O_WRONLY | O_CREAT, 0644));
  config.worker_path = text;
  assert_int_equal(try_open(&config, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "Permission denied"));
  config.worker_path = "scree-worker";
  assert_int_equal(try_open(&config, &error), SCR_BAD_USAGE);
  free(text);
}

/* Taken away while the lab runs: jobs wait, are not failed, and the lab says so. */
static void test_a_worker_program_that_vanishes_makes_jobs_wait(void **state)
{
  actor_lab *f = *state;
  char reason[300];
  char *link = folder_path(f->folder, "worker");
  lab_config config = actor_config(f->folder);
  assert_int_equal(symlink(config.worker_path, link), 0);
  config.worker_path = link;
  assert_int_equal(lab_open(&config, &f->lab, NULL), SCR_OK);
  assert_true(lab_ready(f->lab, reason, sizeof reason));
  assert_int_equal(unlink(link), 0);
  actor_lab_submit(f, "succeed");
  lab_job job = {0};
  for (int i = 0; i < 4000 && job.error[0] == 0; i++) {
    assert_int_equal(lab_get(f->lab, 1, &job, NULL), LAB_OK);
    usleep(5000);
  }
  assert_int_equal(job.state, JOB_QUEUED);
  assert_int_equal(job.attempt, 0);
  assert_non_null(strstr(job.error, link));
  assert_false(lab_ready(f->lab, reason, sizeof reason));
  assert_non_null(strstr(reason, link));
  free(link);
}

static void test_a_disk_without_its_reserve_takes_no_new_jobs(void **state)
{
  actor_lab *f = *state;
  scr_error error = {0};
  char reason[300];
  lab_config config = actor_config(f->folder);
  config.disk_reserve_bytes = UINT64_MAX;
  assert_int_equal(lab_open(&config, &f->lab, NULL), SCR_OK);
  assert_int_equal(actor_lab_try_submit(f, "succeed", &(lab_job){0}, &error), LAB_FULL);
  assert_non_null(strstr(error.message, "reserve"));
  assert_false(lab_ready(f->lab, reason, sizeof reason));
  assert_non_null(strstr(reason, "disk"));
}

static void test_settings_out_of_range_are_refused_by_name(void **state)
{
  actor_lab *f = *state;
  scr_error error = {0};
  lab_config config = actor_config(f->folder);
  config.slots = 0;
  assert_int_equal(try_open(&config, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "jobs run at once"));
  config = actor_config(f->folder);
  config.lease_seconds = 0;
  assert_int_equal(try_open(&config, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "lease"));
  config = actor_config(f->folder);
  config.max_attempts = 0;
  assert_int_equal(try_open(&config, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "attempts"));
}

SUITE(test_lab_recovery)
{
  ACTOR_MAIN(argc, argv);
  const struct CMUnitTest tests[] = {
      WITH_ACTOR_LAB(test_jobs_of_a_killed_lab_go_on_without_losing_an_attempt),
      WITH_ACTOR_LAB(test_a_worker_that_outlives_its_lab_is_never_doubled),
      WITH_ACTOR_LAB(test_closing_sends_running_jobs_back_to_the_queue_and_a_new_lab_goes_on),
      WITH_ACTOR_LAB(test_draining_asks_the_workers_to_end_and_starts_no_other),
      WITH_ACTOR_LAB(test_closing_does_not_wait_longer_than_its_grace),
      WITH_ACTOR_LAB(test_half_made_directories_go_and_recordings_without_a_row_stay_and_keep_their_number),
      WITH_ACTOR_LAB(test_a_deletion_that_was_cut_off_is_undone_while_the_row_is_there),
      WITH_ACTOR_LAB(test_a_deletion_that_was_cut_off_after_files_went_is_finished),
      WITH_ACTOR_LAB(test_a_second_lab_is_refused_with_directory_and_process),
      WITH_ACTOR_LAB(test_a_directory_that_cannot_be_made_or_written_is_refused),
      WITH_ACTOR_LAB(test_a_missing_or_unfit_worker_program_is_refused),
      WITH_ACTOR_LAB(test_a_worker_program_that_vanishes_makes_jobs_wait),
      WITH_ACTOR_LAB(test_a_disk_without_its_reserve_takes_no_new_jobs),
      WITH_ACTOR_LAB(test_settings_out_of_range_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
