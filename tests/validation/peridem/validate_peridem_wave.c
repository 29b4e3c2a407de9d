/* Peridem's bar: the speed of a long pulse. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

static const double young_modulus = 3e9, density = 1200, spacing = 1e-3,
                    width = 8e-3; /* Poisson's ratio of a PMB solid is 1/4: k = E / 1.5 */

/* A free bar of 200 x 6 x 6 nodes along x, its middle at the origin, m = 3. */
static sim_run open_bar(const char *weight)
{
  char text[1024];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"solid\",\"density\":%g,\"bulk_modulus\":%g}],"
           "\"specimens\":[{\"name\":\"bar\",\"material\":\"solid\",\"spacing\":%g,"
           "\"shape\":{\"type\":\"box\",\"size\":[0.2,0.006,0.006]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
           "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-4},"
           "\"options\":{\"horizon\":0.003,\"contact_radius\":0.001,\"horizon_weight\":\"%s\",\"surface_correction\":\"none\",\"self_"
           "contact\":false,\"breakable\":false}}",
           density, young_modulus / 1.5, spacing, weight);
  return run_open(text, 1);
}

/* Where the right-going half of the displacement has its peak: mean of each cross-section, a parabola through the largest and its
 * neighbours. */
static double peak(const pd_state *s)
{
  double mean[200] = {0};
  int top = 100;
  for (size_t i = 0; i < s->node_count; i++) mean[(int)floor((s->host->reference.x[i] + 0.1) / spacing)] += s->host->moved.x[i] / 36;
  for (int k = 100; k < 199; k++)
    if (mean[k] > mean[top]) top = k;
  double before = mean[top - 1], after = mean[top + 1];
  return (top - 99.5 + 0.5 * (before - after) / (before - 2 * mean[top] + after)) * spacing;
}

/* Speed over sqrt(E / rho) of the halves into which a small Gaussian displacement at rest falls apart, from where each has come free of the
 * other (37 mm, 4.6 widths) to well before the bar's end (63 mm of 100). */
static double pulse_speed(const char *weight)
{
  sim_run c = open_bar(weight);
  pd_state *s = run_state(&c);
  double sound = sqrt(young_modulus / density);
  assert_int_equal(s->node_count, 7200);
  for (size_t i = 0; i < s->node_count; i++) {
    double z = s->host->reference.x[i] / width;
    s->host->moved.x[i] = 1e-7 * exp(-0.5 * z * z);
    s->host->position.x[i] = s->host->reference.x[i] + s->host->moved.x[i];
  }
  uint64_t start = (uint64_t)(0.041 / sound / s->time_step), further = (uint64_t)(0.028 / sound / s->time_step);
  run_steps(&c, start);
  double from = peak(s);
  run_steps(&c, further);
  double speed = (peak(s) - from) / ((double)further * s->time_step) / sound;
  run_close(&c);
  return speed;
}

/* A bar of 6 x 6 nodes is all surface, and so slower than the solid's bar wave: 0.8705 of sqrt(E / rho), 0.9050 with partial volumes
 * (check 4; 0.01 covers how the pulse is fitted). The bar disperses: a
 * peak 3 mm wide runs at 0.854, one 12 mm wide at 0.877, and the centroid, which moves as the longest waves do, at 0.883 for every width.
 * */
static void test_a_pulse_runs_at_the_speed_of_a_bar_that_is_all_surface(void **state)
{
  (void)state;
  double plain = pulse_speed("none"), weighted = pulse_speed("partial_volume");
  claim_absolute("bar: pulse speed over sqrt(E / rho)", plain, 0.8705, 0.01, "prototype in numpy, check 4");
  claim_absolute("bar: pulse speed over sqrt(E / rho), partial volumes", weighted, 0.9050, 0.01, "prototype in numpy, check 4");
}

SUITE(validate_peridem_wave)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pulse_runs_at_the_speed_of_a_bar_that_is_all_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
