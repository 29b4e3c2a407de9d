/* The porosity profile of method rigid against solids whose slices have closed forms. */
#include "methods/rigid/view/profile.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define SCENE(shape, more, rig, options)                                                                                                   \
  "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 1000}], "                         \
  "\"contact\": {\"friction_coefficient\": 0.4}, \"specimens\": [{\"name\": \"s\", \"material\": \"m\", \"shape\": " shape ", " more       \
  "}], "                                                                                                                                   \
  "\"rig\": " rig                                                                                                                          \
  ", \"time\": {\"duration\": 0.01, \"time_step\": 0.001}, \"output\": {\"frame_interval\": 0.01, \"sample_interval\": 0.01}" options "}"
#define FREE "{\"type\": \"none\"}"
#define ALONE "\"placement\": {\"type\": \"single\", \"position\": [0.3, -0.2, 0.7]}"

/* Volume of solid in each layer, m^3. */
static void solid_of(const sim_run *r, int axis, size_t layers, double *solid)
{
  const rigid_state *s = r->sim->state;
  geo_box box = rigid_bed_box(s);
  scr_vec3 edge = vec3_sub(box.high, box.low);
  double low, thickness, porosity[RIGID_LAYER_LIMIT];
  rigid_porosity(s, axis, layers, &low, &thickness, porosity);
  const double from[3] = {box.low.x, box.low.y, box.low.z}, extent[3] = {edge.x, edge.y, edge.z};
  assert_true(low == from[axis] && fabs(thickness * (double)layers - extent[axis]) < 1e-15);
  for (size_t k = 0; k < layers; k++) solid[k] = (1 - porosity[k]) * edge.x * edge.y * edge.z / (double)layers;
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) {
    print_message("# %.17g instead of %.17g\n", value, expected);
    fail();
  }
}

/* Balls of a simple cubic lattice that touch: every layer as thick as a ball, or half one, has 1 - pi/6 of voids. Layers a quarter of a
 * ball thick cut caps of height R/2, of pi h^2 (R - h/3) = 5 pi/24 R^3, and what is left of the half, 11 pi/24 R^3, out of cells of 2 R^3.
 * */
static void test_layers_of_a_simple_cubic_lattice_have_its_voids(void **state)
{
  (void)state;
  sim_run r = run_open(
      SCENE("{\"type\": \"sphere\", \"radius\": 0.05}",
            "\"placement\": {\"type\": \"lattice\", \"origin\": [0, 0, 0], \"pitch\": [0.1, 0.1, 0.1], \"count\": [4, 4, 4]}", FREE, ""),
      1);
  for (int axis = 0; axis < 3; axis++) {
    double low, thickness, porosity[16];
    for (size_t layers = 4; layers <= 8; layers += 4) {
      rigid_porosity(r.sim->state, axis, layers, &low, &thickness, porosity);
      assert_near(low, -0.05, 1e-15);
      for (size_t k = 0; k < layers; k++) assert_near(porosity[k], 1 - M_PI / 6, 1e-12);
    }
    rigid_porosity(r.sim->state, axis, 16, &low, &thickness, porosity);
    for (size_t k = 0; k < 16; k++) assert_near(porosity[k], 1 - (k % 4 == 0 || k % 4 == 3 ? 5 : 11) * M_PI / 48, 1e-12);
  }
  run_close(&r);
}

/* A cube of edge 0.1 on its corner is sqrt 3 edges high; the lowest third of that height holds the tetrahedron of three edges, a sixth of
 * the cube. */
static void test_a_cube_on_its_corner_is_cut_exactly(void **state)
{
  (void)state;
  sim_run r = run_open(SCENE("{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}",
                             ALONE ", \"rotation\": {\"axis\": [1, -1, 0], \"angle_deg\": 54.735610317245346}", FREE, ""),
                       1);
  double solid[3];
  solid_of(&r, 2, 3, solid);
  assert_near(solid[0], 1e-3 / 6, 1e-15);
  assert_near(solid[1], 4e-3 / 6, 1e-15);
  assert_near(solid[2], 1e-3 / 6, 1e-15);
  run_close(&r);
}

/* An upright capsule of radius 0.05 and segment 0.1: layers of a radius are half a ball, rod, rod, half a ball. It is cut as it is drawn,
 * in facets: 2.5 % of a layer. */
static void test_an_upright_capsule_is_cut_to_its_facets(void **state)
{
  (void)state;
  sim_run r = run_open(SCENE("{\"type\": \"capsule\", \"radius\": 0.05, \"length\": 0.1}", ALONE, FREE, ""), 1);
  double solid[4], half_ball = 2 * M_PI / 3 * 1.25e-4, rod = M_PI * 1.25e-4;
  solid_of(&r, 2, 4, solid);
  assert_near(solid[0], half_ball, 0.025 * half_ball);
  assert_near(solid[1], rod, 0.025 * rod);
  assert_near(solid[2], solid[1], 1e-12 * rod);
  assert_near(solid[3], solid[0], 1e-12 * rod);
  run_close(&r);
}

/* Bodies of all kinds and sizes in any attitude: the layers' solid sums to the bodies' volume, so that their mean is the curve `porosity`;
 * whichever axis, however many layers; and a run adds the rows at every frame. */
static void test_the_mean_of_the_layers_is_the_porosity(void **state)
{
  (void)state;
  static const char *const shapes[] = {
      SCENE("{\"type\": \"compound\", \"pieces\": [{\"shape\": {\"type\": \"cylinder\", \"radius\": 0.01, \"length\": 0.08}}, {\"shape\": "
            "{\"type\": \"capsule\", \"radius\": 0.01, "
            "\"length\": 0.04}, \"position\": [0, 0, 0.05], \"rotation\": {\"axis\": [1, 0, 0], \"angle_deg\": 90}}]}",
            "\"random_rotation\": true, \"smallest_scale\": 0.5, \"largest_scale\": 1.5, \"placement\": {\"type\": \"lattice\", "
            "\"origin\": [0, 0, 0], \"pitch\": [0.2, 0.2, 0.2], \"count\": [3, 2, 2]}",
            FREE, ", \"options\": {\"porosity_layers\": 7, \"porosity_axis\": \"x\"}"),
      SCENE("{\"type\": \"sphere\", \"radius\": 0.05}",
            "\"smallest_scale\": 0.5, \"largest_scale\": 1.5, \"placement\": {\"type\": \"lattice\", \"origin\": [0, 0, 0], \"pitch\": "
            "[0.2, 0.2, 0.2], "
            "\"count\": [3, 2, 2]}",
            FREE, ", \"options\": {\"porosity_layers\": 7}"),
  };
  for (size_t k = 0; k < 2; k++) {
    sim_run r = run_open(shapes[k], 1);
    const rigid_state *s = r.sim->state;
    double low, thickness, porosity[RIGID_LAYER_LIMIT];
    run_steps(&r, 5);
    for (int axis = 0; axis < 3; axis++)
      for (size_t layers = 1; layers <= 100; layers = layers * 7 + 1) {
        double mean = 0;
        rigid_porosity(s, axis, layers, &low, &thickness, porosity);
        for (size_t n = 0; n < layers; n++) mean += porosity[n] / (double)layers;
        assert_near(mean, run_curve(&r, "porosity"), 1e-12);
      }
    assert_int_equal(r.sim->tables[s->porosity_table].table.row_count, 0);
    assert_int_equal(rigid_tabulate(r.sim, NULL), SCR_OK);
    assert_int_equal(r.sim->tables[s->porosity_table].table.row_count, 7);
    run_close(&r);
  }
}

SUITE(test_rigid_porosity)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layers_of_a_simple_cubic_lattice_have_its_voids),
      cmocka_unit_test(test_a_cube_on_its_corner_is_cut_exactly),
      cmocka_unit_test(test_an_upright_capsule_is_cut_to_its_facets),
      cmocka_unit_test(test_the_mean_of_the_layers_is_the_porosity),
  };
  return cmocka_run_group_tests_name("rigid porosity", tests, NULL, NULL);
}
