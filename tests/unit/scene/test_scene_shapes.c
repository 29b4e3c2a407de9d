/* The table of shapes: what each entry says in several ways must be the same thing. Volumes by formula, of its moments, of its triangles
 * and of its hexahedra agree; so do areas, distances and extents with points of its surface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geometry/hexes/hexes.h"
#include "geometry/level_set/shell.h"
#include "scene/shape/shape.h"
#include "tests/support/suites.h"

static scr_shape_piece pair[2] = {
    {.shape = {.kind = SCR_SHAPE_BOX, .size = {0.2, 0.3, 0.4}}, .position = {-0.1, 0, 0}, .rotation = {{0, 0, 1}, 0}},
    {.shape = {.kind = SCR_SHAPE_CAPSULE, .radius = 0.1, .length = 0.3}, .position = {0.3, 0, 0}, .rotation = {{1, 0, 0}, 90}}};

static const scr_shape shapes[] = {
    {.kind = SCR_SHAPE_SPHERE, .radius = 0.3},
    {.kind = SCR_SHAPE_HOLLOW_SPHERE, .radius = 0.3, .inner_radius = 0.2},
    {.kind = SCR_SHAPE_BOX, .size = {0.2, 0.3, 0.5}},
    {.kind = SCR_SHAPE_CYLINDER, .radius = 0.2, .length = 0.7},
    {.kind = SCR_SHAPE_CAPSULE, .radius = 0.2, .length = 0.5},
    {.kind = SCR_SHAPE_NOTCHED_BOX, .size = {0.8, 0.2, 0.4}, .notch_width = 0.1, .notch_depth = 0.15},
    {.kind = SCR_SHAPE_COMPOUND, .pieces = pair, .piece_count = 2},
    {.kind = SCR_SHAPE_ARCH, .span = 1, .rise = 0.7, .thickness = 0.1, .width = 0.2, .leg = 0.2, .foot = NAN},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static double off(double a, double b)
{
  return fabs(a / b - 1);
}

/* Moments have the volume's formula in other terms, so it is rounding; a ball of 24 sides or 8 cuts lacks 2 % of its volume, of which the
 * void of a hollow one is no part. The arch's formula takes half an ellipse's perimeter by its root mean square, 3 % off at most here. */
static void test_volumes_are_those_of_moments_triangles_and_hexahedra(void **state)
{
  (void)state;
  static const double none[3] = {NAN, NAN, NAN};
  int checked = 0;
  for (int k = 0; k < SHAPES; k++) {
    const scr_shape *shape = &shapes[k];
    const scr_shape_form *form = shape_entry(shape->kind);
    double volume = scr_shape_volume(shape), outer = volume + 4.0 / 3.0 * M_PI * pow(shape->inner_radius, 3);
    assert_true(volume > 0);
    if (form->moments) assert_true(off(form->moments(shape).volume, volume) < 1e-14), checked++;
    if (form->picture) {
      geo_mesh mesh = {0};
      assert_int_equal(form->picture(shape, &mesh, NULL), SCR_OK);
      assert_true(off(shell_solid_of(&mesh).volume, outer) < 0.06), checked++;
      geo_mesh_clear(&mesh);
    }
    if (form->shell) {
      geo_mesh mesh = {0};
      assert_int_equal(form->shell(shape, 0.02, &mesh, NULL), SCR_OK);
      assert_true(off(shell_solid_of(&mesh).volume, outer) < 0.01), checked++;
      geo_mesh_clear(&mesh);
    }
    if (form->hexes) {
      geo_hexes mesh = {0};
      shape_division division = shape_divide(shape, 0.02, none);
      assert_int_equal(shape_hexes(shape, &division, &mesh, NULL), SCR_OK);
      assert_int_equal(mesh.hex_count, division.hexes);
      double filled = geo_hexes_measure(&mesh).volume, most = form->curved ? 0.01 : shape->kind == SCR_SHAPE_ARCH ? 0.04 : 1e-12;
      assert_true(off(filled, volume) < most), checked++;
      geo_hexes_clear(&mesh);
    }
  }
  assert_true(checked > 20);
}

/* Areas are those of fine triangles to 1 %; corners of the shell lie on the surface, where the distance is 0, and twice as far out it is
 * what a point has to come back by at most. */
static void test_areas_and_distances_are_those_of_the_shell(void **state)
{
  (void)state;
  for (int k = 0; k < SHAPES; k++) {
    const scr_shape_form *form = shape_entry(shapes[k].kind);
    geo_mesh mesh = {0};
    double area = 0;
    if (!form->shell) continue;
    assert_int_equal(form->shell(&shapes[k], 0.02, &mesh, NULL), SCR_OK);
    for (size_t t = 0; t < mesh.triangle_count; t++) area += 0.5 * vec3_length(geo_mesh_area_normal(&mesh, t));
    assert_true(off(form->area(&shapes[k]), area) < 0.01);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
      double out = form->distance(&shapes[k], vec3_scale(mesh.vertex[v], 2));
      assert_true(fabs(form->distance(&shapes[k], mesh.vertex[v])) < 1e-12);
      assert_true(out > 0.3 * vec3_length(mesh.vertex[v]) && out < (1 + 1e-12) * vec3_length(mesh.vertex[v]));
    }
    assert_true(form->distance(&shapes[k], vec3(0, 0, 0)) < -0.09);
    geo_mesh_clear(&mesh);
  }
}

/* The box of half extents holds every corner of the picture, and of shapes that touch it (all but a compound, whose bound is a ball's)
 * no smaller one does. `reach` is its largest edge where the shape is centred. */
static void test_extents_hold_the_shape_and_no_more(void **state)
{
  (void)state;
  for (int k = 0; k < SHAPES; k++) {
    const scr_shape_form *form = shape_entry(shapes[k].kind);
    geo_mesh mesh = {0};
    scr_vec3 half = form->half_extents(&shapes[k], 0.01), most = vec3(0, 0, 0);
    if (!form->picture) continue;
    assert_int_equal(form->picture(&shapes[k], &mesh, NULL), SCR_OK);
    for (size_t v = 0; v < mesh.vertex_count; v++)
      most = vec3(fmax(most.x, fabs(mesh.vertex[v].x)), fmax(most.y, fabs(mesh.vertex[v].y)), fmax(most.z, fabs(mesh.vertex[v].z)));
    geo_mesh_clear(&mesh);
    const double slack = 1e-12;
    assert_true(most.x < half.x + slack && most.y < half.y + slack && most.z < half.z + slack);
    if (shapes[k].kind == SCR_SHAPE_COMPOUND) continue;
    assert_true(off(most.x, half.x) < slack && off(most.y, half.y) < slack && off(most.z, half.z) < slack);
    assert_true(off(form->reach(&shapes[k]), fmax(half.x, fmax(half.y, half.z))) < slack);
  }
}

/* Every kind has a name, keys and extents; those that are given have a volume, those that are made of numbers what makes them. */
static void test_every_entry_is_whole(void **state)
{
  (void)state;
  for (int k = 0; k < SCR_SHAPE_COUNT; k++) {
    const scr_shape_form *form = shape_entry((scr_shape_kind)k);
    assert_non_null(form->section.title);
    assert_true(form->section.param_count + form->section.member_count > 0);
    assert_int_equal(form->source == SHAPE_BY_NUMBERS, form->generate != NULL);
    if (form->source == SHAPE_AS_GIVEN) assert_true(form->reach && form->half_extents && form->volume);
    assert_true((form->hexes != NULL) == (form->divide != NULL) && (form->pieces != NULL) == (form->moments != NULL));
    assert_true((form->shell != NULL) == (form->distance != NULL) && (form->pieces != NULL) == (form->picture != NULL));
    assert_true(shape_is_taken((scr_shape_kind)k, 0, 0)); /* by a method that declares nothing */
  }
}

SUITE(test_scene_shapes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_volumes_are_those_of_moments_triangles_and_hexahedra),
      cmocka_unit_test(test_areas_and_distances_are_those_of_the_shell),
      cmocka_unit_test(test_extents_hold_the_shape_and_no_more),
      cmocka_unit_test(test_every_entry_is_whole),
  };
  return cmocka_run_group_tests_name("scene: shapes", tests, NULL, NULL);
}
