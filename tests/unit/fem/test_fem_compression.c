/* Large compression of incompatible modes, which by themselves lose their stiffness in bending from a stretch of about 0.55 on.
 * References: finite differences, the law's own uniaxial answer. */
#include "tests/support/fem_scene.h"

#include <math.h>

#include "tests/support/fem_blocks.h"
#include "tests/support/suites.h"

static double largest(const double *x, int count)
{
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  return most;
}

/* Forces are the gradient of the energy, stiffness that of the forces and symmetric, also where modes are braced: central differences of
 * 1e-5 at stretches from 0.75 (unbraced,
 * then where bracing begins) to 0.4, with corners out of place by up to 0.05. Derivatives of the energy grow as 1/stretch^n, so 1e-7
 * instead of the 1e-8 near rest. */
static void test_forces_are_derivatives_of_the_braced_energy(void **state)
{
  static const double stretches[4] = {0.75, 0.68, 0.5, 0.4};
  (void)state;
  const double step = 1e-5;
  uint64_t seed = 5;
  for (int c = 0; c < 4; c++)
    for (int trial = 0; trial < 3; trial++) {
      double corner[8][3], u[8][3], mode[9] = {0}, energy, gradient[24], stiffness[576];
      const fem_constitutive matter = fem_test_matter(FEM_NEO_HOOKEAN, FEM_INCOMPATIBLE_MODES, 1, 0.3);
      const fem_element_out out = {&energy, gradient, stiffness};
      for (int a = 0; a < 8; a++)
        for (int k = 0; k < 3; k++) {
          corner[a][k] = 0.5 * geo_hex_sign[a][k] + 0.05 * fem_random(&seed);
          u[a][k] = (k == trial ? stretches[c] - 1 : 0.1) * corner[a][k] + 0.05 * fem_random(&seed);
        }
      fem_hex hex;
      fem_hex_prepare((const double(*)[3])corner, &hex);
      assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &out));
      assert_true(largest(mode, 9) > 1e-4);
      for (int q = 0; q < 24; q++) {
        double up[24], down[24], high, low, here = u[q / 3][q % 3];
        const fem_element_out plus = {&high, up, NULL}, minus = {&low, down, NULL};
        u[q / 3][q % 3] = here + step;
        assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &plus));
        u[q / 3][q % 3] = here - step;
        assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &minus));
        u[q / 3][q % 3] = here;
        assert_true(fabs((high - low) / (2 * step) - gradient[q]) < 1e-7 * largest(gradient, 24));
        for (int p = 0; p < 24; p++) {
          assert_true(fabs((up[p] - down[p]) / (2 * step) - stiffness[24 * p + q]) < 1e-7 * largest(stiffness, 576));
          assert_true(fabs(stiffness[24 * p + q] - stiffness[24 * q + p]) < 1e-13 * largest(stiffness, 576));
        }
      }
    }
}

/* Force of uniaxial stress at a stretch, Pa of the area at rest, from P = mu (l - 1/l) + lambda ln J / l along and the same = 0 across, by
 * bisection. */
static double uniaxial(fem_moduli m, double stretch)
{
  double low = 0.5, high = 3, across = 1;
  for (int k = 0; k < 100; k++) {
    across = 0.5 * (low + high);
    *(m.mu * (across - 1 / across) + m.lambda * log(across * across * stretch) / across > 0 ? &high : &low) = across;
  }
  return m.mu * (stretch - 1 / stretch) + m.lambda * log(across * across * stretch) / stretch;
}

/* A cube of 3 x 3 x 3 elements between smooth plates, pressed to half its height and on to 0.4, within 100 steps. Uniaxial stress is a
 * solution of any mesh, so the force is exact but for
 * the damping of the motion, 2e-3 s times 0.6/s = 0.12 % of strain or 0.2 % of the force at half the height; 1 % is accepted. Without
 * bracing it is 0.3 of that at half the height. */
static void test_a_cube_is_pressed_to_half_its_height(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e6,
                     .nu = 0.3,
                     .density = 1000,
                     .damping = 2e-3,
                     .size = {0.03, 0.03, 0.03},
                     .cells = {3, 3, 3},
                     .place = {0, 0, 0.015},
                     .step = 1e-2,
                     .duration = 1,
                     .element = "incompatible-modes",
                     .obstacles = FEM_FLOOR
                     ", { \"name\": \"lid\", \"shape\": { \"type\": \"plane\", \"width\": 1 }, \"position\": [0, 0, 0.03], \"rotation\": { "
                     "\"axis\": [1, 0, 0], \"angle_deg\": 180 },"
                     " \"direction\": [0, 0, -1], \"program\": [ { \"type\": \"move\", \"displacement\": 0.018, \"velocity\": 0.018 } ] }"};
  const fem_moduli moduli = fem_moduli_of(scene.young, scene.nu);
  sim_run r = fem_open(&scene, 1);
  for (int k = 50; k <= 100; k += 10) {
    run_until(&r, 0.01 * k);
    /* forces are means over a step: that of its middle, and of the step before, which trapezoidal steps swing about */
    double now = run_curve(&r, "obstacle.lid.force_z"), wanted = -9e-4 * uniaxial(moduli, 1 - 0.006 * (k - 0.5));
    if (!(fabs(now / wanted - 1) < 0.01)) fail_msg("%g N found, %g N wanted at a stretch of %g", now, wanted, 1 - 0.006 * k);
  }
  assert_true(run_value(&r, "halved_steps") == 0);
  run_close(&r);
}

/* Centre of mass of a column of the height 0.1 m under its weight, each slice in uniaxial stress, m. */
static double column(double young)
{
  const int slices = 200;
  const fem_moduli moduli = fem_moduli_of(young, 0.3);
  double below = 0, centre = 0;
  for (int k = 0; k < slices; k++) {
    double load = -1000 * 9.81 * 0.1 * (1 - (k + 0.5) / slices), low = 0.02, high = 1;
    for (int i = 0; i < 60; i++) *(uniaxial(moduli, 0.5 * (low + high)) > load ? &high : &low) = 0.5 * (low + high);
    double height = low * 0.1 / slices;
    centre += (below + 0.5 * height) / slices;
    below += height;
  }
  return centre;
}

/* Cubes so soft that their weight presses them to half and a third of their height, on a floor that they stick to. It holds them up, so
 * the centre of mass is above that of a column of
 * uniaxial stress; by a twentieth, at most a tenth. Modes that rest on saddles put the first 16 % below the column's, the second 3 mm
 * below the floor. */
static void test_soft_blocks_rest_above_the_floor(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    fem_scene scene = {.young = k ? 400 : 800,
                       .nu = 0.3,
                       .density = 1000,
                       .size = {0.1, 0.1, 0.1},
                       .cells = {3, 3, 3},
                       .place = {0, 0, 0.05},
                       .gravity = {0, 0, -9.81},
                       .friction = 0.5,
                       .step = 1e-3,
                       .duration = 1,
                       .element = "incompatible-modes",
                       .obstacles = FEM_FLOOR,
                       .options = ", \"loading\": \"static\""};
    sim_run r = fem_open(&scene, 1);
    double found = run_curve(&r, "centre.z"), free = column(scene.young);
    if (!(found > free && found < 1.1 * free)) fail_msg("centre of mass at %g m, of a free column at %g m", found, free);
    run_close(&r);
  }
}

SUITE(test_fem_compression)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_are_derivatives_of_the_braced_energy),
      cmocka_unit_test(test_a_cube_is_pressed_to_half_its_height),
      cmocka_unit_test(test_soft_blocks_rest_above_the_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
