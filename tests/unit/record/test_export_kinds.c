/* Files made of drawables of every kind, and of recordings from before there were so many. */
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/mesh/files/mesh_read.h"
#include "record/file/recording.h"
#include "record/frame/surface.h"
#include "record/geometry_record.h"
#include "record/topology.h"
#include "tests/support/folder.h"
#include "tests/support/kinds.h"
#include "tests/support/suites.h"

static scr_recording *open_path(const char *path)
{
  scr_recording *recording;
  scr_error error = {0};
  if (scr_recording_open(path, &recording, &error) != SCR_OK) fail_msg("%s", error.message);
  return recording;
}

/* The surfaces of a frame of tests/data/kinds.scree. */
static char *export_surfaces(scr_surface_format format, int64_t frame, size_t *length, scr_surface_summary *made)
{
  scr_recording *recording = open_path("tests/data/kinds.scree");
  scr_surface_options options = {.format = format, .frame = frame};
  scr_error error = {0};
  char *bytes;
  if (scr_export_surface(recording, &options, &bytes, length, made, &error) != SCR_OK) fail_msg("%s", error.message);
  scr_recording_close(recording);
  return bytes;
}

/* Volume that the triangles of one part bound. */
static double volume_of(const geo_mesh *mesh, uint32_t part)
{
  double volume = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++)
    if (mesh->part[t] == part)
      volume +=
          vec3_dot(mesh->vertex[mesh->triangle[t][0]], vec3_cross(mesh->vertex[mesh->triangle[t][1]], mesh->vertex[mesh->triangle[t][2]])) /
          6;
  return volume;
}

/* Stone 0 of frame 1 is a tetrahedron of volume 1/6, one edge lengthened by its mode to 1.1; stone 1 a cube of edge 1.5; stone 2 a
 * tetrahedron of twice the size, one edge 1.1, another shortened to 0.8. Coordinates are float32: 1e-6 of the volume. */
static const double stone_volume[3] = {1.1 / 6, 1.5 * 1.5 * 1.5, 8 * 1.1 * 0.8 / 6};

/* Which solid of an STL file has this name. */
static uint32_t solid_number(const char *text, const char *name)
{
  char line[96];
  uint32_t number = 0;
  snprintf(line, sizeof line, "solid %s\n", name);
  for (const char *at = text; (at = strstr(at, "solid ")); at += 6) {
    if (at != text && strncmp(at - 3, "end", 3) == 0) continue;
    if (strncmp(at, line, strlen(line)) == 0) return number;
    number++;
  }
  fail_msg("there is no solid '%s'", name);
  return 0;
}

static void test_stl_holds_pieces_instances_and_surfaces_where_they_are(void **state)
{
  (void)state;
  scr_surface_summary made;
  geo_mesh mesh = {0};
  size_t length;
  char *text = export_surfaces(SCR_SURFACE_STL, 1, &length, &made);
  assert_int_equal(geo_mesh_read(text, length, GEO_MESH_TRIANGLE_LIMIT, &mesh, NULL), SCR_OK);
  assert_int_equal(made.surface_count, 3 + 3 + 1); /* clumps 0, 1, 2 of grains 1 to 5; stones; the membrane */
  assert_int_equal(made.triangle_count, mesh.triangle_count);
  for (unsigned i = 0; i < 3; i++) {
    char name[32];
    snprintf(name, sizeof name, "stones.%u", 100 + i);
    assert_float_equal(volume_of(&mesh, solid_number(text, name)), stone_volume[i], 1e-5 * stone_volume[i]);
    snprintf(name, sizeof name, "grains.clump-%u", i);
    assert_true(volume_of(&mesh, solid_number(text, name)) > 0);
  }
  uint32_t membrane = solid_number(text, "membrane");
  double highest = 0;
  for (size_t t = 0; t < mesh.triangle_count; t++)
    for (int k = 0; mesh.part[t] == membrane && k < 3; k++) highest = fmax(highest, mesh.vertex[mesh.triangle[t][k]].z);
  assert_float_equal(highest, 0.4, 1e-5);
  geo_mesh_clear(&mesh);
  scr_free(text);
}

/* In PLY the faces of a stone carry its id, those of the membrane 0. */
static void test_ply_tells_instances_apart_by_their_ids(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  size_t length, faces[3] = {0};
  char *bytes = export_surfaces(SCR_SURFACE_PLY, 1, &length, NULL);
  assert_non_null(strstr(bytes, "property uint piece\n"));
  assert_int_equal(geo_mesh_read(bytes, length, GEO_MESH_TRIANGLE_LIMIT, &mesh, NULL), SCR_OK);
  for (size_t t = 0; t < mesh.triangle_count; t++)
    if (mesh.part[t] >= 100 && mesh.part[t] < 103) faces[mesh.part[t] - 100]++;
  assert_true(faces[0] == 4 && faces[1] == 12 && faces[2] == 4);
  for (uint32_t i = 0; i < 3; i++) assert_float_equal(volume_of(&mesh, 100 + i), stone_volume[i], 1e-5 * stone_volume[i]);
  geo_mesh_clear(&mesh);
  scr_free(bytes);
}

/* ── ParaView ────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct grid {
  long long vertex_count, cell_count, id_count;
  float *position, *radius, *stress, *pressure, *clump;
  unsigned char *type;
  long long *offset, *id;
  int *kind, *drawable, *element;
  float *temperature, *level, *owner; /* of cells */
} grid;

static void read_set(hid_t file, const char *name, hid_t type, void *data)
{
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
}

static void *read_new(hid_t file, const char *name, hid_t type, long long count, size_t size)
{
  void *data = calloc((size_t)count + 1, size);
  assert_non_null(data);
  read_set(file, name, type, data);
  return data;
}

static grid read_grid(const char *path)
{
  grid g;
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  read_set(file, "/VTKHDF/NumberOfPoints", H5T_NATIVE_LLONG, &g.vertex_count);
  read_set(file, "/VTKHDF/NumberOfCells", H5T_NATIVE_LLONG, &g.cell_count);
  read_set(file, "/VTKHDF/NumberOfConnectivityIds", H5T_NATIVE_LLONG, &g.id_count);
  g.position = read_new(file, "/VTKHDF/Points", H5T_NATIVE_FLOAT, 3 * g.vertex_count, sizeof(float));
  g.radius = read_new(file, "/VTKHDF/PointData/radius", H5T_NATIVE_FLOAT, g.vertex_count, sizeof(float));
  g.stress = read_new(file, "/VTKHDF/PointData/stress", H5T_NATIVE_FLOAT, g.vertex_count, sizeof(float));
  g.pressure = read_new(file, "/VTKHDF/PointData/pressure", H5T_NATIVE_FLOAT, g.vertex_count, sizeof(float));
  g.clump = read_new(file, "/VTKHDF/PointData/clump", H5T_NATIVE_FLOAT, g.vertex_count, sizeof(float));
  g.type = read_new(file, "/VTKHDF/Types", H5T_NATIVE_UCHAR, g.cell_count, 1);
  g.offset = read_new(file, "/VTKHDF/Offsets", H5T_NATIVE_LLONG, g.cell_count + 1, sizeof(long long));
  g.id = read_new(file, "/VTKHDF/Connectivity", H5T_NATIVE_LLONG, g.id_count, sizeof(long long));
  g.kind = read_new(file, "/VTKHDF/CellData/kind", H5T_NATIVE_INT, g.cell_count, sizeof(int));
  g.element = read_new(file, "/VTKHDF/CellData/element", H5T_NATIVE_INT, g.cell_count, sizeof(int));
  g.drawable = read_new(file, "/VTKHDF/CellData/drawable", H5T_NATIVE_INT, g.cell_count, sizeof(int));
  g.temperature = read_new(file, "/VTKHDF/CellData/temperature", H5T_NATIVE_FLOAT, g.cell_count, sizeof(float));
  g.level = read_new(file, "/VTKHDF/CellData/level", H5T_NATIVE_FLOAT, g.cell_count, sizeof(float));
  g.owner = read_new(file, "/VTKHDF/CellData/owner", H5T_NATIVE_FLOAT, g.cell_count, sizeof(float));
  H5Fclose(file);
  return g;
}

static void grid_clear(grid *g)
{
  free(g->position), free(g->radius), free(g->stress), free(g->pressure), free(g->clump);
  free(g->type), free(g->offset), free(g->id), free(g->kind), free(g->element), free(g->drawable);
  free(g->temperature), free(g->level), free(g->owner);
}

static int count_cells(const grid *g, int kind)
{
  int count = 0;
  for (long long c = 0; c < g->cell_count; c++) count += g->kind[c] == kind;
  return count;
}

/* Volume of the triangles of one stone. */
static double stone_of(const grid *g, int element)
{
  double volume = 0;
  for (long long c = 0; c < g->cell_count; c++) {
    if (g->kind[c] != SCR_DRAW_INSTANCES || g->element[c] != element) continue;
    scr_vec3 corner[3];
    assert_true(g->type[c] == 5 && g->offset[c + 1] - g->offset[c] == 3);
    for (int k = 0; k < 3; k++) {
      long long v = g->id[g->offset[c] + k];
      corner[k] = vec3(g->position[3 * v], g->position[3 * v + 1], g->position[3 * v + 2]);
      assert_float_equal(g->stress[v], 1000.0 * element, 0.02); /* 16 bits of a range of 2000 */
      assert_true(isnan(g->pressure[v]) && g->radius[v] == 0);
    }
    volume += vec3_dot(corner[0], vec3_cross(corner[1], corner[2])) / 6;
  }
  return volume;
}

/* Cell `number` of a grid of `counts` cells must have its corners in VTK's order: x first, then y, then z, an axis without a side left out.
 * Positions are float32. */
static void check_cell(const grid *g, long long c, const double origin[3], const double side[3], const int counts[3])
{
  int place[3] = {g->element[c] % counts[0], g->element[c] / counts[0] % counts[1], g->element[c] / counts[0] / counts[1]}, seen = 0;
  bool flat = side[1] == 0;
  assert_int_equal(g->type[c], flat ? 8 : 11);
  assert_int_equal(g->offset[c + 1] - g->offset[c], flat ? 4 : 8);
  for (int bits = 0; bits < 8; bits++) {
    if (flat && bits & 2) continue;
    long long v = g->id[g->offset[c] + seen++];
    for (int axis = 0; axis < 3; axis++)
      assert_float_equal(g->position[3 * v + axis], origin[axis] + side[axis] * (place[axis] + (bits >> axis & 1)), 1e-6);
  }
}

/* How many corners cells k, k + 2, ... of 3 x 2 x 2 have, each counted once; the slab has 5 x 4. */
static const int cell_corners[KINDS_FRAMES] = {20, 24, 27};

static void check_grids(const grid *g, int k)
{
  int cells = 0, slab = 0;
  for (long long c = 0; c < g->cell_count; c++) {
    bool of_slab = g->kind[c] == SCR_DRAW_GRID && g->drawable[c] == KINDS_SLAB;
    if (g->kind[c] != SCR_DRAW_GRID) assert_true(isnan(g->temperature[c]) && isnan(g->level[c]));
    if (g->kind[c] == SCR_DRAW_GRID && !of_slab) {
      assert_int_equal(g->element[c], k + 2 * cells++);
      check_cell(g, c, (double[]){0.1, 0.2, -0.5}, (double[]){0.1, 0.2, 0.3}, (int[]){3, 2, 2});
      assert_float_equal(g->temperature[c], 300 + g->element[c], 1e-3); /* 16 bits of a range of at most 8 */
      assert_true(isnan(g->level[c]) && isnan(g->owner[c]));
    } else if (of_slab) {
      assert_int_equal(g->element[c], slab++);
      check_cell(g, c, (double[]){0.5, 1, 0}, (double[]){0.25, 0, 0.125}, (int[]){4, 1, 3});
      assert_true(g->level[c] == (float)g->element[c] / 4 + (float)k && g->owner[c] == (float)(g->element[c] % 5));
    }
  }
  assert_int_equal(cells, 3 + k);
  assert_int_equal(slab, 12);
}

/* Numbers of grains, stones' triangles, membrane's, threads, the floor's outline in each frame; vertices: grains, corners of stones, the
 * patch, nodes, corners of cells, of the slab's and of the floor. */
static void test_vtkhdf_holds_every_kind_and_as_many_as_each_frame_has(void **state)
{
  (void)state;
  static const int stones[KINDS_FRAMES] = {4 + 12, 4 + 12 + 4, 4 + 12 + 4 + 12}, fibres[KINDS_FRAMES] = {2, 1, 0};
  static const int vertices[KINDS_FRAMES] = {4 + 12 + 9 + 5 + 4, 5 + 16 + 9 + 4 + 4, 6 + 24 + 9 + 0 + 4};
  char *folder = folder_create();
  scr_recording *recording = open_path("tests/data/kinds.scree");
  scr_error error = {0};
  size_t files;
  if (scr_export_vtkhdf(recording, folder, "k", &files, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(files, KINDS_FRAMES);
  for (int k = 0; k < KINDS_FRAMES; k++) {
    char name[32];
    snprintf(name, sizeof name, "k-%06d.vtkhdf", k);
    char *path = folder_path(folder, name);
    grid g = read_grid(path);
    assert_int_equal(g.vertex_count, vertices[k] + cell_corners[k] + 5 * 4);
    assert_int_equal(g.offset[g.cell_count], g.id_count);
    assert_int_equal(count_cells(&g, SCR_DRAW_POINTS), 4 + k);
    assert_int_equal(count_cells(&g, SCR_DRAW_INSTANCES), stones[k]);
    assert_int_equal(count_cells(&g, SCR_DRAW_SURFACE), 8);
    assert_int_equal(count_cells(&g, SCR_DRAW_THREADS), fibres[k]);
    assert_int_equal(count_cells(&g, SCR_DRAW_PLANES), 1);
    for (int i = 0; i < 4 + k; i++) /* grain `id` is the (id - k)-th */
      assert_true(fabsf(g.radius[i] - 0.01f * (float)(1 + (i + k) % 3)) < 1e-7f && g.clump[i] == (float)((i + k) / 2));
    for (int i = 0; k == 1 && i < 3; i++) assert_float_equal(stone_of(&g, i), stone_volume[i], 1e-5 * stone_volume[i]);
    for (long long c = 0; c < g.cell_count; c++) {
      if (g.kind[c] != SCR_DRAW_THREADS) continue;
      assert_true(g.type[c] == 4 && g.offset[c + 1] - g.offset[c] == (k == 1 ? 4 : g.element[c] ? 2 : 3));
      assert_true(fabsf(g.radius[g.id[g.offset[c]]] - (g.element[c] ? 0.004f : 0.001f)) < 1e-7f);
    }
    check_grids(&g, k);
    grid_clear(&g);
    free(path);
  }
  scr_recording_close(recording);
  folder_remove(folder);
}

/* Six million cubes of 12 triangles are more than the 2^26 that an export makes: it says so before it asks for the memory. */
static void test_more_triangles_than_can_be_exported_are_refused(void **state)
{
  (void)state;
  enum { copies = 6000000 };
  scr_drawable kinds[KINDS_COUNT];
  scr_frame *frame;
  const void *payload;
  size_t size;
  kinds_declare(kinds);
  scr_drawable *stones = &kinds[KINDS_STONES];
  stones->field_count = 2;
  stones->fields[0].encoding = stones->fields[1].encoding = SCR_ENCODING_UINT16;
  double *zero = calloc(copies, sizeof *zero);
  assert_non_null(zero);
  scr_modal_shape tetrahedron = stones->shapes[0];
  stones->shapes[0] = stones->shapes[1]; /* of 12 triangles */
  assert_int_equal(frame_create(stones, 1, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(scr_frame_count(frame, 0, copies, NULL), SCR_OK);
  for (uint32_t f = 0; f < 2; f++) assert_int_equal(scr_frame_field(frame, 0, f, zero, zero, zero, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
  scr_topology topology = {.drawables = stones, .drawable_count = 1};
  frame_view view = {0};
  scr_error error;
  size_t vertices, triangles;
  assert_int_equal(frame_view_read(&view, &topology, payload, size, NULL), SCR_OK);
  assert_int_equal(frame_surface_measure(&view.drawables[0], &vertices, &triangles, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "72000000 triangles"));
  frame_view_clear(&view);
  frame_destroy(frame);
  free(zero);
  stones->shapes[0] = tetrahedron;
  kinds_clear(kinds);
}

/* ── recordings from before ──────────────────────────────────────────────────────────────────────────────────────── */

/* Made on 2026-11-22 by version 0.1.0 from before there were instances, surfaces, threads and pieces: a bar that breaks on a stone, with
 * skins. What is expected is what that version exported: the curves byte for byte, and how many surfaces and triangles its newest frame
 * had. */
static const struct {
  const char *name;
  size_t points, frames, fragment_rows, breaks, surfaces, triangles;
} old[] = {{"bdem", 120, 4, 5, 491, 120, 12492}, {"peridem", 54, 3, 6, 913, 22, 6074}};

static char *read_file(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *bytes = malloc(1 << 20);
  assert_non_null(bytes);
  *length = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

static void check_curves(scr_recording *recording, const char *name)
{
  char path[64], *csv, *meant;
  size_t length, expected;
  scr_curves *curves;
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  assert_int_equal(scr_curves_csv(curves, &csv, &length, NULL), SCR_OK);
  snprintf(path, sizeof path, "tests/data/old/%s.csv", name);
  meant = read_file(path, &expected);
  assert_int_equal(length, expected);
  assert_memory_equal(csv, meant, length);
  free(meant);
  scr_free(csv);
  scr_curves_destroy(curves);
}

static void check_frames(scr_recording *recording, size_t points, size_t frames)
{
  scr_topology topology;
  bool found;
  size_t count = 0;
  frame_view view = {0};
  assert_int_equal(geometry_topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_true(found && topology.shape_count == 0 && strcmp(topology.drawables[0].pieces, "fragment") == 0);
  assert_int_equal(topology.drawables[0].element_count, points);
  assert_true(topology.drawables[topology.drawable_count - 1].changing);
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME)) != 0; count++) {
    void *record;
    const void *payload;
    size_t size;
    assert_int_equal(recording_payload(recording, seq, &record, &payload, &size, NULL), SCR_OK);
    assert_int_equal(frame_view_read(&view, &topology, payload, size, NULL), SCR_OK);
    for (size_t d = 0; d < topology.drawable_count; d++) assert_true(view.drawables[d].there);
    free(record);
  }
  assert_int_equal(count, frames);
  frame_view_clear(&view);
  topology_clear(&topology);
}

static void test_recordings_from_before_open_play_and_export(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof old / sizeof *old; k++) {
    char path[64], *bytes;
    snprintf(path, sizeof path, "tests/data/old/%s.scree", old[k].name);
    scr_recording *recording = open_path(path);
    scr_check check;
    scr_table *table;
    scr_surface_summary made;
    scr_surface_options options = {.frame = -1, .with_obstacles = true};
    size_t length, files;
    char *folder = folder_create();
    assert_int_equal(scr_recording_verify(recording, 0, &check, NULL), SCR_OK);
    assert_int_equal(check.integrity, SCR_COMPLETE);
    check_curves(recording, old[k].name);
    check_frames(recording, old[k].points, old[k].frames);
    assert_int_equal(scr_table_read(recording, "fragments", 0, &table, NULL), SCR_OK);
    assert_int_equal(table->row_count, old[k].fragment_rows);
    scr_table_destroy(table);
    assert_int_equal(scr_table_read(recording, "breaks", 0, &table, NULL), SCR_OK); /* which had records of their own */
    assert_int_equal(table->row_count, old[k].breaks);
    scr_table_destroy(table);
    assert_int_equal(scr_export_vtkhdf(recording, folder, "f", &files, NULL), SCR_OK);
    assert_int_equal(files, old[k].frames);
    assert_int_equal(scr_export_surface(recording, &options, &bytes, &length, &made, NULL), SCR_OK);
    assert_int_equal(made.surface_count, old[k].surfaces);
    assert_int_equal(made.obstacle_count, 1);
    assert_int_equal(made.triangle_count, old[k].triangles);
    assert_non_null(strstr(bytes, "solid bar.fragment-0\n"));
    scr_free(bytes);
    assert_int_equal(scr_recording_plot_svg(recording, 0, &bytes, &length, NULL), SCR_OK);
    scr_free(bytes);
    scr_recording_close(recording);
    folder_remove(folder);
  }
}

SUITE(test_export_kinds)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stl_holds_pieces_instances_and_surfaces_where_they_are),
      cmocka_unit_test(test_ply_tells_instances_apart_by_their_ids),
      cmocka_unit_test(test_vtkhdf_holds_every_kind_and_as_many_as_each_frame_has),
      cmocka_unit_test(test_more_triangles_than_can_be_exported_are_refused),
      cmocka_unit_test(test_recordings_from_before_open_play_and_export),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
