/* Modes of lsdem's grains: fields, matrices, energies. References: the method's specification, sections 4 and 6, and closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/lsdem/grain/modes_of_shape.h"
#include "methods/lsdem/grain/template.h"
#include "tests/support/suites.h"

static lsdem_recipe recipe_of(const scr_shape *shape, int modes, double spacing)
{
  return (lsdem_recipe){.shape = shape,
                        .spacing = spacing,
                        .grid = spacing,
                        .unbiased = true,
                        .density = 2,
                        .young = 1e3,
                        .poisson = 0.3,
                        .modes = modes,
                        .amplitude = spacing,
                        .damping_ratio = 0.1,
                        .stiffness = NAN,
                        .modal_mass = NAN,
                        .table = "",
                        .table_factor = 1};
}

static lsdem_template *made(const lsdem_recipe *recipe)
{
  lsdem_template *grain = calloc(1, sizeof *grain);
  scr_error error = {0};
  assert_non_null(grain);
  if (lsdem_template_make(grain, recipe, execution_of(1), &error) != SCR_OK) fail_msg("%s", error.message);
  return grain;
}

static void end(lsdem_template *grain)
{
  lsdem_template_clear(grain);
  free(grain);
}

/* Every mode's gradient is that of its field: central differences, error of order step^2. */
static void test_gradients_are_those_of_the_fields(void **state)
{
  (void)state;
  scr_shape bar = {.kind = SCR_SHAPE_BOX, .size = {8, 0.8, 1}};
  for (int set = LSDEM_MODES_ISOTROPIC; set <= LSDEM_MODES_BENDING; set++) {
    lsdem_recipe recipe = recipe_of(&bar, set, 0.25);
    recipe.contraction = 0.3;
    lsdem_template *grain = made(&recipe);
    for (size_t a = 0; a < grain->mode_count; a++)
      for (int k = 0; k < 20; k++) {
        scr_vec3 p = vec3(3.5 * sin(k), 0.4 * cos(k), 0.45 * sin(3 * k));
        scr_matrix3 g;
        (void)lsdem_mode_gradient(&grain->modes[a], p, &g);
        for (int j = 0; j < 3; j++) {
          double h = 1e-5;
          scr_vec3 d = vec3(j == 0 ? h : 0, j == 1 ? h : 0, j == 2 ? h : 0);
          scr_vec3 up = lsdem_mode_at(&grain->modes[a], vec3_add(p, d)), low = lsdem_mode_at(&grain->modes[a], vec3_sub(p, d));
          assert_float_equal(g.m[0][j], (up.x - low.x) / (2 * h), 1e-8);
          assert_float_equal(g.m[1][j], (up.y - low.y) / (2 * h), 1e-8);
          assert_float_equal(g.m[2][j], (up.z - low.z) / (2 * h), 1e-8);
        }
      }
    end(grain);
  }
}

/* Check 7 of the specification's section 6: S and H vanish, over density times volume times size. */
static void test_modes_are_free_of_momentum(void **state)
{
  (void)state;
  scr_shape bar = {.kind = SCR_SHAPE_BOX, .size = {8, 0.8, 1}};
  for (int set = LSDEM_MODES_ISOTROPIC; set <= LSDEM_MODES_BENDING; set++) {
    lsdem_recipe recipe = recipe_of(&bar, set, 0.25);
    lsdem_template *grain = made(&recipe);
    lsdem_quadrature volume = {0};
    assert_int_equal(lsdem_quadrature_make(&volume, &grain->surface, 0, grain->volume, NULL), SCR_OK);
    for (size_t a = 0; a < grain->mode_count; a++) {
      scr_vec3 linear, angular;
      lsdem_mode_momenta(&grain->modes[a], &volume, 2, &linear, &angular);
      assert_true(vec3_length(linear) < 1e-12 * grain->mass);
      assert_true(vec3_length(angular) < 1e-12 * grain->mass * 8);
    }
    lsdem_quadrature_clear(&volume);
    end(grain);
  }
}

/* Check 5: K of the bending mode is EI pi^4/(2 L^3), times (1 - nu)/((1 + nu)(1 - 2 nu)) where the cross section keeps its shape; with the
 * contraction of a bar it is within 1e-3 of EI pi^4/(2 L^3) at L/t = 40. */
static void test_bending_is_as_stiff_as_the_closed_form(void **state)
{
  (void)state;
  double length = 40, thick = 1, nu = 0.3;
  scr_shape bar = {.kind = SCR_SHAPE_BOX, .size = {length, thick, thick}};
  double beam = 1e3 * pow(thick, 4) / 12 * pow(M_PI, 4) / (2 * pow(length, 3));
  for (int contracts = 0; contracts < 2; contracts++) {
    lsdem_recipe recipe = recipe_of(&bar, LSDEM_MODES_BENDING, 0.3);
    recipe.contraction = contracts ? nu : 0;
    lsdem_template *grain = made(&recipe);
    double ratio = grain->modal.stiffness[0][0] / beam;
    if (contracts)
      assert_float_equal(ratio, 1, 1e-3);
    else
      assert_float_equal(ratio, (1 - nu) / ((1 + nu) * (1 - 2 * nu)), 1e-4 * 1.3462);
    end(grain);
  }
}

/* Check 6: the free bar's frequency is 22.676 sqrt(EI/(m L^4)) per unit length once rigid motions are off the mode (m: mass over length);
 * of a slender bar, L/t = 160. */
static void test_a_free_bar_has_its_frequency(void **state)
{
  (void)state;
  double length = 160, nu = 0.3;
  scr_shape bar = {.kind = SCR_SHAPE_BOX, .size = {length, 1, 1}};
  lsdem_recipe recipe = recipe_of(&bar, LSDEM_MODES_BENDING, 0.33);
  recipe.contraction = nu;
  lsdem_template *grain = made(&recipe);
  double omega = sqrt(grain->modal.stiffness[0][0] / grain->modal.mass[0][0]);
  double unit = sqrt(1e3 / 12 / (2 * pow(length, 4)));
  assert_float_equal(omega / unit, 22.6764, 1e-3 * 22.6764);
  end(grain);
}

/* Shrinking of a ball: K = 12 pi kappa R, M = 3/5 m (specification 3.10; kappa = E/(3 (1 - 2 nu))). */
static void test_a_ball_shrinks_by_its_bulk_modulus(void **state)
{
  (void)state;
  scr_shape ball = {.kind = SCR_SHAPE_SPHERE, .radius = 2};
  lsdem_recipe recipe = recipe_of(&ball, LSDEM_MODES_ISOTROPIC, 0.2);
  lsdem_template *grain = made(&recipe);
  double bulk = 1e3 / (3 * (1 - 0.6));
  assert_float_equal(grain->modal.stiffness[0][0] / (12 * M_PI * bulk * 2), 1, 1e-12);
  assert_float_equal(grain->modal.mass[0][0] / (0.6 * grain->mass), 1, 2e-3); /* the quadrature's surface is of flat triangles */
  assert_float_equal(grain->inertia.x / (0.4 * grain->mass * 4), 1, 1e-12);
  end(grain);
}

/* Stretching and shear of a box: K = V B:C:B, M = rho int |B x|^2. */
static void test_affine_modes_of_a_box_have_closed_forms(void **state)
{
  (void)state;
  scr_shape box = {.kind = SCR_SHAPE_BOX, .size = {2, 3, 4}};
  lsdem_recipe recipe = recipe_of(&box, LSDEM_MODES_AFFINE, 0.4);
  lsdem_template *grain = made(&recipe);
  const double half[3] = {1, 1.5, 2}, mu = 1e3 / 2.6, lambda = 1e3 * 0.3 / (1.3 * 0.4), volume = 24;
  for (int a = 0; a < 3; a++) {
    double b = 1 / half[a];
    assert_float_equal(grain->modal.stiffness[a][a], volume * (lambda + 2 * mu) * b * b, 1e-9 * volume * mu);
    assert_float_equal(grain->modal.mass[a][a], 2 * volume / 3, 1e-9);
    assert_float_equal(grain->modal.stiffness[a][(a + 1) % 3], volume * lambda * b / half[(a + 1) % 3], 1e-9 * volume * mu);
    double shear = 1 / (half[(a + 1) % 3] + half[(a + 2) % 3]);
    assert_float_equal(grain->modal.stiffness[3 + a][3 + a], volume * 4 * mu * shear * shear, 1e-9 * volume * mu);
  }
  end(grain);
}

/* Check 7, second half: I(eps) = I0 + eps I1 + eps eps I2 is the direct sum over the deformed points. */
static void test_the_inertia_of_a_deformed_grain_is_a_polynomial(void **state)
{
  (void)state;
  scr_shape bar = {.kind = SCR_SHAPE_BOX, .size = {4, 1, 2}};
  lsdem_recipe recipe = recipe_of(&bar, LSDEM_MODES_AFFINE, 0.25);
  lsdem_template *grain = made(&recipe);
  lsdem_quadrature volume = {0};
  assert_int_equal(lsdem_quadrature_make(&volume, &grain->surface, 0, grain->volume, NULL), SCR_OK);
  const double eps[6] = {0.1, -0.05, 0.2, 0.07, -0.12, 0.03};
  double direct[3][3] = {{0}}, rest[3][3] = {{0}};
  for (size_t k = 0; k < volume.count; k++)
    for (int deformed = 0; deformed < 2; deformed++) {
      scr_vec3 x = volume.point[k];
      for (size_t a = 0; a < 6 && deformed; a++) x = vec3_add(x, vec3_scale(lsdem_mode_at(&grain->modes[a], volume.point[k]), eps[a]));
      const double p[3] = {x.x, x.y, x.z};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          (deformed ? direct : rest)[i][j] += 2 * volume.weight[k] * ((i == j ? vec3_dot(x, x) : 0) - p[i] * p[j]);
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = rest[i][j];
      for (size_t a = 0; a < 6; a++) {
        sum += eps[a] * grain->modal.shape[a][i][j];
        for (size_t b = 0; b < 6; b++) sum += eps[a] * eps[b] * grain->modal.pair[a][b][i][j];
      }
      assert_float_equal(sum, direct[i][j], 1e-12 * rest[0][0] * 10);
    }
  lsdem_quadrature_clear(&volume);
  end(grain);
}

static const char *const paper_table =
    "0 0, 0.004 4.12, 0.008 11.95, 0.014 28.63, 0.023 63.39, 0.0365 134.77, 0.04156 167.32, 0.04916 222.16, 0.06055 317.71, 0.07763 "
    "493.45, "
    "0.08404 569.48, 0.09365 694.49, 0.10807 908.45, 0.11347 996.90, 0.12158 1138.99, 0.13375 1373.51, 0.15199 1777.76, 0.16 1974.62";

/* Check 12: the paper's table 2 as read: F(0.1) = 788.71, U(0.16) = 108.059; odd beyond 0; beyond the last point with the last slope. */
static void test_tables_give_forces_and_their_integral(void **state)
{
  (void)state;
  lsdem_energy table;
  assert_int_equal(lsdem_energy_read(&table, paper_table, 1, NULL), SCR_OK);
  assert_int_equal(table.point_count, 18);
  assert_float_equal(lsdem_table_force(&table, 0.1), 788.71, 0.005);
  assert_float_equal(lsdem_table_energy(&table, 0.16), 108.059, 0.0005);
  assert_float_equal(lsdem_table_force(&table, -0.1), -lsdem_table_force(&table, 0.1), 0);
  assert_float_equal(lsdem_table_energy(&table, -0.1), lsdem_table_energy(&table, 0.1), 0);
  double last = (1974.62 - 1777.76) / (0.16 - 0.15199);
  assert_float_equal(lsdem_table_force(&table, 0.17), 1974.62 + 0.01 * last, 1e-8);
  for (double at = -0.17; at < 0.17; at += 0.0013) { /* the force is the energy's slope */
    double h = 1e-7, slope = (lsdem_table_energy(&table, at + h) - lsdem_table_energy(&table, at - h)) / (2 * h);
    assert_float_equal(slope, lsdem_table_force(&table, at), 2e-3);
  }
  assert_int_equal(lsdem_energy_read(&table, paper_table, 6, NULL), SCR_OK);
  assert_float_equal(lsdem_table_force(&table, 0.1), 6 * 788.71, 0.03);
}

static void test_bad_tables_are_refused_with_the_reason(void **state)
{
  (void)state;
  const struct {
    const char *text, *says;
  } bad[] = {{"", "at least 2"},
             {"0 0", "at least 2"},
             {"0 1, 1 2", "begins with"},
             {"0 0, 1 2, 1 3", "not above"},
             {"0 0, 1 2, 2 1", "below the one before"},
             {"0 0, 1", "not two numbers"},
             {"0 0, one 2", "not two numbers"},
             {"0 0 1 inf", "not two numbers"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    lsdem_energy table;
    scr_error error = {0};
    assert_int_equal(lsdem_energy_read(&table, bad[k].text, 1, &error), SCR_BAD_SCENE);
    if (!strstr(error.message, bad[k].says)) fail_msg("'%s': %s", bad[k].text, error.message);
  }
}

SUITE(test_lsdem_modes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradients_are_those_of_the_fields),
      cmocka_unit_test(test_modes_are_free_of_momentum),
      cmocka_unit_test(test_bending_is_as_stiff_as_the_closed_form),
      cmocka_unit_test(test_a_free_bar_has_its_frequency),
      cmocka_unit_test(test_a_ball_shrinks_by_its_bulk_modulus),
      cmocka_unit_test(test_affine_modes_of_a_box_have_closed_forms),
      cmocka_unit_test(test_the_inertia_of_a_deformed_grain_is_a_polynomial),
      cmocka_unit_test(test_tables_give_forces_and_their_integral),
      cmocka_unit_test(test_bad_tables_are_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
