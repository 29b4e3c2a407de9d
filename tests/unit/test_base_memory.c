/* Arrays: aligned, zeroed, and safe against sizes that overflow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrays_are_aligned_and_zeroed),
      cmocka_unit_test(test_sizes_that_overflow_are_refused),
      cmocka_unit_test(test_growing_keeps_what_is_there),
  };
  return cmocka_run_group_tests_name("base_memory", tests, NULL, NULL);
}
