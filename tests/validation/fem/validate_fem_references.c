/* The method fem against published numbers: beams that bend far, the decay of vibrations, the energy that a closing gap takes. References:
 * Mattiasson's elastica, the spec's prototype in numpy (checks 13 and 16, and its section 3.4). */
#include "methods/fem/coarsen/modes.h"
#include "methods/fem/state/state.h"
#include "tests/support/fem_blocks.h"
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

#define CLAMP "\"type\": \"grips\", \"axis\": \"x\", \"low_end\": 1e-6"

/* ── large deflection ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Means over the nodes of the end's face, m, and the energy, J. */
typedef struct bent {
  double drop, shortening, energy;
} bent;

static bent bend(double young, double nu, const double size[3], const int cells[3], double force, const char *element)
{
  char load[160];
  snprintf(load, sizeof load, ", \"load_side\": \"x_max\", \"load\": [0, 0, %.17g]", -force);
  fem_scene scene = {.young = young,
                     .nu = nu,
                     .density = 1000,
                     .size = {size[0], size[1], size[2]},
                     .cells = {cells[0], cells[1], cells[2]},
                     .place = {0.5 * size[0], 0, 0},
                     .step = 1e-3,
                     .duration = 1,
                     .element = element,
                     .rig = CLAMP,
                     .load = load,
                     .options = ", \"loading\": \"static\", \"release\": false"};
  sim_run r = fem_open(&scene, 1);
  const fem_state *s = r.sim->state;
  bent result = {.energy = run_curve(&r, "energy.elastic")};
  double count = 0;
  for (size_t n = 0; n < s->system.node_count; n++) {
    if (s->system.rest[3 * n] < size[0] * (1 - 1e-9)) continue;
    result.drop -= s->motion.displacement[3 * n + 2];
    result.shortening -= s->motion.displacement[3 * n];
    count++;
  }
  result.drop /= count;
  result.shortening /= count;
  run_close(&r);
  return result;
}

/* A thin cantilever with nu = 0 under a dead load at its end, to half its length: the elastica, which neither stretches nor shears. At
 * length over thickness 40 both are some 1e-4 of the deflection, and a layer of 40 elements of incompatible modes bends within some 1e-3.
 * */
static void test_a_thin_cantilever_bends_as_the_elastica(void **state)
{
  static const double load[3] = {1, 2, 5}, drop[3] = {0.30172, 0.49346, 0.71379}, shortening[3] = {0.05643, 0.16064, 0.38763};
  const double size[3] = {0.4, 0.01, 0.01};
  const int cells[3] = {40, 1, 1};
  char name[96];
  (void)state;
  for (int k = 0; k < 3; k++) {
    bent b = bend(1e8, 0, size, cells, load[k] * 1e8 * 1e-8 / 12 / (size[0] * size[0]), "incompatible-modes");
    snprintf(name, sizeof name, "drop of the tip over the length, P L^2/(EI) = %g", load[k]);
    claim_relative(name, b.drop / size[0], drop[k], 1e-3, "Mattiasson 1981, Int. J. Numer. Meth. Eng. 17, 145");
    snprintf(name, sizeof name, "shortening over the length, P L^2/(EI) = %g", load[k]);
    claim_relative(name, b.shortening / size[0], shortening[k], 1e-3, "Mattiasson 1981, Int. J. Numer. Meth. Eng. 17, 145");
  }
}

/* 10 N at the end of the cantilever of 100 x 10 x 10 mm bend it by a third of its length. Coarse meshes that lock, and the same with
 * Young's modulus scaled by the s that makes their first mode right, over 40 x 4 x 4 elements (check 13, whose numbers have three digits).
 * */
static void test_a_scaled_coarse_beam_bends_far_as_a_fine_one(void **state)
{
  static const struct {
    int n;
    double s, drop, energy, scaled_drop, scaled_energy;
  } cases[] = {{5, .3780, .426, .449, 1.008, 1.005}, {10, .6588, .716, .740, 1.015, 1.013}, {20, .8127, .859, .875, 1.016, 1.014}};
  const double size[3] = {0.1, 0.01, 0.01};
  const int fine_cells[3] = {40, 4, 4};
  char name[96];
  (void)state;
  bent fine = bend(1e8, 0.3, size, fine_cells, 10, "plain");
  claim_absolute("drop of the tip over the length, 40 x 4 x 4", fine.drop / 0.1, 0.340, 5e-4, "prototype in numpy, spec 5.4");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int cells[3] = {cases[k].n, 1, 1};
    bent plain = bend(1e8, 0.3, size, cells, 10, "plain"), scaled = bend(1e8 * cases[k].s, 0.3, size, cells, 10, "plain");
    snprintf(name, sizeof name, "drop over the fine mesh's, %d x 1 x 1", cases[k].n);
    claim_absolute(name, plain.drop / fine.drop, cases[k].drop, 1e-3, "prototype in numpy, check 13");
    snprintf(name, sizeof name, "energy over the fine mesh's, %d x 1 x 1", cases[k].n);
    claim_absolute(name, plain.energy / fine.energy, cases[k].energy, 1e-3, "prototype in numpy, check 13");
    snprintf(name, sizeof name, "drop over the fine mesh's, scaled, %d x 1 x 1", cases[k].n);
    claim_absolute(name, scaled.drop / fine.drop, cases[k].scaled_drop, 1e-3, "prototype in numpy, check 13");
    snprintf(name, sizeof name, "energy over the fine mesh's, scaled, %d x 1 x 1", cases[k].n);
    claim_absolute(name, scaled.energy / fine.energy, cases[k].scaled_energy, 1e-3, "prototype in numpy, check 13");
  }
}

/* ── damping ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The damping ratio by the logarithmic decrement of the first mode over 10 periods; peaks by parabolas through three steps. */
static double decrement(double zeta, int steps)
{
  const double size[3] = {0.08, 0.01, 0.01};
  const uint32_t cells[3] = {8, 1, 1};
  geo_hexes mesh = fem_test_box(size, cells, 0, true);
  for (size_t n = 0; n < mesh.node_count; n++) mesh.node[n][0] += 0.5 * size[0];
  fem_system system = fem_test_system(&mesh, fem_test_matter(FEM_LINEAR, FEM_PLAIN, 1e8, 0.3), 1000);
  unsigned char *fixed = calloc(3, system.node_count);
  fem_modes modes = {0};
  assert_non_null(fixed);
  for (size_t k = 0; k < 3 * system.node_count; k++) fixed[k] = system.rest[k - k % 3] < 1e-9;
  assert_int_equal(fem_modes_find(&system, fixed, 2, &modes, NULL), SCR_OK);
  double omega = sqrt(modes.value[0]), step = 2 * M_PI / omega / steps;
  fem_scene scene = {.young = 1e8,
                     .nu = 0.3,
                     .density = 1000,
                     .damping = 2 * zeta / omega,
                     .size = {size[0], size[1], size[2]},
                     .cells = {8, 1, 1},
                     .place = {0.5 * size[0], 0, 0},
                     .step = step,
                     .duration = 20 * steps * step,
                     .law = "linear",
                     .rig = CLAMP};
  sim_run r = fem_open(&scene, 1);
  fem_state *s = r.sim->state;
  size_t count = 3 * system.node_count;
  double *moment = mem_array(count, sizeof *moment), peak[12] = {0}, before[2];
  assert_non_null(moment);
  assert_int_equal(s->system.node_count, system.node_count);
  for (size_t k = 0; k < count; k++) s->motion.displacement[k] = 1e-6 * modes.shape[k];
  assert_int_equal(fem_solver_refresh(&s->solver, NULL), SCR_OK);
  fem_mass_multiply(&system, modes.shape, moment, execution_of(1));
  before[0] = before[1] = NAN;
  int found = 0;
  for (int n = 0; found < 11 && n < 14 * steps; n++) {
    double a = 0;
    run_steps(&r, 1);
    for (size_t k = 0; k < count; k++) a += moment[k] * s->motion.displacement[k];
    if (before[1] >= before[0] && before[1] > a) {
      double slope = 0.5 * (a - before[0]), curve = a - 2 * before[1] + before[0];
      peak[found++] = before[1] - 0.5 * slope * slope / curve;
    }
    before[0] = before[1], before[1] = a;
  }
  assert_int_equal(found, 11);
  double delta = log(peak[0] / peak[10]) / 10;
  run_close(&r);
  mem_free(moment);
  free(fixed);
  fem_modes_clear(&modes);
  fem_system_clear(&system);
  geo_hexes_clear(&mesh);
  return delta / sqrt(4 * M_PI * M_PI + delta * delta);
}

/* A cantilever of 80 x 10 x 10 mm, 8 x 1 x 1 linear elements, swings in its first mode with b = 2 zeta/omega: its damping ratio comes back.
 * The trapezoidal rule bends frequencies, not amplitudes: at 20 steps a period the ratio is 1.7 % low (check 16; 2 % and 0.1 %). */
static void test_vibrations_decay_by_their_damping_ratio(void **state)
{
  static const double zeta[3] = {.01, .03, .05}, coarse[3] = {.009827, .029474, .049103}, fine[3] = {.009993, .029980, .049967};
  char name[96];
  (void)state;
  for (int k = 0; k < 3; k++) {
    double at_20 = decrement(zeta[k], 20), at_100 = decrement(zeta[k], 100);
    snprintf(name, sizeof name, "damping ratio for %g, 20 steps a period", zeta[k]);
    claim_relative(name, at_20, zeta[k], 2e-2, "logarithmic decrement");
    claim_relative(name, at_20, coarse[k], 3e-3, "prototype in numpy, check 16; peaks between steps by parabolas");
    snprintf(name, sizeof name, "damping ratio for %g, 100 steps a period", zeta[k]);
    claim_relative(name, at_100, zeta[k], 1e-3, "logarithmic decrement");
    claim_relative(name, at_100, fine[k], 3e-4, "prototype in numpy, check 16");
  }
}

/* ── energy at a wall ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Without damping and without the impact step, a linear body at a wall loses in each step its contact forces times the gaps that close in
 * it, and nothing else. Bar of check 9 with 10 elements at CFL 1, at 3 mm/s. */
static void test_a_wall_takes_force_times_the_gap_it_closes(void **state)
{
  (void)state;
  double c = sqrt(1e6 / 1000), h = 0.01 / c, worst = 0, closed = 0;
  fem_scene scene = {.young = 1e6,
                     .density = 1000,
                     .size = {0.01, 0.01, 0.1},
                     .cells = {1, 1, 10},
                     .place = {0, 0, 0.05 + 1e-9},
                     .velocity = {0, 0, -0.003},
                     .step = h,
                     .duration = 3 * 0.1 / c,
                     .law = "linear",
                     .impact = "none",
                     .obstacles = FEM_FLOOR};
  sim_run r = fem_open(&scene, 1);
  const fem_state *s = r.sim->state;
  run_observe(&r);
  double first = run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic"), before = first;
  while (scr_sim_time(r.sim) < scene.duration) {
    double low[4] = {0}, lost = 0;
    size_t count = 0;
    for (size_t n = 0; n < s->system.node_count; n++)
      if (s->system.rest[3 * n + 2] < 1e-6) low[count++] = s->system.rest[3 * n + 2] + s->motion.displacement[3 * n + 2];
    run_steps(&r, 1);
    run_observe(&r);
    for (size_t k = 0; k < s->solver.touches.count; k++) { /* sorted by node, as the gaps above are */
      const fem_touch *touch = &s->solver.touches.item[k];
      size_t place = 0;
      for (size_t n = 0; n < touch->node[0]; n++) place += s->system.rest[3 * n + 2] < 1e-6;
      assert_true(place < 4);
      lost += touch->force[0] * low[place];
    }
    double now = run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic");
    worst = fmax(worst, fabs(now - before + lost));
    closed += lost;
    before = now;
  }
  claim_between("largest |dE + sum of force times gap| of a step over the energy", worst / first, 0, 1e-10,
                "spec 3.4 (iii): exact; prototype 5.3e-7 with a nonlinear law");
  claim_between("energy that the wall took over that at the start", closed / first, 1e-3, 0.1,
                "check 9: 0.4 % at CFL 1; nothing is hidden");
  run_close(&r);
}

SUITE(validate_fem_references)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_thin_cantilever_bends_as_the_elastica),
      cmocka_unit_test(test_a_scaled_coarse_beam_bends_far_as_a_fine_one),
      cmocka_unit_test(test_vibrations_decay_by_their_damping_ratio),
      cmocka_unit_test(test_a_wall_takes_force_times_the_gap_it_closes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
