/* Surfaces that cross themselves are found, surfaces that only touch or come near are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/mesh_crossing.h"
#include "geometry/mesh/files/mesh_read.h"
#include "geometry/mesh/mesh_shapes.h"
#include "geometry/surface.h"
#include "server/embedded.h"
#include "scree.h"
#include "tests/unit/meshes/test_geometry_meshes.h"
#include "tests/support/suites.h"

static const double pi = 3.14159265358979323846;

static geo_mesh_crossings crossings_of(const geo_mesh *mesh)
{
  geo_mesh_tree *tree;
  geo_mesh_crossings found;
  scr_error error = {0};
  if (geo_mesh_tree_create(mesh, &tree, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(geo_mesh_find_crossings(mesh, tree, &found, NULL), SCR_OK);
  assert_false(found.exhausted);
  geo_mesh_tree_destroy(tree);
  return found;
}

static size_t crossings_then_clear(geo_mesh *mesh)
{
  size_t count = crossings_of(mesh).count;
  geo_mesh_clear(mesh);
  return count;
}

/* A closed tube of radius `tube` about a curve that goes round once and is a figure of eight for lift 0, m: x = sin 2t, y = 2 sin t, z =
 * lift cos t; at its centre the two strands are 2 lift apart. */
static void add_eight(geo_mesh *mesh, double lift, double tube, uint32_t along, uint32_t around)
{
  for (uint32_t i = 0; i < along; i++) {
    double t = 2 * pi * (i + 0.5) / along;
    scr_vec3 centre = vec3(sin(2 * t), 2 * sin(t), lift * cos(t)), tangent = vec3(2 * cos(2 * t), 2 * cos(t), -lift * sin(t));
    tangent = vec3_scale(tangent, 1 / vec3_length(tangent));
    scr_vec3 one = vec3_cross(vec3(0, 0, 1), tangent);
    one = vec3_scale(one, 1 / vec3_length(one));
    scr_vec3 two = vec3_cross(tangent, one);
    for (uint32_t j = 0; j < around; j++) {
      double a = 2 * pi * j / around;
      geo_mesh_add_vertex(mesh, vec3_add(centre, vec3_add(vec3_scale(one, tube * cos(a)), vec3_scale(two, tube * sin(a)))), NULL);
    }
  }
  for (uint32_t i = 0; i < along; i++)
    for (uint32_t j = 0; j < around; j++) {
      uint32_t a = i * around + j, b = i * around + (j + 1) % around, c = (i + 1) % along * around + j,
               d = (i + 1) % along * around + (j + 1) % around;
      geo_mesh_add_triangle(mesh, a, d, c, 0, NULL);
      geo_mesh_add_triangle(mesh, a, b, d, 0, NULL);
    }
}

/* The strands of a figure of eight go through each other at its middle, and only there; lifted apart they don't. The number of pairs is
 * twice as large on a mesh twice as fine: both curves of the crossing pass twice as many triangles. */
static void test_a_ring_bent_to_a_figure_of_eight_crosses_itself_at_its_middle(void **state)
{
  (void)state;
  size_t counts[2];
  for (int k = 0; k < 2; k++) {
    geo_mesh mesh = {0};
    add_eight(&mesh, 0.05, 0.2, 120u << k, 24u << k);
    geo_mesh_crossings found = crossings_of(&mesh);
    print_message("# value: %zu triangles: pairs that cross = %zu\n", mesh.triangle_count, found.count);
    assert_true(found.count > 20 && found.a < found.b && vec3_length(found.at) < 0.5);
    counts[k] = found.count;
    geo_mesh_clear(&mesh);
  }
  assert_true(counts[1] > 1.6 * (double)counts[0] && counts[1] < 2.4 * (double)counts[0]);
  for (uint32_t fine = 1; fine <= 4; fine *= 2) {
    geo_mesh mesh = {0};
    add_eight(&mesh, 0.3, 0.2, 120 * fine, 24 * fine); /* 0.6 apart, 0.4 thick */
    assert_int_equal(crossings_then_clear(&mesh), 0);
  }
}

/* Against trying every pair: bumpy balls at random places, with the pair that is told. */
static void test_the_tree_finds_what_trying_every_pair_finds(void **state)
{
  (void)state;
  uint32_t seed = 1;
  size_t crossing = 0;
  for (int k = 0; k < 12; k++) {
    geo_mesh mesh = {0}, both = {0};
    scr_vec3 shift;
    double *s[3] = {&shift.x, &shift.y, &shift.z};
    for (int i = 0; i < 3; i++) *s[i] = ((seed = seed * 1664525u + 1013904223u) >> 8) * 4.0 / (1 << 24) - 2.0;
    add_ball(&mesh, vec3(0, 0, 0), 1, 2, 0.1);
    size_t first = mesh.triangle_count;
    for (size_t v = 0; v < mesh.vertex_count; v++) geo_mesh_add_vertex(&both, mesh.vertex[v], NULL);
    for (size_t v = 0; v < mesh.vertex_count; v++) geo_mesh_add_vertex(&both, vec3_add(vec3_scale(mesh.vertex[v], 0.8), shift), NULL);
    for (int copy = 0; copy < 2; copy++)
      for (size_t t = 0; t < first; t++) {
        uint32_t *v = mesh.triangle[t], from = copy ? (uint32_t)mesh.vertex_count : 0;
        geo_mesh_add_triangle(&both, v[0] + from, v[1] + from, v[2] + from, 0, NULL);
      }
    /* an edge of one ball goes through a triangle of the other wherever they cross */
    geo_mesh_tree *tree;
    bool crosses = false;
    assert_int_equal(geo_mesh_tree_create(&mesh, &tree, NULL), SCR_OK);
    for (size_t t = first; t < both.triangle_count && !crosses; t++)
      for (int i = 0; i < 3; i++)
        crosses = crosses || geo_mesh_crosses(tree, both.vertex[both.triangle[t][i]], both.vertex[both.triangle[t][(i + 1) % 3]]);
    geo_mesh_crossings found = crossings_of(&both);
    crossing += found.count > 0;
    if (crosses) assert_true(found.count > 0);
    if (found.count) {
      assert_true(found.a < first && found.b >= first);
      assert_true(fabs(geo_mesh_nearest(tree, found.at).distance) < 1e-9); /* a place on the surface of the first ball */
    }
    geo_mesh_tree_destroy(tree);
    geo_mesh_clear(&mesh);
    geo_mesh_clear(&both);
  }
  assert_true(crossing >= 3 && crossing < 12);
}

typedef struct two_boxes {
  scr_vec3 centre, half; /* of the second; the first is 0 +- 1 */
  bool crosses;
  const char *what;
} two_boxes;

/* What counts and what does not, on boxes: most of these have edges and faces exactly in each other's planes. */
static void test_touching_is_not_crossing(void **state)
{
  (void)state;
  static const two_boxes cases[] = {
      {{3, 0, 0}, {1, 1, 1}, false, "apart"},
      {{2, 0, 0}, {1, 1, 1}, false, "face on face"},
      {{2, 0.3, 0.4}, {1, 1, 1}, false, "part of a face on part of a face"},
      {{1.5, 0.2, 0.1}, {0.5, 0.5, 0.5}, false, "small face on a face"},
      {{2, 2, 0}, {1, 1, 1}, false, "edge on edge"},
      {{2, 2, 2}, {1, 1, 1}, false, "corner on corner"},
      {{0, 0, 0}, {0.5, 0.5, 0.5}, false, "one inside the other"},
      {{2 - 1e-7, 0, 0}, {1, 1, 1}, false, "face on face but for the rounding of single precision"},
      {{1.9, 0, 0}, {1, 1, 1}, true, "overlap with walls in one plane"},
      {{1.9, 0.3, 0.4}, {1, 1, 1}, true, "overlap"},
      {{2 - 1e-4, 0.3, 0.4}, {1, 1, 1}, true, "a shallow overlap"},
      {{0, 0, 1}, {0.5, 0.5, 0.5}, true, "half out of a face"},
      {{0, 0, 0}, {0.5, 0.5, 3}, true, "right through"},
      {{0, 0, 0}, {1, 1, 3}, true, "right through with walls in one plane"},
      {{0, 0, 0}, {1, 1, 1}, true, "twice the same"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int order = 0; order < 2; order++) {
      geo_mesh mesh = {0};
      if (order) add_box(&mesh, cases[k].centre, cases[k].half, 1);
      add_box(&mesh, vec3(0, 0, 0), vec3(1, 1, 1), 0);
      if (!order) add_box(&mesh, cases[k].centre, cases[k].half, 1);
      size_t count = crossings_then_clear(&mesh);
      if ((count > 0) != cases[k].crosses) fail_msg("%s: %zu pairs", cases[k].what, count);
    }
}

/* A prism whose ring of vertices lies exactly in a face of the box that it goes through: no triangle reaches to both sides of the face, but
 * the edges of the ring lie in it and the prism goes on beyond them. */
static void test_a_ring_of_edges_in_a_face_is_a_crossing(void **state)
{
  (void)state;
  for (int through = 0; through < 2; through++) {
    geo_mesh mesh = {0};
    add_box(&mesh, vec3(0, 0, 0), vec3(2, 2, 1), 0);
    uint32_t first = (uint32_t)mesh.vertex_count;
    const double level[3] = {through ? 0.5 : 2.0, through ? 1.0 : 1.5, through ? 1.7 : 1.0}; /* else it stands on the face */
    for (int ring = 0; ring < 3; ring++)
      for (int j = 0; j < 3; j++) {
        double angle = 0.3 + 2 * pi * j / 3;
        geo_mesh_add_vertex(&mesh, vec3(0.2 + cos(angle), 0.1 + sin(angle), through ? level[ring] : level[2 - ring]), NULL);
      }
    geo_mesh_add_triangle(&mesh, first, first + 2, first + 1, 0, NULL);
    geo_mesh_add_triangle(&mesh, first + 6, first + 7, first + 8, 0, NULL);
    for (uint32_t ring = 0; ring < 2; ring++)
      for (uint32_t j = 0; j < 3; j++) {
        uint32_t a = first + 3 * ring + j, b = first + 3 * ring + (j + 1) % 3;
        geo_mesh_add_triangle(&mesh, a, b, b + 3, 0, NULL);
        geo_mesh_add_triangle(&mesh, a, b + 3, a + 3, 0, NULL);
      }
    assert_int_equal(crossings_then_clear(&mesh) > 0, through);
  }
}

/* Every shape made here or shipped is clean: balls of any fineness, thin walls, skins of touching spheres, the gallery's meshes. */
static void test_clean_meshes_are_clean(void **state)
{
  (void)state;
  for (int level = 0; level < 7; level++) {
    geo_mesh mesh = {0};
    add_ball(&mesh, vec3(1000, -500, 3), 2, level, level > 4 ? 0.05 : 0);
    assert_int_equal(crossings_then_clear(&mesh), 0);
  }
  geo_mesh ball = {0}, plate = {0}, skin = {0};
  assert_int_equal(geo_mesh_make_ball(&ball, 1, 40, NULL), SCR_OK);
  assert_int_equal(crossings_then_clear(&ball), 0);
  assert_int_equal(geo_mesh_add_box(&plate, vec3(1, 1, 1e-3), NULL), SCR_OK);
  assert_int_equal(crossings_then_clear(&plate), 0);
  scr_vec3 centre[27];
  double radius[27];
  for (int k = 0; k < 27; k++) centre[k] = vec3(2 * (k % 3), 2 * (k / 3 % 3) + 0.3 * (k % 2), 2 * (k / 9)), radius[k] = 1;
  geo_surface_options options = {.cell = 0.25};
  assert_int_equal(geo_surface_of_balls(centre, radius, 27, &options, 0, &skin, NULL), SCR_OK);
  assert_true(skin.triangle_count > 5000);
  assert_int_equal(crossings_then_clear(&skin), 0);
  static const char *const names[] = {"ring-drop", "wedge-split"};
  for (int k = 0; k < 2; k++) {
    char path[64];
    snprintf(path, sizeof path, "gallery/%s.json", names[k]);
    const embedded_file *asset = embedded_find(path);
    assert_non_null(asset);
    scr_scene *scene = NULL;
    assert_int_equal(scr_scene_parse((const char *)asset->data, asset->size, NULL, &scene, NULL), SCR_OK);
    for (size_t i = 0; i < scr_scene_warnings(scene)->count; i++)
      assert_null(strstr(scr_scene_warnings(scene)->items[i].detail, "pass through"));
    scr_scene_destroy(scene);
  }
}

static const char *const files[] = {"ascii.stl", "binary.stl", "ascii.ply", "little.ply", "big.ply", "cube.obj"};

static void test_the_files_that_tests_read_are_clean(void **state)
{
  (void)state;
  size_t checked = 0;
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    char path[96], *bytes = NULL;
    size_t size;
    snprintf(path, sizeof path, "tests/fuzz/corpus/mesh/%s", files[k]);
    FILE *file = fopen(path, "rb");
    if (!file) skip(); /* run from elsewhere than the root */
    assert_non_null(bytes = malloc(1 << 16));
    size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    geo_mesh mesh = {0};
    if (geo_mesh_read(bytes, size, 100000, &mesh, NULL) == SCR_OK && geo_mesh_check(&mesh, NULL) == SCR_OK) {
      assert_int_equal(crossings_of(&mesh).count, 0);
      ++checked;
    }
    geo_mesh_clear(&mesh);
    free(bytes);
  }
  assert_true(checked > 0);
}

/* Slivers that all lie across each other's boxes end the search instead of holding it up; and that is said. A rod along the diagonal of n
 * long triangles round about: every box holds the whole rod. */
static void test_a_mesh_made_to_be_slow_ends_the_search(void **state)
{
  (void)state;
  enum { N = 4000 };
  geo_mesh mesh = {0};
  geo_mesh_tree *tree;
  geo_mesh_crossings found;
  scr_vec3 axis = vec3_scale(vec3(1, 1, 1), 1 / sqrt(3.0)), one = vec3_scale(vec3(1, -1, 0), 1 / sqrt(2.0)), two = vec3_cross(axis, one);
  for (int end = 0; end < 2; end++)
    for (int j = 0; j < N; j++) {
      double a = 2 * pi * j / N;
      geo_mesh_add_vertex(&mesh, vec3_add(vec3_scale(axis, 200.0 * end), vec3_add(vec3_scale(one, cos(a)), vec3_scale(two, sin(a)))), NULL);
    }
  geo_mesh_add_vertex(&mesh, vec3(0, 0, 0), NULL);
  geo_mesh_add_vertex(&mesh, vec3_scale(axis, 200), NULL);
  for (uint32_t j = 0; j < N; j++) {
    uint32_t next = (j + 1) % N;
    geo_mesh_add_triangle(&mesh, j, next, N + next, 0, NULL);
    geo_mesh_add_triangle(&mesh, j, N + next, N + j, 0, NULL);
    geo_mesh_add_triangle(&mesh, next, j, 2 * N, 0, NULL);
    geo_mesh_add_triangle(&mesh, N + j, N + next, 2 * N + 1, 0, NULL);
  }
  scr_error error = {0};
  if (geo_mesh_tree_create(&mesh, &tree, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(geo_mesh_find_crossings(&mesh, tree, &found, NULL), SCR_OK);
  assert_true(found.exhausted && found.count == 0);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

SUITE(test_geometry_mesh_crossing)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ring_bent_to_a_figure_of_eight_crosses_itself_at_its_middle),
      cmocka_unit_test(test_the_tree_finds_what_trying_every_pair_finds),
      cmocka_unit_test(test_touching_is_not_crossing),
      cmocka_unit_test(test_a_ring_of_edges_in_a_face_is_a_crossing),
      cmocka_unit_test(test_clean_meshes_are_clean),
      cmocka_unit_test(test_the_files_that_tests_read_are_clean),
      cmocka_unit_test(test_a_mesh_made_to_be_slow_ends_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
