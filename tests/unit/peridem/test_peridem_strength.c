/* Strength that scatters: factors against Weibull's law, what breaks in grains that are stretched evenly, bits, what is refused. */
#include <math.h>

#include "methods/peridem/body/strength.h"
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* Rows of three balls of radius 1 mm with nodes 0.3 mm apart: nine are a group of eight lanes and one alone. */
static const char balls[] =
    "{\"scree\":1,\"name\":\"balls\",\"method\":\"peridem\",\"seed\":%d,\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":"
    "1e9,"
    "\"fracture_energy\":%g%s}],\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":3e-4,"
    "\"shape\":{\"type\":\"sphere\",\"radius\":1e-3},\"velocity\":[0,0,%g],"
    "\"placement\":{\"type\":\"lattice\",\"origin\":[0,0,0],\"count\":[%d,3,1],\"pitch\":[2.6e-3,2.6e-3,2.6e-3]}}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[-2e-3,-2e-3,-1.05e-3],\"maximum\":[4e-2,4e-2,2e-2]},\"time\":{\"duration\":1e-3},\"options\":"
    "{" PAPER_BODY "}}";

static sim_run open_balls(int seed, double fracture, const char *weibull, double velocity, int rows, unsigned threads)
{
  char text[1200];
  snprintf(text, sizeof text, balls, seed, fracture, weibull, velocity, rows);
  return run_open(text, threads);
}

/* Weibull's law of unit mean: the part of factors below f. */
static double law(double f, double modulus)
{
  return 1 - exp(-pow(f * tgamma(1 + 1 / modulus), modulus));
}

static int compare_numbers(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { DRAWS = 20000 };

/* Largest distance between the sorted sample's distribution and the law (Kolmogorov). */
static double distance(double *sample, double modulus)
{
  double worst = 0;
  qsort(sample, DRAWS, sizeof *sample, compare_numbers);
  for (int i = 0; i < DRAWS; i++) {
    double p = law(sample[i], modulus);
    worst = fmax(worst, fmax(fabs(p - (double)i / DRAWS), fabs(p - (i + 1.0) / DRAWS)));
  }
  return worst;
}

/* Mean 1 and the law's variance Gamma(1 + 2/m) / Gamma(1 + 1/m)^2 - 1, and Kolmogorov's distance below 1.63 / sqrt(n), its bound for one
 * sample in a hundred. Seeds are fixed: the outcome is the same every time. */
static void test_factors_follow_the_law(void **state)
{
  (void)state;
  static const double moduli[] = {1, 3, 8, 50};
  static double sample[DRAWS];
  for (int k = 0; k < 8; k++) {
    double m = moduli[k / 2], sum = 0, square = 0;
    pd_strength strength = pd_strength_law(m, k % 2, 11 + (uint64_t)k);
    for (uint32_t i = 0; i < DRAWS; i++) {
      sample[i] = k % 2 ? pd_strength_factor(&strength, i, 0, 1) : pd_strength_factor(&strength, i % 7, i % 100, 100 + i / 100);
      assert_true(sample[i] > 0);
      sum += sample[i] / DRAWS;
      square += sample[i] * sample[i] / DRAWS;
    }
    double variance = tgamma(1 + 2 / m) / pow(tgamma(1 + 1 / m), 2) - 1;
    assert_float_equal(sum, 1, 3 * sqrt(variance / DRAWS));
    assert_float_equal((square - sum * sum) / variance, 1, 0.08);
    assert_true(distance(sample, m) < 1.63 / sqrt(DRAWS));
  }
}

/* Correlation of the factors of bonds that share an end, of the same bond of two grains, and of two seeds: less than 4 / sqrt(n). */
static void test_factors_are_independent(void **state)
{
  (void)state;
  pd_strength one = pd_strength_law(4, false, 1), two = pd_strength_law(4, false, 2);
  double variance = tgamma(1.5) / pow(tgamma(1.25), 2) - 1, shared = 0, grains = 0, seeds = 0;
  for (uint32_t i = 0; i < DRAWS; i++) {
    double f = pd_strength_factor(&one, 5, i, i + 3) - 1;
    shared += f * (pd_strength_factor(&one, 5, i + 3, i + 6) - 1) / variance / DRAWS;
    grains += f * (pd_strength_factor(&one, 6, i, i + 3) - 1) / variance / DRAWS;
    seeds += f * (pd_strength_factor(&two, 5, i, i + 3) - 1) / variance / DRAWS;
    assert_true(pd_strength_factor(&one, 5, i, i + 3) == pd_strength_factor(&one, 5, i + 3, i));
  }
  assert_float_equal(shared, 0, 4 / sqrt(DRAWS));
  assert_float_equal(grains, 0, 4 / sqrt(DRAWS));
  assert_float_equal(seeds, 0, 4 / sqrt(DRAWS));
  pd_strength none = pd_strength_law(NAN, false, 1);
  assert_true(pd_strength_factor(&none, 3, 4, 5) == 1 && none.least == 1);
}

/* Every bond of every grain at this stretch; breaks what then breaks. @return bonds broken */
static uint64_t stretch_all(pd_state *s, double stretch)
{
  pd_host *h = s->host;
  double fracture = 0;
  uint64_t broken = 0;
  for (size_t i = 0; i < s->node_count; i++) {
    scr_vec3 centre = h->grains[h->grain_of[i]].centre;
    double from[3] = {centre.x, centre.y, centre.z};
    for (int a = 0; a < 3; a++) pd_axis(&h->position, a)[i] = from[a] + (1 + stretch) * (pd_axis(&h->reference, a)[i] - from[a]);
  }
  if (s->backend->bond_forces(s) > 0) assert_int_equal(s->backend->break_bonds(s, &fracture, &broken, NULL), SCR_OK);
  return broken;
}

/* All grains stretched evenly, more and more: at f times the mean's critical stretch the part of bonds that Weibull's law says has broken,
 * within
 * 1.63 / sqrt(n) of Kolmogorov. The law is the reference; factors are not asked for. */
static void test_bonds_break_by_the_law(void **state)
{
  (void)state;
  sim_run run = open_balls(1, 20, ",\"weibull_modulus\":5", 0, 3, 1);
  pd_state *s = run_state(&run);
  double total = 0.5 * (double)s->bodies[0].bonds.slot_count * (double)s->grain_count, broken = 0, worst = 0;
  for (int k = 0; k < 20; k++) {
    double f = 0.2 + 0.1002 * k;
    broken += (double)stretch_all(s, f * s->bodies[0].critical_stretch);
    worst = fmax(worst, fabs(broken / total - law(f, 5)));
  }
  assert_true(broken == total);
  assert_true(total > 2e4);
  assert_true(worst < 1.63 / sqrt(total));
  run_close(&run);
}

/* A grain breaks whole at its factor times the mean's critical stretch. 27 grains: Kolmogorov's bound is 0.30 (Miller 1956, n = 27, 1 %).
 * */
static void test_grains_break_by_the_law(void **state)
{
  (void)state;
  sim_run run = open_balls(1, 20, ",\"weibull_modulus\":3,\"weibull_scope\":\"grain\",\"weibull_seed\":5", 0, 9, 1);
  pd_state *s = run_state(&run);
  double each = 0.5 * (double)s->bodies[0].bonds.slot_count, broken = 0, worst = 0;
  int steps_with_breaks = 0;
  for (int k = 0; k < 49; k++) {
    double f = 0.05 + 0.0503 * k, more = (double)stretch_all(s, f * s->bodies[0].critical_stretch);
    size_t weaker = 0;
    broken += more;
    steps_with_breaks += more > 0;
    for (size_t g = 0; g < s->grain_count; g++) weaker += pd_strength_factor(&s->bodies[0].strength, g, 0, 1) < f;
    assert_true(broken == each * (double)weaker);
    worst = fmax(worst, fabs((double)weaker / (double)s->grain_count - law(f, 3)));
  }
  assert_true(broken == each * (double)s->grain_count);
  assert_true(steps_with_breaks >= 10);
  assert_true(worst < 0.30);
  run_close(&run);
}

/* Equal balls of unequal strength hit the floor alike, so there is one strength below which all break and above which none does. */
static void test_weak_grains_break_first(void **state)
{
  (void)state;
  sim_run run = open_balls(3, 40, ",\"weibull_modulus\":2,\"weibull_scope\":\"grain\"", -20, 3, 1);
  pd_state *s = run_state(&run);
  double strongest_broken = 0, weakest_whole = INFINITY;
  run_steps(&run, 220);
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->host->grains[g];
    double f = pd_strength_factor(&s->bodies[0].strength, g, 0, 1);
    if (grain->bonds == &grain->own)
      strongest_broken = fmax(strongest_broken, f);
    else
      weakest_whole = fmin(weakest_whole, f);
  }
  assert_true(strongest_broken > 0 && weakest_whole < INFINITY);
  assert_true(strongest_broken < weakest_whole);
  run_close(&run);
}

/* Over threads, over a restart amid breaking, and whether the seed is the scene's or the material's: the same bits; another seed gives
 * others. */
static void test_bits_hang_on_the_seed_alone(void **state)
{
  (void)state;
  static const char scatter[] = ",\"weibull_modulus\":4";
  sim_run one = open_balls(7, 8, scatter, -20, 3, 1), two = open_balls(7, 8, scatter, -20, 3, 2),
          own = open_balls(7, 8, ",\"weibull_modulus\":4,\"weibull_seed\":7", -20, 3, 1),
          other = open_balls(7, 8, ",\"weibull_modulus\":4,\"weibull_seed\":8", -20, 3, 1);
  scr_blob blob = {0};
  run_steps(&one, 120);
  run_steps(&own, 160);
  run_steps(&other, 160);
  assert_true(run_curve(&one, "broken_bonds") > 0);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(two.sim, &blob, NULL), SCR_OK);
  double before = run_value(&one, "broken_bonds");
  run_steps(&one, 40);
  run_steps(&two, 40);
  assert_true(run_curve(&one, "broken_bonds") > before);
  assert_same_state(one.sim, two.sim);
  assert_same_state(one.sim, own.sim);
  assert_true(run_curve(&other, "broken_bonds") != run_curve(&one, "broken_bonds"));
  scr_blob_destroy(&blob);
  run_close(&one);
  run_close(&two);
  run_close(&own);
  run_close(&other);
}

/* The estimate knows what scatter by bond cost where it was measured: 5.8 times the bonds of even strength at modulus 2, 2.6 at 8; one
 * factor a grain costs nothing. What a run costs besides its bonds is the same in all of them, and found from the first two: a small part
 * of the run. */
static void test_the_estimate_knows_the_cost(void **state)
{
  (void)state;
  static const char *const kinds[] = {"", ",\"weibull_modulus\":2", ",\"weibull_modulus\":8",
                                      ",\"weibull_modulus\":2,\"weibull_scope\":\"grain\""};
  double seconds[4];
  for (int k = 0; k < 4; k++) {
    sim_run run = open_balls(1, 20, kinds[k], 0, 1, 1);
    seconds[k] = run.scene->estimate.run_seconds;
    run_close(&run);
  }
  double bonds = (seconds[1] - seconds[0]) / (5.8 - 1);
  assert_true(bonds > 0.85 * seconds[0] && bonds <= seconds[0]);
  assert_float_equal((seconds[2] - seconds[0]) / bonds, 2.6 - 1, 0.03);
  assert_float_equal(seconds[3] / seconds[0], 1, 1e-9);
}

static void assert_refused(const char *weibull, const char *pointer)
{
  char text[1200];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, balls, 1, 20.0, weibull, 0.0, 1);
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
  (void)state;
  assert_refused(",\"weibull_modulus\":0.5", "/materials/0/weibull_modulus");
  assert_refused(",\"weibull_modulus\":1001", "/materials/0/weibull_modulus");
  assert_refused(",\"weibull_modulus\":5,\"weibull_scope\":\"node\"", "/materials/0/weibull_scope");
  assert_refused(",\"weibull_modulus\":5,\"weibull_seed\":-2", "/materials/0/weibull_seed");
}

SUITE(test_peridem_strength)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factors_follow_the_law),         cmocka_unit_test(test_factors_are_independent),
      cmocka_unit_test(test_bonds_break_by_the_law),         cmocka_unit_test(test_grains_break_by_the_law),
      cmocka_unit_test(test_weak_grains_break_first),        cmocka_unit_test(test_bits_hang_on_the_seed_alone),
      cmocka_unit_test(test_what_makes_no_sense_is_refused), cmocka_unit_test(test_the_estimate_knows_the_cost),
  };
  return cmocka_run_group_tests_name("peridem strength", tests, NULL, NULL);
}
