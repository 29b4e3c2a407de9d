/* Points where bodies of method rigid touch, and what is told of them: capsules on planes, points of meshes and edges of hulls, the
 * table of contacts, the tilt of a shape whose principal axes are not its own. */
#include <string.h>

#include "base/memory.h"
#include "methods/rigid/detection/detect.h"
#include "geometry/touch/manifold.h"
#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A capsule of 0.2 m across at an angle to a plane: each end's point is the radius below its centre; gaps by the heights of the two. */
static void test_ends_of_a_capsule_touch_a_plane(void **state)
{
  (void)state;
  const geo_piece piece = {.kind = GEO_PIECE_CAPSULE};
  const double radius = 0.1, half = 0.3;
  const scr_vec3 up = vec3_scale(vec3(1, 2, 2), 1.0 / 3), axis = vec3_scale(vec3(2, -2, 1.1), 1 / sqrt(9.21)), on = {0.4, -0.2, 0.7};
  geo_placed placed = {.piece = &piece, .axis = axis, .radius = radius, .half_length = half, .extent = half + radius};
  const double height = radius + half * vec3_dot(axis, up) - 1e-3; /* the lower end lies 1 mm deep */
  placed.position = placed.middle = vec3_add(vec3_along(on, up, height), vec3_scale(vec3_cross(up, axis), 0.3));
  touch_list list = {0};
  touch_sink sink = {.list = &list, .b = 1};
  touch_plane(&placed, on, up, 1, &sink);
  assert_int_equal(list.count, 2);
  for (size_t k = 0; k < 2; k++) {
    double end = k ? 1 : -1, gap = height + end * half * vec3_dot(axis, up) - radius;
    claim_absolute("end of a capsule over a plane: gap, m", list.items[k].gap, gap, 1e-12, "its centre's height less the radius");
    scr_vec3 point = vec3_along(vec3_along(placed.position, axis, end * half), up, -radius - 0.5 * gap);
    assert_true(vec3_length(vec3_sub(list.items[k].point, point)) < 1e-12);
  }
  mem_free(list.items);
}

/* The face z = 1 of a large box, 1 mm into which a surface's lowest point reaches: they touch in the middle between, whichever of the
 * two is asked first. */
static void test_points_of_a_mesh_touch_in_the_middle(void **state)
{
  (void)state;
  rigid_shape box = {0};
  const scr_shape shape = {.kind = SCR_SHAPE_BOX, .size = {20, 20, 2}};
  assert_int_equal(rigid_shape_create(&shape, false, &box, NULL), SCR_OK);
  const geo_piece *hull = &box.pieces[0];
  scr_vec3 point[] = {{0, 0, -1}, {0, 0, 1}, {1, 0, 0}}, vectors[64];
  const geo_piece piece = {.kind = GEO_PIECE_MESH, .sample = point, .sample_count = 3, .extent = 1};
  const geo_placed placed = {
      .piece = &piece, .turn = quat_identity(), .scale = 1, .extent = 1, .position = {0.3, 0.2, 1.999}, .middle = {0.3, 0.2, 1.999}};
  geo_placed block = {.piece = hull,
                      .turn = hull->turn,
                      .scale = 1,
                      .extent = hull->extent,
                      .corner = vectors,
                      .normal = vectors + hull->hull.corner_count};
  for (size_t v = 0; v < hull->hull.corner_count; v++) vectors[v] = quat_rotate(hull->turn, hull->hull.corner[v]);
  for (size_t f = 0; f < hull->hull.face_count; f++) vectors[hull->hull.corner_count + f] = quat_rotate(hull->turn, hull->hull.normal[f]);
  touch_list list = {0};
  touch_sink sink = {.list = &list, .b = 1};
  touch_mesh(&placed, &block, 1e-2, &sink);
  assert_int_equal(list.count, 1);
  claim_absolute("point of a mesh in a box: gap, m", list.items[0].gap, -1e-3, 1e-12, "how deep it is");
  claim_absolute("point of a mesh in a box: height of the contact, m", list.items[0].point.z, 0.9995, 1e-12, "middle of both surfaces");
  mem_free(list.items);
  rigid_shape_clear(&box);
}

/* A quarter, the half and three quarters of each edge of a cube touch a small rod that lies against the edge there, 1 mm deep. */
static void test_points_of_a_hulls_edges_touch(void **state)
{
  (void)state;
  rigid_shape box = {0};
  const scr_shape shape = {.kind = SCR_SHAPE_BOX, .size = {1, 1, 1}};
  assert_int_equal(rigid_shape_create(&shape, false, &box, NULL), SCR_OK);
  const geo_piece *hull = &box.pieces[0], rod = {.kind = GEO_PIECE_CYLINDER};
  assert_int_equal(hull->hull.edge_count, 12);
  const geo_placed cube = {
      .piece = hull, .turn = quat_identity(), .scale = 1, .extent = hull->extent, .corner = hull->hull.corner, .normal = hull->hull.normal};
  for (size_t e = 0; e < 12; e++)
    for (uint32_t part = 1; part <= 3; part++) {
      scr_vec3 p = hull->hull.corner[hull->hull.edge[e][0]], q = hull->hull.corner[hull->hull.edge[e][1]];
      scr_vec3 at = vec3_along(p, vec3_sub(q, p), 0.25 * part), middle = vec3_scale(vec3_add(p, q), 0.5);
      scr_vec3 out = vec3_scale(middle, 1 / vec3_length(middle)), along = vec3_sub(q, p), axis = vec3_cross(out, along);
      scr_vec3 about = vec3_cross(vec3(0, 0, 1), axis);
      double sine = vec3_length(about), angle = atan2(sine, axis.z);
      scr_quat turn = sine > 1e-9 ? quat_exp(vec3_scale(about, angle / sine)) : quat_identity();
      geo_placed other = {.piece = &rod,
                          .turn = turn,
                          .scale = 1,
                          .axis = quat_rotate(turn, vec3(0, 0, 1)),
                          .radius = 0.05,
                          .half_length = 0.04,
                          .extent = 0.08};
      other.position = other.middle = vec3_along(at, out, 0.05 - 1e-3);
      touch_list list = {0};
      touch_sink sink = {.list = &list, .b = 1};
      touch_mesh(&cube, &other, 1e-4, &sink);
      uint64_t key = (uint64_t)(hull->hull.corner_count + 3 * e + part - 1) << 1;
      size_t found = 0;
      for (size_t k = 0; k < list.count; k++) {
        if ((list.items[k].key & UINT32_MAX) != key) continue;
        assert_float_equal(list.items[k].gap, -1e-3, 1e-9);
        found++;
      }
      assert_int_equal(found, 1);
      mem_free(list.items);
    }
  rigid_shape_clear(&box);
}

/* A cube at rest on a floor: the rows of the table of contacts are its corners' forces, in newtons, whose sum is its weight. */
static void test_the_table_of_contacts_has_their_forces(void **state)
{
  (void)state;
  sim_run r =
      run_open("{\"scree\":1,\"name\":\"rest\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"contact\":{"
               "\"friction_coefficient\":0.5},\"specimens\":[{\"name\":\"cube\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":"
               "[0.1,0.1,0.1]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0.05]}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,"
               "-9.81]},\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"},\"position\":[0,0,0]}],\"time\":{\"duration\":1,"
               "\"time_step\":1e-3},\"options\":{\"tolerance\":1e-9,\"contact_table\":true}}",
               1);
  run_steps(&r, 20);
  assert_int_equal(sim_method(r.sim)->tabulate(r.sim, NULL), SCR_OK);
  size_t found = 0;
  for (size_t t = 0; t < r.sim->table_count; t++) {
    const scr_table *table = &r.sim->tables[t].table;
    if (strcmp(table->name, "contacts") != 0) continue;
    double sum = 0;
    assert_int_equal(table->row_count, 4);
    assert_string_equal(table->columns[table->column_count - 1].name, "force_z");
    for (size_t row = 0; row < table->row_count; row++) sum += table->values[(row + 1) * table->column_count - 1];
    claim_relative("cube at rest: force_z of all contacts, N", sum, 9.81, 1e-6, "its weight");
    found++;
  }
  assert_int_equal(found, 1);
  run_close(&r);
}

/* A body of two balls one of which is up and aside of the other: its principal axes lie at an angle to its own. As it is given its tilt
 * is 0, turned by 30 degrees about x it is 30 degrees. */
static void test_tilt_is_of_the_shapes_own_axes(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[900];
    snprintf(
        text, sizeof text,
        "{\"scree\":1,\"name\":\"pair\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"specimens\":[{\"name\":"
        "\"pair\",\"material\":\"m\",\"shape\":{\"type\":\"compound\",\"pieces\":[{\"shape\":{\"type\":\"sphere\",\"radius\":0.1},"
        "\"position\":[0,0,0]},{\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"position\":[0.2,0.1,0.3]}]},\"rotation\":{\"axis\":"
        "[1,0,0],\"angle_deg\":%d},\"placement\":{\"type\":\"single\"}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1,"
        "\"time_step\":1e-3}}",
        30 * k);
    sim_run r = run_open(text, 1);
    claim_absolute("pair of balls: first.tilt, rad", run_curve(&r, "first.tilt"), k * M_PI / 6, 1e-9, "as it was turned");
    run_close(&r);
  }
}

SUITE(test_rigid_points)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ends_of_a_capsule_touch_a_plane), cmocka_unit_test(test_points_of_a_mesh_touch_in_the_middle),
      cmocka_unit_test(test_points_of_a_hulls_edges_touch),   cmocka_unit_test(test_the_table_of_contacts_has_their_forces),
      cmocka_unit_test(test_tilt_is_of_the_shapes_own_axes),
  };
  return cmocka_run_group_tests_name("rigid points", tests, NULL, NULL);
}
