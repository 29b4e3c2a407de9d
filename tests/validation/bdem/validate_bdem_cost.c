/* The check foresees what a run does, whatever the breaking: explicit steps and Newton iterations against those made. No clock is read, so
 * this holds on any machine; tests/reports/bench/ESTIMATES.md compares the seconds. */
#include <stdlib.h>

#include "methods/bdem/scene/check.h"
#include "tests/support/bdem_run.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

enum { TEXT = 4096 };

/* A Newton iteration is worth so many explicit steps (cost.c: 0.125 us, half as much again for new matrices, over 23 ns per sphere and
 * bond). */
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

SUITE(validate_bdem_cost)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_work_of_an_impact_is_foreseen),
      cmocka_unit_test(test_the_work_of_a_pressed_disc_is_foreseen),
      cmocka_unit_test(test_the_work_of_a_bent_beam_is_foreseen),
      cmocka_unit_test(test_a_beam_that_does_not_break_costs_the_same_whatever_the_breaking),
  };
  return cmocka_run_group_tests_name("bdem_cost", tests, NULL, NULL);
}
