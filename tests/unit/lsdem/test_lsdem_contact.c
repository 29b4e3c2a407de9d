/* Contacts of lsdem's grains: forces against closed forms, energies' gradients and the third law. References: the method's specification,
 * section 6. */
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

#define TWO_SOFT_BOXES(passes)                                                                                                             \
  lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e5}",                                                                                  \
             "[{\"name\": \"a\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"affine\", \"shape\": {\"type\": \"box\", "        \
             "\"size\": [1, 0.8, 1.2]}, "                                                                                                  \
             "\"placement\": {\"type\": \"single\"}}, "                                                                                    \
             "{\"name\": \"b\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"bending\", \"shape\": {\"type\": \"sphere\", "     \
             "\"radius\": 0.6}, "                                                                                                          \
             "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 1.3]}}]",                                                         \
             LSDEM_NO_RIG, "[]", "{\"duration\": 1}", passes, 2)

/* Two grains that press on each other, turned and deformed. */
static void press(lsdem_state *s)
{
  lsdem_place(s, 0, vec3(0.01, 0.02, 0), quat_exp(vec3(0.2, -0.1, 0.3)));
  lsdem_place(s, 1, vec3(-0.03, 0.05, 1.16), quat_exp(vec3(-0.4, 0.5, 0.1)));
  const double eps[7] = {0.02, -0.01, 0.015, 0.01, -0.02, 0.012, 0.03};
  for (int a = 0; a < 7; a++) s->amplitude[a] = eps[a];
  lsdem_forces(s);
}

/* Checks 3 and 4: forces and torques about a fixed point cancel to rounding; forces, torques and modal forces are minus the gradient of the
 * contacts' energy by central differences, both as slave and as master (one-sided passes with the roles either way: the boxes have other
 * nodes than the ball). What is left is the trilinear function's kinks between cells and the last iteration of pulling back: below 2e-4 of
 * the largest here. */
static void check_gradient(const char *passes)
{
  sim_run r = TWO_SOFT_BOXES(passes);
  lsdem_state *s = lsdem_of(&r);
  press(s);
  assert_true(s->near.list[0].touch_count > 3 || s->near.list[1].touch_count > 3);
  scr_vec3 force = vec3_add(s->grains[0].force, s->grains[1].force), torque = vec3(0, 0, 0);
  double size = vec3_length(s->grains[0].force);
  for (int i = 0; i < 2; i++)
    torque = vec3_add(torque, vec3_add(s->grains[i].torque, vec3_cross(s->grains[i].position, s->grains[i].force)));
  assert_true(vec3_length(force) <= 1e-14 * size);
  assert_true(vec3_length(torque) <= 1e-13 * size);
  double given[7], largest = 0;
  lsdem_grain grains[2] = {s->grains[0], s->grains[1]};
  for (int a = 0; a < 7; a++) given[a] = s->modal_force[a], largest = fmax(largest, fabs(given[a]));
  assert_true(largest > 0.05 * size);
  const double h = 2e-7;
  for (int k = 0; k < 19; k++) {
    double energy[2], expected;
    for (int side = 0; side < 2; side++) {
      double d = side ? h : -h;
      if (k < 12) {
        lsdem_grain *g = &s->grains[k / 6];
        scr_vec3 travel = vec3(k % 3 == 0 ? d : 0, k % 3 == 1 ? d : 0, k % 3 == 2 ? d : 0);
        if (k % 6 < 3)
          g->position = vec3_add(grains[k / 6].position, travel);
        else
          g->rotation = quat_multiply(quat_exp(travel), grains[k / 6].rotation);
        lsdem_forces(s);
        energy[side] = s->contact_energy;
        *g = grains[k / 6];
      } else {
        double kept = s->amplitude[k - 12];
        s->amplitude[k - 12] += d;
        lsdem_forces(s);
        energy[side] = s->contact_energy;
        s->amplitude[k - 12] = kept;
      }
    }
    scr_vec3 f = k < 12 ? (k % 6 < 3 ? grains[k / 6].force : grains[k / 6].torque) : vec3(0, 0, 0);
    expected = k >= 12 ? given[k - 12] : k % 3 == 0 ? f.x : k % 3 == 1 ? f.y : f.z;
    double slope = -(energy[1] - energy[0]) / (2 * h);
    if (!(fabs(slope - expected) < 2e-4 * size))
      fail_msg("%s, coordinate %d: %g by differences, %g given, forces %g", passes, k, slope, expected, size);
  }
  run_close(&r);
}

static void test_forces_are_the_gradient_of_an_energy(void **state)
{
  (void)state;
  check_gradient("\"passes\": \"one_sided\", \"pull_back\": 20");
  check_gradient("\"pull_back\": 20");
}

/* Check 1: F = pi k_n R d^2 of a ball pressed flat by d = 0.02 R, 8000 nodes, below 0.5 % for each of some orientations of its nodes. */
static void test_a_ball_presses_a_plane_by_the_closed_form(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}",
                         "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.05, \"grid_spacing\": 0.1, \"shape\": {\"type\": "
                         "\"sphere\", \"radius\": 1}, "
                         "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.98]}}]",
                         LSDEM_NO_RIG, "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]", "{\"duration\": 1}", "", 1);
  lsdem_state *s = lsdem_of(&r);
  assert_true(s->templates[0].node_count > 7000 && s->templates[0].node_count < 10500);
  double mean = 0, worst = 0;
  for (int k = 0; k < 20; k++) {
    lsdem_place(s, 0, vec3(0, 0, 0.98), quat_exp(vec3(2.1 * sin(k), 1.7 * cos(2 * k), 2.5 * sin(3 * k + 1))));
    lsdem_forces(s);
    double ratio = s->grains[0].force.z / (M_PI * 1e6 * 0.02 * 0.02);
    mean += ratio / 20;
    worst = fmax(worst, fabs(ratio - 1));
  }
  assert_float_equal(mean, 1, 0.002);
  assert_true(worst < 0.01);
  run_close(&r);
}

/* The work of dashpots is booked at the times at which they act: the error of the balance of a brick that swings on a floor, which comes up
 * below it, falls with the square of the step, as that of the motion does. Never off the floor, all nodes of a side press alike: mass 0.5
 * kg, 1e6 N/m, a fifth of critical damping. */
static double swinging_error(double time_step)
{
  char time[100];
  snprintf(time, sizeof time, "{\"duration\": 1, \"time_step\": %g}", time_step);
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e8, \"damping_time\": 2.8e-4}",
                         "[{\"name\": \"brick\", \"material\": \"stone\", \"spacing\": 0.02, \"grid_spacing\": 0.0125, \"velocity\": [0, "
                         "0, -0.005], \"shape\": {\"type\": "
                         "\"box\", \"size\": [0.1, 0.1, 0.05]}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.0249951]}}]",
                         "{\"type\": \"none\", \"gravity\": [0, 0, -9.81]}",
                         "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}, \"direction\": [0, 0, 1], \"program\": [{\"type\": "
                         "\"ramp\", \"velocity\": 0.002, \"duration\": "
                         "0.002}, {\"type\": \"constant\", \"velocity\": 0.002}]}]",
                         time, "", 1);
  double worst = 0;
  while (r.sim->time < 8e-3) {
    run_steps(&r, 1);
    assert_true(lsdem_of(&r)->parts_touching == 1);
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")) * fmax(r.sim->ledger.largest, r.sim->ledger.least));
  }
  assert_true(lsdem_of(&r)->ledger->damping > 5e-6);
  run_close(&r);
  return worst;
}

static void test_the_work_of_dashpots_is_of_second_order(void **state)
{
  (void)state;
  double coarse = swinging_error(8e-5), fine = swinging_error(4e-5);
  print_message("# largest error %g J at the coarse step, %g J at half of it\n", coarse, fine);
  assert_true(coarse < 1e-7);
  assert_true(coarse / fine > 3.5 && coarse / fine < 4.5);
}

/* Bits of a run must not depend on threads, nor on when neighbours were searched. */
static void test_bits_do_not_depend_on_threads_or_searches(void **state)
{
  (void)state;
  const char *skins[2] = {"\"skin\": 0.1", "\"skin\": 1"};
  scr_blob saved[3] = {{0}};
  for (int k = 0; k < 3; k++) {
    sim_run r = lsdem_open(
        "[{\"name\": \"stone\", \"density\": 2600}]", "{\"contact_stiffness\": 1e9, \"friction_coefficient\": 0.5, \"damping_time\": 1e-4}",
        "[{\"name\": \"bricks\", \"material\": \"stone\", \"spacing\": 2e-3, \"random_rotation\": true, \"velocity\": [0.1, 0, -1], "
        "\"shape\": "
        "{\"type\": \"box\", \"size\": [0.02, 0.014, 0.01]}, \"placement\": {\"type\": \"lattice\", \"origin\": [-0.013, -0.013, 0.014], "
        "\"pitch\": [0.026, "
        "0.026, 0.026], \"count\": [2, 2, 2]}}]",
        "{\"type\": \"box\", \"minimum\": [-0.03, -0.03, 0], \"maximum\": [0.03, 0.03, 0.1], \"gravity\": [0, 0, -9.81]}", "[]",
        "{\"duration\": 0.01}", skins[k == 2], k == 1 ? 7 : 1);
    run_steps(&r, 600);
    assert_true(lsdem_of(&r)->pairs_touching + lsdem_of(&r)->parts_touching > 0);
    assert_int_equal(r.sim->steps, 600);
    const scr_method *method = sim_method(r.sim);
    assert_int_equal(method->save(r.sim, &saved[k], NULL), SCR_OK);
    run_close(&r);
  }
  for (int k = 1; k < 3; k++) {
    assert_int_equal(saved[k].size, saved[0].size);
    assert_memory_equal(saved[k].data, saved[0].data, saved[0].size);
  }
  for (int k = 0; k < 3; k++) scr_blob_destroy(&saved[k]);
}

/* Tiles of nodes that are left out until something came near enough are really clear: with all looked at in every pass, the bits are the
 * same. Soft pebbles and bars under a turning paddle. */
static void test_what_is_left_out_does_not_touch(void **state)
{
  (void)state;
  scr_blob saved[2] = {{0}};
  for (int k = 0; k < 2; k++) {
    sim_run r =
        lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e8, \"friction_coefficient\": 0.5, \"damping_time\": 1e-4}",
                   "[{\"name\": \"pebbles\", \"material\": \"stone\", \"spacing\": 3e-3, \"elongation\": 0.7, \"roughness\": 0.05, "
                   "\"variants\": 2, \"modes\": \"affine\", "
                   "\"random_rotation\": true, \"velocity\": [0, 0, -1], \"angular_velocity\": [3, 40, 0], \"shape\": {\"type\": "
                   "\"sphere\", \"radius\": 0.01}, \"placement\": "
                   "{\"type\": \"lattice\", \"origin\": [-0.013, -0.013, 0.016], \"pitch\": [0.026, 0.026, 0.026], \"count\": [2, 2, 1]}}, "
                   "{\"name\": \"bar\", \"material\": \"stone\", \"spacing\": 3e-3, \"modes\": \"bending\", \"velocity\": [0, 0, -2], "
                   "\"shape\": {\"type\": \"box\", \"size\": "
                   "[0.06, 0.01, 0.01]}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.04]}}]",
                   "{\"type\": \"none\", \"gravity\": [0, 0, -9.81]}",
                   "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}, {\"name\": \"paddle\", \"shape\": {\"type\": \"box\", "
                   "\"size\": [0.03, 0.005, 0.02]}, "
                   "\"position\": [0.005, 0, 0.014], \"turn\": [{\"type\": \"constant\", \"angular_velocity\": 40}]}]",
                   "{\"duration\": 0.02}", "", 1);
    lsdem_state *s = lsdem_of(&r);
    size_t pairs = 0, parts = 0;
    for (int step = 0; step < 500; step++) {
      run_steps(&r, 1);
      pairs += s->pairs_touching;
      parts += s->parts_touching;
      for (size_t d = 0; d < s->near.count && k == 1; d++) lsdem_direction_unsure(&s->near.list[d]);
      s->near.valid = k == 0; /* and neighbours are searched for at every step */
    }
    assert_true(pairs > 20 && parts > 20);
    assert_int_equal(sim_method(r.sim)->save(r.sim, &saved[k], NULL), SCR_OK);
    run_close(&r);
  }
  assert_int_equal(saved[0].size, saved[1].size);
  assert_memory_equal(saved[0].data, saved[1].data, saved[0].size);
  scr_blob_destroy(&saved[0]);
  scr_blob_destroy(&saved[1]);
}

/* What was gone never becomes less by more than was really gone back: a ball that was pressed, has rolled for long, and springs back while
 * another comes nearer by a tenth of a millimetre. (The ways turned since the beginning were once taken at the present lever: 100 rad at
 * 0.1 mm less outweighed all that came nearer, and contacts were found late.) */
static void test_a_grain_that_springs_back_does_not_hide_what_comes_nearer(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e8}",
                         "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 2e-3, \"modes\": \"isotropic\", \"shape\": "
                         "{\"type\": \"sphere\", \"radius\": 0.01}, "
                         "\"placement\": {\"type\": \"lattice\", \"origin\": [0, 0, 0], \"pitch\": [0.021, 1, 1], \"count\": [2, 1, 1]}}]",
                         LSDEM_NO_RIG, "[]", "{\"duration\": 0.02}", "", 1);
  lsdem_state *s = lsdem_of(&r);
  const double nearer = 1e-4;
  s->amplitude[s->grains[0].first] = 1e-4;
  s->grains[0].turned = 100;
  lsdem_make_views(s);
  assert_true(s->views[0].moved > 1e-5);
  double slave = lsdem_approach(&s->views[0], &s->views[1], 0), master = lsdem_approach(&s->views[1], &s->views[0], 0);
  s->amplitude[s->grains[0].first] = 0;
  s->grains[1].travel += nearer;
  lsdem_make_views(s);
  assert_true(lsdem_approach(&s->views[0], &s->views[1], 0) - slave >= nearer * (1 - 1e-9));
  assert_true(lsdem_approach(&s->views[1], &s->views[0], 0) - master >= nearer * (1 - 1e-9));
  run_close(&r);
}

SUITE(test_lsdem_contact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_are_the_gradient_of_an_energy),
      cmocka_unit_test(test_a_ball_presses_a_plane_by_the_closed_form),
      cmocka_unit_test(test_what_is_left_out_does_not_touch),
      cmocka_unit_test(test_the_work_of_dashpots_is_of_second_order),
      cmocka_unit_test(test_bits_do_not_depend_on_threads_or_searches),
      cmocka_unit_test(test_a_grain_that_springs_back_does_not_hide_what_comes_nearer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
