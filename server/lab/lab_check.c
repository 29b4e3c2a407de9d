/* What a scene or an asset is, found out by a task process (task/pool.h): nobody knows beforehand what that costs. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/lab/lab_internal.h"

static_assert(LAB_LONG_REQUESTS == TASK_POOL_OLD + TASK_POOL_STOPPED, "what is promised to callers");

static lab_status too_costly(const char *doing, const char *instead, scr_error *error)
{
  scr_fail(error, SCR_NO_MEMORY, NULL, "%s takes more than the %d s of processor time or the 2 GiB of memory allowed for it here: %s",
           doing, TASK_CPU_SECONDS, instead);
  return LAB_TOO_LARGE;
}

/* The outcome of what was not answered. */
static lab_status outcome_status(task_outcome outcome, const char *doing, const char *instead, scr_error *error)
{
  switch (outcome) {
  case TASK_ANSWERED: return LAB_OK;
  case TASK_TOO_LONG: return too_costly(doing, instead, error);
  case TASK_CROWDED:
    scr_fail(error, SCR_BUSY, NULL,
             "%s takes over a second, and %d requests that take so long are under way already: try again in a minute", doing,
             LAB_LONG_REQUESTS);
    return LAB_FULL;
  case TASK_ABANDONED: scr_fail(error, SCR_CANCELLED, NULL, "the client has disconnected"); return LAB_ABANDONED;
  case TASK_ENDING: scr_fail(error, SCR_BUSY, NULL, "the server is shutting down; try again when it is back"); return LAB_DRAINING;
  case TASK_DEAD: break;
  }
  return LAB_FAILED; /* the pool said why */
}

static lab_status run_task(lab *self, task_kind kind, parcel *request, const lab_caller *caller, task_answer *answer, scr_error *error)
{
  static const char *const doing[] = {[TASK_CHECK] = "checking this scene",
                                      [TASK_TEMPLATE] = "making this template",
                                      [TASK_PREVIEW] = "drawing this file",
                                      [TASK_PICTURE] = "drawing this scene"};
  static const char *const instead[] = {[TASK_CHECK] = "`scree check` on your own machine has no such limits",
                                        [TASK_TEMPLATE] = "`scree template` on your own machine has no such limits",
                                        [TASK_PICTURE] = "run it, or make it coarser",
                                        [TASK_PREVIEW] = "a file with fewer triangles or voxels can be drawn"};
  const task_caller waiting = {.gone = caller ? caller->gone : NULL, .user = caller ? caller->user : NULL};
  scr_error unsaid = {0};
  task_outcome outcome = task_pool_run(self->tasks, kind, request, &waiting, answer, error ? error : &unsaid);
  parcel_clear(request);
  return outcome_status(outcome, doing[kind], instead[kind], error);
}

static lab_status no_memory(scr_error *error)
{
  scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the answer");
  return LAB_FAILED;
}

/* What a status other than success means here. */
static lab_status answered_status(const task_answer *answer, scr_error *error)
{
  if (answer->status == SCR_OK) return LAB_OK;
  if (error) *error = answer->error;
  switch (answer->status) {
  case SCR_BAD_SCENE: return LAB_REFUSED;
  case SCR_BAD_USAGE:
  case SCR_BAD_FILE: return LAB_BAD_REQUEST;
  default: return LAB_FAILED;
  }
}

/* ── scenes ── */

static void put_scene(const scr_limits *limits, parcel *request, const char *text, size_t length)
{
  parcel_put_block(request, limits, sizeof *limits);
  parcel_put_block(request, text, length);
}

static bool take_facts(parcel_reader *r, lab_scene_facts *facts)
{
  facts->effective = parcel_take_text(r);
  facts->gaps = parcel_take_text(r);
  facts->name = parcel_take_text(r);
  facts->title = parcel_take_text(r);
  facts->method = parcel_take_text(r);
  parcel_take_exactly(r, &facts->estimate, sizeof facts->estimate);
  facts->ranks = (unsigned)parcel_take_number(r);
  parcel_take_exactly(r, facts->device, sizeof facts->device);
  facts->on_ranks = parcel_take_number(r) != 0;
  parcel_take_problems(r, &facts->warnings);
  uint64_t count = parcel_take_number(r);
  facts->assets = r->failed || count > r->size ? NULL : calloc(count + 1, sizeof *facts->assets);
  if (!facts->assets) return false;
  for (uint64_t i = 0; i < count && !r->failed; i++) parcel_take_exactly(r, facts->assets[i].text, sizeof facts->assets[i].text);
  for (uint64_t i = 0; i < count; i++) facts->assets[i].text[sizeof facts->assets[i].text - 1] = '\0';
  facts->asset_count = (size_t)count;
  return !r->failed && facts->effective && facts->gaps && facts->name && facts->method;
}

lab_status lab_check_scene_within(lab *self, const scr_limits *limits, const char *text, size_t length, const lab_caller *caller,
                                  lab_scene_facts *facts, scr_problems *problems, scr_error *error)
{
  parcel request = {0};
  task_answer answer;
  *facts = (lab_scene_facts){0};
  put_scene(limits, &request, text, length);
  lab_status status = run_task(self, TASK_CHECK, &request, caller, &answer, error);
  if (status != LAB_OK) return status;
  parcel_take_problems(&answer.reader, problems);
  status = answered_status(&answer, error);
  if (status == LAB_OK && !take_facts(&answer.reader, facts)) {
    lab_scene_facts_clear(facts);
    status = no_memory(error);
  }
  task_answer_clear(&answer);
  return status;
}

lab_status lab_check_scene(lab *self, const char *text, size_t length, const lab_caller *caller, lab_scene_facts *facts,
                           scr_problems *problems, scr_error *error)
{
  return lab_check_scene_within(self, &self->config.limits, text, length, caller, facts, problems, error);
}

void lab_scene_facts_clear(lab_scene_facts *facts)
{
  free(facts->effective);
  free(facts->gaps);
  free(facts->name);
  free(facts->title);
  free(facts->method);
  free(facts->assets);
  scr_problems_clear(&facts->warnings);
  *facts = (lab_scene_facts){0};
}

/* ── templates ── */

static bool take_template(parcel_reader *r, lab_preview *preview)
{
  scr_preview_shape *shape = &preview->shape;
  size_t vertices = 0, triangles = 0, fields = 0;
  preview->json = parcel_take_text(r);
  shape->vertices = parcel_take_block(r, &vertices);
  shape->triangles = parcel_take_block(r, &triangles);
  shape->fields = parcel_take_block(r, &fields);
  shape->mode_count = (size_t)parcel_take_number(r);
  shape->vertex_count = vertices / (3 * sizeof *shape->vertices);
  shape->triangle_count = triangles / (3 * sizeof *shape->triangles);
  bool fits = shape->mode_count <= fields && fields == 3 * shape->vertex_count * shape->mode_count * sizeof *shape->fields;
  return !r->failed && preview->json && fits;
}

void lab_preview_clear(lab_preview *preview)
{
  free(preview->json);
  scr_preview_shape_clear(&preview->shape);
  *preview = (lab_preview){0};
}

lab_status lab_template(lab *self, const char *text, size_t length, const char *specimen, const lab_caller *caller, lab_preview *preview,
                        scr_problems *problems, scr_error *error)
{
  parcel request = {0};
  task_answer answer;
  *preview = (lab_preview){0};
  put_scene(&self->config.limits, &request, text, length);
  parcel_put_text(&request, specimen);
  lab_status status = run_task(self, TASK_TEMPLATE, &request, caller, &answer, error);
  if (status != LAB_OK) return status;
  parcel_take_problems(&answer.reader, problems);
  status = answered_status(&answer, error);
  if (status == LAB_OK && !take_template(&answer.reader, preview)) {
    lab_preview_clear(preview);
    status = no_memory(error);
  }
  task_answer_clear(&answer);
  return status;
}

/* ── pictures ── */

lab_status lab_picture(lab *self, const char *text, size_t length, const lab_caller *caller, unsigned char **records, size_t *size,
                       scr_problems *problems, scr_error *error)
{
  parcel request = {0};
  task_answer answer;
  *records = NULL;
  *size = 0;
  put_scene(&self->config.limits, &request, text, length);
  lab_status status = run_task(self, TASK_PICTURE, &request, caller, &answer, error);
  if (status != LAB_OK) return status;
  parcel_take_problems(&answer.reader, problems);
  status = answered_status(&answer, error);
  if (status == LAB_OK) *records = parcel_take_block(&answer.reader, size);
  if (status == LAB_OK && !*records) status = no_memory(error);
  task_answer_clear(&answer);
  return status;
}

/* ── previews ── */

static bool take_preview(parcel_reader *r, scr_preview *shown)
{
  size_t vertices = 0, triangles = 0, parts = 0;
  char *kind = parcel_take_text(r);
  if (kind) strncpy(shown->kind, kind, sizeof shown->kind - 1);
  free(kind);
  shown->grains = (size_t)parcel_take_number(r);
  shown->whole_count = (size_t)parcel_take_number(r);
  shown->vertices = parcel_take_block(r, &vertices);
  shown->triangles = parcel_take_block(r, &triangles);
  shown->parts = parcel_take_block(r, &parts);
  shown->vertex_count = vertices / (3 * sizeof *shown->vertices);
  shown->triangle_count = triangles / (3 * sizeof *shown->triangles);
  parcel_take_exactly(r, shown->low, sizeof shown->low);
  parcel_take_exactly(r, shown->high, sizeof shown->high);
  parcel_take_exactly(r, &shown->volume, sizeof shown->volume);
  parcel_take_problems(r, &shown->problems);
  return !r->failed && parts == shown->triangle_count * sizeof *shown->parts;
}

lab_status lab_asset_preview(lab *self, const char *digest, size_t triangles, const lab_caller *caller, lab_asset *asset,
                             scr_preview *shown, scr_error *error)
{
  parcel request = {0};
  task_answer answer;
  *shown = (scr_preview){0};
  lab_status status = lab_asset_get(self, digest, asset, error);
  if (status != LAB_OK) return status;
  parcel_put_text(&request, asset->digest);
  parcel_put_number(&request, triangles);
  status = run_task(self, TASK_PREVIEW, &request, caller, &answer, error);
  if (status != LAB_OK) return status;
  status = answered_status(&answer, error);
  if (status == LAB_OK && !take_preview(&answer.reader, shown)) {
    scr_preview_clear(shown);
    status = no_memory(error);
  }
  task_answer_clear(&answer);
  return status;
}
