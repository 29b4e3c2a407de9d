/* Islands of bodies of any shape that rest: when they fall asleep, what they keep, what wakes them and what does not. */
#include "methods/rigid/state/state.h"
#include "methods/rigid/step/islands.h"
#include "methods/rigid/step/sleep.h"
#include "tests/support/picture.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

enum { SIDE = 5, COLUMNS = SIDE * SIDE, HIGH = 5, CUBES = COLUMNS * HIGH, TEXT = 32768 };
static const double edge = 0.02, pitch = 0.04, time_step = 0.002, mass = 2500 * 8e-6, gravity = 9.81;

/* 25 columns of five cubes, two edges from middle to middle, on a floor with a `program`, under gravity that leans by `slope`, rad; `more`
 * are further specimens. */
static sim_run stand(const char *options, const char *program, double slope, double friction, const char *more, unsigned threads)
{
  static char text[TEXT];
  int at =
      snprintf(text, sizeof text,
               "{\"scree\":1,\"name\":\"columns\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
               "\"friction_coefficient\":%.17g},\"rig\":{\"type\":\"none\",\"gravity\":[%.17g,0,%.17g]},\"obstacles\":[{\"name\":"
               "\"floor\",\"shape\":{\"type\":\"plane\"},\"position\":[0,0,0]%s}],\"time\":{\"duration\":10,\"time_step\":%g},\"output\":{"
               "\"frame_interval\":10,\"sample_interval\":10},\"options\":%s,\"specimens\":[{\"name\":\"cubes\",\"material\":\"m\","
               "\"shape\":{\"type\":\"box\",\"size\":[%g,%g,%g]},\"placement\":{\"type\":\"list\",\"positions\":[",
               friction, gravity * sin(slope), -gravity * cos(slope), program, time_step, options, edge, edge, edge);
  for (int k = 0; k < CUBES; k++) {
    const int row = k / SIDE % SIDE, layer = k / COLUMNS;
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.3f,%.3f,%.3f]", k ? "," : "", k % SIDE * pitch, row * pitch,
                   (layer + 0.5) * edge);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]}}%s]}", more);
  return run_open(text, threads);
}

#define USUAL "{\"accuracy\":\"usual\"}"

static double load_on_floor(const sim_run *r)
{
  return -r->sim->parts.load[0].impulse.z / time_step;
}

/* All fall asleep in the step in which they have rested for SLEEP_STEPS, in the curve and in the picture; then nothing moves by a bit,
 * nothing is solved, the floor has the weight and the energies add up. */
static void test_columns_at_rest_sleep_and_keep_their_load(void **state)
{
  (void)state;
  sim_run r = stand(USUAL, "", 0, 0.5, "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, SLEEP_STEPS - 1);
  claim_absolute("columns at rest: asleep", run_curve(&r, "asleep"), 0, 0, "not long enough");
  run_steps(&r, 2);
  claim_absolute("columns at rest: asleep", run_curve(&r, "asleep"), CUBES, 0, "all");
  picture p = take(&r);
  look(&p);
  for (uint32_t k = 0; k < CUBES; k++) assert_true(field(&p, "bodies", "asleep", k, 0) == 1);
  put_away(&p);
  rigid_body *before = malloc(CUBES * sizeof *before);
  assert_non_null(before);
  memcpy(before, s->bodies, CUBES * sizeof *before);
  run_steps(&r, 200);
  assert_memory_equal(before, s->bodies, CUBES * sizeof *before);
  free(before);
  assert_true(s->report.iterations == 0 && s->active_count == 0 && s->contact_count >= 3 * CUBES);
  claim_relative("columns asleep: force on the floor, N", load_on_floor(&r), CUBES * mass * gravity, 1e-6, "their weight");
  claim_absolute("columns asleep: kinetic energy, J", run_curve(&r, "energy.kinetic"), 0, 0, "rest");
  claim_absolute("columns asleep: energy.balance_error", run_curve(&r, "energy.balance_error"), 0, 1e-9, "all of it is booked");
  run_close(&r);
}

#define LATE                                                                                                                               \
  ",{\"name\":\"late\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},\"placement\":{\"type\":\"single\","      \
  "\"position\":[0.08,0.08,0.26]}}"

/* A cube falls 0.15 m onto the column in the middle: that wakes, and none beside it; those keep their bits, and the floor bears them all
 * along. Half a second later all 126 sleep, and the floor has one more. */
static void test_a_blow_wakes_the_island_that_it_meets(void **state)
{
  (void)state;
  sim_run r = stand(USUAL, "", 0, 0.5, LATE, 1);
  const rigid_state *s = r.sim->state;
  size_t least = CUBES;
  run_steps(&r, 60);
  claim_absolute("asleep before the blow, after 0.12 s", (double)rigid_count_asleep(s), CUBES, 0, "a fall of 0.15 m takes 0.175 s");
  rigid_body *before = malloc(CUBES * sizeof *before);
  assert_non_null(before);
  memcpy(before, s->bodies, CUBES * sizeof *before);
  for (int k = 0; k < 40; k++) {
    run_steps(&r, 1);
    size_t asleep = rigid_count_asleep(s);
    least = asleep < least ? asleep : least;
  }
  claim_absolute("fewest asleep", (double)least, CUBES - HIGH, 0, "one column of five is awake");
  for (size_t i = 0; i < CUBES; i++)
    if (i % COLUMNS != COLUMNS / 2) assert_memory_equal(&before[i], &s->bodies[i], sizeof *before);
  free(before);
  run_steps(&r, 300);
  claim_absolute("asleep in the end", (double)rigid_count_asleep(s), CUBES + 1, 0, "all");
  claim_relative("force on the floor in the end, N", load_on_floor(&r), (CUBES + 1) * mass * gravity, 1e-6, "their weight");
  claim_absolute("energy.balance_error in the end", run_curve(&r, "energy.balance_error"), 0, 1e-9, "all of it is booked");
  run_close(&r);
}

/* The floor goes away under sleepers at 3 m/s: all fall freely. */
static void test_islands_fall_with_a_floor_that_leaves(void **state)
{
  (void)state;
  enum { FALL = 20 };
  sim_run r = stand(USUAL,
                    ",\"program\":[{\"type\":\"constant\",\"velocity\":0,\"duration\":0.2},{\"type\":\"constant\",\"velocity\":-3}],"
                    "\"direction\":[0,0,1]",
                    0, 0.5, "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 100);
  assert_int_equal(rigid_count_asleep(s), CUBES);
  double before = run_curve(&r, "centroid.z");
  run_steps(&r, FALL);
  assert_int_equal(rigid_count_asleep(s), 0);
  double t = FALL * time_step, fallen = before - run_curve(&r, "centroid.z");
  claim_between("way fallen over g t^2/2", fallen / (0.5 * gravity * t * t), 1, 1 + 2.0 / FALL,
                "free fall; a step of it falls with its last speed");
  run_close(&r);
}

/* A floor that begins to slide under sleepers wakes and drags them: friction 0.5 gives them 0.1 m/s in 0.02 s. */
static void test_islands_go_with_a_floor_that_slides(void **state)
{
  (void)state;
  sim_run r = stand(USUAL,
                    ",\"program\":[{\"type\":\"constant\",\"velocity\":0,\"duration\":0.2},{\"type\":\"constant\",\"velocity\":0.1}],"
                    "\"direction\":[1,0,0]",
                    0, 0.5, "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 100);
  assert_int_equal(rigid_count_asleep(s), CUBES);
  run_steps(&r, 1);
  assert_int_equal(rigid_count_asleep(s), 0);
  run_steps(&r, 49);
  claim_relative("speed of a lowest cube, m/s", s->bodies[0].velocity.x, 0.1, 0.15, "the floor's, and the column rocks on it");
  for (size_t i = 0; i < COLUMNS; i++) assert_true(fabs(s->bodies[i].velocity.x / s->bodies[0].velocity.x - 1) < 1e-2);
  assert_true(run_curve(&r, "energy.friction") > 0);
  run_close(&r);
}

/* On a slope 0.003 degrees beyond the angle of friction columns slide, and never sleep, though they have no more than
 * g t (sin - mu cos) = 1.5e-4 m/s after 0.3 s; 0.003 degrees below it they sleep. */
static void test_what_slides_slowly_does_not_sleep(void **state)
{
  (void)state;
  const double friction = 0.1, beyond = 0.003 * M_PI / 180;
  for (int slides = 0; slides < 2; slides++) {
    sim_run r = stand(USUAL, "", atan(friction) + (slides ? beyond : -beyond), friction, "", 1);
    const rigid_state *s = r.sim->state;
    run_steps(&r, 150);
    claim_absolute(slides ? "beyond the angle of friction: asleep" : "below it: asleep", (double)rigid_count_asleep(s), slides ? 0 : CUBES,
                   0, "Coulomb's law");
    if (slides) {
      double gained = gravity * 150 * time_step * (sin(atan(friction) + beyond) - friction * cos(atan(friction) + beyond));
      claim_relative("speed of what slides, m/s", run_curve(&r, "speed"), gained, 0.02, "g t (sin - mu cos)");
    }
    run_close(&r);
  }
}

/* Nobody sleeps under exact, where a tolerance is given, or rolling is resisted. */
static void test_islands_sleep_by_default_alone(void **state)
{
  (void)state;
  static const char *const options[] = {"{}", "{\"accuracy\":\"exact\"}", "{\"tolerance\":1e-6}"};
  for (int k = 0; k < 3; k++) {
    sim_run r = stand(options[k], "", 0, 0.5, "", 1);
    run_steps(&r, 60);
    assert_int_equal(rigid_count_asleep(r.sim->state), k == 0 ? CUBES : 0);
    run_close(&r);
  }
}

/* 121 balls lie apart and sleep, swept as a pack; a cube lands beside them, and steps are solved as general problems from then on: the
 * floor has the weight of all in every step. Forces of swept sleepers are kept in another form, so that they wake once. */
static void test_balls_asleep_keep_their_load_when_a_cube_joins_them(void **state)
{
  (void)state;
  enum { ROW = 11, BALLS = ROW * ROW };
  static char text[TEXT];
  int at =
      snprintf(text, sizeof text,
               "{\"scree\":1,\"name\":\"balls\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
               "\"friction_coefficient\":0.5},\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"floor\","
               "\"shape\":{\"type\":\"plane\"},\"position\":[0,0,0]}],\"time\":{\"duration\":10,\"time_step\":%g},\"output\":{"
               "\"frame_interval\":10,\"sample_interval\":10},\"specimens\":[{\"name\":\"cube\",\"material\":\"m\",\"shape\":{\"type\":"
               "\"box\",\"size\":[0.02,0.02,0.02]},\"placement\":{\"type\":\"single\",\"position\":[-0.1,0,0.21]}},{\"name\":\"balls\","
               "\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"placement\":{\"type\":\"list\",\"positions\":[",
               time_step);
  for (int k = 0; k < BALLS; k++) {
    const int row = k / ROW;
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.3f,%.3f,0.01]", k ? "," : "", k % ROW * 0.03, row * 0.03);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]}}]}");
  sim_run r = run_open(text, 1);
  const rigid_state *s = r.sim->state;
  double weight = (mass + BALLS * 2500 * 4.0 / 3 * M_PI * 1e-6) * gravity, off = 0;
  run_steps(&r, 90);
  assert_true(s->report.pack == RIGID_SWEPT && rigid_count_asleep(s) == BALLS);
  run_steps(&r, 20); /* it has fallen 0.2 m after 0.202 s */
  for (int k = 0; k < 100; k++) {
    run_steps(&r, 1);
    off = fmax(off, fabs(load_on_floor(&r) / weight - 1));
    assert_true(rigid_count_asleep(s) >= BALLS);
  }
  assert_true(s->report.pack == RIGID_TO_TOLERANCE);
  claim_between("largest error of the force on the floor over the weight", off, 0, 1e-3, "their weight");
  claim_absolute("asleep in the end", (double)rigid_count_asleep(s), BALLS + 1, 0, "all");
  run_close(&r);
}

/* A run that goes on from a checkpoint made while all but one sleep has the same bits, through the blow, on two threads. */
static void test_islands_go_on_from_a_checkpoint(void **state)
{
  (void)state;
  sim_run one = stand(USUAL, "", 0, 0.5, LATE, 1), two = stand(USUAL, "", 0, 0.5, LATE, 2);
  scr_blob saved = {0};
  run_steps(&one, 70);
  assert_int_equal(rigid_count_asleep(one.sim->state), CUBES);
  assert_int_equal(sim_save(one.sim, &saved, NULL), SCR_OK);
  assert_int_equal(sim_load(two.sim, &saved, NULL), SCR_OK);
  scr_blob_destroy(&saved);
  run_steps(&one, 60);
  run_steps(&two, 60);
  assert_true(rigid_count_asleep(one.sim->state) < CUBES + 1);
  assert_same_state(one.sim, two.sim);
  run_close(&one);
  run_close(&two);
}

SUITE(test_rigid_islands)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns_at_rest_sleep_and_keep_their_load),
      cmocka_unit_test(test_a_blow_wakes_the_island_that_it_meets),
      cmocka_unit_test(test_islands_fall_with_a_floor_that_leaves),
      cmocka_unit_test(test_islands_go_with_a_floor_that_slides),
      cmocka_unit_test(test_what_slides_slowly_does_not_sleep),
      cmocka_unit_test(test_islands_sleep_by_default_alone),
      cmocka_unit_test(test_balls_asleep_keep_their_load_when_a_cube_joins_them),
      cmocka_unit_test(test_islands_go_on_from_a_checkpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
