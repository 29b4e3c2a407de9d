/* Balls of a pack that rest sleep: what they keep, and what wakes them. */
#include "methods/rigid/state/state.h"
#include "methods/rigid/step/sleep.h"
#include "tests/support/picture.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

enum { SIDE = 10, LOWER = SIDE * SIDE, UPPER = (SIDE - 1) * (SIDE - 1), BALLS = LOWER + UPPER, TEXT = 32768 };
static const double radius = 0.01, time_step = 0.002, mass = 2500 * 4.0 / 3 * M_PI * 1e-6;

/* 100 balls side by side between four walls, 81 in the pockets between them: at rest from the start. The floor and one wall follow
 * programs. `more` are further specimens. */
static sim_run lay(const char *accuracy, const char *floor, const char *wall, const char *more, unsigned threads)
{
  static char text[TEXT];
  double width = 2 * SIDE * radius;
  int at = snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"layers\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
      "\"friction_coefficient\":0.2},\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":["
      "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"},\"position\":[0,0,0]%s},"
      "{\"name\":\"left\",\"shape\":{\"type\":\"plane\"},\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"position\":[0,0,0]},"
      "{\"name\":\"front\",\"shape\":{\"type\":\"plane\"},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":-90},\"position\":[0,0,0]},"
      "{\"name\":\"back\",\"shape\":{\"type\":\"plane\"},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90},\"position\":[0,%g,0]},"
      "{\"name\":\"right\",\"shape\":{\"type\":\"plane\"},\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":-90},\"position\":[%g,0,0]%s}],"
      "\"time\":{\"duration\":10,\"time_step\":%g},\"output\":{\"frame_interval\":10,\"sample_interval\":10},"
      "\"options\":{\"accuracy\":\"%s\"},\"specimens\":[{\"name\":\"balls\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\","
      "\"radius\":%g},\"placement\":{\"type\":\"list\",\"positions\":[",
      floor, width, width, wall, time_step, accuracy, radius);
  for (int k = 0; k < LOWER; k++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.3f,%.3f,%.3f]", k ? "," : "", (2 * (k % SIDE) + 1) * radius,
                   (2 * (k / SIDE) + 1) * radius, radius);
  for (int k = 0; k < UPPER; k++)
    at += snprintf(text + at, sizeof text - (size_t)at, ",[%.3f,%.3f,%.9f]", (2 * (k % (SIDE - 1)) + 2) * radius,
                   (2 * (k / (SIDE - 1)) + 2) * radius, radius * (1 + sqrt(2)));
  snprintf(text + at, sizeof text - (size_t)at, "]}}%s]}", more);
  return run_open(text, threads);
}

/* Of the floor and of what rubs along the walls. */
static double load_on_rig(const sim_run *r)
{
  double sum = 0;
  for (size_t p = 0; p < r->sim->parts.count; p++) sum -= r->sim->parts.load[p].impulse.z;
  return sum / time_step;
}

/* All sleep after SLEEP_STEPS slow steps, in the curve and in the picture; then nothing moves by a bit, the rig has the weight, no
 * sweep is done, and the energies add up. */
static void test_what_rests_sleeps_and_keeps_its_load(void **state)
{
  (void)state;
  sim_run r = lay("usual", "", "", "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, SLEEP_STEPS - 1);
  claim_absolute("layers at rest: asleep", run_curve(&r, "asleep"), 0, 0, "not long enough");
  run_steps(&r, 31);
  claim_absolute("layers at rest: asleep", run_curve(&r, "asleep"), BALLS, 0, "all");
  picture p = take(&r);
  look(&p);
  for (uint32_t k = 0; k < BALLS; k++) assert_true(field(&p, "bodies", "asleep", k, 0) == 1);
  claim_absolute("layers at rest: field asleep", field(&p, "bodies", "asleep", 0, 0), 1, 0, "it does");
  put_away(&p);
  rigid_body *before = malloc(BALLS * sizeof *before);
  assert_non_null(before);
  memcpy(before, s->bodies, BALLS * sizeof *before);
  run_steps(&r, 100);
  assert_memory_equal(before, s->bodies, BALLS * sizeof *before);
  free(before);
  assert_true(s->report.iterations == 0 && s->pack.contact_count == 0 && s->contact_count > 4 * UPPER);
  claim_relative("layers asleep: load of the rig, N", load_on_rig(&r), BALLS * mass * 9.81, 1e-5, "their weight");
  assert_true(run_curve(&r, "energy.kinetic") == 0 && fabs(run_curve(&r, "energy.balance_error")) < 1e-9);
  run_close(&r);
}

/* A ball that falls onto sleepers 0.14 s after they fell asleep: those under it wake in the step of the blow, not before; energies add up;
 * later all sleep again and the rig bears one more. */
static void test_a_blow_wakes(void **state)
{
  (void)state;
  const char *ball =
      ",{\"name\":\"late\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"placement\":{\"type\":\"single\","
      "\"position\":[0.11,0.11,0.34]}}";
  sim_run r = lay("usual", "", "", ball, 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 110);
  assert_int_equal(rigid_count_asleep(s), BALLS);
  run_steps(&r, 25); /* it has fallen 0.29 m after 0.24 s */
  size_t asleep = rigid_count_asleep(s);
  print_message("# %zu of %d asleep behind the blow\n", asleep, BALLS);
  assert_true(asleep < BALLS - 5);
  assert_true(fabs(run_curve(&r, "energy.balance_error")) < 1e-9);
  run_steps(&r, 1500);
  assert_true(fabs(run_curve(&r, "energy.balance_error")) < 1e-9);
  print_message("# %zu asleep in the end, load over weight %.5f\n", rigid_count_asleep(s), load_on_rig(&r) / ((BALLS + 1) * mass * 9.81));
  assert_true(rigid_count_asleep(s) >= BALLS);
  assert_true(fabs(load_on_rig(&r) / ((BALLS + 1) * mass * 9.81) - 1) < 1e-4);
  run_close(&r);
}

/* The floor goes away under sleepers: all fall, a little slower than in free flight, as walls rub those at the sides. */
static void test_a_floor_that_leaves_wakes(void **state)
{
  (void)state;
  const char *floor = ",\"program\":[{\"type\":\"constant\",\"velocity\":0,\"duration\":0.2},{\"type\":\"constant\",\"velocity\":-3}],"
                      "\"direction\":[0,0,1]";
  sim_run r = lay("usual", floor, "", "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 100);
  assert_int_equal(rigid_count_asleep(s), BALLS);
  run_steps(&r, 25);
  assert_int_equal(rigid_count_asleep(s), 0);
  double fallen = 0.5 * 9.81 * 0.05 * 0.05, mean = 0;
  for (size_t i = 0; i < LOWER; i++) {
    mean += (radius - s->bodies[i].centre.z) / LOWER;
    assert_true(radius - s->bodies[i].centre.z > 0.5 * fallen);
  }
  print_message("# mean fall over that in free flight %.3f\n", mean / fallen);
  assert_true(mean > 0.8 * fallen && mean < 1.05 * fallen);
  run_close(&r);
}

/* A floor that begins to slide under sleepers wakes those that it touches, and rubs them. */
static void test_a_floor_that_slides_wakes(void **state)
{
  (void)state;
  const char *floor = ",\"program\":[{\"type\":\"constant\",\"velocity\":0,\"duration\":0.2},{\"type\":\"constant\",\"velocity\":0.1}],"
                      "\"direction\":[1,0,0]";
  sim_run r = lay("usual", floor, "", "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 100);
  assert_int_equal(rigid_count_asleep(s), BALLS);
  run_steps(&r, 20);
  for (size_t i = 0; i < LOWER; i++) assert_false(rigid_is_asleep(s, i));
  assert_true(run_curve(&r, "energy.friction") > 0 && fabs(run_curve(&r, "energy.balance_error")) < 1e-9);
  run_close(&r);
}

/* A wall that held the layers back goes away slowly: the pack follows it, those of the upper layer that never touched it as well, a place a
 * step; some 30 balls of the far side may sleep on. */
static void test_a_wall_that_leaves_wakes(void **state)
{
  (void)state;
  const char *wall = ",\"program\":[{\"type\":\"constant\",\"velocity\":0,\"duration\":0.2},{\"type\":\"constant\",\"velocity\":0.2}],"
                     "\"direction\":[1,0,0]";
  sim_run r = lay("usual", "", wall, "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 100);
  assert_int_equal(rigid_count_asleep(s), BALLS);
  run_steps(&r, 100);
  size_t fell = 0;
  for (size_t i = LOWER; i < BALLS; i++) fell += s->bodies[i].centre.z < radius * (1 + sqrt(2)) - 0.1 * radius;
  print_message("# 0.2 s later %zu asleep, %zu of the upper layer fell by a tenth of their radius\n", rigid_count_asleep(s), fell);
  assert_true(fell >= SIDE - 1 && rigid_count_asleep(s) < BALLS);
  assert_true(fabs(run_curve(&r, "energy.balance_error")) < 1e-9);
  run_close(&r);
}

/* Sleepers are in checkpoints: a run that goes on from one has the same bits, through the blow, on two threads. */
static void test_sleepers_go_on_from_a_checkpoint(void **state)
{
  (void)state;
  const char *ball =
      ",{\"name\":\"late\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"placement\":{\"type\":\"single\","
      "\"position\":[0.11,0.11,0.34]}}";
  sim_run one = lay("usual", "", "", ball, 1), two = lay("usual", "", "", ball, 2);
  scr_blob saved = {0};
  run_steps(&one, 80);
  assert_int_equal(rigid_count_asleep(one.sim->state), BALLS);
  assert_int_equal(sim_save(one.sim, &saved, NULL), SCR_OK);
  assert_int_equal(sim_load(two.sim, &saved, NULL), SCR_OK);
  scr_blob_destroy(&saved);
  run_steps(&one, 60);
  run_steps(&two, 60);
  assert_true(rigid_count_asleep(one.sim->state) < BALLS);
  assert_same_state(one.sim, two.sim);
  run_close(&one);
  run_close(&two);
}

/* What rolls on and on at one and a half times g dt never sleeps, and goes as far as it should. */
static void test_what_moves_slowly_does_not_sleep(void **state)
{
  (void)state;
  static char text[TEXT];
  const double speed = 0.03;
  int at =
      snprintf(text, sizeof text,
               "{\"scree\":1,\"name\":\"drift\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
               "\"friction_coefficient\":0.2},\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"floor\","
               "\"shape\":{\"type\":\"plane\"},\"position\":[0,0,0]}],\"time\":{\"duration\":10,\"time_step\":%g},\"specimens\":[{\"name\":"
               "\"balls\",\"material\":\"m\",\"velocity\":[%g,0,0],\"angular_velocity\":[0,%g,0],\"shape\":{\"type\":\"sphere\",\"radius\":"
               "%g},\"placement\":{\"type\":\"list\",\"positions\":[",
               time_step, speed, speed / radius, radius);
  for (int k = 0; k < LOWER; k++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.3f,%.3f,%.3f]", k ? "," : "", k % SIDE * 5 * radius, k / SIDE * 5 * radius,
                   radius);
  snprintf(text + at, sizeof text - (size_t)at, "]}}]}");
  sim_run r = run_open(text, 1);
  run_steps(&r, 120);
  assert_true(run_curve(&r, "solver.pack") == 1 && run_curve(&r, "asleep") == 0);
  assert_true(fabs(run_value(&r, "first.x") - 120 * time_step * speed) < 1e-6);
  run_close(&r);
}

/* Under exact nothing sleeps, nor where a step is not that of a pack. */
static void test_only_packs_that_are_swept_sleep(void **state)
{
  (void)state;
  const char *box =
      ",{\"name\":\"box\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.03,0.03,0.03]},\"placement\":{\"type\":\"single\","
      "\"position\":[0.1,0.1,0.2]}}";
  sim_run r = lay("usual", "", "", box, 1);
  run_steps(&r, 80);
  assert_int_equal(rigid_count_asleep(r.sim->state), BALLS);
  run_steps(&r, 15); /* it lands after 0.17 s */
  assert_int_equal(rigid_count_asleep(r.sim->state), 0);
  run_close(&r);
}

SUITE(test_rigid_sleep)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_rests_sleeps_and_keeps_its_load),
      cmocka_unit_test(test_a_blow_wakes),
      cmocka_unit_test(test_a_floor_that_leaves_wakes),
      cmocka_unit_test(test_a_wall_that_leaves_wakes),
      cmocka_unit_test(test_a_floor_that_slides_wakes),
      cmocka_unit_test(test_sleepers_go_on_from_a_checkpoint),
      cmocka_unit_test(test_what_moves_slowly_does_not_sleep),
      cmocka_unit_test(test_only_packs_that_are_swept_sleep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
