/* Bonded discrete elements against beam theory and an independent prototype: chains of spheres, static and in motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "methods/bdem/implicit/implicit.h"
#include "tests/support/suites.h"

static const double pi = 3.14159265358979323846;

typedef struct chain {
  bdem_body body;
  bdem_step_solver *solver;
  scr_vec3 *load;
} chain;

/* `bonds` bonds of length `spacing` along x with beams of radius `radius`; the first sphere held; balls that touch, of 1000 kg/m^3. */
static chain chain_make(uint32_t bonds, double spacing, double radius, bdem_elasticity material)
{
  chain c;
  assert_int_equal(bdem_body_create(bonds + 1, bonds, &c.body, NULL), SCR_OK);
  for (uint32_t k = 0; k <= bonds; ++k) {
    c.body.position[k] = vec3(spacing * k, 0, 0);
    c.body.radius[k] = 0.5 * spacing;
    c.body.mass[k] = 1000.0 * 4.0 / 3.0 * pi * 0.125 * spacing * spacing * spacing;
  }
  for (uint32_t k = 0; k < bonds; ++k) {
    assert_int_equal(bdem_body_bond(&c.body, k, k, k + 1, &material, NULL), SCR_OK);
    c.body.bonds[k] = bdem_bond_make(&material, radius, vec3(spacing, 0, 0));
  }
  c.body.held[0] = BDEM_HELD_ALL;
  c.load = mem_array(bonds + 1, sizeof *c.load);
  assert_non_null(c.load);
  assert_int_equal(bdem_implicit_create(&c.body, &c.solver, NULL), SCR_OK);
  return c;
}

static void chain_free(chain *c)
{
  bdem_implicit_destroy(c->solver);
  bdem_body_destroy(&c->body);
  mem_free(c->load);
}

static bdem_elasticity elasticity(double young, bdem_calibration calibration, bdem_shear shear)
{
  return (bdem_elasticity){.young_modulus = young, .poisson_ratio = 0.3, .calibration = calibration, .shear = shear};
}

static bdem_implicit_report step(chain *c, double dt, double force_scale, double tolerance)
{
  bdem_implicit_options options = {.time_step = dt,
                                   .force_scale = force_scale,
                                   .tolerance = tolerance,
                                   .iteration_limit = 200,
                                   .execution = execution_of(1),
                                   .measure_decrease = true};
  bdem_implicit_report report;
  scr_error error = {0};
  if (bdem_implicit_step(c->solver, &c->body, c->load, &options, &report, &error) != SCR_OK) fail_msg("%s", error.message);
  return report;
}

static void assert_within(double got, double wanted, double tolerance)
{
  if (!(fabs(got - wanted) <= tolerance)) fail_msg("got %.15g, wanted %.15g within %.2g", got, wanted, tolerance);
}

/* Deflection of the tip of a cantilever of n bonds under a small transverse load, over P L^3 / (3 E I); `shear_part` gets P L/(G S). */
static double tip_ratio(uint32_t n, bdem_calibration calibration, bdem_shear shear, double *shear_part)
{
  double r = 0.01, young = 1e7, length = 0.02 * n, area = pi * r * r, inertia = area * r * r / 4, g = young / 2.6;
  double load = 1e-6 * young * inertia / (length * length), beam = load * length * length * length / (3 * young * inertia);
  chain c = chain_make(n, 0.02, r, elasticity(young, calibration, shear));
  c.load[n].z = load;
  /* The axial stiffness times rounding is up to 1e-5 of this load, so the residual can't be asked for less; each call makes one
   * Newton iteration at least, and two past the quadratic range leave only rounding. */
  for (int k = 0; k < 3; ++k) step(&c, INFINITY, load, 1e-3);
  double tip = c.body.position[n].z;
  chain_free(&c);
  *shear_part = load * length / (g * area) / beam;
  return tip / beam;
}

/* A chain of n bonds bends as tip = P L^3/(3EI) (1 - 1/(4 n^2)) + P L/(G S), the exact shear constant removes the 1/(4 n^2), and the
 * printed calibration is four times softer in bending (check A4). Loads are 1e-6 of E I/L^2, so that squares of the slope, 1e-13,
 * are below the tolerance of 1e-9; the ratios to Euler-Bernoulli are the prototype's, to the digits given. */
static void test_a_chain_bends_as_a_timoshenko_cantilever(void **state)
{
  static const uint32_t counts[] = {5, 10, 20};
  static const double euler[] = {1.0095, 1.002375, 1.00059375}, paper[] = {3.979500, 3.994875, 3.998719};
  (void)state;
  for (int k = 0; k < 3; ++k) {
    double n = counts[k], shear;
    double simple = tip_ratio(counts[k], BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE, &shear);
    print_message("# n %u: tip over Euler-Bernoulli %.10f, closed form %.10f\n", counts[k], simple, 1.0 - 0.25 / (n * n) + shear);
    assert_within(simple, 1.0 - 0.25 / (n * n) + shear, 1e-9);
    assert_within(simple, euler[k], 1e-8);
    double exact = tip_ratio(counts[k], BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_EXACT, &shear);
    assert_within(exact, 1.0 + shear, 1e-9);
    assert_within(tip_ratio(counts[k], BDEM_CALIBRATION_PAPER, BDEM_SHEAR_SIMPLE, &shear), paper[k], 1e-6);
  }
}

/* Axial strain is F/(E S) (check A4), at 10 % strain too: bonds are linear springs. */
static void test_a_chain_stretches_by_the_force_over_its_stiffness(void **state)
{
  double r = 0.01, force = 0.1 * 1e7 * pi * r * r;
  chain c = chain_make(10, 0.02, r, elasticity(1e7, BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE));
  (void)state;
  c.load[10].x = force;
  step(&c, INFINITY, force, 1e-10);
  assert_within(c.body.position[10].x / 0.2 - 1.0, 0.1, 1e-9);
  chain_free(&c);
}

/* An arc of ten bonds, each turned by phi = 0.2, balances in its interior; its end moment is K sin(phi), a quarter of it in the
 * printed calibration, its energy n K (1 - cos phi) (check A5). The same for twist. Closed form. */
static void test_pure_moments_and_torsion_are_exact(void **state)
{
  double phi = 0.2, r = 0.01, young = 1e7, length = 0.02, inertia = pi * r * r * r * r / 4;
  (void)state;
  for (int mode = 0; mode < 4; ++mode) {
    bool twist = mode & 1;
    double factor = mode & 2 ? 0.25 : 1.0;
    double stiffness = twist ? young / 2.6 * 2 * inertia / length : young * inertia / length, moment = factor * stiffness * sin(phi);
    chain c =
        chain_make(10, length, r, elasticity(young, mode & 2 ? BDEM_CALIBRATION_PAPER : BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE));
    scr_vec3 force[11] = {{0}}, torque[11] = {{0}}, at = vec3(0, 0, 0);
    for (int k = 0; k <= 10; ++k) {
      c.body.position[k] = at;
      c.body.orientation[k] = quat_exp(twist ? vec3(phi * k, 0, 0) : vec3(0, 0, phi * k));
      double angle = twist ? 0.0 : phi * (k + 0.5);
      at = vec3_add(at, vec3(length * cos(angle), length * sin(angle), 0));
    }
    bdem_body_add_forces(&c.body, force, torque);
    for (int k = 1; k < 10; ++k) {
      assert_within(vec3_length(force[k]) * length, 0.0, 1e-10 * moment);
      assert_within(vec3_length(torque[k]), 0.0, 1e-10 * moment);
    }
    assert_within(vec3_length(torque[10]), moment, 1e-12 * moment);
    assert_within(bdem_body_energy(&c.body), 10 * factor * stiffness * (1 - cos(phi)), 1e-12 * moment);
    chain_free(&c);
  }
}

/* Large deflection under a dead tip load of 1 and 10 E I/L^2, found from the straight chain: the prototype's tips (check A6), close to
 * the elastica's (0.301721, 0.943567) and (0.810609, 0.445004) and closing in with n. */
static void test_a_chain_follows_the_elastica(void **state)
{
  static const struct {
    uint32_t n;
    double load, y, x;
  } cases[] = {{10, 1, 0.301406329, 0.943775270},  {20, 1, 0.301685223, 0.943611485},  {40, 1, 0.301754741, 0.943570584},
               {10, 10, 0.812939479, 0.442309770}, {20, 10, 0.811436421, 0.444306574}, {40, 10, 0.811063396, 0.444795682}};
  double r = 0.01, young = 1e7, inertia = pi * r * r * r * r / 4;
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    uint32_t n = cases[k].n;
    double force = cases[k].load * young * inertia;
    chain c = chain_make(n, 1.0 / n, r, elasticity(young, BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE));
    c.load[n].y = force;
    bdem_implicit_report report = step(&c, INFINITY, force, 1e-7);
    print_message("# elastica, %u bonds, load %g EI/L^2: tip y %.9f x %.9f, %zu Newton iterations, %zu with the Gauss-Newton Hessian\n", n,
                  cases[k].load, c.body.position[n].y, c.body.position[n].x, report.newton_iterations, report.fallbacks);
    assert_within(c.body.position[n].y, cases[k].y, 1e-6);
    assert_within(c.body.position[n].x, cases[k].x, 1e-6);
    chain_free(&c);
  }
}

/* A free sphere keeps its spin of 100 rad/s to 1e-10 over 100 steps (check A10); the printed prediction would lose 18 %. */
static void test_a_free_spin_is_kept(void **state)
{
  chain c = chain_make(0, 0.02, 0.01, elasticity(1e6, BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE));
  (void)state;
  c.body.held[0] = 0;
  c.body.spin[0] = vec3(0, 60, 80);
  for (int k = 0; k < 100; ++k) step(&c, 1e-3, 1.0, 1e-12);
  assert_within(vec3_length(vec3_sub(c.body.spin[0], vec3(0, 60, 80))), 0.0, 1e-8);
  chain_free(&c);
}

/* One and five implicit steps of a swinging chain under gravity: the prototype's numbers to 1e-8 of a radius (check A11). */
static void test_implicit_steps_have_the_reference_values(void **state)
{
  double r = 0.01, scale = 1e6 * r * r;
  chain c = chain_make(3, 0.02, r, elasticity(1e6, BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE));
  (void)state;
  for (int k = 1; k <= 3; ++k) {
    c.load[k].z = -9.81 * c.body.mass[k];
    c.body.velocity[k].y = 0.5;
  }
  step(&c, 0.01, scale, 1e-11);
  assert_within(c.body.position[3].x, 0.059958260655, 1e-8 * r);
  assert_within(c.body.position[3].y, 0.002142486646, 1e-8 * r);
  assert_within(c.body.position[3].z, -0.000420355880, 1e-8 * r);
  assert_within(c.body.orientation[3].x, 0.0, 1e-8);
  assert_within(c.body.orientation[3].y, 4.646342316e-3, 1e-8);
  assert_within(c.body.orientation[3].z, 2.368166318e-2, 1e-8);
  assert_within(c.body.spin[3].y, 0.929358689, 1e-7);
  assert_within(c.body.spin[3].z, 4.736792504, 1e-7);
  for (int k = 1; k < 5; ++k) step(&c, 0.01, scale, 1e-11);
  assert_within(c.body.position[3].x, 0.059995266462, 1e-8 * r);
  assert_within(c.body.position[3].y, -0.000324952086, 1e-8 * r);
  assert_within(c.body.position[3].z, -0.000648243539, 1e-8 * r);
  chain_free(&c);
}

/* No step raises its objective (check A17), and a free chain keeps its linear momentum to 1e-10 (part of check A16), also when the
 * spheres start at random speeds of about 1 m/s and spins of 20 rad/s. */
static void test_steps_descend_and_keep_linear_momentum(void **state)
{
  double r = 0.01, scale = 1e6 * r * r;
  chain c = chain_make(8, 0.02, r, elasticity(1e6, BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_SIMPLE));
  (void)state;
  c.body.held[0] = 0;
  scr_vec3 change = vec3(0, 0, 0);
  for (int k = 0; k <= 8; ++k) {
    c.body.velocity[k] = vec3(sin(3.0 * k), cos(5.0 * k), 0.5 * sin(7.0 * k));
    c.body.spin[k] = vec3(20 * cos(2.0 * k), 0, 10 * sin(k));
    change = vec3_sub(change, c.body.velocity[k]);
  }
  for (int n = 0; n < 50; ++n) {
    bdem_implicit_report report = step(&c, 0.005, scale, 1e-11);
    assert_true(report.decrease >= -1e-12 * scale * r);
  }
  for (int k = 0; k <= 8; ++k) change = vec3_add(change, c.body.velocity[k]);
  assert_within(vec3_length(change), 0.0, 1e-9); /* nine spheres of 1 m/s: 1e-10 relative */
  chain_free(&c);
}

SUITE(validate_bdem_chain)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_chain_bends_as_a_timoshenko_cantilever),
      cmocka_unit_test(test_a_chain_stretches_by_the_force_over_its_stiffness),
      cmocka_unit_test(test_pure_moments_and_torsion_are_exact),
      cmocka_unit_test(test_a_chain_follows_the_elastica),
      cmocka_unit_test(test_a_free_spin_is_kept),
      cmocka_unit_test(test_implicit_steps_have_the_reference_values),
      cmocka_unit_test(test_steps_descend_and_keep_linear_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
