/* The spin of a solid over a step: the momentum it has, second order, energy without drift, impulses and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/rig/spin.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

static const scr_vec3 MOMENTS = {5, 10, 13}, MOMENTUM = {0.4, 30, -2};

static scr_vec3 times(const solid_spin *step, scr_vec3 w)
{
  const double(*i)[3] = step->inertia;
  return vec3(i[0][0] * w.x + i[0][1] * w.y + i[0][2] * w.z, i[1][0] * w.x + i[1][1] * w.y + i[1][2] * w.z,
              i[2][0] * w.x + i[2][1] * w.y + i[2][2] * w.z);
}

static scr_quat turned_by(scr_quat q, double dt, int steps)
{
  for (int k = 0; k < steps; k++) q = spin_turned(q, spin_free(MOMENTS, q, MOMENTUM, dt).spin, dt);
  return q;
}

static double apart(scr_quat a, scr_quat b)
{
  return vec3_length(quat_log(quat_multiply(a, quat_conjugate(b))));
}

static double energy_of(scr_quat q)
{
  scr_vec3 own = quat_rotate(quat_conjugate(q), MOMENTUM);
  return 0.5 * (own.x * own.x / MOMENTS.x + own.y * own.y / MOMENTS.y + own.z * own.z / MOMENTS.z);
}

static void test_moments_times_spin_are_the_momentum(void **state)
{
  (void)state;
  scr_quat q = quat_exp(vec3(0.3, -0.7, 1.1));
  solid_spin step = spin_free(MOMENTS, q, MOMENTUM, 0.1);
  claim_absolute("spin of a step: I w less L, over L", vec3_length(vec3_sub(times(&step, step.spin), MOMENTUM)) / vec3_length(MOMENTUM), 0,
                 1e-13, "the implicit midpoint rule");
  scr_vec3 impulse = vec3(0.2, -3, 1), change = spin_change(MOMENTS, q, &step, impulse, 0.1);
  claim_absolute("change of a spin: I dw less the impulse, over it",
                 vec3_length(vec3_sub(times(&step, change), impulse)) / vec3_length(impulse), 0, 1e-13, "the same moments");
  claim_absolute("impulse of that change less the impulse", vec3_length(vec3_sub(spin_impulse(MOMENTS, q, &step, change, 0.1), impulse)), 0,
                 1e-13, "there and back");
}

/* Halved steps come four times nearer to where steps of a hundredth end; energy returns, however long it takes. */
static void test_a_free_solid_turns_to_second_order(void **state)
{
  (void)state;
  scr_quat exact = turned_by(quat_identity(), 2e-4, 10000);
  double coarse = apart(turned_by(quat_identity(), 0.02, 100), exact), fine = apart(turned_by(quat_identity(), 0.01, 200), exact);
  claim_relative("free solid: error of its attitude over that of half the step", coarse / fine, 4, 0.05, "second order");
  claim_between("free solid: error of its attitude after 2 s of steps of 0.01 s, rad", fine, 1e-6, 1e-2, "6 rad turned");
  scr_quat q = quat_identity();
  double least = energy_of(q), most = least;
  for (int k = 0; k < 20000; k++) {
    q = turned_by(q, 0.02, 1);
    least = fmin(least, energy_of(q)), most = fmax(most, energy_of(q));
  }
  claim_between("free solid: swing of its energy in 20000 steps, over it", (most - least) / least, 0, 1e-3, "(w dt)^2 / 4, without drift");
}

SUITE(test_sim_spin)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments_times_spin_are_the_momentum),
      cmocka_unit_test(test_a_free_solid_turns_to_second_order),
  };
  return cmocka_run_group_tests_name("spin", tests, NULL, NULL);
}
