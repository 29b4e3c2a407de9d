/* Super-helices that touch: rest, sliding, momentum and energies against closed forms and against rods, bits. */
#include "tests/support/suites.h"
#include "tests/support/sim_run.h"

#include "methods/fibre/state/state.h"

/* Super-helices of 0.2 m along +x from a clamp at the origin, radius 1 mm, E = 1e8, density 1000, friction 0.3. %s: damping, more of the
 * specimen, obstacles, time step, options. */
static sim_run open_level(const char *damping, const char *specimen, const char *obstacles, double dt, const char *options)
{
  char text[4000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":2,\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":"
           "1e8,\"poisson_ratio\":0.25%s}],\"contact\":{\"friction_coefficient\":0.3},"
           "\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"held\":"
           "\"start\",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"placement\":{\"type\":\"single\",\"position\":[0.1,0,0]}%s}],"
           "\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-1]},\"obstacles\":[%s],\"time\":{\"duration\":10,\"time_step\":%.17g},\"options\":"
           "{%s}}",
           damping, specimen, obstacles, dt, options);
  return run_open(text, 1);
}

#define HELIX ",\"element\":\"super_helix\",\"elements\":12,\"edges\":24"
#define RAIL                                                                                                                               \
  "{\"name\":\"rail\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":1},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90},"    \
  "\"position\":[%g,0,-0.002]%s}"
static const double LENGTH = 0.2, LINE = 1000 * M_PI * 1e-6 /* kg/m */, RAIL_AT = 0.195;

/* What a rail bears on which a cantilever rests under its weight, w (a^2 + 6 L^2 - 4 a L) / (8 a) at a from the clamp (3/8 w L at its end).
 */
static double rail_force(void)
{
  return LINE * (RAIL_AT * RAIL_AT + 6 * LENGTH * LENGTH - 4 * RAIL_AT * LENGTH) / (8 * RAIL_AT);
}

/* ── one on a rail ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* Level under its weight, near its end on a rail that touches it from below: what the rail bears, the clamp and its moment. */
static void test_a_propped_cantilever(void **state)
{
  (void)state;
  char rail[400];
  snprintf(rail, sizeof rail, RAIL, RAIL_AT, "");
  sim_run r = open_level(",\"mass_damping\":20", HELIX, rail, 1e-3, "");
  double most = 0; /* linearisations of a step */
  for (int k = 0; k < 1000; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    most = fmax(most, run_value(&r, "solver.iterations"));
  }
  claim_between("propped super-helix: most linearisations of a step", most, 1, 6, "Newton's method by its own matrix");
  const double force = rail_force(), weight = LINE * LENGTH;
  claim_relative("propped super-helix: obstacle.rail.force_z, N", run_curve(&r, "obstacle.rail.force_z"), -force, 2e-3,
                 "deflection at the rail is none");
  claim_relative("propped super-helix: start.force_z, N", run_value(&r, "start.force_z"), force - weight, 2e-3, "the rest of its weight");
  claim_relative("propped super-helix: start.torque_y, N m", run_value(&r, "start.torque_y"), 0.5 * weight * LENGTH - force * RAIL_AT, 5e-3,
                 "w L^2 / 2 - R a");
  claim_absolute("propped super-helix: contacts", run_value(&r, "contacts"), 1, 0, "one rail");
  claim_absolute("propped super-helix: speed, m/s", run_value(&r, "speed"), 0, 1e-8, "at rest");
  claim_absolute("propped super-helix: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-6, "all of it is booked");
  assert_true(run_value(&r, "unsolved_steps") == 0 && run_value(&r, "unsolved_contacts") == 0);
  run_close(&r);
}

/* The same close to the clamp, under the edge that begins at the root: clamp and rail together bear the weight, and its moment. */
static void test_a_rail_at_the_root(void **state)
{
  (void)state;
  const double at = 0.004, weight = LINE * LENGTH;
  char rail[400];
  snprintf(rail, sizeof rail, RAIL, at, "");
  sim_run r = open_level(",\"mass_damping\":20", HELIX, rail, 1e-3, "");
  run_steps(&r, 1500);
  run_observe(&r);
  double force = -run_curve(&r, "obstacle.rail.force_z");
  claim_between("super-helix on a rail at its root: obstacle.rail.force_z over the weight", force / weight, 5, 200, "a short lever");
  claim_relative("super-helix on a rail at its root: start.force_z, N", run_value(&r, "start.force_z"), force - weight, 1e-6,
                 "the clamp bears the rest");
  claim_absolute("super-helix on a rail at its root: start.torque_y, N m",
                 run_value(&r, "start.torque_y") / (0.5 * weight * LENGTH - force * at), 1, 0.02, "w L^2 / 2 - R a");
  run_close(&r);
}

/* The rail goes on along itself: the fibre is dragged aside until friction, mu times what the rail bears, bends it no farther. */
static void test_a_rail_that_slides_drags_by_friction(void **state)
{
  (void)state;
  char rail[500];
  snprintf(rail, sizeof rail, RAIL, RAIL_AT,
           ",\"direction\":[0,1,0],\"program\":[{\"type\":\"ramp\",\"velocity\":0.02,\"duration\":0.01},{\"type\":\"constant\","
           "\"velocity\":0.02}]");
  sim_run r = open_level(",\"mass_damping\":20", HELIX, rail, 1e-3, "");
  run_steps(&r, 1500);
  run_observe(&r);
  const double drag = 0.3 * rail_force();
  claim_relative("dragged super-helix: obstacle.rail.force_y, N", run_value(&r, "obstacle.rail.force_y"), -drag, 5e-3, "mu R");
  claim_relative("dragged super-helix: start.force_y, N", run_value(&r, "start.force_y"), drag, 5e-3, "what drags");
  claim_relative("dragged super-helix: start.torque_z, N m", run_value(&r, "start.torque_z"), drag * RAIL_AT, 1e-2, "mu R a");
  claim_absolute("dragged super-helix: contacts.sliding", run_value(&r, "contacts.sliding"), 1, 0, "it slides");
  claim_absolute("dragged super-helix: energy.balance_error", run_value(&r, "energy.balance_error"), 0, 1e-5, "all of it is booked");
  double before = run_value(&r, "energy.friction");
  run_steps(&r, 100);
  run_observe(&r);
  claim_relative("dragged super-helix: power of friction, W", (run_value(&r, "energy.friction") - before) / 0.1, drag * 0.02, 1e-2,
                 "mu R v");
  run_close(&r);
}

/* ── tufts ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Nine curls that a plate shakes, a rod among them and a ball that falls in. */
static sim_run open_tuft(double dt, unsigned threads)
{
  char text[4000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"tuft\",\"method\":\"fibre\",\"seed\":3,\"materials\":[{\"name\":\"hair\",\"density\":1300,"
           "\"young_modulus\":3.9e9,\"poisson_ratio\":0.4}],\"contact\":{\"friction_coefficient\":0.3},\"specimens\":[{\"name\":\"curls\","
           "\"material\":\"hair\",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,\"length\":0.1},\"contact_radius\":2e-4,\"edges\":16,"
           "\"element\":\"super_helix\",\"elements\":8,\"form\":\"helix\",\"helix_radius\":0.002,\"helix_pitch\":0.03,\"unloaded\":"
           "\"as_placed\",\"random_phase\":true,\"held\":\"start\",\"held_by\":\"plate\",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":180},"
           "\"placement\":{\"type\":\"lattice\",\"origin\":[0,0,0],\"pitch\":[0.0085,0.0085,1],\"count\":[3,3,1]}},{\"name\":\"rod\","
           "\"material\":\"hair\",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,\"length\":0.06},\"contact_radius\":2e-4,\"edges\":12,"
           "\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90},\"placement\":{\"type\":\"single\",\"position\":[0.005,-0.01,-0.01]},"
           "\"velocity\":[0,0.3,0]}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"plate\",\"shape\":{"
           "\"type\":\"box\",\"size\":[0.05,0.05,0.004]},\"position\":[0.0085,0.0085,0.06],\"direction\":[1,0,0],\"program\":[{\"type\":"
           "\"ramp\",\"velocity\":0.4,\"duration\":0.05},{\"type\":\"ramp\",\"velocity\":-0.4,\"duration\":0.1},{\"type\":\"hold\","
           "\"duration\":1}]},{\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":"
           "0.01},\"position\":[0.0085,0.0085,-0.062],\"free\":{\"density\":300,\"velocity\":[0,0,0.6]}}],\"time\":{\"duration\":10,\"time_"
           "step\":%.17g}}",
           dt);
  return run_open(text, threads);
}

static scr_vec3 momentum_of(const fibre_state *s, const double *v)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t k = 0; k < s->node_count; k++) sum = vec3_add(sum, vec3_scale(rod_position(v, (uint32_t)k), s->mass[ROD_UNKNOWNS * k]));
  return sum;
}

/* Over the weight of a step: what is missing of the change of momentum of fibres and ball by weight and by what the plate, which holds
 * roots and touches, gives. */
static double momentum_missing(sim_run *r, double dt)
{
  const fibre_state *s = r->sim->state;
  const double ball_mass = r->sim->parts.form[1].mass.mass;
  double *v = calloc(s->unknown_count, sizeof *v), mass = ball_mass;
  assert_non_null(v);
  memcpy(v, s->velocity, s->unknown_count * sizeof *v);
  scr_vec3 ball = r->sim->parts.flight[1].velocity;
  run_steps(r, 1);
  run_observe(r);
  scr_vec3 missing = vec3_sub(momentum_of(s, s->velocity), momentum_of(s, v));
  missing = vec3_add(missing, vec3_scale(vec3_sub(r->sim->parts.flight[1].velocity, ball), ball_mass));
  for (size_t k = 0; k < s->node_count; k++) mass += s->mass[ROD_UNKNOWNS * k];
  missing.x += dt * run_value(r, "obstacle.plate.force_x");
  missing.y += dt * run_value(r, "obstacle.plate.force_y");
  missing.z += dt * (run_value(r, "obstacle.plate.force_z") + mass * 9.81);
  free(v);
  return vec3_length(missing) / (mass * 9.81 * dt);
}

/* Momentum and energies of every step, of 0.25 and 1 ms. */
static void test_a_tuft_that_is_shaken(void **state)
{
  (void)state;
  const double steps[] = {2.5e-4, 1e-3};
  for (int c = 0; c < 2; c++) {
    const double dt = steps[c];
    sim_run r = open_tuft(dt, 1);
    const fibre_state *s = r.sim->state;
    double most = 0, apart = 0, worst = 0;
    for (int k = 0; k < (int)(0.3 / dt); k++) {
      apart = fmax(apart, momentum_missing(&r, dt));
      most = fmax(most, run_value(&r, "contacts"));
      worst = fmax(worst, fabs(run_value(&r, "energy.balance_error")));
    }
    claim_between("shaken tuft of super-helices: most contacts", most, 3, INFINITY, "the rod and the ball fly in");
    claim_absolute("shaken tuft: change of momentum that nothing gives, over the weight", apart, 0, 1e-8, "Newton's third law");
    claim_absolute("shaken tuft: energy.balance_error", worst, 0, 1e-7, "each step's losses by its own formula");
    claim_absolute("shaken tuft: unsolved steps", run_value(&r, "unsolved_steps") + run_value(&r, "unsolved_contacts"), 0, 0, "none");
    claim_between("shaken tuft: energy.friction, J", run_value(&r, "energy.friction"), 1e-9, INFINITY, "they rub");
    claim_between("shaken tuft: energy.numerical, J", run_value(&r, "energy.numerical"), 0, INFINITY, "steps give nothing back");
    claim_between("shaken tuft: deepest overlap in radii", s->counts.deepest, 0, 0.05, "none passes through another");
    run_close(&r);
  }
}

/* Sixteen curls that hang from a plate, and a floor that comes up under them by half of their height and goes down again: they buckle into
 * each other. */
static sim_run open_pressed(double dt)
{
  char text[4000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"tuft\",\"method\":\"fibre\",\"seed\":3,\"materials\":[{\"name\":\"hair\",\"density\":1300,"
           "\"young_modulus\":3.9e9,\"poisson_ratio\":0.4}],\"contact\":{\"friction_coefficient\":0.3},\"specimens\":[{\"name\":\"curls\","
           "\"material\":\"hair\",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,\"length\":0.1},\"contact_radius\":2e-4,\"edges\":24,"
           "\"element\":\"super_helix\",\"elements\":10,\"form\":\"helix\",\"helix_radius\":0.002,\"helix_pitch\":0.03,\"unloaded\":"
           "\"as_placed\",\"random_phase\":true,\"held\":\"start\",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":180},"
           "\"placement\":{\"type\":\"lattice\",\"origin\":[0,0,0],\"pitch\":[0.0085,0.0085,1],\"count\":[4,4,1]}}],\"rig\":{\"type\":"
           "\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":0.2},"
           "\"position\":[0.013,0.013,-0.048],\"direction\":[0,0,1],\"program\":[{\"type\":\"ramp\",\"velocity\":0.4,\"duration\":0.1},"
           "{\"type\":\"ramp\",\"velocity\":-0.4,\"duration\":0.2},{\"type\":\"hold\",\"duration\":1}]}],\"time\":{\"duration\":10,"
           "\"time_step\":%.17g}}",
           dt);
  return run_open(text, 1);
}

static void test_a_tuft_that_is_pressed(void **state)
{
  (void)state;
  const double dt = 1e-3;
  sim_run r = open_pressed(dt);
  const fibre_state *s = r.sim->state;
  double most = 0, worst = 0;
  for (int k = 0; k < 160; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    most = fmax(most, run_value(&r, "contacts"));
    worst = fmax(worst, fabs(run_value(&r, "energy.balance_error")));
  }
  claim_between("pressed tuft of super-helices: most contacts", most, 20, INFINITY, "they lean on each other");
  claim_absolute("pressed tuft: energy.balance_error", worst, 0, 1e-6, "each step's losses by its own formula");
  claim_absolute("pressed tuft: unsolved steps", run_value(&r, "unsolved_steps") + run_value(&r, "unsolved_contacts"), 0, 0, "none");
  claim_between("pressed tuft: deepest overlap in radii", s->counts.deepest, 0, 0.1, "none passes through another");
  claim_between("pressed tuft: energy.friction over energy.external", run_value(&r, "energy.friction") / run_value(&r, "energy.external"),
                0.1, 1, "what the floor gives goes into friction and motion");
  run_close(&r);
}

/* ── one that touches itself ─────────────────────────────────────────────────────────────────────────────────────── */

/* A coil of three turns, 1 cm apart, whose unloaded form is a flat ring of as many turns in each other: turns are drawn together until they
 * press on each other. At rest nothing but its root is held, so that the root bears nothing, whatever turns bear: what a touch gives to one
 * turn it takes from another. Forces are measured by E I kappa^2, 0.03 N. */
static void test_a_coil_that_touches_itself(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"coil\",\"method\":\"fibre\",\"seed\":3,\"materials\":[{\"name\":\"rubber\",\"density\":1000,"
      "\"young_modulus\":4e6,\"poisson_ratio\":0.25,\"mass_damping\":40,\"stiffness_damping\":1e-3}],\"contact\":{"
      "\"friction_coefficient\":0.3},\"specimens\":[{\"name\":\"coil\",\"material\":\"rubber\",\"shape\":{\"type\":\"cylinder\","
      "\"radius\":1e-3,\"length\":0.2},\"form\":\"helix\",\"helix_radius\":0.01,\"helix_pitch\":0.01,\"natural_curvature\":100,"
      "\"held\":\"start\",\"element\":\"super_helix\",\"elements\":12,\"edges\":48,\"placement\":{\"type\":\"single\",\"position\":["
      "0,0,0]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":10,\"time_step\":5e-4}}",
      1);
  const double force = 4e6 * M_PI / 4 * 1e-12 * 100 * 100;
  const fibre_state *s = r.sim->state;
  double worst = 0, deepest = 0;
  for (int k = 0; k < 1600; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    worst = fmax(worst, fabs(run_value(&r, "energy.balance_error")));
    deepest = fmax(deepest, s->counts.deepest);
  }
  claim_between("coil: contacts", run_value(&r, "contacts"), 6, INFINITY, "turns lie on each other");
  claim_between("coil: energy.elastic over E I kappa^2 L / 2", run_value(&r, "energy.elastic") / (0.5 * force * 0.2), 1e-3, 0.1,
                "turns keep each other from their unloaded form");
  for (int k = 0; k < 3; k++) {
    char name[40];
    snprintf(name, sizeof name, "start.force_%c", "xyz"[k]);
    claim_absolute("coil: force at its root over E I kappa^2", run_value(&r, name) / force, 0, 1e-5, "Newton's third law");
  }
  claim_absolute("coil: deepest overlap in radii", deepest, 0, 0.05, "none passes through another");
  claim_absolute("coil: energy.balance_error", worst, 0, 1e-6, "each step's losses by its own formula");
  assert_true(run_value(&r, "unsolved_steps") == 0 && run_value(&r, "unsolved_contacts") == 0);
  run_close(&r);
}

/* ── bits ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_same_bits_on_two_threads_and_behind_a_checkpoint(void **state)
{
  (void)state;
  sim_run one = open_tuft(1e-3, 1), two = open_tuft(1e-3, 2);
  scr_blob blob = {0};
  run_steps(&one, 60);
  run_steps(&two, 60);
  assert_true(one.sim->state && ((const fibre_state *)one.sim->state)->problem.count > 0);
  assert_same_state(one.sim, two.sim);
  run_close(&two);
  two = open_tuft(1e-3, 1);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(two.sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  run_steps(&one, 40);
  run_steps(&two, 40);
  assert_same_state(one.sim, two.sim);
  run_close(&one);
  run_close(&two);
}

SUITE(test_fibre_helix_contact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_propped_cantilever),
      cmocka_unit_test(test_a_rail_at_the_root),
      cmocka_unit_test(test_a_rail_that_slides_drags_by_friction),
      cmocka_unit_test(test_a_tuft_that_is_shaken),
      cmocka_unit_test(test_a_tuft_that_is_pressed),
      cmocka_unit_test(test_a_coil_that_touches_itself),
      cmocka_unit_test(test_same_bits_on_two_threads_and_behind_a_checkpoint),
  };
  return cmocka_run_group_tests_name("super-helices that touch", tests, NULL, NULL);
}
