/* State-based elasticity against the linear elasticity of a solid with any Poisson ratio, and the correction of surfaces. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* A free cube of n^3 nodes, 1 mm apart. */
static sim_run open_cube(int n, double horizon, double nu, const char *options)
{
  char text[1200];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"cube\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9,"
      "\"poisson_ratio\":%.17g}],\"specimens\":[{\"name\":\"c\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":"
      "[%g,%g,%g]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1},\"options\":{\"horizon\":%.17g,\"horizon_weight\":\"none\",%s}}",
      nu, n * 1e-3, n * 1e-3, n * 1e-3, horizon, options);
  return run_open(text, 1);
}

/* Moves every node by a linear field u = D X. */
static void deform(const sim_run *run, const double D[3][3])
{
  const pd_host *h = run_state(run)->host;
  for (size_t i = 0; i < run_state(run)->node_count; i++) {
    double X[3] = {h->reference.x[i], h->reference.y[i], h->reference.z[i]},
           *x[3] = {&h->position.x[i], &h->position.y[i], &h->position.z[i]};
    for (int a = 0; a < 3; a++) *x[a] = X[a] + D[a][0] * X[0] + D[a][1] * X[1] + D[a][2] * X[2];
  }
}

static double elastic_energy(const sim_run *run)
{
  sim_energies now = {0};
  run_state(run)->backend->energies(run_state(run), &now);
  return now.elastic;
}

/* Under a uniform expansion e every bond is stretched by e: no node sees a deviation, its dilatation is 3 e to rounding, whatever
 * neighbours it has, and it stores 9 k e^2 / 2. Without the correction the same free cube stores less (check 3 of the method's notes: 0.94
 * to 0.79). */
static void test_every_node_expands_like_a_solid(void **state)
{
  (void)state;
  static const double ratios[] = {0, 0.1, 0.25, 0.4};
  const double e = 1e-4, D[3][3] = {{1e-4, 0, 0}, {0, 1e-4, 0}, {0, 0, 1e-4}};
  double solid = 4.5 * 1e9 * e * e * pow(10e-3, 3);
  char name[80];
  for (int k = 0; k < 4; k++) {
    sim_run run = open_cube(10, 3e-3, ratios[k], "\"elasticity\":\"state\"");
    deform(&run, D);
    snprintf(name, sizeof name, "state, Poisson's ratio %g: energy over that of a solid", ratios[k]);
    claim_relative(name, elastic_energy(&run) / solid, 1, 1e-9, "elasticity; strains are good to 1e-12 of 1e-4");
    run_close(&run);
  }
  sim_run corrected = open_cube(10, 3e-3, 0.25, "\"surface_correction\":\"volume\"");
  sim_run bonds = open_cube(10, 3e-3, 0.25, "\"surface_correction\":\"none\"");
  deform(&corrected, D);
  deform(&bonds, D);
  claim_relative("bonds, corrected: energy over that of a solid", elastic_energy(&corrected) / solid, 1, 1e-9, "elasticity");
  claim_shown("bonds: energy over that of a solid", elastic_energy(&bonds) / solid);
  run_close(&corrected);
  run_close(&bonds);
}

/* Energy density of the cube's middle node, as its rows say: an independent sum of the formulas of moments.h. Pa */
static double density_in_the_middle(const sim_run *run)
{
  const pd_body *body = &run_state(run)->bodies[0];
  const pd_host *h = run_state(run)->host;
  size_t middle = 0;
  for (size_t i = 0; i < body->node_count; i++)
    if (fabs(body->x[i]) + fabs(body->y[i]) + fabs(body->z[i]) < 1e-9) middle = i;
  double expansion = 0, bonds = 0;
  for (uint32_t k = body->bonds.first[middle], end = k + body->bonds.count[middle]; k < end; k++) {
    size_t j = body->bonds.other[k];
    double L = 1 / body->bonds.inverse_length[k], dx = h->position.x[j] - h->position.x[middle],
           dy = h->position.y[j] - h->position.y[middle], dz = h->position.z[j] - h->position.z[middle],
           e = sqrt(dx * dx + dy * dy + dz * dz) - L;
    expansion += e, bonds += body->bonds.weight[k] * body->micromodulus * e * e / L;
  }
  double theta = 3 * expansion * body->node_volume / body->moment[middle]; /* phi = 1: the constant law */
  return 0.5 * body->volumetric_modulus * theta * theta + 0.25 * bonds * body->node_volume;
}

/* The patch: a linear field on a lattice whose middle node is far from any surface. Reference: (k + 4 G / 3) e^2 / 2 uniaxial, G g^2 / 2 in
 * simple shear. The sums over a lattice stand for integrals over a ball: with 4 spacings to the horizon they are within 4 %, most of it in
 * shear (the lattice is not quite isotropic); the volumetric part is exact. */
static void test_patches_store_the_energy_of_a_solid(void **state)
{
  (void)state;
  static const double ratios[] = {0, 0.25, 0.4};
  const double e = 1e-5, stretch[3][3] = {{1e-5, 0, 0}, {0, 0, 0}, {0, 0, 0}}, shear[3][3] = {{0, 1e-5, 0}, {0, 0, 0}, {0, 0, 0}};
  char name[80];
  for (int k = 0; k < 3; k++) {
    double nu = ratios[k], bulk = 1e9, G = 3 * bulk * (1 - 2 * nu) / (2 * (1 + nu));
    sim_run run = open_cube(17, 4e-3, nu, "\"elasticity\":\"state\"");
    deform(&run, stretch);
    snprintf(name, sizeof name, "Poisson's ratio %g: uniaxial strain, energy over a solid's", nu);
    claim_relative(name, density_in_the_middle(&run) / (0.5 * (bulk + 4 * G / 3) * e * e), 1, 0.04, "elasticity");
    deform(&run, shear);
    snprintf(name, sizeof name, "Poisson's ratio %g: simple shear, energy over a solid's", nu);
    claim_relative(name, density_in_the_middle(&run) / (0.5 * G * e * e), 1, 0.04, "elasticity");
    run_close(&run);
  }
}

/* A bar of 30 x 8 x 8 mm between grips of 4 mm is drawn slowly, and damped, to a strain of 2e-4. */
static sim_run open_bar(double nu, double spacing, const char *elasticity)
{
  char text[1600];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"bar\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e9,"
      "\"poisson_ratio\":%.17g}],\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":{\"type\":\"box\",\"size\":"
      "[30e-3,8e-3,8e-3]}}],\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-11e-3,\"high_start\":11e-3,\"program\":["
      "{\"type\":\"ramp\",\"velocity\":0.04,\"duration\":5e-5},{\"type\":\"constant\",\"velocity\":0.04,\"duration\":1e-4},"
      "{\"type\":\"hold\",\"duration\":1}]},\"time\":{\"duration\":3e-4},\"options\":{\"damping_rate\":8e4,\"horizon_weight\":\"none\",%s}"
      "}",
      nu, spacing, elasticity);
  return run_open(text, 1);
}

/* Mean displacement per distance from the axis, across it, of the nodes in the middle of the bar, and along it. */
static void strains_of(const sim_run *run, double *across, double *along)
{
  const pd_host *h = run_state(run)->host;
  double yy = 0, yu = 0, xx = 0, xu = 0;
  for (size_t i = 0; i < run_state(run)->node_count; i++) {
    double X = h->reference.x[i], Y = h->reference.y[i], Z = h->reference.z[i];
    if (fabs(X) > 4e-3) continue;
    yy += Y * Y + Z * Z, yu += Y * (h->position.y[i] - Y) + Z * (h->position.z[i] - Z);
    xx += X * X, xu += X * (h->position.x[i] - X);
  }
  *across = yu / yy, *along = xu / xx;
}

/* Reference: a bar narrows by nu times its strain and pulls with E A times it. With eight nodes across and a horizon of three every node is
 * near a surface, where the dilatation is right but its bonds see shear otherwise than in a full ball: that makes 0.03 at 0.1 and 0.06 at
 * 0.4, and 6 to 10 % of E, so
 * 0.07 and 12 % are allowed; bonds alone narrow by a quarter whatever the material says, 0.15 from either. The layer in question is a
 * horizon thick: with twelve nodes across it is two thirds as thick, and so is the error of the ratio at 0.4 (a third more or less is
 * allowed for rounding of the layers). At
 * 0.1 the error is 0.029, 0.033 and 0.035 with 8, 12 and 16 nodes across: it does not fall, for a reason that is not known, so it is shown
 * only. */
static void test_a_bar_narrows_by_its_own_ratio(void **state)
{
  (void)state;
  static const double ratios[] = {0.1, 0.4};
  char name[120];
  double across, along;
  for (int k = 0; k < 2; k++) {
    sim_run run = open_bar(ratios[k], 1e-3, "\"elasticity\":\"state\"");
    run_until(&run, 3e-4);
    strains_of(&run, &across, &along);
    snprintf(name, sizeof name, "Poisson's ratio %g: of the bar", ratios[k]);
    claim_absolute(name, -across / along, ratios[k], 0.07, "elasticity");
    double coarse = -across / along - ratios[k], force = run_curve(&run, "grip.high.force_x") / along;
    snprintf(name, sizeof name, "Poisson's ratio %g: force over E A strain", ratios[k]);
    claim_relative(name, -force / (1e9 * 64e-6), 1, 0.12, "elasticity");
    claim_between("energy balance error", fabs(run_value(&run, "energy.balance_error")), 0, 1e-3, "conservation of energy");
    run_close(&run);
    if (!claim_slow_part("twelve nodes across the bar")) continue;
    run = open_bar(ratios[k], 8e-3 / 12, "\"elasticity\":\"state\"");
    run_until(&run, 3e-4);
    strains_of(&run, &across, &along);
    snprintf(name, sizeof name, "Poisson's ratio %g: its error with twelve nodes across over that with eight", ratios[k]);
    double share = (-across / along - ratios[k]) / coarse;
    if (ratios[k] > 0.25)
      claim_between(name, share, 4.0 / 9, 8.0 / 9, "error as the surface's layer: 2/3");
    else
      claim_shown(name, share);
    run_close(&run);
  }
}

SUITE(validate_peridem_state)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_node_expands_like_a_solid),
      cmocka_unit_test(test_patches_store_the_energy_of_a_solid),
      cmocka_unit_test(test_a_bar_narrows_by_its_own_ratio),
  };
  return cmocka_run_group_tests_name("peridem state", tests, NULL, NULL);
}
