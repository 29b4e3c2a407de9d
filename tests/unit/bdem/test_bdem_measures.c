/* Energies and masses of method bdem against closed forms: single balls that meet each other and a floor. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* Balls of 10 mm and 7800 kg/m^3; the first flies at 0.1 m/s along x. @param places JSON */
static bdem_run open_balls(double damping, const char *places, const char *obstacles)
{
  char text[1600];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"balls\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":7800,\"young_modulus\":1e7}],"
           "\"contact\":{\"damping_ratio\":%g},\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":"
           "\"sphere\","
           "\"radius\":0.01},\"placement\":{\"type\":\"list\",\"positions\":%s}}],\"rig\":{\"type\":\"none\"},\"obstacles\":[%s],"
           "\"time\":{\"duration\":1,\"time_step\":5e-6},\"options\":{\"constants_of\":\"bonds\",\"sphere_mass\":\"ball\"}}",
           damping, places, obstacles);
  bdem_run r = run_open(text, 1);
  run_state(&r)->body.velocity[0] = vec3(0.1, 0, 0);
  return r;
}

static const double mass = 7800 * 4 * 3.14159265358979323846 / 3 * 1e-6;

/* The largest value of a curve over 20 ms, in which they meet and part. */
static double most_of(bdem_run *r, const char *curve)
{
  double most = 0;
  while (scr_sim_time(r->sim) < 0.02) {
    run_steps(r, 1);
    most = fmax(most, run_curve(r, curve));
  }
  return most;
}

/* One ball meets another at rest: without damping half of its energy, m v^2 / 4, is in the contact when they are nearest, and it hands on
 * its velocity. Two pieces, the heavier a ball. 1 %: energies are seen at the ends of steps. */
static void test_balls_that_meet_hold_their_energy(void **state)
{
  (void)state;
  bdem_run r = open_balls(0, "[[0,0,0],[0.0201,0,0]]", "");
  const double start = 0.5 * mass * 0.01;
  claim_relative("ball before it meets another: energy.kinetic, J", run_curve(&r, "energy.kinetic"), start, 1e-9, "m v^2 / 2");
  claim_relative("two balls that meet: energy.contact at its most, J", most_of(&r, "energy.contact"), 0.5 * start, 0.01, "m v^2 / 4");
  run_observe(&r);
  claim_relative("two balls that have met: velocity handed on, m/s", run_state(&r)->body.velocity[1].x, 0.1, 1e-3, "equal masses");
  claim_absolute("two balls: fragments", run_value(&r, "fragments"), 2, 0, "two balls");
  claim_absolute("two balls: broken_bonds", run_value(&r, "broken_bonds"), 0, 0, "there is none");
  claim_relative("two balls: largest_fragment_mass, kg", run_value(&r, "largest_fragment_mass"), mass, 1e-9, "of a ball");
  run_close(&r);
}

/* A ball meets a plane: without damping all of its energy is in the contact when it stands; with damping what it lacks afterwards is
 * damping's. What has pushed the wall so far is at any moment what the ball lost, to the force of half a step, of which the curve shows the
 * end's. */
static void test_a_ball_that_meets_a_wall_holds_its_energy(void **state)
{
  (void)state;
  static const char wall[] =
      "{\"name\":\"wall\",\"shape\":{\"type\":\"plane\"},\"position\":[0.0101,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":-90}}";
  const double start = 0.5 * mass * 0.01;
  bdem_run r = open_balls(0, "[[0,0,0]]", wall);
  claim_relative("ball that meets a wall: energy.wall at its most, J", most_of(&r, "energy.wall"), start, 0.01, "m v^2 / 2");
  run_close(&r);
  r = open_balls(0.3, "[[0,0,0]]", wall);
  double damped = 0, pushed = 0, off = 0; /* damping takes back what it pushed: looked at all along */
  while (scr_sim_time(r.sim) < 0.02) {
    run_steps(&r, 1);
    damped = run_curve(&r, "energy.damping");
    pushed += run_value(&r, "obstacle.wall.force_x") * scr_sim_time_step(r.sim);
    off = fmax(off, fabs(pushed - mass * (0.1 - run_state(&r)->body.velocity[0].x)) / (0.1 * mass));
  }
  double left = 0.5 * mass * pow(run_state(&r)->body.velocity[0].x, 2);
  assert_true(run_state(&r)->body.velocity[0].x < 0 && left < 0.7 * start);
  claim_relative("damped ball that has met a wall: energy.damping, J", damped, start - left, 1e-3, "what it lacks");
  claim_absolute("damped ball that meets a wall: sum of force_x over time less what the ball lost, over its momentum", off, 0, 5e-3,
                 "the momentum that it gave");
  run_close(&r);
}

/* The same damped impact seen from the ball: it is at rest, and the wall comes at 0.1 m/s. As much is dissipated, and the wall puts in its
 * velocity times the momentum that it gives. Galileo's principle; 1e-3 of it, as the work of springs is by the mean of a step's ends. */
static void test_a_wall_that_moves_does_its_work(void **state)
{
  (void)state;
  static const char still[] =
      "{\"name\":\"wall\",\"shape\":{\"type\":\"plane\"},\"position\":[0.0101,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":-90}}";
  static const char moves[] =
      "{\"name\":\"wall\",\"shape\":{\"type\":\"plane\"},\"position\":[0.0101,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":-90},"
      "\"direction\":[-1,0,0],\"program\":[{\"type\":\"constant\",\"velocity\":0.1}]}";
  double damped[2], speed[2], work = 0;
  for (int k = 0; k < 2; k++) {
    bdem_run r = open_balls(0.3, "[[0,0,0]]", k ? moves : still);
    if (k) run_state(&r)->body.velocity[0] = vec3(0, 0, 0);
    damped[k] = most_of(&r, "energy.damping");
    speed[k] = run_state(&r)->body.velocity[0].x + (k ? 0.1 : 0);
    work = run_value(&r, "energy.external");
    run_close(&r);
  }
  claim_relative("ball that a wall meets: speed against it, m/s", speed[1], speed[0], 1e-3, "the same impact at rest");
  claim_relative("ball that a wall meets: energy.damping, J", damped[1], damped[0], 1e-3, "the same impact at rest");
  claim_relative("ball that a wall meets: energy.external, J", work, -0.1 * mass * (speed[1] - 0.1), 1e-3, "v times the momentum given");
}

/* Spheres in a grip that turns at 3 rad/s spin with it, and go round its axis: v = w x r, in explicit and in implicit steps. To the
 * step's chord, (w dt)^2. */
static void test_a_grip_that_turns_spins_what_it_holds(void **state)
{
  (void)state;
  for (int implicit = 0; implicit < 2; implicit++) {
    char text[800];
    snprintf(
        text, sizeof text,
        "{\"scree\":1,\"name\":\"grip\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e7}],"
        "\"specimens\":["
        "{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.2,0.06,0.06]}}],\"rig\":{\"type\":"
        "\"grips\",\"axis\":\"x\","
        "\"low_end\":-0.06,\"high_start\":0.06,\"turn\":[{\"type\":\"constant\",\"angular_velocity\":3}]},\"time\":{\"duration\":1%s}}",
        implicit ? ",\"time_step\":1e-4},\"options\":{\"integrator\":\"implicit-euler\"" : "");
    bdem_run r = run_open(text, 1);
    run_steps(&r, 20);
    const bdem_state *s = run_state(&r);
    size_t held = 0;
    for (size_t k = 0; k < s->rig.grips.count; k++) {
      const grip_held *g = &s->rig.grips.held[k];
      if (!s->contacts.rig[g->part].turns) continue;
      scr_vec3 x = s->body.position[g->element], expected = vec3(0, -3 * x.z, 3 * x.y);
      assert_float_equal(s->body.spin[g->element].x, 3, 1e-5);
      assert_float_equal(vec3_length(vec3_sub(s->body.velocity[g->element], expected)), 0, 1e-4);
      held++;
    }
    assert_true(held > 5);
    run_close(&r);
  }
}

SUITE(test_bdem_measures)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balls_that_meet_hold_their_energy),
      cmocka_unit_test(test_a_ball_that_meets_a_wall_holds_its_energy),
      cmocka_unit_test(test_a_wall_that_moves_does_its_work),
      cmocka_unit_test(test_a_grip_that_turns_spins_what_it_holds),
  };
  return cmocka_run_group_tests_name("bdem measures", tests, NULL, NULL);
}
