/* Method rigid, packs of a thousand balls by the default options: a heap that is poured comes to rest, exactly, with its slope; a pack that
 * is poured into a box bears what a servo presses it with. */
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

/* On the floor and the walls, along gravity. */
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

SUITE(validate_rigid_packs)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_poured_heap_of_a_thousand_balls_comes_to_rest),
                                     cmocka_unit_test(test_a_poured_pack_bears_the_load_of_a_servo)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
