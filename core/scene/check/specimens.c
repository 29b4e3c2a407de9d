/* Materials, contact pairs and specimens: names, references and geometry that one value alone can't show. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "scene/check/check.h"
#include "scene/places/random_places.h"
#include "scene/shape/shape.h"

enum { POINTER_BYTES = 96 };

/* ── names ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct named_item {
  const char *name;
  size_t index;
} named_item;

static int by_name_then_index(const void *left, const void *right)
{
  const named_item *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (order) return order;
  return (a->index > b->index) - (a->index < b->index);
}

scr_status check_unique(const char *list, const char *names, size_t stride, size_t count, scr_problems *problems)
{
  if (count < 2) return SCR_OK;
  named_item *items = calloc(count, sizeof *items);
  if (!items) return SCR_NO_MEMORY;
  for (size_t i = 0; i < count; i++) items[i] = (named_item){names + i * stride, i};
  qsort(items, count, sizeof *items, by_name_then_index);
  scr_status status = SCR_OK;
  for (size_t i = 1, first = 0; i < count && status == SCR_OK; i++) {
    char pointer[POINTER_BYTES];
    if (strcmp(items[i].name, items[first].name) != 0) first = i;
    if (first == i || !items[i].name[0]) continue;
    snprintf(pointer, sizeof pointer, "/%s/%zu/name", list, items[i].index);
    status = problem_add_text(problems, pointer, items[i].name, "a name no other item of the list has",
                              "the name \"%s\" is taken by /%s/%zu already: give another one", items[i].name, list, items[first].index);
  }
  free(items);
  return status;
}

/* Index of a material; material_count for SCENE_WALL_NAME; -1 for neither. */
static ptrdiff_t find_partner(const scene_document *document, const char *name)
{
  for (size_t i = 0; i < document->material_count; i++)
    if (strcmp(document->materials[i].name, name) == 0) return (ptrdiff_t)i;
  return strcmp(name, SCENE_WALL_NAME) == 0 ? (ptrdiff_t)document->material_count : -1;
}

/* Reports a reference to a material that is not there. */
static scr_status report_no_material(const scene_document *document, const char *pointer, const char *name, bool or_wall,
                                     scr_problems *problems)
{
  if (problems->truncated) return SCR_OK;
  suggestion search = suggestion_start(name);
  text_builder names = {0};
  for (size_t i = 0; i < document->material_count; i++) {
    if (!document->materials[i].name[0]) continue;
    text_add_format(&names, "%s\"%s\"", names.length ? ", " : "", document->materials[i].name);
    suggestion_consider(&search, document->materials[i].name);
  }
  if (or_wall) {
    text_add_format(&names, "%s\"%s\"", names.length ? ", " : "", SCENE_WALL_NAME);
    suggestion_consider(&search, SCENE_WALL_NAME);
  }
  char shown[256], *known = text_take(&names);
  if (!known) return SCR_NO_MEMORY;
  scr_status status = problem_add_text(problems, pointer, name, known, "there is no material \"%s\"%s%s%s: give one of %s", name,
                                       search.best ? "; did you mean \"" : "", search.best ? search.best : "", search.best ? "\"?" : "",
                                       short_text(known, shown, sizeof shown));
  free(known);
  return status;
}

static scr_status check_materials(const scene_document *document, scr_problems *problems)
{
  for (size_t i = 0; i < document->material_count; i++) {
    char pointer[POINTER_BYTES];
    if (strcmp(document->materials[i].name, SCENE_WALL_NAME) != 0) continue;
    snprintf(pointer, sizeof pointer, "/materials/%zu/name", i);
    SCR_TRY(problem_add_text(problems, pointer, SCENE_WALL_NAME, "any other name",
                             "\"%s\" stands for the rig's walls in contact pairs: give the material another name", SCENE_WALL_NAME));
  }
  if (document->material_count == 0) return SCR_OK;
  return check_unique("materials", document->materials[0].name, sizeof document->materials[0], document->material_count, problems);
}

/* ── contact pairs ──────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_pair_partners(const scene_document *document, size_t index, scr_problems *problems)
{
  const scene_contact_pair *pair = &document->contact.pairs[index];
  char pointer[POINTER_BYTES];
  for (size_t side = 0; side < 2; side++) {
    if (find_partner(document, pair->between[side]) >= 0) continue;
    snprintf(pointer, sizeof pointer, "/contact/pairs/%zu/between/%zu", index, side);
    SCR_TRY(report_no_material(document, pointer, pair->between[side], true, problems));
  }
  if (strcmp(pair->between[0], SCENE_WALL_NAME) == 0 && strcmp(pair->between[1], SCENE_WALL_NAME) == 0) {
    snprintf(pointer, sizeof pointer, "/contact/pairs/%zu/between", index);
    return problem_add_at(problems, pointer, NAN, "two materials, or a material and \"wall\"",
                          "walls do not touch each other: name a material as one of the partners");
  }
  return SCR_OK;
}

static bool same_pair(const scene_contact_pair *a, const scene_contact_pair *b)
{
  if (a->between_count != 2 || b->between_count != 2) return false;
  bool straight = strcmp(a->between[0], b->between[0]) == 0 && strcmp(a->between[1], b->between[1]) == 0;
  bool crossed = strcmp(a->between[0], b->between[1]) == 0 && strcmp(a->between[1], b->between[0]) == 0;
  return straight || crossed;
}

static scr_status check_pairs(const scene_document *document, scr_problems *problems)
{
  const scene_contact *contact = &document->contact;
  for (size_t i = 0; i < contact->pair_count; i++) {
    if (contact->pairs[i].between_count != 2) continue;
    if (document->material_count) SCR_TRY(check_pair_partners(document, i, problems));
    for (size_t j = 0; j < i; j++) {
      if (!same_pair(&contact->pairs[i], &contact->pairs[j])) continue;
      char pointer[POINTER_BYTES];
      snprintf(pointer, sizeof pointer, "/contact/pairs/%zu/between", i);
      SCR_TRY(problem_add_at(problems, pointer, NAN, "each pair of partners once",
                             "\"%s\" and \"%s\" have a law in /contact/pairs/%zu already: remove one of the two",
                             contact->pairs[i].between[0], contact->pairs[i].between[1], j));
      break;
    }
  }
  return SCR_OK;
}

/* ── specimens ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_shape(const scene_specimen *specimen, size_t index, scr_problems *problems)
{
  const scr_shape *shape = &specimen->shape;
  const scr_shape_form *form = shape_entry(shape->kind);
  if (form->check) SCR_TRY(form->check(shape, index, problems));
  if (vec3_length(specimen->rotation.axis) <= 0) {
    char pointer[POINTER_BYTES];
    snprintf(pointer, sizeof pointer, "/specimens/%zu/rotation/axis", index);
    SCR_TRY(problem_add_at(
        problems, pointer, NAN, "three numbers, not all 0",
        "the axis of rotation has length 0 and so no direction: give three numbers that are not all 0, or leave the rotation out"));
  }
  return SCR_OK;
}

/* Grains a placement asks for, as a double so that no count overflows; 0 when it could not be read. */
static double grains_wanted(const scene_specimen *specimen)
{
  const scene_placement *placement = &specimen->placement;
  if (placement->kind == SCENE_PLACEMENT_PACKED) {
    double grains = 0;
    for (size_t k = 0; k < specimen->variant_count; k++) grains += (double)specimen->variants[k].position_count;
    return grains;
  }
  if (placement->kind == SCENE_PLACEMENT_SINGLE) return 1;
  if (placement->kind == SCENE_PLACEMENT_LIST) return (double)placement->position_count;
  if (placement->kind == SCENE_PLACEMENT_RANDOM) return (double)placement->number;
  if (placement->count_length != 3) return 0;
  return (double)placement->count[0] * (double)placement->count[1] * (double)placement->count[2];
}

/* Whether random grains find room: tried, once all numbers are sound. */
static scr_status check_random(const scene_document *document, size_t index, scr_problems *problems)
{
  const scene_placement *p = &document->specimens[index].placement;
  char place[POINTER_BYTES];
  size_t placed = 0;
  if (p->kind != SCENE_PLACEMENT_RANDOM || problems->count || p->number < 1 || p->number > SCENE_GRAIN_LIMIT || !(p->distance > 0))
    return SCR_OK;
  snprintf(place, sizeof place, "/specimens/%zu/placement/count", index);
  scr_vec3 edge = vec3_sub(p->maximum, p->minimum);
  if (!(edge.x >= 0 && edge.y >= 0 && edge.z >= 0)) {
    snprintf(place, sizeof place, "/specimens/%zu/placement/maximum", index);
    return problem_add_at(problems, place, NAN, "a corner at or above `minimum` along every axis, in m",
                          "the box of random places has edges of %.6g, %.6g, %.6g m: exchange minimum and maximum where one is below 0",
                          edge.x, edge.y, edge.z);
  }
  scr_vec3 *tried = mem_array((size_t)p->number, sizeof *tried);
  if (!tried) return SCR_NO_MEMORY;
  scr_status status = random_places(p, random_places_seed(document, &document->specimens[index]), tried, &placed);
  mem_free(tried);
  if (status != SCR_OK || placed == (size_t)p->number) return status;
  return problem_add_at(
      problems, place, (double)p->number, "as many as find room",
      "only %zu of %lld grains found room in the box of %.4g x %.4g x %.4g m at %.4g m from each other: place fewer, make the "
      "box larger, or the distance smaller",
      placed, (long long)p->number, edge.x, edge.y, edge.z, p->distance);
}

scr_status check_specimens(const scene_document *document, scr_problems *problems)
{
  double grains = 0;
  SCR_TRY(check_materials(document, problems));
  SCR_TRY(check_pairs(document, problems));
  for (size_t i = 0; i < document->specimen_count; i++) {
    const scene_specimen *specimen = &document->specimens[i];
    ptrdiff_t material = find_partner(document, specimen->material);
    bool unknown = material < 0 || (size_t)material == document->material_count;
    if (document->material_count && specimen->material[0] && unknown) {
      char pointer[POINTER_BYTES];
      snprintf(pointer, sizeof pointer, "/specimens/%zu/material", i);
      SCR_TRY(report_no_material(document, pointer, specimen->material, false, problems));
    }
    SCR_TRY(check_shape(specimen, i, problems));
    SCR_TRY(check_random(document, i, problems));
    double asked = grains_wanted(specimen);
    if (grains <= SCENE_GRAIN_LIMIT && grains + asked > SCENE_GRAIN_LIMIT) {
      char pointer[POINTER_BYTES];
      snprintf(pointer, sizeof pointer, "/specimens/%zu/placement", i);
      SCR_TRY(problem_add_at(problems, pointer, asked, "at most 1000000 grains in a scene",
                             "the scene places %.15g grains up to this specimen, but at most %d are allowed: place fewer", grains + asked,
                             SCENE_GRAIN_LIMIT));
    }
    grains += asked;
  }
  if (document->specimen_count == 0) return SCR_OK;
  return check_unique("specimens", document->specimens[0].name, sizeof document->specimens[0], document->specimen_count, problems);
}
