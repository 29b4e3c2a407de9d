/* What frames show of a rig. */
#include "record/frame/builder.h"
#include "sim/view/rig_view.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static const char twist[] =
    "{\"scree\":1,\"name\":\"twist\",\"method\":\"bdem\",\"materials\":[{\"name\":\"silicone\",\"density\":1000,\"young_modulus\":1e7,"
    "\"poisson_ratio\":0.3}],\"specimens\":[{\"name\":\"beam\",\"material\":\"silicone\",\"spacing\":0.15,\"shape\":{\"type\":\"box\","
    "\"size\":[1.2,0.45,0.45]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],\"rig\":{\"type\":\"grips\",\"axis\":\"x\","
    "\"low_end\":-0.45,\"high_start\":0.45%s},\"time\":{\"duration\":1},\"options\":{\"constants_of\":\"bonds\"}}";

/* The arrays of the drawable "grips" in the frame a simulation draws now: positions and rotation vectors. @return how many arrays there are
 * */
static int draw_grips(const bdem_run *run, scr_vec3 position[2], scr_vec3 rotation[2])
{
  scr_frame *frame;
  const void *payload;
  size_t size;
  frame_reader reader;
  frame_array array;
  bool more = true;
  int count = 0;
  assert_int_equal(frame_create(run->sim->drawables, run->sim->drawable_count, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(sim_draw(run->sim, frame, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
  assert_int_equal(frame_reader_begin(&reader, payload, size, NULL), SCR_OK);
  while (frame_reader_next(&reader, &array, &more, NULL) == SCR_OK && more) {
    if (strcmp(run->sim->drawables[array.drawable].name, "grips") != 0) continue;
    assert_int_equal(array.element_count, 2);
    count++;
    for (uint32_t i = 0; i < 2; i++)
      (array.header.field == 0 ? position : rotation)[i] =
          vec3(frame_array_value(&array, i, 0), frame_array_value(&array, i, 1), frame_array_value(&array, i, 2));
  }
  frame_destroy(frame);
  return count;
}

/* The high grip turns about x at 4 rad/s, by more than half a turn in a second; the low one stands. Rotation vectors are float32. */
static void test_frames_show_how_far_a_grip_has_turned(void **state)
{
  (void)state;
  char text[1200];
  scr_vec3 position[2], rotation[2];
  snprintf(text, sizeof text, twist, ",\"turn\":[{\"type\":\"constant\",\"angular_velocity\":4}]");
  bdem_run run = run_open(text, 1);
  for (int k = 0; k < 2; k++) {
    if (k) run_until(&run, 0.9);
    assert_int_equal(draw_grips(&run, position, rotation), 2);
    double angle = 4 * scr_sim_time(run.sim);
    assert_float_equal(rotation[0].x, 0, 0);
    assert_float_equal(rotation[1].x, angle, 1e-6 * (1 + angle));
    assert_true(rotation[1].y == 0 && rotation[1].z == 0 && fabs(position[1].x - 0.45) < 1e-6);
    assert_float_equal(run_curve(&run, "grip.high.rotation"), angle, 1e-9);
  }
  run_close(&run);
}

static void test_grips_that_only_pull_have_no_orientation(void **state)
{
  (void)state;
  char text[1200];
  scr_vec3 position[2], rotation[2];
  snprintf(text, sizeof text, twist, ",\"program\":[{\"type\":\"constant\",\"velocity\":0.1}]");
  bdem_run run = run_open(text, 1);
  assert_int_equal(draw_grips(&run, position, rotation), 1);
  run_close(&run);
}

SUITE(test_rig_view)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frames_show_how_far_a_grip_has_turned),
      cmocka_unit_test(test_grips_that_only_pull_have_no_orientation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
