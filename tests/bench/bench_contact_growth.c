/* Time of `auto` as problems grow, on one thread and two, and whether both give the same bits. Walls of bricks to 1e-6; settled layers of
 * spheres to 1e-6 and to 1e-3. Wall-clock time, so an idle machine is needed for two threads. Prints Markdown. bench_contact_growth [most
 * contacts, default 100000] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "tests/support/contact_maker.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One solve from zero. @param impulse [n d] receives the impulses    @return seconds */
static double run(const contact_problem *p, double tolerance, unsigned threads, double *impulse, contact_result *result)
{
  size_t rows = p->contact_count * p->dimension, size = p->block_count * p->block_size;
  contact_options options = contact_options_default();
  double *relative = mem_array(rows, sizeof *relative), *velocity = mem_array(size, sizeof *velocity), begun = now();
  scr_error error = {0};
  options.tolerance = tolerance;
  options.execution = execution_of(threads);
  memset(impulse, 0, rows * sizeof *impulse);
  if (!relative || !velocity || contact_solve(p, &options, impulse, velocity, relative, result, &error) != SCR_OK) {
    fprintf(stderr, "bench_contact_growth: %s\n", error.message);
    exit(1);
  }
  begun = now() - begun;
  mem_free(relative);
  mem_free(velocity);
  return begun;
}

static void row(const char *name, double tolerance, contact_maker *made)
{
  contact_problem p = contact_maker_problem(made);
  size_t rows = p.contact_count * p.dimension;
  double *one = mem_array(rows, sizeof *one), *two = mem_array(rows, sizeof *two);
  contact_result result, again;
  if (!one || !two) exit(1);
  double first = run(&p, tolerance, 1, one, &result), second = run(&p, tolerance, 2, two, &again);
  printf("| %s | %zu | %g | %.3g | %.3g | %s | %.1e | %s |\n", name, p.contact_count, tolerance, first, second,
         memcmp(one, two, rows * sizeof *one) == 0 ? "yes" : "NO", result.residual, result.reason);
  fflush(stdout);
  mem_free(one);
  mem_free(two);
  contact_maker_clear(made);
}

int main(int count, char **arguments)
{
  static const size_t walls[] = {4, 10, 30, 92},
                      layers[][4] = {{4, 5, 1, 1}, {6, 8, 1, 1}, {6, 8, 2, 1}, {6, 8, 1, 0}, {6, 8, 2, 0}, {6, 8, 4, 0}, {6, 8, 10, 0}};
  size_t most = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000;
  contact_maker made;
  printf("## Growth: seconds of `auto`\n\n| problem | contacts | tolerance | one thread | two | same bits | residual | how "
         "|\n|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof walls / sizeof *walls && 12 * walls[k] * walls[k] <= most + most / 50; ++k) {
    contact_maker_wall(walls[k], walls[k], 0.6, &made);
    row("wall", 1e-6, &made);
  }
  for (size_t k = 0; k < sizeof layers / sizeof *layers; ++k) {
    const size_t *l = layers[k];
    if (3 * l[0] * l[0] * l[1] * l[2] * l[2] > most) continue;
    contact_maker_layer(l[0], l[1], l[2], 0.5, 1, &made);
    row("layer of spheres", l[3] ? 1e-6 : 1e-3, &made);
  }
  return 0;
}
