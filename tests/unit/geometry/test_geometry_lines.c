/* Polylines: three formats and a text that say the same, places along them, and everything that files can have wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/lines/lines.h"
#include "tests/support/suites.h"

static void read_lines(const void *bytes, size_t size, geo_lines *lines)
{
  scr_error error = {0};
  if (geo_lines_read(bytes, size, lines, &error) != SCR_OK) fail_msg("%s", error.message);
}

static void assert_at(scr_vec3 p, double x, double y, double z)
{
  if (p.x != x || p.y != y || p.z != z) fail_msg("(%.17g, %.17g, %.17g) is not (%g, %g, %g)", p.x, p.y, p.z, x, y, z);
}

/* Two polylines of three and two points, the coordinates of all formats. */
static void assert_two(const geo_lines *lines)
{
  assert_int_equal(lines->line_count, 2);
  assert_int_equal(lines->point_count, 5);
  assert_int_equal(geo_line_points(lines, 0), 3);
  assert_int_equal(geo_line_points(lines, 1), 2);
  assert_at(lines->point[0], 0, 0, 0);
  assert_at(lines->point[1], 3, 4, 0);
  assert_at(lines->point[2], 3, 4, -2.5);
  assert_at(lines->point[3], -1, 0.5, 7);
  assert_at(lines->point[4], -1, 0.5, 8);
}

/* A HAIR file: the header's words, segments where `listed`, points. @return its bytes; *size of it */
static unsigned char *hair(uint32_t strands, uint32_t points, uint32_t arrays, uint32_t each, const uint16_t *segments,
                           size_t segment_count, const float *at, size_t numbers, size_t *size)
{
  *size = 128 + 2 * segment_count + 4 * numbers;
  unsigned char *bytes = calloc(*size, 1);
  const uint32_t words[4] = {strands, points, arrays, each};
  assert_non_null(bytes);
  memcpy(bytes, "HAIR", 4);
  for (int w = 0; w < 4; w++)
    for (int b = 0; b < 4; b++) bytes[4 + 4 * w + b] = (unsigned char)(words[w] >> (8 * b));
  for (size_t k = 0; k < segment_count; k++)
    for (size_t b = 0; b < 2; b++) bytes[128 + 2 * k + b] = (unsigned char)(segments[k] >> (8 * b));
  for (size_t k = 0; k < numbers; k++) {
    uint32_t bits;
    memcpy(&bits, &at[k], 4);
    for (size_t b = 0; b < 4; b++) bytes[128 + 2 * segment_count + 4 * k + b] = (unsigned char)(bits >> (8 * b));
  }
  return bytes;
}

static const float five[15] = {0, 0, 0, 3, 4, 0, 3, 4, -2.5f, -1, 0.5f, 7, -1, 0.5f, 8};

static void test_formats_agree(void **state)
{
  (void)state;
  static const char *const texts[] = {"fibre,x,y,z\n1,0,0,0\n1,3,4,0\n1,3,4,-2.5\n# the second\n\n7,-1,0.5,7\n7,-1,.5,8e0\n",
                                      "0 0 0 0\r\n0;3;4;0\r0\t3\t4\t-2.5\r\n1 -1 0.5 7\r\n1 -1 0.5 8",
                                      "# curves\no first\nv 0 0 0\nv 3 4 0\nv 3 4 -2.5\nv -1 0.5 7\nv -1 0.5 8\nl 1 2 3\nl -2/1 -1/2\n",
                                      "v 0 0 0\nv 3 4 0\nl 1 2\nv 3 4 -2.5\nvt 0 1\nl 2 3\nv -1 0.5 7 1.0\nv -1 0.5 8\nf 1 2 3\nl 4 5\n"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    geo_lines lines = {0};
    read_lines(texts[k], strlen(texts[k]), &lines);
    assert_two(&lines);
    geo_lines_clear(&lines);
  }
  for (int listed = 0; listed < 2; listed++) { /* without a list of segments both strands have the same */
    geo_lines lines = {0};
    size_t size;
    unsigned char *bytes =
        listed ? hair(2, 5, 1 | 2 | 4, 9, (const uint16_t[]){2, 1}, 2, five, 15, &size) : hair(2, 4, 2, 1, NULL, 0, five, 12, &size);
    read_lines(bytes, size, &lines);
    if (listed) assert_two(&lines);
    assert_int_equal(lines.line_count, 2);
    assert_int_equal(geo_line_points(&lines, 0), listed ? 3 : 2);
    if (!listed) assert_at(lines.point[2], 3, 4, -2.5);
    free(bytes);
    geo_lines_clear(&lines);
  }
}

/* Along (0,0,0) (3,4,0) (3,4,-2.5), lengths 5 and 2.5: ends, corners, between, beyond. */
static void test_places_along_a_polyline(void **state)
{
  (void)state;
  geo_lines lines = {0};
  scr_error error = {0};
  if (geo_lines_read_text(" 0 0 0, 3 4 0 ;\n3 4 -2.5", &lines, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(lines.line_count, 1);
  assert_true(geo_line_length(&lines, 0) == 7.5);
  assert_at(geo_line_at(&lines, 0, -1), 0, 0, 0);
  assert_at(geo_line_at(&lines, 0, 2.5), 1.5, 2, 0);
  assert_at(geo_line_at(&lines, 0, 5), 3, 4, 0);
  assert_at(geo_line_at(&lines, 0, 6), 3, 4, -1);
  assert_at(geo_line_at(&lines, 0, 7.5), 3, 4, -2.5);
  assert_at(geo_line_at(&lines, 0, 9), 3, 4, -2.5);
  geo_lines_clear(&lines);
  static const char csv[] = "1 0 0 0\n1 1 0 0\n2 0 0 0\n2 0 2 0\n2 0 2 3\n";
  read_lines(csv, strlen(csv), &lines);
  assert_true(geo_line_length(&lines, 1) == 5);
  assert_at(geo_line_at(&lines, 1, 3), 0, 2, 1);
  geo_lines_clear(&lines);
}

static void refused(const void *bytes, size_t size, const char *why)
{
  geo_lines lines = {0};
  scr_error error = {0};
  assert_int_equal(geo_lines_read(bytes, size, &lines, &error), SCR_BAD_FILE);
  if (!strstr(error.message, why)) fail_msg("not '%s' but: %s", why, error.message);
  assert_null(lines.point);
  assert_int_equal(lines.line_count, 0);
}

static void text_refused(const char *text, const char *why)
{
  geo_lines lines = {0};
  scr_error error = {0};
  assert_int_equal(geo_lines_read_text(text, &lines, &error), SCR_BAD_FILE);
  if (!strstr(error.message, why)) fail_msg("'%s': not '%s' but: %s", text, why, error.message);
  assert_null(lines.point);
}

static void test_damaged_texts_are_refused(void **state)
{
  (void)state;
  text_refused("", "0 points");
  text_refused("1 2 3", "1 points");
  text_refused("0 0 0, 1 0", "point 2 of the curve has nothing where its z");
  text_refused("0 0 0,, 1 0 0", "point 2 of the curve has nothing where its x");
  text_refused("0 0 0 1 0 0", "has '1' behind its three numbers");
  text_refused("0 0 0, 1 nan 0", "'nan' where its y");
  text_refused("0 0 0, 1e10 0 0", "point 2 of polyline 1 is (1e+10, 0, 0)");
  text_refused("0 0 0, 1 0 0, 1 0 0, 2 0 0", "point 3 of polyline 1, (1, 0, 0), is where the one before is");
  text_refused("0 0 0, 1 0 0, 0.2 0.1 0", "turns back on itself at its point 2, (1, 0, 0)");
  geo_lines lines = {0};
  assert_int_equal(geo_lines_read_text("0 0 0, 1 0 0, 0.2 0.2 0", &lines, NULL), SCR_OK); /* 166 degrees */
  geo_lines_clear(&lines);
}

static void test_damaged_files_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *why;
  } damaged[] = {
      {"fibre,x,y,z\n", "no polyline"},
      {"1 0 0 0\n1 0 0\n", "line 2 has nothing where a number"},
      {"1 0 0 0\n1 0 x 0\n", "line 2 has 'x'"},
      {"1 0 0 0\n1 1 0 0\n0 0 0 0\n", "line 3 is of fibre 0, behind one of fibre 1"},
      {"1.5 0 0 0\n1.5 1 0 0\n", "line 1 is of fibre 1.5"},
      {"1 0 0 0\n1 1 0 0\n2 0 0 0\n", "polyline 2 has 1 points"},
      {"1 0 0 0\n1 2e9 0 0\n", "point 2 of polyline 1"},
      {"v 0 0 0\nv 1 0 0\n", "no polyline"},
      {"v 0 0 0\nv 1 0\nl 1 2\n", "line 2 of the OBJ file has ''"},
      {"v 0 0 0\nv 1 0 0\nl 1 3\n", "the point '3'; the points before it are 1 to 2"},
      {"v 0 0 0\nv 1 0 0\nl 0 1\n", "the point '0'"},
      {"v 0 0 0\nv 1 0 0\nl 1 -3\n", "the point '-3'"},
      {"v 0 0 0\nv 1 0 0\nl 1 1.5\n", "the point '1.5'"},
      {"v 0 0 0\nv 1 0 0\nl 1 2 1\n", "turns back on itself at its point 2"},
  };
  for (size_t k = 0; k < sizeof damaged / sizeof *damaged; k++) refused(damaged[k].text, strlen(damaged[k].text), damaged[k].why);
}

static void hair_refused(uint32_t strands, uint32_t points, uint32_t arrays, uint32_t each, const uint16_t *segments, size_t segment_count,
                         size_t cut, const char *why)
{
  size_t size;
  unsigned char *bytes = hair(strands, points, arrays, each, segments, segment_count, five, 15, &size);
  refused(bytes, size - cut, why);
  free(bytes);
}

static void test_damaged_hair_is_refused(void **state)
{
  (void)state;
  const uint16_t segments[] = {2, 1}, long_one[] = {2, 4}, short_one[] = {2, 0};
  hair_refused(2, 5, 3, 0, segments, 2, 100, "header alone has 128");
  hair_refused(2, 5, 3, 0, segments, 2, 1, "need 192: it was cut off");
  hair_refused(2, 5, 1, 0, segments, 2, 0, "no points");
  hair_refused(0xffffffffu, 5, 3, 0, segments, 2, 0, "was cut off");
  hair_refused(2, 0xffffffffu, 3, 0, segments, 2, 0, "was cut off");
  hair_refused(2, 5, 3, 0, long_one, 2, 0, "strand 2 of the HAIR file has 5 points, but of the file's 5 only 2 are left");
  hair_refused(2, 5, 3, 0, short_one, 2, 0, "have 4 points together, but it says 5");
  hair_refused(1, 5, 2, 0xffffffffu, NULL, 0, 0, "strand 1 of the HAIR file has 4294967296 points");
  hair_refused(0, 0, 3, 0, NULL, 0, 0, "no polyline");
  float wrong[6] = {0, 0, 0, INFINITY, 0, 0};
  size_t size;
  unsigned char *bytes = hair(1, 2, 2, 1, NULL, 0, wrong, 6, &size);
  refused(bytes, size, "point 2 of polyline 1 is (inf");
  free(bytes);
}

/* More polylines, or points, than may be. */
static void test_too_many_are_refused(void **state)
{
  (void)state;
  geo_lines lines = {0};
  scr_error error = {0};
  for (size_t k = 0; k < GEO_LINES_LIMIT; k++) assert_int_equal(geo_lines_begin(&lines, NULL), SCR_OK);
  assert_int_equal(geo_lines_begin(&lines, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "more than 100000 polylines"));
  geo_lines_clear(&lines);
  assert_int_equal(geo_lines_begin(&lines, NULL), SCR_OK);
  for (size_t k = 0; k < GEO_LINES_POINT_LIMIT; k++) assert_int_equal(geo_lines_add(&lines, vec3((double)k, 0, 0), NULL), SCR_OK);
  assert_int_equal(geo_lines_add(&lines, vec3(0, 0, 0), &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "more than 1048576 points"));
  geo_lines_clear(&lines);
}

SUITE(test_geometry_lines)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formats_agree),
      cmocka_unit_test(test_places_along_a_polyline),
      cmocka_unit_test(test_damaged_texts_are_refused),
      cmocka_unit_test(test_damaged_files_are_refused),
      cmocka_unit_test(test_damaged_hair_is_refused),
      cmocka_unit_test(test_too_many_are_refused),
  };
  return cmocka_run_group_tests_name("polylines", tests, NULL, NULL);
}
