/* Formulas of the optimizers' own against finite differences: a bond's derivatives in free quaternions, the left Jacobian of rotation
 * vectors. States are drawn from fixed seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quat.h"
#include "tests/studies/optimizers/bond_euclid.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

/* A bond of about 1 m and a state: e, and two quaternions with lengths between 0.8 and 1.2. */
typedef struct euclid_case {
  bdem_bond bond;
  double sign, x[BDEM_EUCLID];
} euclid_case;

static euclid_case random_case(uint64_t *seed, double angle)
{
  euclid_case c;
  bdem_elasticity material = {.young_modulus = 1.0, .poisson_ratio = 0.25};
  scr_vec3 axis = vec3_add(vec3(1.0, 0.2, -0.1), random_vector(seed, 0.5));
  scr_quat whole = quat_exp(random_vector(seed, 2.0));
  c.bond = bdem_bond_make(&material, 0.5, axis);
  scr_vec3 e = quat_rotate(whole, vec3_add(axis, random_vector(seed, 0.3 * angle)));
  scr_quat qi = quat_multiply(whole, quat_exp(random_vector(seed, 0.5 * angle)));
  scr_quat qj = quat_multiply(whole, quat_exp(random_vector(seed, 0.5 * angle)));
  c.sign = uniform(seed) > 0.0 ? 1.0 : -1.0;
  qi = quat_scale(qi, 1.0 + 0.2 * uniform(seed));
  qj = quat_scale(qj, c.sign * (1.0 + 0.2 * uniform(seed)));
  double numbers[BDEM_EUCLID] = {e.x, e.y, e.z, qi.x, qi.y, qi.z, qi.w, qj.x, qj.y, qj.z, qj.w};
  memcpy(c.x, numbers, sizeof numbers);
  return c;
}

static double energy(const euclid_case *c, const double x[BDEM_EUCLID])
{
  return bdem_bond_euclid_energy(&c->bond, c->sign, vec3(x[0], x[1], x[2]), quat(x[3], x[4], x[5], x[6]), quat(x[7], x[8], x[9], x[10]));
}

static void derivatives(const euclid_case *c, const double x[BDEM_EUCLID], double *gradient, double *hessian)
{
  bdem_bond_euclid_derivatives(&c->bond, c->sign, vec3(x[0], x[1], x[2]), quat(x[3], x[4], x[5], x[6]), quat(x[7], x[8], x[9], x[10]),
                               gradient, hessian);
}

/* Central differences of fourth order in every one of the eleven numbers, step 1e-3: truncation and rounding about 1e-11 of the
 * largest entry, tolerance 1e-8 (the 1e-9 next to it is for gradients that happen to be small). Every third state hardly shears. */
static void test_free_quaternion_derivatives_match_differences(void **state)
{
  static const double weights[4] = {1.0, -8.0, 8.0, -1.0}, shifts[4] = {-2.0, -1.0, 1.0, 2.0};
  uint64_t seed = 21;
  double t = 1e-3;
  (void)state;
  for (int try = 0; try < 100; ++try) {
    euclid_case c = random_case(&seed, try % 3 == 0 ? 1e-4 : 1.0);
    double g[BDEM_EUCLID], h[BDEM_EUCLID * BDEM_EUCLID], largest = 0.0;
    derivatives(&c, c.x, g, h);
    for (int k = 0; k < BDEM_EUCLID * BDEM_EUCLID; ++k) largest = fmax(largest, fabs(h[k]));
    for (int k = 0; k < BDEM_EUCLID; ++k) {
      double slope = 0.0, column[BDEM_EUCLID] = {0};
      for (int m = 0; m < 4; ++m) {
        double x[BDEM_EUCLID], there[BDEM_EUCLID];
        memcpy(x, c.x, sizeof x);
        x[k] += shifts[m] * t;
        slope += weights[m] * energy(&c, x) / (12.0 * t);
        derivatives(&c, x, there, NULL);
        for (int r = 0; r < BDEM_EUCLID; ++r) column[r] += weights[m] * there[r] / (12.0 * t);
      }
      assert_true(fabs(slope - g[k]) <= 1e-8 * (largest + 0.1));
      for (int r = 0; r < BDEM_EUCLID; ++r) {
        assert_true(fabs(column[r] - h[BDEM_EUCLID * r + k]) <= 1e-8 * largest);
        assert_true(fabs(h[BDEM_EUCLID * r + k] - h[BDEM_EUCLID * k + r]) <= 1e-14 * largest);
      }
    }
  }
}

/* On unit quaternions the free form is the bond of bond.h: the energy, the force, and the torques as -1/2 Gr(q) dV/dq. */
static void test_free_quaternions_agree_with_the_bond_on_the_sphere(void **state)
{
  uint64_t seed = 22;
  (void)state;
  for (int try = 0; try < 100; ++try) {
    euclid_case c = random_case(&seed, 1.0);
    double g[BDEM_EUCLID];
    scr_quat qi = quat_normalise(quat(c.x[3], c.x[4], c.x[5], c.x[6])), qj = quat_normalise(quat(c.x[7], c.x[8], c.x[9], c.x[10]));
    scr_vec3 e = vec3(c.x[0], c.x[1], c.x[2]);
    bdem_bond_energy v = bdem_bond_energy_of(&c.bond, e, qi, qj);
    bdem_bond_force f = bdem_bond_force_of(&c.bond, e, qi, qj);
    bdem_bond_euclid_derivatives(&c.bond, c.sign, e, qi, qj, g, NULL);
    double whole = v.stretch + v.shear + v.bend_twist;
    assert_true(fabs(bdem_bond_euclid_energy(&c.bond, c.sign, e, qi, qj) - whole) < 1e-14);
    scr_vec3 ti = quat_vector(quat_multiply(quat(g[3], g[4], g[5], g[6]), quat_conjugate(qi)));
    scr_vec3 tj = quat_vector(quat_multiply(quat(g[7], g[8], g[9], g[10]), quat_conjugate(qj)));
    assert_true(vec3_length(vec3_add(f.force_j, vec3(g[0], g[1], g[2]))) < 1e-14);
    assert_true(vec3_length(vec3_add(f.torque_i, vec3_scale(ti, 0.5))) < 1e-14);
    assert_true(vec3_length(vec3_add(f.torque_j, vec3_scale(tj, 0.5))) < 1e-14);
  }
}

/* exp(theta + t d) exp(-theta) turns by t Jl(theta) d: central differences of fourth order, step 1e-3, truncation about 1e-12 (the
 * tolerance 1e-9 leaves room near a full turn, where the derivatives grow). Angles: near 0 on both sides of the series' end, 1, near pi
 * on both sides, 5; and the inverse is the inverse there. */
static void test_the_left_jacobian_turns_rates(void **state)
{
  static const double angles[] = {0.0, 1e-9, 1e-4, 0.0316, 0.0317, 1.0, 3.14159, 3.141592653589793, 3.1416, 5.0};
  static const double weights[4] = {1.0, -8.0, 8.0, -1.0}, shifts[4] = {-2.0, -1.0, 1.0, 2.0};
  uint64_t seed = 23;
  double t = 1e-3;
  (void)state;
  for (size_t a = 0; a < sizeof angles / sizeof *angles; ++a)
    for (int try = 0; try < 20; ++try) {
      scr_vec3 axis = random_vector(&seed, 1.0), d = random_vector(&seed, 1.0), rate = vec3(0, 0, 0);
      scr_vec3 theta = vec3_scale(axis, angles[a] / vec3_length(axis));
      for (int m = 0; m < 4; ++m) {
        scr_quat turned = quat_exp(vec3_add(theta, vec3_scale(d, shifts[m] * t)));
        scr_vec3 turn = quat_log(quat_multiply(turned, quat_conjugate(quat_exp(theta))));
        rate = vec3_add(rate, vec3_scale(turn, weights[m] / (12.0 * t)));
      }
      scr_vec3 jacobian = rotation_left_jacobian(theta, d);
      assert_true(vec3_length(vec3_sub(jacobian, rate)) < 1e-9);
      assert_true(vec3_length(vec3_sub(rotation_left_jacobian_inverse(theta, jacobian), d)) < 1e-13);
    }
}

SUITE(test_bdem_optimizer_formulas)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_quaternion_derivatives_match_differences),
      cmocka_unit_test(test_free_quaternions_agree_with_the_bond_on_the_sphere),
      cmocka_unit_test(test_the_left_jacobian_turns_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
