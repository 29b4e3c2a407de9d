/* Method rigid against Coulomb's law, Newton's and Euler's equations: slopes, stacks, impacts, tops, the arch. */
#include <stdio.h>

#include "base/quat.h"
#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

static const char *const source_coulomb = "Coulomb's law";

enum { TEXT = 60000 };

/* A scene of one material. `world`: gravity, obstacles, rig; `specimens`: what stands in the list. */
static sim_run open_scene(const char *specimens, const char *world, double friction, double restitution, double duration, double step,
                          const char *options)
{
  char *text = malloc(TEXT);
  assert_non_null(text);
  int length = snprintf(
      text, TEXT,
      "{\"scree\": 1, \"name\": \"case\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 1000}, {\"name\": "
      "\"heavy\", "
      "\"density\": 1000000}], \"contact\": {\"friction_coefficient\": %.17g, \"restitution\": %.17g}, \"specimens\": [%s], %s, \"time\": "
      "{\"duration\": %.17g, \"time_step\": %.17g}, \"output\": {\"frame_interval\": %.17g, \"sample_interval\": %.17g}, \"options\": "
      "{%s}}",
      friction, restitution, specimens, world, duration, step, duration, duration, options);
  assert_true(length > 0 && length < TEXT);
  sim_run r = run_open(text, 1);
  free(text);
  return r;
}

#define FLOOR "\"obstacles\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"width\": 1}}]"
#define WEIGHT "\"rig\": {\"type\": \"none\", \"gravity\": [0, 0, -9.81]}, "
#define CUBE                                                                                                                               \
  "{\"name\": \"cube\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"placement\": {\"type\": "        \
  "\"single\", \"position\": [0, 0, 0.05]}}"

/* ── a slope ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Speed of a cube after `steps` of 10 ms on a slope of `angle`, whose gravity is turned instead. */
static double speed_on_slope(double angle, double friction, size_t steps)
{
  char world[300];
  snprintf(world, sizeof world, "\"rig\": {\"type\": \"none\", \"gravity\": [%.17g, 0, %.17g]}, " FLOOR, 9.81 * sin(angle),
           -9.81 * cos(angle));
  sim_run r = open_scene(CUBE, world, friction, 0, 1, 0.01, "\"tolerance\": 1e-11");
  run_steps(&r, steps);
  double speed = run_curve(&r, "speed");
  run_close(&r);
  return speed;
}

/* The angle at which a cube begins to slide, found by halving: arctan(mu). Above it the speed after 0.2 s is g (sin - mu cos) times that,
 * 2e-4 m/s at
 * 0.005 degrees, below it what the solver leaves. Tolerance: that of the issue, 0.01 degrees. */
static void test_a_cube_slides_from_the_angle_of_friction_on(void **state)
{
  (void)state;
  const double friction[2] = {0.3, 0.6};
  for (int k = 0; k < 2; k++) {
    double low = atan(friction[k]) - 0.03, high = atan(friction[k]) + 0.04;
    while (high - low > 2e-5) {
      double middle = 0.5 * (low + high);
      if (speed_on_slope(middle, friction[k], 20) > 2e-5)
        high = middle;
      else
        low = middle;
    }
    claim_absolute("angle at which a cube begins to slide, degrees", 0.5 * (low + high) * 180 / M_PI, atan(friction[k]) * 180 / M_PI, 0.01,
                   source_coulomb);
  }
}

/* Acceleration above the angle of friction, and rest below it. Steps of any length give g (sin - mu cos) but for the solver's tolerance. */
static void test_a_cube_on_a_slope_accelerates_as_it_should(void **state)
{
  (void)state;
  double angle = atan(0.3) + 0.05, expected = 9.81 * (sin(angle) - 0.3 * cos(angle));
  claim_relative("acceleration at mu 0.3, 0.05 rad above the angle of friction, m/s^2", speed_on_slope(angle, 0.3, 100), expected, 1e-6,
                 source_coulomb);
  angle = atan(0.6) + 0.2;
  expected = 9.81 * (sin(angle) - 0.6 * cos(angle));
  claim_relative("acceleration at mu 0.6, 0.2 rad above it, m/s^2", speed_on_slope(angle, 0.6, 100), expected, 1e-6, source_coulomb);
  claim_absolute("speed after 1 s, 0.001 rad below it, m/s", speed_on_slope(atan(0.3) - 0.001, 0.3, 100), 0, 1e-9, "the spec's check 5");
}

/* ── rest ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Three cubes on each other for 10^4 steps of 1 ms: the topmost has moved by less than 1e-10 of the size. Interfaces carry 3, 2, 1 weights.
 * */
static void test_a_stack_stays_where_it_is(void **state)
{
  (void)state;
  sim_run r = open_scene("{\"name\": \"cubes\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, "
                         "\"placement\": {\"type\": \"list\", "
                         "\"positions\": [[0, 0, 0.05], [0.01, 0, 0.15], [0, 0.01, 0.25]]}}",
                         WEIGHT FLOOR, 0.5, 0, 20, 0.001, "\"tolerance\": 1e-13");
  const rigid_state *s = r.sim->state;
  scr_vec3 begun[3];
  double moved = 0, carried[3] = {0};
  for (int i = 0; i < 3; i++) begun[i] = s->bodies[i].centre;
  run_steps(&r, 10000);
  for (int i = 0; i < 3; i++) moved = fmax(moved, vec3_length(vec3_sub(s->bodies[i].centre, begun[i])));
  claim_absolute("way of a cube in 10^4 steps over its edge", moved / 0.1, 0, 1e-10, "rest");
  for (size_t k = 0; k < s->contact_count; k++) {
    const geo_touch *touch = &s->contacts[k].touch;
    uint32_t upper = touch->b < 3 && touch->b > touch->a ? touch->b : touch->a;
    carried[upper] += s->contacts[k].impulse[0] / (0.001 * 9.81);
  }
  for (int i = 0; i < 3; i++) claim_absolute("weights that an interface carries", carried[i], 3 - i, 1e-8, "statics");
  run_close(&r);
}

/* Balls of density 1000 and 10^6 in turn, the heaviest on top, for 10 s: nothing sinks in by more than 1e-6 m, a part in 10^5 of a radius.
 * */
static void test_a_column_of_unlike_masses_stands(void **state)
{
  (void)state;
  sim_run r = open_scene("{\"name\": \"light\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, "
                         "\"placement\": {\"type\": \"list\", "
                         "\"positions\": [[0, 0, 0.05], [0, 0, 0.25]]}}, {\"name\": \"heavy\", \"material\": \"heavy\", \"shape\": "
                         "{\"type\": \"box\", \"size\": [0.1, "
                         "0.1, 0.1]}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.15]}}, {\"name\": \"heaviest\", "
                         "\"material\": \"heavy\", \"shape\": {\"type\": "
                         "\"box\", \"size\": [1, 1, 1]}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.8]}}",
                         WEIGHT FLOOR, 0.5, 0, 20, 0.01, "\"tolerance\": 1e-9");
  double deepest = 0;
  for (int k = 0; k < 20; k++) {
    run_steps(&r, 50);
    deepest = fmax(deepest, run_curve(&r, "penetration"));
  }
  claim_absolute("deepest overlap under 10^6 times the mass, 10 s, m", deepest, 0, 1e-6, "no overlap");
  claim_shown("unsolved steps of 1000", run_value(&r, "unsolved_steps"));
  run_close(&r);
}

/* ── impacts ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Two equal balls head on, e = 1: they exchange velocities, and no energy is lost. e = 0.5: the velocity of parting is half that of
 * meeting. */
static void test_newtons_restitution(void **state)
{
  (void)state;
  const char *balls = "{\"name\": \"left\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"velocity\": [1, 0, "
                      "0], \"placement\": {\"type\": \"single\", "
                      "\"position\": [-0.2, 0, 0]}}, {\"name\": \"right\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", "
                      "\"radius\": 0.1}, \"placement\": {\"type\": "
                      "\"single\", \"position\": [0.1, 0, 0]}}";
  const double restitution[2] = {1, 0.5};
  for (int k = 0; k < 2; k++) {
    sim_run r =
        open_scene(balls, "\"rig\": {\"type\": \"none\", \"gravity\": [0, 0, 0]}", 0, restitution[k], 1, 0.01, "\"tolerance\": 1e-13");
    const rigid_state *s = r.sim->state;
    double before = run_curve(&r, "energy.kinetic");
    run_steps(&r, 40);
    double after = run_curve(&r, "energy.kinetic"), parting = s->bodies[1].velocity.x - s->bodies[0].velocity.x;
    claim_absolute("velocity of parting over that of meeting", parting, restitution[k], 1e-12, "Newton's restitution");
    claim_absolute("energy left", after / before, 0.5 * (1 + restitution[k] * restitution[k]), 1e-12, "two equal balls head on");
    claim_absolute("balance of energy", run_value(&r, "energy.balance_error"), 0, 1e-12, "conservation of energy");
    run_close(&r);
  }
}

/* A handful of rods, cubes and balls thrown at each other in space, friction 0.5: momentum and angular momentum stay to the solver's
 * tolerance, and energy only falls. Overlaps are left alone here, for moving a body that moves changes the angular momentum. */
static void test_momenta_stay_and_energy_falls(void **state)
{
  (void)state;
  sim_run r = open_scene(
      "{\"name\": \"cubes\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.15, 0.2]}, \"random_rotation\": true, "
      "\"velocity\": [1, 0, 0], "
      "\"placement\": {\"type\": \"lattice\", \"origin\": [-0.6, -0.2, -0.2], \"pitch\": [0.3, 0.3, 0.3], \"count\": [1, 2, 2]}}, "
      "{\"name\": \"rods\", "
      "\"material\": \"m\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.05, \"length\": 0.2}, \"random_rotation\": true, "
      "\"velocity\": [-1, 0, 0], "
      "\"angular_velocity\": [3, 2, 1], \"placement\": {\"type\": \"lattice\", \"origin\": [0.1, -0.2, -0.2], \"pitch\": [0.3, 0.25, "
      "0.25], \"count\": [1, 2, 2]}}, "
      "{\"name\": \"capsules\", \"material\": \"m\", \"shape\": {\"type\": \"capsule\", \"radius\": 0.05, \"length\": 0.1}, "
      "\"random_rotation\": true, "
      "\"placement\": {\"type\": \"lattice\", \"origin\": [-0.25, -0.2, -0.2], \"pitch\": [0.3, 0.3, 0.3], \"count\": [1, 2, 2]}}",
      "\"rig\": {\"type\": \"none\", \"gravity\": [0, 0, 0]}", 0.5, 0, 1, 0.005, "\"tolerance\": 1e-9, \"penetration\": 0.05");
  const rigid_state *s = r.sim->state;
  scr_vec3 before[2] = {{0}}, after[2] = {{0}};
  double energy = run_curve(&r, "energy.kinetic"), most = 0, begun = energy;
  for (int k = 0; k <= 100; k++) {
    scr_vec3 *sum = k ? after : before;
    sum[0] = sum[1] = vec3(0, 0, 0);
    for (size_t i = 0; i < s->body_count; i++) {
      scr_vec3 p = vec3_scale(s->bodies[i].velocity, s->bodies[i].mass);
      sum[0] = vec3_add(sum[0], p);
      sum[1] = vec3_add(sum[1], vec3_add(s->bodies[i].momentum, vec3_cross(s->bodies[i].centre, p)));
    }
    double now = run_curve(&r, "energy.kinetic");
    most = fmax(most, now - energy);
    energy = now;
    if (k < 100) run_steps(&r, 1);
  }
  claim_absolute("change of momentum, N s, of 20", vec3_length(vec3_sub(after[0], before[0])), 0, 1e-10, "conservation of momentum");
  claim_absolute("change of angular momentum, N m s", vec3_length(vec3_sub(after[1], before[1])), 0, 1e-10,
                 "conservation of angular momentum");
  claim_absolute("largest gain of energy in a step over the energy at the start", most / begun, 0, 1e-4,
                 "no gain but that of the gyroscopic rule, which comes back");
  claim_between("energy lost in impacts and sliding, as a part", 1 - energy / begun, 0.05, 1, "inelastic impacts");
  claim_absolute("balance of energy", run_value(&r, "energy.balance_error"), 0, 1e-10, "conservation of energy");
  run_close(&r);
}

/* ── turning ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Complete elliptic integral K(k) by Gauss's mean. */
static double complete_elliptic(double k)
{
  double a = 1, b = sqrt(1 - k * k);
  for (int i = 0; i < 12; i++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 0.5 * M_PI / a;
}

/* A box that spins about its middle axis turns over, again and again (Dzhanibekov). Reference: Euler's equations by elliptic functions: the
 * spin about the middle axis changes its sign every 2 K(k) / lambda, with lambda^2 = (I3 - I2)(L^2 - 2 T I1)/(I1 I2 I3), k^2 = (I2 - I1)(2
 * T I3 - L^2)/((I3 - I2)(L^2 - 2 T I1)) for L^2 > 2 T I2 (Landau, Lifshitz, Mechanics, 37). Tolerance: second order, at 1/600 of a turn a
 * step. */
static void test_a_spinning_box_turns_over(void **state)
{
  (void)state;
  sim_run r = open_scene("{\"name\": \"box\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.3, 0.1]}, "
                         "\"angular_velocity\": [0.02, 10, 0.1]}",
                         "\"rig\": {\"type\": \"none\", \"gravity\": [0, 0, 0]}", 0, 0, 10, 0.001, "");
  const rigid_state *s = r.sim->state;
  const rigid_body *body = &s->bodies[0];
  scr_vec3 i = body->moments, w = body->spin, begun = body->momentum;
  double twice = i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z, square = vec3_dot(begun, begun);
  double lambda = sqrt((i.z - i.y) * (square - twice * i.x) / (i.x * i.y * i.z));
  double k = sqrt((i.y - i.x) * (twice * i.z - square) / ((i.z - i.y) * (square - twice * i.x)));
  double time[3], last = 10, highest = 0;
  int flips = 0;
  assert_true(square > twice * i.y && k < 1);
  while (flips < 3 && r.sim->steps < 10000) {
    run_steps(&r, 1);
    double spin = run_curve(&r, "first.spin_2");
    highest = fmax(highest, run_value(&r, "energy.kinetic"));
    if (spin * last < 0) time[flips++] = (double)r.sim->steps * 0.001 - 0.0005 - 0.001 * spin / (spin - last);
    last = spin;
  }
  assert_int_equal(flips, 3);
  claim_relative("time between two flips, s", 0.5 * (time[2] - time[0]), 2 * complete_elliptic(k) / lambda, 2e-3,
                 "elliptic functions (Landau, Lifshitz)");
  claim_absolute("change of angular momentum over it", vec3_length(vec3_sub(body->momentum, begun)) / vec3_length(begun), 0, 1e-13,
                 "no torque");
  claim_absolute("largest energy over that at the start, less 1", highest / (0.5 * twice) - 1, 0, 1e-4, "second order, without drift");
  run_close(&r);
}

/* ── frames and threads ─────────────────────────────────────────────────────────────────────────────────────────── */

/* A cube that falls onto a slope and tumbles down; all of it turned by `turn`. @return its place after 0.16 s, turned back */
static scr_vec3 tumble(scr_vec3 turn)
{
  char specimens[700], world[400];
  scr_quat q = quat_exp(turn), own = quat_multiply(q, quat_exp(vec3(0.4, 0.2, 0.1)));
  scr_vec3 axis = quat_log(own), slope = quat_log(quat_multiply(q, quat_exp(vec3(0, 0.3, 0)))), at = quat_rotate(q, vec3(0, 0, 0.12)),
           g = quat_rotate(q, vec3(0, 0, -9.81));
  snprintf(specimens, sizeof specimens,
           "{\"name\": \"cube\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.12, 0.14]}, \"placement\": "
           "{\"type\": \"single\", \"position\": [%.17g, %.17g, "
           "%.17g]}, \"rotation\": {\"axis\": [%.17g, %.17g, %.17g], \"angle_deg\": %.17g}}",
           at.x, at.y, at.z, axis.x, axis.y, axis.z, vec3_length(axis) * 180 / M_PI);
  snprintf(world, sizeof world,
           "\"rig\": {\"type\": \"none\", \"gravity\": [%.17g, %.17g, %.17g]}, \"obstacles\": [{\"name\": \"slope\", \"shape\": {\"type\": "
           "\"plane\"}, \"rotation\": {\"axis\": [%.17g, "
           "%.17g, %.17g], \"angle_deg\": %.17g}}]",
           g.x, g.y, g.z, slope.x, slope.y, slope.z, vec3_length(slope) * 180 / M_PI);
  sim_run r = open_scene(specimens, world, 0.2, 0, 1, 0.002, "\"tolerance\": 1e-10, \"penetration\": 0.01");
  run_steps(&r, 80);
  scr_vec3 place = quat_rotate(quat_conjugate(q), ((const rigid_state *)r.sim->state)->bodies[0].centre);
  run_close(&r);
  return place;
}

/* The same scene turned as a whole, so that all tangents and axes are others, moves in the same way. Tolerance: what the solver's tolerance
 * grows to while a cube tumbles; overlaps are left alone, for how they are removed is not unique. */
static void test_the_frame_does_not_matter(void **state)
{
  (void)state;
  scr_vec3 plain = tumble(vec3(0, 0, 0)), turned = tumble(vec3(0.7, -1.1, 0.4));
  claim_absolute("difference of places in a turned scene, m", vec3_length(vec3_sub(plain, turned)), 0, 1e-8, "mechanics knows no axes");
}

/* ── the arch ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Half a ring of `count` wedge stones of middle radius 1 m and thickness `thickness`, m. */
static void add_stones(char *text, size_t room, double thickness, int count)
{
  size_t at = 0;
  for (int k = 0; k < count; k++) {
    double p0 = M_PI * k / count, p1 = M_PI * (k + 1) / count, p = 0.5 * (p0 + p1), r[2] = {1 - 0.5 * thickness, 1 + 0.5 * thickness};
    at += (size_t)snprintf(
        text + at, room - at,
        "%s{\"name\": \"s%d\", \"material\": \"m\", \"placement\": {\"type\": \"single\", \"position\": [%.17g, 0, %.17g]}, \"shape\": "
        "{\"type\": \"mesh\", \"vertices\": [",
        k ? "," : "", k, cos(p), sin(p));
    for (int v = 0; v < 8; v++) { /* bits: end, outer, far */
      double angle = v & 1 ? p1 : p0, radius = r[v >> 1 & 1];
      at += (size_t)snprintf(text + at, room - at, "%s[%.17g, %.17g, %.17g]", v ? "," : "", radius * cos(angle) - cos(p),
                             v & 4 ? 0.15 : -0.15, radius * sin(angle) - sin(p));
    }
    at += (size_t)snprintf(
        text + at, room - at,
        "], \"triangles\": [[0,4,6],[0,6,2],[1,3,7],[1,7,5],[0,1,5],[0,5,4],[2,6,7],[2,7,3],[0,2,3],[0,3,1],[4,5,7],[4,7,6]]}}");
    assert_true(at < room);
  }
}

static bool arch_stands(double thickness, int count)
{
  static char stones[50000];
  add_stones(stones, sizeof stones, thickness, count);
  sim_run r = open_scene(stones, WEIGHT FLOOR, 0.8, 0, 1, 0.01, "\"tolerance\": 1e-8");
  run_steps(&r, 4);
  double speed = run_curve(&r, "speed");
  run_close(&r);
  return speed < 1e-5;
}

/* The thinnest semicircular arch that stands under its own weight, found by halving: t / R = 0.1075 (Milankovitch 1907, for joints
 * anywhere; with 24 stones hinges open at the joints that there are, near 54 degrees, which costs less than a hundredth). Tolerance: that
 * of the issue. */
static void test_the_thinnest_arch_that_stands(void **state)
{
  (void)state;
  double low = 0.095, high = 0.12;
  while (high - low > 4e-4) {
    double middle = 0.5 * (low + high);
    if (arch_stands(middle, 24))
      high = middle;
    else
      low = middle;
  }
  claim_relative("least thickness of an arch over its radius", 0.5 * (low + high), 0.1075, 0.02, "Milankovitch 1907; Heyman 1969");
}

SUITE(validate_rigid)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cube_slides_from_the_angle_of_friction_on),
      cmocka_unit_test(test_a_cube_on_a_slope_accelerates_as_it_should),
      cmocka_unit_test(test_a_stack_stays_where_it_is),
      cmocka_unit_test(test_a_column_of_unlike_masses_stands),
      cmocka_unit_test(test_newtons_restitution),
      cmocka_unit_test(test_momenta_stay_and_energy_falls),
      cmocka_unit_test(test_a_spinning_box_turns_over),
      cmocka_unit_test(test_the_frame_does_not_matter),
      cmocka_unit_test(test_the_thinnest_arch_that_stands),
  };
  return cmocka_run_group_tests_name("rigid bodies", tests, NULL, NULL);
}
