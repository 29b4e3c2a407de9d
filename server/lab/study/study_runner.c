/* One loop: read the results of rows whose jobs have ended, take away what is being deleted, make jobs of waiting rows, sleep. */
#include "server/lab/study/study_runner.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "run/build_id.h"
#include "server/clock.h"
#include "server/lab/lab_internal.h"
#include "server/lab/study/study_limits.h"
#include "server/lab/study/study_rows.h"
#include "server/store/study/store_study.h"

enum { IDLE_MS = 60000, LATER_MS = 2000, DOCUMENTS = 8, STUDIES_AT_ONCE = 64, ROWS_AT_ONCE = 32 };

/* A document that is held for the next row. */
typedef struct held_document {
  int64_t study; /* 0: none */
  study_document document;
} held_document;

struct study_runner {
  lab *lab;
  pthread_t thread;
  bool started;
  pthread_mutex_t mutex; /* guards `awake` and `ending` */
  pthread_cond_t changed;
  bool awake, ending;
  held_document documents[DOCUMENTS]; /* the thread's */
  size_t next_document;
};

/* What became of one piece of work. */
typedef enum progress { PROGRESS_NONE, PROGRESS_MADE, PROGRESS_LATER } progress;

static bool is_ending(study_runner *self)
{
  pthread_mutex_lock(&self->mutex);
  bool ending = self->ending;
  pthread_mutex_unlock(&self->mutex);
  return ending || atomic_load(&self->lab->draining);
}

static void report(study_runner *self, int64_t study, const scr_error *error)
{
  log_write_bounded(self->lab->config.log, LOG_LEVEL_ERROR, "study_failed",
                    LOG_FIELDS(log_integer("study", study), log_text("reason", error->message)));
}

/* The study's document, read once and held. NULL: it can't be had now. */
static const study_document *document_of(study_runner *self, int64_t study)
{
  for (size_t i = 0; i < DOCUMENTS; i++)
    if (self->documents[i].study == study) return &self->documents[i].document;
  char *text = NULL;
  bool found = false;
  scr_problems problems = {0};
  scr_error error = {0};
  held_document *held = &self->documents[self->next_document];
  if (held->study) study_document_clear(&held->document);
  held->study = 0;
  scr_status status = store_study_document(self->lab->store, study, &text, &found, &error);
  if (status == SCR_OK && found) status = study_document_read(text, strlen(text), &held->document, &problems);
  free(text);
  if (status == SCR_BAD_SCENE && problems.count) scr_fail(&error, status, NULL, "%s", problems.items[0].detail);
  scr_problems_clear(&problems);
  if (status != SCR_OK || !found) {
    report(self, study, &error);
    return NULL;
  }
  held->study = study;
  self->next_document = (self->next_document + 1) % DOCUMENTS;
  return &held->document;
}

static progress change_row(study_runner *self, int64_t study, int64_t number, const store_row_change *change)
{
  scr_error error = {0};
  bool changed;
  if (store_change_row(self->lab->store, study, number, change, &changed, &error) == SCR_OK) return PROGRESS_MADE;
  report(self, study, &error);
  return PROGRESS_LATER;
}

/* ── results ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a row's run gave. */
typedef struct row_outcome {
  results_answer answer;
  double *residuals; /* of a calibration */
  size_t residual_count;
  char reason[STUDY_REASON_BYTES]; /* what a calibration has no value for */
} row_outcome;

static void outcome_clear(row_outcome *outcome)
{
  free(outcome->answer.text);
  free(outcome->residuals);
}

static scr_status compare(const study_document *document, const results_request *request, row_outcome *outcome, scr_error *error)
{
  const study_calibration *calibration = document->design.calibration;
  const char *label = json_string_value(json_object_get(request->factors, "scene"));
  const char *scene = label && json_array_size(document->labels) ? label : "";
  outcome->residual_count = calibration_residual_count(calibration, scene);
  outcome->residuals = calloc(outcome->residual_count + 1, sizeof *outcome->residuals);
  if (!outcome->residuals) return scr_fail_memory(error, "residuals of a run", outcome->residual_count * sizeof(double));
  return calibration_compare(calibration, scene, request, outcome->residuals, outcome->reason, error);
}

/* Reads a job's results. @param build NULL: of any build    @param outcome to be cleared in any case */
static scr_status evaluate(study_runner *self, const study_document *document, const lab_study_row *row, const lab_job *job,
                           const char *build, row_outcome *outcome, scr_error *error)
{
  char path[DATA_PATH_BYTES + 64];
  *outcome = (row_outcome){0};
  if (!data_job_path(&self->lab->data, job->id, "recording.scree", path, sizeof path))
    return scr_fail(error, SCR_IO, NULL, "the path of job %lld's recording is too long", (long long)job->id);
  json_t *factors = json_loads(row->factors, 0, NULL);
  const results_request request = {.results = document->results,
                                   .result_count = document->result_count,
                                   .factors = factors,
                                   .job = job,
                                   .recording = path,
                                   .build = build};
  scr_status status = results_evaluate(&request, &outcome->answer, error);
  if (status == SCR_OK && outcome->answer.text && document->design.calibration) status = compare(document, &request, outcome, error);
  json_decref(factors);
  return status;
}

/* A study whose rows have all ended is finished; a calibration may ask for more. */
static void settle(study_runner *self, int64_t study)
{
  bool finished;
  const study_document *document = document_of(self, study);
  if (document && !document->design.calibration) (void)store_study_finish(self->lab->store, study, clock_wall_ms(), &finished, NULL);
}

static progress conclude_row(study_runner *self, int64_t study, const lab_study_row *row, const lab_job *job)
{
  store_row_change change = {
      .from = ROW_ENDED, .to = job->state == JOB_CANCELLED ? ROW_CANCELLED : ROW_FAILED, .job = -1, .reason = job->error};
  row_outcome outcome = {0};
  scr_error error = {0};
  const study_document *document = document_of(self, study);
  if (job->state == JOB_CANCELLED && document && study_limits_exceeded(&document->limits, job, outcome.reason)) {
    change.to = ROW_FAILED;
    change.reason = outcome.reason;
  }
  if (job->state == JOB_SUCCEEDED) {
    scr_status status = document ? evaluate(self, document, row, job, NULL, &outcome, &error) : SCR_NO_MEMORY;
    if (status == SCR_NO_MEMORY) {
      outcome_clear(&outcome);
      return PROGRESS_LATER;
    }
    change.to = status == SCR_OK ? ROW_SUCCEEDED : ROW_FAILED;
    change.reason = status == SCR_OK ? outcome.reason : error.message;
    change.results = outcome.answer.text;
    change.residuals = status == SCR_OK ? outcome.residuals : NULL;
    change.residual_count = outcome.residual_count;
  }
  progress made = change_row(self, study, row->number, &change);
  outcome_clear(&outcome);
  return made;
}

/* Reads the results of one row whose job has ended. */
static progress read_ended(study_runner *self)
{
  static const store_row_change lost = {
      .from = ROW_ENDED, .to = ROW_FAILED, .job = -1, .reason = "its job was deleted before its results were read"};
  int64_t study;
  lab_study_row row;
  lab_job job;
  bool found = false;
  scr_error error = {0};
  scr_status status = store_ended_row(self->lab->store, &study, &row, &error);
  if (status == SCR_OK && study == 0) return PROGRESS_NONE;
  if (status == SCR_OK && row.job) status = store_get(self->lab->store, row.job, &job, &found, &error);
  progress made = PROGRESS_LATER;
  if (status == SCR_OK) made = found ? conclude_row(self, study, &row, &job) : change_row(self, study, row.number, &lost);
  if (made == PROGRESS_MADE) settle(self, study);
  lab_study_row_clear(&row);
  return made;
}

/* ── rows to jobs ─────────────────────────────────────────────────────────────────────────────────────────────── */

static progress refuse_row(study_runner *self, int64_t study, const lab_study_row *row, const char *reason)
{
  const store_row_change change = {.from = ROW_WAITING, .to = ROW_REFUSED, .job = 0, .reason = reason};
  progress made = change_row(self, study, row->number, &change);
  settle(self, study);
  return made;
}

/* The first problems as one text. */
static void join_problems(const scr_problems *problems, char *text, size_t capacity)
{
  text[0] = '\0';
  for (size_t i = 0; i < problems->count && strlen(text) + 2 < capacity; i++)
    snprintf(text + strlen(text), capacity - strlen(text), "%s%s", i ? "; " : "", problems->items[i].detail);
}

/* Takes a run over that was made before for a row with the same scene, by this build. */
static progress take_over(study_runner *self, const study_document *document, int64_t study, const lab_study_row *row, const char *digest)
{
  int64_t id = 0;
  for (int tries = 0; tries < 4; tries++) {
    lab_job job;
    bool found = false;
    row_outcome outcome;
    if (store_job_of_digest(self->lab->store, digest, id, &id, NULL) != SCR_OK || id == 0) return PROGRESS_NONE;
    if (store_get(self->lab->store, id, &job, &found, NULL) != SCR_OK || !found || job.state != JOB_SUCCEEDED || job.damage.message[0])
      continue;
    scr_status status = evaluate(self, document, row, &job, build_id(), &outcome, NULL);
    progress made = PROGRESS_NONE;
    if (status == SCR_OK && outcome.answer.text) {
      const store_row_change change = {.from = ROW_WAITING,
                                       .to = ROW_SUCCEEDED,
                                       .job = id,
                                       .digest = digest,
                                       .results = outcome.answer.text,
                                       .reason = outcome.reason,
                                       .residuals = outcome.residuals,
                                       .residual_count = outcome.residual_count};
      made = change_row(self, study, row->number, &change);
      settle(self, study);
    }
    outcome_clear(&outcome);
    if (made != PROGRESS_NONE) return made;
  }
  return PROGRESS_NONE;
}

static progress stop_study(study_runner *self, int64_t study, const char *reason)
{
  store_study_change moved;
  const store_study_target to = {.from = 1u << STUDY_RUNNING, .to = STUDY_STOPPED, .reason = reason};
  (void)store_study_move(self->lab->store, study, &to, &moved, NULL);
  return PROGRESS_NONE;
}

static progress stop_for_disk(study_runner *self, const lab_study *study, double limit, double bytes)
{
  char reason[STUDY_REASON_BYTES];
  snprintf(reason, sizeof reason,
           "the recordings of its runs are estimated to take %.3g MB, and the next %.3g MB more; its limit disk_bytes is %.3g MB",
           study->record_bytes / 1e6, bytes / 1e6, limit / 1e6);
  return stop_study(self, study->id, reason);
}

static progress submit_row(study_runner *self, const lab_study *study, const lab_study_row *row, const lab_scene_facts *facts,
                           const char *digest)
{
  char name[LAB_NAME_BYTES], tags[256];
  bool created = false;
  lab_job job;
  scr_error error = {0};
  snprintf(name, sizeof name, "%.48s-%lld", study->name, (long long)row->number);
  snprintf(tags, sizeof tags, "{\"study\":\"%lld\",\"study_name\":\"%s\"}", (long long)study->id, study->name);
  store_submission submission = {.name = name,
                                 .tags = tags,
                                 .user = study->user,
                                 .priority = study->priority,
                                 .max_attempts = self->lab->config.max_attempts,
                                 .queue_limit = self->lab->config.queue_limit,
                                 .study = study->id,
                                 .study_row = row->number,
                                 .scene_digest = digest};
  lab_status status = lab_insert_checked(self->lab, facts, &submission, &job, &created, &error);
  if (status == LAB_OK || status == LAB_CONFLICT) return PROGRESS_MADE; /* a row that is gone is looked for again */
  if (status != LAB_QUEUE_FULL) report(self, study->id, &error);
  return PROGRESS_LATER;
}

static progress start_checked(study_runner *self, const study_document *document, const lab_study *study, const lab_study_row *row,
                              const lab_scene_facts *facts)
{
  const study_limits *limits = &document->limits;
  char digest[STUDY_DIGEST_BYTES], reason[STUDY_REASON_BYTES];
  sha256 sum;
  sha256_begin(&sum);
  sha256_add(&sum, facts->effective, strlen(facts->effective));
  sha256_text(&sum, digest);
  progress made = take_over(self, document, study->id, row, digest);
  if (made != PROGRESS_NONE) return made;
  double seconds = facts->estimate.run_seconds, bytes = isfinite(facts->estimate.record_bytes) ? facts->estimate.record_bytes : 0;
  if (limits->run_seconds > 0 && seconds > limits->run_seconds) {
    snprintf(reason, sizeof reason, "its run is estimated to take %.3g s; the study's limit run_seconds is %.3g s", seconds,
             limits->run_seconds);
    return refuse_row(self, study->id, row, reason);
  }
  if (limits->disk_bytes > 0 && study->record_bytes + bytes > limits->disk_bytes)
    return stop_for_disk(self, study, limits->disk_bytes, bytes);
  return submit_row(self, study, row, facts, digest);
}

/* Makes a job of a row. */
static progress start_row(study_runner *self, const lab_study *study, const lab_study_row *row)
{
  const study_document *document = document_of(self, study->id);
  if (!document) return PROGRESS_LATER;
  scr_problems problems = {0};
  scr_error error = {0};
  char reason[STUDY_REASON_BYTES];
  json_t *factors = json_loads(row->factors, 0, NULL), *scene = NULL;
  scr_status made = factors ? study_row_scene(document, factors, &scene, &problems) : SCR_NO_MEMORY;
  char *text = scene ? json_dumps(scene, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  lab_scene_facts facts = {0};
  lab_status status = made == SCR_BAD_SCENE ? LAB_REFUSED : !text ? LAB_FAILED : LAB_OK;
  if (status == LAB_OK) status = lab_check_scene(self->lab, text, strlen(text), NULL, &facts, &problems, &error);
  if (status == LAB_OK) status = lab_check_place(self->lab, NULL, 0, &facts, &problems, &error);
  progress result = PROGRESS_LATER;
  if (status == LAB_OK)
    result = start_checked(self, document, study, row, &facts);
  else if (status == LAB_REFUSED || status == LAB_TOO_LARGE) {
    if (status == LAB_REFUSED) join_problems(&problems, reason, sizeof reason);
    result = refuse_row(self, study->id, row, status == LAB_REFUSED ? reason : error.message);
  }
  lab_scene_facts_clear(&facts);
  scr_problems_clear(&problems);
  free(text);
  json_decref(scene);
  json_decref(factors);
  return result;
}

static size_t flight_limit(study_runner *self, int64_t study)
{
  const study_document *document = document_of(self, study);
  size_t wanted = document && document->limits.at_once ? document->limits.at_once : 2 * (size_t)lab_slots(self->lab);
  return wanted < STUDY_FLIGHT_LIMIT ? wanted : STUDY_FLIGHT_LIMIT;
}

/* ── calibrations ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Points whose rows are added. */
typedef struct asked_points {
  const study_document *document;
  const double *points;
} asked_points;

static char *asked_row(void *user, size_t index)
{
  const asked_points *asked = user;
  const study_calibration *calibration = asked->document->design.calibration;
  const calibration_about about = study_calibration_about(asked->document);
  size_t each = calibration_rows_each(calibration);
  json_t *row = calibration_row(calibration, &about, asked->points + index / each * calibration->unknown_count, index % each);
  char *text = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(row);
  return text;
}

static progress stop_without_values(study_runner *self, const lab_study *study, size_t known)
{
  char reason[STUDY_REASON_BYTES];
  lab_study_row row = {0};
  study_query query = {0};
  size_t count = 0;
  (void)store_study_rows(self->lab->store, study->id, &query, &row, 1, &count, NULL);
  snprintf(reason, sizeof reason, "none of the first %zu points gave a value to compare; row 1: %.360s", known,
           count && row.reason[0] ? row.reason : "no reason was noted");
  lab_study_row_clear(&row);
  return stop_study(self, study->id, reason);
}

/* Asks the search for rows to fill the slots; at its end the study is finished. */
static progress calibrate(study_runner *self, const study_document *document, const lab_study *study, size_t free_slots)
{
  enum { POINTS_WITHOUT_VALUE = 8 };
  calibration_progress *known = NULL;
  double *points = NULL;
  size_t count = 0, ended = 0, valued = 0, each = calibration_rows_each(document->design.calibration);
  bool over = false, finished;
  char why[160];
  scr_error error = {0};
  progress made = PROGRESS_NONE;
  scr_status status = study_progress(self->lab, study->id, document, &known, &error);
  if (status == SCR_OK) calibration_counts(known, &ended, &valued);
  if (status == SCR_OK && ended >= POINTS_WITHOUT_VALUE && valued == 0) {
    calibration_progress_destroy(known);
    return stop_without_values(self, study, ended);
  }
  if (status == SCR_OK) status = calibration_next(known, (free_slots + each - 1) / each, &points, &count, &over, why, &error);
  if (status == SCR_OK && count > 0) {
    store_study_change change;
    asked_points asked = {document, points};
    status = store_add_rows(self->lab->store, study->id, count * each, asked_row, &asked, &change, &error);
    made = change.changed ? PROGRESS_MADE : PROGRESS_NONE;
  } else if (status == SCR_OK && over)
    status = store_study_finish(self->lab->store, study->id, clock_wall_ms(), &finished, &error);
  mem_free(points);
  calibration_progress_destroy(known);
  if (status != SCR_OK) report(self, study->id, &error);
  return status == SCR_OK ? made : PROGRESS_LATER;
}

/* One row of one study, when it has a waiting one and may have more under way. */
static progress feed(study_runner *self, int64_t id)
{
  lab_study study;
  lab_study_row row;
  bool found = false;
  if (store_study_get(self->lab->store, id, &study, &found, NULL) != SCR_OK) return PROGRESS_LATER;
  if (!found || study.state != STUDY_RUNNING) return PROGRESS_NONE;
  size_t running_rows = study.counts[ROW_RUNNING], limit = flight_limit(self, id);
  const study_document *document = document_of(self, id);
  progress idle = document && study_limits_watch(self->lab, id, &document->limits) ? PROGRESS_LATER : PROGRESS_NONE;
  if (study.counts[ROW_WAITING] == 0) {
    if (document && document->design.calibration) {
      progress asked = running_rows < limit ? calibrate(self, document, &study, limit - running_rows) : PROGRESS_NONE;
      return asked == PROGRESS_NONE ? idle : asked;
    }
    if (running_rows + study.counts[ROW_ENDED] == 0) settle(self, id);
    return idle;
  }
  if (running_rows >= limit) return idle;
  if (lab_free_bytes(self->lab) < self->lab->config.disk_reserve_bytes) return PROGRESS_LATER;
  if (store_first_row(self->lab->store, id, ROW_WAITING, 0, &row, NULL) != SCR_OK) return PROGRESS_LATER;
  progress made = row.number ? start_row(self, &study, &row) : PROGRESS_NONE;
  lab_study_row_clear(&row);
  return made;
}

/* ── deletion ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Cancels what still runs. True when nothing does. */
static bool end_runs(study_runner *self, int64_t id)
{
  lab_study_row row;
  lab_job job;
  bool ended = true;
  for (int64_t after = 0;;) {
    if (store_first_row(self->lab->store, id, ROW_RUNNING, after, &row, NULL) != SCR_OK) return false;
    int64_t number = row.number, of = row.job;
    lab_study_row_clear(&row);
    if (number == 0) return ended;
    ended = false;
    (void)lab_cancel(self->lab, of, &job, NULL);
    after = number;
  }
}

/* Deletes the jobs that were made for its rows. True when none is left. */
static bool delete_runs(study_runner *self, int64_t id)
{
  lab_study_row rows[ROWS_AT_ONCE];
  size_t count = 0;
  bool all = true;
  study_query query = {0};
  do {
    if (is_ending(self) || store_study_rows(self->lab->store, id, &query, rows, ROWS_AT_ONCE, &count, NULL) != SCR_OK) return false;
    for (size_t i = 0; i < count; i++) {
      query.after = rows[i].number;
      if (rows[i].job && rows[i].own) {
        lab_status status = lab_delete(self->lab, rows[i].job, NULL);
        all = all && (status == LAB_OK || status == LAB_NOT_FOUND);
      }
      lab_study_row_clear(&rows[i]);
    }
  } while (count == ROWS_AT_ONCE);
  return all;
}

static progress take_away(study_runner *self, int64_t id)
{
  lab_study study;
  bool found = false;
  if (store_study_get(self->lab->store, id, &study, &found, NULL) != SCR_OK) return PROGRESS_LATER;
  if (!found || !end_runs(self, id)) return PROGRESS_NONE; /* their ends wake this thread */
  if (study.delete_runs && !delete_runs(self, id)) return PROGRESS_LATER;
  for (size_t i = 0; i < DOCUMENTS; i++)
    if (self->documents[i].study == id) {
      study_document_clear(&self->documents[i].document);
      self->documents[i].study = 0;
    }
  return store_study_remove(self->lab->store, id, NULL) == SCR_OK ? PROGRESS_MADE : PROGRESS_LATER;
}

/* ── the loop ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* One piece of work of every study in a state. */
static progress each_study(study_runner *self, study_state state, progress (*work)(study_runner *, int64_t))
{
  int64_t ids[STUDIES_AT_ONCE], after = 0;
  size_t count = 0;
  progress all = PROGRESS_NONE;
  do {
    if (store_studies_in(self->lab->store, state, after, ids, STUDIES_AT_ONCE, &count, NULL) != SCR_OK) return PROGRESS_LATER;
    for (size_t i = 0; i < count && !is_ending(self); i++) {
      progress made = work(self, ids[i]);
      if (made == PROGRESS_MADE || all == PROGRESS_NONE) all = made;
      after = ids[i];
    }
  } while (count == STUDIES_AT_ONCE);
  return all;
}

/* Does what there is to do. Returns how long to wait then, ms. */
static int serve(study_runner *self)
{
  bool later = false;
  while (!is_ending(self)) {
    progress ended = read_ended(self);
    progress gone = each_study(self, STUDY_DELETING, take_away);
    progress fed = each_study(self, STUDY_RUNNING, feed);
    later = ended == PROGRESS_LATER || gone == PROGRESS_LATER || fed == PROGRESS_LATER;
    if (ended != PROGRESS_MADE && gone != PROGRESS_MADE && fed != PROGRESS_MADE) break;
  }
  return later ? LATER_MS : IDLE_MS;
}

/* Waits; false when it is to end. */
static bool rest(study_runner *self, int milliseconds)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += milliseconds / 1000;
  pthread_mutex_lock(&self->mutex);
  while (!self->awake && !self->ending && pthread_cond_timedwait(&self->changed, &self->mutex, &until) == 0) continue;
  self->awake = false;
  bool going_on = !self->ending;
  pthread_mutex_unlock(&self->mutex);
  return going_on;
}

static void *runner_main(void *argument)
{
  study_runner *self = argument;
  do {
    int wait = serve(self);
    if (!rest(self, wait)) break;
  } while (true);
  return NULL;
}

study_runner *study_runner_create(lab *the_lab)
{
  study_runner *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->lab = the_lab;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_cond_init(&self->changed, NULL);
  return self;
}

scr_status study_runner_start(study_runner *self, scr_error *error)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main program's */
  int code = pthread_create(&self->thread, NULL, runner_main, self);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  self->started = code == 0;
  return code == 0 ? SCR_OK : scr_fail_io(error, "start", "the thread of studies", code);
}

void study_runner_wake(study_runner *self)
{
  if (!self) return;
  pthread_mutex_lock(&self->mutex);
  self->awake = true;
  pthread_cond_signal(&self->changed);
  pthread_mutex_unlock(&self->mutex);
}

void study_runner_stop(study_runner *self)
{
  if (!self || !self->started) return;
  pthread_mutex_lock(&self->mutex);
  self->ending = true;
  pthread_cond_signal(&self->changed);
  pthread_mutex_unlock(&self->mutex);
  pthread_join(self->thread, NULL);
  self->started = false;
}

void study_runner_destroy(study_runner *self)
{
  if (!self) return;
  for (size_t i = 0; i < DOCUMENTS; i++)
    if (self->documents[i].study) study_document_clear(&self->documents[i].document);
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->mutex);
  free(self);
}
