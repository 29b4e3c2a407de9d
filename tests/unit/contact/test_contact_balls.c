/* Packs of balls in the least memory, against the general problem: the same measure, the same solutions.
 *
 * Reference: tests/data/dcfp, packs with solutions made by other solvers; contact_measure of the general problem. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/ball_case.h"
#include "tests/support/contact_case.h"
#include "tests/support/suites.h"

static const char *const packs[] = {"sph_012_0", "sph_030_1", "sph_060_0", "sph_100b_0"};
enum { PACKS = sizeof packs / sizeof *packs };

/* -1 to 1 */
static double drawn(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (double)(1u << 23) - 1;
}

/* Velocities and residual of any impulses, inside the cone and out of it, at four coefficients of friction, with free velocities that the
 * impulses belong to: those of the general problem, to rounding. */
static void test_velocities_and_residual_are_those_of_the_general_problem(void **state)
{
  (void)state;
  static const double frictions[] = {0, 0.3, 1, 2.5};
  uint64_t seed = 5;
  for (size_t k = 0; k < PACKS; k++)
    for (size_t f = 0; f < sizeof frictions / sizeof *frictions; f++) {
      contact_case s;
      ball_pack pack;
      ball_result result;
      contact_case_open(packs[k], &s);
      double *friction = calloc(s.file.problem.contact_count, sizeof *friction), speed = contact_case_speed(&s);
      for (size_t i = 0; i < s.file.problem.contact_count; i++) friction[i] = frictions[f];
      const double *own = s.file.problem.friction;
      s.file.problem.friction = friction;
      ball_case_open(&s.file.problem, &pack);
      for (size_t i = 0; i < pack.contact_count; i++)
        for (int c = 0; c < 3; c++) pack.contact[i].impulse[c] = 1e-3 * drawn(&seed) + 2e-3 * pack.contact[i].normal[c];
      const ball_options none = {.speed = speed, .tolerance = 1e-14, .sweeps = 0};
      ball_pack_solve(&pack, &none, &result);
      ball_case_impulses(&s.file.problem, &pack, s.impulse);
      double residual = contact_case_measure(&s, s.impulse);
      assert_true(fabs(result.residual - residual) <= 1e-12 * residual);
      for (size_t i = 0; i < s.file.problem.block_count; i++)
        for (int c = 0; c < 3; c++) {
          assert_true(fabs(pack.body[i].velocity[c] - s.velocity[6 * i + (size_t)c]) < 1e-12 * speed);
          assert_true(fabs(pack.body[i].spin[c] - s.velocity[6 * i + 3 + (size_t)c]) < 1e-9 * speed);
        }
      ball_pack_clear(&pack);
      s.file.problem.friction = own;
      free(friction);
      contact_case_close(&s);
    }
}

/* By the general measure to 1e-9 of the speeds where sweeps get so far, to 1e-3 where they creep, the general ones as well; there
 * velocities within 1e-8 of those that other solvers found. The cone is never left, and what the bodies gained is what the contacts gave,
 * to rounding. */
static void test_solutions_are_those_of_the_general_problem(void **state)
{
  (void)state;
  static const double tolerances[PACKS] = {1e-9, 1e-9, 1e-3, 1e-3};
  for (size_t k = 0; k < PACKS; k++) {
    contact_case s;
    ball_pack pack;
    ball_result result;
    contact_case_open(packs[k], &s);
    const contact_problem *p = &s.file.problem;
    double speed = contact_case_speed(&s);
    ball_case_open(p, &pack);
    const ball_options options = {.speed = speed, .tolerance = tolerances[k], .sweeps = 5000};
    ball_pack_solve(&pack, &options, &result);
    ball_case_impulses(p, &pack, s.impulse);
    double measured = contact_case_measure(&s, s.impulse);
    assert_true(measured <= 1.000001 * tolerances[k]);
    double apart = s.file.relative ? contact_case_apart(s.relative, s.file.relative, s.rows) / speed : 0;
    print_message("# %-12s %4zu contacts, %5u sweeps, velocities within %.1e\n", packs[k], p->contact_count, result.sweeps, apart);
    assert_true(tolerances[k] > 1e-9 || apart < 1e-8);
    for (size_t i = 0; i < p->contact_count; i++) {
      const double *r = s.impulse + 3 * i;
      assert_true(r[0] > -1e-18 && hypot(r[1], r[2]) <= p->friction[i] * r[0] * (1 + 1e-12) + 1e-18);
    }
    for (int c = 0; c < 3; c++) {
      double gained = 0, given = 0, size = 0;
      for (size_t i = 0; i < p->block_count; i++)
        gained += p->mass_block[36 * i] * pack.body[i].velocity[c] - p->momentum[6 * i + (size_t)c];
      for (size_t i = 0; i < p->contact_count; i++) {
        if (pack.contact[i].b == p->block_count) given += pack.contact[i].impulse[c];
        size += fabs(pack.contact[i].impulse[c]);
      }
      assert_true(fabs(gained - given) < 1e-13 * size);
    }
    ball_pack_clear(&pack);
    contact_case_close(&s);
  }
}

static unsigned sweeps_of(const contact_problem *p, double speed, double tolerance, unsigned limit, double *residual)
{
  ball_pack pack;
  ball_result result;
  ball_case_open(p, &pack);
  const ball_options options = {.speed = speed, .tolerance = tolerance, .sweeps = limit};
  ball_pack_solve(&pack, &options, &result);
  *residual = result.residual;
  ball_pack_clear(&pack);
  return result.sweeps;
}

/* Momentum is in it: to 1e-3 of the speeds in at most two thirds of the plain sweeps of the general solver; a few sweeps from zeros may
 * leave one contact worse than the worst was, twenty do not. */
static void test_sweeps_have_momentum_and_do_no_harm(void **state)
{
  (void)state;
  for (size_t k = 0; k < PACKS; k++) {
    contact_case s;
    double residual, none;
    contact_case_open(packs[k], &s);
    double speed = contact_case_speed(&s);
    s.options.solver = CONTACT_GAUSS_SEIDEL;
    s.options.tolerance = 1e-3;
    s.options.iteration_limit = 2000;
    contact_case_solve(&s);
    unsigned sweeps = sweeps_of(&s.file.problem, speed, 1e-3, 2000, &residual);
    print_message("# %-12s %u sweeps, %u plain ones\n", packs[k], sweeps, s.result.iterations);
    assert_true(residual <= 1e-3 && 3 * sweeps <= 2 * s.result.iterations);
    (void)sweeps_of(&s.file.problem, speed, 1e-14, 0, &none);
    for (unsigned limit = 1; limit < 100; limit += 7) {
      (void)sweeps_of(&s.file.problem, speed, 1e-14, limit, &residual);
      assert_true(residual <= (limit < 20 ? 3 : 1) * none);
    }
    contact_case_close(&s);
  }
}

/* A ball that rolls over what stands, r_N = m g dt known: the couple of at most b r_N turns it back, friction keeps it rolling, so that its
 * speed falls by g dt b / (R (1 + I/(m R^2))) in a step, and one too slow for that stops. Its spin about the normal falls by b r_N / I. */
static void test_rolling_resistance_is_a_couple(void **state)
{
  (void)state;
  const double m = 2, R = 0.5, inertia = 0.4 * m * R * R, g = 9.81, dt = 1e-2, b = 0.02, press = m * g * dt;
  for (int slow = 0; slow < 2; slow++) {
    const double v = slow ? 0.5 * g * dt * b / (R * (1 + inertia / (m * R * R))) : 1.0, pivot = slow ? 0.2 * b * press / inertia : 3.0;
    ball_pack pack = {0};
    ball_result result;
    assert_int_equal(ball_pack_reserve(&pack, 2, 1, 1, NULL), SCR_OK);
    pack.body_count = 2, pack.contact_count = pack.rolling_count = 1;
    pack.body[0] =
        (ball_body){.velocity = {v, 0, -g * dt}, .inverse_mass = 1 / m, .spin = {0, v / R, pivot}, .inverse_inertia = 1 / inertia};
    pack.body[1] = (ball_body){0};
    pack.contact[0] = (ball_contact){.a = 0, .b = 1, .normal = {0, 0, 1}, .arm_a = R, .friction = 0.9, .impulse = {0, 0, press}};
    pack.rolling[0] = (ball_rolling){.a = 0, .b = 1, .normal = {0, 0, 1}, .limit = b * press, .arm = R};
    const ball_options options = {.speed = g * dt, .tolerance = 1e-13, .sweeps = 5000};
    ball_pack_solve(&pack, &options, &result);
    assert_true(result.residual <= 1e-13);
    double left = slow ? 0 : v - g * dt * b / (R * (1 + inertia / (m * R * R))), turning = slow ? 0 : pivot - b * press / inertia;
    assert_true(fabs(pack.body[0].velocity[0] - left) < 1e-12 && fabs(pack.body[0].spin[1] - left / R) < 1e-11);
    assert_true(fabs(pack.body[0].spin[2] - turning) < 1e-11);
    ball_pack_clear(&pack);
  }
}

/* A ball between two driven bodies, one of which moves and turns, ends with the mean of their velocities where friction holds it: what is
 * driven keeps its velocity. */
static void test_what_is_driven_takes_balls_along(void **state)
{
  (void)state;
  ball_pack pack = {0};
  ball_result result;
  assert_int_equal(ball_pack_reserve(&pack, 2, 1, 0, NULL), SCR_OK);
  pack.body_count = 2, pack.contact_count = 1;
  pack.body[0] = (ball_body){.velocity = {0, 0, -1}, .inverse_mass = 1, .inverse_inertia = 1 / 0.4};
  pack.body[1] = (ball_body){.velocity = {0.3, 0, 0.5}};
  pack.contact[0] = (ball_contact){.a = 0, .b = 1, .normal = {0, 0, 1}, .arm_a = 1, .offset = 0.25, .friction = 1};
  const ball_options options = {.speed = 1, .tolerance = 1e-13, .sweeps = 1000};
  ball_pack_solve(&pack, &options, &result);
  assert_true(fabs(pack.body[0].velocity[2] - 0.25) < 1e-12);                       /* closes the gap */
  assert_true(fabs(pack.body[0].velocity[0] - pack.body[0].spin[1] - 0.3) < 1e-12); /* sticks */
  assert_true(fabs(pack.body[0].velocity[0] + 0.4 * pack.body[0].spin[1]) < 1e-12); /* about the contact nothing turns it */
  assert_true(pack.body[1].velocity[0] == 0.3 && pack.body[1].velocity[2] == 0.5);
  ball_pack_clear(&pack);
}

/* A lid of 1/5 kg that would go at 2.5 m/s lies on two balls that yield to nothing, and together bear what stops it, 0.5 N s. What rubs
 * there moves nothing: of 0.3 N s it keeps what fits into the cone, however many sweeps there are, and so does a couple within its limit.
 */
static void test_a_lid_lies_on_what_does_not_move(void **state)
{
  (void)state;
  ball_pack pack = {0};
  ball_result result;
  assert_int_equal(ball_pack_reserve(&pack, 3, 2, 1, NULL), SCR_OK);
  pack.body_count = 3, pack.contact_count = pack.steered_count = 2, pack.rolling_count = 1;
  pack.body[0] = pack.body[1] = (ball_body){0};
  pack.body[2] = (ball_body){.velocity = {0, 0, -2.5}, .inverse_mass = 5};
  for (uint32_t k = 0; k < 2; k++)
    pack.contact[k] = (ball_contact){.a = k, .b = 2, .normal = {0, 0, -1}, .arm_a = 1, .friction = 0.5, .impulse = {k ? 0 : 0.3, 0, -0.3}};
  pack.rolling[0] = (ball_rolling){.a = 0, .b = 2, .normal = {0, 0, -1}, .limit = 0.1, .arm = 1, .couple = {0.03, 0.04, 0.01}};
  const ball_options options = {.speed = 1, .tolerance = 1e-13, .sweeps = 1000, .least = 30};
  ball_pack_solve(&pack, &options, &result);
  const ball_contact *c = pack.contact;
  assert_true(result.residual < 1e-13 && fabs(pack.body[2].velocity[2]) < 1e-13 && fabs(c[0].impulse[2] + c[1].impulse[2] + 0.5) < 1e-13);
  assert_true(c[0].impulse[2] < -0.1 && c[1].impulse[2] < -0.1);
  assert_true(fabs(c[0].impulse[0] + 0.5 * c[0].impulse[2]) < 1e-13 && c[1].impulse[0] == 0);
  assert_true(pack.rolling[0].couple[0] == 0.03 && pack.rolling[0].couple[1] == 0.04 && pack.rolling[0].couple[2] == 0.01);
  ball_pack_clear(&pack);
}

SUITE(test_contact_balls)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_velocities_and_residual_are_those_of_the_general_problem),
      cmocka_unit_test(test_solutions_are_those_of_the_general_problem),
      cmocka_unit_test(test_sweeps_have_momentum_and_do_no_harm),
      cmocka_unit_test(test_rolling_resistance_is_a_couple),
      cmocka_unit_test(test_what_is_driven_takes_balls_along),
      cmocka_unit_test(test_a_lid_lies_on_what_does_not_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
