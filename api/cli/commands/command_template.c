/* `scree template`: what a specimen of a scene is made into, before any run. */
#include <stdio.h>
#include <stdlib.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/scene_source.h"
#include "scree.h"

static double number_of(const json_t *object, const char *key)
{
  return json_number_value(json_object_get(object, key));
}

static double item_of(const json_t *object, const char *key, size_t index)
{
  return json_number_value(json_array_get(json_object_get(object, key), index));
}

static void print_modes(const json_t *shown)
{
  size_t index;
  json_t *mode;
  json_array_foreach(json_object_get(shown, "modes"), index, mode)
  {
    printf("  mode %-2.0f         mass %.4g kg", number_of(mode, "number"), number_of(mode, "mass"));
    if (json_is_number(json_object_get(mode, "stiffness")))
      printf(", stiffness %.4g N/m, frequency %.5g Hz", number_of(mode, "stiffness"), number_of(mode, "frequency"));
    else if (json_object_get(shown, "fit"))
      printf(", energy fitted to levels, off by %.2g at those left out", number_of(json_object_get(shown, "fit"), "energy_error_between"));
    else
      printf(", force from a table of %zu points", json_array_size(json_object_get(shown, "table")));
    printf(", moves a node by up to %.4g of its amplitude\n", number_of(mode, "largest_displacement"));
  }
}

static void print(const json_t *shown)
{
  const json_t *checks = json_object_get(shown, "checks");
  printf("The specimen '%s' becomes\n", json_string_value(json_object_get(shown, "specimen")));
  printf("  nodes           %.0f in %.0f triangles\n", number_of(shown, "nodes"), number_of(shown, "triangles"));
  printf("  volume          %.6g m^3, mass %.6g kg\n", number_of(shown, "volume"), number_of(shown, "mass"));
  printf("  inertia         %.6g %.6g %.6g kg m^2\n", item_of(shown, "inertia", 0), item_of(shown, "inertia", 1),
         item_of(shown, "inertia", 2));
  printf("  farthest node   %.4g m from the centroid, deepest point %.4g m below the surface\n", number_of(shown, "reach"),
         number_of(shown, "depth"));
  printf("  level set       %.0f x %.0f x %.0f points %.4g m apart, %.3g kB in all\n", item_of(shown, "grid_points", 0),
         item_of(shown, "grid_points", 1), item_of(shown, "grid_points", 2), number_of(shown, "grid_spacing"),
         number_of(shown, "bytes") / 1e3);
  print_modes(shown);
  printf("  checks          areas sum up to %.3g of themselves as vectors, enclose %.5f of the volume, the level set's zero %.5f; nodes "
         "are %.3g grid spacings off the level set's zero at most (%.3g on "
         "average); its slope is %.3f to %.3f at the surface\n",
         number_of(checks, "unbalanced_area"), number_of(checks, "volume_of_areas"), number_of(checks, "volume_of_level_set"),
         number_of(checks, "largest_level_at_nodes"), number_of(checks, "rms_level_at_nodes"), number_of(checks, "least_slope"),
         number_of(checks, "largest_slope"));
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
  if (scr_template_surface(scene, cli_text(call, "specimen"), (size_t)mode, amplitude, &ply, &size, &error) != SCR_OK)
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
  if (scr_template_json(scene, cli_text(call, "specimen"), &text, &error) != SCR_OK)
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
                                  "Of a scene of the method lsdem: the nodes, level set, mass and modes that all grains of a specimen "
                                  "share, and how well they fit each other: areas as\n"
                                  "vectors sum up to nothing, they enclose the volume, nodes lie where the level set is zero, its slope is "
                                  "1. With --surface the surface as a PLY file, at\n"
                                  "rest or moved by a mode. A scene with problems: prints them; ends with 4.",
    .options = {{"specimen", 's', "NAME", "which specimen; default: the first"},
                {"surface", 'o', "FILE", "also write its surface, PLY"},
                {"mode", 'm', "N", "the mode that moves the surface, from 1; default: none"},
                {"amplitude", 'a', "M", "its amplitude, in m; default: 0"}},
    .examples = {{"template gallery:bend3", "a bar with one mode"},
                 {"template gallery:bend3 --surface bent.ply --mode 1 --amplitude 5", "its surface, bent"},
                 {"template scene.json --specimen pebbles --json", "for programs"}},
    .run = run,
};
