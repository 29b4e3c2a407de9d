/* Bodies of triangles in recordings: the topology that holds them, the poses in frames, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/drawable.h"
#include "record/frame_builder.h"
#include "record/topology.h"

static const double pi = 3.14159265358979323846;

/* A tetrahedron with corners at the origin and at `size` times the axes, scaled unevenly so that axes can't be confused. */
static void add_wedge(scr_mesh_shape *body, const char *name, double size)
{
  static const uint32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  strcpy(body->name, name);
  const scr_vec3 at[4] = {vec3(0, 0, 0), vec3(size, 0, 0), vec3(0, 2 * size, 0), vec3(0, 0, 3 * size)};
  for (int v = 0; v < 4; v++) assert_int_equal(geo_mesh_add_vertex(&body->mesh, at[v], NULL), SCR_OK);
  for (int t = 0; t < 4; t++)
    assert_int_equal(geo_mesh_add_triangle(&body->mesh, corners[t][0], corners[t][1], corners[t][2], 0, NULL), SCR_OK);
}

static void describe_bodies(scr_drawable *bodies, scr_mesh_shape shapes[2])
{
  memset(shapes, 0, 2 * sizeof *shapes);
  add_wedge(&shapes[0], "anvil", 0.1);
  add_wedge(&shapes[1], "hammer", 1.0 / 3.0);
  *bodies = (scr_drawable){.kind = SCR_DRAW_MESH, .name = "obstacles", .element_count = 2, .field_count = 2, .meshes = shapes};
  bodies->fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_FLOAT32};
  bodies->fields[1] = (scr_field){"orientation", "rad", 3, SCR_ENCODING_FLOAT32};
}

static void free_shapes(scr_mesh_shape shapes[2])
{
  geo_mesh_clear(&shapes[0].mesh);
  geo_mesh_clear(&shapes[1].mesh);
}

/* Numbers are written with 17 digits, which give every double back. */
static void test_the_topology_gives_bodies_back_to_the_last_bit(void **state)
{
  (void)state;
  scr_drawable bodies;
  scr_mesh_shape shapes[2];
  describe_bodies(&bodies, shapes);
  scr_topology topology = {.drawables = &bodies, .drawable_count = 1}, back;
  char *text = topology_json(&topology);
  assert_non_null(text);
  assert_int_equal(topology_parse(text, strlen(text), &back, NULL), SCR_OK);
  free(text);
  const scr_drawable *read = &back.drawables[0];
  assert_int_equal(read->kind, SCR_DRAW_MESH);
  assert_int_equal(read->element_count, 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(read->meshes[i].name, shapes[i].name);
    assert_int_equal(read->meshes[i].mesh.vertex_count, 4);
    assert_int_equal(read->meshes[i].mesh.triangle_count, 4);
    assert_memory_equal(read->meshes[i].mesh.vertex, shapes[i].mesh.vertex, 4 * sizeof(scr_vec3));
    assert_memory_equal(read->meshes[i].mesh.triangle, shapes[i].mesh.triangle, 4 * sizeof *shapes[i].mesh.triangle);
  }
  topology_clear(&back);
  free_shapes(shapes);
}

static void test_a_copy_of_a_drawable_outlives_the_one_it_was_made_of(void **state)
{
  (void)state;
  scr_drawable bodies, copy;
  scr_mesh_shape shapes[2];
  describe_bodies(&bodies, shapes);
  assert_int_equal(drawable_copy(&bodies, &copy, NULL), SCR_OK);
  free_shapes(shapes);
  memset(shapes, 0xff, sizeof shapes);
  assert_string_equal(copy.meshes[1].name, "hammer");
  assert_true(copy.meshes[1].mesh.vertex[3].z == 1.0);
  assert_int_equal(copy.meshes[0].mesh.triangle[3][2], 3);
  drawable_clear(&copy);
}

/* A quarter turn about z takes x to y and y to -x; the box is that of the turned corners, not of a sphere around them. Tolerance: poses are
 * stored as float32, 6e-8 relative. */
static void test_the_box_of_a_frame_holds_turned_bodies_exactly(void **state)
{
  (void)state;
  scr_drawable bodies;
  scr_mesh_shape shapes[2];
  describe_bodies(&bodies, shapes);
  bodies.element_count = 1;
  scr_frame *frame;
  assert_int_equal(frame_create(&bodies, 1, &frame, NULL), SCR_OK);
  const double x = 5, y = -2, z = 1, zero = 0, quarter = pi / 2;
  scr_vec3 low, high;
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, &x, &y, &z, NULL), SCR_OK);
  assert_false(frame_bounds(frame, &low, &high)); /* half a pose is none */
  assert_int_equal(scr_frame_field(frame, 0, 1, &zero, &zero, &quarter, NULL), SCR_OK);
  assert_true(frame_bounds(frame, &low, &high));
  const double got[6] = {low.x, low.y, low.z, high.x, high.y, high.z}, meant[6] = {4.8, -2, 1, 5, -1.9, 1.3};
  for (int k = 0; k < 6; k++)
    if (!(fabs(got[k] - meant[k]) < 1e-6)) fail_msg("bound %d is %.9g, not %.9g", k, got[k], meant[k]);
  frame_destroy(frame);
  free_shapes(shapes);
}

static void assert_refused(const scr_drawable *drawable, const char *word)
{
  scr_error error = {0};
  assert_int_equal(drawable_check(drawable, &error), SCR_BAD_USAGE);
  if (!strstr(error.message, word)) fail_msg("'%s' does not say '%s'", error.message, word);
}

static void test_bodies_that_are_not_sound_are_refused_with_the_reason(void **state)
{
  (void)state;
  scr_drawable bodies, bad;
  scr_mesh_shape shapes[2];
  describe_bodies(&bodies, shapes);
  assert_int_equal(drawable_check(&bodies, NULL), SCR_OK);
  bad = bodies;
  bad.element_count = SCR_MESH_LIMIT + 1;
  assert_refused(&bad, "64");
  bad = bodies;
  bad.meshes = NULL;
  assert_refused(&bad, "without triangles");
  bad = bodies;
  bad.field_count = 1;
  assert_refused(&bad, "orientation");
  bad = bodies;
  bad.fields[1].components = 1;
  assert_refused(&bad, "orientation");
  shapes[1].mesh.triangle[2][1] = 4;
  assert_refused(&bodies, "triangle 2 of body 'hammer'");
  shapes[1].mesh.triangle[2][1] = 1;
  shapes[0].mesh.vertex[3].y = NAN;
  assert_refused(&bodies, "vertex 3 of body 'anvil'");
  shapes[0].mesh.vertex[3].y = INFINITY;
  assert_refused(&bodies, "vertex 3 of body 'anvil'");
  shapes[0].mesh.vertex[3].y = 0;
  size_t count = shapes[0].mesh.triangle_count;
  shapes[0].mesh.triangle_count = SCR_MESH_TRIANGLE_LIMIT - 3; /* with the other's 4 one too many */
  assert_refused(&bodies, "coarser");
  shapes[0].mesh.triangle_count = count;
  free_shapes(shapes);
}

/* Each text is the good one with one thing wrong. */
static void test_a_damaged_list_of_bodies_is_refused(void **state)
{
  (void)state;
  static const char form[] = "{\"drawables\":[{\"id\":0,\"kind\":\"mesh\",\"name\":\"o\",\"element_count\":1,\"bodies\":[%s],\"fields\":["
                             "{\"name\":\"position\",\"unit\":\"m\",\"components\":3,\"encoding\":\"float32\"},"
                             "{\"name\":\"orientation\",\"unit\":\"rad\",\"components\":3,\"encoding\":\"float32\"}]}],\"series\":[],"
                             "\"plots\":[],\"bounds\":{\"minimum\":[0,0,0],\"maximum\":[1,1,1]}}";
  static const char *const bodies[] = {"{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1,0],\"triangles\":[0,1,2]}",
                                       "{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1,0],\"triangles\":[0,1,3]}",
                                       "{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1,0],\"triangles\":[0,1,-1]}",
                                       "{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1,0],\"triangles\":[0,1]}",
                                       "{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1,0],\"triangles\":[0,1,2.5]}",
                                       "{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1],\"triangles\":[0,1,2]}",
                                       "{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1,1e300],\"triangles\":[0,1,2]}",
                                       "{\"name\":\"a\",\"vertices\":[0,0,0,1,0,0,0,1,null],\"triangles\":[0,1,2]}",
                                       "{\"name\":\"a\",\"vertices\":{},\"triangles\":[]}",
                                       "{\"vertices\":[],\"triangles\":[]}",
                                       "7",
                                       ""};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char text[1024];
    snprintf(text, sizeof text, form, bodies[i]);
    scr_topology topology;
    scr_status status = topology_parse(text, strlen(text), &topology, NULL);
    if (status != (i == 0 ? SCR_OK : SCR_BAD_FILE)) fail_msg("body %zu: %s", i, scr_status_name(status));
    topology_clear(&topology);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_topology_gives_bodies_back_to_the_last_bit),
      cmocka_unit_test(test_a_copy_of_a_drawable_outlives_the_one_it_was_made_of),
      cmocka_unit_test(test_the_box_of_a_frame_holds_turned_bodies_exactly),
      cmocka_unit_test(test_bodies_that_are_not_sound_are_refused_with_the_reason),
      cmocka_unit_test(test_a_damaged_list_of_bodies_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
