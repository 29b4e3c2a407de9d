/* Meshes as scenes give them: lists or the text of a file; what they measure, and what is refused at which place. */
#include "tests/unit/scene/test_scene_fake.h"

#include "base/text.h"
#include "scene/mesh_source.h"
#include "scene/part.h"
#include "tests/support/suites.h"

#define VERTICES "\"vertices\": [[-1,-1,-1],[1,-1,-1],[-1,1,-1],[1,1,-1],[-1,-1,1],[1,-1,1],[-1,1,1],[1,1,1]]"
#define TRIANGLES "\"triangles\": [[0,4,6],[0,6,2],[1,3,7],[1,7,5],[0,1,5],[0,5,4],[2,6,7],[2,7,3],[0,2,3],[0,3,1],[4,5,7],[4,7,6]]"
#define CUBE "\"type\": \"mesh\", " VERTICES ", " TRIANGLES
#define OBJ                                                                                                                                \
  "\"type\": \"mesh\", \"scale\": 0.25, \"text\": \"# cube\\nv -1 -1 -1\\nv 1 -1 -1\\nv -1 1 -1\\r\\nv 1 1 -1\\nv -1 -1 1\\nv 1 -1 1\\n"   \
  "v -1 1 1\\nv 1 1 1\\nf 1 5 7 3\\nf 2 4 8 6\\nf 1 2 6 5\\nf 3 7 8 4\\nf 1 3 4 2\\nf 5 6 8 7\\n\""
#define PLY                                                                                                                                \
  "\"type\": \"mesh\", \"text\": \"ply\\nformat ascii 1.0\\nelement vertex 4\\nproperty float x\\nproperty float y\\nproperty float z\\n"  \
  "element face 4\\nproperty list uchar int vertex_indices\\nend_header\\n0 0 0\\n1 0 0\\n0 1 0\\n0 0 1\\n3 0 2 1\\n3 0 1 3\\n3 0 3 2\\n"  \
  "3 1 2 3\\n\""

static char *with_shape(const char *shape)
{
  return edited(small_scene, "\"type\": \"sphere\", \"radius\": 1", shape);
}

static char *with_obstacle(const char *shape)
{
  char both[2000];
  snprintf(both, sizeof both, "\"obstacles\": [ { \"name\": \"o\", \"shape\": { %s } } ], \"time\":", shape);
  return edited(small_scene, "\"time\":", both);
}

static void assert_volume(const char *shape, double volume, size_t triangles)
{
  char *text = with_shape(shape);
  scr_scene *scene = parsed(text);
  const struct scr_mesh *mesh = scene->specimens[0].shape.mesh.mesh;
  assert_non_null(mesh);
  assert_int_equal(mesh->surface.triangle_count, triangles);
  if (!(fabs(mesh->volume - volume) <= 1e-14 * volume)) fail_msg("%.17g is not %.17g m^3", mesh->volume, volume);
  scr_scene_destroy(scene);
  free(text);
}

static void test_lists_and_texts_of_files_are_meshes(void **state)
{
  (void)state;
  assert_volume(CUBE, 8, 12);
  assert_volume("\"scale\": 0.001, " CUBE, 8e-9, 12);
  assert_volume(OBJ, 0.125, 12);
  assert_volume(PLY, 1.0 / 6, 4);
}

static void test_an_effective_mesh_reads_back_as_itself(void **state)
{
  (void)state;
  static const char *const shapes[] = {CUBE, OBJ, PLY};
  for (size_t k = 0; k < 3; k++) {
    char *text = k == 1 ? with_obstacle(shapes[k]) : with_shape(shapes[k]);
    scr_scene *scene = parsed(text);
    char *effective = scr_scene_json(scene);
    scr_scene *again = parsed(effective);
    char *twice = scr_scene_json(again);
    assert_string_equal(effective, twice);
    free(twice);
    free(effective);
    scr_scene_destroy(again);
    scr_scene_destroy(scene);
    free(text);
  }
}

/* A tetrahedron is not the same seen from all sides: own x becomes y when it is turned by 90 degrees about z. */
static void test_an_obstacle_of_a_mesh_is_turned_and_placed(void **state)
{
  (void)state;
  char *text = with_obstacle(PLY), *turned;
  turned = edited(text, "\"name\": \"o\"", "\"name\": \"o\", \"position\": [0, 0, 5], \"rotation\": { \"angle_deg\": 90 }");
  scr_scene *scene = parsed(turned);
  scr_part parts[SCR_PART_LIMIT];
  assert_int_equal(scr_rig_parts(&scene->rig, parts), 1);
  scr_part_distance from = scr_part_distance_at(&parts[0], parts[0].start, vec3(0, 1.5, 5));
  assert_true(fabs(from.distance - 0.5) < 1e-14 && fabs(from.normal.y - 1) < 1e-14); /* its tip */
  from = scr_part_distance_at(&parts[0], parts[0].start, vec3(-0.1, 0.1, 4.75));
  assert_true(fabs(from.distance - 0.25) < 1e-14 && fabs(from.normal.z + 1) < 1e-14); /* its bottom */
  assert_true(scr_part_is_far(&parts[0], parts[0].start, vec3(0, -0.3, 5), 0.2));
  assert_false(scr_part_is_far(&parts[0], parts[0].start, vec3(0, -0.3, 5), 0.31));
  scr_scene_destroy(scene);
  free(turned);
  free(text);
}

static void test_faults_are_refused_at_their_place(void **state)
{
  (void)state;
  static const struct {
    const char *old, *new, *place, *words;
  } faults[] = {
      {"[1,1,1]]", "[1,1,null]]", "vertices/7/2", "null"},
      {"[1,1,1]]", "[1,1,2e9]]", "vertices/7/2", "a number from -1000000000"},
      {"[0,4,6],", "[0,4,8],", "triangles/0/2", "names vertex 8; the mesh has vertices 0 to 7"},
      {"[0,4,6],", "[0,4,6.5],", "triangles/0/2", "a whole number"},
      {"[0,4,6],", "[0,4,-1],", "triangles/0/2", "a whole number from 0"},
      {"[0,4,6],", "[0,4,4],", "triangles/0", "has no area"},
      {"\"vertices\"", "\"scale\": 0, \"vertices\"", "scale", "a number > 0"},
      {"\"vertices\"", "\"scale\": 1e6, \"vertices\"", "", ""}, /* fits exactly: coordinates of 1e6 m */
      {"\"vertices\"", "\"text\": \"v 0 0 0\", \"vertices\"", "text", "given twice"},
      {VERTICES, "\"vertices\": []", "vertices", "has no vertices"},
      {TRIANGLES, "\"triangles\": []", "triangles", "has no triangles"},
      {VERTICES ", " TRIANGLES, "\"scale\": 1", "", "has no vertices and triangles"},
  };
  for (int list = 0; list < 2; list++)
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
      char *text = list ? with_obstacle(CUBE) : with_shape(CUBE), pointer[96];
      snprintf(pointer, sizeof pointer, "/%s/0/shape%s%s", list ? "obstacles" : "specimens", faults[k].place[0] ? "/" : "",
               faults[k].place);
      if (faults[k].words[0]) {
        assert_refused(text, faults[k].old, faults[k].new, pointer, faults[k].words);
      } else {
        char *changed = edited(text, faults[k].old, faults[k].new);
        scr_scene_destroy(parsed(changed));
        free(changed);
      }
      free(text);
    }
}

/* Each breaks several edges, and each edge is told. */
static void test_open_flipped_and_branching_surfaces_are_refused_edge_by_edge(void **state)
{
  (void)state;
  static const struct {
    const char *old, *new, *pointer, *words;
    size_t count;
  } surfaces[] = {
      {",[4,7,6]]", "]", "/specimens/0/shape/triangles/0", "belongs to no other triangle", 3},
      {"[4,7,6]]", "[4,6,7]]", "/specimens/0/shape/triangles/0", "same direction", 3},
      {"[4,7,6]]", "[4,7,6],[0,1,7]]", "/specimens/0/shape/triangles/2", "more than two triangles", 3},
  };
  char *text = with_shape(CUBE);
  for (size_t k = 0; k < 3; k++) {
    scr_problems problems = problems_after(text, surfaces[k].old, surfaces[k].new);
    assert_non_null(strstr(problem_at(&problems, surfaces[k].pointer)->detail, surfaces[k].words));
    assert_int_equal(problems.count, surfaces[k].count);
    scr_problems_clear(&problems);
  }
  free(text);
}

static void test_an_inside_out_mesh_and_two_solids_that_touch_in_a_corner_are_refused(void **state)
{
  (void)state;
  char *text = with_shape("\"type\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "
                          "\"triangles\": [[0,1,2],[0,3,1],[0,2,3],[1,3,2]]");
  scr_problems problems = problems_of(text);
  assert_int_equal(problems.count, 1);
  assert_non_null(strstr(problem_at(&problems, "/specimens/0/shape/triangles")->detail, "inside out"));
  scr_problems_clear(&problems);
  free(text);
  text = with_shape("\"type\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[-1,0,0],[0,-1,0],[0,0,-1]], "
                    "\"triangles\": [[0,2,1],[0,1,3],[0,3,2],[1,2,3],[0,4,5],[0,6,4],[0,5,6],[4,6,5]]");
  problems = problems_of(text);
  assert_non_null(strstr(problem_at(&problems, "/specimens/0/shape/vertices/0")->detail, "touch only there"));
  scr_problems_clear(&problems);
  free(text);
}

/* Two unit cubes that overlap by half along x and a third along y and z, as one mesh: 6 edges of each go into the other. */
static void test_a_surface_that_crosses_itself_is_a_problem_in_specimens_and_a_warning_in_obstacles(void **state)
{
  (void)state;
  text_builder shape = {0};
  text_add_string(&shape, "\"type\": \"mesh\", \"vertices\": [");
  for (int k = 0; k < 16; k++)
    text_add_format(&shape, "%s[%g,%g,%g]", k ? "," : "", (k & 1) + (k > 7) * 0.5, (k >> 1 & 1) + (k > 7) * 0.7,
                    (k >> 2 & 1) + (k > 7) * 0.6);
  text_add_string(&shape, "], \"triangles\": [");
  static const int cube[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                                  {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  for (int t = 0; t < 24; t++) {
    const int *v = cube[t % 12], first = t / 12 * 8;
    text_add_format(&shape, "%s[%d,%d,%d]", t ? "," : "", v[0] + first, v[1] + first, v[2] + first);
  }
  text_add_string(&shape, "]");
  char *written = text_take(&shape), *text = with_shape(written);
  scr_problems problems = problems_of(text);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/specimens/0/shape/triangles/2");
  assert_non_null(strstr(problems.items[0].detail, "triangles 2 and "));
  assert_non_null(strstr(problems.items[0].detail, "near (1, "));
  assert_non_null(strstr(problems.items[0].detail, "other pairs"));
  scr_problems_clear(&problems);
  free(text);
  text = with_obstacle(written);
  scr_scene *scene = parsed(text);
  const scr_problems *warnings = scr_scene_warnings(scene);
  assert_int_equal(warnings->count, 1);
  assert_string_equal(warnings->items[0].pointer, "/obstacles/0/shape/triangles/2");
  scr_scene_destroy(scene);
  free(text);
  free(written);
}

/* A mesh of 30 separate triangles has 90 open edges: 20 are told, and that there are more. */
static void test_a_mesh_with_many_faults_tells_the_first_and_that_there_are_more(void **state)
{
  (void)state;
  text_builder shape = {0};
  text_add_string(&shape, "\"type\": \"mesh\", \"vertices\": [[0,0,0]");
  for (int k = 1; k < 90; k++) text_add_format(&shape, ",[%d,%d,0]", k, k % 3 == 2);
  text_add_string(&shape, "], \"triangles\": [[0,1,2]");
  for (int k = 1; k < 30; k++) text_add_format(&shape, ",[%d,%d,%d]", 3 * k, 3 * k + 1, 3 * k + 2);
  text_add_string(&shape, "]");
  char *written = text_take(&shape), *text = with_shape(written);
  scr_problems problems = problems_of(text);
  assert_int_equal(problems.count, 21);
  assert_string_equal(problems.items[19].pointer, "/specimens/0/shape/triangles/6");
  assert_string_equal(problems.items[20].pointer, "/specimens/0/shape");
  assert_non_null(strstr(problems.items[20].detail, "more faults"));
  scr_problems_clear(&problems);
  free(text);
  free(written);
}

static void assert_too_many(const char *before, const char *item, const char *after, const char *pointer, const char *words)
{
  text_builder shape = {0};
  text_add_string(&shape, before);
  for (int k = 0; k <= SCENE_MESH_TRIANGLE_LIMIT; k++) text_add_string(&shape, item + (k == 0 && item[0] == ','));
  text_add_string(&shape, after);
  char *written = text_take(&shape), *text = with_shape(written);
  scr_problems problems = problems_of(text);
  assert_int_equal(problems.count, 1);
  assert_non_null(strstr(problem_at(&problems, pointer)->detail, words));
  scr_problems_clear(&problems);
  free(text);
  free(written);
}

static void test_too_many_triangles_are_refused(void **state)
{
  (void)state;
  assert_too_many("\"type\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0]], \"triangles\": [", ",[0,1,2]", "]",
                  "/specimens/0/shape/triangles", "0 to 200000 items");
  assert_too_many("\"type\": \"mesh\", \"text\": \"v 0 0 0\\nv 1 0 0\\nv 0 1 0", "\\nf 1 2 3", "\"", "/specimens/0/shape/text",
                  "the limit is 200000");
}

static void test_texts_that_are_no_mesh_say_the_line(void **state)
{
  (void)state;
  char *text = with_shape(OBJ);
  assert_refused(text, "v 1 1 1\\n", "v 1 1 x\\n", "/specimens/0/shape/text", "line 9 of the OBJ file has 'x'");
  assert_refused(text, "f 5 6 8 7", "f 5 6 8 9", "/specimens/0/shape/text", "corner '9'");
  assert_refused(text, "# cube\\nv -1", "hello", "/specimens/0/shape/text", "neither PLY nor OBJ");
  free(text);
}

SUITE(test_scene_meshes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lists_and_texts_of_files_are_meshes),
      cmocka_unit_test(test_an_effective_mesh_reads_back_as_itself),
      cmocka_unit_test(test_an_obstacle_of_a_mesh_is_turned_and_placed),
      cmocka_unit_test(test_faults_are_refused_at_their_place),
      cmocka_unit_test(test_open_flipped_and_branching_surfaces_are_refused_edge_by_edge),
      cmocka_unit_test(test_an_inside_out_mesh_and_two_solids_that_touch_in_a_corner_are_refused),
      cmocka_unit_test(test_a_surface_that_crosses_itself_is_a_problem_in_specimens_and_a_warning_in_obstacles),
      cmocka_unit_test(test_a_mesh_with_many_faults_tells_the_first_and_that_there_are_more),
      cmocka_unit_test(test_too_many_triangles_are_refused),
      cmocka_unit_test(test_texts_that_are_no_mesh_say_the_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
