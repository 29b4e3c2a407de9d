/* Ends of fibres that free bodies hold: pendulums, momenta, a body that unwinds, against closed forms; bits; what is refused. */
#include "tests/support/suites.h"

#include "methods/fibre/state/state.h"
#include "tests/support/sim_run.h"

/* @param material, specimen, obstacles  the rest of their keys */
static void write_scene(char *text, size_t size, const char *material, const char *specimen, const char *gravity, const char *obstacles,
                        double dt, const char *more)
{
  snprintf(text, size,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":2,\"materials\":[{\"name\":\"m\","
           "\"poisson_ratio\":0.25,%s}],\"contact\":{\"friction_coefficient\":2},"
           "\"specimens\":[{\"name\":\"f\",\"material\":\"m\"%s}],"
           "\"rig\":{\"type\":\"none\",\"gravity\":%s},\"obstacles\":[%s],\"time\":{\"duration\":10,\"time_step\":%.17g}%s}",
           material, specimen, gravity, obstacles, dt, more);
}

static sim_run open_scene(const char *material, const char *specimen, const char *gravity, const char *obstacles, double dt,
                          unsigned threads)
{
  char text[9000];
  write_scene(text, sizeof text, material, specimen, gravity, obstacles, dt, "");
  return run_open(text, threads);
}

/* A fibre of 0.1 m from the origin down, 1 mm thick. */
#define HANGING(radius, edges)                                                                                                             \
  ",\"shape\":{\"type\":\"cylinder\",\"radius\":" radius                                                                                   \
  ",\"length\":0.1},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":180},\"edges\":" edges                                                    \
  ",\"held\":\"both\",\"end_held_by\":\"ball\",\"placement\":{\"type\":\"single\",\"position\":[0,0,-0.05]}"
#define BALL(place, density, more)                                                                                                         \
  "{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"position\":" place ",\"free\":{\"density\":" density more "}}"
static const double MASS = 2000 * 4.0 / 3 * M_PI * 1e-6;

/* How far the joints of a run are off: places of ends less those that bodies have for them, m. */
static double apart(const sim_run *r)
{
  const fibre_state *s = r->sim->state;
  double most = 0;
  for (size_t k = 0; k < s->joints.count; k++) {
    const fibre_joint *joint = &s->joints.joint[k];
    const part_flight *body = &r->sim->parts.flight[s->bodies.body[joint->body].part];
    scr_vec3 at = vec3_add(body->centre, quat_rotate(body->rotation, joint->arm));
    if (!joint->turning) most = fmax(most, vec3_length(vec3_sub(rod_position(s->place, (uint32_t)joint->node), at)));
  }
  return most;
}

/* ── rest ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A ball hangs below its fibre, whose other end bears both. It feels its own weight. */
static void test_a_ball_hangs_on_a_fibre(void **state)
{
  (void)state;
  sim_run r = open_scene("\"density\":1000,\"young_modulus\":1e7,\"mass_damping\":50", HANGING("1e-3", "8"), "[0,0,-10]",
                         BALL("[0,0,-0.11]", "2000", ""), 2e-3, 1);
  const double stiffness = 1e7 * M_PI * 1e-6, own = 1000 * M_PI * 1e-7 * 10;
  run_steps(&r, 400);
  run_observe(&r);
  claim_relative("hanging ball: start.force_z, N", run_value(&r, "start.force_z"), -MASS * 10 - own, 1e-6, "both weights");
  claim_relative("hanging ball: obstacle.ball.force_z, N", run_value(&r, "obstacle.ball.force_z"), MASS * 10, 1e-6, "its weight");
  claim_relative("hanging ball: how far it sinks, m", -0.11 - run_value(&r, "obstacle.ball.z"), 0.1 * (MASS * 10 + 0.5 * own) / stiffness,
                 1e-5, "a stretched rod");
  claim_absolute("hanging ball: its end off it, m", apart(&r), 0, 1e-11, "it is joined");
  claim_absolute("hanging ball: contacts", run_value(&r, "contacts"), 0, 0, "joints are none");
  run_close(&r);
}

/* ── pendulums ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Time at which a value that is sampled at the ends of steps changes its sign for the next time, s. */
static double next_zero(sim_run *r, double (*value)(const sim_run *))
{
  double before, now = value(r);
  do {
    before = now;
    run_steps(r, 1);
    now = value(r);
  } while (before == 0 || before * now > 0);
  return r->sim->time - r->sim->time_step * now / (now - before);
}

static double sideways(const sim_run *r)
{
  return r->sim->parts.flight[0].centre.x;
}

static double spin(const sim_run *r)
{
  return r->sim->parts.now[0].spin.z;
}

/* A ball on a string, pinned at both ends: l the string's length, R from its end to the ball's centre, k^2 = 2/5 R^2; small swings of both
 * have w^2 with l k^2 w^4 - g (R l + R^2 + k^2) w^2 + g^2 R = 0, the slower one. */
static void test_the_period_of_a_pendulum(void **state)
{
  (void)state;
  const double g = 10, l = 0.1, radius = 0.01, square = 0.4 * radius * radius, b = g * (radius * l + radius * radius + square);
  double rate = 2 * g * g * radius / (b + sqrt(b * b - 4 * l * square * g * g * radius));
  sim_run r = open_scene("\"density\":1000,\"young_modulus\":1e8,\"bending_factor\":1e-3", HANGING("2e-4", "8") ",\"hold\":\"pinned\"",
                         "[0,0,-10]", BALL("[0,0,-0.11]", "2000", ",\"velocity\":[0.05,0,0]"), 1e-3, 1);
  double first = next_zero(&r, sideways), second = next_zero(&r, sideways);
  run_observe(&r);
  claim_relative("pendulum of a ball on a string: half a period, s", second - first, M_PI / sqrt(rate), 4e-3, "small swings");
  claim_absolute("pendulum: its end off the ball, m", apart(&r), 0, 1e-9, "it is joined");
  claim_absolute("pendulum: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-11,
                 "all of it is booked, what joints are off by too");
  claim_absolute("pendulum: unsolved steps", run_value(&r, "unsolved_steps") + run_value(&r, "unsolved_contacts"), 0, 0, "none");
  run_close(&r);
}

/* A ball that turns about a fibre clamped to it, which twists: T = 2 pi sqrt(I L / GJ). The torque on it is what changes its spin. */
static void test_the_period_of_a_twist_pendulum(void **state)
{
  (void)state;
  const double inertia = 0.4 * MASS * 1e-4, twisting = 1e8 / 2.5 * M_PI / 2 * 1e-12, period = 2 * M_PI * sqrt(inertia * 0.1 / twisting);
  sim_run r = open_scene("\"density\":1000,\"young_modulus\":1e8", HANGING("1e-3", "8"), "[0,0,0]",
                         BALL("[0,0,-0.11]", "2000", ",\"angular_velocity\":[0,0,5]"), 2e-4, 1);
  double first = next_zero(&r, spin);
  run_observe(&r);
  double torque = run_value(&r, "obstacle.ball.torque_z"), before = r.sim->parts.flight[0].momentum.z;
  run_steps(&r, 1);
  run_observe(&r);
  claim_relative("twist pendulum: change of momentum in a step over its time, N m", (r.sim->parts.flight[0].momentum.z - before) / 2e-4,
                 run_value(&r, "obstacle.ball.torque_z"), 1e-9, "the torque on it");
  claim_relative("twist pendulum: torque as it stops, N m", torque, -twisting / 0.1 * 5 * period / (2 * M_PI), 0.05,
                 "GJ / L times its largest angle, of which steps take a part");
  double second = next_zero(&r, spin);
  run_observe(&r);
  claim_relative("twist pendulum: half a period, s", second - first, 0.5 * period, 3e-3, "2 pi sqrt(I L / GJ)");
  claim_absolute("twist pendulum: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
  run_close(&r);
}

/* ── momenta ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A fibre clamped to a box at one end and to a ball at the other tumbles without gravity: momentum stays to what joints are solved to,
 * angular momentum to what implicit Euler takes of it, less with shorter steps. */
static void test_momenta_of_a_dumbbell(void **state)
{
  (void)state;
  double lost[2];
  for (int k = 0; k < 2; k++) {
    double dt = k ? 1e-4 : 2e-4, worst = 0;
    sim_run r =
        open_scene("\"density\":1000,\"young_modulus\":1e8", HANGING("1e-3", "8") ",\"held_by\":\"box\"", "[0,0,0]",
                   BALL("[0,0,-0.11]", "2000",
                        ",\"velocity\":[0.3,0.1,0],\"angular_velocity\":[0,3,8]") ",{\"name\":\"box\",\"shape\":{\"type\":\"box\",\"size\":"
                                                                                  "[0.03,0.02,0.02]},\"position\":[0,0,0.01],\"free\":{"
                                                                                  "\"density\":1000,\"velocity\":[-0.2,0,0.1]}}",
                   dt, 1);
    const fibre_state *s = r.sim->state;
    const sim_parts *parts = &r.sim->parts;
    scr_vec3 start[2] = {0};
    for (int step = 0; step <= (k ? 500 : 250); step++) {
      scr_vec3 now[2] = {0};
      for (size_t p = 0; p < 2; p++) {
        scr_vec3 momentum = vec3_scale(parts->flight[p].velocity, parts->form[p].mass.mass);
        now[0] = vec3_add(now[0], momentum);
        now[1] = vec3_add(now[1], vec3_add(parts->flight[p].momentum, vec3_cross(parts->flight[p].centre, momentum)));
      }
      for (uint32_t i = 0; i < s->node_count; i++) {
        scr_vec3 momentum = vec3_scale(rod_position(s->velocity, i), s->mass[ROD_UNKNOWNS * (size_t)i]);
        now[0] = vec3_add(now[0], momentum);
        now[1] = vec3_add(now[1], vec3_cross(rod_position(s->place, i), momentum));
      }
      if (step == 0) start[0] = now[0], start[1] = now[1];
      worst = fmax(worst, vec3_length(vec3_sub(now[0], start[0])) / vec3_length(start[0]));
      lost[k] = vec3_length(vec3_sub(now[1], start[1])) / vec3_length(start[1]);
      if (step < (k ? 500 : 250)) run_steps(&r, 1);
    }
    run_observe(&r);
    claim_absolute("dumbbell: change of its momentum over it", worst, 0, 1e-9, "impulses are equal and opposite");
    claim_absolute("dumbbell: its ends off the bodies, m", apart(&r), 0, 1e-9, "they are joined");
    claim_absolute("dumbbell: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
    assert_true(run_value(&r, "energy.numerical") > 0);
    run_close(&r);
  }
  claim_between("dumbbell: part of its angular momentum that 0.05 s take", lost[0], 0, 0.02, "implicit Euler");
  claim_relative("dumbbell: the same over that of half the step", lost[0] / lost[1], 2, 0.2, "first order");
}

/* ── a body that unwinds ────────────────────────────────────────────────────────────────────────────────────────── */

/* A cylinder falls from a fibre that is wound on it once and clamped to it: what holds it turns it, so that it falls with g / (1 + k^2 /
 * rho^2), k^2 = R^2 / 2, rho the radius of the wound fibre's middle. */
static void test_a_cylinder_unwinds(void **state)
{
  (void)state;
  enum { TURN = 24, STRAIGHT = 36 }; /* edges wound, and above */
  const double radius = 0.01, rho = 0.0105, wound = rho / cos(M_PI / TURN), chord = hypot(2 * wound * sin(M_PI / TURN), 1.5e-3 / TURN);
  char curve[4000] = "", specimen[6000];
  size_t used = (size_t)snprintf(curve, sizeof curve, "0 %.12g %.12g", wound, STRAIGHT * chord);
  for (int k = 0; k <= TURN; k++) {
    double angle = 2 * M_PI * k / TURN;
    used += (size_t)snprintf(curve + used, sizeof curve - used, ", %.12g %.12g %.12g", 1.5e-3 * k / TURN, wound * cos(angle),
                             -wound * sin(angle));
  }
  snprintf(specimen, sizeof specimen,
           ",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-4,\"length\":%.9g},\"form\":\"curve\",\"curve\":\"%s\",\"edges\":%d,\"held\":"
           "\"both\","
           "\"end_held_by\":\"reel\",\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}",
           (STRAIGHT + TURN) * chord, curve, STRAIGHT + TURN);
  sim_run r = open_scene("\"density\":50,\"young_modulus\":1e9,\"bending_factor\":1e-4", specimen, "[0,0,-10]",
                         "{\"name\":\"reel\",\"shape\":{\"type\":\"cylinder\",\"radius\":0.01,\"length\":0.03},\"position\":[0,0,0],"
                         "\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"free\":{\"density\":1000}}",
                         2.5e-4, 1);
  const part_flight *reel = &r.sim->parts.flight[0];
  run_steps(&r, 60); /* by then its bounce on the string is over */
  double speed = reel->velocity.z, spun = r.sim->parts.now[0].spin.x, pulled = 0, turned = 0;
  const double mass = r.sim->parts.form[0].mass.mass, inertia = 0.5 * mass * radius * radius, steps = 100, dt = 2.5e-4;
  for (int k = 0; k < (int)steps; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    pulled += dt * -run_value(&r, "start.force_z");
    turned += dt * run_value(&r, "obstacle.reel.torque_x");
  }
  double gained = reel->velocity.z - speed, faster = r.sim->parts.now[0].spin.x - spun;
  claim_relative("reel that unwinds: gain of speed, m/s", -gained, steps * dt * 10 / (1 + 0.5 * radius * radius / (rho * rho)), 1.5e-2,
                 "g t / (1 + k^2 / rho^2)");
  claim_relative("reel that unwinds: its moment of inertia times the gain of spin, N m s", inertia * faster, turned, 2e-3,
                 "its torque over the time, but for what it tilts");
  claim_relative("reel that unwinds: what its string bore, N s", pulled, mass * (10 * steps * dt + gained), 2e-3,
                 "its weight less its fall");
  claim_between("reel that unwinds: torque over the string's tension, m", turned / pulled, radius, wound,
                "friction acts on its surface, tension along the middle line");
  claim_between("reel that unwinds: speed over spin, m", -gained / faster, radius, 1.03 * wound, "the string leaves its middle line's way");
  claim_absolute("reel: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
  run_close(&r);
}

/* ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static sim_run open_bits(unsigned threads)
{
  return open_scene("\"density\":1000,\"young_modulus\":1e8", HANGING("1e-3", "8"), "[0,0,-10]",
                    BALL("[0,0,-0.11]", "2000", ",\"velocity\":[0.3,0,0],\"angular_velocity\":[1,2,3]"), 1e-3, threads);
}

static void test_bits_of_a_pendulum(void **state)
{
  (void)state;
  sim_run one = open_bits(1), two = open_bits(2);
  for (int k = 0; k < 60; k++) {
    run_steps(&one, 1), run_steps(&two, 1);
    if (k != 30) continue;
    scr_blob blob = {0};
    assert_same_state(one.sim, two.sim);
    assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
    run_close(&two);
    two = open_bits(2);
    assert_int_equal(sim_load(two.sim, &blob, NULL), SCR_OK);
    scr_blob_destroy(&blob);
  }
  assert_same_state(one.sim, two.sim);
  run_close(&one), run_close(&two);
}

static void assert_refused(const char *specimen, const char *obstacle, const char *options, const char *pointer)
{
  char text[9000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  write_scene(text, sizeof text, "\"density\":1000,\"young_modulus\":1e8", specimen, "[0,0,0]", obstacle, 1e-3, options);
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  assert_true(problems.count >= 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void test_what_cannot_be_joined_is_refused(void **state)
{
  (void)state;
  const char *ball = BALL("[0,0,-0.11]", "1", "");
  assert_refused(HANGING("1e-3", "8") ",\"held_by\":\"nobody\"", ball, "", "/specimens/0/held_by");
  assert_refused(",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.1},\"held\":\"both\",\"end_held_by\":\"nobody\"", ball, "",
                 "/specimens/0/end_held_by");
  assert_refused(",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.1},\"held\":\"start\",\"held_by\":\"ball\",\"element\":"
                 "\"super_helix\"",
                 ball, ",\"options\":{\"fibre_contact\":false}", "/specimens/0/held_by");
  assert_refused(HANGING("1e-3", "8"), ball, ",\"options\":{\"loading\":\"static\"}", "/obstacles/0/free");
}

SUITE(test_fibre_joints)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ball_hangs_on_a_fibre),
      cmocka_unit_test(test_the_period_of_a_pendulum),
      cmocka_unit_test(test_the_period_of_a_twist_pendulum),
      cmocka_unit_test(test_momenta_of_a_dumbbell),
      cmocka_unit_test(test_a_cylinder_unwinds),
      cmocka_unit_test(test_bits_of_a_pendulum),
      cmocka_unit_test(test_what_cannot_be_joined_is_refused),
  };
  return cmocka_run_group_tests_name("fibre joints", tests, NULL, NULL);
}
