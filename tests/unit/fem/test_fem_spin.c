/* Rigid flight of the method fem: discrete Moser-Veselov and the projection of nodes onto rigid motion (checks 8 and 11 of the spec). */
#include <math.h>

#include "methods/fem/dynamics/spin.h"
#include "tests/support/fem_blocks.h"
#include "tests/support/suites.h"

static const scr_vec3 none = {0, 0, 0};

static fem_spin top(void)
{
  return (fem_spin){
      .mass = 1, .moments = {1, 2, 2.7}, .axes = {0, 0, 0, 1}, .attitude = {0, 0, 0, 1}, .momentum = {0.4 * 1, 3 * 2, 0.2 * 2.7}};
}

/* After 10 s in `steps` steps. */
static fem_spin after(int steps)
{
  fem_spin spin = top();
  for (int k = 0; k < steps; k++) assert_int_equal(fem_spin_step(&spin, none, 10.0 / steps, NULL), SCR_OK);
  return spin;
}

/* I = (1, 2, 2.7), omega = (.4, 3, .2) for 10 s: the attitude errs by 1.16e-3, 2.90e-4, 7.24e-5 rad in 2000 to 8000 steps (check 8; the
 * reference here are 512 000 steps, whose own error is 2e-8): a quarter for half the step. Energy and the momentum in space stay to
 * round-off. In 500 and 1000 steps, which the formula alone takes with 1.86e-2 and 4.64e-3 rad, steps turn by more than 0.05 and 0.025 rad
 * and are done in three and two parts: a ninth and a quarter of that. */
static void test_attitude_errs_by_second_order_and_invariants_not_at_all(void **state)
{
  static const int steps[5] = {500, 1000, 2000, 4000, 8000};
  static const double expected[5] = {1.86e-2 / 9, 4.64e-3 / 4, 1.16e-3, 2.90e-4, 7.24e-5};
  (void)state;
  fem_spin exact = after(512000), start = top();
  for (int k = 0; k < 5; k++) {
    fem_spin spin = after(steps[k]);
    double error = vec3_length(quat_log(quat_multiply(quat_conjugate(exact.attitude), spin.attitude)));
    scr_vec3 momentum = quat_rotate(spin.attitude, spin.momentum);
    print_message("# %d steps: attitude %.4g, energy %.2g, momentum %.2g\n", steps[k], error,
                  fem_spin_energy(&spin) / fem_spin_energy(&start) - 1,
                  vec3_length(vec3_sub(momentum, start.momentum)) / vec3_length(momentum));
    assert_true(fabs(error / expected[k] - 1) < 0.01);
    assert_true(fabs(fem_spin_energy(&spin) / fem_spin_energy(&start) - 1) < 4e-14);
    assert_true(vec3_length(vec3_sub(momentum, start.momentum)) < 2e-14 * vec3_length(momentum));
  }
}

/* In 1e5 steps of 0.02 s energy and momentum are kept to round-off (check 8; the prototype's 1.9e-13 and 9.5e-14). */
static void test_invariants_hold_for_long(void **state)
{
  (void)state;
  fem_spin spin = top(), start = top();
  for (int k = 0; k < 100000; k++) assert_int_equal(fem_spin_step(&spin, none, 0.02, NULL), SCR_OK);
  double energy = fabs(fem_spin_energy(&spin) / fem_spin_energy(&start) - 1);
  double momentum = vec3_length(vec3_sub(quat_rotate(spin.attitude, spin.momentum), start.momentum)) / vec3_length(start.momentum);
  print_message("# after 1e5 steps: energy off by %.2g, momentum by %.2g\n", energy, momentum);
  assert_true(energy < 2e-13 && momentum < 1e-13);
}

/* A ball that turns at omega turns by asin(h omega) a step: sin(theta) = h |omega|. */
static void test_a_ball_turns_by_its_formula(void **state)
{
  (void)state;
  fem_spin spin = {.mass = 1, .moments = {2, 2, 2}, .axes = {0, 0, 0, 1}, .attitude = {0, 0, 0, 1}, .momentum = {0, 0, 2}};
  assert_int_equal(fem_spin_step(&spin, none, 0.04, NULL), SCR_OK);
  assert_true(fabs(vec3_length(quat_log(spin.attitude)) - asin(0.04)) < 1e-14);
}

/* The centre flies on the parabola exactly, whatever the step. */
static void test_the_centre_flies_on_a_parabola(void **state)
{
  (void)state;
  fem_spin spin = top();
  spin.velocity = vec3(1, 2, 3);
  for (int k = 0; k < 7; k++) assert_int_equal(fem_spin_step(&spin, vec3(0, 0, -9.81), 0.1, NULL), SCR_OK);
  assert_true(vec3_length(vec3_sub(spin.centre, vec3(0.7, 1.4, 2.1 - 0.5 * 9.81 * 0.49))) < 1e-14);
}

/* A rigid state goes through nodes and back without loss; of any state momenta are kept (check 11: 1e-14). */
static void test_projection_keeps_momenta(void **state)
{
  const double size[3] = {0.02, 0.01, 0.08};
  const uint32_t cells[3] = {2, 1, 5};
  uint64_t seed = 3;
  (void)state;
  geo_hexes mesh = fem_test_box(size, cells, 0.1, true);
  fem_system system = fem_test_system(&mesh, fem_test_matter(FEM_NEO_HOOKEAN, FEM_PLAIN, 1e7, 0.3), 1000);
  fem_frames frames;
  size_t n = 3 * system.node_count;
  double *u = mem_array(n, sizeof *u), *v = mem_array(n, sizeof *v), *p = mem_array(n, sizeof *p);
  assert_int_equal(fem_frames_create(&system, &frames, NULL), SCR_OK);
  for (size_t k = 0; k < n; k++) u[k] = 1e-3 * fem_random(&seed), v[k] = 0.3 + fem_random(&seed);
  fem_mass_multiply(&system, v, p, execution_of(1));
  fem_rigid before = fem_rigid_motion(&system, &frames, 0, u, p);
  fem_spin spin = fem_spin_of(&system, &frames, 0, u, p), again;
  fem_spin_spread(&system, &frames, 0, &spin, u, v);
  fem_mass_multiply(&system, v, p, execution_of(1));
  fem_rigid after_it = fem_rigid_motion(&system, &frames, 0, u, p);
  again = fem_spin_of(&system, &frames, 0, u, p);
  assert_true(vec3_length(vec3_sub(before.linear, after_it.linear)) < 1e-14 * vec3_length(before.linear));
  assert_true(vec3_length(vec3_sub(before.angular, after_it.angular)) < 1e-14 * vec3_length(before.angular));
  assert_true(vec3_length(vec3_sub(before.centre, after_it.centre)) < 1e-16);
  assert_true(vec3_length(quat_log(quat_multiply(before.rotation, quat_conjugate(after_it.rotation)))) < 1e-14);
  assert_true(vec3_length(vec3_sub(again.momentum, spin.momentum)) < 1e-14 * vec3_length(spin.momentum));
  /* a box of 20 x 10 x 80 mm: I about x is m (b^2 + c^2)/12, by the consistent mass exactly; the smallest moment is about z */
  double least = fmin(spin.moments.x, fmin(spin.moments.y, spin.moments.z));
  assert_true(fabs(least / (0.016 * (4e-4 + 1e-4) / 12) - 1) < 1e-3);
  mem_free(u), mem_free(v), mem_free(p);
  fem_frames_clear(&frames);
  fem_system_clear(&system);
  geo_hexes_clear(&mesh);
}

SUITE(test_fem_spin)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attitude_errs_by_second_order_and_invariants_not_at_all),
                                     cmocka_unit_test(test_invariants_hold_for_long), cmocka_unit_test(test_a_ball_turns_by_its_formula),
                                     cmocka_unit_test(test_the_centre_flies_on_a_parabola),
                                     cmocka_unit_test(test_projection_keeps_momenta)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
