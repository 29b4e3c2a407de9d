/* State-based elasticity: forces against energies, momentum, what is refused, and that it is the bonds' where Poisson's ratio is 1/4. */
#include "methods/peridem/law/material.h"
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* A ball of radius 1 mm with nodes 0.3 mm apart, which a wall may hit. */
static const char ball[] =
    "{\"scree\":1,\"name\":\"ball\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9,"
    "\"poisson_ratio\":%.17g,\"fracture_energy\":%g}],\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":3e-4,"
    "\"shape\":{\"type\":\"sphere\",\"radius\":1e-3},\"velocity\":[%s]}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[-2e-3,-2e-3,-1.05e-3],\"maximum\":[2e-3,2e-3,2e-3]},\"time\":{\"duration\":1e-3},"
    "\"options\":{%s}}";

static sim_run open_ball(double nu, double fracture, const char *velocity, const char *options, unsigned threads)
{
  char text[1200];
  snprintf(text, sizeof text, ball, nu, fracture, velocity, options);
  return run_open(text, threads);
}

/* Random numbers in -1 ... 1 from a fixed seed. */
static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static double energy_at(const sim_run *run)
{
  sim_energies now = {0};
  run_state(run)->backend->energies(run_state(run), &now);
  return now.elastic;
}

/* F = - dE / dx by central differences, nodes displaced at random by up to a hundredth of the spacing. Their error is of second order in
 * the difference and of rounding over it: 1e-7 of the largest force at 1e-9 m. */
static void test_forces_are_the_gradient_of_the_energy(void **state)
{
  (void)state;
  static const double ratios[] = {0, 0.4};
  for (int k = 0; k < 2; k++) {
    sim_run run = open_ball(ratios[k], 1e9, "0,0,0", "\"elasticity\":\"state\"", 1);
    pd_state *s = run_state(&run);
    const pd_host *h = s->host;
    uint64_t seed = 7;
    double largest = 0, worst = 0;
    for (size_t i = 0; i < s->node_count; i++)
      for (int a = 0; a < 3; a++) pd_axis(&h->position, a)[i] += 3e-6 * draw(&seed);
    s->backend->bond_forces(s);
    for (size_t i = 0; i < s->node_count; i += 17)
      for (int a = 0; a < 3; a++) {
        double *x = &pd_axis(&h->position, a)[i], was = *x, step = 1e-9, force = pd_axis(&h->force, a)[i];
        *x = was + step;
        double above = energy_at(&run);
        *x = was - step;
        double below = energy_at(&run);
        *x = was;
        largest = fmax(largest, fabs(force));
        worst = fmax(worst, fabs(force + (above - below) / (2 * step)));
      }
    assert_true(largest > 0);
    assert_float_equal(worst / largest, 0, 1e-6);
    run_close(&run);
  }
}

/* Where nu = 1/4 the dilatation does nothing and the weights are those of corrected bonds: the same bits, through an impact that breaks
 * bonds. */
static void test_a_quarter_is_the_same_as_corrected_bonds(void **state)
{
  (void)state;
  sim_run one = open_ball(0.25, 4, "0,0,-20", "\"elasticity\":\"state\"", 1);
  sim_run other = open_ball(0.25, 4, "0,0,-20", "\"surface_correction\":\"volume\"", 1);
  run_steps(&one, 220);
  run_steps(&other, 220);
  assert_true(run_curve(&one, "broken_bonds") > 0);
  assert_same_state(one.sim, other.sim);
  run_close(&one);
  run_close(&other);
}

/* A ball of nu = 0.4 breaks on the floor: what the broken bonds and the lost dilatation held is booked, to the half step in which forces
 * jump, so the balance holds to 1 %; an unbreakable one keeps it to Verlet's error. Bits don't depend on threads. */
static void test_impacts_keep_the_balance_and_the_bits(void **state)
{
  (void)state;
  sim_run elastic = open_ball(0.4, 1e9, "0,0,-20", "\"elasticity\":\"state\"", 1);
  sim_run one = open_ball(0.4, 6, "0,0,-20", "\"elasticity\":\"state\"", 1),
          two = open_ball(0.4, 6, "0,0,-20", "\"elasticity\":\"state\"", 2);
  run_steps(&elastic, 220);
  run_steps(&one, 220);
  run_steps(&two, 220);
  assert_true(run_curve(&one, "broken_bonds") > 10);
  assert_float_equal(run_value(&one, "energy.balance_error"), 0, 1e-2);
  assert_true(run_value(&one, "energy.fracture") > 0);
  assert_float_equal(run_curve(&elastic, "energy.balance_error"), 0, 2e-3);
  assert_same_state(one.sim, two.sim);
  run_close(&elastic);
  run_close(&one);
  run_close(&two);
}

/* Reference: where k = 5 G / 3 both laws have the same critical stretch, sqrt(5 Gc / (9 k eps)). */
static void test_critical_stretches_agree_at_a_quarter(void **state)
{
  (void)state;
  double k = 2e9, bonds = pd_critical_stretch(PD_CONSTANT, k, 135, 1e-3 / 3);
  assert_float_equal(pd_critical_stretch_state(k, 0.6 * k, 135, 1e-3 / 3) / bonds, 1, 1e-14);
  assert_float_equal(bonds, 0.010606602, 5e-10);
}

/* A cube of 3.35 mm has 6^3 cells of 0.595 mm (1.21 of its volume) or 5^3 of 0.617 mm (0.78), a ball 1.1 of its: bodies whose bonds are
 * corrected for what surfaces lack have the mass of their shape, whatever fills it, and a uniform expansion e stores 9 k e^2 / 2 in each
 * of its cubic metres. Reference: both formulas; the paper's nodes have h^3 each. */
static void test_corrected_bodies_have_the_mass_and_the_energy_of_their_shape(void **state)
{
  (void)state;
  static const char *const corrected[] = {"\"elasticity\":\"state\"", "\"surface_correction\":\"volume\"", "\"elasticity\":\"state\""};
  static const double ratios[] = {0.25, 0.25, 0.4}, spacings[] = {0.595e-3, 0.617e-3};
  const double edge = 3.35e-3, density = 1000, k = 1e9, expansion = 1e-4;
  for (int c = 0; c < 3; c++)
    for (int h = 0; h < 2; h++) {
      char text[1200];
      snprintf(text, sizeof text,
               "{\"scree\":1,\"name\":\"cube\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9,"
               "\"poisson_ratio\":%g}],\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":%g,\"velocity\":[3,0,0],\"shape\":"
               "{\"type\":\"box\",\"size\":[%g,%g,%g]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-3},\"options\":{%s}}",
               ratios[c], spacings[h], edge, edge, edge, corrected[c]);
      sim_run run = run_open(text, 1);
      pd_state *s = run_state(&run);
      double mass = density * edge * edge * edge;
      assert_float_equal(run_curve(&run, "energy.kinetic") / (0.5 * mass * 9), 1, 1e-12);
      for (size_t i = 0; i < s->node_count; i++)
        for (int a = 0; a < 3; a++) pd_axis(&s->host->position, a)[i] *= 1 + expansion;
      /* a bond's partner near an edge or corner has another weighted volume than the bond's other end: 2 % */
      assert_float_equal(energy_at(&run) / (4.5 * k * expansion * expansion * edge * edge * edge), 1, 0.02);
      run_close(&run);
    }
}

static void assert_refused(double nu, const char *options, const char *pointer)
{
  char text[1200];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, ball, nu, 20.0, "0,0,0", options);
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_string_equal(problems.items[0].pointer, pointer);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
  (void)state;
  assert_refused(0.49, "\"elasticity\":\"state\"", "/materials/0/poisson_ratio");
  assert_refused(-0.1, "\"elasticity\":\"state\"", "/materials/0/poisson_ratio");
  assert_refused(0.4, "\"elasticity\":\"bonds\"", "/materials/0/poisson_ratio");
  assert_refused(0.3, "\"elasticity\":\"state\",\"micromodulus\":\"conic\"", "/options/micromodulus");
}

SUITE(test_peridem_state)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_are_the_gradient_of_the_energy),
      cmocka_unit_test(test_a_quarter_is_the_same_as_corrected_bonds),
      cmocka_unit_test(test_impacts_keep_the_balance_and_the_bits),
      cmocka_unit_test(test_critical_stretches_agree_at_a_quarter),
      cmocka_unit_test(test_corrected_bodies_have_the_mass_and_the_energy_of_their_shape),
      cmocka_unit_test(test_what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests_name("peridem state", tests, NULL, NULL);
}
