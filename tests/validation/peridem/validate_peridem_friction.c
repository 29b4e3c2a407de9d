/* Peridem's friction on the rig: what rests stays, what slides does so as Coulomb says; and what friction between nodes does to angular
 * momentum. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* Another on top of the first, as a further specimen. */
#define UPPER_BRICK                                                                                                                        \
  ",{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[6e-3,6e-3,4e-3]},"                           \
  "\"placement\":{\"type\":\"single\",\"position\":[0,0,6e-3]}}"

/* A brick of 6 x 6 x 4 nodes that touches an inclined floor. Gravity turns instead of the floor. */
static sim_run open_slope(double degrees, double friction, const char *options, unsigned threads, const char *more)
{
  char text[2048];
  double g = 9.81, angle = degrees * M_PI / 180;
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"slope\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e7}],"
      "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0.5},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-3,"
      "\"shape\":{\"type\":\"box\",\"size\":[6e-3,6e-3,4e-3]},\"placement\":{\"type\":\"single\",\"position\":[0,0,2e-3]}}%s],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-0.5,-0.5,0],\"maximum\":[0.5,0.5,0.5],\"gravity\":[%.17g,0,%.17g]},"
      "\"time\":{\"duration\":0.1},\"options\":{\"breakable\":false,\"self_contact\":false%s}}",
      friction, more, g * sin(angle), -g * cos(angle), options);
  return run_open(text, threads);
}

static double mean_x(const pd_state *s, const pd_vectors *v)
{
  double sum = 0;
  for (size_t i = 0; i < s->node_count; i++) sum += v->x[i];
  return sum / (double)s->node_count;
}

/* Below the angle of friction (10 degrees against 16.7 at mu = 0.3) a brick that has settled does not move: between 30 and 40 ms less than
 * 1e-9 of a spacing a step. By the paper's law, which only takes velocity away, it creeps at g sin(10 deg) dt and more. */
static void test_a_brick_on_a_gentle_slope_stays(void **state)
{
  (void)state;
  double creep[2];
  for (int k = 0; k < 2; k++) {
    sim_run c = open_slope(10, 0.3, k ? ",\"friction_law\":\"viscous\",\"damping_rate\":2e3" : ",\"damping_rate\":2e3", 1, "");
    const pd_state *s = run_state(&c);
    run_until(&c, 0.03);
    double was = mean_x(s, &s->host->moved);
    run_until(&c, 0.04);
    creep[k] = (mean_x(s, &s->host->moved) - was) / 0.01;
    if (!k) {
      double per_step = fabs(creep[k]) * scr_sim_time_step(c.sim) / 1e-3;
      claim_absolute("brick on a slope of 10 degrees: way in a step over a spacing", per_step, 0, 1e-9, "statics");
      run_observe(&c);
      double weight = 1200 * 144e-9 * 9.81;
      claim_relative("brick on a slope: what the floor holds along it, N", -run_value(&c, "wall.z_min.force_x"), -weight * sin(M_PI / 18),
                     1e-3, "m g sin a");
      claim_relative("brick on a slope: what it carries, N", run_value(&c, "wall.z_min.force_z"), -weight * cos(M_PI / 18), 1e-3,
                     "m g cos a");
    }
    run_close(&c);
  }
  claim_shown("brick on a slope of 10 degrees: creep, m/s", creep[0]);
  claim_shown("brick on a slope of 10 degrees: creep by the paper's law, m/s", creep[1]);
  assert_true(creep[1] > 1e-6 && fabs(creep[0]) < 1e-3 * creep[1]);
}

/* By faces a spring of each pair holds a brick on a brick: of what lies at 8 degrees with mu = 0.6 nothing moves, to a hundredth of an
 * angstrom in 5 ms, where nodes by contact_surface "body" let it creep by 10 um. */
static void test_a_brick_on_a_brick_rests(void **state)
{
  (void)state;
  sim_run c = open_slope(8, 0.6, ",\"damping_rate\":1.2e3", 1, UPPER_BRICK);
  const pd_state *s = run_state(&c);
  size_t half = s->node_count / 2;
  double way[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    run_until(&c, 0.02 + 0.005 * k);
    for (size_t i = 0; i < s->node_count; i++) way[k] += (i < half ? -1 : 1) * s->host->moved.x[i] / (double)half;
  }
  claim_absolute("brick on a brick at 8 degrees: way in 5 ms, m", way[1] - way[0], 0, 1e-12, "statics");
  run_observe(&c);
  claim_absolute("the same: energy not accounted for", run_value(&c, "energy.balance_error"), 0, 1e-2, "conservation of energy");
  run_close(&c);
}

/* A second brick on the first is held by nodes, whose friction only takes velocity away: it creeps. At the end of a
 * step the lowest of its four layers loses a share q = (1 - 1/e)/2 of its slip u, and the layer below gains it: q u is what four layers
 * gain of g sin(10 deg) dt, and with the mean of what is left on either side, (1 - q) u, they glide. 15 %: some nodes of the layer are not
 * pressed. It is the method's own loss and no physics; the check says it, as an upper bound for all slopes that hold. */
static void test_a_brick_on_a_brick_creeps_as_the_check_says(void **state)
{
  (void)state;
  sim_run c = open_slope(10, 0.3, ",\"damping_rate\":3e2," PAPER_BODY, 1, UPPER_BRICK);
  const pd_state *s = run_state(&c);
  size_t half = s->node_count / 2;
  double way[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    run_until(&c, 0.03 + 0.01 * k);
    for (size_t i = 0; i < s->node_count; i++) way[k] += (i < half ? -1 : 1) * s->host->moved.x[i] / (double)half;
  }
  double creep = (way[1] - way[0]) / 0.01, dt = scr_sim_time_step(c.sim), share = 0.5 * (1 - exp(-1));
  claim_relative("brick on a brick, 10 degrees: creep, m/s", creep, 4 * 9.81 * sin(M_PI / 18) * dt * (1 - share) / share, 0.15,
                 "what a step's damping leaves");
  const scr_problems *warnings = scr_scene_warnings(c.scene);
  const char *said = NULL;
  for (size_t k = 0; k < warnings->count; k++)
    if (strstr(warnings->items[k].detail, "creep")) said = strstr(warnings->items[k].detail, "up to ");
  assert_non_null(said);
  claim_between("the same over what the check says", said ? creep / strtod(said + 6, NULL) : 0, 0.05, 1, "an upper bound");
  run_close(&c);
}

/* Above it the brick slides with g (sin a - mu cos a): the velocity after 40 ms, within 1 %, 0.5 % of which is the time that it takes to
 * press itself into contact. Both laws. */
static void test_a_brick_on_a_steep_slope_slides_as_coulomb_says(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run c = open_slope(25, 0.3, k ? ",\"friction_law\":\"viscous\"" : "", 1, "");
    const pd_state *s = run_state(&c);
    double a = 25 * M_PI / 180;
    run_until(&c, 0.02);
    double was = mean_x(s, &s->host->velocity);
    run_until(&c, 0.04);
    claim_relative(k ? "brick on a slope of 25 degrees, paper's law: acceleration, m/s^2"
                     : "brick on a slope of 25 degrees: acceleration, m/s^2",
                   (mean_x(s, &s->host->velocity) - was) / 0.02, 9.81 * (sin(a) - 0.3 * cos(a)), 0.01, "g (sin a - mu cos a)");
    run_observe(&c);
    claim_absolute("sliding brick: energy not accounted for", run_value(&c, "energy.balance_error"), 0, 0.01, "conservation of energy");
    run_close(&c);
  }
}

/* Springs are part of the state: two threads, and a restart while the brick slides and sticks, give the same bits. */
static void test_friction_springs_repeat_to_the_bit(void **state)
{
  (void)state;
  sim_run one = open_slope(20, 0.3, "", 1, ""), two = open_slope(20, 0.3, "", 2, ""), resumed = open_slope(20, 0.3, "", 2, "");
  scr_blob blob = {0};
  run_steps(&one, 1500);
  run_steps(&two, 3000);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(resumed.sim, &blob, NULL), SCR_OK);
  run_steps(&one, 1500);
  run_steps(&resumed, 1500);
  assert_same_state(one.sim, two.sim);
  assert_same_state(one.sim, resumed.sim);
  double held = 0;
  const pd_state *s = run_state(&one);
  for (size_t b = 0; b < s->host->block_count; b++)
    for (size_t k = 0; k < s->host->rig_blocks[b].count; k++) held += vec3_length(s->host->rig_blocks[b].now[k].spring);
  assert_true(held > 0);
  scr_blob_destroy(&blob);
  run_close(&one);
  run_close(&two);
  run_close(&resumed);
}

static double angular_momentum(const pd_state *s)
{
  double sum = 0;
  for (size_t i = 0; i < s->node_count; i++)
    sum += s->bodies[s->host->grains[s->host->grain_of[i]].body].node_mass *
           (s->host->position.x[i] * s->host->velocity.z[i] - s->host->position.z[i] * s->host->velocity.x[i]);
  return sum;
}

/* Forces of a pair act at the middle between its nodes, and couples take what that is off them: linear and angular momentum are kept to
 * rounding, with friction and damping. By contact_surface "body" friction has no couples, and turns 8 % of m v a / 2 away. */
static void test_impacts_keep_angular_momentum(void **state)
{
  (void)state;
  double lost[2];
  for (int k = 0; k < 2; k++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"scree\":1,\"name\":\"graze\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9}],"
        "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0.3},\"specimens\":["
        "{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,8e-4]},"
        "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]},\"velocity\":[5,0,10]},"
        "{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,8e-4]},"
        "\"placement\":{\"type\":\"single\",\"position\":[2e-4,0,8.1e-4]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":5e-6},"
        "\"options\":{\"breakable\":false}}",
        k ? 1.0 : 0.0);
    sim_run c = run_open(text, 1);
    const pd_state *s = run_state(&c);
    double first = angular_momentum(s), scale = 1200 * 512e-12 * 10 * 4e-4;
    run_until(&c, 5e-6);
    lost[k] = (angular_momentum(s) - first) / scale;
    run_close(&c);
  }
  claim_absolute("grazing bricks without friction: angular momentum gained over m v a / 2", lost[0], 0, 1e-12,
                 "conservation of angular momentum");
  claim_absolute("grazing bricks with friction: the same", lost[1], 0, 1e-12, "conservation of angular momentum");
}

SUITE(validate_peridem_friction)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_brick_on_a_gentle_slope_stays),    cmocka_unit_test(test_a_brick_on_a_brick_creeps_as_the_check_says),
      cmocka_unit_test(test_a_brick_on_a_brick_rests),           cmocka_unit_test(test_a_brick_on_a_steep_slope_slides_as_coulomb_says),
      cmocka_unit_test(test_friction_springs_repeat_to_the_bit), cmocka_unit_test(test_impacts_keep_angular_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
