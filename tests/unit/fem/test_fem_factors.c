/* Factors of the method fem: how many a run makes, and that results do not depend on how old they are. */
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

#include <math.h>

#include "methods/fem/state/state.h"

static const fem_solver *solver_of(const sim_run *r)
{
  return &((const fem_state *)r->sim->state)->solver;
}

/* A bar that a grip holds at one end and a load bends at the other, in equilibrium from the start. */
static fem_scene loaded_bar(const char *law)
{
  return (fem_scene){.young = 1e6,
                     .nu = 0.3,
                     .density = 1000,
                     .size = {0.08, 0.02, 0.02},
                     .cells = {8, 2, 2},
                     .rig = "\"type\": \"grips\", \"axis\": \"x\", \"low_end\": -0.0399",
                     .step = 1e-4,
                     .duration = 1e-4,
                     .law = law,
                     .element = "incompatible-modes",
                     .load = ", \"load_side\": \"x_max\", \"load\": [0, 0, -0.01]",
                     .options = ", \"loading\": \"static\", \"release\": false"};
}

/* One matrix, one factor: that what is left is small needs none, nor does a step that finds everything at rest. */
static void test_one_static_step_of_a_linear_body_makes_one_factor(void **state)
{
  (void)state;
  fem_scene scene = loaded_bar("linear");
  sim_run r = fem_open(&scene, 1);
  run_steps(&r, 1);
  assert_int_equal(solver_of(&r)->factor_count, 1);
  /* P L^3/(3 E I) = 0.128 mm, and what shear and the ends add */
  double deflection = 0.01 * pow(0.08, 3) / (3 * 1e6 * pow(0.02, 4) / 12), found = run_curve(&r, "largest_displacement");
  assert_true(found > 0.9 * deflection && found < 1.15 * deflection);
  run_close(&r);
}

/* A load that bends the bar by more than half an element takes several iterations, as none goes farther; the matrix is the same in all. */
static void test_iterations_of_a_linear_equilibrium_share_a_factor(void **state)
{
  (void)state;
  fem_scene near = loaded_bar("linear"), far = loaded_bar("linear");
  far.load = ", \"load_side\": \"x_max\", \"load\": [0, 0, -1]";
  sim_run r = fem_open(&near, 1), s = fem_open(&far, 1);
  run_steps(&r, 1);
  run_steps(&s, 1);
  assert_int_equal(solver_of(&s)->factor_count, 1);
  assert_true(fabs(run_curve(&s, "largest_displacement") / run_curve(&r, "largest_displacement") - 100) < 1e-6);
  run_close(&r);
  run_close(&s);
}

/* The block falls flat onto the floor and stays: strains are below a hundredth. */
static fem_scene landing(void)
{
  return (fem_scene){.young = 1e5,
                     .nu = 0.3,
                     .density = 1000,
                     .damping = 5e-4,
                     .size = {0.05, 0.05, 0.05},
                     .cells = {3, 3, 3},
                     .place = {0, 0, 0.0251},
                     .velocity = {0.02, 0.01, -0.05},
                     .gravity = {0, 0, -9.81},
                     .friction = 0.3,
                     .step = 1e-3,
                     .duration = 1,
                     .element = "incompatible-modes",
                     .obstacles = FEM_FLOOR};
}

/* At small strain one factor serves all steps, and where nodes are does not depend on its age: against a run that makes a new one in every
 * step, to a hundredth of the tolerance of Newton's method, 1e-8 of an edge. Until nodes leave the floor again: whether one that is about
 * to is still hit is yes or no. */
static void test_small_strains_keep_their_factor(void **state)
{
  (void)state;
  enum { STEPS = 20 };
  fem_scene scene = landing();
  sim_run kept = fem_open(&scene, 1), anew = fem_open(&scene, 1);
  for (int k = 0; k < STEPS; k++) {
    fem_discard_factor(&((fem_state *)anew.sim->state)->solver);
    run_steps(&kept, 1), run_steps(&anew, 1);
  }
  assert_true(solver_of(&kept)->touches.count > 0);
  assert_true(solver_of(&kept)->factor_count <= 2);
  assert_true(solver_of(&anew)->factor_count >= STEPS);
  double worst = 0;
  for (size_t k = 0; k < solver_of(&kept)->unknown_count; k++)
    worst = fmax(worst, fabs(solver_of(&kept)->motion->displacement[k] - solver_of(&anew)->motion->displacement[k]));
  if (!(worst <= 1e-10 * 0.05 / 3)) fail_msg("nodes are %.3g m apart", worst);
  run_close(&kept), run_close(&anew);
}

/* A block that turns by a radian, bends much and is pressed makes new factors as it needs them. */
static void test_large_strains_make_new_factors(void **state)
{
  (void)state;
  fem_scene scene = landing();
  scene.young = 5e3, scene.velocity[2] = -0.5;
  sim_run r = fem_open(&scene, 1);
  run_steps(&r, 30);
  assert_true(solver_of(&r)->factor_count > 5);
  assert_true(run_curve(&r, "halved_steps") == 0);
  run_close(&r);
}

SUITE(test_fem_factors)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_static_step_of_a_linear_body_makes_one_factor),
      cmocka_unit_test(test_iterations_of_a_linear_equilibrium_share_a_factor),
      cmocka_unit_test(test_small_strains_keep_their_factor),
      cmocka_unit_test(test_large_strains_make_new_factors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
