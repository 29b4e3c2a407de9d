/* Forces of contacts as vectors in pictures (option contact_forces), under every method with bodies that touch: those on a floor are what
 * the floor's own curves say, with their moment; those between two bodies bear the upper one; a fibre on a floor presses with its weight.
 */
#include "tests/support/picture.h"
#include "tests/support/suites.h"

typedef struct maker {
  const char *method, *material, *contact, *specimen, *options; /* JSON, with a comma before them or "" */
  double step;                                                  /* s; 0: the method's own */
  double exact;                                                 /* of the floor's force: what dashpots and 32-bit floats leave */
  double whole; /* m, of its moment, where one point stands for all nodes of two bodies in contact */
} maker;

static const maker makers[] = {
    {"peridem", ",\"bulk_modulus\":1e6", ",\"damping_ratio\":0.3", ",\"spacing\":0.05", ",\"breakable\":false,\"damping_rate\":40", 0, 0.01,
     0.02},
    {"bdem", ",\"young_modulus\":1e6", ",\"damping_ratio\":0.3", ",\"spacing\":0.05", ",\"breakable\":false,\"local_damping\":0.3", 0, 0.01,
     0},
    {"fem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", "", ",\"divisions\":[2,2,2]", ",\"law\":\"linear\"", 4e-3, 1e-5, 0},
    {"lsdem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", ",\"contact_stiffness\":1e7,\"damping_time\":1e-3",
     ",\"spacing\":0.05,\"grid_spacing\":0.04", ",\"skin\":0.1", 1e-4, 1e-5, 0.02},
    {"rigid", "", "", "", ",\"tolerance\":1e-9", 1e-3, 1e-5, 0},
};
enum { MAKERS = sizeof makers / sizeof *makers };

#define FORCES "\"contact_forces\":true"

/* Two blocks of 0.2 m, 1000 kg/m^3, one on the other on a floor, in a gravity that is not quite vertical. */
static sim_run open_stack(const maker *m, const char *pictures)
{
  char text[4096], step[60] = "";
  if (m->step > 0) snprintf(step, sizeof step, ",\"time_step\":%.17g", m->step);
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"forces\",\"method\":\"%s\",\"materials\":[{\"name\":\"m\",\"density\":1000%s}],"
           "\"contact\":{\"friction_coefficient\":0.5%s},\"specimens\":[{\"name\":\"block\",\"material\":\"m\"%s,"
           "\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"placement\":{\"type\":\"list\",\"positions\":[[0.3,-0.5,0.1],"
           "[0.3,-0.5,0.3]]}}],"
           "\"rig\":{\"type\":\"none\",\"gravity\":[1,0.7,-9.81]},\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\","
           "\"width\":2},\"position\":[0,0,0]}],\"time\":{\"duration\":1%s},"
           "\"output\":{\"frame_interval\":1,\"sample_interval\":1},\"options\":{%s%s}}",
           m->method, m->material, m->contact, m->specimen, step, pictures, m->options);
  print_message("# %s\n", m->method);
  return run_open(text, 1);
}

/* Force and moment about the origin of the contacts between two heights. */
static void add_between(const picture *p, double low, double high, double sum[6])
{
  for (uint32_t k = 0; k < drawable(p, "contact_forces")->count; k++) {
    double x[3], f[3];
    for (uint32_t c = 0; c < 3; c++)
      x[c] = field(p, "contact_forces", "position", k, c), f[c] = field(p, "contact_forces", "contact_force", k, c);
    if (x[2] < low || x[2] > high) continue;
    for (int c = 0; c < 3; c++) sum[c] += f[c], sum[3 + c] += x[(c + 1) % 3] * f[(c + 2) % 3] - x[(c + 2) % 3] * f[(c + 1) % 3];
  }
}

/* The force on the blocks is the floor's reversed, curve by curve, in the middle of the motion (Newton's third law). Between 0.2 and 0.4 s
 * the mean of what the lower block, which is the first, gets of the upper one is the upper one's weight: statics, 3 % of it by what is left
 * of the first oscillations. */
static void test_forces_on_a_floor_are_the_floors_and_bear_what_lies_above(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    const maker *m = &makers[k];
    sim_run r = open_stack(m, FORCES);
    static const char *const curves[6] = {"obstacle.floor.force_x",  "obstacle.floor.force_y",  "obstacle.floor.force_z",
                                          "obstacle.floor.torque_x", "obstacle.floor.torque_y", "obstacle.floor.torque_z"};
    double above[6] = {0}, count = 0, weight = 8 * 9.81;
    for (double next = 0.2; next < 0.4; next += 2e-3) {
      double floor[6] = {0};
      while (scr_sim_time(r.sim) < next) run_steps(&r, 1);
      run_observe(&r);
      picture p = take(&r);
      look(&p);
      add_between(&p, -0.05, 0.05, floor);
      add_between(&p, 0.15, 0.25, above);
      put_away(&p);
      count++;
      for (int c = 0; c < 6 && count == 1; c++)
        claim_absolute(c < 3 ? "stack on a floor: force on it over a block's weight"
                             : "stack on a floor: moment over the weight and a metre",
                       floor[c] / weight, -run_value(&r, curves[c]) / weight, c < 3 ? 2 * m->exact : fmax(2 * m->exact, m->whole),
                       "the floor's, reversed");
    }
    claim_absolute("stack: force between the blocks, x, over the weight", above[0] / count / weight, 1 / 9.81, 0.03, "statics");
    claim_absolute("stack: force between the blocks, y, over the weight", above[1] / count / weight, 0.7 / 9.81, 0.03, "statics");
    claim_absolute("stack: force between the blocks, z, over the weight", above[2] / count / weight, -1, 0.03, "statics");
    run_close(&r);
  }
}

/* Grains' lines of force: the lower block's to the floor has two nodes, its middle and the contact, and carries the size of the force that
 * the arrow there has; the one between the blocks has three, from middle to middle. The thickest is a tenth of the radius of a ball of the
 * block's volume. */
static void test_lines_of_force_join_grains_by_their_contacts(void **state)
{
  (void)state;
  const maker *m = &makers[3];
  assert_string_equal(m->method, "lsdem");
  sim_run r = open_stack(m, FORCES ",\"force_chains\":true");
  run_steps(&r, 2000);
  picture p = take(&r);
  look(&p);
  assert_int_equal(drawable(&p, "force_chains")->second_count, 2);
  assert_int_equal(drawable(&p, "force_chains")->count, 5);
  assert_int_equal(drawable(&p, "contact_forces")->count, 2);
  double most = 0;
  for (uint32_t line = 0, node = 0; line < 2; line++) {
    bool two = field(&p, "force_chains", "nodes", line, 0) > 2;
    double size = 0;
    for (uint32_t c = 0; c < 3; c++) {
      double middle = (const double[]){0.3, -0.5, 0.1}[c];
      claim_absolute("line of force: where it begins, m", field(&p, "force_chains", "position", node, c), middle, 0.01, "the lower block");
      size = hypot(size, field(&p, "contact_forces", "contact_force", line, c));
    }
    claim_absolute("line of force: height of the contact, m", field(&p, "force_chains", "position", node + 1, 2), two ? 0.2 : 0, 0.01,
                   "faces");
    if (two)
      claim_absolute("line of force: where it ends, m", field(&p, "force_chains", "position", node + 2, 2), 0.3, 0.01, "the upper block");
    claim_relative("line of force: force, N", field(&p, "force_chains", "force", node, 0), size, 1e-6, "size of the arrow's vector");
    claim_relative("line of force: force, blocks", size / (8 * hypot(9.81, hypot(1, 0.7))), two ? 1 : 2, 0.2,
                   "weight above, which still swings");
    most = fmax(most, field(&p, "force_chains", "radius", node, 0));
    node += two ? 3 : 2;
  }
  claim_relative("line of force: radius of the thickest, m", most, 0.1 * 0.2 * cbrt(3 / (4 * M_PI)), 0.05, "a tenth of the block's");
  put_away(&p);
  run_close(&r);
}

/* A straight fibre of 0.2 m lies on a floor: its contacts bear its weight, pi r^2 l rho g, straight up. */
static void test_a_fibre_presses_a_floor_with_its_weight(void **state)
{
  (void)state;
  sim_run r =
      run_open("{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
               "\"contact\":{\"friction_coefficient\":0.3},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"shape\":{\"type\":"
               "\"cylinder\",\"radius\":0.001,\"length\":0.2},\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"placement\":{\"type\":"
               "\"single\",\"position\":[0,0,0.001]}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":"
               "\"floor\",\"shape\":{\"type\":\"plane\",\"width\":2}}],\"time\":{\"duration\":1,\"time_step\":1e-3},"
               "\"options\":{\"contact_forces\":true}}",
               1);
  double sum[6] = {0};
  run_steps(&r, 200);
  picture p = take(&r);
  look(&p);
  add_between(&p, -0.01, 0.01, sum);
  claim_relative("fibre on a floor: sum of contact forces, z, N", sum[2], M_PI * 1e-6 * 0.2 * 1000 * 9.81, 1e-3, "its weight");
  claim_absolute("fibre on a floor: sum of contact forces, x, over its weight", sum[0] / sum[2], 0, 1e-3, "its weight");
  put_away(&p);
  run_close(&r);
}

/* They are drawn on request only, and foreseen in the estimate of the recording. */
static void test_contact_forces_are_drawn_on_request(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    sim_run with = open_stack(&makers[k], FORCES), without = open_stack(&makers[k], "\"contact_forces\":false");
    assert_int_equal(with.sim->drawable_count, without.sim->drawable_count + 1);
    for (size_t d = 0; d < without.sim->drawable_count; d++) assert_string_not_equal(without.sim->drawables[d].name, "contact_forces");
    assert_true(scr_scene_estimate(with.scene)->frame_line_bytes >= scr_scene_estimate(without.scene)->frame_line_bytes + 2 * 24);
    run_close(&with);
    run_close(&without);
  }
}

SUITE(test_contact_forces)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_on_a_floor_are_the_floors_and_bear_what_lies_above),
      cmocka_unit_test(test_lines_of_force_join_grains_by_their_contacts),
      cmocka_unit_test(test_a_fibre_presses_a_floor_with_its_weight),
      cmocka_unit_test(test_contact_forces_are_drawn_on_request),
  };
  return cmocka_run_group_tests_name("contact forces", tests, NULL, NULL);
}
