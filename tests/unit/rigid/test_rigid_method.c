/* Method rigid as a method: rolling and spinning, parts that are free, driven or under a servo, shapes by their moments, steps that are not
 * solved. */
#include <stdio.h>
#include <unistd.h>

#include "contact/files/contact_file.h"
#include "methods/rigid/state/state.h"
#include "tests/support/folder.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 1000}], "
#define DOWN "\"gravity\": [0, 0, -9.81]"
#define FLOOR "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"width\": 1}}"
#define TIMES(duration, step)                                                                                                              \
  "\"time\": {\"duration\": " duration ", \"time_step\": " step "}, \"output\": {\"frame_interval\": " duration                            \
  ", \"sample_interval\": " duration "}"
#define CUBE_AT(z)                                                                                                                         \
  "{\"name\": \"cube\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"placement\": {\"type\": "        \
  "\"single\", \"position\": [0, 0, " z "]}}"

/* Pieces of every kind in a heap: what all tests of bits run. */
static const char *const heap =
    HEAD "\"contact\": {\"friction_coefficient\": 0.4, \"restitution\": 0.2}, \"specimens\": ["
         "{\"name\": \"balls\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.03}, \"smallest_scale\": 0.5, "
         "\"largest_scale\": 1.2, \"placement\": {\"type\": \"random\", "
         "\"minimum\": [-0.1, -0.1, 0.05], \"maximum\": [0.1, 0.1, 0.3], \"count\": 10, \"distance\": 0.075}},"
         "{\"name\": \"boxes\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.05, 0.06, 0.07]}, \"random_rotation\": "
         "true, \"placement\": {\"type\": \"lattice\", \"origin\": "
         "[-0.06, -0.06, 0.4], \"pitch\": [0.12, 0.12, 0.12], \"count\": [2, 2, 1]}},"
         "{\"name\": \"rods\", \"material\": \"m\", \"shape\": {\"type\": \"compound\", \"pieces\": [{\"shape\": {\"type\": \"cylinder\", "
         "\"radius\": 0.01, \"length\": 0.08}}, {\"shape\": {\"type\": "
         "\"capsule\", \"radius\": 0.01, \"length\": 0.04}, \"position\": [0, 0, 0.05], \"rotation\": {\"axis\": [1, 0, 0], \"angle_deg\": "
         "90}}]}, \"random_rotation\": true, \"placement\": "
         "{\"type\": \"lattice\", \"origin\": [-0.06, -0.06, 0.55], \"pitch\": [0.12, 0.12, 0.12], \"count\": [2, 2, 1]}}],"
         "\"rig\": {\"type\": \"box\", \"minimum\": [-0.15, -0.15, 0], \"maximum\": [0.15, 0.15, 1], " DOWN
         "}, " TIMES("1", "0.004") ", \"options\": {\"tolerance\": 1e-4}}";

/* What rests is solved by what was found in the step before: 64 balls in columns that have come to rest take one look (10 sweeps) or none a
 * step by the impulses kept under the contacts' names, and more than five times as many sweeps when these are forgotten before each step,
 * as impulses have to come up from the floor again. Counts of sweeps, not times. */
static void test_resting_balls_start_from_the_step_before(void **state)
{
  (void)state;
  static const char *const columns = HEAD
      "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"balls\", \"material\": \"m\", \"shape\": {\"type\": "
      "\"sphere\", \"radius\": 0.05}, \"placement\": {\"type\": "
      "\"lattice\", \"origin\": [-0.3, 0, 0.05], \"pitch\": [0.2, 0.1, 0.1], \"count\": [4, 1, 16]}}], \"rig\": {\"type\": \"none\", " DOWN
      "}, \"obstacles\": [" FLOOR "], " TIMES("1", "0.002") ", "
                                                            "\"options\": {\"tolerance\": 1e-3, \"solver\": \"gauss-seidel\"}}";
  uint64_t sweeps[2] = {0};
  for (int forget = 0; forget < 2; forget++) {
    sim_run r = run_open(columns, 1);
    rigid_state *s = r.sim->state;
    run_steps(&r, 5);
    for (int k = 0; k < 20; k++) {
      if (forget) warm_start_clear(&s->warm);
      run_steps(&r, 1);
      sweeps[forget] += s->report.iterations;
      assert_int_equal(s->contact_count, 64);
    }
    assert_int_equal(s->report.unsolved, 0);
    run_close(&r);
  }
  print_message("# sweeps of 20 steps: %llu, from nothing %llu\n", (unsigned long long)sweeps[0], (unsigned long long)sweeps[1]);
  assert_true(sweeps[0] <= 20 * 10 && sweeps[1] > 5 * sweeps[0]);
}

/* A run in a folder keeps the problems that the scene asks for: every second step, four at most. Each file, read again and solved with the
 * tolerance of the scene from nothing, has the solution that came with it: the same velocities, which are unique here (one body, three
 * points that stick). */
static void test_problems_of_steps_are_kept_in_files(void **state)
{
  (void)state;
  char *folder = folder_create(), path[500];
  sim_run r = run_open(
      HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [" CUBE_AT(
          "0.05") "], \"rig\": {\"type\": \"none\", \"gravity\": [2, 0, -9]}, \"obstacles\": [" FLOOR
                  "], " TIMES("0.1", "0.005") ", \"options\": {\"tolerance\": 1e-9, \"recorded_problems\": 4, \"recorded_every\": 2}}",
      1);
  const scr_run_options options = {.directory = folder, .threads = 1};
  scr_error error = {0};
  if (scr_run(r.scene, &options, &error) != SCR_OK) run_fail("run", error.message);
  for (int step = 1; step <= 10; step++) {
    snprintf(path, sizeof path, "%s/problems/step_%09d.hdf5", folder, step);
    bool wanted = step % 2 == 1 && step < 9;
    assert_int_equal(access(path, R_OK) == 0, wanted);
    if (!wanted) continue;
    contact_file file = {0};
    if (contact_file_read(path, &file, &error) != SCR_OK) run_fail(path, error.message);
    assert_int_equal(file.problem.contact_count, 4);
    double impulse[12] = {0}, velocity[6], relative[12];
    contact_options given = contact_options_default();
    contact_result result;
    given.tolerance = 1e-9;
    assert_int_equal(contact_solve(&file.problem, &given, impulse, velocity, relative, &result, NULL), SCR_OK);
    for (int k = 0; k < 6; k++) assert_true(fabs(velocity[k] - file.velocity[k]) < 1e-9);
    contact_file_clear(&file);
  }
  run_steps(&r, 5); /* nobody runs this one in a folder: nothing is kept, nothing fails */
  assert_int_equal(((const rigid_state *)r.sim->state)->kept.count, 0);
  uint64_t bytes;
  static const char *const no_names[] = {"a", "/a", "a/", "../a", "a/..", "a/b/c", "a/B"};
  for (size_t k = 0; k < sizeof no_names / sizeof *no_names; k++)
    assert_int_equal(sim_write_file(&r.sim->files, no_names[k], NULL, NULL, &bytes, NULL), SCR_BAD_USAGE);
  folder_remove(folder);
  run_close(&r);
}

#define BALL(z)                                                                                                                            \
  "{\"name\": \"ball\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"placement\": {\"type\": \"single\", "   \
  "\"position\": [0, 0, " z "]}"
#define ROLLING "\"contact\": {\"friction_coefficient\": 0.5, \"rolling_resistance\": 0.01}, \"specimens\": ["

/* A ball that rolls at 2 m/s is slowed by b g / (R + I / (m R)) = 0.01 g / 0.14, and then rests: Newton and Euler with the couple b N
 * against the spin. The first step knows no load yet. Tolerance: that step's share. Energy is kept account of. */
static void test_rolling_resistance_slows_a_ball(void **state)
{
  (void)state;
  sim_run r =
      run_open(HEAD ROLLING BALL("0.1") ", \"velocity\": [2, 0, 0], \"angular_velocity\": [0, 20, 0]}], \"rig\": {\"type\": \"none\", " DOWN
                                        "}, \"obstacles\": [" FLOOR "], " TIMES("4", "0.005") ", \"options\": {\"tolerance\": 1e-10}}",
               1);
  run_steps(&r, 200);
  double slowed = 9.81 * 0.01 / 0.14;
  assert_true(fabs(run_curve(&r, "first.velocity_x") - (2 - slowed * (1 - 0.005))) < 1e-6);
  assert_true(fabs(run_value(&r, "energy.balance_error")) < 1e-9);
  run_steps(&r, 500);
  assert_true(run_curve(&r, "speed") < 1e-9);
  assert_true(fabs(run_value(&r, "energy.friction") - 0.7 * 4.1887902 * 4) < 0.05); /* m v^2 7/10, but for what the scheme takes */
  run_close(&r);
}

/* On a slope whose tangent is below b / R = 0.1 a ball stays, above it rolls. */
static void test_a_ball_rolls_down_slopes_that_are_steep_enough(void **state)
{
  (void)state;
  const double slope[2] = {0.098, 0.102};
  for (int k = 0; k < 2; k++) {
    char text[1500];
    snprintf(text, sizeof text,
             HEAD ROLLING BALL("0.1") "}], \"rig\": {\"type\": \"none\", \"gravity\": [%.6f, 0, -10]}, \"obstacles\": [" FLOOR
                                      "], " TIMES("4", "0.005") ", \"options\": {\"tolerance\": 1e-10}}",
             10 * slope[k]);
    sim_run r = run_open(text, 1);
    run_steps(&r, 10);
    double begun = run_curve(&r, "first.velocity_x");
    run_steps(&r, 190);
    double gained = run_curve(&r, "first.velocity_x") - begun;
    if (k == 0) assert_true(run_value(&r, "speed") < 1e-9);
    if (k == 1) assert_true(fabs(gained - 0.95 * 10 * 0.002 / 1.4) < 1e-6);
    run_close(&r);
  }
}

/* A ball that spins upright at 20 rad/s is braked by b N: I w / (b m g) = 0.4 R^2 w / (b g) = 0.8155 s until it rests. */
static void test_a_spinning_ball_comes_to_rest(void **state)
{
  (void)state;
  sim_run r =
      run_open(HEAD ROLLING BALL("0.1") ", \"angular_velocity\": [0, 0, 20]}], \"rig\": {\"type\": \"none\", " DOWN
                                        "}, \"obstacles\": [" FLOOR "], " TIMES("4", "0.005") ", \"options\": {\"tolerance\": 1e-10}}",
               1);
  run_steps(&r, 81);
  double left = 20 - 80 * 0.005 * 0.01 * 9.81 / (0.4 * 0.01); /* the first step knows no load */
  run_observe(&r);
  assert_true(fabs(hypot(hypot(run_value(&r, "first.spin_1"), run_value(&r, "first.spin_2")), run_value(&r, "first.spin_3")) - left) <
              1e-6);
  assert_true(fabs(run_value(&r, "energy.balance_error")) < 1e-9);
  run_steps(&r, 100);
  assert_true(run_curve(&r, "energy.kinetic") < 1e-15);
  run_close(&r);
}

/* A plate of 4 kg that nothing drives falls on a cube that lies on the floor: the cube carries both weights, and the plate rests on it. */
static void test_free_parts_lie_on_bodies(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [" CUBE_AT(
                           "0.05") "], \"rig\": {\"type\": \"none\", " DOWN "}, \"obstacles\": [" FLOOR
                                   ", {\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.1]}, \"position\": [0, "
                                   "0, 0.16], \"free\": {\"density\": 1000}}], " TIMES("1", "0.005") "}",
                       1);
  run_steps(&r, 100);
  assert_true(fabs(run_curve(&r, "obstacle.floor.force_z") + 5 * 9.81) < 1e-4);
  assert_true(fabs(run_value(&r, "obstacle.plate.force_z") - 4 * 9.81) < 1e-4);
  assert_true(fabs(run_value(&r, "obstacle.plate.z") - 0.15) < 1e-5);
  assert_true(fabs(run_value(&r, "energy.balance_error")) < 1e-5); /* an overlap was removed under the plate, which lifted it */
  run_close(&r);
}

/* Parts stand in each other here: a box and a driven one in the floor and in one another, a free ball in both. Nothing that bodies do not
 * move may be in a contact with its like (the problem would have a row of zeros), and parts do not touch parts: there are the cube's four
 * corners on the floor, or its side on the box that comes, and the ball falls as if nothing was there, by -g dt^2 k (k + 1) / 2 after k
 * steps. */
static void test_parts_never_touch_each_other(void **state)
{
  (void)state;
  sim_run r =
      run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [" CUBE_AT(
                   "0.05") "], \"rig\": {\"type\": \"none\", " DOWN "}, \"obstacles\": [" FLOOR ", "
                           "{\"name\": \"sunk\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}, \"position\": [0.5, 0, 0.05]}, "
                           "{\"name\": \"driven\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}, \"position\": [0.4, 0, "
                           "0.05], \"direction\": [-1, 0, 0], \"program\": [{\"type\": \"constant\", "
                           "\"velocity\": 0.5}]}, {\"name\": \"loose\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"position\": "
                           "[0.45, 0, 0.02], \"free\": {\"density\": 1000}}], " TIMES("1", "0.01") "}",
               1);
  const rigid_state *s = r.sim->state;
  bool corners = false, pushed = false;
  for (int k = 1; k <= 60; k++) {
    run_steps(&r, 1);
    bool now_pushed = false;
    for (size_t i = 0; i < s->contact_count; i++) {
      const geo_touch *touch = &s->contacts[i].touch;
      assert_int_equal(touch->a, 0); /* the cube */
      assert_true(touch->b > 1);     /* no other body: the ball is body 1 */
      now_pushed = now_pushed || touch->b != 2;
    }
    corners = corners || s->contact_count == 4;
    pushed = pushed || now_pushed;
    assert_true(fabs(s->bodies[1].centre.z - (0.02 - 9.81 * 1e-4 * k * (k + 1) / 2)) < 1e-12);
  }
  assert_true(corners);
  assert_true(pushed);
  run_close(&r);
}

/* A wall under a force of 50 N comes down on a cube of 1 kg at its gain's speed and presses it: the floor then carries the weight and the
 * force, exactly, though the cube is rigid. */
static void test_a_servo_presses_rigid_bodies(void **state)
{
  (void)state;
  sim_run r =
      run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [" CUBE_AT(
                   "0.05") "], \"rig\": {\"type\": \"box\", \"minimum\": [-1, -1, 0], \"maximum\": [1, 1, 0.15], " DOWN
                           ", \"walls\": {\"z_max\": {\"program\": [{\"type\": \"servo\", \"force\": 50, \"gain\": 0.01}]}}}, " TIMES(
                               "1", "0.005") ", \"options\": {\"tolerance\": 1e-9}}",
               1);
  run_steps(&r, 10);
  assert_true(fabs(run_curve(&r, "wall.z_max.velocity") - 0.5) < 1e-9); /* nothing to press yet */
  run_steps(&r, 90);
  assert_true(fabs(run_curve(&r, "wall.z_max.force_z") - 50) < 1e-5);
  assert_true(fabs(run_value(&r, "wall.z_min.force_z") + 50 + 9.81) < 1e-5);
  assert_true(fabs(run_value(&r, "wall.z_max.displacement") - 0.05) < 1e-6);
  run_close(&r);
}

/* The curve of a bed's slope is the angle from straight below an axis to the centre of mass, about the axis: of a cube that is put there by
 * any angle, under gravity along z and along x. */
static void test_the_slope_of_a_bed_is_its_centres_angle(void **state)
{
  (void)state;
  static const double angle[4] = {0.3, -0.3, 1.2, 3};
  for (int k = 0; k < 8; k++) {
    char text[1200];
    double a = angle[k / 2];
    scr_vec3 place = k % 2 ? vec3(cos(a), 7, -sin(a)) : vec3(-sin(a), 7, -cos(a));
    snprintf(text, sizeof text,
             HEAD
             "\"specimens\": [{\"name\": \"c\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, "
             "\"placement\": {\"type\": \"single\", \"position\": [%.15g, %.15g, "
             "%.15g]}}], \"rig\": {\"type\": \"none\", \"gravity\": [%s, 5, %s]}, \"obstacles\": [" FLOOR
             ", {\"name\": \"o\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.2, 0.3]}, \"position\": "
             "[0.5, 0, 9], \"axis\": [0, 2, 0], \"turn\": [{\"type\": \"constant\", \"angular_velocity\": 1}]}], " TIMES("1", "0.01") "}",
             place.x + 0.5, place.y, place.z + 9, k % 2 ? "9" : "0", k % 2 ? "0" : "-9");
    sim_run r = run_open(text, 1);
    run_observe(&r);
    assert_true(fabs(run_value(&r, "bed.slope") - a) < 1e-12);
    run_close(&r);
  }
}

/* A belt, a plane that is driven along x, takes a cube along: with mu g until both go alike, then exactly at its speed. */
static void test_a_driven_plane_takes_a_cube_along(void **state)
{
  (void)state;
  sim_run r = run_open(
      HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [" CUBE_AT(
          "0.05") "], \"rig\": {\"type\": \"none\", " DOWN "}, \"obstacles\": [{\"name\": \"belt\", \"shape\": {\"type\": "
                  "\"plane\", \"width\": 1}, \"direction\": [1, 0, 0], \"program\": [{\"type\": \"constant\", \"velocity\": 1}]}], " TIMES(
                      "1", "0.005") ", \"options\": {\"tolerance\": 1e-9}}",
      1);
  run_steps(&r, 20);
  assert_true(fabs(run_curve(&r, "first.velocity_x") - 0.5 * 9.81 * 0.1) < 1e-7);
  run_steps(&r, 60);
  assert_true(fabs(run_curve(&r, "first.velocity_x") - 1) < 1e-7);
  assert_true(fabs(run_value(&r, "energy.balance_error")) < 1e-9);
  run_close(&r);
}

/* Two bodies that hold each other by 20 N at a contact: a cube of 1 kg hangs below a block, one of 3 kg falls. Reference: 9.81 N and 29.4
 * N. */
static void test_adhesion_holds_what_is_light_enough(void **state)
{
  (void)state;
  const char *const density[2] = {"1000", "3000"};
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": %s}], \"contact\": "
             "{\"friction_coefficient\": 0.5, \"adhesion\": 20}, \"specimens\": [" CUBE_AT(
                 "-0.05") "], \"rig\": {\"type\": \"none\", " DOWN
                          "}, \"obstacles\": [{\"name\": \"block\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}, \"position\": [0, "
                          "0, 0.5]}], " TIMES("1", "0.005") "}",
             density[k]);
    sim_run r = run_open(text, 1);
    run_steps(&r, 40);
    double fallen = -0.05 - run_curve(&r, "first.z");
    assert_true(k == 0 ? fabs(fallen) < 1e-6 : fallen > 0.05);
    run_close(&r);
  }
}

/* Moments of a capsule and of a compound: by closed forms, and as a box cut in two is the whole box. */
static void test_shapes_weigh_what_they_should(void **state)
{
  (void)state;
  const scr_shape capsule = {.kind = SCR_SHAPE_CAPSULE, .radius = 1, .length = 2};
  rigid_shape shape = {0};
  assert_int_equal(rigid_shape_create(&capsule, false, &shape, NULL), SCR_OK);
  double rod = 2 * M_PI, ball = 4.0 / 3 * M_PI,
         across = rod * (3 + 4) / 12 + ball * (0.4 + 1 + 0.75); /* m (2/5 r^2 + h^2 + 3/4 h r), h = 1 */
  assert_true(fabs(shape.unit.mass - rod - ball) < 1e-12);
  assert_true(fabs(shape.unit.moments.x - across) < 1e-12 && fabs(shape.unit.moments.z - (0.5 * rod + 0.4 * ball)) < 1e-12);
  rigid_shape_clear(&shape);
  scr_shape_piece half[2] = {{.shape = {.kind = SCR_SHAPE_BOX, .size = {1, 2, 3}}, .position = {0.5, 0, 0}, .rotation = {{0, 0, 1}, 0}},
                             {.shape = {.kind = SCR_SHAPE_BOX, .size = {2, 1, 3}}, .position = {1.5, 0, 0}, .rotation = {{0, 0, 1}, 90}}};
  const scr_shape compound = {.kind = SCR_SHAPE_COMPOUND, .pieces = half, .piece_count = 2};
  assert_int_equal(rigid_shape_create(&compound, true, &shape, NULL), SCR_OK); /* a box of 2, 2, 3 about (1, 0, 0) */
  double low = fmin(shape.unit.moments.x, fmin(shape.unit.moments.y, shape.unit.moments.z));
  assert_true(fabs(shape.unit.mass - 12) < 1e-12 && fabs(shape.unit.centre.x - 1) < 1e-12);
  assert_true(fabs(low - 8) < 1e-12 && fabs(shape.unit.moments.x + shape.unit.moments.y + shape.unit.moments.z - 8 - 26) < 1e-12);
  assert_int_equal(shape.picture.triangle_count, 24);
  rigid_shape_clear(&shape);
}

/* A cube that two walls squeeze at a distance less than its edge has nowhere to go: the run goes on without a NaN, and the steps are told.
 * */
static void test_what_has_no_solution_is_told(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.8}, \"specimens\": [" CUBE_AT(
                           "0.05") "], \"rig\": {\"type\": \"box\", \"minimum\": [-1, -1, 0], \"maximum\": [1, 1, 0.1], " DOWN
                                   ", \"walls\": {\"z_max\": {\"program\": [{\"type\": \"constant\", \"velocity\": -0.1}]}}}, " TIMES(
                                       "0.5", "0.005") ", \"options\": {\"solver\": \"gauss-seidel\", \"iterations\": 50}}",
                       1);
  run_steps(&r, 3);
  assert_true(run_curve(&r, "unsolved_steps") == 3 && isfinite(run_value(&r, "energy.kinetic")));
  run_close(&r);
}

/* A ball thrown up in steps of 0.05 s, far from all: its place after 1 s is z + v t - g t^2/2 to rounding, whatever the step (0.25 m lower
 * where places follow with the velocity of the end), and gravity's work is what it lost. */
static void test_flight_is_exact_where_nothing_touches(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"specimens\": [" BALL("1") ", \"velocity\": [1, 0, 10]}], \"rig\": {\"type\": \"none\", " DOWN
                                                         "}, \"obstacles\": [" FLOOR "], " TIMES("1", "0.05") "}",
                       1);
  run_steps(&r, 20);
  run_observe(&r);
  assert_true(fabs(run_value(&r, "first.z") - (1 + 10 - 9.81 / 2)) < 1e-12 && fabs(run_value(&r, "first.x") - 1) < 1e-12);
  assert_true(fabs(run_value(&r, "energy.balance_error")) < 1e-12 && fabs(run_value(&r, "energy.impact")) < 1e-9);
  run_close(&r);
}

#define PRESSED(closing, solver)                                                                                                           \
  HEAD "\"contact\": {\"friction_coefficient\": 0}, \"specimens\": [" BALL(                                                                \
      "0.1") "}], \"rig\": {\"type\": \"box\", \"minimum\": [-1, -1, 0], \"maximum\": [1, 1, 0.2], " DOWN                                  \
             ", \"walls\": {\"z_max\": {\"program\": [{\"type\": \"constant\", \"velocity\": -" closing                                    \
             "}]}}}, " TIMES("1", "0.005") ", \"options\": {" solver "}}"

/* Walls that close on a ball at 1 cm/s for 0.1 s: every step is left unsolved, says so as a doubt with their number, and no wall bears 1e8
 * N. At 0.1 m/s the run fails once the ball is a tenth of its radius deep: 0.01 m on both sides after 0.2 s. */
static void test_closing_walls_are_a_doubt_and_then_a_failure(void **state)
{
  (void)state;
  sim_run r = run_open(PRESSED("0.01", ""), 1);
  run_steps(&r, 20);
  assert_true(run_curve(&r, "unsolved_steps") == 20);
  assert_true(r.sim->doubt_count == 1 && strcmp(r.sim->doubts[0].kind, "unsolved_steps") == 0 &&
              strstr(r.sim->doubts[0].message, "20 of 20 steps"));
  run_close(&r);
  r = run_open(PRESSED("0.1", ""), 1);
  scr_error error = {0};
  scr_status status = SCR_OK;
  while (status == SCR_OK && r.sim->steps < 200) status = scr_sim_step(r.sim, &error);
  assert_int_equal(status, SCR_DIVERGED);
  assert_true(strstr(error.message, "overlap each other") && fabs(r.sim->time - 0.2) < 0.02);
  run_close(&r);
}

/* 27 balls in a box that a wall crushes at 1 cm/s, by default options: after 3 mm nothing has room, and the run goes on as a doubt with the
 * number of steps, the residual and the overlap, until balls are a tenth of their radius deep, and fails there. Work is bounded: of 150
 * steps without a solution only the first few look for it with more than 16 factorisations (each took 1000 and a second before). */
static void test_crushed_balls_end_in_bounded_work(void **state)
{
  (void)state;
  sim_run r = run_open(
      HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"balls\", \"material\": \"m\", \"shape\": {\"type\": "
           "\"sphere\", \"radius\": 0.05}, \"placement\": {\"type\": \"lattice\", "
           "\"origin\": [-0.1, -0.1, 0.05], \"pitch\": [0.1, 0.1, 0.1], \"count\": [3, 3, 3]}}], \"rig\": {\"type\": \"box\", \"minimum\": "
           "[-0.15, -0.15, 0], \"maximum\": [0.15, 0.15, 0.303], " DOWN
           ", \"walls\": {\"z_max\": {\"program\": [{\"type\": \"constant\", \"velocity\": -0.01}]}}}, \"time\": {\"duration\": 5}}",
      1);
  const rigid_state *s = r.sim->state;
  scr_error error = {0};
  scr_status status = SCR_OK;
  uint64_t factorisations = 0;
  while (status == SCR_OK && r.sim->time < 5) {
    status = scr_sim_step(r.sim, &error);
    factorisations += s->report.factorisations;
    if (s->report.unsolved == 0 || s->report.unsolved > 10 || s->report.in_a_row == 0) continue;
    assert_true(r.sim->doubt_count == 1 && strstr(r.sim->doubts[0].message, "steps were not solved"));
  }
  print_message("# %s at %.3g s: %llu steps unsolved, %llu factorisations\n", error.message, r.sim->time,
                (unsigned long long)s->report.unsolved, (unsigned long long)factorisations);
  assert_int_equal(status, SCR_DIVERGED);
  assert_true(strstr(error.message, "overlap each other") && s->report.unsolved > 30 && factorisations < 2000 + 20 * s->report.unsolved);
  run_close(&r);
}

/* Twelve balls on each other that begin 1e-4 of their radius in one another: moving the upper ones apart has to pass through the column,
 * and after twenty steps nothing lies deeper than twice what is tolerated. (Sweeps that don't reach the top leave all as it was, 50 times
 * that, for good.) None gains speed by it. */
static void test_overlaps_of_a_column_go_away(void **state)
{
  (void)state;
  sim_run r = run_open(
      HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"balls\", \"material\": \"m\", \"shape\": {\"type\": "
           "\"sphere\", \"radius\": 0.05}, \"placement\": {\"type\": \"lattice\", "
           "\"origin\": [0, 0, 0.05], \"pitch\": [0.1, 0.1, 0.09995], \"count\": [1, 1, 12]}}], \"rig\": {\"type\": \"none\", " DOWN
           "}, \"obstacles\": [" FLOOR "], " TIMES("1", "0.005") "}",
      1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 20);
  print_message("# deepest overlap over what is tolerated: %.3g\n", s->report.penetration / s->penetration);
  assert_true(s->report.penetration < 2 * s->penetration && run_curve(&r, "energy.kinetic") < 1e-12);
  run_close(&r);
}

/* A column of five cubes of which each step gets one iteration of ADMM sinks into itself: a doubt from the first step on, then a failure,
 * no success. */
static void test_a_column_that_is_not_solved_fails(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"cubes\", \"material\": \"m\", "
                            "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"placement\": "
                            "{\"type\": \"lattice\", \"origin\": [0, 0, 0.05], \"pitch\": [0.1, 0.1, 0.1], \"count\": [1, 1, 5]}}], "
                            "\"rig\": {\"type\": \"none\", " DOWN "}, \"obstacles\": [" FLOOR
                            "], " TIMES("3", "0.005") ", \"options\": {\"solver\": \"admm\", \"iterations\": 1}}",
                       1);
  scr_error error = {0};
  run_steps(&r, 1);
  assert_int_equal(r.sim->doubt_count, 1);
  scr_status status = SCR_OK;
  while (status == SCR_OK && r.sim->steps < 600) status = scr_sim_step(r.sim, &error);
  assert_int_equal(status, SCR_DIVERGED);
  run_close(&r);
}

/* 20 cubes on each other at the default tolerance: in 1000 steps of 5 ms no cube moves by 1e-10 of its edge (1e-5 before what rests was
 * solved on), nor is a step left unsolved. */
static void test_a_stack_rests_by_default(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"cubes\", \"material\": \"m\", "
                            "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"placement\": "
                            "{\"type\": \"lattice\", \"origin\": [0, 0, 0.05], \"pitch\": [0.1, 0.1, 0.1], \"count\": [1, 1, 20]}}], "
                            "\"rig\": {\"type\": \"none\", " DOWN "}, \"obstacles\": [" FLOOR "], " TIMES("10", "0.005") "}",
                       1);
  const rigid_state *s = r.sim->state;
  double moved = 0;
  run_steps(&r, 1000);
  for (size_t i = 0; i < 20; i++) moved = fmax(moved, vec3_length(vec3_sub(s->bodies[i].centre, vec3(0, 0, 0.05 + 0.1 * (double)i))));
  print_message("# largest way of a cube in 1000 steps: %.3g m\n", moved);
  assert_true(moved < 1e-11 && s->report.unsolved == 0);
  run_close(&r);
}

/* Painleve's rod: a rod of 0.2 m that leans by 30 degrees is pushed over a floor, lower end ahead. Where 1 + 3 sin^2 - 3 mu sin cos < 0,
 * from mu = 1.347 on, no forces keep it sliding: below that it slows down by a few per cent in a step, above it jams in the first, an
 * impact without a collision, and the end stands. Reference: Genot, Brogliato 1999. Energy falls, and nothing is lost of a number. */
static void test_painleves_rod_jams(void **state)
{
  (void)state;
  const double friction[2] = {1.2, 1.5};
  for (int k = 0; k < 2; k++) {
    char text[1500];
    snprintf(text, sizeof text,
             HEAD "\"contact\": {\"friction_coefficient\": %.2f}, \"specimens\": [{\"name\": \"rod\", \"material\": \"m\", \"shape\": "
                  "{\"type\": \"capsule\", \"radius\": 0.001, \"length\": 0.2}, \"placement\": {\"type\": "
                  "\"single\", \"position\": [0, 0, 0.08760254]}, \"rotation\": {\"axis\": [0, 1, 0], \"angle_deg\": 30}, \"velocity\": "
                  "[-1, 0, 0]}], \"rig\": {\"type\": \"none\", " DOWN "}, \"obstacles\": [" FLOOR
                  "], " TIMES("0.2", "0.0005") ", \"options\": {\"tolerance\": 1e-9}}",
             friction[k]);
    sim_run r = run_open(text, 1);
    run_observe(&r);
    double before = run_value(&r, "energy.kinetic");
    run_steps(&r, 1);
    double left = run_curve(&r, "energy.kinetic") / before;
    if (k == 0) assert_true(left > 0.9 && left < 1 && run_value(&r, "contacts.sliding") == 1);
    if (k == 1) assert_true(left < 0.7 && run_value(&r, "contacts.sticking") == 1);
    run_steps(&r, 300);
    assert_true(run_curve(&r, "energy.kinetic") < before && fabs(run_value(&r, "energy.balance_error")) < 1e-9);
    run_close(&r);
  }
}

/* Random places keep their distance and their box, and are the same for the same seed. */
static void test_random_places_keep_their_distance(void **state)
{
  (void)state;
  sim_run one = run_open(heap, 1), two = run_open(heap, 1);
  const scr_specimen *balls = &one.scene->specimens[0];
  assert_int_equal(balls->position_count, 10);
  assert_memory_equal(balls->positions, two.scene->specimens[0].positions, 10 * sizeof *balls->positions);
  for (size_t i = 0; i < 10; i++) {
    scr_vec3 at = balls->positions[i];
    assert_true(fabs(at.x) <= 0.1 && fabs(at.y) <= 0.1 && at.z >= 0.05 && at.z <= 0.3);
    for (size_t j = 0; j < i; j++) assert_true(vec3_length(vec3_sub(at, balls->positions[j])) >= 0.075);
  }
  run_close(&one);
  run_close(&two);
}

SUITE(test_rigid_method)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resting_balls_start_from_the_step_before),
      cmocka_unit_test(test_problems_of_steps_are_kept_in_files),
      cmocka_unit_test(test_rolling_resistance_slows_a_ball),
      cmocka_unit_test(test_a_spinning_ball_comes_to_rest),
      cmocka_unit_test(test_a_ball_rolls_down_slopes_that_are_steep_enough),
      cmocka_unit_test(test_free_parts_lie_on_bodies),
      cmocka_unit_test(test_parts_never_touch_each_other),
      cmocka_unit_test(test_the_slope_of_a_bed_is_its_centres_angle),
      cmocka_unit_test(test_a_servo_presses_rigid_bodies),
      cmocka_unit_test(test_a_driven_plane_takes_a_cube_along),
      cmocka_unit_test(test_adhesion_holds_what_is_light_enough),
      cmocka_unit_test(test_shapes_weigh_what_they_should),
      cmocka_unit_test(test_what_has_no_solution_is_told),
      cmocka_unit_test(test_painleves_rod_jams),
      cmocka_unit_test(test_flight_is_exact_where_nothing_touches),
      cmocka_unit_test(test_closing_walls_are_a_doubt_and_then_a_failure),
      cmocka_unit_test(test_crushed_balls_end_in_bounded_work),
      cmocka_unit_test(test_overlaps_of_a_column_go_away),
      cmocka_unit_test(test_a_column_that_is_not_solved_fails),
      cmocka_unit_test(test_a_stack_rests_by_default),
      cmocka_unit_test(test_random_places_keep_their_distance),
  };
  return cmocka_run_group_tests_name("rigid method", tests, NULL, NULL);
}
