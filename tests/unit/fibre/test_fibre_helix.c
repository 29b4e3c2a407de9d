/* Super-helices: places, forces and masses against differences, equilibria and motion against closed forms, what their roots bear, energies
 * that never come from nowhere, refusals. */
#include "tests/support/suites.h"
#include "tests/support/sim_run.h"

#include "methods/fibre/helix/helix.h"
#include "methods/fibre/state/state.h"

/* ── one by itself ───────────────────────────────────────────────────────────────────────────────────────────────── */

enum { ELEMENTS = 4, EDGES = 13, UNKNOWNS = HELIX_STRAINS * ELEMENTS, NUMBERS = ROD_UNKNOWNS * (EDGES + 1) };

/* Four elements, one of them straight, one turned by more than a whole turn, and thirteen edges, whose nodes lie anywhere in them. */
typedef struct made_helix {
  helix helix;
  helix_strain strain[ELEMENTS], natural[ELEMENTS];
  helix_frame root;
  helix_chain chain;
  double place[NUMBERS];
  scr_vec3 tangent[EDGES], director[EDGES], tangent_before[EDGES], director_before[EDGES], axis[EDGES];
} made_helix;

static void lay(made_helix *m)
{
  const rod_frames before = {m->director_before, m->tangent_before, NULL}, now = {m->director, m->tangent, NULL};
  helix_lay(&m->helix, (const helix_strain *)m->strain, &m->root, &m->chain, m->place, &now);
  helix_turns(&m->helix, &before, &now, m->place, m->axis);
}

static void make(made_helix *m)
{
  *m = (made_helix){.root = {{0.1, 0.2, 0.3}, {{0, 0.6, 0.8}, {1, 0, 0}, {0, 0.8, -0.6}}}};
  m->helix = (helix){ELEMENTS, EDGES, 0.9, {1, 2, 0.7}, (const helix_strain *)m->natural};
  for (int e = 0; e < ELEMENTS; e++)
    for (int a = 0; a < HELIX_STRAINS; a++) {
      m->natural[e][a] = sin(3.1 * e + a);
      m->strain[e][a] = e == 1 ? 0 : (e == 2 ? 25 : 6) * sin(1.7 * e + 2.1 * a);
    }
  lay(m);
  memcpy(m->tangent_before, m->tangent, sizeof m->tangent);
  memcpy(m->director_before, m->director, sizeof m->director);
  for (int e = 0; e < ELEMENTS; e++)
    for (int a = 0; a < HELIX_STRAINS; a++) m->strain[e][a] += e == 1 ? 0 : 0.3 * cos(3.0 * e + a);
  lay(m);
}

/* Sum of loads times places and turns, with strains changed by `by` at i and at j. */
static double work_at(const made_helix *from, const double *load, int i, double by_i, int j, double by_j)
{
  made_helix m = *from;
  m.helix.natural = (const helix_strain *)m.natural;
  m.strain[i / HELIX_STRAINS][i % HELIX_STRAINS] += by_i;
  m.strain[j / HELIX_STRAINS][j % HELIX_STRAINS] += by_j;
  lay(&m);
  double sum = 0;
  for (int k = 0; k < NUMBERS - 1; k++) sum += load[k] * m.place[k];
  return sum;
}

/* Central differences of places and of turns about the tangents. Measured 2e-10 of the largest. */
static void test_forces_on_strains_are_slopes_of_work(void **state)
{
  (void)state;
  made_helix m;
  double load[NUMBERS], mass[NUMBERS] = {0}, slope[UNKNOWNS], most = 0, worst = 0;
  make(&m);
  for (int k = 0; k < NUMBERS; k++) load[k] = cos(1.3 * k);
  const helix_work work = {.load = load, .axis = m.axis, .mass = mass};
  helix_assemble(&m.helix, (const helix_strain *)m.strain, &m.chain, m.place, &work, slope, NULL);
  for (int i = 0; i < UNKNOWNS; i++) {
    const double h = 1e-5;
    worst = fmax(worst, fabs((work_at(&m, load, i, h, i, 0) - work_at(&m, load, i, -h, i, 0)) / (2 * h) - slope[i]));
    most = fmax(most, fabs(slope[i]));
  }
  if (!(worst < 1e-8 * most)) fail_msg("off by %.2e of %.2e", worst, most);
}

/* Second differences of the work on places, every pair of strains. Measured 2e-6. */
static void test_second_derivatives_of_work(void **state)
{
  (void)state;
  made_helix m;
  double load[NUMBERS], mass[NUMBERS] = {0}, slope[UNKNOWNS], entries[UNKNOWNS * UNKNOWNS], most = 0, worst = 0;
  la_band matrix = {UNKNOWNS, UNKNOWNS - 1, entries};
  make(&m);
  for (int k = 0; k < NUMBERS; k++) load[k] = k % ROD_UNKNOWNS == ROD_TWIST ? 0 : cos(1.3 * k);
  const helix_work work = {.load = load, .axis = m.axis, .mass = mass, .curved = true};
  helix_assemble(&m.helix, (const helix_strain *)m.strain, &m.chain, m.place, &work, slope, &matrix);
  for (int i = 0; i < UNKNOWNS; i++)
    for (int j = 0; j <= i; j++) {
      const double h = 1e-4;
      double by = (work_at(&m, load, i, h, j, h) - work_at(&m, load, i, h, j, -h) - work_at(&m, load, i, -h, j, h) +
                   work_at(&m, load, i, -h, j, -h)) /
                  (4 * h * h);
      worst = fmax(worst, fabs(by - *la_band_at(&matrix, (size_t)i, (size_t)j)));
      most = fmax(most, fabs(by));
    }
  if (!(worst < 1e-5 * most)) fail_msg("off by %.2e of %.2e", worst, most);
}

/* The mass of all pairs of strains: half of v'Mv is the kinetic energy of the points, whose velocities are differences of places and turns.
 */
static void test_masses_are_those_of_moving_points(void **state)
{
  (void)state;
  made_helix m;
  double load[NUMBERS] = {0}, mass[NUMBERS], slope[UNKNOWNS], entries[UNKNOWNS * UNKNOWNS], most = 0, worst = 0;
  static double velocity[UNKNOWNS][NUMBERS];
  la_band matrix = {UNKNOWNS, UNKNOWNS - 1, entries};
  make(&m);
  for (int k = 0; k < NUMBERS; k++) mass[k] = 1 + 0.5 * sin(k % ROD_UNKNOWNS == ROD_TWIST ? k : k / ROD_UNKNOWNS);
  const helix_work work = {.load = load, .axis = m.axis, .mass = mass, .mass_factor = 3};
  helix_assemble(&m.helix, (const helix_strain *)m.strain, &m.chain, m.place, &work, slope, &matrix);
  for (int i = 0; i < UNKNOWNS; i++)
    for (int side = -1; side <= 1; side += 2) {
      const double h = 1e-5;
      made_helix moved = m;
      moved.strain[i / HELIX_STRAINS][i % HELIX_STRAINS] += side * h;
      lay(&moved);
      for (int k = 0; k < NUMBERS - 1; k++) velocity[i][k] += side * moved.place[k] / (2 * h);
    }
  for (int i = 0; i < UNKNOWNS; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < NUMBERS - 1; k++) sum += mass[k] * velocity[i][k] * velocity[j][k];
      worst = fmax(worst, fabs(3 * sum - *la_band_at(&matrix, (size_t)i, (size_t)j)));
      most = fmax(most, fabs(3 * sum));
    }
  if (!(worst < 1e-7 * most)) fail_msg("off by %.2e of %.2e", worst, most);
}

/* How points and edges move with every strain: central differences of places and turns. Measured 1e-10 of the largest. Columns beyond the
 * strains are zero. */
static void test_points_move_with_strains(void **state)
{
  (void)state;
  enum { STRIDE = UNKNOWNS + 3 };
  static double moves[NUMBERS][STRIDE];
  made_helix m;
  double most = 0, worst = 0;
  make(&m);
  helix_moves(&m.helix, (const helix_strain *)m.strain, &m.chain, m.place, m.axis, STRIDE, moves[0]);
  for (int i = 0; i < UNKNOWNS; i++) {
    const double h = 1e-5;
    made_helix up = m, down = m;
    up.strain[i / HELIX_STRAINS][i % HELIX_STRAINS] += h, down.strain[i / HELIX_STRAINS][i % HELIX_STRAINS] -= h;
    lay(&up), lay(&down);
    for (int k = 0; k < NUMBERS - 1; k++) {
      double by = (up.place[k] - down.place[k]) / (2 * h);
      worst = fmax(worst, fabs(by - moves[k][i]));
      most = fmax(most, fabs(by));
    }
  }
  if (!(worst < 1e-8 * most)) fail_msg("off by %.2e of %.2e", worst, most);
  for (int k = 0; k < NUMBERS; k++)
    for (int i = UNKNOWNS; i < STRIDE; i++) assert_true(moves[k][i] == 0);
}

/* Elements of different lengths of arc, bent alike, are one circle: a whole turn ends where it begins, in its own direction; and the
 * distance of neighbouring nodes is the chord of their arc. */
static void test_a_circle_closes(void **state)
{
  (void)state;
  made_helix m;
  make(&m);
  for (int e = 0; e < ELEMENTS; e++) m.strain[e][0] = 2 * M_PI / 0.9 * 0.6, m.strain[e][1] = 2 * M_PI / 0.9 * 0.8, m.strain[e][2] = 0;
  lay(&m);
  double chord = 2 * (0.9 / (2 * M_PI)) * sin(M_PI / EDGES);
  assert_true(vec3_length(vec3_sub(m.chain.begin[ELEMENTS].place, m.root.place)) < 1e-15);
  assert_true(vec3_length(vec3_sub(m.chain.begin[ELEMENTS].axis[1], m.root.axis[1])) < 1e-14);
  for (uint32_t k = 0; k < EDGES; k++)
    assert_true(fabs(vec3_length(vec3_sub(rod_position(m.place, k + 1), rod_position(m.place, k))) - chord) < 1e-15);
  /* k1 turns t about m2, and minus k2 about m1: half a turn on it lies 2/k across, on the side that m1 0.6 + m2 0.8 points to */
  scr_vec3 across = vec3_add(vec3_scale(m.root.axis[1], 0.6), vec3_scale(m.root.axis[2], 0.8));
  scr_vec3 opposite = vec3_sub(m.chain.begin[ELEMENTS / 2].place, m.root.place);
  assert_true(fabs(fabs(vec3_dot(opposite, across)) - 0.9 / M_PI) < 1e-15);
}

/* ── from scenes ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* 0.2 m, radius 1 mm, E = 1e8, density 1000, Poisson's ratio 0.25. %s: the specimen, gravity, obstacles, time step, options. */
static sim_run open_scene(const char *specimen, const char *gravity, const char *more, double dt, const char *options)
{
  char text[3000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8,"
           "\"poisson_ratio\":0.25}],\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,"
           "\"length\":0.2},\"element\":\"super_helix\",\"held\":\"start\"%s}],\"rig\":{\"type\":\"none\",\"gravity\":%s}%s,\"time\":{"
           "\"duration\":10,\"time_step\":%.17g},\"options\":{%s}}",
           specimen, gravity, more, dt, options);
  return run_open(text, 1);
}

#define STATIC "\"loading\":\"static\""
#define ALONE "\"fibre_contact\":false"
static const double LENGTH = 0.2, BENDING = 1e8 * M_PI * 1e-12 / 4, LINE = 1000 * M_PI * 1e-6 /* kg/m */;

/* A force at the end across a clamped fibre: F L^3 / (3 EI) by elements in which the moment is constant, 1 - 1/(4 n^2) of it, and its work
 * is what the fibre holds, to second order in the deflection; the clamp bears F and F L. */
static void test_a_force_bends_it_as_a_beam(void **state)
{
  (void)state;
  const double force = 1e-3 * BENDING / (LENGTH * LENGTH);
  for (int n = 1; n <= 8; n *= 2) {
    char specimen[200];
    snprintf(specimen, sizeof specimen, ",\"edges\":24,\"elements\":%d,\"end_force\":[%.17g,0,0]", n, force);
    sim_run r = open_scene(specimen, "[0,0,0]", "", 1e-3, STATIC);
    run_steps(&r, 1);
    run_observe(&r);
    double theory = force * pow(LENGTH, 3) / (3 * BENDING) * (1 - 0.25 / (n * n));
    claim_relative("end of a super-helix under a small force, over the beam's of as many elements", run_value(&r, "end.x"), theory, 1e-6,
                   "Castigliano's theorem, moments constant along each element");
    assert_true(fabs(run_value(&r, "energy.bending") / (0.5 * force * theory) - 1) < 1e-6);
    assert_true(fabs(run_value(&r, "start.force_x") / force - 1) < 1e-9);
    assert_true(fabs(run_value(&r, "start.torque_y") / (force * LENGTH) - 1) < 1e-6);
    assert_true(run_value(&r, "unsolved_steps") == 0);
    run_close(&r);
  }
}

/* Hung by its root and at rest: tension falls from the weight at the root to nothing at the end, curvature and twist are the natural ones
 * where nothing bends it, fields and curves alike; it does not stretch. */
static void test_it_hangs(void **state)
{
  (void)state;
  sim_run r = open_scene(",\"edges\":10,\"elements\":4,\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":180}", "[0,0,-10]", "", 1e-3, STATIC);
  run_steps(&r, 1);
  run_observe(&r);
  const double weight = LINE * LENGTH * 10;
  assert_true(fabs(run_value(&r, "tension") / (weight * 0.95) - 1) < 1e-9); /* above half of the first edge, which hangs on the root */
  assert_true(fabs(run_value(&r, "start.force_z") / -weight - 1) < 1e-9);
  assert_true(fabs(run_value(&r, "end.z") + 0.1) < 1e-12);
  assert_true(run_value(&r, "strain") == 0 && run_value(&r, "curvature") < 1e-12);
  run_close(&r);
  r = open_scene(",\"edges\":10,\"elements\":4,\"natural_curvature\":7,\"natural_twist\":5", "[0,0,0]", "", 1e-3, STATIC);
  run_steps(&r, 1);
  run_observe(&r);
  assert_true(fabs(run_value(&r, "curvature") - 7) < 1e-7 && fabs(run_value(&r, "twist")) < 1e-7);
  assert_true(fabs(run_value(&r, "energy.elastic")) < 1e-12 * BENDING);
  run_close(&r);
}

/* Laid as a helix, unloaded as placed, it lies where the formula says, and holds no energy; a tenth of a turn more of twist does,
 * GJ angle^2 / (2 L). */
static void test_it_is_laid_as_a_helix(void **state)
{
  (void)state;
  const double radius = 0.008, rise = 0.02 / (2 * M_PI), turn = LENGTH / hypot(radius, rise), twisting = 0.8 * BENDING;
  for (int k = 0; k < 2; k++) {
    char specimen[300];
    snprintf(specimen, sizeof specimen,
             ",\"edges\":20,\"elements\":3,\"form\":\"helix\",\"helix_radius\":0.008,\"helix_pitch\":0.02,\"unloaded\":\"as_placed\","
             "\"twist\":%g",
             k ? 0.1 : 0);
    sim_run r = open_scene(specimen, "[0,0,0]", "", 1e-3, ALONE);
    run_observe(&r);
    if (!k) {
      assert_true(fabs(run_value(&r, "end.x") - radius * cos(turn)) < 1e-12);
      assert_true(fabs(run_value(&r, "end.y") - radius * sin(turn)) < 1e-12);
      assert_true(fabs(run_value(&r, "end.z") - 0.5 * rise * turn) < 1e-12);
    }
    double angle = k ? 0.2 * M_PI : 0;
    assert_true(fabs(run_value(&r, "energy.twisting") - twisting * angle * angle / (2 * LENGTH)) < 1e-12 * BENDING);
    assert_true(fabs(run_value(&r, "twist") - (k ? 0.1 : 0)) < 1e-12);
    run_close(&r);
  }
}

/* Momentum and moment of momentum about the root change by what weight and root do, whatever it swings through: by a step's own velocities,
 * to the tolerance of its search. */
static void test_the_clamp_bears_what_momentum_misses(void **state)
{
  (void)state;
  const double dt = 1e-3, g = 10;
  sim_run r = open_scene(",\"edges\":12,\"elements\":5,\"natural_curvature\":15,\"natural_twist\":8,\"rotation\":{\"axis\":[0,1,0],"
                         "\"angle_deg\":90}",
                         "[0,0,-10]", "", dt, ALONE ",\"tolerance\":1e-12");
  const fibre_state *s = r.sim->state;
  const size_t n = s->unknown_count;
  double before[200];
  run_steps(&r, 40);
  for (int step = 0; step < 20; step++) {
    memcpy(before, s->velocity, n * sizeof *before);
    run_steps(&r, 1);
    run_observe(&r);
    scr_vec3 force = vec3(0, 0, 0), torque = vec3(0, 0, 0), root = rod_position(s->place, 1);
    for (uint32_t k = 1; k < s->node_count; k++) {
      double mass = s->mass[4 * k];
      scr_vec3 change = vec3_scale(vec3_sub(rod_position(s->velocity, k), rod_position(before, k)), mass / dt);
      change.z += mass * g;
      force = vec3_add(force, change);
      torque = vec3_add(torque, vec3_cross(vec3_sub(rod_position(s->place, k), root), change));
      if (k + 1 < s->node_count) /* the section's own inertia as it turns */
        torque = vec3_add(torque, vec3_scale(s->frames.tangent[k], s->mass[4 * k + 3] * (s->velocity[4 * k + 3] - before[4 * k + 3]) / dt));
    }
    const double scale = LINE * LENGTH * g;
    const char *const forces[] = {"start.force_x", "start.force_y", "start.force_z"}, *const torques[] = {"start.torque_x",
                                                                                                          "start.torque_y",
                                                                                                          "start.torque_z"};
    const double own[] = {force.x, force.y, force.z}, turning[] = {torque.x, torque.y, torque.z};
    for (int c = 0; c < 3; c++) {
      assert_true(fabs(run_value(&r, forces[c]) + own[c]) < 1e-9 * scale);
      assert_true(fabs(run_value(&r, torques[c]) + turning[c]) < 1e-5 * scale * LENGTH); /* 4e-7 to 2e-6: of mean axes of the
                                                                                             step; without that inertia 1e-4 */
    }
  }
  assert_true(run_value(&r, "energy.kinetic") > 0.05 * LINE * LENGTH * g * LENGTH); /* it swings */
  run_close(&r);
}

/* Curled hair let go from level, over steps of 0.1 to 10 ms and stiffness of a hundredth to a hundred times: no step gains energy, all are
 * solved, and energies balance by the step's own formula. */
static void test_no_step_gains_energy(void **state)
{
  (void)state;
  const double steps[] = {1e-4, 1e-3, 1e-2}, factors[] = {1e-2, 1, 1e2};
  for (int c = 0; c < 18; c++) {
    const double dt = steps[c % 3], factor = factors[c / 3 % 3], scale = 1300 * M_PI * 25e-10 * 0.3 * 9.81 * 0.15;
    char text[1500];
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1300,\"young_modulus\":%.17g,"
             "\"poisson_ratio\":0.48}],\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,"
             "\"length\":0.3},\"edges\":24,\"element\":\"super_helix\",\"elements\":8,\"held\":\"start\"%s,\"rotation\":{\"axis\":[0,1,0],"
             "\"angle_deg\":90}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"time\":{\"duration\":10,\"time_step\":%.17g},"
             "\"options\":{\"fibre_contact\":false}}",
             3.9e9 * factor, c / 9 ? ",\"natural_curvature\":50,\"natural_twist\":20" : "", dt);
    sim_run r = run_open(text, 1);
    run_observe(&r);
    double held = run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic"), before = held, worst = 0;
    for (int k = 0; k < 100; k++) {
      run_steps(&r, 1);
      run_observe(&r);
      double now = run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic") - run_value(&r, "energy.external");
      worst = fmax(worst, now - before);
      before = now;
    }
    if (worst > 1e-9 * (scale + held))
      fail_msg("dt %g, stiffness %g, curl %d: a step gains %.2e of m g L / 2", dt, factor, c / 9, worst / scale);
    if (run_value(&r, "unsolved_steps") > 0)
      fail_msg("dt %g, stiffness %g, curl %d: %g unsolved", dt, factor, c / 9, run_value(&r, "unsolved_steps"));
    if (fabs(run_value(&r, "energy.balance_error")) > 1e-6)
      fail_msg("dt %g, stiffness %g, curl %d: balance %.2e", dt, factor, c / 9, run_value(&r, "energy.balance_error"));
    run_close(&r);
  }
}

/* So strongly damped by its stiffness that nothing else counts, a fibre held straight whose natural curvature is 10 / m gives way by
 * 1 / (1 + dt / b) in a step, and dampers take dt b K of the rate squared. */
static void test_stiffness_damping_lets_it_give_way(void **state)
{
  (void)state;
  const double b = 100, dt = 1, curve = 10, part = 1 / (1 + dt / b);
  char text[1200];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8,"
           "\"stiffness_damping\":%g}],\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,"
           "\"length\":0.2},\"element\":\"super_helix\",\"elements\":4,\"edges\":12,\"held\":\"start\",\"natural_curvature\":%g}],\"rig\":{"
           "\"type\":\"none\"},\"time\":{\"duration\":10,\"time_step\":%g},\"options\":{\"fibre_contact\":false}}",
           b, curve, dt);
  sim_run r = run_open(text, 1);
  double energy = 0.5 * BENDING * curve * curve * LENGTH, left = 1, damped = 0;
  for (int k = 0; k < 5; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    damped += 2 * energy * b / dt * pow(left * (1 - part), 2);
    left *= part;
    assert_true(fabs(run_value(&r, "energy.bending") / (energy * left * left) - 1) < 1e-4);
    assert_true(fabs(run_value(&r, "energy.damping") / damped - 1) < 0.01); /* the first step sets it in motion */
  }
  run_close(&r);
}

/* Air takes dt a m v^2 in each step, and with it energies balance by the step's formula. */
static void test_air_brakes_it(void **state)
{
  (void)state;
  const char *text =
      "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8,"
      "\"mass_damping\":5,\"stiffness_damping\":0}],\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\","
      "\"radius\":"
      "1e-3,\"length\":0.2},\"element\":\"super_helix\",\"elements\":4,\"edges\":12,\"held\":\"start\",\"rotation\":{\"axis\":[0,1,0],"
      "\"angle_deg\":90}}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-10]},\"time\":{\"duration\":10,\"time_step\":1e-3},\"options\":{"
      "\"fibre_contact\":false}}";
  sim_run r = run_open(text, 1);
  const fibre_state *s = r.sim->state;
  double taken = 0;
  for (int k = 0; k < 200; k++) {
    run_steps(&r, 1);
    for (size_t i = 0; i < s->unknown_count; i++) taken += 1e-3 * 5 * s->mass[i] * s->velocity[i] * s->velocity[i];
  }
  run_observe(&r);
  assert_true(fabs(run_value(&r, "energy.damping") / taken - 1) < 1e-9);
  assert_true(taken > 1e-5 && fabs(run_value(&r, "energy.balance_error")) < 1e-9);
  run_close(&r);
}

/* Straight and stiff, twisted by a quarter of a turn and let go: it swings in twist alone, whose lowest mode has the period 4 L sqrt(rho /
 * G); of ten elements, with what the step takes out, its energy is twisting's and turning's alone, and half of it is motion after an eighth
 * of the period, where the wave from the free end has passed half of the fibre. */
static void test_twist_swings_with_the_inertia_of_sections(void **state)
{
  (void)state;
  const double speed = sqrt(1e8 / 2.5 / 1000), eighth = 0.5 * LENGTH / speed, dt = eighth / 500;
  sim_run r = open_scene(",\"edges\":40,\"elements\":20,\"twist\":0.25", "[0,0,0]", "", dt, ALONE);
  run_observe(&r);
  double all = run_value(&r, "energy.twisting");
  run_steps(&r, 500);
  run_observe(&r);
  claim_absolute("kinetic energy of a fibre that untwists, half a wave in", run_value(&r, "energy.kinetic") / all, 0.5, 0.03,
                 "d'Alembert's wave, rho I_p and GJ");
  claim_absolute("its energy of twisting", run_value(&r, "energy.twisting") / all, 0.5, 0.05, "the same, less what steps take out");
  assert_true(run_value(&r, "energy.bending") < 1e-9 * all);
  run_close(&r);
}

/* A root that an obstacle shakes and turns: energies balance with its work, and what it feels is what the fibre does to it. */
static void test_a_root_that_moves(void **state)
{
  (void)state;
  const char *shaker =
      ",\"obstacles\":[{\"name\":\"shaker\",\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},\"position\":[0,0,-0.2],"
      "\"axis\":[0,0,1],\"direction\":[1,0,0],\"program\":[{\"type\":\"ramp\",\"velocity\":0.5,\"duration\":0.05},"
      "{\"type\":\"hold\",\"duration\":1}],\"turn\":[{\"type\":\"ramp\",\"angular_velocity\":8,\"duration\":0.05},"
      "{\"type\":\"constant\",\"angular_velocity\":8}]}]";
  sim_run r = open_scene(",\"edges\":12,\"elements\":4,\"held_by\":\"shaker\",\"natural_curvature\":10", "[0,0,-10]", shaker, 1e-3, ALONE);
  for (int k = 0; k < 300; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    assert_true(fabs(run_value(&r, "energy.balance_error")) < 1e-8);
    assert_true(fabs(run_value(&r, "obstacle.shaker.force_x") - run_value(&r, "start.force_x")) < 1e-12);
    assert_true(fabs(run_value(&r, "obstacle.shaker.torque_z") - run_value(&r, "start.torque_z")) <
                1e-4); /* about the part, and about the root */
  }
  assert_true(run_value(&r, "unsolved_steps") == 0);
  assert_true(run_value(&r, "energy.external") > 1e-5);
  run_close(&r);
}

/* ── refusals ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* All that it cannot do, at once. */
static void test_what_no_super_helix_can_do_is_refused(void **state)
{
  (void)state;
  const char *text =
      "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
      "\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"element\":\"super_helix\",\"elements\":9,\"edges\":8,\"form\":\"ring\","
      "\"disturbance\":"
      "1e-3,\"velocity\":[1,0,0],\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2}},{\"name\":\"g\",\"material\":\"m\","
      "\"element\":"
      "\"super_helix\",\"held\":\"both\",\"hold\":\"pinned\",\"form\":\"helix\",\"flatness\":0.5,\"angular_velocity\":[1,0,0],\"shape\":{"
      "\"type\":"
      "\"cylinder\",\"radius\":1e-3,\"length\":0.2}}],\"rig\":{\"type\":\"grips\",\"low_end\":-0.08,\"high_start\":0.08},\"obstacles\":[{"
      "\"name\":\"floor\",\"shape\":{\"type\":\"sphere\",\"radius\":"
      "0.1},\"position\":[1,0,0]}],\"options\":{\"order\":2},\"time\":{\"duration\":1}}";
  const char *const at[] = {"/specimens/0/elements",
                            "/specimens/0/form",
                            "/specimens/0/disturbance",
                            "/specimens/0/velocity",
                            "/specimens/0/held",
                            "/specimens/1/held",
                            "/specimens/1/hold",
                            "/specimens/1/flatness",
                            "/options/order",
                            "/rig/type",
                            "/specimens/1/angular_velocity"};
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
    bool found = false;
    for (size_t i = 0; i < problems.count; i++) found = found || strcmp(problems.items[i].pointer, at[k]) == 0;
    for (size_t i = 0; i < problems.count && !found; i++) print_message("# %s: %s\n", problems.items[i].pointer, problems.items[i].detail);
    if (!found) fail_msg("nothing is refused at %s", at[k]);
  }
  scr_problems_clear(&problems);
}

SUITE(test_fibre_helix)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_on_strains_are_slopes_of_work),
      cmocka_unit_test(test_second_derivatives_of_work),
      cmocka_unit_test(test_masses_are_those_of_moving_points),
      cmocka_unit_test(test_points_move_with_strains),
      cmocka_unit_test(test_a_circle_closes),
      cmocka_unit_test(test_a_force_bends_it_as_a_beam),
      cmocka_unit_test(test_it_hangs),
      cmocka_unit_test(test_it_is_laid_as_a_helix),
      cmocka_unit_test(test_the_clamp_bears_what_momentum_misses),
      cmocka_unit_test(test_no_step_gains_energy),
      cmocka_unit_test(test_stiffness_damping_lets_it_give_way),
      cmocka_unit_test(test_air_brakes_it),
      cmocka_unit_test(test_twist_swings_with_the_inertia_of_sections),
      cmocka_unit_test(test_a_root_that_moves),
      cmocka_unit_test(test_what_no_super_helix_can_do_is_refused),
  };
  return cmocka_run_group_tests_name("super-helices", tests, NULL, NULL);
}
