/* Studies as JSON. json_pack takes over every value given with "o", also when it fails. */
#include "api/shapes/study_json.h"

#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"

/* To the world a row whose results are still to be read runs. */
static const char *shown_state(study_row_state state)
{
  return study_row_state_name(state == ROW_ENDED ? ROW_RUNNING : state);
}

json_t *study_json(const lab_study *study)
{
  const size_t *n = study->counts;
  json_t *rows =
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "total", json_count(study->row_count), "waiting", json_count(n[ROW_WAITING]),
                "running", json_count(n[ROW_RUNNING] + n[ROW_ENDED]), "succeeded", json_count(n[ROW_SUCCEEDED]), "failed",
                json_count(n[ROW_FAILED]), "cancelled", json_count(n[ROW_CANCELLED]), "refused", json_count(n[ROW_REFUSED]));
  return json_pack("{s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id", (json_int_t)study->id, "name", json_text(study->name),
                   "title", json_text(study->title), "state", study_state_name(study->state), "reason",
                   study->reason[0] ? json_text(study->reason) : json_null(), "created", json_time(study->created_ms), "ended",
                   json_time(study->ended_ms), "version", json_count(study->version), "rows", rows, "record_bytes",
                   json_finite(study->record_bytes), "user", json_text(study->user));
}

/* A part of what the store holds as text; NULL: there is none. */
static json_t *part_of(const char *text, const char *key)
{
  json_t *whole = text ? json_loads(text, 0, NULL) : NULL;
  json_t *part = json_incref(json_object_get(whole, key));
  json_decref(whole);
  return part;
}

json_t *study_row_json(const lab_study_row *row)
{
  json_t *factors = json_loads(row->factors ? row->factors : "{}", 0, NULL), *values = part_of(row->results, "values"),
         *reasons = part_of(row->results, "reasons");
  return json_pack("{s:I, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "number", (json_int_t)row->number, "state", shown_state(row->state),
                   "job", row->job ? json_integer((json_int_t)row->job) : json_null(), "taken_over",
                   (int)(row->state == ROW_SUCCEEDED && row->job && !row->own), "version", json_count(row->version), "factors",
                   factors ? factors : json_object(), "results", values ? values : json_null(), "reasons",
                   reasons ? reasons : json_object(), "reason", row->reason[0] ? json_text(row->reason) : json_null());
}

json_t *study_plan_json(const lab_study_plan *plan)
{
  char unchecked[200] = "";
  size_t left = plan->row_count - plan->checked;
  if (left)
    snprintf(unchecked, sizeof unchecked,
             "%zu of the %zu rows were not looked at: those that were lie evenly among all; each is checked before it runs", left,
             plan->row_count);
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_text(plan->name), "rows", json_count(plan->row_count),
                   "checked", json_count(plan->checked), "unchecked", left ? json_text(unchecked) : json_null(), "refused",
                   json_count(plan->refused), "run_seconds", json_finite(plan->run_seconds), "record_bytes",
                   json_finite(plan->record_bytes), "memory_bytes", json_finite(plan->memory_bytes), "refusals",
                   problems_json(&plan->refusals), "warnings", problems_json(&plan->warnings));
}
