/* Runs with obstacles of every kind and a specimen given as a mesh, under both methods: the same bits for any number of threads and after a
 * restart; what is drawn; what peridem feels of a mesh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/sim.h"
#include "tests/support/obstacle_scene.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A wedge comes down on a body above a plane, a box, a ball and a rod. */
#define WEDGE                                                                                                                              \
  "{\"type\":\"mesh\",\"scale\":0.01,\"vertices\":[[0,-9,-3],[-2,-9,3],[2,-9,3],[0,9,-3],[-2,9,3],[2,9,3]],"                               \
  "\"triangles\":[[0,2,1],[3,4,5],[0,1,4],[0,4,3],[0,3,5],[0,5,2],[1,2,5],[1,5,4]]}"
#define OBSTACLES                                                                                                                          \
  "\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"},\"position\":[0,0,-0.12]},"                                           \
  "{\"name\":\"wedge\",\"shape\":" WEDGE ",\"position\":[0.003,0,0.072],\"direction\":[0.1,0,-1],"                                         \
  "\"program\":[{\"type\":\"ramp\",\"velocity\":1,\"duration\":0.002},{\"type\":\"constant\",\"velocity\":1}]},"                           \
  "{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.04},\"position\":[-0.04,0.01,-0.082]},"                                  \
  "{\"name\":\"rod\",\"shape\":{\"type\":\"cylinder\",\"radius\":0.04,\"length\":0.2},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":80},"   \
  "\"position\":[0.045,0,-0.086]},"                                                                                                        \
  "{\"name\":\"block\",\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},\"rotation\":{\"axis\":[1,1,0],\"angle_deg\":30},"           \
  "\"position\":[0.09,0,0]}],"
/* An octahedron. */
#define SPECIMEN                                                                                                                           \
  "{\"type\":\"mesh\",\"vertices\":[[0.07,0,0],[-0.07,0,0],[0,0.06,0],[0,-0.06,0],[0,0,0.035],[0,0,-0.035]],"                              \
  "\"triangles\":[[0,2,4],[2,1,4],[1,3,4],[3,0,4],[2,0,5],[1,2,5],[3,1,5],[0,3,5]]}"

typedef struct run {
  scr_scene *scene;
  scr_sim *sim;
  double *values;
} run;

static run open_run(const char *method, const char *options, const char *rig, unsigned threads)
{
  char text[4800];
  run r = {0};
  scr_problems problems = {0};
  snprintf(
      text, sizeof text,
      "{\"name\":\"o\",\"method\":\"%s\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e6,\"fracture_energy\":0.02,"
      "\"tensile_strength\":1e4,\"shear_strength\":1e4}],\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.2},"
      "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.01,\"shape\":" SPECIMEN "}],\"rig\":%s," OBSTACLES
      "\"time\":{\"duration\":1},\"options\":{%s}}",
      method, rig, options);
  if (scr_scene_parse(text, strlen(text), NULL, &r.scene, &problems) != SCR_OK) {
    for (size_t k = 0; k < problems.count; k++) print_message("# %s: %s\n", problems.items[k].pointer, problems.items[k].detail);
    fail();
  }
  assert_int_equal(scr_sim_create(r.scene, threads, &r.sim, NULL), SCR_OK);
  r.values = calloc(scr_sim_series_count(r.sim), sizeof *r.values);
  assert_non_null(r.values);
  return r;
}

static void close_run(run *r)
{
  scr_sim_destroy(r->sim);
  scr_scene_destroy(r->scene);
  free(r->values);
}

static void steps(run *r, int count)
{
  scr_error error = {0};
  for (int k = 0; k < count; k++)
    if (scr_sim_step(r->sim, &error) != SCR_OK) fail_msg("%s", error.message);
}

static double value(run *r, const char *name)
{
  long k = sim_find_series(r->sim, name);
  assert_true(k >= 0);
  scr_sim_observe(r->sim, r->values);
  return r->values[k];
}

static void assert_same(const run *one, const run *other)
{
  assert_same_state(one->sim, other->sim);
}

/* One thread through; two threads through; and two threads from what the first saved half way, with the wedge moving. */
static void check(const char *method, const char *options, const char *rig, int half)
{
  run one = open_run(method, options, rig, 1), two = open_run(method, options, rig, 2), resumed = open_run(method, options, rig, 2);
  scr_blob blob = {0};
  double peak = 0;
  for (int k = 0; k < half; k++) {
    steps(&one, 1);
    peak = fmax(peak, value(&one, "obstacle.wedge.force_z"));
  }
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(resumed.sim, &blob, NULL), SCR_OK);
  steps(&one, half);
  steps(&two, 2 * half);
  steps(&resumed, half);
  assert_same(&one, &two);
  assert_same(&one, &resumed);
  print_message("# %s, %s: wedge up to %.3g N, %g bonds broken, energy balance %.2g\n", method, options, peak, value(&one, "broken_bonds"),
                value(&one, "energy.balance_error"));
  assert_true(peak > 1);
  assert_true(fabs(value(&one, "energy.balance_error")) < 0.01); /* the work of friction on a moving, inclined face is accounted for */
  scr_blob_destroy(&blob);
  close_run(&one);
  close_run(&two);
  close_run(&resumed);
}

#define FALL "{\"type\":\"none\",\"gravity\":[0,0,-9.81]}"
#define HELD "{\"type\":\"grips\",\"axis\":\"y\",\"low_end\":-0.04}"

static void test_bonded_spheres_repeat_to_the_bit(void **state)
{
  (void)state;
  check("bdem", "", FALL, 2 * 170);
  check("bdem", "\"integrator\":\"implicit-euler\",\"step_ratio\":10,\"breakable\":false", FALL, 14);
  check("bdem", "", HELD, 2 * 170);
}

static void test_peridynamic_nodes_repeat_to_the_bit(void **state)
{
  (void)state;
  check("peridem", "\"breakable\":false", FALL, 220);
  check("peridem", "", HELD, 220);
}

static const scr_drawable *drawable_of(const run *r, uint32_t kind)
{
  for (size_t k = 0; k < r->sim->drawable_count; k++)
    if (r->sim->drawables[k].kind == kind) return &r->sim->drawables[k];
  fail_msg("no drawable of kind %u", kind);
  return NULL;
}

/* The wedge, the ball and the block are bodies of triangles, the floor a plane, the rod a cylinder. */
static void test_every_obstacle_is_drawn(void **state)
{
  (void)state;
  run r = open_run("bdem", "", FALL, 1);
  const scr_drawable *bodies = drawable_of(&r, SCR_DRAW_MESH);
  assert_int_equal(bodies->element_count, 3);
  assert_string_equal(bodies->meshes[0].name, "wedge");
  assert_int_equal(bodies->meshes[0].mesh.triangle_count, 8);
  for (int k = 0; k < 3; k++) assert_int_equal(geo_mesh_check(&bodies->meshes[k].mesh, NULL), SCR_OK);
  assert_int_equal(drawable_of(&r, SCR_DRAW_PLANES)->element_count, 1);
  assert_int_equal(drawable_of(&r, SCR_DRAW_CYLINDERS)->element_count, 1);
  close_run(&r);
}

/* A brick lands on a box, and on the same as a mesh: distances are the same but for round-off, so are the forces. */
static void test_a_peridynamic_brick_feels_a_box_and_its_mesh_alike(void **state)
{
  (void)state;
  static const char *const shapes[2] = {OBSTACLE_BOX, OBSTACLE_MESH_BOX};
  double force[2], moment[2];
  for (int k = 0; k < 2; k++) {
    char text[2400];
    run r = {0};
    scr_problems problems = {0};
    snprintf(text, sizeof text,
             "{\"name\":\"b\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e6}],"
             "\"contact\":{\"friction_coefficient\":0.3},\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.02,"
             "\"shape\":{\"type\":\"box\",\"size\":[0.1,0.1,0.1]},\"placement\":{\"type\":\"single\",\"position\":[0.18,0.02,0.168]},"
             "\"velocity\":[0.3,0,-2]}],\"obstacles\":[{\"name\":\"o\",\"shape\":%s}],\"time\":{\"duration\":1}}",
             shapes[k]);
    if (scr_scene_parse(text, strlen(text), NULL, &r.scene, &problems) != SCR_OK) fail_msg("%s", problems.items[0].detail);
    assert_int_equal(scr_sim_create(r.scene, 1, &r.sim, NULL), SCR_OK);
    r.values = calloc(scr_sim_series_count(r.sim), sizeof *r.values);
    assert_non_null(r.values);
    steps(&r, 60);
    force[k] = value(&r, "obstacle.o.force_z");
    moment[k] = value(&r, "obstacle.o.torque_y");
    close_run(&r);
  }
  assert_true(force[0] < -1);
  assert_true(fabs(force[1] / force[0] - 1) < 1e-10);
  assert_true(fabs(moment[1] / moment[0] - 1) < 1e-10);
}

SUITE(test_obstacle_runs)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bonded_spheres_repeat_to_the_bit),
      cmocka_unit_test(test_peridynamic_nodes_repeat_to_the_bit),
      cmocka_unit_test(test_every_obstacle_is_drawn),
      cmocka_unit_test(test_a_peridynamic_brick_feels_a_box_and_its_mesh_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
