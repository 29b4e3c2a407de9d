/* Arrays: aligned, zeroed, and safe against sizes that overflow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/support/suites.h"

static void test_arrays_are_aligned_and_zeroed(void **state)
{
  (void)state;
  for (size_t count = 0; count < 100; count++) {
    unsigned char *array = mem_array(count, 3);
    assert_non_null(array);
    assert_int_equal((uintptr_t)array % 64, 0);
    for (size_t i = 0; i < 3 * count; i++) assert_int_equal(array[i], 0);
    mem_free(array);
  }
}

enum { mebibyte = 1 << 20 };

/* Pages of [array, array + bytes) that are in memory; the first and the last are shared with neighbours and left out. */
static size_t pages_in_memory(unsigned char *array, size_t bytes)
{
  static unsigned char held[(64 * mebibyte) / 4096];
  size_t page = (size_t)sysconf(_SC_PAGESIZE), count = bytes / page - 2, in_memory = 0;
  unsigned char *first = array + (page - (uintptr_t)array % page);
  assert_true(count <= sizeof held);
  assert_int_equal(mincore(first, count * page, held), 0);
  for (size_t i = 0; i < count; i++) in_memory += held[i] & 1;
  return in_memory;
}

/* Of fresh memory and of memory that was used and freed before. */
static void test_large_arrays_are_zero_and_aligned_and_untouched(void **state)
{
  (void)state;
  static const size_t sizes[] = {mebibyte, mebibyte + 1, 3 * mebibyte - 64, 5 * mebibyte + 4095, 40 * mebibyte};
  for (size_t round = 0; round < 3; round++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      unsigned char *array = mem_array(sizes[s], 1);
      assert_non_null(array);
      assert_int_equal((uintptr_t)array % 64, 0);
      assert_int_equal(pages_in_memory(array, sizes[s]), 0);
      for (size_t i = 0; i < sizes[s]; i++)
        if (array[i] != 0) fail_msg("byte %zu of %zu is %d", i, sizes[s], array[i]);
      memset(array, 0xa5, sizes[s]);
      mem_free(array);
    }
}

static void test_large_arrays_leave_their_neighbours_alone(void **state)
{
  (void)state;
  enum { count = 12, bytes = mebibyte + 192 };
  unsigned char *array[count];
  for (size_t k = 0; k < count; k++) {
    array[k] = mem_array(bytes, 1);
    assert_non_null(array[k]);
    memset(array[k], (int)k + 1, bytes);
    if (k % 3 == 2) { /* room between others, taken anew */
      mem_free(array[k - 1]);
      array[k - 1] = mem_array(bytes, 1);
      assert_non_null(array[k - 1]);
      memset(array[k - 1], (int)k, bytes);
    }
  }
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < bytes; i++)
      if (array[k][i] != k + 1) fail_msg("array %zu, byte %zu", k, i);
    mem_free(array[k]);
  }
}

static void test_sizes_that_overflow_are_refused(void **state)
{
  (void)state;
  size_t bytes, capacity = 0;
  void *none = NULL;
  assert_false(mem_multiply(SIZE_MAX / 2, 3, &bytes));
  assert_true(mem_multiply(SIZE_MAX / 3, 3, &bytes));
  assert_null(mem_array(SIZE_MAX / 2, 3));
  assert_null(mem_array(SIZE_MAX - 10, 1));
  assert_false(mem_grow(&none, &capacity, SIZE_MAX, 8));
  assert_false(mem_grow(&none, &capacity, SIZE_MAX / 4, 8));
  assert_null(none);
  assert_int_equal(capacity, 0);
}

static void test_growing_keeps_what_is_there(void **state)
{
  (void)state;
  void *array = NULL;
  size_t capacity = 0;
  for (size_t i = 0; i < 1000; i++) {
    assert_true(mem_grow(&array, &capacity, i + 1, sizeof(size_t)));
    assert_int_equal(((size_t *)array)[i], 0);
    ((size_t *)array)[i] = i;
  }
  for (size_t i = 0; i < 1000; i++) assert_int_equal(((size_t *)array)[i], i);
  assert_int_equal(capacity, 1024);
  mem_free(array);
  mem_free(NULL);
}

SUITE(test_base_memory)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrays_are_aligned_and_zeroed),
      cmocka_unit_test(test_large_arrays_are_zero_and_aligned_and_untouched),
      cmocka_unit_test(test_large_arrays_leave_their_neighbours_alone),
      cmocka_unit_test(test_sizes_that_overflow_are_refused),
      cmocka_unit_test(test_growing_keeps_what_is_there),
  };
  return cmocka_run_group_tests_name("base_memory", tests, NULL, NULL);
}
