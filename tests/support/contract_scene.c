#include "tests/support/contract_scene.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_text(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("cannot open %s", path);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*length + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *length, file), *length);
  text[*length] = '\0';
  fclose(file);
  return text;
}

static void add(contract_scenes *scenes, const char *method, const char *path)
{
  contract_scene *list = realloc(scenes->list, (scenes->count + 1) * sizeof *list);
  assert_non_null(list);
  scenes->list = list;
  contract_scene *scene = &list[scenes->count++];
  const char *name = strrchr(path, '/') + 1;
  snprintf(scene->method, sizeof scene->method, "%s", method);
  snprintf(scene->name, sizeof scene->name, "%.*s", (int)(strlen(name) - strlen(".json")), name);
  scene->text = read_text(path, &scene->length);
}

static size_t add_matching(contract_scenes *scenes, const char *method, const char *suffix)
{
  char path[128];
  glob_t found;
  snprintf(path, sizeof path, "tests/data/contract/%s%s.json", method, suffix);
  if (glob(path, 0, NULL, &found) != 0) return 0;
  for (size_t k = 0; k < found.gl_pathc; k++) add(scenes, method, found.gl_pathv[k]);
  size_t count = found.gl_pathc;
  globfree(&found);
  return count;
}

contract_scenes contract_scenes_read(void)
{
  contract_scenes scenes = {0};
  const char *only = getenv("SCREE_CONTRACT");
  for (size_t k = 0; k < scr_method_count(); k++) {
    const char *method = scr_method_name(k);
    if (only && strcmp(only, method) != 0) continue;
    if (add_matching(&scenes, method, "") == 0) fail_msg("method %s has no tests/data/contract/%s.json", method, method);
    add_matching(&scenes, method, "-*");
  }
  assert_true(scenes.count > 0);
  return scenes;
}

void contract_scenes_clear(contract_scenes *scenes)
{
  for (size_t k = 0; k < scenes->count; k++) free(scenes->list[k].text);
  free(scenes->list);
  *scenes = (contract_scenes){0};
}

scr_scene *contract_scene_open(const contract_scene *scene)
{
  scr_scene *opened = NULL;
  scr_problems problems = {0};
  if (scr_scene_parse(scene->text, scene->length, NULL, &opened, &problems) != SCR_OK)
    fail_msg("%s: %s: %s", scene->name, problems.count ? problems.items[0].pointer : "",
             problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  return opened;
}
