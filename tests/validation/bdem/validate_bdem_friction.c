/* Friction of bonded spheres: blocks on slopes rest and slide as they must at every size of step, platens and wedges feel it. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static const double gravity = 9.81, radius = 0.005, pi = 3.14159265358979323846;

/* A block of 60 x 40 x 30 mm of bonded spheres of r = 5 mm, just on the floor; gravity is tilted instead of the floor. */
static bdem_run open_slope_by(const char *surface, double degrees, double friction, const char *integrator, double step_ratio,
                              double duration)
{
  char text[1600];
  double angle = degrees * pi / 180;
  bool spheres = strcmp(surface, "spheres") == 0;
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"slope\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":%.17g,\"damping_ratio\":0.5},"
           "\"specimens\":[{\"name\":\"block\",\"material\":\"m\",\"spacing\":%g,\"shape\":{\"type\":\"box\",\"size\":[0.06,0.04,0.03]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,%g]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[-0.5,-1,0],\"maximum\":[9,1,1],\"gravity\":[%.17g,0,%.17g]},"
           "\"time\":{\"duration\":%g},\"options\":{\"integrator\":\"%s\",\"step_ratio\":%g,\"contact_surface\":\"%s\"}}",
           friction, 2 * radius, spheres ? 0.01316481 : 0.015, gravity * sin(angle), -gravity * cos(angle), duration, integrator,
           step_ratio, surface);
  return run_open(text, 1);
}

static bdem_run open_slope(double degrees, double friction, const char *integrator, double step_ratio, double duration)
{
  return open_slope_by(strcmp(integrator, "variational") == 0 ? "spheres" : "faces", degrees, friction, integrator, step_ratio, duration);
}

static scr_vec3 centre(const bdem_run *r)
{
  const bdem_body *body = &run_state(r)->body;
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t i = 0; i < body->sphere_count; ++i) sum = vec3_add(sum, body->position[i]);
  return vec3_scale(sum, 1.0 / (double)body->sphere_count);
}

static scr_vec3 velocity(const bdem_run *r)
{
  const bdem_body *body = &run_state(r)->body;
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t i = 0; i < body->sphere_count; ++i) sum = vec3_add(sum, body->velocity[i]);
  return vec3_scale(sum, 1.0 / (double)body->sphere_count);
}

/* Creep per step over `watch` seconds, in radii, once the block has settled. */
static void rest(const char *integrator, double step_ratio, double settle, double watch)
{
  bdem_run r = open_slope(10, 0.3, integrator, step_ratio, settle + watch);
  char what[120];
  run_until(&r, settle);
  scr_vec3 before = centre(&r);
  uint64_t first = r.sim->steps;
  double slipped = run_curve(&r, "energy.friction");
  run_until(&r, settle + watch);
  double creep = vec3_length(vec3_sub(centre(&r), before)) / (double)(r.sim->steps - first) / radius;
  snprintf(what, sizeof what, "%s, %g T: creep per step at 10 degrees, radii", integrator, step_ratio);
  claim_absolute(what, creep, 0, 2e-9, "statics: tan 10 degrees < 0.3; a fifth of what a step's residual of 1e-8 E r^2 moves");
  snprintf(what, sizeof what, "%s, %g T: friction's work at rest, J", integrator, step_ratio);
  claim_absolute(what, run_curve(&r, "energy.friction") - slipped, 0, 1e-12, "nothing slips; lifting the block by 1 nm takes 1.4e-9 J");
  run_close(&r);
}

/* The tolerance is the one asked for. */
static void test_a_block_rests_on_a_slope_at_any_step(void **state)
{
  (void)state;
  rest("explicit", 1, 0.2, 0.1);
  rest("implicit-euler", 100, 0.5, 1);
  rest("variational", 100, 1, 1);
  if (!claim_slow_part("implicit Euler at 20 and 500 T, variational at 20 T")) return;
  rest("implicit-euler", 20, 0.1, 0.3);
  rest("implicit-euler", 500, 2, 5);
  rest("variational", 20, 0.5, 1);
}

/* By faces, variational steps hold a block that friction holds with a 26th to spare, tan 30 degrees / 0.6 = 0.96, once it has settled; and
 * let it go where friction cannot hold it. */
static void test_a_block_on_its_face_rests_in_variational_steps_up_to_coulombs_limit(void **state)
{
  (void)state;
  const bool slow = claim_slow_part("25 degrees, and for 0.3 s");
  const double settled = slow ? 0.15 : 0.08;
  for (int degrees = slow ? 25 : 30; degrees <= 33; degrees += degrees == 25 ? 5 : 3) {
    bdem_run r = open_slope_by("faces", degrees, 0.6, "variational", 30, 2 * settled);
    double angle = degrees * pi / 180;
    run_until(&r, settled);
    scr_vec3 before = centre(&r);
    double v0 = velocity(&r).x, t0 = scr_sim_time(r.sim);
    run_until(&r, 2 * settled);
    char what[120];
    snprintf(what, sizeof what, "variational, 30 T, faces, mu 0.6, %d degrees: %s", degrees,
             degrees < 31 ? "creep, radii" : "coefficient that it slides by");
    double friction = (sin(angle) - (velocity(&r).x - v0) / (scr_sim_time(r.sim) - t0) / gravity) / cos(angle);
    if (degrees < 31)
      claim_absolute(what, vec3_length(vec3_sub(centre(&r), before)) / radius, 0, 1e-4, "statics: tan 30 degrees < 0.6");
    else
      claim_relative(what, friction, 0.6, 0.02, "(sin - a / g) / cos = mu");
    claim_absolute("energy balance error", run_curve(&r, "energy.balance_error"), 0, 5e-3, "conservation of energy");
    run_close(&r);
  }
}

static void slide(const char *integrator, double step_ratio, double degrees)
{
  bdem_run r = open_slope(degrees, 0.3, integrator, step_ratio, 1);
  char what[120];
  double angle = degrees * pi / 180;
  run_until(&r, 0.2);
  double v0 = velocity(&r).x, t0 = scr_sim_time(r.sim), x0 = centre(&r).x, taken = run_curve(&r, "energy.friction"), mass = 0;
  for (size_t i = 0; i < run_state(&r)->body.sphere_count; ++i) mass += run_state(&r)->body.mass[i];
  run_until(&r, 0.7);
  double a = (velocity(&r).x - v0) / (scr_sim_time(r.sim) - t0);
  snprintf(what, sizeof what, "%s, %g T: acceleration at %g degrees, m/s2", integrator, step_ratio, degrees);
  claim_relative(what, a, gravity * (sin(angle) - 0.3 * cos(angle)), 2e-3, "g (sin - mu cos)");
  taken = run_curve(&r, "energy.friction") - taken;
  snprintf(what, sizeof what, "%s, %g T: friction's work at %g degrees, J", integrator, step_ratio, degrees);
  claim_relative(what, taken, 0.3 * mass * gravity * cos(angle) * (centre(&r).x - x0), 0.01, "mu m g cos times the way");
  snprintf(what, sizeof what, "%s, %g T: energy balance error at %g degrees", integrator, step_ratio, degrees);
  claim_absolute(what, run_curve(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
  run_close(&r);
}

/* The tolerance of 0.2 % is the one asked for; the measured error is below 0.02 %. */
static void test_a_block_slides_as_coulomb_says(void **state)
{
  (void)state;
  slide("explicit", 1, 25);
  slide("implicit-euler", 100, 40);
  slide("variational", 100, 25);
  if (!claim_slow_part("20 T, and implicit Euler at 25 degrees")) return;
  slide("implicit-euler", 20, 25);
  slide("implicit-euler", 100, 25);
  slide("variational", 20, 25);
}

/* A slanted face, 15 degrees from the vertical, comes down beside a block that leans against a wall and presses it: force_z over force_x of
 * the face, which slides, is tan(15 degrees + atan mu), whatever the wall and the floor bear. */
static double wedge(double friction, const char *integrator, double step_ratio)
{
  char text[2000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"wedge\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0.5},"
           "\"specimens\":[{\"name\":\"block\",\"material\":\"m\",\"spacing\":0.01,\"shape\":{\"type\":\"box\",\"size\":[0.06,0.04,0.06]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0.03,0,0.03]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[0,-0.5,0],\"maximum\":[1,0.5,1],\"gravity\":[0,0,0]},"
           "\"obstacles\":[{\"name\":\"face\",\"shape\":{\"type\":\"plane\"},\"position\":[0.0681,0,0.03],"
           "\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":-105},\"direction\":[0,0,-1],"
           "\"program\":[{\"type\":\"ramp\",\"velocity\":0.05,\"duration\":0.02},{\"type\":\"constant\",\"velocity\":0.05}]}],"
           "\"time\":{\"duration\":1},\"options\":{\"integrator\":\"%s\",\"step_ratio\":%g}}",
           friction, integrator, step_ratio);
  bdem_run r = run_open(text, 1);
  double down = 0, aside = 0;
  run_until(&r, 0.1);
  for (int k = 0; k < 20; ++k) {
    run_until(&r, 0.1 + 0.002 * k);
    down += run_curve(&r, "obstacle.face.force_z");
    aside += run_value(&r, "obstacle.face.force_x");
  }
  assert_true(aside > 1);
  run_close(&r);
  return down / aside;
}

static void test_a_wedge_feels_friction_as_statics_says(void **state)
{
  (void)state;
  static const struct {
    const char *integrator;
    double step_ratio, friction;
  } cases[] = {
      {"explicit", 1, 0.3}, {"implicit-euler", 100, 0.6}, {"explicit", 1, 0}, {"implicit-euler", 20, 0}, {"implicit-euler", 20, 0.3}};
  size_t count = claim_slow_part("wedges without friction, implicit Euler at 20 T") ? sizeof cases / sizeof *cases : 2;
  for (size_t k = 0; k < count; ++k) {
    char what[120];
    snprintf(what, sizeof what, "%s, %g T, mu %g: force down over force aside", cases[k].integrator, cases[k].step_ratio,
             cases[k].friction);
    claim_relative(what, wedge(cases[k].friction, cases[k].integrator, cases[k].step_ratio), tan(15 * pi / 180 + atan(cases[k].friction)),
                   0.03, "statics: tan(alpha + atan mu)");
  }
}

/* A flat block is pressed between platens. Ends that can't slide keep it from growing wider: it is stiffer, and its middle bulges. */
static void press(double friction, const char *integrator, double *force, double *slipped)
{
  char text[1600];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"press\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"young_modulus\":1e8}],"
      "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0.5},"
      "\"specimens\":[{\"name\":\"block\",\"material\":\"m\",\"spacing\":0.01,\"packing\":\"body_centred\",\"shape\":{\"type\":\"box\","
      "\"size\":[0.08,0.08,0.04]}}],\"rig\":{\"type\":\"platens\",\"opening\":0.04,\"program\":[{\"type\":\"constant\","
      "\"velocity\":-0.05}]},\"time\":{\"duration\":0.02},\"options\":{\"integrator\":\"%s\",\"step_ratio\":20,\"constants_of\":\"bonds\"}"
      "}",
      friction, integrator);
  bdem_run r = run_open(text, 1);
  run_until(&r, 0.02);
  run_observe(&r);
  *force = run_value(&r, "platen.top.force_z");
  *slipped = run_value(&r, "energy.friction");
  run_close(&r);
}

static void test_platens_that_grip_make_a_flat_block_stiffer(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    double smooth, rough, half, slip[3];
    const char *integrator = k ? "implicit-euler" : "explicit";
    press(0, integrator, &smooth, &slip[0]);
    press(0.05, integrator, &half, &slip[1]);
    press(5, integrator, &rough, &slip[2]);
    print_message("# %s: force %g N at mu 0, %g at 0.05, %g at 5; friction %.3g, %.3g, %.3g J\n", integrator, smooth, half, rough, slip[0],
                  slip[1], slip[2]);
    claim_between("force at mu 5 over that at mu 0", rough / smooth, 1.02, 1.5, "ends that can't slide: stiffer");
    claim_between("friction's work at mu 5 over that at mu 0.05", slip[2] / slip[1], 0, 0.1, "what sticks dissipates nothing");
    assert_true(half > smooth && half < rough && slip[0] == 0);
  }
}

SUITE(validate_bdem_friction)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_wedge_feels_friction_as_statics_says),
      cmocka_unit_test(test_platens_that_grip_make_a_flat_block_stiffer),
      cmocka_unit_test(test_a_block_rests_on_a_slope_at_any_step),
      cmocka_unit_test(test_a_block_on_its_face_rests_in_variational_steps_up_to_coulombs_limit),
      cmocka_unit_test(test_a_block_slides_as_coulomb_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
