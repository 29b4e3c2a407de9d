/* What users do with studies. Runs on the caller's thread: checks here, one write to the store, a wake-up of the thread that runs them. */
#include "server/lab/study/lab_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "server/clock.h"
#include "server/lab/lab_internal.h"
#include "server/lab/study/study_names.h"
#include "server/store/study/store_study.h"
#include "server/lab/study/study_rows.h"
#include "server/study/design/design.h"

enum { CHECKED_ROWS = 24, CHECK_MS = 5000, ROWS_BYTES = 4 << 20 };

static lab_status fail_study(scr_error *error, lab_status status, int64_t id, const char *why)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "study %lld %s", (long long)id, why);
  return status;
}

/* ── checking ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static void note_row(scr_problems *to, size_t number, const scr_problems *from)
{
  char pointer[320];
  for (size_t i = 0; i < from->count; i++) {
    const scr_problem *p = &from->items[i];
    snprintf(pointer, sizeof pointer, "/rows/%zu%s", number, p->pointer);
    (void)scr_problems_add(to, pointer, p->given, p->allowed, "row %zu: %s", number, p->detail);
  }
}

static void note_cost(lab_study_plan *plan, const scr_estimate *cost)
{
  if (isfinite(cost->run_seconds)) plan->run_seconds += cost->run_seconds;
  if (isfinite(cost->record_bytes)) plan->record_bytes += cost->record_bytes;
  if (isfinite(cost->memory_bytes)) plan->memory_bytes = fmax(plan->memory_bytes, cost->memory_bytes);
}

/* Looks in a sound scene for the curves that results name and no scene before had. */
static lab_status find_names(lab *self, const json_t *scene, const lab_caller *caller, study_names *names, scr_error *error)
{
  if (!study_names_are_missing(names)) return LAB_OK;
  scr_problems problems = {0};
  lab_scene_facts facts = {0};
  json_t *probe = study_names_probe(names, scene);
  char *text = probe ? json_dumps(probe, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  lab_status status = text ? lab_check_scene(self, text, strlen(text), caller, &facts, &problems, error) : LAB_FAILED;
  if (!text) scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the rows of a study");
  if (status == LAB_OK || status == LAB_REFUSED) study_names_note(names, &problems);
  lab_scene_facts_clear(&facts);
  scr_problems_clear(&problems);
  free(text);
  json_decref(probe);
  return status == LAB_REFUSED || status == LAB_TOO_LARGE ? LAB_OK : status;
}

/* Checks the scene of one row. What speaks against the row goes into the plan; only what speaks against checking at all is returned. */
static lab_status check_row(lab *self, const design_rows *rows, size_t index, const lab_caller *caller, lab_study_plan *plan,
                            study_names *names, scr_error *error)
{
  scr_problems problems = {0};
  lab_scene_facts facts = {0};
  json_t *row = design_row(rows, index), *scene = NULL;
  scr_status made = row ? study_row_scene(rows->document, row, &scene, &problems) : SCR_NO_MEMORY;
  char *text = scene ? json_dumps(scene, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  lab_status status = made == SCR_BAD_SCENE ? LAB_REFUSED : text ? LAB_OK : LAB_FAILED;
  if (status == LAB_FAILED) scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the rows of a study");
  if (status == LAB_OK) status = lab_check_scene(self, text, strlen(text), caller, &facts, &problems, error);
  if (status == LAB_OK) status = lab_check_place(self, NULL, 0, &facts, &problems, error);
  plan->checked++;
  if (status == LAB_REFUSED || status == LAB_TOO_LARGE) {
    plan->refused++;
    if (status == LAB_TOO_LARGE) (void)scr_problems_add(&problems, "", NULL, NULL, "%s", error->message);
    note_row(&plan->refusals, index + 1, &problems);
    status = LAB_OK;
  } else if (status == LAB_OK) {
    note_cost(plan, &facts.estimate);
    if (plan->warnings.count == 0) note_row(&plan->warnings, index + 1, &facts.warnings);
    status = find_names(self, scene, caller, names, error);
  }
  lab_scene_facts_clear(&facts);
  scr_problems_clear(&problems);
  free(text);
  json_decref(scene);
  json_decref(row);
  return status;
}

/* Checks rows spread evenly over all, the first and the last among them, until a few seconds have passed. */
static lab_status check_rows(lab *self, const design_rows *rows, const lab_caller *caller, lab_study_plan *plan, study_names *names,
                             scr_error *error)
{
  int64_t until = clock_monotonic_ms() + CHECK_MS;
  size_t wanted = rows->count < CHECKED_ROWS ? rows->count : CHECKED_ROWS;
  for (size_t i = 0; i < wanted && (i == 0 || clock_monotonic_ms() < until); i++) {
    size_t place = i == 0 ? 0 : i == 1 ? wanted - 1 : i - 1; /* the ends first */
    lab_status status = check_row(self, rows, wanted > 1 ? place * (rows->count - 1) / (wanted - 1) : 0, caller, plan, names, error);
    if (status != LAB_OK) return status;
  }
  size_t good = plan->checked - plan->refused;
  double share = good ? (double)plan->row_count / (double)plan->checked : (double)NAN;
  plan->run_seconds *= share;
  plan->record_bytes *= share;
  return LAB_OK;
}

static void copy_problems(const scr_problems *from, scr_problems *to)
{
  for (size_t i = 0; i < from->count; i++) {
    const scr_problem *p = &from->items[i];
    (void)scr_problems_add(to, p->pointer, p->given, p->allowed, "%s", p->detail);
  }
}

/* A study that is read, with its rows; of a calibration those of its first points. */
typedef struct read_study {
  study_document document;
  design_rows rows;
} read_study;

static void read_study_clear(read_study *read)
{
  design_rows_clear(&read->rows);
  study_document_clear(&read->document);
}

/* The text of a study with the curves that its targets name in their place. NULL: it is to be read as it is. */
static lab_status read_text(lab *self, const char *text, size_t length, read_study *read, scr_problems *problems, scr_error *error)
{
  char *complete = NULL;
  size_t size = length;
  lab_status status = study_fill_targets(self, text, length, &complete, problems, error);
  if (status != LAB_OK) return status;
  if (complete) size = strlen(complete);
  scr_status made = study_document_read(complete ? complete : text, size, &read->document, problems);
  free(complete);
  if (made == SCR_OK) made = design_rows_make(&read->document, &read->rows, problems);
  if (made == SCR_OK && problems->count == 0) return LAB_OK;
  if (made != SCR_OK && made != SCR_BAD_SCENE) scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the study");
  return made == SCR_OK || made == SCR_BAD_SCENE ? LAB_REFUSED : LAB_FAILED;
}

/* Reads a study and checks it. On LAB_OK `read` is to be cleared. */
static lab_status read_checked(lab *self, const char *text, size_t length, const lab_caller *caller, read_study *read, lab_study_plan *plan,
                               scr_problems *problems, scr_error *error)
{
  *plan = (lab_study_plan){0};
  *read = (read_study){0};
  lab_status status = read_text(self, text, length, read, problems, error);
  const study_calibration *calibration = read->document.design.calibration;
  plan->row_count = calibration ? calibration->run_limit : read->rows.count;
  snprintf(plan->name, sizeof plan->name, "%s", read->document.name);
  study_names *names = status == LAB_OK ? calloc(1, sizeof *names) : NULL;
  if (status == LAB_OK && !names) status = LAB_FAILED;
  if (status == LAB_OK) {
    study_names_collect(&read->document, names);
    study_units_check(&read->document, problems);
  }
  if (status == LAB_OK) status = check_rows(self, &read->rows, caller, plan, names, error);
  if (status == LAB_OK && plan->refused == plan->checked) copy_problems(&plan->refusals, problems);
  /* Rows that were not looked at may have curves of their own: then it is a warning. */
  if (status == LAB_OK && problems->count == 0)
    study_names_report(names, plan->checked - plan->refused == read->rows.count ? problems : &plan->warnings);
  if (status == LAB_OK && problems->count > 0) status = LAB_REFUSED;
  free(names);
  if (status != LAB_OK) read_study_clear(read);
  return status;
}

lab_status lab_study_check(lab *self, const char *text, size_t length, const lab_caller *caller, lab_study_plan *plan,
                           scr_problems *problems, scr_error *error)
{
  read_study read;
  lab_status status = read_checked(self, text, length, caller, &read, plan, problems, error);
  if (status == LAB_OK) read_study_clear(&read);
  return status;
}

void lab_study_plan_clear(lab_study_plan *plan)
{
  scr_problems_clear(&plan->refusals);
  scr_problems_clear(&plan->warnings);
}

/* ── submitting ───────────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status check_state(lab *self, scr_error *error)
{
  if (atomic_load(&self->draining)) {
    scr_fail(error, SCR_BUSY, NULL, "the server is shutting down and takes no new studies; submit again when it is back");
    return LAB_DRAINING;
  }
  if (lab_free_bytes(self) >= self->config.disk_reserve_bytes) return LAB_OK;
  scr_fail(error, SCR_IO, NULL, "the data directory's disk has less free than its reserve; delete old jobs or free some space");
  return LAB_FULL;
}

static char *design_text(void *user, size_t index)
{
  json_t *row = design_row(user, index);
  char *text = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(row);
  return text;
}

static lab_status insert_study(lab *self, const read_study *read, const lab_study_request *request, lab_study *study, bool *created,
                               scr_error *error)
{
  const study_document *document = &read->document;
  const char *key = request->key && *request->key ? request->key : NULL;
  char *text = json_dumps(document->json, JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (!text) {
    scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the study");
    return LAB_FAILED;
  }
  const store_study wanted = {.name = document->name,
                              .title = document->title[0] ? document->title : document->name,
                              .document = text,
                              .key = key,
                              .submitter = request->user,
                              .row_count = document->design.calibration ? 0 : read->rows.count, /* its search asks for rows */
                              .row = design_text,
                              .user = (void *)(uintptr_t)&read->rows,
                              .now_ms = clock_wall_ms()};
  store_insertion insertion = STORE_INSERTED;
  scr_status status = store_insert_study(self->store, &wanted, &insertion, study, error);
  free(text);
  *created = status == SCR_OK && insertion == STORE_INSERTED;
  if (status == SCR_OK && insertion == STORE_KEY_REUSED) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "the idempotency key '%s' was used before with another study; use a new key", key);
    return LAB_KEY_REUSED;
  }
  study_runner_wake(self->studies);
  return status == SCR_OK ? LAB_OK : LAB_FAILED;
}

lab_status lab_study_submit(lab *self, const lab_study_request *wanted, lab_study_plan *plan, lab_study *study, bool *created,
                            scr_problems *problems, scr_error *error)
{
  read_study read;
  *plan = (lab_study_plan){0};
  *created = false;
  lab_check_change(&(lab_change){.user = wanted->user}, problems);
  if (problems->count > 0) return LAB_BAD_REQUEST;
  lab_status status = check_state(self, error);
  if (status == LAB_OK) status = read_checked(self, wanted->text, wanted->length, NULL, &read, plan, problems, error);
  if (status != LAB_OK) return status;
  status = insert_study(self, &read, wanted, study, created, error);
  read_study_clear(&read);
  return status;
}

/* ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

lab_status lab_study_get(lab *self, int64_t id, lab_study *study, scr_error *error)
{
  bool found = false;
  if (store_study_get(self->store, id, study, &found, error) != SCR_OK) return LAB_FAILED;
  return found ? LAB_OK : fail_study(error, LAB_NOT_FOUND, id, "does not exist");
}

lab_status lab_study_document(lab *self, int64_t id, char **text, scr_error *error)
{
  bool found = false;
  if (store_study_document(self->store, id, text, &found, error) != SCR_OK) return LAB_FAILED;
  return found ? LAB_OK : fail_study(error, LAB_NOT_FOUND, id, "does not exist");
}

lab_status lab_study_list(lab *self, int64_t before, lab_study *studies, size_t capacity, size_t *count, scr_error *error)
{
  return store_studies(self->store, before, studies, capacity, count, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

lab_status lab_study_rows(lab *self, int64_t id, const study_query *query, lab_study_row *rows, size_t capacity, size_t *count,
                          scr_error *error)
{
  return store_study_rows(self->store, id, query, rows, capacity, count, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

/* ── steering ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static char *list_text(void *user, size_t index)
{
  return json_dumps(json_array_get(user, index), JSON_COMPACT | JSON_REAL_PRECISION(17));
}

/* The rows of a request, checked against the study. */
static lab_status read_new_rows(lab *self, int64_t id, const char *text, size_t length, json_t **rows, scr_problems *problems,
                                scr_error *error)
{
  char *document_text = NULL;
  study_document document = {0};
  lab_status status = lab_study_document(self, id, &document_text, error);
  if (status != LAB_OK) return status;
  scr_status read = study_document_read(document_text, strlen(document_text), &document, problems);
  free(document_text);
  if (read == SCR_OK && length <= ROWS_BYTES) (void)json_read(text, length, JSON_REJECT_DUPLICATES, rows, NULL);
  size_t count = json_array_size(*rows), index;
  json_t *row;
  if (count < 1 || count > STUDY_ROW_LIMIT)
    (void)scr_problems_add(problems, "", NULL, "a list of rows", "the rows must be a list of 1 to 20000");
  json_array_foreach(*rows, index, row)
  {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/%zu", index);
    if (problems->count < 100) study_row_check(&document, row, pointer, problems);
  }
  if (document.design.calibration)
    (void)scr_problems_add(problems, "", NULL, NULL, "a calibration asks for its rows itself: none can be added");
  study_document_clear(&document);
  return problems->count ? LAB_REFUSED : LAB_OK;
}

lab_status lab_study_add(lab *self, int64_t id, const char *text, size_t length, lab_study *study, scr_problems *problems, scr_error *error)
{
  json_t *rows = NULL;
  store_study_change change = {0};
  lab_status status = read_new_rows(self, id, text, length, &rows, problems, error);
  if (status == LAB_OK && store_add_rows(self->store, id, json_array_size(rows), list_text, rows, &change, error) != SCR_OK)
    status = LAB_FAILED;
  json_decref(rows);
  if (status != LAB_OK) return status;
  if (!change.found) return fail_study(error, LAB_NOT_FOUND, id, "does not exist");
  *study = change.study;
  if (!change.changed)
    return fail_study(error, LAB_CONFLICT, id, "takes no more rows: it is being deleted, or has 20000, the most there may be");
  study_runner_wake(self->studies);
  return LAB_OK;
}

/* @param need the state it must be in, for people */
static lab_status move(lab *self, int64_t id, const store_study_target *wanted, const char *need, lab_study *study, scr_error *error)
{
  store_study_change change;
  if (store_study_move(self->store, id, wanted, &change, error) != SCR_OK) return LAB_FAILED;
  if (!change.found) return fail_study(error, LAB_NOT_FOUND, id, "does not exist");
  *study = change.study;
  if (!change.changed) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "study %lld is %s; it must be %s for this", (long long)id, study_state_name(study->state), need);
    return LAB_CONFLICT;
  }
  log_write(self->config.log, LOG_LEVEL_INFO, "study_changed",
            LOG_FIELDS(log_integer("study", id), log_text("state", study_state_name(study->state))));
  return LAB_OK;
}

/* Pauses or resumes the jobs that its rows have under way; what has ended meanwhile is none. */
static void steer_runs(lab *self, int64_t id, lab_status (*steer)(lab *, int64_t, lab_job *, scr_error *))
{
  lab_study_row row;
  lab_job job;
  for (int64_t after = 0;;) {
    if (store_first_row(self->store, id, ROW_RUNNING, after, &row, NULL) != SCR_OK || row.number == 0) return;
    after = row.number;
    (void)steer(self, row.job, &job, NULL);
    lab_study_row_clear(&row);
  }
}

lab_status lab_study_stop(lab *self, int64_t id, lab_study *study, scr_error *error)
{
  static const store_study_target stopped = {.from = 1u << STUDY_RUNNING | 1u << STUDY_STOPPED, .to = STUDY_STOPPED};
  lab_status status = move(self, id, &stopped, "running", study, error);
  if (status == LAB_OK) steer_runs(self, id, lab_pause);
  return status;
}

lab_status lab_study_resume(lab *self, int64_t id, lab_study *study, scr_error *error)
{
  static const store_study_target running = {.from = 1u << STUDY_RUNNING | 1u << STUDY_STOPPED, .to = STUDY_RUNNING};
  lab_status status = move(self, id, &running, "stopped", study, error);
  if (status == LAB_OK) steer_runs(self, id, lab_resume);
  study_runner_wake(self->studies);
  return status;
}

lab_status lab_study_retry(lab *self, int64_t id, size_t *count, lab_study *study, scr_error *error)
{
  bool found = false;
  if (store_study_retry(self->store, id, &found, count, study, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_study(error, LAB_NOT_FOUND, id, "does not exist");
  study_runner_wake(self->studies);
  return LAB_OK;
}

lab_status lab_study_delete(lab *self, int64_t id, bool runs, lab_study *study, scr_error *error)
{
  const store_study_target away = {
      .from = 1u << STUDY_STOPPED | 1u << STUDY_FINISHED | 1u << STUDY_DELETING, .to = STUDY_DELETING, .delete_runs = runs};
  lab_status status = move(self, id, &away, "stopped or finished", study, error);
  study_runner_wake(self->studies);
  return status;
}
