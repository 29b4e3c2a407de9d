/* Sand at parts of the rig: which way they push it, and that it does not get into them. */
#include <math.h>

#include "methods/granular/step/stages.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A silo of 32 cells of 5 mm over a slot of 12 between two plates of 4 cells, whose edges lie on nodes to rounding, as in the gallery. */
static sim_run open_silo(void)
{
  return run_open(
      "{\"scree\":1,\"name\":\"edges\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
      "\"internal_friction\":0.4}],\"contact\":{\"friction_coefficient\":1000},\"specimens\":[{\"name\":\"fill\",\"material\":\"sand\","
      "\"shape\":{\"type\":\"box\",\"size\":[0.16,0.05,0.12]},\"placement\":{\"type\":\"single\",\"position\":[0.08,0.025,0.13]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.16,0.05,0.2],\"gravity\":[0,0,-9.81]},\"obstacles\":["
      "{\"name\":\"left\",\"shape\":{\"type\":\"box\",\"size\":[0.04999999999999999,0.05,0.02]},\"position\":[0.024999999999999994,0.025,"
      "0.060000000000000005]},{\"name\":\"right\",\"shape\":{\"type\":\"box\",\"size\":[0.04999999999999999,0.05,0.02]},\"position\":["
      "0.135,0.025,0.060000000000000005]}],\"options\":{\"dimension\":\"plane\",\"cell\":0.005,\"side_friction\":0,\"floor_friction\":0,"
      "\"outlet_minimum\":[0,0,0],\"outlet_maximum\":[0.16,0.05,0.02]},\"time\":{\"duration\":1},\"output\":{\"frame_interval\":1,"
      "\"sample_interval\":1}}",
      1);
}

/* How many points lie deeper in a part than so much. */
static double points_within(const sim_run *r, double depth)
{
  const granular_state *s = r->sim->state;
  const sim_parts *parts = &r->sim->parts;
  double count = 0;
  for (size_t p = SCR_WALL_COUNT; p < parts->count; p++)
    for (size_t i = 0; i < s->point_count; i++)
      count += scr_part_distance_posed(&parts->form[p], &parts->now[p].pose, granular_place(s, s->points[i].x)).distance < -depth;
  return count;
}

/* Sand that runs over the edge of a plate falls beside it, not through its last cell: no point gets deeper than a hundredth of a cell
 * below a plate's surface, though 2000 pass the edges. And the sweeps find the law's solution: nodes within a plate would have next to no
 * mass. */
static void test_sand_runs_over_an_edge_not_through_it(void **state)
{
  (void)state;
  sim_run r = open_silo();
  const granular_state *s = r.sim->state;
  double worst = 0;
  while (scr_sim_time(r.sim) < 0.3) {
    run_steps(&r, 1);
    worst = fmax(worst, points_within(&r, 0.01 * 0.005));
  }
  claim_between("sand that ran out, of all", run_curve(&r, "discharge") / (run_value(&r, "discharge") + run_value(&r, "mass")), 0.2, 0.9,
                "enough passed the edges");
  claim_absolute("points below the surface of a plate", worst, 0, 0, "sand does not get into solids");
  claim_between("largest residual of a step, rms", s->report.worst_rms, 0, 0.03, "what ends a step within its budget is 0.02");
  run_close(&r);
}

/* A node on an edge is held by the face over which the sand comes: under gravity by the upper one, wherever rounding puts the edge. */
static void test_an_edge_is_held_by_the_face_upstream(void **state)
{
  (void)state;
  sim_run r = open_silo();
  const granular_state *s = r.sim->state;
  double found = 0;
  run_steps(&r, 1);
  for (size_t k = 0; k < s->contact_count; k++) {
    const granular_contact *c = &s->contacts[k];
    int64_t at[3];
    geo_grid_place(&s->grid, c->node, at);
    if (c->part < SCR_WALL_COUNT || at[1] != 14 || (at[0] != 10 && at[0] != 22)) continue;
    found++;
    claim_absolute("normal at the edge of a plate, upwards", c->normal[1], 1, 1e-3, "the upper face's");
  }
  claim_absolute("nodes on edges", found, 2, 0, "one of each plate");
  run_close(&r);
}

/* A full bed 20 cells deep that falls on the floor at 0.2 m/s is not stopped in 40 sweeps, as what is known of its weight says nothing of
 * the blow: its run is doubted. All its cells are full, so what the doubt looks at is the curve's rms, but for the nodes of the floor,
 * which hold half a cell: 5 %. */
static void test_a_bed_that_is_not_solved_is_doubted(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"bed\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
      "\"internal_friction\":0.4}],\"specimens\":[{\"name\":\"bed\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":[0.16,0.05,"
      "0.2]},\"velocity\":[0,0,-0.2],\"placement\":{\"type\":\"single\",\"position\":[0.08,0.025,0.1]}}],\"rig\":{\"type\":\"box\","
      "\"minimum\":[0,0,0],\"maximum\":"
      "["
      "0.16,0.05,0.24],\"gravity\":[0,0,-9.81]},\"options\":{\"dimension\":\"plane\",\"cell\":0.01,\"sweeps\":2},\"time\":{\"duration\":1},"
      "\"output\":{\"frame_interval\":1,\"sample_interval\":1}}",
      1);
  const granular_state *s = r.sim->state;
  run_steps(&r, 1);
  claim_between("rms of what sweeps left", run_curve(&r, "residual.rms"), 0.05, 1, "40 sweeps are too few for 20 cells");
  claim_relative("what doubts look at, over it", s->report.worst_rms / run_value(&r, "residual.rms"), 1, 0.05, "all cells are full");
  claim_absolute("doubts", (double)r.sim->doubt_count, 1, 0, "unsolved_steps");
  assert_string_equal(r.sim->doubts[0].kind, "unsolved_steps");
  run_close(&r);
}

SUITE(test_granular_parts)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sand_runs_over_an_edge_not_through_it),
      cmocka_unit_test(test_an_edge_is_held_by_the_face_upstream),
      cmocka_unit_test(test_a_bed_that_is_not_solved_is_doubted),
  };
  return cmocka_run_group_tests_name("granular parts", tests, NULL, NULL);
}
