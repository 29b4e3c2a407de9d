/* JSON Schema (draft 2020-12) of scenes, and the description of methods: both written from the sections and parameter tables that the
 * binder reads by, so they can't say anything else than what is accepted. */
#include "base/json_writer.h"
#include "base/unit.h"
#include "scene/check/abilities.h"
#include "scene/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const type_names[] = {
    [SCR_PARAM_NUMBER] = "number", [SCR_PARAM_INTEGER] = "integer", [SCR_PARAM_BOOLEAN] = "boolean", [SCR_PARAM_CHOICE] = "string",
    [SCR_PARAM_VECTOR] = "array",  [SCR_PARAM_TEXT] = "string",     [SCR_PARAM_ASSET] = "string"};

static void add_text(json_writer *w, const char *key, const char *text)
{
  jw_key(w, key);
  jw_string(w, text);
}

static void add_number(json_writer *w, const char *key, double value)
{
  jw_key(w, key);
  jw_number(w, value);
}

/* "density" -> "Density", "inner_radius" -> "Inner radius". */
static void add_title(json_writer *w, const char *name)
{
  char title[64];
  size_t n = 0;
  for (; name[n] && n + 1 < sizeof title; n++) title[n] = name[n] == '_' ? ' ' : name[n];
  title[n] = '\0';
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = (char)(title[0] - 'a' + 'A');
  add_text(w, "title", title);
}

static void add_range(json_writer *w, const scr_param *param)
{
  if (isfinite(param->minimum)) add_number(w, param->flags & SCR_PARAM_ABOVE ? "exclusiveMinimum" : "minimum", param->minimum);
  if (isfinite(param->maximum)) add_number(w, param->flags & SCR_PARAM_BELOW ? "exclusiveMaximum" : "maximum", param->maximum);
}

static void add_choices(json_writer *w, const scr_param *param)
{
  jw_key(w, "enum");
  jw_begin_row(w);
  for (size_t i = 0; param->choices[i]; i++) jw_string(w, param->choices[i]);
  jw_end_row(w);
}

static void add_default(json_writer *w, const scr_param *param)
{
  if (param->flags & SCR_PARAM_REQUIRED) return;
  jw_key(w, "default");
  if (param->flags & SCR_PARAM_AUTOMATIC) {
    jw_null(w);
    return;
  }
  switch (param->kind) {
  case SCR_PARAM_NUMBER: jw_number(w, param->fallback); break;
  case SCR_PARAM_INTEGER: jw_integer(w, (int64_t)param->fallback); break;
  case SCR_PARAM_BOOLEAN: jw_boolean(w, param->fallback != 0); break;
  case SCR_PARAM_CHOICE: jw_string(w, param->choices[(int)param->fallback]); break;
  case SCR_PARAM_TEXT: jw_string(w, ""); break;
  case SCR_PARAM_ASSET: jw_null(w); break;
  case SCR_PARAM_VECTOR:
    jw_begin_row(w);
    for (int i = 0; i < 3; i++) jw_number(w, param->fallback);
    jw_end_row(w);
    break;
  }
}

/* A quantity as text: a number and letters of a unit; which units fit, the checker says. */
#define QUANTITY_PATTERN "^\\s*[-+\u2212]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*(1?/)?[A-Za-z\u00b5\u03bc\u00b0].*$"

static bool takes_quantities(const scr_param *param)
{
  return param->kind == SCR_PARAM_NUMBER && unit_can_be_given(param->unit);
}

/* What a number with a dimension may be besides a number. */
static void add_quantity(json_writer *w, const scr_param *param)
{
  char example[40];
  if (!takes_quantities(param)) return;
  add_text(w, "pattern", QUANTITY_PATTERN);
  jw_key(w, "examples");
  jw_begin_row(w);
  jw_string(w, unit_example(param->unit, example));
  jw_end_row(w);
}

static void add_type(json_writer *w, const scr_param *param)
{
  bool automatic = param->flags & SCR_PARAM_AUTOMATIC, quantity = takes_quantities(param);
  jw_key(w, "type");
  if (!automatic && !quantity) {
    jw_string(w, type_names[param->kind]);
    return;
  }
  jw_begin_row(w);
  jw_string(w, type_names[param->kind]);
  if (quantity) jw_string(w, "string");
  if (automatic) jw_string(w, "null");
  jw_end_row(w);
}

/* What each component of a vector may be. */
static void add_components(json_writer *w, const scr_param *vector)
{
  scr_param component = *vector;
  component.kind = SCR_PARAM_NUMBER;
  component.flags &= ~(unsigned)SCR_PARAM_AUTOMATIC;
  jw_key(w, "items");
  jw_begin_object(w);
  if (vector->flags & SCR_PARAM_WHOLE)
    add_text(w, "type", "integer");
  else
    add_type(w, &component);
  add_range(w, &component);
  add_quantity(w, &component);
  jw_end_object(w);
}

static void add_value_keys(json_writer *w, const scr_param *param, bool titled)
{
  add_type(w, param);
  if (titled) add_title(w, param->name);
  add_text(w, "description", param->help);
  if (*param->unit) add_text(w, "x-unit", param->unit);
  switch (param->kind) {
  case SCR_PARAM_NUMBER:
    add_range(w, param);
    add_quantity(w, param);
    break;
  case SCR_PARAM_INTEGER: add_range(w, param); break;
  case SCR_PARAM_CHOICE: add_choices(w, param); break;
  case SCR_PARAM_ASSET:
    add_text(w, "format", "scree-asset");
    add_number(w, "minLength", 1);
    break;
  case SCR_PARAM_TEXT:
    add_number(w, "minLength", param->minimum);
    add_number(w, "maxLength", param->maximum);
    if (param->flags & SCR_PARAM_NAME) add_text(w, "pattern", "^[A-Za-z0-9][A-Za-z0-9_.-]*$");
    break;
  case SCR_PARAM_VECTOR:
    add_components(w, param);
    add_number(w, "minItems", 3);
    add_number(w, "maxItems", 3);
    break;
  case SCR_PARAM_BOOLEAN: break;
  }
  if (titled) add_default(w, param);
  if (param->flags & SCR_PARAM_ADVANCED) {
    jw_key(w, "x-advanced");
    jw_boolean(w, true);
  }
  if (param->flags & SCR_PARAM_RETIRED) {
    jw_key(w, "deprecated");
    jw_boolean(w, true);
  }
}

static void add_value(json_writer *w, const scr_param *param, bool titled)
{
  jw_begin_object(w);
  add_value_keys(w, param, titled);
  jw_end_object(w);
}

/* Whose scenes are described. */
typedef struct subject {
  const scr_method_description *method;
  scr_method_list methods;
} subject;

static void add_section(json_writer *w, const section *form, const subject *of, const char *tag);

/* One key of a block. `others`: of the methods that are not described; each is named that has the key. */
static void add_block_key(json_writer *w, const section *form, const scr_param *param, bool others, const subject *of)
{
  char help[SECTION_HELP_BYTES];
  scr_param inherited = form->block_inherits ? section_inherited(param, help) : *param;
  const scr_method_description *method;
  jw_key(w, param->name);
  jw_begin_object(w);
  add_value_keys(w, &inherited, true);
  if (others) {
    jw_key(w, "x-methods");
    jw_begin_row(w);
    for (size_t i = 0; (method = of->methods(i)) != NULL; i++) {
      scr_block table = section_table(method, form->block);
      if (section_table_param(&table, param->name)) jw_string(w, method->name);
    }
    jw_end_row(w);
  }
  jw_end_object(w);
}

/* The keys of the method described, then those that scenes may keep for others. */
static void add_block(json_writer *w, const section *form, const subject *of)
{
  scr_block own = section_table(of->method, form->block);
  for (size_t k = 0; k < own.count; k++) add_block_key(w, form, &own.params[k], false, of);
  for (size_t i = 0; of->methods(i); i++) {
    scr_block table = section_table(of->methods(i), form->block);
    for (size_t k = 0; k < table.count; k++) {
      const char *name = table.params[k].name;
      bool first = section_first_method(of->methods, i, form->block, name) == i;
      if (first && !section_table_param(&own, name)) add_block_key(w, form, &table.params[k], true, of);
    }
  }
}

static void require_block(json_writer *w, const section *form, const subject *of)
{
  scr_block own = section_table(of->method, form->block);
  for (size_t k = 0; k < own.count && !form->block_inherits; k++)
    if (own.params[k].flags & SCR_PARAM_REQUIRED) jw_string(w, own.params[k].name);
}

static void add_list(json_writer *w, const section_member *member, const subject *of)
{
  jw_begin_object(w);
  add_text(w, "type", "array");
  add_title(w, member->name);
  add_text(w, "description", member->help);
  add_number(w, "minItems", (double)member->minimum_count);
  add_number(w, "maxItems", (double)member->maximum_count);
  jw_key(w, "items");
  if (member->kind == MEMBER_VALUES)
    add_value(w, member->value, false);
  else
    add_section(w, member->section, of, NULL);
  if (!member->required) {
    jw_key(w, "default");
    jw_begin_row(w);
    jw_end_row(w);
  }
  jw_end_object(w);
}

/* One method's options, titled with its name: the same form by itself and as a block. */
static void add_options_of(json_writer *w, const section_member *member, const scr_method_description *method, const subject *of)
{
  char title[96];
  section form = section_of_options(method, member->help);
  snprintf(title, sizeof title, "Options of %.64s", method->name);
  form.title = title;
  add_section(w, &form, of, NULL);
}

/* Either the method's own options, or blocks of them by methods' names. */
static void add_options(json_writer *w, const section_member *member, const subject *of)
{
  const scr_method_description *method;
  jw_begin_object(w);
  add_text(w, "title", "Options");
  add_text(w, "description", member->help);
  jw_key(w, "oneOf");
  jw_begin_list(w);
  add_options_of(w, member, of->method, of);
  jw_begin_object(w);
  add_text(w, "type", "object");
  add_text(w, "title", "Options of each method");
  add_text(w, "description", "blocks by methods' names, so that the scene runs under each; only the chosen method's block is used");
  jw_key(w, "additionalProperties");
  jw_boolean(w, false);
  add_number(w, "minProperties", 1);
  jw_key(w, "properties");
  jw_begin_object(w);
  for (size_t i = 0; (method = of->methods(i)) != NULL; i++) {
    jw_key(w, method->name);
    add_options_of(w, member, method, of);
  }
  jw_end_object(w);
  jw_key(w, "required");
  jw_begin_row(w);
  jw_end_row(w);
  jw_end_object(w);
  jw_end_list(w);
  jw_end_object(w);
}

static void add_member(json_writer *w, const section_member *member, const subject *of)
{
  jw_key(w, member->name);
  switch (member->kind) {
  case MEMBER_OBJECT: add_section(w, member->section, of, NULL); break;
  case MEMBER_LIST:
  case MEMBER_VALUES: add_list(w, member, of); break;
  case MEMBER_OPTIONS: add_options(w, member, of); break;
  case MEMBER_TEXT:
    jw_begin_object(w);
    add_text(w, "type", "string");
    add_title(w, member->name);
    add_text(w, "description", member->help);
    add_number(w, "maxLength", (double)member->maximum_count);
    add_text(w, "default", "");
    jw_end_object(w);
    break;
  case MEMBER_METHOD:
    jw_begin_object(w);
    add_text(w, "title", "Method");
    add_text(w, "description", member->help);
    add_text(w, "const", of->method->name);
    jw_end_object(w);
    break;
  }
}

/* One object. `tag` is the value of its key "type" when it is a variant. */
static void add_object(json_writer *w, const section *form, const subject *of, const char *tag)
{
  add_text(w, "type", "object");
  add_text(w, "title", form->title);
  add_text(w, "description", form->help);
  jw_key(w, "additionalProperties");
  jw_boolean(w, false);
  jw_key(w, "properties");
  jw_begin_object(w);
  if (tag) {
    jw_key(w, "type");
    jw_begin_object(w);
    add_text(w, "const", tag);
    jw_end_object(w);
  }
  for (size_t i = 0; i < form->param_count; i++) {
    jw_key(w, form->params[i].name);
    add_value(w, &form->params[i], true);
  }
  add_block(w, form, of);
  for (size_t i = 0; i < form->member_count; i++)
    if (!(form->members[i].lacks & of->method->can.lacks)) add_member(w, &form->members[i], of);
  jw_end_object(w);
  jw_key(w, "required");
  jw_begin_row(w);
  if (tag) jw_string(w, "type");
  for (size_t i = 0; i < form->param_count; i++)
    if (form->params[i].flags & SCR_PARAM_REQUIRED) jw_string(w, form->params[i].name);
  require_block(w, form, of);
  for (size_t i = 0; i < form->member_count; i++)
    if (form->members[i].required) jw_string(w, form->members[i].name);
  jw_end_row(w);
}

static void add_section(json_writer *w, const section *form, const subject *of, const char *tag)
{
  jw_begin_object(w);
  if (form->variants) {
    add_text(w, "title", form->title);
    add_text(w, "description", form->help);
    jw_key(w, "oneOf");
    jw_begin_list(w);
    for (size_t i = 0; i < form->variant_count; i++)
      if (abilities_offer(of->method, form->choice, (int)i)) add_section(w, form->variants[i].section, of, form->variants[i].name);
    jw_end_list(w);
  } else {
    add_object(w, form, of, tag);
  }
  jw_end_object(w);
}

/* Method by name, NULL if unknown. */
static const scr_method_description *find_method(scr_method_list methods, const char *name)
{
  const scr_method_description *method;
  for (size_t i = 0; (method = methods(i)) != NULL; i++)
    if (strcmp(method->name, name) == 0) return method;
  return NULL;
}

char *scene_schema(scr_method_list methods, const char *name)
{
  json_writer w = {0};
  const scr_method_description *method = name ? find_method(methods, name) : NULL;
  if (name && !method) return NULL;
  jw_begin_object(&w);
  add_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
  if (method) {
    add_object(&w, &scene_section, &(subject){method, methods}, NULL);
  } else {
    add_text(&w, "title", "Scene");
    jw_key(&w, "oneOf");
    jw_begin_list(&w);
    for (size_t i = 0; (method = methods(i)) != NULL; i++) add_section(&w, &scene_section, &(subject){method, methods}, NULL);
    jw_end_list(&w);
  }
  jw_end_object(&w);
  return jw_take(&w);
}

static void describe_option(json_writer *w, const scr_param *param)
{
  jw_begin_object(w);
  add_text(w, "name", param->name);
  add_text(w, "type", param->kind == SCR_PARAM_VECTOR ? "vector" : type_names[param->kind]);
  add_text(w, "unit", param->unit);
  add_text(w, "help", param->help);
  add_default(w, param);
  if (param->kind == SCR_PARAM_NUMBER || param->kind == SCR_PARAM_INTEGER || param->kind == SCR_PARAM_VECTOR) add_range(w, param);
  if (param->kind == SCR_PARAM_CHOICE) add_choices(w, param);
  jw_key(w, "advanced");
  jw_boolean(w, (param->flags & SCR_PARAM_ADVANCED) != 0);
  jw_end_object(w);
}

static void describe_options(json_writer *w, const char *key, const scr_param *params, size_t count)
{
  jw_key(w, key);
  jw_begin_list(w);
  for (size_t i = 0; i < count; i++)
    if (!(params[i].flags & SCR_PARAM_RETIRED)) describe_option(w, &params[i]);
  jw_end_list(w);
}

static void describe_method(json_writer *w, const scr_method_description *method)
{
  jw_begin_object(w);
  add_text(w, "name", method->name);
  add_text(w, "title", method->title);
  add_text(w, "summary", method->summary);
  if (method->scenes_of) add_text(w, "scenes_of", method->scenes_of);
  if (method->preview) {
    jw_key(w, "templates");
    jw_boolean(w, true);
  }
  abilities_write(w, method);
  describe_options(w, "options", method->params, method->param_count);
  describe_options(w, "material", method->material.params, method->material.count);
  describe_options(w, "surface", method->surface.params, method->surface.count);
  describe_options(w, "specimen", method->specimen.params, method->specimen.count);
  jw_key(w, "curves");
  jw_begin_list(w);
  for (size_t i = 0; i < method->curve_count; i++) {
    jw_begin_object(w);
    add_text(w, "name", method->curves[i].name);
    add_text(w, "unit", method->curves[i].unit);
    add_text(w, "label", method->curves[i].label);
    jw_end_object(w);
  }
  jw_end_list(w);
  jw_end_object(w);
}

char *scene_method_json(scr_method_list methods, const char *name)
{
  json_writer w = {0};
  const scr_method_description *method = name ? find_method(methods, name) : NULL;
  if (name && !method) return NULL;
  if (method) {
    describe_method(&w, method);
  } else {
    jw_begin_list(&w);
    for (size_t i = 0; (method = methods(i)) != NULL; i++) describe_method(&w, method);
    jw_end_list(&w);
  }
  return jw_take(&w);
}
