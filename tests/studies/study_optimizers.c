/* Solves the same implicit steps by every optimizer and prints what happened as comma-separated lines, which study_optimizers.py turns
 * into tests/reports/bench/OPTIMIZERS.md and its pictures:
 *   history,SCENE,SOLVER,iteration,residual,seconds                                       every iteration of one step
 *   result,SCENE,SOLVER,outcome,iterations,linear iterations,line search steps,residual,seconds   that step; the best time of three
 *   sweep,SOLVER,MOTION,cases,failures,iterations,seconds                                 random steps; sums over those solved
 *   bend,SPEED,YOUNG,DT,SOLVER,steps,failures,iterations,seconds                          a bending test in time
 * Times are processor seconds. `study_optimizers quick` does a small part, to see that it works. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "tests/studies/optimizers/optimizer.h"

typedef struct solver {
  const char *name;
  bdem_optimizer_kind kind;
  bdem_projection projection;
  bdem_metric metric;
  double linear_tolerance, penalty_weight, penalty_growth;
  size_t iteration_limit;
  la_preconditioner_kind preconditioner;
  bool from_prediction;
  bool quasi_newton; /* as scenes are solved: with matrices kept and quasi-Newton steps; the paper's method has neither */
} solver;

static const solver solvers[] = {
    {"manifold Newton", BDEM_OPTIMIZER_MANIFOLD_NEWTON, BDEM_PROJECTION_ON_DEMAND, 0, 0, 0, 0, 300, LA_AUTOMATIC, false, false},
    {"manifold Newton (linear tolerance 0.5)", BDEM_OPTIMIZER_MANIFOLD_NEWTON, BDEM_PROJECTION_ON_DEMAND, 0, 0.5, 0, 0, 300, LA_AUTOMATIC,
     false, false},
    {"manifold Newton (diagonal blocks)", BDEM_OPTIMIZER_MANIFOLD_NEWTON, BDEM_PROJECTION_ON_DEMAND, 0, 0, 0, 0, 300, LA_BLOCK_JACOBI,
     false, false},
    {"manifold Newton (from the prediction)", BDEM_OPTIMIZER_MANIFOLD_NEWTON, BDEM_PROJECTION_ON_DEMAND, 0, 0, 0, 0, 300, LA_AUTOMATIC,
     true, false},
    {"manifold Newton (clipped)", BDEM_OPTIMIZER_MANIFOLD_NEWTON, BDEM_PROJECTION_CLIPPED, 0, 0, 0, 0, 300, LA_AUTOMATIC, false, false},
    {"manifold Newton (Gauss-Newton)", BDEM_OPTIMIZER_MANIFOLD_NEWTON, BDEM_PROJECTION_GAUSS_NEWTON, 0, 0, 0, 0, 300, LA_AUTOMATIC, false,
     false},
    {"rotation vector", BDEM_OPTIMIZER_ROTATION_VECTOR, BDEM_PROJECTION_ON_DEMAND, 0, 0, 0, 0, 300, LA_AUTOMATIC, false, false},
    {"rotation vector (Gauss-Newton)", BDEM_OPTIMIZER_ROTATION_VECTOR, BDEM_PROJECTION_GAUSS_NEWTON, 0, 0, 0, 0, 300, LA_AUTOMATIC, false,
     false},
    {"Lagrange multipliers", BDEM_OPTIMIZER_LAGRANGE, 0, 0, 0, 0, 0, 300, LA_AUTOMATIC, false, false},
    {"augmented Lagrangian", BDEM_OPTIMIZER_AUGMENTED_LAGRANGIAN, 0, 0, 0, 1, 0, 300, LA_AUTOMATIC, false, false},
    {"penalty (kappa 1)", BDEM_OPTIMIZER_PENALTY, 0, 0, 0, 1, 1, 300, LA_AUTOMATIC, false, false},
    {"penalty (kappa 100)", BDEM_OPTIMIZER_PENALTY, 0, 0, 0, 100, 1, 300, LA_AUTOMATIC, false, false},
    {"penalty (growing)", BDEM_OPTIMIZER_PENALTY, 0, 0, 0, 1, 100, 300, LA_AUTOMATIC, false, false},
    {"manifold gradient", BDEM_OPTIMIZER_MANIFOLD_GRADIENT, 0, BDEM_METRIC_PLAIN, 0, 0, 0, 3000, LA_AUTOMATIC, false, false},
    {"manifold gradient (block metric)", BDEM_OPTIMIZER_MANIFOLD_GRADIENT, 0, BDEM_METRIC_BLOCKS, 0, 0, 0, 3000, LA_AUTOMATIC, false,
     false},
    {"manifold Newton (quasi-Newton steps)", BDEM_OPTIMIZER_MANIFOLD_NEWTON, BDEM_PROJECTION_ON_DEMAND, 0, 0, 0, 0, 300, LA_AUTOMATIC,
     false, true},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static void stop(const char *what)
{
  fprintf(stderr, "study_optimizers: %s\n", what);
  exit(1);
}

/* A close-packed block of spheres of radius r at rest, with the mass of the body they fill. */
static bdem_body block(size_t nx, size_t ny, size_t nz, double r, double young)
{
  size_t counts[3] = {nx, ny, nz}, n = nx * ny * nz, bonds;
  uint32_t(*pairs)[2] = NULL;
  bdem_elasticity material = {.young_modulus = young, .poisson_ratio = 0.3};
  bdem_body body;
  scr_error error;
  scr_vec3 *centres = mem_array(n, sizeof *centres);
  if (!centres) stop("no memory");
  geo_packing_block(GEO_PACKING_HEXAGONAL_CLOSE, r, counts, centres);
  if (geo_packing_pairs(centres, n, 2.02 * r, &pairs, &bonds, &error) != SCR_OK) stop(error.message);
  if (bdem_body_create(n, bonds, &body, &error) != SCR_OK) stop(error.message);
  for (size_t k = 0; k < n; ++k) {
    body.position[k] = centres[k];
    body.radius[k] = r;
    body.mass[k] = 1000.0 * geo_packing_cell_volume(GEO_PACKING_HEXAGONAL_CLOSE, r);
  }
  for (size_t k = 0; k < bonds; ++k)
    if (bdem_body_bond(&body, k, pairs[k][0], pairs[k][1], &material, &error) != SCR_OK) stop(error.message);
  mem_free(centres);
  mem_free(pairs);
  return body;
}

/* A cantilever of 8 x 2 x 2 spheres of 1 cm, held at x = 0, its tip moving up at `speed`, everything spinning at `spin` about y. */
static bdem_body cantilever(double young, double speed, double spin)
{
  bdem_body body = block(8, 2, 2, 0.01, young);
  for (size_t k = 0; k < body.sphere_count; ++k) {
    double along = body.position[k].x / 0.15;
    if (along < 0.08) {
      body.held[k] = BDEM_HELD_ALL;
      continue;
    }
    body.velocity[k] = vec3(0, 0, speed * along * along);
    body.spin[k] = vec3(0, -spin, 0);
  }
  return body;
}

/* The three-point bend: a beam of 0.4 m on lines 0.15 m either side of its middle; `load` receives 1 for the pushed spheres. */
static bdem_body bend(double young, size_t nx, size_t ny, size_t nz, unsigned char *pushed)
{
  double r = 0.4 / (2.0 * (double)nx + 1.0), top = 0.0, middle;
  bdem_body body = block(nx, ny, nz, r, young);
  double low = body.position[0].x, high = low;
  for (size_t k = 0; k < body.sphere_count; ++k) {
    low = fmin(low, body.position[k].x);
    high = fmax(high, body.position[k].x);
    top = fmax(top, body.position[k].z);
  }
  middle = 0.5 * (low + high);
  for (size_t k = 0; k < body.sphere_count; ++k) {
    double x = body.position[k].x - middle;
    bool bottom = body.position[k].z<0.5 * r, ceiling = body.position[k].z> top - 0.5 * r;
    pushed[k] = ceiling && fabs(x) < 1.01 * r;
    if (bottom && fabs(fabs(x) - 0.15) < 1.01 * r) body.held[k] = x < 0.0 ? 7 : 6;
    if (pushed[k]) body.held[k] = 4;
  }
  return body;
}

typedef struct history {
  size_t count, capacity;
  bdem_iteration *rows;
} history;

static void record(void *context, const bdem_iteration *iteration)
{
  history *h = context;
  void *rows = h->rows;
  if (h->count == h->capacity && !mem_grow(&rows, &h->capacity, h->count + 1, sizeof *h->rows)) stop("no memory");
  h->rows = rows;
  h->rows[h->count++] = *iteration;
}

static bdem_optimizer *make(const solver *s, const bdem_body *body)
{
  bdem_optimizer *optimizer;
  scr_error error;
  if (bdem_optimizer_create(s->kind, body, &optimizer, &error) != SCR_OK) stop(error.message);
  return optimizer;
}

static scr_status solve(const solver *s, bdem_optimizer *optimizer, bdem_body *body, double young, double dt, double tolerance, history *h,
                        bdem_implicit_report *report)
{
  scr_error error;
  bdem_implicit_options options = {.time_step = dt,
                                   .force_scale = young * body->radius[0] * body->radius[0],
                                   .tolerance = tolerance,
                                   .iteration_limit = s->iteration_limit,
                                   .execution = execution_of(1),
                                   .projection = s->projection,
                                   .linear_tolerance = s->linear_tolerance,
                                   .preconditioner = s->preconditioner,
                                   .from_prediction = s->from_prediction,
                                   .newton_only = !s->quasi_newton,
                                   .observe = h ? record : NULL,
                                   .context = h};
  bdem_optimizer_tuning tuning = {s->metric, s->penalty_weight, s->penalty_growth};
  return bdem_optimizer_step(optimizer, body, NULL, &options, &tuning, report, &error);
}

typedef struct scene {
  const char *name;
  double young, speed, spin, push, time_step; /* push > 0: the three-point bend, pushed that far before the step */
} scene;

static const scene scenes[] = {
    {"cantilever E 1e7", 1e7, 6.0, 0.0, 0.0, 1.0 / 60.0},        {"cantilever E 1e6 spinning", 1e6, 6.0, 20.0, 0.0, 1.0 / 60.0},
    {"cantilever E 1e9", 1e9, 6.0, 0.0, 0.0, 1.0 / 60.0},        {"cantilever E 1e7 in 20 T", 1e7, 6.0, 0.0, 0.0, 1.8e-3},
    {"three-point bend E 1e7", 1e7, 0.0, 0.0, 1e-3, 1.0 / 60.0},
};

static bdem_body scene_body(const scene *s)
{
  unsigned char pushed[256] = {0};
  if (s->push == 0.0) return cantilever(s->young, s->speed, s->spin);
  bdem_body body = bend(s->young, 16, 4, 4, pushed);
  for (size_t k = 0; k < body.sphere_count; ++k)
    if (pushed[k]) body.position[k].z -= s->push;
  return body;
}

static const char *outcome(scr_status status)
{
  return status == SCR_OK ? "solved" : "failed";
}

static void study_steps(size_t scene_count)
{
  for (size_t n = 0; n < scene_count; ++n)
    for (size_t k = 0; k < SOLVERS; ++k) {
      history h = {0};
      bdem_implicit_report report;
      double best = INFINITY;
      scr_status status = SCR_OK;
      for (int repeat = 0; repeat < 3; ++repeat) {
        bdem_body body = scene_body(&scenes[n]);
        bdem_optimizer *optimizer = make(&solvers[k], &body);
        h.count = 0;
        status = solve(&solvers[k], optimizer, &body, scenes[n].young, scenes[n].time_step, 1e-10, &h, &report);
        best = fmin(best, report.seconds);
        bdem_optimizer_destroy(optimizer);
        bdem_body_destroy(&body);
      }
      for (size_t row = 0; row < h.count; ++row)
        printf("history,%s,%s,%zu,%.3e,%.3e\n", scenes[n].name, solvers[k].name, h.rows[row].iteration, h.rows[row].residual,
               h.rows[row].seconds);
      printf("result,%s,%s,%s,%zu,%zu,%zu,%.3e,%.3e\n", scenes[n].name, solvers[k].name, outcome(status), report.newton_iterations,
             report.cg_iterations, report.line_search_steps, report.residual, best);
      fflush(stdout);
      mem_free(h.rows);
    }
}

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* The cantilever with random speeds and spins: up to `reach` radii and reach/10 rad in the step. */
static bdem_body shaken(double young, double reach, double dt, uint64_t seed)
{
  bdem_body body = cantilever(young, 0.0, 0.0);
  for (size_t k = 0; k < body.sphere_count; ++k) {
    if (body.held[k]) continue;
    double v = reach * body.radius[k] / dt, w = 0.1 * reach / dt, a[6];
    for (int d = 0; d < 6; ++d) a[d] = uniform(&seed);
    body.velocity[k] = vec3(v * a[0], v * a[1], v * a[2]);
    body.spin[k] = vec3(w * a[3], w * a[4], w * a[5]);
  }
  return body;
}

static void study_random_steps(uint64_t seeds)
{
  static const double reaches[] = {0.5, 2.0, 8.0}, moduli[] = {1e5, 1e7, 1e9};
  for (size_t k = 0; k < SOLVERS; ++k)
    for (size_t r = 0; r < 3; ++r) {
      size_t cases = 0, failures = 0, iterations = 0;
      double seconds = 0.0;
      for (size_t e = 0; e < 3; ++e)
        for (uint64_t seed = 1; seed <= seeds; ++seed) {
          bdem_body body = shaken(moduli[e], reaches[r], 1.0 / 60.0, seed);
          bdem_optimizer *optimizer = make(&solvers[k], &body);
          bdem_implicit_report report;
          scr_status status = solve(&solvers[k], optimizer, &body, moduli[e], 1.0 / 60.0, 1e-8, NULL, &report);
          ++cases;
          failures += status != SCR_OK;
          iterations += status == SCR_OK ? report.newton_iterations : 0;
          seconds += status == SCR_OK ? report.seconds : 0.0;
          bdem_optimizer_destroy(optimizer);
          bdem_body_destroy(&body);
        }
      printf("sweep,%s,%g,%zu,%zu,%zu,%.3e\n", solvers[k].name, reaches[r], cases, failures, iterations, seconds);
      fflush(stdout);
    }
}

/* A fifteenth of a second of the three-point bend without breaking, pushed at `speed`. */
static void study_bending(double speed, double young, double dt, const solver *s, double time)
{
  unsigned char pushed[256] = {0};
  bdem_body body = bend(young, 16, 4, 4, pushed);
  bdem_optimizer *optimizer = make(s, &body);
  size_t steps = (size_t)lround(time / dt), iterations = 0, failures = 0;
  double seconds = 0.0;
  for (size_t n = 0; n < steps; ++n) {
    bdem_implicit_report report;
    for (size_t k = 0; k < body.sphere_count; ++k)
      if (pushed[k]) body.position[k].z -= speed * dt;
    failures += solve(s, optimizer, &body, young, dt, 1e-8, NULL, &report) != SCR_OK;
    iterations += report.newton_iterations;
    seconds += report.seconds;
  }
  printf("bend,%g,%g,%.8f,%s,%zu,%zu,%zu,%.3e\n", speed, young, dt, s->name, steps, failures, iterations, seconds);
  fflush(stdout);
  bdem_optimizer_destroy(optimizer);
  bdem_body_destroy(&body);
}

int main(int argc, char **argv)
{
  static const double moduli[] = {1e5, 1e6, 1e7, 1e8, 1e9}, rates[] = {60, 120, 240, 480, 960}, speeds[] = {1.75e-3, 0.1};
  bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
  const solver *compared[] = {&solvers[0], &solvers[6], &solvers[7]};
  study_steps(quick ? 1 : sizeof scenes / sizeof *scenes);
  study_random_steps(quick ? 1 : 4);
  for (size_t v = 0; v < 2; ++v)
    for (size_t e = 0; e < (quick ? 1 : 5); ++e)
      for (size_t t = 0; t < (quick ? 1 : 5); ++t)
        for (size_t k = 0; k < 3; ++k) study_bending(speeds[v], moduli[e], 1.0 / rates[t], compared[k], 1.0 / 15.0);
  return 0;
}
