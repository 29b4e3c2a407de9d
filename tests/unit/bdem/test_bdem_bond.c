/* One bond of the bonded discrete element method: energy, force, Hessian, stress. The states are drawn from a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/bdem/bonds/bond.h"
#include "tests/support/suites.h"

typedef struct bond_case {
  bdem_bond bond;
  scr_vec3 e;
  scr_quat qi, qj;
} bond_case;

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0; /* -1 ... 1 */
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

static bdem_bond bond_along(scr_vec3 axis, bdem_calibration calibration, bdem_shear shear)
{
  bdem_elasticity material = {.young_modulus = 1.0, .poisson_ratio = 0.25, .calibration = calibration, .shear = shear};
  return bdem_bond_make(&material, 0.5, axis);
}

/* A bond about 1 m long whose ends are turned by up to about `angle`, the whole turned arbitrarily. */
static bond_case random_case(uint64_t *seed, double angle)
{
  bond_case c;
  scr_vec3 axis = vec3_add(vec3(1.0, 0.2, -0.1), random_vector(seed, 0.5));
  scr_quat whole = quat_exp(random_vector(seed, 2.0));
  c.bond = bond_along(axis, uniform(seed) > 0 ? BDEM_CALIBRATION_PHYSICAL : BDEM_CALIBRATION_PAPER,
                      uniform(seed) > 0 ? BDEM_SHEAR_SIMPLE : BDEM_SHEAR_EXACT);
  c.e = quat_rotate(whole, vec3_add(axis, random_vector(seed, 0.3 * angle)));
  c.qi = quat_multiply(whole, quat_exp(random_vector(seed, 0.5 * angle)));
  c.qj = quat_multiply(whole, quat_exp(random_vector(seed, 0.5 * angle)));
  if (uniform(seed) > 0) c.qj = quat_scale(c.qj, -1.0);
  return c;
}

static double energy(const bond_case *c)
{
  bdem_bond_energy v = bdem_bond_energy_of(&c->bond, c->e, c->qi, c->qj);
  return v.stretch + v.shear + v.bend_twist;
}

/* The state after a step t along the geodesic with direction v = (e, y_i, y_j). */
static bond_case moved(const bond_case *c, const double v[9], double t)
{
  bond_case m = *c;
  m.e = vec3_add(c->e, vec3_scale(vec3(v[0], v[1], v[2]), t));
  m.qi = quat_multiply(quat_exp(vec3_scale(vec3(v[3], v[4], v[5]), 2.0 * t)), c->qi);
  m.qj = quat_multiply(quat_exp(vec3_scale(vec3(v[6], v[7], v[8]), 2.0 * t)), c->qj);
  return m;
}

/* Derivative of the energy along v, from the forces: dV/de = -F_j, dV/dy = -2 torque. */
static double slope(const bond_case *c, const double v[9])
{
  bdem_bond_force f = bdem_bond_force_of(&c->bond, c->e, c->qi, c->qj);
  return -vec3_dot(f.force_j, vec3(v[0], v[1], v[2])) - 2.0 * vec3_dot(f.torque_i, vec3(v[3], v[4], v[5])) -
         2.0 * vec3_dot(f.torque_j, vec3(v[6], v[7], v[8]));
}

static void matrix_of(const bdem_bond_hessian *h, double full[81])
{
  const double *blocks[3][3] = {{h->ee, h->ei, h->ej}, {h->ei, h->ii, h->ij}, {h->ej, h->ij, h->jj}};
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c)
      full[9 * r + c] = r / 3 <= c / 3 ? blocks[r / 3][c / 3][3 * (r % 3) + c % 3] : blocks[r / 3][c / 3][3 * (c % 3) + r % 3];
}

static double quadratic(const double full[81], const double v[9])
{
  double sum = 0.0;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) sum += v[r] * full[9 * r + c] * v[c];
  return sum;
}

static double largest(const double *a, int n)
{
  double m = 0.0;
  for (int k = 0; k < n; ++k) m = fmax(m, fabs(a[k]));
  return m;
}

/* Central differences of fourth order with a step of 2e-3: truncation about 1e-11, rounding 1e-13. */
static void check_gradient(const bond_case *c, uint64_t *seed, double tolerance)
{
  double v[9], t = 2e-3, scale;
  bdem_bond_force f = bdem_bond_force_of(&c->bond, c->e, c->qi, c->qj);
  scale = fmax(vec3_length(f.force_j), fmax(vec3_length(f.torque_i), vec3_length(f.torque_j)));
  for (int k = 0; k < 9; ++k) v[k] = uniform(seed);
  bond_case a = moved(c, v, t), b = moved(c, v, -t), a2 = moved(c, v, 2 * t), b2 = moved(c, v, -2 * t);
  double difference = (8.0 * (energy(&a) - energy(&b)) - (energy(&a2) - energy(&b2))) / (12.0 * t);
  assert_true(fabs(difference - slope(c, v)) <= tolerance * (scale + 1e-2));
}

static void check_hessian(const bond_case *c, uint64_t *seed, double tolerance)
{
  bdem_bond_hessian h;
  double full[81], v[9], t = 1e-3;
  bdem_bond_hessian_of(&c->bond, c->e, c->qi, c->qj, BDEM_CURVATURE_EXACT, &h);
  matrix_of(&h, full);
  for (int try = 0; try < 12; ++try) {
    for (int k = 0; k < 9; ++k) v[k] = uniform(seed);
    bond_case a = moved(c, v, t), b = moved(c, v, -t), a2 = moved(c, v, 2 * t), b2 = moved(c, v, -2 * t);
    double difference = (8.0 * (slope(&a, v) - slope(&b, v)) - (slope(&a2, v) - slope(&b2, v))) / (12.0 * t);
    assert_true(fabs(difference - quadratic(full, v)) <= tolerance * largest(full, 81));
  }
}

/* The forces are the energy's derivatives, with relative turns up to about 1 rad and both signs of q_j (check A1). */
static void test_forces_are_the_gradient_of_the_energy(void **state)
{
  uint64_t seed = 11;
  (void)state;
  for (int k = 0; k < 200; ++k) {
    bond_case c = random_case(&seed, 1.0);
    check_gradient(&c, &seed, 1e-8);
  }
}

/* v^T H v is the second derivative along every geodesic, which by polarisation fixes all 45 entries (check A1). The tolerance is
 * 1e-8 of the largest entry; differences are good to about 1e-10. */
static void test_the_hessian_is_the_second_derivative_along_geodesics(void **state)
{
  uint64_t seed = 12;
  (void)state;
  for (int k = 0; k < 200; ++k) {
    bond_case c = random_case(&seed, 1.0);
    check_hessian(&c, &seed, 1e-8);
  }
}

/* Sines of the shear angle down to 1e-9, across the switch between series and closed form, lose no digits. */
static void test_force_and_hessian_hold_near_zero_shear(void **state)
{
  uint64_t seed = 13;
  (void)state;
  for (double size = 1e-9; size < 0.2; size *= 3.0)
    for (int k = 0; k < 5; ++k) {
      bond_case c = random_case(&seed, size);
      check_gradient(&c, &seed, 1e-8);
      check_hessian(&c, &seed, 1e-8);
    }
}

/* A bond turned through 90 degrees as a whole, and one whose ends are turned 90 degrees against each other. */
static void test_force_and_hessian_hold_at_ninety_degrees(void **state)
{
  uint64_t seed = 14;
  scr_vec3 axis = vec3(1, 0, 0);
  scr_quat quarter_z = quat_exp(vec3(0, 0, 1.5707963267948966)), quarter_x = quat_exp(vec3(1.5707963267948966, 0, 0));
  (void)state;
  bdem_bond bond = bond_along(axis, BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE);
  bond_case cases[] = {{bond, vec3(0, 1, 0), quarter_z, quarter_z},
                       {bond, vec3(1, 0, 0), quat_identity(), quarter_x},
                       {bond, vec3(0.7, 0.7, 0), quat_identity(), quarter_z},
                       {bond, vec3(1, 0, 0), quarter_z, quarter_z}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    check_gradient(&cases[k], &seed, 1e-8);
    check_hessian(&cases[k], &seed, 1e-8);
  }
}

/* q and -q are one orientation: relative turns close to 180 degrees (q_i . q_j = 0.05 and -0.05) have the right derivatives on
 * both sides. The tolerance is wider because the shear energy's fourth derivatives grow as the mean orientation degenerates. */
static void test_force_and_hessian_hold_near_opposite_orientations(void **state)
{
  uint64_t seed = 15;
  (void)state;
  for (int k = 0; k < 50; ++k) {
    bond_case c = random_case(&seed, 0.5);
    scr_vec3 axis = random_vector(&seed, 1.0);
    axis = vec3_scale(axis, (3.14159265 + (k % 2 ? 0.1 : -0.1)) / vec3_length(axis));
    c.qj = quat_multiply(quat_exp(axis), c.qi);
    check_gradient(&c, &seed, 1e-6);
    check_hessian(&c, &seed, 1e-5);
  }
}

/* Turning and shifting the whole leaves the energy alone and turns forces and torques along (check A2). */
static void test_energy_is_objective_and_forces_turn_along(void **state)
{
  uint64_t seed = 16;
  (void)state;
  for (int k = 0; k < 100; ++k) {
    bond_case c = random_case(&seed, 1.0), r = c;
    scr_quat turn = quat_exp(random_vector(&seed, 3.0));
    r.e = quat_rotate(turn, c.e);
    r.qi = quat_multiply(turn, c.qi);
    r.qj = quat_multiply(turn, c.qj);
    bdem_bond_force f = bdem_bond_force_of(&c.bond, c.e, c.qi, c.qj), g = bdem_bond_force_of(&r.bond, r.e, r.qi, r.qj);
    assert_true(fabs(energy(&r) - energy(&c)) <= 1e-12 * (energy(&c) + 1e-3));
    assert_true(vec3_length(vec3_sub(quat_rotate(turn, f.force_j), g.force_j)) <= 1e-12);
    assert_true(vec3_length(vec3_sub(quat_rotate(turn, f.torque_i), g.torque_i)) <= 1e-12);
    assert_true(vec3_length(vec3_sub(quat_rotate(turn, f.torque_j), g.torque_j)) <= 1e-12);
  }
}

/* A bond adds no angular momentum: torques and the moment of the force pair cancel (check A2). */
static void test_a_bond_balances_its_moments(void **state)
{
  uint64_t seed = 17;
  (void)state;
  for (int k = 0; k < 100; ++k) {
    bond_case c = random_case(&seed, 1.0);
    bdem_bond_force f = bdem_bond_force_of(&c.bond, c.e, c.qi, c.qj);
    scr_vec3 sum = vec3_add(vec3_add(f.torque_i, f.torque_j), vec3_cross(c.e, f.force_j));
    assert_true(vec3_length(sum) <= 1e-12 * (vec3_length(f.torque_i) + vec3_length(f.force_j)));
  }
}

/* Smallest and largest eigenvalue of a symmetric 9x9 matrix by power iteration on a shifted matrix. */
static double extreme_eigenvalue(const double full[81], double shift)
{
  double v[9] = {1, 0.3, -0.2, 0.5, 0.7, -0.4, 0.1, 0.9, -0.6}, w[9], value = 0.0;
  for (int step = 0; step < 20000; ++step) {
    double norm = 0.0;
    for (int r = 0; r < 9; ++r) {
      w[r] = -shift * v[r];
      for (int c = 0; c < 9; ++c) w[r] += full[9 * r + c] * v[c];
    }
    for (int r = 0; r < 9; ++r) norm += w[r] * w[r];
    norm = sqrt(norm);
    value = 0.0;
    for (int r = 0; r < 9; ++r) {
      value += v[r] * w[r];
      v[r] = w[r] / norm;
    }
  }
  return value + shift;
}

static void assert_close(double got, double wanted, double scale)
{
  assert_true(fabs(got - wanted) <= 1e-8 * scale);
}

static void assert_vector(scr_vec3 got, double x, double y, double z)
{
  assert_close(got.x, x, 0.03);
  assert_close(got.y, y, 0.03);
  assert_close(got.z, z, 0.03);
}

/* One bond's numbers from an independent prototype in numpy (check A3), to the ten digits given. */
static void test_a_single_bond_has_the_reference_values(void **state)
{
  bond_case c = {.bond = bond_along(vec3(1, 0, 0), BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE), .e = vec3(1.02, 0.03, -0.01)};
  bdem_bond_hessian h;
  double full[81], trace = 0.0;
  (void)state;
  c.qi = quat_exp(vec3(0.1, -0.05, 0.2));
  c.qj = quat_exp(vec3(-0.05, 0.1, 0.05));
  assert_close(c.bond.stretch, 0.785398163, 0.1);
  assert_close(c.bond.shear, 0.314159265, 0.1);
  assert_close(c.bond.bend, 4 * 0.0490873852, 0.1);
  assert_close(c.bond.twist, 4 * 0.0392699082, 0.1);
  bdem_bond_energy v = bdem_bond_energy_of(&c.bond, c.e, c.qi, c.qj);
  assert_close(v.stretch, 1.64872083e-4, 1.65e-4);
  assert_close(v.shear, 1.47769796e-3, 1.48e-3);
  assert_close(v.bend_twist, 1.552301566e-3, 1.55e-3);
  bdem_bond_force f = bdem_bond_force_of(&c.bond, c.e, c.qi, c.qj);
  assert_vector(f.force_j, -0.016995530157, 0.029071053789, -0.004069508135);
  assert_vector(f.torque_i, -0.005938865375, 0.005509101454, -0.022303501048);
  assert_vector(f.torque_j, 0.005770240081, -0.009829955053, -0.007858839722);
  bdem_bond_hessian_of(&c.bond, c.e, c.qi, c.qj, BDEM_CURVATURE_EXACT, &h);
  matrix_of(&h, full);
  for (int k = 0; k < 9; ++k) trace += full[10 * k];
  assert_close(trace, 3.752218513, 1.0);
  assert_close(extreme_eigenvalue(full, -0.5), 0.938348645, 1.0);
  assert_close(extreme_eigenvalue(full, 1.0), -0.0147686442, 1.0);
  bdem_section section = bdem_section_make(BDEM_CALIBRATION_PHYSICAL, 0.5, INFINITY, INFINITY);
  bdem_bond_stress stress = bdem_bond_stress_of(&c.bond, &section, c.e, c.qi, c.qj);
  assert_close(stress.tension, 0.130043108420, 0.13);
  assert_close(stress.shear, 0.065620980816, 0.065);
}

/* The Gauss-Newton form is never indefinite, and at rest it is the exact Hessian. */
static void test_gauss_newton_is_semidefinite_and_exact_at_rest(void **state)
{
  uint64_t seed = 18;
  (void)state;
  for (int k = 0; k < 100; ++k) {
    bond_case c = random_case(&seed, 1.5);
    bdem_bond_hessian h, g;
    double full[81], exact[81], v[9];
    bdem_bond_hessian_of(&c.bond, c.e, c.qi, c.qj, BDEM_CURVATURE_GAUSS_NEWTON, &h);
    matrix_of(&h, full);
    for (int try = 0; try < 20; ++try) {
      for (int m = 0; m < 9; ++m) v[m] = uniform(&seed);
      assert_true(quadratic(full, v) >= -1e-12 * largest(full, 81));
    }
    scr_quat turn = c.qi;
    c.qj = turn;
    c.e = quat_rotate(turn, vec3_scale(vec3(c.bond.direction[0], c.bond.direction[1], c.bond.direction[2]), c.bond.length));
    bdem_bond_hessian_of(&c.bond, c.e, c.qi, c.qj, BDEM_CURVATURE_GAUSS_NEWTON, &h);
    bdem_bond_hessian_of(&c.bond, c.e, c.qi, c.qj, BDEM_CURVATURE_EXACT, &g);
    matrix_of(&h, full);
    matrix_of(&g, exact);
    for (int m = 0; m < 81; ++m) assert_true(fabs(full[m] - exact[m]) <= 1e-12 * largest(exact, 81));
  }
}

/* Breaking stresses in closed form (check A14): stretch sigma = E strain, never under compression; pure bending by phi:
 * 2 kb sin(phi/2) r0/I; pure twist: 2 kw sin(phi/2) r0/J. */
static void test_stresses_of_pure_loads_are_those_of_a_beam(void **state)
{
  double young = 1.0, r = 0.5, phi = 0.3, pi = 3.14159265358979323846;
  double inertia = pi * r * r * r * r / 4, kb = young * inertia, kw = young / 2.5 * 2 * inertia;
  scr_quat id = quat_identity();
  bdem_bond bond = bond_along(vec3(1, 0, 0), BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE);
  bdem_section section = bdem_section_make(BDEM_CALIBRATION_PHYSICAL, r, INFINITY, INFINITY);
  (void)state;
  assert_close(bdem_bond_stress_of(&bond, &section, vec3(1.01, 0, 0), id, id).tension, 0.01, 0.01);
  assert_true(bdem_bond_stress_of(&bond, &section, vec3(0.9, 0, 0), id, id).tension < 0.0);
  bdem_bond_stress bent =
      bdem_bond_stress_of(&bond, &section, vec3(1, 0, 0), quat_exp(vec3(0, 0, -phi / 2)), quat_exp(vec3(0, 0, phi / 2)));
  assert_close(bent.tension, 2 * kb * sin(phi / 2) * r / inertia, 1.0);
  assert_close(bent.shear, 0.0, 1.0);
  bdem_bond_stress twisted =
      bdem_bond_stress_of(&bond, &section, vec3(1, 0, 0), quat_exp(vec3(-phi / 2, 0, 0)), quat_exp(vec3(phi / 2, 0, 0)));
  assert_close(twisted.shear, 2 * kw * sin(phi / 2) * r / (2 * inertia), 1.0);
  assert_close(twisted.tension, 0.0, 1.0);
}

SUITE(test_bdem_bond)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_are_the_gradient_of_the_energy),
      cmocka_unit_test(test_the_hessian_is_the_second_derivative_along_geodesics),
      cmocka_unit_test(test_force_and_hessian_hold_near_zero_shear),
      cmocka_unit_test(test_force_and_hessian_hold_at_ninety_degrees),
      cmocka_unit_test(test_force_and_hessian_hold_near_opposite_orientations),
      cmocka_unit_test(test_energy_is_objective_and_forces_turn_along),
      cmocka_unit_test(test_a_bond_balances_its_moments),
      cmocka_unit_test(test_a_single_bond_has_the_reference_values),
      cmocka_unit_test(test_gauss_newton_is_semidefinite_and_exact_at_rest),
      cmocka_unit_test(test_stresses_of_pure_loads_are_those_of_a_beam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
