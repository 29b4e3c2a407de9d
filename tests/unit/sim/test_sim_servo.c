/* Servos of the rig's parts: what they aim at and feel, and the gain that is chosen where a scene gives none. */
#include <string.h>

#include "sim/rig/parts.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

#define SERVO(target, its_gain)                                                                                                            \
  {                                                                                                                                        \
    .force = (target), .stress = NAN, .area = NAN, .gain = (its_gain), .maximum_velocity = NAN                                             \
  }

/* A plate of 2e-3 m^2 that its program presses down on a specimen that is wider. */
static void plate(sim_parts *parts, const scr_program *program)
{
  memset(parts, 0, sizeof *parts);
  parts->count = 1;
  parts->section = 5e-3;
  parts->form[0] = (scr_part){.kind = SCR_PART_PLANE,
                              .normal = {0, 0, -1},
                              .half_u = {0.05, 0, 0},
                              .half_v = {0, 0.01, 0},
                              .axis = {0, 0, -1},
                              .sign = 1,
                              .steers = true,
                              .program = program};
}

/* In the second of two servos the plate begins at the first one's force and comes to its own over the rise; and it yields to what it felt
 * in the step before, forces and blows over the step alike, by its gain. */
static void test_a_servo_goes_from_force_to_force_and_feels_blows(void **state)
{
  (void)state;
  scr_segment segments[2] = {{.kind = SCR_SEGMENT_SERVO, .duration = 1, .servo = SERVO(10, 1e-3)},
                             {.kind = SCR_SEGMENT_SERVO, .duration = INFINITY, .servo = SERVO(50, 1e-3)}};
  segments[1].servo.rise_time = 2;
  scr_program program = {.segments = segments, .segment_count = 2};
  sim_parts parts;
  plate(&parts, &program);
  static const double times[] = {0.5, 1, 1.5, 2, 3, 4}, forces[] = {10, 10, 20, 30, 50, 50};
  for (int k = 0; k < 6; k++) {
    double force, gain, most;
    assert_true(parts_servo(&parts, 0, times[k], &force, &gain, &most));
    claim_relative("servo after another: force, N", force, forces[k], 1e-12, "linear over the rise");
  }
  const double dt = 1e-2;
  for (int blow = 0; blow < 2; blow++) {
    parts.load[0] = blow ? (part_load){.impulse = {0, 0, 20 * dt}} : (part_load){.force = {0, 0, 20}};
    parts_begin(&parts, 4 + dt, dt);
    claim_relative(blow ? "servo that feels blows: velocity, m/s" : "servo that feels a force: velocity, m/s",
                   parts_at(&parts, 0, 4 + dt).velocity.z, -1e-3 * (50 - 20), 1e-9, "gain (P - what it feels)");
  }
}

/* What a specimen answers with: springs of contacts (`stiffness`) before a body that takes pressure as a wave (`impedance`) or, in an
 * implicit step, as a spring (`bodies`); all over 2e-3 m^2. The force at the end of a step in which the plate goes in by v dt. */
static double pressed_by(const part_response *response, double felt, double v, double dt)
{
  const double area = 2e-3;
  double yields = 1 / (response->stiffness * dt); /* m/s of v that a step's growth of pressure by 1 Pa takes up */
  if (response->bodies > 0) yields += 1 / fmax(response->impedance, response->bodies * dt);
  return felt + area * v / yields;
}

/* With the gain that is chosen a servo halves what its force lacks in every step, whatever of contact and body is softer, as long as that
 * asks for no more than waves carry away: that speed is pressure over impedance, the speed of particles behind a front. */
static void test_the_chosen_gain_halves_what_the_force_lacks_in_a_step(void **state)
{
  (void)state;
  static const struct {
    const char *what;
    part_response response;
  } cases[] = {{"contacts alone, explicit steps: part of the force that is missing", {.stiffness = 3e9, .impedance = 1e3}},
               {"contacts and a body as a whole: part of the force that is missing", {.stiffness = 3e9, .impedance = 10, .bodies = 1e9}},
               {"contacts and a wave into a body: part of the force that is missing", {.stiffness = 3e9, .impedance = 1e4, .bodies = 1e9}}};
  const double dt = 1e-5, force = 40;
  scr_segment segment = {.kind = SCR_SEGMENT_SERVO, .duration = INFINITY, .servo = SERVO(40, NAN)};
  scr_program program = {.segments = &segment, .segment_count = 1};
  sim_parts parts;
  for (int k = 0; k < 3; k++) {
    double felt = 0;
    plate(&parts, &program);
    parts.response = cases[k].response;
    for (int step = 1; step <= 5; step++) {
      parts.load[0].force = vec3(0, 0, felt);
      parts_begin(&parts, step * dt, dt);
      felt = pressed_by(&parts.response, felt, -parts_at(&parts, 0, step * dt).velocity.z, dt);
      claim_relative(cases[k].what, 1 - felt / force, pow(0.5, step), 1e-9, "half of it a step: 2^-n");
    }
  }
  plate(&parts, &program);
  parts.response = (part_response){.stiffness = 3e9, .impedance = 1.5e6};
  parts_begin(&parts, dt, dt);
  claim_relative("stiff contacts, explicit steps: velocity of the plate, m/s", -parts_at(&parts, 0, dt).velocity.z, 20e3 / 1.5e6, 1e-9,
                 "pressure over impedance");
}

SUITE(test_sim_servo)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_servo_goes_from_force_to_force_and_feels_blows),
      cmocka_unit_test(test_the_chosen_gain_halves_what_the_force_lacks_in_a_step),
  };
  return cmocka_run_group_tests_name("servo", tests, NULL, NULL);
}
