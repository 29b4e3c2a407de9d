/* Quasi-static loading: force over displacement against slow dynamic loading, weight, contacts, breaking, bits, what is noted and refused.
 * The bar's stiffness against E A of its lattice is in validate_peridem_rigs. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* A bar of 12 x 4 x 4 nodes 1 mm apart whose last two layers are held; the high grip moves at a constant velocity. */
static const char bar[] =
    "{\"scree\":1,\"name\":\"bar\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9%s}],"
    "\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[1.2e-2,4e-3,4e-3]}%s}],"
    "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-4e-3,\"high_start\":4e-3,\"slide\":%s,\"gravity\":[%g,0,0],"
    "\"program\":[{\"type\":\"%s\",\"velocity\":%.17g,\"duration\":%.17g},{\"type\":\"hold\"}]},"
    "\"time\":{\"duration\":%.17g},\"options\":{%s}}";

typedef struct pull {
  const char *breaks, *velocity, *slide, *program, *options;
  double gravity, way, loading, duration; /* m/s2, m, s, s */
} pull;

static sim_run open_bar(const pull *p, unsigned threads)
{
  char text[1600];
  snprintf(text, sizeof text, bar, p->breaks, p->velocity, p->slide, p->gravity, p->program, p->way / p->loading, p->loading, p->duration,
           p->options);
  return run_open(text, threads);
}

static double pulled_force(sim_run *run)
{
  return -run_curve(run, "grip.high.force_x");
}

/* A load step that can't meet its tolerance makes as many increments as it is allowed, and the curve says so. */
static void test_increments_are_counted(void **state)
{
  (void)state;
  static const char few[] = "\"loading\":\"quasi_static\",\"load_steps\":10,\"relaxation_tolerance\":1e-15,\"relaxation_limit\":137";
  const pull quick = {"", "", "false", "constant", few, 0, 1e-5, 1e-3, 1e-3};
  sim_run run = open_bar(&quick, 1);
  (void)scr_sim_step(run.sim, NULL); /* which says that it was left unsolved */
  claim_absolute("load step of at most 137 increments: relaxation.iterations", run_curve(&run, "relaxation.iterations"), 137, 0,
                 "the limit");
  run_close(&run);
}

/* Ten load steps, however long they take, give the force of a dynamic run that was damped to rest, to 1e-3; halfway it is half of it to
 * 1e-3, as strain is 1e-3. All the work is in the bonds: what is left of the balance is what 1e-5 of the force out of balance can hide. */
static void test_the_force_is_that_of_slow_loading(void **state)
{
  (void)state;
  static const char still[] = "\"loading\":\"quasi_static\",\"load_steps\":10,\"relaxation_tolerance\":1e-6";
  pull quick = {"", "", "false", "constant", still, 0, 1e-5, 1e-3, 1e-3}, slow = quick, dynamic = quick;
  slow.loading = slow.duration = 1e3;
  dynamic.options = "\"damping_rate\":2e5";
  dynamic.loading = 1e-4, dynamic.duration = 4e-4;
  sim_run one = open_bar(&quick, 1), other = open_bar(&slow, 1), damped = open_bar(&dynamic, 1);
  run_steps(&one, 5);
  double half = pulled_force(&one);
  run_steps(&one, 5);
  run_steps(&other, 10);
  run_until(&damped, 4e-4);
  double force = pulled_force(&one);
  assert_true(force > 1);
  assert_float_equal(pulled_force(&damped) / force, 1, 1e-3);
  assert_float_equal(pulled_force(&other) / force, 1, 1e-5);
  assert_float_equal(half / force, 0.5, 1e-3);
  assert_float_equal(run_curve(&one, "grip.low.force_x") / force, 1, 1e-5);
  assert_true(run_value(&one, "energy.kinetic") == 0);
  assert_float_equal(run_value(&one, "energy.elastic") / (0.5 * force * 1e-5), 1, 1e-3);
  assert_float_equal(run_value(&one, "energy.balance_error"), 0, 1e-4);
  assert_true(run_value(&one, "relaxation.residual") <= 1e-6);
  run_close(&one);
  run_close(&other);
  run_close(&damped);
}

/* Grips that stand still bear the weight of what hangs between them, m g, to the tolerance. */
static void test_grips_bear_the_weight(void **state)
{
  (void)state;
  pull hangs = {"",   "",    "true", "constant", "\"loading\":\"quasi_static\",\"load_steps\":2,\"relaxation_tolerance\":1e-5",
                -1e4, 1e-12, 1,      2};
  sim_run run = open_bar(&hangs, 1);
  run_steps(&run, 2);
  run_observe(&run);
  double weight = 1e4 * 1000 * 12 * 16 * 1e-9;
  assert_float_equal((run_value(&run, "grip.high.force_x") + run_value(&run, "grip.low.force_x")) / -weight, 1, 1e-4);
  run_close(&run);
}

/* Two bricks on top of each other pressed by a wall with friction: top and bottom bear the same to the tolerance, the force rises, and all
 * work of an elastic contact is held: 2e-4 of it may be missing, by 1e-4 of the loads that are out of balance. */
static void test_pressed_bricks_are_in_balance(void **state)
{
  (void)state;
  static const char bricks[] =
      "{\"scree\":1,\"name\":\"bricks\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9}],"
      "\"contact\":{\"friction_coefficient\":0},\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-3,"
      "\"shape\":{\"type\":\"box\",\"size\":[4e-3,4e-3,4e-3]},\"placement\":{\"type\":\"lattice\",\"origin\":[0,0,2e-3],\"count\":[1,1,2],"
      "\"pitch\":[1,1,4e-3]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-5e-3,-5e-3,0],\"maximum\":[5e-3,5e-3,8e-3],"
      "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-3e-4}]}}},\"time\":{\"duration\":1},"
      "\"options\":{\"loading\":\"quasi_static\",\"load_steps\":60,\"relaxation_tolerance\":1e-4}}";
  sim_run run = run_open(bricks, 1);
  double before = 0;
  for (int k = 0; k < 6; k++) {
    run_steps(&run, 10);
    run_observe(&run);
    double top = run_value(&run, "wall.z_max.force_z"), bottom = -run_value(&run, "wall.z_min.force_z");
    assert_true(top > before);
    assert_float_equal(top / bottom, 1, 2e-3);
    before = top;
  }
  assert_true(before > 1);
  claim_absolute("brick on brick: energy.balance_error", run_value(&run, "energy.balance_error"), 0, 2e-4, "conservation of energy");
  assert_float_equal(run_value(&run, "coordination"), 2, 0);
  run_close(&run);
}

static const pull torn = {",\"fracture_energy\":3",
                          "",
                          "false",
                          "constant",
                          "\"loading\":\"quasi_static\",\"load_steps\":12,\"relaxation_limit\":2000",
                          0,
                          1.2e-5,
                          1,
                          1};

/* A bar that is pulled until it tears: the force rises with the way and falls to less than a fifth. What breaking sets free is booked to
 * damping, which never falls, and the balance holds to 2 % of the largest energy. The same bits for two threads, and taken up in the middle
 * of it. */
static void test_a_torn_bar_lets_go(void **state)
{
  (void)state;
  sim_run one = open_bar(&torn, 1), two = open_bar(&torn, 2);
  scr_blob blob = {0};
  double most = 0, heat = 0, force = 0;
  int step = 0;
  for (; step < 12 && !(force < 0.2 * most); step++) {
    if (step == 6) assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
    run_steps(&one, 1);
    force = pulled_force(&one);
    most = fmax(most, force);
    assert_true(run_value(&one, "energy.damping") >= heat);
    heat = run_value(&one, "energy.damping");
    assert_float_equal(run_value(&one, "energy.balance_error"), 0, 2e-2);
  }
  assert_true(step > 6 && force < 0.2 * most && most > 1);
  assert_int_equal(sim_load(two.sim, &blob, NULL), SCR_OK);
  run_steps(&two, (size_t)step - 6);
  assert_same_state(one.sim, two.sim);
  assert_true(run_value(&one, "broken_bonds") > 0);
  assert_true(run_value(&one, "energy.fracture") > 0 && heat > 0);
  scr_blob_destroy(&blob);
  run_close(&one);
  run_close(&two);
}

/* Energy that vanishes in a load step in which bonds break shows: damping is found from forces and increments, not from what is missing.
 * Here a tenth of the largest energy is taken out of what the ledger knows of fracture while the bar tears. Energy from nowhere shows as
 * well. */
static void test_a_loss_among_breaking_bonds_is_seen(void **state)
{
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2) {
    sim_run run = open_bar(&torn, 1);
    run_steps(&run, 6);
    double before = run_curve(&run, "broken_bonds");
    double taken = 0.1 * run_state(&run)->ledger->largest;
    run_state(&run)->ledger->fracture -= sign * taken;
    run_steps(&run, 3);
    assert_true(run_curve(&run, "broken_bonds") > before);
    claim_absolute(sign > 0 ? "a tenth of the energy lost while a bar tears: energy.balance_error"
                            : "a tenth of the energy from nowhere while a bar tears: energy.balance_error",
                   sign * run_value(&run, "energy.balance_error"), taken / run_state(&run)->ledger->largest, 5e-3, "what was taken");
    run_close(&run);
  }
}

/* Ten increments are not enough for an equilibrium to 1e-5: every such step has a row, and the run is doubted. */
static void test_a_step_out_of_balance_is_noted(void **state)
{
  (void)state;
  pull hasty = {
      "", "",   "false", "constant", "\"loading\":\"quasi_static\",\"load_steps\":3,\"relaxation_limit\":10,\"relaxation_tolerance\":1e-5",
      0,  1e-5, 1,       1};
  sim_run run = open_bar(&hasty, 1);
  run_steps(&run, 3);
  const scr_table *table = &run.sim->tables[run_state(&run)->unbalanced_table].table;
  assert_string_equal(table->name, "unbalanced_steps");
  assert_int_equal(table->row_count, 3);
  assert_true(table->values[2] > 1e-5);
  assert_int_equal(run.sim->doubt_count, 1);
  assert_string_equal(run.sim->doubts[0].kind, "unbalanced");
  run_close(&run);
}

static void assert_refused(const pull *p, const char *pointer)
{
  char text[1600];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, bar, p->breaks, p->velocity, p->slide, p->gravity, p->program, p->way / p->loading, p->loading, p->duration,
           p->options);
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  size_t found = 0;
  for (size_t k = 0; k < problems.count; k++) found += strcmp(problems.items[k].pointer, pointer) == 0;
  assert_int_equal(found, 1);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void test_what_has_no_equilibrium_is_refused(void **state)
{
  (void)state;
  pull p = {"", "", "false", "constant", "\"loading\":\"quasi_static\",\"friction_law\":\"viscous\"", 0, 1e-5, 1, 1};
  assert_refused(&p, "/options/friction_law");
  p.options = "\"loading\":\"quasi_static\",\"damping_step\":\"explicit\"";
  assert_refused(&p, "/options/damping_step");
  p.options = "\"loading\":\"quasi_static\",\"damping_rate\":1";
  assert_refused(&p, "/options/damping_rate");
  p.options = "\"loading\":\"quasi_static\",\"relaxation_tolerance\":0";
  assert_refused(&p, "/options/relaxation_tolerance");
  p.options = "\"loading\":\"quasi_static\"";
  p.velocity = ",\"velocity\":[0,0,1]";
  assert_refused(&p, "/specimens/0/velocity");
  p.velocity = "";
  p.way = 1;
  assert_refused(&p, "/options/load_steps");
}

SUITE(test_peridem_quasi_static)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_increments_are_counted),
      cmocka_unit_test(test_the_force_is_that_of_slow_loading),
      cmocka_unit_test(test_grips_bear_the_weight),
      cmocka_unit_test(test_pressed_bricks_are_in_balance),
      cmocka_unit_test(test_a_torn_bar_lets_go),
      cmocka_unit_test(test_a_loss_among_breaking_bonds_is_seen),
      cmocka_unit_test(test_a_step_out_of_balance_is_noted),
      cmocka_unit_test(test_what_has_no_equilibrium_is_refused),
  };
  return cmocka_run_group_tests_name("peridem quasi-static", tests, NULL, NULL);
}
