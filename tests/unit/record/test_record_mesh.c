/* Triangles in recordings: bodies in the topology with their poses in frames, changing meshes in frames, what is refused. */
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
#include "record/frame/builder.h"
#include "record/topology.h"
#include "tests/support/frame_mesh.h"
#include "tests/support/suites.h"

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

/* ── changing meshes ─────────────────────────────────────────────────────────────────────────────────────────────── */

enum { ball_count = 2 };

/* Two balls, and the skin of their fragments. */
static void describe_skin(scr_drawable drawables[2], uint32_t encoding)
{
  drawables[0] = (scr_drawable){.kind = SCR_DRAW_POINTS, .name = "grain", .element_count = ball_count, .radius = 1, .field_count = 1};
  drawables[0].fields[0] = (scr_field){"position", "m", 3, encoding};
  drawables[1] = (scr_drawable){.kind = SCR_DRAW_MESH, .name = "grain", .changing = true, .skin_of = 0, .field_count = SCR_SKIN_FIELDS};
  drawables[1].fields[SCR_SKIN_POSITION] = (scr_field){"position", "m", 3, encoding};
  drawables[1].fields[SCR_SKIN_PIECE] = (scr_field){"fragment", "1", 1, SCR_ENCODING_UINT32};
  drawables[1].fields[SCR_SKIN_CORNERS] = (scr_field){"corners", "1", 3, SCR_ENCODING_UINT32};
}

/* `count` wedges in a row, the last of fragment `last`, the others of fragment 7. */
static void make_wedges(geo_mesh *mesh, size_t count, uint32_t last)
{
  scr_mesh_shape one = {0};
  add_wedge(&one, "", 0.25);
  for (size_t k = 0; k < count; k++) {
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (int v = 0; v < 4; v++)
      assert_int_equal(geo_mesh_add_vertex(mesh, vec3_add(one.mesh.vertex[v], vec3((double)k, 0, 0)), NULL), SCR_OK);
    for (int t = 0; t < 4; t++) {
      const uint32_t *c = one.mesh.triangle[t];
      assert_int_equal(geo_mesh_add_triangle(mesh, first + c[0], first + c[1], first + c[2], k + 1 == count ? last : 7, NULL), SCR_OK);
    }
  }
  geo_mesh_clear(&one.mesh);
}

static void draw_skin(scr_frame *frame, const geo_mesh *mesh, const void **payload, size_t *size)
{
  const double zero[ball_count] = {0};
  frame_begin(frame);
  assert_int_equal(scr_frame_mesh(frame, 1, mesh, NULL), SCR_OK); /* before or after the fixed drawables */
  assert_int_equal(scr_frame_field(frame, 0, 0, zero, zero, zero, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, payload, size, NULL), SCR_OK);
}

/* Sizes go up and down from frame to frame. Numbers of vertices and of fragments on both sides of what 16 bits hold come back exactly,
 * positions within half a step of the mesh's box, or the rounding of float32. */
static void test_a_changing_mesh_comes_back_whatever_its_size(void **state)
{
  (void)state;
  static const size_t counts[] = {1, 16384, 16385, 0, 3};
  static const uint32_t last[] = {65535, 65536, 9, 0, 4000000000u};
  for (uint32_t encoding = SCR_ENCODING_FLOAT32; encoding <= SCR_ENCODING_UINT16; encoding++) {
    scr_drawable drawables[2];
    scr_frame *frame;
    describe_skin(drawables, encoding);
    assert_int_equal(frame_create(drawables, 2, &frame, NULL), SCR_OK);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      geo_mesh mesh = {0}, back;
      const void *payload;
      size_t size;
      make_wedges(&mesh, counts[k], last[k]);
      draw_skin(frame, &mesh, &payload, &size);
      assert_true(size % 8 == 0);
      assert_true(frame_mesh_read(payload, size, 1, &back));
      assert_int_equal(back.vertex_count, mesh.vertex_count);
      assert_int_equal(back.triangle_count, mesh.triangle_count);
      double reach = (double)counts[k] + 0.25, bound = encoding == SCR_ENCODING_UINT16 ? reach / 131070 + 1e-12 * reach : reach * 0x1p-24;
      for (size_t v = 0; v < mesh.vertex_count; v++) assert_true(vec3_length(vec3_sub(back.vertex[v], mesh.vertex[v])) <= bound * 1.7321);
      for (size_t t = 0; t < mesh.triangle_count; t++) {
        assert_memory_equal(back.triangle[t], mesh.triangle[t], sizeof *mesh.triangle);
        assert_int_equal(back.part[t], mesh.part[t]);
      }
      geo_mesh_clear(&mesh);
      geo_mesh_clear(&back);
    }
    frame_destroy(frame);
  }
}

/* Cut anywhere, a frame is refused; with any byte of its headers changed it is refused or still within its bytes (what ASan watches). */
static void test_a_damaged_changing_mesh_is_refused_and_never_read_past_its_end(void **state)
{
  (void)state;
  scr_drawable drawables[2];
  scr_frame *frame;
  geo_mesh mesh = {0}, back;
  const void *payload;
  size_t size;
  describe_skin(drawables, SCR_ENCODING_UINT16);
  assert_int_equal(frame_create(drawables, 2, &frame, NULL), SCR_OK);
  make_wedges(&mesh, 3, 8);
  draw_skin(frame, &mesh, &payload, &size);
  for (size_t cut = 0; cut < size; cut++) {
    unsigned char *part = malloc(cut + 1); /* of its own size, so that a read past the end is seen */
    assert_non_null(part);
    memcpy(part, payload, cut);
    if (frame_mesh_read(part, cut, 1, &back)) fail_msg("a frame cut to %zu of %zu bytes was taken", cut, size);
    geo_mesh_clear(&back);
    free(part);
  }
  for (size_t at = 0; at < size; at++) {
    unsigned char *bent = malloc(size);
    assert_non_null(bent);
    memcpy(bent, payload, size);
    bent[at] ^= 0xff;
    (void)frame_mesh_read(bent, size, 1, &back);
    geo_mesh_clear(&back);
    free(bent);
  }
  geo_mesh_clear(&mesh);
  frame_destroy(frame);
}

static void test_changing_meshes_that_do_not_fit_are_refused(void **state)
{
  (void)state;
  scr_drawable drawables[3];
  scr_frame *frame;
  scr_error error;
  geo_mesh mesh = {0};
  const double zero[ball_count] = {0};
  const void *payload;
  size_t size;
  describe_skin(drawables, SCR_ENCODING_UINT16);
  drawables[2] = drawables[0]; /* behind the changing mesh */
  assert_int_equal(frame_create(drawables, 3, &frame, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "must be last"));
  drawables[1].skin_of = 1;
  assert_int_equal(frame_create(drawables, 2, &frame, &error), SCR_BAD_USAGE);
  drawables[1].skin_of = 0;
  assert_int_equal(frame_create(drawables, 2, &frame, &error), SCR_OK);
  make_wedges(&mesh, 2, 1);
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, 0, 0, zero, zero, zero, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "was not drawn"));
  assert_int_equal(scr_frame_mesh(frame, 0, &mesh, &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_field(frame, 1, 0, zero, zero, zero, &error), SCR_BAD_USAGE);
  mesh.triangle[5][2] = 8;
  assert_int_equal(scr_frame_mesh(frame, 1, &mesh, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "triangle 5"));
  mesh.triangle[5][2] = 0;
  assert_int_equal(scr_frame_mesh(frame, 1, &mesh, &error), SCR_OK);
  assert_int_equal(scr_frame_mesh(frame, 1, &mesh, &error), SCR_BAD_USAGE); /* twice */
  assert_int_equal(frame_finish(frame, &payload, &size, &error), SCR_OK);
  frame_destroy(frame);
  geo_mesh_clear(&mesh);
}

static void test_the_topology_tells_what_a_changing_mesh_is_the_skin_of(void **state)
{
  (void)state;
  scr_drawable drawables[2];
  describe_skin(drawables, SCR_ENCODING_UINT16);
  scr_topology topology = {.drawables = drawables, .drawable_count = 2}, back;
  char *text = topology_json(&topology);
  assert_non_null(text);
  assert_int_equal(topology_parse(text, strlen(text), &back, NULL), SCR_OK);
  assert_true(back.drawables[1].changing && back.drawables[1].skin_of == 0 && back.drawables[1].field_count == SCR_SKIN_FIELDS);
  assert_false(back.drawables[0].changing);
  topology_clear(&back);
  char *of = strstr(text, "\"skin_of\":0");
  assert_non_null(of);
  of[strlen("\"skin_of\":")] = '1'; /* itself */
  assert_int_equal(topology_parse(text, strlen(text), &back, NULL), SCR_BAD_FILE);
  free(text);
}

SUITE(test_record_mesh)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_topology_gives_bodies_back_to_the_last_bit),
      cmocka_unit_test(test_a_copy_of_a_drawable_outlives_the_one_it_was_made_of),
      cmocka_unit_test(test_the_box_of_a_frame_holds_turned_bodies_exactly),
      cmocka_unit_test(test_bodies_that_are_not_sound_are_refused_with_the_reason),
      cmocka_unit_test(test_a_damaged_list_of_bodies_is_refused),
      cmocka_unit_test(test_a_changing_mesh_comes_back_whatever_its_size),
      cmocka_unit_test(test_a_damaged_changing_mesh_is_refused_and_never_read_past_its_end),
      cmocka_unit_test(test_changing_meshes_that_do_not_fit_are_refused),
      cmocka_unit_test(test_the_topology_tells_what_a_changing_mesh_is_the_skin_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
