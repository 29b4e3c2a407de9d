/* The hexahedra of the method fem: laws, formulations, masses, rigid motions. References: finite differences, the patch test, moments of a
 * cube. */
#include <math.h>

#include "linalg/dense.h"
#include "tests/support/claim.h"
#include "tests/support/fem_blocks.h"
#include "tests/support/suites.h"

static const fem_law laws[2] = {FEM_LINEAR, FEM_NEO_HOOKEAN};
static const fem_formulation formulations[3] = {FEM_PLAIN, FEM_INCOMPATIBLE_MODES, FEM_B_BAR};

/* A hexahedron whose corners lie up to 0.15 off those of the unit cube. */
static fem_hex random_hex(uint64_t *seed, double corner[8][3])
{
  fem_hex hex;
  for (int a = 0; a < 8; a++)
    for (int k = 0; k < 3; k++) corner[a][k] = 0.5 * geo_hex_sign[a][k] + 0.15 * fem_random(seed);
  assert_true(geo_hex_least_jacobian((const double(*)[3])corner) > 0);
  fem_hex_prepare((const double(*)[3])corner, &hex);
  return hex;
}

static void random_displacement(uint64_t *seed, double size, double u[8][3])
{
  for (int a = 0; a < 8; a++)
    for (int k = 0; k < 3; k++) u[a][k] = size * fem_random(seed);
}

static double largest(const double *x, int count)
{
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  return most;
}

/* Stress and tangent are derivatives of the energy density and the stress. Central differences with steps of 1e-5 are good to 1e-9. */
static void test_stress_and_tangent_are_derivatives(void **state)
{
  (void)state;
  const fem_moduli moduli = fem_moduli_of(1, 0.3);
  const double step = 1e-5;
  uint64_t seed = 1;
  for (int l = 0; l < 2; l++)
    for (int trial = 0; trial < 10; trial++) {
      double d[9], stress[9], tangent[81], plus[9], minus[9];
      for (int k = 0; k < 9; k++) d[k] = 0.25 * fem_random(&seed);
      assert_true(fem_law_stress(laws[l], &moduli, d, stress, tangent));
      for (int q = 0; q < 9; q++) {
        double up[9], down[9];
        memcpy(up, d, sizeof d), memcpy(down, d, sizeof d);
        up[q] += step, down[q] -= step;
        double slope = (fem_law_energy(laws[l], &moduli, up) - fem_law_energy(laws[l], &moduli, down)) / (2 * step);
        assert_true(fabs(slope - stress[q]) < 1e-8 * largest(stress, 9));
        assert_true(fem_law_stress(laws[l], &moduli, up, plus, NULL) && fem_law_stress(laws[l], &moduli, down, minus, NULL));
        for (int p = 0; p < 9; p++) assert_true(fabs((plus[p] - minus[p]) / (2 * step) - tangent[9 * p + q]) < 1e-8 * largest(tangent, 81));
      }
    }
}

/* Forces are the gradient of the energy, stiffness that of the forces, in every law and formulation (checks 1 and 2 of the spec: 1e-8 at
 * steps of 1e-5), and the stiffness is symmetric. */
static void test_forces_and_stiffness_are_derivatives(void **state)
{
  (void)state;
  const double step = 1e-5;
  uint64_t seed = 3;
  for (int l = 0; l < 2; l++)
    for (int f = 0; f < 3; f++)
      for (int trial = 0; trial < 4; trial++) {
        double corner[8][3], u[8][3], mode[9] = {0}, energy, gradient[24], stiffness[576];
        const fem_constitutive matter = fem_test_matter(laws[l], formulations[f], 1, 0.3);
        const fem_element_out out = {&energy, gradient, stiffness};
        fem_hex hex = random_hex(&seed, corner);
        random_displacement(&seed, 0.08, u);
        assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &out));
        for (int q = 0; q < 24; q++) {
          double up[24], down[24], high, low, here = u[q / 3][q % 3];
          u[q / 3][q % 3] = here + step;
          const fem_element_out plus = {&high, up, NULL}, minus = {&low, down, NULL};
          assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &plus));
          u[q / 3][q % 3] = here - step;
          assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &minus));
          u[q / 3][q % 3] = here;
          assert_true(fabs((high - low) / (2 * step) - gradient[q]) < 1e-8 * largest(gradient, 24));
          for (int p = 0; p < 24; p++) {
            assert_true(fabs((up[p] - down[p]) / (2 * step) - stiffness[24 * p + q]) < 1e-8 * largest(stiffness, 576));
            assert_true(fabs(stiffness[24 * p + q] - stiffness[24 * q + p]) < 1e-14 * largest(stiffness, 576));
          }
        }
      }
}

/* At rest six motions cost nothing (check 3), no more: the smallest eigenvalue of the other eighteen is far above round-off. A clamped
 * stiffness of a compressed element has no eigenvalue below zero, while the true one has (spec 3.1). */
static void test_only_rigid_motions_are_free(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int f = 0; f < 3; f++) {
    double corner[8][3], u[8][3] = {{0}}, mode[9] = {0}, stiffness[576], values[24];
    const fem_constitutive matter = fem_test_matter(FEM_NEO_HOOKEAN, formulations[f], 1, 0.3);
    const fem_element_out out = {NULL, NULL, stiffness};
    fem_hex hex = random_hex(&seed, corner);
    assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &out));
    assert_int_equal(la_dense_symmetric_eigen(24, stiffness, values, NULL), SCR_OK);
    for (int k = 0; k < 24; k++) assert_true(k < 6 ? fabs(values[k]) < 1e-13 * values[23] : values[k] > 1e-3 * values[23]);
    for (int a = 0; a < 8; a++) u[a][2] = -0.3 * corner[a][2];
    assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &out));
    assert_int_equal(la_dense_symmetric_eigen(24, stiffness, values, NULL), SCR_OK);
    assert_true(values[0] < -1e-3 * values[23]);
    assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, true, &out));
    assert_int_equal(la_dense_symmetric_eigen(24, stiffness, values, NULL), SCR_OK);
    assert_true(values[0] > -1e-12 * values[23]);
  }
}

/* Turning a deformed element changes neither its energy nor, seen along, its forces; forces add up to nothing and have no torque (check 3).
 * */
static void test_a_turned_element_costs_the_same(void **state)
{
  (void)state;
  uint64_t seed = 11;
  scr_quat turn = quat_exp(vec3(0.7, -1.1, 0.4));
  for (int f = 0; f < 3; f++) {
    double corner[8][3], u[8][3], turned[8][3], mode[9] = {0}, other_mode[9] = {0}, energy, other, g[24], h[24], net[6] = {0};
    const fem_constitutive matter = fem_test_matter(FEM_NEO_HOOKEAN, formulations[f], 1, 0.3);
    const fem_element_out out = {&energy, g, NULL}, out_turned = {&other, h, NULL};
    fem_hex hex = random_hex(&seed, corner);
    random_displacement(&seed, 0.08, u);
    for (int a = 0; a < 8; a++) {
      scr_vec3 x = quat_rotate(turn, vec3(corner[a][0] + u[a][0], corner[a][1] + u[a][1], corner[a][2] + u[a][2]));
      turned[a][0] = x.x - corner[a][0], turned[a][1] = x.y - corner[a][1], turned[a][2] = x.z - corner[a][2];
    }
    assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])u, mode, false, &out));
    assert_true(fem_element_evaluate(&hex, &matter, (const double(*)[3])turned, other_mode, false, &out_turned));
    assert_true(fabs(energy - other) < 1e-13 * energy);
    for (int a = 0; a < 8; a++) {
      scr_vec3 force = vec3(g[3 * a], g[3 * a + 1], g[3 * a + 2]),
               x = vec3(corner[a][0] + u[a][0], corner[a][1] + u[a][1], corner[a][2] + u[a][2]);
      scr_vec3 there = quat_rotate(turn, force), torque = vec3_cross(x, force);
      assert_true(vec3_length(vec3_sub(there, vec3(h[3 * a], h[3 * a + 1], h[3 * a + 2]))) < 1e-12 * largest(g, 24));
      const double sum[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
      for (int k = 0; k < 6; k++) net[k] += sum[k];
    }
    assert_true(largest(net, 6) < 1e-12 * largest(g, 24));
  }
}

/* The patch test: a linear displacement of a distorted mesh's nodes needs no force on inner nodes, and the stress is the same everywhere.
 * */
static void test_a_uniform_strain_is_a_solution(void **state)
{
  (void)state;
  const double size[3] = {1, 1.2, 0.9}, slope[3][3] = {{0.02, 0.01, -0.015}, {0.005, -0.01, 0.02}, {0.0, 0.012, 0.015}};
  const uint32_t cells[3] = {3, 3, 3};
  for (int l = 0; l < 2; l++)
    for (int f = 0; f < 3; f++) {
      geo_hexes mesh = fem_test_box(size, cells, 0.15, true);
      fem_system system = fem_test_system(&mesh, fem_test_matter(laws[l], formulations[f], 1, 0.3), 1);
      double *u = mem_array(3 * system.node_count, sizeof *u), *g = mem_array(3 * system.node_count, sizeof *g), on_surface = 0, inside = 0;
      double *mode = mem_array(9 * system.hex_count, sizeof *mode);
      size_t bad;
      for (size_t k = 0; k < 3 * system.node_count; k++)
        for (size_t j = 0; j < 3; j++) u[k] += slope[k % 3][j] * system.rest[k - k % 3 + j];
      assert_true(fem_system_evaluate(&system, u, mode, false, g, NULL, execution_of(1), &bad) > 0);
      for (size_t n = 0; n < system.node_count; n++) {
        bool inner = true;
        for (size_t k = 0; k < 3; k++) inner = inner && fabs(fabs(system.rest[3 * n + k]) - 0.5 * size[k]) > 1e-9;
        for (size_t k = 3 * n; k < 3 * n + 3; k++) *(inner ? &inside : &on_surface) = fmax(inner ? inside : on_surface, fabs(g[k]));
      }
      assert_true(inside < 1e-12 * on_surface);
      assert_true(largest(mode, (int)(9 * system.hex_count)) < 1e-12);
      mem_free(u), mem_free(g), mem_free(mode);
      fem_system_clear(&system);
      geo_hexes_clear(&mesh);
    }
}

/* A unit cube that turns about z by 1 rad/s has L = 1/6 exactly by the consistent mass; a lumped one would give 1/2 (check 3). */
static void test_a_spinning_cube_has_its_angular_momentum(void **state)
{
  (void)state;
  const double size[3] = {1, 1, 1};
  const uint32_t cells[3] = {1, 1, 1};
  geo_hexes mesh = fem_test_box(size, cells, 0, true);
  fem_system system = fem_test_system(&mesh, fem_test_matter(FEM_NEO_HOOKEAN, FEM_PLAIN, 1, 0.3), 1);
  fem_frames frames;
  double v[24], p[24], none[24] = {0};
  assert_int_equal(fem_frames_create(&system, &frames, NULL), SCR_OK);
  for (size_t n = 0; n < 8; n++) v[3 * n] = -system.rest[3 * n + 1], v[3 * n + 1] = system.rest[3 * n], v[3 * n + 2] = 0;
  fem_mass_multiply(&system, v, p, execution_of(1));
  fem_rigid rigid = fem_rigid_motion(&system, &frames, 0, none, p);
  assert_true(fabs(rigid.angular.z - 1.0 / 6) < 1e-15);
  assert_true(vec3_length(rigid.linear) < 1e-16 && fabs(system.total_mass - 1) < 1e-15);
  fem_frames_clear(&frames);
  fem_system_clear(&system);
  geo_hexes_clear(&mesh);
}

/* The fitted rotation of a body that was turned is that turn, whatever the translation and a small strain without turn along. */
static void test_the_frame_follows_a_turn(void **state)
{
  (void)state;
  const double size[3] = {1, 0.4, 0.2};
  const uint32_t cells[3] = {4, 2, 1};
  geo_hexes mesh = fem_test_box(size, cells, 0.1, true);
  fem_system system = fem_test_system(&mesh, fem_test_matter(FEM_NEO_HOOKEAN, FEM_PLAIN, 1, 0.3), 1);
  fem_frames frames;
  double *u = mem_array(3 * system.node_count, sizeof *u);
  scr_quat turn = quat_exp(vec3(0.3, 2.1, -1.4));
  assert_int_equal(fem_frames_create(&system, &frames, NULL), SCR_OK);
  for (size_t n = 0; n < system.node_count; n++) {
    scr_vec3 x = vec3(system.rest[3 * n], system.rest[3 * n + 1], system.rest[3 * n + 2]),
             y = vec3_add(quat_rotate(turn, vec3_scale(x, 1.1)), vec3(5, -3, 2));
    u[3 * n] = y.x - x.x, u[3 * n + 1] = y.y - x.y, u[3 * n + 2] = y.z - x.z;
  }
  scr_quat found = fem_rotation(&system, &frames, 0, u);
  assert_true(fabs(fabs(quat_dot(found, turn)) - 1) < 1e-14);
  assert_true(vec3_length(quat_log(quat_multiply(found, quat_conjugate(turn)))) < 1e-13);
  mem_free(u);
  fem_frames_clear(&frames);
  fem_system_clear(&system);
  geo_hexes_clear(&mesh);
}

/* Stress per area as it is now: whatever the motion, its power sigma : (F' F^-1) in the present volume det F is that of the energy, P : F'.
 * That fixes all nine numbers, which are symmetric; and a turn of the world turns them. Of the law that knows large strains; to rounding,
 * no series is ended. */
static void test_cauchy_stress_does_the_work_of_any_motion(void **state)
{
  (void)state;
  static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  const fem_moduli moduli = fem_moduli_of(1, 0.3);
  uint64_t seed = 5;
  for (int trial = 0; trial < 20; trial++) {
    double d[9], p[9], c[6], full[9], F[9], volume;
    for (int k = 0; k < 9; k++) {
      d[k] = 0.25 * fem_random(&seed);
      F[k] = d[k] + (k % 4 == 0);
    }
    volume = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
    assert_true(fem_law_stress(FEM_NEO_HOOKEAN, &moduli, d, p, NULL) && fem_law_cauchy(FEM_NEO_HOOKEAN, &moduli, d, c));
    for (int k = 0; k < 6; k++) full[3 * row[k] + column[k]] = full[3 * column[k] + row[k]] = c[k];
    for (int m = 0; m < 9; m++) { /* L = F' F^-1 is one number, so that F' = L F is a row of F */
      double power = 0;
      for (int j = 0; j < 3; j++) power += p[3 * (m / 3) + j] * F[3 * (m % 3) + j];
      claim_absolute("power of the stress per present area over the modulus", volume * full[m], power, 1e-12, "P : F'");
    }
  }
}

SUITE(test_fem_element)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stress_and_tangent_are_derivatives),       cmocka_unit_test(test_cauchy_stress_does_the_work_of_any_motion),
      cmocka_unit_test(test_forces_and_stiffness_are_derivatives),     cmocka_unit_test(test_only_rigid_motions_are_free),
      cmocka_unit_test(test_a_turned_element_costs_the_same),          cmocka_unit_test(test_a_uniform_strain_is_a_solution),
      cmocka_unit_test(test_a_spinning_cube_has_its_angular_momentum), cmocka_unit_test(test_the_frame_follows_a_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
