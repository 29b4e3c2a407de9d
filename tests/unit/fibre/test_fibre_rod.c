/* One rod by itself: derivatives of its energies against differences, equilibria against closed forms and published numbers, twist and
 * writhe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/rod_cases.h"
#include "tests/support/suites.h"

static double random_number(uint64_t *state)
{
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 33) / (double)(1u << 31) * 2 - 1;
}

/* A crooked rod, twisted, with natural strains and lengths of its own and three different stiffnesses. */
static made_rod crooked(bool ring, uint64_t seed)
{
  enum { N = 9 };
  scr_vec3 places[N];
  for (int i = 0; i < N; i++) {
    double x = random_number(&seed), y = random_number(&seed), z = random_number(&seed);
    places[i] = ring ? vec3(2 * cos(2 * M_PI * i / N) + 0.2 * x, 2 * sin(2 * M_PI * i / N) + 0.2 * y, 0.5 * z)
                     : vec3(i + 0.3 * x, 0.5 * y, 0.5 * z);
  }
  made_rod m = made_rod_through(N, ring, places);
  m.rod.stretching = 3, m.rod.bending[0] = 2, m.rod.bending[1] = 5, m.rod.twisting = 1.7;
  for (uint32_t i = 0; i < N; i++) {
    if (i < m.rod.edges) m.place[4 * i + 3] = random_number(&seed), m.rest[i] *= 1 + 0.1 * random_number(&seed);
    for (int k = 0; k < 3; k++) m.natural[i][k] = 0.3 * random_number(&seed);
  }
  rod_carry_frames(&m.rod, m.place, &m.frames, &m.frames);
  return m;
}

/* Central differences of the energy. Measured 4e-10 of the largest component. */
static void test_the_gradient_is_the_slope_of_the_energy(void **state)
{
  (void)state;
  for (int ring = 0; ring < 2; ring++) {
    made_rod m = crooked(ring, 7);
    size_t n = 4 * (size_t)m.rod.nodes;
    double *gradient = calloc(n, sizeof *gradient), *q = calloc(n, sizeof *q), most = 0, worst = 0, h = 1e-5;
    rod_energy(&m.rod, m.place, &m.frames, gradient, ROD_EXACT, NULL);
    for (size_t i = 0; i < n; i++) {
      memcpy(q, m.place, n * sizeof *q);
      q[i] += h;
      double up = made_rod_energy(&m, q);
      q[i] -= 2 * h;
      double down = made_rod_energy(&m, q);
      worst = fmax(worst, fabs((up - down) / (2 * h) - gradient[i]));
      most = fmax(most, fabs(gradient[i]));
    }
    if (!(worst < 1e-8 * most)) fail_msg("%s: gradient off by %.2e of %.2e", ring ? "ring" : "chain", worst, most);
    free(gradient), free(q), made_rod_clear(&m);
  }
}

/* Second differences of the energy, every entry of the lower triangle: outside of the band there is nothing. Measured 6e-8. */
static void test_the_hessian_is_the_curvature_of_the_energy(void **state)
{
  (void)state;
  for (int ring = 0; ring < 2; ring++) {
    made_rod m = crooked(ring, 11);
    size_t n = 4 * (size_t)m.rod.nodes;
    double *gradient = calloc(n, sizeof *gradient), *q = calloc(n, sizeof *q), most = 0, worst = 0, h = 1e-4;
    rod_energy(&m.rod, m.place, &m.frames, gradient, ROD_EXACT, &m.scratch.matrix);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        size_t row = 4 * rod_place(&m.rod, (uint32_t)(i / 4)) + i % 4, column = 4 * rod_place(&m.rod, (uint32_t)(j / 4)) + j % 4;
        if (column > row) continue;
        double e[4], value = row - column <= m.scratch.matrix.width ? *la_band_at(&m.scratch.matrix, row, column) : 0;
        for (int k = 0; k < 4; k++) {
          memcpy(q, m.place, n * sizeof *q);
          q[i] += k & 1 ? -h : h;
          q[j] += k & 2 ? -h : h;
          e[k] = made_rod_energy(&m, q);
        }
        worst = fmax(worst, fabs((e[0] - e[1] - e[2] + e[3]) / (4 * h * h) - value));
        most = fmax(most, fabs(value));
      }
    if (!(worst < 1e-6 * most)) fail_msg("%s: Hessian off by %.2e of %.2e", ring ? "ring" : "chain", worst, most);
    free(gradient), free(q), made_rod_clear(&m);
  }
}

/* Gauss and Newton's Hessian has no negative eigenvalue: with next to no mass on its diagonal it can be factorised, bent and pressed as
 * the rod may be; the exact one can't here. */
static void test_gauss_newton_is_never_indefinite(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed < 40; seed++)
    for (int ring = 0; ring < 2; ring++) {
      made_rod m = crooked(ring, seed);
      for (uint32_t e = 0; e < m.rod.edges; e++) m.rest[e] *= 1.5; /* pressed */
      rod_energy(&m.rod, m.place, &m.frames, NULL, ROD_GAUSS_NEWTON, &m.scratch.matrix);
      for (size_t i = 0; i < m.scratch.matrix.size; i++) *la_band_at(&m.scratch.matrix, i, i) += 1e-9;
      assert_int_equal(la_band_factor(&m.scratch.matrix), m.scratch.matrix.size);
      rod_energy(&m.rod, m.place, &m.frames, NULL, ROD_EXACT, &m.scratch.matrix);
      for (size_t i = 0; i < m.scratch.matrix.size; i++) *la_band_at(&m.scratch.matrix, i, i) += 1e-9;
      assert_int_not_equal(la_band_factor(&m.scratch.matrix), m.scratch.matrix.size);
      made_rod_clear(&m);
    }
}

/* Turned and moved as a whole nothing changes; frames go along. */
static void test_a_rod_that_is_turned_as_a_whole_keeps_its_energy(void **state)
{
  (void)state;
  made_rod m = crooked(false, 3);
  double before = made_rod_energy(&m, m.place), *q = calloc(4 * (size_t)m.rod.nodes, sizeof *q);
  rod_frames frames = made_frames(m.rod.nodes);
  memcpy(q, m.place, 4 * (size_t)m.rod.nodes * sizeof *q);
  rod_carry_frames(&m.rod, q, &m.frames, &frames);
  for (int step = 0; step < 50;
       step++) { /* 5 rad about (1, 2, 2) / 3, in steps: parallel transport turns frames about the tangent, which theta does not know */
    double a = 0.1, c = cos(a), s = sin(a);
    scr_vec3 axis = vec3(1.0 / 3, 2.0 / 3, 2.0 / 3);
    for (uint32_t i = 0; i < m.rod.nodes; i++) {
      scr_vec3 x = rod_position(q, i),
               y = vec3_add(vec3_add(vec3_scale(x, c), vec3_scale(vec3_cross(axis, x), s)), vec3_scale(axis, vec3_dot(axis, x) * (1 - c)));
      q[4 * i] = y.x, q[4 * i + 1] = y.y, q[4 * i + 2] = y.z;
    }
    for (uint32_t e = 0; e < m.rod.edges; e++) { /* what the material frame really does: turns with the rest */
      scr_vec3 t = frames.tangent[e], d = frames.director[e];
      scr_vec3 nt = vec3_add(vec3_add(vec3_scale(t, c), vec3_scale(vec3_cross(axis, t), s)), vec3_scale(axis, vec3_dot(axis, t) * (1 - c)));
      scr_vec3 nd = vec3_add(vec3_add(vec3_scale(d, c), vec3_scale(vec3_cross(axis, d), s)), vec3_scale(axis, vec3_dot(axis, d) * (1 - c)));
      scr_vec3 carried = rod_transport(d, t, nt);
      q[4 * e + 3] += atan2(vec3_dot(vec3_cross(carried, nd), nt), vec3_dot(carried, nd));
    }
    rod_carry_frames(&m.rod, q, &frames, &frames);
  }
  rod_energies e = rod_energy(&m.rod, q, &frames, NULL, ROD_EXACT, NULL);
  assert_true(fabs(e.stretching + e.bending + e.twisting - before) < 1e-11 * before);
  free(q), free_frames(&frames), made_rod_clear(&m);
}

/* ── equilibria ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Tip of a clamped elastica, in units of its length, under a force 3 and 5 EI/L^2 at the tip and a weight 10 and 25 EI/L^3.
 *  References: the elastica's two-point problem by
 * shooting (spec 3.11b.7). Of second order: 40 and 80 edges are off by 4 to 1, at most 6e-4 and 1.7e-4, and extrapolated by 2e-5 at
 * most. */
static void test_a_clamped_rod_sags_as_the_elastica(void **state)
{
  (void)state;
  const struct {
    double tip, weight, x, drop;
  } cases[] = {{3, 0, 0.745580, 0.603253}, {5, 0, 0.612372, 0.713792}, {0, 10, 0.656354, 0.700200}, {0, 25, 0.386160, 0.855900}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double x[2], drop[2];
    for (uint32_t k = 0, n = 40; k < 2; k++, n *= 2) {
      rod_case_sag(n, cases[c].tip, cases[c].weight, &x[k], &drop[k]);
      if (fabs(x[k] - cases[c].x) > (k ? 1.7e-4 : 6e-4) || fabs(drop[k] - cases[c].drop) > (k ? 1.7e-4 : 6e-4))
        fail_msg("tip %g weight %g, %u edges: x %.6f drop %.6f", cases[c].tip, cases[c].weight, n, x[k], drop[k]);
    }
    double best_x = (4 * x[1] - x[0]) / 3, best_drop = (4 * drop[1] - drop[0]) / 3;
    if (fabs(best_x - cases[c].x) > 2e-5 || fabs(best_drop - cases[c].drop) > 2e-5)
      fail_msg("tip %g weight %g, extrapolated: x %.6f drop %.6f", cases[c].tip, cases[c].weight, best_x, best_drop);
  }
}

/* Small loads: q L^4 / (8 EI) times 1.0099, 1.0024, 1.0005 for 10, 20 and 40 edges (spec 3.11b.7), of second order. */
static void test_small_loads_bend_as_beams_do(void **state)
{
  (void)state;
  const double expected[] = {1.0099, 1.0024, 1.0005};
  for (uint32_t n = 10, k = 0; n <= 40; n *= 2, k++) {
    double x, drop;
    rod_case_sag(n, 0, 0.1, &x, &drop);
    if (fabs(drop * 8 / 0.1 - expected[k]) > 2e-4) fail_msg("%u edges: %.5f times q L^4 / 8 EI", n, drop * 8 / 0.1);
  }
}

/* Stiffer across one axis than the other: the deflections by a force along y and along z are as 1 to 3 where the section is. */
static void test_sections_have_two_stiffnesses(void **state)
{
  (void)state;
  double drop[2];
  for (int axis = 0; axis < 2; axis++) {
    made_rod m = rod_case_cantilever(20);
    rod_begin_frames(&m.rod, m.place, vec3(0, 1, 0), &m.frames); /* first director: y */
    m.rod.bending[0] = 3, m.rod.bending[1] = 1;
    m.force[4 * 21 + 1 + axis] = 1e-4;
    rod_case_settle(&m, 1e-10);
    drop[axis] = m.place[4 * 21 + 1 + axis];
    made_rod_clear(&m);
  }
  assert_true(fabs(drop[1] / drop[0] - 3) < 1e-6);
  assert_true(fabs(drop[1] / (1e-4 / 3) - 1) < 3e-3); /* P L^3 / (3 EI) */
}

/* A helix (kappa 1, tau 0.3) held at both ends as the helix (0.9, 0.45): the wrench along its axis is Kirchhoff's, force 0.171059 and
 * torque -0.035777 (spec 3.11b.7; EI = 1, GJ = 0.8). */
static void test_a_stretched_helix_pulls_with_kirchhoffs_wrench(void **state)
{
  (void)state;
  double force, torque;
  rod_case_wrench(200, &force, &torque);
  if (fabs(force / 0.171059 - 1) > 4e-3 || fabs(torque / -0.035777 - 1) > 4e-3) fail_msg("force %.6f torque %.6f", force, torque);
}

/* ── twist ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Michell 1889: a flat ring, naturally straight, buckles at 2 pi sqrt 3 EI/GJ. Of 25, 50, 100 edges +5.1, +1.26, +0.31 % (spec
 *  3.11b.5). Naturally circular ones at 2.455, 1.736, 1.345 turns for
 * GJ/EI 0.5, 0.75, 1. */
static void test_a_twisted_ring_buckles_at_michells_threshold(void **state)
{
  (void)state;
  double found[3];
  for (int k = 0; k < 3; k++) found[k] = rod_case_threshold(25u << k, 0.75, false) / (sqrt(3) / 0.75) - 1;
  if (fabs(found[0] - 0.051) > 2e-3 || fabs(found[1] - 0.0126) > 5e-4 || fabs(found[2] - 0.0031) > 2e-4)
    fail_msg("%.4f, %.4f, %.4f above Michell's threshold", found[0], found[1], found[2]);
  const double ratio[] = {0.5, 0.75, 1}, turns[] = {2.455, 1.736, 1.345};
  for (int k = 0; k < 3; k++) {
    double at = rod_case_threshold(100, ratio[k], true);
    if (fabs(at / turns[k] - 1) > 6e-3) fail_msg("naturally circular, GJ/EI %g: %.4f turns", ratio[k], at);
  }
}

/* Writhe of a closed curve on a torus is known in closed form only asymptotically; of a plane one it is 0, of two mirror images
 * opposite, and twist + writhe is whole. A trefoil's is 3.4 or so. */
static void test_writhe_of_flat_and_of_mirrored_curves(void **state)
{
  (void)state;
  enum { N = 90 };
  double writhe[2];
  for (int mirror = 0; mirror < 2; mirror++) {
    scr_vec3 places[N];
    for (int i = 0; i < N; i++) {
      double t = 2 * M_PI * i / N;
      places[i] = vec3((2 + cos(3 * t)) * cos(2 * t), (2 + cos(3 * t)) * sin(2 * t), (mirror ? -1 : 1) * sin(3 * t));
    }
    made_rod m = made_rod_through(N, true, places);
    writhe[mirror] = rod_writhe(&m.rod, m.place);
    double twist = 0, strain[3];
    for (uint32_t i = 0; i < N; i++) {
      rod_strain(&m.rod, m.place, &m.frames, i, strain);
      twist += strain[2] / (2 * M_PI);
    }
    double link = twist + writhe[mirror]; /* Calugareanu, White, Fuller: a whole number */
    assert_true(fabs(link - round(link)) < 1e-9);
    made_rod_clear(&m);
  }
  assert_true(fabs(writhe[0] + writhe[1]) < 1e-12);
  assert_true(fabs(fabs(writhe[0]) - 3.4) < 0.3);
  made_rod flat = rod_case_ring(50, 1);
  assert_true(fabs(rod_writhe(&flat.rod, flat.place)) < 1e-12);
  made_rod_clear(&flat);
}

/* Real hair of 0.3 m in 20 edges, held at one end, that swings in waves of 0.4 m/s, in steps of 1 ms. */
static made_rod waving_hair(double *velocity)
{
  enum { N = 20 };
  const double radius = 5e-5, young = 3.9e9, area = M_PI * radius * radius;
  scr_vec3 places[N + 1];
  for (int i = 0; i <= N; i++) places[i] = vec3(0, 0.01 * sin(9.0 * i / N), -0.3 * i / N);
  made_rod m = made_rod_through(N + 1, false, places);
  m.rod.stretching = young * area, m.rod.bending[0] = m.rod.bending[1] = young * area * radius * radius / 4;
  m.rod.twisting = young / 2.96 * area * radius * radius / 2;
  for (int i = 0; i <= N; i++) {
    for (int k = 0; k < 3; k++) m.mass[4 * i + k] = 1300 * area * 0.3 / N * (i == 0 || i == N ? 0.5 : 1);
    m.mass[4 * i + 3] = 1300 * area * radius * radius / 2 * 0.3 / N;
    velocity[4 * i] = 0.4 * sin(9.0 * i / N), velocity[4 * i + 1] = 0.2 * sin(14.0 * i / N);
  }
  for (int k = 0; k < 3; k++) m.held[k] = true;
  return m;
}

/* One step of a fibre that touches nothing, by linear systems alone, each solved exactly: ends where the search for one fibre ends, and
 * once near there changes fall quadratically, as the Hessian at the end is the exact one. Measured: 4 linearisations; edges that stiffen by
 * the tensions that they have take 5. */
static void test_linear_systems_with_predicted_tensions_lead_to_the_end_of_a_step(void **state)
{
  enum { UNKNOWNS = 84 };
  (void)state;
  double v[UNKNOWNS] = {0}, inertial[UNKNOWNS], last[UNKNOWNS], next[UNKNOWNS], rhs[UNKNOWNS], found[UNKNOWNS], q[UNKNOWNS],
         reaction[UNKNOWNS];
  made_rod m = waving_hair(v);
  memcpy(inertial, v, sizeof v), memcpy(found, v, sizeof v), memcpy(q, m.place, sizeof q);
  rod_search search = {.rod = &m.rod, .mass = m.mass, .force = m.force, .held = m.held, .place = m.place, .inertial = inertial, .h = 1e-3};
  search.tolerance = 1e-12, search.limit = 100;
  rod_frames frames = made_frames(m.rod.nodes);
  rod_carry_frames(&m.rod, q, &m.frames, &frames);
  rod_found single = rod_implicit(&search, found, q, &frames, reaction, &m.scratch);
  assert_true(single.solved);
  la_band matrix = {UNKNOWNS, ROD_BAND, calloc((size_t)UNKNOWNS * (ROD_BAND + 1), sizeof(double))};
  memcpy(q, m.place, sizeof q);
  rod_carry_frames(&m.rod, q, &m.frames, &frames);
  double change = 1, before = 1;
  int count = 0;
  for (; count < 20 && change > 1e-9; count++) {
    memcpy(next, v, sizeof v);
    assert_true(rod_linearise(&search, v, count ? last : NULL, q, &frames, &matrix, rhs, &m.scratch));
    memcpy(last, next, sizeof last), memcpy(v, rhs, sizeof v);
    la_band_solve(&m.scratch.matrix, v);
    before = change, change = 0;
    for (int u = 0; u < UNKNOWNS; u++) change = fmax(change, u % 4 == 3 ? 0 : fabs(v[u] - next[u]));
    print_message("# linearisation %d changes velocities by %.2e m/s\n", count + 1, change);
  }
  double off = 0;
  for (int u = 0; u < UNKNOWNS; u++) off = fmax(off, u % 4 == 3 ? 0 : fabs(v[u] - found[u]));
  print_message("# by itself: %u linearisations; off by %.2e m/s\n", single.iterations, off);
  assert_in_range(count, 1, 4);
  if (!(off < 1e-8)) fail_msg("ends %.2e m/s from where one fibre does", off);
  if (!(change < 0.01 * before)) fail_msg("the last changes fall by %.2e alone", change / before);
  free(matrix.row), free_frames(&frames), made_rod_clear(&m);
}

SUITE(test_fibre_rod)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear_systems_with_predicted_tensions_lead_to_the_end_of_a_step),
      cmocka_unit_test(test_the_gradient_is_the_slope_of_the_energy),
      cmocka_unit_test(test_the_hessian_is_the_curvature_of_the_energy),
      cmocka_unit_test(test_gauss_newton_is_never_indefinite),
      cmocka_unit_test(test_a_rod_that_is_turned_as_a_whole_keeps_its_energy),
      cmocka_unit_test(test_a_clamped_rod_sags_as_the_elastica),
      cmocka_unit_test(test_small_loads_bend_as_beams_do),
      cmocka_unit_test(test_sections_have_two_stiffnesses),
      cmocka_unit_test(test_a_stretched_helix_pulls_with_kirchhoffs_wrench),
      cmocka_unit_test(test_a_twisted_ring_buckles_at_michells_threshold),
      cmocka_unit_test(test_writhe_of_flat_and_of_mirrored_curves),
  };
  return cmocka_run_group_tests_name("fibre rod", tests, NULL, NULL);
}
