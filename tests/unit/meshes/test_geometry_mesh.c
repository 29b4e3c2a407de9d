/* Triangle meshes: what bounds a solid, what is refused and how, and files read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/files/mesh_read.h"
#include "geometry/mesh/files/mesh_write.h"
#include "tests/unit/meshes/test_geometry_meshes.h"
#include "tests/support/suites.h"

static void assert_sound(const geo_mesh *mesh)
{
  scr_error error = {0};
  if (geo_mesh_check(mesh, &error) != SCR_OK) fail_msg("%s", error.message);
}

static void assert_refused(const geo_mesh *mesh, const char *names)
{
  scr_error error = {0};
  assert_int_equal(geo_mesh_check(mesh, &error), SCR_BAD_FILE);
  if (!strstr(error.message, names)) fail_msg("'%s' is not in: %s", names, error.message);
}

/* Sums of products of whole numbers are exact; Euler's number is 2 per shell. */
static void test_boxes_measure_what_boxes_measure(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  geo_mesh_measures m;
  add_box(&mesh, vec3(10, 20, 30), vec3(1, 2, 3), 0);
  assert_sound(&mesh);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_true(m.area == 88.0 && fabs(m.volume - 48.0) < 1e-12 && m.euler == 2);
  add_box(&mesh, vec3(-10, 0, 0), vec3(1, 1, 1), 1);
  assert_sound(&mesh);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_true(fabs(m.area - 112.0) < 1e-12 && fabs(m.volume - 56.0) < 1e-12 && m.euler == 4);
  geo_mesh_clear(&mesh);
}

/* Inscribed triangles of size h fall short of a sphere by O(h^2): four times less per level. */
static void test_a_split_octahedron_converges_to_the_sphere(void **state)
{
  (void)state;
  double lost[2][2];
  for (int level = 4; level <= 5; level++) {
    geo_mesh mesh = {0};
    geo_mesh_measures m;
    add_ball(&mesh, vec3(1, 2, 3), 2, level, 0);
    assert_sound(&mesh);
    assert_int_equal(mesh.triangle_count, 8u << (2 * level));
    assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
    assert_int_equal(m.euler, 2);
    lost[level - 4][0] = 16 * M_PI - m.area;
    lost[level - 4][1] = 32 * M_PI / 3 - m.volume;
    geo_mesh_clear(&mesh);
  }
  for (int k = 0; k < 2; k++) assert_true(fabs(lost[0][k] / lost[1][k] - 4) < 0.1 && lost[1][k] > 0 && lost[1][k] < 0.1);
}

static void test_what_bounds_no_solid_is_refused_by_name(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  assert_refused(&mesh, "no triangles");
  add_box(&mesh, vec3(0, 0, 0), vec3(1, 1, 1), 0);
  mesh.triangle_count--;
  assert_refused(&mesh, "belongs to no other triangle");
  mesh.triangle_count++;

  uint32_t *t = mesh.triangle[7], keep = t[1];
  t[1] = t[2], t[2] = keep;
  assert_refused(&mesh, "in the same direction");
  t[2] = t[1], t[1] = keep;
  t[1] = t[0];
  assert_refused(&mesh, "triangle 7 has no area");
  t[1] = 8;
  assert_refused(&mesh, "triangle 7 names vertex 8; the mesh has vertices 0 to 7");
  t[1] = keep;

  mesh.vertex[7].y = NAN;
  assert_refused(&mesh, "vertex 7");
  mesh.vertex[7].y = 2e9;
  assert_refused(&mesh, "at most 1e+09");
  mesh.vertex[7].y = 1;
  for (size_t k = 0; k < mesh.triangle_count; k++) {
    uint32_t first = mesh.triangle[k][0];
    mesh.triangle[k][0] = mesh.triangle[k][1];
    mesh.triangle[k][1] = first;
  }
  assert_refused(&mesh, "inside out");
  geo_mesh_clear(&mesh);
}

/* Two boxes that share an edge, or a corner, when equal vertices are merged: an edge of four triangles, a vertex of two fans. */
static void test_solids_that_touch_in_an_edge_or_a_corner_are_not_manifold(void **state)
{
  (void)state;
  for (int corner = 0; corner < 2; corner++) {
    geo_mesh mesh = {0};
    add_box(&mesh, vec3(0, 0, 0), vec3(1, 1, 1), 0);
    add_box(&mesh, vec3(2, 2, corner ? 2 : 0), vec3(1, 1, 1), 0);
    assert_sound(&mesh);
    assert_int_equal(geo_mesh_merge_vertices(&mesh, NULL), SCR_OK);
    assert_int_equal(mesh.vertex_count, corner ? 15 : 14);
    assert_refused(&mesh, corner ? "joins two surfaces that touch only there" : "more than two triangles");
    geo_mesh_clear(&mesh);
  }
}

/* ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status read_text(const char *text, size_t length, geo_mesh *mesh, scr_error *error)
{
  char *exact = malloc(length + !length); /* exactly as long as it says, so that sanitizers see a read past the end */
  memcpy(exact, text, length);
  scr_status status = geo_mesh_read(exact, length, GEO_MESH_TRIANGLE_LIMIT, mesh, error);
  free(exact);
  return status;
}

static void assert_same(const geo_mesh *a, const geo_mesh *b)
{
  assert_int_equal(a->triangle_count, b->triangle_count);
  for (size_t t = 0; t < a->triangle_count; t++) {
    assert_int_equal(a->part[t], b->part[t]);
    for (int k = 0; k < 3; k++) assert_memory_equal(&a->vertex[a->triangle[t][k]], &b->vertex[b->triangle[t][k]], sizeof(scr_vec3));
  }
}

static void make_two_parts(geo_mesh *mesh)
{
  add_ball(mesh, vec3(0.1, 1.0 / 3.0, -1e-7), 0.7, 2, 0.2);
  add_box(mesh, vec3(3, 0, 0), vec3(1, 0.1, 1), 1);
}

static void test_ascii_stl_reads_back_the_same_doubles_and_solids(void **state)
{
  (void)state;
  geo_mesh mesh = {0}, back = {0};
  text_builder text = {0};
  scr_error error = {0};
  make_two_parts(&mesh);
  size_t ball = mesh.triangle_count - 12;
  geo_mesh_write_stl(&mesh, 0, ball, "two words\n", &text);
  geo_mesh_write_stl(&mesh, ball, 12, "box", &text);
  assert_memory_equal(text.data, "solid two_words_\nfacet normal ", 30);
  if (read_text(text.data, text.length, &back, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_same(&mesh, &back);
  assert_sound(&back);
  assert_int_equal(back.vertex_count, mesh.vertex_count);
  geo_mesh_clear(&back);
  for (size_t cut = 1; cut < text.length - 2; cut += 97) { /* the last two bytes are part of a name */
    assert_int_equal(read_text(text.data, cut, &back, &error), SCR_BAD_FILE);
    assert_null(back.vertex);
  }
  text_clear(&text);
  geo_mesh_clear(&mesh);
}

static void test_binary_ply_reads_back_the_same_doubles_and_fragments(void **state)
{
  (void)state;
  geo_mesh mesh = {0}, back = {0};
  text_builder text = {0};
  scr_error error = {0};
  make_two_parts(&mesh);
  mesh.part[3] = UINT32_MAX;
  geo_mesh_write_ply(&mesh, "a\nb", &text);
  if (read_text(text.data, text.length, &back, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_same(&mesh, &back);
  assert_sound(&back);
  geo_mesh_clear(&back);
  for (size_t cut = 1; cut < text.length; cut += 61) assert_int_equal(read_text(text.data, cut, &back, &error), SCR_BAD_FILE);
  text_clear(&text);
  geo_mesh_clear(&mesh);
}

static const char tetrahedron_ply[] =
    "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nelement material 1\r\nproperty list uchar float colours\r\n"
    "element vertex 5\r\nproperty float nx\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\n"
    "element face 5\r\nproperty uchar red\r\nproperty list uchar int vertex_index\r\nend_header\r\n"
    "3 0.5 nan 1\r\n"
    "nan 0 0 0\r\n0 1 0 0\r\n0 0 1 0\r\n0 0 0 1\r\n0 1 1 0\r\n"
    "255 4 0 2 4 1\r\n0 3 0 1 3\r\n0 3 0 3 2\r\n0 3 3 1 4\r\n0 3 3 4 2\r\n";

/* A pyramid on a square, written as other programs write: other elements, list properties, normals of nan, a four-cornered face, CR LF. */
static void test_ply_skips_what_it_does_not_need_and_splits_polygons(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  geo_mesh_measures m;
  scr_error error = {0};
  if (read_text(tetrahedron_ply, strlen(tetrahedron_ply), &mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(mesh.vertex_count, 5);
  assert_int_equal(mesh.triangle_count, 6);
  assert_sound(&mesh);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_true(fabs(m.volume - 1.0 / 3.0) < 1e-15);
  geo_mesh_clear(&mesh);
}

/* A big-endian file made byte by byte: the format's own description fixes the bytes. */
static void test_big_endian_ply_is_read(void **state)
{
  (void)state;
  static const char header[] =
      "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty short y\nproperty double z\n"
      "element face 1\nproperty list ushort uint vertex_indices\nproperty int fragment\nend_header\n";
  static const char values[] = "\x3f\x80\0\0\0\x02\x40\x08\0\0\0\0\0\0" /* 1, 2, 3 */
                               "\xc0\0\0\0\xff\xff\0\0\0\0\0\0\0\0"     /* -2, -1, 0 */
                               "\0\0\0\0\x01\x01\xbf\xf0\0\0\0\0\0\0"   /* 0, 257, -1 */
                               "\0\x03\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\x01\0";
  char file[sizeof header + sizeof values];
  memcpy(file, header, sizeof header - 1);
  memcpy(file + sizeof header - 1, values, sizeof values - 1);
  geo_mesh mesh = {0};
  scr_error error = {0};
  if (read_text(file, sizeof header + sizeof values - 2, &mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_true(mesh.vertex[0].x == 1 && mesh.vertex[0].y == 2 && mesh.vertex[0].z == 3);
  assert_true(mesh.vertex[1].x == -2 && mesh.vertex[1].y == -1 && mesh.vertex[2].y == 257 && mesh.vertex[2].z == -1);
  assert_true(mesh.triangle[0][0] == 2 && mesh.triangle[0][1] == 0 && mesh.triangle[0][2] == 1 && mesh.part[0] == 256);
  geo_mesh_clear(&mesh);
}

/* Binary STL with a header that begins like ASCII's, as some programs write it; merged by exact coordinates. */
static void test_binary_stl_is_known_by_its_length(void **state)
{
  (void)state;
  geo_mesh box = {0}, back = {0};
  unsigned char file[84 + 50 * 12] = "solid but binary";
  add_box(&box, vec3(0, 0, 0), vec3(0.5, 1, 0.25), 0);
  file[80] = 12;
  for (size_t t = 0; t < 12; t++)
    for (size_t k = 0; k < 3; k++) {
      scr_vec3 v = box.vertex[box.triangle[t][k]];
      const float f[3] = {(float)v.x, (float)v.y, (float)v.z};
      memcpy(file + 84 + 50 * t + 12 + 12 * k, f, sizeof f); /* the test's machine is little-endian */
    }
  scr_error error = {0};
  if (read_text((const char *)file, sizeof file, &back, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_sound(&back);
  assert_int_equal(back.vertex_count, 8);
  assert_same(&box, &back);
  geo_mesh_clear(&back);
  assert_int_equal(geo_mesh_read(file, sizeof file, 11, &back, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "the limit is 11"));
  file[84 + 12 + 3] = 0x7f, file[84 + 12 + 2] = 0xc0; /* NaN */
  assert_int_equal(read_text((const char *)file, sizeof file, &back, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "facet 0"));
  file[0] = 'S' + 1;
  assert_int_equal(read_text((const char *)file, sizeof file - 1, &back, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "it would have 684 bytes, not 683"));
  geo_mesh_clear(&box);
}

static void test_bad_files_are_refused_with_the_place_of_the_fault(void **state)
{
  (void)state;
#define PLY "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACE "property list uchar int vertex_indices\n"
#define TRIANGLE "0 0 0\n1 0 0\n0 1 0\n"
  static const char *const cases[][2] = {
      {"", "0 bytes are not a mesh"},
      {"hello", "not a mesh"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan", "line 4 of the STL file has 'nan'"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0x1", "line 4 of the STL file has '0x1'"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e999", "'1e999'"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 0 0 2\nvertex 0 0 2e9\nendloop\nendfacet", "at most 1e+09"},
      {"solid x\nfacet normal 0 0 1\ninner", "'inner' where 'outer'"},
      {"solid x\nfacet normal 0 0 1\nouter loop\n", "ends in line 4 where 'vertex'"},
      {PLY "element vertex 3\n" XYZ "element face 1\n" FACE "end_header\n" TRIANGLE "3 0 1 3\n", "the number of a vertex is 3"},
      {PLY "element vertex 3\n" XYZ "element face 1\n" FACE "end_header\n" TRIANGLE "2 0 1\n", "has 2 corners"},
      {PLY "element vertex 3\n" XYZ "element face 1\n" FACE "end_header\n" TRIANGLE "3 0 1.5 2\n", "the number of a vertex is 1.5"},
      {PLY "element vertex 4000000000\n" XYZ "element face 1\n" FACE "end_header\n" TRIANGLE "3 0 1 2\n", "it was cut off"},
      {PLY "element vertex 3\n" XYZ "element face 4000001\n" FACE "end_header\n" TRIANGLE "3 0 1 2\n", "the limit is 4000000"},
      {PLY "element vertex -3\n", "line 3 of the PLY header gives no whole number"},
      {PLY "element vertex 3\nproperty float x\nproperty float y\nelement face 1\n" FACE "end_header\n", "x, y and z"},
      {PLY "element vertex 3\n" XYZ XYZ, "repeats a property"},
      {PLY "element vertex 0\n" XYZ "element vertex 0\n" XYZ "element face 0\n" FACE "end_header\n", "exactly one element 'vertex'"},
      {PLY "element vertex 0\n" XYZ "element face 0\n" FACE "element idle 4000000000\nend_header\n", "no property"},
      {PLY "element face 3\nproperty list float int vertex_indices\n", "not a property of a known type"},
      {PLY "element face 3\nproperty list uchar float vertex_indices\n", "fractional"},
      {PLY "property float x\n", "before any element"},
      {"ply\nformat ascii 2.0\n", "version"},
      {"ply\nelement vertex 0\nend_header\n", "without a format"},
      {PLY "rubbish\n", "begins with none of"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    geo_mesh mesh = {0};
    scr_error error = {0};
    assert_int_equal(read_text(cases[k][0], strlen(cases[k][0]), &mesh, &error), SCR_BAD_FILE);
    if (!strstr(error.message, cases[k][1])) fail_msg("case %zu: '%s' is not in: %s", k, cases[k][1], error.message);
    assert_null(mesh.vertex);
  }
}

/* A unit cube in all the ways OBJ has of naming corners; quads become two triangles. */
static void test_obj_is_read_with_its_ways_of_naming_corners(void **state)
{
  (void)state;
  static const char text[] =
      "# a cube\nmtllib none.mtl\no cube\nv 0 0 0\nv 1 0 0 1\nv 0 1 0\nv 1 1 0\r\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
      "vn 0 0 1\nvt 0 0\ng sides\ns off\nf 1/1/1 5//1 7/1 3\nf 2 4 8 6\nf 1 2 6 5\nf -6 -2 -1 -5\nf 1 3 4 2\nf 5 6 8\n"
      "f 5 8 7\n";
  geo_mesh mesh = {0};
  scr_error error = {0};
  geo_mesh_measures measures;
  if (read_text(text, strlen(text), &mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(mesh.triangle_count, 12);
  assert_sound(&mesh);
  assert_int_equal(geo_mesh_measure(&mesh, &measures, NULL), SCR_OK);
  assert_true(fabs(measures.volume - 1) < 1e-15);
  geo_mesh_clear(&mesh);
  static const struct {
    const char *text, *words;
  } bad[] = {{"v 0 0 0\nf 1 2 3\n", "line 2 of the OBJ file has the corner '2'"},
             {"v 0 0 0\nf 0 1 1\n", "corner '0'"},
             {"v 0 0 0\nf 1 1\n", "2 corners"},
             {"v 0 nan 0\n", "'nan' where a finite number"},
             {"v 0 0 0\nfoo 1\n", "begins with 'foo'"},
             {"v 0 0 0\n", "has no face"},
             {"v 1e10 0 0\n", "at most 1e+09"}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    assert_int_equal(read_text(bad[k].text, strlen(bad[k].text), &mesh, &error), SCR_BAD_FILE);
    if (!strstr(error.message, bad[k].words)) fail_msg("\"%s\" does not say \"%s\"", error.message, bad[k].words);
    assert_null(mesh.vertex);
  }
}

typedef struct fault_list {
  geo_mesh_fault items[64];
  size_t count;
} fault_list;

static bool take_fault(void *user, const geo_mesh_fault *fault)
{
  fault_list *list = user;
  assert_true(list->count < 64);
  list->items[list->count++] = *fault;
  return true;
}

/* A box with triangle 3 turned round and triangle 7, which shares no edge with it, left out: three edges are run through twice the same
 * way, three are open, each told once, in the order of the first triangle that has it. With two numbers out of range nothing else is
 * judged. */
static void test_all_faults_are_told_at_once(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  fault_list list = {0};
  add_box(&mesh, vec3(0, 0, 0), vec3(1, 1, 1), 0);
  uint32_t *turned = mesh.triangle[3], keep = turned[1];
  turned[1] = turned[2];
  turned[2] = keep;
  memmove(mesh.triangle[7], mesh.triangle[8], 4 * sizeof *mesh.triangle);
  mesh.triangle_count = 11;
  assert_int_equal(geo_mesh_find_faults(&mesh, take_fault, &list, NULL), SCR_OK);
  size_t open = 0, flipped = 0;
  for (size_t k = 0; k < list.count; k++) {
    assert_int_equal(list.items[k].place, GEO_MESH_TRIANGLE);
    open += strstr(list.items[k].message, "not closed") != NULL;
    flipped += strstr(list.items[k].message, "same direction") != NULL;
    if (k) assert_true(list.items[k].number >= list.items[k - 1].number);
  }
  assert_int_equal(list.count, 6);
  assert_int_equal(open, 3);
  assert_int_equal(flipped, 3);
  mesh.triangle[0][1] = 8;
  mesh.triangle[5][2] = 99;
  list.count = 0;
  assert_int_equal(geo_mesh_find_faults(&mesh, take_fault, &list, NULL), SCR_OK);
  assert_int_equal(list.count, 2);
  assert_true(list.items[0].place == GEO_MESH_CORNER && list.items[0].number == 0 && list.items[0].corner == 1);
  assert_true(list.items[1].number == 5 && list.items[1].corner == 2);
  geo_mesh_clear(&mesh);
}

SUITE(test_geometry_mesh)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes_measure_what_boxes_measure),
      cmocka_unit_test(test_a_split_octahedron_converges_to_the_sphere),
      cmocka_unit_test(test_what_bounds_no_solid_is_refused_by_name),
      cmocka_unit_test(test_solids_that_touch_in_an_edge_or_a_corner_are_not_manifold),
      cmocka_unit_test(test_ascii_stl_reads_back_the_same_doubles_and_solids),
      cmocka_unit_test(test_binary_ply_reads_back_the_same_doubles_and_fragments),
      cmocka_unit_test(test_ply_skips_what_it_does_not_need_and_splits_polygons),
      cmocka_unit_test(test_big_endian_ply_is_read),
      cmocka_unit_test(test_binary_stl_is_known_by_its_length),
      cmocka_unit_test(test_bad_files_are_refused_with_the_place_of_the_fault),
      cmocka_unit_test(test_obj_is_read_with_its_ways_of_naming_corners),
      cmocka_unit_test(test_all_faults_are_told_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
