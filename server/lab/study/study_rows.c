#include "server/lab/study/study_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/lab/lab_internal.h"
#include "server/store/study/store_study.h"

enum { PAGE = 64 };

lab_status study_read(lab *self, int64_t id, study_document *document, scr_error *error)
{
  char *text = NULL;
  bool found = false;
  scr_problems problems = {0};
  lab_status status = store_study_document(self->store, id, &text, &found, error) == SCR_OK ? LAB_OK : LAB_FAILED;
  if (status == LAB_OK && !found) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "study %lld does not exist", (long long)id);
    status = LAB_NOT_FOUND;
  }
  if (status == LAB_OK && study_document_read(text, strlen(text), document, &problems) != SCR_OK) {
    scr_fail(error, SCR_BAD_SCENE, NULL, "study %lld can't be read: %s", (long long)id,
             problems.count ? problems.items[0].detail : "no memory");
    status = LAB_FAILED;
  }
  free(text);
  scr_problems_clear(&problems);
  return status;
}

static bool has_gone(const lab_caller *caller)
{
  return caller && caller->gone && caller->gone(caller->user);
}

lab_status study_each_row(lab *self, int64_t id, const lab_caller *caller, study_row_visit visit, void *user, scr_error *error)
{
  lab_study_row rows[PAGE];
  study_query query = {0};
  size_t count = 0;
  lab_status status = LAB_OK;
  do {
    if (has_gone(caller)) {
      scr_fail(error, SCR_BAD_USAGE, NULL, "the client has disconnected");
      return LAB_ABANDONED;
    }
    if (store_study_rows(self->store, id, &query, rows, PAGE, &count, error) != SCR_OK) return LAB_FAILED;
    for (size_t i = 0; i < count; i++) {
      query.after = rows[i].number;
      if (status == LAB_OK) status = visit(user, &rows[i], error);
      lab_study_row_clear(&rows[i]);
    }
  } while (status == LAB_OK && count == PAGE);
  return status;
}

const study_result *study_find_result(const study_document *document, const char *name)
{
  for (size_t i = 0; i < document->result_count; i++)
    if (strcmp(document->results[i].name, name) == 0) return &document->results[i];
  return NULL;
}

lab_status study_has_no(scr_error *error, const char *what, const char *name)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "the study has no %s '%.80s'", what, name);
  return LAB_BAD_REQUEST;
}

static scr_status add_row(void *user, const store_residuals *row, scr_error *error)
{
  const progress_row added = {.number = row->number,
                              .job = row->job,
                              .ended = row->state >= ROW_SUCCEEDED,
                              .succeeded = row->state == ROW_SUCCEEDED,
                              .factors = row->factors,
                              .residuals = row->residuals,
                              .count = row->count};
  return calibration_progress_add(user, &added, error);
}

scr_status study_progress(lab *self, int64_t id, const study_document *document, calibration_progress **made, scr_error *error)
{
  *made = calibration_progress_create(document);
  if (!*made) return scr_fail_memory(error, "a calibration", 1);
  scr_status status = store_study_residuals(self->store, id, add_row, *made, error);
  if (status == SCR_OK) return SCR_OK;
  calibration_progress_destroy(*made);
  *made = NULL;
  return status;
}
