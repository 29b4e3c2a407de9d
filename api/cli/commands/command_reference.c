/* `scree methods`, `scree reference` and `scree gallery`: what there is to use. All are compiled in and need no server. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/shapes/reference_page.h"
#include "scree.h"
#include "server/embedded.h"

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
  const char *fallback_text = *fallback ? ", default " : json_object_get(option, "default") ? ", default: chosen for you" : ", required";
  bool has_unit = *unit && strcmp(unit, "1") != 0;
  printf("  %s (%s%s%s%s%s)\n      %s\n", report_text(option, "name"), report_text(option, "type"), has_unit ? ", " : "",
         has_unit ? unit : "", fallback_text, fallback, report_text(option, "help"));
  const json_t *allowed = json_object_get(option, "enum");
  for (size_t i = 0; i < json_array_size(allowed); i++)
    printf("%s%s%s", i ? ", " : "      one of: ", json_string_value(json_array_get(allowed, i)),
           i + 1 < json_array_size(allowed) ? "" : "\n");
}

static void print_options(const json_t *method, const char *key, const char *heading)
{
  const json_t *options = json_object_get(method, key);
  if (json_array_size(options)) printf("\n%s:\n", heading);
  for (size_t i = 0; i < json_array_size(options); i++) print_option(json_array_get(options, i));
}

static void print_names(const json_t *method, const char *key, const char *heading)
{
  const json_t *names = json_object_get(method, key);
  for (size_t i = 0; i < json_array_size(names); i++)
    printf("%s%s%s", i ? ", " : heading, json_string_value(json_array_get(names, i)), i + 1 < json_array_size(names) ? "" : "\n");
}

static void print_method(const json_t *method)
{
  const json_t *curves = json_object_get(method, "curves");
  printf("%s: %s\n\n%s\n", report_text(method, "name"), report_text(method, "title"), report_text(method, "summary"));
  print_names(method, "shapes", "\nShapes: ");
  print_names(method, "rigs", "Rigs: ");
  print_names(method, "lacks", "Not: ");
  print_options(method, "options", "Options");
  print_options(method, "material", "Of each material");
  print_options(method, "surface", "Of each contact");
  print_options(method, "specimen", "Of each specimen");
  printf("\nEquations, limits and validation: /guide/methods/%s of a running server\n", report_text(method, "name"));
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

static json_t *load_asset(const embedded_file *asset)
{
  return json_loadb((const char *)asset->data, asset->size, 0, NULL);
}

static cli_exit gallery_list(const cli_call *call)
{
  size_t count;
  const embedded_file *assets = embedded_under("gallery/", &count);
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
  const embedded_file *asset = embedded_find(path);
  if (!asset) return console_fail(call, CLI_BAD_USAGE, "the gallery has no scene '%s'; `scree gallery` lists its scenes", call->words[0]);
  fwrite(asset->data, 1, asset->size, stdout);
  return console_flush(CLI_DONE);
}

static cli_exit reference(const cli_call *call)
{
  size_t length = 0;
  if (call->json) {
    char *document = scr_reference_json();
    json_t *parsed = document ? json_loads(document, 0, NULL) : NULL;
    scr_free(document);
    return console_json(parsed, CLI_DONE);
  }
  const char *about = call->word_count ? call->words[0] : NULL;
  char *text = cli_given(call, "html") ? reference_html(&length) : reference_text(about, &length);
  if (!text) return console_fail(call, CLI_FAILED, "no memory for the reference");
  cli_exit code = CLI_DONE;
  if (length == 0)
    code = console_fail(call, CLI_BAD_USAGE, "no section, method or key is named '%.80s'; `scree reference` prints all of them", about);
  else
    fwrite(text, 1, length, stdout);
  free(text);
  return code == CLI_DONE ? console_flush(code) : code;
}

const cli_command command_reference = {
    .name = "reference",
    .words = "[ABOUT]",
    .most = 1,
    .summary = "every key of a scene: unit, default, range, meaning",
    .description = "Without ABOUT: all of it. ABOUT is a place in a scene (rig, specimens.shape), a method (bdem), a type (cylinder) or a "
                   "key (spacing).\n"
                   "A running server shows the same at /reference, and a scene explained by an example at /guide. Needs no server.",
    .options = {{"html", 0, NULL, "the whole reference as a page"}},
    .examples = {{"reference", "everything; pipe it into a pager"},
                 {"reference rig", "the test rigs"},
                 {"reference time.stop", "how a run ends early"},
                 {"reference spacing", "one key"}},
    .run = reference,
};

const cli_command command_methods = {
    .name = "methods",
    .words = "[NAME]",
    .most = 1,
    .summary = "what can be simulated, with every option",
    .description = "Without NAME: all methods, one per line. With NAME: its options, and its keys of materials, contact and specimens, "
                   "with type,\nunit and default, and its curves. A running server explains each at /guide/methods/NAME. Needs no server.",
    .options = {{"schema", 0, NULL, "print the JSON Schema of scenes for this method (or all)"}},
    .examples = {{"methods", "the methods"},
                 {"methods bdem", "one method's options and curves"},
                 {"methods peridem --schema > schema.json", "for editors that check JSON"}},
    .run = methods,
};

const cli_command command_gallery = {
    .name = "gallery",
    .words = "[NAME]",
    .most = 1,
    .summary = "the scenes that come with Scree",
    .description = "Without NAME: all scenes, one per line. With NAME: the scene's JSON, to be kept and changed:\n"
                   "scree gallery hollow-sphere-crush > my-scene.json. Needs no server.",
    .examples = {{"gallery", "the scenes there are"}, {"gallery three-point-bend > my-scene.json", "a scene to change"}},
    .run = gallery,
};
