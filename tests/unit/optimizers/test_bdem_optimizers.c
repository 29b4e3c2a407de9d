/* Every optimizer of an implicit step finds the same minimum, says how it got there, and refuses what it can't solve. */
#include "tests/support/bdem_cluster.h"
#include "tests/support/suites.h"
#include "methods/bdem/contact/contact.h"
#include "tests/studies/optimizers/optimizer.h"
#include "methods/bdem/implicit/variational.h"

static const double radius = 0.01, young = 1e6;

/* A bent, swinging cantilever of 2 x 2 x 4 spheres (its lowest layer held), or a free chain of 4, moving at about 1 m/s and 20 rad/s. */
static bdem_body moving(bool chain)
{
  bdem_body body = chain ? cluster_block(4, 1, 1, radius, young) : cluster_block(2, 2, 4, radius, young);
  for (size_t k = 0; k < body.sphere_count; ++k) {
    double x = (double)k, height = body.position[k].z / radius;
    if (!chain && k < 4) {
      body.held[k] = BDEM_HELD_ALL;
      continue;
    }
    body.velocity[k] = chain ? vec3(sin(3.0 * x), cos(5.0 * x), 0.5 * sin(7.0 * x)) : vec3(0.1 * height * height, 0, 0);
    body.spin[k] = chain ? vec3(20.0 * cos(2.0 * x), 0, 10.0 * sin(x)) : vec3(0, 2.0 * height, 3.0 * sin(x));
  }
  return body;
}

static const bdem_optimizer_tuning blocks = {.gradient_metric = BDEM_METRIC_BLOCKS};

static bdem_implicit_options usual(double time_step)
{
  return (bdem_implicit_options){.time_step = time_step,
                                 .force_scale = young * radius * radius,
                                 .tolerance = 1e-9,
                                 .iteration_limit = 5000,
                                 .execution = execution_of(1)};
}

static bdem_implicit_report solve(bdem_optimizer_kind kind, bdem_body *body, const bdem_implicit_options *options)
{
  bdem_optimizer *optimizer;
  bdem_implicit_report report;
  scr_error error = {0};
  assert_int_equal(bdem_optimizer_create(kind, body, &optimizer, NULL), SCR_OK);
  if (bdem_optimizer_step(optimizer, body, NULL, options, &blocks, &report, &error) != SCR_OK)
    fail_msg("%s: %s", bdem_optimizer_name(kind), error.message);
  bdem_optimizer_destroy(optimizer);
  return report;
}

/* All six reach manifold Newton's minimum to 1e-6 of a radius and 1e-6 in the quaternions, and the same decrease of Phi; the free
 * chain takes a step of 1 ms, the cantilever one of 2 ms (16 T). Residuals of 1e-9 E r^2 leave errors of about 1e-9 r / (lowest
 * stiffness over E r), some 1e-8 r here. */
static void test_all_optimizers_find_the_same_minimum(void **state)
{
  (void)state;
  for (int chain = 0; chain < 2; ++chain) {
    bdem_implicit_options options = usual(chain ? 1e-3 : 2e-3);
    options.measure_decrease = true;
    bdem_body wanted = moving(chain);
    bdem_implicit_report first = solve(BDEM_OPTIMIZER_MANIFOLD_NEWTON, &wanted, &options);
    for (int kind = 0; kind < BDEM_OPTIMIZER_COUNT; ++kind) {
      bdem_body body = moving(chain);
      bdem_implicit_report report = solve((bdem_optimizer_kind)kind, &body, &options);
      double difference = cluster_distance(&body, &wanted);
      print_message("# %s, %s: %zu iterations, %zu linear, %zu line search steps, residual %.1e, differs by %.1e\n",
                    chain ? "chain" : "cantilever", bdem_optimizer_name((bdem_optimizer_kind)kind), report.newton_iterations,
                    report.cg_iterations, report.line_search_steps, report.residual, difference);
      assert_true(difference < 1e-6);
      assert_true(report.residual <= 1e-9 && report.newton_iterations >= 1);
      assert_true(report.line_search_steps >= report.newton_iterations);
      assert_true(fabs(report.decrease - first.decrease) <= 1e-6 * first.decrease);
      for (size_t k = 0; k < body.sphere_count; ++k) {
        assert_true(fabs(quat_length(body.orientation[k]) - 1.0) < 1e-14);
        assert_true(vec3_length(vec3_sub(body.velocity[k], wanted.velocity[k])) < 1e-4);
      }
      bdem_body_destroy(&body);
    }
    bdem_body_destroy(&wanted);
  }
}

/* Two bonded pairs of spheres, 2.025 r apart at the nearest, flying at each other at 2 m/s, off centre; `contacts` receives the four pairs
 * that may touch. */
static bdem_body collision(bdem_contacts *contacts)
{
  static bdem_pair pairs[4] = {{.i = 0, .j = 2, .reach = 0.02, .stiffness = 1e4},
                               {.i = 0, .j = 3, .reach = 0.02, .stiffness = 1e4},
                               {.i = 1, .j = 2, .reach = 0.02, .stiffness = 1e4},
                               {.i = 1, .j = 3, .reach = 0.02, .stiffness = 1e4}};
  bdem_elasticity material = {.young_modulus = young, .poisson_ratio = 0.3};
  bdem_body body;
  assert_int_equal(bdem_body_create(4, 2, &body, NULL), SCR_OK);
  for (int k = 0; k < 4; ++k) {
    body.position[k] = vec3(2.0 * radius * (k % 2), (k < 2 ? 0.0 : 0.7) * radius, k < 2 ? 0.0 : 1.9 * radius);
    body.radius[k] = radius;
    body.mass[k] = 4e-3;
    body.velocity[k] = vec3(0.3, 0, k < 2 ? 1.0 : -1.0);
  }
  for (uint32_t k = 0; k < 2; ++k) assert_int_equal(bdem_body_bond(&body, k, 2 * k, 2 * k + 1, &material, NULL), SCR_OK);
  *contacts = (bdem_contacts){.pairs = pairs, .pair_count = 4};
  body.contacts = contacts;
  return body;
}

/* Contacts are part of every optimizer's Phi: a step of 1 ms into a collision has the same result for all, and pushes the pairs apart. */
static void test_all_optimizers_solve_a_collision(void **state)
{
  bdem_contacts contacts;
  bdem_implicit_options options = usual(1e-3);
  bdem_body wanted = collision(&contacts);
  (void)state;
  solve(BDEM_OPTIMIZER_MANIFOLD_NEWTON, &wanted, &options);
  assert_true(wanted.velocity[0].z < 0.9);
  for (int kind = 1; kind < BDEM_OPTIMIZER_COUNT; ++kind) {
    bdem_body body = collision(&contacts);
    solve((bdem_optimizer_kind)kind, &body, &options);
    assert_true(cluster_distance(&body, &wanted) < 1e-6);
    bdem_body_destroy(&body);
  }
  bdem_body_destroy(&wanted);
}

/* The variational integrator through the whole collision, 400 steps of 25 us: momenta within 1e-10, and the pairs part with the energy
 * they came with, to 1e-3 (a contact's force is not smooth, so second order shows as 1e-4 here). */
static void test_a_variational_collision_keeps_energy_and_momenta(void **state)
{
  bdem_contacts contacts;
  bdem_body body = collision(&contacts);
  bdem_step_solver *solver;
  bdem_implicit_options options = usual(25e-6);
  bdem_implicit_report report;
  scr_error error = {0};
  double energy = cluster_energy(&body), closest = 1.0;
  scr_vec3 momentum = cluster_momentum(&body), turning = cluster_angular_momentum(&body), normal;
  (void)state;
  options.tolerance = 1e-11;
  assert_int_equal(bdem_variational_create(&body, &solver, NULL), SCR_OK);
  for (int n = 0; n < 400; ++n) {
    if (bdem_variational_step(solver, &body, NULL, &options, &report, &error) != SCR_OK) fail_msg("%s", error.message);
    for (int k = 0; k < 4; ++k) closest = fmin(closest, -bdem_pair_overlap(&contacts.pairs[k], &body, &normal) / radius);
  }
  double change = fabs(cluster_energy(&body) - energy) / energy, size = 4.0 * body.mass[0];
  print_message("# overlap up to %.3f r, energy within %.1e\n", -closest, change);
  assert_true(closest < -0.01 && change < 1e-3 && bdem_pairs_energy(&contacts, &body) == 0.0);
  assert_true(vec3_length(vec3_sub(cluster_momentum(&body), momentum)) < 1e-10 * size);
  assert_true(vec3_length(vec3_sub(cluster_angular_momentum(&body), turning)) < 1e-10 * size * radius * 10.0);
  bdem_variational_destroy(solver);
  bdem_body_destroy(&body);
}

/* The three projections of manifold Newton share their minimum too. */
static void test_all_projections_find_the_same_minimum(void **state)
{
  bdem_implicit_options options = usual(2e-3);
  bdem_body wanted = moving(false);
  (void)state;
  solve(BDEM_OPTIMIZER_MANIFOLD_NEWTON, &wanted, &options);
  for (int projection = BDEM_PROJECTION_CLIPPED; projection <= BDEM_PROJECTION_GAUSS_NEWTON; ++projection) {
    bdem_body body = moving(false);
    options.projection = (bdem_projection)projection;
    solve(BDEM_OPTIMIZER_MANIFOLD_NEWTON, &body, &options);
    assert_true(cluster_distance(&body, &wanted) < 1e-6);
    bdem_body_destroy(&body);
  }
  bdem_body_destroy(&wanted);
}

/* A matrix kept and quasi-Newton steps save work, not accuracy: the same minimum as with a new matrix in every iteration, which takes
 * fewer iterations, since Newton's method converges quadratically. */
static void test_kept_matrices_change_no_result(void **state)
{
  bdem_implicit_options options = usual(2e-3);
  bdem_body wanted = moving(false), body = moving(false);
  (void)state;
  options.preconditioner = LA_MULTIGRID;
  bdem_implicit_report saving = solve(BDEM_OPTIMIZER_MANIFOLD_NEWTON, &body, &options);
  options.newton_only = true;
  bdem_implicit_report pure = solve(BDEM_OPTIMIZER_MANIFOLD_NEWTON, &wanted, &options);
  print_message("# %zu iterations, %zu with a new matrix in each\n", saving.newton_iterations, pure.newton_iterations);
  assert_true(pure.newton_iterations < saving.newton_iterations);
  assert_true(cluster_distance(&body, &wanted) < 1e-6);
  bdem_body_destroy(&body);
  bdem_body_destroy(&wanted);
}

/* The linear solver's preconditioner changes nothing but the time: the same minimum and the same variational step with each kind. */
static void test_preconditioners_change_no_result(void **state)
{
  bdem_implicit_options options = usual(2e-3);
  bdem_implicit_report report;
  bdem_body wanted = moving(false), middle = moving(false);
  (void)state;
  for (int kind = LA_BLOCK_JACOBI; kind <= LA_DIRECT; ++kind) {
    bdem_body body = moving(false), half = moving(false);
    bdem_step_solver *solver;
    options.preconditioner = (la_preconditioner_kind)kind;
    solve(BDEM_OPTIMIZER_ROTATION_VECTOR, kind == LA_BLOCK_JACOBI ? &wanted : &body, &options);
    assert_int_equal(bdem_variational_create(&half, &solver, NULL), SCR_OK);
    assert_int_equal(bdem_variational_step(solver, kind == LA_BLOCK_JACOBI ? &middle : &half, NULL, &options, &report, NULL), SCR_OK);
    if (kind != LA_BLOCK_JACOBI) assert_true(cluster_distance(&body, &wanted) < 1e-6 && cluster_distance(&half, &middle) < 1e-6);
    bdem_variational_destroy(solver);
    bdem_body_destroy(&body);
    bdem_body_destroy(&half);
  }
  bdem_body_destroy(&wanted);
  bdem_body_destroy(&middle);
}

/* Two bonded spheres that would twist against each other by 4 rad in the step, past the 180 degrees where the shear energy jumps. A stiff
 * bond holds them: the step starts from rest instead of the prediction, and ends on the side it began. A bond of 10 Pa can't: the step is
 * refused, never finished on the other side. A bond that starts beyond 168 degrees is refused by name. */
static void test_a_bond_stays_in_its_hemisphere(void **state)
{
  static const double moduli[] = {1e6, 10.0, 1e6};
  (void)state;
  for (int kind = 0; kind < BDEM_OPTIMIZER_COUNT; ++kind)
    for (int k = 0; k < 3; ++k) {
      bdem_body body = cluster_block(2, 1, 1, radius, moduli[k]);
      bdem_implicit_options options = usual(1e-2);
      bdem_implicit_report report;
      bdem_optimizer *optimizer;
      scr_error error = {0};
      options.force_scale = moduli[k] * radius * radius;
      options.tolerance = 1e-7;
      body.spin[0] = vec3(k < 2 ? 200 : 0, 0, 0);
      body.spin[1] = vec3(k < 2 ? -200 : 0, 0, 0);
      if (k == 2) body.orientation[1] = quat_exp(vec3(3.0, 0, 0));
      assert_int_equal(bdem_optimizer_create((bdem_optimizer_kind)kind, &body, &optimizer, NULL), SCR_OK);
      scr_status status = bdem_optimizer_step(optimizer, &body, NULL, &options, &blocks, &report, &error);
      assert_int_equal(status, k == 0 ? SCR_OK : SCR_DIVERGED);
      if (k < 2) assert_true(quat_dot(body.orientation[0], body.orientation[1]) > 0.1);
      if (k == 2) assert_non_null(strstr(error.message, "180 degrees"));
      bdem_optimizer_destroy(optimizer);
      bdem_body_destroy(&body);
    }
}

typedef struct trace {
  size_t calls;
  double last, seconds;
} trace;

static void record(void *context, const bdem_iteration *iteration)
{
  trace *t = context;
  assert_int_equal(iteration->iteration, t->calls);
  assert_true(iteration->seconds >= t->seconds);
  ++t->calls;
  t->last = iteration->residual;
  t->seconds = iteration->seconds;
}

/* The observer sees the start and every iteration, the last with the report's residual. */
static void test_the_observer_sees_every_iteration(void **state)
{
  (void)state;
  for (int kind = 0; kind < BDEM_OPTIMIZER_COUNT; ++kind) {
    trace t = {0};
    bdem_implicit_options options = usual(1e-3);
    options.observe = record;
    options.context = &t;
    bdem_body body = moving(true);
    bdem_implicit_report report = solve((bdem_optimizer_kind)kind, &body, &options);
    assert_int_equal(t.calls, report.newton_iterations + 1);
    assert_true(t.last == report.residual);
    bdem_body_destroy(&body);
  }
}

/* A failure leaves the body as it was to the last bit and says the limit reached: here one iteration, which is too few for anyone. */
static void test_a_failed_step_changes_nothing(void **state)
{
  (void)state;
  for (int kind = 0; kind < BDEM_OPTIMIZER_COUNT; ++kind) {
    bdem_body body = moving(false), before = moving(false);
    bdem_implicit_options options = usual(2e-3);
    bdem_implicit_report report;
    bdem_optimizer *optimizer;
    scr_error error = {0};
    options.iteration_limit = 1;
    assert_int_equal(bdem_optimizer_create((bdem_optimizer_kind)kind, &body, &optimizer, NULL), SCR_OK);
    assert_int_equal(bdem_optimizer_step(optimizer, &body, NULL, &options, &blocks, &report, &error), SCR_DIVERGED);
    assert_non_null(strstr(error.message, "did not converge after 1 iterations"));
    assert_memory_equal(body.position, before.position, body.sphere_count * sizeof *body.position);
    assert_memory_equal(body.orientation, before.orientation, body.sphere_count * sizeof *body.orientation);
    assert_memory_equal(body.velocity, before.velocity, body.sphere_count * sizeof *body.velocity);
    bdem_optimizer_destroy(optimizer);
    bdem_body_destroy(&body);
    bdem_body_destroy(&before);
  }
}

/* A body at rest stays: one iteration, no error. */
static void test_a_body_at_rest_stays(void **state)
{
  (void)state;
  for (int kind = 0; kind < BDEM_OPTIMIZER_COUNT; ++kind) {
    bdem_body body = cluster_block(4, 1, 1, radius, young), before = cluster_block(4, 1, 1, radius, young);
    bdem_implicit_options options = usual(1e-3);
    assert_int_equal(solve((bdem_optimizer_kind)kind, &body, &options).newton_iterations, 1);
    assert_true(cluster_distance(&body, &before) < 1e-12);
    bdem_body_destroy(&body);
    bdem_body_destroy(&before);
  }
}

/* A fixed penalty solves another problem: the true residual stays in proportion to 1/kappa, which is a failure, never a result. */
static void test_a_fixed_penalty_is_refused_with_its_residual(void **state)
{
  double residual[2];
  (void)state;
  for (int k = 0; k < 2; ++k) {
    bdem_body body = moving(false);
    bdem_implicit_options options = usual(2e-3);
    bdem_implicit_report report;
    bdem_optimizer *optimizer;
    scr_error error = {0};
    bdem_optimizer_tuning fixed = {.penalty_growth = 1.0, .penalty_weight = k == 0 ? 1.0 : 100.0};
    assert_int_equal(bdem_optimizer_create(BDEM_OPTIMIZER_PENALTY, &body, &optimizer, NULL), SCR_OK);
    assert_int_equal(bdem_optimizer_step(optimizer, &body, NULL, &options, &fixed, &report, &error), SCR_DIVERGED);
    assert_non_null(strstr(error.message, "unit quaternions"));
    residual[k] = report.residual;
    bdem_optimizer_destroy(optimizer);
    bdem_body_destroy(&body);
  }
  print_message("# residual with kappa 1 and 100: %.3e, %.3e\n", residual[0], residual[1]);
  assert_true(residual[0] / residual[1] > 50.0 && residual[0] / residual[1] < 200.0);
}

/* Options out of range, and rotations held in part by those that can't, are named. */
static void test_bad_options_are_named(void **state)
{
  bdem_body body = moving(true);
  bdem_implicit_report report;
  (void)state;
  for (int bad = 0; bad < 4; ++bad) {
    bdem_optimizer *optimizer;
    bdem_implicit_options options = usual(1e-3);
    scr_error error = {0};
    static const char *const words[] = {"penalty", "linear solver", "time step", "held about some axes"};
    bdem_optimizer_tuning tuning = {.penalty_growth = bad == 0 ? 0.5 : 0.0};
    if (bad == 1) options.linear_tolerance = 1.0;
    if (bad == 2) options.time_step = NAN;
    if (bad == 3) body.held[1] = 8;
    assert_int_equal(bdem_optimizer_create(BDEM_OPTIMIZER_LAGRANGE, &body, &optimizer, NULL), SCR_OK);
    assert_int_equal(bdem_optimizer_step(optimizer, &body, NULL, &options, &tuning, &report, &error), SCR_BAD_USAGE);
    assert_non_null(strstr(error.message, words[bad]));
    bdem_optimizer_destroy(optimizer);
  }
  bdem_body_destroy(&body);
}

SUITE(test_bdem_optimizers)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_optimizers_find_the_same_minimum),
      cmocka_unit_test(test_all_optimizers_solve_a_collision),
      cmocka_unit_test(test_a_variational_collision_keeps_energy_and_momenta),
      cmocka_unit_test(test_all_projections_find_the_same_minimum),
      cmocka_unit_test(test_kept_matrices_change_no_result),
      cmocka_unit_test(test_preconditioners_change_no_result),
      cmocka_unit_test(test_a_bond_stays_in_its_hemisphere),
      cmocka_unit_test(test_the_observer_sees_every_iteration),
      cmocka_unit_test(test_a_failed_step_changes_nothing),
      cmocka_unit_test(test_a_body_at_rest_stays),
      cmocka_unit_test(test_a_fixed_penalty_is_refused_with_its_residual),
      cmocka_unit_test(test_bad_options_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
