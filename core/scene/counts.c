/* Counts of an estimate: by name, and in JSON. */
#include "scene/counts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

uint64_t *scr_count_in(scr_estimate *estimate, const char *name, const char *label)
{
  for (size_t k = 0; k < estimate->count_count; k++)
    if (strcmp(estimate->counts[k].name, name) == 0) return &estimate->counts[k].value;
  assert(estimate->count_count < SCR_COUNT_LIMIT);
  scr_count *count = &estimate->counts[estimate->count_count++];
  snprintf(count->name, sizeof count->name, "%s", name);
  snprintf(count->label, sizeof count->label, "%s", label);
  return &count->value;
}

uint64_t scr_count_of(const scr_estimate *estimate, const char *name)
{
  for (size_t k = 0; k < estimate->count_count; k++)
    if (strcmp(estimate->counts[k].name, name) == 0) return estimate->counts[k].value;
  return 0;
}

json_t *scr_counts_json(const scr_estimate *estimate)
{
  json_t *list = json_array();
  for (size_t k = 0; k < estimate->count_count; k++) {
    const scr_count *count = &estimate->counts[k];
    json_int_t value = count->value < INT64_MAX ? (json_int_t)count->value : INT64_MAX;
    json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "name", count->name, "label", count->label, "value", value));
  }
  if (json_array_size(list) == estimate->count_count) return list;
  json_decref(list);
  return NULL;
}

/* Threads meet about ten times a step, each time for tens of microseconds where cores are shared. Measured with two threads beside other
 * work, grains of peridem: steps of 0.2 ms take 3 times as long as with one, of 0.4 ms 1.4 times, of 1.2 ms 1.3 to 2 times, of 3.7 ms as
 * long. */
unsigned scr_threads_worth(double run_seconds, uint64_t step_count, unsigned most)
{
  static const double seconds_per_thread = 5e-4;
  double threads = run_seconds / (double)step_count / seconds_per_thread;
  if (step_count == 0 || !(threads < most)) return most;
  return threads > 1 ? (unsigned)threads : 1;
}

void scr_counts_take(const json_t *list, scr_estimate *estimate)
{
  estimate->count_count = 0;
  for (size_t k = 0; k < json_array_size(list) && estimate->count_count < SCR_COUNT_LIMIT; k++) {
    const json_t *object = json_array_get(list, k), *value = json_object_get(object, "value");
    const char *name = json_string_value(json_object_get(object, "name")), *label = json_string_value(json_object_get(object, "label"));
    if (!name || !label || !json_is_integer(value) || json_integer_value(value) < 0) continue;
    if (strlen(name) >= SCR_COUNT_NAME_BYTES || strlen(label) >= SCR_COUNT_NAME_BYTES) continue;
    *scr_count_in(estimate, name, label) = (uint64_t)json_integer_value(value);
  }
}
