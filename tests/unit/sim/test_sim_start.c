/* Bodies against each other and in grips at the start: places whose gaps and depths are known by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/rig/start.h"
#include "tests/support/suites.h"

enum { CORNERS = 8, COPIES = 20 };

/* A cube of edge 1 m by its corners, as separate arrays; and a ball of 0.5 m by its poles, as points one after the other. */
typedef struct two_kinds {
  double x[CORNERS], y[CORNERS], z[CORNERS];
  scr_vec3 poles[6];
  scr_vec3 cube_places[COPIES], ball_places[1];
  scr_specimen specimens[2];
  scr_scene scene;
  start_cloud clouds[2];
} two_kinds;

static void make(two_kinds *k, size_t cubes)
{
  *k = (two_kinds){0};
  for (int c = 0; c < CORNERS; c++) k->x[c] = (c & 1) - 0.5, k->y[c] = (c >> 1 & 1) - 0.5, k->z[c] = (c >> 2 & 1) - 0.5;
  for (int p = 0; p < 6; p++) *(&k->poles[p].x + p / 2) = p % 2 - 0.5;
  const geo_box around = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  k->clouds[0] = (start_cloud){CORNERS, k->x, k->y, k->z, 1, around};
  k->clouds[1] = (start_cloud){6, &k->poles[0].x, &k->poles[0].y, &k->poles[0].z, 3, around};
  k->specimens[0] =
      (scr_specimen){.shape = {.kind = SCR_SHAPE_BOX, .size = {1, 1, 1}}, .positions = k->cube_places, .position_count = cubes};
  k->specimens[1] = (scr_specimen){.shape = {.kind = SCR_SHAPE_SPHERE, .radius = 0.5}, .positions = k->ball_places, .position_count = 1};
  k->scene.specimens = k->specimens;
  k->scene.specimen_count = 2;
}

/* A cube at the origin; a ball above it whose lower pole, and no other point, lies 0.1 m deep under the middle of its upper face. From the
 * nearest corners that pole is sqrt(2 0.5^2 + 0.1^2) away, those at the ball's equator, 0.5 aside and 0.4 above, sqrt(0.5^2 + 0.4^2). */
static void test_gaps_and_depths_of_a_ball_in_a_cube(void **state)
{
  (void)state;
  two_kinds k;
  make(&k, 1);
  const start_body cube = {0, 0, {0, 0, 0}}, ball = {1, 0, {0, 0, 0.9}};
  double corner = sqrt(2 * 0.25 + 0.1 * 0.1);
  double least = fmin(corner, sqrt(0.25 + 0.4 * 0.4));
  assert_true(fabs(start_gap(k.clouds, &cube, &ball, 1) - least) < 1e-15);
  assert_true(fabs(start_gap(k.clouds, &ball, &cube, 1) - least) < 1e-15);
  assert_true(fabs(start_depth(&k.scene, k.clouds, &ball, &cube, 0.1) - 0.1) < 1e-15);
  assert_true(start_depth(&k.scene, k.clouds, &cube, &ball, 0.1) <= 0); /* no corner is in the ball */
}

/* A specimen that is turned by an eighth has its shape turned with it: a point 0.6 m along x is outside at first, then 0.5 - 0.6 / sqrt(2)
 * deep. */
static void test_depths_follow_the_turn_of_the_other_body(void **state)
{
  (void)state;
  two_kinds k;
  make(&k, 1);
  const start_body cube = {0, 0, {0, 0, 0}}, ball = {1, 0, {1.1, 0, 0}}; /* its pole at x = 0.6 */
  assert_true(start_depth(&k.scene, k.clouds, &ball, &cube, 1) <= 0);
  k.specimens[0].rotation_axis = vec3(0, 0, 1);
  k.specimens[0].rotation_angle = atan(1);
  assert_true(fabs(start_depth(&k.scene, k.clouds, &ball, &cube, 1) - (0.5 - 0.6 * sqrt(0.5))) < 1e-15);
}

typedef struct seen {
  size_t calls, report_from;
  size_t low, high; /* of the last pair: its places' numbers */
} seen;

static bool note_pair(void *method, const start_body *a, const start_body *b)
{
  seen *s = method;
  assert_true(a->specimen < b->specimen || (a->specimen == b->specimen && a->number < b->number));
  s->low = a->number, s->high = b->number;
  return s->calls++ >= s->report_from;
}

/* Cubes in a row, 1.5 m apart, have only their neighbours within 0.6 m, and none within 0.4 m; the ball is far away. */
static void test_only_near_bodies_are_judged(void **state)
{
  (void)state;
  two_kinds k;
  make(&k, 4);
  for (size_t c = 0; c < 4; c++) k.cube_places[c] = vec3(1.5 * (double)c, 0, 0);
  k.ball_places[0] = vec3(0, 0, 9);
  seen s = {.report_from = SIZE_MAX};
  assert_int_equal(start_judge_pairs(&k.scene, k.clouds, 0.6, note_pair, &s), SCR_OK);
  assert_int_equal(s.calls, 3);
  s.calls = 0;
  assert_int_equal(start_judge_pairs(&k.scene, k.clouds, 0.4, note_pair, &s), SCR_OK);
  assert_int_equal(s.calls, 0);
  k.ball_places[0] = vec3(3, 1, 0);
  assert_int_equal(start_judge_pairs(&k.scene, k.clouds, 0.4, note_pair, &s), SCR_OK);
  assert_true(s.calls == 1 && s.low == 2 && s.high == 0);
}

/* All in one place: 190 pairs of cubes and 20 with the ball, of which no more than START_REPORTS are reported. */
static void test_reports_end_after_ten(void **state)
{
  (void)state;
  two_kinds k;
  make(&k, COPIES);
  seen s = {.report_from = 0};
  assert_int_equal(start_judge_pairs(&k.scene, k.clouds, 0, note_pair, &s), SCR_OK);
  assert_int_equal(s.calls, START_REPORTS);
  s = (seen){.report_from = SIZE_MAX};
  assert_int_equal(start_judge_pairs(&k.scene, k.clouds, 0, note_pair, &s), SCR_OK);
  assert_int_equal(s.calls, COPIES * (COPIES - 1) / 2 + COPIES);
}

/* A grip whose face is at z = 0.4 holds the four upper corners of a cube at the origin and all of one above, and the ball's upper pole. */
static void test_grips_count_what_they_hold(void **state)
{
  (void)state;
  two_kinds k;
  make(&k, 2);
  k.cube_places[1] = vec3(0, 0, 5);
  scr_part grip = {.kind = SCR_PART_GRIP, .name = "grip.high", .start = {0, 0, 0.4}, .normal = {0, 0, -1}, .axis = {0, 0, 1}};
  assert_int_equal(start_count_held(&k.scene, k.clouds, &grip), 4 + 8 + 1);
  scr_problems problems = {0};
  assert_int_equal(start_refuse_empty_grip(&grip, "corner", &problems), SCR_OK);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/rig/high_start");
  assert_string_equal(problems.items[0].detail, "grip.high holds no corner: move its border at 0.4 m into the specimen");
  scr_problems_clear(&problems);
}

SUITE(test_sim_start)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gaps_and_depths_of_a_ball_in_a_cube), cmocka_unit_test(test_depths_follow_the_turn_of_the_other_body),
      cmocka_unit_test(test_only_near_bodies_are_judged),         cmocka_unit_test(test_reports_end_after_ten),
      cmocka_unit_test(test_grips_count_what_they_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
