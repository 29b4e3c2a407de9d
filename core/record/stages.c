/* Stages and kernels in JSON, written and read in one place. */
#include "record/stages.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Both lists hold objects of two texts. */
static json_t *append(json_t *list, const char *first, const char *a, const char *second, const char *b)
{
  json_array_append_new(list, json_pack("{s:s, s:s}", first, a, second, b));
  return list;
}

static json_t *whole_or_null(json_t *list, size_t count)
{
  if (json_array_size(list) == count) return list;
  json_decref(list);
  return NULL;
}

json_t *stages_json(const scr_stage *stages, size_t count)
{
  json_t *list = json_array();
  for (size_t k = 0; k < count; k++) append(list, "name", stages[k].name, "label", stages[k].label);
  return whole_or_null(list, count);
}

json_t *kernels_json(const scr_kernel *kernels, size_t count)
{
  json_t *list = json_array();
  bool whole = true;
  for (size_t k = 0; k < count; k++) {
    append(list, "what", kernels[k].what, "variant", kernels[k].variant);
    if (!kernels[k].same_bits_as[0]) continue;
    whole = json_object_set_new(json_array_get(list, k), "same_bits_as", json_string(kernels[k].same_bits_as)) == 0 && whole;
  }
  return whole_or_null(list, whole ? count : SIZE_MAX);
}

static const char *bits_of(const scr_kernel *kernel)
{
  return kernel->same_bits_as[0] ? kernel->same_bits_as : kernel->variant;
}

bool kernels_agree(const scr_kernel *a, const scr_kernel *b)
{
  return strcmp(bits_of(a), bits_of(b)) == 0;
}

static bool take_text(const json_t *object, const char *key, char *into, size_t capacity)
{
  const char *text = json_string_value(json_object_get(object, key));
  if (!text || strlen(text) >= capacity) return false;
  snprintf(into, capacity, "%s", text);
  return true;
}

bool stages_take(const json_t *list, scr_stage *stages, size_t *count)
{
  *count = json_array_size(list);
  if ((list && !json_is_array(list)) || *count > STAGE_LIMIT) return false;
  for (size_t k = 0; k < *count; k++) {
    const json_t *object = json_array_get(list, k);
    if (!take_text(object, "name", stages[k].name, sizeof stages[k].name) ||
        !take_text(object, "label", stages[k].label, sizeof stages[k].label))
      return false;
  }
  return true;
}

bool kernels_take(const json_t *list, scr_kernel *kernels, size_t *count)
{
  *count = json_array_size(list);
  if ((list && !json_is_array(list)) || *count > KERNEL_LIMIT) return false;
  for (size_t k = 0; k < *count; k++) {
    const json_t *object = json_array_get(list, k);
    if (!take_text(object, "what", kernels[k].what, sizeof kernels[k].what) ||
        !take_text(object, "variant", kernels[k].variant, sizeof kernels[k].variant))
      return false;
    kernels[k].same_bits_as[0] = '\0';
    if (json_object_get(object, "same_bits_as") &&
        !take_text(object, "same_bits_as", kernels[k].same_bits_as, sizeof kernels[k].same_bits_as))
      return false;
  }
  return true;
}
