/* Surfaces whose triangles change from frame to frame, as of elements that split: recorded, read back, exported, refused when wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/drawable.h"
#include "record/export/vtk_grid.h"
#include "record/frame/builder.h"
#include "record/frame/surface.h"
#include "record/frame/view.h"
#include "tests/support/suites.h"

/* Two triangles of a unit square: joined at their diagonal (4 vertices), then apart (6), then one of them gone (3), then none. */
enum { MOMENTS = 4 };
static const uint32_t vertex_count[MOMENTS] = {4, 6, 3, 0}, triangle_count[MOMENTS] = {2, 2, 1, 0};
static const uint32_t corners[MOMENTS][2][3] = {
    {{0, 1, 2}, {0, 2, 3}}, {{0, 1, 2}, {3, 4, 5}}, {{0, 1, 2}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
static const double gap = 0.25;

static void place(int moment, double x[6], double y[6], double z[6], double stress[6])
{
  static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, second[3][2] = {{0, 0}, {1, 1}, {0, 1}};
  for (uint32_t v = 0; v < vertex_count[moment]; v++) {
    bool of_second = moment == 1 && v >= 3;
    x[v] = of_second ? second[v - 3][0] - gap : square[v][0];
    y[v] = of_second ? second[v - 3][1] + gap : square[v][1];
    z[v] = moment;
    stress[v] = 100.0 * v;
  }
}

static scr_drawable splitting(void)
{
  return (scr_drawable){.kind = SCR_DRAW_SURFACE,
                        .name = "skin",
                        .varying = true,
                        .field_count = 3,
                        .fields = {{"position", "m", 3, SCR_ENCODING_FLOAT32},
                                   {"stress", "Pa", 1, SCR_ENCODING_FLOAT32},
                                   {"corners", "1", 3, SCR_ENCODING_UINT32}}};
}

/* The payload of one moment, which lives until the next. */
static void draw(scr_frame *frame, int moment, const void **payload, size_t *size)
{
  double x[6], y[6], z[6], stress[6];
  place(moment, x, y, z, stress);
  frame_begin(frame);
  assert_int_equal(scr_frame_triangles(frame, 0, vertex_count[moment], triangle_count[moment], corners[moment], NULL), SCR_OK);
  if (vertex_count[moment]) {
    assert_int_equal(scr_frame_field(frame, 0, 1, stress, NULL, NULL, NULL), SCR_OK);
    assert_int_equal(scr_frame_field(frame, 0, 0, x, y, z, NULL), SCR_OK);
  }
  assert_int_equal(frame_finish(frame, payload, size, NULL), SCR_OK);
}

/* Area of what a frame exports, by its triangles: 1 as long as both are there. */
static double area_of(const geo_mesh *mesh)
{
  double area = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    const scr_vec3 *a = &mesh->vertex[mesh->triangle[t][0]], *b = &mesh->vertex[mesh->triangle[t][1]],
                   *c = &mesh->vertex[mesh->triangle[t][2]];
    area += 0.5 * vec3_length(vec3_cross(vec3_sub(*b, *a), vec3_sub(*c, *a)));
  }
  return area;
}

static void test_triangles_come_back_as_they_were_drawn(void **state)
{
  (void)state;
  scr_drawable drawable = splitting();
  scr_topology topology = {.drawables = &drawable, .drawable_count = 1};
  scr_frame *frame;
  frame_view view = {0};
  assert_int_equal(frame_create(&drawable, 1, &frame, NULL), SCR_OK);
  for (int k = 0; k < MOMENTS; k++) {
    const void *payload;
    size_t size, vertices, triangles;
    double x[6], y[6], z[6], stress[6];
    draw(frame, k, &payload, &size);
    assert_int_equal(frame_view_read(&view, &topology, payload, size, NULL), SCR_OK);
    const drawable_view *skin = &view.drawables[0];
    assert_true(skin->there && skin->count == vertex_count[k] && skin->second_count == triangle_count[k]);
    place(k, x, y, z, stress);
    for (uint32_t v = 0; v < skin->count; v++) {
      assert_true(vec3_length(vec3_sub(frame_array_vector(&skin->arrays[0], v), vec3(x[v], y[v], z[v]))) < 1e-6);
      assert_true(frame_array_value(drawable_view_field(skin, "stress"), v, 0) == stress[v]);
    }
    for (uint32_t t = 0; t < skin->second_count; t++)
      for (uint32_t c = 0; c < 3; c++) assert_int_equal(frame_array_whole(&skin->arrays[2], t, c), corners[k][t][c]);
    geo_mesh mesh = {0};
    assert_int_equal(frame_surface_measure(skin, &vertices, &triangles, NULL), SCR_OK);
    assert_true(vertices == vertex_count[k] && triangles == triangle_count[k]);
    assert_int_equal(frame_surface_add(skin, 0, 0, &mesh, NULL), SCR_OK);
    assert_true(fabs(area_of(&mesh) - 0.5 * triangle_count[k]) < 1e-6);
    geo_mesh_clear(&mesh);
  }
  frame_view_clear(&view);
  frame_destroy(frame);
}

/* For ParaView each frame has its own vertices and triangles, and the scalars at them. */
static void test_the_grid_has_each_frames_triangles(void **state)
{
  (void)state;
  scr_drawable drawable = splitting();
  scr_topology topology = {.drawables = &drawable, .drawable_count = 1};
  scr_frame *frame;
  vtk_grid grid;
  assert_int_equal(frame_create(&drawable, 1, &frame, NULL), SCR_OK);
  assert_int_equal(vtk_grid_create(&topology, &grid, NULL), SCR_OK);
  assert_true(grid.field_count == 1 && strcmp(grid.names[0], "stress") == 0);
  for (int k = 0; k < MOMENTS; k++) {
    const void *payload;
    size_t size;
    draw(frame, k, &payload, &size);
    assert_int_equal(vtk_grid_make(&grid, payload, size, NULL), SCR_OK);
    assert_int_equal(grid.vertex_count, vertex_count[k]);
    assert_int_equal(grid.cells.count, triangle_count[k]);
    for (uint32_t v = 0; v < vertex_count[k]; v++) assert_true(grid.fields[0][v] == 100.0f * (float)v && grid.radius[v] == 0);
  }
  vtk_grid_clear(&grid);
  frame_destroy(frame);
}

/* The topology's text brings the declaration back, without any geometry record. */
static void test_the_topology_tells_that_triangles_come_with_frames(void **state)
{
  (void)state;
  scr_drawable drawable = splitting();
  scr_series time = {"time", "s", "Time"};
  scr_topology topology = {.drawables = &drawable, .drawable_count = 1, .series = &time, .series_count = 1}, back;
  char *text = topology_json(&topology);
  assert_non_null(text);
  assert_int_equal(topology_parse(text, strlen(text), &back, NULL), SCR_OK);
  assert_true(back.drawables[0].varying && back.drawables[0].kind == SCR_DRAW_SURFACE && back.drawables[0].shape_count == 0);
  assert_int_equal(drawable_second_field(&back.drawables[0]), 2);
  free(text);
  topology_clear(&back);
}

static void assert_refused(scr_drawable drawable, const char *words)
{
  scr_error error = {0};
  assert_int_equal(drawable_check(&drawable, &error), SCR_BAD_USAGE);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
}

static void test_what_is_no_varying_surface_is_refused(void **state)
{
  (void)state;
  scr_drawable without = splitting(), narrow = splitting(), shaped = splitting();
  assert_int_equal(drawable_check(&without, NULL), SCR_OK);
  without.field_count = 2;
  assert_refused(without, "must have a field 'corners'");
  narrow.fields[2].components = 1;
  assert_refused(narrow, "must have a field 'corners'");
  shaped.shape_count = 1;
  assert_refused(shaped, "has 1 shapes");
}

static void test_frames_with_wrong_triangles_are_refused(void **state)
{
  (void)state;
  scr_drawable drawable = splitting();
  scr_frame *frame;
  scr_error error = {0};
  const uint32_t wrong[1][3] = {{0, 1, 4}};
  const double x[4] = {0};
  assert_int_equal(frame_create(&drawable, 1, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(scr_frame_count(frame, 0, 4, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "scr_frame_triangles"));
  assert_int_equal(scr_frame_triangles(frame, 0, 4, 1, wrong, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "names vertex 4"));
  assert_int_equal(scr_frame_field(frame, 0, 0, x, x, x, &error), SCR_BAD_USAGE); /* before it was said how many there are */
  assert_int_equal(scr_frame_triangles(frame, 0, 5, 1, wrong, NULL), SCR_OK);
  assert_int_equal(scr_frame_triangles(frame, 0, 5, 1, wrong, &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_field_u32(frame, 0, 2, wrong[0], &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_triangles(frame, 1, 5, 1, wrong, &error), SCR_BAD_USAGE); /* no such drawable */
  frame_destroy(frame);
}

/* A damaged frame whose triangle names a vertex that is not there is told. */
static void test_a_damaged_corner_is_told(void **state)
{
  (void)state;
  scr_drawable drawable = splitting();
  scr_topology topology = {.drawables = &drawable, .drawable_count = 1};
  scr_frame *frame;
  frame_view view = {0};
  const void *payload;
  size_t size;
  assert_int_equal(frame_create(&drawable, 1, &frame, NULL), SCR_OK);
  draw(frame, 0, &payload, &size);
  unsigned char *copy = malloc(size);
  assert_non_null(copy);
  memcpy(copy, payload, size);
  const uint32_t beyond = 4;
  memcpy(copy + size - sizeof beyond, &beyond, sizeof beyond); /* the last corner of the last triangle */
  assert_int_equal(frame_view_read(&view, &topology, copy, size, NULL), SCR_BAD_FILE);
  free(copy);
  frame_view_clear(&view);
  frame_destroy(frame);
}

SUITE(test_record_splitting)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_triangles_come_back_as_they_were_drawn),
      cmocka_unit_test(test_the_grid_has_each_frames_triangles),
      cmocka_unit_test(test_the_topology_tells_that_triangles_come_with_frames),
      cmocka_unit_test(test_what_is_no_varying_surface_is_refused),
      cmocka_unit_test(test_frames_with_wrong_triangles_are_refused),
      cmocka_unit_test(test_a_damaged_corner_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
