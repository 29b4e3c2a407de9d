/* The made-up method diffusion: heat against the decay of a wave on the grid, conserved around a hole; and how short a method can be. */
#include <math.h>

#include "tests/support/suites.h"
#include "tests/support/picture.h"

static sim_run open_plate(const char *keys, unsigned threads)
{
  char text[2000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"p\",\"method\":\"diffusion\",\"materials\":[{\"name\":\"steel\",\"diffusivity\":1e-5}],\"specimens\":[{"
           "\"name\":\"plate\",\"material\":\"steel\",\"wave\":50%s,\"shape\":{\"type\":\"box\",\"size\":[0.1,0.06,0.02]}}],\"rig\":{"
           "\"type\":\"none\"},\"options\":{\"cell\":0.01},\"time\":{\"duration\":1000,\"time_step\":1.25}}",
           keys);
  return run_open(text, threads);
}

/* Half a wave between insulated ends is a mode of the grid: each step leaves 1 - dt D/h^2 4 sin^2(pi h/(2 L)) of it. The largest value is
 * that of the first cell, half a cell from the end. */
static void test_a_wave_decays_as_the_grid_says(void **state)
{
  (void)state;
  sim_run r = open_plate("", 2);
  double share = 1.25 * 1e-5 / 1e-4, rate = 1 - share * 4 * pow(sin(M_PI * 0.01 / 0.2), 2);
  run_steps(&r, 200);
  claim_relative("amplitude after 200 steps, K", run_curve(&r, "temperature.largest") - 300, 50 * cos(M_PI * 0.05) * pow(rate, 200), 1e-10,
                 "decay of a mode of the grid");
  claim_relative("mean temperature, K", run_value(&r, "temperature.mean"), 300, 1e-13, "insulated");
  claim_absolute("cells", run_value(&r, "cells"), 10 * 6 * 2, 0, "10 x 6 x 2");
  run_close(&r);
}

/* A hole of 0.015 m takes the cells whose middles lie 5 mm from the middle along x and y, 4 in each of two layers; the next, at 15 and 5
 * mm, are 15.8 mm away. Heat is kept, and no new extremes are made. */
static void test_heat_goes_round_a_hole_and_is_kept(void **state)
{
  (void)state;
  sim_run r = open_plate(",\"hole_radius\":0.015", 1);
  double mean = run_curve(&r, "temperature.mean"), most = run_value(&r, "temperature.largest");
  claim_absolute("cells", run_value(&r, "cells"), (60 - 4) * 2, 0, "4 middles lie within the hole");
  run_steps(&r, 300);
  claim_relative("mean temperature, K", run_curve(&r, "temperature.mean"), mean, 1e-13, "insulated");
  claim_between("largest temperature, K", run_value(&r, "temperature.largest"), 300, most, "no new extremes");
  picture p = take(&r);
  look(&p);
  const drawable_view *cells = drawable(&p, "plate");
  assert_int_equal(cells->count, 112);
  for (uint32_t i = 0; i < cells->count; i++) assert_int_not_equal(drawable_view_cell(cells, i) % 60, 24); /* (4, 2) is of the hole */
  put_away(&p);
  run_close(&r);
}

/* What the tutorial promises: a method that uses a grid, threads and a shape of its own takes less than 400 lines. */
static void test_it_takes_less_than_400_lines(void **state)
{
  (void)state;
  static const char *const paths[] = {"tests/diffusion/diffusion.c", "tests/diffusion/diffusion.h", "tests/data/contract/diffusion.json"};
  double lines = 0;
  for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
    FILE *file = fopen(paths[k], "r");
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
    fclose(file);
  }
  claim_between("lines of a method with its scene", lines, 100, 399, "core/methods/README.md");
}

SUITE(test_diffusion)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_wave_decays_as_the_grid_says),
      cmocka_unit_test(test_heat_goes_round_a_hole_and_is_kept),
      cmocka_unit_test(test_it_takes_less_than_400_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
