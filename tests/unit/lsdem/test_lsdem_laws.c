/* Laws of method lsdem that no other case holds to a number of its own: dashpots of bonds, springs of friction under a normal that turns,
 * the count of each grain's contacts, and the axes of local damping. */
#include "methods/lsdem/contact/bond.h"
#include "methods/lsdem/contact/law.h"
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

/* Two glued boxes without a strain that part at v: bonds' dashpots pull by c A v, c = bond_stiffness times bond_damping_time, in every
 * direction alike, and take c A v^2, the power of that force. To rounding: no level set is asked for it. */
static void test_dashpots_of_bonds_pull_by_their_velocity(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE,
                         "{\"contact_stiffness\": 1e5, \"bond_stiffness\": 1e5, \"bond_shear_ratio\": 0.5, \"bond_reach\": 0.02, "
                         "\"bond_strength\": 1e9, \"bond_damping_time\": 2e-3}",
                         "[{\"name\": \"a\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"none\", \"shape\": {\"type\": "
                         "\"box\", \"size\": [1, 0.8, 1.2]}, \"placement\": {\"type\": \"single\"}}, "
                         "{\"name\": \"b\", \"material\": \"stone\", \"spacing\": 0.07, \"grid_spacing\": 0.1, \"modes\": \"none\", "
                         "\"shape\": {\"type\": \"box\", \"size\": [0.6, 0.5, 1]}, \"placement\": "
                         "{\"type\": \"single\", \"position\": [0, 0, 1.1]}}]",
                         LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-4}", "\"passes\": \"one_sided\"", 1);
  lsdem_state *s = lsdem_of(&r);
  double area = 0;
  for (size_t k = 0; k < s->bond_count; k++) area += s->bonds[k].area;
  assert_true(s->bond_count > 50 && area > 0.25);
  const scr_vec3 velocity = {0.02, -0.01, 0.03};
  s->grains[1].velocity = velocity;
  lsdem_forces(s);
  scr_vec3 expected = vec3_scale(velocity, -1e5 * 2e-3 * area);
  claim_absolute("bonds' dashpots: force over c A v", vec3_length(vec3_sub(s->grains[1].force, expected)) / vec3_length(expected), 0, 1e-9,
                 "c A v");
  claim_absolute("bonds' dashpots: their part of the force",
                 vec3_length(vec3_sub(s->grains[1].dashpot_force, expected)) / vec3_length(expected), 0, 1e-9, "c A v");
  claim_absolute("bonds' dashpots: sum over both grains",
                 vec3_length(vec3_add(s->grains[0].force, s->grains[1].force)) / vec3_length(expected), 0, 1e-12, "third law");
  const double d = 1e-3;
  s->grains[1].velocity = vec3(0, 0, 0);
  s->grains[1].position.z += d;
  lsdem_forces(s);
  claim_relative("bonds pulled by 1 mm: energy.bonds, J", run_curve(&r, "energy.bonds"), 0.5 * 1e5 * area * d * d, 1e-9, "k A d^2 / 2");
  run_close(&r);
}

/* Of a ball pressed flat by d the nodes lie up to d deep: the largest overlap is d, and its contact holds pi k_n R d^3 / 3. Two boxes of
 * one mode each: amplitude is the mean of theirs, largest_amplitude the larger size, energy.modal the sum of M rate^2 / 2. */
static void test_what_contacts_and_modes_hold(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}",
                         "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.05, \"grid_spacing\": 0.1, \"shape\": {\"type\": "
                         "\"sphere\", \"radius\": 1}, "
                         "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.98]}}]",
                         LSDEM_NO_RIG, "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]", "{\"duration\": 1}", "", 1);
  lsdem_forces(lsdem_of(&r));
  claim_relative("pressed ball: energy.contact, J", run_curve(&r, "energy.contact"), M_PI * 1e6 * 8e-6 / 3, 0.03, "pi k_n R d^3 / 3");
  claim_relative("pressed ball: overlap, m", run_value(&r, "overlap"), 0.02, 0.05, "how deep it is");
  run_close(&r);
  r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}",
                 "[{\"name\": \"boxes\", \"material\": \"stone\", \"spacing\": 0.2, \"modes\": \"isotropic\", \"shape\": {\"type\": "
                 "\"box\", \"size\": [1, 1, 1]}, "
                 "\"placement\": {\"type\": \"list\", \"positions\": [[0, 0, 0], [0, 0, 5]]}}]",
                 LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-4}", "", 1);
  lsdem_state *s = lsdem_of(&r);
  double mass = s->templates[0].modal.mass[0][0];
  s->amplitude[0] = 1e-3, s->amplitude[1] = -3e-3;
  s->rate[0] = 0.2, s->rate[1] = 0.1;
  claim_relative("two boxes: amplitude, m", run_curve(&r, "amplitude"), -1e-3, 1e-12, "mean");
  claim_relative("two boxes: largest_amplitude, m", run_value(&r, "largest_amplitude"), 3e-3, 1e-12, "the larger size");
  claim_relative("two boxes: energy.modal, J", run_value(&r, "energy.modal"), 0.5 * mass * 0.05, 1e-12, "M rate^2 / 2");
  run_close(&r);
}

/* Walls of a box that move: logarithmic strains of its edges, and of its volume, by their programs alone. */
static void test_a_box_has_the_strains_of_its_walls(void **state)
{
  (void)state;
  sim_run r =
      lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}",
                 "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.05, \"shape\": {\"type\": \"sphere\", \"radius\": 0.2}, "
                 "\"placement\": {\"type\": \"single\", \"position\": [0.5, 1, 2]}}]",
                 "{\"type\": \"box\", \"minimum\": [0, 0, 0], \"maximum\": [1, 2, 4], \"walls\": {\"x_max\": {\"program\": [{\"type\": "
                 "\"constant\", \"velocity\": -0.5}]}, "
                 "\"y_max\": {\"program\": [{\"type\": \"constant\", \"velocity\": 1}]}, \"z_min\": {\"program\": [{\"type\": "
                 "\"constant\", \"velocity\": 2}]}}}",
                 "[]", "{\"duration\": 1, \"time_step\": 1e-3}", "", 1);
  run_steps(&r, 100);
  run_observe(&r);
  const double x = log(1 / 0.95), y = log(2 / 2.1), z = log(4 / 3.8);
  claim_relative("box: box.strain_x", run_value(&r, "box.strain_x"), x, 1e-9, "log of its edges");
  claim_relative("box: box.strain_y", run_value(&r, "box.strain_y"), y, 1e-9, "log of its edges");
  claim_relative("box: box.strain_z", run_value(&r, "box.strain_z"), z, 1e-9, "log of its edges");
  claim_relative("box: box.volume_strain", run_value(&r, "box.volume_strain"), x + y + z, 1e-9, "log of its volume");
  claim_relative("box: porosity", run_value(&r, "porosity"), 1 - 4 * M_PI / 3 * 8e-3 / (0.95 * 2.1 * 3.8), 1e-3, "a ball in it");
  run_close(&r);
}

/* A block that two walls of a box press, a hundredth of it deep each: their pressure k_n d on the block's face is the stress over the
 * box's, along one axis after the other; its mean is a third of it. Along z it is the deviator, and three times the mean; across z it is
 * halved and pulls. 8 %: nodes on a rim press by their part of the sides as well. */
static void test_a_box_has_the_stresses_of_its_walls(void **state)
{
  (void)state;
  static const char *const stress[3] = {"box.stress_x", "box.stress_y", "box.stress_z"};
  for (int axis = 0; axis < 3; axis++) {
    double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    char rig[300];
    low[axis] = -0.49, high[axis] = 0.49;
    snprintf(rig, sizeof rig, "{\"type\": \"box\", \"minimum\": [%g, %g, %g], \"maximum\": [%g, %g, %g]}", low[0], low[1], low[2], high[0],
             high[1], high[2]);
    sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}",
                           "[{\"name\": \"block\", \"material\": \"stone\", \"spacing\": 0.05, \"grid_spacing\": 0.1, \"shape\": "
                           "{\"type\": \"box\", \"size\": [1, 1, 1]}, "
                           "\"placement\": {\"type\": \"single\"}}]",
                           rig, "[]", "{\"duration\": 1, \"time_step\": 1e-4}", "", 1);
    lsdem_forces(lsdem_of(&r));
    run_observe(&r);
    double pressure = 1e6 * 0.01 / 4;
    for (int k = 0; k < 3; k++)
      claim_absolute("pressed block: stress over the pressure", run_value(&r, stress[k]) / pressure, k == axis, k == axis ? 0.08 : 1e-9,
                     "k_n d");
    claim_relative("pressed block: box.mean_stress over the pressure", run_value(&r, "box.mean_stress") / pressure, 1.0 / 3, 0.08,
                   "a third");
    claim_relative("pressed block: box.deviator over the pressure", run_value(&r, "box.deviator") / pressure, axis == 2 ? 1 : -0.5, 0.08,
                   "z less the mean of x and y");
    claim_relative("pressed block: box.stress_ratio", run_value(&r, "box.stress_ratio"), axis == 2 ? 3 : -1.5, 1e-9, "deviator over mean");
    run_close(&r);
  }
}

/* What dashpots of contacts add to forces, torques and modal forces of both grains, which other modes than each other, is what is booked as
 * theirs: the difference between forces with and without velocities. */
static void test_the_dashpots_share_of_all_forces_is_known(void **state)
{
  (void)state;
  sim_run r = lsdem_open(
      LSDEM_STONE, "{\"contact_stiffness\": 1e5, \"damping_time\": 1e-3}",
      "[{\"name\": \"a\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"affine\", \"shape\": {\"type\": \"box\", \"size\": [1, "
      "0.8, 1.2]}, "
      "\"placement\": {\"type\": \"single\"}}, {\"name\": \"b\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"isotropic\", "
      "\"shape\": {\"type\": \"sphere\", \"radius\": 0.6}, \"placement\": {\"type\": \"single\", \"position\": [0.1, 0.05, 1.3]}}]",
      LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-5}", "", 1);
  lsdem_state *s = lsdem_of(&r);
  assert_int_equal(s->amplitude_count, 7);
  lsdem_place(s, 1, vec3(0.1, 0.05, 1.16), quat_identity());
  lsdem_forces(s);
  double still[7], size = 0;
  scr_vec3 force[2] = {s->grains[0].force, s->grains[1].force}, torque[2] = {s->grains[0].torque, s->grains[1].torque};
  for (int a = 0; a < 7; a++) still[a] = s->modal_force[a];
  s->grains[1].velocity = vec3(0.2, -0.1, -1);
  s->rate[6] = 0.3, s->rate[1] = -0.2;
  lsdem_forces(s);
  for (int i = 0; i < 2; i++) {
    size = vec3_length(s->grains[i].dashpot_force);
    assert_true(size > 1e-3 * vec3_length(force[i]));
    claim_absolute("dashpots of a contact: force less that at rest",
                   vec3_length(vec3_sub(vec3_sub(s->grains[i].force, force[i]), s->grains[i].dashpot_force)) / size, 0, 1e-9,
                   "what is booked");
    claim_absolute("dashpots of a contact: torque less that at rest",
                   vec3_length(vec3_sub(vec3_sub(s->grains[i].torque, torque[i]), s->grains[i].dashpot_torque)) / size, 0, 1e-9,
                   "what is booked");
  }
  for (int a = 0; a < 7; a++)
    claim_absolute("dashpots of a contact: modal force less that at rest", (s->modal_force[a] - still[a] - s->modal_dashpot[a]) / size, 0,
                   1e-9, "what is booked");
  run_close(&r);
}

/* Modes mean something up to a strain of 0.7: a grain strained by 0.65 goes on, one by 0.75 stops the run. */
static void test_a_grain_is_strained_by_so_much_at_most(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run r = lsdem_open(
        LSDEM_STONE, "{\"contact_stiffness\": 1e6}",
        "[{\"name\": \"box\", \"material\": \"stone\", \"spacing\": 0.2, \"modes\": \"isotropic\", \"shape\": {\"type\": \"box\", "
        "\"size\": [1, 1, 1]}, \"placement\": {\"type\": \"single\"}}]",
        LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-6}", "", 1);
    lsdem_state *s = lsdem_of(&r);
    scr_error error = {0};
    s->amplitude[0] = (k ? 0.75 : 0.65) / s->templates[0].mode_slope[0];
    assert_int_equal(scr_sim_step(r.sim, &error), k ? SCR_DIVERGED : SCR_OK);
    run_close(&r);
  }
}

/* A stretched spring of friction whose contact rolls round by a radian keeps its length and stays across the normal: it turns with it. In
 * 100 turns of the normal, without a slip. */
static void test_springs_keep_their_length_as_normals_turn(void **state)
{
  (void)state;
  const lsdem_law law = {.normal = 1e6, .shear = 5e5, .friction = 10};
  scr_vec3 slip = vec3(3e-4, 4e-4, 0);
  lsdem_push push = {{0, 0, 0}, 0, 0, 0};
  for (int k = 1; k <= 100; k++) {
    double angle = 0.01 * k;
    const lsdem_contact_kinematics kinematics = {.area = 1e-2, .depth = 1e-3, .push = 1e-3, .normal = {sin(angle), 0, cos(angle)}};
    push = lsdem_contact(&law, &kinematics, 1e-3, &slip);
    assert_true(push.friction == 0);
  }
  claim_relative("spring under a normal that turned by 1 rad: length, m", vec3_length(slip), 5e-4, 1e-12, "it turns");
  claim_absolute("spring under a normal that turned by 1 rad: share along the normal", (slip.x * sin(1) + slip.z * cos(1)) / 5e-4, 0, 1e-12,
                 "it stays across");
  claim_relative("what it holds, J", push.elastic - 0.5 * 1e6 * 1e-2 * 1e-6, 0.5 * 5e5 * 1e-2 * 25e-8, 1e-9, "k s^2 / 2");
}

/* Three balls in a row above a floor that the first lies on: two pairs and one contact with a part. Each grain counts those that it has
 * with other grains, 1, 2 and 1, whichever nodes are asked; the mean is 4/3. */
static void test_each_grain_counts_its_contacts_once(void **state)
{
  (void)state;
  for (int one_sided = 0; one_sided < 2; one_sided++) {
    sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e5}",
                           "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 0.2, \"shape\": {\"type\": \"sphere\", "
                           "\"radius\": 1}, \"placement\": {\"type\": \"list\", \"positions\": "
                           "[[0, 0, 0.97], [0, 0, 2.91], [0, 1.94, 2.91]]}}]",
                           LSDEM_NO_RIG, "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]",
                           "{\"duration\": 1, \"time_step\": 1e-4}", one_sided ? "\"passes\": \"one_sided\"" : "", 1);
    lsdem_state *s = lsdem_of(&r);
    lsdem_forces(s);
    const uint32_t expected[3] = {1, 2, 1};
    for (int k = 0; k < 3; k++) assert_int_equal(s->touching[k], expected[k]);
    claim_relative("row of three balls on a floor: contacts", run_curve(&r, "contacts"), 3, 1e-12, "two pairs and a part");
    claim_relative("row of three balls on a floor: coordination", run_value(&r, "coordination"), 4.0 / 3, 1e-12, "2 pairs over 3 grains");
    run_close(&r);
  }
}

/* Local damping takes a share of each component of the torque, in the axes of the world, against the spin's there, whichever way the
 * grain's own axes are turned: half a step of a torque on a turned brick. What it takes is |share torque . spin| for half a step. */
static void test_local_damping_of_turning_acts_in_the_axes_of_the_world(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e5}",
                         "[{\"name\": \"brick\", \"material\": \"stone\", \"spacing\": 0.2, \"grid_spacing\": 0.1, \"shape\": {\"type\": "
                         "\"box\", \"size\": [1, 0.6, 2]}, \"placement\": {\"type\": \"single\"}}]",
                         LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-6}", "\"local_damping\": 0.4", 1);
  lsdem_state *s = lsdem_of(&r);
  lsdem_grain *g = &s->grains[0];
  g->rotation = quat_exp(vec3(0.3, -0.2, 1.8));
  const scr_vec3 spin = {2, -3, 0.5}, own = quat_rotate(quat_conjugate(g->rotation), spin), inertia = s->templates[0].inertia;
  g->angular = quat_rotate(g->rotation, vec3(own.x * inertia.x, own.y * inertia.y, own.z * inertia.z));
  g->torque = vec3(100, 50, -70);
  const scr_vec3 before = g->angular;
  double booked = s->ledger->damping;
  run_steps(&r, 1);
  const double t[3] = {100, 50, -70}, w[3] = {2, -3, 0.5},
               got[3] = {g->angular.x - before.x, g->angular.y - before.y, g->angular.z - before.z};
  double power = 0;
  for (int k = 0; k < 3; k++) {
    claim_relative("half a step of a damped torque: angular momentum gained, N m s", got[k],
                   0.5e-6 * (t[k] - 0.4 * fabs(t[k]) * copysign(1, w[k])), 1e-6, "share of each component");
    power += 0.4 * fabs(t[k] * w[k]);
  }
  claim_relative("half a step of a damped torque: heat, J", run_curve(&r, "energy.damping") - booked, 0.5e-6 * power, 1e-6,
                 "share of the power");
  run_close(&r);
}

/* What parts faster than its spring presses has no force, however fast; else spring and dashpot press together, k A d - c A v, and a node
 * that slides is held back by mu of all that, not of the spring's part. Closed forms, to rounding. */
static void test_contacts_never_pull_and_rub_by_all_that_presses(void **state)
{
  (void)state;
  const lsdem_law law = {.normal = 1e6, .shear = 5e5, .friction = 0.4, .damping = 1e3};
  static const double parting[] = {-0.5, 0.5, 0.999, 1.001, 1.5, 3}; /* dashpot's over the spring's force */
  for (int k = 0; k < 6; k++) {
    scr_vec3 slip = vec3(0.1, 0, 0);
    const double spring = 1e6 * 1e-2 * 1e-3, v = parting[k] * spring / (1e3 * 1e-2), pressed = fmax(0, spring * (1 - parting[k]));
    const lsdem_contact_kinematics kinematics = {.area = 1e-2, .depth = 1e-3, .push = 1e-3, .normal = {0, 0, 1}, .velocity = {0.2, 0, v}};
    lsdem_push push = lsdem_contact(&law, &kinematics, 1e-3, &slip);
    claim_absolute("contact that parts: normal force over the spring's", push.force.z / spring, pressed / spring, 1e-12,
                   "k A d - c A v, or 0");
    claim_absolute("contact that parts: friction over the spring's force", push.force.x / spring, -0.4 * pressed / spring, 1e-12,
                   "mu of what presses");
    claim_absolute("contact that parts: the dashpot's part over the spring's force", push.dashpot / spring, pressed / spring - 1, 1e-12,
                   "what is not the spring's");
  }
}

SUITE(test_lsdem_laws)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dashpots_of_bonds_pull_by_their_velocity),
      cmocka_unit_test(test_what_contacts_and_modes_hold),
      cmocka_unit_test(test_a_box_has_the_strains_of_its_walls),
      cmocka_unit_test(test_a_box_has_the_stresses_of_its_walls),
      cmocka_unit_test(test_the_dashpots_share_of_all_forces_is_known),
      cmocka_unit_test(test_a_grain_is_strained_by_so_much_at_most),
      cmocka_unit_test(test_contacts_never_pull_and_rub_by_all_that_presses),
      cmocka_unit_test(test_springs_keep_their_length_as_normals_turn),
      cmocka_unit_test(test_each_grain_counts_its_contacts_once),
      cmocka_unit_test(test_local_damping_of_turning_acts_in_the_axes_of_the_world),
  };
  return cmocka_run_group_tests_name("lsdem laws", tests, NULL, NULL);
}
