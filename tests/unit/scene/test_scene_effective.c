/* A scene that was accepted: what it becomes, and that its effective text says all of it. */
#include "tests/unit/scene/test_scene_fake.h"
#include "tests/support/suites.h"

static char *effective(const char *text)
{
  scr_scene *scene = parsed(text);
  char *json = scr_scene_json(scene);
  scr_scene_destroy(scene);
  assert_non_null(json);
  return json;
}

static void test_the_effective_scene_reads_back_to_the_same_text(void **state)
{
  (void)state;
  const char *const texts[] = {full_scene, small_scene};
  for (size_t i = 0; i < 2; i++) {
    char *once = effective(texts[i]), *twice = effective(once);
    assert_string_equal(once, twice);
    free(once), free(twice);
  }
}

static void test_the_effective_scene_makes_every_default_explicit(void **state)
{
  (void)state;
  static const char *const said[] = {"\"scree\": 1",
                                     "\"seed\": 1",
                                     "\"bulk_modulus\": null",
                                     "\"friction_coefficient\": 0",
                                     "\"pairs\": []",
                                     "\"type\": \"single\"",
                                     "\"type\": \"none\"",
                                     "\"axis\": [0, 0, 1]",
                                     "\"velocity\": [0, 0, 0]",
                                     "\"time_step\": null",
                                     "\"safety_factor\": 0.7",
                                     "\"stop\": []",
                                     "\"frame_interval\": 1e-07",
                                     "\"sample_interval\": 1e-08",
                                     "\"positions\": \"quantised\"",
                                     "\"horizon\": null",
                                     "\"factor\": 0.25",
                                     "\"layers\": 3",
                                     "\"seats\": null",
                                     "\"breakable\": true",
                                     "\"law\": \"lumped\"",
                                     "\"label\": \"\"",
                                     "\"drift\": [0.5, 0.5, 0.5]",
                                     "\"plots\": []"};
  char *text = effective(small_scene);
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
    if (!strstr(text, said[i])) fail_msg("%s is not in %s", said[i], text);
  free(text);
}

static void test_numbers_keep_their_value_and_shortest_form(void **state)
{
  (void)state;
  char *a = edited(full_scene, "\"friction_coefficient\": 0.9", "\"friction_coefficient\": 0.90000000000000002");
  char *b = edited(a, "\"spacing\": 1.25e-4", "\"spacing\": 1.2345678901234567e-4");
  char *text = effective(b);
  assert_non_null(strstr(text, "\"friction_coefficient\": 0.9,"));
  assert_non_null(strstr(text, "\"spacing\": 0.00012345678901234567,"));
  free(a), free(b), free(text);
}

static void test_the_typed_scene_holds_what_the_text_says(void **state)
{
  (void)state;
  scr_scene *scene = parsed(full_scene);
  assert_string_equal(scr_scene_name(scene), "full");
  assert_string_equal(scr_scene_title(scene), "Every section");
  assert_string_equal(scr_scene_method(scene), "fake");
  assert_string_equal(scene->description, "two\nlines");
  assert_int_equal(scene->seed, 7);
  assert_int_equal(scene->material_count, 2);
  assert_true(fake_material_of(scene, 0)->bulk_modulus == 2e9 && isnan(fake_material_of(scene, 0)->young_modulus));
  assert_int_equal(scene->specimen_count, 3);
  assert_int_equal(scene->specimens[0].shape.kind, SCR_SHAPE_HOLLOW_SPHERE);
  assert_true(scene->specimens[0].shape.inner_radius == 5e-4 && scene->specimens[0].velocity.z == -1.5);
  assert_int_equal(scene->specimens[1].material, 1);
  assert_true(scene->specimens[1].shape.size.y == 2e-3);
  assert_int_equal(scene->rig.kind, SCR_RIG_BOX);
  assert_true(scene->rig.gravity.z == -9.81);
  const scr_program *program = &scene->rig.walls[SCR_WALL_Z_MAX];
  assert_int_equal(program->segment_count, 5);
  assert_true(program->segments[3].duration == 1e-4 / 10 && isinf(program->segments[4].duration));
  assert_int_equal(scene->rig.walls[SCR_WALL_X_MIN].segment_count, 0);
  assert_int_equal(scene->time.stop_rule_count, 2);
  assert_string_equal(scene->time.stop_rules[1].series, "fragments");
  assert_int_equal(scene->output.positions, SCR_POSITIONS_FLOAT32);
  assert_true(scene->output.sample_interval == 1e-7);
  assert_int_equal(scene->output.plot_count, 1);
  assert_int_equal(scene->output.plots[0].moving_average, 5);
  const fake_options *options = scene->options;
  assert_true(options->horizon == 4e-4 && options->factor == 0.25 && options->layers == 5 && options->seats == -1 && options->breakable);
  assert_true(options->law == 0 && options->drift.y == 2 && strcmp(options->label, "x") == 0);
  scr_scene_destroy(scene);
}

static void test_lattices_run_x_first_and_lists_keep_their_order(void **state)
{
  (void)state;
  scr_scene *scene = parsed(full_scene);
  const scr_specimen *bricks = &scene->specimens[1];
  assert_int_equal(scene->specimens[0].position_count, 1);
  assert_int_equal(bricks->position_count, 6);
  assert_true(bricks->positions[0].x == 1 && bricks->positions[0].y == 2 && bricks->positions[0].z == 3);
  assert_true(bricks->positions[1].x == 1.1 && bricks->positions[1].z == 3);
  assert_true(bricks->positions[5].x == 1.1 && bricks->positions[5].y == 2 && bricks->positions[5].z == 3 + 2 * 0.3);
  assert_int_equal(scene->specimens[2].position_count, 2);
  assert_true(scene->specimens[2].positions[1].z == 2);
  scr_scene_destroy(scene);
}

/* 90 degrees about (0, 3, 4): the unit axis is (0, 0.6, 0.8), the angle pi/2. Tolerance: a few roundings. */
static void test_rotations_become_unit_axes_and_radians(void **state)
{
  (void)state;
  scr_scene *scene = parsed(full_scene);
  const scr_specimen *bricks = &scene->specimens[1];
  assert_true(fabs(bricks->rotation_axis.y - 0.6) < 1e-15 && fabs(bricks->rotation_axis.z - 0.8) < 1e-15 && bricks->rotation_axis.x == 0);
  assert_true(fabs(bricks->rotation_angle - acos(0)) < 1e-15);
  assert_true(scene->specimens[0].rotation_angle == 0 && scene->specimens[0].rotation_axis.z == 1);
  scr_scene_destroy(scene);
}

static void test_contact_laws_are_symmetric_and_inherit_the_default(void **state)
{
  (void)state;
  scr_scene *scene = parsed(full_scene);
  const fake_surface *steel = scr_scene_surface(scene, 1, 1), *wall = scr_scene_surface(scene, 0, 2),
                     *mirrored = scr_scene_surface(scene, 2, 0), *other = scr_scene_surface(scene, 1, 2);
  assert_true(steel->friction_coefficient == 0.9 && steel->damping_ratio == 0.5);
  assert_true(wall->friction_coefficient == 0.2 && wall->damping_ratio == 0.5);
  assert_true(mirrored->friction_coefficient == 0.2 && mirrored->damping_ratio == 0.5);
  assert_true(other->friction_coefficient == 0.9);
  scr_scene_destroy(scene);
}

static void test_a_scene_without_plots_gets_the_methods_own(void **state)
{
  (void)state;
  static const char plots[] = "[ { \"x\": \"time\", \"y\": \"fragments\", \"title\": \"Pieces\", \"moving_average\": 5 } ]";
  char *text = edited(full_scene, plots, "[]");
  scr_scene *scene = parsed(text);
  assert_int_equal(scene->output.plot_count, 1);
  assert_string_equal(scene->output.plots[0].y, "wall.z_max.force_z");
  scr_scene_destroy(scene);
  free(text);
}

static void test_a_scene_without_a_title_goes_by_its_name(void **state)
{
  (void)state;
  scr_scene *scene = parsed(small_scene);
  assert_string_equal(scr_scene_title(scene), "small");
  scr_scene_destroy(scene);
}

/* A second method, whose only option is its own. */
typedef struct other_options {
  double depth;
} other_options;
static const scr_param other_params[] = {
    {"depth", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "m", 2, 0, INFINITY, NULL, "a length", offsetof(other_options, depth)}};

static const scr_method_description *two_methods(size_t index)
{
  static scr_method_description other;
  other = fake_method;
  other.name = "other";
  other.params = other_params;
  other.param_count = 1;
  other.options_size = sizeof(other_options);
  return index == 0 ? &fake_method : index == 1 ? &other : NULL;
}

/* The small scene of `method` with `options`, under two methods; NULL when it is refused, for the reasons then in `problems`. */
static scr_scene *with_options(const char *method, const char *options, scr_problems *problems)
{
  scr_scene *scene = NULL;
  char rest[256];
  snprintf(rest, sizeof rest, "\"method\": \"%s\", \"options\": %s,", method, options);
  char *text = edited(small_scene, "\"method\": \"fake\",", rest);
  scene_parse(text, strlen(text), NULL, two_methods, &scene, problems);
  free(text);
  return scene;
}

static void test_options_by_methods_names_leave_the_method_the_one_word_to_change(void **state)
{
  (void)state;
  static const char both[] = "{ \"fake\": { \"layers\": 5 }, \"other\": { \"depth\": 3 } }";
  scr_problems problems = {0};
  scr_scene *fake = with_options("fake", both, &problems), *other = with_options("other", both, &problems);
  assert_int_equal(problems.count, 0);
  assert_int_equal(((const fake_options *)fake->options)->layers, 5);
  assert_true(((const other_options *)other->options)->depth == 3);
  /* The effective text still names both, so it can be turned to the other method too; and it reads back. */
  char *text = scr_scene_json(fake), *turned = edited(text, "\"method\": \"fake\"", "\"method\": \"other\"");
  scr_scene *again = NULL;
  assert_int_equal(scene_parse(turned, strlen(turned), NULL, two_methods, &again, NULL), SCR_OK);
  assert_true(((const other_options *)again->options)->depth == 3);
  char *back = scr_scene_json(again), *returned = edited(back, "\"method\": \"other\"", "\"method\": \"fake\"");
  assert_string_equal(returned, text);
  scr_free(text), scr_free(back), free(turned), free(returned);
  scr_scene_destroy(fake), scr_scene_destroy(other), scr_scene_destroy(again);
}

static void test_a_method_without_a_block_has_its_defaults(void **state)
{
  (void)state;
  scr_problems problems = {0};
  scr_scene *scene = with_options("other", "{ \"fake\": { } }", &problems);
  assert_non_null(scene);
  assert_true(((const other_options *)scene->options)->depth == 2);
  scr_scene_destroy(scene);
}

static void test_blocks_of_methods_not_chosen_are_checked_too(void **state)
{
  (void)state;
  static const struct {
    const char *options, *pointer;
  } wrong[] = {
      {"{ \"other\": { \"depth\": -1 } }", "/options/other/depth"},
      {"{ \"other\": { \"layers\": 1 } }", "/options/other/layers"},
      {"{ \"other\": [] }", "/options/other"},
      {"{ \"other\": { }, \"layers\": 1 }", "/options/layers"},
      {"{ \"other\": { }, \"third\": { } }", "/options/third"},
      {"{ \"depth\": 1 }", "/options/depth"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    scr_problems problems = {0};
    assert_null(with_options("fake", wrong[i].options, &problems));
    problem_at(&problems, wrong[i].pointer);
    assert_int_equal(problems.count, 1);
    scr_problems_clear(&problems);
  }
}

/* "run" says how, not what: a scene that does not give it does not get it, one that does keeps it, and both are computed alike. */
static void test_how_a_run_is_carried_out_is_said_only_where_it_was_given(void **state)
{
  (void)state;
  char *on_device = edited(small_scene, "\"time\"", "\"run\": { \"device\": \"cpu\" }, \"time\""),
       *empty = edited(small_scene, "\"time\"", "\"run\": { }, \"time\""), *plain = effective(small_scene), *given = effective(on_device),
       *defaults = effective(empty);
  assert_null(strstr(plain, "\"run\""));
  assert_non_null(strstr(given, "\"run\": {"));
  assert_non_null(strstr(given, "\"device\": \"cpu\""));
  assert_string_equal(given, defaults);
  scr_scene *scene = parsed(small_scene);
  assert_string_equal(scene->run.device, "cpu");
  scr_scene_destroy(scene);
  free(on_device), free(empty), free(plain), free(given), free(defaults);
}

static void test_a_device_is_refused_that_is_none_or_that_the_method_can_not_use(void **state)
{
  (void)state;
  static const char *const none[] = {"gpu", "gpu:", "gpu:0x", "gpu:1000", "GPU:0", "cpu ", ":0", "cuda0"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    char run[96];
    snprintf(run, sizeof run, "\"run\": { \"device\": \"%s\" }, \"time\"", none[i]);
    assert_refused(small_scene, "\"time\"", run, "/run/device",
                   "is no device's name: take cpu, auto, or a name that `scree devices` lists");
  }
  assert_refused(small_scene, "\"time\"", "\"run\": { \"device\": \"gpu:0\" }, \"time\"", "/run/device",
                 "method fake runs on the processor alone: leave run.device out");
  assert_refused(small_scene, "\"time\"", "\"run\": { \"device\": \"auto\" }, \"time\"", "/run/device", "method fake");
}

static void test_ranks_are_one_and_refused_for_a_method_whose_runs_can_not_be_shared(void **state)
{
  (void)state;
  scr_scene *scene = parsed(small_scene);
  assert_int_equal(scene->run.ranks, 1);
  scr_scene_destroy(scene);
  assert_refused(small_scene, "\"time\"", "\"run\": { \"ranks\": 2 }, \"time\"", "/run/ranks",
                 "run.ranks is 2, but runs of method fake can't be shared among processes: leave run.ranks out");
  assert_refused(small_scene, "\"time\"", "\"run\": { \"ranks\": 65 }, \"time\"", "/run/ranks", "64");
  assert_refused(small_scene, "\"time\"", "\"run\": { \"ranks\": 0 }, \"time\"", "/run/ranks", "1");
}

SUITE(test_scene_effective)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_effective_scene_reads_back_to_the_same_text),
      cmocka_unit_test(test_the_effective_scene_makes_every_default_explicit),
      cmocka_unit_test(test_numbers_keep_their_value_and_shortest_form),
      cmocka_unit_test(test_the_typed_scene_holds_what_the_text_says),
      cmocka_unit_test(test_lattices_run_x_first_and_lists_keep_their_order),
      cmocka_unit_test(test_rotations_become_unit_axes_and_radians),
      cmocka_unit_test(test_contact_laws_are_symmetric_and_inherit_the_default),
      cmocka_unit_test(test_a_scene_without_plots_gets_the_methods_own),
      cmocka_unit_test(test_a_scene_without_a_title_goes_by_its_name),
      cmocka_unit_test(test_options_by_methods_names_leave_the_method_the_one_word_to_change),
      cmocka_unit_test(test_a_method_without_a_block_has_its_defaults),
      cmocka_unit_test(test_blocks_of_methods_not_chosen_are_checked_too),
      cmocka_unit_test(test_how_a_run_is_carried_out_is_said_only_where_it_was_given),
      cmocka_unit_test(test_a_device_is_refused_that_is_none_or_that_the_method_can_not_use),
      cmocka_unit_test(test_ranks_are_one_and_refused_for_a_method_whose_runs_can_not_be_shared),
  };
  return cmocka_run_group_tests_name("scene_effective", tests, NULL, NULL);
}
