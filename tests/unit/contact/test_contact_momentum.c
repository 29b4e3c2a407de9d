/* Momentum on sweeps, and leaps where they creep. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "contact/solvers/momentum.h"
#include "tests/support/suites.h"

/* From the last change, so many times as far, into the cones; tried where the residual stands still, and not again at once where it failed.
 */
static void test_a_leap_goes_along_the_last_change(void **state)
{
  (void)state;
  contact_problem problem = {.dimension = 3, .contact_count = 2, .friction = (double[]){0.5, 0.5}};
  const contact_system system = {.problem = &problem, .rows = 6};
  const double before[6] = {1, 0.1, 0, 2, 0, 0}, now[6] = {1.5, 0.2, -0.1, 1.5, 0, 0}, expected[6] = {3.5, 0.6, -0.5, 0, 0, 0};
  momentum m;
  assert_int_equal(momentum_create(&system, before, NULL, 1e-3, &m, NULL), SCR_OK);
  assert_true(momentum_creeps(&m, 0.9e-3) && momentum_creeps(&m, 1.1e-3));
  assert_false(momentum_creeps(&m, 0.7e-3) || momentum_creeps(&m, 1.5e-3));
  momentum_leap(&m, 4, now);
  for (int k = 0; k < 6; k++) assert_true(fabs(m.trial[k] - expected[k]) < 1e-15);
  momentum_settle(&m, 1e-3, now, NULL, true, false);
  for (int waiting = 0; waiting < 3; waiting++) {
    assert_false(momentum_creeps(&m, 1e-3));
    momentum_settle(&m, 1e-3, now, NULL, false, false);
  }
  assert_true(momentum_creeps(&m, 1e-3));
  momentum_leap(&m, 4, now); /* nothing has changed since */
  for (int k = 0; k < 6; k++) assert_true(m.trial[k] == now[k]);
  momentum_clear(&m);
}

SUITE(test_contact_momentum)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_leap_goes_along_the_last_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
