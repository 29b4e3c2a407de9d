/* Level sets of meshes against exact distances. Reference: the specification of method lsdem, section 6.17. */
#include <math.h>
#include <stdlib.h>

#include "geometry/level_set/level_set.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_distance.h"
#include "geometry/mesh/mesh_shapes.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

#define SPEC "specification, section 6.17"

static double nearest(const void *user, scr_vec3 point)
{
  return geo_mesh_nearest(user, point).distance;
}

typedef double (*exact_distance)(scr_vec3 point);

/* Distance of a mesh on a grid, as far as a template makes it. Empties the mesh. */
static level_set field_of(geo_mesh *mesh, double spacing)
{
  geo_mesh_tree *tree = NULL;
  level_set field = {0};
  scr_error error = {0};
  if (geo_mesh_tree_create(mesh, &tree, &error) != SCR_OK) fail_msg("%s", error.message);
  geo_box box = geo_mesh_tree_box(tree);
  if (level_set_create(&field, &box, spacing, 3 * spacing, &error) != SCR_OK) fail_msg("%s", error.message);
  level_set_sample(&field, nearest, tree, execution_of(2));
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(mesh);
  return field;
}

typedef struct field_error {
  double value; /* largest error at grid points, over the spacing */
  double slope; /* largest | |grad phi| - 1 | in the middles of cells, where none of their corners is `kink` */
  double wrong; /* grid points on the wrong side */
  double count; /* of them looked at */
} field_error;

/* What a field is off by where |phi| < 2 h. @param near a kink: whether cells there are left out of the slope */
static field_error error_of(const level_set *field, exact_distance exact, bool (*near_kink)(scr_vec3 point, double h))
{
  field_error e = {0};
  double h = field->spacing;
  for (uint32_t i = 0; i + 1 < field->count[0]; i++)
    for (uint32_t j = 0; j + 1 < field->count[1]; j++)
      for (uint32_t k = 0; k + 1 < field->count[2]; k++) {
        scr_vec3 p = level_set_point(field, i, j, k), middle = vec3_add(p, vec3(0.5 * h, 0.5 * h, 0.5 * h)), slope;
        double true_value = exact(p), value = level_set_value(field, i, j, k), blended;
        if (fabs(true_value) < 2 * h) {
          e.value = fmax(e.value, fabs(value - true_value) / h);
          e.wrong += fabs(true_value) > 0.05 * h && (value < 0) != (true_value < 0);
          e.count++;
        }
        if (!(fabs(exact(middle)) < 2 * h) || near_kink(middle, h)) continue;
        if (level_set_gradient_at(field, middle, &blended, &slope)) e.slope = fmax(e.slope, fabs(vec3_length(slope) - 1));
      }
  return e;
}

static double to_ball(scr_vec3 p)
{
  return vec3_length(p) - 1;
}

static bool nowhere(scr_vec3 p, double h)
{
  (void)p, (void)h;
  return false;
}

static const scr_vec3 half = {1, 0.7, 0.55};

static double to_box(scr_vec3 p)
{
  scr_vec3 q = vec3(fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z);
  scr_vec3 out = vec3(fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0));
  return vec3_length(out) + fmin(0, fmax(q.x, fmax(q.y, q.z)));
}

/* Inside, the nearest face changes where two are as near; outside, distances from edges and corners are curved. */
static bool by_an_edge(scr_vec3 p, double h)
{
  double q[3] = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
  for (int a = 0; a < 3; a++)
    for (int b = a + 1; b < 3; b++)
      if (fabs(q[a] - q[b]) < 1.5 * h || (q[a] > -1.5 * h && q[b] > -1.5 * h)) return true;
  return false;
}

static double to_torus(scr_vec3 p)
{
  return hypot(hypot(p.x, p.y) - 1, p.z) - 0.35;
}

/* A torus about z: rings 1 and 0.35, cut into n by m. Its middle is no point of it: rays from there say nothing of inside and outside. */
static void make_torus(geo_mesh *mesh, uint32_t n, uint32_t m)
{
  scr_error error = {0};
  bool made = true;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < m; j++) {
      double a = 2 * M_PI * i / n, b = 2 * M_PI * j / m, r = 1 + 0.35 * cos(b);
      made = made && geo_mesh_add_vertex(mesh, vec3(r * cos(a), r * sin(a), 0.35 * sin(b)), &error) == SCR_OK;
    }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < m; j++) {
      uint32_t a = i * m + j, b = (i + 1) % n * m + j, c = (i + 1) % n * m + (j + 1) % m, d = i * m + (j + 1) % m;
      made = made && geo_mesh_add_triangle(mesh, a, b, c, 0, &error) == SCR_OK && geo_mesh_add_triangle(mesh, a, c, d, 0, &error) == SCR_OK;
    }
  if (!made) fail_msg("%s", error.message);
}

/* Check 17. The ball's mesh has edges of R/20, whose middles lie 3e-4 R below the sphere: 0.006 h. The trilinear function's slope is off by
 * the curvature across a cell. */
static void test_distances_from_meshes_are_right(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  assert_int_equal(shell_make_ball(&mesh, 1, 0.05, NULL), SCR_OK);
  level_set field = field_of(&mesh, 0.05);
  field_error e = error_of(&field, to_ball, nowhere);
  claim_shown("grid points within 2 h of the ball", e.count);
  claim_between("largest error of a meshed ball's distance within 2 h of it, h = R/20, over h", e.value, 0, 0.05, SPEC);
  claim_between("largest | |grad phi| - 1 | there", e.slope, 0, 0.02, SPEC);
  claim_absolute("grid points on the wrong side of it", e.wrong, 0, 0, SPEC);
  level_set_clear(&field);
  assert_int_equal(geo_mesh_add_box(&mesh, half, NULL), SCR_OK);
  field = field_of(&mesh, 0.05);
  e = error_of(&field, to_box, by_an_edge);
  claim_between("largest error of a meshed box's distance within 2 h of it, over h", e.value, 0, 1e-5, "single precision; " SPEC ": 0.05");
  claim_between("largest | |grad phi| - 1 | there, off edges", e.slope, 0, 1e-5, SPEC ": 0.02");
  claim_absolute("grid points on the wrong side of it", e.wrong, 0, 0, SPEC);
  level_set_clear(&field);
}

static void test_the_inside_of_a_ring_is_told(void **state)
{
  (void)state;
  geo_mesh mesh = {0};
  make_torus(&mesh, 96, 48);
  level_set field = field_of(&mesh, 0.05);
  field_error e = error_of(&field, to_torus, nowhere);
  double wrong = 0;
  for (uint32_t i = 0; i < field.count[0]; i++)
    for (uint32_t j = 0; j < field.count[1]; j++)
      for (uint32_t k = 0; k < field.count[2]; k++) {
        double exact = to_torus(level_set_point(&field, i, j, k));
        wrong += fabs(exact) > 0.1 * field.spacing && (exact < 0) != (level_set_value(&field, i, j, k) < 0);
      }
  claim_absolute("grid points of a torus on the wrong side, of all", wrong, 0, 0, SPEC);
  claim_between("largest error of its distance within 2 h of it, over h", e.value, 0, 0.05, "facets lie up to 0.02 h below; " SPEC);
  assert_true(level_set_at(&field, vec3(0, 0, 0), &wrong));
  claim_relative("distance of its middle, where no surface is around, m", wrong, 0.65, 5e-3, "1 - 0.35");
  level_set_clear(&field);
}

SUITE(validate_level_set_mesh)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distances_from_meshes_are_right),
      cmocka_unit_test(test_the_inside_of_a_ring_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
