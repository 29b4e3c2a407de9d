/* Files of hexahedral meshes: the same two elements from every format, written by other programs (tests/fuzz/corpus/hexes: meshio 5, and
 * VTK's manual for appended data), and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "geometry/hexes/files/hexes_read.h"
#include "tests/support/suites.h"

static char *read_whole(const char *name, size_t *length)
{
  char path[256];
  snprintf(path, sizeof path, "tests/fuzz/corpus/hexes/%s", name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s is missing", path);
  char *bytes = calloc(1, 65536);
  assert_non_null(bytes);
  *length = fread(bytes, 1, 65535, file);
  fclose(file);
  return bytes;
}

/* Two bricks side by side along x, 1 and 1.25 long, 1 wide, 0.5 high: 12 nodes. A thirteenth node that no hexahedron has, and a
 * quadrilateral, are left out. */
static void assert_two_bricks(const char *name, const geo_hexes *mesh)
{
  scr_error error = {0};
  if (mesh->node_count != 12 || mesh->hex_count != 2) fail_msg("%s: %zu nodes, %zu hexahedra", name, mesh->node_count, mesh->hex_count);
  if (geo_hexes_check(mesh, &error) != SCR_OK) fail_msg("%s: %s", name, error.message);
  geo_hexes_quality quality = geo_hexes_measure(mesh);
  assert_true(fabs(quality.volume - 1.125) < 1e-14 && fabs(quality.scaled_jacobian - 1) < 1e-14);
  for (int n = 0; n < 12; n++) {
    const double along[3] = {0, 1, 2.25};
    assert_true(mesh->node[n][0] == along[n % 3] && mesh->node[n][1] == n / 3 % 2 && mesh->node[n][2] == 0.5 * (n / 6));
  }
}

static void test_every_format_gives_the_same_mesh(void **state)
{
  (void)state;
  static const char *const names[] = {"abaqus.inp",          "ascii.vtu",    "base64.vtu",         "appended-raw.vtu",
                                      "appended-base64.vtu", "gmsh22.msh",   "gmsh41.msh",         "legacy42.vtk",
                                      "legacy42-binary.vtk", "legacy51.vtk", "legacy51-binary.vtk"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    size_t length;
    char *bytes = read_whole(names[k], &length);
    geo_hexes mesh;
    scr_error error = {0};
    assert_true(geo_hexes_recognise(bytes, length));
    if (geo_hexes_read(bytes, length, GEO_HEXES_LIMIT, &mesh, &error) != SCR_OK) fail_msg("%s: %s", names[k], error.message);
    assert_two_bricks(names[k], &mesh);
    geo_hexes_clear(&mesh);
    assert_int_equal(geo_hexes_read(bytes, length, 8, &mesh, NULL), SCR_BAD_FILE); /* beyond the limit */
    assert_int_equal(geo_hexes_read(bytes, length / 2, GEO_HEXES_LIMIT, &mesh, NULL), SCR_BAD_FILE);
    assert_null(mesh.node);
    free(bytes);
  }
}

static const char nodes_of_one[] =
    "*NODE, NSET=ALL\n1, 0., 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n8, 0, 1, 1\n";

/* Abaqus: elements over two lines, comments, small letters, requests for output that look like nodes. */
static void test_abaqus_in_many_hands(void **state)
{
  (void)state;
  char text[1000];
  geo_hexes mesh;
  scr_error error = {0};
  snprintf(text, sizeof text,
           "** a comment\n*Heading\n a part\n%s*element, type = C3D8R, elset=E\n7, 1, 2, 3, 4,\n  5, 6, 7, 8\n*NSET, NSET=A\n1, 2\n*Step\n"
           "*Node Output\nU, RF\n*Element output\nS\n*End step\n",
           nodes_of_one);
  if (geo_hexes_read(text, strlen(text), GEO_HEXES_LIMIT, &mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_true(mesh.hex_count == 1 && mesh.node_count == 8 && fabs(geo_hexes_measure(&mesh).volume - 1) < 1e-15);
  geo_hexes_clear(&mesh);
}

static void test_what_is_not_meant_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *reason;
  } cases[] = {
      {"*ELEMENT, TYPE=C3D10\n1, 1,2,3,4,5,6,7,8\n", "'C3D10'; volumes are to be hexahedra"},
      {"*ELEMENT, TYPE=C3D20R\n1, 1,2,3,4,5,6,7,8\n", "'C3D20R'"},
      {"*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,9\n", "has the node 9, which the file does not have"},
      {"*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7\n*STEP\n", "'*STEP' where the number of a node is wanted"},
      {"*ELEMENT, TYPE=S4\n1, 1,2,3,4\n", "no hexahedra"},
      {"*NODE\n8, 3, 3, 3\n*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,8\n", "two nodes have the number 8"},
      {"*NODE\n9, 3, 3\n*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,8\n", "a coordinate is wanted"},
      {"*NODE\n9, 3, 3, 1e12\n", "at most 1e+09 m"},
      {"*INCLUDE, INPUT=a.inp\n", "write all nodes and elements out"},
      {"*INSTANCE, NAME=I, PART=P\n0, 0, 1\n", "an instance that is moved"},
  };
  geo_hexes mesh;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[1000];
    scr_error error = {0};
    snprintf(text, sizeof text, "%s%s", nodes_of_one, cases[k].text);
    assert_int_equal(geo_hexes_read(text, strlen(text), GEO_HEXES_LIMIT, &mesh, &error), SCR_BAD_FILE);
    if (!strstr(error.message, cases[k].reason)) fail_msg("case %zu: %s", k, error.message);
  }
  static const char *const files[][2] = {{"compressed.vtu", "without a compressor"},
                                         {"binary.msh", "save it as ASCII"},
                                         {"array_of_more_bytes_than_there_can_be.vtu", "ends within an array"}};
  for (size_t k = 0; k < 3; k++) {
    size_t length;
    scr_error error = {0};
    char *bytes = read_whole(files[k][0], &length);
    assert_int_equal(geo_hexes_read(bytes, length, GEO_HEXES_LIMIT, &mesh, &error), SCR_BAD_FILE);
    if (!strstr(error.message, files[k][1])) fail_msg("%s: %s", files[k][0], error.message);
    free(bytes);
  }
  static const char tetrahedra[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
  scr_error error = {0};
  assert_int_equal(geo_hexes_read(tetrahedra, strlen(tetrahedra), GEO_HEXES_LIMIT, &mesh, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "Gmsh's type 4"));
  static const char nodeless[] = "*HEADING\n*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,8\n";
  assert_int_equal(geo_hexes_read(nodeless, strlen(nodeless), GEO_HEXES_LIMIT, &mesh, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "hexahedra and no nodes"));
  assert_false(geo_hexes_recognise("solid cube\n", 11));
  assert_false(geo_hexes_recognise("ply\n", 4));
}

SUITE(test_geometry_hexes_files)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_format_gives_the_same_mesh),
      cmocka_unit_test(test_abaqus_in_many_hands),
      cmocka_unit_test(test_what_is_not_meant_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
