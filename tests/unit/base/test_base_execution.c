/* Sums in a fixed order: the same bits for any number of threads, as exact as their blocks, largest values and counts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/execution.h"
#include "base/memory.h"
#include "base/team/exact.h"
#include "tests/support/suites.h"

static const unsigned teams[] = {1, 2, 3, 7};
enum { TEAMS = sizeof teams / sizeof *teams, MANY = 100003 };

/* Uniform in [0, 1), by a linear congruence. */
static double next(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

/* Numbers of both signs over 60 orders of two. */
static double *wild_numbers(size_t count)
{
  double *x = mem_array(count, sizeof *x);
  uint64_t seed = 7;
  assert_non_null(x);
  for (size_t k = 0; k < count; k++) {
    int power = (int)(60 * next(&seed));
    x[k] = ldexp(next(&seed) - 0.5, power - 30);
  }
  return x;
}

static void add(const void *user, size_t begin, size_t end, double *sum)
{
  const double *x = user;
  for (size_t k = begin; k < end; k++) *sum += x[k];
}

/* Sum, sum of squares, largest, largest negative. */
static void add_all(const void *user, size_t begin, size_t end, double *value)
{
  const double *x = user;
  for (size_t k = begin; k < end; k++) {
    value[0] += x[k];
    value[1] += x[k] * x[k];
    value[2] = fmax(value[2], x[k]);
    value[3] = fmax(value[3], -x[k]);
  }
}

static void add_both(const void *user, size_t begin, size_t end, double *sum)
{
  const double *x = user;
  for (size_t k = begin; k < end; k++) sum[0] += x[k], sum[1] += x[k] * x[k];
}

static void raise_all(const void *user, size_t begin, size_t end, double *value)
{
  const double *x = user;
  for (size_t k = begin; k < end; k++) {
    value[0] = fmax(value[0], x[k]);
    value[1] = fmax(value[1], -x[k]);
  }
}

static void count_negative(const void *user, size_t begin, size_t end, double *count)
{
  const double *x = user;
  for (size_t k = begin; k < end; k++) *count += x[k] < 0;
}

static void test_one_process_with_at_least_one_thread(void **state)
{
  (void)state;
  assert_int_equal(execution_of(0).threads, 1);
  assert_int_equal(execution_of(5).threads, 5);
  for (unsigned t = 0; t < 3; t++) {
    assert_int_equal(execution_of(t).rank, 0);
    assert_int_equal(execution_of(t).ranks, 1);
  }
  assert_int_equal(execution_if(true, execution_of(5)).threads, 5);
  assert_int_equal(execution_if(false, execution_of(5)).threads, 1);
  assert_int_equal(execution_if(false, execution_of(5)).ranks, 1);
}

/* Against the definition, written out; blocks of any length, also so many that they are taken in several waves. */
static void test_blocks_are_added_in_order_by_any_number_of_threads(void **state)
{
  (void)state;
  static const size_t blocks[] = {1, 3, 64, 1536, MANY, 2 * MANY}, counts[] = {0, 1, 63, 64, 65, 12345, MANY};
  double *x = wild_numbers(MANY);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
      double expected[2] = {0.25, -1}; /* sums go on from what is there */
      for (size_t begin = 0; begin < counts[c]; begin += blocks[b]) {
        double sum[2] = {0};
        for (size_t k = begin; k < counts[c] && k < begin + blocks[b]; k++) sum[0] += x[k], sum[1] += x[k] * x[k];
        expected[0] += sum[0], expected[1] += sum[1];
      }
      double high = -1, low = -1;
      for (size_t k = 0; k < counts[c]; k++) high = fmax(high, x[k]), low = fmax(low, -x[k]);
      for (size_t t = 0; t < TEAMS; t++) {
        double value[4] = {0.25, -1, -1, -1};
        execution_reduce(execution_of(teams[t]), counts[c], blocks[b], 2, 2, add_all, x, value);
        assert_memory_equal(value, expected, sizeof expected);
        assert_true(value[2] == high && value[3] == low);
      }
    }
  mem_free(x);
}

static void test_largest_values_and_counts(void **state)
{
  (void)state;
  double *x = wild_numbers(MANY), high = 0, low = 0;
  size_t negative = 0;
  for (size_t k = 0; k < MANY; k++) high = fmax(high, x[k]), low = fmax(low, -x[k]), negative += x[k] < 0;
  assert_true(negative > MANY / 3 && negative < 2 * MANY / 3);
  x[17] = (double)NAN; /* passed over, and not negative */
  for (size_t t = 0; t < TEAMS; t++) {
    double value[2] = {0, 1e300};
    execution_largest(execution_of(teams[t]), MANY, 2, raise_all, x, value);
    assert_true(value[0] == high && value[1] == 1e300);
    value[1] = 0;
    execution_largest(execution_of(teams[t]), MANY, 2, raise_all, x, value);
    assert_true(value[1] == low);
    for (size_t few = 0; few < 9; few++) {
      size_t count = 0;
      for (size_t k = 0; k < few; k++) count += x[k] < 0;
      assert_int_equal(execution_count(execution_of(teams[t]), few, count_negative, x), count);
    }
  }
  mem_free(x);
}

/* Hard cases against long double: many equal terms that no double holds, terms of 60 orders that nearly cancel, one large among small ones.
 * With b terms in a block and n/b blocks the error of a term is at most (b + n/b) epsilon/2 of the sum of sizes, Higham (Accuracy and
 * Stability of Numerical Algorithms, 4.2); of a plain sum it would be n epsilon/2, which the first case reaches. */
static void test_sums_are_as_exact_as_their_blocks(void **state)
{
  (void)state;
  enum { BLOCK = 300 };
  double *x = wild_numbers(MANY);
  for (int hard = 0; hard < 4; hard++) {
    if (hard == 1)
      for (size_t k = MANY; k-- > 1;) x[k] = k % 2 ? -x[k - 1] * (1 + 1e-14 * (double)(k % 7)) : x[k];
    if (hard == 2)
      for (size_t k = 0; k < MANY; k++) x[k] = 0.1;
    if (hard == 3)
      for (size_t k = 0; k < MANY; k++) x[k] = k == 50 ? 1e16 : 1.0;
    long double exact = 0, size = 0;
    for (size_t k = 0; k < MANY; k++) exact += (long double)x[k], size += fabsl((long double)x[k]);
    double bound = (BLOCK + (double)MANY / BLOCK + 1) * 0x1p-53 * (double)size, first = 0;
    for (size_t t = 0; t < TEAMS; t++) {
      double sum = 0;
      execution_sum(execution_of(teams[t]), MANY, BLOCK, 1, add, x, &sum);
      assert_true(fabs((double)((long double)sum - exact)) <= bound);
      if (t == 0) first = sum;
      assert_memory_equal(&sum, &first, sizeof sum);
    }
    if (hard != 2) continue;
    double plain = 0;
    add(x, 0, MANY, &plain);
    assert_true(fabs((double)((long double)plain - exact)) > 20 * fabs((double)((long double)first - exact)));
  }
  mem_free(x);
}

/* Against the definition, written out: what is stored is added in its order, to what is there. */
static void test_blocks_go_on_from_their_sums_and_are_added_up(void **state)
{
  (void)state;
  enum { BLOCK = 300, FEW = 1234, BLOCKS = (MANY + BLOCK - 1) / BLOCK };
  double *x = wild_numbers(MANY), *block = mem_array(BLOCKS, sizeof *block), *expected = mem_array(BLOCKS, sizeof *expected);
  double total = 0.5, three[3] = {1, 2, 3}, by_hand[3] = {1, 2, 3};
  assert_non_null(block);
  assert_non_null(expected);
  for (size_t k = 0; k < MANY; k++) expected[k / BLOCK] += x[k];
  for (size_t k = 0; k < FEW; k++) expected[k / BLOCK] += x[1 + k];
  for (size_t b = 0; b < BLOCKS; b++) total += expected[b];
  for (size_t t = 0; t < TEAMS; t++) {
    double sum = 0.5;
    memset(block, 0, BLOCKS * sizeof *block);
    execution_sum_blocks(execution_of(teams[t]), MANY, BLOCK, add, x, block);
    execution_sum_blocks(execution_of(teams[t]), FEW, BLOCK, add, x + 1, block);
    execution_sum_blocks(execution_of(teams[t]), 0, BLOCK, add, NULL, block);
    assert_memory_equal(block, expected, BLOCKS * sizeof *block);
    execution_add_up(BLOCKS, 1, block, &sum);
    assert_memory_equal(&sum, &total, sizeof sum);
  }
  execution_add_up(100, 3, x, three);
  for (size_t k = 0; k < 300; k++) by_hand[k % 3] += x[k];
  assert_memory_equal(three, by_hand, sizeof three);
  mem_free(x), mem_free(block), mem_free(expected);
}

static double exact_of(const double *x, size_t count)
{
  exact_sum sum = {.lost = 0};
  for (size_t k = 0; k < count; k++) exact_add(&sum, x[k]);
  return exact_value(&sum);
}

/* Against whole numbers and powers of two, whose sums are known: rounded once, to nearest, to even at a tie that the smallest term breaks.
 */
static void test_exact_sums_are_rounded_once(void **state)
{
  (void)state;
  const double cancels[] = {1e16, 1, 1e-30, -1e16, 3, -1e-30}, tie[] = {1, 0x1p-53}, above[] = {1, 0x1p-53, 0x1p-200},
               below[] = {1, 0x1p-53, -0x1p-200}, odd[] = {1 + 0x1p-52, 0x1p-53}, negative[] = {-1, -0x1p-53, -0x1p-200};
  const double widest[] = {0x1.8p127, 0x1.8p-223, -0x1.8p127}, cut[] = {0x1.8p-224, -0x1.8p-224, 0x1p-300}, none[] = {0.0, -0.0};
  const double large[] = {0x1p128, 1}, infinite[] = {(double)INFINITY}, unknown[] = {1, (double)NAN};
  assert_true(exact_of(cancels, 6) == 4);
  assert_true(exact_of(tie, 2) == 1 && exact_of(above, 3) == 1 + 0x1p-52 && exact_of(below, 3) == 1 && exact_of(odd, 2) == 1 + 0x1p-51);
  assert_true(exact_of(negative, 3) == -(1 + 0x1p-52));
  assert_true(exact_of(widest, 3) == 0x1.8p-223 && exact_of(cut, 1) == 0x1p-224 && exact_of(cut, 3) == 0 && exact_of(none, 2) == 0);
  assert_true(isnan(exact_of(large, 2)) && isnan(exact_of(infinite, 1)) && isnan(exact_of(unknown, 2)));
  exact_sum many = {.lost = 0};
  for (int k = 0; k < 1000000; k++) exact_add(&many, -0.1);
  assert_true(exact_value(&many) == -100000.00000000000555); /* a million times the double next to 0.1 */
}

/* Terms in another order, and in two sums that are joined, give the same bits; within the rounding of the result of long doubles' sum. */
static void test_exact_sums_do_not_depend_on_the_order(void **state)
{
  (void)state;
  double *x = wild_numbers(MANY), *shuffled = mem_array(MANY, sizeof *x);
  long double plain = 0, size = 0;
  exact_sum half[2] = {{.lost = 0}, {.lost = 0}};
  assert_non_null(shuffled);
  for (size_t k = 0; k < MANY; k++) {
    shuffled[k * 7919 % MANY] = x[k];
    plain += (long double)x[k], size += fabsl((long double)x[k]);
    exact_add(&half[k * 7919 % 5 > 1], x[k]);
  }
  double first = exact_of(x, MANY), second = exact_of(shuffled, MANY);
  exact_join(&half[0], &half[1]);
  double joined = exact_value(&half[0]);
  assert_memory_equal(&first, &second, sizeof first);
  assert_memory_equal(&first, &joined, sizeof first);
  assert_true(fabsl((long double)first - plain) <= (long double)MANY * 0x1p-64L * size + 0x1p-53L * fabsl(plain));
  mem_free(x), mem_free(shuffled);
}

/* Blocks are added exactly, whichever comes first: against sums of each block, written out; a block of no term changes nothing. */
static void test_blocks_are_added_exactly_in_any_order(void **state)
{
  (void)state;
  enum { BLOCK = 300, BLOCKS = (MANY + BLOCK - 1) / BLOCK };
  double *x = wild_numbers(MANY), block[BLOCKS] = {0}, squares[BLOCKS] = {0};
  for (size_t k = 0; k < MANY; k++) block[BLOCKS - 1 - k / BLOCK] += x[k], squares[BLOCKS - 1 - k / BLOCK] += x[k] * x[k];
  double expected[2] = {0.25 + exact_of(block, BLOCKS), -1 + exact_of(squares, BLOCKS)};
  for (size_t t = 0; t < TEAMS; t++) {
    double sum[2] = {0.25, -1};
    execution_sum_exact(execution_of(teams[t]), MANY, BLOCK, 2, add_both, x, sum);
    assert_memory_equal(sum, expected, sizeof sum);
    execution_sum_exact(execution_of(teams[t]), 0, BLOCK, 2, add_both, x, sum);
    assert_memory_equal(sum, expected, sizeof sum);
  }
  mem_free(x);
}

/* A team whose other member has the same terms once more, and -1. */
static void twice(scr_team *team, int64_t *value, size_t count)
{
  (void)team;
  for (size_t k = 0; k < count; k++) value[k] *= 2;
}

static void at_least_two(scr_team *team, double *value, size_t count)
{
  (void)team;
  for (size_t k = 0; k < count; k++) value[k] = fmax(value[k], 2);
}

static void twice_itself(scr_team *team, const void *mine, size_t size, void *all, const size_t *sizes)
{
  (void)team;
  assert_int_equal(sizes[0], size);
  memcpy(all, mine, size);
  memcpy((char *)all + size, mine, size);
}

static void test_a_team_adds_what_all_of_it_have(void **state)
{
  (void)state;
  enum { BLOCK = 300 };
  scr_team team = {.rank = 1, .size = 2, .sum = twice, .largest = at_least_two, .gather = twice_itself};
  scr_execution execution = execution_in(&team, 2);
  double *x = wild_numbers(MANY), alone[2] = {0}, shared[2] = {0}, largest[3] = {1, 3, (double)NAN}, bits[2] = {0.0, 0.0};
  size_t sizes[2] = {0}, both[2] = {0}, mine = 7;
  assert_true(execution.rank == 1 && execution.ranks == 2 && execution.threads == 2);
  execution_sum_exact(execution_of(2), MANY, BLOCK, 2, add_both, x, alone);
  execution_sum_exact(execution, MANY, BLOCK, 2, add_both, x, shared);
  assert_true(shared[0] == 2 * alone[0] && shared[1] == 2 * alone[1]);
  team_largest(&team, largest, 3);
  assert_true(largest[0] == 2 && largest[1] == 3 && largest[2] == 2);
  team_sum_bits(&team, bits, 2);
  assert_true(bits[0] == 0 && bits[1] == 0);
  assert_int_equal(team_sizes(&team, 5, sizes), 10);
  sizes[0] = sizes[1] = sizeof mine;
  team_gather(&team, &mine, sizeof mine, both, sizes);
  assert_true(both[0] == 7 && both[1] == 7);
  assert_true(team_any(&team, 0)); /* the other says so */
  mem_free(x);
}

static void test_alone_there_is_nothing_to_add(void **state)
{
  (void)state;
  int64_t sum[2] = {3, -4};
  double largest[2] = {1.5, -2}, bits[3] = {0.1, -0.0, 1e300};
  size_t sizes[1] = {0};
  char copy[4] = "";
  team_sum(NULL, sum, 2), team_largest(NULL, largest, 2), team_sum_bits(NULL, bits, 3), team_share(NULL, sum, sizeof sum);
  assert_true(sum[0] == 3 && sum[1] == -4 && largest[0] == 1.5 && largest[1] == -2 && bits[0] == 0.1 && bits[2] == 1e300);
  assert_true(team_any(NULL, 1) && !team_any(NULL, 0) && team_rank(NULL) == 0 && team_size(NULL) == 1);
  assert_int_equal(team_sizes(NULL, 3, sizes), 3);
  team_gather(NULL, "abc", 4, copy, sizes);
  assert_string_equal(copy, "abc");
  team_exchange(NULL, NULL, 0, NULL, 0), team_abandon(NULL, 1);
}

SUITE(test_base_execution)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_process_with_at_least_one_thread),
      cmocka_unit_test(test_blocks_are_added_in_order_by_any_number_of_threads),
      cmocka_unit_test(test_largest_values_and_counts),
      cmocka_unit_test(test_sums_are_as_exact_as_their_blocks),
      cmocka_unit_test(test_a_team_adds_what_all_of_it_have),
      cmocka_unit_test(test_alone_there_is_nothing_to_add),
      cmocka_unit_test(test_exact_sums_are_rounded_once),
      cmocka_unit_test(test_exact_sums_do_not_depend_on_the_order),
      cmocka_unit_test(test_blocks_are_added_exactly_in_any_order),
      cmocka_unit_test(test_blocks_go_on_from_their_sums_and_are_added_up),
  };
  return cmocka_run_group_tests_name("base_execution", tests, NULL, NULL);
}
