/* Shapes made from few numbers: what is asked for is what is measured, by means that know nothing of how they were made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/mesh/mesh_shapes.h"
#include "geometry/shapes/form.h"
#include "geometry/shapes/grain.h"
#include "geometry/shapes/harmonics.h"
#include "geometry/shapes/simple.h"
#include "tests/support/suites.h"

static void assert_sound(const geo_mesh *mesh)
{
  scr_error error = {0};
  if (geo_mesh_check(mesh, &error) != SCR_OK) fail_msg("%s", error.message);
}

/* Integrals of products of harmonics over the sphere are 4 pi for equal ones and 0 otherwise (orthogonality; any text on them).
 * Gauss-Legendre in z is replaced by the spiral's even points, good to 1e-3 at 20000 points up to degree 8. The addition theorem, sum over
 * m of Y_lm^2 = 2 l + 1, is exact. */
static void test_harmonics_are_orthogonal(void **state)
{
  (void)state;
  enum { points = 20000, tried = 30 };
  static const int which[tried] = {0,  1,  2,  3,  4,  6,  8,  9,  12, 15, 16, 20, 24, 25, 30,
                                   35, 36, 42, 48, 49, 55, 56, 60, 63, 64, 70, 71, 72, 79, 80};
  double sum[tried][tried] = {{0}}, value[HARMONICS_TERMS];
  for (int k = 0; k < points; k++) {
    double z = 1 - (2 * k + 1) / (double)points, angle = k * 2.399963229728653, across = sqrt(1 - z * z);
    harmonics_at(vec3(across * cos(angle), across * sin(angle), z), HARMONICS_DEGREE, value);
    for (int a = 0; a < tried; a++)
      for (int b = 0; b <= a; b++) sum[a][b] += value[which[a]] * value[which[b]] / points;
    for (int l = 0; k % 500 == 0 && l <= HARMONICS_DEGREE; l++) {
      double square = 0;
      for (int m = -l; m <= l; m++) square += value[l * l + l + m] * value[l * l + l + m];
      assert_true(fabs(square - (2 * l + 1)) < 1e-10 * (2 * l + 1));
    }
  }
  for (int a = 0; a < tried; a++)
    for (int b = 0; b <= a; b++) assert_true(fabs(sum[a][b] - (a == b)) < 2e-3);
}

/* An ellipsoid of semi-axes 3, 2, 1 turned out of the axes: known form. The ball it is compared with has the same triangles, so roundness
 * is 1 up to the projection's error. */
static void test_the_form_of_an_ellipsoid_is_its_own(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  shape_form form;
  assert_int_equal(geo_mesh_make_ball(&mesh, 1, 16, NULL), SCR_OK);
  for (size_t v = 0; v < mesh.vertex_count; v++) {
    scr_vec3 p = vec3(2 * mesh.vertex[v].x, 3 * mesh.vertex[v].y, mesh.vertex[v].z);
    mesh.vertex[v] = vec3(0.8 * p.x - 0.6 * p.z + 5, p.y, 0.6 * p.x + 0.8 * p.z);
  }
  assert_int_equal(shape_measure_form(&mesh, &form, NULL), SCR_OK);
  assert_true(form.is_star && fabs(form.elongation - 2.0 / 3) < 1e-6 && fabs(form.flatness - 0.5) < 1e-6);
  assert_true(fabs(form.half[0] / form.half[2] - 3) < 1e-5 && fabs(fabs(form.axis[0][1]) - 1) < 1e-9);
  assert_true(fabs(form.centroid.x - 5) < 1e-9 && fabs(form.roundness - 1) < 1e-3 && form.roughness < 1e-3);
  assert_true(fabs(form.radius - cbrt(6)) < 0.01 * cbrt(6));
  geo_mesh_clear(&mesh);
}

/* Forms asked for, measured back on the mesh: elongation, flatness, size exact (stretched so last); roundness to 0.05 (1 - roundness), as
 * it is bisected on triangles and measured through harmonics of the unfolded surface; roughness to 3 % of itself and 0.5 (1 - roundness)^2:
 * stretching a grain to its moments turns its directions, so that what was of degree 8 is a little more, by the square of its amplitude.
 * The worst grain here takes three quarters of that. */
static void test_grains_have_the_form_asked_for(void **state)
{
  (void)state;
  static const shape_grain asked[] = {{2e-3, 1, 1, 0.95, 0, 1},    {2e-3, 0.7, 0.8, 0.9, 0, 2}, {1, 0.5, 0.5, 0.85, 0, 3},
                                      {3, 0.9, 0.4, 0.97, 0, 4},   {2e-3, 1, 1, 1, 0.02, 5},    {1, 0.8, 0.7, 0.93, 0.01, 6},
                                      {1, 0.6, 0.9, 0.88, 0.03, 7}};
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
    const shape_grain *a = &asked[k];
    geo_mesh mesh = {0};
    shape_form form;
    scr_error error = {0};
    if (shape_make_grain(a, 24, &mesh, &error) != SCR_OK) fail_msg("%zu: %s", k, error.message);
    assert_sound(&mesh);
    assert_int_equal(shape_measure_form(&mesh, &form, NULL), SCR_OK);
    assert_true(form.is_star && fabs(form.radius / a->radius - 1) < 1e-9);
    assert_true(fabs(form.elongation - a->elongation) < 1e-9 && fabs(form.flatness - a->flatness) < 1e-9);
    assert_true(fabs(form.axis[0][0]) > 1 - 1e-9 || a->elongation == 1);
    double corners = 1 - a->roundness, rough = 0.03 * a->roughness + 0.5 * corners * corners + 1e-3;
    if (fabs(form.roundness - a->roundness) > 1e-3 + 0.05 * corners)
      fail_msg("%zu: roundness %.4f for %.4f", k, form.roundness, a->roundness);
    if (fabs(form.roughness - a->roughness) > rough) fail_msg("%zu: roughness %.5f for %.5f", k, form.roughness, a->roughness);
    geo_mesh_clear(&mesh);
  }
}

static void test_a_seed_is_a_grain(void **state)
{
  (void)state;
  geo_mesh mesh[3] = {{0}};
  for (unsigned k = 0; k < 3; k++) {
    shape_grain asked = {1, 0.8, 0.8, 0.9, 0.02, 11 + k / 2};
    assert_int_equal(shape_make_grain(&asked, 8, &mesh[k], NULL), SCR_OK);
  }
  assert_memory_equal(mesh[0].vertex, mesh[1].vertex, mesh[0].vertex_count * sizeof(scr_vec3));
  double apart = 0;
  for (size_t v = 0; v < mesh[0].vertex_count; v++) apart = fmax(apart, vec3_length(vec3_sub(mesh[0].vertex[v], mesh[2].vertex[v])));
  assert_true(apart > 0.05);
  for (int k = 0; k < 3; k++) geo_mesh_clear(&mesh[k]);
}

static void test_forms_that_cannot_be_are_refused(void **state)
{
  (void)state;
  static const struct {
    shape_grain asked;
    const char *names;
  } wrong[] = {{{1, 1, 1, 0.5, 0, 1}, "from 0."},     {{1, 1.2, 1, 0.9, 0, 1}, "elongation of a grain is 1.2"},
               {{1, 1, 0.01, 0.9, 0, 1}, "flatness"}, {{1, 1, 1, 0.9, 0.5, 1}, "roughness"},
               {{0, 1, 1, 0.9, 0, 1}, "radius"},      {{NAN, 1, 1, 0.9, 0, 1}, "radius"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    geo_mesh mesh = {0};
    scr_error error = {0};
    assert_int_equal(shape_make_grain(&wrong[k].asked, 8, &mesh, &error), SCR_BAD_USAGE);
    if (!strstr(error.message, wrong[k].names)) fail_msg("'%s' is not in: %s", wrong[k].names, error.message);
    geo_mesh_clear(&mesh);
  }
}

/* Volumes against the closed form; inscribed triangles fall short by O(1/cuts^2), 2 % at 32 cuts for the boxiest. p = q = 2 must be an
 * ellipsoid. */
static void test_superellipsoids_have_their_volume(void **state)
{
  (void)state;
  static const double exponents[][2] = {{2, 2}, {4, 4}, {2, 8}, {1, 1}, {8, 2}, {20, 20}};
  for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
    shape_superellipsoid asked = {vec3(1, 2, 0.5), exponents[k][0], exponents[k][1]};
    geo_mesh mesh = {0};
    geo_mesh_measures m;
    assert_int_equal(shape_make_superellipsoid(&asked, 32, &mesh, NULL), SCR_OK);
    assert_sound(&mesh);
    assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
    double exact = shape_superellipsoid_volume(&asked);
    if (!(m.volume < exact * (1 + 1e-12) && m.volume > exact * 0.98)) fail_msg("%zu: %.6f for %.6f", k, m.volume, exact);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
      scr_vec3 p = mesh.vertex[v];
      double across = pow(pow(fabs(p.x), asked.p) + pow(fabs(p.y / 2), asked.p), asked.q / asked.p);
      assert_true(fabs(across + pow(fabs(p.z / 0.5), asked.q) - 1) < 1e-9);
    }
    geo_mesh_clear(&mesh);
  }
  shape_superellipsoid ball = {vec3(1, 2, 3), 2, 2}, octahedron = {vec3(1, 1, 1), 1, 1};
  assert_true(fabs(shape_superellipsoid_volume(&ball) - 8 * M_PI) < 1e-12 &&
              fabs(shape_superellipsoid_volume(&octahedron) - 4.0 / 3) < 1e-12);
}

/* A cube of w^3 and six arms of w^2 (R - w/2); surface six caps and 24 sides. A tube's volume is the round one's. A void takes its cube. */
static void test_jacks_tubes_and_voids_measure_what_they_should(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  geo_mesh_measures m;
  assert_int_equal(shape_make_jack(3, 2, &mesh, NULL), SCR_OK);
  assert_sound(&mesh);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_true(fabs(m.volume - (8 + 6 * 4 * 2)) < 1e-12 && fabs(m.area - (6 * 4 + 24 * 2 * 2)) < 1e-12 && m.euler == 2);
  geo_mesh_clear(&mesh);
  assert_int_equal(shape_make_tube(2, 1, 5, 24, &mesh, NULL), SCR_OK);
  assert_sound(&mesh);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_true(fabs(m.volume - 15 * M_PI) < 1e-9 && m.euler == 0);
  geo_mesh_clear(&mesh);
  assert_int_equal(geo_mesh_make_ball(&mesh, 2, 6, NULL), SCR_OK);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  double solid = m.volume;
  assert_int_equal(shape_add_void(0.75, &mesh, NULL), SCR_OK);
  assert_sound(&mesh);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_true(fabs(m.volume / solid - (1 - 0.75 * 0.75 * 0.75)) < 1e-12 && m.euler == 4);
  geo_mesh_clear(&mesh);
  assert_int_equal(shape_make_jack(1, 2, &mesh, NULL), SCR_BAD_USAGE);
  assert_int_equal(shape_make_tube(1, 1, 2, 24, &mesh, NULL), SCR_BAD_USAGE);
  assert_int_equal(shape_add_void(1, &mesh, NULL), SCR_BAD_USAGE);
  geo_mesh_clear(&mesh);
}

SUITE(test_geometry_shapes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_harmonics_are_orthogonal),
      cmocka_unit_test(test_the_form_of_an_ellipsoid_is_its_own),
      cmocka_unit_test(test_grains_have_the_form_asked_for),
      cmocka_unit_test(test_a_seed_is_a_grain),
      cmocka_unit_test(test_forms_that_cannot_be_are_refused),
      cmocka_unit_test(test_superellipsoids_have_their_volume),
      cmocka_unit_test(test_jacks_tubes_and_voids_measure_what_they_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
