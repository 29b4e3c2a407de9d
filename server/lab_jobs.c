/* What users do with jobs. Runs on the caller's thread: checks here, one write to the store, a note to the supervisor. */
#include <stdio.h>
#include <string.h>

#include "server/clock.h"
#include "server/lab_internal.h"

enum { key_limit = 255 };

static lab_status fail_job(scr_error *error, lab_status status, int64_t id, const char *why)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld %s", (long long)id, why);
  return status;
}

/* ── submitting ───────────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status check_room(lab *self, scr_error *error)
{
  if (atomic_load(&self->draining)) {
    scr_fail(error, SCR_BUSY, NULL, "the lab is shutting down and takes no new jobs; submit again when it is back");
    return LAB_DRAINING;
  }
  uint64_t available = data_free_bytes(&self->data);
  if (available >= self->config.disk_reserve_bytes) return LAB_OK;
  scr_fail(error, SCR_IO, NULL,
           "the data directory's disk has %.3g MB free and %.3g MB are kept in reserve; delete old jobs or free some space",
           (double)available / 1e6, (double)self->config.disk_reserve_bytes / 1e6);
  return LAB_FULL;
}

static lab_status answer_insertion(const lab *self, store_insertion insertion, const char *key, scr_error *error)
{
  switch (insertion) {
  case STORE_INSERTED:
  case STORE_REPEATED: return LAB_OK;
  case STORE_KEY_REUSED:
    scr_fail(error, SCR_BAD_USAGE, NULL, "the idempotency key '%s' was used before with another scene; use a new key", key);
    return LAB_KEY_REUSED;
  case STORE_QUEUE_FULL:
    scr_fail(error, SCR_BUSY, NULL, "%zu jobs are waiting, the most this lab lets wait; submit again later", self->config.queue_limit);
    return LAB_FULL;
  }
  return LAB_FAILED;
}

/* The directory is whole on the disk before the row can be claimed; a directory whose row was refused is removed again. */
static lab_status insert(lab *self, store_submission *submission, const char *effective, lab_job *job, bool *created, scr_error *error)
{
  submission->id = atomic_fetch_add(&self->next_id, 1);
  submission->now_ms = clock_wall_ms();
  if (data_job_create(&self->data, submission->id, effective, error) != SCR_OK) return LAB_FAILED;
  store_insertion insertion = STORE_INSERTED;
  scr_status status = store_insert(self->store, submission, &insertion, job, error);
  if (status == SCR_OK && insertion == STORE_INSERTED) {
    *created = true;
    supervisor_notice(self->supervisor, job->id, LAB_EVENT_JOB);
    return LAB_OK;
  }
  if (data_job_to_trash(&self->data, submission->id, NULL) == SCR_OK) data_trash_remove(&self->data, submission->id);
  return status == SCR_OK ? answer_insertion(self, insertion, submission->key, error) : LAB_FAILED;
}

static lab_status submit_checked(lab *self, const scr_scene *scene, store_submission *submission, lab_job *job, bool *created,
                                 scr_error *error)
{
  char *effective = scr_scene_json(scene);
  if (!effective) {
    scr_fail(error, SCR_NO_MEMORY, NULL, "no memory to write the scene");
    return LAB_FAILED;
  }
  submission->name = scr_scene_name(scene);
  submission->title = scr_scene_title(scene);
  submission->method = scr_scene_method(scene);
  submission->estimate = *scr_scene_estimate(scene);
  submission->duration = (double)submission->estimate.step_count * submission->estimate.time_step;
  lab_status answer = insert(self, submission, effective, job, created, error);
  scr_free(effective);
  return answer;
}

/* One that is lost for want of memory leaves `truncated` set. */
static void copy_problems(const scr_problems *from, scr_problems *to)
{
  for (size_t i = 0; i < from->count; i++) {
    const scr_problem *p = &from->items[i];
    (void)scr_problems_add(to, p->pointer, p->given, p->allowed, "%s", p->detail);
  }
}

lab_status lab_submit(lab *self, const char *scene, size_t length, const char *idempotency_key, int priority, lab_job *job, bool *created,
                      scr_problems *problems, scr_error *error)
{
  const char *key = idempotency_key && *idempotency_key ? idempotency_key : NULL;
  *created = false;
  if (key && strlen(key) > key_limit) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "the idempotency key has %zu bytes; at most %d are allowed", strlen(key), key_limit);
    return LAB_FAILED;
  }
  if (key) { /* before all checks: a repeated request gets its first answer even when nothing new would be taken */
    store_insertion insertion;
    if (store_find_key(self->store, key, scene, length, &insertion, job, error) != SCR_OK) return LAB_FAILED;
    if (insertion != STORE_INSERTED) return answer_insertion(self, insertion, key, error);
  }
  lab_status room = check_room(self, error);
  if (room != LAB_OK) return room;
  scr_scene *parsed = NULL;
  scr_status status = scr_scene_parse(scene, length, &self->config.limits, &parsed, problems);
  if (status != SCR_OK) {
    scr_fail(error, status, NULL, status == SCR_BAD_SCENE ? "the scene is refused; the problems say why" : "no memory to check the scene");
    return status == SCR_BAD_SCENE ? LAB_REFUSED : LAB_FAILED;
  }
  store_submission submission = {.scene = scene,
                                 .scene_length = length,
                                 .key = key,
                                 .priority = priority,
                                 .max_attempts = self->config.max_attempts,
                                 .queue_limit = self->config.queue_limit};
  lab_status answer = submit_checked(self, parsed, &submission, job, created, error);
  if (answer == LAB_OK && *created && problems) copy_problems(scr_scene_warnings(parsed), problems);
  scr_scene_destroy(parsed);
  return answer;
}

/* ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A running job's newest progress is in memory, not in the store. */
static void add_live_progress(lab *self, lab_job *job)
{
  if (job->state == LAB_RUNNING) supervisor_progress(self->supervisor, job->id, job);
}

lab_status lab_get(lab *self, int64_t id, lab_job *job, scr_error *error)
{
  bool found;
  if (store_get(self->store, id, job, &found, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_job(error, LAB_NOT_FOUND, id, "does not exist");
  add_live_progress(self, job);
  return LAB_OK;
}

lab_status lab_list(lab *self, int64_t before, int state, lab_job *jobs, size_t capacity, size_t *count, bool *more, scr_error *error)
{
  if (store_list(self->store, before, state, jobs, capacity, count, more, error) != SCR_OK) return LAB_FAILED;
  for (size_t i = 0; i < *count; i++) add_live_progress(self, &jobs[i]);
  return LAB_OK;
}

lab_status lab_job_file(lab *self, int64_t id, const char *file, char *path, size_t capacity, scr_error *error)
{
  bool found;
  lab_job job;
  if (!file || !*file || *file == '.' || strchr(file, '/')) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "'%s' is not the name of a job's file", file ? file : "");
    return LAB_FAILED;
  }
  if (store_get(self->store, id, &job, &found, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_job(error, LAB_NOT_FOUND, id, "does not exist");
  if (data_job_path(&self->data, id, file, path, capacity)) return LAB_OK;
  return fail_job(error, LAB_FAILED, id, "has a path that is too long");
}

/* ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status request(lab *self, int64_t id, job_request wanted, const char *verb, lab_job *job, scr_error *error)
{
  bool found;
  job_answer answer;
  lab_job now = {0};
  if (store_request(self->store, id, wanted, clock_wall_ms(), &found, &answer, &now, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_job(error, LAB_NOT_FOUND, id, "does not exist");
  if (!answer.allowed) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld is %s; only a job that is %s can be %s", (long long)id, lab_job_state_name(now.state),
             answer.need, verb);
    return LAB_CONFLICT;
  }
  if (now.state == LAB_RUNNING) supervisor_request(self->supervisor, id, wanted);
  supervisor_notice(self->supervisor, id, LAB_EVENT_JOB);
  add_live_progress(self, &now);
  *job = now;
  return LAB_OK;
}

lab_status lab_cancel(lab *self, int64_t id, lab_job *job, scr_error *error)
{
  return request(self, id, JOB_CANCEL, "cancelled", job, error);
}

lab_status lab_pause(lab *self, int64_t id, lab_job *job, scr_error *error)
{
  return request(self, id, JOB_PAUSE, "paused", job, error);
}

lab_status lab_resume(lab *self, int64_t id, lab_job *job, scr_error *error)
{
  return request(self, id, JOB_RESUME, "resumed", job, error);
}

lab_status lab_delete(lab *self, int64_t id, scr_error *error)
{
  bool found, deleted = false;
  lab_job job;
  if (store_get(self->store, id, &job, &found, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_job(error, LAB_NOT_FOUND, id, "does not exist");
  if (!lab_job_state_ended(job.state)) { /* an ended job stays ended, so this answer can't be overtaken */
    scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld is %s; only an ended job can be deleted: cancel it first", (long long)id,
             lab_job_state_name(job.state));
    return LAB_CONFLICT;
  }
  if (data_job_to_trash(&self->data, id, error) != SCR_OK) return LAB_FAILED;
  if (store_delete(self->store, id, &deleted, error) != SCR_OK) {
    data_job_from_trash(&self->data, id);
    return LAB_FAILED;
  }
  if (!deleted) return fail_job(error, LAB_NOT_FOUND, id, "does not exist"); /* someone else was faster, and removes the files */
  data_trash_remove(&self->data, id);
  supervisor_notice(self->supervisor, id, LAB_EVENT_DELETED);
  return LAB_OK;
}
