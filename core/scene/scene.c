/* A scene's life: text -> document -> scene -> checked by its method; and what others may ask of it. */
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/bind/bind.h"
#include "scene/check/check.h"
#include "scene/check/idle_keys.h"
#include "scene/check/stop_rules.h"
#include "scene/grains/generated.h"
#include "scene/grains/packed.h"
#include "scene/mesh_source.h"
#include "scene/bind/scan.h"
#include "scene/form/write.h"

scr_limits scr_limits_default(void)
{
  return (scr_limits){.text_bytes = (size_t)4 << 20,
                      .memory_bytes = (size_t)4 << 30,
                      .step_count = 1000000000,
                      .record_bytes = (uint64_t)16 << 30,
                      .asset_bytes = (uint64_t)256 << 20};
}

/* ── from text to document ──────────────────────────────────────────────────────────────────────────────────────── */

/* The parser's complaint as a problem; its own words name what it found, line and column say where. */
static scr_status report_syntax(const json_error_t *error, scr_problems *problems)
{
  char shown[JSON_ERROR_TEXT_LENGTH];
  snprintf(shown, sizeof shown, "%s", error->text);
  for (char *c = shown; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?'; /* it quotes the text byte by byte, and may cut a character in two */
  const char *rule = json_error_code(error) == json_error_duplicate_key ? "each key once in an object" : "JSON text (RFC 8259)";
  SCR_TRY(problem_add_at(problems, "", NAN, rule, "line %d, column %d: the text is not JSON that Scree accepts: %s", error->line,
                         error->column, shown));
  return SCR_BAD_SCENE;
}

/* Editors begin files with a byte order mark: UTF-8's is skipped (RFC 8259, section 8.1, lets parsers do so), UTF-16's says what to do. */
static scr_status skip_byte_order_mark(const char **text, size_t *length, scr_problems *problems)
{
  if (*length >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0) {
    *text += 3;
    *length -= 3;
  } else if (*length >= 2 && (memcmp(*text, "\xFF\xFE", 2) == 0 || memcmp(*text, "\xFE\xFF", 2) == 0)) {
    SCR_TRY(problem_add_at(problems, "", NAN, "text in UTF-8", "the text is in UTF-16, as its byte order mark says: save it as UTF-8"));
    return SCR_BAD_SCENE;
  }
  return SCR_OK;
}

static scr_status read_text(const char *text, size_t length, const scr_limits *limits, scr_problems *problems, json_t **root)
{
  SCR_TRY(skip_byte_order_mark(&text, &length, problems));
  SCR_TRY(scan_text(text, length, limits->text_bytes, problems));
  json_error_t where;
  /* Every number is read as a double, so that 1e20 written out in digits is a number out of range, not a syntax error. */
  scr_status status = json_read(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, root, &where);
  return status == SCR_BAD_FILE ? report_syntax(&where, problems) : status;
}

static scr_status bind_document(const json_t *root, scr_method_list methods, scene_document *document, scr_problems *problems)
{
  binding binder = {.problems = problems, .methods = methods, .assets = &document->assets};
  bind_section(&binder, &scene_section, &(path){0}, root, document);
  return binder.no_memory ? SCR_NO_MEMORY : SCR_OK;
}

static scr_status check_document(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings)
{
  SCR_TRY(check_meshes(document, first, problems, warnings));
  SCR_TRY(generated_shapes(document, first, problems, warnings));
  SCR_TRY(packed_places(document, first, problems, warnings));
  bool rig_valid = !problems_below(problems, first, "/rig"), obstacles_valid = !problems_below(problems, first, "/obstacles");
  SCR_TRY(resolve_document(document));
  SCR_TRY(check_specimens(document, problems));
  if (rig_valid) SCR_TRY(check_rig(document, problems));
  if (obstacles_valid) SCR_TRY(check_obstacles(document, problems));
  if (rig_valid && obstacles_valid) SCR_TRY(check_servos(document, problems));
  if (rig_valid && obstacles_valid) SCR_TRY(check_series(document, problems));
  SCR_TRY(check_surfaces(document, problems));
  return SCR_OK;
}

/* ── from document to scene ─────────────────────────────────────────────────────────────────────────────────────── */

/* Whether the method can judge the scene although problems were found: only when all of them lie where methods don't look. */
static bool method_can_judge(const scr_problems *problems, size_t first)
{
  static const char *const harmless[] = {"/scree", "/name", "/title", "/description", "/seed", "/output", "/time/stop"};
  if (problems->truncated) return false;
  for (size_t i = first; i < problems->count; i++) {
    bool blocks = true;
    for (size_t j = 0; j < sizeof harmless / sizeof harmless[0]; j++) {
      size_t length = strlen(harmless[j]);
      if (strncmp(problems->items[i].pointer, harmless[j], length) != 0) continue;
      char next = problems->items[i].pointer[length];
      if (next == '\0' || next == '/') blocks = false;
    }
    if (blocks) return false;
  }
  return true;
}

/* Methods count the scene's specimens, of which a line of the text may have become several: their pointers get the line's number. */
static scr_status point_at_lines(const scr_scene *scene, size_t first, scr_problems *problems)
{
  static const char start[] = "/specimens/";
  if (scene->specimen_count == scene->document->specimen_count) return SCR_OK;
  for (size_t i = first; i < problems->count; i++) {
    char *pointer = problems->items[i].pointer, *rest;
    if (strncmp(pointer, start, sizeof start - 1) != 0) continue;
    unsigned long long number = strtoull(pointer + sizeof start - 1, &rest, 10);
    if (number >= scene->specimen_count) continue;
    text_builder text = {0};
    text_add_format(&text, "%s%zu%s", start, scene->specimens[number].line, rest);
    char *right = text_take(&text);
    if (!right) return SCR_NO_MEMORY;
    free(pointer);
    problems->items[i].pointer = right;
  }
  return SCR_OK;
}

static scr_status judge(scr_scene *scene, size_t first, scr_problems *problems)
{
  if (!method_can_judge(problems, first)) return SCR_OK;
  size_t before = problems->count, warned = scene->warnings->count;
  SCR_TRY(resolve_scene(scene));
  SCR_TRY(check_rig_fit(scene, problems));
  SCR_TRY(check_motion(scene));
  SCR_TRY(check_stop_rules(scene));
  SCR_TRY(check_breaking(scene));
  check_run_choice(scene, problems);
  SCR_TRY(scene->method->check(scene, &scene->estimate, problems));
  if (problems_were_lost(problems) || problems_were_lost(scene->warnings)) return SCR_NO_MEMORY;
  SCR_TRY(point_at_lines(scene, before, problems));
  SCR_TRY(point_at_lines(scene, warned, scene->warnings));
  scene->estimate.memory_bytes += (double)scene->document->assets.bytes;
  if (problems->count > before) return SCR_OK; /* an estimate of a scene that can't run means nothing */
  return check_limits(scene, problems);
}

static scr_status build(const json_t *root, const scr_asset_source *source, scr_method_list methods, scr_scene *scene,
                        scr_problems *problems)
{
  size_t first = problems->count;
  scene->methods = methods;
  scene->document = calloc(1, sizeof *scene->document);
  scene->warnings = calloc(1, sizeof *scene->warnings);
  if (!scene->document || !scene->warnings) return SCR_NO_MEMORY;
  scene->document->assets = (scene_assets){.source = source, .most = scene->limits.asset_bytes};
  if (!json_is_object(root)) {
    SCR_TRY(
        problem_add(problems, &(path){0}, root, "an object", "a scene is an object: give { \"method\": ..., \"materials\": ..., ... }"));
    return SCR_BAD_SCENE;
  }
  scr_status bound = bind_document(root, methods, scene->document, problems);
  scene->document->assets.source = NULL; /* the caller's */
  SCR_TRY(bound);
  scene->assets = scene->document->assets.items;
  scene->asset_count = scene->document->assets.count;
  SCR_TRY(check_document(scene->document, first, problems, scene->warnings));
  SCR_TRY(judge(scene, first, problems));
  if (problems->count == first && scene->document->method) SCR_TRY(check_idle_keys(scene->document, methods, scene->warnings));
  return problems->count > first || problems->truncated ? SCR_BAD_SCENE : SCR_OK;
}

scr_status scene_parse(const char *text, size_t length, const scr_limits *limits, scr_method_list methods, scr_scene **scene,
                       scr_problems *problems)
{
  return scene_parse_with(text, length, limits, NULL, methods, scene, problems);
}

scr_status scene_parse_with(const char *text, size_t length, const scr_limits *limits, const scr_asset_source *source,
                            scr_method_list methods, scr_scene **scene, scr_problems *problems)
{
  scr_problems unread = {0};
  scr_limits rules = limits ? *limits : scr_limits_default();
  json_t *root = NULL;
  if (scene) *scene = NULL;
  if (!problems) problems = &unread;
  if (!text) text = "", length = 0;
  scr_scene *built = calloc(1, sizeof *built);
  scr_status status = built ? read_text(text, length, &rules, problems, &root) : SCR_NO_MEMORY;
  if (status == SCR_OK) {
    built->limits = rules;
    if (rules.asset_bytes == 0) built->limits.asset_bytes = scr_limits_default().asset_bytes;
    status = build(root, source, methods, built, problems);
  }
  json_decref(root);
  scr_problems_clear(&unread);
  if (status == SCR_OK && scene)
    *scene = built;
  else
    scr_scene_destroy(built);
  return status;
}

static void release_meshes(scene_document *document)
{
  for (size_t i = 0; document && i < document->specimen_count; i++) {
    mesh_source_release(&document->specimens[i].shape.mesh);
    generated_release(&document->specimens[i]);
  }
  for (size_t i = 0; document && i < document->obstacle_count; i++) mesh_source_release(&document->obstacles[i].shape.mesh);
}

void scr_scene_destroy(scr_scene *scene)
{
  if (!scene) return;
  for (size_t i = 0; i < scene->specimen_count; i++) mem_free(scene->specimens[i].positions);
  mem_free(scene->specimens);
  mem_free(scene->materials);
  mem_free(scene->surfaces);
  release_meshes(scene->document);
  if (scene->document) section_release(&scene_section, scene->document);
  if (scene->document) scene_assets_clear(&scene->document->assets);
  free(scene->document);
  scr_problems_clear(scene->warnings);
  free(scene->warnings);
  free(scene);
}

/* ── questions ──────────────────────────────────────────────────────────────────────────────────────────────────── */

char *scr_scene_json(const scr_scene *scene)
{
  json_writer writer = {0};
  if (!scene || !scene->document) return NULL;
  write_section(&writer, &scene_section, scene->method, scene->document);
  return jw_take(&writer);
}

const char *scr_scene_name(const scr_scene *scene)
{
  return scene ? scene->name : "";
}

const char *scr_scene_title(const scr_scene *scene)
{
  if (!scene) return "";
  return scene->title[0] ? scene->title : scene->name;
}

const char *scr_scene_method(const scr_scene *scene)
{
  return scene && scene->method ? scene->method->name : "";
}

const scr_estimate *scr_scene_estimate(const scr_scene *scene)
{
  return scene ? &scene->estimate : NULL;
}

const scr_problems *scr_scene_warnings(const scr_scene *scene)
{
  static const scr_problems none;
  return scene && scene->warnings ? scene->warnings : &none;
}

/* ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

size_t scr_scene_asset_count(const scr_scene *scene)
{
  return scene ? scene->asset_count : 0;
}

const scr_asset *scr_scene_asset(const scr_scene *scene, size_t index)
{
  return index < scr_scene_asset_count(scene) ? &scene->assets[index] : NULL;
}

bool scr_scene_asset_use(const scr_scene *scene, size_t index, scr_asset_use *use)
{
  const scene_assets *assets = scene && scene->document ? &scene->document->assets : NULL;
  if (!assets || index >= assets->use_count) return false;
  const scene_asset_use *at = &assets->uses[index];
  *use = (scr_asset_use){.pointer = at->pointer, .given = at->given, .asset = &assets->items[at->asset]};
  return true;
}
