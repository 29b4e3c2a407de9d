/* Elastic energies of lsdem's modes: tables of levels on both sides of rest, and polynomials fitted to energies and forces. References:
 * energies that are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/lsdem/grain/energy.h"
#include "tests/support/suites.h"

enum { LEVELS = 60 };

typedef struct known {
  double amplitude[LEVELS * 3], energy[LEVELS], force[LEVELS * 3];
} known;

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* A convex energy of three amplitudes of very different size, J: U = x^2 + 2 y^2 + 3 z^2 + x y + x^2 z/2 + y^4 + x^2 y^2, with x =
 * eps_0/1e-3, y = eps_1/0.1, z = eps_2. */
static double energy_of(const double *eps, double *force)
{
  double x = eps[0] / 1e-3, y = eps[1] / 0.1, z = eps[2];
  force[0] = (2 * x + y + x * z + 2 * x * y * y) / 1e-3;
  force[1] = (4 * y + x + 4 * y * y * y + 2 * x * x * y) / 0.1;
  force[2] = 6 * z + 0.5 * x * x;
  return x * x + 2 * y * y + 3 * z * z + x * y + 0.5 * x * x * z + pow(y, 4) + x * x * y * y;
}

static known *levels_of(size_t count)
{
  known *k = calloc(1, sizeof *k);
  uint64_t seed = 11;
  assert_non_null(k);
  for (size_t l = 0; l < count; l++) {
    k->amplitude[3 * l] = 1e-3 * uniform(&seed), k->amplitude[3 * l + 1] = 0.1 * uniform(&seed), k->amplitude[3 * l + 2] = uniform(&seed);
    k->energy[l] = energy_of(k->amplitude + 3 * l, k->force + 3 * l);
  }
  return k;
}

/* A fit to exact energies and forces of degree 4 is that energy, at other places too; its gradient and curvature are its derivatives, by
 * central differences whose error is of the square of the step. */
static void test_a_polynomial_is_found_again(void **state)
{
  (void)state;
  known *k = levels_of(LEVELS);
  const lsdem_levels levels = {LEVELS, 3, k->amplitude, k->energy, k->force};
  lsdem_polynomial *fit = calloc(1, sizeof *fit);
  lsdem_fit_quality quality;
  scr_error error = {0};
  uint64_t seed = 5;
  if (lsdem_energy_fit(&levels, 4, fit, &quality, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_false(fit->mirrored);
  assert_true(quality.energy < 1e-10 && quality.force < 1e-10 && quality.other_energy < 1e-8 && quality.other_force < 1e-8);
  for (int n = 0; n < 20; n++) {
    double eps[3] = {1e-3 * uniform(&seed), 0.1 * uniform(&seed), uniform(&seed)}, force[3], gradient[3], curvature[9];
    double energy = energy_of(eps, force);
    lsdem_polynomial_gradient(fit, eps, gradient);
    lsdem_polynomial_curvature(fit, eps, curvature);
    assert_float_equal(lsdem_polynomial_value(fit, eps), energy, 1e-9);
    for (int a = 0; a < 3; a++) {
      double kept = eps[a], step = 1e-5 * fit->scale[a], ahead[3], behind[3];
      assert_float_equal(gradient[a] * fit->scale[a], force[a] * fit->scale[a], 1e-8);
      eps[a] = kept + step;
      double up = lsdem_polynomial_value(fit, eps);
      lsdem_polynomial_gradient(fit, eps, ahead);
      eps[a] = kept - step;
      double down = lsdem_polynomial_value(fit, eps);
      lsdem_polynomial_gradient(fit, eps, behind);
      eps[a] = kept;
      assert_float_equal((up - down) / (2e-5), gradient[a] * fit->scale[a], 1e-7);
      for (int b = 0; b < 3; b++)
        assert_float_equal((ahead[b] - behind[b]) / 2e-5 * fit->scale[b], curvature[3 * b + a] * fit->scale[a] * fit->scale[b], 1e-6);
    }
  }
  double zero[3] = {0}, gradient[3];
  lsdem_polynomial_gradient(fit, zero, gradient);
  assert_true(lsdem_polynomial_value(fit, zero) == 0 && gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
  free(fit);
  free(k);
}

/* Levels along single modes: what they say of two modes at once (x^2 z, by the force of z; x y) is found, what they can't say (x^2 y^2) is
 * left out instead of invented. */
static void test_what_levels_do_not_tell_is_left_out(void **state)
{
  (void)state;
  known *k = calloc(1, sizeof *k);
  lsdem_polynomial *fit = calloc(1, sizeof *fit);
  lsdem_fit_quality quality;
  scr_error error = {0};
  for (size_t a = 0, l = 0; a < 3; a++)
    for (int step = -5; step <= 5; step++) {
      if (step == 0) continue;
      static const double size[3] = {1e-3, 0.1, 1};
      k->amplitude[3 * l + a] = size[a] * step / 5;
      k->energy[l] = energy_of(k->amplitude + 3 * l, k->force + 3 * l);
      l++;
    }
  const lsdem_levels levels = {30, 3, k->amplitude, k->energy, k->force};
  if (lsdem_energy_fit(&levels, 4, fit, &quality, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_true(quality.energy < 1e-9 && quality.force < 1e-9);
  const double both[3] = {0.7e-3, -0.08, 0.5};
  double x = 0.7, y = -0.8, force[3];
  assert_float_equal(lsdem_polynomial_value(fit, both), energy_of(both, force) - x * x * y * y, 1e-8);
  free(fit);
  free(k);
}

/* One mode whose levels are all on one side is mirrored: U = eps^2.5 (a contact of two balls), by degree 6 to 2e-3 of the energy's mean, at
 * the levels between those fitted to, too. */
static void test_a_load_on_one_side_is_mirrored(void **state)
{
  (void)state;
  double amplitude[20], energy[20], force[20], there, back, at = 0.83e-4;
  lsdem_polynomial *fit = calloc(1, sizeof *fit);
  lsdem_fit_quality quality;
  for (int l = 0; l < 20; l++) {
    amplitude[l] = 1e-5 * (l + 1);
    energy[l] = 1e9 * pow(amplitude[l], 2.5), force[l] = 2.5e9 * pow(amplitude[l], 1.5);
  }
  const lsdem_levels levels = {20, 1, amplitude, energy, force};
  assert_int_equal(lsdem_energy_fit(&levels, 6, fit, &quality, NULL), SCR_OK);
  assert_true(fit->mirrored && quality.energy < 2e-3 && quality.force < 2e-3 && quality.other_energy < 2e-3 && quality.other_force < 4e-3);
  lsdem_polynomial_gradient(fit, &at, &there);
  at = -at;
  lsdem_polynomial_gradient(fit, &at, &back);
  assert_true(there == -back && fabs(there / (2.5e9 * pow(0.83e-4, 1.5)) - 1) < 5e-3);
  free(fit);
}

static void test_bad_fits_are_refused_with_the_reason(void **state)
{
  (void)state;
  static double amplitude[80], energy[80], force[80];
  double hill[4] = {1, 2, 3, 4}, up[4] = {1, 1.2, 1.3, 1.35}, slope[4] = {1, 0.2, 0.1, 0.05}, none[4] = {0};
  lsdem_polynomial *fit = calloc(1, sizeof *fit);
  for (size_t k = 0; k < 80; k += 17) amplitude[k] = 1; /* 16 modes, 5 levels */
  energy[0] = 1;
  const struct {
    lsdem_levels levels;
    size_t degree;
    const char *says;
  } bad[] = {{{0, 1, hill, up, slope}, 2, "no levels"},
             {{4, 1, hill, none, slope}, 2, "energy above 0"},
             {{4, 1, none, up, slope}, 2, "no level of the mode basis moves mode 1"},
             {{4, 1, hill, up, slope}, 4, "not convex"},
             {{5, 16, amplitude, energy, force}, 4, "moves mode 6"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    lsdem_fit_quality quality;
    scr_error error = {0};
    assert_int_equal(lsdem_energy_fit(&bad[k].levels, bad[k].degree, fit, &quality, &error), SCR_BAD_SCENE);
    if (!strstr(error.message, bad[k].says)) fail_msg("%s: %s", bad[k].says, error.message);
  }
  lsdem_fit_quality quality;
  scr_error error = {0};
  for (size_t k = 0; k < 80; k++) amplitude[k] = 1;
  const lsdem_levels many = {5, 16, amplitude, energy, force};
  assert_int_equal(lsdem_energy_fit(&many, 4, fit, &quality, &error), SCR_BAD_SCENE);
  assert_non_null(strstr(error.message, "more than 256 terms"));
  free(fit);
}

/* Squares that the fit makes least, as energy_fit.h has them. */
static double squares_of(const lsdem_levels *levels, const lsdem_polynomial *fit)
{
  double largest = 0, sum = 0, gradient[2];
  for (size_t l = 0; l < levels->count; l++) largest = fmax(largest, levels->energy[l]);
  for (size_t l = 0; l < levels->count; l++) {
    const double *eps = levels->amplitude + l * levels->modes;
    sum += pow((lsdem_polynomial_value(fit, eps) - levels->energy[l]) / largest, 2);
    lsdem_polynomial_gradient(fit, eps, gradient);
    for (size_t a = 0; a < levels->modes; a++)
      sum += pow(fit->scale[a] * (gradient[a] - levels->force[l * levels->modes + a]) / largest, 2);
  }
  return sum;
}

/* Least curvature over the largest, of scaled amplitudes, at rest, on the way to each level, at it and a fifth beyond: 2 x 2 matrices in
 * closed form. */
static double least_curvature(const lsdem_levels *levels, const lsdem_polynomial *fit)
{
  static const double reach[] = {0, 0.25, 0.5, 0.75, 1, 1.2};
  double least = INFINITY, largest = 0;
  for (size_t l = 0; l < levels->count; l++)
    for (size_t k = 0; k < 6; k++) {
      double at[2] = {0}, h[4] = {0};
      for (size_t a = 0; a < levels->modes; a++) at[a] = reach[k] * levels->amplitude[l * levels->modes + a];
      lsdem_polynomial_curvature(fit, at, h);
      double xx = h[0] * fit->scale[0] * fit->scale[0], yy = xx, xy = 0;
      if (levels->modes == 2) yy = h[3] * fit->scale[1] * fit->scale[1], xy = h[1] * fit->scale[0] * fit->scale[1];
      double low = 0.5 * (xx + yy) - hypot(0.5 * (xx - yy), xy), high = 0.5 * (xx + yy) + hypot(0.5 * (xx - yy), xy);
      least = fmin(least, low);
      largest = fmax(largest, fmax(fabs(low), fabs(high)));
    }
  return least / largest;
}

/* Levels of ln cosh, whose forces bend over as tanh does: the polynomial nearest to them falls at the ends. The one that is found is
 * convex, and best so: convex energies are a convex set, so it is best exactly when no way from it straight towards another one goes
 * downhill. Others are made at random, 240 convex ones; one mode and two, degrees 3 to 6. */
static void test_a_fit_is_the_nearest_convex_one(void **state)
{
  (void)state;
  static const double size[2] = {1e-4, 0.02};
  uint64_t seed = 21;
  for (int trial = 0; trial < 8; trial++) {
    const size_t modes = trial % 2 ? 2 : 1, degree = 3 + (size_t)(trial / 2);
    known *k = calloc(1, sizeof *k);
    lsdem_polynomial *fit = calloc(1, sizeof *fit), *other = calloc(1, sizeof *other);
    lsdem_fit_quality quality;
    scr_error error = {0};
    for (size_t l = 0; l < 20; l++)
      for (size_t a = 0; a < modes; a++) {
        double z = uniform(&seed);
        k->amplitude[l * modes + a] = size[a] * z;
        k->energy[l] += log(cosh(1.7 * z)) / 1.7;
        k->force[l * modes + a] = tanh(1.7 * z) / size[a];
      }
    const lsdem_levels levels = {20, modes, k->amplitude, k->energy, k->force};
    if (lsdem_energy_fit(&levels, degree, fit, &quality, &error) != SCR_OK)
      fail_msg("%zu modes, degree %zu: %s", modes, degree, error.message);
    const double found = squares_of(&levels, fit);
    assert_true(least_curvature(&levels, fit) > -1e-6);
    if (quality.made_convex) assert_true(quality.energy < LSDEM_FIT_CONVEX_MISS && quality.force < LSDEM_FIT_CONVEX_MISS);
    if (degree == 4 || degree == 5) assert_true(quality.made_convex && quality.free_force < quality.force && quality.energy > 1e-3);
    for (int made = 0, tried = 0; made < 30; tried++) {
      assert_true(tried < 5000);
      *other = *fit;
      double quadratic = 0.5 * (1 + uniform(&seed));
      for (size_t t = 0; t < other->term_count; t++)
        other->term[t].coefficient = other->term[t].degree > 2 ? 0.05 * uniform(&seed) : quadratic * (0.6 + 0.4 * uniform(&seed));
      if (!(least_curvature(&levels, other) >= 0)) continue;
      made++;
      for (size_t t = 0; t < other->term_count; t++)
        other->term[t].coefficient = fit->term[t].coefficient + 1e-3 * (other->term[t].coefficient - fit->term[t].coefficient);
      assert_true(squares_of(&levels, other) > found * (1 - 1e-9));
    }
    free(other);
    free(fit);
    free(k);
  }
}

/* A table of points on both sides of rest, in any order: forces are its own on either side, energies their integral from rest, to central
 * differences; beyond the ends the last slopes go on. F = eps + eps^2 for eps > -1/2: at the points exactly, U to the trapezoids' h^2/12
 * (F'(b) - F'(a)). */
static void test_levels_on_both_sides_make_a_table(void **state)
{
  (void)state;
  static const double amplitude[] = {0.1, -0.1, 0.3, -0.2, 0.2, -0.3};
  double force[6];
  lsdem_energy *table = calloc(1, sizeof *table);
  const lsdem_modal modal = {.count = 1};
  scr_error error = {0};
  for (int k = 0; k < 6; k++) force[k] = amplitude[k] + amplitude[k] * amplitude[k];
  if (lsdem_energy_take(table, amplitude, force, 6, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(table->point_count, 7);
  for (int k = 0; k < 6; k++) {
    double e = amplitude[k], trapezoid = 0.01 / 12 * 2 * e;
    assert_float_equal(lsdem_table_force(table, e), force[k], 1e-15);
    assert_float_equal(lsdem_table_energy(table, e), e * e / 2 + e * e * e / 3 + trapezoid, 1e-14);
  }
  assert_true(lsdem_table_energy(table, 0) == 0 && lsdem_table_force(table, 0) == 0);
  for (double at = -0.35; at < 0.35; at += 0.013) {
    double h = 1e-7, slope = (lsdem_table_energy(table, at + h) - lsdem_table_energy(table, at - h)) / (2 * h);
    assert_float_equal(slope, lsdem_table_force(table, at), 1e-7);
  }
  assert_float_equal(lsdem_table_force(table, -0.4), force[5] - 0.1 * (force[3] - force[5]) / 0.1, 1e-14);
  assert_float_equal(lsdem_energy_beyond(table, 0, -0.6), 2, 1e-14);
  assert_float_equal(lsdem_energy_secant(table, &modal, 0), 1.3, 1e-14);
  double steepest;
  lsdem_energy_steepest(table, &modal, &steepest);
  assert_float_equal(steepest, 1.5, 1e-14);
  force[2] = force[0];
  assert_int_equal(lsdem_energy_take(table, amplitude, force, 6, &error), SCR_BAD_SCENE);
  assert_non_null(strstr(error.message, "falls from"));
  static const double twice[2] = {0.1, 0.1};
  assert_int_equal(lsdem_energy_take(table, twice, force, 2, &error), SCR_BAD_SCENE);
  assert_non_null(strstr(error.message, "leave one of them out"));
  assert_int_equal(lsdem_energy_take(table, twice, force, 0, &error), SCR_BAD_SCENE);
  free(table);
}

SUITE(test_lsdem_energy)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_polynomial_is_found_again),       cmocka_unit_test(test_what_levels_do_not_tell_is_left_out),
      cmocka_unit_test(test_a_load_on_one_side_is_mirrored),    cmocka_unit_test(test_bad_fits_are_refused_with_the_reason),
      cmocka_unit_test(test_levels_on_both_sides_make_a_table), cmocka_unit_test(test_a_fit_is_the_nearest_convex_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
