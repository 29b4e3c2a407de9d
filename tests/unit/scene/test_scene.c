/* Scenes through the public header with a real method. What the scene layer does by itself is tested in test_scene_*.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/counts.h"
#include "scene/scene.h"
#include "tests/support/suites.h"

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
  assert_refused("\"duration\":1e-5", "\"duration\":1e-5,\"time_step\":0", "/time/time_step");
  assert_refused("\"duration\":1e-5", "\"duration\":1e-5,\"time_step\":-1e-7", "/time/time_step");
  assert_refused("\"spacing\":2.5e-4", "\"spacing\":1e-9", "/specimens");
  assert_refused("\"radius\":1e-3", "\"radius\":3e-3", "/specimens/0/placement");
}

/* The good scene in another rig must be refused at `pointer`, in words that say `words`; or accepted when `pointer` is NULL. */
static void judge_in_rig(const char *rig, const char *pointer, const char *words)
{
  char text[sizeof good + 300];
  const char *from = strstr(good, "\"rig\""), *to = strstr(good, "\"time\"");
  snprintf(text, sizeof text, "%.*s\"rig\":%s,%s", (int)(from - good), good, rig, to);
  scr_scene *scene;
  scr_problems problems = {0};
  scr_status status = parse(text, &scene, &problems);
  const scr_problem *first = problems.count ? &problems.items[0] : NULL;
  if (!pointer && status != SCR_OK) fail_msg("%s: %s", rig, first ? first->detail : "refused");
  if (pointer && (status != SCR_BAD_SCENE || !first || strcmp(first->pointer, pointer) != 0 || !strstr(first->detail, words)))
    fail_msg("%s: %s %s", rig, first ? first->pointer : "accepted", first ? first->detail : "");
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
}

/* A ball of 1 mm radius with nodes to 0.92 mm from its centre, contact radius 0.4 mm. */
static void test_rigs_that_the_nodes_do_not_fit_are_refused(void **state)
{
  (void)state;
  judge_in_rig("{\"type\":\"three_point_bend\",\"span\":1.6e-3,\"support_radius\":5e-4,\"position\":[0,0,-1e-3],\"opening\":2e-3}", NULL,
               "");
  judge_in_rig("{\"type\":\"three_point_bend\",\"span\":1.6e-3,\"support_radius\":5e-4,\"position\":[0,0,-4e-4],\"opening\":2e-3}",
               "/rig/position", "inside roller.left");
  judge_in_rig("{\"type\":\"three_point_bend\",\"span\":1.6e-3,\"support_radius\":3e-4,\"load_radius\":1e-3,\"position\":[0,0,-1e-3],"
               "\"opening\":2e-3}",
               "/rig/support_radius", "less than the contact radius");
  judge_in_rig("{\"type\":\"brazilian\",\"opening\":2e-3}", NULL, "");
  judge_in_rig("{\"type\":\"platens\",\"opening\":1.5e-3}", "/rig/position", "inside platen.bottom");
  judge_in_rig("{\"type\":\"platens\",\"opening\":2e-3,\"program\":[{\"type\":\"constant\",\"velocity\":-1e4,\"duration\":1e-8}]}", NULL,
               ""); /* fast: the step is chosen by it */
  judge_in_rig("{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-8e-4,\"high_start\":8e-4}", NULL, "");
  judge_in_rig("{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-2e-3,\"high_start\":8e-4}", "/rig/low_end", "holds no node");
  judge_in_rig("{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-8e-4,\"high_start\":2e-3}", "/rig/high_start", "holds no node");
  judge_in_rig("{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-8e-4,\"high_start\":8e-4,"
               "\"turn\":[{\"type\":\"constant\",\"angular_velocity\":1}]}",
               "/rig/turn", "use method bdem");
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
  assert_true(scr_scene_estimate(first)->node_count > 0 && scr_count_of(scr_scene_estimate(first), "bonds") > 0 &&
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
  json_t *forms = json_object_get(json_object_get(json_object_get(schema, "properties"), "options"), "oneOf");
  json_t *options = json_object_get(json_array_get(forms, 0), "properties"); /* the method's own */
  assert_non_null(options);
  assert_string_equal(json_string_value(json_object_get(json_object_get(options, "horizon"), "x-unit")), "m");
  size_t i;
  json_t *option;
  json_array_foreach(json_object_get(method, "options"), i, option)
  {
    const char *name = json_string_value(json_object_get(option, "name"));
    assert_non_null(json_object_get(options, name));
  }
  assert_true(i >= 10);
  assert_null(scr_scene_schema("magic"));
  json_decref(schema);
  json_decref(method);
  scr_free(text);
  scr_free(about);
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

/* A thread for each half millisecond of a step, none that does not exist. */
static void test_threads_follow_the_work_of_a_step(void **state)
{
  (void)state;
  assert_int_equal(scr_threads_worth(1.0, 10000, 16), 1); /* 0.1 ms */
  assert_int_equal(scr_threads_worth(0.99, 1000, 16), 1);
  assert_int_equal(scr_threads_worth(1.01, 1000, 16), 2);
  assert_int_equal(scr_threads_worth(3.6, 1000, 16), 7);
  assert_int_equal(scr_threads_worth(3.6, 1000, 4), 4);
  assert_int_equal(scr_threads_worth(1e9, 1, 4), 4);
  assert_int_equal(scr_threads_worth(0, 1, 4), 1);
  assert_int_equal(scr_threads_worth(1.0, 0, 4), 4); /* steps are not known */
  assert_int_equal(scr_threads_worth(NAN, 1000, 4), 4);
  assert_int_equal(scr_threads_worth(INFINITY, 1000, 4), 4);
}

SUITE(test_scene)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_kind_of_mistake_is_refused_at_its_place),
      cmocka_unit_test(test_rigs_that_the_nodes_do_not_fit_are_refused),
      cmocka_unit_test(test_the_effective_scene_is_a_fixed_point),
      cmocka_unit_test(test_the_schema_is_json_and_names_every_option_of_the_method),
      cmocka_unit_test(test_mangled_scenes_never_crash),
      cmocka_unit_test(test_threads_follow_the_work_of_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
