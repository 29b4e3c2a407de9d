/* Speed of the contact solvers: Gauss-Seidel's time per contact and sweep in both forms. One thread, processor time. Prints Markdown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "contact/system/delassus.h"
#include "tests/support/bandwidth.h"
#include "tests/support/contact_maker.h"

static double processor_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One solve from zero. @return processor seconds */
static double run(const contact_problem *p, const contact_options *options, contact_result *result)
{
  size_t rows = p->contact_count * p->dimension, size = p->block_count * p->block_size;
  double *impulse = mem_array(rows, sizeof *impulse), *relative = mem_array(rows, sizeof *relative),
         *velocity = mem_array(size, sizeof *velocity), begun = processor_now();
  scr_error error = {0};
  if (!impulse || !relative || !velocity || contact_solve(p, options, impulse, velocity, relative, result, &error) != SCR_OK) {
    fprintf(stderr, "bench_contact: %s\n", error.message);
    exit(1);
  }
  begun = processor_now() - begun;
  mem_free(impulse);
  mem_free(relative);
  mem_free(velocity);
  return begun;
}

/* Blocks of W beside the diagonal, per contact. */
static double blocks_beside(const contact_problem *p)
{
  contact_options options = contact_options_default();
  contact_system system;
  delassus w;
  double blocks = NAN;
  if (contact_system_create(p, &options, &system, NULL) != SCR_OK) return blocks;
  if (delassus_from_system(&system, &w, NULL) == SCR_OK) blocks = (double)w.block_count / (double)w.contact_count - 1.0;
  delassus_clear(&w);
  contact_system_clear(&system);
  return blocks;
}

/* Time of a sweep is the difference of many sweeps and few: what comes before them is in both. */
static double sweep_seconds(const contact_problem *p, contact_form form)
{
  contact_options options = contact_options_default();
  contact_result few, many;
  double best = HUGE_VAL;
  unsigned more = (unsigned)(1000000 / (p->contact_count + 1)) + 20;
  options.solver = CONTACT_GAUSS_SEIDEL;
  options.tolerance = 1e-14;
  options.form = form;
  for (int turn = 0; turn < 3; ++turn) {
    options.iteration_limit = 10;
    double short_run = run(p, &options, &few);
    options.iteration_limit = 10 + more;
    double long_run = run(p, &options, &many);
    if (many.iterations > few.iterations) best = fmin(best, (long_run - short_run) / (many.iterations - few.iterations));
  }
  return best;
}

static void sweep_row(const char *name, contact_maker *made)
{
  contact_problem p = contact_maker_problem(made);
  double blocks = blocks_beside(&p), n = (double)p.contact_count, limit = 0.3 + 0.015 * blocks, bytes = (blocks + 1.0) * (72.0 + 4.0);
  double by_bodies = sweep_seconds(&p, CONTACT_FORM_MATRIX_FREE) / n, by_rows = sweep_seconds(&p, CONTACT_FORM_EXPLICIT) / n;
  printf("| %s | %zu | %.1f | %.3f | %.3f | %.2f | %.1f | %.2f |\n", name, p.contact_count, blocks, 1e6 * by_bodies, 1e6 * by_rows, limit,
         1e-6 * bytes * n, 1e-9 * bytes / by_rows);
  fflush(stdout);
  contact_maker_clear(made);
}

int main(void)
{
  contact_maker made;
  printf("# Contact solvers\n\nMade by `make bench-contact`.\n\n");
  printf("## Gauss-Seidel, us per contact and sweep, one thread, processor time\n\n| problem | contacts | blocks beside the diagonal | "
         "matrix-free | explicit W | "
         "limit of the project's spec | W, MB | read of it, GB/s |\n|---|---|---|---|---|---|---|---|\n");
  contact_maker_cubes(100, 0.5, 5e-3, (double[3]){0, 0, -9.81}, &made);
  sweep_row("stack of 100 cubes", &made);
  contact_maker_wall(12, 12, 0.6, &made);
  sweep_row("wall of 12 x 12", &made);
  contact_maker_lattice(8, 0.5, 1, &made);
  sweep_row("pack of 512 spheres", &made);
  contact_maker_lattice(14, 0.5, 1, &made);
  sweep_row("pack of 2744 spheres", &made);
  printf("\nIn the same run memory gives %.2f GB/s to one thread that streams through three arrays.\n", 1e-9 * triad_bandwidth(1));
  return 0;
}
