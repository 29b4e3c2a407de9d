/* Curves and fields of method granular against closed forms and conserved quantities. */
#include <math.h>

#include "methods/granular/law/cone.h"
#include "methods/granular/step/stages.h"
#include "tests/support/picture.h"
#include "tests/support/suites.h"

/* One line of sand in a box. @param more  of the scene, with a comma before it */
static sim_run open_sand(const char *material, const char *surface, const char *specimens, const char *box, const char *gravity,
                         const char *options, double duration, const char *more)
{
  char text[6000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"sand\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":"
           "0.6%s}],"
           "\"contact\":{\"friction_coefficient\":%s},\"specimens\":[%s],\"rig\":{%s,\"gravity\":%s},\"options\":{%s},\"time\":{"
           "\"duration\":%g},"
           "\"output\":{\"frame_interval\":%g,\"sample_interval\":%g}%s}",
           material, surface, specimens, box, gravity, options, duration, duration, duration, more);
  return run_open(text, 1);
}

#define BOX(x, y, z) "\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[" #x "," #y "," #z "]"
#define BLOCK(size, at, more)                                                                                                              \
  "{\"name\":\"block\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":[" size                                                  \
  "]},\"placement\":{\"type\":\"single\",\"position\":[" at "]}" more "}"
#define FRICTION ",\"internal_friction\":0.4"

static granular_state *state_of(const sim_run *r)
{
  return r->sim->state;
}

/* A block of 0.08 x 0.06 x 0.08 m that flies at (0.4, -0.2, 0.6) m/s under g, in the plane without y. The method's steps are x += dt
 * u with the new u, so
 * after steps dt_k the velocity is v + g t exactly and the place has sum_k dt_k t_k g: summed up here. Kinetic energy, and that
 * gravity's work is all of what it
 * gained but for what implicit steps take, dt m g^2 dt/2 each: summed up here. 1e-12; spec check 3. */
static void fly(const char *dimension, bool space)
{
  char options[200];
  snprintf(options, sizeof options, "\"dimension\":\"%s\",\"cell\":0.02", dimension);
  sim_run r = open_sand(FRICTION, "0.3", BLOCK("0.08,0.06,0.08", "0.3,0.3,0.2", ",\"velocity\":[0.4,0,0.6]"), BOX(0.6, 0.6, 0.6),
                        "[0,0,-9.81]", options, 0.2, "");
  double depth = space ? 0.06 : 0.6, mass = 1500 * 0.08 * 0.08 * depth, fallen = 0, lost = 0;
  claim_relative("flying block: mass, kg", run_curve(&r, "mass"), mass, 1e-12, "bulk density times volume");
  claim_relative("flying block: points", run_value(&r, "points"), space ? 8.0 * 6 * 8 : 144, 0, "3 x 3 or 2 x 2 x 2 a cell");
  claim_relative("flying block: height, m", run_value(&r, "height"), 0.24, 1e-12, "its top");
  claim_absolute("flying block: front, m", run_value(&r, "front"), space ? 0 : 0.34, 1e-12,
                 space ? "it is a tenth of the depth: no column is deep" : "its side");
  for (int k = 0; k < 20; k++) {
    run_steps(&r, 1);
    double dt = r.sim->time_step;
    fallen += dt * r.sim->time * 9.81;
    lost += 0.5 * mass * 9.81 * dt * 9.81 * dt;
  }
  double t = scr_sim_time(r.sim), w = 0.6 - 9.81 * t;
  run_observe(&r);
  claim_absolute("flying block: centroid.x, m", run_value(&r, "centroid.x"), 0.3 + 0.4 * t, 1e-12, "v t");
  claim_absolute("flying block: centroid.y, m", run_value(&r, "centroid.y"), 0.3, 1e-12, "no velocity");
  claim_absolute("flying block: centroid.z, m", run_value(&r, "centroid.z"), 0.2 + 0.6 * t - fallen, 1e-12, "sum of dt v");
  claim_relative("flying block: speed, m/s", run_value(&r, "speed"), sqrt(0.16 + w * w), 1e-12, "v + g t");
  claim_relative("flying block: momentum.x, N s", run_value(&r, "momentum.x"), mass * 0.4, 1e-12, "conserved");
  claim_relative("flying block: momentum.z, N s", run_value(&r, "momentum.z"), mass * w, 1e-12, "m (v + g t)");
  claim_relative("flying block: energy.kinetic, J", run_value(&r, "energy.kinetic"), 0.5 * mass * (0.16 + w * w), 1e-12, "m v^2/2");
  claim_relative("flying block: energy.external, J", run_value(&r, "energy.external"), mass * 9.81 * (fallen - 0.6 * t), 1e-11,
                 "m g times the fall");
  claim_relative("flying block: energy.numerical, J", run_value(&r, "energy.numerical"), lost, 1e-9, "m (g dt)^2/2 each step");
  claim_absolute("flying block: energy.friction, J", run_value(&r, "energy.friction"), 0, 0, "nothing touches");
  claim_absolute("flying block: residual.largest", run_value(&r, "residual.largest"), 0, 1e-12, "no stress");
  double largest = 0;
  for (size_t i = 0; i < state_of(&r)->point_count; i++)
    for (int a = 0; a < 9; a++) largest = fmax(largest, fabs(state_of(&r)->points[i].c[a / 3][a % 3]));
  claim_absolute("flying block: largest gradient of velocity, 1/s", largest, 0, 1e-10, "no deformation");
  run_close(&r);
}

static void test_a_flying_block_keeps_galileos_law(void **state)
{
  (void)state;
  fly("plane", false);
  fly("space", true);
}

/* Sand in a tilted box at rest beside a post: forces on walls and post sum up to its weight, and with their torques to the weight's moment
 * about the origin, both to what is left of the momentum. The post covers parts of two walls, so that torques of opposite walls, 6 mN m
 * about z, do not cancel. */
static void test_walls_bear_the_weight_and_its_moment(void **state)
{
  (void)state;
  static const char *const walls[] = {"wall.x_min", "wall.x_max", "wall.y_min", "wall.y_max", "wall.z_min", "wall.z_max", "obstacle.post"};
  static const char *const forces[] = {".force_x", ".force_y", ".force_z"}, *const torques[] = {".torque_x", ".torque_y", ".torque_z"};
  sim_run r = open_sand(FRICTION, "0.3", BLOCK("0.08,0.08,0.06", "0.04,0.04,0.03", ""), BOX(0.08, 0.08, 0.1), "[1,0.6,-9.81]",
                        "\"cell\":0.01,\"sweeps\":400,\"tolerance\":1e-7", 1,
                        ",\"obstacles\":[{\"name\":\"post\",\"shape\":{\"type\":\"box\",\"size\":[0.04,0.03,0.12]},"
                        "\"position\":[0.06,0.015,0.06]}]");
  double force[3] = {0}, moment[3] = {0}, mass = 1500 * (0.08 * 0.08 - 0.04 * 0.03) * 0.06;
  run_until(&r, 0.3);
  run_observe(&r);
  for (int w = 0; w < 7; w++) {
    double f[3], t[3];
    char name[60];
    for (int a = 0; a < 3; a++) {
      snprintf(name, sizeof name, "%s%s", walls[w], forces[a]);
      f[a] = run_value(&r, name);
      snprintf(name, sizeof name, "%s%s", walls[w], torques[a]);
      t[a] = run_value(&r, name);
    }
    scr_vec3 x = r.sim->parts.now[w].pose.position, m = vec3_add(vec3(t[0], t[1], t[2]), vec3_cross(x, vec3(f[0], f[1], f[2])));
    force[0] += f[0], force[1] += f[1], force[2] += f[2];
    moment[0] += m.x, moment[1] += m.y, moment[2] += m.z;
  }
  scr_vec3 weight = vec3(mass * 1, mass * 0.6, mass * -9.81);
  scr_vec3 centre = vec3(run_value(&r, "centroid.x"), run_value(&r, "centroid.y"), run_value(&r, "centroid.z"));
  scr_vec3 about = vec3_cross(centre, weight);
  claim_absolute("force on walls and post, x, N", force[0], weight.x, 1e-5 * mass * 9.81, "weight");
  claim_absolute("force on walls and post, y, N", force[1], weight.y, 1e-5 * mass * 9.81, "weight");
  claim_absolute("force on walls and post, z, N", force[2], weight.z, 1e-5 * mass * 9.81, "weight");
  claim_absolute("moment on walls and post, x, N m", moment[0], about.x, 1e-5 * mass * 9.81 * 0.08, "moment of the weight");
  claim_absolute("moment on walls and post, y, N m", moment[1], about.y, 1e-5 * mass * 9.81 * 0.08, "moment of the weight");
  claim_absolute("moment on walls and post, z, N m", moment[2], about.z, 1e-5 * mass * 9.81 * 0.08, "moment of the weight");
  run_close(&r);
}

/* Far from the sand a plate goes at 2 m/s, a paddle turns at 3 rad/s, and a press that meets nothing goes at its servo's largest
 * velocity: to rounding. */
static void test_parts_are_where_their_programs_take_them(void **state)
{
  (void)state;
  sim_run r = open_sand(FRICTION, "0.3", BLOCK("0.1,0.1,0.1", "0,0,0", ""), "\"type\":\"none\"", "[0,0,0]",
                        "\"cell\":0.02,\"domain_minimum\":[-0.2,-0.2,-0.2],\"domain_maximum\":[0.2,0.2,0.2]", 0.5,
                        ",\"obstacles\":[{\"name\":\"paddle\",\"shape\":{\"type\":\"box\",\"size\":[0.4,0.2,0.1]},\"position\":[5,0,0],"
                        "\"turn\":[{\"type\":\"constant\",\"angular_velocity\":3}]},"
                        "{\"name\":\"plate\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,-5],\"direction\":[0,0,-1],"
                        "\"program\":[{\"type\":\"constant\",\"velocity\":2}]},"
                        "{\"name\":\"press\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,-6],\"direction\":[0,0,-1],"
                        "\"program\":[{\"type\":\"servo\",\"force\":1e9,\"gain\":1e-6,\"maximum_velocity\":0.5}]}]");
  run_steps(&r, 5);
  double t = scr_sim_time(r.sim);
  claim_relative("driven plate: displacement, m", run_curve(&r, "obstacle.plate.displacement"), 2 * t, 1e-12, "v t");
  claim_relative("turning paddle: rotation, rad", run_value(&r, "obstacle.paddle.rotation"), 3 * t, 1e-12, "w t");
  claim_relative("press of a servo that meets nothing: velocity, m/s", run_value(&r, "obstacle.press.velocity"), 0.5, 1e-12, "its largest");
  run_close(&r);
}

/* A free ball that meets nothing flies by Galileo's law, x + v t + g t^2/2: kick, way and kick give it to rounding. */
static void test_a_free_ball_flies_by_galileos_law(void **state)
{
  (void)state;
  sim_run r = open_sand(FRICTION, "0.3", BLOCK("0.1,0.1,0.1", "0,0,0", ""), "\"type\":\"none\"", "[0.3,-0.4,-9.81]",
                        "\"cell\":0.02,\"domain_minimum\":[-0.2,-0.2,-0.2],\"domain_maximum\":[0.2,0.2,0.2]", 0.5,
                        ",\"obstacles\":[{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"position\":[4,5,6],"
                        "\"free\":{\"density\":2000,\"velocity\":[1,-2,3]}}]");
  run_steps(&r, 20);
  double t = scr_sim_time(r.sim);
  claim_relative("free ball: x, m", run_curve(&r, "obstacle.ball.x"), 4 + t + 0.15 * t * t, 1e-12, "Galileo's law");
  claim_relative("free ball: y, m", run_value(&r, "obstacle.ball.y"), 5 - 2 * t - 0.2 * t * t, 1e-12, "Galileo's law");
  claim_relative("free ball: z, m", run_value(&r, "obstacle.ball.z"), 6 + 3 * t - 4.905 * t * t, 1e-12, "Galileo's law");
  claim_absolute("free ball: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-12, "conservation of energy");
  run_close(&r);
}

/* A free ball hits a block of sand off its middle, in empty space: momentum of both together stays to rounding, the balance of energy
 * too, and the ball turns and slows down. */
static void test_sand_and_a_ball_exchange_momentum(void **state)
{
  (void)state;
  sim_run r = open_sand(FRICTION, "0.5", BLOCK("0.1,0.1,0.1", "0,0,0", ""), "\"type\":\"none\"", "[0,0,0]",
                        "\"cell\":0.01,\"domain_minimum\":[-0.2,-0.2,-0.2],\"domain_maximum\":[0.2,0.2,0.2]", 0.5,
                        ",\"obstacles\":[{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.03},\"position\":[-0.09,0,0.02],"
                        "\"free\":{\"density\":3000,\"velocity\":[1,0,-0.3]}}]");
  const sim_parts *parts = &r.sim->parts;
  double mass = parts->form[0].mass.mass;
  run_until(&r, 0.1);
  run_observe(&r);
  scr_vec3 v = parts->flight[0].velocity;
  claim_absolute("momentum of sand and ball, x, N s", run_value(&r, "momentum.x") + mass * v.x, mass, 1e-13, "conserved");
  claim_absolute("momentum of sand and ball, z, N s", run_value(&r, "momentum.z") + mass * v.z, -0.3 * mass, 1e-13, "conserved");
  claim_between("what the ball keeps of its speed", v.x, 0.1, 0.9, "it pushes the sand");
  claim_between("spin of the ball, rad/s", vec3_length(parts->now[0].spin), 0.1, 100, "friction off its middle");
  claim_absolute("sand and ball: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-12, "conservation of energy");
  run_close(&r);
}

/* A ball on an empty floor, and another on top of it: both come to rest where they touch, less than a hundredth of a radius deep, and
 * the floor bears both weights. Nothing passes through
 * anything. The sand lies far off. */
static void test_balls_rest_on_each_other_and_on_the_floor(void **state)
{
  (void)state;
  sim_run r = open_sand(
      FRICTION, "0.5", BLOCK("0.04,0.04,0.02", "0.36,0.36,0.01", ""), BOX(0.4, 0.4, 0.3), "[0,0,-9.81]", "\"cell\":0.02", 2,
      ",\"obstacles\":[{\"name\":\"low\",\"shape\":{\"type\":\"sphere\",\"radius\":0.04},\"position\":[0.1,0.1,0.06],\"free\":{\"density\":"
      "2000}},"
      "{\"name\":\"high\",\"shape\":{\"type\":\"sphere\",\"radius\":0.04},\"position\":[0.1,0.1,0.16],\"free\":{\"density\":2000}}]");
  double weight = 2 * 2000 * 4.0 / 3 * M_PI * pow(0.04, 3) * 9.81, sand = 1500 * 0.04 * 0.04 * 0.02 * 9.81;
  run_until(&r, 0.5);
  run_observe(&r);
  claim_absolute("height of the lower ball, m", run_value(&r, "obstacle.low.z"), 0.04, 4e-4, "it touches the floor");
  claim_absolute("height of the upper ball, m", run_value(&r, "obstacle.high.z"), 0.12, 8e-4, "it touches the lower one");
  claim_relative("force on the floor, N", -run_value(&r, "wall.z_min.force_z"), weight + sand, 2e-2, "weights of balls and sand");
  run_close(&r);
}

/* A layer without ends slides on a floor of friction 0.2, less than its own 0.4: v = v0 - 0.2 g t until it rests. Friction takes m
 * (v0^2 - v^2)/2 less what implicit steps
 * book, m (0.2 g dt)^2/2 each. 1e-3 of it: what sweeps leave. */
static void test_a_layer_slides_by_coulombs_law(void **state)
{
  (void)state;
  sim_run r =
      open_sand(FRICTION, "0.2", BLOCK("0.16,0.1,0.05", "0.08,0.05,0.025", ",\"velocity\":[1,0,0]"), BOX(0.16, 0.1, 0.1), "[0,0,-9.81]",
                "\"dimension\":\"plane\",\"cell\":0.01,\"periodic_x\":true,\"sweeps\":200,\"tolerance\":1e-6", 0.5, "");
  double mass = 1500 * 0.16 * 0.1 * 0.05, lost = 0;
  for (int k = 0; k < 40; k++) {
    run_steps(&r, 1);
    double dv = 0.2 * 9.81 * r.sim->time_step;
    lost += 0.5 * mass * dv * dv;
  }
  double t = scr_sim_time(r.sim), v = 1 - 0.2 * 9.81 * t;
  run_observe(&r);
  claim_relative("sliding layer: momentum.x, N s", run_value(&r, "momentum.x"), mass * v, 1e-3, "m (v0 - mu g t)");
  claim_relative("sliding layer: energy.friction, J", run_value(&r, "energy.friction"), 0.5 * mass * (1 - v * v) - lost, 1e-3,
                 "kinetic energy that it lost");
  claim_absolute("sliding layer: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-12, "the ledger's identity");
  run_close(&r);
}

/* A cohesive block falls on the floor and comes to rest: what friction, compaction, cohesion and steps took together is the work of
 * gravity, and no term is idle. The ledger sums each up by
 * itself, so the balance holds to rounding: 1e-12. */
static void test_losses_of_a_fall_sum_up(void **state)
{
  (void)state;
  sim_run r = open_sand(FRICTION ",\"cohesion\":1000,\"debonding\":3", "0.5", BLOCK("0.1,0.1,0.12", "0.1,0.05,0.1", ""), BOX(0.2, 0.1, 0.2),
                        "[0,0,-9.81]", "\"dimension\":\"plane\",\"cell\":0.01", 1, "");
  double mass = 1500 * 0.1 * 0.1 * 0.12;
  run_until(&r, 0.5);
  run_observe(&r);
  double fell = mass * 9.81 * (0.1 - run_value(&r, "centroid.z")), external = run_value(&r, "energy.external");
  double sum = run_value(&r, "energy.friction") + run_value(&r, "energy.impact") + run_value(&r, "energy.fracture") +
               run_value(&r, "energy.numerical");
  claim_relative("fallen block: energy.external, J", external, fell, 1e-9, "m g times the fall");
  claim_relative("fallen block: all losses and energy.kinetic, J", sum + run_value(&r, "energy.kinetic"), external, 1e-12,
                 "conservation of energy");
  claim_absolute("fallen block: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-12, "conservation of energy");
  claim_between("share of energy.impact", fabs(run_value(&r, "energy.impact")) / external, 1e-6, 1, "no term is idle");
  claim_between("share of energy.fracture", fabs(run_value(&r, "energy.fracture")) / external, 1e-6, 1, "no term is idle");
  run_close(&r);
}

/* A tenth of the energy that a flying block has, put into the ledger or taken out of it: the balance is off by that, over the largest
 * energy. */
static void test_what_is_amiss_shows_in_the_balance(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run r = open_sand(FRICTION, "0.3", BLOCK("0.1,0.1,0.1", "0,0,0", ",\"velocity\":[1,0,0]"), "\"type\":\"none\"", "[0,0,0]",
                          "\"cell\":0.02,\"domain_minimum\":[-0.2,-0.2,-0.2],\"domain_maximum\":[0.2,0.2,0.2]", 0.5, "");
    run_steps(&r, 2);
    double energy = run_curve(&r, "energy.kinetic"), amiss = (k ? 0.1 : -0.1) * energy;
    r.sim->ledger.start += amiss;
    claim_relative("what is amiss: energy.balance_error", run_curve(&r, "energy.balance_error"), amiss / energy, 1e-6,
                   "what is amiss over the largest energy");
    run_close(&r);
  }
}

/* A stream of four fillings falls into an outlet: what is there, and what was taken out, is what there was and what was poured; all
 * four are out in the end. Mass to rounding, and so energy: with nothing left, all that gravity and the filling gave is lost or left. */
static void test_mass_of_sources_and_outlets(void **state)
{
  (void)state;
  sim_run r =
      open_sand(FRICTION, "0.3", BLOCK("0.04,0.1,0.03", "0.1,0.05,0.2", ",\"velocity\":[0,0,-0.5],\"pour_interval\":0.06,\"pour_count\":4"),
                BOX(0.2, 0.1, 0.24), "[0,0,-9.81]",
                "\"dimension\":\"plane\",\"cell\":0.01,\"outlet_minimum\":[0,0,0],\"outlet_maximum\":[0.2,0.1,0.03]", 1, "");
  double filling = 1500 * 0.04 * 0.1 * 0.03;
  run_until(&r, 0.15);
  run_observe(&r);
  claim_relative("poured after 0.15 s, kg", run_value(&r, "poured"), 2 * filling, 1e-12, "two fillings after the first");
  claim_relative("mass and discharge, kg", run_value(&r, "mass") + run_value(&r, "discharge"), 3 * filling, 1e-12, "conservation of mass");
  run_until(&r, 0.6);
  run_observe(&r);
  claim_relative("discharge in the end, kg", run_value(&r, "discharge"), 4 * filling, 1e-12, "all that was poured");
  claim_absolute("mass in the end, kg", run_value(&r, "mass"), 0, 0, "all is out");
  claim_absolute("stream into an outlet: energy.kinetic, J", run_value(&r, "energy.kinetic"), 0, 0, "nothing is left");
  claim_absolute("stream into an outlet: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-12,
                 "what was poured brought its energy, what left took it along");
  run_close(&r);
}

/* Sums of a step anew from its cells, by the law's residual: largest and rms over those that press, over g dt/h; and their fractions.
 * 1e-12. With a tolerance out of reach all sweeps are
 * taken that there are: the budget's 20 fold. */
static void test_residuals_and_fractions_are_those_of_the_cells(void **state)
{
  (void)state;
  sim_run r = open_sand(FRICTION, "0.3", BLOCK("0.1,0.1,0.1", "0.05,0.05,0.05", ""), BOX(0.2, 0.1, 0.2), "[0,0,-9.81]",
                        "\"dimension\":\"plane\",\"cell\":0.01,\"sweeps\":2,\"tolerance\":1e-300", 1, "");
  run_steps(&r, 1);
  const granular_state *s = state_of(&r);
  double largest = 0, square = 0, pressed = 0, cells = 0, full = 0, sum = 0, scale = 9.81 * r.sim->time_step / 0.01;
  for (size_t k = 0; k < s->cell_count; k++) {
    const granular_cell *c = &s->cells[k];
    double rate[GRANULAR_TENSOR];
    granular_rate(2, c, s->nodes, rate);
    rate[0] += c->gap;
    if (c->r[0] == 0 && rate[0] >= 0) continue;
    double residual = cone_residual(2, c->r, rate, 1 / c->inverse_normal, c->friction) / scale;
    largest = fmax(largest, residual), square += residual * residual;
    if (!(c->r[0] > 0)) continue;
    pressed++, cells++, full = fmax(full, s->extra[k].fraction), sum += s->extra[k].fraction;
  }
  for (size_t k = 0; k < s->contact_count; k++) {
    const granular_contact *c = &s->contacts[k];
    const double *u = s->nodes[c->node].u, w = s->nodes[c->node].inverse_mass;
    double n = c->r[0] * c->normal[0] + c->r[1] * c->normal[1], un = u[0] * c->normal[0] + u[1] * c->normal[1],
           t = c->r[1] * c->normal[0] - c->r[0] * c->normal[1];
    double ut = u[1] * c->normal[0] - u[0] * c->normal[1], press = fmax(n - un / w, 0),
           hold = fmin(fmax(t - ut / w, -0.3 * press), 0.3 * press);
    double residual = hypot(press - n, hold - t) * w / 0.01 / scale; /* Coulomb's law of one node, in normal and tangent */
    largest = fmax(largest, residual), square += residual * residual, pressed += n > 0;
  }
  run_observe(&r);
  claim_relative("residual.largest", run_value(&r, "residual.largest"), largest, 1e-9, "the cells' residuals");
  claim_relative("residual.rms", run_value(&r, "residual.rms"), sqrt(square / pressed), 1e-9, "the cells' residuals");
  claim_relative("fraction.largest", run_value(&r, "fraction.largest"), 1, 1e-12, "a full block");
  claim_relative("fraction.mean", run_value(&r, "fraction.mean"), sum / cells, 1e-12, "the cells' fractions");
  claim_absolute("fraction of a full block", sum / cells, 1, 1e-12, "3 x 3 points a cell");
  claim_absolute("sweeps", run_value(&r, "sweeps"), 40, 0, "the budget's 20 fold");
  run_close(&r);
}

/* A column of liquid, mu = 0, at rest: pressure is the weight of what lies above, by layers 0.5 %, and the cells' fractions are 1. */
static void test_a_column_shows_its_pressure(void **state)
{
  (void)state;
  sim_run r = open_sand(",\"internal_friction\":0", "0", BLOCK("0.04,0.1,0.1", "0.02,0.05,0.05", ""), BOX(0.04, 0.1, 0.12), "[0,0,-9.81]",
                        "\"dimension\":\"plane\",\"cell\":0.01,\"sweeps\":1000,\"tolerance\":1e-8", 1, "");
  run_steps(&r, 1);
  double cold = run_curve(&r, "sweeps");
  run_steps(&r, 9);
  claim_between("column at rest: sweeps of the tenth step over those of the first", run_curve(&r, "sweeps") / cold, 0, 0.5,
                "it begins with the stresses that the step before found");
  picture p = take(&r);
  look(&p);
  double pressure = 0, count = 0, fraction = 0;
  for (uint32_t k = 0; k < drawable(&p, "sand")->count; k++) {
    double z = field(&p, "sand", "position", k, 2);
    fraction = fmax(fraction, fabs(field(&p, "sand", "fraction", k, 0) - 1));
    if (z > 0.02 && z < 0.03) pressure += field(&p, "sand", "pressure", k, 0), count++;
  }
  claim_absolute("points of a layer", count, 36, 0, "4 cells of 3 x 3");
  claim_relative("pressure 75 mm deep, Pa", pressure / count, 1500 * 9.81 * 0.075, 5e-3, "rho g z");
  claim_absolute("fraction, off 1", fraction, 0, 1e-3, "packed");
  claim_absolute("state under pressure", field(&p, "sand", "state", 0, 0), 1, 1e-3, "without friction all that presses is liquid");
  put_away(&p);
  run_close(&r);
}

/* Points get velocity gradients and pressures by hand: the picture shows shear rate, inertial number I = rate d/sqrt(p/rho) and state
 * by their definitions; a flying
 * block's speed and place. 16 bits. */
static void test_fields_of_points(void **state)
{
  (void)state;
  sim_run r =
      open_sand(FRICTION ",\"grain_diameter\":0.002", "0.3", BLOCK("0.02,0.02,0.02", "0.1,0.06,0.1", ",\"velocity\":[0.3,-0.4,1.2]"),
                BOX(0.2, 0.2, 0.2), "[0,0,-9.81]", "\"cell\":0.02", 1, "");
  granular_state *s = state_of(&r);
  for (size_t i = 0; i < s->point_count; i++)
    s->points[i].c[2][0] = 5.0 * (double)i, s->points[i].pressure = i == 0 ? 0 : 400, s->points[i].mobility = i == 1 ? 1 : 0.5;
  picture p = take(&r);
  look(&p);
  double mean = 0;
  for (uint32_t k = 0; k < 8; k++) mean += field(&p, "sand", "position", k, 0) / 8;
  claim_absolute("place, m", mean, 0.1, 1e-6, "as given");
  claim_relative("speed, m/s", field(&p, "sand", "speed", 3, 0), 1.3, 1e-4, "sqrt(0.09 + 0.16 + 1.44)");
  claim_relative("shear_rate, 1/s", field(&p, "sand", "shear_rate", 7, 0), 35, 1e-4, "d u_x/d z");
  claim_relative("inertial_number", field(&p, "sand", "inertial_number", 7, 0), 35 * 0.002 / sqrt(400 / 2500.0), 1e-4,
                 "rate d/sqrt(p/rho)");
  for (uint32_t k = 0; k < 8; k++) claim_absolute("id", field(&p, "sand", "id", k, 0), s->points[k].number, 0, "in order of birth");
  claim_absolute("state of gas", field(&p, "sand", "state", 0, 0), 0, 1e-4, "no pressure");
  claim_absolute("state of liquid", field(&p, "sand", "state", 1, 0), 1, 1e-4, "at the cone");
  claim_absolute("state of a solid", field(&p, "sand", "state", 2, 0), 2, 1e-4, "within the cone");
  put_away(&p);
  run_close(&r);
}

/* Two full cells of 2 x 2 x 2 points, which get velocities, gradients and pressures by hand; one point is three times as large. Cells show
 * volume over that of a cell, and means weighted with volumes. Cell (4, 2, 2) of 10 x 10 x 10 is number 224. 16 bits. */
static void test_fields_of_cells(void **state)
{
  (void)state;
  sim_run r = open_sand(FRICTION ",\"grain_diameter\":0.002", "0.3", BLOCK("0.04,0.02,0.02", "0.1,0.05,0.05", ""), BOX(0.2, 0.2, 0.2),
                        "[0,0,-9.81]", "\"cell\":0.02,\"show_cells\":true", 1, "");
  granular_state *s = state_of(&r);
  int seen[2] = {0};
  assert_int_equal(s->point_count, 16);
  for (size_t i = 0; i < s->point_count; i++) {
    granular_point *p = &s->points[i];
    int right = p->x[0] > 0.1, odd = seen[right]++ % 2;
    p->u[0] = odd ? 3 : 1, p->u[1] = right, p->u[2] = -2;
    p->c[2][0] = odd ? 30 : 10;
    p->pressure = odd ? 900 : 400;
    if (right && seen[1] == 2) p->volume *= 3; /* one of the odd ones */
  }
  picture p = take(&r);
  look(&p);
  double slow = 10 * 0.002 / sqrt(400 / 2500.0), fast = 30 * 0.002 / sqrt(900 / 2500.0);
  assert_int_equal(drawable(&p, "cells")->count, 2);
  for (uint32_t k = 0; k < 2; k++) {
    double odd = k ? 6.0 / 10 : 0.5; /* weight of the odd points */
    claim_absolute("cell", field(&p, "cells", "cell", k, 0), 224 + k, 0, "4 + 10 (2 + 10 2)");
    claim_relative("volume_fraction", field(&p, "cells", "volume_fraction", k, 0), k ? 1.25 : 1, 1e-4, "10 or 8 eighths");
    claim_relative("mean_pressure, Pa", field(&p, "cells", "mean_pressure", k, 0), 400 + 500 * odd, 1e-4, "weighted mean");
    claim_relative("mean_velocity along x, m/s", field(&p, "cells", "mean_velocity", k, 0), 1 + 2 * odd, 1e-4, "weighted mean");
    claim_absolute("mean_velocity along y, m/s", field(&p, "cells", "mean_velocity", k, 1), k, 1e-4, "as given");
    claim_relative("mean_velocity along z, m/s", field(&p, "cells", "mean_velocity", k, 2), -2, 1e-4, "as given");
    claim_relative("mean_shear_rate, 1/s", field(&p, "cells", "mean_shear_rate", k, 0), 10 + 20 * odd, 1e-4, "weighted mean");
    claim_relative("mean_inertial_number", field(&p, "cells", "mean_inertial_number", k, 0), slow + (fast - slow) * odd, 1e-4,
                   "weighted mean of rate d/sqrt(p/rho)");
  }
  put_away(&p);
  run_close(&r);
}

/* In the plane cells are rectangles in the slice's middle; points on the domain's far side are of its last cells. */
static void test_cells_of_the_plane_lie_in_its_middle(void **state)
{
  (void)state;
  sim_run r = open_sand(FRICTION, "0.3", BLOCK("0.04,0.06,0.04", "0.18,0.03,0.02", ""), BOX(0.2, 0.06, 0.12), "[0,0,-9.81]",
                        "\"dimension\":\"plane\",\"cell\":0.02,\"show_cells\":true", 1, "");
  granular_state *s = state_of(&r);
  for (size_t i = 0; i < s->point_count; i++)
    if (s->points[i].x[0] > 0.18) s->points[i].x[0] = 0.2;
  picture p = take(&r);
  look(&p);
  const drawable_view *cells = drawable(&p, "cells");
  const scr_grid_shape *grid = &cells->drawable->grid;
  const uint32_t expected[4] = {8, 9, 18, 19};
  assert_int_equal(cells->count, 4);
  for (uint32_t k = 0; k < 4; k++) assert_int_equal(drawable_view_cell(cells, k), expected[k]);
  claim_absolute("y of the cells, m", grid->origin.y, 0.03, 1e-15, "the slice's middle");
  assert_true(grid->spacing.x == 0.02 && grid->spacing.y == 0 && grid->spacing.z == 0.02);
  assert_true(grid->counts[0] == 10 && grid->counts[1] == 1 && grid->counts[2] == 6);
  put_away(&p);
  run_close(&r);
}

SUITE(test_granular_curves)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_flying_block_keeps_galileos_law),
      cmocka_unit_test(test_walls_bear_the_weight_and_its_moment),
      cmocka_unit_test(test_parts_are_where_their_programs_take_them),
      cmocka_unit_test(test_a_free_ball_flies_by_galileos_law),
      cmocka_unit_test(test_sand_and_a_ball_exchange_momentum),
      cmocka_unit_test(test_balls_rest_on_each_other_and_on_the_floor),
      cmocka_unit_test(test_a_layer_slides_by_coulombs_law),
      cmocka_unit_test(test_losses_of_a_fall_sum_up),
      cmocka_unit_test(test_what_is_amiss_shows_in_the_balance),
      cmocka_unit_test(test_mass_of_sources_and_outlets),
      cmocka_unit_test(test_residuals_and_fractions_are_those_of_the_cells),
      cmocka_unit_test(test_a_column_shows_its_pressure),
      cmocka_unit_test(test_fields_of_points),
      cmocka_unit_test(test_fields_of_cells),
      cmocka_unit_test(test_cells_of_the_plane_lie_in_its_middle),
  };
  return cmocka_run_group_tests_name("granular curves", tests, NULL, NULL);
}
