/* Method rigid in the energy ledger: everything that its steps give to bodies and take from them is booked, and the balance tells whatever
 * is not. */
#include "methods/rigid/state/state.h"
#include "tests/support/ledger_case.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 1000}], "
#define TIMES                                                                                                                              \
  "\"time\": {\"duration\": 1, \"time_step\": 0.002}, \"output\": {\"frame_interval\": 1, \"sample_interval\": 1}, \"options\": "          \
  "{\"tolerance\": 1e-11}}"
#define AT(x, z) "\"placement\": {\"type\": \"single\", \"position\": [" x ", 0, " z "]}"

/* All there is at once: a ball that spins and a cube are thrown on a belt, bounce, slip, roll and stick a little; a free ball lies in the
 * way; a wall under a servo comes down on a second cube. */
static const char *const all = HEAD
    "\"contact\": {\"friction_coefficient\": 0.4, \"restitution\": 0.5, \"rolling_resistance\": 0.02, \"adhesion\": 0.5}, \"specimens\": ["
    "{\"name\": \"ball\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.06}, " AT(
        "-0.4",
        "0.0601") ", \"velocity\": [2, 0, -0.2], \"angular_velocity\": [0, 60, 20]},"
                  "{\"name\": \"cube\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, " AT(
                      "0", "0.0501") ", \"velocity\": [-1.5, 0, -1]},"
                                     "{\"name\": \"pressed\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.3, "
                                     "0.4]}, " AT(
                                         "1.2",
                                         "0.2001") "}], "
                                                   "\"rig\": {\"type\": \"box\", \"minimum\": [-3, -3, -1], \"maximum\": [3, 3, 0.41], "
                                                   "\"gravity\": [0, 0, -9.81], \"walls\": {\"z_max\": {\"program\": [{\"type\": "
                                                   "\"servo\", \"force\": 400, \"gain\": 0.002}]}}}, "
                                                   "\"obstacles\": [{\"name\": \"belt\", \"shape\": {\"type\": \"plane\", \"width\": 1}, "
                                                   "\"direction\": [1, 0, 0], \"program\": [{\"type\": \"constant\", \"velocity\": 1}]},"
                                                   "{\"name\": \"loose\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.06}, "
                                                   "\"position\": [-0.2, 0, 0.0601], \"free\": {\"density\": 500}}], " TIMES;

/* Without overlaps to be moved apart all adds up to rounding, at any moment; and no item is so small that its loss would not show, nor the
 * rolling, nor the free part. Conservation of energy. */
static void test_every_item_of_the_ledger_counts(void **state)
{
  (void)state;
  static const char *const item[] = {"start", "rig", "gravity", "friction", "impact", "kinetic"};
  enum { ITEMS = sizeof item / sizeof *item };
  sim_run r = run_open(all, 1);
  const rigid_state *s = r.sim->state;
  double worst = 0, most[ITEMS] = {0}, rolled = 0, flying = 0;
  for (int k = 0; k < 60; k++) {
    run_steps(&r, 1);
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")));
    ledger_watch(r.sim, item, ITEMS, most);
    flying = fmax(flying, fabs(parts_energy(&r.sim->parts)) / r.sim->ledger.largest);
    for (size_t i = 0; i < s->contact_count; i++)
      rolled += fabs(vec3_dot(rigid_couple(&s->contacts[i]), s->spin[s->contacts[i].touch.a])) / r.sim->ledger.largest;
    assert_true(s->report.penetration < s->penetration);
  }
  print_message("# balance within %.2g; rolling took %.2g of the largest energy, the free part had %.2g\n", worst, rolled, flying);
  assert_true(worst < 1e-9);
  ledger_assert_counted(item, ITEMS, most, 1e-3);
  assert_true(rolled > 1e-3 && flying > 1e-3);
  run_close(&r);
}

/* The work of driven parts and of those under a servo is what the loads on them, as their curves have them, do on their ways: here all of
 * them are shifted, none is turned. Steps that an impact divides are left out: the servo's velocity and the loads change within them. */
static void test_the_work_of_the_rig_is_that_of_the_loads_on_it(void **state)
{
  (void)state;
  sim_run r = run_open(all, 1);
  sim_parts *parts = &r.sim->parts;
  const rigid_state *s = r.sim->state;
  double work = 0, of_servo = 0, booked = 0;
  int whole = 0;
  for (int k = 0; k < 60; k++) {
    part_motion before[SCR_PART_LIMIT];
    double rig = r.sim->ledger.rig;
    memcpy(before, parts->now, sizeof before);
    run_steps(&r, 1);
    if (s->contact_time < 0.99 * r.sim->time_step) continue;
    whole++;
    booked += r.sim->ledger.rig - rig;
    for (size_t p = 0; p < parts->count; p++) {
      if (parts->form[p].is_free) continue;
      scr_vec3 way = part_displacement_between(&parts->form[p], &before[p], &parts->now[p]).displacement;
      double done = -vec3_dot(parts->load[p].impulse, way) / r.sim->time_step;
      work += done;
      if (parts->form[p].steers) of_servo += done;
    }
  }
  print_message("# work of the rig %.12g J, of the loads %.12g J, of it the servo's %.6g J, %d steps\n", booked, work, of_servo, whole);
  assert_true(whole > 30 && fabs(work - booked) < 1e-9 * r.sim->ledger.largest);
  assert_true(fabs(of_servo) > 1e-3 * r.sim->ledger.largest);
  run_close(&r);
}

/* A ball of 0.905 kg meets the floor at 3 m/s with restitution 0.5, gravity off: impacts take (1 - 0.25) of its energy by Newton's rule,
 * the rest is motion, and friction has no part. */
static void test_an_impact_takes_what_newtons_rule_says(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.4, \"restitution\": 0.5}, \"specimens\": [{\"name\": \"ball\", "
                            "\"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.06}, " AT(
                                "0", "0.09") ", \"velocity\": [0, 0, -3]}], \"rig\": {\"type\": \"none\"}, \"obstacles\": [{\"name\": "
                                             "\"floor\", \"shape\": {\"type\": \"plane\", \"width\": 1}}], " TIMES,
                       1);
  double start = r.sim->ledger.start;
  run_steps(&r, 20);
  assert_true(fabs(run_curve(&r, "energy.impact") / start - 0.75) < 1e-9);
  assert_true(fabs(run_value(&r, "energy.kinetic") / start - 0.25) < 1e-9);
  assert_true(run_value(&r, "energy.friction") == 0 && run_value(&r, "energy.external") == 0);
  run_close(&r);
}

/* The balance is measured by the largest energy of any step, seen or not: one run is observed at every step, one never before the end. */
static void test_the_balance_does_not_depend_on_who_looks(void **state)
{
  (void)state;
  sim_run seen = run_open(all, 1), unseen = run_open(all, 1);
  for (int k = 0; k < 40; k++) {
    run_steps(&seen, 1);
    run_observe(&seen);
  }
  run_steps(&unseen, 40);
  assert_true(run_curve(&seen, "energy.balance_error") == run_curve(&unseen, "energy.balance_error"));
  assert_true(seen.sim->ledger.largest == unseen.sim->ledger.largest);
  run_close(&seen);
  run_close(&unseen);
}

/* A ball that is pressed to a slab which turns about its middle, and rolls along it against rolling resistance: the slab's work is that of
 * forces and of the couple, and only with both the balance closes, to rounding. The couple's work is no small part of it. */
static void test_a_turning_part_works_by_couples_too(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.6, \"rolling_resistance\": 0.05}, \"specimens\": [{\"name\": "
                            "\"ball\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.06}, "
                            "\"placement\": {\"type\": \"single\", \"position\": [0.1601, 0.1, 0]}, \"velocity\": [0, 1, 0]}], \"rig\": "
                            "{\"type\": \"none\", \"gravity\": [-9.81, 0, 0]}, "
                            "\"obstacles\": [{\"name\": \"slab\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 2, 2]}, \"turn\": "
                            "[{\"type\": \"constant\", \"angular_velocity\": 1.5}]}], " TIMES,
                       1);
  const rigid_state *s = r.sim->state;
  double worst = 0, turned = 0;
  for (int k = 0; k < 80; k++) {
    run_steps(&r, 1);
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")));
    for (size_t i = 0; i < s->contact_count; i++) turned += 1.5 * fabs(rigid_couple(&s->contacts[i]).z) / r.sim->ledger.largest;
  }
  print_message("# balance within %.2g, couples of %.2g of the largest energy\n", worst, turned);
  assert_true(worst < 1e-9 && turned > 1e-3);
  run_close(&r);
}

SUITE(test_rigid_energy)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_item_of_the_ledger_counts),
      cmocka_unit_test(test_the_work_of_the_rig_is_that_of_the_loads_on_it),
      cmocka_unit_test(test_a_turning_part_works_by_couples_too),
      cmocka_unit_test(test_an_impact_takes_what_newtons_rule_says),
      cmocka_unit_test(test_the_balance_does_not_depend_on_who_looks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
