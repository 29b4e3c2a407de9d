/* Bodies of the method fem from files and surfaces: hexahedra of a file as they are, solids filled with hexahedra, what is refused and what
 * is warned of. */
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#include "geometry/hexes/fill.h"
#include "geometry/mesh/mesh_shapes.h"
#include "methods/fem/mesh/specimen.h"
#include "methods/fem/state/state.h"

/* ── filling ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static geo_hexes fill(const geo_mesh *surface, double spacing)
{
  geo_mesh_tree *tree;
  geo_hexes mesh;
  scr_error error = {0};
  assert_int_equal(geo_mesh_tree_create(surface, &tree, NULL), SCR_OK);
  if (geo_hexes_fill(tree, spacing, &mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  geo_mesh_tree_destroy(tree);
  return mesh;
}

/* A ball: sound elements whose corners are on the sphere, and whose volume comes near to the ball's as the square of the spacing (sagitta
 * of flat faces). */
static void test_a_ball_is_filled(void **state)
{
  (void)state;
  geo_mesh ball = {0};
  double lost[2];
  assert_int_equal(geo_mesh_make_ball(&ball, 1, 24, NULL), SCR_OK);
  for (int k = 0; k < 2; k++) {
    geo_hexes mesh = fill(&ball, k ? 0.15 : 0.3);
    geo_hexes_surface surface;
    geo_hexes_quality quality = geo_hexes_measure(&mesh);
    assert_int_equal(geo_hexes_check(&mesh, NULL), SCR_OK);
    assert_true(quality.scaled_jacobian > 0.4 && quality.aspect < 4);
    lost[k] = 1 - quality.volume / (4 * 3.14159265358979 / 3);
    assert_int_equal(geo_hexes_find_surface(&mesh, &surface, NULL), SCR_OK);
    for (size_t n = 0; n < surface.node_count; n++) {
      const double *x = mesh.node[surface.node[n]];
      assert_true(fabs(vec3_length(vec3(x[0], x[1], x[2])) - 1) < 5e-3); /* the ball's own triangles are as far inside */
    }
    geo_hexes_surface_clear(&surface);
    geo_hexes_clear(&mesh);
  }
  assert_true(lost[0] > 0 && lost[1] > 0 && lost[1] < 0.02 && lost[1] < 0.4 * lost[0]);
  geo_mesh_clear(&ball);
}

/* Round sections have nodes at both ends of their diameters along the axes, whatever the spacing: parts that press there meet them at once.
 * Between an odd number of elements a face would cut off (1 - cos) of it, a thirtieth of the radius at five. */
static void test_round_bodies_have_nodes_where_parts_press(void **state)
{
  (void)state;
  static const scr_shape_kind kinds[] = {SCR_SHAPE_SPHERE, SCR_SHAPE_CYLINDER, SCR_SHAPE_HOLLOW_SPHERE};
  for (int k = 0; k < 3; k++)
    for (int across = 2; across < 13; across++) {
      const scr_shape shape = {.kind = kinds[k], .radius = 0.01, .inner_radius = 0.006, .length = 0.01};
      const fem_specimen block = {.spacing = 0.02 / across, .divisions = {NAN, NAN, NAN}};
      shape_division division = fem_divide(&shape, &block);
      geo_hexes mesh = {0};
      double most[3] = {0}, least[3] = {0};
      assert_int_equal(shape_hexes(&shape, &division, &mesh, NULL), SCR_OK);
      assert_int_equal(mesh.hex_count, division.hexes);
      assert_int_equal(mesh.node_count, division.nodes);
      for (size_t n = 0; n < mesh.node_count; n++)
        for (int i = 0; i < 3; i++) most[i] = fmax(most[i], mesh.node[n][i]), least[i] = fmin(least[i], mesh.node[n][i]);
      for (int i = 0; i < (kinds[k] == SCR_SHAPE_CYLINDER ? 2 : 3); i++)
        assert_true(fabs(most[i] - 0.01) < 1e-15 && fabs(least[i] + 0.01) < 1e-15);
      geo_hexes_clear(&mesh);
    }
}

/* Bricks along the axes are filled by bricks, exactly. */
static void test_bricks_are_exact(void **state)
{
  (void)state;
  geo_mesh box = {0};
  assert_int_equal(geo_mesh_add_box(&box, vec3(0.5, 0.25, 0.2), NULL), SCR_OK);
  geo_hexes mesh = fill(&box, 0.1);
  geo_hexes_quality quality = geo_hexes_measure(&mesh);
  assert_int_equal(mesh.hex_count, 10 * 5 * 4);
  assert_true(fabs(quality.volume - 0.2) < 1e-14 && quality.scaled_jacobian > 1 - 1e-12);
  geo_hexes_clear(&mesh);
  geo_mesh_clear(&box);
}

static void test_what_is_too_thin_is_refused(void **state)
{
  (void)state;
  geo_mesh ball = {0};
  geo_mesh_tree *tree;
  geo_hexes mesh;
  scr_error error = {0};
  assert_int_equal(geo_mesh_make_ball(&ball, 1, 8, NULL), SCR_OK);
  assert_int_equal(geo_mesh_tree_create(&ball, &tree, NULL), SCR_OK);
  assert_int_equal(geo_hexes_fill(tree, 2, &mesh, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "too large for this solid"));
  assert_int_equal(geo_hexes_fill(tree, 0.005, &mesh, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "cells; at most"));
  assert_null(mesh.node);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&ball);
}

/* ── scenes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A beam of 8 x 2 x 2 hexahedra, 80 x 20 x 20 mm, as a Gmsh file in millimetres, in JSON's escapes. */
static void gmsh_beam(char *text, size_t capacity)
{
  size_t at = (size_t)snprintf(text, capacity, "$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n$Nodes\\n81\\n");
  for (int n = 0; n < 81; n++)
    at += (size_t)snprintf(text + at, capacity - at, "%d %d %d %d\\n", n + 1, n % 9 * 10, n / 9 % 3 * 10, n / 27 * 10);
  at += (size_t)snprintf(text + at, capacity - at, "$EndNodes\\n$Elements\\n32\\n");
  for (int e = 0; e < 32; e++) {
    int n = e % 8 + e / 8 % 2 * 9 + e / 16 * 27 + 1;
    at += (size_t)snprintf(text + at, capacity - at, "%d 5 0 %d %d %d %d %d %d %d %d\\n", e + 1, n, n + 1, n + 10, n + 9, n + 27, n + 28,
                           n + 37, n + 36);
  }
  snprintf(text + at, capacity - at, "$EndElements\\n");
}

static char *scene_text(const char *shape, const char *division, const char *place)
{
  static char text[20000];
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"case\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, "
           "\"young_modulus\": 1e7, "
           "\"poisson_ratio\": 0.3 } ], \"specimens\": [ { \"name\": \"body\", \"material\": \"m\", %s \"shape\": { %s }, \"placement\": { "
           "\"type\": "
           "\"single\", \"position\": %s }, \"load_side\": \"x_max\", \"load\": [0, 0, -1] } ], \"rig\": { \"type\": \"grips\", \"axis\": "
           "\"x\", "
           "\"low_end\": 1e-6, \"gravity\": [0, 0, 0] }, \"time\": { \"duration\": 0.02, \"time_step\": 1e-3 } }",
           division, shape, place);
  return text;
}

/* The same beam from a file and from the shape `box` moves the same, to rounding: the numbers of nodes differ, the elements do not. */
static void test_a_file_moves_as_the_box_it_is(void **state)
{
  (void)state;
  char file[9000], shape[9500];
  gmsh_beam(file, sizeof file);
  snprintf(shape, sizeof shape, "\"type\": \"mesh\", \"scale\": 1e-3, \"text\": \"%s\"", file);
  sim_run one = run_open(scene_text(shape, "", "[0, 0, 0]"), 1);
  sim_run other =
      run_open(scene_text("\"type\": \"box\", \"size\": [0.08, 0.02, 0.02]", "\"divisions\": [8, 2, 2],", "[0.04, 0.01, 0.01]"), 1);
  const fem_state *s = one.sim->state;
  assert_true(s->system.hex_count == 32 && s->system.node_count == 81 && scr_scene_estimate(one.scene)->node_count == 81);
  run_steps(&one, 20), run_steps(&other, 20);
  double far = run_curve(&one, "largest_displacement");
  assert_true(far > 1e-5 && fabs(far / run_curve(&other, "largest_displacement") - 1) < 1e-9);
  run_close(&one), run_close(&other);
}

/* With a spacing the same file's surface is filled anew: a coarse body of a fine file. */
static void test_a_spacing_fills_a_file_anew(void **state)
{
  (void)state;
  char file[9000], shape[9500];
  gmsh_beam(file, sizeof file);
  snprintf(shape, sizeof shape, "\"type\": \"mesh\", \"scale\": 1e-3, \"text\": \"%s\"", file);
  sim_run run = run_open(scene_text(shape, "\"spacing\": 0.02,", "[0, 0, 0]"), 1);
  const fem_state *s = run.sim->state;
  assert_true(s->system.hex_count == 4 && scr_scene_estimate(run.scene)->node_count == 20);
  run_close(&run);
}

/* Scenes that are refused, with where and why; and one that is warned of. */
static void test_bad_meshes_are_refused(void **state)
{
  (void)state;
  static const char octahedron[] =
      "\"type\": \"mesh\", \"scale\": 0.05, \"vertices\": [[1,0,0],[-1,0,0],[0,1,0],[0,-1,0],[0,0,1],[0,0,-1]], \"triangles\": "
      "[[0,2,4],[2,1,4],[1,3,4],[3,0,4],[2,0,5],[1,2,5],[3,1,5],[0,3,5]]";
  static const char inverted[] =
      "\"type\": \"mesh\", \"text\": \"*NODE\\n1,0,0,0\\n2,1,0,0\\n3,1,1,0\\n4,0,1,0\\n5,0,0,1\\n6,1,0,1\\n7,1,1,1\\n8,0,1,1\\n"
      "*ELEMENT,TYPE=C3D8\\n1,5,6,7,8,1,2,3,4\\n\"";
  static const struct {
    const char *shape, *division, *pointer, *word;
  } cases[] = {
      {octahedron, "", "/specimens/0/spacing", "no spacing"},
      {octahedron, "\"spacing\": 0.2,", "/specimens/0/spacing", "too large for this solid"},
      {octahedron, "\"spacing\": 0.03,", "/specimens/0/spacing", "of its volume"},
      {octahedron, "\"divisions\": [2, 2, 2], \"spacing\": 0.01,", "/specimens/0/divisions", "is not a box"},
      {inverted, "", "/specimens/0/shape/text", "folded or inside out"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    scr_scene *scene = NULL;
    scr_problems problems = {0};
    const char *text = scene_text(cases[k].shape, cases[k].division, "[0, 0, 0]");
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
    if (strcmp(problems.items[0].pointer, cases[k].pointer) != 0 || !strstr(problems.items[0].detail, cases[k].word))
      fail_msg("case %zu: %s: %s", k, problems.items[0].pointer, problems.items[0].detail);
    scr_problems_clear(&problems);
  }
}

static void test_cut_edges_are_told(void **state)
{
  (void)state;
  static const char octahedron[] =
      "{ \"type\": \"mesh\", \"scale\": 0.05, \"vertices\": [[1,0,0],[-1,0,0],[0,1,0],[0,-1,0],[0,0,1],[0,0,-1]], "
      "\"triangles\": [[0,2,4],[2,1,4],[1,3,4],[3,0,4],[2,0,5],[1,2,5],[3,1,5],[0,3,5]] }";
  char text[2000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"case\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, "
           "\"young_modulus\": 1e7 } ], "
           "\"specimens\": [ { \"name\": \"body\", \"material\": \"m\", \"spacing\": 0.012, \"shape\": %s, \"placement\": { \"type\": "
           "\"single\", "
           "\"position\": [0, 0, 0] } } ], \"rig\": { \"type\": \"none\" }, \"time\": { \"duration\": 0.01, \"time_step\": 1e-3 } }",
           octahedron);
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  const scr_problems *warnings = scr_scene_warnings(scene);
  bool told = false;
  for (size_t k = 0; k < warnings->count; k++) told = told || strstr(warnings->items[k].detail, "of its volume (smallest scaled Jacobian");
  assert_true(told);
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
}

SUITE(test_fem_meshes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ball_is_filled),
      cmocka_unit_test(test_round_bodies_have_nodes_where_parts_press),
      cmocka_unit_test(test_bricks_are_exact),
      cmocka_unit_test(test_what_is_too_thin_is_refused),
      cmocka_unit_test(test_a_file_moves_as_the_box_it_is),
      cmocka_unit_test(test_a_spacing_fills_a_file_anew),
      cmocka_unit_test(test_bad_meshes_are_refused),
      cmocka_unit_test(test_cut_edges_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
