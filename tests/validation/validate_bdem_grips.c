/* Bars of bonded spheres in grips: both integrators, forces, work and balance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/bdem/state.h"
#include "run/sim.h"

typedef struct bar {
  scr_scene *scene;
  scr_sim *sim;
} bar;

/* A bar along x of 16 x 4 x 4 spheres of 2 cm; `rig`: what the rig's object holds but its type; `options`: of the method. */
static bar open_bar(const char *rig, const char *options)
{
  char text[1024];
  bar b = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\","
      "\"materials\":[{\"name\":\"soft\",\"density\":1000,\"young_modulus\":1e7,\"poisson_ratio\":0.3}],"
      "\"specimens\":[{\"name\":\"bar\",\"material\":\"soft\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.32,0.0693,0.0654]},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
      "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",%s},\"time\":{\"duration\":0.2},\"options\":{\"constants_of\":\"bonds\",%s}}",
      rig, options);
  if (scr_scene_parse(text, strlen(text), NULL, &b.scene, &problems) != SCR_OK) {
    print_message("# %s\n", problems.count ? problems.items[0].detail : "no memory");
    fail();
  }
  scr_problems_clear(&problems);
  assert_int_equal(scr_sim_create(b.scene, 2, &b.sim, &error), SCR_OK);
  return b;
}

static void run_until(const bar *b, double time)
{
  scr_error error = {0};
  while (b->sim->time < time * (1 - 1e-12))
    if (scr_sim_step(b->sim, &error) != SCR_OK) {
      print_message("# %s\n", error.message);
      fail();
    }
}

static void close_bar(bar *b)
{
  scr_sim_destroy(b->sim);
  scr_scene_destroy(b->scene);
}

static double curve(const bar *b, const char *name)
{
  double values[64] = {0};
  long k = sim_find_series(b->sim, name);
  assert_true(k >= 0 && scr_sim_series_count(b->sim) <= 64);
  scr_sim_observe(b->sim, values);
  return values[k];
}

static void show(const char *name, double value, double reference)
{
  print_message("# value: %s = %.6g (reference %.6g)\n", name, value, reference);
}

/* Pulled slowly with grips that let it slide, a bar takes the same force in the mean over a vibration explicitly and in steps of 20 T, the
 * balance closes to 1e-5, and half of the work is not lost: a spring's work is F u / 2. */
static void test_a_pulled_bar_is_a_spring_for_both_integrators(void **state)
{
  (void)state;
  const char *rig = "\"low_end\":-0.14,\"high_start\":0.14,\"slide\":true,\"program\":[{\"type\":\"constant\",\"velocity\":0.05}]";
  bar bars[2] = {open_bar(rig, "\"integrator\":\"explicit\""), open_bar(rig, "\"integrator\":\"implicit-euler\"")};
  double stiffness[2];
  for (int k = 0; k < 2; ++k) {
    run_until(&bars[k], 0.08);
    double sum = 0, count = 0;
    for (double t = 0.0802; t < 0.1; t += 0.0002, ++count) {
      run_until(&bars[k], t);
      sum += 0.5 * (curve(&bars[k], "grip.low.force_x") - curve(&bars[k], "grip.high.force_x")) / curve(&bars[k], "grip.high.displacement");
    }
    stiffness[k] = sum / count;
    double u = curve(&bars[k], "grip.high.displacement"), stored = curve(&bars[k], "energy.elastic");
    show(k ? "implicit bar: stiffness, N/m" : "explicit bar: stiffness, N/m", stiffness[k], stiffness[0]);
    show(k ? "implicit bar: energy over k u^2 / 2" : "explicit bar: energy over k u^2 / 2", stored / (0.5 * stiffness[k] * u * u), 1);
    show(k ? "implicit bar: balance" : "explicit bar: balance", curve(&bars[k], "energy.balance_error"), 0);
    assert_true(fabs(stored / (0.5 * stiffness[k] * u * u) - 1) < 0.01);
    assert_true(fabs(curve(&bars[k], "energy.balance_error")) < 1e-5);
    close_bar(&bars[k]);
  }
  assert_true(fabs(stiffness[1] / stiffness[0] - 1) < 0.005);
}

/* A beam clamped at one end comes to rest under implicit steps of 200 T; its clamp then carries its weight, upward force minus gravity times
 * mass, and the balance closes to 1e-5 although half of the work of gravity went into numerical damping, as it must for a load put on at once. */
static void test_a_clamp_carries_the_weight_of_a_beam_at_rest(void **state)
{
  (void)state;
  bar b = open_bar("\"low_end\":-0.14,\"gravity\":[0,0,-9.81]", "\"integrator\":\"implicit-euler\",\"step_ratio\":200");
  const bdem_state *s = b.sim->state;
  double weight = 0;
  for (size_t i = 0; i < s->body.sphere_count; ++i) weight += 9.81 * s->body.mass[i];
  run_until(&b, 1);
  show("clamped beam: force on the clamp, N", curve(&b, "grip.low.force_z"), -weight);
  show("clamped beam: elastic over gravity's energy", curve(&b, "energy.elastic") / curve(&b, "energy.external"), 0.5);
  show("clamped beam: balance", curve(&b, "energy.balance_error"), 0);
  assert_true(fabs(curve(&b, "grip.low.force_z") / weight + 1) < 1e-3);
  assert_true(fabs(curve(&b, "energy.elastic") / curve(&b, "energy.external") - 0.5) < 0.01);
  assert_true(fabs(curve(&b, "energy.balance_error")) < 1e-5);
  close_bar(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pulled_bar_is_a_spring_for_both_integrators),
      cmocka_unit_test(test_a_clamp_carries_the_weight_of_a_beam_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
