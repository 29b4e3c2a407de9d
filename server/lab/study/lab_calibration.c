/* Calibrations: made anew from the rows whenever somebody looks. On the caller's thread. */
#include "base/error.h"
#include "server/lab/study/study_rows.h"

typedef scr_status (*progress_shape)(const calibration_progress *, double, json_t **, scr_error *);

static lab_status look(lab *self, int64_t id, double level, progress_shape shape, json_t **json, scr_error *error)
{
  study_document document;
  calibration_progress *known = NULL;
  *json = NULL;
  lab_status status = study_read(self, id, &document, error);
  if (status != LAB_OK) return status;
  if (!document.design.calibration) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "study %lld is not a calibration: its design is '%s'", (long long)id,
             design_kind_name(document.design.kind));
    status = LAB_BAD_REQUEST;
  } else if (study_progress(self, id, &document, &known, error) != SCR_OK || shape(known, level, json, error) != SCR_OK)
    status = LAB_FAILED;
  calibration_progress_destroy(known);
  study_document_clear(&document);
  return status;
}

lab_status lab_study_calibration(lab *self, int64_t id, double level, json_t **json, scr_error *error)
{
  lab_study study;
  lab_status status = lab_study_get(self, id, &study, error);
  if (status == LAB_OK) status = look(self, id, level, calibration_json, json, error);
  if (status == LAB_OK) json_object_set_new(*json, "state", json_string(study_state_name(study.state)));
  return status;
}

lab_status lab_study_overlay(lab *self, int64_t id, double level, json_t **json, scr_error *error)
{
  return look(self, id, level, calibration_overlay, json, error);
}
