/* Linear solvers of bonded bodies: set-up, solve, iterations and memory of every preconditioner on the cantilever of the bonded solids'
 * checks (hexagonal close, 0.4 x 0.1 x 0.1 m, weight as load), for steps of 5, 20 and 100 stable explicit ones and static. What
 * la_preconditioner_choose is read off from. Prints Markdown. bench_linalg [largest number of spheres, default 100000] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "linalg/block6/multigrid/multigrid_level.h"
#include "linalg/block6/pcg.h"
#include "linalg/block6/preconditioner_choice.h"
#include "linalg/vector.h"
#include "tests/support/cantilever.h"

static const size_t sizes[][3] = {{16, 4, 4}, {24, 6, 7}, {37, 11, 13}, {60, 17, 19}, {104, 30, 32}};
static const double steps[] = {5, 20, 100, INFINITY};

/* Processor seconds: the table is of one thread, and the machine may be shared. */
static double processor_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scr_status create(la_preconditioner_kind kind, unsigned threads, const cantilever *c, la_preconditioner *preconditioner)
{
  scr_status status = la_preconditioner_create(kind, execution_of(threads), preconditioner, NULL);
  if (status == SCR_OK) la_multigrid_set_modes(preconditioner, c->modes);
  return status;
}

/* Solvers that would take minutes, or gigabytes, at a size are left out there. */
static bool worth_a_run(la_preconditioner_kind kind, size_t spheres)
{
  if (kind == LA_DIRECT) return spheres < 6000;
  return kind == LA_MULTIGRID || spheres < 30000;
}

static void row(const cantilever *c, double step_count, la_preconditioner_kind kind, bool chosen, double *x, double *scratch)
{
  la_preconditioner p;
  la_pcg_report report[2];
  double seconds[4], tolerances[] = {0.1, 1e-6};
  if (create(kind, 1, c, &p) != SCR_OK) return;
  double begun = processor_now();
  bool done = p.update(p.state, &c->matrix, NULL) == SCR_OK;
  seconds[0] = processor_now() - begun;
  begun = processor_now();
  done = done && p.update(p.state, &c->matrix, NULL) == SCR_OK;
  seconds[1] = processor_now() - begun;
  for (int k = 0; done && k < 2; ++k) {
    la_pcg_options options = {.tolerance = tolerances[k], .iteration_limit = 100000, .execution = execution_of(1)};
    begun = processor_now();
    report[k] = la_pcg(&c->matrix, &p, &options, c->right, x, scratch);
    seconds[2 + k] = processor_now() - begun;
  }
  if (done) {
    printf(isfinite(step_count) ? "| %zu | %.0f T | " : "| %zu | static | ", c->free_count, step_count);
    printf("%s%s | %.1f | %.1f | %zu | %.1f | %zu | %.1f | %.1f |\n", p.name, chosen ? " (chosen)" : "", 1e3 * seconds[0], 1e3 * seconds[1],
           report[0].iterations, 1e3 * (seconds[1] + seconds[2]), report[1].iterations, 1e3 * (seconds[1] + seconds[3]),
           1e-6 * (double)p.bytes(p.state));
    fflush(stdout);
  }
  la_preconditioner_destroy(&p);
}

static void compare(const size_t counts[3])
{
  static const la_preconditioner_kind kinds[] = {LA_BLOCK_JACOBI, LA_BLOCK_CHOLESKY, LA_MULTIGRID, LA_DIRECT};
  double stable = cantilever_stable_step(counts[0]);
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
    cantilever c;
    if (!cantilever_create(counts, steps[s] * stable, &c)) return;
    double *x = mem_array(6 * c.count, sizeof *x), *scratch = mem_array(la_pcg_scratch(c.count), sizeof *scratch);
    la_preconditioner_kind choice = la_preconditioner_choose(c.count, (double)c.matrix.block_count / (double)c.count - 1.0, steps[s]);
    for (size_t k = 0; x && scratch && k < sizeof kinds / sizeof *kinds; ++k)
      if (worth_a_run(kinds[k], c.count)) row(&c, steps[s], kinds[k], kinds[k] == choice, x, scratch);
    cantilever_destroy(&c);
    mem_free(x);
    mem_free(scratch);
  }
}

/* Best of ten, wall-clock: threads are what this is about. */
#define BEST(seconds, call)                                                                                                                \
  do {                                                                                                                                     \
    (seconds) = INFINITY;                                                                                                                  \
    for (int bench_k = 0; bench_k < 10; ++bench_k) {                                                                                       \
      double bench_t = omp_get_wtime();                                                                                                    \
      call;                                                                                                                                \
      (seconds) = fmin((seconds), omp_get_wtime() - bench_t);                                                                              \
    }                                                                                                                                      \
  } while (0)

static double sum_eighths(const double *a, ptrdiff_t count, unsigned threads)
{
  double sum = 0.0;
  (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
  for (ptrdiff_t k = 0; k < count; k += 8) sum += a[k];
  return sum;
}

/* GB/s of reading an array far larger than the caches. */
static double bandwidth(unsigned threads)
{
  ptrdiff_t count = 20000000;
  double *a = mem_array((size_t)count, sizeof *a), seconds, sum = 0.0;
  if (!a) return 0.0;
  BEST(seconds, sum += sum_eighths(a, count, threads));
  mem_free(a);
  return sum == 0.0 ? 8e-9 * (double)count / seconds : 0.0;
}

static void kernels(const size_t counts[3])
{
  cantilever c;
  la_preconditioner p;
  if (!cantilever_create(counts, 100 * cantilever_stable_step(counts[0]), &c)) return;
  double *y = mem_array(6 * c.count, sizeof *y), bytes = 288.0 * (double)c.matrix.block_count;
  la_level level = {.matrix = &c.matrix};
  bool done = y && la_block_graph_take(&level.graph, &c.matrix, NULL) == SCR_OK &&
              la_level_allocate(&level, execution_of(8), NULL) == SCR_OK && create(LA_MULTIGRID, 1, &c, &p) == SCR_OK;
  if (done) la_level_values(&level, execution_of(1));
  printf("\nKernels on %zu spheres, %zu blocks, wall-clock. A product streams 288 bytes a block in double precision, and 76 for every "
         "two in a multigrid cycle; that is\n"
         "compared with plain reading.\n\n"
         "| threads | reading GB/s | product, double ms | GB/s | product, single ms | GB/s | multigrid refresh ms | multigrid cycle ms |\n"
         "|---|---|---|---|---|---|---|---|\n",
         c.count, c.matrix.block_count);
  for (unsigned threads = 1; done && threads <= (unsigned)omp_get_num_procs() && threads <= 8; threads *= 2) {
    double twice, once, refresh, cycle;
    la_preconditioner_destroy(&p);
    if (create(LA_MULTIGRID, threads, &c, &p) != SCR_OK || p.update(p.state, &c.matrix, NULL) != SCR_OK) break;
    BEST(twice, la_block_matrix_multiply(&c.matrix, c.right, y, execution_of(threads)));
    BEST(once, la_level_residual(&level, level.right, level.x, level.scratch, execution_of(threads)));
    BEST(refresh, (void)p.update(p.state, &c.matrix, NULL));
    BEST(cycle, p.apply(p.state, c.right, y));
    printf("| %u | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.1f |\n", threads, bandwidth(threads), 1e3 * twice, 1e-9 * bytes / twice,
           1e3 * once, 1e-9 * bytes * 38.0 / 288.0 / once, 1e3 * refresh, 1e3 * cycle);
  }
  if (done) la_preconditioner_destroy(&p);
  la_level_clear(&level);
  cantilever_destroy(&c);
  mem_free(y);
}

int main(int argc, char **argv)
{
  long largest = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
  printf("# Linear solvers of bonded bodies\n\n"
         "Written by `make bench`: conjugate gradients on a cantilever of bonded spheres (hexagonal close, 0.4 x 0.1 x 0.1 m) under its "
         "weight, one\n"
         "thread, milliseconds of processor time. T is the stable explicit step. First set-up includes what is kept while the graph is "
         "unchanged;\n"
         "the two solves (to 0.1, as Newton's method asks for far from the solution, and to 1e-6) include a refresh of the numbers.\n\n"
         "| free spheres | step | preconditioner | first set-up ms | refresh ms | iterations to 0.1 | refresh and solve ms | iterations to "
         "1e-6 | "
         "refresh and solve ms | MB |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
    if ((long)(sizes[k][0] * sizes[k][1] * sizes[k][2]) <= largest) compare(sizes[k]);
  kernels(largest < 19000 ? sizes[1] : sizes[3]);
  return 0;
}
