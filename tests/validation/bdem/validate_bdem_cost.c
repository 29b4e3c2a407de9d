/* The check foresees what a run does, whatever the breaking: explicit steps and Newton iterations against those made. No clock is read, so
 * this holds on any machine; tests/reports/bench/ESTIMATES.md compares the seconds. */
#include <stdlib.h>

#include "methods/bdem/scene/expected_work.h"
#include "tests/support/bdem_run.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

enum { TEXT = 4096 };

/* A Newton iteration is worth so many explicit steps (cost.c: 0.08 us, and its share of the part's 0.2 us and of matrices made anew, over
 * some 20 ns per sphere and bond). */
static const double newton_worth = 8;

static const char *const breaking_names[] = {"explicit-bursts", "staged", "simultaneous", "worst-first"};

/* A brittle plate falls on a floor and shatters. */
static const char plate[] = "{\"scree\":1,\"name\":\"plate\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,"
                            "\"young_modulus\":1e8,\"tensile_strength\":4e5,\"shear_strength\":4e5}],\"specimens\":[{\"name\":\"s\","
                            "\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.06]},\"placement\":"
                            "{\"type\":\"single\",\"position\":[0,0,0.05]},\"velocity\":[0,0,-4]}],\"rig\":{\"type\":\"box\","
                            "\"minimum\":[-0.3,-0.3,0],\"maximum\":[0.3,0.3,0.4],\"gravity\":[0,0,-9.81]},\"time\":{\"duration\":0.015},"
                            "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\",\"breaking\":\"?\"}}";

/* A disc is pressed between jaws, in steps of 50 T, until it splits. */
static const char disc[] =
    "{\"scree\":1,\"name\":\"disc\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1200,"
    "\"young_modulus\":3e9,\"poisson_ratio\":0.25,\"tensile_strength\":5e6}],\"contact\":{\"friction_coefficient\":0.3},"
    "\"specimens\":[{\"name\":\"disc\",\"material\":\"m\",\"spacing\":0.0013,\"shape\":{\"type\":\"cylinder\","
    "\"radius\":0.01,\"length\":0.0026},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90}}],\"rig\":{\"type\":"
    "\"brazilian\",\"opening\":0.01975,\"width\":0.008,\"program\":[{\"type\":\"ramp\",\"velocity\":-0.1,\"duration\":0.0003},{\"type\":"
    "\"constant\",\"velocity\":-0.1}]},"
    "\"time\":{\"duration\":0.004},\"output\":{\"frame_interval\":0.0005,\"sample_interval\":0.0005},"
    "\"options\":{\"integrator\":\"implicit-euler\",\"step_ratio\":50,\"contact_surface\":\"spheres\",\"breaking\":\"?\"}}";

/* A beam is bent until it breaks, in steps of 366 T; rollers stand where its spheres end, beyond its faces. */
static const char beam[] =
    "{\"scree\":1,\"name\":\"beam\",\"method\":\"bdem\",\"materials\":[{\"name\":\"soft\",\"density\":1000,"
    "\"young_modulus\":1e7,\"poisson_ratio\":0.14,\"tensile_strength\":3e4}],\"contact\":{\"friction_coefficient\":0.2,"
    "\"damping_ratio\":0.5},\"specimens\":[{\"name\":\"beam\",\"material\":\"soft\",\"spacing\":0.017777778,\"shape\":"
    "{\"type\":\"box\",\"size\":[0.4,0.0776,0.0732]}}],\"rig\":{\"type\":\"three_point_bend\",\"span\":0.311111,"
    "\"support_radius\":0.02,\"roller_length\":0.12,\"position\":[0,0,-0.0379209],\"opening\":0.0754978,\"program\":"
    "[{\"type\":\"constant\",\"velocity\":-0.00175}]},\"time\":{\"duration\":0.55,\"time_step\":0.008333333333333333},"
    "\"output\":{\"frame_interval\":0.016666666666666666,\"sample_interval\":0.008333333333333333},\"options\":"
    "{\"integrator\":\"implicit-euler\",\"contact_surface\":\"spheres\",\"contact_stiffness_factor\":10,\"breaking\":\"?\"}}";

/* The scene with the k-th way of breaking in place of its question mark. */
static void write_scene(char *text, const char *form, size_t k)
{
  const char *mark = strchr(form, '?');
  snprintf(text, TEXT, "%.*s%s%s", (int)(mark - form), form, breaking_names[k], mark + 1);
}

static bdem_work foreseen(const bdem_run *r)
{
  bdem_filling filling = {0};
  scr_error error = {0};
  if (bdem_specimen_fill(r->scene, 0, &filling, &error) != SCR_OK) run_fail("filling", error.message);
  bdem_work work = bdem_estimate_work(r->scene, &filling, run_state(r)->model.stable_step, scr_scene_estimate(r->scene));
  bdem_filling_clear(&filling);
  return work;
}

/* Parts of steps that no iteration belongs to are explicit ones. */
static bdem_work made(bdem_run *r)
{
  bdem_work work = {0};
  for (uint64_t step = 0; step < scr_scene_estimate(r->scene)->step_count; step++) {
    run_steps(r, 1);
    double parts = run_curve(r, "substeps"), newton = run_curve(r, "newton_iterations");
    work.newton_iterations += newton;
    work.explicit_steps += fmax(0, parts - newton);
  }
  return work;
}

static void check_scene(const char *name, const char *form)
{
  double broken = 0;
  for (size_t k = 0; k < sizeof breaking_names / sizeof *breaking_names; k++) {
    char text[TEXT], title[100];
    write_scene(text, form, k);
    bdem_run r = run_open(text, 1);
    bdem_work told = foreseen(&r), done = made(&r);
    double ratio =
        (told.explicit_steps + newton_worth * told.newton_iterations) / (done.explicit_steps + newton_worth * done.newton_iterations);
    if (getenv("SCREE_SHOW_WORK"))
      printf("%s, %s: told %.0f explicit, %.0f Newton; made %.0f, %.0f; broken %.0f\n", name, breaking_names[k], told.explicit_steps,
             told.newton_iterations, done.explicit_steps, done.newton_iterations, run_curve(&r, "broken_bonds"));
    snprintf(title, sizeof title, "%s, %s: work foreseen over that done", name, breaking_names[k]);
    claim_between(title, ratio, 0.5, 2, "the run itself; estimates are good to a factor of 2");
    broken += run_curve(&r, "broken_bonds") > 0;
    run_close(&r);
  }
  assert_true(broken == sizeof breaking_names / sizeof *breaking_names); /* what does not break costs the same by all of them */
}

static void test_the_work_of_an_impact_is_foreseen(void **state)
{
  (void)state;
  check_scene("plate that falls", plate);
}

static void test_the_work_of_a_pressed_disc_is_foreseen(void **state)
{
  (void)state;
  check_scene("disc between jaws", disc);
}

static void test_the_work_of_a_bent_beam_is_foreseen(void **state)
{
  (void)state;
  claim_slow();
  check_scene("beam on rollers", beam);
}

/* The time of the break follows from the strength: a beam twice as strong breaks at twice the deflection, which is not reached, so that all
 * breaking costs the same. */
static void test_a_beam_that_does_not_break_costs_the_same_whatever_the_breaking(void **state)
{
  (void)state;
  double seconds[4];
  for (size_t k = 0; k < 4; k++) {
    char text[TEXT];
    write_scene(text, beam, k);
    memcpy(strstr(text, "3e4"), "6e4", 3);
    bdem_run r = run_open(text, 1);
    seconds[k] = scr_scene_estimate(r.scene)->run_seconds;
    assert_true(seconds[k] == seconds[0]);
    run_close(&r);
    write_scene(text, beam, k);
    r = run_open(text, 1);
    assert_true(k == 0 || scr_scene_estimate(r.scene)->run_seconds > seconds[0]);
    run_close(&r);
  }
}

/* ── phases of a run ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* A bar between grips, on rollers, falling onto an obstacle, a block on a slope: materials, specimen and rig are filled in. */
static const char phase[] =
    "{\"scree\":1,\"name\":\"phase\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8,"
    "\"poisson_ratio\":0.25%s}],\"contact\":{\"friction_coefficient\":%s,\"damping_ratio\":0.5},\"specimens\":[{\"name\":\"s\","
    "\"material\":\"m\",\"spacing\":0.005,\"shape\":{\"type\":\"box\",\"size\":[%s]},\"placement\":{\"type\":\"single\","
    "\"position\":[0,0,%s]}}],%s,\"time\":{\"duration\":%s},\"options\":{%s}}";

/* What a part of a run is foreseen as, and what it is. `explicit_too`: its explicit steps are claimed as well as its iterations. */
static void check_phase(const char *name, const char *scene, double low, double high, bool explicit_too)
{
  char title[120];
  bdem_run r = run_open(scene, 1);
  bdem_work told = foreseen(&r), done = made(&r);
  if (getenv("SCREE_SHOW_WORK"))
    printf("%s: told %.0f explicit, %.0f parts, %.0f Newton; made %.0f, %.0f Newton\n", name, told.explicit_steps, told.implicit_parts,
           told.newton_iterations, done.explicit_steps, done.newton_iterations);
  snprintf(title, sizeof title, "%s: Newton iterations foreseen over those made", name);
  if (done.newton_iterations > 0.0)
    claim_between(title, told.newton_iterations / done.newton_iterations, low, high, "the run itself; estimates are good to a factor of 2");
  else
    assert_true(told.newton_iterations == 0.0);
  snprintf(title, sizeof title, "%s: explicit steps foreseen over those made", name);
  if (explicit_too)
    claim_between(title, told.explicit_steps / done.explicit_steps, 0.5, 2, "the run itself; estimates are good to a factor of 2");
  run_close(&r);
}

/* Nothing is to be solved for while a body falls as one: an iteration or two, and not those of a body that is held. */
static void test_the_work_of_a_fall_is_foreseen(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, phase, "", "0.2", "0.03,0.03,0.02", "0.06",
           "\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"plate\",\"shape\":{\"type\":\"box\",\"size\":[0."
           "2,0.2,0.01]},"
           "\"position\":[0,0,-0.005]}]",
           "0.05", "\"integrator\":\"variational\",\"step_ratio\":10");
  check_phase("block that falls", text, 0.5, 2, false);
}

/* A bar that is pulled 1e5 times as slowly as sound goes in it goes on as it went. */
static void test_the_work_of_a_slow_pull_is_foreseen(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, phase, "", "0", "0.02,0.02,0.06", "0",
           "\"rig\":{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-0.024,\"high_start\":0.024,\"program\":[{\"type\":\"constant\","
           "\"velocity\":0.003}]}",
           "0.05", "\"integrator\":\"implicit-euler\",\"step_ratio\":50,\"breakable\":false");
  check_phase("bar that is pulled slowly", text, 0.5, 2, false);
}

/* Friction's normal forces are those of the pass before: each step is solved up to four times, and its matrix made anew. */
static void test_the_work_of_a_bend_with_friction_is_foreseen(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, phase, "", "0.7", "0.1,0.02,0.02", "0.01",
           "\"rig\":{\"type\":\"three_point_bend\",\"span\":0.08,\"support_radius\":0.01,\"opening\":0.02,\"roller_length\":0.04,"
           "\"program\":[{\"type\":\"constant\",\"velocity\":-0.1}]}",
           "0.005", "\"integrator\":\"implicit-euler\",\"step_ratio\":4,\"breakable\":false");
  check_phase("bar on rollers with friction", text, 0.5, 2, false);
}

/* Steps in which a block under its weight would go farther than contacts are searched for are done by explicit ones from the first on: no
 * solver is made, so nothing is held for one. */
static void test_steps_out_of_reach_are_foreseen_as_explicit_ones(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, phase, "", "0.3", "0.03,0.03,0.02", "0.01",
           "\"rig\":{\"type\":\"box\",\"minimum\":[-0.1,-0.1,0],\"maximum\":[0.2,0.1,0.1],\"gravity\":[2000,0,-3000]}", "0.03",
           "\"integrator\":\"implicit-euler\",\"step_ratio\":400");
  check_phase("block in long steps", text, 0, 0, true);
  bdem_run r = run_open(text, 1);
  double held = scr_scene_estimate(r.scene)->memory_bytes;
  run_steps(&r, 1);
  assert_null(run_state(&r)->solver.made);
  run_close(&r);
  memcpy(strstr(text, "\"implicit-euler\",\"step_ratio\":400"), "\"explicit\"                         ", 33);
  r = run_open(text, 1);
  claim_relative("memory foreseen of long steps that are done by explicit ones, B", held, scr_scene_estimate(r.scene)->memory_bytes, 1e-9,
                 "the same run in explicit steps");
  run_close(&r);
}

/* Bodies meet where their shapes do, not where spheres or the box around their centres do: a ball on the floor rests on it, blocks are as
 * far apart as they are drawn. */
static void test_gaps_are_those_of_the_shapes(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, "%s",
           "{\"scree\":1,\"name\":\"gaps\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"specimens\":["
           "{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.005,\"shape\":{\"type\":\"sphere\",\"radius\":0.0125},\"placement\":{"
           "\"type\":\"single\","
           "\"position\":[0,0,0.0125]}},{\"name\":\"block\",\"material\":\"m\",\"spacing\":0.005,\"shape\":{\"type\":\"box\",\"size\":[0."
           "02,0.02,0.02]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0.024,0,0.02]},\"velocity\":[0,0,-2]}],\"rig\":{\"type\":\"box\",\"minimum\":["
           "-0.1,-0.1,-0.001],"
           "\"maximum\":[0.1,0.1,0.2]},\"time\":{\"duration\":0.001}}");
  bdem_run r = run_open(text, 1);
  bdem_filling fillings[2];
  memset(fillings, 0, sizeof fillings);
  for (size_t k = 0; k < 2; k++) assert_int_equal(bdem_specimen_fill(r.scene, k, &fillings[k], NULL), SCR_OK);
  bdem_motion m = bdem_motion_of(r.scene, fillings);
  claim_relative("least gap, of the ball to the floor, m", m.gap, 0.001, 1e-9, "the scene: it stands 1 mm above");
  claim_relative("gap of what a step may pass, of ball and block, m", m.passable, 0.0015, 1e-9, "the scene: 24 - 12.5 - 10 mm");
  claim_absolute("speed of what is nearest towards the floor, m/s", m.towards, 0, 1e-12, "the scene: the ball is at rest");
  claim_relative("fastest, m/s", m.fastest, 2, 1e-12, "the scene: the block's velocity");
  for (size_t k = 0; k < 2; k++) bdem_filling_clear(&fillings[k]);
  run_close(&r);
}

/* Memory of contact candidates: what is foreseen more for long steps than for short ones of the same bodies, over the pairs that the search
 * finds, of a bar that whirls beside a block. Of a whole body the search passes over inner spheres, whether its bonds may break or not. */
static void test_candidates_of_a_whirling_bar_are_foreseen(void **state)
{
  (void)state;
  static const double pair = 400 + 592; /* B, cost.c; without what the preconditioner holds for a pair, 330 at most */
  double foreseen_bytes[2], pairs = 0;
  for (int k = 0; k < 2; k++) {
    char text[TEXT];
    snprintf(
        text, sizeof text,
        "{\"scree\":1,\"name\":\"whirl\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6,"
        "\"tensile_strength\":1e5,\"shear_strength\":1e5}],\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.004,\"shape\":"
        "{\"type\":\"box\","
        "\"size\":[0.1,0.025,0.025]},\"angular_velocity\":[0,0,20]},{\"name\":\"block\",\"material\":\"m\",\"spacing\":0.006,\"shape\":{"
        "\"type\":\"box\","
        "\"size\":[0.05,0.05,0.05]},\"placement\":{\"type\":\"single\",\"position\":[0.035,0.07,0]}}],\"rig\":{\"type\":\"none\"},"
        "\"time\":{\"duration\":0.1},\"options\":{\"integrator\":\"variational\",\"step_ratio\":%s,\"preconditioner\":\"block-jacobi\"}}",
        k == 0 ? "0.1" : "40");
    bdem_run r = run_open(text, 1);
    foreseen_bytes[k] = scr_scene_estimate(r.scene)->memory_bytes;
    if (k == 1) run_steps(&r, 1);
    pairs = (double)run_state(&r)->contacts.pair_count;
    run_close(&r);
  }
  claim_shown("pairs listed", pairs);
  claim_between("memory foreseen of candidates, B a pair listed", (foreseen_bytes[1] - foreseen_bytes[0]) / pairs, 0.5 * pair, 2 * pair,
                "the list's own length; memory is foreseen within 2");
}

/* The halves of a bar that broke ring on in variational steps, which damp nothing: most large steps are tried, would break more, and are
 * done by explicit ones. */
static void test_the_work_of_a_broken_bar_that_rings_is_foreseen(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, phase, ",\"tensile_strength\":1.5e5,\"shear_strength\":1.5e5", "0.1", "0.02,0.02,0.06", "0",
           "\"rig\":{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-0.024,\"high_start\":0.024,\"program\":[{\"type\":\"constant\","
           "\"velocity\":0.05}]}",
           "0.02", "\"integrator\":\"variational\",\"step_ratio\":18,\"constants_of\":\"bonds\"");
  check_phase("bar that broke", text, 0.4, 2.5, false);
}

SUITE(validate_bdem_cost)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_work_of_an_impact_is_foreseen),
      cmocka_unit_test(test_the_work_of_a_pressed_disc_is_foreseen),
      cmocka_unit_test(test_the_work_of_a_bent_beam_is_foreseen),
      cmocka_unit_test(test_a_beam_that_does_not_break_costs_the_same_whatever_the_breaking),
      cmocka_unit_test(test_the_work_of_a_fall_is_foreseen),
      cmocka_unit_test(test_the_work_of_a_slow_pull_is_foreseen),
      cmocka_unit_test(test_the_work_of_a_bend_with_friction_is_foreseen),
      cmocka_unit_test(test_steps_out_of_reach_are_foreseen_as_explicit_ones),
      cmocka_unit_test(test_the_work_of_a_broken_bar_that_rings_is_foreseen),
      cmocka_unit_test(test_gaps_are_those_of_the_shapes),
      cmocka_unit_test(test_candidates_of_a_whirling_bar_are_foreseen),
  };
  return cmocka_run_group_tests_name("bdem_cost", tests, NULL, NULL);
}
