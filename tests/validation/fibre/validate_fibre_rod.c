/* Rods of method fibre against theory, beyond the unit tests: frequencies, buckling under the own weight, five turns of twist, what
 * implicit steps lose of real hair's swing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "linalg/dense.h"
#include "tests/support/claim.h"
#include "tests/support/made_rod.h"
#include "tests/support/suites.h"

/* Clamped at x = 0, length 1, EI = 1, n edges behind the one of the clamp. */
static made_rod cantilever(uint32_t n)
{
  scr_vec3 *places = calloc(n + 2, sizeof *places);
  for (uint32_t i = 0; i < n + 2; i++) places[i] = vec3(((double)i - 1) / n, 0, 0);
  made_rod m = made_rod_through(n + 2, false, places);
  m.rod.stretching = 1e5;
  m.span[1] = 0.5 / n;
  for (int k = 0; k < 7; k++) m.held[k] = true;
  free(places);
  return m;
}

/* Whether K - shift M has no negative eigenvalue among displacements across the rod, both directions of which have the same ones: so
 * the number of eigenvalues below a shift can be bisected. */
static bool above(made_rod *m, double shift, double mass)
{
  rod_energy(&m->rod, m->place, &m->frames, NULL, ROD_EXACT, &m->scratch.matrix);
  la_band *a = &m->scratch.matrix;
  for (uint32_t i = 0; i < m->rod.nodes; i++)
    for (size_t k = 0; k < 4; k++) {
      double share = i + 1 == m->rod.nodes || i == 1 ? 0.5 : 1;
      *la_band_at(a, 4 * i + k, 4 * i + k) += k < 3 ? -shift * mass * share : 1;
      if (!m->held[4 * i + k]) continue;
      for (size_t j = 4 * i + k > a->width ? 4 * i + k - a->width : 0; j < 4 * i + k; j++) *la_band_at(a, 4 * i + k, j) = 0;
      for (size_t j = 4 * i + k + 1; j < a->size && j <= 4 * i + k + a->width; j++) *la_band_at(a, j, 4 * i + k) = 0;
      *la_band_at(a, 4 * i + k, 4 * i + k) = 1;
    }
  return la_band_factor(a) == a->size;
}

/* First frequency of a clamped rod, 3.516015 / L^2 sqrt(EI / (rho A)): 0.9995 of it with 40 edges (spec 3.11b.7), of second order. */
static void test_the_first_frequency_of_a_clamped_rod(void **state)
{
  (void)state;
  double ratio[2];
  for (uint32_t k = 0, n = 20; k < 2; k++, n *= 2) {
    made_rod m = cantilever(n);
    double low = 0, high = 30;
    for (int i = 0; i < 60; i++) {
      double middle = 0.5 * (low + high);
      *(above(&m, middle, 1.0 / n) ? &low : &high) = middle;
    }
    ratio[k] = sqrt(low) / 3.516015;
    made_rod_clear(&m);
  }
  claim_absolute("clamped rod of 40 edges: first frequency over theory", ratio[1], 0.9995, 3e-4, "Euler and Bernoulli's beam");
  claim_absolute("clamped rod: the error of 20 edges over that of 40", (1 - ratio[0]) / (1 - ratio[1]), 4, 0.3, "second order");
}

/* Frequencies of all modes of a clamped rod, rising: those across twice each. */
static void frequencies(uint32_t n, double *value)
{
  made_rod m = cantilever(n);
  const size_t size = 4 * (size_t)m.rod.nodes;
  double *k = calloc(size * size, sizeof *k), *mass = calloc(size * size, sizeof *mass);
  rod_energy(&m.rod, m.place, &m.frames, NULL, ROD_EXACT, &m.scratch.matrix);
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j <= i; j++) {
      bool held = m.held[i] || m.held[j];
      double entry = i - j <= m.scratch.matrix.width && !held ? *la_band_at(&m.scratch.matrix, i, j) : 0;
      double own = i % 4 == 3 ? 1e-6 : i + 4 >= size || i < 8 ? 0.5 : 1;
      k[j * size + i] = k[i * size + j] = i == j && held ? 1 : entry;
      if (i == j) mass[i * size + i] = (held ? 1e-9 : own) / n;
    }
  assert_int_equal(la_dense_pencil_eigen(size, k, mass, value, NULL), SCR_OK);
  for (size_t i = 0; i < size; i++) value[i] = sqrt(fmax(0, value[i]));
  free(k), free(mass), made_rod_clear(&m);
}

/* The first three of a clamped rod of 40 edges: 0.9995, 0.997, 0.994 of theory (spec 3.11b.7). */
static void test_three_frequencies_of_a_clamped_rod(void **state)
{
  (void)state;
  static double value[4 * 42];
  const double theory[] = {3.516015, 22.03449, 61.69721}, ratio[] = {0.9995, 0.997, 0.994};
  frequencies(40, value);
  for (int k = 0; k < 3; k++)
    claim_absolute("clamped rod of 40 edges: first three frequencies over theory", value[2 * k] / theory[k], ratio[k], 5e-4,
                   "Euler and Bernoulli's beam; the prototype");
}

/* A column under its own weight w: the greatest w L^3 / EI at which its Hessian has no negative eigenvalue, Greenhill's 7.837347; 7.835
 * with 40 edges (spec 3.11b.7). */
static void test_a_column_buckles_under_its_weight(void **state)
{
  (void)state;
  enum { N = 40 };
  double low = 5, high = 12;
  for (int k = 0; k < 40; k++) {
    double w = 0.5 * (low + high), at = 0, load = 0;
    made_rod m = cantilever(N);
    double pressed[N + 2];
    for (int i = N + 1; i >= 1; i--)
      load += w * (i == 1 || i == N + 1 ? 0.5 : 1) / N, pressed[i] = load; /* carried by the edge below node i */
    for (int i = 2; i <= N + 1; i++) {
      at += (1.0 / N) * (1 - pressed[i] / m.rod.stretching);
      m.place[4 * i] = at;
    }
    rod_carry_frames(&m.rod, m.place, &m.frames, &m.frames);
    *(above(&m, 0, 1) ? &low : &high) = w;
    made_rod_clear(&m);
  }
  claim_absolute("column of 40 edges: weight at which it buckles, EI / L^2", low, 7.837347, 6e-3, "Greenhill 1881");
}

typedef struct swing {
  double lost, worst, turns; /* of m g L / 2; largest gain of a step, of the same; |twist + writhe - link| */
  int unsolved;              /* steps */
} swing;

static double energy_of(made_rod *m, const double *v, double g)
{
  rod_energies e = rod_energy(&m->rod, m->place, &m->frames, NULL, ROD_EXACT, NULL);
  double sum = rod_total(e);
  for (size_t k = 0; k < 4 * (size_t)m->rod.nodes; k++) {
    if (!m->held[k]) sum += 0.5 * m->mass[k] * v[k] * v[k];
    if (k % 4 == 2) sum += m->mass[k] * g * m->place[k];
  }
  return sum;
}

/* One second of implicit Euler steps. */
static swing run(made_rod *m, double dt, double seconds, double g, double scale, double braking)
{
  size_t n = 4 * (size_t)m->rod.nodes;
  double *v = calloc(n, sizeof *v), *v0 = calloc(n, sizeof *v0), *q0 = calloc(n, sizeof *q0), strain[3], link = NAN;
  for (size_t k = 0; k < n; k++) m->force[k] = k % 4 == 2 ? -m->mass[k] * g : 0;
  swing s = {0};
  double first = energy_of(m, v, g), before = first;
  for (int k = 0; k < (int)(seconds / dt + 0.5); k++) {
    memcpy(q0, m->place, n * sizeof *q0), memcpy(v0, v, n * sizeof *v0);
    rod_search search = {.rod = &m->rod,
                         .mass = m->mass,
                         .force = m->force,
                         .held = m->held,
                         .place = q0,
                         .inertial = v0,
                         .h = dt,
                         .mass_damping = braking,
                         .tolerance = 1e-10,
                         .least_speed = g * dt,
                         .limit = 200};
    rod_found found = rod_implicit(&search, v, m->place, &m->frames, m->reaction, &m->scratch);
    s.unsolved += !found.solved;
    double now = energy_of(m, v, g);
    s.worst = fmax(s.worst, (now - before) / scale);
    before = now;
    if (!m->rod.ring) continue;
    double twist = 0;
    for (uint32_t i = 0; i < m->rod.nodes; i++) {
      rod_strain(&m->rod, m->place, &m->frames, i, strain);
      twist += strain[2] / (2 * M_PI);
    }
    double turns = twist + rod_writhe(&m->rod, m->place);
    if (isnan(link)) link = turns;
    if (fabs(turns - link) > 0.5) link = round(turns); /* it passed through itself: nothing touches here */
    s.turns = fmax(s.turns, fabs(turns - link));
  }
  s.lost = (first - before) / scale;
  free(v), free(v0), free(q0);
  return s;
}

/* Real hair of 0.3 m in 20 edges, level, with its stretching stiffness so many times. @param curl  natural curvature, 1/m */
static made_rod hair(double stiffer, double curl)
{
  enum { N = 20 };
  const double radius = 5e-5, young = 3.9e9, area = M_PI * 25e-10;
  scr_vec3 places[N + 1];
  for (int i = 0; i <= N; i++) places[i] = vec3(0.3 * i / N, 0, 0);
  made_rod m = made_rod_through(N + 1, false, places);
  m.rod.stretching = stiffer * young * area, m.rod.bending[0] = m.rod.bending[1] = young * area * radius * radius / 4,
  m.rod.twisting = young / 2.96 * area * radius * radius / 2;
  for (int i = 0; i <= N; i++) {
    for (int k = 0; k < 3; k++) m.mass[4 * i + k] = 1300 * area * 0.3 / N * (i == 0 || i == N ? 0.5 : 1);
    m.mass[4 * i + 3] = 1300 * area * radius * radius / 2 * 0.3 / N;
    if (i > 0) m.natural[i][0] = curl * m.span[i];
  }
  for (int k = 0; k < 3; k++) m.held[k] = true;
  return m;
}

static const double HAIR_SCALE = 1300 * M_PI * 25e-10 * 0.3 * 9.81 * 0.15; /* J, m g L / 2 */

/* Real hair of 0.3 m, hung by a point and let go from level: in a second of 0.1, 1 and 10 ms steps the implicit Euler method
 * loses 2.5, 18.3 and 63 % of m g L / 2 (spec 3.11b.1); no step gains. */
static void test_what_implicit_steps_lose_of_a_swing(void **state)
{
  (void)state;
  const double steps[] = {1e-4, 1e-3, 1e-2}, lost[] = {0.025, 0.183, 0.63}, within[] = {3e-3, 5e-3, 2e-2};
  for (int c = 0; c < 3; c++) {
    made_rod m = hair(1, 0);
    swing s = run(&m, steps[c], 1, 9.81, HAIR_SCALE, 0);
    claim_absolute("hair, steps of 0.1, 1, 10 ms: lost of m g L / 2", s.lost, lost[c], within[c], "the prototype's converged steps");
    claim_absolute("hair: largest gain of a step, of m g L / 2", s.worst, 0, 1e-9, "no step gains");
    assert_int_equal(s.unsolved, 0);
    made_rod_clear(&m);
  }
}

/* Over steps of 0.1 to 10 ms, and a hundredth to ten thousand times the stretching stiffness, straight hair and hair that curls with a
 * radius of 2 cm (spec 3.11b.1): the largest gain of any step, of m g L / 2 and what the curl holds. */
static void test_no_step_of_a_hair_gains_energy(void **state)
{
  (void)state;
  const double steps[] = {1e-4, 1e-3, 1e-2}, stiffer[] = {1e-2, 1, 1e2, 1e4};
  double worst = 0;
  int unsolved = 0;
  for (int c = 0; c < 24; c++) {
    made_rod m = hair(stiffer[c / 3 % 4], c / 12 ? 50 : 0);
    double held = rod_total(rod_energy(&m.rod, m.place, &m.frames, NULL, ROD_EXACT, NULL));
    swing s = run(&m, steps[c % 3], 100 * steps[c % 3], 9.81, HAIR_SCALE + held, 0);
    worst = fmax(worst, s.worst), unsolved += s.unsolved;
    if (s.unsolved)
      print_message("# %d of 100 steps unsolved: %g s, %g times the stiffness, curl %d\n", s.unsolved, steps[c % 3], stiffer[c / 3 % 4],
                    c / 12);
    made_rod_clear(&m);
  }
  claim_absolute("24 hairs: largest gain of a step", worst, 0, 1e-9, "no step gains");
  claim_absolute("24 hairs: steps of 2400 that are left unsolved", unsolved, 0, 0, "none");
}

/* A ring with five turns of twist, disturbed, writhes through itself: between passages twist + writhe stay what they are (spec 3.11b.7:
 * to 1.3e-9), and no step gains, in steps of 2, 10 and 50 ms. */
static void test_a_ring_with_five_turns(void **state)
{
  (void)state;
  enum { N = 60 };
  const double steps[] = {2e-3, 1e-2, 5e-2};
  for (int c = 0; c < 3; c++) {
    scr_vec3 places[N];
    for (int i = 0; i < N; i++)
      places[i] = vec3(cos(2 * M_PI * i / N), sin(2 * M_PI * i / N), 1e-3 * sin(4 * M_PI * i / N) + 5e-4 * cos(6 * M_PI * i / N));
    made_rod m = made_rod_through(N, true, places);
    m.rod.stretching = 1e5, m.rod.twisting = 0.75;
    for (int i = 0; i < N; i++) {
      m.natural[i][2] = -10 * M_PI / N;
      for (int k = 0; k < 4; k++) m.mass[4 * i + k] = (k < 3 ? 1 : 1e-4) * 2 * M_PI / N;
    }
    swing s = run(&m, steps[c], 4, 0, 0.5 * 0.75 * pow(10 * M_PI, 2) / (2 * M_PI), 1);
    claim_absolute("ring of five turns: change of twist and writhe", s.turns, 0, 1e-8, "Calugareanu, White, Fuller");
    claim_absolute("ring of five turns: largest gain of a step, of the energy of twisting", s.worst, 0, 1e-9, "no step gains");
    claim_between("ring of five turns: energy that left it, of that of twisting", s.lost, 0.5, 1, "it writhes: air takes what twist gives");
    assert_int_equal(s.unsolved, 0);
    made_rod_clear(&m);
  }
}

SUITE(validate_fibre_rod)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_first_frequency_of_a_clamped_rod), cmocka_unit_test(test_three_frequencies_of_a_clamped_rod),
      cmocka_unit_test(test_a_column_buckles_under_its_weight),    cmocka_unit_test(test_what_implicit_steps_lose_of_a_swing),
      cmocka_unit_test(test_no_step_of_a_hair_gains_energy),       cmocka_unit_test(test_a_ring_with_five_turns),
  };
  return cmocka_run_group_tests_name("fibre rod against theory", tests, NULL, NULL);
}
