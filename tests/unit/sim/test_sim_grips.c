/* What grips hold and where they take it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/rig/grips.h"
#include "tests/support/suites.h"

static scr_vec3 place_of(const void *places, size_t i)
{
  return ((const scr_vec3 *)places)[i];
}

static bool near(scr_vec3 a, scr_vec3 b)
{
  return vec3_length(vec3_sub(a, b)) < 1e-14;
}

/* Two grips on a bar along x, with a roller between them. */
static sim_parts bar_parts(void)
{
  sim_parts parts = {.count = 3};
  parts.form[0] = (scr_part){.kind = SCR_PART_GRIP, .start = {0.2, 0, 0}, .normal = {1, 0, 0}, .axis = {1, 0, 0}};
  parts.form[1] = (scr_part){.kind = SCR_PART_CYLINDER, .start = {0.5, 0, 0}, .along = {0, 1, 0}, .radius = 10};
  parts.form[2] = (scr_part){.kind = SCR_PART_GRIP, .start = {0.8, 0, 0}, .normal = {-1, 0, 0}, .axis = {1, 0, 0}};
  return parts;
}

/* Everything behind a grip's face is held, the layer on the face too; parts that are no grips hold nothing. */
static void test_grips_find_what_lies_behind_their_faces(void **state)
{
  (void)state;
  const scr_vec3 places[] = {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.5, 0, 0}, {0.8, 0, 2}, {0.81, 0, 0}, {0.79, 0, 0}};
  sim_parts parts = bar_parts();
  sim_grips grips = {0};
  assert_int_equal(grips_create(&grips, &parts, sizeof places / sizeof *places, place_of, places, NULL), SCR_OK);
  const uint32_t expected[][2] = {{0, 0}, {2, 0}, {1, 2}, {4, 2}, {5, 2}};
  assert_int_equal(grips.count, 5);
  for (size_t k = 0; k < 5; k++) {
    assert_int_equal(grips.held[k].element, expected[k][0]);
    assert_int_equal(grips.held[k].part, expected[k][1]);
    assert_true(near(grips.held[k].start, places[expected[k][0]]));
  }
  assert_true(grips_hold(&grips, 0) && !grips_hold(&grips, 1) && grips_hold(&grips, 2));
  assert_int_equal(grips.first[2], 2);
  grips_clear(&grips);
  assert_int_equal(grips_create(&grips, &parts, 1, place_of, &places[3], NULL), SCR_OK);
  assert_true(grips.count == 0 && grips.held == NULL && !grips_hold(&grips, 0));
}

/* One that slides rules over its axis alone, and over no turn. */
static void test_a_grip_that_slides_rules_over_its_axis(void **state)
{
  (void)state;
  const scr_part clamps = {.kind = SCR_PART_GRIP, .axis = {0, 1, 0}}, slides = {.kind = SCR_PART_GRIP, .axis = {0, 1, 0}, .slide = true};
  assert_int_equal(grip_rules(&clamps), GRIP_ALL);
  assert_int_equal(grip_rules(&slides), 2);
  scr_vec3 value = vec3(1, 2, 3), rest = vec3(-1, -2, -3);
  assert_true(near(grip_ruled(grip_rules(&slides), value, rest), vec3(-1, 2, -3)));
  assert_true(near(grip_ruled(grip_rules(&slides) >> 3, value, rest), rest));
  assert_true(near(grip_ruled(grip_rules(&clamps) >> 3, value, rest), value));
}

/* A grip that moves along x and turns about it carries what it holds as a rigid body: by a quarter turn y becomes z. The velocity is v + w
 * x r, and the difference quotient of places tends to it with the square of the step, as the middle of a chord is that of its arc
 * (reference: finite differences). */
static void test_a_grip_carries_a_rigid_body(void **state)
{
  (void)state;
  const scr_program turn = {0};
  const scr_part form = {
      .kind = SCR_PART_GRIP, .axis = {1, 0, 0}, .start = {0.5, 0, 0}, .turns = true, .turn = &turn, .turn_axis = {1, 0, 0}};
  const double quarter = acos(-1) / 2, speed = 3, spin = 7;
  const part_motion now = {
      .pose = {.position = {0.9, 0, 0}, .rotation = {0, 0, 0, 1}}, .angle = quarter, .velocity = {speed, 0, 0}, .spin = {spin, 0, 0}};
  scr_vec3 start = vec3(0.6, 2, 0);
  scr_quat turned;
  assert_true(near(grip_place(&form, &now, start, &turned), vec3(1, 0, 2)));
  assert_true(near(quat_rotate(turned, vec3(0, 1, 0)), vec3(0, 0, 1)));
  scr_vec3 velocity = grip_velocity(&form, &now, NULL, 0, start);
  assert_true(near(velocity, vec3(speed, -2 * spin, 0)));
  double missed[2];
  for (int k = 0; k < 2; k++) {
    double h = k ? 5e-4 : 1e-3;
    part_motion before = now, after = now;
    before.pose.position.x -= speed * h, before.angle -= spin * h;
    after.pose.position.x += speed * h, after.angle += spin * h;
    missed[k] = vec3_length(vec3_sub(grip_velocity(&form, &after, &before, 2 * h, start), velocity));
  }
  assert_true(missed[0] < 1e-3 && fabs(missed[0] / missed[1] - 4) < 0.01);
}

/* One that does not turn takes all by the same way. */
static void test_a_grip_that_does_not_turn_shifts(void **state)
{
  (void)state;
  const scr_part form = {.kind = SCR_PART_GRIP, .axis = {1, 0, 0}, .start = {0.5, 0, 0}};
  const part_motion from = {.pose.position = {0.5, 0, 0}}, now = {.pose.position = {0.75, 0, 0}, .velocity = {9, 0, 0}};
  assert_true(near(grip_place(&form, &now, vec3(0, 1, 2), NULL), vec3(0.25, 1, 2)));
  assert_true(near(grip_velocity(&form, &now, NULL, 0, vec3(0, 1, 2)), vec3(9, 0, 0)));
  assert_true(near(grip_velocity(&form, &now, &from, 0.5, vec3(0, 1, 2)), vec3(0.5, 0, 0)));
}

SUITE(test_sim_grips)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grips_find_what_lies_behind_their_faces),
      cmocka_unit_test(test_a_grip_that_slides_rules_over_its_axis),
      cmocka_unit_test(test_a_grip_carries_a_rigid_body),
      cmocka_unit_test(test_a_grip_that_does_not_turn_shifts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
