/* Meshes of hexahedra: where points lie in them, and mode bases as files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "geometry/basis/basis.h"
#include "geometry/hexes/finder.h"
#include "geometry/hexes/blocks.h"
#include "tests/support/suites.h"

/* A ball of radius 2 in 6^3 mapped elements: faces are curved away from bricks. */
static geo_hexes make_ball(void)
{
  geo_hexes mesh;
  assert_int_equal(geo_hexes_ball(2, 6, &mesh, NULL), SCR_OK);
  return mesh;
}

/* A field that is linear in X is found exactly at every point inside: trilinear shape functions hold linear fields (isoparametric
 * elements). Gradients of the shape functions give its slope. */
static void test_linear_fields_are_exact_inside(void **state)
{
  (void)state;
  geo_hexes mesh = make_ball();
  geo_hexes_finder *finder;
  assert_int_equal(geo_hexes_finder_create(&mesh, &finder, NULL), SCR_OK);
  for (int k = 0; k < 400; k++) {
    const double p[3] = {0.95 * cos(k), 0.95 * sin(1.7 * k), 0.95 * cos(2.3 * k)};
    geo_hexes_place at = geo_hexes_find(finder, p);
    double value = 0, gradient[GEO_HEX_CORNERS][3], slope[3] = {0, 0, 0};
    geo_hexes_gradients(&mesh, &at, gradient);
    for (int a = 0; a < GEO_HEX_CORNERS; a++) {
      const double *x = mesh.node[mesh.hex[at.element][a]];
      double nodal = 1 + 2 * x[0] - 3 * x[1] + 0.5 * x[2];
      value += at.shape[a] * nodal;
      for (int i = 0; i < 3; i++) slope[i] += gradient[a][i] * nodal;
    }
    assert_true(at.outside < 1e-12);
    assert_true(fabs(value - (1 + 2 * p[0] - 3 * p[1] + 0.5 * p[2])) < 1e-11);
    assert_true(fabs(slope[0] - 2) < 1e-10 && fabs(slope[1] + 3) < 1e-10 && fabs(slope[2] - 0.5) < 1e-10);
  }
  geo_hexes_finder_destroy(finder);
  geo_hexes_clear(&mesh);
}

/* A point outside is put at the surface's nearest point: of a ball, straight below it, as far as flat faces are from the round ones
 * (sagitta of 6 elements a quarter:
 * 1.5 % of the radius). */
static void test_points_outside_go_to_the_surface(void **state)
{
  (void)state;
  geo_hexes mesh = make_ball();
  geo_hexes_finder *finder;
  assert_int_equal(geo_hexes_finder_create(&mesh, &finder, NULL), SCR_OK);
  for (int k = 0; k < 100; k++) {
    scr_vec3 way = vec3_scale(vec3(cos(k), sin(1.3 * k), cos(0.7 * k)), 1 / vec3_length(vec3(cos(k), sin(1.3 * k), cos(0.7 * k))));
    const double p[3] = {3 * way.x, 3 * way.y, 3 * way.z};
    geo_hexes_place at = geo_hexes_find(finder, p);
    assert_true(at.outside > 1 - 1e-9 && at.outside < 1 + 0.06);
  }
  geo_hexes_finder_destroy(finder);
  geo_hexes_clear(&mesh);
}

/* Scaled Jacobian: 1 of a brick of any proportions, sin of the angle of a sheared one, <= 0 of one turned inside out. */
static void test_quality_tells_shear_from_stretch(void **state)
{
  (void)state;
  const double size[3] = {5, 1, 0.2};
  const uint32_t cells[3] = {2, 1, 1};
  geo_hexes mesh;
  assert_int_equal(geo_hexes_box(size, cells, &mesh, NULL), SCR_OK);
  geo_hexes_quality quality = geo_hexes_measure(&mesh);
  assert_true(fabs(quality.scaled_jacobian - 1) < 1e-14 && fabs(quality.aspect - 12.5) < 1e-12 && fabs(quality.volume - 1) < 1e-14);
  for (size_t n = 0; n < mesh.node_count; n++) mesh.node[n][0] += mesh.node[n][1]; /* by 45 degrees */
  quality = geo_hexes_measure(&mesh);
  assert_true(fabs(quality.scaled_jacobian - sqrt(0.5)) < 1e-14 && fabs(quality.least_jacobian - 1) < 1e-12);
  for (size_t n = 0; n < mesh.node_count; n++) mesh.node[n][2] *= -1;
  assert_true(geo_hexes_measure(&mesh).scaled_jacobian < 0);
  geo_hexes_clear(&mesh);
}

/* ── bases ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Two modes of a box: stretch along x, shear; with a table of two levels. */
static geo_basis make_basis(void)
{
  const double size[3] = {2, 1, 1};
  const uint32_t cells[3] = {2, 1, 1};
  geo_basis basis = {.density = 1000, .young_modulus = 1e8, .poisson_ratio = 0.3, .mode_count = 2, .level_count = 2};
  assert_int_equal(geo_hexes_box(size, cells, &basis.mesh, NULL), SCR_OK);
  assert_int_equal(geo_basis_allocate(&basis, NULL), SCR_OK);
  for (size_t n = 0; n < basis.mesh.node_count; n++) {
    const double *x = basis.mesh.node[n];
    basis.field[3 * n] = x[0];
    basis.field[3 * (basis.mesh.node_count + n) + 1] = x[0] / 3;
    basis.field[3 * (basis.mesh.node_count + n)] = x[1] / 3;
  }
  geo_basis_integrate_mass(&basis.mesh, basis.density, basis.field, 2, basis.mass);
  basis.stiffness[0] = 2e8, basis.stiffness[3] = 1.25e8;
  basis.amplitude[2] = 0.1, basis.energy[1] = 1e6, basis.force[2] = 2e7, basis.force[3] = 1.0 / 3;
  return basis;
}

/* The mass of the stretch u = x of a bar of length L, density r and section A is r A L^3/12. */
static void test_modal_mass_is_the_integral(void **state)
{
  (void)state;
  geo_basis basis = make_basis();
  double centroid[3];
  assert_true(fabs(basis.mass[0] - 1000 * 8.0 / 12) < 1e-9);
  assert_true(fabs(basis.mass[3] - 1000 * (8.0 / 12 + 2.0 / 12) / 9) < 1e-9);
  assert_true(fabs(geo_basis_centroid(&basis.mesh, centroid) - 2) < 1e-14 && fabs(centroid[0]) < 1e-15);
  geo_basis_clear(&basis);
}

static void test_a_basis_reads_back_bit_by_bit(void **state)
{
  (void)state;
  geo_basis basis = make_basis(), back;
  text_builder text = {0};
  scr_error error = {0};
  geo_basis_write(&basis, &text);
  size_t length = text.length;
  char *bytes = text_take(&text);
  if (geo_basis_read(bytes, length, &back, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(back.mesh.node_count, basis.mesh.node_count);
  assert_memory_equal(back.mesh.node, basis.mesh.node, basis.mesh.node_count * sizeof *basis.mesh.node);
  assert_memory_equal(back.mesh.hex, basis.mesh.hex, basis.mesh.hex_count * sizeof *basis.mesh.hex);
  assert_memory_equal(back.field, basis.field, basis.mesh.node_count * 6 * sizeof(double));
  assert_memory_equal(back.mass, basis.mass, 4 * sizeof(double));
  assert_memory_equal(back.stiffness, basis.stiffness, 4 * sizeof(double));
  assert_memory_equal(back.amplitude, basis.amplitude, 4 * sizeof(double));
  assert_memory_equal(back.energy, basis.energy, 2 * sizeof(double));
  assert_memory_equal(back.force, basis.force, 4 * sizeof(double));
  geo_basis_clear(&back);
  geo_basis_clear(&basis);
  free(bytes);
}

/* Every cut of the file is refused, as is what is unsound, with the line or the reason. */
static void test_damaged_bases_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *from, *to, *reason;
  } cases[] = {
      {"scree-mode-basis 1", "scree-mode-basis 2", "line 1"},
      {"1000 kg/m^3", "1000 g/cm^3", "line 2: 'g/cm^3' where kg/m^3 is wanted"},
      {"1000 kg", "2000 kg", "mass matrix of the basis does not belong to its fields"},
      {"0.3 1", "0.7 1", "Poisson's ratio of 0.7"},
      {"nodes 12", "nodes 1999999", "too short for nodes 1999999"},
      {"mode 1", "mode 0", "mode 0 where mode 1 is wanted"},
      {"modes 2", "modes 65", "whole number from 0 to 64"},
      {"125000000", "-125000000", "not positive definite: mode 1"},
      {"-1 -0.5 -0.5", "-1 nan -0.5", "'nan' where a finite number is wanted"},
      {"end", "end 0", "'0' where the end of the file is wanted"},
      {"end", "fin", "'fin' where end is wanted"},
  };
  geo_basis basis = make_basis(), back;
  text_builder text = {0};
  geo_basis_write(&basis, &text);
  size_t length = text.length;
  char *bytes = text_take(&text);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    text_builder other = {0};
    scr_error error = {0};
    const char *place = strstr(bytes, cases[k].from);
    assert_non_null(place);
    text_add(&other, bytes, (size_t)(place - bytes));
    text_add_string(&other, cases[k].to);
    text_add_string(&other, place + strlen(cases[k].from));
    assert_int_equal(geo_basis_read(other.data, other.length, &back, &error), SCR_BAD_FILE);
    if (!strstr(error.message, cases[k].reason)) fail_msg("case %zu: %s", k, error.message);
    assert_null(back.field);
    text_clear(&other);
  }
  for (size_t cut = 0; cut + 2 < length; cut += 7) assert_int_equal(geo_basis_read(bytes, cut, &back, NULL), SCR_BAD_FILE);
  geo_basis_clear(&basis);
  free(bytes);
}

/* An arch is sound and has its volume: a strip of even thickness about its middle line has the line's length times the thickness in the
 * limit of small elements (what is missing on the inner side is there on the outer), half an ellipse with a = b is half a circle, and feet
 * are trapezia. Against b = 0.6 a: Ramanujan's second formula for an ellipse's length, right to 1e-9 here. Sectors of a ring by their
 * chords lack 1 - sin(t)/t, t the angle of one: 0.7 % of 15. Both converge with the square of the elements' size. */
static void test_arches_have_their_volume(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const geo_arch form = {
        .span = 0.06, .rise = k ? 0.026 : 0.038, .thickness = 0.006, .width = 0.02, .leg = 0.008, .foot = 0.01, .heel = 0.004};
    double a = 0.03, b = form.rise - form.leg, h = (a - b) * (a - b) / ((a + b) * (a + b));
    double length = 0.5 * 3.14159265358979323846 * (a + b) * (1 + 3 * h / (10 + sqrt(4 - 3 * h)));
    double feet = 0.5 * form.leg * (2 * (form.foot - form.thickness) + form.heel), off[2];
    double exact = form.width * (form.thickness * (length + 2 * form.leg) + feet);
    for (uint32_t fine = 1; fine <= 2; fine++) {
      const uint32_t cells[2] = {2, 2 * fine};
      geo_hexes mesh;
      assert_int_equal(geo_hexes_arch(&form, 15 * fine, 2 * fine, cells, &mesh, NULL), SCR_OK);
      assert_int_equal(geo_hexes_check(&mesh, NULL), SCR_OK);
      off[fine - 1] = fabs(geo_hexes_measure(&mesh).volume / exact - 1);
      geo_hexes_clear(&mesh);
    }
    assert_true(off[0] < 8e-3 && off[1] < 2e-3);
    assert_true(off[0] / off[1] > 3.5 && off[0] / off[1] < 4.5);
  }
}

SUITE(test_geometry_hexes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear_fields_are_exact_inside),   cmocka_unit_test(test_points_outside_go_to_the_surface),
      cmocka_unit_test(test_quality_tells_shear_from_stretch), cmocka_unit_test(test_modal_mass_is_the_integral),
      cmocka_unit_test(test_a_basis_reads_back_bit_by_bit),    cmocka_unit_test(test_damaged_bases_are_refused),
      cmocka_unit_test(test_arches_have_their_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
