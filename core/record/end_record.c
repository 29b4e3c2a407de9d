/* The end record, written and read in one place, so that its keys can't part. */
#include "record/end_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "record/file/recording.h"
#include "record/headlines.h"

static const char *const verdict_names[] = {"none", "succeeded", "failed", "cancelled"};

const char *scr_verdict_name(scr_verdict verdict)
{
  size_t index = (size_t)verdict;
  return index < sizeof verdict_names / sizeof *verdict_names ? verdict_names[index] : "unknown";
}

static double finite_or_zero(double value)
{
  return isfinite(value) ? value : 0.0;
}

/* The doubts as an array of { "kind", "message" }; NULL without memory. */
static json_t *doubts_json(const scr_end *end)
{
  json_t *list = json_array();
  for (size_t k = 0; list && k < end->doubt_count; k++) {
    json_t *doubt = json_pack("{s:s, s:s}", "kind", end->doubts[k].kind, "message", end->doubts[k].message);
    if (json_array_append_new(list, doubt) == 0) continue;
    json_decref(list);
    list = NULL;
  }
  return list;
}

json_t *end_record_json(const scr_end *end)
{
  return json_pack("{s:s, s:s, s:I, s:f, s:o, s:I, s:I, s:o, s:I, s:s}", "verdict", scr_verdict_name(end->verdict), "message", end->message,
                   "step", (json_int_t)end->step, "sim_time", finite_or_zero(end->sim_time), "headlines",
                   headlines_json(end->headlines, end->headline_count), "frames", (json_int_t)end->frames, "samples",
                   (json_int_t)end->samples, "doubts", doubts_json(end), "records", (json_int_t)end->records, "digest", end->digest);
}

static uint64_t whole_value(const json_t *object, const char *key)
{
  json_int_t value = json_integer_value(json_object_get(object, key));
  return value > 0 ? (uint64_t)value : 0;
}

/* Recordings from before there were doubts have none. */
static void take_doubts(const json_t *list, scr_end *end)
{
  for (size_t k = 0; k < json_array_size(list) && end->doubt_count < SCR_DOUBT_LIMIT; k++) {
    const char *kind = json_string_value(json_object_get(json_array_get(list, k), "kind"));
    const char *message = json_string_value(json_object_get(json_array_get(list, k), "message"));
    if (!kind || !message) continue;
    scr_doubt *doubt = &end->doubts[end->doubt_count++];
    snprintf(doubt->kind, sizeof doubt->kind, "%s", kind);
    memcpy(doubt->message, message, text_cut(message, strlen(message), sizeof doubt->message - 1));
  }
}

static bool take_end(const json_t *object, scr_end *end)
{
  const char *verdict = json_string_value(json_object_get(object, "verdict"));
  const char *message = json_string_value(json_object_get(object, "message"));
  for (int v = SCR_VERDICT_SUCCEEDED; verdict && v <= SCR_VERDICT_CANCELLED; v++)
    if (strcmp(verdict, verdict_names[v]) == 0) end->verdict = (scr_verdict)v;
  snprintf(end->message, sizeof end->message, "%s", message ? message : "");
  end->step = whole_value(object, "step");
  end->sim_time = json_number_value(json_object_get(object, "sim_time"));
  end->headline_count = headlines_take(object, end->headlines);
  end->frames = whole_value(object, "frames");
  end->samples = whole_value(object, "samples");
  const char *digest = json_string_value(json_object_get(object, "digest")); /* recordings from before have none */
  end->records = whole_value(object, "records");
  snprintf(end->digest, sizeof end->digest, "%s", digest ? digest : "");
  take_doubts(json_object_get(object, "doubts"), end);
  return end->verdict != SCR_VERDICT_NONE;
}

scr_status scr_recording_end(scr_recording *recording, scr_end *end, scr_error *error)
{
  *end = (scr_end){.verdict = SCR_VERDICT_NONE};
  uint64_t seq = scr_recording_newest(recording, 1u << SCR_RECORD_END);
  if (!seq) return SCR_OK;
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0;
  json_t *object = NULL;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  scr_status status = json_read(payload, size, JSON_REJECT_DUPLICATES, &object, NULL);
  free(record);
  if (status == SCR_NO_MEMORY)
    scr_fail_memory(error, "the recording's end", size);
  else if (status != SCR_OK || !take_end(object, end))
    status = scr_fail(error, SCR_BAD_FILE, NULL, "the recording's end record has no known verdict (see core/record/FORMAT.md)");
  json_decref(object);
  return status;
}
