/* Curves and fields of method rigid of which other programs see zeros only: skew contacts, spins about own axes, contacts that stick,
 * slide and are open, threads of unequal forces, a solver that is stopped. */
#include "methods/rigid/state/state.h"
#include "tests/support/picture.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree\":1,\"name\":\"t\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],"
#define STEP "\"time\":{\"duration\":1,\"time_step\":1e-3},\"options\":{\"tolerance\":1e-10"
#define BALLS(places)                                                                                                                      \
  "{\"name\":\"balls\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.15},\"placement\":{\"type\":\"list\","               \
  "\"positions\":" places "}}"

/* Two balls along n = (1, 2, 2)/3 that are moved towards each other: the fabric of their one contact is n n^T. A third one lies along
 * x, 1 mm off and at rest, and has no part in it: what bears nothing is no contact of the fabric. */
static void test_the_fabric_of_a_skew_contact(void **state)
{
  (void)state;
  static const char *const curves[6] = {"fabric.xx", "fabric.yy", "fabric.zz", "fabric.xy", "fabric.yz", "fabric.zx"};
  static const double wanted[6] = {1.0 / 9, 4.0 / 9, 4.0 / 9, 2.0 / 9, 4.0 / 9, 2.0 / 9};
  sim_run r = run_open(HEAD "\"specimens\":[" BALLS("[[0,0,0],[0.1,0.2,0.2],[-0.301,0,0]]") "],\"rig\":{\"type\":\"none\"}," STEP "}}", 1);
  rigid_state *s = r.sim->state;
  s->bodies[1].velocity = vec3(-0.01, -0.02, -0.02);
  run_steps(&r, 1);
  assert_true(s->contact_count == 2);
  run_observe(&r);
  for (int k = 0; k < 6; k++) claim_relative("balls along (1, 2, 2)/3: fabric", run_value(&r, curves[k]), wanted[k], 1e-6, "n n^T");
  run_close(&r);
}

/* A brick with three moments of inertia, turned about z and tilted about y, that spins in space: spins are about its own axes, in the
 * order of its edges turned back, whichever sign an axis has; the tilt is that of its own z. */
static void test_spins_are_about_own_axes(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"specimens\":[{\"name\":\"brick\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.3,0.2,0.1]},"
                            "\"rotation\":{\"axis\":[0,0.6,0.8],"
                            "\"angle_deg\":50},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]},\"angular_velocity\":[1,-2,3]}],"
                            "\"rig\":{\"type\":\"none\"}," STEP "}}",
                       1);
  const double angle = 50 * M_PI / 180;
  scr_quat turn = quat_exp(vec3_scale(vec3(0, 0.6, 0.8), angle));
  scr_vec3 own = quat_rotate(quat_conjugate(turn), vec3(1, -2, 3));
  const double expected[3] = {own.x, own.y, own.z};
  double least = INFINITY;
  run_observe(&r);
  const double shown[3] = {run_value(&r, "first.spin_1"), run_value(&r, "first.spin_2"), run_value(&r, "first.spin_3")};
  for (int turned = 0; turned < 24; turned++) { /* the principal axes are the shape's own in some right-handed order */
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int order = turned / 4, sides = turned % 4; /* an even order takes an even number of axes back, an odd one an odd number */
    const double back[3] = {sides & 1 ? -1 : 1, sides & 2 ? -1 : 1, ((sides == 1 || sides == 2) != (order > 2)) ? -1 : 1};
    double off = 0;
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(shown[k] - back[k] * expected[orders[order][k]]));
    least = fmin(least, off);
  }
  claim_absolute("tilted brick: spins about its own axes off, rad/s", least, 0, 1e-9, "R^T w");
  claim_relative("tilted brick: first.tilt, rad", run_value(&r, "first.tilt"), acos(quat_rotate(turn, vec3(0, 0, 1)).z), 1e-9, "its z");
  run_close(&r);
}

/* A ball on a floor, pulled along: its contact sticks while it rolls (1), and slides while it goes at 1 m/s without a spin (2); half a
 * millimetre above the floor and weightless it is open (0), with that gap. Rolling takes 2/7 of the pull, far below mu of the weight. */
static void test_contacts_show_their_state_and_gap(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             HEAD "\"contact\":{\"friction_coefficient\":0.5},\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"shape\":{\"type\":"
                  "\"sphere\",\"radius\":0.1},"
                  "\"placement\":{\"type\":\"single\",\"position\":[0,0,%g]},\"velocity\":[%d,0,0]}],\"rig\":{\"type\":\"none\","
                  "\"gravity\":[%g,0,%g]},"
                  "\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":3}}]," STEP ",\"force_chains\":true}}",
             k == 0 ? 0.1005 : 0.1, k == 2, k == 0 ? 0 : 0.5, k == 0 ? 0 : -9.81);
    sim_run r = run_open(text, 1);
    run_steps(&r, k ? 5 : 1);
    picture p = take(&r);
    look(&p);
    assert_int_equal(drawable(&p, "contacts")->count, 1);
    claim_absolute("ball above, on, and along a floor: state", field(&p, "contacts", "state", 0, 0), k, 0, "0 open, 1 sticks, 2 slides");
    claim_absolute("ball above, on, and along a floor: gap, m", field(&p, "contacts", "gap", 0, 0), k ? 0 : 5e-4, 1e-8, "as placed");
    put_away(&p);
    run_close(&r);
  }
}

/* Balls of 0.1 and 0.05 m on a floor, far apart: their threads carry their weights, and are as thick as the roots of these; the
 * thickest a fifth of the least body's thickness. */
static void test_threads_are_as_thick_as_roots_of_forces(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"specimens\":[{\"name\":\"large\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.1},"
                            "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.1]}},"
                            "{\"name\":\"small\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.05},\"placement\":{"
                            "\"type\":\"single\",\"position\":[1,0,0.05]}}],"
                            "\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":"
                            "\"plane\",\"width\":5}}]," STEP ",\"force_chains\":true}}",
                       1);
  run_steps(&r, 10);
  picture p = take(&r);
  look(&p);
  assert_int_equal(drawable(&p, "force_chains")->count, 4);
  for (uint32_t k = 0; k < 4; k++) {
    double radius = field(&p, "force_chains", "position", k, 0) < 0.5 ? 0.1 : 0.05;
    claim_relative("thread of a ball on a floor: force, N", field(&p, "force_chains", "force", k, 0),
                   9.81 * 4000 * M_PI / 3 * pow(radius, 3), 1e-5, "its weight");
    claim_relative("thread of a ball on a floor: radius, m", field(&p, "force_chains", "radius", k, 0), 0.2 * 0.1 * pow(radius / 0.1, 1.5),
                   1e-5, "root of the force");
  }
  put_away(&p);
  run_close(&r);
}

/* A column of three cubes whose solver is stopped after four sweeps from zero: the curves have these four, and the residual that the
 * public solver has of the same problem. */
static void test_a_stopped_solver_says_where_it_stands(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\":{\"friction_coefficient\":0.5},\"specimens\":[{\"name\":\"cubes\",\"material\":\"m\",\"shape\":{"
                            "\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"placement\":{"
                            "\"type\":\"list\",\"positions\":[[0,0,0.1],[0,0,0.3],[0,0,0.5]]}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,"
                            "0,-9.81]},\"obstacles\":[{\"name\":\"floor\",\"shape\":{"
                            "\"type\":\"plane\",\"width\":3}}]," STEP ",\"solver\":\"gauss-seidel\",\"iterations\":4}}",
                       1);
  const rigid_state *s = r.sim->state;
  scr_error error = {0};
  (void)scr_sim_step(r.sim, &error);
  claim_absolute("stopped column: solver.iterations", run_curve(&r, "solver.iterations"), 4, 0, "the limit");
  const contact_problem *problem = &s->problem.solved;
  size_t n = problem->contact_count, m = 6 * problem->block_count;
  double *impulse = calloc(3 * n, sizeof *impulse), *velocity = calloc(m, sizeof *velocity), *relative = calloc(3 * n, sizeof *relative);
  contact_options options = contact_options_default();
  contact_result result;
  options.solver = CONTACT_GAUSS_SEIDEL, options.iteration_limit = 4, options.tolerance = 1e-10;
  assert_int_equal(contact_solve(problem, &options, impulse, velocity, relative, &result, &error), SCR_OK);
  print_message("# residual %g of the solver %g\n", run_value(&r, "solver.residual"), result.residual);
  assert_true(result.residual > 1e-9);
  claim_relative("stopped column: solver.residual", run_value(&r, "solver.residual"), result.residual, 1e-6,
                 "the public solver's of that problem");
  free(impulse), free(velocity), free(relative);
  run_close(&r);
}

/* Two equal balls on each other on a floor, without friction, after one sweep from nothing: the contact that is solved last is right.
 * Where the floor came first it had given m g dt, and the contact between the balls takes half of g dt back: they fall at g dt / 2 into
 * the floor, over the largest free velocity g dt. Where the balls came first, which do not approach each other yet, the lower one then
 * comes up by g dt against the upper one. */
static void test_a_sweep_leaves_what_its_last_contact_undid(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\":{\"friction_coefficient\":0},\"specimens\":[{\"name\":\"balls\",\"material\":\"m\",\"shape\":{"
                            "\"type\":\"sphere\",\"radius\":0.1},\"placement\":{\"type\":\"list\",\"positions\":[[0,0,0.1],[0,0,0.3]]}}],"
                            "\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"floor\",\"shape\":{"
                            "\"type\":\"plane\",\"width\":3}}]," STEP ",\"solver\":\"gauss-seidel\",\"iterations\":1}}",
                       1);
  const rigid_state *s = r.sim->state;
  scr_error error = {0};
  (void)scr_sim_step(r.sim, &error);
  assert_int_equal(s->contact_count, 2);
  bool floor_first = s->contacts[0].touch.b >= s->body_count;
  claim_relative("two balls after a sweep: solver.residual", run_curve(&r, "solver.residual"), floor_first ? 0.5 : 1, 1e-6,
                 "what is left of g dt");
  run_close(&r);
}

SUITE(test_rigid_curves)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_fabric_of_a_skew_contact),          cmocka_unit_test(test_spins_are_about_own_axes),
      cmocka_unit_test(test_contacts_show_their_state_and_gap),     cmocka_unit_test(test_threads_are_as_thick_as_roots_of_forces),
      cmocka_unit_test(test_a_stopped_solver_says_where_it_stands), cmocka_unit_test(test_a_sweep_leaves_what_its_last_contact_undid),
  };
  return cmocka_run_group_tests_name("rigid curves", tests, NULL, NULL);
}
