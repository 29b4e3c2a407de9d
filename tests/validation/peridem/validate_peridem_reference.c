/* Peridem's reference scene: a hollow lattice sphere crushed between plates, against an independent numpy model.
 *
 * That model follows the same equations in another language and another order of summation; it agrees with the simulator published with the
 * method (its known slips repaired) to six digits through fracture. Up to the first broken bond the motion is smooth, so results must agree
 * to 1e-6, the digits printed; from then on round-off decides which bond of a symmetric set breaks first, and 2 to 5 % is what is left. */
#include "scene/counts.h"
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

typedef struct column {
  const char *name;
  reference_scene scene;
  uint64_t nodes, bonds;
  double top[4], bottom;           /**< N: top wall at 8, 10, 12, 16 us, bottom wall at 16 us */
  double elastic;                  /**< J at 10 us, 0: not known */
  double break_after, break_until; /**< us */
  double peak, peak_time;          /**< N, us */
  double left;                     /**< bonds at 30 us, 0: not known */
} column;

static const column columns[4] = {
    {"thick, lumped",
     {5e-4, "lumped", 2e-8, 0.9, true},
     1896,
     55516,
     {3.822501, 12.318773, 15.563690, 0.505843},
     -6.827397,
     4.61793e-5,
     18.8,
     19.2,
     46.03,
     23.6,
     39652},
    {"thin, lumped",
     {7.5e-4, "lumped", 2e-8, 0.9, true},
     1264,
     25568,
     {2.624344, 6.372177, 8.567023, 2.927575},
     -2.232195,
     4.14933e-5,
     17.6,
     18.0,
     10.91,
     25.6,
     19152},
    {"thick, exact",
     {5e-4, "exact", 2e-8, 0.9, true},
     1896,
     55516,
     {2.926558, 9.186939, 13.253510, 3.641834},
     -1.403982,
     0,
     23.6,
     24.0,
     41.08,
     25.6,
     0},
    {"thin, exact",
     {7.5e-4, "exact", 2e-8, 0.9, true},
     1264,
     25568,
     {2.093496, 5.289222, 7.566153, 4.073300},
     0,
     0,
     18.8,
     19.2,
     14.12,
     26.0,
     0},
};

enum { SAMPLE = 20 }; /* steps of 2e-8 s between samples: 0.4 us, those of the reference */

static void check_sample(const column *col, const sim_run *c, unsigned sample)
{
  static const unsigned at[4] = {20, 25, 30, 40};
  char name[96];
  for (int k = 0; k < 4; k++) {
    if (sample != at[k]) continue;
    snprintf(name, sizeof name, "%s: top force at %g us, N", col->name, sample * 0.4);
    check_relative(name, run_value(c, "wall.z_max.force_z"), col->top[k], 1e-6);
  }
  if (sample == 40) {
    snprintf(name, sizeof name, "%s: bottom force at 16 us, N", col->name);
    check_relative(name, run_value(c, "wall.z_min.force_z"), col->bottom, 1e-6);
  }
  if (sample == 25 && col->elastic > 0) {
    snprintf(name, sizeof name, "%s: bond energy at 10 us, J", col->name);
    check_relative(name, run_value(c, "energy.elastic"), col->elastic, 1e-6);
  }
  if (sample == 75 && col->left > 0) {
    snprintf(name, sizeof name, "%s: bonds left at 30 us", col->name);
    check_relative(name, (double)col->bonds - run_value(c, "broken_bonds"), col->left, 0.05);
  }
}

/* Runs a column to 50 us. @return its peak, N */
static double check_column(const column *col)
{
  sim_run c = reference_open(&col->scene, 1);
  char name[96];
  double peak = 0, peak_time = 0, least_since = 0, broken_by = 0;
  assert_int_equal(scr_scene_estimate(c.scene)->node_count, col->nodes);
  assert_int_equal(scr_count_of(scr_scene_estimate(c.scene), "bonds"), col->bonds);
  for (unsigned sample = 1; sample <= 125; sample++) {
    run_steps(&c, SAMPLE);
    run_observe(&c);
    check_sample(col, &c, sample);
    double force = run_value(&c, "wall.z_max.force_z");
    least_since = fmin(least_since, force);
    if (force > peak) peak = least_since = force, peak_time = sample * 0.4;
    if (broken_by == 0 && run_value(&c, "broken_bonds") > 0) broken_by = sample * 0.4;
  }
  snprintf(name, sizeof name, "%s: first break by, us", col->name);
  claim_absolute(name, broken_by, col->break_until, 1e-9, "the numpy model's sample"); /* nothing broken at break_after, the one before */
  snprintf(name, sizeof name, "%s: peak force at %g us, N", col->name, peak_time);
  check_relative(name, peak, col->peak, 0.02);
  snprintf(name, sizeof name, "%s: time of the peak, us", col->name);
  claim_absolute(name, peak_time, col->peak_time, 0.8 + 1e-9, "the numpy model, two samples");
  snprintf(name, sizeof name, "%s: least force after the peak, by 50 us, over the peak", col->name);
  claim_between(name, least_since / peak, -1, 0.5, "PeriDEM paper, section 7.2: a peak, then a drop");
  run_close(&c);
  return peak;
}

/* Both spheres under one law of walls. The ratio of their peaks is that of the reference's, whose peaks are known to 2 % each: 4.22 by the
 * paper's law of walls, 2.91 by the law that follows from that of pairs. The paper reports 8.6; its code's cap volume has a slip of sign,
 * by which walls push from 0.44 of the contact radius on only, and its shells lack bonds (7.4 on its mesh once those are put back). */
static void check_spheres(const column *thick, const column *thin, const char *law)
{
  char name[96];
  double ratio = check_column(thick) / check_column(thin);
  snprintf(name, sizeof name, "%s walls: peak of the thick sphere over the thin one's", law);
  check_relative(name, ratio, thick->peak / thin->peak, 0.04);
}

static void test_hollow_spheres_are_crushed_by_lumped_walls_as_in_the_reference(void **state)
{
  (void)state;
  check_spheres(&columns[0], &columns[1], "lumped");
}

static void test_hollow_spheres_are_crushed_by_exact_walls_as_in_the_reference(void **state)
{
  (void)state;
  check_spheres(&columns[2], &columns[3], "exact");
}

static double peak_force(double time_step, uint64_t steps_per_sample)
{
  reference_scene scene = columns[0].scene;
  scene.time_step = time_step;
  sim_run c = reference_open(&scene, 1);
  double peak = 0;
  for (unsigned sample = 1; sample <= 125; sample++) {
    run_steps(&c, steps_per_sample);
    peak = fmax(peak, run_state(&c)->rig->load[SCR_WALL_Z_MAX].force.z);
  }
  run_close(&c);
  return peak;
}

/* The step must not decide the strength. Reference: 46.03 N at 2e-8 s, 45.90 N at 1e-8 s; 3 % is room for other bonds breaking first. */
static void test_halving_the_step_changes_the_peak_by_less_than_3_percent(void **state)
{
  (void)state;
  double coarse = peak_force(2e-8, SAMPLE), fine = peak_force(1e-8, 2 * SAMPLE);
  claim_relative("thick, lumped: peak at dt = 2e-8 s, N", coarse, 46.03, 0.03, "the numpy model");
  claim_relative("thick, lumped: peak at dt = 1e-8 s, N", fine, 45.90, 0.03, "the numpy model");
  claim_relative("thick, lumped: the second over the first", fine / coarse, 1, 0.03, "convergence in the step");
}

SUITE(validate_peridem_reference)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hollow_spheres_are_crushed_by_lumped_walls_as_in_the_reference),
      cmocka_unit_test(test_hollow_spheres_are_crushed_by_exact_walls_as_in_the_reference),
      cmocka_unit_test(test_halving_the_step_changes_the_peak_by_less_than_3_percent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
