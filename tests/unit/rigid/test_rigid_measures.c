/* What method rigid measures, against statics: stresses, coordination and fabric of a column of cubes along each axis; and every point of a
 * surface as the one that touches. */
#include "base/memory.h"
#include "methods/rigid/detection/detect.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* Two cubes of 0.1 m and 1000 kg/m^3 on a wall across `axis`, pressed on it by 9.81 m/s^2, with 1 m/s^2 along the next axis, which friction
 * bears. */
static sim_run open_column(int axis)
{
  static const char scene[] =
      "{\"scree\":1,\"name\":\"column\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],"
      "\"contact\":{\"friction_coefficient\":0.5,\"restitution\":0},\"specimens\":[{\"name\":\"cubes\",\"material\":\"m\","
      "\"shape\":{\"type\":\"box\",\"size\":[0.1,0.1,0.1]},\"placement\":{\"type\":\"lattice\",\"origin\":[%g,%g,%g],"
      "\"count\":[%d,%d,%d],\"pitch\":[0.1,0.1,0.1]}}],\"rig\":{\"type\":\"box\",\"minimum\":[%g,%g,%g],\"maximum\":[2,2,2],"
      "\"gravity\":[%g,%g,%g]},\"time\":{\"duration\":1,\"time_step\":1e-3},\"options\":{\"tolerance\":1e-9}}";
  double at[3] = {0, 0, 0}, low[3] = {-1, -1, -1}, g[3] = {0, 0, 0};
  int count[3] = {1, 1, 1};
  char text[2048];
  at[axis] = 0.05, low[axis] = 0, count[axis] = 2;
  g[axis] = -9.81, g[(axis + 1) % 3] = 1;
  snprintf(text, sizeof text, scene, at[0], at[1], at[2], count[0], count[1], count[2], low[0], low[1], low[2], g[0], g[1], g[2]);
  return run_open(text, 1);
}

/* The mean stress of what is at rest, sum of force (x) branch over the volume, is that of statics. Of a column of height 2 a: pressure rho
 * g a along it, half of what its foot bears; shear rho g' a by what lies on it; across it corners may spread each other as they like. A
 * cube between wall and cube leans on two, the upper one on one. All contacts face along the column. 1e-6 of the pressure: the solver's
 * tolerance, and what is left of the first impact. */
static void test_stresses_and_coordination_of_a_column(void **state)
{
  (void)state;
  static const char *const direct[3] = {"stress.xx", "stress.yy", "stress.zz"}, *const shear[3] = {"stress.xy", "stress.yz", "stress.zx"},
                           *const fabric[3] = {"fabric.xx", "fabric.yy", "fabric.zz"},
                           *const skew[3] = {"fabric.xy", "fabric.yz", "fabric.zx"};
  for (int axis = 0; axis < 3; axis++) {
    sim_run r = open_column(axis);
    run_steps(&r, 50);
    run_observe(&r);
    double pressure = 1000 * 9.81 * 0.1, tangential = 1000 * 1.0 * 0.1;
    for (int k = 0; k < 3; k++) {
      if (k == axis) {
        claim_relative("column of two cubes: pressure along it, Pa", run_value(&r, direct[k]), pressure, 1e-6, "statics");
        claim_relative("column of two cubes: shear stress, Pa", fabs(run_value(&r, shear[k])), tangential, 1e-5, "statics");
        assert_true(run_value(&r, shear[k]) < 0); /* g' is along the axis, weight against it: f (x) branch = -g' (x) up */
      }
      claim_absolute("column of two cubes: fabric", run_value(&r, fabric[k]), k == axis, 1e-9, "all contacts face along it");
      claim_absolute("column of two cubes: fabric, off the diagonal", run_value(&r, skew[k]), 0, 1e-9, "all contacts face along it");
    }
    claim_relative("column of two cubes: coordination", run_value(&r, "coordination"), 1.5, 1e-12, "(2 + 1) / 2");
    claim_relative("column of two cubes: contacts", run_value(&r, "contacts"), 8, 1e-12, "four corners of each face");
    run_close(&r);
  }
}

/* A box of 1 kg and a ball of another kind that fly by each other: centres, velocities and the momentum of both by Galileo's law, and the
 * tilt of the box, which spins about x and began 30 degrees from upright. Kick and drift of what touches nothing are exact. */
static void test_flying_bodies_have_their_places_and_momentum(void **state)
{
  (void)state;
  sim_run r =
      run_open("{\"scree\":1,\"name\":\"flight\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"specimens\":["
               "{\"name\":\"box\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.1,0.1,0.1]},\"rotation\":{\"axis\":[1,0,0],"
               "\"angle_deg\":30},"
               "\"placement\":{\"type\":\"single\",\"position\":[1,2,3]},\"velocity\":[1,-2,4],\"angular_velocity\":[2,0,0]},"
               "{\"name\":\"ball\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.1},"
               "\"placement\":{\"type\":\"single\",\"position\":[-4,0,8]},\"velocity\":[0,3,0]}],\"rig\":{\"type\":\"none\",\"gravity\":[0,"
               "0,-9.81]},"
               "\"time\":{\"duration\":1,\"time_step\":1e-3}}",
               1);
  run_steps(&r, 100);
  run_observe(&r);
  const double t = 0.1, fall = 0.5 * 9.81 * t * t, m[2] = {1, 4000 * M_PI / 3 * 1e-3}, all = m[0] + m[1];
  claim_relative("flying box: first.x, m", run_value(&r, "first.x"), 1 + t, 1e-9, "Galileo's law");
  claim_relative("flying box: first.y, m", run_value(&r, "first.y"), 2 - 2 * t, 1e-9, "Galileo's law");
  claim_relative("flying box: first.z, m", run_value(&r, "first.z"), 3 + 4 * t - fall, 1e-9, "Galileo's law");
  claim_relative("flying box: first.velocity_x, m/s", run_value(&r, "first.velocity_x"), 1, 1e-9, "Galileo's law");
  claim_relative("flying box: first.velocity_y, m/s", run_value(&r, "first.velocity_y"), -2, 1e-9, "Galileo's law");
  claim_relative("flying box: first.velocity_z, m/s", run_value(&r, "first.velocity_z"), 4 - 9.81 * t, 1e-9, "Galileo's law");
  claim_relative("flying box: first.tilt, rad", run_value(&r, "first.tilt"), M_PI / 6 + 2 * t, 1e-6, "spin about x");
  claim_relative("box and ball: centroid.x, m", run_value(&r, "centroid.x"), (m[0] * (1 + t) - m[1] * 4) / all, 1e-9, "mean by mass");
  claim_relative("box and ball: centroid.y, m", run_value(&r, "centroid.y"), (m[0] * (2 - 2 * t) + m[1] * 3 * t) / all, 1e-9,
                 "mean by mass");
  claim_relative("box and ball: centroid.z, m", run_value(&r, "centroid.z"), (m[0] * (3 + 4 * t) + m[1] * 8) / all - fall, 1e-9,
                 "mean by mass");
  double px = m[0], py = -2 * m[0] + 3 * m[1], pz = 4 * m[0] - 9.81 * t * all;
  claim_relative("box and ball: momentum, N s", run_value(&r, "momentum"), sqrt(px * px + py * py + pz * pz), 1e-9, "sum of m v");
  claim_relative("box and ball: speed, m/s", run_value(&r, "speed"), sqrt(5 + pow(4 - 9.81 * t, 2)), 1e-9, "the faster one's");
  claim_absolute("box and ball: solver.iterations", run_value(&r, "solver.iterations"), 0, 0, "nothing touches");
  claim_absolute("box and ball: solver.residual", run_value(&r, "solver.residual"), 0, 0, "nothing touches");
  run_close(&r);
}

/* The box around a cylinder that lies along an axis is 2 r wide across it and as long as it is along it: whichever axis it is, 1 - pi / 4
 * of it is empty; of a capsule likewise by its own volume. */
static void test_boxes_fit_cylinders_along_every_axis(void **state)
{
  (void)state;
  static const char *const turns[] = {"\"axis\":[0,1,0],\"angle_deg\":90", "\"axis\":[1,0,0],\"angle_deg\":90",
                                      "\"axis\":[1,0,0],\"angle_deg\":0"};
  const double r = 0.1, length = 0.6;
  for (int capsule = 0; capsule < 2; capsule++)
    for (int k = 0; k < 3; k++) {
      char text[800];
      snprintf(text, sizeof text,
               "{\"scree\":1,\"name\":\"rod\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"specimens\":[{"
               "\"name\":\"rod\",\"material\":\"m\","
               "\"shape\":{\"type\":\"%s\",\"radius\":0.1,\"length\":0.6},\"rotation\":{%s}}],\"rig\":{\"type\":\"none\"},\"time\":{"
               "\"duration\":1,\"time_step\":1e-3}}",
               capsule ? "capsule" : "cylinder", turns[k]);
      sim_run run = run_open(text, 1);
      double volume = M_PI * r * r * length + (capsule ? 4 * M_PI / 3 * r * r * r : 0), box = 4 * r * r * (length + (capsule ? 2 * r : 0));
      claim_relative("rod along an axis: porosity", run_curve(&run, "porosity"), 1 - volume / box, 1e-6, "by their volumes");
      run_close(&run);
    }
}

/* A cube on a floor that moves at 0.1 m/s along (3, 4, 0), neither of the tangents of a contact: friction takes it along until it moves as
 * the floor does, in both directions. */
static void test_a_floor_takes_a_cube_along_in_both_directions(void **state)
{
  (void)state;
  sim_run r = run_open("{\"scree\":1,\"name\":\"belt\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"contact\":{"
                       "\"friction_coefficient\":0.5},"
                       "\"specimens\":[{\"name\":\"cube\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.1,0.1,0.1]},"
                       "\"placement\":{\"type\":\"single\","
                       "\"position\":[0,0,0.05]}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"belt\","
                       "\"shape\":{\"type\":\"plane\"},"
                       "\"position\":[0,0,0],\"direction\":[3,4,0],\"program\":[{\"type\":\"constant\",\"velocity\":0.1}]}],\"time\":{"
                       "\"duration\":1,\"time_step\":1e-3},"
                       "\"options\":{\"tolerance\":1e-9}}",
                       1);
  run_steps(&r, 60);
  claim_relative("cube on a belt: first.velocity_x, m/s", run_curve(&r, "first.velocity_x"), 0.06, 1e-6, "as the belt");
  claim_between("cube on a belt: penetration, m", run_value(&r, "penetration"), -1e-12, 1e-9, "it lies on it");
  claim_relative("cube on a belt: first.velocity_y, m/s", run_value(&r, "first.velocity_y"), 0.08, 1e-6, "as the belt");
  run_close(&r);
}

enum { POINTS = 21 };

/* Points all over the unit sphere, no two nearer than 0.3: a spiral. */
static void spread(scr_vec3 point[POINTS])
{
  for (int k = 0; k < POINTS; k++) {
    double z = 1 - (2 * k + 1.0) / POINTS, angle = 2.399963 * k, r = sqrt(1 - z * z);
    point[k] = vec3(r * cos(angle), r * sin(angle), z);
  }
}

/* A surface known by its points, each the only one within reach of a plane in turn: exactly that one touches, with the gap that was chosen.
 * */
static void test_every_point_of_a_surface_touches_a_plane(void **state)
{
  (void)state;
  scr_vec3 point[POINTS];
  spread(point);
  const geo_piece piece = {.kind = GEO_PIECE_MESH, .sample = point, .sample_count = POINTS, .extent = 1};
  const scr_quat turn = quat_exp(vec3(0.3, -1, 0.6));
  const geo_placed placed = {.piece = &piece, .position = {1, 2, 3}, .middle = {1, 2, 3}, .turn = turn, .scale = 2, .extent = 2};
  for (int k = 0; k < POINTS; k++) {
    touch_list list = {0};
    touch_sink sink = {.list = &list, .b = 1};
    scr_vec3 out = quat_rotate(turn, point[k]), on = vec3_along(placed.position, out, 2 - 1e-3);
    touch_plane(&placed, on, vec3_scale(out, -1), 1e-2, &sink);
    assert_int_equal(list.count, 1);
    assert_float_equal(list.items[0].gap, -1e-3, 1e-12);
    assert_true(vec3_length(vec3_sub(list.items[0].point, vec3_along(placed.position, out, 2 - 5e-4))) < 1e-12);
    mem_free(list.items);
  }
}

/* The same against the face of a large box, whose own corners and edges are out of reach. */
static void test_every_point_of_a_surface_touches_a_hull(void **state)
{
  (void)state;
  scr_vec3 point[POINTS], vectors[64];
  spread(point);
  rigid_shape box = {0};
  const scr_shape shape = {.kind = SCR_SHAPE_BOX, .size = {20, 20, 20}};
  assert_int_equal(rigid_shape_create(&shape, false, &box, NULL), SCR_OK);
  const geo_piece piece = {.kind = GEO_PIECE_MESH, .sample = point, .sample_count = POINTS, .extent = 1}, *hull = &box.pieces[0];
  const geo_placed placed = {.piece = &piece, .turn = quat_identity(), .scale = 1, .extent = 1};
  for (int k = 0; k < POINTS; k++) {
    touch_list list = {0};
    touch_sink sink = {.list = &list, .b = 1};
    scr_vec3 out = point[k], axis = vec3_cross(vec3(0, 0, 1), out);
    scr_quat turn = quat_multiply(quat_exp(vec3_scale(axis, atan2(vec3_length(axis), out.z) / vec3_length(axis))), hull->turn);
    geo_placed other = {.piece = hull,
                        .turn = turn,
                        .scale = 1,
                        .position = vec3_scale(out, 11 - 1e-3),
                        .middle = vec3_scale(out, 11 - 1e-3),
                        .extent = hull->extent,
                        .corner = vectors,
                        .normal = vectors + hull->hull.corner_count};
    for (size_t v = 0; v < hull->hull.corner_count; v++) vectors[v] = vec3_add(other.position, quat_rotate(turn, hull->hull.corner[v]));
    for (size_t f = 0; f < hull->hull.face_count; f++) vectors[hull->hull.corner_count + f] = quat_rotate(turn, hull->hull.normal[f]);
    touch_pair(&placed, &other, 1e-2, &sink);
    assert_int_equal(list.count, 1);
    assert_float_equal(list.items[0].gap, -1e-3, 1e-9);
    assert_float_equal(vec3_dot(list.items[0].normal, out), -1, 1e-12); /* towards the points */
    mem_free(list.items);
  }
  rigid_shape_clear(&box);
}

/* A cube that stands on each of its corners in turn: the corner touches, alone. */
static void test_every_corner_of_a_hull_touches_a_plane(void **state)
{
  (void)state;
  rigid_shape box = {0};
  const scr_shape shape = {.kind = SCR_SHAPE_BOX, .size = {1, 1, 1}};
  assert_int_equal(rigid_shape_create(&shape, false, &box, NULL), SCR_OK);
  const geo_piece *hull = &box.pieces[0];
  assert_int_equal(hull->hull.corner_count, 8);
  const geo_placed placed = {
      .piece = hull, .turn = quat_identity(), .scale = 1, .extent = hull->extent, .corner = hull->hull.corner, .normal = hull->hull.normal};
  for (int v = 0; v < 8; v++) {
    touch_list list = {0};
    touch_sink sink = {.list = &list, .b = 1};
    scr_vec3 out = vec3_scale(vec3(v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1), 1 / sqrt(3));
    touch_plane(&placed, vec3_scale(out, 0.5 * sqrt(3) - 1e-3), vec3_scale(out, -1), 1e-2, &sink);
    assert_int_equal(list.count, 1);
    assert_float_equal(list.items[0].gap, -1e-3, 1e-12);
    mem_free(list.items);
  }
  rigid_shape_clear(&box);
}

/* Balls of 2 cm in two rows: four from x = 0 on in the lower, one on them, one alone at x = 0.5. The front is the end of the row, 0.07, as
 * a column 4 cm wide must hold a ball at least, the height that of the upper ball's top; all but that one lie below 1 cm. */
static void test_how_far_bodies_have_got(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"spread\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"specimens\":[{\"name\":"
      "\"balls\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"placement\":{\"type\":\"list\",\"positions\":[[0,0,0]"
      ","
      "[0.021,0,0],[0.042,0,0],[0.06,0,0],[0.03,0,0.03],[0.5,0,0]]}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,0]},\"time\":{"
      "\"duration\":1,\"time_step\":1e-3},\"options\":{\"discharge_level\":0.01}}",
      1);
  run_observe(&r);
  claim_relative("height, m", run_value(&r, "height"), 0.04, 1e-12, "0.03 and a radius");
  claim_relative("front, m", run_value(&r, "front"), 0.07, 1e-12, "0.06 and a radius");
  claim_relative("discharge, kg", run_value(&r, "discharge"), 5 * 1000 * 4.0 / 3 * M_PI * 1e-6, 1e-12, "five balls");
  run_close(&r);
}

SUITE(test_rigid_measures)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stresses_and_coordination_of_a_column),    cmocka_unit_test(test_flying_bodies_have_their_places_and_momentum),
      cmocka_unit_test(test_boxes_fit_cylinders_along_every_axis),     cmocka_unit_test(test_a_floor_takes_a_cube_along_in_both_directions),
      cmocka_unit_test(test_every_point_of_a_surface_touches_a_plane), cmocka_unit_test(test_every_point_of_a_surface_touches_a_hull),
      cmocka_unit_test(test_every_corner_of_a_hull_touches_a_plane),   cmocka_unit_test(test_how_far_bodies_have_got),
  };
  return cmocka_run_group_tests_name("rigid measures", tests, NULL, NULL);
}
