/* The rig and the obstacles in exports: read back from VTKHDF, STL and PLY files of a recording with one solid of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/files/mesh_read.h"
#include "geometry/mesh/mesh_shapes.h"
#include "record/file/recording_writer.h"
#include "record/frame/builder.h"
#include "record/topology.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static const double pi = 3.14159265358979323846;
enum { POINTS = 3, ROLLER_TRIANGLES = 4 * 72, ARC_TRIANGLES = 2 * 36, BOX_TRIANGLES = 12 };

static void add_vector_field(scr_drawable *drawable, const char *name, const char *unit)
{
  scr_field *field = &drawable->fields[drawable->field_count++];
  *field = (scr_field){.components = 3, .encoding = SCR_ENCODING_FLOAT32};
  snprintf(field->name, sizeof field->name, "%s", name);
  snprintf(field->unit, sizeof field->unit, "%s", unit);
}

/* Three points; a rectangle that turns; a roller of radius 0.5 and length 2 along y, and a half-round arc; a box of 2 x 4 x 6 that turns.
 * */
static void make_drawables(scr_drawable drawables[4], scr_mesh_shape *body)
{
  *body = (scr_mesh_shape){.name = "anvil"};
  assert_int_equal(geo_mesh_add_box(&body->mesh, vec3(1, 2, 3), NULL), SCR_OK);
  drawables[0] = (scr_drawable){.kind = SCR_DRAW_POINTS, .name = "grain", .element_count = POINTS, .radius = 0.25};
  drawables[1] = (scr_drawable){.kind = SCR_DRAW_PLANES, .name = "grips", .element_count = 1};
  drawables[1].planes[0] = (scr_plane_shape){.name = "high", .half_u = {0, 2, 0}, .half_v = {0, 0, 1}};
  drawables[2] = (scr_drawable){.kind = SCR_DRAW_CYLINDERS, .name = "bend", .element_count = 2};
  drawables[2].cylinders[0] = (scr_cylinder_shape){"load", {0, 1, 0}, {0, 0, 1}, 0.5, pi};
  drawables[2].cylinders[1] = (scr_cylinder_shape){"jaw", {0, 1, 0}, {0, 0, 1}, 0.5, pi / 2};
  drawables[3] = (scr_drawable){.kind = SCR_DRAW_MESH, .name = "obstacles", .element_count = 1, .meshes = body};
  for (int d = 0; d < 4; d++) add_vector_field(&drawables[d], "position", "m");
  add_vector_field(&drawables[1], "orientation", "rad");
  add_vector_field(&drawables[3], "orientation", "rad");
}

/* The rectangle has turned by a quarter about x at (5, 0, 0), the box by a quarter about z at (10, 20, 30). */
static void append_frame(recording_writer *writer, const scr_drawable *drawables)
{
  scr_frame *frame;
  const void *payload;
  size_t size;
  const double zero[POINTS] = {0}, one[POINTS] = {0, 1, 2}, far[2] = {3, 4};
  const double quarter = pi / 2, nothing = 0, at[4] = {5, 10, 20, 30};
  assert_int_equal(frame_create(drawables, 4, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, one, zero, zero, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 1, 0, &at[0], &nothing, &nothing, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 1, 1, &quarter, &nothing, &nothing, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 2, 0, zero, zero, far, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 3, 0, &at[1], &at[2], &at[3], NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 3, 1, &nothing, &nothing, &quarter, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_FRAME, 0.5, payload, size, NULL), SCR_OK);
  frame_destroy(frame);
}

static scr_recording *make_recording(const char *folder)
{
  char *path = folder_path(folder, "recording.scree");
  scr_drawable drawables[4];
  scr_mesh_shape body;
  scr_series series = {"time", "s", "Time"};
  recording_writer *writer;
  scr_recording *recording;
  make_drawables(drawables, &body);
  scr_topology topology = {.drawables = drawables, .drawable_count = 4, .series = &series, .series_count = 1};
  char *json = topology_json(&topology);
  assert_non_null(json);
  assert_int_equal(recording_writer_open(path, &writer, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_TOPOLOGY, 0, json, strlen(json), NULL), SCR_OK);
  append_frame(writer, drawables);
  recording_writer_close(writer);
  free(json);
  assert_int_equal(scr_recording_open(path, &recording, NULL), SCR_OK);
  geo_mesh_clear(&body.mesh);
  free(path);
  return recording;
}

/* ── VTKHDF ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct grid {
  long long vertex_count, cell_count, id_count;
  float *position, *radius;
  unsigned char *type;
  long long *offset, *id;
  int *kind, *element, *drawable;
} grid;

static void read_set(hid_t file, const char *name, hid_t type, void *data)
{
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
}

static void *room(long long count, size_t size)
{
  void *data = calloc((size_t)count, size);
  assert_non_null(data);
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
  read_set(file, "/VTKHDF/Points", H5T_NATIVE_FLOAT, g.position = room(g.vertex_count * 3, sizeof(float)));
  read_set(file, "/VTKHDF/PointData/radius", H5T_NATIVE_FLOAT, g.radius = room(g.vertex_count, sizeof(float)));
  read_set(file, "/VTKHDF/PointData/drawable", H5T_NATIVE_INT, g.drawable = room(g.vertex_count, sizeof(int)));
  read_set(file, "/VTKHDF/Types", H5T_NATIVE_UCHAR, g.type = room(g.cell_count, 1));
  read_set(file, "/VTKHDF/Offsets", H5T_NATIVE_LLONG, g.offset = room(g.cell_count + 1, sizeof(long long)));
  read_set(file, "/VTKHDF/Connectivity", H5T_NATIVE_LLONG, g.id = room(g.id_count, sizeof(long long)));
  read_set(file, "/VTKHDF/CellData/kind", H5T_NATIVE_INT, g.kind = room(g.cell_count, sizeof(int)));
  read_set(file, "/VTKHDF/CellData/element", H5T_NATIVE_INT, g.element = room(g.cell_count, sizeof(int)));
  H5Fclose(file);
  return g;
}

static void grid_clear(grid *g)
{
  free(g->position), free(g->radius), free(g->type), free(g->offset), free(g->id), free(g->kind), free(g->element), free(g->drawable);
}

/* The cells of one kind and element: how many, the box around their corners, and the volume their triangles bound. */
typedef struct piece {
  int count;
  double low[3], high[3], volume; /* m, m^3 */
} piece;

static piece piece_of(const grid *g, int kind, int element)
{
  piece p = {.low = {1e9, 1e9, 1e9}, .high = {-1e9, -1e9, -1e9}};
  for (long long c = 0; c < g->cell_count; c++) {
    if (g->kind[c] != kind || g->element[c] != element) continue;
    scr_vec3 corner[5];
    int n = (int)(g->offset[c + 1] - g->offset[c]);
    assert_true(n >= 1 && n <= 5);
    for (int k = 0; k < n; k++) {
      long long v = g->id[g->offset[c] + k];
      assert_true(v >= 0 && v < g->vertex_count);
      assert_int_equal(g->drawable[v], kind - 1);
      corner[k] = vec3(g->position[3 * v], g->position[3 * v + 1], g->position[3 * v + 2]);
      for (int i = 0; i < 3; i++) {
        p.low[i] = fmin(p.low[i], g->position[3 * v + i]);
        p.high[i] = fmax(p.high[i], g->position[3 * v + i]);
      }
    }
    if (n == 3) p.volume += vec3_dot(corner[0], vec3_cross(corner[1], corner[2])) / 6;
    p.count++;
  }
  return p;
}

static void assert_box(const piece *p, double x0, double x1, double y0, double y1, double z0, double z1)
{
  const double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
  for (int i = 0; i < 3; i++) {
    assert_float_equal(p->low[i], low[i], 1e-5);
    assert_float_equal(p->high[i], high[i], 1e-5);
  }
}

/* Turned shapes have their extents exchanged. A roller of 72 sides has 72/(2 pi) sin(2 pi/72) of a cylinder's volume, 0.9987. */
static void test_vtkhdf_holds_walls_rollers_and_bodies_where_they_are(void **state)
{
  (void)state;
  char *folder = folder_create(), *path;
  scr_recording *recording = make_recording(folder);
  scr_error error = {0};
  size_t count = 0;
  if (scr_export_vtkhdf(recording, folder, "frames", &count, &error) != SCR_OK) fail_msg("%s", error.message);
  grid g = read_grid(path = folder_path(folder, "frames-000000.vtkhdf"));
  assert_int_equal(g.cell_count, POINTS + 1 + ROLLER_TRIANGLES + ARC_TRIANGLES + BOX_TRIANGLES);
  assert_int_equal(g.offset[g.cell_count], g.id_count);
  for (long long v = 0; v < g.vertex_count; v++) assert_true(g.radius[v] == (v < POINTS ? 0.25f : 0.0f));
  for (int k = 0; k < POINTS; k++) assert_true(g.type[k] == 1 && g.kind[k] == 1 && g.element[k] == k && g.id[k] == k);
  assert_true(g.type[POINTS] == 4 && g.offset[POINTS + 1] - g.offset[POINTS] == 5); /* a line around the wall */
  assert_int_equal(g.id[g.offset[POINTS]], g.id[g.offset[POINTS] + 4]);
  for (long long c = POINTS + 1; c < g.cell_count; c++) assert_int_equal(g.type[c], 5);
  piece wall = piece_of(&g, 2, 0), roller = piece_of(&g, 3, 0), arc = piece_of(&g, 3, 1), box = piece_of(&g, 4, 0);
  assert_true(wall.count == 1 && roller.count == ROLLER_TRIANGLES && arc.count == ARC_TRIANGLES && box.count == BOX_TRIANGLES);
  assert_box(&wall, 5, 5, -1, 1, -2, 2);
  assert_box(&roller, -0.5, 0.5, -1, 1, 2.5, 3.5);
  assert_box(&arc, -0.5, 0.5, -1, 1, 3.5, 4); /* its middle is at z = 4, its ends half a radius lower */
  assert_box(&box, 8, 12, 19, 21, 27, 33);
  assert_float_equal(roller.volume, 2 * pi * 0.25 * sin(pi / 36) / (pi / 36), 1e-5);
  assert_float_equal(box.volume, 48, 1e-2);
  grid_clear(&g);
  scr_recording_close(recording);
  free(path);
  folder_remove(folder);
}

/* ── STL and PLY ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Volume bounded by the triangles of one part, m^3. */
static double volume_of(const geo_mesh *mesh, uint32_t part)
{
  double volume = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *v = mesh->triangle[t];
    if (mesh->part[t] == part) volume += vec3_dot(mesh->vertex[v[0]], vec3_cross(mesh->vertex[v[1]], mesh->vertex[v[2]])) / 6;
  }
  return volume;
}

static void export_and_read(scr_recording *recording, scr_surface_options options, geo_mesh *mesh, scr_surface_summary *made,
                            const char *text)
{
  char *bytes;
  size_t length;
  scr_error error = {0};
  if (scr_export_surface(recording, &options, &bytes, &length, made, &error) != SCR_OK) fail_msg("%s", error.message);
  if (geo_mesh_read(bytes, length, GEO_MESH_TRIANGLE_LIMIT, mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  if (geo_mesh_check(mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  if (text) assert_non_null(strstr(bytes, text));
  scr_free(bytes);
}

/* Three balls a diameter and more apart are fragment 0; the roller and the box are closed and have the volumes above; walls and arcs have
 * no inside and stay out. Without the option there are fragments only. */
static void test_surfaces_come_with_obstacles_when_asked(void **state)
{
  (void)state;
  char *folder = folder_create();
  scr_recording *recording = make_recording(folder);
  const uint32_t parts[2][2] = {[SCR_SURFACE_STL] = {1, 2}, [SCR_SURFACE_PLY] = {UINT32_MAX, UINT32_MAX - 1}};
  for (int format = SCR_SURFACE_STL; format <= SCR_SURFACE_PLY; format++) {
    geo_mesh alone = {0}, mesh = {0};
    scr_surface_summary without, with;
    export_and_read(recording, (scr_surface_options){.format = (scr_surface_format)format}, &alone, &without, NULL);
    export_and_read(recording, (scr_surface_options){.format = (scr_surface_format)format, .with_obstacles = true}, &mesh, &with,
                    format == SCR_SURFACE_STL ? "solid obstacles.anvil\n" : NULL);
    assert_true(without.obstacle_count == 0 && without.surface_count == 1 && without.triangle_count == alone.triangle_count);
    assert_true(with.obstacle_count == 2 && with.surface_count == 1);
    assert_int_equal(mesh.triangle_count, alone.triangle_count + ROLLER_TRIANGLES + BOX_TRIANGLES);
    assert_float_equal(volume_of(&mesh, parts[format][0]), 2 * pi * 0.25 * sin(pi / 36) / (pi / 36), 1e-5);
    assert_float_equal(volume_of(&mesh, parts[format][1]), 48, 1e-5);
    geo_mesh_clear(&alone);
    geo_mesh_clear(&mesh);
  }
  scr_recording_close(recording);
  folder_remove(folder);
}

SUITE(test_export_solids)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vtkhdf_holds_walls_rollers_and_bodies_where_they_are),
      cmocka_unit_test(test_surfaces_come_with_obstacles_when_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
