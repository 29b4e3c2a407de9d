/* A plain weave of yarns: over and under by turns, no two yarns overlap, spheres of a yarn touch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/fill/weave.h"
#include "tests/support/suites.h"

typedef struct cloth {
  geo_weave weave;
  size_t per_weft, per_warp, count;
  scr_vec3 *centres;
} cloth;

static cloth weave(double pitch)
{
  cloth c = {.weave = {.radius = 0.002, .pitch = pitch, .clearance = 0.02, .wefts = 5, .warps = 6}};
  geo_weave_counts(&c.weave, &c.per_weft, &c.per_warp);
  c.count = c.weave.wefts * c.per_weft + c.weave.warps * c.per_warp;
  c.centres = calloc(c.count, sizeof *c.centres);
  assert_non_null(c.centres);
  assert_int_equal(geo_weave_fill(&c.weave, c.centres, NULL), SCR_OK);
  return c;
}

/* Yarn of a sphere: wefts first. */
static size_t yarn_of(const cloth *c, size_t i)
{
  size_t in_wefts = c->weave.wefts * c->per_weft;
  return i < in_wefts ? i / c->per_weft : c->weave.wefts + (i - in_wefts) / c->per_warp;
}

/* Spheres of different yarns never overlap, from the closest pitch allowed to a loose one; neighbours on a yarn lie 2 r apart but for the
 * rounding to a whole number of spheres and the chord being shorter than the arc: 5 %. */
static void test_yarns_do_not_overlap_and_their_spheres_touch(void **state)
{
  (void)state;
  for (double pitch = 0.010; pitch < 0.0171; pitch += 0.003) {
    cloth c = weave(pitch);
    double between = INFINITY, low = INFINITY, high = 0;
    for (size_t i = 0; i < c.count; i++)
      for (size_t j = i + 1; j < c.count; j++) {
        double r = vec3_length(vec3_sub(c.centres[j], c.centres[i])) / (2 * c.weave.radius);
        if (yarn_of(&c, i) != yarn_of(&c, j)) {
          between = fmin(between, r);
        } else if (j == i + 1) {
          low = fmin(low, r);
          high = fmax(high, r);
        }
      }
    print_message("# pitch %g: yarns %.4f diameters apart, neighbours on a yarn %.4f to %.4f\n", pitch, between, low, high);
    assert_true(between >= 1);
    assert_true(low > 0.95 && high < 1.05);
    free(c.centres);
  }
}

/* Steps along a yarn are equal in arc length; their chords differ by curvature only, and the whole is as long as the sum of its pitches. */
static void test_spheres_follow_the_axis_at_equal_steps(void **state)
{
  (void)state;
  cloth c = weave(0.011);
  double a = 1.02 * c.weave.radius;
  for (size_t k = 0; k < c.per_weft; k++) { /* first weft: over the first warp, at x = -2.5 pitches */
    scr_vec3 p = c.centres[k];
    assert_true(fabs(p.z - a * cos(M_PI * (p.x / c.weave.pitch + 2.5))) < 1e-12 * a);
  }
  double length = 0;
  for (int k = 0; k < 100000; k++) length += hypot(1, a * M_PI / c.weave.pitch * sin(M_PI * (k + 0.5) / 100000)) / 100000 * c.weave.pitch;
  assert_true(fabs(geo_weave_pitch_length(&c.weave) / length - 1) < 1e-9);
  assert_true(fabs(c.centres[0].x + 3 * c.weave.pitch) < 1e-12 && fabs(c.centres[c.per_weft - 1].x - 3 * c.weave.pitch) < 1e-12);
  free(c.centres);
}

/* Seen from above, whichever yarn is on top changes from crossing to crossing like the squares of a chessboard. */
static void test_yarns_pass_over_and_under_by_turns(void **state)
{
  (void)state;
  cloth c = weave(0.011);
  for (size_t j = 0; j < c.weave.wefts; j++)
    for (size_t i = 0; i < c.weave.warps; i++) {
      double x = ((double)i - 2.5) * c.weave.pitch, nearest = INFINITY, height = 0;
      for (size_t k = j * c.per_weft; k < (j + 1) * c.per_weft; k++)
        if (fabs(c.centres[k].x - x) < nearest) nearest = fabs(c.centres[k].x - x), height = c.centres[k].z;
      assert_true((i + j) % 2 ? height < 0 : height > 0);
    }
  free(c.centres);
}

static void test_weaves_out_of_range_are_refused(void **state)
{
  (void)state;
  const geo_weave bad[] = {
      {0, 0.01, 0, 2, 2}, {0.002, 0.0099, 0, 2, 2}, {0.002, 0.01, -0.1, 2, 2}, {0.002, 0.01, 0, 1, 2}, {0.002, NAN, 0, 2, 2}};
  scr_error error = {0};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_int_equal(geo_weave_fill(&bad[k], NULL, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "at least 5 radii"));
}

SUITE(test_geometry_weave)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_yarns_do_not_overlap_and_their_spheres_touch),
      cmocka_unit_test(test_spheres_follow_the_axis_at_equal_steps),
      cmocka_unit_test(test_yarns_pass_over_and_under_by_turns),
      cmocka_unit_test(test_weaves_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
