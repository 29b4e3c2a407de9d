/* Speed of method granular: columns of sand that collapse, of 10^4 to 10^7 points. Stages in nanoseconds a point or a cell, sweeps in
 * nanoseconds a cell and sweep, whole steps, memory; each size on one thread and on two, and whether their bits are the same. Prints
 * Markdown.
 *
 *     bench_granular                all sizes but the largest
 *     bench_granular p100 s24 ...   columns of so many cells along an edge, in the plane or in space
 *
 * Seconds are those of the processor, of whichever thread of a stage has most: what a step takes on processors of one's own, also where
 * others share them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "methods/granular/step/stages.h"
#include "sim/sim.h"

enum { STEPS = 6, STAGES = 8, THREADS = 2 };
enum { SORT, TO_NODES, PARTS, ROWS, SOLVE, ACCOUNT, TO_POINTS, WHOLE };

/* ── time ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct processor_time {
  double seconds[THREADS];
} processor_time;

static processor_time now(unsigned threads)
{
  processor_time at = {{0}};
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (unsigned k = 0; k < threads; k++) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    at.seconds[k] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  }
  return at;
}

static double between(const processor_time *from, const processor_time *to)
{
  double most = 0;
  for (int k = 0; k < THREADS; k++) most = fmax(most, to->seconds[k] - from->seconds[k]);
  return most;
}

/* ── columns ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_sim *open_column(bool plane, int cells, unsigned threads, scr_scene **scene)
{
  char text[2000];
  double h = 0.01, edge = h * cells, depth = plane ? 0.05 : edge, around = plane ? 0.05 : 2 * edge;
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"column\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"internal_"
           "friction\":0.4}],\"contact\":{\"friction_coefficient\":0.5},"
           "\"specimens\":[{\"name\":\"column\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":[%.9g,%.9g,%.9g]},\"placement\":"
           "{\"type\":\"single\",\"position\":[%.9g,%.9g,%.9g]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[%.9g,%.9g,%.9g],\"gravity\":[0,0,-9.81]},\"options\":{\"dimension\":"
           "\"%s\",\"cell\":%.9g},"
           "\"time\":{\"duration\":10},\"output\":{\"frame_interval\":10,\"sample_interval\":10}}",
           edge, depth, edge, edge / 2, depth / 2, edge / 2, 2 * edge, around, edge + 4 * h, plane ? "plane" : "space", h);
  scr_problems problems = {0};
  scr_error error = {0};
  scr_limits limits = scr_limits_default();
  scr_sim *sim = NULL;
  limits.memory_bytes = (size_t)64 << 30;
  if (scr_scene_parse(text, strlen(text), &limits, scene, &problems) != SCR_OK || scr_sim_create(*scene, threads, &sim, &error) != SCR_OK) {
    fprintf(stderr, "%s\n", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  return sim;
}

/* The stages of granular_advance, each timed. */
static void timed_step(scr_sim *sim, const granular_pass *pass, double *seconds)
{
  const unsigned threads = pass->execution.threads;
  granular_state *s = sim->state;
  granular_energy energy = {0};
  scr_error error = {0};
  processor_time t[STAGES];
  bool fine = true;
  t[0] = now(threads);
  fine = fine && granular_sort(s, pass->execution, &error) == SCR_OK && granular_list_cells(s, pass->execution, &error) == SCR_OK;
  t[1] = now(threads);
  fine = fine && granular_to_nodes(s, pass, &energy, &error) == SCR_OK;
  t[2] = now(threads);
  fine = fine && granular_find_parts(s, pass, &sim->parts, sim->parts.now, &error) == SCR_OK;
  t[3] = now(threads);
  granular_make_rows(s, pass);
  fine = fine && granular_warm_start(s, pass, &error) == SCR_OK;
  t[4] = now(threads);
  fine = fine && granular_solve(s, pass, NULL, &error) == SCR_OK;
  t[5] = now(threads);
  granular_account(s, pass, &sim->parts, sim->parts.now, &energy);
  t[6] = now(threads);
  granular_to_points(s, pass, &energy);
  fine = fine && granular_keep_warm(s, pass, &error) == SCR_OK;
  t[7] = now(threads);
  if (!fine) fprintf(stderr, "%s\n", error.message), exit(1);
  for (int k = 0; k < WHOLE; k++) {
    seconds[k] += between(&t[k], &t[k + 1]);
    seconds[WHOLE] += between(&t[k], &t[k + 1]);
  }
}

/* Sum over the bits of where points are and how fast. */
static uint64_t bits_of(const granular_state *s)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < s->point_count; i++)
    for (int a = 0; a < 6; a++) {
      uint64_t bits;
      memcpy(&bits, a < 3 ? &s->points[i].x[a] : &s->points[i].u[a - 3], sizeof bits);
      sum = sum * 6364136223846793005u + bits;
    }
  return sum;
}

typedef struct measured {
  uint64_t bits;
  double points, cells, sweeps, first_sweeps, resident; /* bytes */
  double seconds[STAGES];
} measured;

static measured measure_column(bool plane, int cells, unsigned threads)
{
  scr_scene *scene = NULL;
  scr_sim *sim = open_column(plane, cells, threads, &scene);
  granular_state *s = sim->state;
  granular_pass pass = {.step = scene->estimate.time_step, .execution = execution_of(threads)};
  measured m = {0};
  double first[STAGES] = {0};
  struct rusage usage;
  timed_step(sim, &pass, first); /* from rest, many sweeps */
  m.first_sweeps = s->report.sweeps;
  for (int k = 0; k < STEPS; k++) {
    timed_step(sim, &pass, m.seconds);
    m.sweeps += s->report.sweeps / STEPS;
  }
  getrusage(RUSAGE_SELF, &usage);
  m.bits = bits_of(s), m.points = (double)s->point_count, m.cells = (double)s->cell_count, m.resident = 1024 * (double)usage.ru_maxrss;
  for (int k = 0; k < STAGES; k++) m.seconds[k] /= STEPS;
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  return m;
}

/* The same in a process of its own, so that memory is that of this column alone. */
static measured in_own_process(bool plane, int cells, unsigned threads)
{
  int ends[2];
  measured m = {0};
  if (pipe(ends) != 0) exit(1);
  pid_t child = fork();
  if (child == 0) {
    mem_return_large();
    m = measure_column(plane, cells, threads);
    _exit(write(ends[1], &m, sizeof m) == sizeof m ? 0 : 1);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &m, sizeof m) != sizeof m) exit(1);
  close(ends[0]);
  waitpid(child, NULL, 0);
  return m;
}

static void bench(bool plane, int cells)
{
  double alone = 0;
  uint64_t bits = 0;
  for (unsigned threads = 1; threads <= THREADS; threads++) {
    const measured m = in_own_process(plane, cells, threads);
    const double *t = m.seconds;
    if (threads == 1) alone = t[WHOLE], bits = m.bits;
    printf("| %s | %.0f | %.0f | %u | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.0f, %.0f | %.1f | %.2f, %s | %.0f | %.0f |\n",
           plane ? "plane" : "space", m.points, m.cells, threads, 1e9 * t[SORT] / m.points, 1e9 * t[TO_NODES] / m.points,
           1e9 * t[TO_POINTS] / m.points, 1e9 * t[PARTS] / m.cells, 1e9 * t[ROWS] / m.cells, 1e9 * t[ACCOUNT] / m.cells,
           1e9 * t[SOLVE] / m.cells / m.sweeps, m.first_sweeps, m.sweeps, 1e3 * t[WHOLE], alone / t[WHOLE],
           m.bits == bits ? "the same bits" : "OTHER BITS", m.resident / 1048576, m.resident / m.points);
    fflush(stdout);
  }
}

/* ── memory ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* GB/s at which one thread reads 256 MiB, and reads and writes them. */
static void print_bandwidth(void)
{
  enum { NUMBERS = 1 << 25, TURNS = 4 };
  double *a = mem_array(NUMBERS, sizeof *a), sum[8] = {0};
  if (!a) exit(1);
  for (size_t i = 0; i < NUMBERS; i++) a[i] = 1;
  processor_time begin = now(1);
  for (int turn = 0; turn < TURNS; turn++)
    for (size_t i = 0; i < NUMBERS; i += 8)
      for (size_t k = 0; k < 8; k++) sum[k] += a[i + k];
  processor_time middle = now(1);
  for (int turn = 0; turn < TURNS; turn++)
    for (size_t i = 0; i < NUMBERS; i++) a[i] = 0.5 * a[i] + sum[i % 8];
  processor_time end = now(1);
  const double bytes = 1e-9 * TURNS * NUMBERS * sizeof *a;
  if (!(a[0] > 0)) exit(1); /* so that no loop is left out */
  printf("One thread reads %.1f GB/s from memory, and reads and writes %.1f GB/s together.\n\n", bytes / between(&begin, &middle),
         2 * bytes / between(&middle, &end));
  mem_free(a);
}

int main(int argc, char **argv)
{
  static const char *const usual[] = {"p33", "p105", "p333", "s11", "s24", "s50"};
  printf("# Speed of method granular\n\nColumns that collapse, 9 points a cell in the plane, 8 in space; means of %d steps after the "
         "first. Processor time of whichever thread has most in a stage.\n\n",
         STEPS);
  printf("Goals: 12 ns (plane) and 25 ns (space) a cell and sweep, 300 ms a step of 10^6 points in space on a processor of one's own; "
         "1.8 on two. The public code of the method's authors takes 830 ns a cell and sweep in the plane.\n\n");
  print_bandwidth();
  printf("| dimension | points | cells | threads | sort, ns a point | to nodes | to points | parts, ns a cell | rows | accounts | sweeps, "
         "ns a cell and sweep | sweeps of the first step, of others | ms a step | times as fast as one thread | MB | bytes a point |\n");
  printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int k = 1; k < argc; k++) bench(argv[k][0] == 'p', atoi(argv[k] + 1));
  for (size_t k = 0; argc <= 1 && k < sizeof usual / sizeof *usual; k++) bench(usual[k][0] == 'p', atoi(usual[k] + 1));
  return 0;
}
