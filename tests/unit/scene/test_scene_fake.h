/* What the tests of the scene layer share: a method that has an option of every kind and computes nothing, a scene that uses every
 * section, and ways to edit the scene's text and to look for problems. */
#ifndef SCREE_TEST_SCENE_FAKE_H
#define SCREE_TEST_SCENE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "scene/shared_params.h"

typedef struct fake_options {
  double horizon, factor;
  int64_t layers, seats;
  bool breakable;
  int law;
  scr_vec3 drift;
  char label[17];
} fake_options;

typedef struct fake_material {
  double density, bulk_modulus, young_modulus, poisson_ratio, fracture_energy;
} fake_material;

typedef struct fake_surface {
  double friction_coefficient, damping_ratio;
} fake_surface;

typedef struct fake_specimen {
  double spacing;
} fake_specimen;

static const char *const fake_laws[] = {"exact", "lumped", NULL};

static const scr_param fake_params[] = {
    {"horizon", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, INFINITY, NULL, "reach of a bond",
     offsetof(fake_options, horizon)},
    {"factor", SCR_PARAM_NUMBER, SCR_PARAM_BELOW, "1", 0.25, 0, 1, NULL, "a share", offsetof(fake_options, factor)},
    {"layers", SCR_PARAM_INTEGER, 0, "1", 3, 1, 100, NULL, "a count", offsetof(fake_options, layers)},
    {"seats", SCR_PARAM_INTEGER, SCR_PARAM_AUTOMATIC, "1", -1, 0, 100, NULL, "a count chosen for you", offsetof(fake_options, seats)},
    {"breakable", SCR_PARAM_BOOLEAN, 0, "", 1, 0, 1, NULL, "whether bonds break", offsetof(fake_options, breakable)},
    {"law", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", 1, 0, 0, fake_laws, "which law", offsetof(fake_options, law)},
    {"drift", SCR_PARAM_VECTOR, 0, "m/s", 0.5, -10, 10, NULL, "a velocity", offsetof(fake_options, drift)},
    {"label", SCR_PARAM_TEXT, 0, "", 0, 0, 16, NULL, "a remark", offsetof(fake_options, label)},
};

static const scr_param fake_material_params[] = {
    SCR_DENSITY(fake_material),
    SCR_MODULUS(fake_material, bulk_modulus, "resistance to compression"),
    SCR_MODULUS(fake_material, young_modulus, "stiffness in tension"),
    SCR_POISSON_RATIO(fake_material, "sideways strain over lengthwise strain"),
    SCR_FRACTURE_ENERGY(fake_material),
};

static const scr_param fake_surface_params[] = {SCR_FRICTION_COEFFICIENT(fake_surface), SCR_DAMPING_RATIO(fake_surface)};

static const scr_param fake_specimen_params[] = {SCR_SPACING(fake_specimen, "distance between neighbouring nodes")};

static double fake_resolution(const void *specimen)
{
  return ((const fake_specimen *)specimen)->spacing;
}

static inline const fake_material *fake_material_of(const scr_scene *scene, size_t index)
{
  return scr_scene_material(scene, index);
}

static const scr_series fake_curves[] = {
    {"<part>.force_z", "N", "Force"}, {"<part>.displacement", "m", "Displacement"}, {"fragments", "1", "Fragments"}};

/* 1000 nodes in every grain, a stable step of 1e-8 s. A density of exactly 666 is what it refuses. */
static scr_status fake_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  estimate->time_step = isnan(scene->time.time_step) ? 1e-8 : scene->time.time_step;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    estimate->node_count += 1000 * scene->specimens[i].position_count;
    if (fake_material_of(scene, scene->specimens[i].material)->density == 666)
      return scr_problems_add(problems, "/materials/0/density", "666", "any other", "the method does not like 666");
  }
  estimate->memory_bytes = 100.0 * (double)estimate->node_count;
  return SCR_OK;
}

static const scr_method_description fake_method = {
    .name = "fake",
    .title = "Fake: nothing moves",
    .summary = "A method for tests.",
    .params = fake_params,
    .param_count = sizeof fake_params / sizeof fake_params[0],
    .options_size = sizeof(fake_options),
    .material = {fake_material_params, sizeof fake_material_params / sizeof fake_material_params[0], sizeof(fake_material)},
    .surface = {fake_surface_params, sizeof fake_surface_params / sizeof fake_surface_params[0], sizeof(fake_surface)},
    .specimen = {fake_specimen_params, 1, sizeof(fake_specimen)},
    .resolution = fake_resolution,
    .default_plot = {.x = "wall.z_max.displacement", .y = "wall.z_max.force_z", .scale = 1, .moving_average = 1},
    .curves = fake_curves,
    .curve_count = sizeof fake_curves / sizeof fake_curves[0],
    .check = fake_check,
};

static inline const scr_method_description *fake_methods(size_t index)
{
  return index == 0 ? &fake_method : NULL;
}

static const char full_scene[] =
    "{ \"scree\": 1, \"name\": \"full\", \"title\": \"Every section\", \"description\": \"two\\nlines\", \"method\": \"fake\", \"seed\": "
    "7,\n"
    "  \"materials\": [ { \"name\": \"polymer\", \"density\": 1200, \"bulk_modulus\": 2e9, \"fracture_energy\": 135 },\n"
    "                 { \"name\": \"steel\", \"density\": 7800, \"young_modulus\": 2.1e11, \"poisson_ratio\": 0.3 } ],\n"
    "  \"contact\": { \"friction_coefficient\": 0.9, \"damping_ratio\": 0.5,\n"
    "               \"pairs\": [ { \"between\": [\"polymer\", \"wall\"], \"friction_coefficient\": 0.2 } ] },\n"
    "  \"specimens\": [\n"
    "    { \"name\": \"grain\", \"material\": \"polymer\", \"spacing\": 1.25e-4,\n"
    "      \"shape\": { \"type\": \"hollow_sphere\", \"radius\": 1e-3, \"inner_radius\": 5e-4 }, \"velocity\": [0, 0, -1.5] },\n"
    "    { \"name\": \"bricks\", \"material\": \"steel\", \"spacing\": 1e-4, \"shape\": { \"type\": \"box\", \"size\": [1e-3, 2e-3, 3e-3] "
    "},\n"
    "      \"placement\": { \"type\": \"lattice\", \"origin\": [1, 2, 3], \"count\": [2, 1, 3], \"pitch\": [0.1, 0.2, 0.3] },\n"
    "      \"rotation\": { \"axis\": [0, 3, 4], \"angle_deg\": 90 } },\n"
    "    { \"name\": \"shot\", \"material\": \"steel\", \"spacing\": 1e-4, \"shape\": { \"type\": \"sphere\", \"radius\": 5e-4 },\n"
    "      \"placement\": { \"type\": \"list\", \"positions\": [[0, 0, 1], [0, 0, 2]] }, \"angular_velocity\": [1, 0, 0] } ],\n"
    "  \"rig\": { \"type\": \"box\", \"minimum\": [-1, -1, -1], \"maximum\": [1, 1, 1], \"gravity\": [0, 0, -9.81],\n"
    "    \"walls\": { \"z_max\": { \"program\": [ { \"type\": \"hold\", \"duration\": 1e-5 },\n"
    "      { \"type\": \"ramp\", \"velocity\": -10, \"duration\": 1e-6 }, { \"type\": \"constant\", \"velocity\": -10, \"duration\": 1e-5 "
    "},\n"
    "      { \"type\": \"move\", \"displacement\": -1e-4, \"velocity\": 10 }, { \"type\": \"constant\", \"velocity\": 0.5 } ] } } },\n"
    "  \"time\": { \"duration\": 6e-5, \"stop\": [ { \"type\": \"force_drop\", \"series\": \"wall.z_max.force_z\", \"fraction\": 0.5, "
    "\"above\": 1 },\n"
    "                                        { \"type\": \"above\", \"series\": \"fragments\", \"above\": 100 } ] },\n"
    "  \"output\": { \"frame_interval\": 1e-6, \"positions\": \"float32\",\n"
    "              \"plots\": [ { \"x\": \"time\", \"y\": \"fragments\", \"title\": \"Pieces\", \"moving_average\": 5 } ] },\n"
    "  \"options\": { \"horizon\": 4e-4, \"layers\": 5, \"law\": \"exact\", \"drift\": [1, 2, 3], \"label\": \"x\" } }";

static const char small_scene[] =
    "{ \"name\": \"small\", \"method\": \"fake\", \"materials\": [ { \"name\": \"m\", \"density\": 1000 } ],\n"
    "  \"specimens\": [ { \"name\": \"s\", \"material\": \"m\", \"spacing\": 0.1, \"shape\": { \"type\": \"sphere\", \"radius\": 1 } } ],\n"
    "  \"time\": { \"duration\": 1e-5 } }";

/* `text` with the first `old` replaced; to be freed. Fails the test when there is no `old`. */
static inline char *edited(const char *text, const char *old, const char *new)
{
  const char *at = strstr(text, old);
  assert_non_null(at);
  size_t before = (size_t)(at - text), size = strlen(text) - strlen(old) + strlen(new) + 1;
  char *result = malloc(size);
  assert_non_null(result);
  snprintf(result, size, "%.*s%s%s", (int)before, text, new, at + strlen(old));
  return result;
}

static inline scr_scene *parsed(const char *text)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  scr_status status = scene_parse(text, strlen(text), NULL, fake_methods, &scene, &problems);
  for (size_t i = 0; i < problems.count; i++) print_message("# %s: %s\n", problems.items[i].pointer, problems.items[i].detail);
  scr_problems_clear(&problems);
  assert_int_equal(status, SCR_OK);
  assert_non_null(scene);
  return scene;
}

/* Parses text that must be refused. */
static inline scr_problems problems_of(const char *text)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scene_parse(text, strlen(text), NULL, fake_methods, &scene, &problems), SCR_BAD_SCENE);
  assert_null(scene);
  assert_true(problems.count > 0);
  return problems;
}

/* The same for text with one edit. */
static inline scr_problems problems_after(const char *text, const char *old, const char *new)
{
  char *changed = edited(text, old, new);
  scr_problems problems = problems_of(changed);
  free(changed);
  return problems;
}

static inline const scr_problem *problem_at(const scr_problems *problems, const char *pointer)
{
  for (size_t i = 0; i < problems->count; i++)
    if (strcmp(problems->items[i].pointer, pointer) == 0) return &problems->items[i];
  for (size_t i = 0; i < problems->count; i++) print_message("# %s: %s\n", problems->items[i].pointer, problems->items[i].detail);
  fail_msg("no problem at %s", pointer);
  return NULL;
}

/* The scene with one edit must be refused for one reason alone, at `pointer`, whose sentence contains `words`. */
static inline void assert_refused(const char *text, const char *old, const char *new, const char *pointer, const char *words)
{
  scr_problems problems = problems_after(text, old, new);
  const scr_problem *problem = problem_at(&problems, pointer);
  if (problems.count != 1)
    fail_msg("%zu problems instead of 1 for %s; the second: %s %s", problems.count, new, problems.items[1].pointer,
             problems.items[1].detail);
  if (!strstr(problem->detail, words)) fail_msg("\"%s\" does not say \"%s\"", problem->detail, words);
  assert_true(problem->allowed[0] != '\0');
  scr_problems_clear(&problems);
}

#endif
