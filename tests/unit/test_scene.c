/* Scenes through the public header: what is accepted, that all problems come at once, and that the effective scene is a fixed point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"

static const char good[] =
    "{\"name\":\"grain\",\"method\":\"peridem\",\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_"
    "energy\":135}],"
    "\"specimens\":[{\"name\":\"g\",\"material\":\"polymer\",\"spacing\":2.5e-4,\"shape\":{\"type\":\"sphere\",\"radius\":1e-3}}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[-2e-3,-2e-3,-2e-3],\"maximum\":[2e-3,2e-3,2e-3],\"walls\":{\"z_max\":{\"program\":[{\"type\":"
    "\"constant\",\"velocity\":-5}]}}},"
    "\"time\":{\"duration\":1e-5}}";

/* The good scene with the first `from` replaced by `to`; freed by the caller. */
static char *changed(const char *from, const char *to)
{
  const char *at = strstr(good, from);
  assert_non_null(at);
  char *text = malloc(sizeof good + strlen(to));
  sprintf(text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
  return text;
}

static scr_status parse(const char *text, scr_scene **scene, scr_problems *problems)
{
  return scr_scene_parse(text, strlen(text), NULL, scene, problems);
}

static void assert_refused(const char *from, const char *to, const char *pointer)
{
  char *text = changed(from, to);
  scr_scene *scene;
  scr_problems problems = {0};
  assert_int_equal(parse(text, &scene, &problems), SCR_BAD_SCENE);
  assert_null(scene);
  bool found = false;
  for (size_t i = 0; i < problems.count; i++) found = found || strcmp(problems.items[i].pointer, pointer) == 0;
  if (!found)
    fail_msg("no problem at %s but %zu others, first at %s: %s", pointer, problems.count, problems.count ? problems.items[0].pointer : "",
             problems.count ? problems.items[0].detail : "");
  scr_problems_clear(&problems);
  free(text);
}

static void test_each_kind_of_mistake_is_refused_at_its_place(void **state)
{
  (void)state;
  assert_refused("\"density\":1200", "\"density\":-1", "/materials/0/density");
  assert_refused("\"density\":1200", "\"density\":\"heavy\"", "/materials/0/density");
  assert_refused("\"density\":1200,", "", "/materials/0/density");
  assert_refused("\"density\":1200", "\"density\":1200,\"colour\":1", "/materials/0/colour");
  assert_refused("\"density\":1200", "\"density\":1200,\"a/b~c\":1", "/materials/0/a~1b~0c");
  assert_refused("\"material\":\"polymer\"", "\"material\":\"glass\"", "/specimens/0/material");
  assert_refused("\"type\":\"sphere\"", "\"type\":\"ball\"", "/specimens/0/shape/type");
  assert_refused("\"method\":\"peridem\"", "\"method\":\"magic\"", "/method");
  assert_refused("\"maximum\":[2e-3", "\"maximum\":[-2e-3", "/rig/maximum/0");
  assert_refused("\"duration\":1e-5", "\"duration\":1e-5,\"time_step\":1", "/time/time_step");
  assert_refused("\"spacing\":2.5e-4", "\"spacing\":1e-9", "/specimens");
  assert_refused("\"radius\":1e-3", "\"radius\":3e-3", "/specimens/0/placement");
}

static void test_all_problems_come_at_once(void **state)
{
  (void)state;
  scr_scene *scene;
  scr_problems problems = {0};
  const char bad[] = "{\"name\":7,\"method\":\"peridem\",\"materials\":[],\"specimens\":[{\"spacing\":-1,\"shape\":{\"type\":\"sphere\"}}],"
                     "\"time\":{\"duration\":0},\"extra\":1}";
  assert_int_equal(parse(bad, &scene, &problems), SCR_BAD_SCENE);
  assert_true(problems.count >= 7);
  for (size_t i = 0; i < problems.count; i++) assert_true(strlen(problems.items[i].detail) > 10);
  scr_problems_clear(&problems);
}

static void test_broken_json_is_one_problem_with_line_and_column(void **state)
{
  (void)state;
  const char *texts[] = {"", "{", "[1,2", "{\"name\":NaN}", "{\"a\":1,\"a\":2}", "{\"name\":\"\xff\"}", "nonsense", "{\"a\":1e999}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    scr_scene *scene;
    scr_problems problems = {0};
    assert_int_equal(parse(texts[i], &scene, &problems), SCR_BAD_SCENE);
    assert_true(problems.count >= 1);
    scr_problems_clear(&problems);
  }
}

static void test_deep_nesting_is_refused_without_recursion(void **state)
{
  (void)state;
  size_t depth = 100000;
  char *text = malloc(depth + 1);
  scr_scene *scene;
  scr_problems problems = {0};
  memset(text, '[', depth);
  text[depth] = '\0';
  assert_int_equal(parse(text, &scene, &problems), SCR_BAD_SCENE);
  scr_problems_clear(&problems);
  free(text);
}

static void test_the_effective_scene_is_a_fixed_point(void **state)
{
  (void)state;
  scr_scene *first, *second;
  scr_problems problems = {0};
  assert_int_equal(parse(good, &first, &problems), SCR_OK);
  char *text = scr_scene_json(first);
  assert_non_null(text);
  assert_int_equal(parse(text, &second, &problems), SCR_OK);
  char *again = scr_scene_json(second);
  assert_string_equal(text, again);
  assert_true(scr_scene_estimate(first)->node_count > 0 && scr_scene_estimate(first)->bond_count > 0 &&
              scr_scene_estimate(first)->time_step > 0);
  scr_free(text);
  scr_free(again);
  scr_scene_destroy(first);
  scr_scene_destroy(second);
}

static void test_the_schema_is_json_and_names_every_option_of_the_method(void **state)
{
  (void)state;
  char *text = scr_scene_schema("peridem"), *about = scr_method_json("peridem");
  json_t *schema = json_loads(text, 0, NULL), *method = json_loads(about, 0, NULL);
  json_t *options =
      json_object_get(json_object_get(json_object_get(json_object_get(schema, "properties"), "options"), "properties"), "horizon");
  assert_non_null(options);
  assert_string_equal(json_string_value(json_object_get(options, "x-unit")), "m");
  size_t i;
  json_t *option;
  json_array_foreach(json_object_get(method, "options"), i, option)
  {
    const char *name = json_string_value(json_object_get(option, "name"));
    assert_non_null(
        json_object_get(json_object_get(json_object_get(json_object_get(schema, "properties"), "options"), "properties"), name));
  }
  assert_true(i >= 10);
  assert_null(scr_scene_schema("magic"));
  json_decref(schema);
  json_decref(method);
  scr_free(text);
  scr_free(about);
}

/* The closed form of the displacement is the integral of the velocity: midpoint sums, error of a kink per segment. */
static void test_a_programs_displacement_is_the_integral_of_its_velocity(void **state)
{
  (void)state;
  scr_segment segments[] = {{SCR_SEGMENT_HOLD, 0, 0, 0.1},
                            {SCR_SEGMENT_RAMP, -2, 0, 0.3},
                            {SCR_SEGMENT_CONSTANT, -2, 0, 0.2},
                            {SCR_SEGMENT_RAMP, 1, 0, 0.3},
                            {SCR_SEGMENT_HOLD, 0, 0, INFINITY}};
  scr_program program = {segments, 5};
  double sum = 0, dt = 1e-5;
  for (int i = 0; i < 150000; i++) {
    sum += scr_program_velocity(&program, (i + 0.5) * dt) * dt;
    if (i % 1000 == 0) assert_float_equal(scr_program_displacement(&program, (i + 1) * dt), sum, 5 * dt);
  }
  assert_true(scr_program_peak_velocity(&program, 2.0) == 2.0);
}

/* Whatever is changed in the text, a scene comes out or at least one problem; seed fixed. */
static void test_mangled_scenes_never_crash(void **state)
{
  (void)state;
  uint64_t seed = 12345;
  for (int round = 0; round < 3000; round++) {
    char text[sizeof good];
    memcpy(text, good, sizeof good);
    for (int k = 0; k < 3; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      size_t at = (size_t)(seed >> 33) % (sizeof good - 1);
      text[at] = "0123456789-e.,:{}[]\"xnt "[(seed >> 20) % 24];
    }
    scr_scene *scene;
    scr_problems problems = {0};
    scr_limits limits = scr_limits_default();
    limits.memory_bytes = 32 << 20;
    scr_status status = scr_scene_parse(text, sizeof good - 1, &limits, &scene, &problems);
    assert_true((status == SCR_OK) == (scene != NULL));
    assert_true(status == SCR_OK || problems.count > 0);
    scr_scene_destroy(scene);
    scr_problems_clear(&problems);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_kind_of_mistake_is_refused_at_its_place),
      cmocka_unit_test(test_all_problems_come_at_once),
      cmocka_unit_test(test_broken_json_is_one_problem_with_line_and_column),
      cmocka_unit_test(test_deep_nesting_is_refused_without_recursion),
      cmocka_unit_test(test_the_effective_scene_is_a_fixed_point),
      cmocka_unit_test(test_the_schema_is_json_and_names_every_option_of_the_method),
      cmocka_unit_test(test_a_programs_displacement_is_the_integral_of_its_velocity),
      cmocka_unit_test(test_mangled_scenes_never_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
