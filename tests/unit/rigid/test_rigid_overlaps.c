/* Overlaps and distances of method rigid: what the curve of penetration shows, how bodies that overlap are turned apart, gaps of scaled
 * shapes, and bodies that are hit by what only spins. */
#include "base/memory.h"
#include "geometry/mesh/mesh_distance.h"
#include "geometry/mesh/mesh_shapes.h"
#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree\":1,\"name\":\"t\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],"
#define TIMES "\"time\":{\"duration\":1,\"time_step\":1e-3},\"options\":{\"tolerance\":1e-10}}"

/* Two pairs of balls of 0.1 m that overlap by 1 and 2 mm, and by 2 and 1 mm: the curve shows the larger one whichever comes first. To
 * rounding. */
static void test_penetration_is_the_deepest_overlap(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run r =
        run_open(HEAD "\"specimens\":[{\"name\":\"balls\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"placement\":{"
                      "\"type\":\"list\",\"positions\":[[0,0,0],[0.2,0,0],[5,0,0],[5.2,0,0]]}}],\"rig\":{\"type\":\"none\"}," TIMES,
                 1);
    rigid_state *s = r.sim->state;
    s->bodies[1].centre.x -= k ? 2e-3 : 1e-3;
    s->bodies[3].centre.x -= k ? 1e-3 : 2e-3;
    run_steps(&r, 1);
    claim_relative("balls that overlap: penetration, m", run_curve(&r, "penetration"), 2e-3, 1e-9, "as placed");
    run_close(&r);
  }
}

/* Height of the lowest corner of a box of which `half` are half the edges. */
static double lowest_corner(const rigid_body *body, scr_vec3 half)
{
  double lowest = INFINITY;
  for (int v = 0; v < 8; v++) {
    scr_vec3 own = vec3(v & 1 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 4 ? half.z : -half.z);
    lowest = fmin(lowest, vec3_add(body->centre, quat_rotate(body->attitude, own)).z);
  }
  return lowest;
}

/* A rod of 1 x 0.1 x 0.1 m on a floor, without weight, tilted so that one end is 4 mm in the floor: it is lifted at that end, so that it
 * turns, until no corner is deeper than twice what is tolerated; the depth falls by four fifths in each step. It gains no speed. */
static void test_what_overlaps_at_one_end_is_turned_apart(void **state)
{
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    sim_run r = run_open(
        HEAD "\"specimens\":[{\"name\":\"rod\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[1,0.1,0.1]},\"placement\":{"
             "\"type\":\"single\",\"position\":[0,0,0.05]}}],\"rig\":{\"type\":\"none\"},\"obstacles\":[{\"name\":\"floor\",\"shape\":{"
             "\"type\":\"plane\",\"width\":3}}]," TIMES,
        1);
    rigid_state *s = r.sim->state;
    const scr_vec3 half = {0.5, 0.05, 0.05};
    s->bodies[0].attitude = quat_exp(vec3(0, side * 8e-3, 0));
    s->bodies[0].centre.z += 5e-5;
    double deep = -lowest_corner(&s->bodies[0], half);
    assert_true(deep > 3.8e-3);
    run_steps(&r, 1);
    claim_between("rod that lies 4 mm in a floor at one end: depth after a step over that before",
                  -lowest_corner(&s->bodies[0], half) / deep, -1, 0.25, "four fifths are taken out");
    run_steps(&r, 6);
    claim_between("rod that lay 4 mm in a floor at one end: depth over what is tolerated",
                  -lowest_corner(&s->bodies[0], half) / s->penetration, -INFINITY, 2, "what is deeper goes away");
    claim_absolute("rod that lay 4 mm in a floor at one end: energy.kinetic, J", run_curve(&r, "energy.kinetic"), 0, 1e-12,
                   "places alone change");
    run_close(&r);
  }
}

/* A ball of 0.01 m, half a millimetre off a mesh of a box that is half, once or twice as large as it was made: the gap is that distance, on
 * every side, outside and in. To rounding. */
static void test_gaps_of_scaled_meshes_are_distances(void **state)
{
  (void)state;
  static const double scales[] = {0.5, 1, 2}, gaps[] = {5e-4, -5e-4};
  const scr_vec3 half = {0.1, 0.15, 0.2};
  geo_mesh mesh = {0};
  geo_mesh_tree *tree = NULL;
  assert_int_equal(geo_mesh_add_box(&mesh, half, NULL), SCR_OK);
  assert_int_equal(geo_mesh_tree_create(&mesh, &tree, NULL), SCR_OK);
  const geo_piece box = {.kind = GEO_PIECE_MESH, .tree = tree, .extent = 0.5},
                  ball = {.kind = GEO_PIECE_BALL, .radius = 0.01, .extent = 0.01};
  for (int k = 0; k < 36; k++) {
    touch_list list = {0};
    touch_sink sink = {.list = &list, .b = 1};
    double scale = scales[k / 12], gap = gaps[k % 2], side = k / 2 % 2 ? 1 : -1;
    int axis = k / 4 % 3;
    scr_vec3 out = vec3(side * (axis == 0), side * (axis == 1), side * (axis == 2));
    double away = scale * (axis == 0 ? half.x : axis == 1 ? half.y : half.z) + 0.01 + gap;
    scr_quat turn = quat_exp(vec3(0.3, -0.5, 0.2));
    const geo_placed placed = {.piece = &box, .turn = turn, .scale = scale, .extent = 0.5 * scale};
    const scr_vec3 at = quat_rotate(turn, vec3_scale(out, away));
    const geo_placed other = {
        .piece = &ball, .turn = quat_identity(), .scale = 1, .radius = 0.01, .position = at, .middle = at, .extent = 0.01};
    touch_pair(&placed, &other, 1e-2, &sink);
    assert_int_equal(list.count, 1);
    claim_absolute("ball near a scaled mesh: gap, m", list.items[0].gap, gap, 1e-12, "as placed");
    mem_free(list.items);
  }
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

/* A ball of 0.06 m rests beside the end of a box of 1 x 0.1 x 0.1 m that spins at w = 6 rad/s about its middle: nothing moves but by the
 * spin, and the ball is thrown off at (1 + e) w r / (1 + m (1/M + r^2/I)), r = 0.45 m, without friction; Newton's rule and the conservation
 * of both momenta. 0.3 %: the box turns by 2e-4 rad before they meet. */
static void test_what_only_spins_throws_by_newtons_rule(void **state)
{
  (void)state;
  const double e = 0.5, w = 6, arm = 0.45, m = 4000 * M_PI / 3 * pow(0.06, 3), M = 10, I = M * (1 + 0.01) / 12;
  for (int first = 0; first < 2; first++) {
    static const char box[] =
        "{\"name\":\"box\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[1,0.1,0.1]},\"placement\":{\"type\":"
        "\"single\",\"position\":[0,0,0]},\"angular_velocity\":[0,0,6]}";
    static const char ball[] =
        "{\"name\":\"ball\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.06},\"placement\":{\"type\":"
        "\"single\",\"position\":[0.45,0.1101,0]}}";
    char text[1600];
    snprintf(text, sizeof text,
             HEAD "\"contact\":{\"friction_coefficient\":0,\"restitution\":%g},\"specimens\":[%s,%s],\"rig\":{\"type\":\"none\"}," TIMES, e,
             first ? box : ball, first ? ball : box);
    sim_run r = run_open(text, 1);
    const rigid_state *s = r.sim->state;
    run_steps(&r, 20);
    claim_relative("ball that a spinning box throws off: velocity, m/s", s->bodies[first].velocity.y,
                   (1 + e) * w * arm / (1 + m * (1 / M + arm * arm / I)), 3e-3, "Newton's rule, momenta");
    run_close(&r);
  }
}

static bool is_overlap_doubted(const scr_sim *sim)
{
  for (size_t k = 0; k < sim->doubt_count; k++)
    if (strcmp(sim->doubts[k].kind, "overlap") == 0) return true;
  return false;
}

/* Cubes of 0.1 m, whose farthest point is 0.0866 m from the middle, that come to lie 5 mm in each other during a run whose steps are all
 * solved are moved apart; at 12.5 mm, 0.144 of that, it is a doubt: such a run is no plain success. */
static void test_deep_overlaps_of_solved_steps_are_doubted(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"specimens\":[{\"name\":\"cubes\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.1,0.1,0.1]},"
                            "\"placement\":{\"type\":\"list\",\"positions\":[[0,0,0],[0.101,0,0]]}}],\"rig\":{\"type\":\"none\"}," TIMES,
                       1);
  rigid_state *s = r.sim->state;
  const double deep[] = {0, 5e-3, 12.5e-3};
  for (int k = 0; k < 3; k++) {
    s->bodies[1].centre = vec3_add(s->bodies[0].centre, vec3(0.1 - deep[k], 0, 0));
    run_steps(&r, 2);
    assert_int_equal(s->report.unsolved, 0);
    assert_int_equal(is_overlap_doubted(r.sim), deep[k] > 0.01);
  }
  assert_non_null(strstr(r.sim->doubts[r.sim->doubt_count - 1].message, "by 0.144 of the extent"));
  run_close(&r);
}

SUITE(test_rigid_overlaps)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_penetration_is_the_deepest_overlap),        cmocka_unit_test(test_what_overlaps_at_one_end_is_turned_apart),
      cmocka_unit_test(test_deep_overlaps_of_solved_steps_are_doubted), cmocka_unit_test(test_gaps_of_scaled_meshes_are_distances),
      cmocka_unit_test(test_what_only_spins_throws_by_newtons_rule),
  };
  return cmocka_run_group_tests_name("rigid overlaps", tests, NULL, NULL);
}
