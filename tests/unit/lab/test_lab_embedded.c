/* Files compiled into the program: found by name, listed by prefix, complete, and free of this machine's paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "server/embedded.h"
#include "tests/support/suites.h"

static void test_a_migration_is_found_by_its_name_with_the_bytes_of_its_file(void **state)
{
  (void)state;
  const embedded_file *asset = embedded_find("migrations/0001_jobs.sql");
  assert_non_null(asset);
  FILE *file = fopen("migrations/0001_jobs.sql", "rb");
  assert_non_null(file);
  unsigned char *data = malloc(asset->size + 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, asset->size + 1, file), asset->size);
  assert_memory_equal(data, asset->data, asset->size);
  assert_int_equal(asset->data[asset->size], 0);
  assert_string_equal(asset->type, "application/sql");
  free(data);
  fclose(file);
}

static void test_names_that_are_not_there_are_not_found(void **state)
{
  (void)state;
  static const char *const names[] = {"", "migrations", "migrations/", "migrations/0001_jobs.sql ", "/migrations/0001_jobs.sql", "~"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_null(embedded_find(names[i]));
}

static void test_a_prefix_lists_exactly_the_names_that_begin_with_it_in_order(void **state)
{
  (void)state;
  size_t all_count = 0, count = 0, expected = 0;
  const embedded_file *all = embedded_under("", &all_count);
  assert_non_null(all);
  for (size_t i = 0; i < all_count; i++) {
    if (i > 0) assert_true(strcmp(all[i - 1].path, all[i].path) < 0);
    if (strncmp(all[i].path, "migrations/", 11) == 0) expected++;
    assert_ptr_equal(embedded_find(all[i].path), &all[i]);
  }
  const embedded_file *migrations = embedded_under("migrations/", &count);
  assert_int_equal(count, expected);
  assert_true(expected >= 1);
  assert_string_equal(migrations[0].path, "migrations/0001_jobs.sql");
  assert_null(embedded_under("nothing/", &count));
  assert_int_equal(count, 0);
}

static void test_no_name_is_a_path_of_the_building_machine_and_every_tag_is_quoted(void **state)
{
  (void)state;
  size_t count = 0;
  const embedded_file *all = embedded_under("", &count);
  for (size_t i = 0; i < count; i++) {
    assert_true(all[i].path[0] != '/' && all[i].path[0] != '.');
    assert_null(strstr(all[i].path, "build"));
    assert_int_equal(strlen(all[i].etag), 34);
    assert_true(all[i].etag[0] == '"' && all[i].etag[33] == '"');
    assert_non_null(strchr(all[i].type, '/'));
  }
}

static void test_what_gzip_makes_a_tenth_smaller_is_there_compressed_with_a_tag_of_its_own(void **state)
{
  (void)state;
  size_t count = 0, packed = 0;
  const embedded_file *all = embedded_under("", &count);
  for (size_t i = 0; i < count; i++) {
    assert_true((all[i].gzip != NULL) == (all[i].gzip_size > 0) && (all[i].gzip != NULL) == (all[i].gzip_etag != NULL));
    if (!all[i].gzip) continue;
    packed++;
    assert_true(10 * all[i].gzip_size <= 9 * all[i].size);
    assert_true(all[i].gzip[0] == 0x1F && all[i].gzip[1] == 0x8B); /* RFC 1952; the test of the API unpacks one */
    assert_string_not_equal(all[i].gzip_etag, all[i].etag);
    const unsigned char *end = all[i].gzip + all[i].gzip_size - 4;
    assert_int_equal(end[0] | end[1] << 8 | end[2] << 16 | (uint32_t)end[3] << 24, all[i].size); /* ISIZE */
  }
  assert_true(packed >= 5);
  assert_true(embedded_find("migrations/0001_jobs.sql")->gzip_size > 0);
}

SUITE(test_lab_embedded)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_migration_is_found_by_its_name_with_the_bytes_of_its_file),
      cmocka_unit_test(test_names_that_are_not_there_are_not_found),
      cmocka_unit_test(test_a_prefix_lists_exactly_the_names_that_begin_with_it_in_order),
      cmocka_unit_test(test_no_name_is_a_path_of_the_building_machine_and_every_tag_is_quoted),
      cmocka_unit_test(test_what_gzip_makes_a_tenth_smaller_is_there_compressed_with_a_tag_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
