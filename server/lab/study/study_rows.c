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
  scr_problems problems = {0};
  lab_status status = lab_study_document(self, id, &text, error);
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
      scr_fail(error, SCR_BAD_USAGE, NULL, "who asked for it has gone");
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
