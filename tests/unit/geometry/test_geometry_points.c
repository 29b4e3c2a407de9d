/* Clouds of points: formats that say the same, normals that point outward, surfaces that close where the cloud does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "geometry/points/points.h"
#include "tests/support/suites.h"

/* Even points on an ellipsoid by a spiral of equal areas on the ball; those above z = `top` of the ball are left out. */
static geo_points ellipsoid(size_t count, scr_vec3 half, double top)
{
  geo_points points = {.point = mem_array(count, sizeof(scr_vec3))};
  assert_non_null(points.point);
  for (size_t k = 0; k < count; k++) {
    double z = 1 - (2 * (double)k + 1) / (double)count, angle = (double)k * 2.399963229728653, across = sqrt(1 - z * z);
    if (z > top) continue;
    points.point[points.count++] = vec3(half.x * across * cos(angle) + 3, half.y * across * sin(angle), half.z * z);
  }
  return points;
}

static void make(geo_points *points, geo_mesh *mesh, geo_points_hole *holes, size_t *count)
{
  scr_error error = {0};
  if (geo_points_normals(points, &error) != SCR_OK) fail_msg("%s", error.message);
  if (geo_points_surface(points, 40, mesh, holes, count, &error) != SCR_OK) fail_msg("%s", error.message);
}

/* Normals against the exact ones, (x/a^2, y/b^2, z/c^2): a plane through eleven points on a surface of curvature 1/R tilts by about their
 * distance over R, here 0.1; all must point outward. Volume to 3 %, as the spline smooths by about half a cell; area like it; the surface
 * within one cell of 2/40. */
static void test_an_ellipsoid_comes_back(void **state)
{
  (void)state;
  const scr_vec3 half = {1, 0.7, 0.5};
  geo_points points = ellipsoid(1500, half, 2);
  geo_mesh mesh = {0};
  geo_mesh_measures m;
  geo_points_hole holes[GEO_POINTS_HOLE_LIMIT];
  size_t count;
  make(&points, &mesh, holes, &count);
  double area = 0;
  for (size_t k = 0; k < points.count; k++) {
    scr_vec3 p = points.point[k], n = vec3((p.x - 3) / (half.x * half.x), p.y / (half.y * half.y), p.z / (half.z * half.z));
    assert_true(vec3_dot(n, points.normal[k]) > 0.97 * vec3_length(n));
    area += points.area[k];
  }
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_true(fabs(m.volume / (4 * M_PI / 3 * 0.35) - 1) < 0.03);
  assert_true(fabs(area / m.area - 1) < 0.1);
  assert_true(m.euler == 2 && count == 0);
  for (size_t v = 0; v < mesh.vertex_count; v++) {
    scr_vec3 p = mesh.vertex[v];
    double f = vec3_length(vec3((p.x - 3) / half.x, p.y / half.y, p.z / half.z));
    assert_true(fabs(f - 1) * half.z < 0.05);
  }
  geo_mesh_clear(&mesh);
  geo_points_clear(&points);
}

/* Without its cap above z = 0.85 a ball is closed all the same, and the hole told: about its middle (0, 0, < 1), of about the cap's radius
 * 0.53. */
static void test_a_hole_is_closed_and_told(void **state)
{
  (void)state;
  geo_points points = ellipsoid(1500, vec3(1, 1, 1), 0.85);
  geo_mesh mesh = {0};
  geo_points_hole holes[GEO_POINTS_HOLE_LIMIT];
  size_t count;
  make(&points, &mesh, holes, &count);
  assert_int_equal(geo_mesh_check(&mesh, NULL), SCR_OK);
  assert_int_equal(count, 1);
  assert_true(fabs(holes[0].at.x - 3) < 0.15 && fabs(holes[0].at.y) < 0.15 && fabs(holes[0].at.z - 0.9) < 0.15);
  assert_true(holes[0].radius > 0.4 && holes[0].radius < 0.6);
  geo_mesh_clear(&mesh);
  geo_points_clear(&points);
}

static void test_the_same_points_in_all_formats(void **state)
{
  (void)state;
  geo_points points = ellipsoid(60, vec3(1, 2, 3), 2);
  text_builder text[4] = {{0}};
  text_add_string(&text[1], "x,y,z,intensity\r\n");
  text_add_string(&text[2], "\"X\";\"Y\";\"Z\"\n# remark\n\n");
  text_add_format(
      &text[3],
      "ply\nformat ascii 1.0\nelement vertex %zu\nproperty double x\nproperty double y\nproperty double z\nproperty float nx\nend_header\n",
      points.count);
  for (size_t k = 0; k < points.count; k++) {
    scr_vec3 p = points.point[k];
    text_add_format(&text[0], "%.17g %.17g\t%.17g 255 0 0\n", p.x, p.y, p.z);
    text_add_format(&text[1], "%.17g,%.17g, %.17g,7\r\n", p.x, p.y, p.z);
    text_add_format(&text[2], "%.17g;%.17g;%.17g\n%.17g;%.17g;%.17g\n", p.x, p.y, p.z, p.x, p.y, p.z); /* twice */
    text_add_format(&text[3], "%.17g %.17g %.17g nan\n", p.x, p.y, p.z);
  }
  for (int f = 0; f < 4; f++) {
    geo_points read = {0};
    scr_error error = {0};
    size_t length = text[f].length;
    char *bytes = text_take(&text[f]);
    if (geo_points_read(bytes, length, &read, &error) != SCR_OK) fail_msg("%s", error.message);
    assert_int_equal(read.count, points.count);
    assert_memory_equal(read.point, points.point, points.count * sizeof *points.point);
    geo_points_clear(&read);
    free(bytes);
  }
  geo_points_clear(&points);
}

static void assert_refused(const char *text, const char *words)
{
  geo_points read = {0};
  scr_error error = {0};
  assert_int_equal(geo_points_read(text, strlen(text), &read, &error), SCR_BAD_FILE);
  if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
  assert_null(read.point);
}

static void test_what_is_no_cloud_is_refused(void **state)
{
  (void)state;
  assert_refused("", "0 points");
  assert_refused("# nothing\nx y z\n", "0 points");
  assert_refused("1 2 3\n4 5\n", "line 2 has 2 numbers");
  assert_refused("1 2 3\n4 nan 5\n", "line 2 has 'nan'");
  assert_refused("1 2 3\n1e12 0 0\n", "at most 1e+09");
  assert_refused("1 2 3\n1 2 4\n", "2 points; at least 50");
  assert_refused("ply\nformat ascii 1.0\nelement vertex 99999999\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
                 "thin it out");
  assert_refused("ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n", "'vertex'");
}

static void test_clouds_that_bound_no_solid_are_refused(void **state)
{
  (void)state;
  geo_points points = ellipsoid(400, vec3(1, 1, 1), 2);
  scr_error error = {0};
  for (size_t k = 0; k < points.count; k++) points.point[k].z = 0.5;
  assert_int_equal(geo_points_normals(&points, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "one plane"));
  geo_points_clear(&points);
  points = ellipsoid(400, vec3(1, 1, 1), 2);
  for (size_t k = 0; k < 200; k++) points.point[k].x += 10;
  assert_int_equal(geo_points_normals(&points, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "in parts"));
  geo_points_clear(&points);
  points = ellipsoid(GEO_POINTS_MOST + 1, vec3(1, 1, 1), 2);
  assert_int_equal(geo_points_normals(&points, &error), SCR_BAD_FILE);
  geo_points_clear(&points);
}

/* At most as many as asked, no fewer than a third of it (the cubes grow by a tenth), no two in one cube: evenly. */
static void test_thinning_leaves_even_points(void **state)
{
  (void)state;
  geo_points points = ellipsoid(20000, vec3(1, 1, 1), 2);
  double worst = 0;
  assert_int_equal(geo_points_thin(&points, 1000, NULL), SCR_OK);
  assert_true(points.count <= 1000 && points.count > 333);
  for (int k = 0; k < 500; k++) { /* every direction has a point near by */
    double z = 1 - (2 * k + 1) / 500.0, angle = k * 2.399963229728653, across = sqrt(1 - z * z), least = INFINITY;
    for (size_t i = 0; i < points.count; i++)
      least = fmin(least, vec3_length(vec3_sub(points.point[i], vec3(across * cos(angle) + 3, across * sin(angle), z))));
    worst = fmax(worst, least);
  }
  assert_true(worst < 0.25); /* cubes of about 0.11 */
  geo_points_clear(&points);
}

SUITE(test_geometry_points)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_ellipsoid_comes_back),
      cmocka_unit_test(test_a_hole_is_closed_and_told),
      cmocka_unit_test(test_the_same_points_in_all_formats),
      cmocka_unit_test(test_what_is_no_cloud_is_refused),
      cmocka_unit_test(test_clouds_that_bound_no_solid_are_refused),
      cmocka_unit_test(test_thinning_leaves_even_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
