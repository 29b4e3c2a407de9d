/* A box of walls as it is now: edges, faces, stresses, strains, and when they begin to count. References: geometry, and strains in closed
 * form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/rig/box.h"
#include "tests/support/suites.h"

/* A box of 2 x 3 x 4 m, whose upper wall comes down at 1 m/s after a servo segment of 0.5 s; in `now`, at 1.5 s, it is 3 m high. */
static void open_box(sim_parts *parts, scr_rig *rig, scr_segment segments[2])
{
  segments[0] =
      (scr_segment){.kind = SCR_SEGMENT_SERVO,
                    .duration = 0.5,
                    .servo = {.force = NAN, .stress = 7, .area = NAN, .gain = NAN, .maximum_velocity = NAN, .present_area = true}};
  segments[1] = (scr_segment){.kind = SCR_SEGMENT_CONSTANT, .velocity = -1, .duration = INFINITY};
  *rig = (scr_rig){.kind = SCR_RIG_BOX, .minimum = {-1, -1, 0}, .maximum = {1, 2, 4}};
  rig->walls[SCR_WALL_COUNT - 1] = (scr_program){segments, 2};
  parts_create(parts, rig);
}

static void test_edges_faces_and_the_zero_of_strains(void **state)
{
  (void)state;
  static sim_parts parts;
  scr_rig rig;
  scr_segment segments[2];
  double edge[3];
  open_box(&parts, &rig, segments);
  assert_string_equal(parts.form[SCR_WALL_COUNT - 1].name, "wall.z_max");
  parts_move(&parts, 1.5);
  assert_true(sim_box_edges(&parts, edge));
  assert_true(fabs(edge[0] - 2) < 1e-12 && fabs(edge[1] - 3) < 1e-12 && fabs(edge[2] - 3) < 1e-12);
  assert_true(fabs(sim_box_face(&parts, 0) - 9) < 1e-12 && fabs(sim_box_face(&parts, 3) - 6) < 1e-12 &&
              fabs(sim_box_face(&parts, 5) - 6) < 1e-12);
  assert_true(isnan(sim_box_face(&parts, 6)) && sim_box_zero(&parts) == 0.5);
  rig.kind = SCR_RIG_NONE;
  parts_create(&parts, &rig);
  assert_false(sim_box_edges(&parts, edge));
  assert_true(edge[2] == 0 && sim_box_zero(&parts) == 0);
}

/* Forces of 2 ... 12 N out on the walls in the order x_min, x_max, y_min ...: pressures by the faces of 9, 6 and 6 m^2. Strains: logarithms
 * of the edges' ratios. */
static void test_stresses_and_strains(void **state)
{
  (void)state;
  static sim_parts parts;
  scr_rig rig;
  scr_segment segments[2];
  double values[SIM_BOX_VALUES];
  const double none[3] = {0, 0, 0}, zero[3] = {2, 3, 4};
  open_box(&parts, &rig, segments);
  parts_move(&parts, 1.5);
  for (size_t p = 0; p < SCR_WALL_COUNT; p++)
    parts.load[p].force = vec3_add(vec3_scale(parts.form[p].normal, -2.0 * (double)(p + 1)), vec3(0, 0, p < 4 ? 5 : 0)); /* and friction */
  const double x = (2 + 4) / 2.0 / 9, y = (6 + 8) / 2.0 / 6, z = (10 + 12) / 2.0 / 6;
  const double want[SIM_BOX_VALUES] = {
      x, y, z, (x + y + z) / 3, z - (x + y) / 2, (z - (x + y) / 2) * 3 / (x + y + z), 0, 0, log(4.0 / 3), log(4.0 / 3)};
  sim_box_observe(&parts, zero, values);
  for (int k = 0; k < SIM_BOX_VALUES; k++) assert_true(fabs(values[k] - want[k]) < 1e-12);
  sim_box_observe(&parts, none, values);
  assert_true(values[8] == 0 && values[9] == 0 && fabs(values[2] - z) < 1e-12);
}

/* What a servo aims at follows the face between the other walls: 7 Pa over 2 x 3 m^2; with a floor that has come in by 1 m along y, over 2
 * x 2. */
static void test_a_servo_aims_at_the_present_face(void **state)
{
  (void)state;
  static sim_parts parts;
  scr_rig rig;
  scr_segment segments[2];
  double force, gain, most;
  open_box(&parts, &rig, segments);
  assert_true(parts_servo(&parts, SCR_WALL_COUNT - 1, 0.1, &force, &gain, &most));
  assert_true(fabs(force - 42) < 1e-9);
  parts.now[2].pose.position.y += 1;
  assert_true(parts_servo(&parts, SCR_WALL_COUNT - 1, 0.1, &force, &gain, &most));
  assert_true(fabs(force - 28) < 1e-9);
  segments[0].servo.present_area = false;
  assert_true(parts_servo(&parts, SCR_WALL_COUNT - 1, 0.1, &force, &gain, &most));
  assert_true(fabs(force - 42) < 1e-9);
}

SUITE(test_sim_box)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edges_faces_and_the_zero_of_strains),
      cmocka_unit_test(test_stresses_and_strains),
      cmocka_unit_test(test_a_servo_aims_at_the_present_face),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
