/* The reference of scenes: every section with its keys, from the tables that the binder reads by. A form that stands in several places (a
 * loading program) is described where it first comes up; later keys refer to that place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "scene/check/abilities.h"
#include "scene/document.h"
#include "scene/problem.h"

enum { REFERENCE_FORMS = 128, REFERENCE_PATH = 160 };

typedef struct reference {
  json_writer writer;
  scr_method_list methods;
  struct {
    const section *form;
    char path[REFERENCE_PATH];
  } seen[REFERENCE_FORMS];
  size_t seen_count;
} reference;

static void text(json_writer *w, const char *key, const char *value)
{
  jw_key(w, key);
  jw_string(w, value);
}

/* Where the form was described before; NULL, and from now on `place`, when it was not. */
static const char *described(reference *self, const section *form, const char *place)
{
  for (size_t i = 0; i < self->seen_count; i++)
    if (self->seen[i].form == form) return self->seen[i].path;
  if (self->seen_count < REFERENCE_FORMS) {
    self->seen[self->seen_count].form = form;
    snprintf(self->seen[self->seen_count++].path, REFERENCE_PATH, "%s", place);
  }
  return NULL;
}

static void below(const char *parent, const char *name, bool list, char place[static REFERENCE_PATH])
{
  snprintf(place, REFERENCE_PATH, "%.100s%s%.48s%s", parent, *parent ? "." : "", name, list ? "[]" : "");
}

/* ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const char *kind_text(const scr_param *param)
{
  switch (param->kind) {
  case SCR_PARAM_NUMBER: return "number";
  case SCR_PARAM_INTEGER: return "whole number";
  case SCR_PARAM_BOOLEAN: return "true or false";
  case SCR_PARAM_CHOICE: return "one of";
  case SCR_PARAM_VECTOR: return param->flags & SCR_PARAM_WHOLE ? "three whole numbers" : "three numbers";
  case SCR_PARAM_TEXT: return param->flags & SCR_PARAM_NAME ? "name" : "text";
  case SCR_PARAM_ASSET: return "file";
  }
  return "";
}

static void add_range(json_writer *w, const scr_param *param)
{
  text_builder range = {0};
  text_add_string(&range, "");
  if (param->kind == SCR_PARAM_TEXT)
    text_add_format(&range, "%.0f to %.0f bytes", param->minimum, param->maximum);
  else if (param->kind == SCR_PARAM_CHOICE)
    for (size_t i = 0; param->choices[i]; i++) text_add_format(&range, "%s\"%s\"", i ? ", " : "", param->choices[i]);
  else if (param->kind == SCR_PARAM_ASSET)
    text_add_string(&range, "\"sha256:...\" or a path beside the scene");
  else if (param->kind != SCR_PARAM_BOOLEAN)
    range_text(&range, param);
  char *phrase = text_take(&range);
  if (!phrase) w->text.failed = true;
  text(w, "range", phrase ? phrase + (*phrase == ' ') : "");
  free(phrase);
}

/* The default as text: JSON, "required", or "chosen" for what is chosen where it is absent. */
static void add_default(json_writer *w, const scr_param *param)
{
  char number[NUMBER_TEXT_BYTES], shown[3 * NUMBER_TEXT_BYTES + 8];
  if (param->flags & SCR_PARAM_REQUIRED)
    snprintf(shown, sizeof shown, "required");
  else if (param->flags & SCR_PARAM_AUTOMATIC)
    snprintf(shown, sizeof shown, "null");
  else if (param->kind == SCR_PARAM_BOOLEAN)
    snprintf(shown, sizeof shown, "%s", param->fallback != 0 ? "true" : "false");
  else if (param->kind == SCR_PARAM_CHOICE)
    snprintf(shown, sizeof shown, "\"%.60s\"", param->choices[(int)param->fallback]);
  else if (param->kind == SCR_PARAM_TEXT)
    snprintf(shown, sizeof shown, "\"\"");
  else if (param->kind == SCR_PARAM_VECTOR)
    number_text(param->fallback, number), snprintf(shown, sizeof shown, "[%s, %s, %s]", number, number, number);
  else
    snprintf(shown, sizeof shown, "%s", number_text(param->fallback, number));
  text(w, "default", shown);
}

static void add_param(json_writer *w, const scr_param *param)
{
  jw_begin_object(w);
  text(w, "name", param->name);
  text(w, "type", kind_text(param));
  text(w, "unit", strcmp(param->unit, "1") == 0 ? "" : param->unit);
  add_default(w, param);
  add_range(w, param);
  text(w, "help", param->help);
  jw_end_object(w);
}

/* A member as a key: `see` is the section that describes what is in it, "" where nothing more is to be said. */
static void add_member(json_writer *w, const section_member *member, const char *see)
{
  char range[96] = "";
  const char *type = "object", *unit = "";
  if (member->kind == MEMBER_LIST) type = "list of objects";
  if (member->kind == MEMBER_METHOD) type = "name";
  if (member->kind == MEMBER_TEXT) type = "text", snprintf(range, sizeof range, "at most %zu bytes", member->maximum_count);
  if (member->kind == MEMBER_VALUES) {
    type = member->value->kind == SCR_PARAM_VECTOR ? "list of three numbers each"
           : member->value->kind == SCR_PARAM_TEXT ? "list of names"
                                                   : "list of numbers";
    if (strcmp(member->value->unit, "1") != 0) unit = member->value->unit;
  }
  if (member->kind == MEMBER_LIST || member->kind == MEMBER_VALUES) {
    if (member->minimum_count == member->maximum_count)
      snprintf(range, sizeof range, "%zu items", member->minimum_count);
    else
      snprintf(range, sizeof range, "%zu to %zu items", member->minimum_count, member->maximum_count);
  }
  jw_begin_object(w);
  text(w, "name", member->name);
  text(w, "type", type);
  text(w, "unit", unit);
  text(w, "default", member->required ? "required" : member->kind == MEMBER_LIST || member->kind == MEMBER_VALUES ? "[]" : "");
  text(w, "range", range);
  text(w, "help", member->help);
  if (*see) text(w, "see", see);
  jw_end_object(w);
}

/* ── sections ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void add_section(reference *self, const section *form, const char *place);

static bool has_form(const section_member *member)
{
  return member->kind == MEMBER_OBJECT || member->kind == MEMBER_LIST;
}

/* What each method declares of an object, beside the keys that all share. */
static void add_block_tables(reference *self, const section *form, const char *place)
{
  json_writer *w = &self->writer;
  const scr_method_description *method;
  for (size_t i = 0; (method = self->methods(i)) != NULL; i++) {
    char title[96];
    scr_block table = section_table(method, form->block);
    if (table.count == 0) continue;
    snprintf(title, sizeof title, "%.32s of %.48s", form->title, method->name);
    jw_begin_object(w);
    text(w, "path", place);
    text(w, "method", method->name);
    text(w, "title", title);
    text(w, "help", "keys of this method, besides the common ones; another method ignores them and keeps them in the scene");
    jw_key(w, "keys");
    jw_begin_list(w);
    for (size_t k = 0; k < table.count; k++) {
      char help[SECTION_HELP_BYTES];
      scr_param shown = form->block_inherits ? section_inherited(&table.params[k], help) : table.params[k];
      add_param(w, &shown);
    }
    jw_end_list(w);
    jw_end_object(w);
  }
}

/* `takers`: the methods that take this form where not all do, else NULL. */
static void add_help(reference *self, const section *form, const char *takers)
{
  text_builder help = {0};
  text_add_string(&help, form->help);
  if (takers) text_add_format(&help, "; with method %s", takers);
  char *whole = text_take(&help);
  text(&self->writer, "help", whole ? whole : form->help);
  free(whole);
}

/* One table of keys, then the sections below it. `variant` is the value of the key "type", NULL for none. */
static void add_table(reference *self, const section *form, const char *place, const char *variant, const char *method, const char *takers)
{
  json_writer *w = &self->writer;
  bool fresh[32] = {0};
  jw_begin_object(w);
  text(w, "path", place);
  if (variant) text(w, "type", variant);
  if (method) text(w, "method", method);
  text(w, "title", form->title);
  add_help(self, form, takers);
  jw_key(w, "keys");
  jw_begin_list(w);
  for (size_t i = 0; i < form->param_count; i++)
    if (!(form->params[i].flags & SCR_PARAM_RETIRED)) add_param(w, &form->params[i]);
  for (size_t i = 0; i < form->member_count; i++) {
    const section_member *member = &form->members[i];
    char child[REFERENCE_PATH] = "";
    const char *earlier = NULL;
    if (has_form(member)) {
      below(place, member->name, member->kind == MEMBER_LIST, child);
      earlier = described(self, member->section, child);
      if (i < sizeof fresh) fresh[i] = !earlier;
    } else if (member->kind == MEMBER_OPTIONS) {
      snprintf(child, sizeof child, "%s", member->name);
    }
    add_member(w, member, earlier ? earlier : child);
  }
  jw_end_list(w);
  jw_end_object(w);
  if (form->block) add_block_tables(self, form, place);
  for (size_t i = 0; i < form->member_count && i < sizeof fresh; i++) {
    char child[REFERENCE_PATH];
    if (!fresh[i]) continue;
    below(place, form->members[i].name, form->members[i].kind == MEMBER_LIST, child);
    add_section(self, form->members[i].section, child);
  }
}

static void add_section(reference *self, const section *form, const char *place)
{
  if (!form->variants) {
    add_table(self, form, place, NULL, NULL, NULL);
    return;
  }
  for (size_t i = 0; i < form->variant_count; i++) {
    text_builder names = {0};
    bool all = abilities_methods(&names, self->methods, form->choice, (int)i);
    char *takers = text_take(&names);
    add_table(self, form->variants[i].section, place, form->variants[i].name, NULL, all ? NULL : takers);
    free(takers);
  }
}

static void add_curves(json_writer *w, const scr_method_description *method)
{
  jw_begin_object(w);
  text(w, "method", method->name);
  text(w, "title", method->title);
  jw_key(w, "curves");
  jw_begin_list(w);
  for (size_t i = 0; i < method->curve_count; i++) {
    jw_begin_object(w);
    text(w, "name", method->curves[i].name);
    text(w, "unit", method->curves[i].unit);
    text(w, "label", method->curves[i].label);
    jw_end_object(w);
  }
  jw_end_list(w);
  jw_end_object(w);
}

char *scene_reference(scr_method_list methods)
{
  static const char options_help[] =
      "options of the method, as `options` or, so that the scene runs under each method, as a block of its name in it";
  reference self = {.methods = methods};
  json_writer *w = &self.writer;
  const scr_method_description *method;
  jw_begin_object(w);
  jw_key(w, "sections");
  jw_begin_list(w);
  add_section(&self, &scene_section, "");
  for (size_t i = 0; (method = methods(i)) != NULL; i++) {
    section form = section_of_options(method, options_help);
    char title[96];
    snprintf(title, sizeof title, "Options of %.64s", method->name);
    form.title = title;
    add_table(&self, &form, "options", NULL, method->name, NULL);
  }
  jw_end_list(w);
  jw_key(w, "methods");
  jw_begin_list(w);
  for (size_t i = 0; (method = methods(i)) != NULL; i++) add_curves(w, method);
  jw_end_list(w);
  jw_end_object(w);
  return jw_take(w);
}
