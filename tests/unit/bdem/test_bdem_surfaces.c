/* Surfaces of spheres of method bdem against closed forms: friction's spring follows a part that moves in an implicit step, friction of
 * rolling, what springs between spheres hold, local damping of turning. */
#include "methods/bdem/contact/friction.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* A sphere on a plane, whose spring of friction is 1e-5 m long; the plane has moved by 2e-6 m along it and the sphere by 1e-6 m: 9e-6 m
 * are left. Stored k_t x^2 / 2, and the force on the sphere is -k_t x. To rounding: nothing slips, and the sphere does not turn. */
static void test_springs_follow_a_part_that_moves_in_an_implicit_step(void **state)
{
  (void)state;
  const double stiffness = 1e4, kt = 0.8 * stiffness;
  bdem_friction friction = {0};
  bdem_surface law = {.friction_coefficient = 0.5};
  scr_part form = {.kind = SCR_PART_PLANE, .normal = {0, 0, 1}};
  part_motion motion = {.pose = {.rotation = quat_identity()}};
  part_displacement way = {.displacement = {2e-6, 0, 0}};
  bdem_touch touch = {.sphere = 0, .reach = 0.01, .stiffness = stiffness, .shear = 0.8, .spring = {1e-5, 0, 0}};
  bdem_contacts contacts = {.laws = &law,
                            .law_count = 1,
                            .friction = &friction,
                            .rig = &form,
                            .parts = &motion,
                            .part_displacements = {way},
                            .touches = &touch,
                            .touch_count = 1,
                            .part_count = 1};
  bdem_body body;
  assert_int_equal(bdem_body_create(1, 0, &body, NULL), SCR_OK);
  body.radius[0] = 0.01, body.mass[0] = 0.02;
  body.orientation[0] = quat_identity();
  const scr_vec3 start = {0.1, 0.2, 0.009};
  const scr_quat turned = quat_identity();
  body.position[0] = vec3_add(start, vec3(1e-6, 0, 0));
  bdem_slide_view view = {&contacts, &body, &start, &turned};
  assert_int_equal(bdem_slides_list(&view, NULL), SCR_OK);
  scr_vec3 force = vec3(0, 0, 0), torque = vec3(0, 0, 0);
  bdem_slides_add_forces(&view, true, &force, &torque);
  claim_relative("spring on a part that moves: energy, J", bdem_slides_energy(&view), 0.5 * kt * 81e-12, 1e-9, "k_t x^2 / 2");
  claim_relative("spring on a part that moves: force, N", force.x, -kt * 9e-6, 1e-9, "-k_t x");
  bdem_body_destroy(&body);
  bdem_friction_clear(&friction);
}

static const double mass = 7800 * 4 * 3.14159265358979323846 / 3 * 1e-6;

/* Balls of 10 mm and 7800 kg/m^3. @param options,rig JSON without braces */
static bdem_run open_balls(const char *contact, const char *places, const char *obstacles, const char *rig, const char *options)
{
  char text[1600];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"balls\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":7800,\"young_modulus\":1e7}],"
           "\"contact\":{%s},\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\","
           "\"radius\":0.01},\"placement\":{\"type\":\"list\",\"positions\":%s}}],\"rig\":{\"type\":\"none\"%s},\"obstacles\":[%s],"
           "\"time\":{\"duration\":1,\"time_step\":5e-6},\"options\":{\"constants_of\":\"bonds\",\"sphere_mass\":\"ball\"%s}}",
           contact, places, rig, obstacles, options);
  return run_open(text, 1);
}

/* A ball that lies on a plane without sliding friction and spins about the vertical, or about a horizontal axis: rolling friction mu_r
 * takes mu_r m g R of torque from it, so the spin falls by 5/2 mu_r g t / R, and half of I w^2 is friction's. Its weight has settled
 * before; 1 %. */
static void test_rolling_friction_slows_a_spin(void **state)
{
  (void)state;
  const scr_vec3 axes[] = {{0, 0, 1}, {0.6, 0.8, 0}};
  for (int k = 0; k < 2; k++) {
    bdem_run r = open_balls("\"damping_ratio\":0.7", "[[0,0,0.01]]", "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"}}",
                            ",\"gravity\":[0,0,-9.81]", ",\"rolling_friction\":0.02");
    bdem_body *body = &run_state(&r)->body;
    run_until(&r, 0.02);
    const double w = 100, t = 0.02, begun = scr_sim_time(r.sim), inertia = 0.4 * mass * 1e-4;
    double booked = run_curve(&r, "energy.friction");
    body->spin[0] = vec3_scale(axes[k], w);
    run_until(&r, begun + t);
    double left = w - 2.5 * 0.02 * 9.81 * t / 0.01;
    claim_relative("ball that spins on a plane: spin left, rad/s", w - vec3_dot(body->spin[0], axes[k]), w - left, 0.01,
                   "mu_r m g R t / I");
    claim_relative("ball that spins on a plane: energy.friction, J", run_curve(&r, "energy.friction") - booked,
                   0.5 * inertia * (w * w - left * left), 0.01, "what its spin lost");
    run_close(&r);
  }
}

/* A spring of friction between two balls holds k_t s^2 / 2, which is in energy.contact beside what presses. */
static void test_the_energy_of_contacts_has_their_springs(void **state)
{
  (void)state;
  bdem_run r = open_balls("\"friction_coefficient\":0.5", "[[0,0,0],[0.0201,0,0]]", "", "", "");
  bdem_contacts *contacts = &run_state(&r)->contacts;
  assert_int_equal(contacts->pair_count, 1);
  run_state(&r)->body.position[1].x -= 5e-4;
  double pressed = run_curve(&r, "energy.contact"), kt = contacts->pairs[0].stiffness * contacts->pairs[0].shear;
  assert_true(pressed > 0 && kt > 0);
  contacts->pairs[0].spring = vec3(0, 3e-5, -4e-5);
  claim_relative("spring between two balls: energy.contact, J", run_curve(&r, "energy.contact") - pressed, 0.5 * kt * 25e-10, 1e-9,
                 "k_t s^2 / 2");
  run_close(&r);
}

/* Two bonded spheres that twist against each other, each at rest, with local damping alpha: on the way out torque is alpha more, on the
 * way back alpha less, so that the kinetic energy at each passage is (1 - alpha) / (1 + alpha) of the one before, and the difference is
 * damping's. 2 %: energies are seen at the ends of some hundred steps a swing. */
static void test_local_damping_takes_its_share_of_each_swing(void **state)
{
  (void)state;
  const double alpha = 0.2;
  bdem_run r = run_open(
      "{\"scree\":1,\"name\":\"twist\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e7}],"
      "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.04,0.02,0.02]},"
      "\"placement\":{\"type\":\"single\"}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1,\"time_step\":5e-6},"
      "\"options\":{\"local_damping\":0.2}}",
      1);
  bdem_body *body = &run_state(&r)->body;
  assert_int_equal(body->sphere_count, 2);
  scr_vec3 axis =
      vec3_scale(vec3_sub(body->position[1], body->position[0]), 1 / vec3_length(vec3_sub(body->position[1], body->position[0])));
  body->spin[0] = vec3_scale(axis, -5), body->spin[1] = vec3_scale(axis, 5);
  double peak[4] = {run_curve(&r, "energy.kinetic")}, most = 0, last = 5;
  int peaks = 0;
  for (int k = 0; k < 40000 && peaks < 3; k++) {
    run_steps(&r, 1);
    double spin = vec3_dot(body->spin[1], axis);
    most = fmax(most, run_curve(&r, "energy.kinetic"));
    if (spin * last < 0) { /* farthest out: the passage before it is over */
      peak[peaks++] = most;
      most = 0;
    }
    last = spin;
  }
  assert_int_equal(peaks, 3);
  for (int k = 0; k < 2; k++)
    claim_relative("twisting pair with local damping: energy of a swing over the one before", peak[k + 1] / peak[k],
                   (1 - alpha) / (1 + alpha), 0.02, "(1 - alpha) / (1 + alpha)");
  claim_relative("twisting pair with local damping: all energies over the first",
                 (run_curve(&r, "energy.damping") + run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic")) / peak[0], 1, 0.01,
                 "conservation");
  run_close(&r);
}

SUITE(test_bdem_surfaces)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_springs_follow_a_part_that_moves_in_an_implicit_step),
      cmocka_unit_test(test_rolling_friction_slows_a_spin),
      cmocka_unit_test(test_the_energy_of_contacts_has_their_springs),
      cmocka_unit_test(test_local_damping_takes_its_share_of_each_swing),
  };
  return cmocka_run_group_tests_name("bdem surfaces", tests, NULL, NULL);
}
