/* Spins of touching spheres of method bdem: springs of friction turn with them, and damping across a contact moves both spheres' inertia.
 * */
#include "base/memory.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/contact/impulse.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* Two spheres of 10 and 15 mm in contact, a spring of friction 1e-5 m long across it, and a plane that the first does not touch. */
typedef struct fixture {
  bdem_body body;
  bdem_pair pair;
  bdem_touch touch;
  bdem_contacts contacts;
  scr_part form;
  part_motion motion;
  bdem_friction friction;
  bdem_surface law;
} fixture;

static const double stiffness = 1e4, reach = 0.025, overlap = 2e-3;

static void make(fixture *f, bdem_surface law)
{
  *f = (fixture){.law = law};
  assert_int_equal(bdem_body_create(2, 0, &f->body, NULL), SCR_OK);
  f->body.radius[0] = 0.01, f->body.radius[1] = 0.015;
  f->body.mass[0] = 0.02, f->body.mass[1] = 0.05;
  f->body.position[0] = vec3(0, 0, 0);
  f->body.position[1] = vec3_scale(vec3(2, -1, 2), (reach - overlap) / 3);
  for (int k = 0; k < 2; ++k) f->body.orientation[k] = quat_identity();
  f->pair = (bdem_pair){.i = 0,
                        .j = 1,
                        .reach = reach,
                        .stiffness = stiffness,
                        .shear = BDEM_TANGENTIAL_RATIO,
                        .spring = vec3_scale(vec3(1, 2, 0), 1e-5 / sqrt(5))};
  f->contacts = (bdem_contacts){
      .pairs = &f->pair, .pair_count = 1, .laws = &f->law, .law_count = 1, .friction = &f->friction, .rig = &f->form, .parts = &f->motion};
}

static void clear(fixture *f)
{
  bdem_body_destroy(&f->body);
  bdem_friction_clear(&f->friction);
}

static const scr_vec3 normal = {2.0 / 3, -1.0 / 3, 2.0 / 3};

/* `v` turned by an angle about the pair's normal. */
static scr_vec3 turned(scr_vec3 v, double angle)
{
  return vec3_add(vec3_add(vec3_scale(v, cos(angle)), vec3_scale(vec3_cross(normal, v), sin(angle))),
                  vec3_scale(normal, vec3_dot(normal, v) * (1 - cos(angle))));
}

static double apart(scr_vec3 a, scr_vec3 b)
{
  return vec3_length(vec3_sub(a, b)) / vec3_length(b);
}

/* Two spheres that spin together about their common normal are one rigid body that turns: nothing slides, and the spring turns by w t with
 * what it holds. When they spin against each other it stays. In 1000 explicit steps of w dt = 1e-3; a step turns by its first order, 1e-3^3
 * / 3 amiss. */
static void test_springs_of_pairs_turn_with_the_spins_of_both(void **state)
{
  (void)state;
  for (int k = 0; k < 3; ++k) {
    fixture f;
    make(&f, (bdem_surface){.friction_coefficient = 0.5});
    f.body.spin[0] = vec3_scale(normal, k == 1 ? -10 : 10);
    f.body.spin[1] = vec3_scale(normal, k == 2 ? 0 : 10);
    scr_vec3 first = f.pair.spring, force[2], torque[2];
    double heat = 0;
    for (int n = 0; n < 1000; ++n) {
      force[0] = force[1] = torque[0] = torque[1] = vec3(0, 0, 0);
      heat += bdem_contacts_add_friction(&f.contacts, &f.body, 1e-4, force, torque);
    }
    static const double angles[] = {1, 0, 0.5};
    claim_absolute("pair that spins about its normal: spring's place over its length", apart(f.pair.spring, turned(first, angles[k])), 0,
                   1e-6, "mean of both spins");
    claim_absolute("pair that spins about its normal: heat, J", heat, 0, 1e-15, "nothing slips");
    scr_vec3 across = vec3_add(force[0], vec3_scale(normal, stiffness * overlap));
    claim_absolute("pair that spins about its normal: friction on the first sphere",
                   apart(across, vec3_scale(turned(first, angles[k]), -0.8 * stiffness)), 0, 1e-6, "-0.8 k spring");
    assert_true(vec3_length(vec3_add(force[0], force[1])) < 1e-12);
    for (int i = 0; i < 2; ++i) { /* both torques turn the same way, each by its own arm */
      scr_vec3 expected = vec3_cross(vec3_scale(normal, f.body.radius[i] * (reach - overlap) / 0.025), across);
      claim_absolute("pair that spins about its normal: torque of friction on a sphere", apart(torque[i], expected), 0, 1e-9,
                     "arm x force");
    }
    clear(&f);
  }
}

/* A sphere that spins on a plane about the plane's normal: the spring of its touch turns by half as much, the mean of the sphere's turn and
 * the plane's. */
static void test_springs_of_touches_turn_with_their_sphere(void **state)
{
  (void)state;
  fixture f;
  make(&f, (bdem_surface){.friction_coefficient = 0.5});
  f.form = (scr_part){.kind = SCR_PART_PLANE, .normal = {0, 0, 1}};
  f.touch = (bdem_touch){.sphere = 0, .reach = 0.01, .stiffness = stiffness, .shear = BDEM_TANGENTIAL_RATIO, .spring = {1e-5, 0, 0}};
  f.contacts.pair_count = 0;
  f.contacts.touches = &f.touch, f.contacts.touch_count = f.contacts.part_count = f.contacts.touch_first[1] = 1;
  f.body.position[0] = vec3(0, 0, 0.009);
  f.body.spin[0] = vec3(0, 0, 10);
  for (int n = 0; n < 1000; ++n) {
    scr_vec3 force[2] = {{0, 0, 0}, {0, 0, 0}}, torque[2] = {{0, 0, 0}, {0, 0, 0}};
    bdem_contacts_add_friction(&f.contacts, &f.body, 1e-4, force, torque);
  }
  claim_absolute("sphere that spins on a plane: spring's place over its length",
                 apart(f.touch.spring, vec3(1e-5 * cos(0.5), 1e-5 * sin(0.5), 0)), 0, 1e-6, "half of its turn");
  clear(&f);
}

/* The same in an implicit step, over which both have turned by 1e-3 rad since its start. */
static void test_springs_of_implicit_steps_turn_with_both_spheres(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    fixture f;
    make(&f, (bdem_surface){.friction_coefficient = 0.5});
    scr_quat start[2] = {quat_exp(vec3(0.3, 0.2, -0.5)), quat_exp(vec3(-1, 0.4, 0.1))};
    scr_vec3 places[2] = {f.body.position[0], f.body.position[1]};
    f.body.orientation[0] = quat_multiply(quat_exp(vec3_scale(normal, 1e-3)), start[0]);
    f.body.orientation[1] = quat_multiply(quat_exp(vec3_scale(normal, k ? -1e-3 : 1e-3)), start[1]);
    bdem_slide_view view = {&f.contacts, &f.body, places, start};
    assert_int_equal(bdem_slides_list(&view, NULL), SCR_OK);
    assert_int_equal(f.friction.slide_count, 1);
    claim_absolute("implicit step: spring's place over its length", apart(f.friction.slides[0].spring, turned(f.pair.spring, k ? 0 : 1e-3)),
                   0, 1e-6, "mean of both turns");
    clear(&f);
  }
}

/* The potential of a contact's spring goes on without a jump where it begins to slip, at x0 = mu N / k_t: k_t x0^2 / 2 there, and beyond mu
 * N more for each metre. Lines are searched along it. */
static void test_the_potential_of_a_spring_has_no_jump_where_it_slips(void **state)
{
  (void)state;
  fixture f;
  make(&f, (bdem_surface){.friction_coefficient = 0.5});
  scr_quat start[2] = {f.body.orientation[0], f.body.orientation[1]};
  scr_vec3 places[2] = {f.body.position[0], f.body.position[1]}, along = vec3_scale(vec3(1, 2, 0), 1 / sqrt(5));
  const double limit = 0.5 * overlap / 0.8, kt = 0.8 * stiffness;
  claim_relative("spring of friction of a pair: energy, J", bdem_pair_springs_energy(&f.contacts), 0.5 * kt * 1e-10, 1e-9, "k_t s^2 / 2");
  f.touch = (bdem_touch){.stiffness = stiffness, .shear = BDEM_TANGENTIAL_RATIO, .spring = vec3(0, 3e-5, 4e-5)};
  f.contacts.touches = &f.touch, f.contacts.touch_count = 1;
  claim_relative("spring of friction of a touch: energy, J", bdem_touch_springs_energy(&f.contacts), 0.5 * kt * 25e-10, 1e-9,
                 "k_t s^2 / 2");
  f.contacts.touch_count = 0;
  f.pair.spring = vec3(0, 0, 0);
  bdem_slide_view view = {&f.contacts, &f.body, places, start};
  assert_int_equal(bdem_slides_list(&view, NULL), SCR_OK);
  static const double ways[] = {0.5, 1 - 1e-9, 1 + 1e-9, 2};
  for (int k = 0; k < 4; ++k) {
    f.body.position[0] = vec3_add(places[0], vec3_scale(along, ways[k] * limit));
    double expected = ways[k] < 1 ? 0.5 * ways[k] * ways[k] : ways[k] - 0.5;
    claim_relative("spring of friction: potential, J", bdem_slides_energy(&view), kt * limit * limit * expected, 1e-8,
                   "k_t x^2 / 2, then mu N x");
  }
  clear(&f);
}

/* What sticks is damped across the contact by c = 2 zeta sqrt(k_t m): of the sliding speed u of two free spheres exp(-c dt / m) is left,
 * where 1/m is 1/m_i + 1/m_j + a_i^2/I_i + a_j^2/I_j, I = 0.4 m r^2, a the arms to the point of contact. What is dissipated is the kinetic
 * energy that both lost; momentum and angular momentum stay. All to rounding: the rule is that closed form. */
static void test_damping_across_a_contact_moves_the_inertia_of_both(void **state)
{
  (void)state;
  fixture f;
  bdem_options options = {0};
  bdem_model model = {.options = &options, .execution = execution_of(1)};
  bdem_rig rig = {0};
  sim_ledger ledger = {0};
  const double zeta = 0.3, dt = 1e-3, share = (reach - overlap) / 0.025, arm[2] = {0.01 * share, 0.015 * share};
  make(&f, (bdem_surface){.friction_coefficient = 0.5, .damping_ratio = zeta});
  f.pair.sticks = true;
  scr_vec3 along = vec3_scale(vec3(1, 2, 0), 1 / sqrt(5)), speed = vec3_scale(along, 0.2), linear[2], angular[2];
  f.body.velocity[0] = speed;
  f.body.spin[1] = vec3_scale(vec3_cross(normal, along), 3);
  assert_int_equal(bdem_contacts_index(&f.contacts, 2, NULL), SCR_OK);
  double inverse = 0, slide[2], kinetic[2];
  for (int k = 0; k < 2; ++k) {
    double inertia = 0.4 * f.body.mass[k] * f.body.radius[k] * f.body.radius[k];
    inverse += 1 / f.body.mass[k] + arm[k] * arm[k] / inertia;
  }
  for (int n = 0; n < 2; ++n) {
    linear[n] = angular[n] = vec3(0, 0, 0);
    kinetic[n] = 0;
    for (int k = 0; k < 2; ++k) {
      scr_vec3 p = vec3_scale(f.body.velocity[k], f.body.mass[k]);
      double inertia = 0.4 * f.body.mass[k] * f.body.radius[k] * f.body.radius[k];
      linear[n] = vec3_add(linear[n], p);
      angular[n] = vec3_add(angular[n], vec3_add(vec3_cross(f.body.position[k], p), vec3_scale(f.body.spin[k], inertia)));
      kinetic[n] += 0.5 * vec3_dot(p, f.body.velocity[k]) + 0.5 * inertia * vec3_dot(f.body.spin[k], f.body.spin[k]);
    }
    scr_vec3 u = vec3_sub(vec3_add(f.body.velocity[0], vec3_cross(f.body.spin[0], vec3_scale(normal, arm[0]))),
                          vec3_add(f.body.velocity[1], vec3_cross(f.body.spin[1], vec3_scale(normal, -arm[1]))));
    slide[n] = vec3_dot(u, along);
    if (n == 0) bdem_contact_impulses(&model, &f.body, &f.contacts, &rig, &ledger, dt);
  }
  claim_relative("damping across a contact: share of the sliding speed that is left", slide[1] / slide[0],
                 exp(-2 * zeta * sqrt(0.8 * stiffness * inverse) * dt), 1e-9, "exp(-c dt / m)");
  claim_relative("damping across a contact: heat, J", ledger.damping, kinetic[0] - kinetic[1], 1e-9, "kinetic energy of both");
  claim_absolute("damping across a contact: momentum gained, N s", vec3_length(vec3_sub(linear[1], linear[0])), 0, 1e-15, "conservation");
  claim_absolute("damping across a contact: angular momentum gained, N m s", vec3_length(vec3_sub(angular[1], angular[0])), 0, 1e-16,
                 "conservation");
  bdem_contact_rows *rows = &f.contacts.rows;
  void *arrays[] = {rows->sphere, rows->first,  rows->pair, rows->overlap, rows->push, rows->active,
                    rows->sorted, rows->colour, rows->lost, rows->met,     rows->turn};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
  clear(&f);
}

/* Two spheres of which only the second spins, across the line of their centres: at the contact its surface goes at w x arm, so that the
 * spring of friction is stretched by
 * -w x (arm n) dt, as it would be by the first one's spin in the ratio of the arms. To first order in the step; the spring starts at zero
 * and does not slip. */
static void test_each_spin_stretches_the_spring_by_its_arm(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    fixture f;
    make(&f, (bdem_surface){.friction_coefficient = 0.5});
    f.pair.spring = vec3(0, 0, 0);
    f.body.spin[k] = vec3(0.3, -0.2, 0.5);
    scr_vec3 force[2] = {{0, 0, 0}, {0, 0, 0}}, torque[2] = {{0, 0, 0}, {0, 0, 0}};
    bdem_contacts_add_friction(&f.contacts, &f.body, 1e-4, force, torque);
    double arm = (k ? -1 : 1) * f.body.radius[k] * (reach - overlap) / 0.025; /* along the normal from its centre */
    scr_vec3 surface = vec3_cross(f.body.spin[k], vec3_scale(normal, arm)), expected = vec3_scale(surface, k ? -1e-4 : 1e-4);
    claim_absolute("sphere that spins beside another: spring's place over its length", apart(f.pair.spring, expected), 0, 1e-9,
                   "w x arm dt");
    clear(&f);
  }
}

/* A sphere of 10 mm pressed 1 mm into a plane, with a spring of friction: force and torque on the sphere are those of k u and k_t s at the
 * point of contact, and what the part feels is their opposite, with the same point: r x f. Statics, to rounding. */
static void test_a_touch_acts_where_it_touches(void **state)
{
  (void)state;
  fixture f;
  make(&f, (bdem_surface){.friction_coefficient = 0.5});
  f.form = (scr_part){.kind = SCR_PART_PLANE, .normal = {0, 0, 1}};
  f.touch = (bdem_touch){.sphere = 0, .reach = 0.01, .stiffness = stiffness, .shear = 0.8, .spring = {1e-5, 2e-5, 0}};
  f.contacts.pair_count = 0;
  f.contacts.touches = &f.touch, f.contacts.touch_count = f.contacts.part_count = f.contacts.touch_first[1] = 1;
  f.body.position[0] = vec3(0.3, -0.2, 0.009);
  scr_vec3 force[2] = {{0, 0, 0}, {0, 0, 0}}, torque[2] = {{0, 0, 0}, {0, 0, 0}};
  part_load load = {.force = {0, 0, 0}};
  bdem_contacts_add_friction(&f.contacts, &f.body, 0.0, force, torque);
  bdem_parts_load(&f.contacts, &f.body, &load);
  const scr_vec3 expected = vec3(-0.8 * stiffness * 1e-5, -0.8 * stiffness * 2e-5, stiffness * 1e-3), point = vec3(0.3, -0.2, 0);
  claim_absolute("sphere on a plane: force off", apart(force[0], expected), 0, 1e-9, "k u, k_t s");
  claim_absolute("sphere on a plane: torque off", apart(torque[0], vec3_cross(vec3(0, 0, -0.009), expected)), 0, 1e-9, "arm x f");
  claim_absolute("plane below a sphere: force off", apart(load.force, vec3_scale(expected, -1)), 0, 1e-9, "third law");
  claim_absolute("plane below a sphere: torque off", apart(load.torque, vec3_scale(vec3_cross(point, expected), -1)), 0, 1e-9, "r x f");
  clear(&f);
}

SUITE(test_bdem_spins)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_springs_of_pairs_turn_with_the_spins_of_both),
      cmocka_unit_test(test_springs_of_touches_turn_with_their_sphere),
      cmocka_unit_test(test_springs_of_implicit_steps_turn_with_both_spheres),
      cmocka_unit_test(test_the_potential_of_a_spring_has_no_jump_where_it_slips),
      cmocka_unit_test(test_damping_across_a_contact_moves_the_inertia_of_both),
      cmocka_unit_test(test_each_spin_stretches_the_spring_by_its_arm),
      cmocka_unit_test(test_a_touch_acts_where_it_touches),
  };
  return cmocka_run_group_tests_name("bdem spins", tests, NULL, NULL);
}
