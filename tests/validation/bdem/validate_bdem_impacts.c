/* Impacts in steps of any length: nothing ends on the other side of what it did not meet, and what is hit rebounds and breaks as in small
 * steps; where that can't be had, the run says so. */
#include <math.h>

#include "tests/support/bdem_run.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

enum { TEXT = 4096 };

static const char *const integrators[] = {"explicit", "implicit-euler", "variational"};

typedef struct scene {
  const char *specimens, *obstacles, *integrator, *more;
  double ratio, modulus, duration;
} scene;

static void write_scene(char *text, const scene *of)
{
  snprintf(text, TEXT,
           "{\"scree\":1,\"name\":\"impact\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%g}],"
           "\"specimens\":[%s],\"obstacles\":[%s],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":%.9g},"
           "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\",\"step_ratio\":%g%s}}",
           of->modulus, of->specimens, of->obstacles, of->duration, of->integrator, of->ratio, of->more ? of->more : "");
}

/* Runs to the end. @return false when the run ended with the failure that says that contacts can't bear the impact */
static bool run_scene(const scene *of, bdem_run *r)
{
  char text[TEXT];
  scr_error error = {0};
  write_scene(text, of);
  *r = run_open(text, 1);
  while (scr_sim_time(r->sim) < of->duration * (1 - 1e-9))
    if (scr_sim_step(r->sim, &error) != SCR_OK) {
      if (!strstr(error.message, "can't bear")) run_fail("step", error.message);
      return false;
    }
  return true;
}

static scr_vec3 mean_of(const bdem_run *r, size_t grain, bool of_velocity)
{
  const bdem_state *s = run_state(r);
  const bdem_grain *g = &s->model.grains[grain];
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t i = g->first; i < g->first + g->count; i++) sum = vec3_add(sum, of_velocity ? s->body.velocity[i] : s->body.position[i]);
  return vec3_scale(sum, 1.0 / (double)g->count);
}

/* The energy balance of a run that ended without a failure is kept within 1 %, or it says a doubt. */
static void check_balance(const char *what, bdem_run *r)
{
  double balance = run_curve(r, "energy.balance_error");
  if (r->sim->doubt_count == 0) claim_absolute(what, balance, 0, 0.01, "conservation of energy");
}

/* ── nothing passes ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* A bonded ball of 8 cm flies into a free plate, 4 cm thick. It never gets to the other side; the plate takes its momentum. At up to a
 * sixth of the speed of sound it rebounds as in explicit steps: large steps do an impact by bursts of the same explicit steps, which begin
 * at another fraction of a step. Of a contact of a hundred steps that moves energy by a few (w dt)^2 / 24, 1e-4: 1e-3 is allowed. At ten
 * times the speed of sound contacts can't bear it, and the run fails with that sentence. */
static void test_a_ball_never_passes_a_plate(void **state)
{
  (void)state;
  static const double ratios[] = {20, 500}, speeds[] = {1, 50, 1000, 1000}, moduli[] = {1e7, 1e8, 1e11, 1e7};
  for (int k = 0; k < 4; k++) {
    double rebound = 0;
    for (int n = 0; n < 5; n++) {
      char specimens[600], name[200];
      snprintf(specimens, sizeof specimens,
               "{\"name\":\"plate\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.14,0.14,0.04]}},"
               "{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.04},"
               "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.2]},\"velocity\":[0,0,-%g]}",
               speeds[k]);
      double ratio = n == 0 ? 1 : ratios[(n - 1) % 2];
      const char *integrator = integrators[n == 0 ? 0 : 1 + (n - 1) / 2];
      scene of = {specimens, "", integrator, NULL, ratio, moduli[k], 0.25 / speeds[k]};
      bdem_run r;
      bool ended = run_scene(&of, &r);
      snprintf(name, sizeof name, "%s %g T, %g m/s, E %g Pa", integrator, ratio, speeds[k], moduli[k]);
      if (k == 3) assert_false(ended);
      if (ended) {
        scr_vec3 plate = mean_of(&r, 0, false), ball = mean_of(&r, 1, false);
        double speed = mean_of(&r, 1, true).z - mean_of(&r, 0, true).z;
        assert_true(ball.z > plate.z + 0.02);
        check_balance(name, &r);
        if (n == 0)
          rebound = speed;
        else
          claim_relative(name, speed / speeds[k], rebound / speeds[k], 1e-3, "explicit steps of 0.7 T: speed of parting over that before");
      }
      run_close(&r);
    }
  }
}

/* A single sphere of 2 cm against fixed obstacles: a sheet of a twentieth of its size, a rod, a ball, each hit in the middle and off the
 * middle, in steps in which it flies up to 1000 times its size. It ends on its own side. Aluminium-like, so that contacts bear 1000 m/s. */
static void test_a_sphere_never_passes_an_obstacle(void **state)
{
  (void)state;
  static const char *const shapes[] = {"{\"type\":\"box\",\"size\":[0.2,0.2,0.001]}",
                                       "{\"type\":\"cylinder\",\"radius\":0.004,\"length\":0.2}", "{\"type\":\"sphere\",\"radius\":0.004}"};
  static const double ratios[] = {20, 100, 500}, speeds[] = {0.001, 10, 1000}, offsets[] = {0, 0.003};
  int runs = 0;
  double worst = 0;
  for (int n = 0; n < 3 * 3 * 3 * 3 * 2; n++) {
    char specimens[600], obstacles[300];
    double speed = speeds[n / 3 % 3], ratio = ratios[n % 3], offset = offsets[n / 81];
    int shape = n / 9 % 3, integrator = n / 27 % 3;
    snprintf(specimens, sizeof specimens,
             "{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
             "\"placement\":{\"type\":\"single\",\"position\":[%g,0,0.05]},\"velocity\":[0,0,-%g]}",
             offset, speed);
    snprintf(obstacles, sizeof obstacles, "{\"name\":\"o\",\"shape\":%s,\"position\":[0,0,0]%s}", shapes[shape],
             shape == 1 ? ",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90}" : "");
    scene of = {specimens, obstacles, integrators[integrator], NULL, ratio, 7e10, 0.07 / speed};
    if (integrator == 0 && ratio > 20) continue;
    if (speed < 0.01 && ratio < 500) continue; /* would take millions of steps */
    bdem_run r;
    if (speed < 0.01) of.modulus = 7e4;
    assert_true(run_scene(&of, &r));
    scr_vec3 v = mean_of(&r, 0, true);
    bool turned = shape == 0 ? v.z > 0.9 * speed : v.z > -0.9 * speed;
    if (!turned) print_message("# %s %g T, %g m/s, %s, %g m off: now at %g m/s\n", of.integrator, ratio, speed, shapes[shape], offset, v.z);
    assert_true(turned);
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")));
    run_close(&r);
    runs++;
  }
  claim_shown("spheres against obstacles", runs);
  claim_absolute("largest energy balance error of those", worst, 0, 0.02, "conservation of energy; an explicit step's contact: (w dt)^2/4");
}

/* A bar of 30 cm spins about its middle at up to two radians a step; a thin fixed sheet stands in its way, 60 degrees on. Before its free
 * end would have come to 120 degrees it must have hit. A rigid bar that hits at a distance r from its middle keeps 1 - (1 + e) r^2 / (I/m +
 * r^2) of its spin (impulse and momentum; e = 0 plastic, 1 elastic); the sheet lies at r of 9.5 to 14.5 cm, so a bar that hit once has
 * -0.47 to 0.46 of it. */
static void test_a_spinning_bar_never_passes_an_obstacle(void **state)
{
  (void)state;
  static const double ratios[] = {20, 100, 500};
  for (int n = 0; n < 9; n++) {
    char specimens[600], obstacles[400], name[100];
    double ratio = ratios[n % 3], spin = 100;
    int integrator = n / 3;
    snprintf(specimens, sizeof specimens,
             "{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.3,0.04,0.04]},"
             "\"angular_velocity\":[0,0,%g]}",
             spin);
    snprintf(obstacles, sizeof obstacles,
             "{\"name\":\"o\",\"shape\":{\"type\":\"box\",\"size\":[0.05,0.002,0.2]},\"position\":[0.06,0.104,0],"
             "\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":60}}");
    scene of = {specimens, obstacles, integrators[integrator], NULL, ratio, 1e8, 2.094 / spin};
    if (integrator == 0 && ratio > 20) continue;
    bdem_run r;
    assert_true(run_scene(&of, &r));
    scr_vec3 linear, angular;
    run_momenta(&r, &linear, &angular);
    snprintf(name, sizeof name, "%s %g T (%.3g rad a step): angular momentum over that before", of.integrator, ratio,
             spin * scr_sim_time_step(r.sim));
    double inertia = 0, mass = 0;
    for (size_t i = 0; i < run_state(&r)->body.sphere_count; i++) mass += run_state(&r)->body.mass[i];
    inertia = mass * (0.09 + 0.0016) / 12;
    double gyration = inertia / mass, inner = 0.095 * 0.095, outer = 0.145 * 0.145;
    claim_between(name, angular.z / (inertia * spin), 1 - 2 * outer / (gyration + outer), 1 - inner / (gyration + inner),
                  "impact of a rigid bar, elastic at the far edge to plastic at the near one");
    check_balance(name, &r);
    run_close(&r);
  }
}

/* A sheet of 2 mm comes up at 100 m/s under a ball that lies in its way: it is pushed on, at twice the sheet's speed as a ball on a moving
 * wall is. */
static void test_a_fast_obstacle_takes_the_ball_along(void **state)
{
  (void)state;
  static const double ratios[] = {20, 100, 500};
  for (int n = 0; n < 9; n++) {
    char name[100];
    double ratio = ratios[n % 3];
    int integrator = n / 3;
    scene of = {"{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
                "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.05]}}",
                "{\"name\":\"o\",\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.002]},\"position\":[0,0,0],\"direction\":[0,0,1],"
                "\"program\":[{\"type\":\"constant\",\"velocity\":100}]}",
                integrators[integrator],
                NULL,
                ratio,
                1e10,
                0.002};
    if (integrator == 0 && ratio > 20) continue;
    bdem_run r;
    assert_true(run_scene(&of, &r));
    snprintf(name, sizeof name, "%s %g T: speed of the ball over the sheet's", of.integrator, ratio);
    claim_absolute(name, mean_of(&r, 0, true).z / 100, 2, 0.05, "elastic collision with a wall that moves on");
    run_close(&r);
  }
}

/* A soft sphere of 1 cm hits a floor at 10 m/s: its contact, a spring of E r, would let it 7 radii behind the floor and out again within 20
 * ms. Steps of 100 T are six times as long, so at a step's end it would be back in the box as if nothing had been wrong. The explicit steps
 * of the burst see it behind the floor and end the run; at 2 m/s, 1.3 radii deep, they let it pass, and the run says that contacts were
 * deep. */
static void test_a_sphere_behind_a_wall_is_found_within_a_burst(void **state)
{
  (void)state;
  for (int n = 0; n < 4; n++) {
    char text[TEXT];
    double speed = n < 2 ? 10 : 2;
    scr_error error = {0};
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"soft\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e4}],"
             "\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
             "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.02]},\"velocity\":[0,0,-%g]}],"
             "\"rig\":{\"type\":\"box\",\"minimum\":[-1,-1,0],\"maximum\":[1,1,20]},\"time\":{\"duration\":1},"
             "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\",\"step_ratio\":100}}",
             speed, integrators[1 + n % 2]);
    bdem_run r = run_open(text, 1);
    assert_true(scr_sim_time_step(r.sim) > 0.03); /* the contact is over within a step */
    scr_status status = scr_sim_step(r.sim, &error);
    if (speed > 5) {
      assert_int_equal(status, SCR_DIVERGED);
      assert_non_null(strstr(error.message, "behind Wall z_min, more than two radii"));
    } else {
      assert_int_equal(status, SCR_OK);
      assert_true(run_state(&r)->control.deepest > 1 && run_state(&r)->body.velocity[0].z > 0);
    }
    run_close(&r);
  }
}

/* ── rebound ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A single sphere falls on a fixed block at 1 m/s, in steps from a tenth of the stable one to 500 of them. Its contact is a spring, so it
 * rebounds at 1 m/s; explicit steps of 0.7 T resolve it to 3 %. */
static void test_a_sphere_rebounds_in_steps_of_any_length(void **state)
{
  (void)state;
  static const double ratios[] = {0.1, 1, 5, 20, 100, 500};
  for (int n = 0; n < 12; n++) {
    char name[100];
    double ratio = ratios[n % 6];
    scene of = {"{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
                "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0105]},\"velocity\":[0,0,-1]}",
                "{\"name\":\"o\",\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"position\":[0,0,-0.1]}",
                integrators[1 + n / 6],
                NULL,
                ratio,
                1e8,
                0.002};
    bdem_run r;
    assert_true(run_scene(&of, &r));
    snprintf(name, sizeof name, "%s %g T: rebound of a sphere", of.integrator, ratio);
    claim_absolute(name, mean_of(&r, 0, true).z, 1, 0.05, "linear spring without damping");
    run_close(&r);
  }
}

/* A bonded ball of 8 cm does. What its vibrations keep is explicit steps' to say. */
static void test_a_bonded_ball_rebounds_as_in_explicit_steps(void **state)
{
  (void)state;
  static const double ratios[] = {5, 20, 100, 500};
  double rebound = 0;
  for (int n = 0; n < 9; n++) {
    char name[100];
    double ratio = n == 0 ? 1 : ratios[(n - 1) % 4];
    scene of = {"{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.04},"
                "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.045]},\"velocity\":[0,0,-1]}",
                "{\"name\":\"o\",\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"position\":[0,0,-0.1]}",
                integrators[n == 0 ? 0 : 1 + (n - 1) / 4],
                NULL,
                ratio,
                1e8,
                0.02};
    bdem_run r;
    assert_true(run_scene(&of, &r));
    double speed = mean_of(&r, 0, true).z;
    snprintf(name, sizeof name, "%s %g T: rebound of a bonded ball", of.integrator, ratio);
    if (n == 0)
      rebound = speed;
    else
      claim_absolute(name, speed, rebound, 0.03, "explicit steps of 0.7 T");
    check_balance(name, &r);
    run_close(&r);
  }
}

/* Bonds that a ball of radius 6 cm loses when it hits a floor at 20 m/s. */
static double shattered(const char *integrator, const char *breaking, double ratio, double spacing)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"shatter\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8,"
           "\"tensile_strength\":3e5,\"shear_strength\":3e5}],\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.2},"
           "\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":%g,\"shape\":{\"type\":\"sphere\",\"radius\":0.06},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0605]},\"velocity\":[0,0,-20]}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[-0.5,-0.5,0],\"maximum\":[0.5,0.5,1],\"gravity\":[0,0,-9.81]},"
           "\"time\":{\"duration\":0.006},\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\",\"breaking\":\"%s\","
           "\"step_ratio\":%g}}",
           spacing, integrator, breaking, ratio);
  bdem_run r = run_open(text, 1);
  run_until(&r, 0.006);
  double broken = run_curve(&r, "broken_bonds");
  run_close(&r);
  return broken;
}

/* A blow that breaks thousands of bonds in explicit steps breaks as many in steps of 100 T with simultaneous breaking, which once broke
 * none: the impact is resolved in time whatever the breaking. Which bonds break is chance, how many is not: of 1500 spheres 3 %, of which
 * the longer last step takes 2 %; of 400, in fast tests, 10 %. */
static void test_simultaneous_breaking_shatters_what_explicit_steps_do(void **state)
{
  (void)state;
  const bool slow = claim_slow_part("1500 spheres, variational steps");
  const int count = slow ? 2 : 1;
  const double spacing = slow ? 0.01 : 0.015, tolerance = slow ? 0.03 : 0.1;
  double small = shattered("explicit", "explicit-bursts", 1, spacing);
  claim_between("explicit: bonds broken", small, slow ? 3005 : 600, INFINITY, "a blow that shatters");
  for (int n = 0; n < count; n++) {
    char name[100];
    snprintf(name, sizeof name, "%s, simultaneous 100 T: bonds broken over those in explicit steps", integrators[1 + n]);
    claim_relative(name, shattered(integrators[1 + n], "simultaneous", 100, spacing) / small, 1, tolerance, "explicit steps of 0.7 T");
  }
}

/* ── what implicit Euler damps ──────────────────────────────────────────────────────────────────────────────────── */

/* A spinning bar keeps 1/sqrt(1 + 2 w^2 dt t) of its spin, which the check says in a warning; the variational integrator keeps all of it.
 * The bar stretches by its spin and is not quite rigid: 1 %. What it loses is said by a doubt when it is more than a tenth of the energy.
 * */
static void test_spin_is_lost_as_the_check_says(void **state)
{
  (void)state;
  static const double ratios[] = {5, 20, 100};
  const bool slow = claim_slow_part("steps of 5 and 20 T");
  for (int n = slow ? 0 : 2; n < 6; n += slow ? 1 : 3) {
    char name[100];
    const double spin = 30, duration = 0.2;
    scene of = {"{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.2,0.04,0.04]},"
                "\"angular_velocity\":[0,0,30]}",
                "",
                integrators[1 + n / 3],
                NULL,
                ratios[n % 3],
                1e8,
                duration};
    bdem_run r;
    scr_vec3 linear, before, after;
    char text[TEXT];
    write_scene(text, &of);
    r = run_open(text, 1);
    run_momenta(&r, &linear, &before);
    run_until(&r, duration);
    run_momenta(&r, &linear, &after);
    double dt = scr_sim_time_step(r.sim), expected = n < 3 ? 1 / sqrt(1 + 2 * spin * spin * dt * scr_sim_time(r.sim)) : 1;
    snprintf(name, sizeof name, "%s %g T: angular momentum over that before", of.integrator, of.ratio);
    claim_relative(name, after.z / before.z, expected, 0.01, n < 3 ? "1/sqrt(1 + 2 w^2 dt t), what the check warns of" : "conservation");
    bool warned = false;
    for (size_t k = 0; k < scr_scene_warnings(r.scene)->count; k++)
      warned |= strstr(scr_scene_warnings(r.scene)->items[k].pointer, "angular_velocity") != NULL;
    assert_true(warned == (expected < 0.99));
    assert_true((r.sim->doubt_count > 0) == (expected * expected < 0.9));
    run_close(&r);
  }
}

/* With impacts: implicit, large steps stay implicit: a rebound is damped, or made larger, and the run says so; the sheet is not passed. */
static void test_implicit_impacts_are_doubted(void **state)
{
  (void)state;
  for (int n = 0; n < 2; n++) {
    char name[100];
    scene of = {"{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
                "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.02]},\"velocity\":[0,0,-10]}",
                "{\"name\":\"o\",\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.001]},\"position\":[0,0,0]}",
                integrators[1 + n],
                ",\"impacts\":\"implicit\"",
                100,
                1e8,
                0.01};
    bdem_run r;
    assert_true(run_scene(&of, &r));
    snprintf(name, sizeof name, "impacts: implicit, %s 100 T: rebound", of.integrator);
    claim_shown(name, mean_of(&r, 0, true).z / 10);
    assert_true(mean_of(&r, 0, false).z > 0);
    bool right = fabs(mean_of(&r, 0, true).z / 10 - 1) < 0.02;
    assert_true(right || r.sim->doubt_count > 0);
    run_close(&r);
  }
}

/* A roller meets a bar by spheres somewhere within an explicit step: the mean of the forces before and after is booked over the whole of
 * that step, more than what the contact holds. That is little of what the roller puts in by setting the bar in motion, which the balance is
 * measured by. (By the largest energy so far alone it was off by 1.5 % here and by 96 % in a random scene, and plain runs had a doubt.) */
static void test_a_first_touch_of_spheres_is_no_loss(void **state)
{
  (void)state;
  bdem_run r = run_open("{\"scree\":1,\"name\":\"bend\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_"
                        "modulus\":1e6}],\"contact\":{\"friction_coefficient\":0,"
                        "\"damping_ratio\":0},\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.01,\"shape\":{\"type\":"
                        "\"box\",\"size\":[0.25,0.05,0.05]},\"placement\":"
                        "{\"type\":\"single\",\"position\":[0,0,0.025]}}],\"rig\":{\"type\":\"three_point_bend\",\"span\":0.2,\"support_"
                        "radius\":0.02,\"opening\":0.0505,\"roller_length\":0.1,"
                        "\"program\":[{\"type\":\"constant\",\"velocity\":-0.06}]},\"time\":{\"duration\":0.02},\"options\":{\"contact_"
                        "surface\":\"spheres\"}}",
                        1);
  double worst = 0;
  while (scr_sim_time(r.sim) < 0.02) {
    run_steps(&r, 1);
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")));
  }
  assert_true(run_value(&r, "energy.wall") > 0);
  claim_absolute("a roller that meets spheres: largest error of the balance", worst, 0, 0.01, "conservation of energy");
  run_close(&r);
}

SUITE(validate_bdem_impacts)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ball_never_passes_a_plate),
      cmocka_unit_test(test_a_sphere_never_passes_an_obstacle),
      cmocka_unit_test(test_a_spinning_bar_never_passes_an_obstacle),
      cmocka_unit_test(test_a_fast_obstacle_takes_the_ball_along),
      cmocka_unit_test(test_a_sphere_behind_a_wall_is_found_within_a_burst),
      cmocka_unit_test(test_a_sphere_rebounds_in_steps_of_any_length),
      cmocka_unit_test(test_simultaneous_breaking_shatters_what_explicit_steps_do),
      cmocka_unit_test(test_spin_is_lost_as_the_check_says),
      cmocka_unit_test(test_implicit_impacts_are_doubted),
      cmocka_unit_test(test_a_bonded_ball_rebounds_as_in_explicit_steps),
      cmocka_unit_test(test_a_first_touch_of_spheres_is_no_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
