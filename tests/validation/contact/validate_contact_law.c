/* What Coulomb's law says of a step, whoever solves it: problems that have no solution, and more than one; work and energy; the same answer
 * in any axes, units and order is in validate_contact_solvers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/warm_start.h"
#include "tests/support/claim.h"
#include "tests/support/contact_maker.h"
#include "tests/support/suites.h"

static const double gravity = 9.81;

enum { ROOM = 4096 };

/* A problem with room for its solution. */
typedef struct law_case {
  contact_problem problem;
  contact_options options;
  contact_result result;
  double impulse[ROOM], velocity[ROOM], relative[ROOM];
} law_case;

static void law_solve(law_case *c, contact_solver solver)
{
  scr_error error = {0};
  assert_true(c->problem.contact_count * c->problem.dimension <= ROOM && c->problem.block_count * c->problem.block_size <= ROOM);
  c->options.solver = solver;
  memset(c->impulse, 0, sizeof c->impulse);
  if (contact_solve(&c->problem, &c->options, c->impulse, c->velocity, c->relative, &c->result, &error) != SCR_OK)
    fail_msg("%s", error.message);
  for (size_t k = 0; k < c->problem.contact_count * c->problem.dimension; ++k)
    assert_true(isfinite(c->impulse[k]) && isfinite(c->relative[k]));
}

/* ── Painleve's problems ── */

/* A rod of 1 kg and 1 m slides along the ground on its lower tip, 60 degrees steep, leaning backward: with friction above (1 + 3 c^2)/(3 c
 * s) = 1.347 no finite force keeps the tip on the ground, and none lets it go. Impulses know more: the tip stops within the step, however
 * short it is, by r = -W^-1 q, the impact without collision of Lecornu 1905. Below that friction it slides and carries r_N = g dt/(W_NN -
 * mu W_NT). */
static void test_painleves_rod_stops_dead_above_the_critical_friction(void **state)
{
  (void)state;
  const double c = 0.5, s = sqrt(0.75), inverse_inertia = 12.0, ax = 0.5 * c, ay = -0.5 * s;
  const double w_nn = 1.0 + ax * ax * inverse_inertia, w_nt = -ax * ay * inverse_inertia, w_tt = 1.0 + ay * ay * inverse_inertia;
  const double critical = (1.0 + 3.0 * c * c) / (3.0 * c * s), determinant = w_nn * w_tt - w_nt * w_nt;
  claim_absolute("critical friction of a rod at 60 degrees", w_nn / w_nt, critical, 1e-12, "Painleve 1895");
  for (double step = 1e-2; step > 1e-7; step *= 0.1) {
    const double friction[1] = {2.0}, below[1] = {1.0}, offset[2] = {0};
    law_case k = {.options = contact_options_default()};
    k.options.tolerance = 1e-10;
    k.problem = (contact_problem){.dimension = 2,
                                  .contact_count = 1,
                                  .block_size = 3,
                                  .block_count = 1,
                                  .mass_block = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1.0 / inverse_inertia},
                                  .momentum = (double[]){1.0, -gravity * step, 0},
                                  .first = (size_t[]){0, 1},
                                  .block = (uint32_t[]){0},
                                  .jacobian = (double[]){0, 1, 1, 0, ax, -ay},
                                  .offset = offset,
                                  .friction = friction};
    law_solve(&k, CONTACT_AUTO);
    assert_int_equal(k.result.status, CONTACT_SOLVED);
    double normal = (w_tt * gravity * step + w_nt) / determinant;
    claim_relative("impulse that stops Painleve's rod, N s", k.impulse[0], normal, 1e-8, "-W^-1 q");
    claim_absolute("slip of its tip after it, m/s", k.relative[1], 0.0, 1e-9, "impact without collision");
    k.problem.friction = below;
    law_solve(&k, CONTACT_AUTO);
    assert_true(k.result.status == CONTACT_SOLVED && k.result.sliding == 1);
    claim_absolute("impulse below the critical friction, N s", k.impulse[0], gravity * step / (w_nn - w_nt), 1e-9, "g dt/(W_NN - mu W_NT)");
  }
}

/* A piece of chalk pushed over a board: its hinge is driven along at 1 m/s, it can only turn about it, and turns towards the board. The
 * board's impulse turns it back by (a - mu b) r_N: beyond mu = a/b it is pressed on the harder for every impulse, and there is no solution.
 * Every solver must end, with finite numbers and without claiming one; below, each finds the impulse that stops the turning. In the plane
 * and in space. */
static void test_driven_chalk_jams_and_is_said_to_have_no_solution(void **state)
{
  (void)state;
  const double a = 0.3, b = 0.5, inertia = 0.02, spin = -0.1;
  for (unsigned d = 2; d <= 3; ++d)
    for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; ++solver) {
      const double jammed[1] = {1.2}, free_one[1] = {0.3};
      law_case k = {.options = contact_options_default()};
      k.problem = (contact_problem){.dimension = d,
                                    .contact_count = 1,
                                    .block_size = 1,
                                    .block_count = 1,
                                    .mass_block = (double[]){inertia},
                                    .momentum = (double[]){inertia * spin},
                                    .first = (size_t[]){0, 1},
                                    .block = (uint32_t[]){0},
                                    .jacobian = (double[]){a, b, 0},
                                    .offset = (double[]){0, 1, 0},
                                    .friction = jammed};
      law_solve(&k, (contact_solver)solver);
      assert_int_not_equal(k.result.status, CONTACT_SOLVED);
      if (solver == CONTACT_AUTO) {
        print_message("# jammed chalk: residual %.2g, %u iterations, %u factorisations, %s\n", k.result.residual, k.result.iterations,
                      k.result.factorisations, k.result.reason);
        assert_int_equal(k.result.status, CONTACT_INFEASIBLE);
      }
      k.problem.friction = free_one;
      law_solve(&k, (contact_solver)solver);
      if (k.result.status != CONTACT_SOLVED) fail_msg("%s: %s", contact_solver_name((contact_solver)solver), k.result.reason);
      assert_true(fabs(k.impulse[0] + inertia * spin / (a - 0.3 * b)) < 1e-6);
    }
}

/* ── packs that fill their place ── */

/* Lattices of balls in a box that just holds them. Every gap is open, so bodies at rest satisfy Slater's condition (u_N > mu |u_T| with v =
 * 0), and a solution exists: Acary, Cadoux, Lemarechal and Malick 2011, whatever the friction. auto finds that of 216 balls at mu 0.1 and
 * of 125 at 0.3. At 0.5 it does not (125 balls: 1e-3 after a thousand factorisations): it says UNSOLVED with the best point, and never that
 * there is none. */
static void test_a_lattice_that_fills_its_box_has_a_solution(void **state)
{
  (void)state;
  static const struct {
    size_t side;
    double friction;
    unsigned factors; /* 0: its own */
    contact_status status;
  } cases[] = {{6, 0.1, 0, CONTACT_SOLVED}, {5, 0.3, 0, CONTACT_SOLVED}, {6, 0.5, 8, CONTACT_UNSOLVED}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    contact_maker made;
    law_case c = {.options = contact_options_default()};
    double least = HUGE_VAL;
    char what[80];
    contact_maker_lattice(cases[k].side, cases[k].friction, 1, &made);
    c.problem = contact_maker_problem(&made);
    for (size_t i = 0; i < c.problem.contact_count; ++i) {
      assert_true(c.problem.offset[3 * i + 1] == 0.0 && c.problem.offset[3 * i + 2] == 0.0);
      least = fmin(least, c.problem.offset[3 * i]);
    }
    claim_between("least gap over the step in a lattice, m/s: bodies at rest are strictly feasible", least, 1e-12, 1.0,
                  "Slater's condition");
    c.options.factor_limit = cases[k].factors;
    law_solve(&c, CONTACT_AUTO);
    print_message("# %zu balls, friction %g, %u factorisations: %s\n", made.bodies, cases[k].friction, c.result.factorisations,
                  c.result.reason);
    assert_int_equal(c.result.status, cases[k].status);
    snprintf(what, sizeof what, "relative residual of %zu balls that fill their box, friction %g", made.bodies, cases[k].friction);
    if (cases[k].status == CONTACT_SOLVED)
      claim_between(what, c.result.residual, 0.0, 1e-6, "Coulomb's law");
    else
      claim_shown(what, c.result.residual);
    contact_maker_clear(&made);
  }
}

/* Balls in a row between two walls that close at 0.1 m/s each. Take y = 1 for every contact along the row: the normal rows of H' y vanish
 * and y . w_N < 0, so by Farkas no velocities at all have u_N >= 0, with any friction: the problem has no solution, and auto must say so.
 * */
static void test_balls_squeezed_between_rigid_walls_have_none(void **state)
{
  (void)state;
  enum { BALLS = 5 };
  static const double tolerances[] = {1e-2, 1e-6};
  const double mass = 0.01, radius = 0.01, spin = 0.4 * mass * radius * radius;
  for (size_t t = 0; t < 2; ++t) {
    contact_maker made;
    double balance[6 * BALLS] = {0}, driven = 0.0;
    contact_maker_start(&made, 6, BALLS, BALLS + 1, 2);
    for (int k = 0; k < BALLS; ++k) {
      const double centre[3] = {radius * (1 + 2 * k), 0, 0};
      contact_maker_body(&made, centre, mass, (double[9]){spin, 0, 0, 0, spin, 0, 0, 0, spin}, (double[3]){0, 0, -mass * gravity * 2e-3});
    }
    for (int k = 0; k <= BALLS; ++k) {
      uint32_t a = k < BALLS ? (uint32_t)k : BALLS - 1, b = k == 0 || k == BALLS ? CONTACT_MAKER_GROUND : (uint32_t)(k - 1);
      const double point[3] = {2 * radius * k, 0, 0}, normal[3] = {k < BALLS ? 1 : -1, 0, 0};
      contact_maker_contact(&made, a, b, point, normal, 0.4, b == CONTACT_MAKER_GROUND ? -0.1 : 0.0);
    }
    law_case c = {.options = contact_options_default()};
    c.options.tolerance = tolerances[t];
    c.problem = contact_maker_problem(&made);
    for (size_t i = 0; i < c.problem.contact_count; ++i) {
      driven += c.problem.offset[3 * i];
      for (size_t e = c.problem.first[i]; e < c.problem.first[i + 1]; ++e)
        for (size_t v = 0; v < 6; ++v) balance[6 * c.problem.block[e] + v] += c.problem.jacobian[(6 * e + v) * 3];
    }
    for (size_t v = 0; v < 6 * BALLS; ++v) assert_true(fabs(balance[v]) < 1e-14);
    claim_between("y . w_N of Farkas' certificate, m/s", driven, -1.0, -0.1, "Farkas' lemma");
    law_solve(&c, CONTACT_AUTO);
    assert_int_equal(c.result.status, CONTACT_INFEASIBLE);
    contact_maker_clear(&made);
  }
}

/* ── more than one solution ── */

/* Three layers of balls, each on four of the layer below, none touching in its own layer: at mu 0.6 one step has at least two answers that
 * are both within 1e-9 of Coulomb's law, and their velocities differ by a tenth of what gravity gives in the step. No solver is wrong; a
 * step in time simply does not say which. What is promised is that one and the same problem gets the same bits. */
static void test_a_pyramid_has_more_than_one_solution(void **state)
{
  (void)state;
  static law_case gauss_seidel, newton, again;
  contact_maker m;
  contact_maker_pyramid(3, 0.6, &m);
  gauss_seidel = (law_case){.problem = contact_maker_problem(&m), .options = contact_options_default()};
  gauss_seidel.options.tolerance = 1e-9;
  gauss_seidel.options.iteration_limit = 20000;
  newton = gauss_seidel;
  newton.options.iteration_limit = 0;
  again = newton;
  law_solve(&gauss_seidel, CONTACT_GAUSS_SEIDEL);
  law_solve(&newton, CONTACT_NEWTON);
  double apart = 0.0;
  for (size_t k = 0; k < 6 * m.bodies; ++k)
    if (k % 6 < 3) apart = fmax(apart, fabs(gauss_seidel.velocity[k] - newton.velocity[k]));
  claim_between("relative residual of the first solution", gauss_seidel.result.residual, 0.0, 1e-9, "Coulomb's law");
  claim_between("relative residual of the second", newton.result.residual, 0.0, 1e-9, "Coulomb's law");
  claim_between("their velocities' difference over g dt", apart / (gravity * 2e-3), 0.02, 1.0, "friction is not a minimum of anything");
  again.options.execution = execution_of(4);
  law_solve(&again, CONTACT_AUTO);
  newton.options.execution = execution_of(1);
  law_solve(&newton, CONTACT_AUTO);
  claim_between("bytes that differ when it is solved again, on more threads",
                memcmp(again.impulse, newton.impulse, sizeof again.impulse) != 0, 0, 0, "determinism");
  contact_maker_clear(&m);
}

/* ── many contacts ── */

/* A layer of 125 spheres that has settled, 351 contacts: Gauss-Seidel and ADMM creep at 1e-3 for thousands of rounds, since a few clusters
 * hardly change; the worst spots solved together end it. On one and two threads to the same bits. */
static void test_a_settled_layer_is_solved_by_patches(void **state)
{
  (void)state;
  static law_case one, two;
  contact_maker m;
  contact_maker_layer(5, 5, 1, 0.5, 1, &m);
  one = (law_case){.problem = contact_maker_problem(&m), .options = contact_options_default()};
  two = one;
  two.options.execution = execution_of(2);
  law_solve(&one, CONTACT_AUTO);
  law_solve(&two, CONTACT_AUTO);
  print_message("# %zu contacts: %s\n", m.contacts, one.result.reason);
  claim_between("relative residual of a settled layer", one.result.residual, 0.0, 1e-6, "Coulomb's law");
  claim_between("bytes that differ between one thread and two", memcmp(one.impulse, two.impulse, sizeof one.impulse) != 0, 0, 0,
                "determinism");
  contact_maker_clear(&m);
}

/* ── work and energy ── */

static double kinetic(const contact_problem *p, const double *v)
{
  double sum = 0.0;
  size_t b = p->block_size;
  for (size_t c = 0; c < b * p->block_count; ++c) {
    if (p->mass)
      for (size_t k = p->mass->first[c]; k < p->mass->first[c + 1]; ++k) sum += 0.5 * v[c] * p->mass->value[k] * v[p->mass->row[k]];
    else
      for (size_t r = 0; r < b; ++r) sum += 0.5 * v[c] * p->mass_block[c * b + r] * v[c / b * b + r];
  }
  return sum;
}

/* With nothing driven and no gaps (w = 0) contact changes kinetic energy by the work r . u, which friction only takes, less the |v -
 * v_free|^2 M/2 of stopping within the step: both are checked, the first to round-off, for one problem of each kind that has no gaps. */
static void test_contact_takes_energy_and_accounts_for_it(void **state)
{
  (void)state;
  static const contact_kind kinds[] = {CONTACT_KIND_STACK, CONTACT_KIND_WALL, CONTACT_KIND_ARCH,
                                       CONTACT_KIND_RODS,  CONTACT_KIND_HAIR, CONTACT_KIND_NEEDLES};
  static law_case c, none;
  double imbalance = 0.0, gained = -HUGE_VAL;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
    contact_maker m;
    contact_maker_make(kinds[kind], 31 + kind, &m);
    c = (law_case){.problem = contact_maker_problem(&m), .options = contact_options_default()};
    c.options.tolerance = 1e-10;
    none = c;
    double residual, apart[ROOM], work = 0.0;
    assert_int_equal(contact_measure(&none.problem, &none.options, none.impulse, none.velocity, none.relative, &residual, NULL), SCR_OK);
    law_solve(&c, CONTACT_AUTO);
    assert_int_equal(c.result.status, CONTACT_SOLVED);
    for (size_t k = 0; k < 3 * m.contacts; ++k) work += c.impulse[k] * c.relative[k];
    for (size_t k = 0; k < c.problem.block_count * c.problem.block_size; ++k) apart[k] = c.velocity[k] - none.velocity[k];
    double before = kinetic(&c.problem, none.velocity), after = kinetic(&c.problem, c.velocity), stopping = kinetic(&c.problem, apart);
    imbalance = fmax(imbalance, fabs(after - before - work + stopping) / before);
    gained = fmax(gained, work / before);
    assert_true(after <= before && stopping >= 0.0);
    contact_maker_clear(&m);
  }
  claim_between("energy not accounted for over a step, over the energy without contact", imbalance, 0.0, 1e-11, "work theorem");
  claim_between("energy that contacts put in, over the same", gained, -1.0, 1e-8, "friction dissipates");
}

/* Two balls of 1 and 3 kg meet head on without friction, restitution 1: they part as in any textbook, and the energy stays to round-off. */
static void test_a_head_on_hit_with_restitution_one_keeps_its_energy(void **state)
{
  (void)state;
  static law_case c;
  c = (law_case){.options = contact_options_default()};
  const double before = 2.0, closing = -before;
  c.options.tolerance = 1e-14;
  c.problem = (contact_problem){.dimension = 3,
                                .contact_count = 1,
                                .block_size = 3,
                                .block_count = 2,
                                .mass_block = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0, 0, 3, 0, 0, 0, 3},
                                .momentum = (double[]){-before, 0, 0, 0, 0, 0},
                                .first = (size_t[]){0, 2},
                                .block = (uint32_t[]){0, 1},
                                .jacobian = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1},
                                .offset = (double[]){contact_restitution(1.0, closing, 0.01), 0, 0},
                                .friction = (double[]){0.0}};
  law_solve(&c, CONTACT_AUTO);
  claim_absolute("velocity of the light ball after the hit, m/s", c.velocity[0], 1.0, 1e-13, "elastic collision");
  claim_absolute("velocity of the heavy ball after the hit, m/s", c.velocity[3], -1.0, 1e-13, "elastic collision");
  claim_relative("kinetic energy after the hit, J", kinetic(&c.problem, c.velocity), 0.5 * before * before, 1e-12, "elastic collision");
}

SUITE(validate_contact_law)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_painleves_rod_stops_dead_above_the_critical_friction),
      cmocka_unit_test(test_a_lattice_that_fills_its_box_has_a_solution),
      cmocka_unit_test(test_balls_squeezed_between_rigid_walls_have_none),
      cmocka_unit_test(test_driven_chalk_jams_and_is_said_to_have_no_solution),
      cmocka_unit_test(test_a_pyramid_has_more_than_one_solution),
      cmocka_unit_test(test_a_settled_layer_is_solved_by_patches),
      cmocka_unit_test(test_contact_takes_energy_and_accounts_for_it),
      cmocka_unit_test(test_a_head_on_hit_with_restitution_one_keeps_its_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
