/* What a lab gives its jobs and when it takes it back: threads of all jobs together, room on the disk, and when a job will end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/lab/study/lab_study.h"
#include "tests/support/actor_lab.h"
#include "tests/support/suites.h"

static void open_with(actor_lab *f, unsigned slots, unsigned threads, uint64_t reserve)
{
  scr_error error = {0};
  lab_config config = actor_config(f->folder);
  config.slots = slots, config.threads_per_job = 1, config.threads = threads;
  config.disk_reserve_bytes = reserve;
  if (lab_open(&config, &f->lab, &error) != SCR_OK) fail_msg("%s", error.message);
}

/* Waits until a running job has done that many steps, of 10 ms each and more, from now. */
static void let_pass(actor_lab *f, int64_t id, uint64_t steps)
{
  uint64_t from = actor_lab_get(f, id).progress.step;
  for (int i = 0; i < 4000 && actor_lab_get(f, id).progress.step < from + steps; i++) usleep(5000);
  assert_true(actor_lab_get(f, id).progress.step >= from + steps);
}

/* Four slots but two threads: two jobs run, the third waits until one of them has ended. */
static void test_jobs_run_while_there_are_threads_for_them(void **state)
{
  actor_lab *f = *state;
  open_with(f, 4, 2, 0);
  for (int i = 0; i < 3; i++) actor_lab_submit(f, "beat");
  for (int64_t id = 1; id <= 2; id++) {
    actor_lab_wait(f, id, JOB_RUNNING);
    actor_lab_wait_alive(f, id);
  }
  let_pass(f, 2, 20);
  assert_int_equal(actor_lab_get(f, 3).state, JOB_QUEUED);
  lab_job job;
  assert_int_equal(lab_cancel(f->lab, 1, &job, NULL), LAB_OK);
  actor_lab_wait(f, 3, JOB_RUNNING);
}

/* With twice the reserve free jobs are started and left to run: they stop at a quarter of it. The lab looks at the disk every second or
 * so. */
static void test_jobs_go_on_while_the_disk_has_room(void **state)
{
  actor_lab *f = *state;
  struct statvfs about;
  assert_int_equal(statvfs(f->folder, &about), 0);
  open_with(f, 1, 1, (uint64_t)about.f_bavail * about.f_frsize / 2);
  actor_lab_submit(f, "beat");
  actor_lab_wait(f, 1, JOB_RUNNING);
  actor_lab_wait_alive(f, 1);
  let_pass(f, 1, 250);
  lab_job job = actor_lab_get(f, 1);
  assert_int_equal(job.state, JOB_RUNNING);
  assert_int_equal(job.attempt, 1);
  assert_string_equal(job.waiting, "");
}

/* Of 1000 steps at 50 a second what is left, over the pace: 20 s less what is done. */
static void test_a_job_says_when_it_will_end(void **state)
{
  actor_lab *f = *state;
  open_with(f, 1, 1, 0);
  actor_lab_submit(f, "beat");
  actor_lab_wait_alive(f, 1);
  let_pass(f, 1, 5);
  lab_job job = actor_lab_get(f, 1);
  assert_true(job.progress.step > 0 && job.progress.step < 1000);
  assert_float_equal(job.progress.eta_seconds, (1000 - (double)job.progress.step) / 50, 1e-9);
}

/* A run that beats for ever is cancelled once it has taken longer than the study allows, and its row says so; the study goes on to its end.
 */
static void test_a_run_that_takes_too_long_for_its_study_is_cancelled(void **state)
{
  actor_lab *f = *state;
  open_with(f, 1, 1, 0);
  char *scene = actor_scene("beat"), text[2000];
  snprintf(text, sizeof text,
           "{\"scree_study\":1,\"name\":\"s\",\"scene\":%s,\"factors\":{\"n\":{\"pointer\":\"/name\",\"values\":[\"beat\",\"succeed\"]}},"
           "\"limits\":{\"run_seconds\":0.05}}",
           scene);
  free(scene);
  lab_study_plan plan;
  lab_study study;
  bool created;
  scr_problems problems = {0};
  scr_error error = {0};
  if (lab_study_submit(f->lab, &(lab_study_request){.text = text, .length = strlen(text)}, &plan, &study, &created, &problems, &error) !=
      LAB_OK)
    fail_msg("%s %s", error.message, problems.count ? problems.items[0].detail : "");
  lab_study_plan_clear(&plan);
  for (int i = 0; i < 4000 && study.state != STUDY_FINISHED; i++) {
    usleep(5000);
    assert_int_equal(lab_study_get(f->lab, 1, &study, NULL), LAB_OK);
  }
  assert_int_equal(study.state, STUDY_FINISHED);
  assert_int_equal(study.counts[ROW_FAILED], 1);
  assert_int_equal(study.counts[ROW_SUCCEEDED], 1);
  lab_study_row row;
  size_t count;
  assert_int_equal(lab_study_rows(f->lab, 1, &(study_query){0}, &row, 1, &count, NULL), LAB_OK);
  assert_non_null(strstr(row.reason, "the study's limit run_seconds is 0.05 s"));
  assert_int_equal(actor_lab_get(f, row.job).state, JOB_CANCELLED);
  lab_study_row_clear(&row);
}

SUITE(test_lab_limits)
{
  ACTOR_MAIN(argc, argv);
  const struct CMUnitTest tests[] = {
      WITH_ACTOR_LAB(test_jobs_run_while_there_are_threads_for_them),
      WITH_ACTOR_LAB(test_jobs_go_on_while_the_disk_has_room),
      WITH_ACTOR_LAB(test_a_job_says_when_it_will_end),
      WITH_ACTOR_LAB(test_a_run_that_takes_too_long_for_its_study_is_cancelled),
  };
  return cmocka_run_group_tests_name("lab limits", tests, NULL, NULL);
}
