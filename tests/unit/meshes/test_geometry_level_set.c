/* Level sets on grids, and surfaces whose corners sample them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/level_set/level_set.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_shapes.h"
#include "tests/support/suites.h"

static double ball(const void *user, scr_vec3 point)
{
  return vec3_length(point) - *(const double *)user;
}

static double slope_along(const void *user, scr_vec3 p)
{
  (void)user;
  return 1 + 2 * p.x - 3 * p.y + 4 * p.z + p.x * p.y + 0.5 * p.y * p.z - p.z * p.x + 0.25 * p.x * p.y * p.z;
}

static level_set unit_grid(level_set_distance distance, const void *user, double half, double spacing, double margin)
{
  level_set field = {0};
  scr_error error;
  geo_box box = {vec3(-half, -half, -half), vec3(half, half, half)};
  if (level_set_create(&field, &box, spacing, margin, &error) != SCR_OK) fail_msg("%s", error.message);
  level_set_sample(&field, distance, user, execution_of(2));
  return field;
}

/* A trilinear function is its own interpolation, and so is its gradient (exact but for samples in single precision). Outside of the grid
 * there is none. */
static void test_a_trilinear_function_is_given_back(void **state)
{
  (void)state;
  level_set field = unit_grid(slope_along, NULL, 1, 0.25, 0);
  for (int k = 0; k < 200; k++) {
    scr_vec3 p = vec3(0.99 * sin(k), 0.99 * sin(2.3 * k + 1), 0.99 * sin(3.7 * k + 2)), g;
    double value, alone;
    assert_true(level_set_gradient_at(&field, p, &value, &g));
    assert_true(level_set_at(&field, p, &alone));
    assert_float_equal(value, slope_along(NULL, p), 1e-6);
    assert_float_equal(alone, value, 1e-12);
    assert_float_equal(g.x, 2 + p.y - p.z + 0.25 * p.y * p.z, 1e-5);
    assert_float_equal(g.y, -3 + p.x + 0.5 * p.z + 0.25 * p.x * p.z, 1e-5);
    assert_float_equal(g.z, 4 + 0.5 * p.y - p.x + 0.25 * p.x * p.y, 1e-5);
  }
  double value = 7;
  assert_false(level_set_at(&field, vec3(1.01, 0, 0), &value));
  assert_false(level_set_at(&field, vec3(0, -1.01, 0), &value));
  assert_false(level_set_at(&field, vec3(0, 0, NAN), &value));
  assert_float_equal(value, 7, 0);
  level_set_clear(&field);
}

/* Within two grid spacings of the surface a ball's interpolated distance is (h^2/12)(2/r) too large on average (the mean of h^2/8 4 t (1 -
 * t) along each axis across the radius); corrected, less than a tenth of that is left. The specification's section 3.4. */
static void test_the_mean_error_of_a_curved_distance_is_taken_off(void **state)
{
  (void)state;
  double radius = 1, h = 0.1, mean[2] = {0, 0};
  for (int fixed = 0; fixed < 2; fixed++) {
    level_set field = unit_grid(ball, &radius, radius, h, 3 * h);
    if (fixed) assert_int_equal(level_set_unbias(&field, NULL), SCR_OK);
    int count = 0;
    for (int k = 0; k < 20000; k++) { /* directions of a Fibonacci lattice */
      double z = 1 - (2 * k + 1) / 20000.0, angle = k * 2.399963229728653, r = radius + h * (1.9 * ((k * 7) % 101) / 50 - 1.9),
             s = sqrt(1 - z * z), value = NAN;
      scr_vec3 p = vec3_scale(vec3(s * cos(angle), s * sin(angle), z), r);
      assert_true(level_set_at(&field, p, &value));
      mean[fixed] += value - (r - radius);
      count++;
    }
    mean[fixed] /= count;
    level_set_clear(&field);
  }
  assert_float_equal(mean[0], h * h / 6, 0.05 * h * h / 6);
  assert_float_equal(mean[1], 0, 0.1 * h * h / 6);
}

static void test_a_level_set_knows_its_depth_and_whether_it_is_closed(void **state)
{
  (void)state;
  double radius = 1, wide = 3;
  level_set field = unit_grid(ball, &radius, 1, 0.1, 0.2);
  level_set_quality quality = level_set_measure(&field);
  assert_true(quality.bounded);
  assert_float_equal(quality.depth, 1, 0.1);
  assert_true(quality.least_slope > 0.97 && quality.largest_slope < 1.03);
  level_set_sample(&field, ball, &wide, execution_of(1)); /* reaches over the rim */
  assert_false(level_set_measure(&field).bounded);
  level_set_clear(&field);
  scr_error error;
  geo_box box = {vec3(0, 0, 0), vec3(1, 1, 1)};
  assert_int_equal(level_set_create(&field, &box, 1e-6, 0, &error), SCR_BAD_USAGE);
}

/* Area vectors of a closed surface add up to nothing, and sum A X . N is three times the volume inside (Gauss); edges are no longer than
 * asked for. */
static void check_shell(geo_mesh *mesh, double spacing, double factor, double area, double volume, double tolerance)
{
  scr_error error = {0};
  if (geo_mesh_check(mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(shell_sort(mesh, &error), SCR_OK);
  if (geo_mesh_check(mesh, &error) != SCR_OK) fail_msg("sorted: %s", error.message);
  shell_node *nodes = calloc(mesh->vertex_count, sizeof *nodes);
  assert_non_null(nodes);
  shell_measure(mesh, nodes);
  double sum = 0, longest = 0;
  for (size_t v = 0; v < mesh->vertex_count; v++) sum += nodes[v].area;
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      longest = fmax(longest, vec3_length(vec3_sub(mesh->vertex[mesh->triangle[t][k]], mesh->vertex[mesh->triangle[t][(k + 1) % 3]])));
  assert_float_equal(sum, area, tolerance * area);
  if (longest > 1.05 * spacing) fail_msg("an edge of %g at a spacing of %g", longest, spacing);
  assert_float_equal(shell_solid_of(mesh).volume, volume, tolerance * volume);
  if ((double)mesh->vertex_count > factor * shell_expected(area, spacing))
    fail_msg("%zu corners, %g expected", mesh->vertex_count, shell_expected(area, spacing));
  free(nodes);
  geo_mesh_clear(mesh);
}

static void test_surfaces_are_closed_even_and_as_large_as_their_solids(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  assert_int_equal(shell_make_ball(&mesh, 2, 0.2, NULL), SCR_OK);
  check_shell(&mesh, 0.2, 1, 16 * M_PI, 32 * M_PI / 3, 0.01);
  assert_int_equal(shell_make_box(&mesh, vec3(0.5, 1, 0.25), 0.11, NULL), SCR_OK);
  check_shell(&mesh, 0.11, 1, 7, 1, 1e-12); /* edges 1, 2, 1/2 */
  for (int k = 1; k < 40; k++) {            /* sizes that are no sums of halves meet at their edges as well */
    double x = 0.1 * k, y = 0.37 + 0.013 * k, z = 0.5;
    assert_int_equal(shell_make_box(&mesh, vec3(x, y, z), 0.3, NULL), SCR_OK);
    check_shell(&mesh, 0.3, 1.5, 8 * (x * y + y * z + z * x), 8 * x * y * z, 1e-12);
  }
}

static void test_cylinders_and_refined_meshes_are_closed(void **state)
{
  (void)state;
  geo_mesh mesh = {0}, fine = {0};
  assert_int_equal(shell_make_cylinder(&mesh, 1, 1.5, 0.15, NULL), SCR_OK);
  check_shell(&mesh, 0.225, 2.25, 2 * M_PI * (1 + 3), 3 * M_PI, 0.01);
  assert_int_equal(geo_mesh_add_box(&mesh, vec3(1, 0.5, 0.3), NULL), SCR_OK);
  assert_int_equal(shell_refine(&mesh, 0.2, &fine, NULL), SCR_OK);
  geo_mesh_clear(&mesh);
  check_shell(&fine, 0.2, 2, 2 * (2 * 1 + 1 * 0.6 + 0.6 * 2), 1.2, 1e-12);
}

/* Of a box: volume 8 abc about its centroid, integral of x^2 = V a^2/3. */
static void test_integrals_over_a_box_are_exact(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  assert_int_equal(geo_mesh_add_box(&mesh, vec3(1, 2, 3), NULL), SCR_OK);
  for (size_t v = 0; v < mesh.vertex_count; v++) mesh.vertex[v] = vec3_add(mesh.vertex[v], vec3(5, -4, 3));
  shell_solid solid = shell_solid_of(&mesh);
  assert_float_equal(solid.volume, 48, 1e-9);
  assert_float_equal(solid.centroid.x, 5, 1e-10);
  assert_float_equal(solid.centroid.y, -4, 1e-10);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) assert_float_equal(solid.second[i][j], i == j ? 48.0 * (i + 1) * (i + 1) / 3 : 0, 1e-8);
  geo_mesh_clear(&mesh);
}

SUITE(test_geometry_level_set)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_trilinear_function_is_given_back),
      cmocka_unit_test(test_the_mean_error_of_a_curved_distance_is_taken_off),
      cmocka_unit_test(test_a_level_set_knows_its_depth_and_whether_it_is_closed),
      cmocka_unit_test(test_surfaces_are_closed_even_and_as_large_as_their_solids),
      cmocka_unit_test(test_cylinders_and_refined_meshes_are_closed),
      cmocka_unit_test(test_integrals_over_a_box_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
