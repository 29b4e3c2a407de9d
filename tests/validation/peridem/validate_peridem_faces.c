/* Peridem's contact_surface "faces": the rig measures the specimen, from the first touch on, and not the contact. */
#include "methods/peridem/host/contact/rig_faces.h"
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* A body of 20 mm, E = 100 MPa, `across` nodes across. */
static sim_run open_body(const char *shape, double across, const char *rig, const char *rest, const char *options)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"faces\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0},"
           "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":%s%s}],\"rig\":%s,\"time\":{\"duration\":1e-3},"
           "\"options\":{\"contact_surface\":\"faces\"%s}}",
           0.02 / across, shape, rest, rig, options);
  return run_open(text, 1);
}

#define CUBE "{\"type\":\"box\",\"size\":[0.02,0.02,0.02]}"
#define ROD "{\"type\":\"cylinder\",\"radius\":0.01,\"length\":0.02}"
#define PLATENS(opening, velocity)                                                                                                         \
  "{\"type\":\"platens\",\"opening\":" opening ",\"program\":[{\"type\":\"constant\",\"velocity\":" velocity "}]}"
#define PRESSED                                                                                                                            \
  ",\"loading\":\"quasi_static\",\"load_steps\":4,\"relaxation_tolerance\":1e-4,\"horizon_weight\":\"partial_volume\","                    \
  "\"surface_correction\":\"direction\""

/* Secant slopes after one and after four load steps of 0.2 % each, over E A / L. */
static void press(const char *shape, double area, double across, double slope[2])
{
  sim_run c = open_body(shape, across, PLATENS("0.02", "-0.16"), "", PRESSED);
  for (int k = 0; k < 4; k++) {
    run_steps(&c, 1);
    run_observe(&c);
    slope[k > 0] = fabs(run_value(&c, "platen.top.force_z")) / (1e8 * area / 0.02 * 4e-5 * (k + 1));
  }
  run_close(&c);
}

/* Reference: E A / L of a prism between smooth platens; tolerances are those that a rig has to meet to measure a specimen, 1 % of a cube
 * and 2 % of a cylinder, whose lattice has steps for a section. 8.45 and 8.6 spacings are 8 and 9 cells, stretched and squeezed to fill the
 * cube: whole spacings alone have 1.09 and 0.93. By contact_surface "body" a cylinder has 0.005 (10 nodes across) and 0.019 (16); half or
 * twice the contact's stiffness would be 10 % at 8 across. No travel is dead: the first secant is the last one, but for what the section
 * grows (0.4 % at Poisson's ratio 1/4). */
static void test_platens_measure_the_specimen(void **state)
{
  (void)state;
  static const double cubes[] = {8, 12, 16, 8.45, 8.6}, rods[] = {8, 10, 12, 16};
  char name[100];
  double slope[2];
  for (int k = 0; k < 5; k++) {
    press(CUBE, 4e-4, cubes[k], slope);
    snprintf(name, sizeof name, "cube between platens, %g across: slope over E A / L", cubes[k]);
    claim_relative(name, slope[1], 1, 0.01, "E A / L");
    claim_relative("the same: slope of the first load step over the last", slope[0] / slope[1], 1, 0.005, "no dead travel");
  }
  for (int k = 0; k < 4; k++) {
    press(ROD, M_PI * 1e-4, rods[k], slope);
    snprintf(name, sizeof name, "cylinder between platens, %g across: slope over E A / L", rods[k]);
    claim_relative(name, slope[1], 1, 0.02, "E A / L");
    claim_relative("the same: slope of the first load step over the last", slope[0] / slope[1], 1, 0.005, "no dead travel");
  }
}

/* Bodies that touch the rig at the start, also rollers, of which facets reach nearer than their nodes: no force, no energy. */
static void test_bodies_that_touch_by_their_faces_start_without_a_force(void **state)
{
  (void)state;
  static const char *const shapes[] = {CUBE, ROD, "{\"type\":\"sphere\",\"radius\":0.01}",
                                       "{\"type\":\"hollow_sphere\",\"radius\":0.01,\"inner_radius\":0.005}"};
  static const char bend[] =
      "{\"type\":\"three_point_bend\",\"span\":0.016,\"support_radius\":4e-3,\"position\":[0,0,-0.01],\"opening\":0.02,"
      "\"program\":[{\"type\":\"constant\",\"velocity\":-1e-9}]}";
  for (size_t k = 0; k < 5; k++) {
    sim_run c = open_body(k < 4 ? shapes[k] : CUBE, k == 2 ? 9 : 10, k < 4 ? PLATENS("0.02", "-1e-9") : bend, "", "");
    run_observe(&c);
    assert_true(run_value(&c, "energy.wall") == 0);
    run_steps(&c, 20);
    run_observe(&c);
    claim_absolute("touching by faces: energy in contacts after 20 steps, J", run_value(&c, "energy.wall"), 0, 1e-12, "a specimen at rest");
    run_close(&c);
  }
}

/* Balls between platens, u the approach of each platen over the radius. Reference: Hertz, F = 4/3 E/(1 - nu^2) sqrt(R) (u R)^1.5. Where
 * the contact is smaller than a spacing (its radius is sqrt(u) R) the lattice cannot tell it: from 0.70 on. Platens meet facets that bend
 * as the ball does, so that coarse balls, too, are met from the first touch on: without the bend 8 nodes across have 0 up to u = 0.01 and
 * 0.23 at 0.02. */
static void test_balls_are_pressed_as_hertz_says(void **state)
{
  (void)state;
  static const double across[] = {8, 12, 24};
  int count = claim_slow_part("24 nodes across") ? 3 : 2;
  for (int k = 0; k < count; k++) {
    sim_run c = open_body("{\"type\":\"sphere\",\"radius\":0.01}", across[k], PLATENS("0.02", "-0.8"), "",
                          ",\"loading\":\"quasi_static\",\"load_steps\":8");
    for (int step = 1; step <= 8; step++) {
      char name[100];
      run_steps(&c, 1);
      if (step & (step - 1)) continue;
      double u = 0.005 * step * 0.01, hertz = 4.0 / 3 * 1e8 / (1 - 0.0625) * sqrt(0.01) * pow(u, 1.5);
      snprintf(name, sizeof name, "ball of %g nodes across: force over Hertz' at u/R = %g", across[k], u / 0.01);
      claim_between(name, fabs(run_curve(&c, "platen.top.force_z")) / hertz, 0.70, 1.05, "Hertz");
    }
    run_close(&c);
  }
}

/* A slow press: a cube between smooth platens that come by 1 % in fifty times that sound takes through it. Nothing takes energy out;
 * Verlet's error is of second order in the step and does not add up. */
static void test_a_slow_press_ends_in_balance(void **state)
{
  (void)state;
  sim_run c = open_body(CUBE, 8,
                        "{\"type\":\"platens\",\"opening\":0.02,\"program\":[{\"type\":\"ramp\",\"velocity\":-0.1,\"duration\":1e-3},"
                        "{\"type\":\"constant\",\"velocity\":-0.1,\"duration\":1e-3},"
                        "{\"type\":\"ramp\",\"velocity\":0,\"duration\":1e-3}]}",
                        "", "");
  run_until(&c, 3e-3);
  run_observe(&c);
  double slope = fabs(run_value(&c, "platen.top.force_z")) / (1e8 * 4e-4 / 0.02 * 2e-4);
  claim_relative("slow press of 1 %: force over E A / L times the way", slope, 1, 0.02, "E A / L; it swings by what moves");
  claim_absolute("slow press: energy balance at its end", run_value(&c, "energy.balance_error"), 0, 1e-6, "conservation of energy");
  run_close(&c);
}

/* A cube that falls on a platen on an edge, turns and leaves: energy balances, as the contact has a potential, by either part's way. */
static void test_an_impact_keeps_its_energy(void **state)
{
  (void)state;
  sim_run c =
      open_body(CUBE, 8, PLATENS("0.06", "0"),
                ",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":34.4},\"placement\":{\"type\":\"single\",\"position\":[0,0,-0.0155]},"
                "\"velocity\":[0,0,-3]",
                "");
  double least = INFINITY, start = 0;
  run_observe(&c);
  start = run_value(&c, "energy.kinetic");
  for (int k = 1; k <= 20; k++) {
    run_until(&c, 5e-5 * k);
    run_observe(&c);
    least = fmin(least, run_value(&c, "energy.kinetic"));
  }
  assert_true(least < 0.7 * start);
  claim_absolute("cube that falls on its edge: energy balance", run_value(&c, "energy.balance_error"), 0, 1e-3, "Verlet's error");
  run_close(&c);
}

/* A cube that rubs on a moving roller and rests on a platen: interrupted or not, the same bits. */
static void test_an_interruption_keeps_the_bits(void **state)
{
  (void)state;
  static const char bend[] =
      "{\"type\":\"three_point_bend\",\"span\":0.016,\"support_radius\":4e-3,\"position\":[0,0,-0.01],\"opening\":0.02,"
      "\"program\":[{\"type\":\"constant\",\"velocity\":-2}]}";
  scr_blob blob = {0};
  sim_run one = open_body(CUBE, 10, bend, "", ""), resumed = open_body(CUBE, 10, bend, "", "");
  run_steps(&one, 40);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(resumed.sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  run_steps(&one, 40);
  run_steps(&resumed, 40);
  run_observe(&one);
  assert_true(run_value(&one, "energy.wall") > 0);
  assert_same_state(one.sim, resumed.sim);
  run_close(&one);
  run_close(&resumed);
}

/* Faces turn with their bodies: nodes of a cube carried through a rotation by hand, then asked for the face that looks at a part. */
static void test_faces_turn_with_their_bodies(void **state)
{
  (void)state;
  const double angle = 0.7, cosine = cos(angle), sine = sin(angle);
  sim_run c = open_body(CUBE, 8, PLATENS("0.06", "0"), "", "");
  pd_state *s = run_state(&c);
  size_t corner = 0;
  for (size_t i = 0; i < s->node_count; i++) {
    double x = s->host->reference.x[i], z = s->host->reference.z[i];
    s->host->position.x[i] = cosine * x + sine * z;
    s->host->position.z[i] = -sine * x + cosine * z;
    if (s->bodies[0].face_count[i] == 3 && x > 0 && s->host->reference.y[i] > 0 && z > 0) corner = i;
  }
  pd_rig_contact contact = {.node = (uint32_t)corner};
  pd_rig_choose_face(s, &contact, vec3(-sine, 0, -cosine)); /* a part that looks down on what was the top */
  assert_true(vec3_length(vec3_sub(contact.face, vec3(sine, 0, cosine))) < 1e-9);
  assert_true(fabs(contact.zero - 0.5 * s->bodies[0].spacing) < 1e-12);
  pd_rig_choose_face(s, &contact, vec3(0, -1, 0));
  assert_true(vec3_length(vec3_sub(contact.face, vec3(0, 1, 0))) < 1e-9);
  pd_rig_choose_face(s, &contact, vec3(sine, 0, cosine)); /* looks at no face of the corner */
  assert_true(vec3_length(contact.face) == 0);
  run_close(&c);
}

SUITE(validate_peridem_faces)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_platens_measure_the_specimen),    cmocka_unit_test(test_bodies_that_touch_by_their_faces_start_without_a_force),
      cmocka_unit_test(test_balls_are_pressed_as_hertz_says), cmocka_unit_test(test_a_slow_press_ends_in_balance),
      cmocka_unit_test(test_an_impact_keeps_its_energy),      cmocka_unit_test(test_an_interruption_keeps_the_bits),
      cmocka_unit_test(test_faces_turn_with_their_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
