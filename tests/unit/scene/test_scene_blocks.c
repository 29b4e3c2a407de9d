/* What methods declare of materials, contacts and specimens: read into the method's own struct, checked, kept for other methods, written
 * back, described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "methods/methods.h"
#include "scene/scene.h"
#include "scene/shared_params.h"
#include "tests/support/suites.h"

/* ── two methods that declare, and one that does not ────────────────────────────────────────────────────────────── */

typedef struct grit_material {
  double density, hardness;
  int64_t layers;
  bool porous;
  int habit;
  scr_vec3 grain;
  char remark[17];
} grit_material;

typedef struct gel_material {
  double density, shear_modulus, hardness;
} gel_material;

typedef struct grit_surface {
  double grip;
  bool sticky;
  int finish;
} grit_surface;

typedef struct gel_surface {
  double slip_length, grip;
} gel_surface;

typedef struct grit_specimen {
  double mesh_size;
  int64_t order;
} grit_specimen;

typedef struct gel_specimen {
  double swelling;
} gel_specimen;

static const char *const habits[] = {"prism", "needle", NULL};
static const scr_param grit_materials[] = {
    SCR_DENSITY(grit_material),
    {"hardness", SCR_PARAM_NUMBER, 0, "Pa", 5, 0, 10, NULL, "how hard it is", offsetof(grit_material, hardness)},
    {"layers", SCR_PARAM_INTEGER, 0, "1", 3, 1, 9, NULL, "a count", offsetof(grit_material, layers)},
    {"porous", SCR_PARAM_BOOLEAN, 0, "", 1, 0, 1, NULL, "whether it has pores", offsetof(grit_material, porous)},
    {"habit", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", 1, 0, 0, habits, "how its crystals grow", offsetof(grit_material, habit)},
    {"grain", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "m", NAN, -1, 1, NULL, "a direction", offsetof(grit_material, grain)},
    {"remark", SCR_PARAM_TEXT, 0, "", 0, 0, 16, NULL, "a remark", offsetof(grit_material, remark)},
};
static const scr_param gel_materials[] = {
    SCR_DENSITY(gel_material),
    {"shear_modulus", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "Pa", 0, 0, 1e9, NULL, "stiffness", offsetof(gel_material, shear_modulus)},
    {"hardness", SCR_PARAM_NUMBER, 0, "Pa", 50, 0, 100, NULL, "how hard it is", offsetof(gel_material, hardness)},
};

static const char *const finishes[] = {"rough", "smooth", NULL};
static const scr_param grit_surfaces[] = {
    {"grip", SCR_PARAM_NUMBER, 0, "1", 0.5, 0, 1, NULL, "how well it holds", offsetof(grit_surface, grip)},
    {"sticky", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL, "whether it sticks", offsetof(grit_surface, sticky)},
    {"finish", SCR_PARAM_CHOICE, 0, "", 0, 0, 0, finishes, "how it was made", offsetof(grit_surface, finish)},
};
static const scr_param gel_surfaces[] = {
    {"slip_length", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "m", 0, 0, 1, NULL, "how far it slips", offsetof(gel_surface, slip_length)},
    {"grip", SCR_PARAM_NUMBER, 0, "1", 0.1, 0, 2, NULL, "how well it holds", offsetof(gel_surface, grip)},
};

static const scr_param grit_specimens[] = {
    {"mesh_size", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE | SCR_PARAM_REQUIRED, "m", 0, 0, 1, NULL, "an edge",
     offsetof(grit_specimen, mesh_size)},
    {"order", SCR_PARAM_INTEGER, 0, "1", 1, 1, 3, NULL, "of the elements", offsetof(grit_specimen, order)},
};
static const scr_param gel_specimens[] = {
    {"swelling", SCR_PARAM_NUMBER, 0, "1", 0, 0, 1, NULL, "how much it grows", offsetof(gel_specimen, swelling)},
};

static double grit_resolution(const void *specimen)
{
  return ((const grit_specimen *)specimen)->mesh_size;
}

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static scr_status check_nothing(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  (void)scene;
  (void)problems;
  estimate->time_step = 1e-6;
  return SCR_OK;
}

static const scr_method_description made_up[] = {
    {.name = "grit",
     .title = "Grit",
     .summary = "A method for tests.",
     .material = {grit_materials, LENGTH(grit_materials), sizeof(grit_material)},
     .surface = {grit_surfaces, LENGTH(grit_surfaces), sizeof(grit_surface)},
     .specimen = {grit_specimens, LENGTH(grit_specimens), sizeof(grit_specimen)},
     .resolution = grit_resolution,
     .check = check_nothing},
    {.name = "gel",
     .title = "Gel",
     .summary = "A method for tests.",
     .material = {gel_materials, LENGTH(gel_materials), sizeof(gel_material)},
     .surface = {gel_surfaces, LENGTH(gel_surfaces), sizeof(gel_surface)},
     .specimen = {gel_specimens, LENGTH(gel_specimens), sizeof(gel_specimen)},
     .check = check_nothing},
    {.name = "dust", .title = "Dust", .summary = "A method for tests that declares nothing.", .check = check_nothing},
};

static const scr_method_description *made_up_method(size_t index)
{
  return index < LENGTH(made_up) ? &made_up[index] : NULL;
}

/* ── scenes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A scene whose method, material, contact and specimen the caller fills: keys that begin with a comma where there are any,
 * but for the contact. What is NULL of contact and specimen says what the methods gel and grit ask for. */
typedef struct parts {
  const char *method, *material, *contact, *specimen;
} parts;

static char *scene_of(const parts *p)
{
  char *text = malloc(4096);
  assert_non_null(text);
  snprintf(text, 4096,
           "{ \"name\": \"s\", \"method\": \"%s\", \"materials\": [ { \"name\": \"m\"%s } ], \"contact\": { %s },\n"
           "  \"specimens\": [ { \"name\": \"b\", \"material\": \"m\", \"shape\": { \"type\": \"sphere\", \"radius\": 1 }%s } ],\n"
           "  \"time\": { \"duration\": 1e-3 } }",
           p->method, p->material ? p->material : "", p->contact ? p->contact : "\"slip_length\": 1",
           p->specimen ? p->specimen : ", \"mesh_size\": 0.5");
  return text;
}

static scr_scene *read_text(const char *text)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  scr_status status = scene_parse(text, strlen(text), NULL, made_up_method, &scene, &problems);
  for (size_t i = 0; i < problems.count; i++) print_message("# %s: %s\n", problems.items[i].pointer, problems.items[i].detail);
  scr_problems_clear(&problems);
  assert_int_equal(status, SCR_OK);
  return scene;
}

static scr_scene *accepted(const parts *p)
{
  char *text = scene_of(p);
  scr_scene *scene = read_text(text);
  free(text);
  return scene;
}

/* The scene must be refused for one reason alone, at `pointer`, whose sentence contains `words`. */
static void refused(const parts *p, const char *pointer, const char *words)
{
  char *text = scene_of(p);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scene_parse(text, strlen(text), NULL, made_up_method, &scene, &problems), SCR_BAD_SCENE);
  if (problems.count != 1 || strcmp(problems.items[0].pointer, pointer) != 0 || !strstr(problems.items[0].detail, words))
    for (size_t i = 0; i < problems.count; i++) print_message("# %s: %s\n", problems.items[i].pointer, problems.items[i].detail);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  assert_non_null(strstr(problems.items[0].detail, words));
  scr_problems_clear(&problems);
  free(text);
}

static char *with_method(const char *effective, const char *from, const char *to)
{
  char old[64], *result = malloc(strlen(effective) + 64);
  assert_non_null(result);
  snprintf(old, sizeof old, "\"%s\"", from);
  const char *at = strstr(effective, old);
  assert_non_null(at);
  sprintf(result, "%.*s\"%s\"%s", (int)(at - effective), effective, to, at + strlen(old));
  return result;
}

/* ── tests ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_every_kind_of_value_reaches_the_methods_own_struct(void **state)
{
  (void)state;
  parts p = {.method = "grit",
             .material = ", \"density\": \"2.5 g/cm^3\", \"hardness\": 7, \"layers\": 4, \"porous\": false, \"habit\": \"prism\", "
                         "\"grain\": [0, 0.5, 1], \"remark\": \"dry\""};
  scr_scene *scene = accepted(&p);
  const grit_material *m = scr_scene_material(scene, 0);
  assert_true(m->density == 2500 && m->hardness == 7 && m->layers == 4 && !m->porous && m->habit == 0);
  assert_true(m->grain.x == 0 && m->grain.y == 0.5 && m->grain.z == 1);
  assert_string_equal(m->remark, "dry");
  assert_string_equal(scene->materials[0].name, "m");
  scr_scene_destroy(scene);
}

static void test_what_is_not_said_has_its_default(void **state)
{
  (void)state;
  scr_scene *scene = accepted(&(parts){.method = "grit", .material = ", \"density\": 1"});
  const grit_material *m = scr_scene_material(scene, 0);
  assert_true(m->hardness == 5 && m->layers == 3 && m->porous && m->habit == 1 && isnan(m->grain.x));
  assert_string_equal(m->remark, "");
  scr_scene_destroy(scene);
}

static void test_a_method_asks_for_what_it_declares_as_required_only(void **state)
{
  (void)state;
  refused(&(parts){.method = "grit"}, "/materials/0/density", "density is missing: give a number > 0");
  refused(&(parts){.method = "gel", .material = ", \"density\": 1"}, "/materials/0/shear_modulus", "shear_modulus is missing");
  scr_scene_destroy(accepted(&(parts){.method = "dust"}));
}

static void test_keys_of_another_method_are_kept_and_serve_it_when_the_word_is_changed(void **state)
{
  (void)state;
  scr_scene *scene = accepted(&(parts){.method = "grit", .material = ", \"density\": 3, \"shear_modulus\": \"2 MPa\""});
  char *effective = scr_scene_json(scene);
  scr_scene_destroy(scene);
  assert_non_null(strstr(effective, "\"shear_modulus\": 2000000"));
  char *other = with_method(effective, "grit", "gel");
  scene = read_text(other);
  const gel_material *m = scr_scene_material(scene, 0);
  assert_true(m->density == 3 && m->shear_modulus == 2e6 && m->hardness == 5); /* the effective scene says grit's default */
  char *written = scr_scene_json(scene);
  assert_non_null(strstr(written, "\"habit\": \"needle\""));
  scr_scene_destroy(scene);
  scr_free(effective);
  scr_free(written);
  free(other);
}

static void test_an_effective_scene_says_its_methods_keys_and_of_others_what_was_given(void **state)
{
  (void)state;
  scr_scene *scene = accepted(&(parts){.method = "gel", .material = ", \"layers\": 2, \"shear_modulus\": 1, \"density\": 3"});
  char *effective = scr_scene_json(scene);
  scr_scene_destroy(scene);
  json_t *root = json_loads(effective, 0, NULL), *material = json_array_get(json_object_get(root, "materials"), 0);
  assert_int_equal(json_object_size(material), 5);
  assert_true(json_number_value(json_object_get(material, "hardness")) == 50);
  assert_true(json_number_value(json_object_get(material, "layers")) == 2);
  json_decref(root);
  scene = read_text(effective);
  char *again = scr_scene_json(scene);
  assert_string_equal(again, effective);
  scr_scene_destroy(scene);
  scr_free(effective);
  scr_free(again);
}

static void test_a_pair_is_like_the_default_law_where_it_says_nothing(void **state)
{
  (void)state;
  scr_scene *scene =
      accepted(&(parts){.method = "grit",
                        .material = ", \"density\": 1 }, { \"name\": \"n\", \"density\": 2",
                        .contact = "\"sticky\": true, \"finish\": \"smooth\", \"pairs\": [ { \"between\": [\"n\", \"wall\"], "
                                   "\"grip\": 0.25, \"sticky\": null, \"finish\": \"rough\" } ]"});
  const grit_surface *common = scr_scene_surface(scene, 0, 0), *pair = scr_scene_surface(scene, 1, 2),
                     *same = scr_scene_surface(scene, 2, 1);
  assert_true(common->grip == 0.5 && common->sticky && common->finish == 1);
  assert_true(pair->grip == 0.25 && pair->sticky && pair->finish == 0);
  assert_memory_equal(pair, same, sizeof *pair);
  char *effective = scr_scene_json(scene);
  json_t *root = json_loads(effective, 0, NULL);
  json_t *written = json_array_get(json_object_get(json_object_get(root, "contact"), "pairs"), 0);
  assert_true(json_is_true(json_object_get(written, "sticky")));
  json_decref(root);
  scr_free(effective);
  scr_scene_destroy(scene);
}

static void test_a_law_that_is_required_is_asked_for_once(void **state)
{
  (void)state;
  const char *material = ", \"density\": 1, \"shear_modulus\": 1, \"hardness\": 6";
  const char *pair = "\"pairs\": [ { \"between\": [\"m\", \"m\"], \"grip\": 2, \"sticky\": true } ]";
  refused(&(parts){.method = "gel", .material = material, .contact = pair}, "/contact/slip_length", "slip_length is missing");
  char contact[256];
  snprintf(contact, sizeof contact, "\"slip_length\": \"1 mm\", \"finish\": \"smooth\", %s", pair);
  scr_scene *scene = accepted(&(parts){.method = "gel", .material = material, .contact = contact});
  const gel_surface *law = scr_scene_surface(scene, 0, 0), *wall = scr_scene_surface(scene, 0, 1);
  assert_true(law->grip == 2 && law->slip_length == 1e-3 && wall->grip == 0.1 && wall->slip_length == 1e-3);
  char *effective = scr_scene_json(scene), *other = with_method(effective, "gel", "grit");
  scr_scene_destroy(scene);
  refused(&(parts){.method = "grit", .material = material, .contact = pair}, "/contact/pairs/0/grip", "grip is 2");
  char *narrowed = strstr(other, "\"grip\": 2");
  assert_non_null(narrowed);
  narrowed[strlen("\"grip\": ")] = '1';
  scene = read_text(other);
  const grit_surface *grit = scr_scene_surface(scene, 0, 0), *rig = scr_scene_surface(scene, 1, 0);
  assert_true(grit->grip == 1 && grit->sticky && grit->finish == 1);
  assert_true(rig->grip == 0.1 && !rig->sticky && rig->finish == 1);
  scr_scene_destroy(scene);
  scr_free(effective);
  free(other);
}

static void test_a_specimen_says_how_it_is_divided_where_the_method_asks(void **state)
{
  (void)state;
  const char *grit = ", \"density\": 1", *gel = ", \"density\": 1, \"shear_modulus\": 1";
  refused(&(parts){.method = "grit", .material = grit, .specimen = ", \"order\": 2"}, "/specimens/0/mesh_size", "mesh_size is missing");
  refused(&(parts){.method = "grit", .material = grit, .specimen = ", \"mesh_sise\": 2, \"mesh_size\": 1"}, "/specimens/0/mesh_sise",
          "did you mean \"mesh_size\"? known keys are name, material, velocity, angular_velocity, mesh_size, order, shape");
  refused(&(parts){.method = "gel", .material = gel, .specimen = ", \"mesh_size\": 2"}, "/specimens/0/mesh_size", "mesh_size is 2");
  scr_scene *scene = accepted(&(parts){.method = "gel", .material = gel, .specimen = ", \"swelling\": 0.5"});
  assert_true(((const gel_specimen *)scr_scene_specimen(scene, 0))->swelling == 0.5 && scr_scene_resolution(scene, 0) == 0);
  scr_scene_destroy(scene);
  scene = accepted(&(parts){.method = "grit", .material = grit, .specimen = ", \"mesh_size\": \"20 cm\", \"swelling\": 1"});
  const grit_specimen *specimen = scr_scene_specimen(scene, 0);
  assert_true(fabs(specimen->mesh_size - 0.2) < 1e-15 && specimen->order == 1 && scr_scene_resolution(scene, 0) == specimen->mesh_size);
  char *effective = scr_scene_json(scene);
  assert_non_null(strstr(effective, "\"swelling\": 1"));
  scr_free(effective);
  scr_scene_destroy(scene);
}

/* A plane is drawn 40 times as wide as the first specimen is divided; where nothing divides it, 4 times as wide as half its size, here 1 m.
 * */
static void test_pictures_are_laid_out_without_a_spacing(void **state)
{
  (void)state;
  static const char plane[] = ", \"mesh_size\": 0.5 } ], \"obstacles\": [ { \"name\": \"o\", \"shape\": { \"type\": \"plane\" }";
  scr_scene *scene = accepted(&(parts){.method = "grit", .material = ", \"density\": 1", .specimen = plane});
  assert_true(scene->rig.obstacles[0].shape.width == 20);
  scr_scene_destroy(scene);
  scene = accepted(&(parts){.method = "dust", .specimen = plane});
  assert_true(fabs(scene->rig.obstacles[0].shape.width - 4) < 1e-12);
  scr_scene_destroy(scene);
}

static void test_keys_of_another_method_are_checked_by_its_table(void **state)
{
  (void)state;
  refused(&(parts){.method = "gel", .material = ", \"density\": 1, \"shear_modulus\": 1, \"layers\": 10"}, "/materials/0/layers",
          "layers is 10, which is not allowed: give a whole number from 1 to 9");
  refused(&(parts){.method = "dust", .material = ", \"habit\": \"cube\""}, "/materials/0/habit", "habit is \"cube\"");
  refused(&(parts){.method = "gel", .material = ", \"density\": 1, \"shear_modulus\": 1, \"grain\": [0, 2, 0]"}, "/materials/0/grain/1",
          "the y component of grain");
}

static void test_of_a_key_of_two_methods_the_scenes_own_range_holds(void **state)
{
  (void)state;
  scr_scene_destroy(accepted(&(parts){.method = "gel", .material = ", \"density\": 1, \"shear_modulus\": 1, \"hardness\": 80"}));
  refused(&(parts){.method = "grit", .material = ", \"density\": 1, \"hardness\": 80"}, "/materials/0/hardness", "hardness is 80");
}

static void test_a_key_of_no_method_is_a_problem_with_a_suggestion(void **state)
{
  (void)state;
  refused(&(parts){.method = "grit", .material = ", \"density\": 1, \"layer\": 4"}, "/materials/0/layer",
          "there is no key \"layer\" here: did you mean \"layers\"? known keys are name, density, hardness, layers");
  refused(&(parts){.method = "grit", .material = ", \"density\": 1, \"shear_moduls\": 4"}, "/materials/0/shear_moduls",
          "did you mean \"shear_modulus\"?");
}

static void test_without_a_known_method_keys_of_all_are_understood(void **state)
{
  (void)state;
  refused(&(parts){.method = "grid", .material = ", \"layers\": 4, \"shear_modulus\": 1"}, "/method", "did you mean \"grit\"?");
}

static json_t *at(json_t *from, const char *const *keys)
{
  for (; *keys; keys++) from = json_object_get(from, *keys);
  return from;
}

static void test_the_schema_of_a_method_requires_its_keys_and_admits_those_of_others(void **state)
{
  (void)state;
  char *text = scene_schema(made_up_method, "gel");
  json_t *schema = json_loads(text, 0, NULL);
  json_t *item = at(schema, (const char *const[]){"properties", "materials", "items", NULL}), *keys = json_object_get(item, "properties");
  assert_int_equal(json_object_size(keys), 1 + LENGTH(grit_materials) + 1);
  assert_true(json_number_value(at(keys, (const char *const[]){"hardness", "maximum", NULL})) == 100);
  assert_null(at(keys, (const char *const[]){"hardness", "x-methods", NULL}));
  json_t *methods = at(keys, (const char *const[]){"layers", "x-methods", NULL});
  assert_int_equal(json_array_size(methods), 1);
  assert_string_equal(json_string_value(json_array_get(methods, 0)), "grit");
  json_t *required = json_object_get(item, "required");
  assert_int_equal(json_array_size(required), 3);
  assert_string_equal(json_string_value(json_array_get(required, 2)), "shear_modulus");
  json_decref(schema);
  scr_free(text);
}

static void test_the_reference_has_a_table_of_each_method(void **state)
{
  (void)state;
  char *text = scene_reference(made_up_method);
  json_t *reference = json_loads(text, 0, NULL), *table;
  size_t i, tables = 0;
  json_array_foreach(json_object_get(reference, "sections"), i, table)
  {
    const char *path = json_string_value(json_object_get(table, "path")), *method = json_string_value(json_object_get(table, "method"));
    if (strcmp(path, "materials[]") != 0 || !method) continue;
    bool grit = strcmp(method, "grit") == 0;
    assert_true(grit || strcmp(method, "gel") == 0);
    assert_int_equal(json_array_size(json_object_get(table, "keys")), grit ? LENGTH(grit_materials) : LENGTH(gel_materials));
    tables++;
  }
  assert_int_equal(tables, 2);
  json_decref(reference);
  scr_free(text);
}

/* ── the methods there are ──────────────────────────────────────────────────────────────────────────────────────── */

/* The keys of a place that all methods share: a method may not declare one of them again. */
static bool is_shared(const json_t *reference, const char *path, const char *key)
{
  json_t *table, *row;
  size_t i, k;
  json_array_foreach(json_object_get(reference, "sections"), i, table)
  {
    if (strcmp(json_string_value(json_object_get(table, "path")), path) != 0 || json_object_get(table, "method")) continue;
    json_array_foreach(json_object_get(table, "keys"), k,
                       row) if (strcmp(json_string_value(json_object_get(row, "name")), key) == 0) return true;
  }
  return false;
}

static void same_key_same_meaning(const scr_block *tables[], size_t count, const json_t *reference, const char *const *paths)
{
  for (size_t a = 0; a < count; a++)
    for (size_t i = 0; i < tables[a]->count; i++) {
      const scr_param *param = &tables[a]->params[i];
      for (const char *const *path = paths; *path; path++)
        if (is_shared(reference, *path, param->name)) fail_msg("%s is a key of %s already", param->name, *path);
      for (size_t b = 0; b <= a; b++)
        for (size_t k = 0; k < (b == a ? i : tables[b]->count); k++) {
          const scr_param *other = &tables[b]->params[k];
          if (strcmp(param->name, other->name) != 0) continue;
          if (a == b) fail_msg("%s is declared twice", param->name);
          if (param->kind != other->kind || strcmp(param->unit, other->unit) != 0) fail_msg("%s has two types or units", param->name);
        }
    }
}

static void test_a_key_of_two_methods_has_one_type_and_one_unit(void **state)
{
  (void)state;
  const scr_block *materials[16], *surfaces[16], *specimens[16];
  size_t count = 0;
  for (; scr_methods[count]; count++) {
    materials[count] = &scr_methods[count]->about.material;
    surfaces[count] = &scr_methods[count]->about.surface;
    specimens[count] = &scr_methods[count]->about.specimen;
  }
  char *text = scr_reference_json();
  json_t *reference = json_loads(text, 0, NULL);
  same_key_same_meaning(materials, count, reference, (const char *const[]){"materials[]", NULL});
  same_key_same_meaning(surfaces, count, reference, (const char *const[]){"contact", "contact.pairs[]", NULL});
  same_key_same_meaning(specimens, count, reference, (const char *const[]){"specimens[]", NULL});
  json_decref(reference);
  scr_free(text);
}

SUITE(test_scene_blocks)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_of_value_reaches_the_methods_own_struct),
      cmocka_unit_test(test_what_is_not_said_has_its_default),
      cmocka_unit_test(test_a_method_asks_for_what_it_declares_as_required_only),
      cmocka_unit_test(test_keys_of_another_method_are_kept_and_serve_it_when_the_word_is_changed),
      cmocka_unit_test(test_an_effective_scene_says_its_methods_keys_and_of_others_what_was_given),
      cmocka_unit_test(test_a_pair_is_like_the_default_law_where_it_says_nothing),
      cmocka_unit_test(test_a_law_that_is_required_is_asked_for_once),
      cmocka_unit_test(test_a_specimen_says_how_it_is_divided_where_the_method_asks),
      cmocka_unit_test(test_pictures_are_laid_out_without_a_spacing),
      cmocka_unit_test(test_keys_of_another_method_are_checked_by_its_table),
      cmocka_unit_test(test_of_a_key_of_two_methods_the_scenes_own_range_holds),
      cmocka_unit_test(test_a_key_of_no_method_is_a_problem_with_a_suggestion),
      cmocka_unit_test(test_without_a_known_method_keys_of_all_are_understood),
      cmocka_unit_test(test_the_schema_of_a_method_requires_its_keys_and_admits_those_of_others),
      cmocka_unit_test(test_the_reference_has_a_table_of_each_method),
      cmocka_unit_test(test_a_key_of_two_methods_has_one_type_and_one_unit),
  };
  return cmocka_run_group_tests_name("scene_blocks", tests, NULL, NULL);
}
