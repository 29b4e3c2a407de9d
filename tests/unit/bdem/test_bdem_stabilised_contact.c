/* Contacts that are damped within a variational step: their force, what they take out, and that they get their law back. */
#include "methods/bdem/contact/press.h"
#include "methods/bdem/implicit/stabilised_contact.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* A ball of r = 5 mm a little below the floor's surface, and one on its head. */
static const char balls[] =
    "{\"scree\":1,\"name\":\"balls\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"young_modulus\":1e8}],"
    "\"contact\":{\"damping_ratio\":%g},"
    "\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.01,\"shape\":{\"type\":\"sphere\",\"radius\":0.005},"
    "\"placement\":{\"type\":\"lattice\",\"origin\":[0,0,0.0051],\"count\":[1,1,2],\"pitch\":[1,1,0.0101]}}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[-0.5,-1,0],\"maximum\":[1,1,1]},\"time\":{\"duration\":1,\"time_step\":%g},"
    "\"options\":{\"integrator\":\"variational\"}}";

static bdem_run open_balls(double damping_ratio, double time_step)
{
  char text[1200];
  snprintf(text, sizeof text, balls, damping_ratio, time_step);
  return run_open(text, 1);
}

static bdem_touch *floor_touch(bdem_state *s)
{
  for (size_t k = 0; k < s->contacts.touch_count; ++k)
    if (s->contacts.touches[k].sphere == 0 && fabs(s->contacts.parts[s->contacts.touches[k].part].pose.position.z) < 1e-3)
      return &s->contacts.touches[k];
  fail_msg("the ball has no contact with the floor");
  return NULL;
}

/* Both contacts at overlaps of 10 um, then 30 um in the middle, so 50 um at the end. Forces by the formula of the header, written out. */
static void test_the_force_lies_between_the_middle_and_the_end_and_dissipates_the_difference(void **state)
{
  (void)state;
  static const double ratios[] = {0.5, 0.5, 0.01, 0};
  static const double steps[] = {1e-2, 1e-5, 1e-5, 1e-5};
  for (size_t c = 0; c < 4; ++c) {
    bdem_run r = open_balls(ratios[c], steps[c]);
    bdem_state *s = run_state(&r);
    double dt = steps[c], first = 10e-6, middle = 30e-6, end = 50e-6;
    assert_int_equal(s->contacts.pair_count, 1);
    bdem_touch *touch = floor_touch(s), touch_before = *touch;
    bdem_pair *pair = &s->contacts.pairs[0], pair_before = *pair;
    double k_pair = pair->stiffness, k_touch = touch->stiffness, m = s->body.mass[0];
    double a_touch = 1 - exp(-2 * ratios[c] * sqrt(k_touch / m) * dt), a_pair = 1 - exp(-2 * ratios[c] * sqrt(2 * k_pair / m) * dt);
    s->body.position[0].z = touch->reach - first;
    s->body.position[1].z = s->body.position[0].z + pair->reach - first;
    assert_int_equal(bdem_contacts_stabilise(&s->contacts, &s->body, dt, NULL), SCR_OK);
    s->body.position[0].z = touch_before.reach - middle;
    s->body.position[1].z = s->body.position[0].z + pair_before.reach - middle;
    bdem_press press;
    assert_true(bdem_touch_press(&s->contacts, touch, &s->body, &press));
    assert_float_equal(press.push.z, k_touch * (middle + a_touch * (middle - first)), 1e-9 * k_touch * end);
    assert_true(bdem_pair_press(pair, &s->body, &press));
    assert_float_equal(press.push.z, k_pair * (middle + a_pair * (middle - first)), 1e-9 * k_pair * end);
    assert_float_equal(pair->shear * pair->stiffness, pair_before.shear * k_pair, 1e-12 * k_pair);
    s->body.position[0].z = touch_before.reach - end;
    s->body.position[1].z = s->body.position[0].z + pair_before.reach - end;
    double taken = bdem_contacts_release(&s->contacts, &s->body);
    double expected = 0.5 * (a_touch * k_touch + a_pair * k_pair) * (end - first) * (end - first);
    assert_float_equal(taken, expected, 1e-9 * k_touch * end * end);
    assert_true(ratios[c] == 0 ? taken == 0 : taken > 0);
    assert_true(touch->reach == touch_before.reach && touch->stiffness == k_touch && touch->shear == touch_before.shear);
    assert_true(pair->reach == pair_before.reach && pair->stiffness == k_pair && pair->shear == pair_before.shear);
    run_close(&r);
  }
}

/* What has not touched yet presses once its end does: 20 um apart, 5 um below in the middle, so 30 um below at the end. */
static void test_what_comes_into_contact_is_met_by_where_it_ends(void **state)
{
  (void)state;
  bdem_run r = open_balls(0.5, 1e-2);
  bdem_state *s = run_state(&r);
  bdem_touch *touch = floor_touch(s);
  double k = touch->stiffness, reach = touch->reach;
  bdem_press press;
  s->body.position[0].z = reach + 20e-6;
  s->body.position[1].z = 0.5;
  assert_int_equal(bdem_contacts_stabilise(&s->contacts, &s->body, 1e-2, NULL), SCR_OK);
  s->body.position[0].z = reach - 5e-6;
  assert_true(bdem_touch_press(&s->contacts, touch, &s->body, &press));
  assert_float_equal(press.push.z, k * 30e-6, 1e-6 * k * 30e-6);
  s->body.position[0].z = reach - 30e-6;
  assert_float_equal(bdem_contacts_release(&s->contacts, &s->body), k * 25e-6 * 50e-6, 1e-6 * k * 25e-6 * 50e-6);
  run_close(&r);
}

/* A ball 20 um above its equilibrium comes to rest there within a few long steps, and what it loses is booked as damping. */
static void test_a_damped_ball_comes_to_rest_in_steps_far_longer_than_its_contact_swings(void **state)
{
  (void)state;
  char text[1200];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"ball\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"young_modulus\":1e6}],"
           "\"contact\":{\"damping_ratio\":0.5},"
           "\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.01,\"shape\":{\"type\":\"sphere\",\"radius\":0.005},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.005]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[-0.5,-1,0],\"maximum\":[1,1,1],\"gravity\":[0,0,-9.81]},\"time\":{\"duration\":1,"
           "\"time_step\":%g},\"options\":{\"integrator\":\"variational\",\"impacts\":\"implicit\"}}",
           0.02);
  bdem_run r = run_open(text, 1);
  bdem_state *s = run_state(&r);
  double weight = s->body.mass[0] * 9.81, sunk = weight / floor_touch(s)->stiffness, before = s->body.position[0].z;
  run_steps(&r, 10);
  assert_float_equal(before - s->body.position[0].z, sunk, 1e-3 * sunk);
  assert_float_equal(s->ledger->damping, 0.5 * weight * sunk, 0.05 * weight * sunk);
  run_close(&r);
}

/* A ball that falls at 1 m/s: the step that would lose its impact is thrown away and done by explicit steps, which have no residual. */
static void test_the_residual_is_that_of_the_parts_of_the_step_that_stand(void **state)
{
  (void)state;
  bdem_run r =
      run_open("{\"scree\":1,\"name\":\"ball\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":2000,\"young_modulus\":1e8}],"
               "\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.01,\"shape\":{\"type\":\"sphere\",\"radius\":0.005},"
               "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0055]},\"velocity\":[0.1,0,-1]}],"
               "\"rig\":{\"type\":\"box\",\"minimum\":[-1,-1,0],\"maximum\":[1,1,1]},\"time\":{\"duration\":1e-2,\"time_step\":1e-4},"
               "\"options\":{\"integrator\":\"implicit-euler\"}}",
               1);
  bdem_state *s = run_state(&r);
  size_t thrown = 0;
  for (int k = 0; k < 40; ++k) {
    bool bursting = s->control.bursting;
    run_steps(&r, 1);
    uint64_t burst = (uint64_t)ceil(s->model.time_step / bdem_explicit_step_length(&s->model));
    bool by_burst = s->step.solver.substeps == burst;
    thrown += by_burst && !bursting && s->step.solver.newton_iterations > 0;
    if (by_burst) assert_true(s->step.solver.residual == 0);
  }
  assert_true(thrown > 0);
  run_close(&r);
}

SUITE(test_bdem_stabilised_contact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_force_lies_between_the_middle_and_the_end_and_dissipates_the_difference),
      cmocka_unit_test(test_what_comes_into_contact_is_met_by_where_it_ends),
      cmocka_unit_test(test_the_residual_is_that_of_the_parts_of_the_step_that_stand),
      cmocka_unit_test(test_a_damped_ball_comes_to_rest_in_steps_far_longer_than_its_contact_swings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
