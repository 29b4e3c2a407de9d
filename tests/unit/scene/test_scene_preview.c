/* Previews of files: what they are taken for, that thinning keeps a body's form, and that what can't be drawn is told instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "geometry/mesh/files/mesh_write.h"
#include "geometry/mesh/mesh_shapes.h"
#include "geometry/mesh/mesh_thin.h"
#include "scree.h"
#include "tests/support/suites.h"

/* A ball of 8 64^2 triangles thinned to 1000: its corners stay within half a cube, 2/(2 sqrt(1000) + 8) times the growth, of the ball; no
 * fewer than a fifth stay, as cubes grow by a fifth at a time, which takes about 1.44 of the triangles; all corners are named. */
static void test_thinning_keeps_the_form(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  assert_int_equal(geo_mesh_make_ball(&mesh, 1, 64, NULL), SCR_OK);
  assert_int_equal(geo_mesh_thin(&mesh, 1000, NULL), SCR_OK);
  assert_true(mesh.triangle_count <= 1000 && mesh.triangle_count > 200);
  for (size_t v = 0; v < mesh.vertex_count; v++) assert_true(fabs(vec3_length(mesh.vertex[v]) - 1) < 0.05);
  for (size_t t = 0; t < mesh.triangle_count; t++) {
    const uint32_t *c = mesh.triangle[t];
    assert_true(c[0] < mesh.vertex_count && c[1] < mesh.vertex_count && c[2] < mesh.vertex_count && c[0] != c[1] && c[1] != c[2] &&
                c[2] != c[0]);
  }
  size_t before = mesh.triangle_count;
  assert_int_equal(geo_mesh_thin(&mesh, 1000, NULL), SCR_OK);
  assert_int_equal(mesh.triangle_count, before);
  geo_mesh_clear(&mesh);
}

static void test_a_mesh_is_shown_with_its_volume(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  text_builder text = {0};
  scr_preview preview;
  assert_int_equal(geo_mesh_add_box(&mesh, vec3(1, 2, 3), NULL), SCR_OK);
  geo_mesh_write_stl(&mesh, 0, 12, "box", &text);
  assert_int_equal(scr_asset_preview(text.data, text.length, 100, &preview, NULL), SCR_OK);
  assert_string_equal(preview.kind, "mesh");
  assert_true(fabs(preview.volume - 48) < 1e-12 && preview.triangle_count == 12 && preview.vertex_count == 8);
  assert_true(preview.low[1] == -2 && preview.high[2] == 3 && preview.problems.count == 0);
  scr_preview_clear(&preview);
  assert_null(preview.vertices);
  text_clear(&text);
  geo_mesh_write_stl(&mesh, 1, 11, "open box", &text);
  assert_int_equal(scr_asset_preview(text.data, text.length, 100, &preview, NULL), SCR_OK);
  assert_true(isnan(preview.volume) && preview.problems.count > 0 && preview.triangle_count == 11);
  scr_preview_clear(&preview);
  text_clear(&text);
  geo_mesh_clear(&mesh);
}

static void test_what_is_nothing_is_refused(void **state)
{
  (void)state;
  scr_preview preview;
  scr_error error = {0};
  static const char *const files[] = {"", "hello world", "NRRD0004\n\n", "ply\nformat ascii 1.0\nend_header\n", "1 2 3\n"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    assert_int_equal(scr_asset_preview(files[k], strlen(files[k]), 100, &preview, &error), SCR_BAD_FILE);
    assert_null(preview.vertices);
    assert_true(error.message[0] != 0);
  }
}

SUITE(test_scene_preview)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thinning_keeps_the_form),
      cmocka_unit_test(test_a_mesh_is_shown_with_its_volume),
      cmocka_unit_test(test_what_is_nothing_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
