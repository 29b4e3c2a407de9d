/* How runs of bonded spheres start: bodies that touch have no force, what was put deeper has, and unlike bodies have a stable step. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

#define HEAD                                                                                                                               \
  "{\"scree\":1,\"name\":\"start\",\"method\":\"bdem\",\"materials\":[{\"name\":\"glass\",\"density\":2500,\"young_modulus\":5e10,"        \
  "\"tensile_strength\":5e7,\"shear_strength\":1e8}],\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.1},"

/* Spheres stick out of a packed body by up to half a radius: without care the first sample is 11.7 kN and the body breaks at once. */
static void test_a_sphere_that_just_fits_between_platens_starts_without_force(void **state)
{
  (void)state;
  bdem_run r = run_open(HEAD "\"specimens\":[{\"name\":\"s\",\"material\":\"glass\",\"spacing\":0.000343,\"shape\":{\"type\":\"sphere\","
                             "\"radius\":0.0015}}],\"rig\":{\"type\":\"platens\",\"opening\":0.003,\"program\":[{\"type\":\"constant\","
                             "\"velocity\":-0.2}]},\"time\":{\"duration\":1e-4},\"options\":{\"contact_surface\":\"spheres\"}}",
                        1);
  const bdem_state *s = run_state(&r);
  run_observe(&r);
  assert_true(s->initial.touch_count > 0 && s->initial.deepest > 0.01 * 0.0001715 && s->initial.deepest <= 0.5 * 0.0001715 * (1 + 1e-9));
  assert_true(run_value(&r, "energy.wall") == 0 && run_value(&r, "platen.top.force_z") == 0 && run_value(&r, "energy.elastic") < 1e-20);
  run_until(&r, 1e-6);
  run_observe(&r);
  assert_true(run_value(&r, "broken_bonds") == 0 && run_value(&r, "platen.top.force_z") > 0);
  run_close(&r);
}

static double start_force(const char *specimens, const char *options)
{
  char text[2400];
  snprintf(text, sizeof text,
           HEAD "\"specimens\":[%s],\"rig\":{\"type\":\"box\",\"minimum\":[-1,-1,0],\"maximum\":[1,1,1],"
                "\"gravity\":[0,0,0]},\"time\":{\"duration\":1e-4},\"options\":{%s}}",
           specimens, options);
  bdem_run r = run_open(text, 1);
  const bdem_state *s = run_state(&r);
  double force = 0;
  for (size_t i = 0; i < s->body.sphere_count; ++i) force = fmax(force, vec3_length(s->total.force[i]));
  run_close(&r);
  return force;
}

#define BALL(name, radius, spacing, z)                                                                                                     \
  "{\"name\":\"" name "\",\"material\":\"glass\",\"spacing\":" spacing ",\"shape\":{\"type\":\"sphere\",\"radius\":" radius                \
  "},\"placement\":{\"type\":\"single\",\"position\":[0,0," z "]}}"

/* Rounding of forces is E r^2 times 1e-15: 1e-5 N for spheres of 0.17 mm. */
static void test_bodies_that_touch_start_without_force(void **state)
{
  (void)state;
  double touching = start_force(BALL("a", "0.0015", "0.000343", "0.0015") "," BALL("b", "0.0015", "0.000343", "0.0045"), "");
  assert_true(touching < 1e-5);
}

/* The surface of a sphere alone is its own: half a hundredth of its radius deep it pushes by E r times that. */
static void test_a_single_sphere_pushes_as_deep_as_it_is_put(void **state)
{
  (void)state;
  double force = start_force(BALL("a", "0.0015", "0.003", "0.0014925"), "");
  assert_true(fabs(force / (5e10 * 0.0015 * 7.5e-6) - 1) < 1e-6);
}

/* Overlaps asked for by allow_initial_contact push, and the check says how hard. */
static void test_overlaps_that_are_asked_for_push_and_are_warned_of(void **state)
{
  (void)state;
  static const char form[] = HEAD "\"specimens\":[" BALL("a", "0.0015", "0.000343", "0.0015") "," BALL(
      "b", "0.0015", "0.000343", "0.0045") "],\"time\":{\"duration\":1e-4},\"options\":{\"allow_initial_contact\":true}}";
  scr_scene *scene = NULL;
  bool found = false;
  assert_int_equal(scr_scene_parse(form, strlen(form), NULL, &scene, NULL), SCR_OK);
  const scr_problems *warnings = scr_scene_warnings(scene);
  for (size_t k = 0; k < warnings->count; ++k) {
    found = found || strstr(warnings->items[k].detail, "what breaks a bond");
    print_message("# %s\n", warnings->items[k].detail);
  }
  assert_true(found);
  scr_scene_destroy(scene);
  assert_true(start_force(BALL("a", "0.0015", "0.000343", "0.0015") "," BALL("b", "0.0015", "0.000343", "0.0045"),
                          "\"allow_initial_contact\":true") > 1);
}

/* A steel ball falls on a block of foam, 1/260 as dense and 1/200000 as stiff: their contact is as stiff as steel's, and moves the foam's
 * spheres. With the bounds of foam and steel alone the step was 35 times as long and 2 mJ became 1.4 J. */
static void test_a_steel_ball_on_foam_keeps_its_energy(void **state)
{
  (void)state;
  bdem_run r = run_open(
      "{\"scree\":1,\"name\":\"foam\",\"method\":\"bdem\",\"materials\":[{\"name\":\"foam\",\"density\":30,\"young_modulus\":1e6},"
      "{\"name\":\"steel\",\"density\":7800,\"young_modulus\":2e11}],\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.1},"
      "\"specimens\":[{\"name\":\"foam\",\"material\":\"foam\",\"spacing\":0.004,\"shape\":{\"type\":\"box\",\"size\":[0.01,0.01,0.008]},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0045]}},{\"name\":\"ball\",\"material\":\"steel\",\"spacing\":0.01,"
      "\"shape\":{\"type\":\"sphere\",\"radius\":0.005},\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0138]},"
      "\"velocity\":[0,0,-3]}],\"rig\":{\"type\":\"box\",\"minimum\":[-0.1,-0.1,0],\"maximum\":[0.1,0.1,0.2],\"gravity\":[0,0,-9.81]},"
      "\"time\":{\"duration\":0.001}}",
      1);
  double start = run_curve(&r, "energy.kinetic"), worst = 0, most = 0;
  for (int k = 1; k <= 20; ++k) {
    run_until(&r, 5e-5 * k);
    run_observe(&r);
    worst = fmax(worst, fabs(run_value(&r, "energy.balance_error")));
    most = fmax(most, run_value(&r, "energy.kinetic"));
  }
  print_message("# step %.3g s; from %.3g J at most %.3g J, balance error %.2g, damped %.3g J\n", scr_sim_time_step(r.sim), start, most,
                worst, run_value(&r, "energy.damping"));
  assert_true(worst < 1e-3 && most < 1.01 * start && run_value(&r, "energy.damping") > 0);
  run_close(&r);
}

/* A block that settles on a floor loses half of what its weight does to the damping of large steps, and rests where it should: no doubt.
 * One that spins loses as much of a motion that goes on, 1 - 1/(1 + 2 w^2 dt t) of its energy: a doubt. */
static void test_numerical_damping_is_doubted_where_something_still_moves(void **state)
{
  (void)state;
  static const char form[] =
      "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
      "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.01,\"shape\":{\"type\":\"box\",\"size\":[0.06,0.052,0.049]},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0245]}%s}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,%s]},%s"
      "\"time\":{\"duration\":0.5},\"options\":{\"integrator\":\"implicit-euler\",\"step_ratio\":20}}";
  static const char floor_of[] = "\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":0.5},\"position\":[0,0,0]}],";
  for (int spins = 0; spins < 2; ++spins) {
    char text[1400];
    snprintf(text, sizeof text, form, spins ? ",\"angular_velocity\":[0,0,30]" : "", spins ? "0" : "-9.81", spins ? "" : floor_of);
    bdem_run r = run_open(text, 1);
    run_until(&r, 0.5);
    print_message("# %s: numerical %.3g J, kinetic %.3g J\n", spins ? "spinning" : "settling", run_state(&r)->ledger->numerical,
                  bdem_body_kinetic(&run_state(&r)->body));
    assert_true(run_state(&r)->ledger->numerical > 0);
    assert_int_equal(r.sim->doubt_count, spins);
    run_close(&r);
  }
}

/* A plate presses a block, or strikes it from a gap of 1 mm: by implicit steps alone. */
static bdem_run open_pressed(double velocity, double time_step, double duration, double gap)
{
  char text[1200];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
           "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.01,\"shape\":{\"type\":\"box\",\"size\":[0.06,0.052,0.049]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,%.9g]}}],\"rig\":{\"type\":\"platens\",\"opening\":%.9g,"
           "\"program\":[{\"type\":\"constant\",\"velocity\":%.9g}]},\"time\":{\"duration\":%.9g,\"time_step\":%.9g},"
           "\"options\":{\"integrator\":\"implicit-euler\",\"impacts\":\"implicit\"}}",
           -0.5 * gap, 0.049 + gap, -velocity, duration, time_step);
  return run_open(text, 1);
}

/* The work of a plate by the forces at the ends of steps is more than its work by trapezia by F v dt / 2, F the force by now:
 * energy.numerical holds it, and it is taken out of no motion. In the first steps it is more than a tenth of all work, without a doubt.
 * What is left was lost as the block was set in motion: m v^2 / 2 at most, though by then more than a hundredth of all work. */
static void test_slow_loading_in_large_steps_is_no_damping_and_no_impact(void **state)
{
  (void)state;
  const double velocity = 1e-3, dt = 2e-3, moving = 0.5 * 1000 * 0.06 * 0.052 * 0.049 * velocity * velocity;
  bdem_run r = open_pressed(velocity, dt, 0.05, 0);
  const bdem_state *s = run_state(&r);
  run_until(&r, 0.012);
  run_observe(&r);
  double early = s->ledger->numerical / ledger_external(s->ledger);
  run_until(&r, 0.05);
  run_observe(&r);
  double force = run_value(&r, "platen.top.force_z"), loading = s->ledger->numerical - s->losses.motion;
  print_message(
      "# numerical over work %.3g early; at the end %.6g J, of it %.6g J over F v dt / 2; lost %.3g and by impacts %.3g of m v^2 / 2\n",
      early, s->ledger->numerical, loading / (0.5 * force * velocity * dt), s->losses.motion / moving, s->losses.impacts / moving);
  assert_true(early > 0.1);
  assert_float_equal(loading / (0.5 * force * velocity * dt), 1, 1e-6);
  assert_true(s->losses.motion > 0 && s->losses.motion < moving && s->losses.impacts < moving);
  assert_int_equal(r.sim->doubt_count, 0);
  run_close(&r);
}

/* A plate strikes the block at a third of the speed of sound: what large steps lose of the blow is no loading, and a doubt. */
static void test_a_blow_of_a_plate_is_an_impact(void **state)
{
  (void)state;
  const double velocity = 10, moving = 0.5 * 1000 * 0.06 * 0.052 * 0.049 * velocity * velocity;
  bdem_run r = open_pressed(velocity, 5e-5, 1.5e-3, 0.001);
  run_until(&r, 5e-4);
  const bdem_state *s = run_state(&r);
  print_message("# lost %.3g, by impacts %.3g of m v^2 / 2\n", s->losses.motion / moving, s->losses.impacts / moving);
  assert_true(s->losses.impacts > 0.01 * ledger_external(s->ledger));
  assert_true(r.sim->doubt_count > 0 && strcmp(r.sim->doubts[0].kind, "large_step_impact") == 0);
  run_close(&r);
}

/* A sphere flies into a floor so that it sinks in by v sqrt(m / k), k = E r: by 0.4 radii a plain success, by 0.6 the doubt with that
 * number. */
static void test_deep_contact_is_doubted(void **state)
{
  (void)state;
  static const double depth[] = {0.4, 0.6};
  const double radius = 0.01, mass = 1000 * 4.0 / 3.0 * 3.14159265358979323846 * 1e-6, rate = sqrt(1e4 * radius / mass);
  for (int k = 0; k < 2; ++k) {
    char text[900];
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e4}],"
             "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
             "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0101]},\"velocity\":[0,0,%.9g]}],\"rig\":{\"type\":\"box\","
             "\"minimum\":[-0.1,-0.1,0],\"maximum\":[0.1,0.1,0.2]},\"time\":{\"duration\":%.9g,\"time_step\":1e-4}}",
             -depth[k] * radius * rate, 4 / rate);
    bdem_run r = run_open(text, 1);
    run_until(&r, 4 / rate);
    assert_int_equal(r.sim->doubt_count, k);
    if (k == 1) assert_string_equal(r.sim->doubts[0].kind, "deep_contact");
    assert_float_equal(run_state(&r)->control.deepest, depth[k], 0.01);
    run_close(&r);
  }
}

SUITE(test_bdem_start)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_sphere_that_just_fits_between_platens_starts_without_force),
      cmocka_unit_test(test_bodies_that_touch_start_without_force),
      cmocka_unit_test(test_a_single_sphere_pushes_as_deep_as_it_is_put),
      cmocka_unit_test(test_overlaps_that_are_asked_for_push_and_are_warned_of),
      cmocka_unit_test(test_a_steel_ball_on_foam_keeps_its_energy),
      cmocka_unit_test(test_numerical_damping_is_doubted_where_something_still_moves),
      cmocka_unit_test(test_slow_loading_in_large_steps_is_no_damping_and_no_impact),
      cmocka_unit_test(test_a_blow_of_a_plate_is_an_impact),
      cmocka_unit_test(test_deep_contact_is_doubted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
