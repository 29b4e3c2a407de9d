/* Speed of bonded discrete elements on hexagonal close blocks: the batched bond forces and whole explicit steps on one and two threads,
 * next to the scalar formula, and one implicit step from rest under gravity with the bottom layer held. Prints Markdown. Then what the
 * check says that scenes of the gallery take, against a whole run of each, or its first minute. bench_bdem [spheres per side ...], default
 * 13 27 60; to be called where api/gallery is */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "methods/bdem/implicit/implicit.h"
#include "sim/sim.h"
#include "tests/support/bandwidth.h"
#include "tests/support/bdem_explicit_step.h"

static int make_block(size_t side, double r, bdem_body *body)
{
  size_t counts[3] = {side, side, side}, n = side * side * side, bonds;
  uint32_t(*pairs)[2] = NULL;
  bdem_elasticity material = {.young_modulus = 1e7, .poisson_ratio = 0.3};
  scr_vec3 *centres = mem_array(n, sizeof *centres);
  if (!centres) return 0;
  geo_packing_block(GEO_PACKING_HEXAGONAL_CLOSE, r, counts, centres);
  int ok = geo_packing_pairs(centres, n, 2.02 * r, &pairs, &bonds, NULL) == SCR_OK && bdem_body_create(n, bonds, body, NULL) == SCR_OK;
  for (size_t k = 0; ok && k < n; ++k) {
    body->position[k] = centres[k];
    body->radius[k] = r;
    body->mass[k] = 1000.0 * geo_packing_cell_volume(GEO_PACKING_HEXAGONAL_CLOSE, r);
  }
  for (size_t k = 0; ok && k < bonds; ++k) ok = bdem_body_bond(body, k, pairs[k][0], pairs[k][1], &material, NULL) == SCR_OK;
  mem_free(centres);
  mem_free(pairs);
  return ok;
}

/* A state as in a run: every sphere moved by up to 1 % of its radius and turned by up to 0.01 rad. */
static void shake(bdem_body *body)
{
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double s = (double)k, size = 0.01 * body->radius[k];
    body->position[k] = vec3_add(body->position[k], vec3(size * sin(s), size * sin(2 * s), size * sin(3 * s)));
    body->orientation[k] = quat_exp(vec3(0.01 * sin(5 * s), 0.01 * sin(7 * s), 0.01 * sin(11 * s)));
  }
}

enum { SCALAR, FORCES, STEP };

/* Best of five stretches, ns per bond: processor time with one thread, wall-clock time with more. */
static double time_bonds(int what, bdem_body *body, bdem_batches *bonds, double dt, scr_vec3 *force)
{
  bool alone = !bonds || bonds->execution.threads == 1;
  size_t n = body->sphere_count;
  int repeats = (int)(4000000 / body->bond_count) + 1;
  double best = INFINITY;
  for (int stretch = 0; stretch < 5; ++stretch) {
    double begun = alone ? thread_seconds() : seconds_now();
    for (int k = 0; k < repeats; ++k) {
      if (what == SCALAR) bdem_body_add_forces(body, force, force + n);
      if (what == FORCES) bdem_batches_forces(bonds, body, force, force + n);
      if (what == STEP) bdem_explicit_step(body, bonds, dt, NULL, NULL, NULL);
    }
    best = fmin(best, ((alone ? thread_seconds() : seconds_now()) - begun) / repeats);
  }
  return 1e9 * best / (double)body->bond_count;
}

/* What bdem_batches_forces has to move between memory and a core once: rest geometry, far ends and shared stiffnesses of the batches; the
 * spheres' state, guests' too; guests' sums written and read again; forces and torques. */
static double bytes_per_bond(const bdem_batches *t)
{
  size_t guests = t->block[t->block_count].first_ghost, shared = 0;
  for (size_t k = 0; k < t->batch_count; ++k) shared = t->stiffness_of[k] + 1 > shared ? t->stiffness_of[k] + 1 : shared;
  double batch = sizeof *t->rest + sizeof *t->far + sizeof *t->stiffness_of,
         sphere = sizeof(scr_vec3) + sizeof(scr_quat) + sizeof(uint32_t);
  return ((double)t->batch_count * batch + (double)shared * sizeof *t->stiffness + (double)(t->sphere_count + guests) * sphere +
          2.0 * (double)guests * sizeof *t->ghost_sum + 2.0 * (double)t->sphere_count * sizeof(scr_vec3)) /
         (double)t->bond_count;
}

static int bench_explicit(bdem_body *body, double bandwidth)
{
  size_t n = body->sphere_count;
  double dt = 0.8 * 2.0 / sqrt(bdem_close_packing_eigenvalue(0.3) * body->bonds[0].stretch / body->mass[0]), ns[2][2], bytes = 0.0;
  scr_vec3 *force = mem_array(2 * n, sizeof *force);
  if (!force) return 0;
  double scalar = time_bonds(SCALAR, body, NULL, dt, force);
  for (unsigned threads = 1; threads <= 2; ++threads) {
    bdem_batches bonds;
    if (bdem_batches_create(body, NULL, execution_of(threads), &bonds, NULL) != SCR_OK) return 0;
    ns[0][threads - 1] = time_bonds(FORCES, body, &bonds, dt, force);
    ns[1][threads - 1] = time_bonds(STEP, body, &bonds, dt, force);
    bytes = bytes_per_bond(&bonds);
    bdem_batches_destroy(&bonds);
  }
  printf("| %zu | %zu | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f %% | %.1f | %.1f | %.3f |\n", n, body->bond_count, scalar, ns[0][0],
         ns[0][1], scalar / ns[0][0], bytes, 100.0 * bytes / (ns[0][0] * 1e-9) / bandwidth, ns[1][0], ns[1][1],
         1e-3 * ns[1][0] * (double)body->bond_count / (double)n);
  fflush(stdout);
  mem_free(force);
  return 1;
}

/* The forces by the kernel for every set of instructions that this processor has, one thread. */
static int bench_kernels(bdem_body *body)
{
  size_t n = body->sphere_count;
  bdem_batches bonds;
  scr_vec3 *force = mem_array(2 * n, sizeof *force);
  if (!force || bdem_batches_create(body, NULL, execution_of(1), &bonds, NULL) != SCR_OK) return 0;
  printf("| %zu |", n);
  for (int set = 0; set < BATCH_SET_COUNT; ++set) {
    bonds.kernel = batch_kernel_of((batch_set)set);
    if (bonds.kernel)
      printf(" %.1f |", time_bonds(FORCES, body, &bonds, 0.0, force));
    else
      printf(" - |");
  }
  printf("\n");
  fflush(stdout);
  bdem_batches_destroy(&bonds);
  mem_free(force);
  return 1;
}

static int bench_implicit(bdem_body *body, size_t layer, double r)
{
  bdem_implicit_options options = {
      .time_step = 1.0 / 60.0, .force_scale = 1e7 * r * r, .tolerance = 1e-8, .iteration_limit = 100, .execution = execution_of(1)};
  bdem_implicit_report report;
  bdem_step_solver *solver;
  scr_error error = {0};
  scr_vec3 *load = mem_array(body->sphere_count, sizeof *load);
  if (!load || bdem_implicit_create(body, &solver, &error) != SCR_OK) return 0;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    load[k] = vec3(0, 0, -9.81 * body->mass[k]);
    if (k < layer) body->held[k] = BDEM_HELD_ALL;
  }
  double begun = thread_seconds();
  scr_status status = bdem_implicit_step(solver, body, load, &options, &report, &error);
  double seconds = thread_seconds() - begun;
  if (status == SCR_OK)
    printf("\nOne implicit step of 1/60 s from rest, %zu spheres under gravity with one layer held, 1 thread: %.2f s, %zu Newton and %zu "
           "conjugate gradient iterations, %.1f us per sphere and Newton iteration.\n",
           body->sphere_count, seconds, report.newton_iterations, report.cg_iterations,
           1e6 * seconds / (double)(body->sphere_count * report.newton_iterations));
  else
    fprintf(stderr, "bench_bdem: %s\n", error.message);
  bdem_implicit_destroy(solver);
  mem_free(load);
  return status == SCR_OK;
}

/* Puts `more` before the options of a scene's text, which has some. */
static size_t insert_options(char *text, size_t size, size_t room, const char *more)
{
  static const char key[] = "\"options\": {";
  text[size] = '\0';
  char *at = strstr(text, key);
  if (!at || size + strlen(more) >= room) return size;
  at += strlen(key);
  memmove(at + strlen(more), at, size - (size_t)(at - text));
  memcpy(at, more, strlen(more));
  return size + strlen(more);
}

/* Reads a scene of the gallery, with large steps and this breaking unless it is NULL; NULL: there is none. */
static scr_scene *read_scene(const char *name, const char *breaking)
{
  char path[128], text[16384], more[128];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(path, sizeof path, "api/gallery/%s.json", name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  snprintf(more, sizeof more, "\"integrator\":\"implicit-euler\",\"breaking\":\"%s\",", breaking ? breaking : "");
  if (breaking) size = insert_options(text, size, sizeof text, more);
  if (scr_scene_parse(text, size, NULL, &scene, &problems) != SCR_OK) scene = NULL;
  scr_problems_clear(&problems);
  return scene;
}

/* A run's cost changes with its phases (flight, impact, debris), so it is timed to its end; one that takes longer, by the share of its
 * steps. */
static const double longest = 60; /* s */

/* Processor time of a scene's run. */
static int bench_estimate(const char *name, const char *breaking)
{
  scr_scene *scene = read_scene(name, breaking);
  scr_sim *sim = NULL;
  scr_error error = {0};
  if (!scene) return 0;
  const scr_estimate *estimate = scr_scene_estimate(scene);
  int ok = scr_sim_create(scene, 1, &sim, &error) == SCR_OK;
  double begun = thread_seconds(), seconds = 0.0;
  size_t steps = 0, all = (size_t)estimate->step_count;
  while (ok && steps < all && seconds < longest) {
    ok = scr_sim_step(sim, &error) == SCR_OK;
    ++steps;
    seconds = thread_seconds() - begun;
  }
  double whole = seconds * (double)all / (double)steps;
  if (ok)
    printf("| %s%s%s | %zu | %.0f %% | %.1f | %.1f | %.2f |\n", name, breaking ? ", 20 T, " : "", breaking ? breaking : "", all,
           100.0 * (double)steps / (double)all, whole, estimate->run_seconds, estimate->run_seconds / whole);
  else
    fprintf(stderr, "bench_bdem: %s: %s\n", name, error.message);
  fflush(stdout);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  return ok;
}

static int bench_estimates(void)
{
  static const char *const scenes[] = {"plate-drop", "chocolate-drop", "ring-drop",    "wedge-split",
                                       "cloth-pull", "beam-drape",     "beam-stretch", "beam-twist"};
  static const char *const breaking[] = {"explicit-bursts", "staged", "simultaneous", "worst-first"};
  int ok = 1;
  printf("\nWhat the check says that a scene of the gallery takes, against processor time of its whole run, or of its first "
         "minute, taken for the whole.\n\n| scene | steps | done | s | estimate, s | estimate / run |\n|---|---|---|---|---|---|\n");
  for (size_t k = 0; ok && k < sizeof scenes / sizeof *scenes; ++k) ok = bench_estimate(scenes[k], NULL);
  for (size_t k = 0; ok && k < 2; ++k)
    for (size_t b = 0; ok && b < sizeof breaking / sizeof *breaking; ++b) ok = bench_estimate(scenes[k], breaking[b]);
  return ok;
}

static size_t side_of(const char *text)
{
  long side = strtol(text, NULL, 10);
  return side >= 2 && side <= 200 ? (size_t)side : 0;
}

int main(int argc, char **argv)
{
  static const size_t defaults[] = {13, 27, 60};
  double r = 0.0159, bandwidth = triad_bandwidth(1);
  int count = argc > 1 ? argc - 1 : 3, ok = 1;
  printf(
      "# Speed of bonded discrete elements\n\nWritten by `make bench`; hexagonal close blocks, best of five, one run on one machine. "
      "Processor time with one thread, wall-clock time with two. Machines are shared "
      "and noisy: compare the ratios.\nForces are those of all bonds on every sphere; a step moves the spheres too. "
      "Triad bandwidth: %.1f GB/s with 1 thread.\n\n"
      "| spheres | bonds | scalar formula, ns per bond | batched forces, ns per bond, 1 thread | 2 threads | scalar / batched | bytes per "
      "bond | share of bandwidth | explicit step, ns per bond, 1 thread | 2 threads | us per sphere and step, 1 thread |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n",
      bandwidth / 1e9);
  for (int table = 0; ok && table < 2; ++table) {
    if (table == 1)
      printf("\nThe same forces by the kernel for each set of instructions, ns per bond, 1 thread.\n\n| spheres | any processor | AVX2 | "
             "AVX-512 "
             "|\n|---|---|---|---|\n");
    for (int k = 0; ok && k < count; ++k) {
      bdem_body body = {0};
      size_t side = argc > 1 ? side_of(argv[1 + k]) : defaults[k];
      ok = side > 0 && make_block(side, r, &body);
      if (ok) shake(&body);
      ok = ok && (table == 0 ? bench_explicit(&body, bandwidth) : bench_kernels(&body));
      bdem_body_destroy(&body);
    }
  }
  bdem_body body = {0};
  ok = ok && make_block(27, r, &body) && bench_implicit(&body, 27 * 27, r);
  bdem_body_destroy(&body);
  if (ok && !bench_estimates()) return 1;
  if (!ok) fprintf(stderr, "bench_bdem: spheres per side must be 2 to 200 and fit the memory\n");
  return !ok;
}
