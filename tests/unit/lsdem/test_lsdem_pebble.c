/* Mass and moments of pebbles are of the form itself, and level sets enclose what mass is of. References: ellipsoids in closed form;
 * triangles ever finer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geometry/level_set/shell.h"
#include "methods/lsdem/grain/template.h"
#include "tests/support/suites.h"

static const double radius = 0.01;

/* Volume 4/3 pi a b c, second moments V a^2/5 and so on: any text on mechanics. Tolerance: the measure's own, 1e-4. */
static void test_an_ellipsoid_has_its_volume_and_moments(void **state)
{
  (void)state;
  pebble p = pebble_make(radius, 0.7, 0.8, 2, 0, 1, 0);
  shell_solid solid;
  pebble_measure(&p, &solid);
  const double half[3] = {p.half.x, p.half.y, p.half.z};
  assert_true(fabs(solid.volume / (4 * M_PI / 3 * radius * radius * radius) - 1) < 1e-4);
  assert_true(fabs(p.half.x * p.half.y * p.half.z / pow(radius, 3) - 1) < 1e-4);
  assert_true(vec3_length(solid.centroid) < 1e-4 * radius);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      assert_true(fabs(solid.second[i][j] - (i == j ? solid.volume * half[i] * half[i] / 5 : 0)) < 1e-4 * solid.volume * radius * radius);
}

/* What triangles with their corners on a rough pebble enclose comes nearer to it with the square of their size: 9 times nearer for a third
 * of it. */
static void test_triangles_come_near_a_rough_pebble_from_within(void **state)
{
  (void)state;
  pebble p = pebble_make(radius, 0.8, 0.75, 2, 0.03, 5, 2);
  shell_solid solid, by[2];
  const double spacing[2] = {3e-3, 1e-3};
  pebble_measure(&p, &solid);
  for (int k = 0; k < 2; k++) {
    geo_mesh mesh = {0};
    assert_int_equal(shell_make_star(&mesh, pebble_radius, &p, p.reach, spacing[k], NULL), SCR_OK);
    by[k] = shell_solid_of(&mesh);
    geo_mesh_clear(&mesh);
  }
  double coarse = by[0].volume / solid.volume - 1, fine = by[1].volume / solid.volume - 1;
  assert_true(coarse < -0.005 && coarse > -0.03);
  assert_true(fine / coarse > 0.05 && fine / coarse < 0.2);
  assert_true(vec3_length(vec3_sub(by[1].centroid, solid.centroid)) < 1e-3 * radius);
  for (int i = 0; i < 3; i++) assert_true(fabs(by[1].second[i][i] / solid.second[i][i] - 1) < 4e-3);
}

/* The level set is of a finer surface than the nodes; before, mass was of the nodes' triangles and 1 % less than what others touch. */
static void test_level_sets_of_pebbles_enclose_what_their_mass_is_of(void **state)
{
  (void)state;
  const scr_shape sphere = {.kind = SCR_SHAPE_SPHERE, .radius = radius};
  for (uint64_t number = 0; number < 3; number++) {
    lsdem_recipe recipe = {.shape = &sphere,
                           .is_pebble = true,
                           .form = pebble_make(radius, 0.8, 0.75, 2, 0.03, 5, number),
                           .spacing = 3e-3,
                           .grid = 2e-3,
                           .unbiased = true,
                           .density = 2600,
                           .young = NAN,
                           .stiffness = NAN,
                           .modal_mass = NAN,
                           .table = "",
                           .table_factor = 1};
    lsdem_template grain = {0};
    scr_error error = {0};
    if (lsdem_template_make(&grain, &recipe, execution_of(1), &error) != SCR_OK) fail_msg("%s", error.message);
    double off = level_set_volume(&grain.field) / grain.enclosed - 1;
    if (!(fabs(off) < 0.004)) fail_msg("pebble %d: the level set encloses %.3g of the volume more", (int)number, off);
    assert_true(fabs(grain.mass / (2600 * 4 * M_PI / 3 * pow(radius, 3)) - 1) < 2e-4);
    lsdem_template_clear(&grain);
  }
}

/* Signed distance of a bar 1 x 1 x 5. */
static double bar_distance(const void *user, scr_vec3 at)
{
  (void)user;
  double x = fabs(at.x) - 0.5, y = fabs(at.y) - 0.5, z = fabs(at.z) - 2.5;
  double out = sqrt(pow(fmax(x, 0), 2) + pow(fmax(y, 0), 2) + pow(fmax(z, 0), 2));
  return out + fmin(fmax(x, fmax(y, z)), 0);
}

/* The share of a bar that its level set does not enclose. */
static double lost(double spacing)
{
  level_set field = {0};
  const geo_box box = {vec3(-0.5, -0.5, -2.5), vec3(0.5, 0.5, 2.5)};
  assert_int_equal(level_set_create(&field, &box, spacing, 2 * spacing, NULL), SCR_OK);
  level_set_sample(&field, bar_distance, NULL, execution_of(1));
  double volume = level_set_volume(&field);
  level_set_clear(&field);
  return 1 - volume / 5;
}

/* What a bar's level set loses is lost at its edges alone, where a trilinear function between grid points rounds the corner: a fixed share
 * c of the spacing's square for each length of edge, so the loss is c h^2 (4 x 5 + 8 x 1)/5 of the volume and falls to a quarter with half
 * the spacing. References: that law, to 5 % between spacings; flat faces lose nothing, so no part of it is linear in h. */
static void test_edges_of_bars_are_rounded_by_the_square_of_the_spacing(void **state)
{
  (void)state;
  double share[4];
  for (int k = 0; k < 4; k++) {
    double h = 0.25 / (1 << k);
    share[k] = lost(h) * 5 / (28 * h * h);
    print_message("bar of %d spacings: %.4f of its volume lost, %.4f h^2 of an edge\n", 4 << k, lost(h), share[k]);
    assert_true(share[k] > 0.02 && share[k] < 0.15);
    if (k) assert_true(fabs(share[k] / share[k - 1] - 1) < 0.05);
  }
}

SUITE(test_lsdem_pebble)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_ellipsoid_has_its_volume_and_moments),
      cmocka_unit_test(test_triangles_come_near_a_rough_pebble_from_within),
      cmocka_unit_test(test_level_sets_of_pebbles_enclose_what_their_mass_is_of),
      cmocka_unit_test(test_edges_of_bars_are_rounded_by_the_square_of_the_spacing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
