/* Keys without effect: those of other methods, and those of what is switched off. */
#include "scene/check/idle_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/problem.h"

enum { POINTER_BYTES = 128, WORDS_BYTES = 200 };

typedef struct section_block block_values;

/* One object of the scene that methods declare keys for. */
typedef struct keyed_object {
  char pointer[64]; /* JSON Pointer to it */
  scr_key_place place;
  const section_blocks *blocks;
} keyed_object;

static section_block_kind kind_of(scr_key_place place)
{
  switch (place) {
  case SCR_KEY_MATERIAL: return BLOCK_MATERIAL;
  case SCR_KEY_CONTACT: return BLOCK_SURFACE;
  case SCR_KEY_SPECIMEN: return BLOCK_SPECIMEN;
  case SCR_KEY_OPTION: break;
  }
  return BLOCK_NONE;
}

static scr_block table_of(const scr_method_description *method, scr_key_place place)
{
  if (place == SCR_KEY_OPTION) return (scr_block){method->params, method->param_count, method->options_size};
  return section_table(method, kind_of(place));
}

static const block_values *block_of(const section_blocks *blocks, const scr_method_description *method)
{
  for (size_t k = 0; k < blocks->count; k++)
    if (blocks->blocks[k].method == method) return &blocks->blocks[k];
  return NULL;
}

/* ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool same_number(double a, double b)
{
  return a == b || (isnan(a) && isnan(b));
}

/* Whether a value is `number`, in each component; texts and files: whether there is none. */
static bool value_is(const scr_param *param, const void *at, double number)
{
  switch (param->kind) {
  case SCR_PARAM_NUMBER: return same_number(*(const double *)at, number);
  case SCR_PARAM_INTEGER: return (double)*(const int64_t *)at == number;
  case SCR_PARAM_BOOLEAN: return *(const bool *)at == (number != 0);
  case SCR_PARAM_CHOICE: return *(const int *)at == (int)number;
  case SCR_PARAM_VECTOR: {
    const scr_vec3 *v = at;
    return same_number(v->x, number) && same_number(v->y, number) && same_number(v->z, number);
  }
  case SCR_PARAM_TEXT: return *(const char *)at == '\0';
  case SCR_PARAM_ASSET: return ((const scr_asset_reference *)at)->index < 0;
  }
  return true;
}

/* Absent, automatic, zero or the first choice, which is none. */
static bool is_off(const scr_param *param, const void *at)
{
  bool automatic = (param->flags & SCR_PARAM_AUTOMATIC) != 0;
  return value_is(param, at, 0) || (automatic && value_is(param, at, param->kind == SCR_PARAM_INTEGER ? -1 : (double)NAN));
}

/* Whether `name` is one of "a|b|c". */
static bool is_one_of(const char *names, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = names; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == '|' || at[length] == '\0')) return true;
  return false;
}

static bool value_holds(const scr_param *param, const void *at, const char *value)
{
  if (!value) return !is_off(param, at);
  if (param->kind == SCR_PARAM_CHOICE) return is_one_of(value, param->choices[*(const int *)at]);
  if (param->kind == SCR_PARAM_BOOLEAN) return is_one_of(value, *(const bool *)at ? "true" : "false");
  return true;
}

/* ── what is switched off ────────────────────────────────────────────────────────────────────────────────────────── */

static bool need_holds(const scene_document *document, const keyed_object *object, const scr_need *need)
{
  const scr_method_description *method = document->method;
  if (strcmp(need->on, "time_step") == 0) return isnan(document->time.time_step);
  for (int k = 0; k < 2; k++) {
    scr_block table = table_of(method, k == 0 ? object->place : SCR_KEY_OPTION);
    const scr_param *param = section_table_param(&table, need->on);
    const void *values = section_values_of(k == 0 ? object->blocks : &document->options, method);
    if (param && values) return value_holds(param, (const char *)values + param->offset, need->value);
  }
  return true;
}

static void words_of(const char *value, char words[static WORDS_BYTES])
{
  size_t length = 0;
  for (const char *c = value; *c && length + 8 < WORDS_BYTES; c++) {
    const char *piece = *c == '|' ? " or " : (char[2]){*c, '\0'};
    length += (size_t)snprintf(words + length, WORDS_BYTES - length, "%s", piece);
  }
}

static scr_status warn_need(const keyed_object *object, const scr_need *need, scr_problems *warnings)
{
  char pointer[POINTER_BYTES], words[WORDS_BYTES] = "";
  snprintf(pointer, sizeof pointer, "%s/%s", object->pointer, need->key);
  if (strcmp(need->on, "time_step") == 0)
    return problem_add_at(warnings, pointer, NAN, "a key that counts",
                          "%s has no effect where /time/time_step is given: leave one of them out", need->key);
  if (!need->value)
    return problem_add_at(warnings, pointer, NAN, "a key that counts", "%s has no effect without %s: give that, or leave it out", need->key,
                          need->on);
  words_of(need->value, words);
  return problem_add_at(warnings, pointer, NAN, "a key that counts", "%s has no effect unless %s is %s: set that, or leave it out",
                        need->key, need->on, words);
}

static scr_status check_needs(const scene_document *document, const keyed_object *object, scr_problems *warnings)
{
  const scr_method_description *method = document->method;
  scr_block table = table_of(method, object->place);
  const block_values *own = block_of(object->blocks, method);
  for (const scr_need *need = method->needs; own && need && need->key; need++) {
    const scr_param *param = need->place == object->place ? section_table_param(&table, need->key) : NULL;
    if (!param || (own->given && !own->given[param - table.params])) continue;
    if (value_is(param, (const char *)own->values + param->offset, param->fallback) || need_holds(document, object, need)) continue;
    SCR_TRY(warn_need(object, need, warnings));
  }
  return SCR_OK;
}

/* ── keys of other methods ───────────────────────────────────────────────────────────────────────────────────────── */

/* Whether a method that has the key is one that the scene gives options for by its name. */
static bool is_shared(const scene_document *document, scr_key_place place, const char *key)
{
  for (size_t k = 0; document->options.by_method && k < document->options.count; k++) {
    scr_block table = table_of(document->options.blocks[k].method, place);
    if (section_table_param(&table, key)) return true;
  }
  return false;
}

/* "peridem, bdem": the methods that have a key. */
static void owners_of(scr_method_list methods, scr_key_place place, const char *key, char words[static WORDS_BYTES])
{
  size_t length = 0;
  for (size_t k = 0; methods(k); k++) {
    scr_block table = table_of(methods(k), place);
    if (!section_table_param(&table, key) || length + 40 > WORDS_BYTES) continue;
    length += (size_t)snprintf(words + length, WORDS_BYTES - length, "%s%.32s", length > 0 ? ", " : "", methods(k)->name);
  }
}

static const char *substitute_of(const scr_method_description *method, const char *key)
{
  for (const scr_substitute *s = method->substitutes; s && s->key; s++)
    if (strcmp(s->key, key) == 0) return s->instead;
  return NULL;
}

static scr_status warn_foreign(const scene_document *document, scr_method_list methods, const keyed_object *object, const char *key,
                               scr_problems *warnings)
{
  char pointer[POINTER_BYTES], owners[WORDS_BYTES] = "";
  const char *instead = substitute_of(document->method, key);
  snprintf(pointer, sizeof pointer, "%s/%s", object->pointer, key);
  owners_of(methods, object->place, key, owners);
  return problem_add_at(warnings, pointer, NAN, "a key of the scene's method",
                        "%s has no effect under method %s%s%s: it is a key of %s; leave it out, or, where the scene is to serve several "
                        "methods, give options by their names",
                        key, document->method->name, instead ? ", " : "", instead ? instead : "", owners);
}

static scr_status check_foreign(const scene_document *document, scr_method_list methods, const keyed_object *object, scr_problems *warnings)
{
  for (size_t k = 0; k < object->blocks->count; k++) {
    const block_values *block = &object->blocks->blocks[k];
    if (block->method == document->method || !block->given) continue;
    scr_block table = table_of(block->method, object->place);
    for (size_t i = 0; i < table.count; i++) {
      const scr_param *param = &table.params[i];
      if (!block->given[i] || is_shared(document, object->place, param->name)) continue;
      bool required = (param->flags & SCR_PARAM_REQUIRED) != 0;
      if (!required && value_is(param, (const char *)block->values + param->offset, param->fallback)) continue;
      SCR_TRY(warn_foreign(document, methods, object, param->name, warnings));
    }
  }
  return SCR_OK;
}

/* ── the scene's objects ─────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_object(const scene_document *document, scr_method_list methods, const keyed_object *object, scr_problems *warnings)
{
  if (object->place != SCR_KEY_OPTION) SCR_TRY(check_foreign(document, methods, object, warnings));
  return check_needs(document, object, warnings);
}

/* A factor of 1 or -1 leaves a curve its unit, so that another one would be wrong. */
static scr_status check_plots(const scene_document *document, scr_problems *warnings)
{
  for (size_t i = 0; i < document->output.plot_count; i++) {
    const scr_plot *plot = &document->output.plots[i];
    char pointer[POINTER_BYTES];
    if (!plot->unit[0] || fabs(plot->scale) != 1) continue;
    snprintf(pointer, sizeof pointer, "/output/plots/%zu/unit", i);
    SCR_TRY(
        problem_add_text(warnings, pointer, plot->unit, "a key that counts",
                         "unit \"%s\" is that of y times scale, and a scale of %g leaves y its own unit: give the factor to it, or leave "
                         "it out",
                         plot->unit, plot->scale));
  }
  return SCR_OK;
}

scr_status check_idle_keys(const scene_document *document, scr_method_list methods, scr_problems *warnings)
{
  keyed_object object = {.place = SCR_KEY_OPTION, .blocks = &document->options};
  snprintf(object.pointer, sizeof object.pointer, "/options%s%.40s", document->options.by_method ? "/" : "",
           document->options.by_method ? document->method->name : "");
  SCR_TRY(check_object(document, methods, &object, warnings));
  object = (keyed_object){.pointer = "/contact", .place = SCR_KEY_CONTACT, .blocks = &document->contact.law};
  SCR_TRY(check_object(document, methods, &object, warnings));
  for (size_t i = 0; i < document->contact.pair_count; i++) {
    snprintf(object.pointer, sizeof object.pointer, "/contact/pairs/%zu", i);
    object.blocks = &document->contact.pairs[i].law;
    SCR_TRY(check_foreign(document, methods, &object, warnings)); /* what its keys need may stand in the default law */
  }
  for (size_t i = 0; i < document->material_count; i++) {
    object = (keyed_object){.place = SCR_KEY_MATERIAL, .blocks = &document->materials[i].constants};
    snprintf(object.pointer, sizeof object.pointer, "/materials/%zu", i);
    SCR_TRY(check_object(document, methods, &object, warnings));
  }
  for (size_t i = 0; i < document->specimen_count; i++) {
    object = (keyed_object){.place = SCR_KEY_SPECIMEN, .blocks = &document->specimens[i].division};
    snprintf(object.pointer, sizeof object.pointer, "/specimens/%zu", i);
    SCR_TRY(check_object(document, methods, &object, warnings));
  }
  return check_plots(document, warnings);
}
