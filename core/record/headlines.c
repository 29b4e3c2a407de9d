/* Headlines in JSON, written and read in one place. */
#include "record/headlines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *headlines_json(const scr_headline *headlines, size_t count)
{
  json_t *list = json_array();
  for (size_t k = 0; k < count; k++) {
    const scr_headline *h = &headlines[k];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "name", h->name, "label", h->label, "unit", h->unit, "value",
                                          isfinite(h->value) ? json_real(h->value) : json_null()));
  }
  if (json_array_size(list) == count) return list;
  json_decref(list);
  return NULL;
}

static bool take_text(const json_t *object, const char *key, char *into, size_t capacity)
{
  const char *text = json_string_value(json_object_get(object, key));
  if (!text || strlen(text) >= capacity) return false;
  snprintf(into, capacity, "%s", text);
  return true;
}

size_t headlines_take_list(const json_t *list, scr_headline *headlines)
{
  size_t count = 0;
  for (size_t k = 0; k < json_array_size(list) && count < SCR_HEADLINE_LIMIT; k++) {
    const json_t *object = json_array_get(list, k), *value = json_object_get(object, "value");
    scr_headline *h = &headlines[count];
    memset(h, 0, sizeof *h);
    if (!take_text(object, "name", h->name, sizeof h->name) || !take_text(object, "label", h->label, sizeof h->label) ||
        !take_text(object, "unit", h->unit, sizeof h->unit))
      continue;
    h->value = json_is_number(value) ? json_number_value(value) : (double)NAN;
    count++;
  }
  return count;
}

size_t headlines_take(const json_t *record, scr_headline *headlines)
{
  /* Until November 2026 records had two numbers under keys of their own. */
  static const struct {
    const char *key, *label, *unit;
  } old[] = {{"peak_force", "Peak force", "N"}, {"broken_bonds", "Broken bonds", "1"}};
  const json_t *list = json_object_get(record, "headlines");
  if (list) return headlines_take_list(list, headlines);
  size_t count = 0;
  for (size_t k = 0; k < sizeof old / sizeof *old; k++) {
    const json_t *value = json_object_get(record, old[k].key);
    if (!json_is_number(value)) continue;
    scr_headline *h = &headlines[count++];
    memset(h, 0, sizeof *h);
    snprintf(h->name, sizeof h->name, "%s", old[k].key);
    snprintf(h->label, sizeof h->label, "%s", old[k].label);
    snprintf(h->unit, sizeof h->unit, "%s", old[k].unit);
    h->value = json_number_value(value);
  }
  return count;
}
