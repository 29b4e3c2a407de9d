/* Points in cells, and neighbour lists with a skin: what they find is what comparing all pairs finds, for any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/search/near_list.h"
#include "tests/support/suites.h"

enum { COUNT = 700, THREADS = 3 };

/* Points of a small linear congruential generator with a fixed seed, in a box of 1 x 0.4 x 0.2 m; some of them at the same place. */
static void fill(double *x, double *y, double *z)
{
  uint64_t seed = 12345;
  for (size_t i = 0; i < COUNT; i++) {
    double *const c[3] = {&x[i], &y[i], &z[i]};
    const double size[3] = {1, 0.4, 0.2};
    for (int a = 0; a < 3; a++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      *c[a] = size[a] * (double)(seed >> 40) / 16777216.0;
    }
    if (i % 50 == 49) x[i] = x[i - 1], y[i] = y[i - 1], z[i] = z[i - 1];
  }
}

static void test_cells_are_the_same_for_any_number_of_threads(void **state)
{
  (void)state;
  double x[COUNT], y[COUNT], z[COUNT];
  uint32_t ids[COUNT / 2];
  fill(x, y, z);
  for (uint32_t k = 0; k < COUNT / 2; k++) ids[k] = COUNT - 1 - 2 * k;
  for (int some = 0; some < 2; some++) {
    geo_cells one = {0}, many = {0};
    size_t n = some ? COUNT / 2 : COUNT;
    assert_int_equal(geo_cells_build(&one, (const double *[]){x, y, z}, some ? ids : NULL, n, 0.07, execution_of(1), NULL), SCR_OK);
    assert_int_equal(geo_cells_build(&many, (const double *[]){x, y, z}, some ? ids : NULL, n, 0.07, execution_of(THREADS), NULL), SCR_OK);
    size_t cells = (size_t)one.count[0] * (size_t)one.count[1] * (size_t)one.count[2];
    assert_memory_equal(one.count, many.count, sizeof one.count);
    assert_memory_equal(one.first, many.first, (cells + 1) * sizeof *one.first);
    assert_memory_equal(one.item, many.item, n * sizeof *one.item);
    assert_int_equal(one.first[cells], n);
    for (size_t c = 0; c < cells; c++) /* in a cell, the order in which they were given: ascending without ids, descending with these */
      for (size_t k = one.first[c]; k + 1 < one.first[c + 1]; k++)
        assert_true(some ? one.item[k] > one.item[k + 1] : one.item[k] < one.item[k + 1]);
    geo_cells_clear(&one);
    geo_cells_clear(&many);
  }
}

/* Leaves out pairs of odd points, and marks those with an even one. */
static size_t filter(const void *user, unsigned thread, uint32_t i, uint32_t *row, size_t count)
{
  size_t kept = 0;
  (void)user;
  assert_true(thread < THREADS);
  for (size_t k = 0; k < count; k++)
    if (i % 2 == 0 || row[k] % 2 == 0) row[kept++] = row[k] % 2 == 0 ? row[k] | 0x80000000u : row[k];
  return kept;
}

static void test_rows_hold_what_comparing_all_pairs_finds(void **state)
{
  (void)state;
  double x[COUNT], y[COUNT], z[COUNT];
  const double reach = 0.09;
  geo_near_list list = {0}, again = {0};
  fill(x, y, z);
  assert_int_equal(geo_near_list_create(&list, COUNT, NULL), SCR_OK);
  assert_int_equal(geo_near_list_create(&again, COUNT, NULL), SCR_OK);
  assert_true(list.stale);
  geo_near_list_place(&list, x, y, z, execution_of(1));
  geo_near_list_place(&again, x, y, z, execution_of(THREADS));
  assert_int_equal(geo_near_list_build(&list, reach, filter, NULL, execution_of(1), NULL), SCR_OK);
  assert_int_equal(geo_near_list_build(&again, reach, filter, NULL, execution_of(THREADS), NULL), SCR_OK);
  assert_false(list.stale);
  assert_memory_equal(list.first, again.first, (COUNT + 1) * sizeof *list.first);
  assert_memory_equal(list.other, again.other, list.first[COUNT] * sizeof *list.other);
  size_t pairs = 0;
  for (uint32_t i = 0; i < COUNT; i++) {
    size_t expected = 0;
    for (uint32_t j = 0; j < COUNT; j++) {
      double square = (x[j] - x[i]) * (x[j] - x[i]) + (y[j] - y[i]) * (y[j] - y[i]) + (z[j] - z[i]) * (z[j] - z[i]);
      uint32_t entry = j;
      if (j == i || !(square < reach * reach) || !filter(NULL, 0, i, &entry, 1)) continue;
      bool found = false;
      for (uint32_t k = list.first[i]; k < list.first[i + 1]; k++) found = found || list.other[k] == entry;
      assert_true(found);
      expected++;
    }
    assert_int_equal(list.first[i + 1] - list.first[i], expected);
    pairs += expected;
  }
  assert_true(pairs > COUNT);
  geo_near_list_clear(&list);
  geo_near_list_clear(&again);
}

static void test_the_longest_way_since_the_list_was_made_is_known(void **state)
{
  (void)state;
  double x[COUNT], y[COUNT], z[COUNT];
  geo_near_list list = {0};
  fill(x, y, z);
  assert_int_equal(geo_near_list_create(&list, COUNT, NULL), SCR_OK);
  geo_near_list_place(&list, x, y, z, execution_of(THREADS));
  assert_true(geo_near_list_moved(&list, x, y, z, execution_of(THREADS)) == 0);
  for (size_t i = 0; i < COUNT; i++) z[i] += 1e-4;
  x[400] += 0.03;
  z[400] += 0.04 - 1e-4;
  assert_true(fabs(geo_near_list_moved(&list, x, y, z, execution_of(THREADS)) - 0.05) < 1e-15);
  assert_true(geo_near_list_moved(&list, x, y, z, execution_of(THREADS)) == geo_near_list_moved(&list, x, y, z, execution_of(1)));
  geo_near_list_clear(&list);
}

/* Infinite extents made ever larger cells for ever, NaN had no cell. Coordinates 1e300 apart have one, if a large one. */
static void test_positions_and_sizes_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  static const double wrong[] = {INFINITY, -INFINITY, NAN};
  double x[3] = {0, 1, 2}, y[3] = {0, 1e300, 0}, z[3] = {0, 0, 3};
  geo_cells cells = {0};
  scr_error error = {0};
  for (int k = 0; k < 3; k++) {
    double kept = z[1];
    z[1] = wrong[k];
    assert_int_equal(geo_cells_build(&cells, (const double *[]){x, y, z}, NULL, 3, 0.1, execution_of(THREADS), &error), SCR_DIVERGED);
    z[1] = kept;
    assert_int_equal(geo_cells_build(&cells, (const double *[]){x, y, z}, NULL, 3, wrong[k], execution_of(THREADS), &error), SCR_DIVERGED);
  }
  assert_int_equal(geo_cells_build(&cells, (const double *[]){x, y, z}, NULL, 3, 0, execution_of(THREADS), &error), SCR_DIVERGED);
  y[2] = -1.7e308, y[1] = 1.7e308;
  assert_int_equal(geo_cells_build(&cells, (const double *[]){x, y, z}, NULL, 3, 0.1, execution_of(THREADS), &error), SCR_DIVERGED);
  y[2] = 0, y[1] = 1e300;
  assert_int_equal(geo_cells_build(&cells, (const double *[]){x, y, z}, NULL, 3, 0.1, execution_of(THREADS), &error), SCR_OK);
  for (int axis = 0; axis < 3; axis++) {
    assert_int_equal(geo_cells_along(&cells, axis, NAN), 0);
    assert_int_equal(geo_cells_along(&cells, axis, -INFINITY), 0);
    assert_int_equal(geo_cells_along(&cells, axis, INFINITY), cells.count[axis] - 1);
  }
  geo_cells_clear(&cells);
}

SUITE(test_geometry_near_list)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cells_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(test_rows_hold_what_comparing_all_pairs_finds),
      cmocka_unit_test(test_positions_and_sizes_that_are_not_finite_are_refused),
      cmocka_unit_test(test_the_longest_way_since_the_list_was_made_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
