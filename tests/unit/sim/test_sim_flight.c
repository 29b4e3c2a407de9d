/* Flight of free parts as bodies with a mass, by mechanics: forces at any point, answers to impulses, tumbling without a torque, energy
 * in gravity. */
#include <string.h>

#include "sim/rig/flight.h"
#include "sim/rig/parts.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A body of 3 kg with moments of 2, 3 and 4 kg m^2 about tilted axes, its centre of mass 0.3 m off its position. */
static void make(sim_parts *parts)
{
  memset(parts, 0, sizeof *parts);
  parts->count = 1;
  parts->gravity = vec3(0.5, -1, -9.81);
  parts->form[0] =
      (scr_part){.is_free = true,
                 .start = {1, 2, 3},
                 .mass = {.mass = 3, .centre = {0.2, -0.1, 0.2}, .moments = {2, 3, 4}, .axes = quat_exp(vec3(0.4, -0.3, 0.8))}};
  parts->flight[0] = (part_flight){.centre = vec3_add(vec3(1, 2, 3), vec3(0.2, -0.1, 0.2)), .rotation = quat_identity()};
}

/* Turned, at rest, at t = 0. */
static part_flight *turn_it(sim_parts *parts)
{
  part_flight *flight = &parts->flight[0];
  flight->rotation = quat_exp(vec3(-0.5, 1, 0.7));
  flight->arrival = (scr_pose){flight->centre, flight->rotation};
  return flight;
}

/* About the centre of mass, in the world: A diag(moments) A^T w. */
static scr_vec3 momentum_of(const scr_part *form, scr_quat rotation, scr_vec3 spin)
{
  scr_vec3 sum = vec3(0, 0, 0);
  const double moments[3] = {form->mass.moments.x, form->mass.moments.y, form->mass.moments.z};
  for (int k = 0; k < 3; k++) {
    scr_vec3 axis = quat_rotate(rotation, quat_rotate(form->mass.axes, vec3(k == 0, k == 1, k == 2)));
    sum = vec3_add(sum, vec3_scale(axis, moments[k] * vec3_dot(axis, spin)));
  }
  return sum;
}

static double off(scr_vec3 a, scr_vec3 b)
{
  return vec3_length(vec3_sub(a, b)) / vec3_length(b);
}

/* A force at a point, given as force and torque about the part's position, also when the body has turned: the angular momentum about
 * the centre of mass grows by (point - centre) x F dt, the momentum by (F + m g) dt. To rounding. */
static void test_forces_act_where_they_act(void **state)
{
  (void)state;
  sim_parts parts;
  make(&parts);
  const scr_part *form = &parts.form[0];
  part_flight *flight = turn_it(&parts);
  const double dt = 1e-2;
  scr_vec3 position = flight_at(form, flight, 0).pose.position, point = vec3(0.7, 2.6, 2.5), force = vec3(5, -7, 4);
  assert_float_equal(vec3_length(vec3_sub(vec3_sub(flight->centre, position), quat_rotate(flight->rotation, form->mass.centre))), 0, 1e-15);
  flight_kick(form, flight, force, vec3_cross(vec3_sub(point, position), force), parts.gravity, dt);
  scr_vec3 turned = vec3_scale(vec3_cross(vec3_sub(point, flight->centre), force), dt);
  scr_vec3 gained = vec3_scale(vec3_add(force, vec3_scale(parts.gravity, 3)), dt / 3);
  claim_absolute("force at a point of a free part: angular momentum off", off(flight->momentum, turned), 0, 1e-12, "(x - c) x F dt");
  claim_absolute("force at a point of a free part: velocity off", off(flight->velocity, gained), 0, 1e-12, "(F / m + g) dt");
}

/* What an impulse of 1 N s along a direction changes in the velocity of the point that it meets, along it, is the part's ease there;
 * what a unit of turn changes in the spin, its ease of turning. To rounding. */
static void test_eases_are_answers_to_impulses(void **state)
{
  (void)state;
  sim_parts parts;
  make(&parts);
  const scr_part *form = &parts.form[0];
  part_flight *flight = turn_it(&parts);
  scr_vec3 position = flight_at(form, flight, 0).pose.position, point = vec3(0.7, 2.6, 2.5), along = vec3_scale(vec3(2, -1, 2), 1.0 / 3);
  double ease = parts_inverse_mass(&parts, 0, point, along), turn_ease = parts_inverse_inertia(&parts, 0, along);
  flight_kick(form, flight, along, vec3_cross(vec3_sub(point, position), along), vec3(0, 0, 0), 1);
  scr_vec3 spin = flight_at(form, flight, 0).spin;
  assert_float_equal(off(momentum_of(form, flight->rotation, spin), flight->momentum), 0, 1e-12);
  double answer = vec3_dot(vec3_add(flight->velocity, vec3_cross(spin, vec3_sub(point, flight->centre))), along);
  claim_relative("free part that is hit: velocity gained per impulse, 1/kg", ease, answer, 1e-12, "as it flies then");
  flight->momentum = along;
  claim_relative("free part that is turned: spin gained per torque's impulse, 1/(kg m^2)", turn_ease,
                 vec3_dot(flight_at(form, flight, 0).spin, along), 1e-12, "as it flies then");
}

/* Without a torque the spin of a tumbling body obeys Euler's equations, here by classical Runge-Kutta in steps a tenth as long: its
 * spin in space and its attitude after 2 s, of some turns. Steps of second order: half the step has a quarter of the error, and 1 ms is
 * good to 1e-5. */
static void test_tumbling_obeys_eulers_equations(void **state)
{
  (void)state;
  double error[2];
  for (int n = 0; n < 2; n++) {
    const double dt = n ? 1e-3 : 2e-3;
    sim_parts parts;
    make(&parts);
    const scr_part *form = &parts.form[0];
    part_flight *flight = &parts.flight[0];
    scr_vec3 spin = vec3(3, -4, 5);
    flight->momentum = momentum_of(form, flight->rotation, spin);
    for (int k = 1; k * dt < 2 + 0.5 * dt; k++) {
      flight_drift(form, flight, dt, k * dt);
      flight_arrive(flight);
    }
    scr_vec3 L = momentum_of(form, quat_identity(), spin);
    scr_quat turned = quat_identity();
    const double h = 1e-4;
    for (int k = 0; k < 20000; k++) { /* the turn w h of a step by the mean of Runge-Kutta's four */
      scr_vec3 w1 = flight_spin(form, turned, L), w2 = flight_spin(form, quat_multiply(quat_exp(vec3_scale(w1, 0.5 * h)), turned), L);
      scr_vec3 w3 = flight_spin(form, quat_multiply(quat_exp(vec3_scale(w2, 0.5 * h)), turned), L);
      scr_vec3 w4 = flight_spin(form, quat_multiply(quat_exp(vec3_scale(w3, h)), turned), L);
      scr_vec3 mean = vec3_scale(vec3_add(vec3_add(w1, w4), vec3_scale(vec3_add(w2, w3), 2)), 1.0 / 6);
      turned = quat_normalise(quat_multiply(quat_exp(vec3_scale(mean, h)), turned));
    }
    assert_float_equal(off(flight->momentum, L), 0, 1e-12);
    error[n] = off(quat_rotate(flight->rotation, vec3(1, 2, 3)), quat_rotate(turned, vec3(1, 2, 3)));
  }
  claim_absolute("tumbling free part after 2 s: place of a point off, over its distance", error[1], 0, 1e-5,
                 "Euler's equations, Runge-Kutta");
  claim_between("tumbling free part: error of twice the step over that of the step", error[0] / error[1], 3.5, 4.5, "second order");
}

/* A part thrown up and turning: kinetic energy and m g times its height stay the sum that they are. Kick, drift, kick keeps it to
 * rounding. */
static void test_energy_of_a_thrown_part_stays(void **state)
{
  (void)state;
  sim_parts parts;
  make(&parts);
  part_flight *flight = &parts.flight[0];
  flight->velocity = vec3(1, -2, 8);
  flight->momentum = vec3(0, 0, 0);
  double start = parts_energy(&parts), least = parts_kinetic(&parts);
  claim_relative("thrown part: energy at the start, J", start, 0.5 * 3 * 69, 1e-12, "m v^2 / 2");
  for (int k = 1; k <= 100; k++) {
    parts_begin(&parts, 0.01 * k, 0.01);
    flight_arrive(flight);
    parts_end(&parts, 0.01);
    least = fmin(least, parts_kinetic(&parts));
  }
  claim_relative("thrown part after 1 s: energy, J", parts_energy(&parts), start, 1e-12, "conservation");
  assert_true(least < 0.5 * start);
}

/* Kinetic energy of a part that flies and turns: m v^2 / 2 and the sum of moments times spins squared over 2, about its principal axes. */
static void test_kinetic_energy_of_a_turning_part(void **state)
{
  (void)state;
  sim_parts parts;
  make(&parts);
  const scr_part *form = &parts.form[0];
  part_flight *flight = turn_it(&parts);
  const double spin[3] = {3, -1, 2}, moments[3] = {2, 3, 4};
  scr_vec3 w = vec3(0, 0, 0);
  double turning = 0;
  for (int k = 0; k < 3; k++) {
    scr_vec3 axis = quat_rotate(flight->rotation, quat_rotate(form->mass.axes, vec3(k == 0, k == 1, k == 2)));
    w = vec3_add(w, vec3_scale(axis, spin[k]));
    turning += 0.5 * moments[k] * spin[k] * spin[k];
  }
  flight->momentum = momentum_of(form, flight->rotation, w);
  flight->velocity = vec3(1, 2, -2);
  claim_relative("turning part: kinetic energy, J", parts_kinetic(&parts), 0.5 * 3 * 9 + turning, 1e-12, "m v^2 / 2, I w^2 / 2");
}

SUITE(test_sim_flight)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_act_where_they_act),        cmocka_unit_test(test_eases_are_answers_to_impulses),
      cmocka_unit_test(test_tumbling_obeys_eulers_equations),  cmocka_unit_test(test_energy_of_a_thrown_part_stays),
      cmocka_unit_test(test_kinetic_energy_of_a_turning_part),
  };
  return cmocka_run_group_tests_name("flight", tests, NULL, NULL);
}
