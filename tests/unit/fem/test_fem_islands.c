/* Contact problems of the method fem: Newton's method on an island, against solutions by hand and by sweeps; islands of bodies that touch;
 * bodies pressed on each other, whose contacts outnumber what they hold. */
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "methods/fem/dynamics/contact_island.h"
#include "methods/fem/state/state.h"

static void assert_near(double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%.17g, not %.17g within %.3g", found, wanted, tolerance);
}

enum { MOST = 24, ROWS = 3 * MOST };

/* An island by hand, and room for what it needs. */
typedef struct by_hand {
  double w[ROWS * ROWS], q[ROWS], force[ROWS], relative[ROWS], friction[MOST], scale[MOST], work[FEM_ISLAND_WORK(ROWS)];
  uint32_t cases[MOST];
  int32_t pivot[ROWS];
} by_hand;

static fem_island island_of(by_hand *h, unsigned directions, size_t count)
{
  fem_island l = {.directions = directions,
                  .count = count,
                  .w = h->w,
                  .q = h->q,
                  .force = h->force,
                  .relative = h->relative,
                  .friction = h->friction,
                  .scale = h->scale,
                  .work = h->work,
                  .cases = h->cases,
                  .pivot = h->pivot};
  fem_island_scale(&l);
  return l;
}

static by_hand *new_numbers(void)
{
  by_hand *h = calloc(1, sizeof *h);
  assert_non_null(h);
  return h;
}

/* Two nodes in one place, the second by a millionth (or 1e-10) of the motion farther off: all force belongs to the first, and sweeps hand
 * it over by as little each. W is singular. */
static void test_contacts_that_share_a_force_hand_it_over(void **state)
{
  static const double apart[] = {1e-6, 1e-10};
  (void)state;
  for (int k = 0; k < 2; k++) {
    by_hand *h = new_numbers();
    for (int i = 0; i < 4; i++) h->w[i] = 1;
    h->q[0] = -1, h->q[1] = -1 + apart[k], h->force[0] = h->force[1] = 0.5;
    fem_island l = island_of(h, 1, 2);
    double left;
    assert_int_equal(fem_contact_newton(&l, 1, 1e-11, false, &left, NULL), SCR_OK);
    assert_true(left <= 1e-11);
    assert_true(fabs(h->force[0] - 1) < 1e-9);
    assert_true(h->force[1] == 0);
    if (l.steps > 5) fail_msg("%zu steps", l.steps);
    free(h);
  }
}

/* A contact alone with W = 2 and u = (-1, -3, -4) without forces: it sticks by f = (0.5, 1.5, 2) where mu allows 3 = 6 times 0.5, and
 * below slides: f_n = 0.5, f_t = mu f_n (0.6, 0.8). */
static void test_a_contact_alone_sticks_or_slides(void **state)
{
  static const double mu[2] = {6, 0.3};
  (void)state;
  for (int k = 0; k < 2; k++) {
    by_hand *h = new_numbers();
    double f_t = k ? 0.3 * 0.5 : 2.5;
    h->w[0] = h->w[4] = h->w[8] = 2;
    h->q[0] = -1, h->q[1] = -3, h->q[2] = -4, h->force[0] = 0.1, h->friction[0] = mu[k];
    fem_island l = island_of(h, 3, 1);
    for (int step = 0; step < 5; step++) assert_int_equal(fem_contact_newton_step(&l, 1e-13, NULL), SCR_OK);
    assert_true(fabs(h->force[0] - 0.5) < 1e-10);
    assert_true(fabs(h->force[1] - 0.6 * f_t) < 1e-10);
    assert_true(fabs(h->force[2] - 0.8 * f_t) < 1e-10);
    free(h);
  }
}

/* 24 contacts at random, W = 1 + A^T A: coupled by as much as their own. */
static void fill_at_random(by_hand *h, uint64_t seed, bool friction)
{
  double a[ROWS][ROWS];
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < ROWS; c++) a[r][c] = (2 * random_uniform(&seed) - 1) / sqrt(ROWS / 3.0);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < ROWS; c++) {
      h->w[r * ROWS + c] = r == c;
      for (int k = 0; k < ROWS; k++) h->w[r * ROWS + c] += a[k][r] * a[k][c];
    }
  for (int r = 0; r < ROWS; r++) h->q[r] = 2 * random_uniform(&seed) - (r % 3 ? 1 : 1.5);
  for (int i = 0; i < MOST; i++) h->friction[i] = friction ? 0.3 : 0;
}

/* Newton's method comes to where sweeps come, which solve one contact after the other exactly: to 1e-9 of forces of about 1, in at most 15
 * steps from nothing, where a slope that is wrong needs more or does not end. Open, sticking and sliding contacts are among them. */
static void test_newton_finds_what_sweeps_find(void **state)
{
  (void)state;
  size_t cases[3] = {0};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    by_hand *h = new_numbers();
    double by_sweeps[ROWS], left;
    fill_at_random(h, seed, seed % 4 > 0);
    fem_island l = island_of(h, 3, MOST);
    left = fem_island_sweep(&l, 1, 1e-11, 5000);
    if (!(left <= 1e-11)) fail_msg("seed %d: sweeps left %.3g", (int)seed, left);
    memcpy(by_sweeps, h->force, sizeof by_sweeps);
    memset(h->force, 0, sizeof h->force);
    assert_int_equal(fem_contact_newton(&l, 1, 1e-12, false, &left, NULL), SCR_OK);
    assert_true(left <= 1e-12);
    if (l.steps > 15) fail_msg("seed %d: %zu steps", (int)seed, l.steps);
    for (int i = 0; i < MOST; i++) {
      const double *f = h->force + 3 * i;
      double pull = hypot(f[1], f[2]);
      cases[!(f[0] > 0) ? 0 : pull < 0.299 * f[0] ? 1 : 2]++;
      for (int a = 0; a < 3; a++) assert_near(f[a], by_sweeps[3 * i + a], 1e-9);
    }
    free(h);
  }
  for (int k = 0; k < 3; k++) assert_true(cases[k] > 20);
}

/* Problems of one W that differ by a thousandth share a factor as long as the same contacts are closed and slide, and each is solved as far
 * as by itself: by sweeps, to 1e-9. Another W has a factor of its own. */
static void test_problems_of_one_matrix_share_a_factor(void **state)
{
  (void)state;
  size_t shared = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    by_hand *h = new_numbers();
    double found[ROWS], left;
    uint64_t more = 100 + seed;
    fill_at_random(h, seed, seed % 4 > 0);
    fem_island l = island_of(h, 3, MOST);
    assert_int_equal(fem_contact_newton(&l, 1, 1e-12, false, &left, NULL), SCR_OK);
    size_t first = l.steps;
    for (int r = 0; r < ROWS; r++) h->q[r] += 1e-3 * (2 * random_uniform(&more) - 1);
    assert_int_equal(fem_contact_newton(&l, 1, 1e-12, false, &left, NULL), SCR_OK);
    assert_true(left <= 1e-12);
    memcpy(found, h->force, sizeof found);
    shared += l.steps == first;
    left = fem_island_sweep(&l, 1, 1e-13, 5000);
    for (int r = 0; r < ROWS; r++) assert_near(found[r], h->force[r], 1e-9);
    free(h);
  }
  print_message("# of 20 problems %zu took no factor of their own\n", shared);
  assert_true(shared >= 8);
}

/* Without friction, 24 contacts that hold six freedoms: W = A^T A of rank 6, and q = u - W f of some u, f >= 0, so that there is a
 * solution. Whole steps go round in circles in some of these; careful ones end all. */
static void test_careful_steps_end_most_where_whole_ones_go_round(void **state)
{
  enum { RANK = 6, PROBLEMS = 200 };
  (void)state;
  size_t round = 0, stuck = 0;
  for (uint64_t number = 1; number <= PROBLEMS; number++) {
    by_hand *h = new_numbers();
    double a[RANK][MOST], f[MOST], left;
    uint64_t seed = number;
    for (int r = 0; r < RANK; r++)
      for (int c = 0; c < MOST; c++) a[r][c] = 2 * random_uniform(&seed) - 1;
    for (int c = 0; c < MOST; c++) f[c] = fmax(0, 2 * random_uniform(&seed) - 1);
    for (int r = 0; r < MOST; r++) {
      h->q[r] = fmax(0, 2 * random_uniform(&seed) - 1);
      for (int c = 0; c < MOST; c++) {
        h->w[r * MOST + c] = 0;
        for (int k = 0; k < RANK; k++) h->w[r * MOST + c] += a[k][r] * a[k][c];
        h->q[r] -= h->w[r * MOST + c] * f[c];
      }
    }
    fem_island l = island_of(h, 1, MOST);
    assert_int_equal(fem_contact_newton(&l, 1, 1e-11, false, &left, NULL), SCR_OK);
    round += !(left <= 1e-11);
    memset(h->force, 0, sizeof h->force);
    assert_int_equal(fem_contact_newton(&l, 1, 1e-11, true, &left, NULL), SCR_OK);
    stuck += !(left <= 1e-11);
    free(h);
  }
  print_message("# of %d problems whole steps leave %zu, careful ones %zu\n", PROBLEMS, round, stuck);
  assert_true(round > 40);
  assert_true(stuck <= 2);
}

/* Cubes of 2 cm on the floor: `columns` columns of two, meshes face to face or the upper ones turned. */
static sim_run open_columns(int columns, double angle, double friction)
{
  char text[6000];
  int used =
      snprintf(text, sizeof text,
               "{ \"scree\": 1, \"name\": \"columns\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, "
               "\"young_modulus\": 1e5, \"poisson_ratio\": 0.3, \"stiffness_damping\": 2e-3 } ], \"contact\": { "
               "\"friction_coefficient\": %g }, \"rig\": { \"type\": \"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ " FEM_FLOOR
               " ], \"time\": { \"duration\": 5, \"time_step\": 1e-3 }, \"specimens\": [",
               friction);
  for (int b = 0; b < 2 * columns; b++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "%s { \"name\": \"cube%d\", \"material\": \"m\", \"divisions\": [3, 3, 3], \"shape\": { \"type\": \"box\", \"size\": "
                     "[0.02, 0.02, 0.02] }, \"placement\": { \"type\": \"single\", \"position\": [%g, 0, %g] }, \"rotation\": { \"axis\": "
                     "[0, 0, 1], \"angle_deg\": %g } }",
                     b ? "," : "", b, 0.04 * (double)(b >> 1), 0.01 + 0.02 * (b % 2), b % 2 ? angle : 0);
  snprintf(text + used, sizeof text - (size_t)used, "] }");
  return run_open(text, 1);
}

static const fem_solver *solver_of(const sim_run *r)
{
  return &((const fem_state *)r->sim->state)->solver;
}

/* Columns that do not touch each other are islands of their own. */
static void test_columns_apart_are_islands(void **state)
{
  (void)state;
  sim_run r = open_columns(3, 20, 0.3);
  run_steps(&r, 2);
  const fem_contact_problem *p = &solver_of(&r)->problem;
  assert_int_equal(p->island_count, 3);
  size_t contacts = 0;
  for (size_t i = 0; i < 3; i++) {
    assert_true(p->island[i].count > 16); /* those of the floor are 16 */
    contacts += p->island[i].count;
  }
  assert_int_equal(contacts, solver_of(&r)->touches.count);
  run_close(&r);
}

/* Two cubes whose meshes lie node on node, and two that are turned: each node of one face is met by the other face as well, with next to
 * the same contact, so that W is singular in the first. Contacts are solved to 1e-11 by at most six steps of Newton's method an island (a
 * problem that they do not end costs twenty steps and sweeps), without sweeps and without contact/. */
static void test_cubes_pressed_on_each_other_take_few_steps(void **state)
{
  static const struct {
    double angle, friction;
  } cases[] = {{0, 0}, {0, 0.3}, {20, 0}, {20, 0.3}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    sim_run r = open_columns(1, cases[k].angle, cases[k].friction);
    const fem_state *s = r.sim->state;
    size_t problems = 0;
    double force = 0;
    for (int step = 0; step < 100; step++) {
      run_steps(&r, 1);
      problems += 2 * (size_t)s->totals.iterations; /* of iterations, and as many of impulses */
      if (step >= 50) force += run_curve(&r, "contact_force") / 50;
    }
    const fem_contact_problem *p = &s->solver.problem;
    if (p->steps > 6 * problems || p->sweeps > 0 || p->strong > 0)
      fail_msg("case %zu: %zu steps and %zu sweeps for at most %zu problems, %zu left to contact/", k, p->steps, p->sweeps, problems,
               p->strong);
    assert_true(s->totals.contact_residual <= 1e-11);
    print_message("# case %zu: bodies overlap by %.2g of an edge\n", k, s->totals.overlap / s->solver.settings.edge);
    assert_near(force, 3 * 0.008 * 9.81, 1e-3 * 0.24); /* the floor carries two cubes, the lower one the upper one */
    run_close(&r);
  }
}

SUITE(test_fem_islands)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contacts_that_share_a_force_hand_it_over),
      cmocka_unit_test(test_a_contact_alone_sticks_or_slides),
      cmocka_unit_test(test_newton_finds_what_sweeps_find),
      cmocka_unit_test(test_problems_of_one_matrix_share_a_factor),
      cmocka_unit_test(test_careful_steps_end_most_where_whole_ones_go_round),
      cmocka_unit_test(test_columns_apart_are_islands),
      cmocka_unit_test(test_cubes_pressed_on_each_other_take_few_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
