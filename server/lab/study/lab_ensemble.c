/* Ensembles of a study: rows gathered page by page, curves read from the recordings of their jobs. On the caller's thread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/lab_internal.h"
#include "server/lab/study/study_rows.h"
#include "server/store/study/store_study.h"
#include "server/study/ensemble.h"

/* What is gathered, and from what. */
typedef struct gathering {
  lab *lab;
  const ensemble_request *request;
  study_document document;
  expression *x, *y; /* of curves */
  char x_unit[EXPRESSION_UNIT_BYTES], y_unit[EXPRESSION_UNIT_BYTES];
  ensemble_member *members;
  size_t count, capacity;
  scr_error *error;
} gathering;

static lab_status refuse(scr_error *error, lab_status status, const char *why)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "%s", why);
  return status;
}

/* A factor's value as a label: numbers with six digits. */
static void write_label(const json_t *value, char *label, size_t capacity)
{
  if (json_is_number(value))
    snprintf(label, capacity, "%.6g", json_number_value(value));
  else if (json_is_string(value))
    snprintf(label, capacity, "%.*s", (int)capacity - 1, json_string_value(value));
  else
    snprintf(label, capacity, "%s", "");
}

static lab_status read_curve(gathering *g, const lab_study_row *row, const json_t *factors, ensemble_member *member)
{
  char path[DATA_PATH_BYTES + 64];
  lab_job job;
  bool found = false;
  if (store_get(g->lab->store, row->job, &job, &found, g->error) != SCR_OK) return LAB_FAILED;
  if (!found || !data_job_path(&g->lab->data, row->job, "recording.scree", path, sizeof path)) return LAB_OK; /* deleted meanwhile */
  const study_result wanted[] = {{.expression = g->x}, {.expression = g->y}};
  const results_request request = {.results = wanted, .result_count = 2, .factors = factors, .job = &job, .recording = path};
  results_pair pair;
  scr_status status = results_curve(&request, ENSEMBLE_SAMPLES, &pair, g->error);
  if (status == SCR_OK) {
    member->x = pair.x;
    member->y = pair.y;
    member->count = pair.count;
    memcpy(g->x_unit, pair.x_unit, sizeof g->x_unit);
    memcpy(g->y_unit, pair.y_unit, sizeof g->y_unit);
  }
  return status == SCR_OK ? LAB_OK : status == SCR_BAD_USAGE ? LAB_BAD_REQUEST : LAB_FAILED;
}

/* Whether a row takes part, and with what. */
static lab_status take_row(void *user, const lab_study_row *row, scr_error *error)
{
  gathering *g = user;
  if (row->state != ROW_SUCCEEDED || (g->x && !row->job)) return LAB_OK;
  json_t *factors = json_loads(row->factors, 0, NULL), *results = row->results ? json_loads(row->results, 0, NULL) : NULL;
  const json_t *values = json_object_get(results, "values");
  ensemble_member member = {0};
  lab_status status = LAB_OK;
  write_label(json_object_get(factors, g->request->by), member.label, sizeof member.label);
  const json_t *value = g->x ? NULL : json_object_get(values, g->request->result);
  bool fits = g->x || json_is_number(value);
  member.value = json_number_value(value);
  if (g->request->censored[0]) member.censored = json_number_value(json_object_get(values, g->request->censored)) != 0;
  if (fits && g->x) status = read_curve(g, row, factors, &member);
  fits = fits && (!g->x || member.count > 1);
  if (status == LAB_OK && fits && g->count == g->capacity) {
    size_t capacity = g->capacity ? 2 * g->capacity : 64;
    ensemble_member *grown = realloc(g->members, capacity * sizeof *grown);
    if (grown) g->members = grown, g->capacity = capacity;
    if (!grown) status = refuse(error, LAB_FAILED, "no memory for an ensemble");
  }
  if (status == LAB_OK && fits)
    g->members[g->count++] = member;
  else
    ensemble_members_clear(&member, 1);
  json_decref(factors);
  json_decref(results);
  if (status == LAB_OK && g->x && g->count > ENSEMBLE_CURVES)
    return refuse(error, LAB_TOO_LARGE, "bands are made of at most 1000 runs, and this study has more that succeeded");
  return status;
}

static bool has_factor(const study_document *document, const char *name)
{
  for (size_t i = 0; i < document->factor_count; i++)
    if (strcmp(document->factors[i].name, name) == 0) return true;
  return false;
}

/* Reads the study and what is asked of it. */
static lab_status prepare(gathering *g, int64_t study)
{
  const ensemble_request *r = g->request;
  lab_status status = study_read(g->lab, study, &g->document, g->error);
  if (status != LAB_OK) return status;
  if (r->by[0] && !has_factor(&g->document, r->by)) return study_has_no(g->error, "factor", r->by);
  if (r->result && !study_find_result(&g->document, r->result)) return study_has_no(g->error, "result", r->result);
  if (r->censored[0] && !study_find_result(&g->document, r->censored)) return study_has_no(g->error, "result", r->censored);
  if (r->x && expression_parse(r->x, &g->x, g->error) != SCR_OK) return LAB_BAD_REQUEST;
  if (r->x && expression_parse(r->y, &g->y, g->error) != SCR_OK) return LAB_BAD_REQUEST;
  return LAB_OK;
}

lab_status lab_study_ensemble(lab *self, int64_t id, const ensemble_request *request, const lab_caller *caller, json_t **json,
                              scr_error *error)
{
  gathering g = {.lab = self, .request = request, .error = error};
  *json = NULL;
  lab_status status = prepare(&g, id);
  if (status == LAB_OK) status = study_each_row(self, id, caller, take_row, &g, error);
  if (status == LAB_OK) {
    scr_status made = g.x ? ensemble_bands(g.members, g.count, request->level, request->points, json, error)
                          : ensemble_strengths(g.members, g.count, request->level, json, error);
    status = made == SCR_OK ? LAB_OK : made == SCR_BAD_USAGE ? LAB_BAD_REQUEST : LAB_FAILED;
  }
  if (status == LAB_OK && g.x) {
    json_object_set_new(*json, "x_unit", json_string(g.x_unit));
    json_object_set_new(*json, "y_unit", json_string(g.y_unit));
  }
  ensemble_members_clear(g.members, g.count);
  free(g.members);
  expression_destroy(g.x);
  expression_destroy(g.y);
  study_document_clear(&g.document);
  return status;
}
