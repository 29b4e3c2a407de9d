/* The law of sand by its formulas: coordinates of tensors, the cone and its residual, how full a cell counts, mu(I). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/granular/law/bound.h"
#include "methods/granular/law/cone.h"
#include "methods/granular/law/inertial.h"
#include "methods/granular/law/packing.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

static uint64_t seed = 20261125; /* fixed */
static double any(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-52 - 1; /* -1 ... 1 */
}

static void any_tensor(int d, double g[3][3])
{
  for (int a = 0; a < d; a++)
    for (int i = 0; i < d; i++) g[a][i] = any();
}

/* T:T'/2 = l.l' and |Dev T| = |l_T| with |T| = sqrt(T:T/2), p = tr T/d = l0/sqrt(d/2), all computed from the matrices; and the
 * pairing with 2 l(sym G) is S:G, so
 * that stresses push nodes by the exact transpose. Spec "granular", check 1: 1e-14. */
static void test_tensor_coordinates_are_orthonormal(void **state)
{
  (void)state;
  for (int d = 2; d <= 3; d++)
    for (int trial = 0; trial < 1000; trial++) {
      double r[2][GRANULAR_TENSOR], s[2][3][3] = {{{0}}}, g[3][3] = {{0}}, rate[GRANULAR_TENSOR], half = 0, dot = 0, trace = 0,
                                    deviator = 0, work = 0, pairing = 0;
      for (int k = 0; k < 2; k++) {
        for (int i = 0; i < tensor_size(d); i++) r[k][i] = any();
        tensor_of(d, r[k], s[k]);
      }
      any_tensor(d, g);
      tensor_strain(d, g, rate);
      for (int a = 0; a < d; a++) trace += s[0][a][a];
      for (int a = 0; a < d; a++)
        for (int i = 0; i < d; i++) {
          double of = s[0][a][i] - (a == i ? trace / d : 0);
          half += 0.5 * s[0][a][i] * s[1][a][i], deviator += 0.5 * of * of, work += s[0][a][i] * g[a][i];
        }
      for (int i = 0; i < tensor_size(d); i++) dot += r[0][i] * r[1][i], pairing += r[0][i] * rate[i];
      if (fabs(half - dot) > 1e-14 * 10 || fabs(sqrt(deviator) - tensor_deviator(d, r[0])) > 1e-14 || fabs(work - pairing) > 1e-14 * 10 ||
          fabs(trace / d - r[0][0] / tensor_pressure_scale(d)) > 1e-14)
        fail_msg("d %d, trial %d: %.17g %.17g, %.17g %.17g", d, trial, half, dot, work, pairing);
    }
}

/* Simple shear at rate q: the deviator of 2 l(D) is q, the shear rate; uniform expansion at rate e has none, and l0 = 2 e sqrt(d/2). */
static void test_rates_are_those_of_simple_shear(void **state)
{
  (void)state;
  for (int d = 2; d <= 3; d++) {
    double g[3][3] = {{0}}, rate[GRANULAR_TENSOR];
    g[1][0] = 3.5;
    tensor_strain(d, g, rate);
    claim_absolute("shear rate, 1/s", tensor_deviator(d, rate), 3.5, 1e-15, "d u_x/d y");
    claim_absolute("expansion in shear, 1/s", rate[0], 0, 0, "simple shear");
    g[1][0] = 0;
    for (int a = 0; a < d; a++) g[a][a] = 0.7;
    tensor_strain(d, g, rate);
    claim_absolute("expansion, 1/s", rate[0], 2 * 0.7 * sqrt(d / 2.0), 1e-15, "2 tr D/d sqrt(d/2)");
    claim_absolute("shear in expansion, 1/s", tensor_deviator(d, rate), 0, 1e-15, "uniform expansion");
  }
}

/* A pair (r, g) that keeps the law: gas, solid or liquid by turns. */
static void lawful(int d, int kind, double c, double *r, double *g)
{
  double length = 0, direction[GRANULAR_TENSOR];
  memset(r, 0, GRANULAR_TENSOR * sizeof *r), memset(g, 0, GRANULAR_TENSOR * sizeof *g);
  for (int i = 1; i < cell_size(d); i++) direction[i] = any(), length += direction[i] * direction[i];
  for (int i = 1; i < cell_size(d); i++) direction[i] /= sqrt(length);
  if (kind == 0) {
    g[0] = 1 + any();
    for (int i = 1; i < cell_size(d); i++) g[i] = any();
    return;
  }
  r[0] = 1.5 + any();
  double share = kind == 1 ? 0.5 + 0.49 * any() : 1, slip = kind == 1 ? 0 : 1.2 + any();
  for (int i = 1; i < cell_size(d); i++) r[i] = share * c * r[0] * direction[i], g[i] = -slip * direction[i];
}

/* The closed step leaves every lawful pair as it is, and the residual of it is 0, for any weights; where the cell closes besides, the
 * step adds what the rate
 * says, and the residual is above 0.
 * Fixed points of the step are exactly the law's solutions: spec section 10.1. */
static void test_the_law_is_where_the_step_rests(void **state)
{
  (void)state;
  for (int d = 2; d <= 3; d++)
    for (int trial = 0; trial < 3000; trial++) {
      double r[GRANULAR_TENSOR], g[GRANULAR_TENSOR], after[GRANULAR_TENSOR], c = cone_friction(d, 0.5 + 0.49 * any()), moved = 0;
      double wn = 0.1 + fabs(any()), wt = 0.1 + fabs(any());
      lawful(d, trial % 3, c, r, g);
      memcpy(after, r, sizeof after);
      cone_step(d, after, g, wn, wt, c);
      for (int i = 0; i < cell_size(d); i++) moved = fmax(moved, fabs(after[i] - r[i]));
      if (moved > 1e-14) fail_msg("d %d, kind %d: the step moves a solution by %.3g", d, trial % 3, moved);
      if (trial % 3 > 0 && cone_residual(d, r, g, wn, c) > 1e-14)
        fail_msg("d %d, kind %d: a solution has the residual %.3g", d, trial % 3, cone_residual(d, r, g, wn, c));
      if (trial % 3 == 0) continue;
      g[0] -= 0.3; /* closing */
      memcpy(after, r, sizeof after);
      cone_step(d, after, g, wn, wt, c);
      if (fabs(after[0] - r[0] - 0.3 * wn) > 1e-14) fail_msg("d %d, kind %d: closing at 0.3/s adds %.17g", d, trial % 3, after[0] - r[0]);
      if (!(cone_residual(d, r, g, wn, c) > 1e-2)) fail_msg("d %d, kind %d: a pair that is none has no residual", d, trial % 3);
    }
}

/* In coordinates the cone of |tau| = mu p has the friction mu sqrt(2/d): a shear stress at the limit is left alone, one of 1.1 times
 * is cut to it. */
static void test_the_cone_is_that_of_coulomb(void **state)
{
  (void)state;
  for (int d = 2; d <= 3; d++) {
    double mu = 0.4, p = 700, r[GRANULAR_TENSOR] = {0}, none[GRANULAR_TENSOR] = {0}, s[3][3];
    r[0] = p * tensor_pressure_scale(d);
    r[d == 2 ? 2 : 3] = 1.1 * mu * p; /* tau_xy */
    cone_step(d, r, none, 1, 1, cone_friction(d, mu));
    tensor_of(d, r, s);
    claim_relative("shear stress at the limit, Pa", s[0][1], mu * p, 1e-15, "mu p");
    claim_relative("pressure, Pa", s[0][0], p, 1e-15, "as given");
  }
}

/* A cell lacks 1 - phi over the step, in the trace; over-filling is left alone up to the band of 0.1, and undone by a fifth of what
 * is beyond. */
static void test_gaps_of_cells(void **state)
{
  (void)state;
  for (int d = 2; d <= 3; d++) {
    double scale = sqrt(2.0 / d), dt = 0.004;
    claim_relative("half-empty cell, 1/s", packing_gap(d, 0.5, dt), scale * 0.5 / dt, 1e-14, "(1 - phi)/dt");
    claim_absolute("full cell, 1/s", packing_gap(d, 1, dt), 0, 0, "full");
    claim_absolute("cell in the band, 1/s", packing_gap(d, 1.08, dt), 0, 0, "left alone");
    claim_relative("over-full cell, 1/s", packing_gap(d, 1.3, dt), -scale * 0.2 * 0.2 / dt, 1e-12, "0.2 (phi - 1.1)/dt");
  }
  claim_absolute("own fraction counts up to 1", packing_fraction(1.4, 0.9), 1, 0, "max(min(1, own), nodes)");
  claim_absolute("own fraction below 1", packing_fraction(0.8, 0.5), 0.8, 0, "max(min(1, own), nodes)");
  claim_absolute("fraction of the nodes", packing_fraction(0.8, 1.2), 1.2, 0, "max(min(1, own), nodes)");
}

/* Jop, Forterre, Pouliquen 2006: I = rate d/sqrt(p/rho); at I = I0 half of the increment is added; at none nothing. */
static void test_friction_grows_with_the_inertial_number(void **state)
{
  (void)state;
  claim_relative("inertial number", inertial_number(20, 1000, 0.002, 2500), 20 * 0.002 / sqrt(1000.0 / 2500), 1e-15,
                 "I = rate d/sqrt(p/rho)");
  claim_relative("friction at I0", inertial_friction(0.38, 0.26, 0.279, 0.279), 0.38 + 0.13, 1e-15, "mu_s + dmu/2");
  claim_relative("friction at 3 I0", inertial_friction(0.38, 0.26, 0.279, 3 * 0.279), 0.38 + 0.26 * 0.75, 1e-15, "mu_s + 3 dmu/4");
  claim_absolute("friction at rest", inertial_friction(0.38, 0.26, 0.279, 0), 0.38, 0, "mu_s");
}

/* Shear at a corner of a cell whose velocity is H xi eta, xi and eta from -1 to 1 over h: |(r_3, r_4)| = 2 |Dev D| there, computed from the
 * matrix of gradients. */
static void test_hourglass_rates_are_the_shear_at_corners(void **state)
{
  (void)state;
  const double h = 0.02, amplitude[2] = {0.3, -0.7}, edge[8] = {0.5 / h, 0.5 / h, 0, 0, 0.5 / h, 0.5 / h, 0, 0},
               weight = hourglass_weight(edge);
  double rate[2] = {0, 0}, strain[GRANULAR_TENSOR], g[3][3] = {{0}};
  for (int n = 0; n < 4; n++) {
    double xi = n & 1 ? 1 : -1, eta = n >> 1 ? 1 : -1;
    for (int i = 0; i < 2; i++) rate[i] += weight * hourglass_sign(n) * amplitude[i] * xi * eta;
  }
  for (int i = 0; i < 2; i++) g[0][i] = 2 / h * amplitude[i], g[1][i] = 2 / h * amplitude[i]; /* at xi = eta = 1 */
  tensor_strain(2, g, strain);
  claim_relative("shear rate of the hourglass modes, 1/s", hypot(rate[0], rate[1]), tensor_deviator(2, strain), 1e-14, "at a corner");
  const double share = 0.3, x = 0.2, y = 0.4, aside[8] = {share * (1 - y), share * y, 0, 0, share * (1 - x), share * x};
  claim_relative("weight in a cell whose sand lies aside, 1/m", hourglass_weight(aside),
                 share * sqrt(0.5) * 4 * sqrt(x * (1 - x) * y * (1 - y)), 1e-14, "0 at a face");
}

/* Packing follows the continuity equation: what opens by a fifth fills 1/1.2 of its place, what closes by as much as it lacks is packed,
 * and nothing is more. */
static void test_packing_follows_the_volume(void **state)
{
  (void)state;
  claim_relative("opened by a fifth", packing_after(0.9, 0.2), 0.9 / 1.2, 1e-15, "phi/(1 + dV/V)");
  claim_relative("closed by a tenth", packing_after(0.8, -0.1), 0.88, 1e-15, "phi (1 - dV/V)");
  claim_absolute("closed by what it lacks", packing_after(0.8, -(1 - 0.8) / 0.8), 1, 1e-15, "the gap of the law");
  claim_absolute("closed by more", packing_after(0.8, -0.5), 1, 0, "packed");
}

/* Row x of B at a node is the strain of a velocity along k times the node's gradient: W summed up from rows, and its bounds bound it. */
static void test_bounds_are_those_of_the_matrix(void **state)
{
  (void)state;
  for (int d = 2; d <= 3; d++) {
    const int size = cell_size(d);
    double q[GRANULAR_TENSOR] = {0}, w[GRANULAR_TENSOR][GRANULAR_TENSOR], direct[GRANULAR_TENSOR][GRANULAR_TENSOR] = {{0}}, off = 0,
           own = 0, across[2] = {0, 0};
    const double edge[8] = {1.1, 0.8, 0, 0, 0.3, 1.6};
    for (int n = 0; n < 4; n++) {
      const double g[3] = {0.7 + n, -1.3 * n + 0.2, 0.4 * n * n - 1}, inverse = 0.5 + 0.3 * n;
      for (int a = 0; a < d; a++) q[a] += inverse * g[a] * g[a];
      q[d] += inverse * g[0] * g[1];
      if (d == 3) q[4] += inverse * g[0] * g[2], q[5] += inverse * g[1] * g[2];
      const double mode = hourglass_sign(n) * hourglass_weight(edge);
      own += inverse * mode * mode;
      for (int a = 0; a < 2; a++) across[a] += inverse * mode * g[a];
      for (int k = 0; k < d; k++) {
        double field[3][3] = {{0}}, row[GRANULAR_TENSOR] = {0};
        for (int a = 0; a < d; a++) field[a][k] = g[a];
        tensor_strain(d, field, row);
        if (d == 2) row[3 + k] = mode;
        for (int x = 0; x < size; x++)
          for (int y = 0; y < size; y++) direct[x][y] += inverse * row[x] * row[y];
      }
    }
    bound_matrix(d, q, w);
    if (d == 2) bound_hourglass(own, across, w);
    for (int x = 0; x < size; x++)
      for (int y = 0; y < size; y++) off = fmax(off, fabs(w[x][y] - direct[x][y]));
    claim_absolute(d == 2 ? "matrix of a cell in the plane, off its sum over rows" : "matrix of a cell in space, off its sum over rows",
                   off, 0, 1e-13, "W = B M^-1 B^T");
    double normal, tangent, cross = 0, largest = 0;
    bound_inverses(d, w, &normal, &tangent);
    for (int x = 1; x < size; x++) {
      double sum = 0;
      cross += direct[0][x] * direct[0][x];
      for (int y = 1; y < size; y++) sum += fabs(direct[x][y]);
      largest = fmax(largest, sum);
    }
    claim_relative("bound of the normal", 1 / normal, direct[0][0] + sqrt(cross), 1e-13, "W00 + |W0T|");
    claim_relative("bound of the deviator", 1 / tangent, largest + sqrt(cross), 1e-13, "largest row sum + |W0T|");
  }
}

SUITE(test_granular_law)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensor_coordinates_are_orthonormal),
      cmocka_unit_test(test_rates_are_those_of_simple_shear),
      cmocka_unit_test(test_the_law_is_where_the_step_rests),
      cmocka_unit_test(test_the_cone_is_that_of_coulomb),
      cmocka_unit_test(test_gaps_of_cells),
      cmocka_unit_test(test_hourglass_rates_are_the_shear_at_corners),
      cmocka_unit_test(test_packing_follows_the_volume),
      cmocka_unit_test(test_friction_grows_with_the_inertial_number),
      cmocka_unit_test(test_bounds_are_those_of_the_matrix),
  };
  return cmocka_run_group_tests_name("granular law", tests, NULL, NULL);
}
