/* Fibres that stick: the force and the work that part them, friction that adhesion bears, energies. */
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#include "methods/fibre/state/state.h"

/* One line of fibres along y, 0.2 m, radius 1 mm, E = 1e9, density 1000, 10 edges. %s: friction, adhesion, more of the specimen, gravity,
 * more specimens, obstacles, time step, options. */
static sim_run open_scene(double friction, double adhesion, const char *specimen, const char *gravity, const char *more,
                          const char *obstacles, double dt, const char *options)
{
  char text[4000];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":2,\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":"
      "1e9,\"poisson_ratio\":0.25}],\"contact\":{\"friction_coefficient\":%.17g,\"adhesion\":%.17g},\"specimens\":[{\"name\":\"f\","
      "\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"edges\":10,\"rotation\":{\"axis\":[1,0,0],"
      "\"angle_deg\":-90}%s}%s],\"rig\":{\"type\":\"none\",\"gravity\":%s},\"obstacles\":[%s],\"time\":{\"duration\":10,\"time_step\":%."
      "17g},"
      "\"options\":{%s}}",
      friction, adhesion, specimen, more, gravity, obstacles, dt, options);
  return run_open(text, 1);
}

#define FLOOR "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,0]}"
#define ON_FLOOR ",\"placement\":{\"type\":\"single\",\"position\":[0,0,1e-3]}"
static const double MASS = 1000 * M_PI * 1e-6 * 0.2;

/* ── what parts fibres ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Two fibres that cross, one clamped and one drawn away from it by both of its ends: both bend, and what draws feels more and more, up to
 * the adhesion of their one crossing and no further; then they part, and nothing is left but what swings. */
static void test_two_fibres_part_at_their_adhesion(void **state)
{
  (void)state;
  const double adhesion = 1e-3;
  const char *across = ",{\"name\":\"g\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"edges\":10,"
                       "\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"held\":\"both\",\"held_by\":\"puller\",\"placement\":{\"type\":"
                       "\"single\",\"position\":[0,0,2e-3]}}";
  const char *puller = "{\"name\":\"puller\",\"shape\":{\"type\":\"sphere\",\"radius\":1e-3},\"position\":[0.5,0,0],\"direction\":[0,0,1],"
                       "\"program\":[{\"type\":\"constant\",\"velocity\":2e-4}]}";
  sim_run r = open_scene(0.3, adhesion, ",\"held\":\"both\"", "[0,0,0]", across, puller, 1e-3, "");
  const fibre_state *s = r.sim->state;
  double most = 0, last = 0, pull = 0, points = 0;
  int parted = 0;
  for (int k = 0; k < 900; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    if (run_value(&r, "contacts") > 0 && !parted) last = -run_value(&r, "obstacle.puller.force_z"), most = fmax(most, last);
    double sum = 0;
    for (size_t i = 0; i < s->problem.count; i++) sum += s->problem.hold[i];
    pull = fmax(pull, sum), points = fmax(points, (double)s->problem.count);
    parted = most > 0 && (parted || run_value(&r, "contacts") == 0) ? parted + 1 : 0;
  }
  claim_between("two fibres drawn apart: points of their crossing, at nodes of both", points, 2, 4, "by rounding");
  claim_relative("two fibres drawn apart: what adhesion pulls with in all, N s", pull, adhesion * 1e-3, 1e-12, "of one crossing");
  claim_relative("two fibres drawn apart: largest force, N", most, adhesion, 0.03, "their adhesion, and what swings");
  claim_relative("two fibres drawn apart: force as they part, N", last, adhesion, 0.03, "their adhesion, and what swings");
  /* each bends by F L^3 / (192 EI) at its middle */
  claim_between("steps since they parted", parted, 250, 370, "900 less 0.53 s and more: 2 F L^3 / (192 EI) over the speed");
  claim_absolute("two fibres drawn apart: error of the balance", run_value(&r, "energy.balance_error"), 0, 1e-6, "all of it is booked");
  run_close(&r);
}

/* A ball that a step moves away from a stiff fibre, clamped at both ends, is held back by adhesion over its range, and by nothing beyond:
 * the work is their product. It touches with no force at first; what it feels is pulled towards the fibre. */
static void test_the_work_that_parts_is_force_times_range(void **state)
{
  (void)state;
  const double force = 1e-6, range = 5e-5, dt = 1e-3;
  const char *ball = "{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"position\":[0,0,0.011],\"direction\":[0,0,1],"
                     "\"program\":[{\"type\":\"constant\",\"velocity\":1e-3}]}";
  char options[100];
  snprintf(options, sizeof options, "\"adhesion_range\":%g,\"margin\":1e-3", range);
  sim_run r = open_scene(0.3, force, ",\"held\":\"both\"", "[0,0,0]", "", ball, dt, options);
  run_steps(&r, 20);
  run_observe(&r);
  claim_relative("ball drawn off a fibre: obstacle.ball.force_z, N", run_value(&r, "obstacle.ball.force_z"), -force, 1e-6, "its adhesion");
  run_steps(&r, 80);
  run_observe(&r);
  claim_absolute("ball beyond the range: obstacle.ball.force_z, N", run_value(&r, "obstacle.ball.force_z"), 0, 1e-15, "nothing");
  /* the fibre sags towards it by less than 1e-3 of the range, and springs back; a step is 0.02 of it */
  claim_relative("ball drawn off a fibre: work of the ball, J", run_value(&r, "energy.external"), force * range, 0.05, "force times range");
  claim_relative("the same, taken by adhesion: energy.impact, J", run_value(&r, "energy.impact"), force * range, 0.05, "force times range");
  claim_absolute("its balance", run_value(&r, "energy.balance_error"), 0, 1e-6, "all of it is booked");
  run_close(&r);
}

/* Under a plane a fibre hangs by its eleven nodes, each with twice what it has to bear; the plane feels the weight, downwards. */
static void test_a_fibre_hangs_below_a_plane(void **state)
{
  (void)state;
  const char *ceiling = "{\"name\":\"ceiling\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,0],\"rotation\":{\"axis\":[1,0,"
                        "0],\"angle_deg\":180}}";
  sim_run r =
      open_scene(0.3, 0.2 * MASS * 10, ",\"placement\":{\"type\":\"single\",\"position\":[0,0,-1e-3]}", "[0,0,-10]", "", ceiling, 1e-3, "");
  run_steps(&r, 200);
  run_observe(&r);
  claim_relative("fibre below a plane: obstacle.ceiling.force_z, N", run_value(&r, "obstacle.ceiling.force_z"), -10 * MASS, 1e-5,
                 "its weight");
  claim_absolute("fibre below a plane: contacts", run_value(&r, "contacts"), 11, 0, "every node");
  assert_true(run_value(&r, "speed") < 1e-6);
  run_close(&r);
}

/* ── along lengths ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* So stiff that it hardly sags. */
static sim_run open_line(const char *key, double adhesion, int edges, const char *more, const char *obstacles)
{
  char text[4000];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":2,\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":"
      "1e12,\"poisson_ratio\":0.25}],\"contact\":{\"friction_coefficient\":0.3,\"%s\":%.17g},\"specimens\":[{\"name\":\"f\","
      "\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"edges\":%d,\"rotation\":{\"axis\":[1,0,0],"
      "\"angle_deg\":-90}%s}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-10]},\"obstacles\":[%s],\"time\":{\"duration\":10,\"time_step\":"
      "1e-3}}",
      key, adhesion, edges, more, obstacles);
  return run_open(text, 1);
}

/* Below a plane a fibre hangs where each metre of it is held by a little more than its weight, and falls where it is held by a little less,
 * whatever its edges are. Its two half edges at the ends weigh as much as is held there. */
static void test_what_holds_a_metre_bears_its_weight(void **state)
{
  (void)state;
  const char *ceiling = "{\"name\":\"ceiling\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,0],\"rotation\":{\"axis\":[1,0,"
                        "0],\"angle_deg\":180}}";
  for (int k = 0; k < 6; k++) {
    int edges = k < 2 ? 5 : k < 4 ? 10 : 40;
    double share = k % 2 ? 0.99 : 1.01;
    sim_run r = open_line("line_adhesion", share * 10 * MASS / 0.2, edges, ",\"placement\":{\"type\":\"single\",\"position\":[0,0,-1e-3]}",
                          ceiling);
    const fibre_state *s = r.sim->state;
    double sum = 0;
    run_steps(&r, 1);
    for (size_t i = 0; i < s->problem.count; i++) sum += s->problem.hold[i];
    claim_relative("fibre along a plane: what adhesion pulls with, N s", sum, share * 10 * MASS * 1e-3, 1e-9, "strength times length");
    run_steps(&r, 200);
    run_observe(&r);
    if (k % 2)
      claim_between("fibre held by 0.99 of its weight: speed, m/s", run_value(&r, "speed"), 0.01, 3, "it falls");
    else
      claim_absolute("fibre held by 1.01 of its weight: speed, m/s", run_value(&r, "speed"), 0, 1e-6, "it hangs");
    run_close(&r);
  }
}

/* Below two stiff rails hangs a box that moves freely, held along its length and no farther: its edges lie between nodes. It is pulled off
 * by as much as strength times that length on both rails. */
static void test_a_box_is_pulled_off_along_its_length(void **state)
{
  (void)state;
  const double weight = 0.06 * 0.05 * 0.01 * 100 * 10;
  for (int k = 0; k < 2; k++) {
    sim_run r = open_line("line_adhesion", (k ? 0.98 : 1.02) * weight / (2 * 0.05), 10,
                          ",\"held\":\"both\",\"placement\":{\"type\":\"list\",\"positions\":[[-0.01,0,0],[0.01,0,0]]}",
                          "{\"name\":\"box\",\"shape\":{\"type\":\"box\",\"size\":[0.06,0.05,0.01]},\"position\":[0,0,-0.006],\"free\":{"
                          "\"density\":100}}");
    run_steps(&r, 300);
    run_observe(&r);
    if (k)
      assert_true(run_value(&r, "obstacle.box.z") < -0.05);
    else
      claim_relative("box below rails: obstacle.box.force_z, N", run_value(&r, "obstacle.box.force_z"), weight, 1e-4, "its weight");
    run_close(&r);
  }
}

/* A ball that moves freely below one crossing rail is held by the adhesion of a point. */
static void test_a_ball_is_pulled_off_at_a_point(void **state)
{
  (void)state;
  const char *ball =
      "{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"position\":[0,0.01,-0.011],\"free\":{\"mass\":1e-3}}";
  for (int k = 0; k < 2; k++) {
    sim_run r = open_line("adhesion", k ? 0.98e-2 : 1.02e-2, 10, ",\"held\":\"both\"", ball);
    run_steps(&r, 300);
    run_observe(&r);
    if (k)
      assert_true(run_value(&r, "obstacle.ball.z") < -0.05);
    else
      claim_relative("ball below a rail: obstacle.ball.force_z, N", run_value(&r, "obstacle.ball.force_z"), 1e-2, 1e-3, "its weight");
    run_close(&r);
  }
}

/* Two fibres alongside each other hold together along all of their length. */
static void test_fibres_stick_alongside(void **state)
{
  (void)state;
  sim_run r = open_line("line_adhesion", 0.5, 10, ",\"placement\":{\"type\":\"list\",\"positions\":[[0,0,0],[0,0,-2.000001e-3]]}", "");
  const fibre_state *s = r.sim->state;
  double sum = 0;
  run_steps(&r, 1);
  for (size_t i = 0; i < s->problem.count; i++) sum += s->problem.hold[i];
  claim_relative("fibres alongside each other: what adhesion pulls with, N s", sum, 0.5 * 0.2 * 1e-3, 1e-6, "strength times length");
  run_close(&r);
}

/* ── friction ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* On a floor, drawn along itself by gravity's lean: friction bears mu (N + adhesion of eleven nodes). Below that it sticks, where mu N
 * alone would let it slide; above it, it slides at what is left, and friction takes mu (N + adhesion) times the way. */
static void test_friction_counts_what_adhesion_presses(void **state)
{
  (void)state;
  const double mu = 0.5, adhesion = 0.1 * MASS * 10, bears = mu * (10 * MASS + 11 * adhesion);
  for (int k = 0; k < 2; k++) {
    char gravity[60];
    double pull = (k ? 1.2 : 0.9) * bears / MASS, dt = 1e-3;
    snprintf(gravity, sizeof gravity, "[0,%.17g,-10]", pull);
    sim_run r = open_scene(mu, adhesion, ON_FLOOR, gravity, "", FLOOR, dt, "");
    run_steps(&r, 100);
    run_observe(&r);
    if (!k) {
      claim_absolute("stuck fibre, drawn with 0.9 of what friction bears: contacts.sticking", run_value(&r, "contacts.sticking"), 11, 0,
                     "mu (N + adhesion)");
      assert_true(run_value(&r, "speed") < 1e-6);
    } else {
      double way = 0, speed = 0;
      for (int step = 0; step < 100; step++) speed += 0.2 * bears / MASS * dt, way += speed * dt;
      claim_relative("sliding fibre, drawn with 1.2 of that: momentum, N s", run_value(&r, "momentum"), 0.2 * bears * 0.1, 1e-4,
                     "Coulomb's law");
      claim_relative("its energy.friction, J", run_value(&r, "energy.friction"), bears * way, 1e-3, "friction times the way");
      claim_absolute("its contacts.sliding", run_value(&r, "contacts.sliding"), 11, 0, "every node");
    }
    run_close(&r);
  }
}

/* Fibres that fall into a sticky heap: energies balance, and nothing comes from nowhere but what adhesion gives as gaps within its range
 * close, which parting takes back: at most its force times the range for each contact. */
static void test_a_sticky_heap_balances(void **state)
{
  (void)state;
  const char *more =
      ",{\"name\":\"g\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"edges\":10,"
      "\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"placement\":{\"type\":\"lattice\",\"origin\":[0,-0.03,4e-3],\"pitch\":"
      "[0.1,0.02,0.1],\"count\":[1,4,1]}}";
  const double adhesion = 1e-3;
  sim_run r = open_scene(0.4, adhesion, ON_FLOOR, "[0,0,-10]", more, FLOOR, 1e-3, "");
  run_observe(&r);
  double before = 0, worst = 0, most = 0;
  for (int k = 0; k < 150; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    double now = run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic") - run_value(&r, "energy.external");
    most = fmax(most, run_value(&r, "contacts"));
    worst = fmax(worst, now - before - most * adhesion * 1e-5);
    before = now;
  }
  claim_between("sticky heap: most contacts", most, 12, INFINITY, "floor and crossings");
  claim_absolute("sticky heap: gain of a step beyond what adhesion gives, J", worst, 0, 1e-12, "nothing from nowhere");
  claim_absolute("sticky heap: error of the balance", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
  claim_absolute("sticky heap: unsolved steps", run_value(&r, "unsolved_steps") + run_value(&r, "unsolved_contacts"), 0, 0, "none");
  run_close(&r);
}

static void test_a_range_beyond_the_margin_is_refused(void **state)
{
  (void)state;
  const char *text =
      "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e9}],"
      "\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2}}],\"rig\":{"
      "\"type\":\"none\"},\"options\":{\"adhesion_range\":6e-4},\"time\":{\"duration\":1}}";
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  assert_string_equal(problems.items[0].pointer, "/options/adhesion_range");
  scr_problems_clear(&problems);
}

SUITE(test_fibre_adhesion)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_fibres_part_at_their_adhesion),
      cmocka_unit_test(test_the_work_that_parts_is_force_times_range),
      cmocka_unit_test(test_a_fibre_hangs_below_a_plane),
      cmocka_unit_test(test_what_holds_a_metre_bears_its_weight),
      cmocka_unit_test(test_a_box_is_pulled_off_along_its_length),
      cmocka_unit_test(test_a_ball_is_pulled_off_at_a_point),
      cmocka_unit_test(test_fibres_stick_alongside),
      cmocka_unit_test(test_friction_counts_what_adhesion_presses),
      cmocka_unit_test(test_a_sticky_heap_balances),
      cmocka_unit_test(test_a_range_beyond_the_margin_is_refused),
  };
  return cmocka_run_group_tests_name("fibres that stick", tests, NULL, NULL);
}
