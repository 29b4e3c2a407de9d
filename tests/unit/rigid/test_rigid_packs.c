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

/* 125 balls are, 75 aren't; nor is what a box falls on, what resists rolling, and what has a tolerance, a solver or accuracy exact. */
static void test_packs_of_balls_alone_are_swept(void **state)
{
  (void)state;
  const char *box = ",{\"name\":\"box\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.1,0.1,0.01]},\"placement\":{\"type\":"
                    "\"single\",\"position\":[0.06,0.06,0.14]},\"velocity\":[0,0,-2]}";
  assert_true(packs_of(5, "{\"accuracy\":\"usual\"}", "", "") > 0);
  assert_true(packs_of(5, "{\"accuracy\":\"draft\"}", "", "") > 0);
  assert_int_equal(packs_of(3, "{\"accuracy\":\"usual\"}", "", ""), 0);
  assert_int_equal(packs_of(5, "{\"accuracy\":\"usual\",\"tolerance\":1e-2}", "", ""), 0);
  assert_int_equal(packs_of(5, "{\"accuracy\":\"usual\",\"solver\":\"gauss-seidel\"}", "", ""), 0);
  assert_true(packs_of(5, "{\"accuracy\":\"draft\"}", box, "") < packs_of(5, "{\"accuracy\":\"draft\"}", "", ""));
}

/* What a pour keeps: overlaps within the promise at every step, the weight on the rig once it lies (1 %: it still rolls), energy never
 * gained. */
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
                deepest / radius, load / weight, (unsigned long long)s->report.unsolved, STEPS, (unsigned long long)s->report.packs);
  assert_true(deepest < promised * 0.8 * radius);
  assert_true(fabs(load / weight - 1) < 0.01);
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

/* Curves say that a pack was swept and what it left, by hand from the residual; a ball pushed 3 % of its radius into another is more than
 * usual promises. */
static void test_a_run_says_what_it_reached(void **state)
{
  (void)state;
  sim_run r = pour(5, "{\"accuracy\":\"usual\"}", "", "", 1);
  rigid_state *s = r.sim->state;
  run_steps(&r, 100);
  assert_true(run_curve(&r, "solver.pack") == 1);
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
      cmocka_unit_test(test_threads_change_no_bits_of_a_pack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
