/* Peridem's elastic solid: the constants of its bonds, their force, the stiffness of a lattice and the stable step. */
#include "tests/validation/peridem/peridem_case.h"

#include "methods/peridem/law/material.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* Gauss-Legendre, 4 points: exact up to degree 7; the integrands below have degree 5 at most. */
static double integrate(double (*f)(double, const void *), const void *with, double end)
{
  static const double at[2] = {0.33998104358485626, 0.86113631159405258}, weight[2] = {0.65214515486254614, 0.34785484513745386};
  double sum = 0;
  for (int k = 0; k < 2; k++) sum += weight[k] * (f(end / 2 * (1 - at[k]), with) + f(end / 2 * (1 + at[k]), with));
  return sum * end / 2;
}

static const double bulk = 2e9, horizon = 1.0 / 3000, fracture = 135;

static double energy_integrand(double r, const void *kind)
{
  return 0.5 * 4 * M_PI * r * r * pd_micromodulus_at(*(const pd_micromodulus *)kind, bulk, horizon, r) * r / 2;
}

static double fracture_integrand(double r, const void *kind)
{
  return M_PI / 2 * pd_micromodulus_at(*(const pd_micromodulus *)kind, bulk, horizon, r) * r * r * r * r;
}

/* The bonds of a ball hold 9 k s^2 / 2 per volume under a uniform stretch, and those that cross a plane hold Gc per area at the critical
 * stretch (check 1, three dimensions). The quadrature is exact: 1e-10 is round-off. */
static void test_bond_constants_give_back_bulk_modulus_and_fracture_energy(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    pd_micromodulus kind = k ? PD_CONIC : PD_CONSTANT;
    double s0 = pd_critical_stretch(kind, bulk, fracture, horizon);
    print_message("# %s micromodulus\n", k ? "conic" : "constant");
    check_relative("bonds: energy at unit stretch, Pa", integrate(energy_integrand, &kind, horizon), 4.5 * bulk, 1e-10);
    check_relative("bonds: energy of a unit crack, J/m^2", s0 * s0 * integrate(fracture_integrand, &kind, horizon), fracture, 1e-10);
  }
  assert_true(fabs(pd_critical_stretch(PD_CONSTANT, bulk, fracture, horizon) - 0.010606602) < 5e-10); /* check 9 */
  check_relative("bonds: micromodulus, N/m^6", pd_micromodulus_at(PD_CONSTANT, bulk, horizon, 0), 9.2819163e23, 1e-8);
  check_relative("contact: stiffness, N/m^7", pd_contact_stiffness(bulk, bulk, 2e-4), 3.5809862e28, 1e-8);
}

/* A cube of n^3 nodes, h = 0.1 mm, horizon m h, nothing else in the world. */
static sim_run open_cube(int n, int m, const char *micromodulus, const char *weight)
{
  char text[1024];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"cube\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9}],"
           "\"specimens\":[{\"name\":\"cube\",\"material\":\"polymer\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[%.17g,%.17g,%"
           ".17g]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-6},"
           "\"options\":{\"horizon\":%.17g,\"micromodulus\":\"%s\",\"horizon_weight\":\"%s\",\"surface_correction\":\"none\",\"self_"
           "contact\":false,\"breakable\":false}}",
           n * 1e-4, n * 1e-4, n * 1e-4, m * 1e-4, micromodulus, weight);
  sim_run c = run_open(text, 1);
  assert_int_equal(run_state(&c)->node_count, n * n * n);
  return c;
}

/* Force is minus the gradient of the bond energy: central differences on a cube of 5^3 nodes shaken by 5 % of the spacing, within 1e-7 of
 * the largest force (check 2). With a step of 1e-5 h the difference itself is good to 1e-9. */
static void check_gradient(const char *name, const char *micromodulus, const char *weight)
{
  sim_run c = open_cube(5, 3, micromodulus, weight);
  pd_state *s = run_state(&c);
  const double h = 1e-4, delta = 1e-5 * h;
  double worst = 0, largest = 0;
  uint64_t seed = 5;
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < s->node_count; i++) pd_axis(&s->host->position, axis)[i] += 0.05 * h * uniform(&seed);
  pd_bond_pass(s);
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < s->node_count; i++) {
      double *x = &pd_axis(&s->host->position, axis)[i], kept = *x, force = pd_axis(&s->host->force, axis)[i];
      *x = kept + delta;
      double above = pd_energy_elastic(s);
      *x = kept - delta;
      double below = pd_energy_elastic(s);
      *x = kept;
      worst = fmax(worst, fabs(force + (above - below) / (2 * delta)));
      largest = fmax(largest, fabs(force));
    }
  assert_true(largest > 0);
  claim_absolute(name, worst / largest, 0, 1e-7, "central differences of the energy");
  run_close(&c);
}

static void test_bond_forces_are_the_gradient_of_their_energy(void **state)
{
  (void)state;
  check_gradient("gradient: error, constant", "constant", "none");
  check_gradient("gradient: error, conic", "conic", "none");
  check_gradient("gradient: error, partial volume", "constant", "partial_volume");
}

/* Moves every node of the cube to (1 + sx) X, (1 + s) Y, (1 + s) Z. */
static void stretch(pd_state *s, double sx, double sides)
{
  for (size_t i = 0; i < s->node_count; i++) {
    s->host->position.x[i] = s->host->reference.x[i] * (1 + sx);
    s->host->position.y[i] = s->host->reference.y[i] * (1 + sides);
    s->host->position.z[i] = s->host->reference.z[i] * (1 + sides);
  }
}

/* Leaves only the bonds of the middle node, so that the cube's energy is that node's. @return their number */
static uint32_t keep_middle(pd_state *s)
{
  uint32_t bonds = 0;
  for (size_t i = 0; i < s->node_count; i++) {
    double X = s->host->reference.x[i], Y = s->host->reference.y[i], Z = s->host->reference.z[i];
    if (X * X + Y * Y + Z * Z < 1e-12)
      bonds += s->bodies[0].bonds.count[i];
    else
      s->bodies[0].bonds.count[i] = 0;
  }
  return bonds;
}

static void check_interior(int m, const char *weight, uint32_t neighbours, double isotropic, double uniaxial)
{
  const double e = 1e-4, volume = 1e-12, k = 2e9;
  sim_run c = open_cube(2 * m + 3, m, "constant", weight);
  pd_state *s = run_state(&c);
  char name[96];
  uint32_t found = keep_middle(s);
  if (neighbours) assert_int_equal(found, neighbours);
  stretch(s, e, e);
  snprintf(name, sizeof name, "lattice m = %d, weight %s: energy over 9 k s^2 / 2", m, weight);
  check_relative(name, pd_energy_elastic(s) / volume / (4.5 * k * e * e), isotropic, 2e-4);
  stretch(s, e, 0);
  snprintf(name, sizeof name, "lattice m = %d, weight %s: energy over 3 E s^2 / 5", m, weight);
  check_relative(name, pd_energy_elastic(s) / volume / (0.6 * 1.5 * k * e * e), uniaxial, 2e-4);
  run_close(&c);
}

/* The discrete solid's stiffness over the continuum's, inside a lattice (check 3; sums over whole numbers, tolerance 2e-4: at a stretch of
 * 1e-4 the second order is half of that, and four digits are printed). */
static void test_a_lattice_has_the_stiffness_of_its_bond_sums(void **state)
{
  (void)state;
  check_interior(3, "none", 122, 1.1208, 1.0564);
  check_interior(4, "none", 256, 0.9432, 0.9343);
  check_interior(5, "none", 514, 0.9785, 0.9637);
  check_interior(3, "partial_volume", 0, 1.0622, 1.0703);
  check_interior(4, "partial_volume", 0, 1.0266, 1.0274);
  check_interior(5, "partial_volume", 0, 1.0227, 1.0227);
}

/* A whole free cube of 28^3 nodes is softer: its surface lacks bonds (check 3, same tolerance). */
static void test_a_free_cube_is_softer_by_its_surface(void **state)
{
  const double e = 1e-4, volume = 28.0 * 28.0 * 28.0 * 1e-12, expected[2] = {0.9791, 0.7941};
  (void)state;
  for (int m = 3; m <= 4; m++) {
    sim_run c = open_cube(28, m, "constant", "none");
    stretch(run_state(&c), e, e);
    print_message("# free cube of 28^3 nodes, m = %d\n", m);
    check_relative("lattice: energy of a free cube over 9 k s^2 / 2", pd_energy_elastic(run_state(&c)) / volume / (4.5 * 2e9 * e * e),
                   expected[m - 3], 2e-4);
    run_close(&c);
  }
}

/* The thick hollow sphere of the reference scene, alone, unbreakable. */
static sim_run open_free_sphere(double time_step)
{
  char text[1024];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"free\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9}],"
           "\"specimens\":[{\"name\":\"grain\",\"material\":\"polymer\",\"spacing\":1.25e-4,"
           "\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":5e-4},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],\"rig\":{\"type\":\"none\"},"
           "\"time\":{\"duration\":3e-4,\"time_step\":%.17g},\"options\":{\"horizon\":3.333333333333333e-4,\"contact_radius\":2e-4,"
           "\"self_contact\":false,\"breakable\":false,\"allow_unstable_step\":true," PAPER_BONDS "}}",
           time_step);
  return run_open(text, 1);
}

/* Square of the highest frequency: power iteration on the bond forces of small displacements, a Rayleigh quotient at the end. */
static double highest_frequency(pd_state *s)
{
  const double amplitude = 1e-9, mass = s->bodies[0].node_mass;
  uint64_t seed = 3;
  double quotient = 0;
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < s->node_count; i++) pd_axis(&s->host->force, axis)[i] = uniform(&seed);
  for (int k = 0; k < 800; k++) {
    double norm = 0, product = 0;
    for (int axis = 0; axis < 3; axis++)
      for (size_t i = 0; i < s->node_count; i++) norm += pow(pd_axis(&s->host->force, axis)[i], 2);
    double scale = amplitude / sqrt(norm);
    for (int axis = 0; axis < 3; axis++)
      for (size_t i = 0; i < s->node_count; i++) {
        double *u = &pd_axis(&s->host->moved, axis)[i];
        *u = -scale * pd_axis(&s->host->force, axis)[i];
        pd_axis(&s->host->position, axis)[i] = pd_axis(&s->host->reference, axis)[i] + *u;
      }
    pd_bond_pass(s);
    for (int axis = 0; axis < 3; axis++)
      for (size_t i = 0; i < s->node_count; i++) product -= pd_axis(&s->host->force, axis)[i] * pd_axis(&s->host->moved, axis)[i];
    quotient = product / (amplitude * amplitude);
  }
  return sqrt(quotient / mass);
}

/* The bond bound is 6.417e-8 s, safe by a factor of two: the true limit 2 / omega_max is 1.298e-7 s (check 8, half a unit of the last
 * digit; the power iteration has settled to 1e-5). */
static void test_the_bond_bound_is_half_the_true_limit(void **state)
{
  (void)state;
  sim_run c = open_free_sphere(2e-8);
  check_relative("sphere: bound of the bonds, s", run_state(&c)->bodies[0].step_bound, 6.417e-8, 1e-4);
  check_relative("sphere: 2 / omega_max, s", 2 / highest_frequency(run_state(&c)), 1.298e-7, 5e-4);
  run_close(&c);
}

/* A normal deviate. */
static double normal(uint64_t *seed)
{
  double u = 0.5 * (uniform(seed) + 1), v = 0.5 * (uniform(seed) + 1);
  return sqrt(-2 * log(u + 1e-300)) * cos(2 * M_PI * v);
}

/* Normal velocities of size `speed`: largest energy over the first within so many steps, the step at which it passed 1e6, and the growth
 * over the last step. */
typedef struct growth {
  double largest, last;
  int passed;
} growth;

static growth vibrate(double time_step, int steps, double speed, uint64_t seed)
{
  sim_run c = open_free_sphere(time_step);
  pd_state *s = run_state(&c);
  growth g = {0};
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < s->node_count; i++) pd_axis(&s->host->velocity, axis)[i] = speed * normal(&seed);
  double first = pd_energy_kinetic(s), energy = first;
  for (int k = 1; k <= steps; k++) {
    run_steps(&c, 1);
    double before = energy;
    energy = pd_energy_kinetic(s) + pd_energy_elastic(s);
    g.last = energy / before;
    g.largest = fmax(g.largest, energy / first);
    if (!g.passed && energy > 1e6 * first) g.passed = k;
  }
  run_close(&c);
  return g;
}

/* Just below the limit a free vibration stays below 2.5 E0 over 1500 steps (check 8). */
static void test_a_step_below_the_true_limit_keeps_vibrations_bounded(void **state)
{
  (void)state;
  growth g = vibrate(1.29e-7, 1500, 1e-3, 7);
  claim_between("sphere: largest E / E0 at 1.29e-7 s", g.largest, 0, 2.5, "check 8");
}

/* Just above it the highest mode grows by exp(2 theta) per step, cosh theta = 2 (dt omega_max / 2)^2 - 1: by 1.716 at 1.31e-7 s. That is
 * the most that can be; slower modes still in the mix after 60 steps keep it a few percent below. How soon E passes 1e6 E0 depends on the
 * highest modes' share in the noise: the share of one degree of freedom in 5688 gives 37 steps. Check 8 quotes 32 for a draw that is not
 * recorded (twelve draws gave 33 to 36 here); one step more is a factor of 1.7 in the share. */
static void test_a_step_above_the_true_limit_lets_the_highest_mode_grow(void **state)
{
  (void)state;
  double theta = acosh(2 * pow(1.31 / 1.29814652, 2) - 1);
  double most = exp(2 * theta), last = vibrate(1.31e-7, 60, 1e-8, 7).last;
  claim_between("sphere: growth of E per step at 1.31e-7 s over exp(2 theta)", last / most, 0.9, 1.001, "Verlet's characteristic root");
  growth g = vibrate(1.31e-7, 40, 1e-3, 7);
  claim_between("sphere: steps to 1e6 E0 at 1.31e-7 s, one draw", g.passed, 1, 37, "one degree of freedom's share of the noise");
}

SUITE(validate_peridem_lattice)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bond_constants_give_back_bulk_modulus_and_fracture_energy),
      cmocka_unit_test(test_bond_forces_are_the_gradient_of_their_energy),
      cmocka_unit_test(test_a_lattice_has_the_stiffness_of_its_bond_sums),
      cmocka_unit_test(test_a_free_cube_is_softer_by_its_surface),
      cmocka_unit_test(test_the_bond_bound_is_half_the_true_limit),
      cmocka_unit_test(test_a_step_below_the_true_limit_keeps_vibrations_bounded),
      cmocka_unit_test(test_a_step_above_the_true_limit_lets_the_highest_mode_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
