/* The energy of many bonds against the sum of each bond's. States are drawn from a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "methods/bdem/body/body.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* A chain of `count` bonds along x, its spheres moved and turned by up to `size` (times a radius of 0.5). */
static bdem_body chain(size_t count, double size)
{
  uint64_t seed = 7;
  bdem_body body;
  const bdem_elasticity material = {.young_modulus = 2.0, .poisson_ratio = 0.3};
  assert_int_equal(bdem_body_create(count + 1, count, &body, NULL), SCR_OK);
  for (size_t k = 0; k <= count; ++k) {
    body.radius[k] = 0.5;
    body.position[k] = vec3((double)k, 0, 0);
  }
  for (uint32_t b = 0; b < count; ++b) assert_int_equal(bdem_body_bond(&body, b, b, b + 1, &material, NULL), SCR_OK);
  for (size_t k = 0; k <= count; ++k) {
    scr_vec3 shift = vec3(uniform(&seed), uniform(&seed), uniform(&seed)), turn = vec3(uniform(&seed), uniform(&seed), uniform(&seed));
    body.position[k] = vec3_add(body.position[k], vec3_scale(shift, 0.5 * size));
    body.orientation[k] = quat_exp(vec3_scale(turn, size));
  }
  return body;
}

static double sum_of_bonds(const bdem_body *body)
{
  double sum = 0.0;
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    bdem_bond_energy v =
        bdem_bond_energy_of(&body->bonds[b], vec3_sub(body->position[j], body->position[i]), body->orientation[i], body->orientation[j]);
    sum += v.stretch + v.shear + v.bend_twist;
  }
  return sum;
}

/* Numbers of bonds that leave lanes empty, strains on both sides of 0.1 rad, where the series ends. Allowed: some hundred roundings. */
static void test_energy_is_the_sum_of_the_bonds(void **state)
{
  (void)state;
  const size_t counts[] = {1, 7, 8, 9, 63, 64, 65, 1000};
  const double sizes[] = {1e-9, 1e-3, 0.05, 0.1, 0.2, 0.6};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
      bdem_body body = chain(counts[c], sizes[k]);
      double wanted = sum_of_bonds(&body), got = bdem_body_energy(&body);
      /* strains of a billionth are differences of numbers of size 1: 1e-16 of those is 1e-7 of them */
      if (!(fabs(got - wanted) <= (sizes[k] < 1e-6 ? 1e-5 : 1e-12) * wanted))
        fail_msg("%zu bonds, size %g: %.17g, wanted %.17g", counts[c], sizes[k], got, wanted);
      bdem_body_destroy(&body);
    }
}

/* A sphere described by the opposite quaternion is the same sphere. Exact but for the other formula's last bits. */
static void test_energy_does_not_see_the_sign_of_a_quaternion(void **state)
{
  (void)state;
  bdem_body body = chain(20, 0.05);
  double before = bdem_body_energy(&body);
  for (size_t k = 0; k < body.sphere_count; k += 3) body.orientation[k] = quat_scale(body.orientation[k], -1.0);
  assert_true(fabs(bdem_body_energy(&body) - before) <= 1e-12 * before);
  bdem_body_destroy(&body);
}

/* At 0.1 = cos(84.3 degrees) half the turn between a bond's ends; a step that goes there has no objective. */
static void test_energy_is_infinite_where_a_bond_is_turned_too_far(void **state)
{
  (void)state;
  bdem_body body = chain(20, 0.0);
  signed char hemisphere[20];
  memset(hemisphere, 1, sizeof hemisphere);
  body.orientation[13] = quat_exp(vec3(0, 2.0 * acos(0.11), 0));
  assert_true(isfinite(bdem_bonds_energy(&body, hemisphere, execution_of(1))));
  body.orientation[13] = quat_exp(vec3(0, 2.0 * acos(0.09), 0));
  assert_true(isinf(bdem_bonds_energy(&body, hemisphere, execution_of(1))));
  assert_true(isfinite(bdem_bonds_energy(&body, NULL, execution_of(1))));
  hemisphere[4] = -1;
  body.orientation[13] = quat_identity();
  assert_true(isinf(bdem_bonds_energy(&body, hemisphere, execution_of(1))));
  bdem_body_destroy(&body);
}

/* More bonds than are left to one thread. */
static void test_energy_has_the_same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  bdem_body body = chain(20011, 0.1);
  double one = bdem_bonds_energy(&body, NULL, execution_of(1));
  for (unsigned threads = 2; threads <= 5; ++threads) {
    double many = bdem_bonds_energy(&body, NULL, execution_of(threads));
    assert_memory_equal(&one, &many, sizeof one);
  }
  bdem_body_destroy(&body);
}

static void test_no_bonds_have_no_energy(void **state)
{
  (void)state;
  bdem_body body = {0};
  assert_true(bdem_bonds_energy(&body, NULL, execution_of(2)) == 0.0);
}

SUITE(test_bdem_energy)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_is_the_sum_of_the_bonds),
      cmocka_unit_test(test_energy_does_not_see_the_sign_of_a_quaternion),
      cmocka_unit_test(test_energy_is_infinite_where_a_bond_is_turned_too_far),
      cmocka_unit_test(test_energy_has_the_same_bits_for_any_number_of_threads),
      cmocka_unit_test(test_no_bonds_have_no_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
