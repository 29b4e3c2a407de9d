/* Balls that move freely among fibres (other solids: test_fibre_solids): momenta, energies, rest, rolling and flight against closed forms;
 * bits; what is refused. */
#include "tests/support/suites.h"

#include "methods/fibre/state/state.h"
#include "tests/support/sim_run.h"

#define SOFT "\"density\":1000,\"young_modulus\":1e8"

/* Fibres along y. @param material, specimen, obstacles  the rest of their keys */
static void write_scene(char *text, size_t size, const char *material, double friction, const char *specimen, const char *gravity,
                        const char *obstacles, double dt)
{
  snprintf(text, size,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":2,\"materials\":[{\"name\":\"m\","
           "\"poisson_ratio\":0.25,%s}],\"contact\":{\"friction_coefficient\":%.17g},"
           "\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":-90}%s}],"
           "\"rig\":{\"type\":\"none\",\"gravity\":%s},\"obstacles\":[%s],\"time\":{\"duration\":10,\"time_step\":%.17g}}",
           material, friction, specimen, gravity, obstacles, dt);
}

static sim_run open_scene(double friction, const char *specimen, const char *gravity, const char *obstacles, double dt)
{
  char text[4000];
  write_scene(text, sizeof text, SOFT, friction, specimen, gravity, obstacles, dt);
  return run_open(text, 1);
}

#define FIBRE ",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"edges\":10"
#define BALL(name, place, density, more)                                                                                                   \
  "{\"name\":\"" name "\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"position\":" place ",\"free\":{\"density\":" density more "}}"
#define FLOOR "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,0]}"
static const double VOLUME = 4.0 / 3 * M_PI * 1e-6;

/* ── impact ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_vec3 momentum_of_fibres(const fibre_state *s)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (uint32_t i = 0; i < s->node_count; i++)
    sum = vec3_add(sum, vec3_scale(rod_position(s->velocity, i), s->mass[ROD_UNKNOWNS * (size_t)i]));
  return sum;
}

/* A ball hits a fibre that floats, off its middle and aslant, with friction. What one gains the other loses, to rounding; the ball's curves
 * of force are what it lost; energies balance. */
static void test_momentum_passes_from_a_ball_to_a_fibre(void **state)
{
  (void)state;
  const double dt = 2e-4;
  sim_run r = open_scene(0.4, FIBRE, "[0,0,0]",
                         BALL("ball", "[0.002,0.03,0.0125]", "500", ",\"velocity\":[0.5,0.4,-2],\"angular_velocity\":[9,30,0]"), dt);
  const fibre_state *s = r.sim->state;
  const part_flight *ball = &r.sim->parts.flight[0];
  double mass = 500 * VOLUME, worst = 0, most = 0;
  scr_vec3 total = vec3_scale(ball->velocity, mass), felt = vec3(0, 0, 0), start = total, spun = ball->momentum;
  for (int k = 0; k < 60; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    scr_vec3 now = vec3_add(momentum_of_fibres(s), vec3_scale(ball->velocity, mass));
    worst = fmax(worst, vec3_length(vec3_sub(now, total)) / vec3_length(total));
    most = fmax(most, vec3_length(momentum_of_fibres(s)) / vec3_length(total));
    felt = vec3_add(felt, vec3_scale(vec3(run_value(&r, "obstacle.ball.force_x"), run_value(&r, "obstacle.ball.force_y"),
                                          run_value(&r, "obstacle.ball.force_z")),
                                     dt));
  }
  scr_vec3 lost = vec3_sub(vec3_scale(ball->velocity, mass), start);
  claim_absolute("ball hits a fibre: change of the total momentum over it", worst, 0, 1e-10, "impulses are equal and opposite");
  claim_between("ball hits a fibre: share of momentum that it gives", most, 0.1, 1, "it hits");
  claim_relative("ball hits a fibre: sum of force_z over time, N s", felt.z, lost.z, 1e-9, "change of its momentum");
  claim_relative("ball hits a fibre: sum of force_x over time, N s", felt.x, lost.x, 1e-9, "change of its momentum");
  assert_true(vec3_length(vec3_sub(ball->momentum, spun)) > 0.1 * vec3_length(spun));
  claim_absolute("ball hits a fibre: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
  assert_true(run_value(&r, "energy.friction") > 0);
  run_close(&r);
}

/* Two balls of equal mass, head on and without bounce: half the speed for both; half of the energy goes. */
static void test_two_balls_meet(void **state)
{
  (void)state;
  sim_run r = open_scene(0, FIBRE ",\"placement\":{\"type\":\"single\",\"position\":[0,0,-1]}", "[0,0,0]",
                         BALL("a", "[0,0,0]", "500", ",\"velocity\":[0,0,1]") "," BALL("b", "[0,0,0.021]", "500", ""), 1e-3);
  run_steps(&r, 20);
  run_observe(&r);
  for (int k = 0; k < 2; k++) claim_relative("two balls: speed after, m/s", r.sim->parts.flight[k].velocity.z, 0.5, 1e-9, "momentum");
  claim_relative("two balls: energy.impact and that of steps, J", run_value(&r, "energy.impact") + run_value(&r, "energy.numerical"),
                 0.25 * 500 * VOLUME, 1e-9, "m v^2 / 4");
  run_close(&r);
}

/* ── rest ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A ball comes to rest between two strings, whose sag d along the line from it solves 2 EA (1 - l / sqrt(l^2 + d^2)) d / sqrt = N, where
 * N = m g / (2 cos) is what each carries and sin = (a + d sin) / (R + r): strings of two straight halves, as the ball lies on their middle
 * nodes. They have hardly any bending stiffness
 * and weight. */
static void test_a_ball_rests_on_two_strings(void **state)
{
  (void)state;
  const double a = 0.003, half = 0.1, stiffness = 1e9 * M_PI * 1e-6, weight = 2000 * VOLUME * 10, reach = 0.011;
  char text[4000];
  write_scene(text, sizeof text, "\"density\":1,\"young_modulus\":1e9,\"mass_damping\":200,\"bending_factor\":1e-6", 0,
              FIBRE ",\"held\":\"both\",\"hold\":\"pinned\",\"placement\":{\"type\":\"list\",\"positions\":[[-0.003,0,0],[0.003,0,0]]}",
              "[0,0,-10]", BALL("ball", "[0,0,0.01059]", "2000", ""), 2e-3);
  sim_run r = run_open(text, 1);
  double sine = a / reach, sag = 2e-3;
  for (int k = 0; k < 200; k++) {
    double carried = weight / (2 * sqrt(1 - sine * sine)), length = hypot(half, sag);
    double pulled = 2 * stiffness * (length / half - 1) * sag / length;
    sag *= cbrt(carried / pulled);
    sine = 0.5 * (sine + (a + sag * sine) / reach);
  }
  double height = (reach * hypot(half, sag) / half - sag) * sqrt(1 - sine * sine);
  run_steps(&r, 3000);
  run_observe(&r);
  claim_relative("ball on strings: its sag, m", run_value(&r, "obstacle.ball.z"), height, 2e-3, "two straight halves");
  claim_relative("ball on strings: obstacle.ball.force_z, N", run_value(&r, "obstacle.ball.force_z"), weight, 4e-6,
                 "its weight; two contacts, each solved to 1e-6 of g dt, and of what gaps let it come in a step");
  claim_absolute("ball on strings: its speed up and down, m/s", r.sim->parts.flight[0].velocity.z, 0, 1e-6, "rest; it may rock along them");
  claim_absolute("ball on strings: unsolved_contacts", run_value(&r, "unsolved_contacts"), 0, 0, "none");
  run_close(&r);
}

/* On a floor that carries it and its load: nothing moves from the first step on. */
static void test_balls_rest_on_a_floor(void **state)
{
  (void)state;
  sim_run r = open_scene(0.3, FIBRE ",\"placement\":{\"type\":\"single\",\"position\":[1,0,1]}", "[0,0,-10]",
                         FLOOR "," BALL("low", "[0,0,0.01]", "2000", "") "," BALL("high", "[0,0,0.03]", "1000", ""), 1e-3);
  double low = 2000 * VOLUME * 10, high = 1000 * VOLUME * 10;
  run_steps(&r, 3);
  run_observe(&r);
  claim_absolute("balls on a floor: height of the upper one, m", r.sim->parts.flight[2].centre.z, 0.03, 1e-9, "rest");
  claim_relative("balls on a floor: obstacle.floor.force_z, N", run_value(&r, "obstacle.floor.force_z"), -low - high, 1e-9,
                 "their weights");
  claim_relative("balls on a floor: obstacle.low.force_z, N", run_value(&r, "obstacle.low.force_z"), low, 1e-9, "its weight");
  run_close(&r);
}

/* ── motion ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Within a fiftieth of an edge beside a node a ball touches the node alone, and so sinks by up to 7 um there, which without friction takes
 * half a per cent of its speed. Down two stiff rails 12 mm apart: a ball that rolls turns about the line between its two points of contact,
 * R cos from its centre, and gains g sin / (1 + 2 / (5 cos^2)), sin = a / (R + r); without friction g sin. */
static void test_a_ball_rolls_down_two_rails(void **state)
{
  (void)state;
  const double sine = 0.006 / 0.012, square = 1 - sine * sine;
  for (int k = 0; k < 2; k++) {
    char text[4000];
    write_scene(text, sizeof text, "\"density\":1000,\"young_modulus\":2e11", k ? 0 : 0.5,
                ",\"shape\":{\"type\":\"cylinder\",\"radius\":2e-3,\"length\":0.2},\"edges\":10,\"held\":\"both\",\"placement\":{\"type\":"
                "\"list\",\"positions\":[[-0.006,0,0],[0.006,0,0]]}",
                "[0,1,-10]", BALL("ball", "[0,-0.04,0.0103923048454]", "1", ""), 1e-3);
    sim_run r = run_open(text, 1);
    run_steps(&r, 50); /* rails come to rest under their own weight */
    double before = r.sim->parts.flight[0].velocity.y;
    run_steps(&r, 150);
    run_observe(&r);
    claim_relative(k ? "ball on rails without friction: gain of speed, m/s" : "ball that rolls on rails: gain of speed, m/s",
                   r.sim->parts.flight[0].velocity.y - before, 0.15 * (k ? 1 : 1 / (1 + 0.4 / square)), 1e-2,
                   "a t of a slope with two rails");
    claim_absolute("ball on rails: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
    run_close(&r);
  }
}

/* Where nothing is near it a ball flies along a parabola. */
static void test_a_ball_flies(void **state)
{
  (void)state;
  sim_run r = open_scene(0, FIBRE ",\"held\":\"both\"", "[0,0,-10]", BALL("ball", "[1,0,2]", "500", ",\"velocity\":[0,1,3]"), 1e-3);
  run_steps(&r, 400);
  run_observe(&r);
  claim_relative("ball in flight: obstacle.ball.x, m", run_value(&r, "obstacle.ball.x"), 1, 1e-12, "nothing pushes it there");
  claim_relative("ball in flight: obstacle.ball.y, m", run_value(&r, "obstacle.ball.y"), 0.4, 1e-12, "v t");
  claim_relative("ball in flight: obstacle.ball.z, m", run_value(&r, "obstacle.ball.z"), 2 + 3 * 0.4 - 5 * 0.16, 1e-12, "v t - g t^2 / 2");
  claim_relative("ball in flight: speed, m/s", r.sim->parts.flight[0].velocity.z, 3 - 4, 1e-12, "v - g t");
  run_close(&r);
}

/* ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static sim_run open_bed(unsigned threads)
{
  static const char text[] =
      "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":3,\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8,"
      "\"mass_damping\":20}],\"contact\":{\"friction_coefficient\":0.4},\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{"
      "\"type\":\"cylinder\",\"radius\":2e-4,\"length\":0.03},\"edges\":12,\"contact_radius\":4e-4,"
      "\"held\":\"start\",\"rotation\":{\"axis\":[1,0.3,0],"
      "\"angle_deg\":40},\"placement\":{"
      "\"type\":\"lattice\",\"origin\":[-0.0075,-0.0075,0.015],\"pitch\":[0.005,0.005,0.005],\"count\":[4,4,1]}}],\"rig\":{\"type\":"
      "\"none\",\"gravity\":[0,0,-10]},\"obstacles\":[" FLOOR
      "," BALL("a", "[0.001,0,0.042]", "300", ",\"velocity\":[0,0.1,-0.2]") "," BALL(
          "b", "[0,0.004,0.064]", "300", ",\"velocity\":[0.1,0,-0.5]") "],\"time\":{\"duration\":10,\"time_step\":2.5e-4}}";
  return run_open(text, threads);
}

/* Two balls fall into bristles: the same bits on any number of threads and from a checkpoint, energies balance, steps are solved. */
static void test_balls_fall_into_bristles(void **state)
{
  (void)state;
  sim_run one = open_bed(1), three = open_bed(3);
  double most = 0;
  for (int k = 0; k < 400; k++) {
    run_steps(&one, 1), run_steps(&three, 1);
    run_observe(&one);
    most = fmax(most, run_value(&one, "contacts"));
    if (k != 150) continue;
    scr_blob blob = {0};
    assert_same_state(one.sim, three.sim);
    assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
    run_close(&three);
    three = open_bed(2);
    assert_int_equal(sim_load(three.sim, &blob, NULL), SCR_OK);
    scr_blob_destroy(&blob);
  }
  assert_same_state(one.sim, three.sim);
  claim_between("balls in bristles: most contacts", most, 10, INFINITY, "they fall in");
  claim_absolute("balls in bristles: energy.balance_error", run_value(&one, "energy.balance_error"), 0, 1e-4, "all of it is booked");
  claim_between("balls in bristles: unsolved_contacts", run_value(&one, "unsolved_contacts"), 0, 1,
                "of 400 steps; with a ball wedged between three bristles every solver stops at 5e-6 of one");
  claim_absolute("balls in bristles: unsolved_steps", run_value(&one, "unsolved_steps"), 0, 0, "none");
  run_close(&one), run_close(&three);
}

static void assert_refused(const char *specimen, const char *obstacle, const char *options, const char *pointer)
{
  char text[4000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  write_scene(text, sizeof text, SOFT, 0.3, specimen, "[0,0,0]", obstacle, 1e-3);
  snprintf(text + strlen(text) - 1, 200, "%s}", options);
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  assert_true(problems.count >= 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void test_what_cannot_be_free_is_refused(void **state)
{
  (void)state;
  assert_refused(FIBRE ",\"held\":\"start\"", BALL("ball", "[0,0,1]", "1", ""), ",\"options\":{\"loading\":\"static\"}", "/obstacles/0");
}

SUITE(test_fibre_bodies)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momentum_passes_from_a_ball_to_a_fibre),
      cmocka_unit_test(test_two_balls_meet),
      cmocka_unit_test(test_a_ball_rests_on_two_strings),
      cmocka_unit_test(test_balls_rest_on_a_floor),
      cmocka_unit_test(test_a_ball_rolls_down_two_rails),
      cmocka_unit_test(test_a_ball_flies),
      cmocka_unit_test(test_balls_fall_into_bristles),
      cmocka_unit_test(test_what_cannot_be_free_is_refused),
  };
  return cmocka_run_group_tests_name("fibre bodies", tests, NULL, NULL);
}
