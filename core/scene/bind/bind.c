/* The one reader of scene JSON: walks a section and an object side by side. */
#include "base/suggest.h"
#include "base/unit.h"
#include "scene/bind/bind.h"
#include "scene/bind/bind_block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Doubles hold every whole number up to here; JSON tools agree on no more (RFC 8259, section 6). */
#define WHOLE_MAX 9007199254740992.0

static void note(binding *binder, scr_status status)
{
  if (status == SCR_NO_MEMORY) binder->no_memory = true;
}

/* What is wrong with a value, behind "radius is "5 kg"": a quantity says more than that it is refused. */
static const char *complaint(const scr_param *param, const json_t *given)
{
  double number;
  bool quantity =
      (param->kind == SCR_PARAM_NUMBER || param->kind == SCR_PARAM_VECTOR) && json_is_string(given) && unit_can_be_given(param->unit);
  switch (quantity ? unit_read(json_string_value(given), param->unit, &number) : UNIT_NO_NUMBER) {
  case UNIT_MISSING: return "a text without a unit";
  case UNIT_UNKNOWN: return "whose unit Scree does not know";
  case UNIT_OF_OTHER_KIND: return "whose unit is of another kind";
  case UNIT_READ:
  case UNIT_NO_NUMBER: break;
  }
  return "which is not allowed";
}

/* "radius is -1, which is not allowed: give a number > 0, in m (outer radius)", or "radius is missing: ...". A text that is refused also
 * learns how quantities are given. */
static void report_value(binding *binder, const path *place, const char *name, const scr_param *param, const json_t *given)
{
  text_builder phrase = {0}, value = {0}, hint = {0};
  char example[40];
  if (binder->problems->truncated) return;
  allowed_text(&phrase, param);
  text_add_string(&hint, "");
  if (given) given_text(&value, given, 60);
  if (json_is_string(given) && param->kind == SCR_PARAM_NUMBER && unit_can_be_given(param->unit))
    text_add_format(&hint, ", or text with a unit, such as \"%s\"", unit_example(param->unit, example));
  char *allowed = text_take(&phrase), *shown = text_take(&value), *more = text_take(&hint);
  if (!allowed || (given && !shown) || !more)
    binder->no_memory = true;
  else if (given)
    note(binder, problem_add(binder->problems, place, given, allowed, "%s is %s, %s: give %s%s (%s)", name, shown, complaint(param, given),
                             allowed, more, param->help));
  else
    note(binder, problem_add(binder->problems, place, NULL, allowed, "%s is missing: give %s (%s)", name, allowed, param->help));
  free(allowed);
  free(shown);
  free(more);
}

/* ── plain values ───────────────────────────────────────────────────────────────────────────────────────────────── */

static bool in_range(const scr_param *param, double value)
{
  if (!isfinite(value) || ((param->flags & SCR_PARAM_WHOLE) && value != floor(value))) return false;
  if (param->flags & SCR_PARAM_ABOVE ? value <= param->minimum : value < param->minimum) return false;
  return !(param->flags & SCR_PARAM_BELOW ? value >= param->maximum : value > param->maximum);
}

/* A number, or, where its unit has a dimension, text such as "1 mm". */
static bool read_number(const scr_param *param, const json_t *value, double *number)
{
  if (json_is_number(value))
    *number = json_number_value(value);
  else if (!json_is_string(value) || param->kind == SCR_PARAM_INTEGER || !unit_can_be_given(param->unit) ||
           unit_read(json_string_value(value), param->unit, number) != UNIT_READ)
    return false;
  return in_range(param, *number);
}

static bool read_vector(const scr_param *param, const json_t *value, double components[static 3])
{
  if (!json_is_array(value) || json_array_size(value) != 3) return false;
  for (size_t i = 0; i < 3; i++)
    if (!read_number(param, json_array_get(value, i), &components[i])) return false;
  return true;
}

static bool is_name(const char *text)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
  return !strchr("_-.", text[0]) && strspn(text, letters) == strlen(text);
}

/* Control characters (C0 but tab and line feed, DEL, and C1, which is C2 80 ... C2 9F in UTF-8) would reach terminals and pictures. */
static bool has_control_character(const char *text)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7F) return true;
    if (*c == 0xC2 && c[1] < 0xA0) return true;
  }
  return false;
}

static bool read_text(const scr_param *param, const json_t *value, char *field)
{
  const char *text = json_string_value(value);
  if (!text) return false;
  size_t length = strlen(text);
  if ((double)length < param->minimum || (double)length > param->maximum || has_control_character(text)) return false;
  if ((param->flags & SCR_PARAM_NAME) && !is_name(text)) return false;
  memcpy(field, text, length + 1);
  return true;
}

static bool read_choice(const scr_param *param, const json_t *value, int *choice)
{
  const char *text = json_string_value(value);
  for (int i = 0; text && param->choices[i]; i++) {
    if (strcmp(text, param->choices[i]) != 0) continue;
    *choice = i;
    return true;
  }
  return false;
}

/* What a field holds when the scene does not say it, or (`unsound`) when it could not be read. */
void bind_default(const scr_param *param, void *field, bool invalid)
{
  bool automatic = param->flags & SCR_PARAM_AUTOMATIC;
  double number = invalid || automatic ? (double)NAN : param->fallback;
  int64_t integer = automatic || param->kind != SCR_PARAM_INTEGER ? -1 : (int64_t)param->fallback;
  int choice = param->kind == SCR_PARAM_CHOICE ? (int)param->fallback : 0; /* other kinds' may be NaN */
  switch (param->kind) {
  case SCR_PARAM_NUMBER: memcpy(field, &number, sizeof number); break;
  case SCR_PARAM_INTEGER: memcpy(field, &integer, sizeof integer); break;
  case SCR_PARAM_BOOLEAN: *(bool *)field = param->fallback != 0; break;
  case SCR_PARAM_CHOICE: memcpy(field, &choice, sizeof choice); break;
  case SCR_PARAM_VECTOR: memcpy(field, &(scr_vec3){number, number, number}, sizeof(scr_vec3)); break;
  case SCR_PARAM_TEXT: *(char *)field = '\0'; break;
  case SCR_PARAM_ASSET: memcpy(field, &(scr_asset_reference){.index = -1}, sizeof(scr_asset_reference)); break;
  }
}

static bool read_value(const scr_param *param, const json_t *value, void *field)
{
  double number, components[3];
  if (json_is_null(value) && (param->flags & SCR_PARAM_AUTOMATIC)) {
    bind_default(param, field, false);
    return true;
  }
  switch (param->kind) {
  case SCR_PARAM_NUMBER:
    if (!read_number(param, value, &number)) return false;
    memcpy(field, &number, sizeof number);
    return true;
  case SCR_PARAM_INTEGER:
    if (!read_number(param, value, &number) || number != floor(number) || fabs(number) > WHOLE_MAX) return false;
    memcpy(field, &(int64_t){(int64_t)number}, sizeof(int64_t));
    return true;
  case SCR_PARAM_BOOLEAN:
    if (!json_is_boolean(value)) return false;
    *(bool *)field = json_is_true(value);
    return true;
  case SCR_PARAM_VECTOR:
    if (!read_vector(param, value, components)) return false;
    memcpy(field, &(scr_vec3){components[0], components[1], components[2]}, sizeof(scr_vec3));
    return true;
  case SCR_PARAM_CHOICE: return read_choice(param, value, field);
  case SCR_PARAM_TEXT: return read_text(param, value, field);
  case SCR_PARAM_ASSET: return false; /* bind_asset reads them */
  }
  return false;
}

/* A vector's problem is that of its components, each at its own place, unless it is no list of three at all. */
static void report_refused(binding *binder, const path *place, const char *name, const scr_param *param, const json_t *value)
{
  if (param->kind != SCR_PARAM_VECTOR || !json_is_array(value) || json_array_size(value) != 3) {
    report_value(binder, place, name, param, value);
    return;
  }
  static const char *const axis_names[3] = {"x", "y", "z"};
  scr_param component = *param;
  component.kind = SCR_PARAM_NUMBER;
  component.flags &= ~(unsigned)SCR_PARAM_AUTOMATIC;
  for (size_t i = 0; i < 3; i++) {
    double number;
    char label[96];
    const json_t *item = json_array_get(value, i);
    if (read_number(&component, item, &number)) continue;
    snprintf(label, sizeof label, "the %s component of %s", axis_names[i], name);
    report_value(binder, &(path){place, NULL, i}, label, &component, item);
  }
}

/* The problems of a file that can't be had are its own. */
static bool bind_asset(binding *binder, const scr_param *param, const path *place, const json_t *value, void *field)
{
  scr_asset_reference reference = {.index = -1};
  const char *given = json_string_value(value);
  bool none = json_is_null(value) && (param->flags & SCR_PARAM_AUTOMATIC);
  if (given)
    note(binder, asset_take(binder->assets, param, place, given, binder->problems, &reference));
  else if (!none)
    report_value(binder, place, param->name, param, value);
  memcpy(field, &reference, sizeof reference);
  return none || reference.index >= 0;
}

bool bind_param(binding *binder, const scr_param *param, const path *parent, const json_t *object, void *base)
{
  path place = {parent, param->name, 0};
  void *field = (char *)base + param->offset;
  const json_t *value = json_object_get(object, param->name);
  if (!value) {
    bool missing = param->flags & SCR_PARAM_REQUIRED;
    bind_default(param, field, missing);
    if (missing) report_value(binder, &place, param->name, param, NULL);
    return false;
  }
  if (param->kind == SCR_PARAM_ASSET) return bind_asset(binder, param, &place, value, field);
  if (read_value(param, value, field)) return true;
  bind_default(param, field, true);
  report_refused(binder, &place, param->name, param, value);
  return false;
}

/* ── lists, the method, members ─────────────────────────────────────────────────────────────────────────────────── */

static void report_list(binding *binder, const section_member *member, const path *place, const json_t *value)
{
  char allowed[96];
  if (member->minimum_count == member->maximum_count)
    snprintf(allowed, sizeof allowed, "a list of %zu", member->minimum_count);
  else
    snprintf(allowed, sizeof allowed, "a list of %zu to %zu items", member->minimum_count, member->maximum_count);
  if (json_is_array(value))
    note(binder, problem_add(binder->problems, place, value, allowed, "%s has %zu items: give %s (%s)", member->name,
                             json_array_size(value), allowed, member->help));
  else
    note(binder,
         problem_add(binder->problems, place, value, allowed, "%s is not a list: give %s (%s)", member->name, allowed, member->help));
}

/* Allocates a list of the right length, or says why not. NULL also for an empty list. */
static char *start_list(binding *binder, const section_member *member, const path *place, const json_t *value, size_t size)
{
  size_t count = json_array_size(value);
  if (!json_is_array(value) || count < member->minimum_count || count > member->maximum_count) {
    report_list(binder, member, place, value);
    return NULL;
  }
  if (count == 0) return NULL;
  char *items = calloc(count, size);
  if (!items) binder->no_memory = true;
  return items;
}

static void store_list(const section_member *member, void *base, void *items, size_t count)
{
  memcpy((char *)base + member->offset, &items, sizeof items);
  memcpy((char *)base + member->count_offset, &count, sizeof count);
}

static void bind_list(binding *binder, const section_member *member, const path *place, const json_t *value, void *base)
{
  char *items = start_list(binder, member, place, value, member->element_size);
  if (!items) return;
  size_t count = json_array_size(value);
  store_list(member, base, items, count);
  for (size_t i = 0; i < count; i++)
    bind_section(binder, member->section, &(path){place, NULL, i}, json_array_get(value, i), items + i * member->element_size);
}

static void bind_values(binding *binder, const section_member *member, const path *place, const json_t *value, void *base)
{
  size_t size = param_size(member->value);
  char *items = start_list(binder, member, place, value, size);
  if (!items) return;
  size_t count = json_array_size(value);
  bool valid = true;
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(value, i);
    if (read_value(member->value, item, items + i * size)) continue;
    char label[96];
    snprintf(label, sizeof label, "item %zu of %s", i, member->name);
    report_refused(binder, &(path){place, NULL, i}, label, member->value, item);
    valid = false;
  }
  if (valid)
    store_list(member, base, items, count);
  else
    free(items);
}

/* Text of any length, which may have line ends of every kind. */
static void bind_text(binding *binder, const section_member *member, const path *place, const json_t *value, void *base)
{
  const char *given = json_string_value(value);
  size_t length = given ? strlen(given) : 0;
  if (!given || length > member->maximum_count) {
    char allowed[96];
    snprintf(allowed, sizeof allowed, "text of at most %zu bytes", member->maximum_count);
    note(binder, problem_add(binder->problems, place, value, allowed, "%s is %s: give %s (%s)", member->name,
                             given ? "too long" : "not a string", allowed, member->help));
    return;
  }
  char *text = length ? malloc(length + 1) : NULL;
  if (length && !text) binder->no_memory = true;
  if (text) memcpy(text, given, length + 1);
  memcpy((char *)base + member->offset, &text, sizeof text);
}

static void bind_method(binding *binder, const section_member *member, const path *place, const json_t *value, void *base)
{
  const char *given = json_string_value(value);
  suggestion search = suggestion_start(given ? given : "");
  text_builder names = {0};
  const scr_method_description *method;
  for (size_t i = 0; (method = binder->methods(i)) != NULL; i++) {
    if (given && strcmp(given, method->name) == 0) {
      binder->method = method;
      memcpy((char *)base + member->offset, &method, sizeof method);
    }
    text_add_format(&names, "%s\"%s\"", i ? " or " : "", method->name);
    suggestion_consider(&search, method->name);
  }
  char *allowed = text_take(&names);
  if (!allowed)
    binder->no_memory = true;
  else if (!binder->method)
    note(binder, problem_add(binder->problems, place, value, allowed, "there is no such method: give %s%s%s%s", allowed,
                             given && search.best ? " (did you mean \"" : "", given && search.best ? search.best : "",
                             given && search.best ? "\"?)" : ""));
  free(allowed);
}

/* A whole object that could not be read: every field unknown, every list empty. A union is taken as its first variant. */
static void fill_invalid(binding *binder, const section *form, void *base)
{
  if (form->variants) form = form->variants[0].section;
  if (form->block) bind_block_invalid(binder, form, base);
  for (size_t i = 0; i < form->param_count; i++) bind_default(&form->params[i], (char *)base + form->params[i].offset, true);
  for (size_t i = 0; i < form->member_count; i++)
    if (form->members[i].kind == MEMBER_OBJECT) fill_invalid(binder, form->members[i].section, (char *)base + form->members[i].offset);
}

static void bind_member(binding *binder, const section_member *member, const path *parent, const json_t *object, void *base)
{
  path place = {parent, member->name, 0};
  const json_t *value = json_object_get(object, member->name);
  if (!value && member->required) {
    note(binder, problem_add(binder->problems, &place, NULL, member->help, "%s is missing: give %s", member->name, member->help));
    if (member->kind == MEMBER_OBJECT) fill_invalid(binder, member->section, (char *)base + member->offset);
    return;
  }
  switch (member->kind) {
  case MEMBER_OBJECT:
    if (member->count_offset) *((bool *)base + member->count_offset) = value != NULL;
    if (value || !member->count_offset) bind_section(binder, member->section, &place, value, (char *)base + member->offset);
    break;
  case MEMBER_LIST:
    if (value) bind_list(binder, member, &place, value, base);
    break;
  case MEMBER_VALUES:
    if (value) bind_values(binder, member, &place, value, base);
    break;
  case MEMBER_TEXT:
    if (value) bind_text(binder, member, &place, value, base);
    break;
  case MEMBER_METHOD: bind_method(binder, member, &place, value, base); break;
  case MEMBER_OPTIONS: bind_options(binder, member, &place, value, base); break;
  }
}

/* ── objects ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool knows(const binding *binder, const section *form, const char *key)
{
  if (bind_block_knows(binder, form, key)) return true;
  for (size_t i = 0; i < form->param_count; i++)
    if (strcmp(form->params[i].name, key) == 0) return true;
  for (size_t i = 0; i < form->member_count; i++)
    if (strcmp(form->members[i].name, key) == 0) return true;
  return false;
}

void bind_known(text_builder *names, suggestion *search, const char *name)
{
  text_add_format(names, "%s%s", names->length ? ", " : "", name);
  suggestion_consider(search, name);
}

/* Says what an unknown key may have been meant to be: a key of another form of the union, or one with another spelling. */
void bind_unknown_key(binding *binder, const section *form, const section *tagged, const path *place, const char *key, const json_t *value)
{
  text_builder names = {0}, hint = {0};
  suggestion search = suggestion_start(key);
  char shown[80];
  if (binder->problems->truncated) return;
  if (tagged) bind_known(&names, &search, "type");
  for (size_t i = 0; i < form->param_count; i++) bind_known(&names, &search, form->params[i].name);
  bind_block_names(binder, form, &names, &search);
  for (size_t i = 0; i < form->member_count; i++) bind_known(&names, &search, form->members[i].name);
  for (size_t i = 0; tagged && i < tagged->variant_count && !hint.length; i++)
    if (knows(binder, tagged->variants[i].section, key)) text_add_format(&hint, "it belongs to type \"%s\"; ", tagged->variants[i].name);
  if (search.best && !hint.length) text_add_format(&hint, "did you mean \"%s\"? ", search.best);
  text_add_string(&hint, ""); /* make it a string even when there is no hint */
  char *known = text_take(&names), *help = text_take(&hint);
  if (!known || !help)
    binder->no_memory = true;
  else
    note(binder, problem_add(binder->problems, &(path){place, key, 0}, value, known[0] ? known : "no keys",
                             "there is no key \"%s\" here: %sknown keys are %s", short_text(key, shown, sizeof shown), help,
                             known[0] ? known : "none"));
  free(known);
  free(help);
}

static void bind_fields(binding *binder, const section *form, const section *tagged, const path *place, const json_t *object, void *base)
{
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value)
  {
    bool is_tag = tagged && strcmp(key, "type") == 0;
    if (!is_tag && !knows(binder, form, key)) bind_unknown_key(binder, form, tagged, place, key, value);
  }
  for (size_t i = 0; i < form->param_count; i++) bind_param(binder, &form->params[i], place, object, base);
  if (form->block) bind_block(binder, form, place, object, base);
  for (size_t i = 0; i < form->member_count; i++) bind_member(binder, &form->members[i], place, object, base);
}

static void report_type(binding *binder, const section *form, const path *place, const json_t *given)
{
  const char *type = json_string_value(given);
  suggestion search = suggestion_start(type ? type : "");
  text_builder names = {0};
  if (binder->problems->truncated) return;
  for (size_t i = 0; i < form->variant_count; i++) {
    text_add_format(&names, "%s\"%s\"", i ? " or " : "", form->variants[i].name);
    suggestion_consider(&search, form->variants[i].name);
  }
  char *allowed = text_take(&names);
  bool hint = type && search.best;
  if (!allowed)
    binder->no_memory = true;
  else
    note(binder, problem_add(binder->problems, &(path){place, "type", 0}, given, allowed, "%s: give %s%s%s%s (%s)",
                             !given ? "type is missing" : "there is no such type", allowed, hint ? "; did you mean \"" : "",
                             hint ? search.best : "", hint ? "\"?" : "", form->help));
  free(allowed);
}

static void bind_union(binding *binder, const section *form, const path *place, const json_t *object, void *base)
{
  int tag = form->default_variant;
  const char *type = json_string_value(json_object_get(object, "type"));
  if (object) {
    tag = -1;
    for (size_t i = 0; type && i < form->variant_count; i++)
      if (strcmp(type, form->variants[i].name) == 0) tag = (int)i;
  }
  if (tag < 0) {
    report_type(binder, form, place, json_object_get(object, "type"));
    fill_invalid(binder, form, base);
    return;
  }
  memcpy((char *)base + form->tag_offset, &tag, sizeof tag);
  bind_fields(binder, form->variants[tag].section, form, place, object, base);
}

void bind_section(binding *binder, const section *form, const path *place, const json_t *object, void *base)
{
  if (object && !json_is_object(object)) {
    note(binder,
         problem_add(binder->problems, place, object, "an object", "this is not an object: give an object { ... } (%s)", form->help));
    fill_invalid(binder, form, base);
  } else if (form->variants) {
    bind_union(binder, form, place, object, base);
  } else {
    bind_fields(binder, form, NULL, place, object, base);
  }
}
