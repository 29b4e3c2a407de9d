/* Method rigid, packs by the default options: a heap of a thousand balls that is poured comes to rest, exactly, with its slope; a pack that
 * is poured into a box bears what a servo presses it with; boxes lie as under exact. */
#include "methods/rigid/state/state.h"
#include "methods/rigid/step/sleep.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

enum { BALLS = 1000 };

/* A column of 1000 balls of 8 to 10 mm, loose, over a floor without walls; friction 0.5, rolling resisted by a tenth of a radius. */
static sim_run pour(const char *options)
{
  char text[1600];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"heap\",\"method\":\"rigid\",\"materials\":[{\"name\":\"stone\",\"density\":2500}],\"contact\":{"
      "\"friction_coefficient\":0.5,\"rolling_resistance\":1e-3},\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{"
      "\"name\":\"floor\",\"shape\":{\"type\":\"plane\"},\"position\":[0,0,0]}],\"time\":{\"duration\":9,\"time_step\":0.002},"
      "\"output\":{\"frame_interval\":9,\"sample_interval\":9},\"options\":%s,\"specimens\":[{\"name\":\"balls\",\"material\":\"stone\","
      "\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"smallest_scale\":0.8,\"largest_scale\":1,\"placement\":{\"type\":\"random\","
      "\"minimum\":[-0.08,-0.08,0.01],\"maximum\":[0.08,0.08,0.75],\"count\":%d,\"distance\":0.0205}}]}",
      options, BALLS);
  return run_open(text, 1);
}

/* Of a cone whose mean height and mean distance from its axis are those of the balls: z = H/4 and r = R/2 give H/R = 2 z/r. */
static double slope_of(const rigid_state *s)
{
  double x = 0, y = 0, z = 0, r = 0, mass = 0;
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *b = &s->bodies[i];
    x += b->mass * b->centre.x, y += b->mass * b->centre.y, z += b->mass * b->centre.z, mass += b->mass;
  }
  for (size_t i = 0; i < s->body_count; i++)
    r += s->bodies[i].mass * hypot(s->bodies[i].centre.x - x / mass, s->bodies[i].centre.y - y / mass);
  return atan(2 * z / r) * 180 / M_PI;
}

/* All sleep, but for a ball that has rolled away by itself; the floor has their weight and no torque but what their places give. Bounds of
 * the slope: where rolling begins, and where balls that can't roll slide, by Coulomb's law. The runs of both accuracies are two pours of
 * one kind; tolerance: 2 degrees, what drums of 70 balls scatter. */
static void test_a_poured_heap_of_a_thousand_balls_comes_to_rest(void **state)
{
  (void)state;
  claim_slow();
  double slope[2];
  for (int draft = 0; draft < 2; draft++) {
    sim_run r = pour(draft ? "{\"accuracy\":\"draft\"}" : "{}");
    const rigid_state *s = r.sim->state;
    double weight = 0;
    for (size_t i = 0; i < s->body_count; i++) weight += 9.81 * s->bodies[i].mass;
    for (int k = 0; k < 30 && rigid_count_asleep(s) < BALLS; k++) run_steps(&r, 100);
    slope[draft] = slope_of(s);
    claim_shown(draft ? "under draft: simulated time, s" : "simulated time, s", scr_sim_time(r.sim));
    claim_between("balls asleep", (double)rigid_count_asleep(s), BALLS, BALLS, "a heap at rest is at rest");
    claim_absolute("kinetic energy, J", run_curve(&r, "energy.kinetic"), 0, 0, "it is");
    claim_relative("force on the floor, N", -run_value(&r, "obstacle.floor.force_z"), weight, 1e-3, "their weight");
    claim_between("energy that is not accounted for, over the largest", fabs(run_value(&r, "energy.balance_error")), 0, 1e-9, "the ledger");
    claim_between("deepest overlap over the least radius", run_value(&r, "penetration") / 0.008, 0, draft ? 0.05 : 0.02,
                  "the accuracy's promise");
    claim_absolute("steps beyond the promise", (double)s->report.unsolved, 0, 0, "none");
    claim_between("slope of the heap, degrees", slope[draft], atan(0.1) * 180 / M_PI, atan(0.5) * 180 / M_PI, "Coulomb");
    run_close(&r);
  }
  claim_absolute("slope under draft, degrees", slope[1], slope[0], 2, "the same under usual");
}

/* The same balls poured into a box of 20 cm, whose lid a servo presses with 50 N, two thirds of their weight, and then with thirteen times
 * their weight. */
static sim_run pour_under_lid(double light, double heavy)
{
  char text[2000];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"pressed\",\"method\":\"rigid\",\"materials\":[{\"name\":\"stone\",\"density\":2500}],\"contact\":{"
      "\"friction_coefficient\":0.5,\"rolling_resistance\":1e-3},\"rig\":{\"type\":\"box\",\"minimum\":[-0.1,-0.1,0],\"maximum\":[0.1,0.1,"
      "0.45],\"gravity\":[0,0,-9.81],\"walls\":{\"z_max\":{\"program\":[{\"type\":\"servo\",\"force\":%g,\"gain\":0.01,\"duration\":1},{"
      "\"type\":\"servo\",\"force\":%g,\"gain\":0.01,\"rise_time\":0.5,\"duration\":8}]}}},\"time\":{\"duration\":9,\"time_step\":0.002},"
      "\"output\":{\"frame_interval\":9,\"sample_interval\":9},\"specimens\":[{\"name\":\"balls\",\"material\":\"stone\",\"shape\":{"
      "\"type\":\"sphere\",\"radius\":0.01},\"smallest_scale\":0.8,\"largest_scale\":1,\"placement\":{\"type\":\"random\","
      "\"minimum\":[-0.089,-0.089,0.012],\"maximum\":[0.089,0.089,0.43],\"count\":%d,\"distance\":0.0205}}]}",
      light, heavy, BALLS);
  return run_open(text, 1);
}

/* On the floor and the walls, along gravity. @param lid  part that is left out; SIZE_MAX: none */
static double load_below(const scr_sim *sim, size_t lid)
{
  double load = 0;
  for (size_t p = 0; p < sim->parts.count; p++) load -= p == lid ? 0 : sim->parts.load[p].impulse.z / scr_sim_time_step(sim);
  return load;
}

/* The servo's force is in the contact problem (a dashpot that yields by its gain), so a lid at rest bears it as exactly as the step is
 * solved: what rests is solved to a part in a million of g dt, 2e-8 m/s, over the gain 2e-6 N. What falls asleep is out of balance by at
 * most a thousandth of its weight, in any direction: the sum of a thousand such by 3e-5 of the weight of all. */
static void test_a_poured_pack_bears_the_load_of_a_servo(void **state)
{
  (void)state;
  claim_slow();
  enum { LID = 5, HELD = 500 };
  static const double force[] = {50, 1000}, until[] = {1, 2.5};
  sim_run r = pour_under_lid(force[0], force[1]);
  const rigid_state *s = r.sim->state;
  double weight = 0, off = 0;
  for (size_t i = 0; i < s->body_count; i++) weight += 9.81 * s->bodies[i].mass;
  for (int k = 0; k < 2; k++) {
    run_until(&r, until[k]);
    run_observe(&r);
    double pressed = fabs(run_value(&r, "wall.z_max.force_z")), below = load_below(r.sim, LID);
    claim_relative(k ? "force on the lid that is pressed on, N" : "force on the lid, N", pressed, force[k], 1e-6, "the servo's");
    claim_absolute("force on the floor and the walls along gravity, N", below, pressed + weight, 3e-5 * weight,
                   "the lid's and the balls' weight");
    claim_absolute("balls asleep", (double)rigid_count_asleep(s), BALLS, 0, "a pack at rest is at rest");
  }
  for (int k = 0; k < HELD; k++) {
    run_steps(&r, 1);
    off = fmax(off, fabs(fabs(run_curve(&r, "wall.z_max.force_z")) / force[1] - 1));
  }
  claim_between("largest error of the lid's force in 500 steps more, over the force", off, 0, 1e-6, "it stays");
  claim_absolute("kinetic energy, J", run_curve(&r, "energy.kinetic"), 0, 0, "a pack at rest is at rest");
  claim_absolute("steps beyond the promise", (double)s->report.unsolved, 0, 0, "none");
  claim_between("deepest overlap over the least radius", run_value(&r, "penetration") / 0.008, 0, 0.02, "the accuracy's promise");
  claim_between("energy that is not accounted for, over the largest", fabs(run_value(&r, "energy.balance_error")), 0, 1e-9, "the ledger");
  run_close(&r);
}

/* ── boxes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { BOXES = 100, POURS = 6, POUR_TEXT = 16384 };

/* 100 cubes of 10 to 12.5 mm in layers, turned at random, each beside its place by a `seed` of its own, over the floor of a box. */
static sim_run pour_boxes(const char *accuracy, uint64_t seed)
{
  static char text[POUR_TEXT];
  const double pitch = 0.024;
  int at = snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"boxes\",\"method\":\"rigid\",\"materials\":[{\"name\":\"stone\",\"density\":2500}],\"contact\":{"
      "\"friction_coefficient\":0.5},\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.12,0.12,9],\"gravity\":"
      "[0,0,-9.81]},\"time\":{\"duration\":9},\"output\":{\"frame_interval\":9,\"sample_interval\":9},\"options\":{\"accuracy\":"
      "\"%s\"},\"specimens\":[{\"name\":\"boxes\",\"material\":\"stone\",\"shape\":{\"type\":\"box\",\"size\":[0.0125,0.0125,"
      "0.0125]},\"random_rotation\":true,\"smallest_scale\":0.8,\"largest_scale\":1,\"placement\":{\"type\":\"list\",\"positions\":[",
      accuracy);
  for (int k = 0; k < BOXES; k++) {
    const int row = k / 5 % 5, layer = k / 25;
    double place[3] = {(k % 5 + 0.5) * pitch, (row + 0.5) * pitch, (layer + 0.5) * pitch};
    for (int axis = 0; axis < 3; axis++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      place[axis] += 0.0015 * ((double)(seed >> 40) / (double)(1u << 23) - 1);
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.6f,%.6f,%.6f]", k ? "," : "", place[0], place[1], place[2]);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]}}]}");
  return run_open(text, 1);
}

/* A pack of boxes in motion is solved to a hundredth of g dt in 50 sweeps under usual, to a part in a million under exact. Each pour is
 * another one after the first impacts, so means of six pours are compared: of 9 pours heights were 15.79 and 15.87 mm, scattered by 0.45;
 * tolerances are twice what such means of six scatter. */
static void test_poured_boxes_lie_as_under_exact(void **state)
{
  (void)state;
  claim_slow();
  static const char *const accuracy[] = {"usual", "exact"};
  double height[2] = {0}, rubbed[2] = {0}, lost[2] = {0};
  for (int exact = 0; exact < 2; exact++)
    for (uint64_t seed = 1; seed <= POURS; seed++) {
      sim_run r = pour_boxes(accuracy[exact], seed);
      const rigid_state *s = r.sim->state;
      double weight = 0;
      for (size_t i = 0; i < s->body_count; i++) weight += 9.81 * s->bodies[i].mass;
      run_until(&r, 1.5);
      run_observe(&r);
      height[exact] += run_value(&r, "centroid.z") / POURS;
      rubbed[exact] += run_value(&r, "energy.friction") / POURS;
      lost[exact] += run_value(&r, "energy.impact") / POURS;
      double borne = load_below(r.sim, SIZE_MAX) / weight;
      if (!(fabs(borne - 1) < 1e-6 && run_value(&r, "speed") < 1e-6 && r.sim->doubt_count == 0))
        fail_msg("%s, pour %d: the rig bears %.9g of the weight, the fastest box has %g m/s, %zu doubts", accuracy[exact], (int)seed, borne,
                 run_value(&r, "speed"), r.sim->doubt_count);
      run_close(&r);
    }
  claim_relative("mean height, m", height[0], height[1], 0.035, "the same under exact");
  claim_relative("energy lost by friction, J", rubbed[0], rubbed[1], 0.055, "the same under exact");
  claim_relative("energy lost by impacts, J", lost[0], lost[1], 0.015, "the same under exact");
}

SUITE(validate_rigid_packs)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_poured_heap_of_a_thousand_balls_comes_to_rest),
                                     cmocka_unit_test(test_a_poured_pack_bears_the_load_of_a_servo),
                                     cmocka_unit_test(test_poured_boxes_lie_as_under_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
