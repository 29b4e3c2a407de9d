/* Boxes, cylinders and meshes that move freely among fibres: momenta and energies of impacts, rest, sliding, rolling and turning against
 * closed forms; bits. */
#include "tests/support/suites.h"

#include "methods/fibre/state/state.h"
#include "sim/rig/parts.h"
#include "tests/support/sim_run.h"

#define SOFT "\"density\":1000,\"young_modulus\":1e8"

/* Fibres along y. @param material, specimen, obstacles  the rest of their keys */
static sim_run open_scene(const char *material, double friction, const char *specimen, const char *gravity, const char *obstacles,
                          double dt, unsigned threads)
{
  char text[5000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":2,\"materials\":[{\"name\":\"m\","
           "\"poisson_ratio\":0.25,%s}],\"contact\":{\"friction_coefficient\":%.17g},"
           "\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":-90}%s}],"
           "\"rig\":{\"type\":\"none\",\"gravity\":%s},\"obstacles\":[%s],\"time\":{\"duration\":10,\"time_step\":%.17g}}",
           material, friction, specimen, gravity, obstacles, dt);
  return run_open(text, threads);
}

#define FIBRE ",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"edges\":10"
#define FAR FIBRE ",\"placement\":{\"type\":\"single\",\"position\":[1,0,1]}"
#define SOLID(name, shape, place, density, more)                                                                                           \
  "{\"name\":\"" name "\",\"shape\":" shape ",\"position\":" place ",\"free\":{\"density\":" density more "}}"
#define BOX(size) "{\"type\":\"box\",\"size\":" size "}"
#define WEDGE                                                                                                                              \
  "{\"type\":\"mesh\",\"vertices\":[[0,-0.02,0.01],[-0.02,-0.02,-0.01],[0.02,-0.02,-0.01],[0,0.02,0.01],[-0.02,0.02,-0.01],"               \
  "[0.02,0.02,-0.01]],\"triangles\":[[0,1,2],[3,5,4],[1,5,2],[1,4,5],[0,4,1],[0,3,4],[0,2,5],[0,5,3]]}"
#define FLOOR "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,0]}"

/* ── momenta and energy ─────────────────────────────────────────────────────────────────────────────────────────── */

static scr_vec3 momentum_of(const sim_parts *parts)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t p = 0; p < parts->count; p++)
    if (parts->form[p].is_free) sum = vec3_add(sum, vec3_scale(parts->flight[p].velocity, parts->form[p].mass.mass));
  return sum;
}

/* About the origin. */
static scr_vec3 turning_of(const sim_parts *parts)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t p = 0; p < parts->count; p++) {
    const part_flight *f = &parts->flight[p];
    if (!parts->form[p].is_free) continue;
    sum = vec3_add(sum, vec3_add(f->momentum, vec3_scale(vec3_cross(f->centre, f->velocity), parts->form[p].mass.mass)));
  }
  return sum;
}

/* A box, a cylinder and a wedge, all of which turn about no axis of theirs, fly into each other with friction, without gravity: momentum
 * and angular momentum stay to rounding, whatever touches whatever; what energy goes is booked. */
static void test_solids_meet_and_momenta_stay(void **state)
{
  (void)state;
  sim_run r = open_scene(
      SOFT, 0.4, FAR, "[0,0,0]",
      SOLID("box", BOX("[0.03,0.02,0.01]"), "[-0.04,0.002,0.001]", "700",
            ",\"velocity\":[1.2,0,0.1],\"angular_velocity\":[9,-20,14]") "," SOLID("rod",
                                                                                   "{\"type\":\"cylinder\",\"radius\":0.008,\"length\":0."
                                                                                   "03}",
                                                                                   "[0.04,0,0]", "500",
                                                                                   ",\"velocity\":[-1,0.1,0],\"angular_velocity\":[5,30,-"
                                                                                   "8]") "," SOLID("wedge", WEDGE, "[0,0.003,0.05]", "900",
                                                                                                   ",\"velocity\":[0.1,0,-1.5],\"angular_"
                                                                                                   "velocity\":[-3,4,12]"),
      2e-4, 1);
  const sim_parts *parts = &r.sim->parts;
  scr_vec3 momentum = momentum_of(parts), turning = turning_of(parts), spun = parts->flight[0].momentum;
  double worst = 0, worst_turning = 0, before = parts_kinetic(parts), start = before, gain = 0, most = 0, scale = 0;
  for (size_t p = 0; p < parts->count; p++) scale += parts->form[p].mass.mass * vec3_length(parts->flight[p].velocity);
  for (int k = 0; k < 400; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    worst = fmax(worst, vec3_length(vec3_sub(momentum_of(parts), momentum)) / scale);
    worst_turning = fmax(worst_turning, vec3_length(vec3_sub(turning_of(parts), turning)) / vec3_length(turning));
    gain = fmax(gain, (parts_kinetic(parts) - before) / start);
    before = parts_kinetic(parts);
    most = fmax(most, run_value(&r, "contacts"));
  }
  claim_absolute("solids meet: change of the momentum over it", worst, 0, 1e-12, "impulses are equal and opposite");
  claim_absolute("solids meet: change of the angular momentum over it", worst_turning, 0, 1e-11, "at one place");
  assert_true(vec3_length(vec3_sub(parts->flight[0].momentum, spun)) > 0.1 * vec3_length(spun));
  claim_between("solids meet: energy left over that of the start", before / start, 0.05, 0.95, "they meet, without bounce");
  claim_absolute("solids meet: largest gain of a step over that of the start", gain, 0, 1e-8,
                 "turning swings by the cube of 30 rad/s 0.2 ms");
  claim_absolute("solids meet: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-7, "all of it is booked");
  assert_true(most >= 1 && run_value(&r, "energy.friction") > 0 && run_value(&r, "energy.impact") > 0);
  run_close(&r);
}

/* A box hits a fibre that floats, beside both middles. */
static void test_momentum_passes_from_a_box_to_a_fibre(void **state)
{
  (void)state;
  const double dt = 2e-4;
  sim_run r = open_scene(
      SOFT, 0.4, FIBRE, "[0,0,0]",
      SOLID("box", BOX("[0.03,0.03,0.01]"), "[0.004,0.03,0.0075]", "500", ",\"velocity\":[0.5,0.4,-2],\"angular_velocity\":[9,30,0]"), dt,
      1);
  const fibre_state *s = r.sim->state;
  const part_flight *box = &r.sim->parts.flight[0];
  double mass = r.sim->parts.form[0].mass.mass, worst = 0, most = 0;
  scr_vec3 start = vec3_scale(box->velocity, mass), spun = box->momentum, felt = vec3(0, 0, 0), turned = vec3(0, 0, 0);
  for (int k = 0; k < 60; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    scr_vec3 string = vec3(0, 0, 0), force = vec3(run_value(&r, "obstacle.box.force_x"), run_value(&r, "obstacle.box.force_y"),
                                                  run_value(&r, "obstacle.box.force_z"));
    for (uint32_t i = 0; i < s->node_count; i++)
      string = vec3_add(string, vec3_scale(rod_position(s->velocity, i), s->mass[ROD_UNKNOWNS * (size_t)i]));
    felt = vec3_add(felt, vec3_scale(force, dt));
    turned = vec3_add(turned, vec3_scale(vec3(run_value(&r, "obstacle.box.torque_x"), run_value(&r, "obstacle.box.torque_y"),
                                              run_value(&r, "obstacle.box.torque_z")),
                                         dt));
    worst = fmax(worst, vec3_length(vec3_sub(vec3_add(string, vec3_scale(box->velocity, mass)), start)) / vec3_length(start));
    most = fmax(most, vec3_length(string) / vec3_length(start));
  }
  scr_vec3 lost = vec3_sub(vec3_scale(box->velocity, mass), start), gained = vec3_sub(box->momentum, spun);
  claim_absolute("box hits a fibre: change of the total momentum over it", worst, 0, 1e-10, "impulses are equal and opposite");
  claim_between("box hits a fibre: share of momentum that it gives", most, 0.05, 1, "it hits");
  claim_relative("box hits a fibre: sum of force_z over time, N s", felt.z, lost.z, 1e-9, "change of its momentum");
  claim_absolute("box hits a fibre: sum of its torque less the change of its spin's momentum, over that",
                 vec3_length(vec3_sub(turned, gained)) / vec3_length(gained), 0, 1e-9, "about its centre");
  claim_absolute("box hits a fibre: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
  run_close(&r);
}

/* ── rest ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A box hangs in two strings that it presses down with its two lower edges, 5 mm from nodes. Each of the four straight outer pieces of
 * strings carries a quarter of the weight, F: between its edge's node and the next one 3/4 of it go down, beyond all of it. With small
 * slopes the strings are longer by half the squares of these, so that the tension T solves T^3 = EA F^2 (0.06 + 9/16 0.02) / 0.2, and the
 * edges lie below the ends by F / T (0.06 + 3/4 0.015). */
static void test_a_box_hangs_in_two_strings(void **state)
{
  (void)state;
  const double stiffness = 1e9 * M_PI * 1e-6, weight = 400 * 0.06 * 0.05 * 0.01 * 10, quarter = 0.25 * weight;
  sim_run r =
      open_scene("\"density\":1,\"young_modulus\":1e9,\"mass_damping\":200,\"bending_factor\":1e-6", 0.3,
                 FIBRE ",\"held\":\"both\",\"hold\":\"pinned\",\"held_by\":\"frame\",\"placement\":{\"type\":\"list\",\"positions\":"
                       "[[-0.02,0,0],[0.02,0,0]]}",
                 "[0,0,-10]",
                 SOLID("box", BOX("[0.06,0.05,0.01]"), "[0,0,0.0065]", "400",
                       "") ",{\"name\":\"frame\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01},\"position\":[0.5,0,0]}",
                 2e-3, 1);
  double tension = cbrt(stiffness * quarter * quarter * (0.06 + 9.0 / 16 * 0.02) / 0.2), sag = quarter / tension * (0.06 + 0.75 * 0.015);
  run_steps(&r, 700); /* it rolls sideways on round strings in the end, as nothing resists that: twice as far every 0.15 s, from rounding */
  run_observe(&r);
  const part_flight *box = &r.sim->parts.flight[0];
  claim_relative("box in strings: sag of its lower edges, m", 0.006 - run_value(&r, "obstacle.box.z"), sag, 1e-2, "straight pieces");
  claim_relative("box in strings: obstacle.box.force_z, N", run_value(&r, "obstacle.box.force_z"), weight, 1e-5, "its weight");
  claim_relative("box in strings: force on what holds the ends, N", -run_value(&r, "obstacle.frame.force_z"), weight, 3e-4,
                 "the weight of the box; that of the strings is 1e-4 of it");
  claim_relative("box in strings: tension, N", run_value(&r, "tension"), tension, 1e-2, "as above");
  claim_absolute("box in strings: its tilt, rad", 2 * sqrt(pow(box->rotation.x, 2) + pow(box->rotation.y, 2)), 0, 1e-4, "level");
  claim_absolute("box in strings: its speed, m/s", vec3_length(box->velocity), 0, 1e-5, "rest");
  run_close(&r);
}

/* A cylinder on end on a box on a floor: nothing moves from the first step on, and each feels what lies on it. */
static void test_solids_rest_on_each_other(void **state)
{
  (void)state;
  sim_run r = open_scene(SOFT, 0.3, FAR, "[0,0,-10]",
                         FLOOR "," SOLID("low", BOX("[0.04,0.03,0.02]"), "[0,0,0.01]", "2000", "") "," SOLID(
                             "high", "{\"type\":\"cylinder\",\"radius\":0.01,\"length\":0.02}", "[0.003,0.002,0.03]", "1000", ""),
                         1e-3, 1);
  double low = 2000 * 0.04 * 0.03 * 0.02 * 10, high = 1000 * M_PI * 1e-4 * 0.02 * 10;
  run_steps(&r, 20);
  run_observe(&r);
  claim_absolute("solids on a floor: height of the upper one, m", r.sim->parts.flight[2].centre.z, 0.03, 1e-8, "rest");
  claim_relative("solids on a floor: obstacle.floor.force_z, N", run_value(&r, "obstacle.floor.force_z"), -low - high, 1e-6,
                 "their weights");
  claim_relative("solids on a floor: obstacle.high.force_z, N", run_value(&r, "obstacle.high.force_z"), high, 1e-6, "its weight");
  claim_absolute("solids on a floor: speed of the upper one, m/s", vec3_length(r.sim->parts.flight[2].velocity), 0, 1e-7, "rest");
  run_close(&r);
}

/* A short box lies between two nodes: a straight edge bears it at both of its ends, so that it does not tilt. */
static void test_a_short_box_lies_on_one_edge(void **state)
{
  (void)state;
  sim_run r = open_scene("\"density\":1000,\"young_modulus\":2e11", 0,
                         ",\"shape\":{\"type\":\"cylinder\",\"radius\":2e-3,\"length\":0.2},\"edges\":10,\"held\":\"both\",\"placement\":{"
                         "\"type\":\"list\",\"positions\":[[-0.01,0,0],[0.01,0,0]]}",
                         "[0,0,-10]", SOLID("box", BOX("[0.04,0.01,0.01]"), "[0,0.0098,0.007]", "1", ""), 1e-3, 1);
  const part_flight *box = &r.sim->parts.flight[0];
  run_steps(&r, 100);
  run_observe(&r);
  claim_absolute("short box between nodes: its tilt, rad", 2 * box->rotation.x, 0, 1e-4, "borne at both ends");
  claim_absolute("short box between nodes: contacts", run_value(&r, "contacts"), 4, 0, "two on each rail");
  claim_relative("short box between nodes: obstacle.box.force_z, N", run_value(&r, "obstacle.box.force_z"), 0.04 * 0.01 * 0.01 * 10, 1e-5,
                 "its weight");
  run_close(&r);
}

/* ── motion ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A box lies on two stiff rails along which gravity leans: below the angle of friction it stays, beyond it it gains (g sin - mu g cos) t.
 */
static void test_a_box_slides_along_two_rails(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run r =
        open_scene("\"density\":1000,\"young_modulus\":2e11", k ? 0.2 : 0.35,
                   ",\"shape\":{\"type\":\"cylinder\",\"radius\":2e-3,\"length\":0.2},\"edges\":10,\"held\":\"both\",\"placement\":{"
                   "\"type\":\"list\",\"positions\":[[-0.01,0,0],[0.01,0,0]]}",
                   "[0,3,-10]", SOLID("box", BOX("[0.04,0.05,0.01]"), "[0,-0.05,0.007]", "1", ""), 1e-3, 1);
    const part_flight *box = &r.sim->parts.flight[0];
    run_steps(&r, 50);
    double before = box->velocity.y;
    run_steps(&r, 100);
    run_observe(&r);
    if (k)
      claim_relative("box on rails: gain of speed, m/s", box->velocity.y - before, 0.1 * (3 - 0.2 * 10), 1e-2, "(g sin - mu g cos) t");
    else
      claim_absolute("box on rails below the angle of friction: its speed, m/s", box->velocity.y, 0, 1e-6, "it sticks");
    claim_absolute("box on rails: tilt, rad", box->rotation.x, 0, 1e-4, "it lies flat");
    claim_absolute("box on rails: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
    run_close(&r);
  }
}

/* A cylinder across two stiff rails rolls down them: its axis gains 2/3 g sin t, and it spins at v / R. */
static void test_a_cylinder_rolls_along_two_rails(void **state)
{
  (void)state;
  sim_run r = open_scene("\"density\":1000,\"young_modulus\":2e11", 0.5,
                         ",\"shape\":{\"type\":\"cylinder\",\"radius\":2e-3,\"length\":0.2},\"edges\":10,\"held\":\"both\",\"placement\":{"
                         "\"type\":\"list\",\"positions\":[[-0.01,0,0],[0.01,0,0]]}",
                         "[0,1.5,-10]",
                         "{\"name\":\"rod\",\"shape\":{\"type\":\"cylinder\",\"radius\":0.008,\"length\":0.04},\"position\":[0,-0.05,0.01],"
                         "\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"free\":{\"density\":1}}",
                         1e-3, 1);
  const part_flight *roller = &r.sim->parts.flight[0];
  run_steps(&r, 50);
  double before = roller->velocity.y;
  run_steps(&r, 150);
  run_observe(&r);
  scr_vec3 spin = r.sim->parts.now[0].spin;
  claim_relative("cylinder that rolls on rails: gain of speed, m/s", roller->velocity.y - before, 0.15 * 2.0 / 3 * 1.5, 1e-2,
                 "2/3 g sin t");
  claim_relative("cylinder that rolls on rails: angle by which it has turned, rad", quat_log(roller->rotation).x,
                 -(roller->centre.y + 0.05) / 0.008, 1e-2, "way / R");
  claim_relative("cylinder that rolls on rails: spin over v / R", spin.x / (-roller->velocity.y / 0.008), 1, 1e-2, "it rolls");
  claim_absolute("cylinder on rails: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
  run_close(&r);
}

/* A brick of three different moments that nothing touches turns about its middle axis, and over again and again: the angular momentum stays
 * to rounding, and energy swings by no more than the square of the step allows. */
static void test_a_brick_turns_over(void **state)
{
  (void)state;
  sim_run r = open_scene(SOFT, 0.4, FAR, "[0,0,0]",
                         SOLID("brick", BOX("[0.03,0.02,0.01]"), "[0,0,0]", "700", ",\"angular_velocity\":[0.05,40,0.05]"), 1e-3, 1);
  const sim_parts *parts = &r.sim->parts;
  scr_vec3 turning = turning_of(parts);
  double start = parts_kinetic(parts), swing = 0, least = 1;
  for (int k = 0; k < 1500; k++) {
    run_steps(&r, 1);
    swing = fmax(swing, fabs(parts_kinetic(parts) / start - 1));
    least = fmin(least, quat_rotate(parts->flight[0].rotation, vec3(0, 1, 0)).y);
  }
  run_observe(&r);
  claim_absolute("brick in flight: change of the angular momentum over it",
                 vec3_length(vec3_sub(turning_of(parts), turning)) / vec3_length(turning), 0, 1e-12, "no torque");
  claim_absolute("brick in flight: swing of its energy over it", swing, 0, 1e-3, "(w dt)^2 = 1.6e-3");
  claim_between("brick in flight: cosine of its middle axis at its least", least, -1, -0.9, "it turns over");
  claim_absolute("brick in flight: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-12, "the swing is booked");
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
      "," SOLID("a", BOX("[0.02,0.015,0.01]"), "[0.001,0,0.042]", "300",
                ",\"velocity\":[0,0.1,-0.2],\"angular_velocity\":[3,1,2]") "," SOLID("b",
                                                                                     "{\"type\":\"cylinder\",\"radius\":0.008,\"length\":0."
                                                                                     "02}",
                                                                                     "[0,0.004,0.064]", "300",
                                                                                     ",\"velocity\":[0.1,0,-0.5],\"angular_velocity\":[0,9,"
                                                                                     "0]") "],\"time\":{\"duration\":10,\"time_step\":2.5e-"
                                                                                           "4}}";
  return run_open(text, threads);
}

/* A box and a cylinder fall into bristles: the same bits on any number of threads and from a checkpoint, energies balance. */
static void test_solids_fall_into_bristles(void **state)
{
  (void)state;
  sim_run one = open_bed(1), three = open_bed(3);
  double most = 0;
  for (int k = 0; k < 240; k++) {
    run_steps(&one, 1), run_steps(&three, 1);
    run_observe(&one);
    most = fmax(most, run_value(&one, "contacts"));
    if (k != 120) continue;
    scr_blob blob = {0};
    assert_same_state(one.sim, three.sim);
    assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
    run_close(&three);
    three = open_bed(2);
    assert_int_equal(sim_load(three.sim, &blob, NULL), SCR_OK);
    scr_blob_destroy(&blob);
  }
  assert_same_state(one.sim, three.sim);
  claim_between("solids in bristles: most contacts", most, 8, INFINITY, "they fall in");
  claim_absolute("solids in bristles: energy.balance_error", run_value(&one, "energy.balance_error"), 0, 1e-4, "all of it is booked");
  claim_between("solids in bristles: unsolved_contacts", run_value(&one, "unsolved_contacts"), 0, 3, "of 240 steps");
  claim_absolute("solids in bristles: unsolved_steps", run_value(&one, "unsolved_steps"), 0, 0, "none");
  run_close(&one), run_close(&three);
}

/* Two boxes that lie in each other by a fifth of their width: nothing parts them, and the run says so. */
static void test_boxes_in_each_other_are_doubted(void **state)
{
  (void)state;
  sim_run r = open_scene(
      SOFT, 0.4, FAR, "[0,0,0]",
      SOLID("a", BOX("[0.02,0.02,0.02]"), "[0,0,0]", "700", "") "," SOLID("b", BOX("[0.02,0.02,0.02]"), "[0.016,0,0]", "700", ""), 1e-3, 1);
  bool found = false;
  run_steps(&r, 2);
  run_observe(&r);
  for (size_t k = 0; k < r.sim->doubt_count; k++) found = found || strcmp(r.sim->doubts[k].kind, "overlap_of_bodies") == 0;
  assert_true(found);
  claim_relative("boxes in each other: penetration, m", run_value(&r, "penetration"), 0.004, 1e-9, "0.02 less 0.016");
  run_close(&r);
}

SUITE(test_fibre_solids)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solids_meet_and_momenta_stay),     cmocka_unit_test(test_momentum_passes_from_a_box_to_a_fibre),
      cmocka_unit_test(test_a_box_hangs_in_two_strings),       cmocka_unit_test(test_solids_rest_on_each_other),
      cmocka_unit_test(test_a_short_box_lies_on_one_edge),     cmocka_unit_test(test_a_box_slides_along_two_rails),
      cmocka_unit_test(test_a_cylinder_rolls_along_two_rails), cmocka_unit_test(test_a_brick_turns_over),
      cmocka_unit_test(test_solids_fall_into_bristles),        cmocka_unit_test(test_boxes_in_each_other_are_doubted),
  };
  return cmocka_run_group_tests_name("fibre solids", tests, NULL, NULL);
}
