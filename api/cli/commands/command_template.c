/* `scree template`: what a specimen of a scene is made into, before any run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/scene_source.h"
#include "scree.h"

/* A number, a text, or a list of them, on the line that was begun. */
static void print_value(json_t *value)
{
  size_t index;
  json_t *item;
  if (json_is_number(value)) printf(" %.6g", json_number_value(value));
  if (json_is_string(value)) printf(" %s", json_string_value(value));
  if (json_is_boolean(value)) printf(" %s", json_is_true(value) ? "yes" : "no");
  if (json_is_array(value) && json_array_size(value) <= 3)
    for (index = 0; index < json_array_size(value); index++) print_value(json_array_get(value, index));
  else if (json_is_array(value))
    printf(" %zu numbers", json_array_size(value));
  if (!json_is_object(value)) return;
  const char *key;
  bool first = true;
  json_object_foreach(value, key, item)
  {
    if (json_is_null(item)) continue;
    printf("%s %s", first ? "" : ",", key);
    print_value(item);
    first = false;
  }
}

/* "modes" and the second of them become "mode 2". */
static void print_list(const char *key, json_t *list)
{
  size_t index, length = strlen(key);
  json_t *item;
  char name[40];
  json_array_foreach(list, index, item)
  {
    snprintf(name, sizeof name, "%.*s %zu", (int)(length > 0 && key[length - 1] == 's' ? length - 1 : length), key, index + 1);
    printf("  %-18s", name);
    print_value(item);
    printf("\n");
  }
}

/* Whatever the method says of it: a line a key, for lists of objects a line an entry. */
static void print(json_t *shown)
{
  const char *key;
  json_t *value;
  printf("The specimen '%s' becomes\n", json_string_value(json_object_get(shown, "specimen")));
  json_object_foreach(shown, key, value)
  {
    if (strcmp(key, "specimen") == 0 || json_is_null(value)) continue;
    if (json_is_object(json_array_get(value, 0))) {
      print_list(key, value);
      continue;
    }
    if (json_is_array(value) && json_array_size(value) == 0) continue;
    printf("  %-18s", key);
    print_value(value);
    printf("\n");
  }
}

static cli_exit write_surface(const cli_call *call, const scr_scene *scene)
{
  double mode = 0, amplitude = 0;
  char message[256], *ply = NULL;
  size_t size = 0;
  scr_error error = {0};
  if (!cli_given(call, "surface")) return CLI_DONE;
  if ((cli_given(call, "mode") && !cli_number(call, "mode", 0, 64, &mode, message, sizeof message)) ||
      (cli_given(call, "amplitude") && !cli_number(call, "amplitude", -1e6, 1e6, &amplitude, message, sizeof message)))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  if (scr_specimen_preview_surface(scene, cli_text(call, "specimen"), (size_t)mode, amplitude, &ply, &size, &error) != SCR_OK)
    return console_fail(call, CLI_BAD_USAGE, "%s", error.message);
  cli_exit code = CLI_DONE;
  if (scr_write_file(cli_text(call, "surface"), ply, size, &error) != SCR_OK) code = console_fail(call, CLI_FAILED, "%s", error.message);
  scr_free(ply);
  return code;
}

static cli_exit answer(const cli_call *call, const scr_scene *scene)
{
  char *text = NULL;
  scr_error error = {0};
  if (scr_specimen_preview_json(scene, cli_text(call, "specimen"), &text, &error) != SCR_OK)
    return console_fail(call, CLI_BAD_USAGE, "%s", error.message);
  json_t *shown = json_loads(text, 0, NULL);
  scr_free(text);
  if (!shown) return console_fail(call, CLI_FAILED, "no memory for a description");
  cli_exit code = write_surface(call, scene);
  if (code == CLI_DONE && call->json) return console_json(shown, CLI_DONE);
  if (code == CLI_DONE) print(shown);
  json_decref(shown);
  return code == CLI_DONE ? console_flush(CLI_DONE) : code;
}

static cli_exit run(const cli_call *call)
{
  return report_scene(call, answer);
}

const cli_command command_template = {
    .name = "template",
    .words = "SCENE",
    .least = 1,
    .most = 1,
    .summary = "build, check and show the model that a specimen becomes",
    .description = CLI_SCENE_HELP " Needs no server.\n\n"
                                  "For methods that show before a run what they make of specimens. Of lsdem: the nodes, level set, mass "
                                  "and modes that all grains of a specimen\n"
                                  "share, and how well they fit each other: areas as vectors sum up to nothing, they enclose the volume, "
                                  "nodes lie where the level set is zero, its\n"
                                  "slope is 1. Numbers are in SI units. With --surface the surface as a PLY file, at rest or moved by a "
                                  "mode. A scene with problems: prints them; ends with 4.",
    .options = {{"specimen", 's', "NAME", "which specimen; default: the first"},
                {"surface", 'o', "FILE", "also write its surface, PLY"},
                {"mode", 'm', "N", "the mode that moves the surface, from 1; default: none"},
                {"amplitude", 'a', "M", "its amplitude, in m; default: 0"}},
    .examples = {{"template gallery:bend3", "a bar with one mode"},
                 {"template gallery:bend3 --surface bent.ply --mode 1 --amplitude 5", "its surface, bent"},
                 {"template scene.json --specimen pebbles --json", "for programs"}},
    .run = run,
};
