/* Frames with the points that are seen from outside: of a turned block of lattice nodes none of the surface may be missing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/frame/builder.h"
#include "record/frame/visible_points.h"
#include "tests/support/suites.h"

enum { EDGE = 40, COUNT = EDGE * EDGE * EDGE, FEW = 7 };

typedef struct fixture {
  scr_drawable drawables[2];
  scr_topology topology;
  scr_frame *frame;
  double *x, *y, *z, *speed;
  uint32_t *number;
  const void *payload;
  size_t size;
} fixture;

/* A block of nodes 1 mm apart, turned by 0.7 rad about z and 0.4 about x, and a few points far from it. */
static void place(fixture *f)
{
  for (uint32_t i = 0; i < COUNT; i++) {
    uint32_t row = i / EDGE % EDGE, layer = i / (EDGE * EDGE);
    double a = i % EDGE, b = row, c = layer;
    double x = cos(0.7) * a - sin(0.7) * b, y = sin(0.7) * a + cos(0.7) * b;
    f->x[i] = 1e-3 * x;
    f->y[i] = 1e-3 * (cos(0.4) * y - sin(0.4) * c);
    f->z[i] = 1e-3 * (sin(0.4) * y + cos(0.4) * c);
    f->speed[i] = i;
    f->number[i] = i;
  }
}

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  for (int k = 0; k < 2; k++) {
    scr_drawable *d = &f->drawables[k];
    *d = (scr_drawable){.kind = SCR_DRAW_POINTS, .element_count = k ? FEW : COUNT, .radius = 5e-4, .field_count = k ? 1 : 3};
    snprintf(d->name, sizeof d->name, "%s", k ? "few" : "block");
    d->fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_UINT16};
    d->fields[1] = (scr_field){"speed", "m/s", 1, SCR_ENCODING_FLOAT32};
    d->fields[2] = (scr_field){"number", "1", 1, SCR_ENCODING_UINT32};
  }
  f->topology = (scr_topology){.drawables = f->drawables, .drawable_count = 2};
  f->x = calloc(4 * COUNT, sizeof *f->x);
  f->number = calloc(COUNT, sizeof *f->number);
  if (!f->x || !f->number) return -1;
  f->y = f->x + COUNT;
  f->z = f->y + COUNT;
  f->speed = f->z + COUNT;
  place(f);
  scr_error error = {0};
  if (frame_create(f->drawables, 2, &f->frame, &error) != SCR_OK) fail_msg("%s", error.message);
  frame_begin(f->frame);
  assert_int_equal(scr_frame_field(f->frame, 0, 0, f->x, f->y, f->z, &error), SCR_OK);
  assert_int_equal(scr_frame_field(f->frame, 0, 1, f->speed, NULL, NULL, &error), SCR_OK);
  assert_int_equal(scr_frame_field_u32(f->frame, 0, 2, f->number, &error), SCR_OK);
  assert_int_equal(scr_frame_field(f->frame, 1, 0, f->x, f->x, f->x, &error), SCR_OK);
  if (frame_finish(f->frame, &f->payload, &f->size, &error) != SCR_OK) fail_msg("%s", error.message);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  frame_destroy(f->frame);
  free(f->x);
  free(f->number);
  free(f);
  return 0;
}

/* How many layers a node lies below the block's surface. */
static uint32_t depth_of(uint32_t i)
{
  uint32_t at[3] = {i % EDGE, i / EDGE % EDGE, i / (EDGE * EDGE)}, depth = EDGE;
  for (int k = 0; k < 3; k++) {
    uint32_t near = at[k] < EDGE - 1 - at[k] ? at[k] : EDGE - 1 - at[k];
    if (near < depth) depth = near;
  }
  return depth;
}

/* Reads a payload that was made, and checks every value against what was given. @return the block's points; their depths are counted */
static uint32_t read_back(const fixture *f, const unsigned char *payload, size_t size, uint32_t *of_depth)
{
  frame_reader reader;
  frame_array array, place = {0}, speed = {0};
  bool more = true;
  uint32_t blocks = 0;
  assert_int_equal(frame_reader_begin(&reader, payload, size, NULL), SCR_OK);
  for (;;) {
    assert_int_equal(frame_reader_next(&reader, &array, &more, NULL), SCR_OK);
    if (!more) break;
    if (array.drawable == 1) {
      blocks++;
      assert_int_equal(array.element_count, FEW);
    } else if (array.header.field == 0) {
      place = array;
    } else if (array.header.field == 1) {
      speed = array;
    } else {
      for (uint32_t k = 0; k < array.element_count; k++) {
        uint32_t i = (uint32_t)frame_array_value(&array, k, 0);
        assert_in_range(i, 0, COUNT - 1);
        assert_true(k == 0 || i > (uint32_t)frame_array_value(&array, k - 1, 0));
        assert_true(frame_array_value(&speed, k, 0) == i);
        assert_true(fabs(frame_array_value(&place, k, 1) - f->y[i]) < 1e-6);
        of_depth[depth_of(i)]++;
      }
    }
  }
  assert_int_equal(blocks, 1);
  return place.element_count;
}

/* All of the outermost layer, whichever way the block lies, and nothing deeper than the diagonal of two cells, 3.6 sqrt(3) = 6.2 spacings.
 * */
static void test_the_surface_of_a_turned_block_is_whole(void **state)
{
  const fixture *f = *state;
  unsigned char *payload;
  size_t size;
  uint32_t of_depth[EDGE + 1] = {0}, surface = COUNT - (EDGE - 2) * (EDGE - 2) * (EDGE - 2);
  assert_int_equal(frame_visible_points(&f->topology, f->payload, f->size, COUNT - 1, &payload, &size, NULL), SCR_OK);
  assert_non_null(payload);
  uint32_t count = read_back(f, payload, size, of_depth);
  assert_int_equal(of_depth[0], surface);
  assert_int_equal(((const scr_frame_header *)(const void *)payload)->thinned, 0);
  for (uint32_t d = 7; d <= EDGE; d++) assert_int_equal(of_depth[d], 0);
  print_message("# %u of %d points, %u of them of the surface\n", count, COUNT, surface);
  assert_true(count < COUNT / 2);
  assert_true(size < f->size / 2);
  free(payload);
}

/* Fewer still are drawn evenly: within a tenth of one in so many. */
static void test_a_viewer_that_wants_less_gets_one_in_so_many(void **state)
{
  const fixture *f = *state;
  unsigned char *payload;
  size_t size;
  uint32_t of_depth[EDGE + 1] = {0};
  assert_int_equal(frame_visible_points(&f->topology, f->payload, f->size, 2000, &payload, &size, NULL), SCR_OK);
  uint32_t count = read_back(f, payload, size, of_depth);
  uint32_t thinned = ((const scr_frame_header *)(const void *)payload)->thinned;
  print_message("# %u of 2000, one in %u\n", count, thinned);
  assert_in_range(thinned * count, 18629 * 9 / 10, 18629 * 11 / 10);
  assert_in_range(count, 1000, 2200);
  free(payload);
}

static void test_what_is_few_enough_stays_as_it_is(void **state)
{
  const fixture *f = *state;
  unsigned char *payload = malloc(1), *const given = payload;
  size_t size = 1;
  assert_int_equal(frame_visible_points(&f->topology, f->payload, f->size, COUNT, &payload, &size, NULL), SCR_OK);
  assert_null(payload);
  assert_int_equal(size, 0);
  free(given);
}

static void test_a_payload_that_is_no_frame_is_refused(void **state)
{
  const fixture *f = *state;
  unsigned char *payload;
  size_t size;
  for (size_t cut = 0; cut < f->size; cut += f->size / 37) {
    assert_int_equal(frame_visible_points(&f->topology, f->payload, cut, 10, &payload, &size, NULL), SCR_BAD_FILE);
    assert_null(payload);
  }
}

/* 10000 times powers of 5; nothing between 0 and 10000 can be wished. */
static void test_wishes_are_rounded_down_to_levels(void **state)
{
  static const int64_t wished[] = {0, 10000, 49999, 50000, 250000, 1000000, 1250000, INT64_MAX};
  static const uint32_t levels[] = {0, 10000, 10000, 50000, 250000, 250000, 1250000, 6250000};
  uint32_t level;
  (void)state;
  for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
    assert_true(frame_points_level(wished[k], &level));
    assert_int_equal(level, levels[k]);
  }
  assert_false(frame_points_level(9999, &level));
  assert_false(frame_points_level(-1, &level));
}

SUITE(test_record_outside)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_surface_of_a_turned_block_is_whole), cmocka_unit_test(test_a_viewer_that_wants_less_gets_one_in_so_many),
      cmocka_unit_test(test_what_is_few_enough_stays_as_it_is),      cmocka_unit_test(test_a_payload_that_is_no_frame_is_refused),
      cmocka_unit_test(test_wishes_are_rounded_down_to_levels),
  };
  return cmocka_run_group_tests_name("record outside", tests, set_up, tear_down);
}
