/* The energy ledger that all methods share: the work of parts, the balance, and its curves among a method's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/sim.h"
#include "sim/view/ledger_view.h"
#include "tests/support/suites.h"

/* One part of the rig that moves along z and turns about it. */
static sim_parts one_part(void)
{
  static const scr_program turn = {0};
  sim_parts parts = {.count = 1};
  parts.form[0] = (scr_part){.axis = {0, 0, 1}, .turn = &turn, .turn_axis = {0, 0, 1}};
  return parts;
}

/* A part that presses a linear spring by x and twists another by a does the work k x^2/2 + c a^2/2: forces that are linear in the way have
 * exact trapezoids, however the way is divided. Here in steps of uneven length; to rounding. */
static void test_the_work_of_a_part_on_springs_is_their_energy(void **state)
{
  (void)state;
  const double k = 300, c = 7, stops[] = {0, 0.1, 0.15, 0.4, 0.38, 0.5};
  sim_parts parts = one_part();
  sim_ledger ledger = {0};
  ledger_begin(&ledger, &parts, 0);
  for (size_t n = 1; n < sizeof stops / sizeof *stops; n++) {
    part_motion before = parts.now[0];
    part_load left = parts.load[0];
    parts.now[0].pose.position = vec3(0, 0, stops[n]);
    parts.now[0].angle = 2 * stops[n];
    parts.load[0] = (part_load){.force = {0, 0, -k * stops[n]}, .torque = {0, 0, -c * 2 * stops[n]}};
    ledger_book_parts(&ledger, &parts, &before, &left);
  }
  double energy = 0.5 * k * 0.25 + 0.5 * c * 1;
  assert_true(fabs(ledger.rig / energy - 1) < 1e-14);
  const sim_energies held = {.elastic = energy};
  ledger_close(&ledger, &parts, energy);
  assert_true(fabs(ledger_balance_error(&ledger, &parts, &held)) < 1e-14);
}

/* Of a part that goes at 1.5 m/s at its fastest a first touch puts in at most m v^2/2 of what it meets; parts without a program put in
 * nothing. */
static void test_a_first_touch_puts_in_the_energy_of_all_mass_at_its_speed(void **state)
{
  (void)state;
  scr_segment segment = {.kind = SCR_SEGMENT_CONSTANT, .velocity = -1.5, .duration = INFINITY};
  const scr_program program = {.segments = &segment, .segment_count = 1};
  sim_parts parts = one_part();
  assert_true(ledger_first_touch(&parts, 4, 10) == 0);
  parts.form[0].program = &program;
  assert_true(fabs(ledger_first_touch(&parts, 4, 10) / 4.5 - 1) < 1e-15);
}

/* A ball of 2 kg that falls from rest: work of gravity m g h turns into motion, a tenth of it is lost at the ground, to damping and in the
 * impact. Whatever is left out of the books shows with its sign, over the largest energy so far. */
static void test_the_balance_tells_what_is_missing(void **state)
{
  (void)state;
  sim_parts parts = {0};
  sim_ledger ledger = {0};
  const double work = 2 * 9.81 * 3;
  ledger_begin(&ledger, &parts, 5);
  ledger.gravity = work;
  ledger_close(&ledger, &parts, 5 + work);
  sim_energies held = {.kinetic = 5 + work};
  assert_true(fabs(ledger_balance_error(&ledger, &parts, &held)) < 1e-15);
  held.kinetic = 0.9 * (5 + work);
  assert_true(fabs(ledger_balance_error(&ledger, &parts, &held) - 0.1) < 1e-15);
  ledger.damping = 0.04 * (5 + work);
  ledger.impact = 0.06 * (5 + work);
  assert_true(fabs(ledger_balance_error(&ledger, &parts, &held)) < 1e-15);
  held.other = 0.2 * (5 + work);
  assert_true(fabs(ledger_balance_error(&ledger, &parts, &held) + 0.2) < 1e-15);
  ledger_close(&ledger, &parts, 1);
  assert_true(ledger.largest == 5 + work); /* never falls */
  ledger.least = 10 * ledger.largest;
  assert_true(fabs(ledger_balance_error(&ledger, &parts, &held) + 0.02) < 1e-15);
}

/* Nothing held, nothing put in, nothing to measure by: no error, and no division by zero. */
static void test_nothing_at_all_balances(void **state)
{
  (void)state;
  sim_parts parts = {0};
  sim_ledger ledger = {0};
  assert_true(ledger_balance_error(&ledger, &parts, &(sim_energies){0}) == 0);
}

/* A part that flies has its energy itself: it is put in at the start, held while it moves, and its forces do no work of the rig. */
static void test_free_parts_are_held_not_booked(void **state)
{
  (void)state;
  sim_parts parts = {.count = 1};
  parts.form[0] = (scr_part){.is_free = true, .mass = {.mass = 4, .moments = {1, 1, 1}, .axes = {0, 0, 0, 1}}};
  parts.flight[0] = (part_flight){.velocity = {3, 0, 0}, .rotation = {0, 0, 0, 1}};
  parts.load[0].force = vec3(100, 0, 0);
  sim_ledger ledger = {0};
  ledger_begin(&ledger, &parts, 1);
  assert_true(fabs(ledger.start - (1 + 18)) < 1e-12);
  part_motion before = parts.now[0];
  part_load left = parts.load[0];
  parts.now[0].pose.position = vec3(1, 0, 0);
  ledger_book_parts(&ledger, &parts, &before, &left);
  assert_true(ledger.rig == 0);
  assert_true(fabs(ledger_balance_error(&ledger, &parts, &(sim_energies){.kinetic = 1})) < 1e-15);
}

static void give_energies(const scr_sim *sim, sim_energies *now)
{
  (void)sim;
  *now = (sim_energies){.kinetic = 1, .wall = 2};
}

static const scr_series made_curves[] = {
    {SCR_PART_MARK ".force_x", "N", "Force"},  {"speed", "m/s", "Speed"},
    {"energy.wall", "J", "In contacts"},       {"energy.kinetic", "J", "Of motion"},
    {"energy.fracture", "J", "Of what broke"}, {"energy.friction", "J", "Of friction"},
    {"energy.external", "J", "Work"},          {"energy.balance_error", "1", "Missing"},
    {"energy.impact", "J", "In impacts"},
};

/* The shell has the ledger's curves in the order in which the method names them, and leaves the others to it. What may fall is no
 * dissipation, nor what impacts take. */
static void test_the_shell_declares_and_fills_the_curves(void **state)
{
  (void)state;
  const scr_method method = {.about = {.name = "made", .curves = made_curves, .curve_count = sizeof made_curves / sizeof *made_curves},
                             .may_fall = LEDGER_BIT(LEDGER_FRACTURE),
                             .energies = give_energies};
  const scr_scene scene = {.method = &method.about};
  scr_sim sim = {.scene = &scene,
                 .ledger = {.start = 4, .friction = 0.5, .fracture = 0.25, .impact = 0.125, .rig = -1, .gravity = 1.5, .largest = 5}};
  assert_int_equal(scr_sim_declare_series(&sim, "time", "s", "Time", NULL), SCR_OK);
  assert_int_equal(ledger_declare_curves(&sim, NULL), SCR_OK);
  assert_int_equal(scr_sim_declare_curves(&sim, NULL), SCR_OK);
  const char *const order[] = {
      "time",          "energy.wall", "energy.kinetic", "energy.fracture", "energy.friction", "energy.external", "energy.balance_error",
      "energy.impact", "speed"};
  assert_int_equal(sim.series_count, sizeof order / sizeof *order);
  for (size_t k = 0; k < sim.series_count; k++) assert_string_equal(sim.series[k].name, order[k]);
  assert_int_equal(sim.dissipation_count, 1);
  assert_string_equal(sim.series[sim.dissipations[0]].name, "energy.friction");
  double values[LEDGER_ENTRIES];
  ledger_observe(&sim, values);
  const double expected[] = {2, 1, 0.25, 0.5, 0.5, (4.5 - 3.875) / 5, 0.125};
  assert_int_equal(sim.ledger_series, sizeof expected / sizeof *expected);
  for (size_t k = 0; k < sim.ledger_series; k++) assert_true(fabs(values[k] - expected[k]) < 1e-15);
  free(sim.series);
  free(sim.dissipations);
}

/* A method without a ledger has curves of those names to itself. */
static void test_a_method_without_a_ledger_keeps_its_curves(void **state)
{
  (void)state;
  const scr_method method = {.about = {.name = "made", .curves = made_curves, .curve_count = sizeof made_curves / sizeof *made_curves}};
  const scr_scene scene = {.method = &method.about};
  scr_sim sim = {.scene = &scene};
  assert_int_equal(ledger_declare_curves(&sim, NULL), SCR_OK);
  assert_int_equal(sim.series_count, 0);
  assert_int_equal(scr_sim_declare_curves(&sim, NULL), SCR_OK);
  assert_int_equal(sim.series_count, 8);
  free(sim.series);
}

SUITE(test_sim_ledger)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_work_of_a_part_on_springs_is_their_energy),
      cmocka_unit_test(test_a_first_touch_puts_in_the_energy_of_all_mass_at_its_speed),
      cmocka_unit_test(test_the_balance_tells_what_is_missing),
      cmocka_unit_test(test_nothing_at_all_balances),
      cmocka_unit_test(test_free_parts_are_held_not_booked),
      cmocka_unit_test(test_the_shell_declares_and_fills_the_curves),
      cmocka_unit_test(test_a_method_without_a_ledger_keeps_its_curves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
