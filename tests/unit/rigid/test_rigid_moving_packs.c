/* Packs of boxes under accuracy usual: to the measure of packs while they move, to the tolerance where they stand, where they are hit at
 * one place and once they rest. */
#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

enum { SIDE = 5, BOXES = 125, TEXT = 32768 };
static const double edge = 0.0125, gravity = 9.81;

/* 125 cubes of `distance` from middle to middle, turned at random or not, in a box of 12 cm; then `more` specimens. */
static sim_run open_boxes(double distance, bool turned, const char *options, const char *more, unsigned threads)
{
  static char text[TEXT];
  int at = snprintf(text, sizeof text,
                    "{\"scree\":1,\"name\":\"boxes\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
                    "\"friction_coefficient\":0.5},\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.12,0.12,9],\"gravity\":"
                    "[0,0,-%g]},\"time\":{\"duration\":10},\"output\":{\"frame_interval\":10,\"sample_interval\":10},"
                    "\"options\":%s,\"specimens\":[{\"name\":\"boxes\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[%g,%g,%g]},"
                    "\"random_rotation\":%s,\"placement\":{\"type\":\"list\",\"positions\":[",
                    gravity, options, edge, edge, edge, turned ? "true" : "false");
  for (int k = 0; k < BOXES; k++) {
    const int row = k / SIDE % SIDE, layer = k / (SIDE * SIDE);
    const double dx = turned ? 1e-3 * sin(7.0 * k) : 0, dy = turned ? 1e-3 * cos(11.0 * k) : 0;
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.6f,%.6f,%.6f]", k ? "," : "", 0.012 + k % SIDE * 0.024 + dx,
                   0.012 + row * 0.024 + dy, (layer + 0.5) * distance);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]}}%s]}", more);
  return run_open(text, threads);
}

/* Runs to `end`, s. @return steps solved to the measure of packs */
static unsigned run_to(sim_run *r, double end)
{
  const rigid_state *s = r->sim->state;
  unsigned measured = 0;
  while (r->sim->time < end) {
    run_steps(r, 1);
    measured += s->report.pack == RIGID_MOVING;
  }
  return measured;
}

/* Five layers fall onto the floor and each other: a hundredth of g dt in at most 50 sweeps, or what is left said, never more than g dt; 0.7
 * s later they rest, to the tolerance of what rests. */
static void test_boxes_that_fall_are_solved_to_the_measure_and_rest_to_the_tolerance(void **state)
{
  (void)state;
  sim_run r = open_boxes(0.024, true, "{}", "", 1);
  const rigid_state *s = r.sim->state;
  double fall = gravity * r.sim->time_step, worst = 0, above = 0, most = 0;
  while (r.sim->time < 0.2) {
    run_steps(&r, 1);
    if (s->report.pack != RIGID_MOVING) continue;
    worst = fmax(worst, s->report.residual);
    above += s->report.residual > 0.01;
    most = fmax(most, (double)s->report.iterations);
  }
  claim_between("error in speed over what gravity gives in a step, largest", worst, 1e-3, 1, "the accuracy's promise");
  claim_absolute("steps above a hundredth of it", run_curve(&r, "solver.above"), above, 0, "counted by hand");
  claim_between("sweeps of a step, the most", most, 20, 50, "the accuracy's budget");
  claim_absolute("solver.pack", run_curve(&r, "solver.pack"), 2, 0, "a pack in motion");
  claim_relative("solver.speed_left, m/s", run_curve(&r, "solver.speed_left"), s->report.residual * fall, 1e-12, "residual times g dt");
  run_to(&r, 0.9);
  assert_int_equal(run_to(&r, 0.95), 0);
  claim_between("fastest 0.95 s after the start, over what gravity gives in a step", run_curve(&r, "speed") / fall, 0, 1e-6,
                "the tolerance");
  claim_absolute("solver.pack at rest", run_curve(&r, "solver.pack"), 0, 0, "to the tolerance");
  claim_absolute("doubts", (double)r.sim->doubt_count, 0, 0, "none");
  claim_absolute("steps left unsolved", (double)s->report.unsolved, 0, 0, "none");
  run_close(&r);
}

/* Columns of five cubes stand, and one cube falls on one of them: 1 of 126 moves. */
static void test_columns_that_stand_are_solved_to_the_tolerance_beside_one_that_is_hit(void **state)
{
  (void)state;
  sim_run r = open_boxes(edge, false, "{}",
                         ",{\"name\":\"falling\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.0125,0.0125,0.0125]},"
                         "\"placement\":{\"type\":\"single\",\"position\":[0.06,0.06,0.08]}}",
                         1);
  const rigid_state *s = r.sim->state;
  scr_vec3 before[BOXES];
  double moved = 0;
  for (size_t i = 0; i < BOXES; i++) before[i] = s->bodies[i].centre;
  claim_absolute("steps solved to the measure of packs", run_to(&r, 0.1), 0, 0, "columns are none");
  for (size_t i = 0; i < BOXES; i++) {
    bool hit = i % (SIDE * SIDE) == SIDE * SIDE / 2;
    if (!hit) moved = fmax(moved, vec3_length(vec3_sub(s->bodies[i].centre, before[i])));
  }
  claim_between("way of the other cubes over their height", moved / edge, 0, 1e-6, "they stand");
  assert_int_equal(s->report.unsolved, 0);
  run_close(&r);
}

/* Draft has 20 sweeps, and other solvers where these leave more than five times what gravity gives in a step. */
static void test_draft_leaves_at_most_five_times_what_gravity_gives(void **state)
{
  (void)state;
  sim_run r = open_boxes(0.024, true, "{\"accuracy\":\"draft\"}", "", 1);
  const rigid_state *s = r.sim->state;
  double worst = 0, most = 0;
  while (r.sim->time < 0.15) {
    run_steps(&r, 1);
    worst = fmax(worst, s->report.residual);
    most = fmax(most, (double)s->report.iterations);
  }
  claim_between("error in speed over what gravity gives in a step, largest", worst, 1, 5, "the accuracy's promise");
  claim_between("sweeps of a step, the most", most, 21, 200, "those beyond 20 are of steps that left more");
  claim_absolute("steps left unsolved", (double)s->report.unsolved, 0, 0, "none");
  run_close(&r);
}

/* Exact has no measure of packs, nor has a scene that gives a tolerance, a solver, or no gravity. */
static void test_who_asks_for_a_tolerance_has_it_in_motion_too(void **state)
{
  (void)state;
  static const char *const options[] = {"{\"accuracy\":\"exact\"}", "{\"tolerance\":1e-6}", "{\"solver\":\"gauss-seidel\"}", "{}"};
  for (int k = 0; k < 4; k++) {
    sim_run r = open_boxes(0.024, true, options[k], "", 1);
    const rigid_state *s = r.sim->state;
    unsigned measured = run_to(&r, 0.055);
    assert_true(s->contact_count > 0 && (measured > 0) == (k == 3));
    run_close(&r);
  }
}

/* Two processors, and a run that goes on from a checkpoint in mid-air, have the same bits. */
static void test_threads_and_checkpoints_change_no_bits_of_boxes_in_motion(void **state)
{
  (void)state;
  sim_run one = open_boxes(0.024, true, "{}", "", 1), two = open_boxes(0.024, true, "{}", "", 2);
  assert_true(run_to(&one, 0.08) > 0 && run_to(&two, 0.08) > 0);
  assert_same_state(one.sim, two.sim);
  scr_blob blob = {0};
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  sim_run again = open_boxes(0.024, true, "{}", "", 1);
  assert_int_equal(sim_load(again.sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  run_to(&one, 0.1);
  run_to(&again, 0.1);
  assert_same_state(one.sim, again.sim);
  run_close(&one);
  run_close(&two);
  run_close(&again);
}

SUITE(test_rigid_moving_packs)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes_that_fall_are_solved_to_the_measure_and_rest_to_the_tolerance),
      cmocka_unit_test(test_columns_that_stand_are_solved_to_the_tolerance_beside_one_that_is_hit),
      cmocka_unit_test(test_draft_leaves_at_most_five_times_what_gravity_gives),
      cmocka_unit_test(test_who_asks_for_a_tolerance_has_it_in_motion_too),
      cmocka_unit_test(test_threads_and_checkpoints_change_no_bits_of_boxes_in_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
