/* Random close packings: as dense as jamming says, without overlap, periodic, and the same for the same seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/fill/random_packing.h"
#include "tests/support/suites.h"

enum { COUNT = 500 };

static double periodic_distance(scr_vec3 a, scr_vec3 b, double edge)
{
  scr_vec3 d = vec3_sub(b, a);
  d = vec3(d.x - edge * floor(d.x / edge + 0.5), d.y - edge * floor(d.y / edge + 0.5), d.z - edge * floor(d.z / edge + 0.5));
  return vec3_length(d);
}

/* Frictionless spheres jam at a volume fraction of 0.639 in the limit of many (O'Hern et al. 2003); five hundred of them, grown until a
 * step of 2e-3 no longer finds room, lie within 0.02 of it; a crystal would fill 0.74, a loose packing 0.55. */
static void test_spheres_jam_at_random_close_packing_without_overlap(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    scr_vec3 *centres = calloc(COUNT, sizeof *centres);
    double edge, least = INFINITY;
    scr_error error = {0};
    assert_non_null(centres);
    assert_int_equal(geo_random_packing(COUNT, seed, &edge, centres, &error), SCR_OK);
    size_t neighbours = 0;
    for (size_t i = 0; i < COUNT; i++) {
      assert_true(centres[i].x >= 0 && centres[i].x <= edge && centres[i].y >= 0 && centres[i].y <= edge && centres[i].z >= 0 &&
                  centres[i].z <= edge);
      for (size_t j = i + 1; j < COUNT; j++) {
        double r = periodic_distance(centres[i], centres[j], edge);
        least = fmin(least, r);
        if (r < 1.1) neighbours += 2;
      }
    }
    double fraction = COUNT * M_PI / 6 / (edge * edge * edge);
    print_message("# seed %d: volume fraction %.4f, %.2f neighbours within 1.1 diameters\n", (int)seed, fraction,
                  (double)neighbours / COUNT);
    assert_true(least >= 1 - 1e-12);
    assert_true(fabs(fraction - 0.639) < 0.02);
    /* A jammed packing has about 6 contacts per sphere; a crystal would have 12 neighbours at once. */
    assert_true(neighbours > 6 * COUNT && neighbours < 10 * COUNT);
    free(centres);
  }
}

static void test_the_same_seed_gives_the_same_bits_and_another_seed_others(void **state)
{
  (void)state;
  scr_vec3 a[100], b[100], c[100];
  double ea, eb, ec;
  assert_int_equal(geo_random_packing(100, 7, &ea, a, NULL), SCR_OK);
  assert_int_equal(geo_random_packing(100, 7, &eb, b, NULL), SCR_OK);
  assert_int_equal(geo_random_packing(100, 8, &ec, c, NULL), SCR_OK);
  assert_memory_equal(a, b, sizeof a);
  assert_true(ea == eb && ea != ec);
}

static void test_too_few_and_too_many_spheres_are_refused(void **state)
{
  (void)state;
  scr_error error = {0};
  double edge;
  assert_int_equal(geo_random_packing(GEO_RANDOM_PACKING_LEAST - 1, 1, &edge, NULL, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "from 64 to 100000"));
  assert_int_equal(geo_random_packing(GEO_RANDOM_PACKING_MOST + 1, 1, &edge, NULL, &error), SCR_BAD_USAGE);
}

SUITE(test_geometry_random_packing)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spheres_jam_at_random_close_packing_without_overlap),
      cmocka_unit_test(test_the_same_seed_gives_the_same_bits_and_another_seed_others),
      cmocka_unit_test(test_too_few_and_too_many_spheres_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
