/* What solvers of implicit steps say of their work, where it is known: a quadratic problem takes one Newton iteration, and what
 * implicit Euler takes out of a vibration is a closed form. */
#include "methods/fem/state/state.h"
#include "tests/support/bdem_run.h"
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

/* Two bonded spheres of radius r that part at u along their bond, the only motion: w^2 = 2 k / m, k = E pi r^2 / (2 r). Its energy is
 * quadratic, so one Newton iteration solves a step, of one search direction and one trial point, in one piece; what is left is rounding
 * of k u dt, over E r^2. Implicit Euler leaves 1 / (1 + (w dt)^2) of the energy in each step, energy.numerical has the rest. To the
 * square of the strain, 1e-6. */
static void test_a_step_of_a_quadratic_problem(void **state)
{
  (void)state;
  const double dt = 2e-4, E = 1e7, u = 4e-4;
  bdem_run r =
      run_open("{\"scree\":1,\"name\":\"pair\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e7}],"
               "\"specimens\":[{\"name\":\"pair\","
               "\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.041,0.0201,0.0201]}}],\"rig\":{\"type\":"
               "\"none\"},\"time\":{\"duration\":1,"
               "\"time_step\":2e-4},\"options\":{\"breakable\":false,\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\"}}",
               1);
  bdem_body *body = &run_state(&r)->body;
  assert_true(body->sphere_count == 2 && body->bond_count == 1);
  scr_vec3 apart = vec3_sub(body->position[1], body->position[0]), along = vec3_scale(apart, 1 / vec3_length(apart));
  const double m = body->mass[0], radius = body->radius[0], k = E * M_PI * radius / 2, share = 1 / (1 + 2 * k / m * dt * dt);
  body->velocity[0] = vec3_scale(along, -0.5 * u);
  body->velocity[1] = vec3_scale(along, 0.5 * u);
  double start = run_curve(&r, "energy.kinetic"), left = 1;
  claim_relative("two bonded spheres that part: energy.kinetic, J", start, m * 0.25 * u * u, 1e-9, "m v^2 / 2 each");
  for (int n = 0; n < 5; n++) {
    run_steps(&r, 1);
    left *= share;
    claim_relative("two bonded spheres: energy.numerical, J", run_curve(&r, "energy.numerical"), start * (1 - left), 1e-6,
                   "1/(1 + (w dt)^2) is left");
    claim_absolute("two bonded spheres: newton_iterations", run_value(&r, "newton_iterations"), 1, 0, "quadratic");
    claim_absolute("two bonded spheres: cg_iterations", run_value(&r, "cg_iterations"), 1, 0, "one direction");
    claim_absolute("two bonded spheres: line_search_steps", run_value(&r, "line_search_steps"), 1, 0, "the whole step");
    claim_absolute("two bonded spheres: substeps", run_value(&r, "substeps"), 1, 0, "one piece");
    claim_between("two bonded spheres: residual", run_value(&r, "residual"), 0, 1e-12, "rounding");
  }
  run_close(&r);
}

/* A ball of 0.1 m/s pushes a second one against a third, which is 1e-8 m away. Newton's first iteration does not know of the third yet,
 * and a tolerance of 1e-3 ends there: what is left is the force of the overlap that it ran into, k u by the places at the end, k = E r,
 * over E r^2. */
static void test_the_residual_is_the_force_that_is_left(void **state)
{
  (void)state;
  const double E = 1e7, radius = 0.01, k = E * radius;
  bdem_run r = run_open(
      "{\"scree\":1,\"name\":\"row\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":7800,\"young_modulus\":1e7}],"
      "\"contact\":{\"damping_ratio\":0,\"friction_coefficient\":0},\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":"
      "0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"placement\":{\"type\":\"list\",\"positions\":[[-0.02,0,0],[0,0,0],"
      "[0.02000001,0,0]]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1,\"time_step\":1e-4},\"options\":{\"constants_of\":"
      "\"bonds\",\"sphere_mass\":\"ball\",\"integrator\":\"implicit-euler\",\"tolerance\":1e-3,\"impacts\":\"implicit\"}}",
      1);
  bdem_body *body = &run_state(&r)->body;
  body->velocity[0] = vec3(0.1, 0, 0);
  run_steps(&r, 1);
  double overlap = 2 * radius - (body->position[2].x - body->position[1].x);
  claim_between("ball pushed against a third: overlap over the gap that there was", overlap / 1e-8, 10, 1000, "it was not foreseen");
  claim_absolute("ball pushed against a third: newton_iterations", run_curve(&r, "newton_iterations"), 1, 0, "the first is good enough");
  claim_relative("ball pushed against a third: residual", run_value(&r, "residual"), k * overlap / (E * radius * radius), 1e-6,
                 "k u over E r^2");
  run_close(&r);
}

/* A linear elastic block that rings: one Newton iteration a step. */
static void test_a_step_of_a_linear_body(void **state)
{
  (void)state;
  fem_scene scene = {
      .young = 1e6, .density = 1000, .size = {0.1, 0.1, 0.1}, .cells = {2, 2, 2}, .law = "linear", .step = 1e-3, .duration = 1};
  sim_run r = fem_open(&scene, 1);
  fem_state *s = r.sim->state;
  for (size_t n = 0; n < s->system.node_count; n++) s->motion.velocity[3 * n] = 2 * s->system.rest[3 * n];
  for (int k = 0; k < 5; k++) {
    run_steps(&r, 1);
    claim_absolute("ringing block: newton_iterations", run_curve(&r, "newton_iterations"), 1, 0, "linear");
  }
  run_close(&r);
}

/* A column on a floor pressed by seven times what buckles it, quite straight, in steps so long that its mass does not help: its
 * stiffness has negative eigenvalues, so every step needs clamped tangents. The curve counts the factorisations that the rows of the
 * table have. */
static void test_clamped_tangents_are_counted(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e5,
                     .density = 1000,
                     .size = {0.01, 0.01, 0.08},
                     .cells = {1, 1, 8},
                     .place = {0, 0, 0.04},
                     .step = 10,
                     .duration = 30,
                     .load = ", \"load_side\": \"z_max\", \"load\": [0, 0, -0.22]",
                     .obstacles = FEM_FLOOR};
  sim_run r = fem_open(&scene, 1);
  size_t table = 0;
  double sum = 0;
  while (table < r.sim->table_count && strcmp(r.sim->tables[table].table.name, "clamped_tangents") != 0) table++;
  assert_true(table < r.sim->table_count);
  run_steps(&r, 3);
  const table_log *log = &r.sim->tables[table];
  for (size_t k = 0; k < log->table.row_count; k++) sum += log->table.values[k * log->table.column_count + 1];
  assert_true(sum > 0);
  claim_absolute("buckling column: clamped_tangents", run_curve(&r, "clamped_tangents"), sum, 0, "rows of the table");
  run_close(&r);
}

SUITE(test_solver_curves)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_step_of_a_quadratic_problem),
      cmocka_unit_test(test_the_residual_is_the_force_that_is_left),
      cmocka_unit_test(test_a_step_of_a_linear_body),
      cmocka_unit_test(test_clamped_tangents_are_counted),
  };
  return cmocka_run_group_tests_name("solver curves", tests, NULL, NULL);
}
