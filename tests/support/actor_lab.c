/* A lab whose workers are actors. */
#include "tests/support/actor_lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/folder.h"

enum { looks = 4000, look_us = 5000 };

int actor_lab_set_up(void **state)
{
  actor_lab *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->folder = folder_create();
  *state = f;
  return 0;
}

int actor_lab_tear_down(void **state)
{
  actor_lab *f = *state;
  lab_close(f->lab, 0);
  folder_remove(f->folder);
  free(f);
  return 0;
}

void actor_lab_open(actor_lab *f, double lease_seconds)
{
  scr_error error = {0};
  lab_config config = actor_config(f->folder);
  config.lease_seconds = lease_seconds;
  if (lab_open(&config, &f->lab, &error) != SCR_OK) fail_msg("%s", error.message);
}

lab_status actor_lab_try_submit(actor_lab *f, const char *part, lab_job *job, scr_error *error)
{
  bool created = false;
  scr_problems problems = {0};
  char *scene = actor_scene(part);
  lab_submission submission = {.scene = scene, .scene_length = strlen(scene)};
  lab_status status = lab_submit(f->lab, &submission, job, &created, &problems, error);
  for (size_t i = 0; i < problems.count; i++) print_message("# %s: %s\n", problems.items[i].pointer, problems.items[i].detail);
  scr_problems_clear(&problems);
  free(scene);
  assert_true(created == (status == LAB_OK));
  return status;
}

lab_job actor_lab_submit(actor_lab *f, const char *part)
{
  lab_job job = {0};
  scr_error error = {0};
  if (actor_lab_try_submit(f, part, &job, &error) != LAB_OK) fail_msg("%s", error.message);
  return job;
}

lab_job actor_lab_get(actor_lab *f, int64_t id)
{
  lab_job job = {0};
  assert_int_equal(lab_get(f->lab, id, &job, NULL), LAB_OK);
  return job;
}

lab_job actor_lab_wait(actor_lab *f, int64_t id, lab_job_state wanted)
{
  lab_job job = {0};
  for (int i = 0; i < looks; i++) {
    job = actor_lab_get(f, id);
    if (job.state == wanted) return job;
    if (lab_job_state_ended(job.state)) break;
    usleep(look_us);
  }
  fail_msg("job %lld is %s (%s) instead of %s", (long long)id, lab_job_state_name(job.state), job.error, lab_job_state_name(wanted));
  return job;
}

void actor_lab_wait_alive(actor_lab *f, int64_t id)
{
  actor_lab_wait(f, id, JOB_RUNNING);
  for (int i = 0; i < looks && actor_lab_get(f, id).progress.step == 0; i++) usleep(look_us);
  assert_true(actor_lab_get(f, id).progress.step > 0);
}

lab_job actor_lab_run(actor_lab *f, double lease_seconds, const char *part, lab_job_state wanted)
{
  actor_lab_open(f, lease_seconds);
  actor_lab_submit(f, part);
  return actor_lab_wait(f, 1, wanted);
}
