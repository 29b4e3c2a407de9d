/* How long tiles and nodes of a grain are clear of another, kept in a byte each: never longer than was found, and hardly shorter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "methods/lsdem/contact/clearance.h"
#include "geometry/shapes/pebble.h"
#include "methods/lsdem/grain/template.h"
#include "tests/support/suites.h"

enum { TILES = 37, STEPS = 4000 };

/* What a tile and its nodes are clear until, m, as it was found. */
typedef struct truth {
  double tile, node[LSDEM_TILE_NODES];
  bool block;
} truth;

static double found_clear(uint64_t *seed, double spacing)
{
  double u = random_uniform(seed);
  return 6 * spacing * u * u * u;
}

/* A byte says clear only while the way that was found lasts, less rounding; and it does say so up to a tick before that. */
static void check_byte(uint8_t byte, const lsdem_clearance *watch, lsdem_clearance_now moment, double until)
{
  bool clear = lsdem_clearance_since(watch, moment) < byte;
  if (clear) assert_true(moment.gone < until);
  if (!clear) assert_true(until - moment.gone < 2.001 * moment.tick);
}

/* Until when a way that is found lasts, m, as far as a byte counts. */
static double until_of(const lsdem_clearance *watch, lsdem_clearance_now moment, double travel)
{
  return fmin(moment.gone + travel, (double)(watch->base + UINT8_MAX) * moment.tick);
}

/* Tiles are found clear, get blocks and lose them at random as the two go on by steps of all sizes; beside it the same in plain numbers.
 * Reference: those. */
static void test_bytes_say_no_more_and_hardly_less_than_what_was_found(void **state)
{
  (void)state;
  const double spacing = 0.0008;
  uint64_t seed = 11;
  truth known[TILES] = {0};
  lsdem_clearance_now moment = {.gone = 3.7, .tick = spacing / LSDEM_TICKS};
  lsdem_clearance *watch = lsdem_clearance_create(TILES);
  assert_non_null(watch);
  size_t added = 0, dropped = 0, clear = 0;
  for (int step = 0; step < STEPS; step++) {
    double u = random_uniform(&seed);
    moment.gone += spacing * (step % 500 == 499 ? 30 * u : 0.3 * u * u * u * u);
    lsdem_clearance_advance(watch, moment);
    assert_true(lsdem_clearance_since(watch, moment) < 128);
    for (size_t t = 0, block = 0; t < TILES; t++) {
      assert_int_equal(lsdem_clearance_has(watch, t), known[t].block);
      double dice = random_uniform(&seed);
      if (dice < 0.02) {
        double travel = found_clear(&seed, spacing);
        watch->bytes[t] = lsdem_clearance_byte(watch, moment, travel);
        known[t].tile = until_of(watch, moment, travel);
      } else if (dice < 0.03 && !known[t].block) {
        assert_true(lsdem_clearance_add(&watch, t, block));
        known[t] = (truth){.tile = known[t].tile, .block = true};
        added++;
      } else if (dice < 0.035 && known[t].block) {
        lsdem_clearance_drop(&watch, t, block);
        known[t].block = false;
        dropped++;
      }
      check_byte(watch->bytes[t], watch, moment, known[t].tile);
      clear += lsdem_clearance_since(watch, moment) < watch->bytes[t];
      if (!known[t].block) continue;
      uint8_t *nodes = lsdem_clearance_block(watch, block++);
      size_t k = (size_t)(LSDEM_TILE_NODES * random_uniform(&seed));
      double travel = found_clear(&seed, spacing);
      nodes[k] = lsdem_clearance_byte(watch, moment, travel);
      known[t].node[k] = until_of(watch, moment, travel);
      for (k = 0; k < LSDEM_TILE_NODES; k++) check_byte(nodes[k], watch, moment, known[t].node[k]);
    }
  }
  assert_true(added > 100 && dropped > 100 && clear > 1000);
  mem_free(watch);
}

/* Ways beyond all counting, and ways that shrink as modes reach less far, leave nothing clear that was not. */
static void test_ways_that_cannot_be_counted_leave_nothing_clear(void **state)
{
  (void)state;
  lsdem_clearance *watch = lsdem_clearance_create(3);
  assert_non_null(watch);
  lsdem_clearance_now moment = {.gone = 1, .tick = 1e-3};
  lsdem_clearance_advance(watch, moment);
  watch->bytes[1] = lsdem_clearance_byte(watch, moment, 0.05);
  moment.gone = 0.99;
  assert_int_equal(lsdem_clearance_byte(watch, moment, 0.005), 0);
  assert_true(lsdem_clearance_since(watch, moment) < watch->bytes[1]);
  assert_false(lsdem_clearance_since(watch, moment) < watch->bytes[0]);
  moment.gone = 1e300;
  assert_false(lsdem_clearance_since(watch, moment) < watch->bytes[1]);
  lsdem_clearance_advance(watch, moment);
  assert_int_equal(watch->bytes[1], 0);
  moment.gone = NAN;
  assert_int_equal(lsdem_clearance_byte(watch, moment, 1), 0);
  mem_free(watch);
}

SUITE(test_lsdem_watch)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_say_no_more_and_hardly_less_than_what_was_found),
      cmocka_unit_test(test_ways_that_cannot_be_counted_leave_nothing_clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
