/* Parts with a state of their own: what turns drags along what rubs on it, and the work of its torque is in the ledger. */
#include <math.h>

#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

static const double g = 9.81, mu = 0.2;

/* A steel ball that touches an obstacle under gravity; friction 0.2. %s: damping ratio, place of the ball, the obstacle's shape and motion.
 * */
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

/* A ball 10 m from the axis of a table that turns at 0.05 rad/s feels a floor that moves at V = 0.5 m/s. It slides with the acceleration mu
 * g and is spun up by 5/2 mu g / r until its surface keeps up with the floor, at t = 2 V / (7 mu g); then it rolls at 2/7 V: any text on
 * rigid bodies. Its kinetic energy is m v^2 / 2 (1 + 5/2) from the first moment on: v is found from it. Measured from 20 ms on, when its
 * weight rests on the contact's spring. Tolerance 1 %: the springs swing a little. */
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

/* A paddle, 0.4 m long, that turns about z at 2 rad/s meets a ball at rest 0.15 m from the axis: without friction or damping the ball
 * leaves at twice the paddle's speed there, and the paddle's torque has done its kinetic energy as work. Tolerance 2 %: the ball is not a
 * point. */
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
  /* contact where the surface, 0.01 m from the paddle's middle line, and the ball's 0.01 m meet the ball's centre: the speed is across the
   * face */
  double arm = sqrt(0.15 * 0.15 + 0.06 * 0.06 - 0.02 * 0.02);
  claim_relative("speed of a ball that a paddle hit, m/s", speed_of(&run), 2 * 2 * arm, 0.02, "rigid-body mechanics");
  claim_between("worst balance of energy while a paddle hits a ball", best, 0, 0.01, "conservation of energy");
  claim_relative("work of the paddle's torque over the ball's kinetic energy",
                 run_value(&run, "energy.external") / run_value(&run, "energy.kinetic"), 1, 0.01, "rigid-body mechanics");
  run_close(&run);
}

/* Runs the scene to `before`, saves it, goes on in a fresh simulation to `after`, and compares all its bits with the run that was not
 * interrupted. */
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
    "\"spacing\":%s,\"shape\":{\"type\":\"box\",\"size\":[0.06,0.06,0.1]},\"placement\":{\"type\":\"single\","
    "\"position\":[0,0,0]}}],\"rig\":{\"type\":\"platens\",\"opening\":0.1,\"program\":[{\"type\":\"servo\",%s}]},"
    "\"time\":{\"duration\":0.2},\"output\":{\"frame_interval\":0.01},\"options\":{%s}}";

static const struct block {
  const char *method, *material, *options, *spacing;
} blocks[2] = {{"peridem", "\"bulk_modulus\":1e7", "\"damping_rate\":2000", "0.01"},
               {"bdem", "\"young_modulus\":1e7,\"poisson_ratio\":0.25", "\"constants_of\":\"bonds\",\"local_damping\":0.3", "0.01"}};

static sim_run open_block(const struct block *block, const char *servo)
{
  char text[2000];
  snprintf(text, sizeof text, pressed_block, block->method, block->material, block->spacing, servo, block->options);
  return run_open(text, 1);
}

/* Settled, the platens carry what the servo is to hold. Waves have died away by 30 ms, which the block's period of 4 ms and its damping
 * give; under peridem the contacts, soft where they begin, make the servo's way longer: it nears the force by 1/e in 17 ms. */
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

/* A stress means its area: 20 kPa over 0.0036 m^2 is 72 N, for which the block gives way by 0.2 mm; and a servo never moves faster than it
 * may. */
static void test_a_servo_holds_a_stress_within_its_speed(void **state)
{
  (void)state;
  sim_run run = open_block(&blocks[1], "\"stress\":2e4,\"area\":0.0036,\"maximum_velocity\":0.01");
  double fastest = 0;
  for (int k = 0; k < 80; k++) {
    run_until(&run, 0.001 * k);
    fastest = fmax(fastest, fabs(run_curve(&run, "platen.top.velocity")));
  }
  claim_relative("force of a servo that holds a stress, N", run_value(&run, "platen.top.force_z"), 72, 0.01, "the target");
  claim_between("largest speed of a servo that is limited to 0.01 m/s", fastest, 0.005, 0.01 * (1 + 1e-12), "the limit");
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

/* Large steps ask the servo once each, which then goes at one velocity: the force it holds at rest is the same. Balance: the variational
 * step books the work of the force at the end of each step, which of a growing one is off in proportion to the step: 2.5 % at 5 T, half of
 * it at 2.5 T. Run twice, the second from a checkpoint in the middle of the way: the same bits. The body gives way within a step, so the
 * force follows its rise within some steps: 70 ms after it, nothing is missing. (A gain by the contacts' stiffness alone nears it by 1/e in
 * 57 ms, and has three quarters of it by then.) */
static void test_a_servo_holds_a_force_under_implicit_steps(void **state)
{
  (void)state;
#define IMPLICIT(integrator, ratio)                                                                                                        \
  {                                                                                                                                        \
    "bdem", "\"young_modulus\":1e7,\"poisson_ratio\":0.25",                                                                                \
        "\"constants_of\":\"bonds\",\"integrator\":\"" integrator "\",\"step_ratio\":" ratio, "0.02"                                       \
  }
  static const struct block implicit[2] = {IMPLICIT("implicit-euler", "10"), IMPLICIT("variational", "5")};
  for (int k = 0; k < 2; k++) { /* each notices faults of servos that the other does not */
    const char *servo = "\"force\":50,\"rise_time\":0.01";
    sim_run run = open_block(&implicit[k], servo), other = open_block(&implicit[k], servo);
    scr_blob blob = {0};
    run_until(&run, 0.005);
    assert_int_equal(sim_save(run.sim, &blob, NULL), SCR_OK);
    assert_int_equal(sim_load(other.sim, &blob, NULL), SCR_OK);
    scr_blob_destroy(&blob);
    run_steps(&run, 10);
    run_steps(&other, 10);
    assert_same_state(run.sim, other.sim);
    run_close(&other);
    double sum = 0;
    size_t count = 0;
    for (run_until(&run, 0.08); scr_sim_time(run.sim) < 0.1; count++) {
      run_steps(&run, 5);
      sum += run_curve(&run, "platen.top.force_z");
    }
    claim_relative(k ? "mean force of a servo under variational steps, N" : "mean force of a servo under implicit Euler steps, N",
                   sum / (double)count, 50, 0.01, "the target");
    claim_between(k ? "balance of energy under a servo, variational steps" : "balance of energy under a servo, implicit Euler",
                  fabs(run_value(&run, "energy.balance_error")), 0, k ? 0.04 : 0.01, "conservation of energy");
    run_close(&run);
  }
}

/* Problems of a servo, by the place they are at. */
static void assert_servo_refused(int method, const char *servo, const char *pointer)
{
  char text[2000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, pressed_block, blocks[method].method, blocks[method].material, blocks[method].spacing, servo,
           blocks[method].options);
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

/* ── parts that move freely ─────────────────────────────────────────────────────────────────────────────────────── */

/* A block of 40 x 40 x 20 mm on a fixed plane at z = 0, in a box without gravity unless given, and a free obstacle. */
static const char free_scene[] =
    "{\"scree\":1,\"name\":\"free\",\"method\":\"%s\",\"materials\":[{\"name\":\"rubber\",\"density\":1000,%s}],"
    "\"contact\":{\"friction_coefficient\":0.2,\"damping_ratio\":%g},\"specimens\":[{\"name\":\"block\",\"material\":\"rubber\","
    "\"spacing\":0.005,\"shape\":{\"type\":\"box\",\"size\":[0.04,0.04,0.02]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0.01]}}]"
    ","
    "\"rig\":{\"type\":\"none\",\"gravity\":[0,%g,%g]},\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"}},"
    "{\"name\":\"bob\",%s}],\"time\":{\"duration\":0.2},\"output\":{\"frame_interval\":0.01},\"options\":{%s}}";

static const struct block springy[2] = {{"peridem", "\"bulk_modulus\":1e7", "", "0.01"},
                                        {"bdem", "\"young_modulus\":1e7,\"poisson_ratio\":0.25", "\"constants_of\":\"bonds\"", "0.01"}};

static void write_free(char text[3000], const struct block *block, double damping, scr_vec3 gravity, const char *bob)
{
  snprintf(text, 3000, free_scene, block->method, block->material, damping, gravity.y, gravity.z, bob, block->options);
}

static sim_run open_free(const struct block *block, double damping, scr_vec3 gravity, const char *bob)
{
  char text[3000];
  write_free(text, block, damping, gravity, bob);
  return run_open(text, 1);
}

static const part_motion *bob_of(const sim_run *run)
{
  return &run->sim->parts.now[1];
}

/* Far from the block: x(t) = x0 + v t + g t^2 / 2, which velocity Verlet gives exactly. The block feels the same gravity. */
static void test_a_free_part_flies_along_a_parabola(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run run = open_free(&springy[k], 0.3, vec3(0, 0, -g),
                            "\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"position\":[1,2,3],\"free\":{\"density\":2000,"
                            "\"velocity\":[3,-2,5],\"angular_velocity\":[0,0,7]}");
    run_steps(&run, 200);
    double t = scr_sim_time(run.sim);
    scr_vec3 way = vec3_sub(bob_of(&run)->pose.position, vec3(1 + 3 * t, 2 - 2 * t, 3 + 5 * t - 0.5 * g * t * t));
    claim_between("error of a free flight over the distance, relative", vec3_length(way) / 3.7, 0, 1e-12, "Galilei");
    claim_between("error of the curve of its height, relative", fabs(run_curve(&run, "obstacle.bob.z") / bob_of(&run)->pose.position.z - 1),
                  0, 1e-15, "the same number");
    double mass = 2000 * 4.0 / 3 * M_PI * 1e-6, energy = 0.5 * mass * 38 + 0.5 * 0.4 * mass * 1e-4 * 49;
    claim_relative("energy of a free part in flight, J", run_value(&run, "energy.parts"), energy, 1e-11, "conservation of energy");
    claim_relative("angle by which it turned, rad", vec3_length(quat_log(bob_of(&run)->pose.rotation)), 7 * t, 1e-11, "free rotation");
    run_close(&run);
  }
}

static const char tumbler[] =
    "\"shape\":{\"type\":\"box\",\"size\":[0.03,0.02,0.01]},\"position\":[1,0,0],\"rotation\":{\"axis\":[1,2,3],\"angle_deg\":40},"
    "\"free\":{\"mass\":0.1,\"angular_velocity\":%s}";

/* A box that spins about its middle axis turns over again and again; its angular momentum and energy stay. @return largest error of the
 * energy */
static double tumble(double dt, bool *turned_over)
{
  scr_part part = {.is_free = true, .flight = &(scr_flight){.angular_velocity = vec3(0.01, 20, 0.01)}};
  part.mass = (scr_mass){.mass = 0.1, .moments = vec3(5e-6, 1e-5, 1.3e-5), .axes = quat_identity()};
  part_flight flight = flight_begin(&part);
  double start = flight_kinetic(&part, &flight), worst = 0;
  scr_vec3 before = flight.momentum;
  *turned_over = false;
  for (int k = 1; k * dt < 10; k++) {
    flight_kick(&part, &flight, vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0), 0.5 * dt);
    flight_drift(&part, &flight, dt, k * dt);
    flight_arrive(&flight);
    worst = fmax(worst, fabs(flight_kinetic(&part, &flight) / start - 1));
    *turned_over = *turned_over || quat_rotate(flight.rotation, vec3(0, 1, 0)).y < -0.9;
  }
  assert_true(vec3_length(vec3_sub(flight.momentum, before)) == 0); /* nothing acts */
  return worst;
}

static void test_a_box_that_spins_about_its_middle_axis_turns_over(void **state)
{
  (void)state;
  bool turned_over = false;
  double coarse = tumble(2e-3, &turned_over), fine = tumble(1e-3, &turned_over);
  assert_true(turned_over);
  claim_between("worst error of the energy of a box that tumbles, 30000 steps of 0.02 rad", fine, 0, 1e-4, "conservation of energy");
  claim_between("the same with steps twice as long, over it", coarse / fine, 3.5, 4.5, "a method of second order");
}

/* The same box in a run, its angular momentum told from its spin. */
static void test_a_tumbling_box_keeps_its_angular_momentum(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char bob[400];
    snprintf(bob, sizeof bob, tumbler, "[3000,-2000,1000]");
    sim_run run = open_free(&springy[k], 0.3, vec3(0, 0, 0), bob);
    const scr_part *form = &run.sim->parts.form[1];
    scr_vec3 spin = vec3(3000, -2000, 1000), i = form->mass.moments, own = quat_rotate(quat_conjugate(form->mass.axes), spin);
    scr_vec3 before = quat_rotate(form->mass.axes, vec3(i.x * own.x, i.y * own.y, i.z * own.z));
    assert_true(fabs(i.x / (0.1 / 12 * 5e-4) - 1) < 1e-12 && fabs(i.z / (0.1 / 12 * 13e-4) - 1) < 1e-12);
    double energy = 0.5 * vec3_dot(spin, before);
    run_steps(&run, 500);
    scr_quat axes = quat_multiply(bob_of(&run)->pose.rotation, form->mass.axes);
    own = quat_rotate(quat_conjugate(axes), bob_of(&run)->spin);
    scr_vec3 after = quat_rotate(axes, vec3(i.x * own.x, i.y * own.y, i.z * own.z));
    claim_between("change of the angular momentum of a box that tumbles, relative",
                  vec3_length(vec3_sub(after, before)) / vec3_length(before), 0, 1e-12, "conservation of angular momentum");
    claim_relative("energy of a box that tumbles, J", run_curve(&run, "energy.parts"), energy, 1e-4,
                   "conservation of energy; second order: 1e-5 at steps of 0.02 rad");
    run_close(&run);
  }
}

static const char dropped[] = "\"shape\":{\"type\":\"sphere\",\"radius\":0.008},\"position\":[0.003,0.002,0.0285],"
                              "\"free\":{\"density\":3000,\"velocity\":[0.1,0,-1]}";

/* A ball falls on a block, which lies on the floor, and rebounds: what it lost, the block has or has turned to heat. */
static void test_a_free_ball_rebounds_from_a_block(void **state)
{
  (void)state;
  static const double damping[2] = {0, 0.3};
  for (int k = 0; k < 4; k++) {
    sim_run run = open_free(&springy[k / 2], damping[k % 2], vec3(0, 0, -g), dropped);
    double worst = 0, lowest = 1;
    for (int step = 0; step < 60 && bob_of(&run)->velocity.z < 0.2; step++) {
      run_until(&run, 0.0005 * step);
      worst = fmax(worst, fabs(run_curve(&run, "energy.balance_error")));
      lowest = fmin(lowest, bob_of(&run)->pose.position.z);
    }
    claim_between("worst balance of energy while a free ball rebounds from a block", worst, 0, 0.01, "conservation of energy");
    claim_between("speed at which it rebounds, m/s", bob_of(&run)->velocity.z, 0.2, 1.0, "it can't leave faster than it came");
    assert_true(lowest < 0.028);
    run_close(&run);
  }
}

static void test_free_parts_resume_with_the_same_bits(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run one = open_free(&springy[k], 0.3, vec3(0, 0, -g), dropped), other = open_free(&springy[k], 0.3, vec3(0, 0, -g), dropped);
    scr_blob blob = {0};
    while (vec3_length(one.sim->parts.load[1].force) == 0) run_steps(&one, 1);
    run_steps(&one, 5);
    assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
    assert_int_equal(sim_load(other.sim, &blob, NULL), SCR_OK);
    scr_blob_destroy(&blob);
    run_steps(&one, 20);
    run_steps(&other, 20);
    assert_true(vec3_length(one.sim->parts.load[1].force) > 0);
    assert_same_state(one.sim, other.sim);
    run_close(&one);
    run_close(&other);
  }
}

static void assert_bob_refused(const struct block *block, const char *bob, const char *pointer)
{
  char text[3000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  write_free(text, block, 0.3, vec3(0, 0, -g), bob);
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_string_equal(problems.items[0].pointer, pointer);
  scr_problems_clear(&problems);
}

#define BALL "\"shape\":{\"type\":\"sphere\",\"radius\":0.008},\"position\":[0,0,0.1],"

static void test_free_parts_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  static const struct block implicit = {"bdem", "\"young_modulus\":1e7,\"poisson_ratio\":0.25",
                                        "\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\",\"step_ratio\":10", "0.01"},
                            damped = {"peridem", "\"bulk_modulus\":1e7", "\"damping_step\":\"explicit\"", "0.01"};
  for (int k = 0; k < 2; k++) {
    assert_bob_refused(&springy[k], BALL "\"free\":{}", "/obstacles/1/free");
    assert_bob_refused(&springy[k], BALL "\"free\":{\"mass\":1,\"density\":1}", "/obstacles/1/free");
    assert_bob_refused(&springy[k], BALL "\"free\":{\"mass\":0}", "/obstacles/1/free/mass");
    assert_bob_refused(&springy[k], BALL "\"free\":{\"mass\":-1}", "/obstacles/1/free/mass");
    assert_bob_refused(&springy[k], BALL "\"free\":{\"mass\":1,\"inertia\":[1,1,3]}", "/obstacles/1/free/inertia");
    assert_bob_refused(&springy[k], BALL "\"free\":{\"mass\":1},\"program\":[{\"type\":\"constant\",\"velocity\":1}]", "/obstacles/1/free");
    assert_bob_refused(&springy[k], BALL "\"free\":{\"mass\":1},\"turn\":[{\"type\":\"constant\",\"angular_velocity\":1}]",
                       "/obstacles/1/free");
    assert_bob_refused(&springy[k], "\"shape\":{\"type\":\"plane\"},\"position\":[0,0,-1],\"free\":{\"mass\":1}", "/obstacles/1/free");
    assert_bob_refused(&springy[k], BALL "\"free\":{\"mass\":1e-9}", "/obstacles/1/free"); /* thrown about by contacts */
  }
  assert_bob_refused(&implicit, BALL "\"free\":{\"mass\":1}", "/obstacles/1/free");
  assert_bob_refused(&damped, BALL "\"free\":{\"mass\":1}", "/obstacles/1/free");
}

/* Moments of inertia from the triangles of a mesh: of a box of 3 x 2 x 1 whose corner is the origin. */
static void test_a_mesh_has_the_moments_of_its_solid(void **state)
{
  (void)state;
  sim_run run =
      open_free(&springy[1], 0.3, vec3(0, 0, 0),
                "\"shape\":{\"type\":\"mesh\",\"scale\":0.01,\"vertices\":[[0,0,0],[3,0,0],[3,2,0],[0,2,0],[0,0,1],[3,0,1],[3,2,1],"
                "[0,2,1]],\"triangles\":[[0,2,1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[1,2,6],[1,6,5],[2,3,7],[2,7,6],[3,0,4],"
                "[3,4,7]]},\"position\":[1,0,0],\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":90},"
                "\"free\":{\"density\":1000,\"angular_velocity\":[0,0,10]}");
  const scr_mass *mass = &run.sim->parts.form[1].mass;
  claim_relative("mass of a free mesh, kg", mass->mass, 6e-3, 1e-12, "density times volume");
  claim_relative("sum of its moments, kg m^2", mass->moments.x + mass->moments.y + mass->moments.z, 6e-3 / 12 * 2 * 14e-4, 1e-12, "a box");
  claim_between("distance of its centre of mass from that of the box, m", vec3_length(vec3_sub(mass->centre, vec3(-0.01, 0.015, 0.005))), 0,
                1e-15, "a box");
  run_steps(&run, 300);
  double t = scr_sim_time(run.sim), a = 10 * t; /* the corner goes round the centre */
  scr_vec3 corner = vec3(1 - 0.01 + 0.01 * cos(a) + 0.015 * sin(a), 0.015 + 0.01 * sin(a) - 0.015 * cos(a), 0);
  claim_between("error of the way of its corner round the centre of mass, m", vec3_length(vec3_sub(bob_of(&run)->pose.position, corner)), 0,
                1e-12, "free rotation about a principal axis");
  run_close(&run);
}

SUITE(validate_parts)
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
      cmocka_unit_test(test_a_servo_holds_a_force_under_implicit_steps),
      cmocka_unit_test(test_servos_resume_with_the_same_bits),
      cmocka_unit_test(test_servos_that_make_no_sense_are_refused),
      cmocka_unit_test(test_a_free_part_flies_along_a_parabola),
      cmocka_unit_test(test_a_box_that_spins_about_its_middle_axis_turns_over),
      cmocka_unit_test(test_a_tumbling_box_keeps_its_angular_momentum),
      cmocka_unit_test(test_a_free_ball_rebounds_from_a_block),
      cmocka_unit_test(test_free_parts_resume_with_the_same_bits),
      cmocka_unit_test(test_free_parts_that_make_no_sense_are_refused),
      cmocka_unit_test(test_a_mesh_has_the_moments_of_its_solid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
