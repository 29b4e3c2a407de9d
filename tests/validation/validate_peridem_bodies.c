/* Peridem's bodies on bodies by contact_surface "faces": a stack is as stiff as its bodies, and what friction's springs hold is part of the state. */
#include "tests/validation/peridem_case.h"

/* Two cubes of 20 mm, E = 100 MPa, on each other between smooth platens. */
static sim_run open_stack(double spacing_low, double spacing_high, double friction, const char *options, unsigned threads)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"stack\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0},\"specimens\":["
           "{\"name\":\"a\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,-0.01]}},"
           "{\"name\":\"b\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.01]}}],"
           "\"rig\":{\"type\":\"platens\",\"opening\":0.04,\"program\":[{\"type\":\"constant\",\"velocity\":-0.16}]},"
           "\"time\":{\"duration\":1e-3},\"options\":{%s}}",
           friction, spacing_low, spacing_high, options);
  return run_open(text, threads);
}

/* Secant slopes after one and four load steps of 0.1 % each. Reference: E A / 2 L of the stack, 2 %, as of a specimen that a
 * rig measures; by contact_surface "body" it is 0.001. */
static void test_a_stack_is_as_stiff_as_its_cubes(void **state)
{
  (void)state;
  static const double cells[][2] = {{8, 8}, {8, 10.4}, {10, 10}};
  for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
    char name[100];
    double slope[2] = {0, 0};
    sim_run c = open_stack(0.02 / cells[k][0], 0.02 / cells[k][1], 0,
                           "\"loading\":\"quasi_static\",\"load_steps\":4,\"relaxation_tolerance\":1e-4", 1);
    for (int step = 0; step < 4; step++) {
      run_steps(&c, 1);
      run_observe(&c);
      slope[step > 0] = fabs(run_value(&c, "platen.top.force_z")) / (1e8 * 4e-4 / 0.04 * 4e-5 * (step + 1));
    }
    snprintf(name, sizeof name, "cubes of %g and %g cells: slope over E A / 2 L", cells[k][0], cells[k][1]);
    claim_relative(name, slope[1], 1, 0.02, "E A / 2 L");
    claim_relative("the same: slope of the first load step over the last", slope[0] / slope[1], 1, 0.005, "no dead travel");
    run_close(&c);
  }
}

/* Springs between bodies and turned faces: over threads and a restart the same bits. */
static void test_an_interruption_keeps_the_bits(void **state)
{
  (void)state;
  sim_run one = open_stack(2.5e-3, 2e-3, 0.5, "", 1), two = open_stack(2.5e-3, 2e-3, 0.5, "", 2), resumed = open_stack(2.5e-3, 2e-3, 0.5, "", 2);
  scr_blob blob = {0};
  run_steps(&one, 60);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(resumed.sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  run_steps(&one, 60);
  run_steps(&resumed, 60);
  run_steps(&two, 120);
  run_observe(&one);
  assert_true(run_value(&one, "energy.contact") > 0);
  assert_same_state(one.sim, resumed.sim);
  assert_same_state(one.sim, two.sim);
  run_close(&one);
  run_close(&two);
  run_close(&resumed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_stack_is_as_stiff_as_its_cubes),
      cmocka_unit_test(test_an_interruption_keeps_the_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
