/* Breaking in a long step, the most loaded bonds first, against breaking all overloaded bonds at once. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* A notched bar of 12 cm, pulled lengthwise at a speed that overloads many bonds within one step of 100 T. */
static const char notched_bar[] =
    "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\","
    "\"materials\":[{\"name\":\"glass\",\"density\":2000,\"young_modulus\":1e9,\"poisson_ratio\":0.2,\"tensile_strength\":1e6,"
    "\"shear_strength\":1e6}],"
    "\"specimens\":[{\"name\":\"bar\",\"material\":\"glass\",\"spacing\":0.004,"
    "\"shape\":{\"type\":\"notched_box\",\"size\":[0.12,0.022,0.028],\"notch_depth\":0.012,\"notch_width\":0.004}}],"
    "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-0.05,\"high_start\":0.05,"
    "\"program\":[{\"type\":\"constant\",\"velocity\":0.2}]},"
    "\"time\":{\"duration\":0.01},"
    "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\",\"step_ratio\":100,\"breaking\":\"%s\"}}";

typedef struct outcome {
  double broken, fragments, peak;
} outcome;

/* Pulls until the bar carries nothing any more, at most the whole run. */
static outcome pull(const char *breaking)
{
  char text[1024];
  snprintf(text, sizeof text, notched_bar, breaking);
  bdem_run run = run_open(text, 1);
  outcome end = {0};
  for (int k = 0; k < 400 && scr_sim_time(run.sim) < 0.01; k++) {
    run_steps(&run, 1);
    run_observe(&run);
    double pull = fabs(run_value(&run, "grip.low.force_x"));
    end.peak = fmax(end.peak, pull);
    if (run_value(&run, "broken_bonds") > 0 && pull < 0.02 * end.peak) break;
  }
  end.broken = run_value(&run, "broken_bonds");
  end.fragments = run_value(&run, "fragments");
  print_message("# %s: %g bonds broken, %g pieces, peak force %.4g N\n", breaking, end.broken, end.fragments, end.peak);
  run_close(&run);
  return end;
}

/* A crack relieves what lies beside it: with the most loaded bonds broken first the bar parts in two. Broken all at once, bonds go that the
 * crack would have unloaded, and there are crumbs. */
static void test_the_most_loaded_bonds_first_part_a_bar_in_two(void **state)
{
  (void)state;
  outcome worst = pull("worst-first"), all = pull("simultaneous");
  claim_absolute("pieces, worst first", worst.fragments, 2, 0, "a bar that parts");
  claim_between("pieces, all at once", all.fragments, 3, INFINITY, "crumbs beside the two halves");
  claim_between("bonds broken, worst first over all at once", worst.broken / all.broken, 0, 1, "a crack relieves what lies beside it");
}

SUITE(validate_bdem_worst_first)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_most_loaded_bonds_first_part_a_bar_in_two)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
