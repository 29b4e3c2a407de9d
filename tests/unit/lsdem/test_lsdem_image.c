/* Templates of the labels of a voxel image: of a digital ball, whose form is known, and of a random grain put into voxels as a scan would
 * show it. References: the bodies that the labels were made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/image/image.h"
#include "geometry/level_set/redistance.h"
#include "geometry/mesh/mesh_distance.h"
#include "geometry/shapes/grain.h"
#include "methods/lsdem/grain/template.h"
#include "scene/mesh_source.h"
#include "tests/support/suites.h"

enum { EDGE = 44 };
static const double voxel = 2e-5, radius = 14; /* m; voxels */

/* An image of one label: what lies inside of a body of distances in voxels, about the image's middle. */
static geo_image scan(double (*distance)(const void *user, scr_vec3 point), const void *user)
{
  geo_image image = {.count = {EDGE, EDGE, EDGE},
                     .step = {{voxel, 0, 0}, {0, voxel, 0}, {0, 0, voxel}},
                     .label = mem_array(EDGE * EDGE * EDGE, sizeof(uint32_t))};
  assert_non_null(image.label);
  for (uint32_t k = 0; k < EDGE; k++)
    for (uint32_t j = 0; j < EDGE; j++)
      for (uint32_t i = 0; i < EDGE; i++)
        image.label[geo_image_index(&image, i, j, k)] =
            7 * (distance(user, vec3(i - 0.5 * EDGE + 0.3, j - 0.5 * EDGE + 0.1, k - 0.5 * EDGE - 0.2)) <= 0);
  return image;
}

/* The template of an image's only label, as a scene's shape `image` with keep_volume makes it: nodes and grid a voxel apart. */
typedef struct made_grain {
  scr_mesh_source source;
  lsdem_template grain;
  double voxels; /* m^3 */
} made_grain;

static made_grain *made(const geo_image *image)
{
  made_grain *m = calloc(1, sizeof *m);
  geo_image_label *labels;
  geo_mesh surface = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  size_t count, triangles = 0;
  double change;
  assert_non_null(m);
  assert_int_equal(geo_image_labels(image, &labels, &count, NULL), SCR_OK);
  assert_int_equal(count, 1);
  if (geo_image_surface(image, &labels[0], 1, true, &surface, &change, &error) != SCR_OK) fail_msg("%s", error.message);
  m->voxels = labels[0].volume;
  assert_int_equal(mesh_source_adopt(&surface, "", &triangles, &m->source.mesh, &problems), SCR_OK);
  const scr_shape shape = {.kind = SCR_SHAPE_MESH, .mesh = m->source};
  const lsdem_recipe recipe = {.shape = &shape,
                               .spacing = voxel,
                               .grid = voxel,
                               .unbiased = true,
                               .density = 2600,
                               .young = NAN,
                               .stiffness = NAN,
                               .modal_mass = NAN,
                               .table = "",
                               .table_factor = 1};
  if (lsdem_template_make(&m->grain, &recipe, execution_of(1), &error) != SCR_OK) fail_msg("%s", error.message);
  mem_free(labels);
  geo_mesh_clear(&surface);
  return m;
}

static void end(made_grain *m)
{
  lsdem_template_clear(&m->grain);
  mesh_source_release(&m->source);
  free(m);
}

/* What the specification asks of an image's template: the volume of the voxels to 0.5 %, and the level set's zero around it; nodes on that
 * zero to a twentieth of the grid on the mean square. At corners rounder than two voxels the correction of the interpolation's bias, h^2/12
 * times the Laplacian, moves the zero by up to a quarter. */
static void assert_sound(const made_grain *m)
{
  const lsdem_template *grain = &m->grain;
  double flux = 0, squares = 0, worst = 0;
  assert_true(fabs(grain->volume / m->voxels - 1) < 0.005);
  assert_true(fabs(level_set_volume(&grain->field) / grain->volume - 1) < 0.005);
  for (size_t k = 0; k < grain->node_count; k++) {
    double value = NAN;
    assert_true(level_set_at(&grain->field, grain->surface.vertex[k], &value));
    squares += value * value / (voxel * voxel), worst = fmax(worst, fabs(value) / voxel);
    flux += grain->area[k] * vec3_dot(grain->surface.vertex[k], grain->normal[k]);
  }
  print_message(
      "# volume %.5f of the voxels', level set's %.5f of that; nodes off its zero: %.3f voxels at most, %.4f on the mean square\n",
      grain->volume / m->voxels, level_set_volume(&grain->field) / grain->volume, worst, sqrt(squares / (double)grain->node_count));
  assert_true(worst < 0.25 && sqrt(squares / (double)grain->node_count) < 0.05);
  assert_true(fabs(flux / (3 * grain->volume) - 1) < 0.01);
}

static double from_ball(const void *user, scr_vec3 point)
{
  (void)user;
  return vec3_length(point) - radius;
}

/* A ball of 14 voxels' radius: nodes are within 0.35 voxels of the sphere (the Gaussian leaves a third of the steps of a voxel) and 0.1 on
 * the mean square, its moments of inertia are 2/5 m R^2 to 1 %. */
static void test_the_template_of_a_digital_ball_is_the_ball(void **state)
{
  (void)state;
  geo_image image = scan(from_ball, NULL);
  made_grain *m = made(&image);
  double squares = 0, r = radius * voxel;
  assert_sound(m);
  for (size_t k = 0; k < m->grain.node_count; k++) {
    double off = vec3_length(m->grain.surface.vertex[k]) - r;
    assert_true(fabs(off) < 0.35 * voxel);
    squares += off * off / (voxel * voxel);
  }
  assert_true(sqrt(squares / (double)m->grain.node_count) < 0.1);
  const double inertia[3] = {m->grain.inertia.x, m->grain.inertia.y, m->grain.inertia.z};
  for (int a = 0; a < 3; a++) assert_true(fabs(inertia[a] / (0.4 * m->grain.mass * r * r) - 1) < 0.01);
  assert_true(vec3_length(vec3_sub(m->grain.centroid, vec3((0.5 * EDGE - 0.3) * voxel, (0.5 * EDGE - 0.1) * voxel,
                                                           (0.5 * EDGE + 0.2) * voxel))) < 0.02 * voxel);
  end(m);
  geo_image_clear(&image);
}

static double from_grain(const void *user, scr_vec3 point)
{
  return geo_mesh_nearest(user, point).distance;
}

/* A random grain as a scan shows it: nodes are within 0.2 voxels of its true surface on the mean square and one at most, where smoothing
 * rounds its corners off. A field that is no distance any more, but has that zero, is one again after redistancing, which leaves the cells
 * at the surface as they are: the volume changes by less than 0.5 %, and values within a spacing of the surface by less than a fifth of
 * one. */
static void test_the_template_of_a_scanned_grain_is_the_grain(void **state)
{
  (void)state;
  const shape_grain asked = {.radius = radius, .elongation = 0.8, .flatness = 0.75, .roundness = 0.85, .seed = 4};
  geo_mesh body = {0};
  geo_mesh_tree *tree = NULL;
  scr_error error = {0};
  if (shape_make_grain(&asked, 24, &body, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(geo_mesh_tree_create(&body, &tree, NULL), SCR_OK);
  geo_image image = scan(from_grain, tree);
  made_grain *m = made(&image);
  const lsdem_template *grain = &m->grain;
  double squares = 0, farthest = 0, worst = 0;
  assert_sound(m);
  for (size_t k = 0; k < grain->node_count; k++) {
    scr_vec3 at = vec3_scale(vec3_add(grain->centroid, quat_rotate(grain->axes, grain->surface.vertex[k])), 1 / voxel);
    double off = from_grain(tree, vec3_sub(at, vec3(0.5 * EDGE - 0.3, 0.5 * EDGE - 0.1, 0.5 * EDGE + 0.2)));
    farthest = fmax(farthest, fabs(off));
    squares += off * off;
  }
  print_message("# nodes off the grain's surface: %.3f voxels at most, %.3f on the mean square\n", farthest,
                sqrt(squares / (double)grain->node_count));
  assert_true(farthest < 1 && sqrt(squares / (double)grain->node_count) < 0.2);
  level_set bent = grain->field;
  size_t points = (size_t)bent.count[0] * bent.count[1] * bent.count[2];
  bent.value = mem_array(points, sizeof *bent.value);
  assert_non_null(bent.value);
  for (size_t p = 0; p < points; p++) bent.value[p] = grain->field.value[p] * (float)(1.3 + 0.2 * sin(0.001 * (double)p));
  assert_int_equal(level_set_redistance(&bent, NULL), SCR_OK);
  assert_true(fabs(level_set_volume(&bent) / level_set_volume(&grain->field) - 1) < 0.005);
  for (size_t p = 0; p < points; p++)
    if (fabs((double)grain->field.value[p]) < voxel)
      worst = fmax(worst, fabs((double)bent.value[p] - (double)grain->field.value[p]) / voxel);
  print_message("# distances after redistancing: off by %.3f spacings at most\n", worst);
  assert_true(worst < 0.2);
  mem_free(bent.value);
  end(m);
  geo_image_clear(&image);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&body);
}

SUITE(test_lsdem_image)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_template_of_a_digital_ball_is_the_ball),
                                     cmocka_unit_test(test_the_template_of_a_scanned_grain_is_the_grain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
