/* What runs of the method fem say of contacts: the area that is pressed, forces from the very start. */
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

#include <math.h>

static const double weight = 9.81 * 1000 * 0.04 * 0.04 * 0.03; /* N, of the block */

static void assert_near(double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%.12g found, %.12g wanted, to %.2g", found, wanted, tolerance);
}

/* A block on the floor, in equilibrium under its weight from the start. */
static fem_scene resting(void)
{
  return (fem_scene){.young = 1e6,
                     .nu = 0.3,
                     .density = 1000,
                     .damping = 1e-3,
                     .size = {0.04, 0.04, 0.03},
                     .cells = {4, 4, 3},
                     .place = {0, 0, 0.015},
                     .gravity = {0, 0, -9.81},
                     .friction = 0.5,
                     .step = 1e-3,
                     .duration = 1,
                     .obstacles = FEM_FLOOR,
                     .options = ", \"loading\": \"static\""};
}

/* A block of n x n elements that lies on its face touches with that face, not with its sides as well (1 + 2/n of it). */
static void test_a_block_on_its_face_touches_with_its_face(void **state)
{
  (void)state;
  fem_scene scene = resting();
  sim_run r = fem_open(&scene, 1);
  assert_near(run_curve(&r, "contact_area"), 0.04 * 0.04, 1e-12);
  run_steps(&r, 5);
  assert_near(run_curve(&r, "contact_area"), 0.04 * 0.04, 1e-12);
  run_close(&r);
}

/* Two blocks on each other and on the floor: both surfaces are in contact between them, which is one area. */
static void test_the_area_between_two_blocks_counts_once(void **state)
{
  (void)state;
  sim_run r = run_open("{ \"scree\": 1, \"name\": \"stack\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, "
                       "\"young_modulus\": 1e6,"
                       " \"stiffness_damping\": 1e-3 } ], \"contact\": { \"friction_coefficient\": 0.5 },"
                       " \"specimens\": [ { \"name\": \"low\", \"material\": \"m\", \"divisions\": [3, 3, 3], \"shape\": { \"type\": "
                       "\"box\", \"size\": [0.03, 0.03, 0.03] },"
                       " \"placement\": { \"type\": \"single\", \"position\": [0, 0, 0.015] } },"
                       " { \"name\": \"high\", \"material\": \"m\", \"divisions\": [2, 2, 2], \"shape\": { \"type\": \"box\", \"size\": "
                       "[0.02, 0.02, 0.02] },"
                       " \"placement\": { \"type\": \"single\", \"position\": [0, 0, 0.04] } } ],"
                       " \"rig\": { \"type\": \"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ " FEM_FLOOR
                       " ], \"time\": { \"duration\": 1, \"time_step\": 1e-3 } }",
                       1);
  run_steps(&r, 40);
  /* the interface by the nodes of the upper block: 0.02^2; by those of the lower one that are under it, 2 x 2 of them, 4 x 0.01^2 */
  assert_near(run_curve(&r, "contact_area"), 0.03 * 0.03 + 0.02 * 0.02, 1e-9);
  run_close(&r);
}

/* A block on an edge touches along a line. */
static void test_an_edge_has_no_area(void **state)
{
  (void)state;
  fem_scene scene = resting();
  scene.options = NULL;
  scene.size[0] = scene.size[2] = 0.04;
  scene.angle = 45;
  scene.place[2] = 0.02 * sqrt(2.0) + 1e-6;
  sim_run r = fem_open(&scene, 1);
  run_steps(&r, 3);
  assert_near(run_curve(&r, "contacts"), 5, 0);
  assert_near(run_curve(&r, "contact_area"), 0, 0);
  run_close(&r);
}

/* The equilibrium that a run starts from has its forces: those of contacts, and those of the parts that feel them. They are the weight;
 * the static search leaves 1e-9 of the load. */
static void test_static_loading_has_its_forces_from_the_start(void **state)
{
  (void)state;
  fem_scene scene = resting();
  sim_run r = fem_open(&scene, 1);
  assert_near(run_curve(&r, "contact_force"), weight, 1e-8 * weight);
  assert_near(run_value(&r, "obstacle.floor.force_z"), -weight, 1e-8 * weight);
  assert_near(run_value(&r, "contacts"), 25, 0);
  run_close(&r);
}

/* The same of what grips hold: a beam that is clamped at one end hangs on its grip with all its weight. */
static void test_static_loading_has_the_forces_of_grips_from_the_start(void **state)
{
  (void)state;
  fem_scene scene = resting();
  scene.obstacles = NULL;
  scene.place[0] = 0.02;
  scene.rig = "\"type\": \"grips\", \"axis\": \"x\", \"low_end\": 1e-6";
  sim_run r = fem_open(&scene, 1);
  run_observe(&r);
  assert_near(run_value(&r, "grip.low.force_z"), -weight, 1e-8 * weight);
  assert_near(run_value(&r, "grip.low.force_x"), 0, 1e-6 * weight);
  run_close(&r);
}

/* What the equilibrium shows, the first step does not start from: an interruption before it leaves no trace. */
static void test_an_interruption_before_the_first_step_leaves_no_trace(void **state)
{
  (void)state;
  fem_scene scene = resting();
  sim_run whole = fem_open(&scene, 1), later = fem_open(&scene, 1);
  scr_blob blob = {0};
  assert_int_equal(sim_save(whole.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(later.sim, &blob, NULL), SCR_OK);
  assert_near(run_curve(&later, "contact_force"), weight, 1e-8 * weight);
  run_steps(&whole, 3), run_steps(&later, 3);
  assert_same_state(whole.sim, later.sim);
  scr_blob_destroy(&blob);
  run_close(&whole), run_close(&later);
}

SUITE(test_fem_contacts)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_block_on_its_face_touches_with_its_face),
      cmocka_unit_test(test_the_area_between_two_blocks_counts_once),
      cmocka_unit_test(test_an_edge_has_no_area),
      cmocka_unit_test(test_static_loading_has_its_forces_from_the_start),
      cmocka_unit_test(test_static_loading_has_the_forces_of_grips_from_the_start),
      cmocka_unit_test(test_an_interruption_before_the_first_step_leaves_no_trace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
