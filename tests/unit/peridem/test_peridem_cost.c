/* The run time told before a run: against measured ones, and in what it must and must not depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "methods/peridem/scene/cost.h"
#include "tests/validation/peridem/peridem_case.h"
#include "server/embedded.h"
#include "tests/support/suites.h"

static double estimated_seconds(const char *text, size_t length)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  scr_status status = scr_scene_parse(text, length, NULL, &scene, &problems);
  if (status != SCR_OK) fail_msg("%s", problems.count ? problems.items[0].detail : "no memory");
  double seconds = scr_scene_estimate(scene)->run_seconds;
  scr_scene_destroy(scene);
  return seconds;
}

/* Seconds of processor time that `scree run --threads 1` took, one run on one core of an EPYC with AVX2; beside other work runs
 * take up to twice as long. Grains shatter in most of them, in brick-drop few bonds break, in the last none. A factor of 2 either way is
 * what the estimate promises: how much will break it can't know. */
static void test_the_estimate_is_within_a_factor_of_two_of_measured_runs(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double seconds;
  } gallery[] = {{"brick-drop", 2.07}, {"eight-grains", 5.41}, {"hollow-sphere-crush", 4.15}, {"two-hollow-spheres", 3.60}};
  for (size_t i = 0; i < sizeof gallery / sizeof *gallery; i++) {
    char path[80];
    snprintf(path, sizeof path, "gallery/%s.json", gallery[i].scene);
    const embedded_file *found = embedded_find(path);
    assert_non_null(found);
    double ratio = estimated_seconds((const char *)found->data, found->size) / gallery[i].seconds;
    if (!(ratio > 0.5 && ratio < 2.0)) fail_msg("%s: %.2f times the measured time", gallery[i].scene, ratio);
  }
  static const char grains[] =
      "{\"name\":\"grains\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
      "\"fracture_energy\":%s}],\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[0,0,-8],"
      "\"shape\":{\"type\":\"sphere\",\"radius\":6e-4},\"placement\":{\"type\":\"lattice\",\"origin\":[-1.4e-3,-1.4e-3,-1.4e-3],"
      "\"count\":[3,3,3],\"pitch\":[1.55e-3,1.55e-3,1.55e-3]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-2.4e-3,-2.4e-3,-2.4e-3],"
      "\"maximum\":[2.4e-3,2.4e-3,2.6e-3]},\"time\":{\"duration\":1.2e-4}}";
  static const struct {
    const char *fracture_energy;
    double seconds;
  } rain[] = {{"135", 2.78}, {"1e6", 2.80}}; /* all bonds break, and none */
  for (size_t i = 0; i < 2; i++) {
    char text[1200];
    int length = snprintf(text, sizeof text, grains, rain[i].fracture_energy);
    double ratio = estimated_seconds(text, (size_t)length) / rain[i].seconds;
    if (!(ratio > 0.5 && ratio < 2.0)) fail_msg("27 grains: %.2f times the measured time", ratio);
  }
}

/* Cubes of a centimetre on each other: how near they are decides most of what a step takes. Seconds of processor time of one run each with
 * one thread, on an EPYC with AVX2. */
static void test_the_estimate_counts_the_faces_by_which_bodies_lie_on_each_other(void **state)
{
  (void)state;
  static const struct {
    int count, across;
    double pitch, duration, seconds;
  } runs[] = {{3, 6, 1.002, 0.005, 4.39}, {3, 6, 1.2, 0.005, 1.97}, {3, 10, 1.002, 0.002, 11.7}, {5, 4, 1.002, 0.005, 5.65}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char text[1200];
    double size = 0.01, pitch = size * runs[i].pitch, room = runs[i].count * size * 1.3;
    int n = runs[i].count;
    int length = snprintf(
        text, sizeof text,
        "{\"scree\":1,\"name\":\"cubes\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"young_modulus\":1e7}],"
        "\"contact\":{\"friction_coefficient\":0.3},\"specimens\":[{\"name\":\"c\",\"material\":\"m\",\"spacing\":%.17g,"
        "\"shape\":{\"type\":\"box\",\"size\":[0.01,0.01,0.01]},\"placement\":{\"type\":\"lattice\",\"origin\":[0,0,0.005005],"
        "\"count\":[%d,%d,%d],\"pitch\":[%.17g,%.17g,%.17g]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-0.02,-0.02,0],"
        "\"maximum\":[%g,%g,%g],\"gravity\":[0,0,-9.81]},\"time\":{\"duration\":%g}}",
        size / runs[i].across, n, n, n, pitch, pitch, pitch, room, room, room, runs[i].duration);
    double ratio = estimated_seconds(text, (size_t)length) / runs[i].seconds;
    print_message("# %d^3 cubes of %d nodes across, %g apart: %.2f of the measured time\n", n, runs[i].across, runs[i].pitch, ratio);
    assert_true(ratio > 0.5 && ratio < 2.0);
  }
}

static void test_rows_of_near_nodes_are_made_as_often_as_half_the_skin_is_passed(void **state)
{
  (void)state;
  scr_specimen specimen = {.velocity = {0, 3, 4}};
  scr_scene scene = {.specimens = &specimen, .specimen_count = 1, .time = {.duration = 2e-3}};
  assert_true(fabs(pd_list_count(&scene, 1e-4, 1e6) - (1 + 5 * 2e-3 / 1e-4)) < 1e-9);
  assert_true(pd_list_count(&scene, 1e-4, 10) == 10); /* at most once a step */
  scene.rig.gravity = (scr_vec3){0, 0, -10};
  assert_true(fabs(pd_list_count(&scene, 1e-4, 1e6) - (1 + (5 * 2e-3 + 0.5 * 10 * 4e-6) / 1e-4)) < 1e-9);
  specimen.velocity = scene.rig.gravity = (scr_vec3){0, 0, 0};
  assert_true(pd_list_count(&scene, 1e-4, 1e6) == 1);
}

static double run_seconds(const pd_work *work, bool self_contact, bool breakable)
{
  scr_estimate estimate = {0};
  pd_estimate_run(work, self_contact, breakable, 1, &estimate);
  return estimate.run_seconds;
}

static void test_the_run_time_is_that_of_all_its_parts_and_contact_is_one(void **state)
{
  (void)state;
  const pd_work work = {.nodes = 1e3, .bonds = 4e4, .entries = 1e4, .near_nodes = 4e4, .steps = 1e3, .samples = 1e2, .lists = 1e2};
  double whole = run_seconds(&work, true, true);
  assert_true(run_seconds(&work, true, false) < whole);
  assert_true(run_seconds(&work, false, true) < run_seconds(&work, true, false));
  pd_work twice = {.nodes = 1e3, .bonds = 4e4, .entries = 1e4, .near_nodes = 4e4, .steps = 2e3, .samples = 2e2, .lists = 2e2};
  assert_true(fabs(run_seconds(&twice, true, true) - 2 * whole) < 1e-12 * whole);
  pd_work more[4] = {work, work, work, work};
  more[0].nodes *= 2, more[1].entries *= 2, more[2].near_nodes *= 2, more[3].lists *= 2;
  for (int i = 0; i < 4; i++) assert_true(run_seconds(&more[i], true, true) > 1.02 * whole);
}

static double counted(const scr_estimate *estimate, const char *what)
{
  for (size_t k = 0; k < estimate->cost_count; k++)
    if (strstr(estimate->costs[k].what, what)) return estimate->costs[k].count;
  return 0;
}

/* What a force pass of the run goes through, by the groups that the run has made, is what the check counted: a ball of five nodes across by
 * its rows, a box of eight by entries, eight of ten such balls side by side and two by rows. A bond by rows takes six times one of a box,
 * so estimates by bonds alone were three times too low or too high. */
static void test_the_check_counts_what_force_passes_of_the_run_go_through(void **state)
{
  (void)state;
  static const struct {
    const char *shape, *placement;
    double nu;
  } bodies[] = {{"{\"type\":\"sphere\",\"radius\":5e-4}", "{\"type\":\"single\"}", 0.25},
                {"{\"type\":\"box\",\"size\":[16e-4,16e-4,16e-4]}", "{\"type\":\"single\"}", 0.4},
                {"{\"type\":\"sphere\",\"radius\":5e-4}",
                 "{\"type\":\"lattice\",\"origin\":[0,0,0],\"count\":[10,1,1],\"pitch\":[2e-3,2e-3,2e-3]}", 0.25}};
  for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"t\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"bulk_modulus\":1e8,"
             "\"poisson_ratio\":%g}],\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"shape\":%s,\"placement\":%s}],"
             "\"rig\":{\"type\":\"none\"},\"options\":{\"elasticity\":\"%s\"},\"time\":{\"duration\":1e-4,\"time_step\":1e-7}}",
             bodies[b].nu, bodies[b].shape, bodies[b].placement, bodies[b].nu == 0.25 ? "bonds" : "state");
    sim_run run = run_open(text, 1);
    const pd_state *s = run_state(&run);
    const pd_runs *runs = &s->host->runs;
    double entries = 0, slots = 0, dilated = 0;
    for (size_t k = 0; k < runs->group_count; k++) entries += (double)runs->group[k].plan->entry_count;
    for (size_t g = 0; g < s->grain_count; g++) {
      const pd_body *body = &s->bodies[s->host->grains[g].body];
      if (runs->group_of[g] == PD_NO_GROUP) slots += (double)body->bonds.slot_count;
      if (body->volumetric_modulus != 0) dilated += (double)body->bonds.slot_count;
    }
    const scr_estimate *estimate = scr_scene_estimate(run.scene);
    assert_true((b == 1) == (slots == 0) && (b == 0) == (entries == 0) && (b == 1) == (dilated > 0));
    assert_float_equal(counted(estimate, "a step's stages"), 1000, 1e-6);
    assert_float_equal(counted(estimate, "eight nodes side by side"), 1000 * entries, 1e-6 * entries);
    assert_float_equal(counted(estimate, "by rows"), 1000 * slots, 1e-6 * slots);
    double samples = 1e-4 / run.scene->output.sample_interval;
    assert_float_equal(counted(estimate, "dilatation"), (1000 + 0.5 * samples) * dilated, 1e-6 * dilated);
    run_close(&run);
  }
}

SUITE(test_peridem_cost)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_estimate_is_within_a_factor_of_two_of_measured_runs),
      cmocka_unit_test(test_the_estimate_counts_the_faces_by_which_bodies_lie_on_each_other),
      cmocka_unit_test(test_the_check_counts_what_force_passes_of_the_run_go_through),
      cmocka_unit_test(test_rows_of_near_nodes_are_made_as_often_as_half_the_skin_is_passed),
      cmocka_unit_test(test_the_run_time_is_that_of_all_its_parts_and_contact_is_one),
  };
  return cmocka_run_group_tests_name("peridem_cost", tests, NULL, NULL);
}
