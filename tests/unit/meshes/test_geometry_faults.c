/* Memory that runs out at every possible place while meshes are read, checked, searched, made and written: an error each time, nothing
 * lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/mesh/mesh_crossing.h"
#include "geometry/mesh/files/mesh_read.h"
#include "geometry/mesh/files/mesh_write.h"
#include "geometry/surface.h"
#include "tests/unit/meshes/test_geometry_meshes.h"
#include "tests/support/failing_memory.h"
#include "tests/support/suites.h"

/* What one try comes to: SCR_OK, SCR_NO_MEMORY, or something that must not happen. */
typedef scr_status (*attempt)(const char *text, size_t length);

static scr_status read_and_search(const char *text, size_t length)
{
  geo_mesh mesh = {0};
  geo_mesh_tree *tree = NULL;
  scr_status status = geo_mesh_read(text, length, 1000, &mesh, NULL);
  if (status == SCR_OK) status = geo_mesh_tree_create(&mesh, &tree, NULL);
  geo_mesh_crossings found;
  if (status == SCR_OK) status = geo_mesh_find_crossings(&mesh, tree, &found, NULL);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
  return status;
}

static scr_status make_and_write(const char *text, size_t length)
{
  (void)text;
  (void)length;
  const scr_vec3 centre[3] = {{0, 0, 0}, {2, 0, 0}, {9, 0, 0}};
  const double radius[3] = {1, 1, 1};
  geo_surface_options options = {.cell = 0.5};
  geo_mesh mesh = {0};
  text_builder file = {0};
  scr_status status = geo_surface_of_balls(centre, radius, 3, &options, 0, &mesh, NULL);
  if (status == SCR_OK) {
    geo_mesh_write_ply(&mesh, "x", &file);
    geo_mesh_write_stl(&mesh, 0, mesh.triangle_count, "x", &file);
    char *bytes = text_take(&file);
    if (!bytes) status = SCR_NO_MEMORY;
    free(bytes);
  }
  geo_mesh_clear(&mesh);
  return status;
}

static void assert_survives(attempt try_once, const char *text, size_t length)
{
  size_t allowed = 0;
  for (scr_status status = SCR_NO_MEMORY; status != SCR_OK; allowed++) {
    failing_memory_begin(allowed);
    status = try_once(text, length);
    long live = failing_memory_end();
    assert_true(status == SCR_OK || status == SCR_NO_MEMORY);
    assert_true(live <= 0); /* what the C library keeps for itself may be freed, nothing of ours stays */
    assert_true(allowed < 1000);
  }
  assert_true(allowed > 5);
}

static void test_running_out_of_memory_is_an_error_everywhere(void **state)
{
  (void)state;
  if (!failing_memory_works()) skip();
  geo_mesh mesh = {0};
  text_builder stl = {0}, ply = {0};
  add_ball(&mesh, vec3(0, 0, 0), 1, 2, 0);
  geo_mesh_write_stl(&mesh, 0, mesh.triangle_count, "x", &stl);
  geo_mesh_write_ply(&mesh, "x", &ply);
  assert_survives(read_and_search, stl.data, stl.length);
  assert_survives(read_and_search, ply.data, ply.length);
  assert_survives(make_and_write, NULL, 0);
  text_clear(&stl);
  text_clear(&ply);
  geo_mesh_clear(&mesh);
}

SUITE(test_geometry_faults)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_running_out_of_memory_is_an_error_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
