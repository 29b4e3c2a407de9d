/* Speed of bonded discrete elements on a hexagonal close block: the bond kernel per bond, an explicit step per sphere, one implicit
 * step from rest under gravity with its bottom layer held. Prints one line per measurement; never a test.
 *   bench_bdem [spheres per side, default 27] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "geometry/packing.h"
#include "methods/bdem/explicit.h"
#include "methods/bdem/implicit.h"

/* Processor seconds: everything here runs on one thread, and the machine may be shared. */
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

static void bench_explicit(bdem_body *body, scr_vec3 *load)
{
  size_t n = body->sphere_count;
  int repeats = (int)(20000000 / body->bond_count) + 1;
  double dt = 0.8 * 2.0 / sqrt(bdem_close_packing_eigenvalue(0.3) * body->bonds[0].stretch / body->mass[0]);
  bdem_batches bonds;
  scr_vec3 *force = mem_array(2 * n, sizeof *force);
  if (!force || bdem_batches_create(body, NULL, 1, &bonds, NULL) != SCR_OK) return;
  double begun = now();
  for (int k = 0; k < repeats; ++k) bdem_batches_forces(&bonds, body, force, force + n);
  double kernel = (now() - begun) / repeats;
  begun = now();
  for (int k = 0; k < repeats; ++k) bdem_explicit_step(body, &bonds, dt, load, NULL, NULL);
  double step = (now() - begun) / repeats;
  printf("spheres %zu  bonds %zu  threads 1\n", n, body->bond_count);
  printf("bond forces    %.1f ns per bond\n", 1e9 * kernel / (double)body->bond_count);
  printf("explicit step  %.3f us per sphere\n", 1e6 * step / (double)n);
  bdem_batches_destroy(&bonds);
  mem_free(force);
}

static void bench_implicit(bdem_body *body, const scr_vec3 *load, double r)
{
  bdem_implicit_options options = {
      .time_step = 1.0 / 60.0, .force_scale = 1e7 * r * r, .tolerance = 1e-8, .iteration_limit = 100, .threads = 1};
  bdem_implicit_report report;
  bdem_implicit *solver;
  scr_error error;
  if (bdem_implicit_create(body, &solver, &error) != SCR_OK) return;
  double begun = now();
  scr_status status = bdem_implicit_step(solver, body, load, &options, &report, &error);
  double seconds = now() - begun;
  if (status == SCR_OK)
    printf("implicit step  dt 1/60 s: %.2f s, %zu Newton and %zu CG iterations, %.1f us per sphere and Newton iteration\n", seconds,
           report.newton_iterations, report.cg_iterations, 1e6 * seconds / (double)(body->sphere_count * report.newton_iterations));
  else
    printf("implicit step  failed: %s\n", error.message);
  bdem_implicit_destroy(solver);
}

int main(int argc, char **argv)
{
  long side = argc > 1 ? strtol(argv[1], NULL, 10) : 27;
  double r = 0.0159;
  bdem_body body = {0};
  if (side < 2 || side > 200 || !make_block((size_t)side, r, &body)) {
    fprintf(stderr, "bench_bdem: spheres per side must be 2 to 200 and fit the memory\n");
    return 1;
  }
  scr_vec3 *load = mem_array(body.sphere_count, sizeof *load);
  if (load) {
    for (size_t k = 0; k < body.sphere_count; ++k) {
      load[k] = vec3(0, 0, -9.81 * body.mass[k]);
      if (k < (size_t)(side * side)) body.held[k] = BDEM_HELD_ALL;
    }
    bench_implicit(&body, load, r);
    bench_explicit(&body, load);
  }
  mem_free(load);
  bdem_body_destroy(&body);
  return 0;
}
