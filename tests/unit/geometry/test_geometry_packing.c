/* Packings of equal spheres and the pairs that are near. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "tests/support/suites.h"

static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Every pair, sorted by first and then second centre, against the search over all pairs: dense and sparse clouds, flat ones, one on a
 * line, points that coincide, and points exactly at the reach, which don't count. */
static void test_the_pairs_are_those_of_a_search_over_all(void **state)
{
  (void)state;
  enum { most = 300 };
  static const scr_vec3 extents[] = {{1, 1, 1}, {20, 1, 3}, {5, 5, 0}, {0, 0, 40}, {1000, 1000, 1000}, {0, 0, 0}};
  uint64_t seed = 5;
  for (size_t cloud = 0; cloud < 6 * 8; cloud++) {
    scr_vec3 centres[most], extent = extents[cloud % 6];
    size_t n = cloud < 6 ? cloud : (size_t)(draw(&seed) * most), found = 0, count;
    for (size_t k = 0; k < n; k++) {
      centres[k] = vec3(extent.x * (draw(&seed) - 0.5), extent.y * (draw(&seed) - 0.5), extent.z * (draw(&seed) - 0.5));
      if (cloud % 2) centres[k] = vec3(round(centres[k].x), round(centres[k].y), round(centres[k].z));
    }
    uint32_t(*pairs)[2];
    assert_int_equal(geo_packing_pairs(centres, n, 1.0, &pairs, &count, NULL), SCR_OK);
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = i + 1; j < n; j++)
        if (vec3_length(vec3_sub(centres[i], centres[j])) < 1.0) {
          if (found >= count || pairs[found][0] != i || pairs[found][1] != j) fail_msg("cloud %zu lacks pair %u %u", cloud, i, j);
          found++;
        }
    assert_int_equal(found, count);
    mem_free(pairs);
  }
}

/* 12 and 8 neighbours at 2 r, seen from the spheres that have all of them; the volume per sphere of either lattice. */
static void test_close_packed_spheres_have_twelve_neighbours_and_body_centred_ones_eight(void **state)
{
  (void)state;
  for (int p = 0; p < 2; p++) {
    geo_packing packing = p ? GEO_PACKING_BODY_CENTRED : GEO_PACKING_HEXAGONAL_CLOSE;
    const size_t counts[3] = {5, 6, 7};
    scr_vec3 centres[5 * 6 * 7];
    unsigned neighbours[5 * 6 * 7] = {0}, most = 0;
    size_t count;
    uint32_t(*pairs)[2];
    geo_packing_block(packing, 0.5, counts, centres);
    assert_int_equal(geo_packing_pairs(centres, 5 * 6 * 7, 1.01, &pairs, &count, NULL), SCR_OK);
    for (size_t k = 0; k < count; k++) {
      assert_true(fabs(vec3_length(vec3_sub(centres[pairs[k][0]], centres[pairs[k][1]])) - 1.0) < 1e-12);
      neighbours[pairs[k][0]]++;
      neighbours[pairs[k][1]]++;
    }
    for (size_t k = 0; k < 5 * 6 * 7; k++) most = neighbours[k] > most ? neighbours[k] : most;
    assert_int_equal(most, p ? 8 : 12);
    assert_int_equal(neighbours[(3 * 6 + 3) * 5 + 2], most);
    mem_free(pairs);
  }
}

static void test_what_has_no_pairs_to_look_for_is_refused(void **state)
{
  (void)state;
  scr_vec3 centres[2] = {{0, 0, 0}, {1, 0, 0}};
  uint32_t(*pairs)[2];
  size_t count;
  assert_int_equal(geo_packing_pairs(centres, 2, 0.0, &pairs, &count, NULL), SCR_BAD_USAGE);
  assert_int_equal(geo_packing_pairs(centres, 2, (double)NAN, &pairs, &count, NULL), SCR_BAD_USAGE);
  static const double bad[] = {(double)NAN, (double)INFINITY, 1e300, -1e300};
  for (size_t i = 0; i < 4; i++) {
    centres[1].y = bad[i];
    assert_int_equal(geo_packing_pairs(centres, 2, 1.0, &pairs, &count, NULL), SCR_BAD_USAGE);
    assert_null(pairs);
  }
  centres[1].y = 9e14;
  assert_int_equal(geo_packing_pairs(centres, 2, 1.0, &pairs, &count, NULL), SCR_OK);
  assert_int_equal(count, 0);
  mem_free(pairs);
}

SUITE(test_geometry_packing)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_pairs_are_those_of_a_search_over_all),
      cmocka_unit_test(test_close_packed_spheres_have_twelve_neighbours_and_body_centred_ones_eight),
      cmocka_unit_test(test_what_has_no_pairs_to_look_for_is_refused),
  };
  return cmocka_run_group_tests_name("geometry_packing", tests, NULL, NULL);
}
