/* Effects of a study's factors on a result: rows gathered page by page. On the caller's thread. */
#include <stdlib.h>

#include "base/error.h"
#include "server/lab/study/study_rows.h"
#include "server/study/effect_rows.h"

typedef struct gathering {
  effect_rows *rows;
  const char *result;
} gathering;

static lab_status take_row(void *user, const lab_study_row *row, scr_error *error)
{
  const gathering *self = user;
  if (row->state != ROW_SUCCEEDED || !row->results) return LAB_OK;
  json_t *factors = json_loads(row->factors, 0, NULL), *results = json_loads(row->results, 0, NULL);
  const json_t *value = json_object_get(json_object_get(results, "values"), self->result);
  scr_status status = json_is_number(value) ? effect_rows_add(self->rows, factors, json_number_value(value), error) : SCR_OK;
  json_decref(factors);
  json_decref(results);
  return status == SCR_OK ? LAB_OK : LAB_FAILED;
}

lab_status lab_study_effects(lab *self, int64_t id, const char *name, const lab_caller *caller, json_t **json, scr_error *error)
{
  study_document document;
  *json = NULL;
  lab_status status = study_read(self, id, &document, error);
  if (status != LAB_OK) return status;
  const study_result *result = study_find_result(&document, name);
  gathering g = {.rows = result ? effect_rows_create(&document) : NULL, .result = name};
  if (!result) status = study_has_no(error, "result", name);
  if (result && !g.rows) {
    scr_fail_memory(error, "effects of factors", sizeof document);
    status = LAB_FAILED;
  }
  if (status == LAB_OK) status = study_each_row(self, id, caller, take_row, &g, error);
  if (status == LAB_OK) {
    scr_status made = effect_rows_answer(g.rows, result, json, error);
    status = made == SCR_OK ? LAB_OK : made == SCR_BAD_USAGE ? LAB_BAD_REQUEST : LAB_FAILED;
  }
  effect_rows_destroy(g.rows);
  study_document_clear(&document);
  return status;
}
