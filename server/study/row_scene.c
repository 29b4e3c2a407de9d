/* Rows of a study: whether one has what it needs, and the scene it stands for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/study/document.h"

void study_row_check(const study_document *self, const json_t *row, const char *pointer, scr_problems *problems)
{
  char place[256];
  const char *key;
  json_t *value;
  if (!json_is_object(row)) {
    (void)scr_problems_add(problems, pointer, NULL, "an object of the factors' values", "%s must be an object of the factors' values",
                           pointer);
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)row, key, value)
  {
    bool known = false;
    for (size_t i = 0; i < self->factor_count; i++) known = known || strcmp(self->factors[i].name, key) == 0;
    snprintf(place, sizeof place, "%s/%.60s", pointer, key);
    if (!known) (void)scr_problems_add(problems, place, NULL, "names of the study's factors", "'%.60s' is not a factor of this study", key);
    if (json_is_null(value)) (void)scr_problems_add(problems, place, "null", "a value", "%s must be a value, not null", place);
  }
  for (size_t i = 0; i < self->factor_count; i++) {
    snprintf(place, sizeof place, "%s/%s", pointer, self->factors[i].name);
    if (self->factors[i].kind != FACTOR_SEEDS && !json_object_get(row, self->factors[i].name))
      (void)scr_problems_add(problems, place, NULL, "a value", "%s is missing: a row has a value of each factor but seeds", place);
  }
}

/* The next part of a JSON Pointer, behind its '/', with ~1 and ~0 undone. False: it does not fit. */
static bool next_part(const char **pointer, char part[FACTOR_PLACE_BYTES])
{
  const char *from = *pointer + 1;
  size_t n = 0;
  while (*from && *from != '/' && n + 1 < FACTOR_PLACE_BYTES) {
    char c = *from++;
    if (c == '~' && (*from == '0' || *from == '1')) c = *from++ == '0' ? '~' : '/';
    part[n++] = c;
  }
  part[n] = '\0';
  *pointer = from;
  return *from == '\0' || *from == '/';
}

/* A number, or the name of one of the list's objects. */
static bool list_index(const json_t *list, const char *part, size_t *index)
{
  char *end;
  for (*index = 0; *index < json_array_size(list); ++*index) {
    const char *name = json_string_value(json_object_get(json_array_get(list, *index), "name"));
    if (name && strcmp(name, part) == 0) return true;
  }
  unsigned long number = strtoul(part, &end, 10);
  if (part[0] < '0' || part[0] > '9' || *end != '\0' || number >= json_array_size(list)) return false;
  *index = number;
  return true;
}

/* Puts a value at a place whose parent is there: a key may be new, as what has a default need not stand in the scene. */
static bool set_place(json_t *scene, const char *pointer, json_t *value)
{
  char part[FACTOR_PLACE_BYTES];
  size_t index;
  json_t *at = scene;
  while (next_part(&pointer, part)) {
    bool is_last = *pointer == '\0';
    if (json_is_object(at)) {
      if (is_last) return json_object_set(at, part, value) == 0;
      at = json_object_get(at, part);
    } else if (json_is_array(at) && list_index(at, part, &index)) {
      if (is_last) return json_array_set(at, index, value) == 0;
      at = json_array_get(at, index);
    } else
      return false;
  }
  return false;
}

/* The JSON Pointer that a short name stands for: "contact.friction_coefficient", or "steel.density" where one object of the scene's lists
 * is named so. False: none is, or several. */
static bool spell_out(const json_t *scene, const char *short_name, char pointer[static FACTOR_PLACE_BYTES + 80])
{
  size_t length = strcspn(short_name, "."), index, found = 0;
  const char *key;
  json_t *list, *each;
  char first[FACTOR_PLACE_BYTES], prefix[64 + FACTOR_PLACE_BYTES] = "";
  snprintf(first, sizeof first, "%.*s", (int)length, short_name);
  if (json_object_get(scene, first)) {
    snprintf(prefix, sizeof prefix, "/%s", first);
    found = 1;
  }
  json_object_foreach((json_t *)(uintptr_t)scene, key, list)
  {
    json_array_foreach(list, index, each)
    {
      const char *name = json_string_value(json_object_get(each, "name"));
      if (!name || strcmp(name, first) != 0) continue;
      if (found++ == 0) snprintf(prefix, sizeof prefix, "/%.40s/%zu", key, index);
    }
  }
  snprintf(pointer, FACTOR_PLACE_BYTES + 80, "%.*s%s", FACTOR_PLACE_BYTES, prefix, short_name + length);
  for (char *c = pointer + strlen(prefix); *c; c++)
    if (*c == '.') *c = '/';
  return found == 1;
}

static void apply_factor(const factor *f, const char *scene_name, json_t *value, json_t *scene, scr_problems *problems)
{
  size_t places = 0;
  for (size_t i = 0; i < f->place_count; i++) {
    const factor_place *place = &f->places[i];
    if (place->scene[0] && strcmp(place->scene, scene_name) != 0) continue;
    places++;
    char pointer[FACTOR_PLACE_BYTES + 80];
    snprintf(pointer, sizeof pointer, "%s", place->pointer);
    bool is_short = pointer[0] != '/';
    if (is_short && !spell_out(scene, place->pointer, pointer))
      (void)scr_problems_add(problems, "", place->pointer, "a name that one object of the scene has, a dot, and a key of it",
                             "the factor '%s' sets %s; the scene has none or several of that name", f->name, place->pointer);
    else if (!set_place(scene, pointer, value))
      (void)scr_problems_add(problems, pointer, NULL, "a place of the scene, or a new key in an object of it",
                             "the factor '%s' sets %s, which the scene does not have", f->name, place->pointer);
  }
  if (places == 0 && f->place_count > 0 && scene_name[0] == '\0')
    (void)scr_problems_add(problems, "", NULL, "a place in the scene", "the factor '%s' sets nothing in the scene", f->name);
}

scr_status study_row_scene(const study_document *self, const json_t *row, json_t **scene, scr_problems *problems)
{
  size_t before = problems->count;
  const char *given = json_array_size(self->labels) > 0 ? json_string_value(json_object_get(row, "scene")) : NULL,
             *name = given ? given : "";
  *scene = NULL;
  const json_t *base = json_object_get(self->scenes, name);
  if (!base) {
    (void)scr_problems_add(problems, "/scene", given, "a name of the study's scenes", "the study has no scene '%s'", name);
    return SCR_BAD_SCENE;
  }
  json_t *made = json_deep_copy(base);
  if (!made) return SCR_NO_MEMORY;
  for (size_t i = 0; i < self->factor_count; i++) {
    json_t *value = json_object_get(row, self->factors[i].name);
    if (value) apply_factor(&self->factors[i], name, value, made, problems);
  }
  if (problems->count > before) {
    json_decref(made);
    return SCR_BAD_SCENE;
  }
  *scene = made;
  return SCR_OK;
}
