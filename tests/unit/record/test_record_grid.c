/* Grids as drawables: recorded and read back, refused when wrong, damaged on purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/drawable.h"
#include "record/file/recording.h"
#include "record/frame/view.h"
#include "record/geometry_record.h"
#include "tests/support/claim.h"
#include "tests/support/folder.h"
#include "tests/support/kinds.h"
#include "tests/support/suites.h"

static scr_recording *open_kinds(char **folder)
{
  scr_recording *recording;
  *folder = folder_create();
  char *path = folder_path(*folder, "recording.scree");
  kinds_write(path);
  assert_int_equal(scr_recording_open(path, &recording, NULL), SCR_OK);
  free(path);
  return recording;
}

/* The numbers that tests/support/kinds.h says. */
static void check_frame(const frame_view *view, uint32_t k)
{
  const drawable_view *cells = &view->drawables[KINDS_CELLS], *slab = &view->drawables[KINDS_SLAB];
  assert_int_equal(cells->count, 3 + k);
  for (uint32_t i = 0; i < cells->count; i++) {
    uint32_t cell = drawable_view_cell(cells, i);
    scr_vec3 velocity = frame_array_vector(drawable_view_field(cells, "velocity"), i);
    assert_int_equal(cell, k + 2 * i);
    assert_float_equal(frame_array_value(drawable_view_field(cells, "temperature"), i, 0), 300 + cell, 8 / 131070.0 * 1.01);
    assert_true(velocity.x == cell && velocity.y == k && velocity.z == -(double)cell);
  }
  assert_int_equal(slab->count, 12);
  for (uint32_t i = 0; i < 12; i++) {
    assert_int_equal(drawable_view_cell(slab, i), i);
    assert_true(frame_array_value(&slab->arrays[0], i, 0) == i / 4.0 + k);
    assert_int_equal(frame_array_whole(&slab->arrays[1], i, 0), i % 5);
  }
}

static void test_grids_come_back_from_a_recording(void **state)
{
  (void)state;
  char *folder;
  scr_recording *recording = open_kinds(&folder);
  scr_topology topology;
  bool found;
  uint64_t seq = 0;
  frame_view view = {0};
  assert_int_equal(geometry_topology_read(recording, &topology, &found, NULL), SCR_OK);
  const scr_drawable *cells = &topology.drawables[KINDS_CELLS], *slab = &topology.drawables[KINDS_SLAB];
  assert_true(found && cells->kind == SCR_DRAW_GRID && cells->varying && slab->kind == SCR_DRAW_GRID && !slab->varying);
  assert_true(cells->grid.origin.z == -0.5 && cells->grid.spacing.y == 0.2 && cells->grid.counts[0] == 3 && cells->grid.counts[2] == 2);
  assert_int_equal(drawable_grid_flat(&cells->grid), 3);
  assert_int_equal(drawable_grid_flat(&slab->grid), 1);
  for (uint32_t k = 0; k < KINDS_FRAMES; k++) {
    void *record;
    const void *payload;
    size_t size;
    seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME);
    assert_int_equal(recording_payload(recording, seq, &record, &payload, &size, NULL), SCR_OK);
    assert_int_equal(frame_view_read(&view, &topology, payload, size, NULL), SCR_OK);
    check_frame(&view, k);
    free(record);
  }
  frame_view_clear(&view);
  topology_clear(&topology);
  scr_recording_close(recording);
  folder_remove(folder);
}

/* Cell 7 of 3 x 2 x 2 is the second along x in the first row of the upper layer. */
static void test_a_cell_is_where_the_grid_says(void **state)
{
  (void)state;
  const scr_grid_shape grid = {.origin = {0.1, 0.2, -0.5}, .spacing = {0.1, 0.2, 0.3}, .counts = {3, 2, 2}};
  uint32_t place[3];
  drawable_grid_place(&grid, 7, place);
  assert_true(place[0] == 1 && place[1] == 0 && place[2] == 1);
  scr_vec3 corner = drawable_grid_corner(&grid, 1, 0, 1);
  assert_true(vec3_length(vec3_sub(corner, vec3(0.2, 0.2, -0.2))) < 1e-15);
}

/* Alone in a frame, cells k, k + 2, ... say how far the box reaches; a fixed grid is in it as a whole. */
static void test_the_box_of_a_frame_holds_the_cells_that_are_there(void **state)
{
  (void)state;
  scr_drawable kinds[KINDS_COUNT];
  kinds_declare(kinds);
  for (int which = KINDS_CELLS; which <= KINDS_SLAB; which++) {
    const uint32_t cell[2] = {4, 7}; /* at (1, 1, 0) and (1, 0, 1) */
    double zero[12] = {0};
    scr_frame *frame;
    scr_vec3 low, high;
    kinds[which].field_count = 1;
    assert_int_equal(frame_create(&kinds[which], 1, &frame, NULL), SCR_OK);
    frame_begin(frame);
    if (which == KINDS_CELLS) {
      assert_int_equal(scr_frame_count(frame, 0, 2, NULL), SCR_OK);
      assert_false(frame_bounds(frame, &low, &high));
      assert_int_equal(scr_frame_field_u32(frame, 0, 0, cell, NULL), SCR_OK);
    } else {
      assert_int_equal(scr_frame_field(frame, 0, 0, zero, NULL, NULL, NULL), SCR_OK);
    }
    assert_true(frame_bounds(frame, &low, &high));
    scr_vec3 least = which == KINDS_CELLS ? vec3(0.2, 0.2, -0.5) : vec3(0.5, 1, 0);
    scr_vec3 most = which == KINDS_CELLS ? vec3(0.3, 0.6, 0.1) : vec3(1.5, 1, 0.375);
    assert_true(vec3_length(vec3_sub(low, least)) < 1e-12 && vec3_length(vec3_sub(high, most)) < 1e-12);
    frame_destroy(frame);
  }
  kinds_clear(kinds);
}

/* ── wrong use ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef void (*spoiler)(scr_drawable *cells);

static void spoil_count(scr_drawable *cells)
{
  cells->grid.counts[1] = 0;
}
static void spoil_side(scr_drawable *cells)
{
  cells->grid.spacing.x = -0.1;
}
static void spoil_thin(scr_drawable *cells) /* a side of 0 where there are two cells */
{
  cells->grid.spacing.y = 0;
}
static void spoil_line(scr_drawable *cells) /* two sides of 0 */
{
  cells->grid = (scr_grid_shape){.spacing = {1, 0, 0}, .counts = {5, 1, 1}};
}
static void spoil_number(scr_drawable *cells) /* 2^32 cells */
{
  cells->grid.counts[0] = cells->grid.counts[1] = 1 << 16;
}
static void spoil_overflow(scr_drawable *cells) /* 2^66, whose low 64 bits are 0 */
{
  cells->grid.counts[0] = cells->grid.counts[1] = cells->grid.counts[2] = 1 << 22;
}
static void spoil_origin(scr_drawable *cells)
{
  cells->grid.origin.z = NAN;
}
static void spoil_end(scr_drawable *cells)
{
  cells->grid.spacing.z = 1e300;
}
static void spoil_fixed(scr_drawable *cells) /* a list of cells where all are there */
{
  cells->varying = false;
  cells->element_count = 12;
}
static void spoil_elements(scr_drawable *cells)
{
  cells->varying = false;
  cells->fields[0] = cells->fields[1];
  cells->element_count = 11;
}
static void spoil_cell(scr_drawable *cells)
{
  cells->fields[0].encoding = SCR_ENCODING_UINT16;
}
static void spoil_name(scr_drawable *cells)
{
  snprintf(cells->fields[0].name, sizeof cells->fields[0].name, "number");
}
static void spoil_position(scr_drawable *cells)
{
  snprintf(cells->fields[2].name, sizeof cells->fields[2].name, "position");
}

static void test_a_grid_that_is_not_sound_is_refused_when_it_is_declared(void **state)
{
  (void)state;
  static const struct {
    spoiler spoil;
    const char *says;
  } cases[] = {{spoil_count, "3 x 0 x 2 cells"},
               {spoil_side, "-0.1 x 0.2 x 0.3 m"},
               {spoil_thin, "0.1 x 0 x 0.3 m"},
               {spoil_line, "1 x 0 x 0 m"},
               {spoil_number, "4294967295 are possible"},
               {spoil_overflow, "4294967295 are possible"},
               {spoil_origin, "at most"},
               {spoil_end, "at most"},
               {spoil_fixed, "'cell'"},
               {spoil_elements, "11 elements"},
               {spoil_cell, "'cell'"},
               {spoil_name, "must be 'cell'"},
               {spoil_position, "'position'"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    scr_drawable kinds[KINDS_COUNT];
    scr_error error = {0};
    scr_frame *frame;
    kinds_declare(kinds);
    cases[k].spoil(&kinds[KINDS_CELLS]);
    assert_int_equal(frame_create(&kinds[KINDS_CELLS], 1, &frame, &error), SCR_BAD_USAGE);
    if (!strstr(error.message, cases[k].says)) fail_msg("case %zu says: %s", k, error.message);
    kinds_clear(kinds);
  }
}

static void test_cells_that_are_not_there_or_out_of_order_are_refused(void **state)
{
  (void)state;
  scr_drawable kinds[KINDS_COUNT];
  scr_frame *frame;
  scr_error error;
  const uint32_t wrong[3][2] = {{3, 12}, {3, 3}, {3, 2}}, good[2] = {3, 11};
  kinds_declare(kinds);
  assert_int_equal(frame_create(&kinds[KINDS_CELLS], 1, &frame, NULL), SCR_OK);
  for (int k = 0; k < 3; k++) {
    frame_begin(frame);
    assert_int_equal(scr_frame_count(frame, 0, 2, NULL), SCR_OK);
    assert_int_equal(scr_frame_field_u32(frame, 0, 0, wrong[k], &error), SCR_BAD_USAGE);
    assert_non_null(strstr(error.message, "must rise and be below 12"));
  }
  frame_begin(frame);
  assert_int_equal(scr_frame_count(frame, 0, 2, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, 0, 0, good, NULL), SCR_OK);
  frame_destroy(frame);
  kinds_clear(kinds);
}

/* ── damage ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Frame 0 has cells 0, 2, 4. */
static void test_a_frame_with_wrong_cells_is_refused(void **state)
{
  (void)state;
  char *folder;
  scr_recording *recording = open_kinds(&folder);
  const uint32_t wrong[3][3] = {{0, 2, 12}, {0, 2, 2}, {2, 0, 4}};
  scr_topology topology;
  bool found;
  frame_view view = {0};
  assert_int_equal(geometry_topology_read(recording, &topology, &found, NULL), SCR_OK);
  for (int k = 0; k < 3; k++) {
    void *record;
    const void *payload;
    size_t size;
    scr_error error = {0};
    assert_int_equal(recording_payload(recording, scr_recording_next(recording, 0, 1u << SCR_RECORD_FRAME), &record, &payload, &size, NULL),
                     SCR_OK);
    assert_int_equal(frame_view_read(&view, &topology, payload, size, &error), SCR_OK);
    const unsigned char *data = view.drawables[KINDS_CELLS].arrays[0].data;
    memcpy((unsigned char *)record + (data - (const unsigned char *)record), wrong[k], sizeof wrong[k]);
    assert_int_equal(frame_view_read(&view, &topology, payload, size, &error), SCR_BAD_FILE);
    assert_non_null(strstr(error.message, "cells are named that are not there"));
    free(record);
  }
  frame_view_clear(&view);
  topology_clear(&topology);
  scr_recording_close(recording);
  folder_remove(folder);
}

/* Every text of the grid in the topology, replaced by one of the same length that does not fit. */
static void test_a_topology_with_a_wrong_grid_is_refused(void **state)
{
  (void)state;
  static const char *const swaps[][2] = {{"\"counts\":[3,2,2]", "\"counts\":[3,2.2]"}, {"\"counts\":[3,2,2]", "\"counts\":[3,0,2]"},
                                         {"\"counts\":[3,2,2]", "\"counts\":[-3,2]"},  {"\"counts\":[4,1,3]", "\"counts\":[4,1,2]"},
                                         {"\"counts\":[4,1,3]", "\"counts\":[4,2,3]"}, {"\"spacing\":[0.25", "\"sparing\":[0.25"}};
  char *folder;
  scr_recording *recording = open_kinds(&folder);
  for (size_t k = 0; k < sizeof swaps / sizeof *swaps; k++) {
    void *record;
    const void *payload;
    size_t size;
    scr_topology topology;
    assert_int_equal(recording_payload(recording, 2, &record, &payload, &size, NULL), SCR_OK);
    char *text = strndup(payload, size), *at = strstr(text, swaps[k][0]);
    assert_int_equal(topology_parse(text, size, &topology, NULL), SCR_OK);
    topology_clear(&topology);
    assert_non_null(at);
    memset(at, ' ', strlen(swaps[k][0]));
    memcpy(at, swaps[k][1], strlen(swaps[k][1]));
    assert_int_equal(topology_parse(text, size, &topology, NULL), SCR_BAD_FILE);
    free(text);
    free(record);
  }
  scr_recording_close(recording);
  folder_remove(folder);
}

/* ── what it costs ───────────────────────────────────────────────────────────────────────────────────────────────── */

enum { many = 100000 };

/* Headers are 8 a frame, 16 a block, 64 an array. A list of cells takes 4 bytes each, a value 2. */
static void test_cells_take_the_bytes_of_their_numbers(void **state)
{
  (void)state;
  static uint32_t cell[many];
  static double value[many];
  scr_drawable kinds[KINDS_COUNT];
  scr_frame *frame;
  const void *payload;
  size_t size;
  for (uint32_t i = 0; i < many; i++) cell[i] = 40000 * i, value[i] = sin(i);
  kinds_declare(kinds);
  kinds[KINDS_CELLS].grid.counts[0] = kinds[KINDS_CELLS].grid.counts[1] = 1000;
  kinds[KINDS_CELLS].grid.counts[2] = 4000;
  kinds[KINDS_CELLS].field_count = 2;
  assert_int_equal(frame_create(&kinds[KINDS_CELLS], 1, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(scr_frame_count(frame, 0, many, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, 0, 0, cell, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 0, 1, value, NULL, NULL, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
  claim_absolute("bytes of a frame of 100000 cells out of 4e9", (double)size, 600000 + 8 + 16 + 2 * 64, 0, "the format: 4 + 2 each");
  frame_destroy(frame);
  kinds_clear(kinds);
}

SUITE(test_record_grid)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grids_come_back_from_a_recording),
      cmocka_unit_test(test_a_cell_is_where_the_grid_says),
      cmocka_unit_test(test_the_box_of_a_frame_holds_the_cells_that_are_there),
      cmocka_unit_test(test_a_grid_that_is_not_sound_is_refused_when_it_is_declared),
      cmocka_unit_test(test_cells_that_are_not_there_or_out_of_order_are_refused),
      cmocka_unit_test(test_a_frame_with_wrong_cells_is_refused),
      cmocka_unit_test(test_a_topology_with_a_wrong_grid_is_refused),
      cmocka_unit_test(test_cells_take_the_bytes_of_their_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
