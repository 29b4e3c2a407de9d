/* `scree coarsen`: from a fine scene of the method fem to the coarse one, by a run of the method coarsening.
 *
 *      fine scene --method and options--> coarsening --run_here--> DIR/coarsening/coarse.patch.json --applied to the fine scene-->
 *      DIR/coarse.json */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/commands/commands.h"
#include "api/cli/commands/run_here.h"
#include "api/cli/console.h"
#include "scree.h"

/* A fine scene, and where its basis goes. */
typedef struct coarsening {
  json_t *fine;
  const char *basis; /* NULL: none */
} coarsening;

/* ── the scene of the task ──────────────────────────────────────────────────────────────────────────────────────── */

/* The options of the fine scene: those of the method fem where they are given by methods' names. Borrowed; NULL: none. */
static json_t *options_of(const json_t *fine)
{
  json_t *options = json_object_get(fine, "options"), *own = json_object_get(options, "fem");
  return json_is_object(own) ? own : options;
}

/* Number of an option of the command into the scene's; false when it is none, which was said. */
static bool take_number(const cli_call *call, const char *name, const char *key, json_t *options, cli_exit *code)
{
  char message[256];
  double value = NAN;
  if (!cli_given(call, name)) return true;
  if (!cli_number(call, name, 0, 1e12, &value, message, sizeof message)) {
    *code = console_fail(call, CLI_BAD_USAGE, "%s", message);
    return false;
  }
  json_object_set_new(options, key, value == floor(value) ? json_integer((json_int_t)value) : json_real(value));
  return true;
}

/* @return the options of the task; NULL when one of the command's is wrong, which was said */
static json_t *task_options(const cli_call *call, const json_t *fine, cli_exit *code)
{
  static const char *const shared[] = {"law", "element", "impact", "loading", "release"};
  static const char *const numbers[][2] = {
      {"modes", "modes"},   {"match", "match"},         {"frequency", "measured_frequency"}, {"damping", "measured_damping"},
      {"levels", "levels"}, {"amplitude", "amplitude"}, {"snapshots", "snapshots"}};
  json_t *options = json_object();
  for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
    json_t *value = json_object_get(options_of(fine), shared[k]);
    if (value) json_object_set(options, shared[k], value);
  }
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (!take_number(call, numbers[k][0], numbers[k][1], options, code)) {
      json_decref(options);
      return NULL;
    }
  if (cli_given(call, "meshes")) json_object_set_new(options, "meshes", json_string(cli_text(call, "meshes")));
  if (cli_given(call, "basis")) json_object_set_new(options, "basis", json_true());
  if (cli_given(call, "snapshot-modes")) json_object_set_new(options, "snapshot_modes", json_string(cli_text(call, "snapshot-modes")));
  return options;
}

/* The fine scene with another method: time and curves are of the motion, not of its modes. */
static cli_exit make_task(const cli_call *call, const json_t *fine, scene_source *source)
{
  cli_exit code = CLI_DONE;
  const char *method = json_string_value(json_object_get(fine, "method"));
  if (!method || (strcmp(method, "fem") != 0 && strcmp(method, "coarsening") != 0))
    return console_fail(call, CLI_BAD_USAGE, "the scene's method is '%.40s'; a coarsening is of a scene of the method 'fem'",
                        method ? method : "");
  json_t *options = task_options(call, fine, &code), *task = options ? json_deep_copy(fine) : NULL;
  if (!task) {
    json_decref(options);
    return code != CLI_DONE ? code : console_fail(call, CLI_FAILED, "no memory for a scene");
  }
  json_object_set_new(task, "method", json_string("coarsening"));
  json_object_set_new(task, "options", options);
  if (cli_given(call, "snapshots")) /* of the motion: its time counts */
    json_object_del(json_object_get(task, "time"), "stop");
  else
    json_object_set_new(task, "time", json_pack("{s:i}", "duration", 1));
  json_object_set_new(task, "output", json_object());
  char *text = json_dumps(task, JSON_REAL_PRECISION(17));
  json_decref(task);
  if (!text) return console_fail(call, CLI_FAILED, "no memory for a scene");
  free(source->text);
  source->text = text;
  source->length = strlen(text);
  return CLI_DONE;
}

/* ── the coarse scene ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Does one "add" of a JSON Patch to an object's member. @return whether its place is there */
static bool apply_change(json_t *scene, const json_t *change)
{
  char path[128];
  json_t *at = scene, *value = json_object_get(change, "value");
  const char *given = json_string_value(json_object_get(change, "path"));
  if (!given || !value || strlen(given) >= sizeof path) return false;
  memcpy(path, given, strlen(given) + 1);
  char *last = strrchr(path, '/'), *rest = path, *word;
  if (!last) return false;
  *last = '\0';
  while ((word = strsep(&rest, "/")) != NULL) {
    if (!*word) continue;
    at = json_is_array(at) ? json_array_get(at, strtoul(word, NULL, 10)) : json_object_get(at, word);
  }
  return json_is_object(at) && json_object_set(at, last + 1, value) == 0;
}

/* A JSON file of the folder; NULL, and why was said. */
static json_t *read_json(const cli_call *call, const char *directory, const char *name)
{
  char path[FOLDER_PATH];
  json_error_t where;
  json_t *document = folder_path(directory, name, path) ? json_load_file(path, 0, &where) : NULL;
  if (!document) (void)console_fail(call, CLI_FAILED, "%s/%s can't be read", directory, name);
  return document;
}

/* Scenes name files beside them; the coarse one lies elsewhere, so it has what the run's own scene says: their digests, below DIR/assets.
 * */
static void name_files_by_digest(const json_t *ran, json_t *coarse)
{
  json_t *from = json_object_get(json_array_get(json_object_get(ran, "specimens"), 0), "shape");
  json_t *to = json_array_get(json_object_get(coarse, "specimens"), 0);
  if (json_is_object(to) && json_is_string(json_object_get(json_object_get(to, "shape"), "file"))) json_object_set(to, "shape", from);
}

static cli_exit write_coarse(const cli_call *call, coarsening *self, const char *directory, const char *path)
{
  json_t *patch = read_json(call, directory, "coarsening/coarse.patch.json"),
         *ran = patch ? read_json(call, directory, "scene.json") : NULL;
  json_t *coarse = ran ? json_deep_copy(self->fine) : NULL;
  bool applied = coarse != NULL;
  scr_error error = {0};
  for (size_t k = 0; applied && k < json_array_size(patch); k++) applied = apply_change(coarse, json_array_get(patch, k));
  cli_exit code = applied ? CLI_DONE : CLI_FAILED;
  if (coarse && !applied) code = console_fail(call, CLI_FAILED, "%s/coarsening/coarse.patch.json does not belong to this scene", directory);
  if (applied) {
    name_files_by_digest(ran, coarse);
    char *text = json_dumps(coarse, CONSOLE_JSON_FLAGS);
    if (!text || scr_write_file(path, text, strlen(text), &error) != SCR_OK)
      code = console_fail(call, CLI_FAILED, "%s", text ? error.message : "no memory for a scene");
    free(text);
  }
  json_decref(patch), json_decref(ran), json_decref(coarse);
  return code;
}

static cli_exit copy_basis(const cli_call *call, const char *directory, const char *to)
{
  char from[FOLDER_PATH], *bytes = NULL;
  scr_error error = {0};
  long size = -1;
  FILE *file = folder_path(directory, "coarsening/modes.basis", from) ? fopen(from, "rbe") : NULL;
  if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size > 0) bytes = malloc((size_t)size);
  bool got = bytes && fseek(file, 0, SEEK_SET) == 0 && fread(bytes, 1, (size_t)size, file) == (size_t)size;
  if (file) fclose(file);
  cli_exit code = got ? CLI_DONE : console_fail(call, CLI_FAILED, "%s/coarsening/modes.basis can't be read", directory);
  if (got && scr_write_file(to, bytes, (size_t)size, &error) != SCR_OK) code = console_fail(call, CLI_FAILED, "%s", error.message);
  free(bytes);
  return code;
}

static cli_exit make_results(const cli_call *call, void *user, const char *directory)
{
  coarsening *self = user;
  char path[FOLDER_PATH];
  if (!folder_path(directory, "coarse.json", path)) return console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  cli_exit code = write_coarse(call, self, directory, path);
  if (code == CLI_DONE && self->basis) code = copy_basis(call, directory, self->basis);
  return code;
}

static cli_exit coarsen(const cli_call *call)
{
  scene_source source;
  json_error_t where;
  coarsening self = {.basis = cli_text(call, "basis")};
  const char *directory = cli_text(call, "output");
  cli_exit code = scene_source_read(call, call->words[0], &source);
  if (code != CLI_DONE) return code;
  self.fine = json_loads(source.text, JSON_REJECT_DUPLICATES, &where);
  if (!json_is_object(self.fine))
    code = console_fail(call, CLI_REFUSED, "the scene is not a JSON object: line %d: %s", where.line, where.text);
  else
    code = make_task(call, self.fine, &source);
  run_more more = {.make = make_results, .user = &self, .count = self.basis ? 3 : 2};
  if (code == CLI_DONE && directory &&
      !(folder_path(directory, "coarse.json", more.files[0].path) && folder_path(directory, "coarsening/report.md", more.files[1].path)))
    code = console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  more.files[0].key = "coarse", more.files[0].what = "the coarse scene, ready to run";
  more.files[1].key = "report", more.files[1].what = "what was tried and chosen, pictures of the modes";
  more.files[2].key = "basis", more.files[2].what = "mode basis for deformable grains";
  if (self.basis) snprintf(more.files[2].path, sizeof more.files[2].path, "%s", self.basis);
  if (code == CLI_DONE) code = run_here(call, &source, &more);
  json_decref(self.fine);
  scene_source_clear(&source);
  return code;
}

const cli_command command_coarsen = {
    .name = "coarsen",
    .words = "SCENE -o DIR",
    .least = 1,
    .most = 1,
    .summary = "find the coarsest mesh that moves like a fine one, and its modes",
    .description = CLI_SCENE_HELP
    "\n\nSCENE is a scene of the method fem with one body and a mesh fine enough to trust. Its lowest modes are found, then "
    "coarser\nmeshes are tried until one has all of them; its stiffness is scaled so that the first mode has the same "
    "frequency.\nDIR/coarse.json is the coarse scene, DIR/coarsening/report.md says how well each mesh did, with pictures of the modes. A "
    "run of\nthe coarse scene that leaves a mode off by more than 5 % after scaling ends with a doubt (8): the report says which.\nWith "
    "--basis the modes become a mode basis, a file for deformable grains of the method lsdem. Those of vibrations do not contain how\na "
    "load flattens a contact: with --snapshots the scene's own motion, say a slow press between plates, is run and its shapes become\nthe "
    "modes, with their energies as table (mode_energy \"table\" or \"fit\" of a grain). --modes is how many; --snapshot-modes how "
    "they\nare made: \"decomposed\" what holds most of the motion, \"last\" the last shape alone, \"differences\" what each adds.\nCtrl-C "
    "or --timeout keep a checkpoint; the same command goes on from there.",
    .options = {{"output", 'o', "DIR", "folder for the files; created if missing"},
                {"modes", 'm', "N", "how many modes the coarse mesh must have, from the lowest; default: 6"},
                {"meshes", 0, "LIST", "meshes to try: divisions of a box (4x1x1) or spacings in m, apart by commas; default: a list"},
                {"match", 0, "M", "least match of every mode, 0.9 to 1; default: 0.99"},
                {"frequency", 0, "HZ", "measured frequency of the first mode, to scale to; default: the fine mesh's"},
                {"damping", 0, "RATIO", "measured damping ratio of the first mode; default: the scene's damping stays"},
                {"basis", 0, "FILE", "also make a mode basis"},
                {"levels", 0, "N", "levels of its table of energies, per mode and side of rest; default: 0"},
                {"amplitude", 0, "M", "largest displacement of the outermost level, in m"},
                {"snapshots", 0, "N", "make the basis of N snapshots of the scene's motion instead of vibrations; they are its table"},
                {"snapshot-modes", 0, "KIND", "of --snapshots: decomposed (default), last or differences"},
                {"threads", 't', "N", "processors to use; default: all. Results don't depend on it"},
                {"timeout", 0, "S", "stop after S seconds, with a checkpoint; ends with 6"}},
    .examples = {{"coarsen gallery:cantilever -o out", "meshes tried by themselves"},
                 {"coarsen beam.json -o out --modes 4 --meshes 4x1x1,10x1x1,20x2x2", "meshes of your own"},
                 {"coarsen grain.json -o out --modes 8 --basis grain.basis", "a mode basis for grains"},
                 {"coarsen press.json -o out --modes 4 --snapshots 20 --basis grain.basis", "of a press, for contacts"}},
    .run = coarsen,
};
