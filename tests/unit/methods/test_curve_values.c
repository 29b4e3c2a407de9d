/* Curves that every method declares alike, against closed forms: parts that turn, fly or are moved by a servo, bodies that fall or slide,
 * and what a body at rest does to the floor that bears it. One scene text for all methods; what differs between them are a few words. */
#include "sim/rig/flight.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

typedef struct maker {
  const char *method;
  const char *material, *contact, *specimen, *options; /* JSON, with a comma before them or "" */
  const char *settling;                                /* more options where a body is to come to rest */
  double step;                                         /* s; 0: the method's own */
  bool flies;                                          /* parts may fly freely */
} maker;

static const maker makers[] = {
    {"peridem", ",\"bulk_modulus\":1e6", ",\"damping_ratio\":0.3", ",\"spacing\":0.05", "\"breakable\":false", ",\"damping_rate\":40", 0,
     true},
    {"bdem", ",\"young_modulus\":1e6", ",\"damping_ratio\":0.3", ",\"spacing\":0.05", "\"breakable\":false", "", 0, true},
    {"fem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", "", ",\"divisions\":[3,3,3]", "\"law\":\"linear\"", "", 1e-3, false},
    {"lsdem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", ",\"contact_stiffness\":1e7,\"damping_time\":1e-3",
     ",\"spacing\":0.05,\"grid_spacing\":0.04", "\"skin\":0.1", "", 1e-4, true},
    {"rigid", "", "", "", "\"tolerance\":1e-9", "", 1e-3, true},
};
enum { MAKERS = sizeof makers / sizeof *makers };

/* A block of 0.2 x 0.2 x 0.2 m, 1000 kg/m^3. @param more of the specimen, e.g. ",\"velocity\":[1,0,0]" */
static sim_run open_block(const maker *m, const char *place, const char *more, const char *gravity, double friction, const char *obstacles,
                          bool settles)
{
  char text[4096], step[60] = "";
  if (m->step > 0) snprintf(step, sizeof step, ",\"time_step\":%.17g", m->step);
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"values\",\"method\":\"%s\",\"materials\":[{\"name\":\"m\",\"density\":1000%s}],"
           "\"contact\":{\"friction_coefficient\":%g%s},\"specimens\":[{\"name\":\"block\",\"material\":\"m\"%s,"
           "\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"placement\":{\"type\":\"single\",\"position\":%s}%s}],"
           "\"rig\":{\"type\":\"none\",\"gravity\":%s},\"obstacles\":[%s],\"time\":{\"duration\":1%s},"
           "\"output\":{\"frame_interval\":1,\"sample_interval\":1},\"options\":{%s%s}}",
           m->method, m->material, friction, m->contact, m->specimen, place, more, gravity, obstacles, step, m->options,
           settles ? m->settling : "");
  print_message("# %s\n", m->method);
  return run_open(text, 1);
}

/* Far from everything a paddle turns at 3 rad/s and a plate is driven at 2 m/s: displacement and rotation are rate times time, at any step.
 * Parts that a servo moves against nothing go at its largest velocity. To rounding. */
static void test_driven_parts_are_where_their_programs_take_them(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    sim_run r = open_block(&makers[k], "[0,0,0]", "", "[0,0,0]", 0,
                           "{\"name\":\"paddle\",\"shape\":{\"type\":\"box\",\"size\":[0.4,0.2,0.1]},\"position\":[5,0,0],"
                           "\"turn\":[{\"type\":\"constant\",\"angular_velocity\":3}]},"
                           "{\"name\":\"plate\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,-5],\"direction\":[0,0,-1],"
                           "\"program\":[{\"type\":\"constant\",\"velocity\":2}]},"
                           "{\"name\":\"press\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,-6],\"direction\":[0,0,-1],"
                           "\"program\":[{\"type\":\"servo\",\"force\":1e9,\"gain\":1e-6,\"maximum_velocity\":0.5}]}",
                           false);
    run_steps(&r, 20);
    double time = scr_sim_time(r.sim);
    claim_relative("driven plate: displacement, m", run_curve(&r, "obstacle.plate.displacement"), 2 * time, 1e-9, "v t");
    claim_relative("turning paddle: rotation, rad", run_value(&r, "obstacle.paddle.rotation"), 3 * time, 1e-9, "w t");
    claim_relative("press of a servo that meets nothing: velocity, m/s", run_value(&r, "obstacle.press.velocity"), 0.5, 1e-9,
                   "its largest");
    claim_absolute("nothing touches: force on the plate, N", run_value(&r, "obstacle.plate.force_z"), 0, 0, "nothing touches");
    run_close(&r);
  }
}

/* A ball that flies freely: place by place + v t + g t^2 / 2 along each axis. Kick, drift and kick give the closed form to rounding; where
 * a part is one of rigid bodies its way is that of the step's last velocity, g t dt / 2 more: 1e-5. */
static void test_free_parts_fly_by_galileos_law(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    if (!makers[k].flies) continue;
    sim_run r = open_block(&makers[k], "[0,0,0]", "", "[0.3,-0.4,-9.81]", 0,
                           "{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"position\":[4,5,6],"
                           "\"free\":{\"density\":2000,\"velocity\":[1,-2,3]}}",
                           false);
    run_steps(&r, 50);
    double t = scr_sim_time(r.sim), exact = strcmp(makers[k].method, "rigid") == 0 ? 5e-5 : 1e-9;
    claim_relative("free ball: x, m", run_curve(&r, "obstacle.ball.x"), 4 + t + 0.15 * t * t, exact, "Galileo's law");
    claim_relative("free ball: y, m", run_value(&r, "obstacle.ball.y"), 5 - 2 * t - 0.2 * t * t, exact, "Galileo's law");
    claim_relative("free ball: z, m", run_value(&r, "obstacle.ball.z"), 6 + 3 * t - 4.905 * t * t, exact, "Galileo's law");
    claim_absolute("free ball: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
    run_close(&r);
  }
}

/* A block at 1 m/s meets a free ball of 2000 kg/m^3: the force on the ball, summed up over time, is the momentum that it has afterwards,
 * which its way tells. 2 %: of a step's force some methods show the end's, not the mean. */
static void test_the_force_on_a_free_part_is_its_momentum(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    if (!makers[k].flies) continue;
    sim_run r = open_block(&makers[k], "[0,0,0]", ",\"velocity\":[1,0,0]", "[0,0,0]", 0,
                           "{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"position\":[0.21,0.01,0.02],"
                           "\"free\":{\"density\":2000}}",
                           false);
    double sum = 0, x = 0.21, speed = 0;
    while (scr_sim_time(r.sim) < 0.15) {
      run_steps(&r, 1);
      run_observe(&r);
      sum += run_value(&r, "obstacle.ball.force_x") * scr_sim_time_step(r.sim);
      speed = (run_value(&r, "obstacle.ball.x") - x) / scr_sim_time_step(r.sim);
      x = run_value(&r, "obstacle.ball.x");
    }
    assert_true(speed > 0.2);
    claim_relative("free ball that was hit: sum of force_x over time, N s", sum, 2000 * 4 * M_PI / 3 * 1e-3 * speed, 0.02, "its momentum");
    run_close(&r);
  }
}

/* Mass of the block as the method has it: bonded spheres fill a box by their packing's share of whole spheres. */
static double mass_of(sim_run *r, bool spheres)
{
  return spheres ? run_value(r, "largest_fragment_mass") : 8;
}

/* The block in free fall from 1 m/s: kinetic energy m v^2 / 2 and the work of gravity m g . way. Nothing is dissipated. 1e-3 of the energy:
 * symplectic Euler of bonded spheres is of first order in the step. */
static void test_bodies_in_free_fall_have_their_energy(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    sim_run r = open_block(&makers[k], "[0,0,0]", ",\"velocity\":[1,0,0]", "[0,0,-9.81]", 0, "", false);
    while (scr_sim_time(r.sim) < 0.02) run_steps(&r, 1);
    run_observe(&r);
    double t = scr_sim_time(r.sim), m = mass_of(&r, strcmp(makers[k].method, "bdem") == 0), v = 9.81 * t, work = 0.5 * m * v * v;
    claim_relative("free fall: energy.kinetic, J", run_value(&r, "energy.kinetic"), 0.5 * m + work, 1e-3, "m v^2 / 2");
    claim_relative("free fall: energy.external, J", run_value(&r, "energy.external"), work, 0.02, "m g . way");
    claim_absolute("free fall: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
    run_close(&r);
  }
}

/* A block that lies on a floor, beside the floor's position, in a gravity that is not quite vertical: force on the floor is the weight, and
 * its torque about the floor's position that of the weight at the block's centre, r x m g, all six of them. Statics; the block is let
 * settle for 0.4 s, in which what is left of the first oscillations is below 2 %. */
static void test_a_floor_feels_force_and_torque_of_the_weight(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    if (strcmp(makers[k].method, "bdem") == 0) continue; /* its few spheres do not lie flat: validate_parts has its forces and torques */
    sim_run r = open_block(&makers[k], "[0.3,-0.5,0.1]", "", "[1,0.7,-9.81]", 0.5,
                           "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":2},\"position\":[0,0,0]}", true);
    double mean[6] = {0}, count = 0;
    static const char *const curves[6] = {"obstacle.floor.force_x",  "obstacle.floor.force_y",  "obstacle.floor.force_z",
                                          "obstacle.floor.torque_x", "obstacle.floor.torque_y", "obstacle.floor.torque_z"};
    while (scr_sim_time(r.sim) < 0.4) {
      run_steps(&r, 1);
      if (scr_sim_time(r.sim) < 0.2) continue;
      run_observe(&r);
      for (int c = 0; c < 6; c++) mean[c] += run_value(&r, curves[c]);
      count++;
    }
    double m = mass_of(&r, strcmp(makers[k].method, "bdem") == 0);
    const double f[3] = {m * 1, m * 0.7, -m * 9.81}, at[3] = {0.3, -0.5, 0.1};
    for (int c = 0; c < 3; c++) {
      double torque = at[(c + 1) % 3] * f[(c + 2) % 3] - at[(c + 2) % 3] * f[(c + 1) % 3];
      claim_absolute("block on a floor: force over its weight", mean[c] / count / (m * 9.81), f[c] / (m * 9.81), 0.01, "statics");
      claim_absolute("block on a floor: torque over weight times a metre", mean[3 + c] / count / (m * 9.81), torque / (m * 9.81), 0.01,
                     "statics");
    }
    run_close(&r);
  }
}

/* A block that slides on a floor: between 0.1 and 0.2 s friction takes mu m g times the way, which is what the block's velocity, v - mu g
 * t, tells. 10 %: the block rests on springs, whose first oscillations are not over, and dashpots beside friction's springs take a part. */
static void test_friction_takes_the_energy_of_a_sliding_block(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    if (strcmp(makers[k].method, "bdem") == 0) continue; /* nor do they slide flat: validate_bdem_friction */
    sim_run r = open_block(&makers[k], "[0,0,0.1]", ",\"velocity\":[2,0,0]", "[0,0,-9.81]", 0.3,
                           "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":2},\"position\":[0,0,0]}", false);
    double taken[2], time[2];
    for (int n = 0; n < 2; n++) {
      while (scr_sim_time(r.sim) < 0.1 * (n + 1)) run_steps(&r, 1);
      time[n] = scr_sim_time(r.sim);
      taken[n] = run_curve(&r, "energy.friction");
    }
    double m = mass_of(&r, strcmp(makers[k].method, "bdem") == 0), a = 0.3 * 9.81;
    double way = 2 * (time[1] - time[0]) - 0.5 * a * (time[1] * time[1] - time[0] * time[0]);
    claim_relative("sliding block: energy.friction, J", taken[1] - taken[0], m * a * way, 0.1, "mu m g times the way");
    run_close(&r);
  }
}

/* A block that flies at 1 m/s, of whose ledger a tenth of its energy is said to have been put in at the start, or to have been missing
 * there: the balance lacks just that, with the sign of a loss, or of energy from nowhere. By definition, over the largest energy. */
static void test_what_does_not_add_up_shows_in_the_balance(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * MAKERS; k++) {
    const maker *m = &makers[k / 2];
    sim_run r = open_block(m, "[0,0,0]", ",\"velocity\":[1,0,0]", "[0,0,0]", 0, "", false);
    run_steps(&r, 2);
    double energy = run_curve(&r, "energy.kinetic"), amiss = (k % 2 ? 0.1 : -0.1) * energy;
    r.sim->ledger.start += amiss;
    claim_relative("tenth of the energy that is amiss: energy.balance_error", run_curve(&r, "energy.balance_error"), amiss / energy, 1e-6,
                   "what is amiss over the largest energy");
    run_close(&r);
  }
}

/* A free box that begins tilted and spins about an own axis keeps doing so: after t it has turned by w t about that axis from where it
 * began. To rounding. */
static void test_tilted_free_parts_spin_about_their_axis(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    if (!makers[k].flies) continue;
    sim_run r = open_block(&makers[k], "[0,0,0]", "", "[0,0,0]", 0,
                           "{\"name\":\"box\",\"shape\":{\"type\":\"box\",\"size\":[0.4,0.2,0.1]},\"position\":[4,5,6],"
                           "\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":40},"
                           "\"free\":{\"density\":2000,\"angular_velocity\":[0,2.298133329,1.928362829]}}",
                           false);
    run_steps(&r, 50);
    const sim_parts *parts = &r.sim->parts;
    size_t p = 0;
    while (!parts->form[p].is_free) p++;
    scr_vec3 turned = quat_log(flight_at(&parts->form[p], &parts->flight[p], scr_sim_time(r.sim)).pose.rotation);
    scr_vec3 expected = vec3_scale(vec3(0, 2.298133329, 1.928362829), scr_sim_time(r.sim));
    claim_absolute("tilted free box that spins: turn off, over the turn", vec3_length(vec3_sub(turned, expected)) / vec3_length(expected),
                   0, 1e-5, "w t");
    run_close(&r);
  }
}

SUITE(test_curve_values)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_driven_parts_are_where_their_programs_take_them),
      cmocka_unit_test(test_free_parts_fly_by_galileos_law),
      cmocka_unit_test(test_tilted_free_parts_spin_about_their_axis),
      cmocka_unit_test(test_the_force_on_a_free_part_is_its_momentum),
      cmocka_unit_test(test_what_does_not_add_up_shows_in_the_balance),
      cmocka_unit_test(test_bodies_in_free_fall_have_their_energy),
      cmocka_unit_test(test_a_floor_feels_force_and_torque_of_the_weight),
      cmocka_unit_test(test_friction_takes_the_energy_of_a_sliding_block),
  };
  return cmocka_run_group_tests_name("curve values", tests, NULL, NULL);
}
