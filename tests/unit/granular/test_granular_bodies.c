/* Parts that move freely among sand and meet each other: balls, discs, boxes, cylinders, meshes. */
#include <math.h>

#include "methods/granular/step/stages.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A block of sand, and parts. @param material  keys with a comma before    @param block  size and middle, m */
static sim_run open_parts(const char *material, const char *friction, const char *block, const char *rig, const char *options,
                          const char *parts)
{
  char text[5000];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"bodies\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":"
      "0.6,\"internal_friction\":0.4%s}],\"contact\":{\"friction_coefficient\":%s},\"specimens\":[{\"name\":\"block\",\"material\":"
      "\"sand\",\"shape\":{\"type\":\"box\",%s}],\"rig\":{%s},\"options\":{%s},\"time\":{\"duration\":100},\"output\":{"
      "\"frame_interval\":100,\"sample_interval\":100},\"obstacles\":[%s]}",
      material, friction, block, rig, options, parts);
  return run_open(text, 1);
}

#define EMPTY "\"type\":\"none\",\"gravity\":[0,0,0]"
#define OPEN_SPACE "\"cell\":0.01,\"domain_minimum\":[-0.2,-0.2,-0.2],\"domain_maximum\":[0.2,0.2,0.2]"
#define CUBE "\"size\":[0.1,0.1,0.1]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}"
#define OCTAHEDRON                                                                                                                         \
  "{\"type\":\"mesh\",\"vertices\":[[0.04,0,0],[-0.04,0,0],[0,0.03,0],[0,-0.03,0],[0,0,0.05],[0,0,-0.05]],\"triangles\":[[0,2,4],[2,1,4]," \
  "[1,3,4],[3,0,4],[2,0,5],[1,2,5],[3,1,5],[0,3,5]]}"

/* Free parts hit a block of sand off its middle in empty space, a box, a rod and an octahedron, spinning: momentum of all together stays to
 * rounding, and so does the balance of energy. In every step the sand's force is what changes the part's momentum, and its torque what
 * changes its angular momentum: to rounding of what it has. */
static void test_sand_and_solids_exchange_momentum(void **state)
{
  (void)state;
  static const char *const shapes[] = {"{\"type\":\"box\",\"size\":[0.06,0.04,0.08]}",
                                       "{\"type\":\"cylinder\",\"radius\":0.03,\"length\":0.05}", OCTAHEDRON};
  for (int k = 0; k < 3; k++) {
    char parts[1000], what[80];
    snprintf(parts, sizeof parts,
             "{\"name\":\"solid\",\"shape\":%s,\"position\":[-0.11,0.01,0.03],\"rotation\":{\"axis\":[1,2,3],\"angle_deg\":40},\"free\":{"
             "\"density\":3000,\"velocity\":[1,0.1,-0.3],\"angular_velocity\":[2,-3,1]}}",
             shapes[k]);
    sim_run r = open_parts("", "0.5", CUBE, EMPTY, OPEN_SPACE, parts);
    const sim_parts *all = &r.sim->parts;
    const scr_part *form = &all->form[0];
    double mass = form->mass.mass, force_off = 0, torque_off = 0, turned = 0;
    scr_vec3 first = all->flight[0].momentum;
    while (scr_sim_time(r.sim) < 0.1) {
      part_flight before = all->flight[0];
      scr_vec3 to_centre = quat_rotate(before.rotation, form->mass.centre);
      run_steps(&r, 1);
      scr_vec3 impulse = vec3_scale(vec3_sub(all->flight[0].velocity, before.velocity), mass),
               turn = vec3_sub(all->flight[0].momentum, before.momentum);
      const part_load *load = &all->load[0];
      scr_vec3 about_centre = vec3_sub(load->turning, vec3_cross(to_centre, load->impulse));
      force_off = fmax(force_off, vec3_length(vec3_sub(impulse, load->impulse)));
      torque_off = fmax(torque_off, vec3_length(vec3_sub(turn, about_centre)));
    }
    run_observe(&r);
    scr_vec3 v = all->flight[0].velocity;
    turned = vec3_length(vec3_sub(all->flight[0].momentum, first));
    snprintf(what, sizeof what, "solid %d: momentum of sand and solid, x, over what moves", k);
    claim_absolute(what, (run_value(&r, "momentum.x") + mass * v.x) / mass, 1, 1e-12, "conserved");
    claim_absolute("the same, z", (run_value(&r, "momentum.z") + mass * v.z) / mass, -0.3, 1e-12, "conserved");
    claim_absolute("force times step off the change of momentum, over the first", force_off / mass, 0, 1e-12, "Newton");
    claim_absolute("torque times step off the change of angular momentum, over all of it", torque_off / turned, 0, 1e-10, "Euler");
    claim_between("what it keeps of its speed", v.x, 0.05, 0.9, "it pushes the sand");
    claim_between("change of angular momentum over the first", turned / vec3_length(first), 0.02, 100, "it hits off its middle");
    claim_absolute("energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-12, "conservation of energy");
    run_close(&r);
  }
}

/* A box that turns about no principal axis and meets nothing: angular momentum stays as it is, and the balance of energy to rounding,
 * though the steps of its turn are of second order: what they take is booked. */
static void test_a_spinning_box_keeps_its_angular_momentum(void **state)
{
  (void)state;
  sim_run r = open_parts("", "0.5", CUBE, EMPTY, OPEN_SPACE,
                         "{\"name\":\"solid\",\"shape\":{\"type\":\"box\",\"size\":[0.06,0.04,0.1]},\"position\":[1,0,0],\"free\":{"
                         "\"density\":3000,\"velocity\":[1,0,0],\"angular_velocity\":[8,0.3,0.1]}}");
  const sim_parts *parts = &r.sim->parts;
  scr_vec3 first = parts->flight[0].momentum;
  run_until(&r, 1);
  claim_absolute("change of angular momentum over all of it", vec3_length(vec3_sub(parts->flight[0].momentum, first)) / vec3_length(first),
                 0, 1e-12, "conserved");
  claim_absolute("energy.balance_error", run_curve(&r, "energy.balance_error"), 0, 1e-12, "conservation of energy");
  run_close(&r);
}

#define WALLS "\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.4,0.4,0.4],\"gravity\":[0,0,-9.81]"
#define ASIDE_IN_PLANE "\"size\":[0.04,0.4,0.02]},\"placement\":{\"type\":\"single\",\"position\":[0.36,0.2,0.01]}"
#define ASIDE "\"size\":[0.04,0.04,0.02]},\"placement\":{\"type\":\"single\",\"position\":[0.36,0.36,0.01]}"

/* A box falls on an empty floor, a smaller one on it, and on that a ball: all come to rest where they touch, to a hundredth of the ball's
 * radius, level, and the floor bears their weight: over a tenth of a second, as a step ends at its budget of sweeps, and the next one takes
 * what it has left. In the plane a prism lies on them. Sand lies far off. */
static void test_solids_rest_on_each_other(void **state)
{
  (void)state;
  for (int plane = 0; plane < 2; plane++) {
    sim_run r = open_parts(
        "", "0.5", plane ? ASIDE_IN_PLANE : ASIDE, WALLS, plane ? "\"dimension\":\"plane\",\"cell\":0.02" : "\"cell\":0.02",
        plane
            ? "{\"name\":\"low\",\"shape\":{\"type\":\"box\",\"size\":[0.12,0.4,0.06]},\"position\":[0.12,0.2,0.05],\"free\":{\"density\":"
              "2000}},"
              "{\"name\":\"middle\",\"shape\":{\"type\":\"box\",\"size\":[0.08,0.4,0.04]},\"position\":[0.12,0.2,0.12],\"free\":{"
              "\"density\":2000}},"
              "{\"name\":\"high\",\"shape\":{\"type\":\"cylinder\",\"radius\":0.03,\"length\":0.4},\"position\":[0.12,0.2,0.19],"
              "\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90},\"free\":{\"density\":2000}}"
            : "{\"name\":\"low\",\"shape\":{\"type\":\"box\",\"size\":[0.12,0.12,0.06]},\"position\":[0.12,0.12,0.05],\"free\":{"
              "\"density\":2000}},"
              "{\"name\":\"middle\",\"shape\":{\"type\":\"box\",\"size\":[0.08,0.08,0.04]},\"position\":[0.12,0.12,0.12],\"free\":{"
              "\"density\":2000}},"
              "{\"name\":\"high\",\"shape\":{\"type\":\"sphere\",\"radius\":0.03},\"position\":[0.12,0.12,0.19],\"free\":{\"density\":"
              "2000}}");
    double weight = 9.81 * (1500 * 0.04 * (plane ? 0.4 : 0.04) * 0.02);
    for (size_t p = 0; p < r.sim->parts.count; p++)
      if (r.sim->parts.form[p].is_free) weight += 9.81 * r.sim->parts.form[p].mass.mass;
    double force = 0;
    enum { READINGS = 20 };
    for (int k = 1; k <= READINGS; k++) {
      run_until(&r, 0.4 + 0.1 * k / READINGS);
      run_observe(&r);
      force -= run_value(&r, "wall.z_min.force_z") / READINGS;
    }
    claim_absolute(plane ? "plane: height of the lower box, m" : "space: height of the lower box, m", run_value(&r, "obstacle.low.z"), 0.03,
                   3e-4, "it lies on the floor");
    claim_absolute("height of the box on it, m", run_value(&r, "obstacle.middle.z"), 0.08, 3e-4, "it lies on the first");
    claim_absolute("height of the ball or disc on that, m", run_value(&r, "obstacle.high.z"), 0.13, 3e-4, "it lies on the second");
    claim_relative("mean force on the floor, N", force, weight, 2e-2, "weights of all");
    run_close(&r);
  }
}

/* A box that slides over the floor at 1 m/s stops by Coulomb's law, v = v0 - mu g t, and does not tip over: it is twice as long as high,
 * and mu is 0.3. 1 %: contacts at its corners are swept. */
static void test_a_box_slides_by_coulombs_law(void **state)
{
  (void)state;
  sim_run r =
      open_parts("", "0.3", ASIDE, WALLS, "\"cell\":0.02",
                 "{\"name\":\"solid\",\"shape\":{\"type\":\"box\",\"size\":[0.08,0.08,0.04]},\"position\":[0.08,0.1,0.02],\"free\":{"
                 "\"density\":2000,\"velocity\":[1,0,0]}}");
  const sim_parts *parts = &r.sim->parts;
  size_t p = parts->count - 1;
  run_until(&r, 0.05);
  double t = scr_sim_time(r.sim), v = parts->flight[p].velocity.x;
  run_until(&r, 0.25);
  claim_relative("deceleration of the box, m/s^2", (v - parts->flight[p].velocity.x) / (scr_sim_time(r.sim) - t), 0.3 * 9.81, 1e-2, "mu g");
  claim_absolute("its tilt, rad", 2 * fabs(parts->flight[p].rotation.y), 0, 1e-3, "it lies flat");
  claim_absolute("energy.balance_error", run_curve(&r, "energy.balance_error"), 0, 1e-12, "conservation of energy");
  run_close(&r);
}

/* A ball that slides over the floor at v0 without spin rolls after 2 v0/(7 mu g) = 0.1 s, at 5/7 of v0, forwards. 2 %. */
static void test_a_sliding_ball_comes_to_roll(void **state)
{
  (void)state;
  sim_run r = open_parts("", "0.3", ASIDE, WALLS, "\"cell\":0.02",
                         "{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.04},\"position\":[0.08,0.1,0.04],\"free\":{"
                         "\"density\":2000,\"velocity\":[1,0,0]}}");
  const sim_parts *parts = &r.sim->parts;
  size_t p = parts->count - 1;
  run_until(&r, 0.15);
  run_observe(&r);
  claim_relative("velocity, m/s", parts->flight[p].velocity.x, 5.0 / 7, 2e-2, "angular momentum about the point of touch");
  claim_relative("spin times radius, m/s", parts->now[p].spin.y * 0.04, 5.0 / 7, 2e-2, "it rolls");
  run_close(&r);
}

/* A disc is laid on a slab of sand that its cohesion holds together and that slides on a smooth floor at u: friction drags the disc along
 * and turns it until it rolls, at v = u_slab/3 and a rim that keeps up, whatever the friction: its momentum is m v = F t, its turn I w = F
 * R t with I = m R^2/2, so w R = 2 v and v + w R = u_slab, from u/(3 mu g) = 0.05 s on. 8 %: the disc is felt half a cell, a sixteenth of
 * its radius, farther out, and 4, 8 and 16 cells a radius gave 0.313, 0.319 and 0.329 of the slab's velocity at 0.08 s. Then what is left
 * of rolling resistance as it goes from node to node drags it along, by a hundredth of u in 0.1 s. */
static void test_moving_sand_rolls_a_disc(void **state)
{
  (void)state;
  sim_run r =
      open_parts(",\"cohesion\":1e5", "0.4",
                 "\"size\":[1.2,0.1,0.1]},\"velocity\":[0.6,0,0],\"placement\":{\"type\":\"single\",\"position\":[0.6,0.05,0.05]}",
                 "\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[1.2,0.1,0.4],\"gravity\":[0,0,-9.81]",
                 "\"dimension\":\"plane\",\"cell\":0.01,\"periodic_x\":true,\"floor_friction\":0,\"sweeps\":200",
                 "{\"name\":\"disc\",\"shape\":{\"type\":\"cylinder\",\"radius\":0.08,\"length\":0.1},\"position\":[0.6,0.05,0.185],"
                 "\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90},\"free\":{\"density\":200}}");
  const sim_parts *parts = &r.sim->parts;
  size_t p = parts->count - 1;
  double mass = parts->form[p].mass.mass;
  run_until(&r, 0.08);
  run_observe(&r);
  double v = parts->flight[p].velocity.x, rim = -parts->now[p].spin.y * 0.08, sand = run_value(&r, "momentum.x") / run_value(&r, "mass");
  claim_relative("velocity of the disc over the slab's", v / sand, 1.0 / 3, 0.08, "rolling: v + w R = u, w R = 2 v");
  claim_relative("velocity of its rim beside it over the slab's", rim / sand, 2.0 / 3, 0.08, "rolling");
  claim_relative("momentum of both, N s", run_value(&r, "momentum.x") + mass * v, 0.6 * run_value(&r, "mass"), 1e-6, "the floor is smooth");
  run_close(&r);
}

SUITE(test_granular_bodies)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sand_and_solids_exchange_momentum), cmocka_unit_test(test_a_spinning_box_keeps_its_angular_momentum),
      cmocka_unit_test(test_solids_rest_on_each_other),         cmocka_unit_test(test_a_box_slides_by_coulombs_law),
      cmocka_unit_test(test_moving_sand_rolls_a_disc),          cmocka_unit_test(test_a_sliding_ball_comes_to_roll),
  };
  return cmocka_run_group_tests_name("granular bodies", tests, NULL, NULL);
}
