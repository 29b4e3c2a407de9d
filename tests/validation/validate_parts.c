/* Parts with a state of their own: what turns drags along what rubs on it, and the work of its torque is in the ledger. */
#include <math.h>

#include "tests/support/sim_run.h"

static const double g = 9.81, mu = 0.2;

/* A steel ball that touches an obstacle under gravity; friction 0.2. %s: damping ratio, place of the ball, the obstacle's shape and motion. */
static const char ball_on[] =
    "{\"scree\":1,\"name\":\"drag\",\"method\":\"bdem\",\"materials\":[{\"name\":\"steel\",\"density\":7800,\"young_modulus\":1e7,"
    "\"poisson_ratio\":0.3}],\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":%g},\"specimens\":[{\"name\":\"ball\","
    "\"material\":\"steel\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"placement\":{\"type\":\"single\","
    "\"position\":%s}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,%g]},\"obstacles\":[{\"name\":\"mover\",%s}],"
    "\"time\":{\"duration\":0.2},\"output\":{\"frame_interval\":0.01},\"options\":{\"constants_of\":\"bonds\",\"sphere_mass\":\"ball\"%s}}";

typedef struct drag {
  double friction, damping;
  const char *place;
  double gravity;
  const char *mover, *options;
} drag;

static sim_run open_drag(drag d)
{
  char text[2000];
  snprintf(text, sizeof text, ball_on, d.friction, d.damping, d.place, -d.gravity, d.mover, d.options);
  return run_open(text, 1);
}

static const char table[] = "\"shape\":{\"type\":\"plane\"},\"turn\":[{\"type\":\"constant\",\"angular_velocity\":0.05}]";

/* Of a body that does not turn. */
static double speed_of(sim_run *run)
{
  return sqrt(2 * run_curve(run, "energy.kinetic") / run_value(run, "largest_fragment_mass"));
}

/* A ball 10 m from the axis of a table that turns at 0.05 rad/s feels a floor that moves at V = 0.5 m/s. It slides with the acceleration mu g and
 * is spun up by 5/2 mu g / r until its surface keeps up with the floor, at t = 2 V / (7 mu g); then it rolls at 2/7 V: any text on rigid bodies.
 * Its kinetic energy is m v^2 / 2 (1 + 5/2) from the first moment on: v is found from it. Measured from 20 ms on, when its weight rests on the
 * contact's spring. Tolerance 1 %: the springs swing a little. */
static void test_a_ball_is_dragged_by_a_turning_table(void **state)
{
  (void)state;
  const double V = 0.5;
  sim_run run = open_drag((drag){mu, 0.5, "[10,0,0.01]", g, table, ""});
  run_until(&run, 0.02);
  double t = scr_sim_time(run.sim), before = speed_of(&run);
  run_until(&run, 0.06);
  double sliding = (speed_of(&run) - before) / sqrt(1 + 2.5) / (scr_sim_time(run.sim) - t);
  claim_relative("acceleration of a ball that a turning table drags, m/s^2", sliding, mu * g, 0.01, "rigid-body mechanics");
  double mass = run_value(&run, "largest_fragment_mass");
  claim_relative("force along the table's motion over weight", -run_value(&run, "obstacle.mover.force_y") / (mass * g), mu, 0.02,
                 "rigid-body mechanics");
  claim_relative("torque on the table about its axis over weight times radius",
                 -run_value(&run, "obstacle.mover.torque_z") / (mass * g * 10), mu, 0.02, "rigid-body mechanics");
  run_until(&run, 0.15);
  claim_relative("speed of the ball once it rolls, m/s", speed_of(&run) / sqrt(1 + 2.5), 2.0 / 7 * V, 0.02, "rigid-body mechanics");
  assert_true(fabs(run_value(&run, "energy.balance_error")) < 0.01);
  run_close(&run);
}

/* The same by implicit steps, ten times as long as stable explicit ones. */
static void test_implicit_steps_drag_it_alike(void **state)
{
  (void)state;
  sim_run run = open_drag((drag){mu, 0.5, "[10,0,0.01]", g, table, ",\"integrator\":\"implicit-euler\",\"step_ratio\":10"});
  run_until(&run, 0.05);
  double t = scr_sim_time(run.sim);
  claim_relative("speed of a ball that a turning table drags, implicit steps, m/s", speed_of(&run) / sqrt(1 + 2.5), mu * g * t, 0.02,
                 "rigid-body mechanics");
  assert_true(fabs(run_value(&run, "energy.balance_error")) < 0.01);
  run_close(&run);
}

/* A ball on top of a larger one that spins about y: friction mu N along x, and its torque -mu N R on the spinning one. */
static void test_a_spinning_ball_feels_the_torque_of_friction(void **state)
{
  (void)state;
  const double R = 0.1;
  sim_run run = open_drag((drag){mu, 0.5, "[0,0,0.01]", g,
                                 "\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"position\":[0,0,-0.1],\"axis\":[0,2,0],"
                                 "\"turn\":[{\"type\":\"constant\",\"angular_velocity\":30}]",
                                 ""});
  run_until(&run, 0.01);
  double t = scr_sim_time(run.sim), before = speed_of(&run);
  run_until(&run, 0.02);
  double mass = run_curve(&run, "largest_fragment_mass");
  claim_relative("torque on a spinning ball over weight times radius", -run_value(&run, "obstacle.mover.torque_y") / (mass * g * R), mu,
                 0.02, "rigid-body mechanics");
  claim_relative("acceleration of the ball on it, m/s^2", (speed_of(&run) - before) / sqrt(1 + 2.5) / (scr_sim_time(run.sim) - t), mu * g,
                 0.02, "rigid-body mechanics");
  assert_true(fabs(run_value(&run, "energy.balance_error")) < 0.01);
  run_close(&run);
}

/* A paddle, 0.4 m long, that turns about z at 2 rad/s meets a ball at rest 0.15 m from the axis: without friction or damping the ball leaves at
 * twice the paddle's speed there, and the paddle's torque has done its kinetic energy as work. Tolerance 2 %: the ball is not a point. */
static const drag paddle = {0,
                            0,
                            "[0.15,0.06,0]",
                            0,
                            "\"shape\":{\"type\":\"box\",\"size\":[0.4,0.02,0.1]},\"turn\":[{\"type\":\"constant\","
                            "\"angular_velocity\":2}]",
                            ""};
static void test_a_paddle_that_turns_hits_a_ball(void **state)
{
  (void)state;
  double best = 0;
  sim_run run = open_drag(paddle);
  for (int k = 0; k < 40; k++) {
    run_until(&run, 0.005 * k);
    best = fmax(best, fabs(run_curve(&run, "energy.balance_error")));
  }
  /* contact where the surface, 0.01 m from the paddle's middle line, and the ball's 0.01 m meet the ball's centre: the speed is across the face */
  double arm = sqrt(0.15 * 0.15 + 0.06 * 0.06 - 0.02 * 0.02);
  claim_relative("speed of a ball that a paddle hit, m/s", speed_of(&run), 2 * 2 * arm, 0.02, "rigid-body mechanics");
  claim_between("worst balance of energy while a paddle hits a ball", best, 0, 0.01, "conservation of energy");
  claim_relative("work of the paddle's torque over the ball's kinetic energy",
                 run_value(&run, "energy.external") / run_value(&run, "energy.kinetic"), 1, 0.01, "rigid-body mechanics");
  run_close(&run);
}

/* Runs the scene to `before`, saves it, goes on in a fresh simulation to `after`, and compares all its bits with the run that was not interrupted. */
static void test_turning_parts_resume_with_the_same_bits(void **state)
{
  (void)state;
  sim_run one = open_drag(paddle), other = open_drag(paddle);
  scr_blob blob = {0};
  run_until(&one, 0.08);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(other.sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  run_steps(&one, 2000);
  run_steps(&other, 2000);
  assert_same_state(one.sim, other.sim);
  run_close(&one);
  run_close(&other);
}

/* A brick of nodes on the table of the first test, 10 m from its axis and without damping of its own: it slides with mu g. */
static const char brick_on_a_table[] =
    "{\"scree\":1,\"name\":\"brick\",\"method\":\"peridem\",\"materials\":[{\"name\":\"rubber\",\"density\":1000,\"bulk_modulus\":1e6}],"
    "\"contact\":{\"friction_coefficient\":0.2,\"damping_ratio\":0.3},\"specimens\":[{\"name\":\"brick\",\"material\":\"rubber\","
    "\"spacing\":0.01,\"shape\":{\"type\":\"box\",\"size\":[0.08,0.08,0.04]},\"placement\":{\"type\":\"single\",\"position\":[10,0,0.02]}}]"
    ","
    "\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"mover\",\"shape\":{\"type\":\"plane\"},"
    "\"turn\":[{\"type\":\"constant\",\"angular_velocity\":0.05}]}],\"time\":{\"duration\":0.1},\"output\":{\"frame_interval\":0.01}}";

static void test_a_brick_of_nodes_is_dragged_alike(void **state)
{
  (void)state;
  sim_run run = run_open(brick_on_a_table, 1);
  double torque = 0, force = 0;
  size_t count = 0;
  for (run_until(&run, 0.02); scr_sim_time(run.sim) < 0.1; count++) { /* the brick bounces a little: means */
    run_steps(&run, 1);
    torque += run_curve(&run, "obstacle.mover.torque_z");
    force += run_value(&run, "obstacle.mover.force_y");
  }
  double mass = run_value(&run, "largest_fragment_mass");
  claim_relative("speed of a brick that a turning table drags, m/s", speed_of(&run), mu * g * scr_sim_time(run.sim), 0.02,
                 "rigid-body mechanics");
  claim_relative("mean force on the table over weight", -force / (double)count / (mass * g), mu, 0.05, "rigid-body mechanics");
  claim_relative("mean torque on the table over force times distance", torque / force, 10, 0.01, "rigid-body mechanics");
  assert_true(fabs(run_value(&run, "energy.balance_error")) < 0.01);
  run_close(&run);
}

/* A block 0.1 m high between platens, the upper one under a servo; method, material and options of either method. */
static const char pressed_block[] =
    "{\"scree\":1,\"name\":\"pressed\",\"method\":\"%s\",\"materials\":[{\"name\":\"rubber\",\"density\":1000,%s}],"
    "\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0.3},\"specimens\":[{\"name\":\"block\",\"material\":\"rubber\","
    "\"spacing\":0.01,\"shape\":{\"type\":\"box\",\"size\":[0.06,0.06,0.1]},\"placement\":{\"type\":\"single\","
    "\"position\":[0,0,0]}}],\"rig\":{\"type\":\"platens\",\"opening\":0.1,\"program\":[{\"type\":\"servo\",%s}]},"
    "\"time\":{\"duration\":0.2},\"output\":{\"frame_interval\":0.01},\"options\":{%s}}";

static const struct block {
  const char *method, *material, *options;
} blocks[2] = {{"peridem", "\"bulk_modulus\":1e7", "\"damping_rate\":2000"},
               {"bdem", "\"young_modulus\":1e7,\"poisson_ratio\":0.25", "\"constants_of\":\"bonds\",\"local_damping\":0.3"}};

static sim_run open_block(const struct block *block, const char *servo)
{
  char text[2000];
  snprintf(text, sizeof text, pressed_block, block->method, block->material, servo, block->options);
  return run_open(text, 1);
}

/* Settled, the platens carry what the servo is to hold. Waves have died away by 30 ms, which the block's period of 4 ms and its damping give;
 * under peridem the contacts, soft where they begin, make the servo's way longer: it nears the force by 1/e in 17 ms. */
static void test_a_servo_holds_a_force_on_an_elastic_block(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run run = open_block(&blocks[k], "\"force\":50,\"rise_time\":0.005");
    double worst = 0, settled = k ? 0.03 : 0.14;
    for (run_until(&run, settled); scr_sim_time(run.sim) < settled + 0.01;) {
      run_steps(&run, 20);
      worst = fmax(worst, fabs(run_curve(&run, "platen.top.force_z") / 50 - 1));
    }
    claim_between(k ? "worst relative error of a servo's force, bdem" : "worst relative error of a servo's force, peridem", worst, 0, 0.01,
                  "the target");
    claim_between("force on the other platen over the target", -run_value(&run, "platen.bottom.force_z") / 50, 0.99, 1.01, "statics");
    claim_between("speed of the platen that holds, m/s", fabs(run_value(&run, "platen.top.velocity")), 0, 1e-3, "statics");
    claim_between("balance of energy under a servo", fabs(run_value(&run, "energy.balance_error")), 0, 0.01, "conservation of energy");
    assert_true(run_value(&run, "platen.top.displacement") > 0);
    run_close(&run);
  }
}

/* A stress means its area: 20 kPa over 0.0036 m^2 is 72 N; and a servo never moves faster than it may. */
static void test_a_servo_holds_a_stress_within_its_speed(void **state)
{
  (void)state;
  sim_run run = open_block(&blocks[1], "\"stress\":2e4,\"area\":0.0036,\"maximum_velocity\":0.1");
  double fastest = 0;
  for (int k = 0; k < 40; k++) {
    run_until(&run, 0.001 * k);
    fastest = fmax(fastest, fabs(run_curve(&run, "platen.top.velocity")));
  }
  claim_relative("force of a servo that holds a stress, N", run_value(&run, "platen.top.force_z"), 72, 0.01, "the target");
  claim_between("largest speed of a servo that is limited to 0.1 m/s", fastest, 0.05, 0.1 * (1 + 1e-12), "the limit");
  run_close(&run);
}

static void test_servos_resume_with_the_same_bits(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run one = open_block(&blocks[k], "\"force\":50,\"rise_time\":0.005"),
            other = open_block(&blocks[k], "\"force\":50,\"rise_time\":0.005");
    scr_blob blob = {0};
    run_until(&one, 0.003);
    assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
    assert_int_equal(sim_load(other.sim, &blob, NULL), SCR_OK);
    scr_blob_destroy(&blob);
    run_steps(&one, 200);
    run_steps(&other, 200);
    assert_same_state(one.sim, other.sim);
    run_close(&one);
    run_close(&other);
  }
}

/* Problems of a servo, by the place they are at. */
static void assert_servo_refused(int method, const char *servo, const char *pointer)
{
  char text[2000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, pressed_block, blocks[method].method, blocks[method].material, servo, blocks[method].options);
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_string_equal(problems.items[0].pointer, pointer);
  scr_problems_clear(&problems);
}

static void test_servos_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    assert_servo_refused(k, "\"duration\":1", "/rig/program/0/force");
    assert_servo_refused(k, "\"force\":1,\"stress\":1", "/rig/program/0/stress");
    assert_servo_refused(k, "\"force\":1,\"gain\":100", "/rig/program/0/gain"); /* above the stable bound */
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ball_is_dragged_by_a_turning_table),
      cmocka_unit_test(test_implicit_steps_drag_it_alike),
      cmocka_unit_test(test_a_spinning_ball_feels_the_torque_of_friction),
      cmocka_unit_test(test_a_paddle_that_turns_hits_a_ball),
      cmocka_unit_test(test_turning_parts_resume_with_the_same_bits),
      cmocka_unit_test(test_a_brick_of_nodes_is_dragged_alike),
      cmocka_unit_test(test_a_servo_holds_a_force_on_an_elastic_block),
      cmocka_unit_test(test_a_servo_holds_a_stress_within_its_speed),
      cmocka_unit_test(test_servos_resume_with_the_same_bits),
      cmocka_unit_test(test_servos_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
