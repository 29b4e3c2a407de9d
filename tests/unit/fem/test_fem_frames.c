/* The method fem in a turned world and in other units (millimetre, gram, millisecond): the same answer, to 1e-8 and 1e-10. Bodies that
 * touch each other with friction, and a jump from static loading through launch, rigid flight and landing. The fall of one block onto a
 * floor is in test_fem_runs. */
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

#include "methods/fem/state/state.h"

/* How a world is written down: turned about an axis that is none of its own, and in other units. */
typedef struct frame {
  scr_quat turn;
  double length, time, mass; /* by what numbers grow */
} frame;

static frame as_it_is(void)
{
  return (frame){quat_identity(), 1, 1, 1};
}

static frame turned(void)
{
  return (frame){quat_exp(vec3(0.5, -0.9, 0.3)), 1, 1, 1};
}

static frame in_small_units(void)
{
  return (frame){quat_identity(), 1e3, 1e3, 1e3};
}

/* "[x, y, z]" of a vector, turned and times a unit. @param text [120] is returned */
static const char *vector(const frame *f, double x, double y, double z, double unit, char text[120])
{
  scr_vec3 v = vec3_scale(quat_rotate(f->turn, vec3(x, y, z)), unit);
  snprintf(text, 120, "[%.17g, %.17g, %.17g]", v.x, v.y, v.z);
  return text;
}

/* "\"rotation\": ..." of what is turned by `own` first. @param text [200] is returned */
static const char *rotation(const frame *f, scr_quat own, char text[200])
{
  scr_vec3 way = quat_log(quat_multiply(f->turn, own));
  double angle = vec3_length(way);
  if (angle < 1e-12) way = vec3(0, 0, 1), angle = 0;
  snprintf(text, 200, "\"rotation\": { \"axis\": [%.17g, %.17g, %.17g], \"angle_deg\": %.17g }", way.x, way.y, way.z, angle * 180 / M_PI);
  return text;
}

/* A box. All in SI and not turned but by its own rotation vector. */
typedef struct box {
  const char *name;
  double size[3];
  int cells[3];
  double place[3], turn[3], velocity[3], load[3];
} box;

static void write_box(const frame *f, const box *b, char *text, size_t room)
{
  char place[120], velocity[120], load[120], turn[200];
  double L = f->length, T = f->time;
  vector(f, b->place[0], b->place[1], b->place[2], L, place);
  vector(f, b->velocity[0], b->velocity[1], b->velocity[2], L / T, velocity);
  vector(f, b->load[0], b->load[1], b->load[2], f->mass * L / T / T, load);
  rotation(f, quat_exp(vec3(b->turn[0], b->turn[1], b->turn[2])), turn);
  bool loaded = b->load[0] != 0 || b->load[2] != 0;
  snprintf(text, room,
           "{ \"name\": \"%s\", \"material\": \"m\", \"divisions\": [%d, %d, %d], \"shape\": { \"type\": \"box\", \"size\": [%.17g, %.17g, "
           "%.17g] }, \"placement\": { \"type\": "
           "\"single\", \"position\": %s }, %s, \"velocity\": %s, \"load_side\": \"%s\", \"load\": %s }",
           b->name, b->cells[0], b->cells[1], b->cells[2], L * b->size[0], L * b->size[1], L * b->size[2], place, turn, velocity,
           loaded ? "z_max" : "none", load);
}

/* Boxes of E = 1e5 Pa, nu = 0.3, 1000 kg/m^3, b = 1e-3 s over a floor, in steps of 1 ms. */
static sim_run open_boxes(const frame *f, const box *b, size_t count, const char *options)
{
  char text[FEM_SCENE_BYTES], specimens[2048] = "", gravity[120], turn[200];
  double L = f->length, T = f->time, M = f->mass;
  for (size_t k = 0, used = 0; k < count; k++, used = strlen(specimens)) {
    if (k) specimens[used++] = ',';
    write_box(f, &b[k], specimens + used, sizeof specimens - used);
  }
  int size = snprintf(text, sizeof text,
                      "{ \"scree\": 1, \"name\": \"frame\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": %.17g, "
                      "\"young_modulus\": %.17g, \"poisson_ratio\": 0.3, "
                      "\"stiffness_damping\": %.17g } ], \"contact\": { \"friction_coefficient\": 0.3 }, \"specimens\": [ %s ], \"rig\": { "
                      "\"type\": \"none\", \"gravity\": %s }, \"obstacles\": [ { "
                      "\"name\": \"floor\", \"shape\": { \"type\": \"plane\", \"width\": %.17g }, \"position\": [0, 0, 0], %s } ], "
                      "\"time\": { \"duration\": %.17g, \"time_step\": %.17g }, "
                      "\"options\": { %s } }",
                      1000 * M / (L * L * L), 1e5 * M / (L * T * T), 1e-3 * T, specimens, vector(f, 0, 0, -9.81, L / (T * T), gravity), L,
                      rotation(f, quat_identity(), turn), T, 1e-3 * T, options);
  assert_in_range(size, 1, FEM_SCENE_BYTES - 1);
  return run_open(text, 1);
}

/* Largest distance of the nodes of one run from those of the other, brought back to the first one's frame, m. */
static double apart(const sim_run *one, const sim_run *other, const frame *f)
{
  const fem_state *s = one->sim->state, *t = other->sim->state;
  double worst = 0;
  assert_int_equal(s->system.node_count, t->system.node_count);
  for (size_t n = 0; n < s->system.node_count; n++) {
    const double *u = s->motion.displacement + 3 * n, *v = t->motion.displacement + 3 * n;
    scr_vec3 expected = vec3_scale(quat_rotate(f->turn, vec3(u[0], u[1], u[2])), f->length);
    worst = fmax(worst, vec3_length(vec3_sub(expected, vec3(v[0], v[1], v[2]))) / f->length);
  }
  return worst;
}

static double energy(sim_run *r, const char *curve, const frame *f)
{
  return run_curve(r, curve) / (f->mass * f->length * f->length / (f->time * f->time));
}

/* Energies of both runs, over the first one's kinetic and elastic energy. */
static double energies_apart(sim_run *one, sim_run *other, const frame *f)
{
  static const char *const curves[5] = {"energy.kinetic", "energy.elastic", "energy.friction", "energy.damping", "energy.impact"};
  const frame plain = as_it_is();
  double all = energy(one, "energy.kinetic", &plain) + energy(one, "energy.elastic", &plain), worst = 0;
  for (int k = 0; k < 5; k++) worst = fmax(worst, fabs(energy(other, curves[k], f) - energy(one, curves[k], &plain)));
  return worst / all;
}

/* Two blocks whose meshes do not fit: the upper one falls, turned, onto the lower one with friction, and tips over on it. */
static void touching_bodies(const frame *f, double accepted)
{
  const box b[2] = {{.name = "lower", .size = {0.06, 0.06, 0.02}, .cells = {3, 3, 1}, .place = {0, 0, 0.01}},
                    {.name = "upper",
                     .size = {0.02, 0.02, 0.02},
                     .cells = {2, 2, 2},
                     .place = {0.004, 0.003, 0.0331},
                     .turn = {0.094, 0.187, 0},
                     .velocity = {0.2, 0.1, -0.5}}};
  const frame plain = as_it_is();
  sim_run one = open_boxes(&plain, b, 2, ""), other = open_boxes(f, b, 2, "");
  const fem_state *s = one.sim->state;
  size_t between = 0;
  for (int n = 0; n < 25; n++) {
    run_steps(&one, 1), run_steps(&other, 1);
    for (size_t k = 0; k < s->solver.touches.count; k++)
      between += s->solver.touches.item[k].node_count == FEM_TOUCH_NODES && s->solver.touches.item[k].force[0] > 0;
  }
  assert_true(between > 10);
  assert_true(energy(&one, "energy.friction", &plain) > 0);
  print_message("# bodies that touch: nodes %.2g of a body apart, energies %.2g\n", apart(&one, &other, f) / 0.06,
                energies_apart(&one, &other, f));
  assert_true(apart(&one, &other, f) < accepted * 0.06);
  assert_true(energies_apart(&one, &other, f) < accepted);
  run_close(&one), run_close(&other);
}

/* A block pressed aslant in equilibrium, let go, that flies as a rigid body and lands. */
static void a_jump(const frame *f, double accepted)
{
  const box b = {.name = "jumper", .size = {0.06, 0.06, 0.04}, .cells = {2, 2, 2}, .place = {0, 0, 0.02}, .load = {6, 0, -80}};
  static const char options[] = "\"loading\": \"static\", \"flight\": true, \"element\": \"plain\"";
  const frame plain = as_it_is();
  sim_run one = open_boxes(&plain, &b, 1, options), other = open_boxes(f, &b, 1, options);
  const fem_state *s = one.sim->state, *t = other.sim->state;
  double loaded = apart(&one, &other, f), most = 0;
  int steps = 0, flown = 0, after = 0;
  for (; steps < 700 && after < 5; steps++) {
    run_steps(&one, 1), run_steps(&other, 1);
    most = fmax(most, apart(&one, &other, f));
    assert_int_equal(s->flight.flying, t->flight.flying);
    assert_int_equal(one.sim->stage, other.sim->stage);
    flown += s->flight.flying;
    after += one.sim->stage == FEM_STAGE_LANDING;
  }
  print_message("# jump: pressed nodes %.2g of the body apart, the worst of %d steps %.2g (%d flown), energies %.2g\n", loaded / 0.06,
                steps, most / 0.06, flown, energies_apart(&one, &other, f));
  assert_int_equal(after, 5);
  assert_true(flown > 10);
  assert_true(loaded < accepted * 0.06);
  assert_true(most < accepted * 0.06);
  assert_true(energies_apart(&one, &other, f) < accepted);
  run_close(&one), run_close(&other);
}

static void test_bodies_that_touch_in_a_turned_world(void **state)
{
  const frame f = turned();
  (void)state;
  touching_bodies(&f, 1e-8);
}

static void test_bodies_that_touch_in_other_units(void **state)
{
  const frame f = in_small_units();
  (void)state;
  touching_bodies(&f, 1e-10);
}

static void test_a_jump_in_a_turned_world(void **state)
{
  const frame f = turned();
  (void)state;
  a_jump(&f, 1e-8);
}

static void test_a_jump_in_other_units(void **state)
{
  const frame f = in_small_units();
  (void)state;
  a_jump(&f, 1e-10);
}

SUITE(test_fem_frames)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bodies_that_touch_in_a_turned_world),
      cmocka_unit_test(test_bodies_that_touch_in_other_units),
      cmocka_unit_test(test_a_jump_in_a_turned_world),
      cmocka_unit_test(test_a_jump_in_other_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
