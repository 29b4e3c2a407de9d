/* Targets of a calibration name measured curves; the study keeps the curves themselves, so that it is the same whatever becomes of those.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_reader.h"
#include "server/lab/study/lab_measured.h"
#include "server/lab/study/study_rows.h"

static json_t *thinned(const double *values, size_t count)
{
  json_t *list = json_array();
  size_t kept = count < CALIBRATION_SAMPLES ? count : CALIBRATION_SAMPLES;
  for (size_t i = 0; i < kept; i++) json_array_append_new(list, json_real(values[kept > 1 ? i * (count - 1) / (kept - 1) : 0]));
  return list;
}

static lab_status load_curve(lab *self, int64_t id, json_t **curve, scr_error *error)
{
  lab_measured measured;
  curve_set set;
  curve_mean mean;
  lab_status status = lab_measured_get(self, id, &measured, &set, error);
  if (status != LAB_OK) return status;
  scr_status made = curve_set_mean(&set, &mean, error);
  if (made == SCR_OK) {
    *curve = json_pack("{s:s, s:o, s:o}", "name", measured.name, "x", thinned(mean.x, mean.count), "y", thinned(mean.y, mean.count));
    const char *x_unit = json_string_value(json_object_get(json_object_get(set.about, "x"), "unit")),
               *y_unit = json_string_value(json_object_get(json_object_get(set.about, "y"), "unit"));
    if (*curve && x_unit && x_unit[0]) json_object_set_new(*curve, "x_unit", json_string(x_unit));
    if (*curve && y_unit && y_unit[0]) json_object_set_new(*curve, "y_unit", json_string(y_unit));
    if (*curve && mean.scatter) json_object_set_new(*curve, "scatter", thinned(mean.scatter, mean.count));
    if (!*curve) made = scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for a measured curve");
    curve_mean_clear(&mean);
  }
  curve_set_clear(&set);
  lab_measured_clear(&measured);
  return made == SCR_OK ? LAB_OK : made == SCR_BAD_USAGE ? LAB_BAD_REQUEST : LAB_FAILED;
}

static lab_status fill_target(lab *self, const char *name, json_t *target_given, bool *filled, scr_problems *problems, scr_error *error)
{
  json_t *given = json_object_get(target_given, "measured"), *curve = NULL;
  const char *wanted = json_string_value(given);
  int64_t id = json_integer_value(given);
  char pointer[160];
  scr_error why = {0};
  if (!wanted && !json_is_integer(given)) return LAB_OK;
  lab_status status = wanted ? lab_measured_named(self, wanted, &id, &why) : LAB_OK;
  if (status == LAB_OK) status = load_curve(self, id, &curve, &why);
  if (status == LAB_OK) {
    *filled = true;
    return json_object_set_new(target_given, "measured", curve) == 0 ? LAB_OK : LAB_FAILED;
  }
  if (status == LAB_FAILED) {
    if (error) *error = why;
    return status;
  }
  snprintf(pointer, sizeof pointer, "/design/targets/%.90s/measured", name);
  (void)scr_problems_add(problems, pointer, wanted, "the name of measured curves (`scree measured list`), or their number", "%s",
                         why.message);
  json_object_set_new(target_given, "measured", json_pack("{s:[i, i], s:[i, i]}", "x", 0, 1, "y", 0, 1)); /* so that it is said once */
  *filled = true;
  return LAB_OK;
}

lab_status study_fill_targets(lab *self, const char *text, size_t length, char **complete, scr_problems *problems, scr_error *error)
{
  json_t *json = NULL, *each;
  const char *name;
  bool filled = false;
  *complete = NULL;
  if (length > STUDY_BYTES || json_read(text, length, JSON_REJECT_DUPLICATES, &json, NULL) != SCR_OK) return LAB_OK; /* refused elsewhere */
  json_t *targets = json_object_get(json_object_get(json, "design"), "targets");
  lab_status status = LAB_OK;
  json_object_foreach(targets, name, each)
  {
    if (status == LAB_OK) status = fill_target(self, name, each, &filled, problems, error);
  }
  if (status == LAB_OK && filled) {
    *complete = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!*complete) scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the study");
    if (!*complete) status = LAB_FAILED;
  }
  json_decref(json);
  return status;
}
