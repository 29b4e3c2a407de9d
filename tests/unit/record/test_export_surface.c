/* Surfaces of fragments out of a recording, read back from the files they are written to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/files/mesh_read.h"
#include "record/file/recording_writer.h"
#include "record/frame/builder.h"
#include "record/topology.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

enum { grain_count = 12, dust_count = 2 };

static scr_field make_field(const char *name, uint32_t components, uint32_t encoding)
{
  scr_field field = {.unit = "1", .components = components, .encoding = encoding};
  snprintf(field.name, sizeof field.name, "%s", name);
  return field;
}

/* Grains in two rows of touching balls with fragments, dust without, and a plate, which has no surface. */
static void make_topology(scr_topology *t, scr_drawable drawables[3], double radius)
{
  drawables[0] =
      (scr_drawable){.kind = SCR_DRAW_POINTS, .name = "two words", .element_count = grain_count, .radius = radius, .field_count = 2};
  drawables[0].fields[0] = make_field("position", 3, SCR_ENCODING_UINT16);
  drawables[0].fields[1] = make_field("fragment", 1, SCR_ENCODING_UINT32);
  drawables[1] = (scr_drawable){.kind = SCR_DRAW_POINTS, .name = "dust", .element_count = dust_count, .radius = 0.25, .field_count = 1};
  drawables[1].fields[0] = make_field("position", 3, SCR_ENCODING_FLOAT32);
  drawables[2] = (scr_drawable){.kind = SCR_DRAW_PLANES, .name = "box", .element_count = 1, .field_count = 1};
  drawables[2].fields[0] = make_field("position", 3, SCR_ENCODING_FLOAT32);
  drawables[2].planes[0] = (scr_plane_shape){.name = "z_min", .half_u = {9, 0, 0}, .half_v = {0, 9, 0}};
  *t = (scr_topology){.drawables = drawables, .drawable_count = 3};
}

/* In frame `number` the first row is one fragment, 40, or has come apart in the middle: 40 and 7. The second row is 41. */
static void append_frame(recording_writer *writer, const scr_drawable *drawables, int number)
{
  scr_frame *frame;
  const void *payload;
  size_t size;
  double x[grain_count], y[grain_count], z[grain_count] = {0};
  uint32_t fragment[grain_count];
  for (int i = 0; i < grain_count; i++) {
    x[i] = i % 6 + (number && i >= 3 && i < 6 ? 2 : 0);
    y[i] = i < 6 ? 0 : 5;
    fragment[i] = i >= 6 ? 41 : number && i >= 3 ? 7 : 40;
  }
  const double dust[3][dust_count] = {{0, 3}, {-6, -6}, {1, 1}}, plate[3] = {0, 0, -1};
  assert_int_equal(frame_create(drawables, 3, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, x, y, z, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, 0, 1, fragment, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 1, 0, dust[0], dust[1], dust[2], NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, 2, 0, &plate[0], &plate[1], &plate[2], NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_FRAME, 0.5 * number, payload, size, NULL), SCR_OK);
  frame_destroy(frame);
}

static scr_recording *make_recording(const char *folder, double radius, int frame_count)
{
  char path[256], *json;
  scr_topology topology;
  scr_drawable drawables[3];
  recording_writer *writer;
  scr_recording *recording;
  snprintf(path, sizeof path, "%s/recording.scree", folder);
  make_topology(&topology, drawables, 0.5);
  assert_int_equal(recording_writer_open(path, &writer, NULL), SCR_OK);
  drawables[0].radius = radius; /* what a damaged file claims */
  assert_non_null(json = topology_json(&topology));
  drawables[0].radius = 0.5;
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_TOPOLOGY, 0, json, strlen(json), NULL), SCR_OK);
  free(json);
  for (int number = 0; number < frame_count; number++) append_frame(writer, drawables, number);
  recording_writer_close(writer);
  assert_int_equal(scr_recording_open(path, &recording, NULL), SCR_OK);
  return recording;
}

static void export_and_read(scr_recording *recording, scr_surface_format format, int64_t frame, geo_mesh *mesh, scr_surface_summary *made)
{
  char *bytes;
  size_t length;
  scr_error error = {0};
  scr_surface_options options = {.format = format, .frame = frame};
  if (scr_export_surface(recording, &options, &bytes, &length, made, &error) != SCR_OK) fail_msg("%s", error.message);
  if (geo_mesh_read(bytes, length, GEO_MESH_TRIANGLE_LIMIT, mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  if (geo_mesh_check(mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  if (format == SCR_SURFACE_STL) assert_non_null(strstr(bytes, "solid two_words.fragment-41\n"));
  scr_free(bytes);
}

/* Euler's number of each part of a mesh: 2 for each shell. */
static long euler_of(const geo_mesh *mesh, uint32_t part)
{
  geo_mesh one = {0};
  geo_mesh_measures measures;
  for (size_t v = 0; v < mesh->vertex_count; v++) geo_mesh_add_vertex(&one, mesh->vertex[v], NULL);
  for (size_t t = 0; t < mesh->triangle_count; t++)
    if (mesh->part[t] == part) geo_mesh_add_triangle(&one, mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2], part, NULL);
  assert_int_equal(geo_mesh_check(&one, NULL), SCR_OK); /* a part is closed by itself */
  assert_int_equal(geo_mesh_measure(&one, &measures, NULL), SCR_OK);
  geo_mesh_clear(&one);
  return measures.euler;
}

static void test_every_fragment_of_a_frame_gets_a_closed_surface(void **state)
{
  (void)state;
  char *folder = folder_create();
  scr_recording *recording = make_recording(folder, 0.5, 2);
  for (int format = SCR_SURFACE_STL; format <= SCR_SURFACE_PLY; format++)
    for (int frame = 0; frame < 2; frame++) {
      geo_mesh mesh = {0};
      scr_surface_summary made;
      export_and_read(recording, format, frame, &mesh, &made);
      assert_int_equal(made.frame, frame);
      assert_true(made.time == 0.5 * frame);
      assert_int_equal(made.surface_count, frame ? 4 : 3);
      assert_int_equal(made.triangle_count, mesh.triangle_count);
      /* by rising number within a drawable; an STL's parts are its solids in that order. The dust's two grains are one part, two shells. */
      const uint32_t ply[2][4] = {{40, 41, 0, 0}, {7, 40, 41, 0}}, stl[2][4] = {{0, 1, 2, 0}, {0, 1, 2, 3}};
      for (size_t k = 0; k < made.surface_count; k++)
        assert_int_equal(euler_of(&mesh, format == SCR_SURFACE_PLY ? ply[frame][k] : stl[frame][k]), k + 1 == made.surface_count ? 4 : 2);
      geo_mesh_clear(&mesh);
    }
  scr_recording_close(recording);
  folder_remove(folder);
}

/* -1 is the newest frame; smaller cells give more triangles; the same question gives the same bytes, for any number of threads. */
static void test_frame_cell_and_threads_do_what_they_say(void **state)
{
  (void)state;
  char *folder = folder_create(), *bytes[3];
  scr_recording *recording = make_recording(folder, 0.5, 2);
  size_t length[3];
  scr_surface_summary made[3];
  const scr_surface_options options[3] = {{.format = SCR_SURFACE_PLY, .frame = -1},
                                          {.format = SCR_SURFACE_PLY, .frame = 1, .threads = 3},
                                          {.format = SCR_SURFACE_PLY, .frame = 1, .cell = 0.05}};
  for (int k = 0; k < 3; k++) assert_int_equal(scr_export_surface(recording, &options[k], &bytes[k], &length[k], &made[k], NULL), SCR_OK);
  assert_int_equal(length[0], length[1]);
  assert_memory_equal(bytes[0], bytes[1], length[0]);
  assert_true(made[2].triangle_count > 10 * made[0].triangle_count);
  for (int k = 0; k < 3; k++) scr_free(bytes[k]);
  scr_recording_close(recording);
  folder_remove(folder);
}

static void assert_refused(scr_recording *recording, scr_surface_options options, const char *names)
{
  char *bytes;
  size_t length;
  scr_error error = {0};
  assert_int_not_equal(scr_export_surface(recording, &options, &bytes, &length, NULL, &error), SCR_OK);
  assert_null(bytes);
  if (!strstr(error.message, names)) fail_msg("'%s' is not in: %s", names, error.message);
}

static void test_what_cannot_be_exported_is_said(void **state)
{
  (void)state;
  char *folder = folder_create();
  scr_recording *recording = make_recording(folder, 0.5, 0);
  assert_refused(recording, (scr_surface_options){.frame = -1}, "no frames yet");
  scr_recording_close(recording);
  folder_remove(folder);
  folder = folder_create();
  recording = make_recording(folder, 0.5, 2);
  assert_refused(recording, (scr_surface_options){.frame = 2}, "frame 2 is not there; the recording has frames 0 to 1");
  assert_refused(recording, (scr_surface_options){.cell = 0.55}, "at most 0.5 m");
  assert_refused(recording, (scr_surface_options){.cell = -1}, "cells of -1 m");
  assert_refused(recording, (scr_surface_options){.cell = 1e-7}, "use cells of at least");
  scr_recording_close(recording);
  folder_remove(folder);
  folder = folder_create();
  recording = make_recording(folder, 1e-9, 1); /* a radius that fits nothing in the frame: work stays bounded */
  assert_refused(recording, (scr_surface_options){.frame = -1}, "use cells of at least");
  scr_recording_close(recording);
  folder_remove(folder);
}

SUITE(test_export_surface)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_fragment_of_a_frame_gets_a_closed_surface),
      cmocka_unit_test(test_frame_cell_and_threads_do_what_they_say),
      cmocka_unit_test(test_what_cannot_be_exported_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
