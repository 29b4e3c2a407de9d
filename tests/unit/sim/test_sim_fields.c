/* Tables of fields: what is allocated, saved, refused and freed follows from the table alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sim/fields.h"
#include "tests/support/suites.h"

typedef struct toy_state {
  size_t count, touch_count, touch_capacity, own_count, room;
  double (*position)[3], *force;
  uint32_t *touches;
  uint64_t broken;
  double *load, *own, *buffer;
  size_t *first;
  bool moving;
} toy_state;

static const sim_field fields[] = {
    FIELD_ARRAY("positions", toy_state, position, count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("forces", toy_state, force, count, 0),
    FIELD_LIST("contacts", toy_state, touches, touch_count, touch_capacity, FIELD_SAVED),
    FIELD_VALUE("broken bonds", toy_state, broken, FIELD_SAVED),
    FIELD_ROWS("loads", toy_state, load, count, 3, 0),
    FIELD_ARRAY("own grids", toy_state, own, own_count, FIELD_SAVED | FIELD_OPTIONAL),
    FIELD_STARTS("rows", toy_state, first, count, FIELD_SAVED),
    FIELD_VALUE("flags", toy_state, moving, FIELD_SAVED | FIELD_TRUTH),
    FIELD_SCRATCH_LIST("pictures", toy_state, buffer, room),
};
enum { ALL = FIELD_COUNT(fields) };

static toy_state filled(size_t count, size_t touches)
{
  toy_state s = {.count = count, .touch_count = touches, .broken = 7, .moving = true};
  assert_int_equal(fields_allocate(fields, ALL, &s, NULL), SCR_OK);
  for (size_t i = 0; i < count; i++) s.position[i][0] = 1.5 + (double)i, s.force[i] = 9;
  assert_true(mem_grow(&s.touches, &s.touch_capacity, touches, sizeof *s.touches));
  s.first[count] = 11;
  for (size_t k = 0; k < touches; k++) s.touches[k] = (uint32_t)(k * k);
  return s;
}

/* What is saved comes back, scratch does not: 8 + 5 x 24 bytes of positions, 8 + 3 x 4 of contacts, 8 + 8 of the value, 8 of what is not
 * there, 8 + 6 x 8 of the starts of rows, 8 + 1 of the flag. */
static void test_what_is_saved_comes_back(void **state)
{
  (void)state;
  toy_state a = filled(5, 3), b = {.count = 5};
  scr_blob blob = {0};
  assert_int_equal(fields_allocate(fields, ALL, &b, NULL), SCR_OK);
  assert_int_equal(fields_save(fields, ALL, &a, &blob, NULL), SCR_OK);
  assert_int_equal(blob.size, 8 + 5 * 24 + 8 + 3 * 4 + 8 + 8 + 8 + 8 + 6 * 8 + 8 + 1);
  assert_int_equal(fields_load(fields, ALL, &b, &blob, NULL), SCR_OK);
  assert_int_equal(blob.cursor, blob.size);
  assert_memory_equal(a.position, b.position, 5 * sizeof *a.position);
  assert_int_equal(b.touch_count, 3);
  assert_memory_equal(a.touches, b.touches, 3 * sizeof *a.touches);
  assert_true(b.broken == 7 && b.force[4] == 0);
  assert_true(b.load[14] == 0 && !b.own && b.first[5] == 11 && b.moving);
  assert_true(mem_grow(&b.buffer, &b.room, 20, sizeof *b.buffer));
  assert_true(fields_bytes(fields, ALL, &b) == 5 * 24 + 5 * 8 + 4.0 * (double)b.touch_capacity + 5 * 24 + 6 * 8 + 8.0 * (double)b.room);
  fields_clear(fields, ALL, &b);
  assert_true(b.position[3][0] == 0 && b.touch_count == 0 && b.broken == 7 && b.room >= 20);
  scr_blob_destroy(&blob);
  fields_free(fields, ALL, &a), fields_free(fields, ALL, &b);
  assert_true(!a.position && !a.force && !a.touches && a.touch_capacity == 0);
  fields_free(fields, ALL, &a); /* once more does nothing */
}

static scr_status load(scr_blob blob, size_t count, scr_error *error)
{
  toy_state s = {.count = count};
  assert_int_equal(fields_allocate(fields, ALL, &s, NULL), SCR_OK);
  scr_status status = fields_load(fields, ALL, &s, &blob, error);
  fields_free(fields, ALL, &s);
  return status;
}

/* Cut anywhere, of another length, with a list longer than the blob, with a number that is none: refused, and named. */
static void test_damage_is_refused_by_name(void **state)
{
  (void)state;
  toy_state a = filled(5, 3);
  scr_blob blob = {0};
  scr_error error;
  assert_int_equal(fields_save(fields, ALL, &a, &blob, NULL), SCR_OK);
  for (size_t size = 0; size < blob.size; size++)
    assert_int_equal(load((scr_blob){.data = blob.data, .size = size}, 5, NULL), SCR_BAD_FILE);
  assert_int_equal(load((scr_blob){.data = blob.data, .size = blob.size}, 6, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "positions"));
  blob.data[blob.size - 1] = 2;
  assert_int_equal(load((scr_blob){.data = blob.data, .size = blob.size}, 5, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "flags are neither true nor false"));
  const uint64_t huge = UINT64_MAX / 8;
  const double lost = NAN;
  memcpy(blob.data + 128, &huge, sizeof huge);
  assert_int_equal(load((scr_blob){.data = blob.data, .size = blob.size}, 5, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "contacts"));
  memcpy(blob.data + 8 + 3 * 24, &lost, sizeof lost);
  assert_int_equal(load((scr_blob){.data = blob.data, .size = blob.size}, 5, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "positions are not finite"));
  scr_blob_destroy(&blob);
  fields_free(fields, ALL, &a);
}

/* A count that no memory has room for fails with the field's name, and leaves what can be freed. */
static void test_too_large_a_field_is_named(void **state)
{
  (void)state;
  toy_state s = {.count = SIZE_MAX / 16};
  scr_error error;
  assert_int_equal(fields_allocate(fields, ALL, &s, &error), SCR_NO_MEMORY);
  assert_non_null(strstr(error.message, "positions"));
  fields_free(fields, ALL, &s);
}

SUITE(test_sim_fields)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_saved_comes_back),
      cmocka_unit_test(test_damage_is_refused_by_name),
      cmocka_unit_test(test_too_large_a_field_is_named),
  };
  return cmocka_run_group_tests_name("sim_fields", tests, NULL, NULL);
}
