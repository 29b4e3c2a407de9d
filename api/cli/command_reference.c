/* `scree methods` and `scree gallery`: what there is to use. Both are compiled in and need no server. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "scree.h"
#include "server/assets.h"

/* A JSON value as short text, e.g. a default; "" for null. */
static void short_text(const json_t *value, char *text, size_t capacity)
{
  char *dump = json_is_null(value) || !value ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
  snprintf(text, capacity, "%s", dump ? dump : "");
  free(dump);
}

static void print_option(const json_t *option)
{
  char fallback[96];
  short_text(json_object_get(option, "default"), fallback, sizeof fallback);
  const char *unit = report_text(option, "unit");
  bool has_unit = *unit && strcmp(unit, "1") != 0;
  printf("  %s (%s%s%s%s%s)\n      %s\n", report_text(option, "name"), report_text(option, "type"), has_unit ? ", " : "",
         has_unit ? unit : "", *fallback ? ", default " : ", default: chosen for you", fallback, report_text(option, "help"));
}

static void print_method(const json_t *method)
{
  const json_t *options = json_object_get(method, "options"), *curves = json_object_get(method, "curves");
  printf("%s: %s\n\n%s\n\nOptions:\n", report_text(method, "name"), report_text(method, "title"), report_text(method, "summary"));
  for (size_t i = 0; i < json_array_size(options); i++) print_option(json_array_get(options, i));
  printf("\nCurves:\n");
  for (size_t i = 0; i < json_array_size(curves); i++) {
    const json_t *curve = json_array_get(curves, i);
    printf("  %-32s %-4s %s\n", report_text(curve, "name"), report_text(curve, "unit"), report_text(curve, "label"));
  }
}

static cli_exit print_methods(const cli_call *call, json_t *document)
{
  if (call->json) return console_json(document, CLI_DONE);
  if (json_is_object(document)) print_method(document);
  for (size_t i = 0; i < json_array_size(document); i++)
    printf("%-10s %s\n", report_text(json_array_get(document, i), "name"), report_text(json_array_get(document, i), "title"));
  json_decref(document);
  return console_flush(CLI_DONE);
}

static cli_exit methods(const cli_call *call)
{
  const char *name = call->word_count ? call->words[0] : NULL;
  bool schema = cli_given(call, "schema");
  char *text = schema ? scr_scene_schema(name) : scr_method_json(name);
  if (!text && name) return console_fail(call, CLI_BAD_USAGE, "there is no method '%s'; `scree methods` lists them", name);
  json_t *document = text ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  if (!document) return console_fail(call, CLI_FAILED, "no memory for the description");
  return schema ? console_json(document, CLI_DONE) : print_methods(call, document);
}

static json_t *load_asset(const scr_asset *asset)
{
  return json_loadb((const char *)asset->data, asset->size, 0, NULL);
}

static cli_exit gallery_list(const cli_call *call)
{
  size_t count;
  const scr_asset *assets = scr_assets_under("gallery/", &count);
  json_t *scenes = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *scene = load_asset(&assets[i]);
    if (!scene) continue;
    json_array_append_new(scenes, json_pack("{s:s, s:s, s:s, s:s, s:O}", "name", report_text(scene, "name"), "title",
                                            report_text(scene, "title"), "description", report_text(scene, "description"), "method",
                                            report_text(scene, "method"), "scene", scene));
    json_decref(scene);
  }
  if (call->json) return console_json(json_pack("{s:o}", "scenes", scenes), CLI_DONE);
  for (size_t i = 0; i < json_array_size(scenes); i++)
    printf("%-22s %s\n", report_text(json_array_get(scenes, i), "name"), report_text(json_array_get(scenes, i), "title"));
  json_decref(scenes);
  return console_flush(CLI_DONE);
}

static cli_exit gallery(const cli_call *call)
{
  if (call->word_count == 0) return gallery_list(call);
  char path[256];
  snprintf(path, sizeof path, "gallery/%s.json", call->words[0]);
  const scr_asset *asset = scr_asset_find(path);
  if (!asset) return console_fail(call, CLI_BAD_USAGE, "the gallery has no scene '%s'; `scree gallery` lists its scenes", call->words[0]);
  fwrite(asset->data, 1, asset->size, stdout);
  return console_flush(CLI_DONE);
}

const cli_command command_methods = {
    .name = "methods",
    .words = "[NAME]",
    .most = 1,
    .summary = "what can be simulated, with every option",
    .description =
        "Without NAME: all methods, one per line. With NAME: its options with type, unit and default, and its curves. Needs no server.",
    .options = {{"schema", 0, NULL, "print the JSON Schema of scenes for this method (or all)"}},
    .run = methods,
};

const cli_command command_gallery = {
    .name = "gallery",
    .words = "[NAME]",
    .most = 1,
    .summary = "the scenes that come with Scree",
    .description = "Without NAME: all scenes, one per line. With NAME: the scene's JSON, to be kept and changed:\n"
                   "scree gallery hollow-sphere-crush > my-scene.json. Needs no server.",
    .run = gallery,
};
