/* Signed distances to planes, boxes, spheres and cylinders in arbitrary poses. Points and poses are drawn from fixed seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/solid.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0; /* -1 ... 1 */
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

static geo_placed_solid random_solid(uint64_t *seed, geo_placed_kind kind)
{
  geo_placed_solid solid = {.kind = kind, .position = random_vector(seed, 2.0), .rotation = quat_exp(random_vector(seed, 3.0))};
  solid.radius = 0.8 + 0.5 * uniform(seed);
  solid.half_height = 0.8 + 0.5 * uniform(seed);
  solid.half_size = vec3(0.8 + 0.5 * uniform(seed), 0.8 + 0.5 * uniform(seed), 0.8 + 0.5 * uniform(seed));
  return solid;
}

/* Whether a point in own axes belongs to the solid, straight from the definition. */
static int contains(const geo_placed_solid *s, scr_vec3 p)
{
  switch (s->kind) {
  case GEO_PLACED_PLANE: return p.z <= 0;
  case GEO_PLACED_BOX: return fabs(p.x) <= s->half_size.x && fabs(p.y) <= s->half_size.y && fabs(p.z) <= s->half_size.z;
  case GEO_PLACED_SPHERE: return vec3_dot(p, p) <= s->radius * s->radius;
  case GEO_PLACED_MESH: break;
  case GEO_PLACED_CYLINDER: return p.x * p.x + p.y * p.y <= s->radius * s->radius && fabs(p.z) <= s->half_height;
  }
  return 0;
}

/* The sign is the membership; the surface point has distance 0; no ball smaller than the distance reaches the surface: every point of the
 * ball around `point` of 0.999 times the distance is on the same side. That makes the distance exact, not only a bound. */
static void test_the_distance_is_signed_and_exact(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int round = 0; round < 4000; round++) {
    geo_placed_solid s = random_solid(&seed, (geo_placed_kind)(round % 4));
    scr_vec3 own = random_vector(&seed, 2.0), point = vec3_add(s.position, quat_rotate(s.rotation, own));
    geo_nearest n = geo_placed_nearest(&s, point);
    assert_true((n.distance <= 0) == contains(&s, own));
    assert_true(fabs(geo_placed_distance(&s, n.point)) < 1e-14);
    assert_true(fabs(vec3_length(vec3_sub(point, n.point)) - fabs(n.distance)) < 1e-14);
    for (int k = 0; k < 20; k++) {
      scr_vec3 step = random_vector(&seed, 1.0);
      step = vec3_scale(step, 0.999 * fabs(n.distance) / fmax(vec3_length(step), 1e-3));
      assert_true(contains(&s, vec3_add(own, step)) == (n.distance <= 0));
    }
  }
}

/* Central differences with a step of 1e-6. Points closer to a kink than the step are recognised by a second difference above 1e-11 (smooth
 * parts stay below that where the radius of curvature exceeds 0.1 m); a kink that passes can spoil the slope by 1e-11 / 2e-6 = 5e-6. */
static void test_the_gradient_is_unit_and_matches_differences(void **state)
{
  (void)state;
  uint64_t seed = 12;
  int compared = 0;
  for (int round = 0; round < 4000; round++) {
    geo_placed_solid s = random_solid(&seed, (geo_placed_kind)(round % 4));
    scr_vec3 p = vec3_add(s.position, random_vector(&seed, 2.0));
    geo_nearest n = geo_placed_nearest(&s, p);
    assert_true(fabs(vec3_length(n.gradient) - 1.0) < 1e-14);
    const scr_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double step = 1e-6, got[3] = {n.gradient.x, n.gradient.y, n.gradient.z};
    for (int a = 0; a < 3; a++) {
      double ahead = geo_placed_distance(&s, vec3_add(p, vec3_scale(axes[a], step)));
      double behind = geo_placed_distance(&s, vec3_sub(p, vec3_scale(axes[a], step)));
      if (fabs(ahead + behind - 2 * n.distance) > 1e-11) continue;
      assert_true(fabs((ahead - behind) / (2 * step) - got[a]) < 1e-5);
      compared++;
    }
  }
  assert_true(compared > 11000);
}

/* geo_placed_distance is a shortcut and promises the same bits. */
static void test_the_short_cut_gives_the_same_bits(void **state)
{
  (void)state;
  uint64_t seed = 13;
  for (int round = 0; round < 2000; round++) {
    geo_placed_solid s = random_solid(&seed, (geo_placed_kind)(round % 4));
    scr_vec3 p = random_vector(&seed, 3.0);
    double a = geo_placed_nearest(&s, p).distance, b = geo_placed_distance(&s, p);
    assert_memory_equal(&a, &b, sizeof a);
  }
}

static void assert_vector(scr_vec3 got, double x, double y, double z)
{
  assert_true(fabs(got.x - x) < 1e-15 && fabs(got.y - y) < 1e-15 && fabs(got.z - z) < 1e-15);
}

/* The rules of solid.h for points with several nearest ones, and for points on edges and corners. */
static void test_the_medial_axis_answers_by_its_rules(void **state)
{
  (void)state;
  geo_placed_solid box = {.kind = GEO_PLACED_BOX, .rotation = quat_identity(), .half_size = {1, 1, 1}};
  geo_placed_solid ball = {.kind = GEO_PLACED_SPHERE, .rotation = quat_identity(), .radius = 2};
  geo_placed_solid can = {.kind = GEO_PLACED_CYLINDER, .rotation = quat_identity(), .radius = 1, .half_height = 1};
  geo_nearest n = geo_placed_nearest(&box, vec3(0, 0, 0));
  assert_true(n.distance == -1.0);
  assert_vector(n.gradient, 1, 0, 0);
  assert_vector(n.point, 1, 0, 0);
  assert_vector(geo_placed_nearest(&box, vec3(0, -0.5, 0.5)).gradient, 0, -1, 0);
  n = geo_placed_nearest(&box, vec3(-1, 1, 1));
  assert_true(n.distance == 0.0);
  assert_vector(n.gradient, -1, 0, 0);
  n = geo_placed_nearest(&box, vec3(2, 2, 0.5));
  assert_true(fabs(n.distance - sqrt(2.0)) < 1e-15);
  assert_vector(n.gradient, sqrt(0.5), sqrt(0.5), 0);
  n = geo_placed_nearest(&ball, vec3(0, 0, 0));
  assert_true(n.distance == -2.0);
  assert_vector(n.gradient, 1, 0, 0);
  n = geo_placed_nearest(&can, vec3(0, 0, 0));
  assert_true(n.distance == -1.0);
  assert_vector(n.gradient, 1, 0, 0);
  assert_vector(geo_placed_nearest(&can, vec3(0, 0, 3)).gradient, 0, 0, 1);
  n = geo_placed_nearest(&can, vec3(0, -4, -5));
  assert_true(fabs(n.distance - 5.0) < 1e-15);
  assert_vector(n.gradient, 0, -0.6, -0.8);
}

/* Just off a corner or a centre the squares of the offsets underflow; the direction must not. */
static void test_points_within_rounding_of_an_edge_have_a_unit_gradient(void **state)
{
  (void)state;
  geo_placed_solid box = {.kind = GEO_PLACED_BOX, .rotation = quat_identity(), .half_size = {1e-200, 1e-200, 1e-200}};
  geo_placed_solid ball = {.kind = GEO_PLACED_SPHERE, .rotation = quat_identity(), .radius = 1};
  geo_nearest n = geo_placed_nearest(&box, vec3(4e-200, 5e-200, 0));
  assert_vector(n.gradient, 0.6, 0.8, 0);
  assert_true(fabs(n.distance / 5e-200 - 1) < 1e-15);
  assert_vector(geo_placed_nearest(&ball, vec3(0, -5e-324, 0)).gradient, 0, -1, 0);
}

static void test_the_rotation_to_an_axis_turns_z_there(void **state)
{
  (void)state;
  uint64_t seed = 14;
  for (int round = 0; round < 1000; round++) {
    scr_vec3 axis = random_vector(&seed, 3.0);
    if (round < 8) axis = vec3(round & 1 ? 1e-9 : 0, round & 2 ? -1e-9 : 0, round & 4 ? 1 : -1);
    scr_quat q = geo_rotation_to_axis(axis);
    scr_vec3 to = quat_rotate(q, vec3(0, 0, 1));
    assert_true(fabs(quat_length(q) - 1) < 1e-15);
    assert_true(vec3_length(vec3_sub(to, vec3_scale(axis, 1 / vec3_length(axis)))) < 1e-14);
  }
}

static void test_unsound_solids_are_named(void **state)
{
  (void)state;
  const struct {
    geo_placed_solid solid;
    const char *names;
  } cases[] = {
      {{.kind = GEO_PLACED_SPHERE, .rotation = {0, 0, 0, 1}, .radius = 0}, "radius of a solid is 0"},
      {{.kind = GEO_PLACED_SPHERE, .rotation = {0, 0, 0, 1}, .radius = NAN}, "radius"},
      {{.kind = GEO_PLACED_CYLINDER, .rotation = {0, 0, 0, 1}, .radius = 1, .half_height = -1}, "half height"},
      {{.kind = GEO_PLACED_BOX, .rotation = {0, 0, 0, 1}, .half_size = {1, INFINITY, 1}}, "half size along y"},
      {{.kind = GEO_PLACED_PLANE}, "length 0"},
      {{.kind = GEO_PLACED_PLANE, .rotation = {0, 0, 0, 1}, .position = {0, NAN, 0}}, "position"},
      {{.kind = (geo_placed_kind)9, .rotation = {0, 0, 0, 1}}, "no kind"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    scr_error error = {0};
    assert_int_equal(geo_placed_check(&cases[k].solid, &error), SCR_BAD_USAGE);
    assert_non_null(strstr(error.message, cases[k].names));
  }
  geo_placed_solid plane = {.kind = GEO_PLACED_PLANE, .rotation = quat_identity()};
  assert_int_equal(geo_placed_check(&plane, NULL), SCR_OK);
}

SUITE(test_geometry_solid)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_distance_is_signed_and_exact),
      cmocka_unit_test(test_the_gradient_is_unit_and_matches_differences),
      cmocka_unit_test(test_the_short_cut_gives_the_same_bits),
      cmocka_unit_test(test_the_medial_axis_answers_by_its_rules),
      cmocka_unit_test(test_points_within_rounding_of_an_edge_have_a_unit_gradient),
      cmocka_unit_test(test_the_rotation_to_an_axis_turns_z_there),
      cmocka_unit_test(test_unsound_solids_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
