/* The method fem: a ball between six rigid walls without friction, the unit cell of deformable level-set grains (the spec's check 15 and
 * scene 5.7). References: the table of that paper, Hertz, and that the walls' work is the energy. */
#include "linalg/sparse.h"
#include "tests/support/claim.h"
#include "tests/support/fem_blocks.h"
#include "tests/support/suites.h"

#include "methods/fem/dynamics/solver.h"

/* An octant of the unit ball with linear matter on its three planes of symmetry, and the compliance of what may touch its three walls. */
typedef struct octant {
  geo_hexes mesh;
  fem_system system;
  size_t count;  /* contacts of a node with a wall */
  size_t *slot;  /* [count] unknown 3 node + wall */
  double *w;     /* [count][count] m/N */
  double *force; /* [count] N */
} octant;

static const double outermost = 0.8; /* nodes farther in than this meet no wall */

/* The cube [0, 1]^3 pushed out to the round as the program's balls are, its nodes nearer to each other towards the poles. */
static void push_out(geo_hexes *mesh)
{
  for (size_t n = 0; n < mesh->node_count; n++) {
    double p[3], most = 0, length = 0;
    for (int k = 0; k < 3; k++) {
      double s = fmin(fmax(mesh->node[n][k] + 0.5, 0), 1);
      p[k] = s < 1e-12 ? 0 : s * (0.6 + 0.4 * s * s);
      most = fmax(most, p[k]), length += p[k] * p[k];
    }
    for (int k = 0; k < 3; k++) mesh->node[n][k] = length > 0 ? p[k] * ((1 - most) * 0.7 + most * most / sqrt(length)) : 0;
  }
}

/* Blocks of the stiffness as a matrix with planes of symmetry held. */
static void fill(const fem_system *s, const double *block, la_sparse *matrix)
{
  assert_int_equal(fem_system_matrix(s, matrix, NULL), SCR_OK);
  for (size_t c = 0; c < s->node_count; c++)
    for (size_t k = s->first[c]; k < s->first[c + 1]; k++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          size_t row = 3 * (size_t)s->row[k] + (size_t)i, column = 3 * c + (size_t)j;
          bool held = s->rest[row] == 0 || s->rest[column] == 0;
          matrix->value[fem_matrix_slot(s, c, k, i, j)] = held ? row == column : block[9 * k + (size_t)(3 * i + j)];
        }
}

/* Columns of the compliance, a batch at a time. */
static void fill_compliance(octant *o, la_factor *factor)
{
  enum { BATCH = 32 };
  size_t n = 3 * o->system.node_count;
  double *column = calloc(n * BATCH, sizeof *column);
  assert_non_null(column);
  for (size_t from = 0; from < o->count; from += BATCH) {
    size_t count = o->count - from < BATCH ? o->count - from : BATCH;
    memset(column, 0, n * count * sizeof *column);
    for (size_t c = 0; c < count; c++) column[n * c + o->slot[from + c]] = 1;
    assert_int_equal(la_factor_solve(factor, column, count, column, NULL), SCR_OK);
    for (size_t c = 0; c < count; c++)
      for (size_t r = 0; r < o->count; r++) o->w[r * o->count + from + c] = column[n * c + o->slot[r]];
  }
  free(column);
}

static octant make_octant(uint32_t n, double young, double nu)
{
  octant o = {0};
  const double size[3] = {1, 1, 1};
  const uint32_t cells[3] = {n, n, n};
  o.mesh = fem_test_box(size, cells, 0, true);
  push_out(&o.mesh);
  o.system = fem_test_system(&o.mesh, fem_test_matter(FEM_LINEAR, FEM_PLAIN, young, nu), 1000);
  size_t unknowns = 3 * o.system.node_count, bad;
  double *u = calloc(unknowns, sizeof *u), *mode = calloc(9 * o.system.hex_count, sizeof *mode);
  double *gradient = calloc(unknowns, sizeof *gradient), *block = calloc(9 * o.system.block_count, sizeof *block);
  la_sparse stiffness = {0};
  la_factor *factor;
  o.slot = calloc(unknowns, sizeof *o.slot);
  assert_true(u && mode && gradient && block && o.slot);
  for (size_t k = 0; k < unknowns; k++)
    if (o.system.rest[k] > outermost) o.slot[o.count++] = k;
  o.w = calloc(o.count * o.count, sizeof *o.w);
  o.force = calloc(o.count, sizeof *o.force);
  assert_true(o.w && o.force);
  (void)fem_system_evaluate(&o.system, u, mode, false, gradient, block, execution_of(1), &bad);
  assert_true(bad == SIZE_MAX);
  fill(&o.system, block, &stiffness);
  assert_int_equal(la_factor_create(LA_FACTOR_CHOLESKY, &factor, NULL), SCR_OK);
  assert_int_equal(la_factor_make(factor, &stiffness, NULL), SCR_OK);
  fill_compliance(&o, factor);
  la_factor_destroy(factor);
  la_sparse_clear(&stiffness);
  free(u), free(mode), free(gradient), free(block);
  return o;
}

static void clear_octant(octant *o)
{
  free(o->slot), free(o->w), free(o->force);
  fem_system_clear(&o->system);
  geo_hexes_clear(&o->mesh);
}

/* The force of one whole wall, N, with the walls at 1 - depth: 0 <= f perp gap >= 0 by projected Gauss-Seidel from the forces there are.
 * @param energy J, of the ball */
static double press(octant *o, double depth, double *energy)
{
  double sum = 0;
  for (int sweep = 0; sweep < 3000; sweep++) {
    double change = 0, most = 0;
    for (size_t k = 0; k < o->count; k++) {
      double gap = 1 - depth - o->system.rest[o->slot[k]], was = o->force[k];
      for (size_t j = 0; j < o->count; j++) gap += o->w[k * o->count + j] * o->force[j];
      o->force[k] = fmax(0, was - gap / o->w[k * o->count + k]);
      change = fmax(change, fabs(o->force[k] - was));
      most = fmax(most, o->force[k]);
    }
    if (change <= 1e-8 * most) break;
  }
  *energy = 0;
  for (size_t k = 0; k < o->count; k++) {
    sum += o->force[k] * 4 / 3; /* four octants share a wall, an octant has three */
    for (size_t j = 0; j < o->count; j++) *energy += 8 * 0.5 * o->force[k] * o->w[k * o->count + j] * o->force[j];
  }
  return sum;
}

/* ── the method's own contact ───────────────────────────────────────────────────────────────────────────────────── */

/* The same octant as the method moves it: nodes of its surface that meet three planes, in steps whose damping is half a step, which end in
 * equilibrium whatever they began with: (u0 + u1)/2 + b (u1 - u0)/h = u1. Its mass is next to none. */
typedef struct pressed {
  fem_system system;
  fem_frames frames;
  geo_hexes_surface surface;
  fem_contact_space space;
  fem_motion motion;
  fem_hold hold;
  fem_solver solver;
  sim_parts walls;
  double friction[2], *load;
} pressed;

static void start_pressing(pressed *p, const octant *o, double young, double nu)
{
  const scr_vec3 axis[3] = {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)};
  *p = (pressed){.system = fem_test_system(&o->mesh, fem_test_matter(FEM_LINEAR, FEM_PLAIN, young, nu), 1e-6)};
  size_t n = p->system.node_count;
  scr_error error = {0};
  assert_int_equal(fem_frames_create(&p->system, &p->frames, NULL), SCR_OK);
  assert_int_equal(geo_hexes_find_surface(&o->mesh, &p->surface, NULL), SCR_OK);
  p->motion = (fem_motion){calloc(3 * n, sizeof(double)), calloc(3 * n, sizeof(double)), calloc(9 * p->system.hex_count, sizeof(double))};
  p->hold = (fem_hold){calloc(3 * n, 1), calloc(n, sizeof(uint32_t)), calloc(3 * n, sizeof(double)), calloc(3 * n, sizeof(double)), 0};
  p->load = calloc(3 * n, sizeof *p->load);
  assert_true(p->load && p->hold.fixed && p->motion.mode);
  for (size_t k = 0; k < 3 * n; k++) p->hold.fixed[k] = p->system.rest[k] == 0, p->hold.count += p->hold.fixed[k];
  double edge = cbrt(1.0 / 6 * 3.14159265358979 / (double)p->system.hex_count);
  p->space = (fem_contact_space){&p->system, &p->surface, p->friction, 0.5 * edge, false, NULL, NULL};
  fem_settings settings = {
      .impact = FEM_IMPACT_NONE, .tolerance = 1e-9, .newton_limit = 60, .sweep_limit = 20000, .edge = edge, .execution = execution_of(1)};
  static const double no_damping = 0, some_damping = 0.5;
  settings.mass_damping = &no_damping;
  settings.stiffness_damping = &some_damping;
  if (fem_solver_create(&p->system, &p->frames, &p->space, &p->motion, &p->hold, &settings, &p->solver, &error) != SCR_OK)
    fail_msg("%s", error.message);
  p->walls.count = 3;
  for (int k = 0; k < 3; k++) {
    p->walls.form[k] = (scr_part){.kind = SCR_PART_PLANE, .start = axis[k], .normal = vec3_scale(axis[k], -1), .extent = INFINITY};
    p->walls.now[k].pose = (scr_pose){axis[k], quat_identity()};
  }
}

static void stop_pressing(pressed *p)
{
  fem_solver_clear(&p->solver);
  geo_hexes_surface_clear(&p->surface);
  fem_frames_clear(&p->frames);
  fem_system_clear(&p->system);
  free(p->motion.displacement), free(p->motion.velocity), free(p->motion.mode);
  free(p->hold.fixed), free(p->hold.part), free(p->hold.displacement), free(p->hold.speed), free(p->load);
}

/* Moves the walls to 1 - depth in a step of 1 s. @return the force of one whole wall, N */
static double press_by_contacts(pressed *p, double depth)
{
  part_motion start[SCR_PART_LIMIT];
  fem_report report = {0};
  scr_error error = {0};
  double sum = 0;
  memcpy(start, p->walls.now, sizeof start);
  for (int k = 0; k < 3; k++) p->walls.now[k].pose.position = vec3_scale(p->walls.form[k].normal, depth - 1);
  const fem_drive drive = {1, p->load, p->load, &p->walls, start, p->walls.now};
  if (fem_newmark(&p->solver, &drive, &report, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(report.halvings, 0);
  for (size_t k = 0; k < p->solver.touches.count; k++) sum += p->solver.touches.item[k].force[0] * 4 / 3;
  return sum;
}

enum { DEPTHS = 17 };
static const double depth[DEPTHS] = {0.004,   0.008,   0.014,   0.023,   0.0365,  0.04156, 0.04916, 0.06055, 0.07763,
                                     0.08404, 0.09365, 0.10807, 0.11347, 0.12158, 0.13375, 0.15199, 0.16};
static const double paper[DEPTHS] = {4.12,   11.95,  28.63,  63.39,  134.77,  167.32,  222.16,  317.71, 493.45,
                                     569.48, 694.49, 908.45, 996.90, 1138.99, 1373.51, 1777.76, 1974.62};

/* Forces of a wall, by the method's own contact, against the paper's table, which does not say E and nu: the two sets that the spec found
 * to reproduce it, to the spec's 5 % and 2 %. Work of the walls by trapezoids is the energy between the first and the last depth. Where the
 * patch is a few nodes, at the first depth, the force is high by a tenth on coarse meshes.
 * @param force receives what was found, N */
static void against_the_paper(uint32_t n, double young, double nu, double tolerance, double first_tolerance, double force[DEPTHS])
{
  octant o = make_octant(n, young, nu);
  pressed own;
  double worst = 0, work = 0, apart = 0, energy[DEPTHS];
  char name[120];
  start_pressing(&own, &o, young, nu);
  for (int k = 0; k < DEPTHS; k++) {
    force[k] = press_by_contacts(&own, depth[k]);
    apart = fmax(apart, fabs(press(&o, depth[k], &energy[k]) / force[k] - 1));
    if (k > 0) worst = fmax(worst, fabs(force[k] / paper[k] - 1)), work += 3 * (force[k] + force[k - 1]) * (depth[k] - depth[k - 1]);
  }
  stop_pressing(&own);
  claim_between("forces by the method's steps off those by projected Gauss-Seidel on the compliance", apart, 0, 1e-5,
                "the same problem, posed by hand; masses of 1e-6 kg/m^3");
  snprintf(name, sizeof name, "worst force off the table, E = %g, nu = %g, %u^3 elements an octant", young, nu, n);
  claim_between(name, worst, 0, tolerance, "table of the paper on deformable level-set grains, check 15");
  snprintf(name, sizeof name, "force at 0.004 over the table's, E = %g, nu = %g, %u^3 elements an octant", young, nu, n);
  claim_relative(name, force[0] / paper[0], 1, first_tolerance, "the same; a patch of a few nodes");
  claim_relative("work of the six walls over the energy", work / (energy[DEPTHS - 1] - energy[0]), 1, 5e-3,
                 "conservation of energy, check 15");
  claim_between("force over Hertz' at 0.004", force[0] / (4.0 / 3 * young / (1 - nu * nu) * pow(depth[0], 1.5)), 1, 1.3,
                "limit 1 from above; prototype 1.145, check 15");
  clear_octant(&o);
}

static void test_a_ball_between_six_walls(void **state)
{
  double coarse[DEPTHS], fine[DEPTHS], other[DEPTHS], worst = 0;
  (void)state;
  against_the_paper(10, 9.35e3, 0.34, 0.08, 0.08, coarse);
  against_the_paper(14, 9.35e3, 0.34, 0.02, 0.08, fine);
  for (int k = 4; k < DEPTHS; k++) worst = fmax(worst, fabs(coarse[k] / fine[k] - 1));
  claim_between("10^3 against 14^3 elements, from 0.0365 on", worst, 0, 0.03, "prototype: 2.4 %, check 15");
  if (!claim_slow_part("18 elements along an edge of an octant, and nu = 0.3")) return;
  against_the_paper(18, 9.35e3, 0.34, 0.02, 0.06, fine);
  against_the_paper(18, 1e4, 0.3, 0.05, 0.05, other);
  claim_absolute("force over Hertz' at 0.16, nu = 0.3", other[DEPTHS - 1] / (4.0 / 3 * 1e4 / 0.91 * 0.064), 2.07, 0.02,
                 "prototype in numpy, check 15");
}

SUITE(validate_fem_ball)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_ball_between_six_walls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
