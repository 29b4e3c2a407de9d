/* The parts of a recording: checksum, blobs, frames. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/drawable.h"
#include "record/file/blob.h"
#include "record/file/crc32c.h"
#include "record/frame/builder.h"
#include "record/frame/reader.h"
#include "record/topology.h"
#include "tests/support/suites.h"

/* A small generator of fixed-seed noise (xorshift64*, Vigna 2014): property tests must repeat. */
static uint64_t noise(uint64_t *seed)
{
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return *seed * 0x2545F4914F6CDD1Du;
}

static double uniform(uint64_t *seed)
{
  return (double)(noise(seed) >> 11) * 0x1p-53;
}

/* ── checksum ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The published check value of CRC-32C, and the 32-byte vectors of RFC 3720, appendix B.4. */
static void test_crc32c_gives_the_published_values(void **state)
{
  (void)state;
  unsigned char zeros[32] = {0}, ones[32], rising[32];
  memset(ones, 0xff, sizeof ones);
  for (unsigned i = 0; i < 32; i++) rising[i] = (unsigned char)i;
  uint32_t (*const ways[])(uint32_t, const void *, size_t) = {crc32c_by_table, crc32c, crc32c_by_hardware};
  size_t count = crc32c_hardware_present() ? 3 : 2;
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(ways[i](0, "123456789", 9), 0xE3069283u);
    assert_int_equal(ways[i](0, zeros, 32), 0x8A9136AAu);
    assert_int_equal(ways[i](0, ones, 32), 0x62A8AB43u);
    assert_int_equal(ways[i](0, rising, 32), 0x46DD794Eu);
  }
}

/* All lengths and alignments up to 200 and every split in two give one value. */
static void test_crc32c_by_table_and_by_hardware_agree_and_can_be_continued(void **state)
{
  (void)state;
  unsigned char bytes[256];
  uint64_t seed = 42;
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)noise(&seed);
  for (size_t start = 0; start < 8; start++)
    for (size_t size = 0; size < 200; size++) {
      uint32_t whole = crc32c_by_table(0, bytes + start, size);
      if (crc32c_hardware_present()) assert_int_equal(crc32c_by_hardware(0, bytes + start, size), whole);
      size_t cut = size / 3;
      assert_int_equal(crc32c(crc32c(0, bytes + start, cut), bytes + start + cut, size - cut), whole);
    }
}

/* ── blob ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_a_blob_gives_back_what_was_written_and_refuses_more(void **state)
{
  (void)state;
  scr_blob blob = {0};
  scr_error error;
  double array[3] = {1.5, -0.0, NAN}, back[3];
  assert_int_equal(scr_blob_write_u64(&blob, 7, &error), SCR_OK);
  assert_int_equal(scr_blob_write_f64(&blob, 0.1, &error), SCR_OK);
  assert_int_equal(scr_blob_write_array(&blob, array, 3, sizeof *array, &error), SCR_OK);
  uint64_t whole;
  double real;
  size_t count;
  assert_int_equal(scr_blob_read_u64(&blob, &whole, &error), SCR_OK);
  assert_int_equal(scr_blob_read_f64(&blob, &real, &error), SCR_OK);
  assert_int_equal(whole, 7);
  assert_true(real == 0.1);
  assert_int_equal(scr_blob_peek_count(&blob, &count, &error), SCR_OK);
  assert_int_equal(count, 3);
  assert_int_equal(scr_blob_read_array(&blob, back, 2, sizeof *back, "masses", &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "masses"));
  assert_int_equal(scr_blob_read_array(&blob, back, 3, sizeof *back, "masses", &error), SCR_OK);
  assert_memory_equal(array, back, sizeof array);
  assert_int_equal(scr_blob_read_u64(&blob, &whole, &error), SCR_BAD_FILE);
  scr_blob_destroy(&blob);
}

/* A count near 2^64 must not wrap into a small number of bytes. */
static void test_a_blob_with_a_lying_count_is_refused(void **state)
{
  (void)state;
  scr_blob blob = {0};
  double back[4];
  assert_int_equal(scr_blob_write_u64(&blob, UINT64_MAX / 8 + 1, NULL), SCR_OK);
  assert_int_equal(scr_blob_read_array(&blob, back, (size_t)(UINT64_MAX / 8 + 1), 8, "masses", NULL), SCR_BAD_FILE);
  assert_int_equal(scr_blob_read_array(&blob, back, 4, 8, "masses", NULL), SCR_BAD_FILE);
  scr_blob_destroy(&blob);
}

/* ── frames ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { ball_count = 500 };

static void describe_balls(scr_drawable *balls, uint32_t position_encoding)
{
  *balls = (scr_drawable){.kind = SCR_DRAW_POINTS, .name = "grain", .element_count = ball_count, .radius = 0.5, .field_count = 3};
  balls->fields[0] = (scr_field){"position", "m", 3, position_encoding};
  balls->fields[1] = (scr_field){"damage", "1", 1, SCR_ENCODING_UINT16};
  balls->fields[2] = (scr_field){"fragment", "1", 1, SCR_ENCODING_UINT32};
}

/* A frame's values come back within half a quantisation step, (high - low) / 131070, per axis; float32 within its relative rounding.
 * The bound of 1e-12 of the range on top is the round-off of encoding and decoding in double precision. */
static void test_a_frame_gives_back_values_within_half_a_step(void **state)
{
  (void)state;
  for (uint32_t encoding = SCR_ENCODING_FLOAT32; encoding <= SCR_ENCODING_UINT16; encoding++) {
    scr_drawable balls;
    describe_balls(&balls, encoding);
    scr_frame *frame;
    assert_int_equal(frame_create(&balls, 1, &frame, NULL), SCR_OK);
    double value[4][ball_count];
    uint32_t number[ball_count];
    uint64_t seed = 7;
    const double scale[4] = {1e-3, 2e5, 1e-20, 1.0};
    for (int i = 0; i < ball_count; i++) {
      for (int c = 0; c < 4; c++) value[c][i] = scale[c] * (uniform(&seed) - 0.3);
      number[i] = (uint32_t)noise(&seed);
    }
    frame_begin(frame);
    assert_int_equal(scr_frame_field_u32(frame, 0, 2, number, NULL), SCR_OK);
    assert_int_equal(scr_frame_field(frame, 0, 0, value[0], value[1], value[2], NULL), SCR_OK);
    assert_int_equal(scr_frame_field(frame, 0, 1, value[3], NULL, NULL, NULL), SCR_OK);
    const void *payload;
    size_t size;
    assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
    frame_reader reader;
    frame_array array;
    bool more;
    assert_int_equal(frame_reader_begin(&reader, payload, size, NULL), SCR_OK);
    for (uint32_t field = 0; field < 3; field++) {
      assert_int_equal(frame_reader_next(&reader, &array, &more, NULL), SCR_OK);
      assert_true(more);
      assert_int_equal(array.header.field, field);
      for (uint32_t i = 0; i < ball_count; i++)
        for (uint32_t c = 0; c < array.header.components; c++) {
          double back = frame_array_value(&array, i, c);
          double meant = field == 0 ? value[c][i] : field == 1 ? value[3][i] : number[i];
          double range = array.header.high[c] - array.header.low[c];
          double bound = array.header.encoding == SCR_ENCODING_UINT16    ? range / 131070.0 + 1e-12 * range
                         : array.header.encoding == SCR_ENCODING_FLOAT32 ? fabs(meant) * 0x1p-24
                                                                         : 0.0;
          if (!(fabs(back - meant) <= bound))
            fail_msg("element %u component %u of field %u: %.17g came back as %.17g", i, c, field, meant, back);
        }
    }
    assert_int_equal(frame_reader_next(&reader, &array, &more, NULL), SCR_OK);
    assert_false(more);
    frame_destroy(frame);
  }
}

static void test_a_frame_refuses_what_is_not_finite_missing_twice_or_undeclared(void **state)
{
  (void)state;
  scr_drawable balls;
  describe_balls(&balls, SCR_ENCODING_UINT16);
  scr_frame *frame;
  scr_error error;
  assert_int_equal(frame_create(&balls, 1, &frame, NULL), SCR_OK);
  double zero[ball_count] = {0}, bad[ball_count] = {0};
  const void *payload;
  size_t size;
  bad[17] = NAN;
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, zero, bad, zero, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "element 17"));
  bad[17] = -INFINITY;
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, zero, zero, bad, &error), SCR_DIVERGED);
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, zero, zero, zero, &error), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 0, 0, zero, zero, zero, &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_field(frame, 0, 2, zero, NULL, NULL, &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_field(frame, 1, 0, zero, zero, zero, &error), SCR_BAD_USAGE);
  assert_int_equal(frame_finish(frame, &payload, &size, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "damage"));
  frame_destroy(frame);
}

/* The box around balls is their centres' box widened by the radius; a single value quantises without dividing by zero. */
static void test_a_frame_knows_its_bounds_even_when_all_balls_coincide(void **state)
{
  (void)state;
  scr_drawable balls;
  describe_balls(&balls, SCR_ENCODING_UINT16);
  balls.element_count = 2;
  scr_frame *frame;
  assert_int_equal(frame_create(&balls, 1, &frame, NULL), SCR_OK);
  double x[2] = {1, 1}, y[2] = {-2, 4};
  scr_vec3 low, high;
  frame_begin(frame);
  assert_false(frame_bounds(frame, &low, &high));
  assert_int_equal(scr_frame_field(frame, 0, 0, x, y, x, NULL), SCR_OK);
  assert_true(frame_bounds(frame, &low, &high));
  assert_true(low.x == 0.5 && high.x == 1.5 && low.y == -2.5 && high.y == 4.5);
  frame_destroy(frame);
}

/* Values 1 ... 2, then -3 ... 0, then 1 ... 1: the range of the frame is its own, the range so far is the union up to it. A frame that was
 * drawn but not recorded doesn't count, and a builder that takes up where another stopped goes on from its ranges. */
static void test_a_frame_tells_the_range_of_its_scalars_in_the_run_so_far(void **state)
{
  (void)state;
  static const double given[3][2] = {{1, 2}, {-3, 0}, {1, 1}}, so_far[3][2] = {{1, 2}, {-3, 2}, {-3, 2}};
  for (uint32_t encoding = SCR_ENCODING_FLOAT32; encoding <= SCR_ENCODING_UINT16; encoding++) {
    scr_drawable balls;
    describe_balls(&balls, encoding);
    balls.fields[1].encoding = encoding;
    balls.element_count = 2;
    scr_frame *frame;
    assert_int_equal(frame_create(&balls, 1, &frame, NULL), SCR_OK);
    const double far[2] = {1e9, 1e9};
    const uint32_t number[2] = {0, 1};
    frame_begin(frame);
    assert_int_equal(scr_frame_field(frame, 0, 1, far, NULL, NULL, NULL), SCR_OK);
    for (int k = 0; k < 3; k++) {
      const void *payload;
      size_t size, count;
      frame_begin(frame);
      assert_int_equal(scr_frame_field(frame, 0, 0, far, far, far, NULL), SCR_OK);
      assert_int_equal(scr_frame_field(frame, 0, 1, given[k], NULL, NULL, NULL), SCR_OK);
      assert_int_equal(scr_frame_field_u32(frame, 0, 2, number, NULL), SCR_OK);
      assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
      frame_array array;
      assert_true(frame_given(frame, 0, 1, &array));
      assert_true(array.header.low[0] == given[k][0] && array.header.high[0] == given[k][1]);
      assert_true(array.header.low[SCR_SO_FAR] == so_far[k][0] && array.header.high[SCR_SO_FAR] == so_far[k][1]);
      assert_true(array.header.high[SCR_SO_FAR_KNOWN] == 1.0);
      assert_true(frame_given(frame, 0, 2, &array)); /* classes have no range */
      assert_true(array.header.high[SCR_SO_FAR_KNOWN] == 0.0);
      scr_frame *next;
      assert_int_equal(frame_create(&balls, 1, &next, NULL), SCR_OK);
      const double *ranges = frame_ranges(frame, &count);
      memcpy(frame_ranges(next, &count), ranges, count * sizeof *ranges);
      frame_destroy(frame);
      frame = next;
    }
    frame_destroy(frame);
  }
}

/* A roller along y reaches by its radius across and by half its length along; an arc that opens upward from its middle reaches sideways
 * by R sin a and in height by R (1 - cos a). The topology gives the shapes back to the last bit. */
static void test_rollers_and_arcs_are_bounded_and_come_back_from_the_topology(void **state)
{
  (void)state;
  scr_drawable rig = {.kind = SCR_DRAW_CYLINDERS, .name = "jaws", .element_count = 2, .field_count = 1};
  rig.fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_FLOAT32};
  rig.cylinders[0] = (scr_cylinder_shape){"load", {0, 3, 0}, {0, 0, 1}, 0.5, 3.14159265358979323846};
  rig.cylinders[1] = (scr_cylinder_shape){"bottom", {0, 0.1, 0}, {0, 0, -1}, 2.0, 0.5};
  scr_frame *frame;
  assert_int_equal(frame_create(&rig, 1, &frame, NULL), SCR_OK);
  const double x[2] = {0, 10}, z[2] = {0, 0};
  scr_vec3 low, high;
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, x, z, z, NULL), SCR_OK);
  assert_true(frame_bounds(frame, &low, &high));
  assert_true(fabs(low.x + 0.5) < 1e-12 && fabs(low.y + 3) < 1e-12 && fabs(low.z + 0.5) < 1e-12);
  assert_true(fabs(high.x - 10 - 2 * sin(0.5)) < 1e-12 && fabs(high.z - 0.5) < 1e-12);
  frame_destroy(frame);
  scr_topology topology = {.drawables = &rig, .drawable_count = 1}, back;
  char *text = topology_json(&topology);
  assert_non_null(text);
  assert_int_equal(topology_parse(text, strlen(text), &back, NULL), SCR_OK);
  assert_int_equal(back.drawables[0].kind, SCR_DRAW_CYLINDERS);
  assert_memory_equal(back.drawables[0].cylinders, rig.cylinders, sizeof rig.cylinders);
  topology_clear(&back);
  char *count = strstr(text, "\"element_count\":2");
  assert_non_null(count);
  count[strlen("\"element_count\":")] = '3'; /* one more than there are shapes */
  assert_int_equal(topology_parse(text, strlen(text), &back, NULL), SCR_BAD_FILE);
  free(text);
  rig.element_count = SCR_CYLINDER_LIMIT + 1;
  assert_int_equal(drawable_check(&rig, NULL), SCR_BAD_USAGE);
}

SUITE(test_record_frame)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crc32c_gives_the_published_values),
      cmocka_unit_test(test_crc32c_by_table_and_by_hardware_agree_and_can_be_continued),
      cmocka_unit_test(test_a_blob_gives_back_what_was_written_and_refuses_more),
      cmocka_unit_test(test_a_blob_with_a_lying_count_is_refused),
      cmocka_unit_test(test_a_frame_gives_back_values_within_half_a_step),
      cmocka_unit_test(test_a_frame_refuses_what_is_not_finite_missing_twice_or_undeclared),
      cmocka_unit_test(test_a_frame_knows_its_bounds_even_when_all_balls_coincide),
      cmocka_unit_test(test_a_frame_tells_the_range_of_its_scalars_in_the_run_so_far),
      cmocka_unit_test(test_rollers_and_arcs_are_bounded_and_come_back_from_the_topology),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
