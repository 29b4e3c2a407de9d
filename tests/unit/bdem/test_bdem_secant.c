/* Quasi-Newton steps on pairs of a known quadratic function: gradient A x with A = diag(1 + k mod 7) plus a coupling of neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/vector.h"
#include "linalg/block6/secant.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static double *vector(size_t count, uint64_t seed)
{
  double *v = mem_array(count, sizeof *v);
  assert_non_null(v);
  for (size_t k = 0; k < count; ++k) v[k] = uniform(&seed);
  return v;
}

static void product(const double *x, size_t count, double *y)
{
  for (size_t k = 0; k < count; ++k)
    y[k] = (double)(1 + k % 7) * x[k] + 0.3 * ((k > 0 ? x[k - 1] : 0.0) + (k + 1 < count ? x[k + 1] : 0.0));
}

static void halve(void *state, const double *r, double *z)
{
  const size_t *count = state;
  for (size_t k = 0; k < *count; ++k) z[k] = 0.5 * r[k];
}

typedef struct setting {
  size_t count;
  la_secants secants;
  la_preconditioner preconditioner;
  double *work, *zero;
} setting;

static setting make(size_t count)
{
  setting s = {.count = count};
  assert_int_equal(la_secants_create(count, &s.secants, NULL), SCR_OK);
  s.preconditioner = (la_preconditioner){.name = "half", .apply = halve};
  s.work = vector(count, 1);
  s.zero = mem_array(count, sizeof *s.zero);
  return s;
}

static void clear(setting *s)
{
  la_secants_destroy(&s->secants);
  mem_free(s->work);
  mem_free(s->zero);
}

/* H v */
static double *inverse(setting *s, const double *v, unsigned threads)
{
  double *step = vector(s->count, 1);
  s->preconditioner.state = &s->count;
  la_secants_step(&s->secants, &s->preconditioner, v, s->count, step, s->work, execution_of(threads));
  for (size_t k = 0; k < s->count; ++k) step[k] = -step[k];
  return step;
}

static void add(setting *s, uint64_t seed, double sign, unsigned threads)
{
  double *step = vector(s->count, seed), *change = vector(s->count, 1);
  product(step, s->count, change);
  for (size_t k = 0; k < s->count; ++k) change[k] *= 0.25 * sign;
  la_secants_add(&s->secants, step, 0.25, s->zero, change, s->count, execution_of(threads));
  mem_free(step);
  mem_free(change);
}

static double dot(const double *a, const double *b, size_t count)
{
  double sum = 0.0;
  for (size_t k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

/* H y = s for the last pair: what makes the method a secant method. Vectors are held in single precision: 1e-6. */
static void test_the_last_pair_is_met(void **state)
{
  (void)state;
  setting s = make(60);
  for (uint64_t seed = 1; seed <= LA_SECANTS + 3; ++seed) {
    add(&s, seed, 1.0, 1);
    double *step = vector(s.count, seed), *change = vector(s.count, 1);
    product(step, s.count, change);
    double *got = inverse(&s, change, 1);
    for (size_t k = 0; k < s.count; ++k) assert_true(fabs(got[k] - step[k]) < 1e-5);
    assert_int_equal(s.secants.count, seed < LA_SECANTS ? seed : LA_SECANTS);
    mem_free(step);
    mem_free(change);
    mem_free(got);
  }
  clear(&s);
}

/* u . H v = v . H u and v . H v > 0, so that -H g always descends. */
static void test_the_inverse_is_symmetric_and_positive(void **state)
{
  (void)state;
  setting s = make(60);
  for (uint64_t seed = 1; seed <= 5; ++seed) add(&s, seed, 1.0, 1);
  double *u = vector(s.count, 21), *v = vector(s.count, 22), *hu = inverse(&s, u, 1), *hv = inverse(&s, v, 1);
  assert_true(fabs(dot(u, hv, s.count) - dot(v, hu, s.count)) < 1e-12 * sqrt(dot(hu, hu, s.count) * dot(v, v, s.count)));
  assert_true(dot(u, hu, s.count) > 0.0 && dot(v, hv, s.count) > 0.0);
  mem_free(u);
  mem_free(v);
  mem_free(hu);
  mem_free(hv);
  clear(&s);
}

/* Along negative curvature, s . y < 0, a pair would make H indefinite; without pairs H is the preconditioner. */
static void test_pairs_of_negative_curvature_are_left_out(void **state)
{
  (void)state;
  setting s = make(12);
  add(&s, 3, -1.0, 1);
  assert_int_equal(s.secants.count, 0);
  double *v = vector(s.count, 5), *got = inverse(&s, v, 1);
  for (size_t k = 0; k < s.count; ++k) assert_true(got[k] == 0.5 * v[k]);
  mem_free(v);
  mem_free(got);
  clear(&s);
}

static void test_steps_have_the_same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  double *first = NULL, *v = vector(60007, 9);
  for (unsigned threads = 1; threads <= 3; ++threads) {
    setting s = make(60007);
    for (uint64_t seed = 1; seed <= 3; ++seed) add(&s, seed, 1.0, threads);
    double *got = inverse(&s, v, threads);
    if (first) assert_memory_equal(got, first, s.count * sizeof *got);
    if (first)
      mem_free(got);
    else
      first = got;
    clear(&s);
  }
  mem_free(first);
  mem_free(v);
}

SUITE(test_bdem_secant)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_last_pair_is_met),
      cmocka_unit_test(test_the_inverse_is_symmetric_and_positive),
      cmocka_unit_test(test_pairs_of_negative_curvature_are_left_out),
      cmocka_unit_test(test_steps_have_the_same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
