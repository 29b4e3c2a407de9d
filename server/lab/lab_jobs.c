/* What users do with jobs. Runs on the caller's thread: checks here, one write to the store, a note to the supervisor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/clock.h"
#include "server/log/job_log.h"
#include "server/lab/lab_internal.h"

static lab_status fail_job(scr_error *error, lab_status status, int64_t id, const char *why)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld %s", (long long)id, why);
  return status;
}

/* ── submitting ───────────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status check_space(lab *self, scr_error *error)
{
  if (atomic_load(&self->draining)) {
    scr_fail(error, SCR_BUSY, NULL, "the server is shutting down and takes no new jobs; submit again when it is back");
    return LAB_DRAINING;
  }
  uint64_t available = lab_free_bytes(self);
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
    scr_fail(error, SCR_BAD_USAGE, NULL, "the idempotency key '%s' was used before with another request; use a new key", key);
    return LAB_KEY_REUSED;
  case STORE_KEY_GONE:
    scr_fail(error, SCR_BAD_USAGE, NULL,
             "the job that the idempotency key '%s' was used for has been deleted; use a new key to run the scene again", key);
    return LAB_GONE;
  case STORE_ROW_GONE:
  case STORE_ASSET_GONE: return LAB_CONFLICT; /* the store said why */
  case STORE_QUEUE_FULL:
    scr_fail(error, SCR_BUSY, NULL, "%zu jobs are waiting, the most this lab lets wait; submit again later", self->config.queue_limit);
    return LAB_QUEUE_FULL;
  }
  return LAB_FAILED;
}

/* The job's directory is made when it is run: until then all of it is in the store, in one commit. */
static lab_status insert(lab *self, store_submission *submission, lab_job *job, bool *created, scr_error *error)
{
  if (submission->id == 0) submission->id = atomic_fetch_add(&self->next_id, 1);
  submission->now_ms = clock_wall_ms();
  store_insertion insertion = STORE_INSERTED;
  if (store_insert(self->store, submission, &insertion, job, error) != SCR_OK)
    return insertion == STORE_ASSET_GONE || insertion == STORE_ROW_GONE ? LAB_CONFLICT : LAB_FAILED;
  if (insertion != STORE_INSERTED) return answer_insertion(self, insertion, submission->key, error);
  *created = true;
  job_log_submitted(self->config.log, job);
  supervisor_notice(self->supervisor, job->id, LAB_EVENT_JOB);
  return LAB_OK;
}

/* The recording and two checkpoints, of which one is being written. */
static double need_of(const scr_estimate *estimate)
{
  const double spare = 1048576.0;
  double record = isfinite(estimate->record_bytes) ? estimate->record_bytes : 0;
  return record + (isfinite(estimate->state_bytes) ? 2 * estimate->state_bytes : 0) + spare;
}

lab_status lab_insert_checked(lab *self, const lab_scene_facts *facts, store_submission *submission, lab_job *job, bool *created,
                              scr_error *error)
{
  submission->threads = facts->threads > 0 || facts->ranks <= 1 ? facts->threads : facts->ranks;
  submission->ranks = facts->ranks;
  submission->device = facts->device;
  submission->effective = facts->effective;
  if (!submission->name) submission->name = facts->name;
  if (!submission->executor) submission->executor = self->places[0].executor->name;
  submission->title = facts->title;
  submission->method = facts->method;
  submission->estimate = facts->estimate;
  submission->duration = (double)submission->estimate.step_count * submission->estimate.time_step;
  submission->need_bytes = need_of(&submission->estimate);
  submission->asset_count = facts->asset_count;
  submission->assets = facts->assets;
  return insert(self, submission, job, created, error);
}

/* One that is lost for want of memory leaves `truncated` set. */
static void copy_problems(const scr_problems *from, scr_problems *to)
{
  for (size_t i = 0; i < from->count; i++) {
    const scr_problem *p = &from->items[i];
    (void)scr_problems_add(to, p->pointer, p->given, p->allowed, "%s", p->detail);
  }
}

/* Where it is to run, with how many threads, and how. */
static void check_executor(const lab *self, const lab_submission *submission, scr_problems *problems)
{
  char text[300], allowed[48], names[48] = "";
  for (size_t i = 0; i < self->place_count; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", self->places[i].executor->name);
  }
  executor *where = lab_find_executor(self, submission->executor);
  if (!where) {
    (void)scr_problems_add(problems, "/executor", submission->executor, names,
                           "the executor '%.40s' is not configured here; there %s %s. screed --executor names them", submission->executor,
                           self->place_count > 1 ? "are" : "is", names);
    return;
  }
  unsigned threads = where->capacity(where).threads;
  if (submission->threads > threads) {
    char given[24];
    snprintf(given, sizeof given, "%u", submission->threads);
    snprintf(allowed, sizeof allowed, "0 to %u", threads);
    (void)scr_problems_add(problems, "/threads", given, allowed, "%u threads are asked for; this lab has %u for all jobs together",
                           submission->threads, threads);
  }
  if (!where->check && executor_options_given(&submission->options))
    (void)scr_problems_add(problems, "/executor_options", "", "none",
                           "a job of the executor '%s' has no executor_options: they are for a batch engine", where->name);
  else if (where->check && !where->check(where, &submission->options, text, sizeof text))
    (void)scr_problems_add(problems, "/executor_options", "", "", "%s", text);
}

static lab_status check_submission(const lab *self, const lab_submission *submission, scr_problems *problems, scr_error *error)
{
  const lab_change said = {.name = submission->name, .tags = submission->tags, .priority = &submission->priority, .user = submission->user};
  size_t before = problems->count;
  if (submission->key && strlen(submission->key) > LAB_KEY_LIMIT)
    (void)scr_problems_add(problems, "Idempotency-Key", "", "1 to 255 characters",
                           "the idempotency key has %zu bytes; at most %d are allowed", strlen(submission->key), LAB_KEY_LIMIT);
  lab_check_change(&said, problems);
  check_executor(self, submission, problems);
  if (problems->count == before) return LAB_OK;
  scr_fail(error, SCR_BAD_USAGE, NULL, "%s", problems->items[before].detail);
  return LAB_BAD_REQUEST;
}

lab_status lab_submit(lab *self, const lab_submission *wanted, lab_job *job, bool *created, scr_problems *problems, scr_error *error)
{
  store_submission submission = {.request = wanted->request ? wanted->request : wanted->scene,
                                 .request_length = wanted->request ? wanted->request_length : wanted->scene_length,
                                 .key = wanted->key && *wanted->key ? wanted->key : NULL,
                                 .name = wanted->name,
                                 .tags = wanted->tags,
                                 .user = wanted->user,
                                 .priority = wanted->priority,
                                 .executor = wanted->executor,
                                 .options = wanted->options,
                                 .max_attempts = self->config.max_attempts,
                                 .queue_limit = self->config.queue_limit};
  *created = false;
  lab_status answer = check_submission(self, wanted, problems, error);
  if (answer != LAB_OK) return answer;
  if (submission.key) { /* before all other checks: a repeated request gets its first answer even when nothing new would be taken */
    store_insertion insertion;
    if (store_find_key(self->store, submission.key, submission.request, submission.request_length, &insertion, job, error) != SCR_OK)
      return LAB_FAILED;
    if (insertion != STORE_INSERTED) return answer_insertion(self, insertion, submission.key, error);
  }
  answer = check_space(self, error);
  if (answer != LAB_OK) return answer;
  lab_scene_facts facts;
  answer = lab_check_scene(self, wanted->scene, wanted->scene_length, NULL, &facts, problems, error);
  if (answer != LAB_OK) return answer;
  answer = lab_check_place(self, wanted->executor, wanted->threads, &facts, problems, error);
  if (answer == LAB_OK) answer = lab_insert_checked(self, &facts, &submission, job, created, error);
  if (answer == LAB_OK && *created) copy_problems(&facts.warnings, problems);
  lab_scene_facts_clear(&facts);
  return answer;
}

/* ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A running job's newest progress is in memory, not in the store. */
static void add_live_progress(lab *self, lab_job *job)
{
  if (job->state == JOB_RUNNING) supervisor_progress(self->supervisor, job->id, job);
  /* With the disk below the reserve every queued job waits for it, marked or not. */
  if (job->state == JOB_QUEUED && supervisor_disk_is_low(self->supervisor)) snprintf(job->waiting, sizeof job->waiting, "disk");
}

lab_status lab_get(lab *self, int64_t id, lab_job *job, scr_error *error)
{
  bool found;
  if (store_get(self->store, id, job, &found, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_job(error, LAB_NOT_FOUND, id, "does not exist");
  add_live_progress(self, job);
  return LAB_OK;
}

lab_status lab_list(lab *self, const lab_query *query, lab_job *jobs, size_t capacity, size_t *count, char cursor[LAB_CURSOR_BYTES],
                    scr_error *error)
{
  scr_status status = store_list(self->store, query, jobs, capacity, count, cursor, error);
  if (status != SCR_OK) return status == SCR_BAD_USAGE ? LAB_BAD_REQUEST : LAB_FAILED;
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
  store_answer answer = {0};
  lab_job *now = &answer.job;
  if (store_request(self->store, id, wanted, clock_wall_ms(), &answer, error) != SCR_OK) return LAB_FAILED;
  if (!answer.found) return fail_job(error, LAB_NOT_FOUND, id, "does not exist");
  if (!answer.answer.allowed) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld is %s; only a job that is %s can be %s", (long long)id, lab_job_state_name(now->state),
             answer.answer.need, verb);
    return LAB_CONFLICT;
  }
  job_log_requested(self->config.log, wanted, now);
  if (now->state == JOB_RUNNING) supervisor_request(self->supervisor, id, answer.token, wanted);
  supervisor_notice(self->supervisor, id, LAB_EVENT_JOB);
  add_live_progress(self, now);
  *job = *now;
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

bool lab_deleting(lab *self, int64_t id)
{
  bool found = true;
  lab_job job;
  if (data_in_trash(&self->data, id)) return true;
  return store_get(self->store, id, &job, &found, NULL) == SCR_OK && !found;
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
  data_trash_empty(&self->data, id); /* first of all room, for the store too; what is left says that the row is to go */
  if (store_delete(self->store, id, clock_wall_ms(), &deleted, error) != SCR_OK) return LAB_FAILED;
  data_trash_remove(&self->data, id);
  if (!deleted) return fail_job(error, LAB_NOT_FOUND, id, "does not exist"); /* someone else was faster */
  job_log_deleted(self->config.log, id);
  supervisor_notice(self->supervisor, id, LAB_EVENT_DELETED);
  return LAB_OK;
}
