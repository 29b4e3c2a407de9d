/* Impacts within a step of method rigid: bodies that go a good part of their size in a step, against flights and impacts in closed form. */
#include <math.h>

#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 1000}], "
#define FLOOR "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"width\": 1}}"

/* ── flights and impacts of a body on a floor, without gravity and friction ── */

enum { POINTS = 6 };

/* A body whose spin is constant in flight: balls of `radius` at `point` about its centre; one moment of inertia for all axes it turns
 * about. */
typedef struct flyer {
  size_t count;
  scr_vec3 point[POINTS];
  double radius, mass, moment;
  scr_vec3 centre, velocity, spin;
  scr_quat attitude;
  unsigned impacts;
} flyer;

static double gap_of(const flyer *f, size_t k, double t)
{
  scr_quat turned = quat_multiply(quat_exp(vec3_scale(f->spin, t)), f->attitude);
  return f->centre.z + t * f->velocity.z + quat_rotate(turned, f->point[k]).z - f->radius;
}

static double lowest(const flyer *f, double t, size_t *which)
{
  double least = INFINITY;
  for (size_t k = 0; k < f->count; k++)
    if (gap_of(f, k, t) < least) least = gap_of(f, k, t), *which = k;
  return least;
}

static void fly(flyer *f, double t)
{
  f->centre = vec3_add(f->centre, vec3_scale(f->velocity, t));
  f->attitude = quat_normalise(quat_multiply(quat_exp(vec3_scale(f->spin, t)), f->attitude));
}

/* Newton's rule at one point: the impulse (1 + e) |u| / (1/m + (r x n)^2 / I) along the normal. */
static void bounce(flyer *f, size_t k, double restitution)
{
  scr_vec3 n = vec3(0, 0, 1), arm = quat_rotate(f->attitude, f->point[k]), turn = vec3_cross(arm, n);
  double u = vec3_dot(vec3_add(f->velocity, vec3_cross(f->spin, arm)), n);
  double impulse = -(1 + restitution) * u / (1 / f->mass + vec3_dot(turn, turn) / f->moment);
  f->velocity = vec3_along(f->velocity, n, impulse / f->mass);
  f->spin = vec3_add(f->spin, vec3_scale(turn, impulse / f->moment));
  f->impacts++;
}

/* To time t: the first moment at which a point is on the floor, in steps of a thousandth and then by halving. */
static void fly_and_bounce(flyer *f, double time, double restitution)
{
  const double step = 1e-3 * time;
  size_t k = 0;
  for (double left = time; left > 0;) {
    double t = 0, low, high;
    do t += step;
    while (t < left && lowest(f, t, &k) >= 0);
    if (t >= left) {
      fly(f, left);
      return;
    }
    for (low = t - step, high = t; high - low > 1e-14 * time;) {
      double middle = 0.5 * (low + high);
      if (lowest(f, middle, &k) >= 0)
        low = middle;
      else
        high = middle;
    }
    lowest(f, high, &k);
    fly(f, low);
    bounce(f, k, restitution);
    left -= low;
  }
}

static flyer flyer_of(const rigid_state *s, size_t count, const scr_vec3 *point, double radius, double moment)
{
  const rigid_body *b = &s->bodies[0];
  flyer f = {.count = count,
             .radius = radius,
             .mass = b->mass,
             .moment = moment,
             .centre = b->centre,
             .velocity = b->velocity,
             .spin = b->spin,
             .attitude = quat(0, 0, 0, 1)};
  for (size_t k = 0; k < count; k++) f.point[k] = quat_rotate(b->attitude, point[k]);
  return f;
}

/* Runs a scene of one body to `time`, and the flight in closed form beside it. @return the largest difference of velocity, or of spin times
 * `size`, over the speed at the start */
static double error_of(const char *scene, size_t count, const scr_vec3 *point, double radius, bool upright, double restitution, double time,
                       double size, unsigned *impacts)
{
  sim_run r = run_open(scene, 1);
  const rigid_state *s = r.sim->state;
  const rigid_body *b = &s->bodies[0];
  flyer f = flyer_of(s, count, point, radius, upright ? fmax(b->moments.x, b->moments.z) : b->moments.x);
  double speed = vec3_length(f.velocity);
  run_until(&r, time);
  fly_and_bounce(&f, scr_sim_time(r.sim), restitution);
  *impacts = f.impacts;
  scr_vec3 own = quat_rotate(quat_conjugate(b->attitude), b->momentum);
  scr_vec3 spin = quat_rotate(b->attitude, vec3(own.x / b->moments.x, own.y / b->moments.y, own.z / b->moments.z));
  double off = fmax(vec3_length(vec3_sub(b->velocity, f.velocity)), size * vec3_length(vec3_sub(spin, f.spin))) / speed;
  assert_true(vec3_length(vec3_sub(b->centre, f.centre)) < 0.05 * size || off > 0.01);
  run_close(&r);
  return off;
}

#define ONE_BODY(shape, turn, velocity, spin, step)                                                                                        \
  HEAD "\"contact\": {\"friction_coefficient\": 0, \"restitution\": 0.7}, \"specimens\": [{\"name\": \"body\", \"material\": \"m\", "      \
       "\"shape\": " shape ", \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.3]}, "                                          \
       "\"rotation\": " turn ", \"velocity\": " velocity                                                                                   \
       ", \"angular_velocity\": [%s]}], \"rig\": {\"type\": \"none\"}, \"obstacles\": [" FLOOR                                             \
       "], \"time\": {\"duration\": 1, \"time_step\": %.17g}, "                                                                            \
       "\"output\": {\"frame_interval\": 1, \"sample_interval\": 1}}",                                                                     \
      spin, step
#define ROD(axis)                                                                                                                          \
  "{\"shape\": {\"type\": \"capsule\", \"radius\": 0.01, \"length\": 0.08}, \"rotation\": {\"axis\": " axis ", \"angle_deg\": 90}}"
#define JACK                                                                                                                               \
  "{\"type\": \"compound\", \"pieces\": [" ROD("[1, 0, 0]") ", " ROD(                                                                      \
      "[0, 1, 0]") ", {\"shape\": {\"type\": \"capsule\", \"radius\": 0.01, \"length\": 0.08}}]}"

/* A jack of 0.1 m, all its moments alike, thrown at the floor at 5 m/s with four spins; 0.0125, 0.05 and 0.4 of its size a step. Each lands
 * with one arm, some with a second behind it, within the same step where steps are long. Tolerance: bodies touch at 1e-5 of an arm's
 * thickness, 2e-7 m, and turn by 2e-6 in that time at most; the lever between two impacts makes 10 of it. (0.02 to 1 where whole steps are
 * solved at once.) */
static void test_a_fast_jack_rebounds_as_in_closed_form(void **state)
{
  (void)state;
  const scr_vec3 ends[POINTS] = {{0.04, 0, 0}, {-0.04, 0, 0}, {0, 0.04, 0}, {0, -0.04, 0}, {0, 0, 0.04}, {0, 0, -0.04}};
  static const char *const spins[] = {"0, 0, 0", "20, 5, -10", "-7, 13, 3", "40, 30, 20"};
  const double share[] = {0.0125, 0.05, 0.4};
  unsigned twice = 0;
  for (size_t j = 0; j < 4; j++)
    for (size_t k = 0; k < 3; k++) {
      char text[2000];
      unsigned impacts;
      snprintf(text, sizeof text, ONE_BODY(JACK, "{\"axis\": [1, 2, 3], \"angle_deg\": 50}", "[1, 0, -5]", spins[j], share[k] * 0.1 / 5));
      double off = error_of(text, POINTS, ends, 0.01, false, 0.7, 0.08, 0.05, &impacts);
      if (!(off < 1e-4) || impacts == 0)
        fail_msg("spin %zu, %g of its size a step, %u impacts: %.3g of the speed off", j, share[k], impacts, off);
      twice += impacts > 1;
    }
  assert_true(twice > 0);
}

/* A tube of 0.1 m, a cylinder to contact, that turns about an axis across it, so that it stays in a plane: the corners of its section
 * bounce. */
static void test_a_fast_tube_rebounds_as_in_closed_form(void **state)
{
  (void)state;
  const scr_vec3 corners[4] = {{0.015, 0, 0.05}, {-0.015, 0, 0.05}, {0.015, 0, -0.05}, {-0.015, 0, -0.05}};
  static const char *const spins[] = {"0, 0, 0", "0, 25, 0", "0, -60, 0"};
  const double share[] = {0.0125, 0.05, 0.4};
  for (size_t j = 0; j < 3; j++)
    for (size_t k = 0; k < 3; k++) {
      char text[2000];
      unsigned impacts;
      snprintf(text, sizeof text,
               ONE_BODY("{\"type\": \"cylinder\", \"radius\": 0.015, \"length\": 0.1}", "{\"axis\": [0, 1, 0], \"angle_deg\": 65}",
                        "[1, 0, -5]", spins[j], share[k] * 0.1 / 5));
      double off = error_of(text, 4, corners, 0, true, 0.7, 0.08, 0.05, &impacts);
      if (!(off < 1e-4) || impacts == 0)
        fail_msg("spin %zu, %g of its size a step, %u impacts: %.3g of the speed off", j, share[k], impacts, off);
    }
}

/* Billiards: a ball meets one at rest, 0.6 diameters off the line through its middle, without friction and loss: the other leaves along the
 * line of centres of that moment, at asin(0.6), with cos of it of the speed; the first goes on across. At 0.01, 0.05 and 0.4 diameters a
 * step. (At 0.4 the line of centres is up to 15 degrees off where the impact is taken from the start of its step.) */
static void test_billiard_balls_part_at_right_angles(void **state)
{
  (void)state;
  const double share[] = {0.01, 0.05, 0.4};
  for (size_t k = 0; k < 3; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             HEAD "\"contact\": {\"friction_coefficient\": 0, \"restitution\": 1}, \"specimens\": [{\"name\": \"balls\", \"material\": "
                  "\"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"placement\": {\"type\": \"single\", \"position\": "
                  "[0, 0, 0]}}, {\"name\": \"cue\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, "
                  "\"placement\": {\"type\": \"single\", \"position\": [-0.237, 0.06, 0]}, \"velocity\": [3, 0, 0]}], \"rig\": {\"type\": "
                  "\"none\"}, \"time\": {\"duration\": 1, \"time_step\": "
                  "%.17g}, \"output\": {\"frame_interval\": 1, \"sample_interval\": 1}}",
             share[k] * 0.1 / 3);
    sim_run r = run_open(text, 1);
    const rigid_body *b = ((const rigid_state *)r.sim->state)->bodies;
    run_until(&r, 0.2);
    const double speed = 3 * 0.8, met = (0.237 - 0.08) / 3,
                 after = scr_sim_time(r.sim) - met; /* 0.08: how far behind the first is when they touch */
    const scr_vec3 away = vec3(0.8 * speed, -0.6 * speed, 0), rest = vec3(3 - away.x, -away.y, 0);
    double off = fmax(vec3_length(vec3_sub(b[0].velocity, away)), vec3_length(vec3_sub(b[1].velocity, rest))) / 3;
    double place = vec3_length(vec3_sub(b[0].centre, vec3_scale(away, after)));
    if (!(off < 1e-4) || !(place < 1e-4 * 0.5)) fail_msg("%g diameters a step: %.3g of the speed, %.3g m off", share[k], off, place);
    run_close(&r);
  }
}

/* ── order in time where nothing touches ── */

static scr_vec3 euler(const double i[3], scr_vec3 w)
{
  return vec3((i[1] - i[2]) * w.y * w.z / i[0], (i[2] - i[0]) * w.z * w.x / i[1], (i[0] - i[1]) * w.x * w.y / i[2]);
}

/* Spin about own axes after `time` by Runge and Kutta's rule in 20000 steps: exact to 1e-12. */
static scr_vec3 spin_after(const double i[3], scr_vec3 w, double time)
{
  const int steps = 20000;
  double h = time / steps;
  for (int k = 0; k < steps; k++) {
    scr_vec3 a = euler(i, w), b = euler(i, vec3_along(w, a, 0.5 * h)), c = euler(i, vec3_along(w, b, 0.5 * h)),
             d = euler(i, vec3_along(w, c, h));
    w = vec3_along(w, vec3_add(vec3_add(a, d), vec3_scale(vec3_add(b, c), 2)), h / 6);
  }
  return w;
}

/* A box that tumbles about its middle axis, thrown up under gravity: its spin is wrong by a quarter when steps are halved, and its place
 * not at all. */
static void test_free_motion_is_of_second_order(void **state)
{
  (void)state;
  double error[3];
  for (int k = 0; k < 3; k++) {
    char text[1500];
    snprintf(
        text, sizeof text,
        HEAD
        "\"specimens\": [{\"name\": \"box\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.3, 0.1]}, "
        "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 1]}, \"velocity\": [1, 0, 8], \"angular_velocity\": [0.2, 6, 0.3]}], "
        "\"rig\": {\"type\": \"none\", \"gravity\": [0, 0, -9.81]}, \"time\": {\"duration\": 2, \"time_step\": %.17g}, \"output\": "
        "{\"frame_interval\": 2, \"sample_interval\": 2}}",
        0.02 / (1 << k));
    sim_run r = run_open(text, 1);
    const rigid_body *b = ((const rigid_state *)r.sim->state)->bodies;
    const double moments[3] = {b->moments.x, b->moments.y, b->moments.z};
    scr_vec3 exact = spin_after(moments, quat_rotate(quat_conjugate(b->attitude), b->spin), 1.6);
    run_until(&r, 1.6);
    scr_vec3 own = quat_rotate(quat_conjugate(b->attitude), b->momentum);
    error[k] = vec3_length(vec3_sub(vec3(own.x / moments[0], own.y / moments[1], own.z / moments[2]), exact));
    assert_true(vec3_length(vec3_sub(b->centre, vec3(1.6, 0, 1 + 8 * 1.6 - 0.5 * 9.81 * 1.6 * 1.6))) < 1e-12);
    run_close(&r);
  }
  print_message("# spin off by %.3g, %.3g, %.3g rad/s; orders %.3f, %.3f\n", error[0], error[1], error[2], log2(error[0] / error[1]),
                log2(error[1] / error[2]));
  for (int k = 0; k < 2; k++) assert_true(fabs(log2(error[k] / error[k + 1]) - 2) < 0.1);
}

/* A ball that bounces on the floor under gravity, e = 0.8: height and speed after three bounces are those of the parabolas between, at
 * steps of which it goes 0.1 to 0.6 radii; flights are exact, impacts are where they are. */
static void test_a_bouncing_ball_keeps_its_parabolas(void **state)
{
  (void)state;
  const double g = 9.81, e = 0.8, h = 0.45, fall = sqrt(2 * h / g), v = sqrt(2 * g * h), steps[] = {0.0017, 0.01};
  for (int k = 0; k < 2; k++) {
    char text[1500];
    snprintf(text, sizeof text,
             HEAD "\"contact\": {\"restitution\": 0.8}, \"specimens\": [{\"name\": \"ball\", \"material\": \"m\", \"shape\": {\"type\": "
                  "\"sphere\", \"radius\": 0.05}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.5]}}], "
                  "\"rig\": {\"type\": \"none\", \"gravity\": [0, 0, -9.81]}, \"obstacles\": [" FLOOR
                  "], \"time\": {\"duration\": 2, \"time_step\": %.17g}, \"output\": {\"frame_interval\": 2, \"sample_interval\": 2}}",
             steps[k]);
    sim_run r = run_open(text, 1);
    const rigid_body *b = ((const rigid_state *)r.sim->state)->bodies;
    double begun = fall, up = v; /* of the third bounce */
    for (int n = 0; n < 3; n++) {
      up *= e;
      if (n < 2) begun += 2 * up / g;
    }
    run_until(&r, begun + 0.7 * up / g);
    double t = scr_sim_time(r.sim) - begun, z = 0.05 + up * t - 0.5 * g * t * t, w = up - g * t;
    if (!(fabs(b->centre.z - z) < 1e-5 * h) || !(fabs(b->velocity.z - w) < 1e-5 * v))
      fail_msg("step %g s: %.3g m, %.3g m/s off", steps[k], b->centre.z - z, b->velocity.z - w);
    run_close(&r);
  }
}

SUITE(test_rigid_impact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_fast_jack_rebounds_as_in_closed_form), cmocka_unit_test(test_a_fast_tube_rebounds_as_in_closed_form),
      cmocka_unit_test(test_billiard_balls_part_at_right_angles),    cmocka_unit_test(test_free_motion_is_of_second_order),
      cmocka_unit_test(test_a_bouncing_ball_keeps_its_parabolas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
