/* Signed distances to meshes, against exact solids, against trying every triangle, and against winding numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/mesh/mesh_distance.h"
#include "tests/unit/meshes/test_geometry_meshes.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0; /* -1 ... 1 */
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

static geo_mesh_tree *make_tree(const geo_mesh *mesh)
{
  geo_mesh_tree *tree;
  scr_error error = {0};
  if (geo_mesh_tree_create(mesh, &tree, &error) != SCR_OK) fail_msg("%s", error.message);
  return tree;
}

/* Twelve triangles are a box exactly; so are distance and gradient, inside and out, nearest to faces, edges and corners. Inside, where two
 * faces are nearly as near, either answer is right: such points are left out. */
static void test_a_box_of_triangles_has_the_distance_of_the_box(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  add_box(&mesh, vec3(1, 2, 3), vec3(1, 0.5, 2), 0);
  geo_mesh_tree *tree = make_tree(&mesh);
  geo_mesh_clear(&mesh); /* the tree keeps nothing of it */
  geo_placed_solid box = {.kind = GEO_PLACED_BOX, .position = {1, 2, 3}, .rotation = quat_identity(), .half_size = {1, 0.5, 2}};
  uint64_t seed = 21;
  for (int round = 0; round < 20000; round++) {
    scr_vec3 p = vec3_add(box.position, random_vector(&seed, 3));
    geo_nearest exact = geo_placed_nearest(&box, p), got = geo_mesh_nearest(tree, p);
    assert_true(fabs(exact.distance - got.distance) < 1e-13);
    assert_true(fabs(vec3_length(got.gradient) - 1) < 1e-14);
    double off = vec3_length(vec3_sub(got.gradient, exact.gradient));
    scr_vec3 out = vec3(1 - fabs(p.x - 1), 0.5 - fabs(p.y - 2), 2 - fabs(p.z - 3)); /* depth below each pair of faces */
    double near = fmin(out.x, fmin(out.y, out.z)), middle = fmax(fmin(out.x, out.y), fmin(fmax(out.x, out.y), out.z));
    if (exact.distance > 1e-3 || (exact.distance < -1e-3 && middle - near > 1e-9)) assert_true(off < 1e-10);
  }
  geo_mesh_tree_destroy(tree);
}

/* Solid angle of a triangle seen from p. Source: Van Oosterom, Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125. */
static double solid_angle(const geo_mesh *mesh, size_t t, scr_vec3 p)
{
  scr_vec3 a = vec3_sub(mesh->vertex[mesh->triangle[t][0]], p), b = vec3_sub(mesh->vertex[mesh->triangle[t][1]], p),
           c = vec3_sub(mesh->vertex[mesh->triangle[t][2]], p);
  double la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
  return 2 * atan2(vec3_dot(a, vec3_cross(b, c)), la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb);
}

/* Distance to a triangle by the definition: to its plane when the foot lies inside, else to the nearest of its sides. */
static double plain_distance(const geo_mesh *mesh, size_t t, scr_vec3 p)
{
  const scr_vec3 v[3] = {mesh->vertex[mesh->triangle[t][0]], mesh->vertex[mesh->triangle[t][1]], mesh->vertex[mesh->triangle[t][2]]};
  scr_vec3 n = geo_mesh_area_normal(mesh, t);
  int inside = 1;
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    scr_vec3 side = vec3_sub(v[(k + 1) % 3], v[k]), to = vec3_sub(p, v[k]);
    inside &= vec3_dot(vec3_cross(n, side), to) >= 0;
    double along = fmin(fmax(vec3_dot(to, side) / vec3_dot(side, side), 0), 1);
    least = fmin(least, vec3_length(vec3_sub(to, vec3_scale(side, along))));
  }
  return inside ? fabs(vec3_dot(vec3_sub(p, v[0]), n)) / vec3_length(n) : least;
}

/* A dented ball with valleys and ridges: distance by trying all triangles, sign by the winding number, which is 1 inside and 0 outside.
 * Half of the points lie straight off vertices and edges, where a wrong choice of normal gives the wrong sign. */
static void test_distance_and_sign_agree_with_trying_every_triangle(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  add_ball(&mesh, vec3(0.3, -0.2, 5), 1.5, 3, 0.7);
  geo_mesh_tree *tree = make_tree(&mesh);
  uint64_t seed = 22;
  int inside = 0;
  for (int round = 0; round < 3000; round++) {
    scr_vec3 p = vec3_add(vec3(0.3, -0.2, 5), random_vector(&seed, 2.5));
    if (round % 2) {
      const uint32_t *t = mesh.triangle[(size_t)round % mesh.triangle_count];
      scr_vec3 on = round % 4 == 1 ? mesh.vertex[t[0]] : vec3_scale(vec3_add(mesh.vertex[t[0]], mesh.vertex[t[1]]), 0.5);
      p = vec3_add(on, random_vector(&seed, 0.05));
    }
    double turns = 0, least = INFINITY;
    for (size_t t = 0; t < mesh.triangle_count; t++) {
      turns += solid_angle(&mesh, t, p) / (4 * M_PI);
      least = fmin(least, plain_distance(&mesh, t, p));
    }
    geo_nearest got = geo_mesh_nearest(tree, p);
    assert_true(fabs(fabs(got.distance) - least) < 1e-13);
    assert_true(fabs(turns - (got.distance < 0)) < 1e-9);
    scr_vec3 back = vec3_add(got.point, vec3_scale(got.gradient, got.distance));
    assert_true(vec3_length(vec3_sub(back, p)) < 1e-13);
    inside += got.distance < 0;
  }
  assert_true(inside > 500 && inside < 2500);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

/* On the surface itself the direction to the nearest point is lost in rounding: the gradient is the surface's normal. */
static void test_points_on_the_surface_have_its_normal(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  add_box(&mesh, vec3(0, 0, 0), vec3(1, 1, 1), 0);
  geo_mesh_tree *tree = make_tree(&mesh);
  geo_nearest face = geo_mesh_nearest(tree, vec3(0.25, 0.5, 1)), edge = geo_mesh_nearest(tree, vec3(0.25, -1, 1)),
              corner = geo_mesh_nearest(tree, vec3(-1, 1, -1));
  assert_true(face.distance == 0 && edge.distance == 0 && corner.distance == 0);
  assert_true(vec3_length(vec3_sub(face.gradient, vec3(0, 0, 1))) < 1e-15);
  assert_true(vec3_length(vec3_sub(edge.gradient, vec3(0, -sqrt(0.5), sqrt(0.5)))) < 1e-15);
  /* three right angles, so equal weights, however the faces are cut into triangles */
  assert_true(vec3_length(vec3_sub(corner.gradient, vec3_scale(vec3(-1, 1, -1), sqrt(1.0 / 3)))) < 1e-15);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

/* A flat lattice of many equal coordinates and a mesh in order are the hard cases of selection by pivots. */
static void test_every_triangle_can_be_found_in_a_large_mesh(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  add_ball(&mesh, vec3(0, 0, 0), 1, 6, 0);
  for (int k = 0; k < 40; k++) add_box(&mesh, vec3(3 + 3 * (k % 5), 3 * (k / 5), 0), vec3(1, 1, 1), 0);
  geo_mesh_tree *tree = make_tree(&mesh);
  for (size_t t = 0; t < mesh.triangle_count; t++) {
    scr_vec3 centre = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) centre = vec3_add(centre, vec3_scale(mesh.vertex[mesh.triangle[t][k]], 1.0 / 3));
    assert_true(fabs(geo_mesh_nearest(tree, centre).distance) < 1e-14);
  }
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

/* A mesh is a solid like the others: in a pose, through the same call. */
static void test_a_placed_mesh_is_a_solid_in_its_pose(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  add_box(&mesh, vec3(0, 0, 0), vec3(1, 0.5, 2), 0);
  geo_mesh_tree *tree = make_tree(&mesh);
  geo_placed_solid box = {.kind = GEO_PLACED_BOX, .position = {1, 2, 3}, .rotation = quat_exp(vec3(1, 2, 0.5)), .half_size = {1, 0.5, 2}};
  geo_placed_solid placed = {.kind = GEO_PLACED_MESH, .position = box.position, .rotation = box.rotation, .mesh = tree};
  assert_int_equal(geo_placed_check(&placed, NULL), SCR_OK);
  uint64_t seed = 23;
  for (int round = 0; round < 1000; round++) {
    scr_vec3 p = vec3_add(box.position, random_vector(&seed, 3));
    geo_nearest a = geo_placed_nearest(&box, p), b = geo_placed_nearest(&placed, p);
    assert_true(fabs(a.distance - b.distance) < 1e-13 && fabs(geo_placed_distance(&placed, p) - b.distance) == 0);
    if (a.distance > 1e-3) assert_true(vec3_length(vec3_sub(a.point, b.point)) < 1e-13);
  }
  placed.mesh = NULL;
  scr_error error = {0};
  assert_int_equal(geo_placed_check(&placed, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "mesh"));
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

static void test_an_open_mesh_gets_no_distance(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  add_box(&mesh, vec3(0, 0, 0), vec3(1, 1, 1), 0);
  mesh.triangle_count--;
  geo_mesh_tree *tree;
  scr_error error = {0};
  assert_int_equal(geo_mesh_tree_create(&mesh, &tree, &error), SCR_BAD_FILE);
  assert_null(tree);
  assert_non_null(strstr(error.message, "not closed"));
  geo_mesh_clear(&mesh);
}

static double random_between(unsigned *seed, double low, double high)
{
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (*seed / 4294967296.0);
}

static void test_a_search_within_reach_finds_the_same_bits_or_nothing(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  geo_mesh_tree *tree = NULL;
  unsigned seed = 7;
  size_t near = 0;
  add_ball(&mesh, vec3(0.1, 0, 0), 1, 3, 0.2);
  assert_int_equal(geo_mesh_tree_create(&mesh, &tree, NULL), SCR_OK);
  for (int k = 0; k < 4000; k++) {
    scr_vec3 p = vec3(random_between(&seed, -2, 2), random_between(&seed, -2, 2), random_between(&seed, -2, 2));
    double reach = random_between(&seed, 0, 1);
    geo_nearest all = geo_mesh_nearest(tree, p), within = {0};
    bool found = geo_mesh_nearest_within(tree, p, reach, &within);
    if (fabs(fabs(all.distance) - reach) > 1e-12) assert_int_equal(found, fabs(all.distance) < reach);
    if (found) assert_memory_equal(&all, &within, sizeof all);
    near += found;
  }
  assert_true(near > 500);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

/* Two points of a bumpy ball see each other unless the surface is between them: a ray that samples the distance says the same. */
static void test_a_segment_crosses_where_the_distance_changes_sign(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  geo_mesh_tree *tree = NULL;
  unsigned seed = 11;
  size_t crossings = 0;
  add_ball(&mesh, vec3(0, 0, 0), 1, 3, 0.25);
  assert_int_equal(geo_mesh_tree_create(&mesh, &tree, NULL), SCR_OK);
  for (int k = 0; k < 1000; k++) {
    scr_vec3 a = vec3(random_between(&seed, -1, 1), random_between(&seed, -1, 1), random_between(&seed, -1, 1));
    scr_vec3 b = vec3_add(a, vec3(random_between(&seed, -1, 1), random_between(&seed, -1, 1), random_between(&seed, -1, 1)));
    bool signs_change = false, in = geo_mesh_nearest(tree, a).distance < 0;
    for (int t = 1; t <= 300; t++)
      signs_change |= (geo_mesh_nearest(tree, vec3_add(a, vec3_scale(vec3_sub(b, a), t / 300.0))).distance < 0) != in;
    if (signs_change) assert_true(geo_mesh_crosses(tree, a, b)); /* the samples may miss a dip, but see no crossing that is not there */
    crossings += signs_change;
    assert_int_equal(geo_mesh_crosses(tree, a, b), geo_mesh_crosses(tree, b, a));
  }
  assert_true(crossings > 300 && crossings < 900);
  assert_false(geo_mesh_crosses(tree, vec3(0, 0, 0), vec3(0.1, 0.1, 0.1)));
  assert_true(geo_mesh_crosses(tree, vec3(-3, 0.01, 0.02), vec3(3, 0.01, 0.02))); /* both ends outside */
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

SUITE(test_geometry_mesh_distance)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_box_of_triangles_has_the_distance_of_the_box),
      cmocka_unit_test(test_distance_and_sign_agree_with_trying_every_triangle),
      cmocka_unit_test(test_points_on_the_surface_have_its_normal),
      cmocka_unit_test(test_every_triangle_can_be_found_in_a_large_mesh),
      cmocka_unit_test(test_a_placed_mesh_is_a_solid_in_its_pose),
      cmocka_unit_test(test_an_open_mesh_gets_no_distance),
      cmocka_unit_test(test_a_search_within_reach_finds_the_same_bits_or_nothing),
      cmocka_unit_test(test_a_segment_crosses_where_the_distance_changes_sign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
