/* Packs of balls under accuracies usual and draft: who is swept as a pack and who isn't, what a pour keeps, threads. */
#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

enum { SIDE = 5, STEPS = 350, WEIGHED = 50, TEXT = 32768 };
static const double radius = 0.01, time_step = 0.002;

/* `layers` of 25 balls with gaps, each a little beside its place, in a box; then `more` specimens. */
static sim_run pour(int layers, const char *options, const char *more, const char *surface, unsigned threads)
{
  static char text[TEXT];
  int at = snprintf(text, sizeof text,
                    "{\"scree\":1,\"name\":\"pack\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
                    "\"friction_coefficient\":0.5%s},\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.12,0.12,9],\"gravity\":"
                    "[0,0,-9.81]},\"time\":{\"duration\":10,\"time_step\":%g},\"output\":{\"frame_interval\":10,\"sample_interval\":10},"
                    "\"options\":%s,\"specimens\":[{\"name\":\"balls\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":%g},"
                    "\"smallest_scale\":0.8,\"largest_scale\":1,\"placement\":{\"type\":\"list\",\"positions\":[",
                    surface, time_step, options, radius);
  for (int k = 0; k < layers * SIDE * SIDE; k++) {
    const double side = 2.4 * radius, dx = 1e-3 * sin(7.0 * k), dy = 1e-3 * cos(11.0 * k);
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.6f,%.6f,%.6f]", k ? "," : "", (k % SIDE + 0.5) * side + dx,
                   (k / SIDE % SIDE + 0.5) * side + dy, (k / (SIDE * SIDE) + 0.5) * side);
  }
  snprintf(text + at, sizeof text - (size_t)at, "]}}%s]}", more);
  return run_open(text, threads);
}

static uint64_t packs_of(int layers, const char *options, const char *more, const char *surface)
{
  sim_run r = pour(layers, options, more, surface, 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 40);
  uint64_t packs = s->report.packs;
  run_close(&r);
  return packs;
}

/* 125 balls are, 75 aren't; nor is what a box falls on, and what has a tolerance, a solver or accuracy exact. */
static void test_packs_of_balls_alone_are_swept(void **state)
{
  (void)state;
  const char *box = ",{\"name\":\"box\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.1,0.1,0.01]},\"placement\":{\"type\":"
                    "\"single\",\"position\":[0.06,0.06,0.14]},\"velocity\":[0,0,-2]}";
  assert_true(packs_of(5, "{}", "", "") > 0); /* usual is the default */
  assert_int_equal(packs_of(5, "{\"accuracy\":\"exact\"}", "", ""), 0);
  assert_true(packs_of(5, "{\"accuracy\":\"draft\"}", "", "") > 0);
  assert_int_equal(packs_of(3, "{\"accuracy\":\"usual\"}", "", ""), 0);
  assert_int_equal(packs_of(5, "{\"accuracy\":\"usual\",\"tolerance\":1e-2}", "", ""), 0);
  assert_int_equal(packs_of(5, "{\"accuracy\":\"usual\",\"solver\":\"gauss-seidel\"}", "", ""), 0);
  assert_true(packs_of(5, "{\"accuracy\":\"draft\"}", box, "") < packs_of(5, "{\"accuracy\":\"draft\"}", "", ""));
}

/* What a pour keeps: overlaps within the promise at every step, the weight on the rig once it lies (a thousandth: it still rolls), energy
 * never gained. */
static void check_pour(const char *options, double promised)
{
  sim_run r = pour(5, options, "", "", 1);
  const rigid_state *s = r.sim->state;
  double deepest = 0, load = 0, weight = 0, energy = 0;
  for (int k = 0; k < STEPS; k++) {
    run_steps(&r, 1);
    deepest = fmax(deepest, s->report.penetration);
    for (size_t p = 0; k >= STEPS - WEIGHED && p < r.sim->parts.count; p++) load -= r.sim->parts.load[p].impulse.z / (WEIGHED * time_step);
  }
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *b = &s->bodies[i];
    weight += 9.81 * b->mass;
    energy += 9.81 * b->mass * b->centre.z;
    assert_true(b->centre.z > 0.7 * radius && b->centre.x > 0.7 * radius && b->centre.x < 0.12 - 0.7 * radius);
  }
  print_message("# %s: deepest overlap %.2g R, load over weight %.4f, %llu of %d steps above the measure, %llu swept\n", options,
                deepest / radius, load / weight, (unsigned long long)s->report.above, STEPS, (unsigned long long)s->report.packs);
  assert_true(s->report.above > 0 && s->report.unsolved == 0 && r.sim->doubt_count == 0);
  assert_true(deepest < promised * 0.8 * radius);
  assert_true(fabs(load / weight - 1) < 1e-3);
  assert_true(energy + run_curve(&r, "energy.kinetic") < weight * 5 * 2.4 * radius / 2);
  run_close(&r);
}

static void test_a_pour_keeps_what_its_accuracy_promises(void **state)
{
  (void)state;
  check_pour("{\"accuracy\":\"usual\"}", 0.02);
  check_pour("{\"accuracy\":\"draft\"}", 0.05);
}

static bool is_doubted(const scr_sim *sim, const char *kind)
{
  for (size_t k = 0; k < sim->doubt_count; k++)
    if (strcmp(sim->doubts[k].kind, kind) == 0) return true;
  return false;
}

/* Curves say that a pack was swept, what it left, by hand from the residual, and how many steps ended above the measure, counted by
 * hand; a ball pushed 3 % of its radius into another is more than
 * usual promises, and is moved out again. */
static void test_a_run_says_what_it_reached(void **state)
{
  (void)state;
  sim_run r = pour(5, "{\"accuracy\":\"usual\"}", "", "", 1);
  rigid_state *s = r.sim->state;
  double above = 0;
  for (int k = 0; k < 100; k++) {
    run_steps(&r, 1);
    above += s->report.pack && s->report.residual > 0.01;
  }
  assert_true(run_curve(&r, "solver.pack") == 1);
  claim_absolute("pack: solver.above", run_curve(&r, "solver.above"), above, 0, "steps whose error is above 0.01 g dt");
  claim_relative("pack: solver.speed_left, m/s", run_curve(&r, "solver.speed_left"), s->report.residual * 9.81 * time_step, 1e-12,
                 "residual times g dt");
  assert_false(is_doubted(r.sim, "pack_overlap"));
  for (size_t k = 0; k < s->contact_count; k++) {
    const geo_touch *t = &s->contacts[k].touch;
    if (t->b >= s->body_count || s->contacts[k].impulse[0] <= 0) continue;
    scr_vec3 apart = vec3_sub(s->bodies[t->a].centre, s->bodies[t->b].centre);
    double radii = radius * (s->bodies[t->a].scale + s->bodies[t->b].scale),
           smaller = radius * fmin(s->bodies[t->a].scale, s->bodies[t->b].scale);
    s->bodies[t->a].centre = vec3_along(s->bodies[t->b].centre, apart, (radii - 0.03 * smaller) / vec3_length(apart));
    break;
  }
  run_steps(&r, 1);
  assert_true(is_doubted(r.sim, "pack_overlap"));
  run_steps(&r, 10);
  assert_true(s->report.penetration < 1e-3 * radius);
  run_close(&r);
}

/* One sweep a step leaves more than all that gravity gives: unsolved, and said. */
static void test_what_sweeps_leave_beyond_the_promise_is_doubted(void **state)
{
  (void)state;
  sim_run r = pour(5, "{\"accuracy\":\"usual\",\"iterations\":1}", "", "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 120);
  print_message("# %llu steps beyond the promise, %llu above the measure\n", (unsigned long long)s->report.unsolved,
                (unsigned long long)s->report.above);
  assert_true(s->report.unsolved > 0 && s->report.above >= s->report.unsolved && is_doubted(r.sim, "unsolved_steps"));
  run_close(&r);
}

/* 121 balls of many sizes, none near another, dropped or rolled on a plane that moves. */
static sim_run scatter(const char *accuracy, const char *surface)
{
  static char text[TEXT];
  int at =
      snprintf(text, sizeof text,
               "{\"scree\":1,\"name\":\"scatter\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
               "\"friction_coefficient\":0.3%s},\"rig\":{\"type\":\"none\",\"gravity\":[0.6,0,-9.81]},\"obstacles\":[{\"name\":\"belt\","
               "\"shape\":{\"type\":\"plane\"},\"position\":[0,0,0],\"direction\":[3,4,0],\"program\":[{\"type\":\"constant\","
               "\"velocity\":0.2}]}],\"time\":{\"duration\":1,\"time_step\":%g},\"options\":{\"accuracy\":\"%s\"},\"specimens\":[{\"name\":"
               "\"balls\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":%g},\"smallest_scale\":0.6,\"largest_scale\":1,"
               "\"velocity\":[-0.4,0.3,-0.2],\"angular_velocity\":[5,30,20],\"placement\":{\"type\":\"list\",\"positions\":[",
               surface, time_step, accuracy, radius);
  for (int k = 0; k < 121; k++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.3f,%.3f,%.4f]", k ? "," : "", k % 11 * 10 * radius, k / 11 * 10 * radius,
                   radius + 1e-4 * k);
  snprintf(text + at, sizeof text - (size_t)at, "]}}]}");
  return run_open(text, 1);
}

/* Where the solution is unique it is that of the hard solvers: balls that fall, bounce, slide on a belt, roll and turn against resistance,
 * are held by adhesion (which is much, 10 N, and pulls without a trace as the plane is flat). Places within 1e-6 m and spins within 1e-3
 * rad/s after 100 steps, each of which may err by a millionth of some 0.5 m/s under exact. */
static void test_balls_apart_move_as_under_exact(void **state)
{
  (void)state;
  static const char *const surfaces[] = {"", ",\"restitution\":0.5", ",\"rolling_resistance\":4e-4", ",\"adhesion\":10"};
  for (size_t k = 0; k < sizeof surfaces / sizeof *surfaces; k++) {
    sim_run swept = scatter("usual", surfaces[k]), solved = scatter("exact", surfaces[k]);
    const rigid_state *a = swept.sim->state, *b = solved.sim->state;
    double apart = 0, turned = 0;
    run_steps(&swept, 100);
    run_steps(&solved, 100);
    assert_true(a->report.packs > 60 && b->report.packs == 0);
    for (size_t i = 0; i < a->body_count; i++) {
      apart = fmax(apart, vec3_length(vec3_sub(a->bodies[i].centre, b->bodies[i].centre)));
      turned = fmax(turned, vec3_length(vec3_sub(a->bodies[i].spin, b->bodies[i].spin)));
    }
    print_message("# %s: places within %.1e m, spins within %.1e rad/s\n", surfaces[k], apart, turned);
    assert_true(apart < 1e-6 && turned < 1e-3);
    run_close(&swept);
    run_close(&solved);
  }
}

/* 121 balls apart under a lid that a servo presses: it comes down, meets them and lies on them as under exact, and bears its force. */
static sim_run press(const char *accuracy, double gain, const char *surface)
{
  static char text[TEXT];
  int at = snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"press\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":2500}],\"contact\":{"
      "\"friction_coefficient\":0.3%s},\"rig\":{\"type\":\"box\",\"minimum\":[-1,-1,0],\"maximum\":[2,2,0.025],\"gravity\":[0,0,-9.81],"
      "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"servo\",\"force\":40,\"gain\":%g}]}}},\"time\":{\"duration\":4,"
      "\"time_step\":%g},\"options\":{\"accuracy\":\"%s\"},\"specimens\":[{\"name\":\"balls\",\"material\":\"m\",\"velocity\":[0.1,0,0],"
      "\"shape\":{\"type\":\"sphere\",\"radius\":%g},\"placement\":{\"type\":\"list\",\"positions\":[",
      surface, gain, time_step, accuracy, radius);
  for (int k = 0; k < 121; k++)
    at +=
        snprintf(text + at, sizeof text - (size_t)at, "%s[%.3f,%.3f,%.4f]", k ? "," : "", k % 11 * 5 * radius, k / 11 * 5 * radius, radius);
  snprintf(text + at, sizeof text - (size_t)at, "]}}]}");
  return run_open(text, 1);
}

static void test_a_servo_presses_a_pack_as_under_exact(void **state)
{
  (void)state;
  sim_run swept = press("usual", 0.002, ""), solved = press("exact", 0.002, "");
  run_steps(&swept, 200);
  run_steps(&solved, 200);
  const rigid_state *a = swept.sim->state, *b = solved.sim->state;
  double down = run_curve(&swept, "wall.z_max.displacement"), as_exact = run_curve(&solved, "wall.z_max.displacement"), apart = 0;
  for (size_t i = 0; i < 121; i++) apart = fmax(apart, vec3_length(vec3_sub(a->bodies[i].centre, b->bodies[i].centre)));
  print_message("# lid %.9f and %.9f m down, force %.9f and %.9f N, balls within %.1e m, %zu asleep\n", down, as_exact,
                run_value(&swept, "wall.z_max.force_z"), run_value(&solved, "wall.z_max.force_z"), apart,
                (size_t)run_value(&swept, "asleep"));
  assert_true(a->report.packs > 150 && b->report.packs == 0);
  assert_true(fabs(down - as_exact) < 1e-7 && fabs(fabs(down) - 0.005) < 1e-6 && apart < 1e-5);
  assert_true(fabs(fabs(run_value(&swept, "wall.z_max.force_z")) - 40) < 40e-6);
  run_close(&swept);
  run_close(&solved);
}

/* However long a lid has been under way, and whatever its places round to, it is a pack that it presses: at gains that are no round numbers
 * each step with contacts is swept. */
static void test_a_lid_under_way_presses_a_pack(void **state)
{
  (void)state;
  for (int k = 0; k < 5; k++) {
    sim_run r = press("usual", 1e-4 * (5 + k / 7.0), "");
    const rigid_state *s = r.sim->state;
    uint64_t with_contacts = 0;
    for (int step = 0; step < 180; step++) {
      run_steps(&r, 1);
      with_contacts += s->contact_count > 0;
    }
    assert_true(fabs(run_curve(&r, "wall.z_max.force_z") / 40) > 0.9 && s->report.packs == with_contacts);
    run_close(&r);
  }
}

/* Balls that sleep under the lid turn with nothing and yield nowhere; it presses them all the same, and their rolling is resisted. What it
 * presses with stays, to rounding, and so does each ball, to the last bit. */
static void test_a_lid_rests_on_sleepers(void **state)
{
  (void)state;
  sim_run r = press("usual", 0.002, ",\"rolling_resistance\":1e-3");
  const rigid_state *s = r.sim->state;
  run_steps(&r, 500);
  assert_true(run_curve(&r, "asleep") == 121 && s->contact_count == 2 * 121);
  scr_vec3 centre = s->bodies[60].centre;
  for (int k = 0; k < 100; k++) {
    run_steps(&r, 1);
    assert_true(fabs(fabs(run_curve(&r, "wall.z_max.force_z")) - 40) < 40e-9 && run_value(&r, "asleep") == 121);
  }
  assert_memory_equal(&s->bodies[60].centre, &centre, sizeof centre);
  run_close(&r);
}

/* The problem that a swept step would be for the general solvers, which is kept in files, has its solution: the measure is the one that was
 * reported. */
static void test_a_swept_step_is_a_step_of_the_general_problem(void **state)
{
  (void)state;
  sim_run r = pour(5, "{\"accuracy\":\"usual\",\"recorded_problems\":1,\"recorded_every\":1000000}", "", "", 1);
  const rigid_state *s = r.sim->state;
  run_steps(&r, 60);
  assert_true(s->report.pack == 1 && s->contact_count > 100);
  contact_options options = contact_options_default();
  options.absolute = true;
  options.reference_speed = 9.81 * time_step;
  const contact_problem *p = &s->problem.solved;
  double residual, *velocity = calloc(6 * p->block_count, sizeof *velocity), *relative = calloc(3 * p->contact_count, sizeof *relative);
  assert_int_equal(contact_measure(p, &options, s->problem.impulse, velocity, relative, &residual, NULL), SCR_OK);
  assert_true(fabs(residual - s->report.residual) < 1e-9 * residual + 1e-13);
  free(velocity);
  free(relative);
  run_close(&r);
}

static void test_threads_change_no_bits_of_a_pack(void **state)
{
  (void)state;
  sim_run one = pour(5, "{\"accuracy\":\"usual\"}", "", "", 1), two = pour(5, "{\"accuracy\":\"usual\"}", "", "", 2);
  run_steps(&one, 80);
  run_steps(&two, 80);
  const rigid_state *a = one.sim->state, *b = two.sim->state;
  assert_true(a->report.packs > 0);
  assert_memory_equal(a->bodies, b->bodies, a->body_count * sizeof *a->bodies);
  run_close(&one);
  run_close(&two);
}

SUITE(test_rigid_packs)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_packs_of_balls_alone_are_swept),
      cmocka_unit_test(test_a_pour_keeps_what_its_accuracy_promises),
      cmocka_unit_test(test_a_run_says_what_it_reached),
      cmocka_unit_test(test_what_sweeps_leave_beyond_the_promise_is_doubted),
      cmocka_unit_test(test_a_servo_presses_a_pack_as_under_exact),
      cmocka_unit_test(test_a_lid_under_way_presses_a_pack),
      cmocka_unit_test(test_a_lid_rests_on_sleepers),
      cmocka_unit_test(test_balls_apart_move_as_under_exact),
      cmocka_unit_test(test_a_swept_step_is_a_step_of_the_general_problem),
      cmocka_unit_test(test_threads_change_no_bits_of_a_pack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
