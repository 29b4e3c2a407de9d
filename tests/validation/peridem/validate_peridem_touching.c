/* Peridem's bodies that touch the rig or each other at the start: nothing pushes until something moves, and what is to be refused or warned
 * of is. */
#include "tests/validation/peridem/peridem_case.h"

#include "methods/peridem/law/material.h"
#include "tests/support/suites.h"

#define POLYMER "\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_energy\":135}]"
#define SURFACE "\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.3}"
#define PRESS(opening, velocity)                                                                                                           \
  "{\"type\":\"platens\",\"opening\":" opening ",\"program\":[{\"type\":\"constant\",\"velocity\":" velocity "}]}"
#define BODY(name, shape, at, spacing)                                                                                                     \
  "{\"name\":\"" name "\",\"material\":\"m\",\"spacing\":" spacing ",\"shape\":" shape                                                     \
  ",\"placement\":{\"type\":\"single\",\"position\":" at "}}"
#define BALL "{\"type\":\"sphere\",\"radius\":1.5e-3}"
#define BRICK "{\"type\":\"box\",\"size\":[3e-3,3e-3,3e-3]}"
#define ROD "{\"type\":\"cylinder\",\"radius\":1.5e-3,\"length\":3e-3}"

static void scene_text(char *text, size_t size, const char *specimens, const char *rig, const char *options)
{
  snprintf(text, size,
           "{\"scree\":1,\"name\":\"touching\",\"method\":\"peridem\"," POLYMER "," SURFACE ",\"specimens\":[%s],\"rig\":%s,"
           "\"time\":{\"duration\":2e-5},\"options\":{%s}}",
           specimens, rig, options);
}

typedef struct touching {
  const char *name, *specimens, *rig;
} touching;

static const touching cases[] = {
    {"a ball between platens", BODY("a", BALL, "[0,0,0]", "1.5e-4"), PRESS("3e-3", "-1e-9")},
    {"a ball, coarse and odd", BODY("a", BALL, "[0,0,0]", "2.3e-4"), PRESS("3e-3", "-1e-9")},
    {"a brick between platens", BODY("a", BRICK, "[0,0,0]", "1.5e-4"), PRESS("3e-3", "-1e-9")},
    {"a rod between platens", BODY("a", ROD, "[0,0,0]", "1.5e-4"), PRESS("3e-3", "-1e-9")},
    {"two balls on each other", BODY("a", BALL, "[0,0,-1.5e-3]", "1.5e-4") "," BODY("b", BALL, "[0,0,1.5e-3]", "1.5e-4"),
     PRESS("6e-3", "-1e-9")},
    {"a ball on a brick", BODY("a", BRICK, "[0,0,-1.5e-3]", "1.5e-4") "," BODY("b", BALL, "[1e-4,0,1.5e-3]", "2e-4"),
     PRESS("6e-3", "-1e-9")},
};

/* Contact is measured from the bodies' surfaces, and a node that starts nearer touches where it starts: no force at all at t = 0, and after
 * 20 steps none beyond a hundredth of what breaks a bond; nothing breaks. By the paper's law the first ball breaks all of its bonds. */
static void test_bodies_that_touch_start_without_a_force(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[2048];
    scene_text(text, sizeof text, cases[k].specimens, cases[k].rig, "");
    sim_run c = run_open(text, 1);
    const pd_state *s = run_state(&c);
    print_message("# %s\n", cases[k].name);
    run_observe(&c);
    assert_true(run_value(&c, "platen.bottom.force_z") == 0 && run_value(&c, "platen.top.force_z") == 0);
    assert_true(run_value(&c, "energy.contact") == 0 && run_value(&c, "energy.wall") == 0);
    run_steps(&c, 20);
    run_observe(&c);
    double most = fmax(fabs(run_value(&c, "platen.bottom.force_z")), fabs(run_value(&c, "platen.top.force_z")));
    double bond = s->bodies[0].stiffness * s->bodies[0].critical_stretch;
    claim_absolute("touching: force over what breaks a bond, after 20 steps", most / bond, 0, 0.01, "a specimen at rest");
    assert_true(run_value(&c, "broken_bonds") == 0);
    run_close(&c);
  }
}

/* The load then begins at zero as the platen comes down, which sends the ball through its vibrations (1e-9: rounding of a symmetric body),
 * and a ball of 3 mm breaks no bond within the first 20 um. */
static void test_a_ball_that_touches_the_platens_is_pressed_gently(void **state)
{
  (void)state;
  char text[2048];
  scene_text(text, sizeof text, BODY("a", BALL, "[0,0,0]", "1.5e-4"), PRESS("3e-3", "-1"), "");
  sim_run c = run_open(text, 1);
  double last = 0;
  for (int k = 0; k < 5; k++) {
    run_until(&c, 4e-6 * (k + 1));
    run_observe(&c);
    double top = run_value(&c, "platen.top.force_z");
    assert_true(top > 0 && top < 10);
    last = top;
  }
  claim_between("ball of 3 mm between platens 3 mm apart: force after 20 um, N", last, 0, 10,
                "11.7 kN at once by the paper's law, 5.2 N by Hertz");
  assert_true(run_value(&c, "broken_bonds") == 0);
  claim_absolute("ball of 3 mm: energy not accounted for", run_value(&c, "energy.balance_error"), 0, 1e-3, "conservation of energy");
  run_close(&c);
}

/* A brick falls on a floor: it comes to rest with its lowest nodes half a spacing above it, less what its weight and the law's softness
 * press it in; with the paper's law it floats a contact radius above. */
static void test_a_brick_comes_to_rest_on_its_surface(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"rest\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e7}],"
             "\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.5},\"specimens\":[" BODY(
                 "a", "{\"type\":\"box\",\"size\":[8e-4,8e-4,8e-4]}", "[0,0,6e-4]",
                 "2e-4") "],"
                         "\"rig\":{\"type\":\"box\",\"minimum\":[-5e-3,-5e-3,0],\"maximum\":[5e-3,5e-3,5e-3],\"gravity\":[0,0,-100]},"
                         "\"time\":{\"duration\":1e-2},\"options\":{\"breakable\":false,\"damping_rate\":2e3,\"contact_surface\":\"%s\"}}",
             k ? "nodes" : "body");
    sim_run c = run_open(text, 1);
    const pd_state *s = run_state(&c);
    run_until(&c, 1e-2);
    double lowest = INFINITY;
    for (size_t i = 0; i < s->node_count; i++) lowest = fmin(lowest, s->host->position.z[i]);
    double zero = k ? 3.2e-4 : 1e-4;
    claim_relative(k ? "brick at rest: height of its lowest nodes by the paper's law, m" : "brick at rest: height of its lowest nodes, m",
                   lowest, zero, 0.25, k ? "the contact radius" : "half a spacing");
    assert_true(lowest < zero);
    run_close(&c);
  }
}

static void expect(const char *text, bool warned, const char *pointer, const char *words)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  scr_status status = scr_scene_parse(text, strlen(text), NULL, &scene, &problems);
  const scr_problems *list = warned && status == SCR_OK ? scr_scene_warnings(scene) : &problems;
  bool found = false;
  for (size_t i = 0; i < list->count; i++)
    found = found || (strcmp(list->items[i].pointer, pointer) == 0 && strstr(list->items[i].detail, words));
  if (!found) print_message("# %s: not said at %s: %s; %s\n", text, pointer, words, list->count ? list->items[0].detail : "nothing");
  assert_true(found);
  assert_int_equal(status, warned ? SCR_OK : SCR_BAD_SCENE);
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
}

/* What starts with a force is said with the number; what lies in something else is refused. */
static void test_a_start_with_force_or_overlap_is_said(void **state)
{
  (void)state;
  char text[2048];
  scene_text(text, sizeof text, cases[0].specimens, cases[0].rig, PAPER_NODES);
  expect(text, true, "/specimens/0/placement", "times what breaks a bond");
  scene_text(text, sizeof text, cases[4].specimens, cases[4].rig, PAPER_NODES ",\"allow_initial_contact\":true");
  expect(text, true, "/specimens/1/placement", "times what breaks a bond");
  scene_text(text, sizeof text, BODY("a", BALL, "[0,0,-1.2e-3]", "1.5e-4") "," BODY("b", BALL, "[0,0,1.2e-3]", "1.5e-4"),
             PRESS("6e-3", "-1"), "");
  expect(text, false, "/specimens/1/placement", "inside the other");
  scene_text(text, sizeof text, cases[0].specimens, PRESS("2.6e-3", "-1"), "");
  expect(text, false, "/rig/position", "inside platen");
}

/* A contact radius by which lattices pass through each other, a specimen faster than a step allows, a rig that moves away. */
static void test_what_can_not_work_is_refused_or_warned_of(void **state)
{
  (void)state;
  char text[2048];
  scene_text(text, sizeof text, cases[0].specimens, cases[0].rig, "\"contact_radius\":7e-5");
  expect(text, false, "/options/contact_radius", "pass through");
  scene_text(text, sizeof text, cases[4].specimens, cases[4].rig, "\"contact_radius\":9e-5");
  expect(text, true, "/options/contact_radius", "pass through");
  scene_text(text, sizeof text, cases[0].specimens, PRESS("3e-3", "1"), "");
  expect(text, true, "/rig/program", "moves away");
  scene_text(text, sizeof text, BODY("a", BALL, "[0,0,0]", "1.5e-4") "],\"unused\":[", "{\"type\":\"none\"}", "");
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"fast\",\"method\":\"peridem\"," POLYMER
           ",\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1.5e-4,"
           "\"shape\":" BALL ",\"velocity\":[0,0,2000]}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":2e-5,\"time_step\":%s}}",
           "3e-8");
  expect(text, false, "/specimens/0/velocity", "in one step");
  char *step = strstr(text, "3e-8");
  memcpy(step, "null", 4);
  sim_run c = run_open(text, 1); /* chosen: a tenth of the contact radius in a step */
  claim_relative("fast ball: way in a step over the contact radius", 2000 * scr_sim_time_step(c.sim) / 2.4e-4, 0.1, 1e-9, "the rule");
  assert_string_equal(c.scene->estimate.time_step_rule, "travel");
  run_close(&c);
}

/* Bonds keep the bulk modulus, E / (3 (1 - 2 nu)), whatever the ratio; Young's modulus becomes 3 k / 2. A lattice's energy in uniform
 * stretching goes with k: the two ways of giving one material have the same bonds to the last bits. */
static void test_the_bulk_modulus_is_kept_at_any_poisson_ratio(void **state)
{
  (void)state;
  static const struct {
    const char *constants;
    double bulk;
  } materials[] = {{"\"young_modulus\":3e9", 2e9},
                   {"\"young_modulus\":3e9,\"poisson_ratio\":0.25", 2e9},
                   {"\"young_modulus\":3e9,\"poisson_ratio\":0.3", 2.5e9},
                   {"\"young_modulus\":3e9,\"poisson_ratio\":0.0", 1e9},
                   {"\"young_modulus\":3e9,\"bulk_modulus\":4e9", 4e9}};
  for (size_t k = 0; k < sizeof materials / sizeof *materials; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"nu\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,%s}],\"specimens\":["
             "{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[4e-3,4e-3,4e-3]}}],"
             "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-5},\"options\":{\"allow_nu_mismatch\":true}}",
             materials[k].constants);
    sim_run c = run_open(text, 1);
    claim_relative("bulk modulus that bonds keep, Pa", run_state(&c)->bodies[0].bulk_modulus, materials[k].bulk, 1e-12,
                   "E / (3 (1 - 2 nu))");
    size_t warnings = scr_scene_warnings(c.scene)->count;
    assert_int_equal(warnings, k >= 2);
    if (warnings) {
      char words[64];
      snprintf(words, sizeof words, "Young's modulus is %.4g Pa", 1.5 * materials[k].bulk);
      assert_non_null(strstr(scr_scene_warnings(c.scene)->items[0].detail, words));
    }
    run_close(&c);
  }
}

SUITE(validate_peridem_touching)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bodies_that_touch_start_without_a_force),
      cmocka_unit_test(test_a_ball_that_touches_the_platens_is_pressed_gently),
      cmocka_unit_test(test_a_brick_comes_to_rest_on_its_surface),
      cmocka_unit_test(test_a_start_with_force_or_overlap_is_said),
      cmocka_unit_test(test_what_can_not_work_is_refused_or_warned_of),
      cmocka_unit_test(test_the_bulk_modulus_is_kept_at_any_poisson_ratio),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
