/* Rods of method fibre against theory, beyond the unit tests: frequencies, buckling under the own weight, five turns of twist, what
 * implicit steps lose of real hair's swing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

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
    if (!found.solved) fail_msg("step %d is not solved: %.2e left", k, found.residual);
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

/* Real hair of 0.3 m, hung by a point and let go from level: in a second of 1 ms steps the implicit Euler method loses 18.3 % of m g L
 * / 2, of 10 ms 63 % (spec 3.11b.1); no step gains. */
static void test_what_implicit_steps_lose_of_a_swing(void **state)
{
  (void)state;
  enum { N = 20 };
  const double steps[] = {1e-3, 1e-2}, lost[] = {0.183, 0.63}, radius = 5e-5, young = 3.9e9, area = M_PI * 25e-10;
  for (int c = 0; c < 2; c++) {
    scr_vec3 places[N + 1];
    for (int i = 0; i <= N; i++) places[i] = vec3(0.3 * i / N, 0, 0);
    made_rod m = made_rod_through(N + 1, false, places);
    m.rod.stretching = young * area, m.rod.bending[0] = m.rod.bending[1] = young * area * radius * radius / 4,
    m.rod.twisting = young / 2.96 * area * radius * radius / 2;
    for (int i = 0; i <= N; i++) {
      for (int k = 0; k < 3; k++) m.mass[4 * i + k] = 1300 * area * 0.3 / N * (i == 0 || i == N ? 0.5 : 1);
      m.mass[4 * i + 3] = 1300 * area * radius * radius / 2 * 0.3 / N;
    }
    for (int k = 0; k < 3; k++) m.held[k] = true;
    swing s = run(&m, steps[c], 1, 9.81, 1300 * area * 0.3 * 9.81 * 0.15, 0);
    claim_absolute(c ? "hair, steps of 10 ms: lost of m g L / 2" : "hair, steps of 1 ms: lost of m g L / 2", s.lost, lost[c], 0.02,
                   "the prototype's converged steps");
    claim_absolute("hair: largest gain of a step, of m g L / 2", s.worst, 0, 1e-9, "no step gains");
    made_rod_clear(&m);
  }
}

/* A ring with five turns of twist, disturbed, writhes through itself: between passages twist + writhe stay what they are (spec 3.11b.7:
 * to 1.3e-9), and no step gains. */
static void test_a_ring_with_five_turns(void **state)
{
  (void)state;
  enum { N = 60 };
  scr_vec3 places[N];
  for (int i = 0; i < N; i++)
    places[i] = vec3(cos(2 * M_PI * i / N), sin(2 * M_PI * i / N), 1e-3 * sin(4 * M_PI * i / N) + 5e-4 * cos(6 * M_PI * i / N));
  made_rod m = made_rod_through(N, true, places);
  m.rod.stretching = 1e5, m.rod.twisting = 0.75;
  for (int i = 0; i < N; i++) {
    m.natural[i][2] = -10 * M_PI / N;
    for (int k = 0; k < 4; k++) m.mass[4 * i + k] = (k < 3 ? 1 : 1e-4) * 2 * M_PI / N;
  }
  swing s = run(&m, 0.01, 4, 0, 0.5 * 0.75 * pow(10 * M_PI, 2) / (2 * M_PI), 1);
  claim_absolute("ring of five turns: change of twist and writhe", s.turns, 0, 1e-8, "Calugareanu, White, Fuller");
  claim_absolute("ring of five turns: largest gain of a step, of the energy of twisting", s.worst, 0, 1e-9, "no step gains");
  made_rod_clear(&m);
}

SUITE(validate_fibre_rod)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_first_frequency_of_a_clamped_rod),
      cmocka_unit_test(test_a_column_buckles_under_its_weight),
      cmocka_unit_test(test_what_implicit_steps_lose_of_a_swing),
      cmocka_unit_test(test_a_ring_with_five_turns),
  };
  return cmocka_run_group_tests_name("fibre rod against theory", tests, NULL, NULL);
}
