/* Speed of method granular: columns of sand that collapse, from 10^4 points on. Stages in nanoseconds a point or a cell, sweeps in
 * nanoseconds a cell and sweep, whole steps,
 * memory. Prints Markdown; arguments: threads, then sizes in cells of a column's edge, 2D then 3D, "p100" "s24"; without: one thread,
 * all but the largest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "methods/granular/step/stages.h"
#include "sim/sim.h"

enum { STEPS = 6, STAGES = 8 };
enum { SORT, TO_NODES, PARTS, ROWS, SOLVE, ACCOUNT, TO_POINTS, WHOLE };

/* Seconds of the processor, or of the clock where several threads work. */
static double now(unsigned threads)
{
  struct timespec t;
  clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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
  granular_state *s = sim->state;
  granular_energy energy = {0};
  scr_error error = {0};
  double t[STAGES + 1];
  bool fine = true;
  t[0] = now(pass->execution.threads);
  fine = fine && granular_sort(s, pass->execution, &error) == SCR_OK && granular_list_cells(s, pass->execution, &error) == SCR_OK;
  t[1] = now(pass->execution.threads);
  fine = fine && granular_to_nodes(s, pass, &energy, &error) == SCR_OK;
  t[2] = now(pass->execution.threads);
  fine = fine && granular_find_parts(s, pass, &sim->parts, sim->parts.now, &error) == SCR_OK;
  t[3] = now(pass->execution.threads);
  granular_make_rows(s, pass);
  granular_warm_start(s, pass);
  t[4] = now(pass->execution.threads);
  fine = fine && granular_solve(s, pass, NULL, &error) == SCR_OK;
  t[5] = now(pass->execution.threads);
  granular_account(s, pass, &sim->parts, sim->parts.now, &energy);
  t[6] = now(pass->execution.threads);
  granular_to_points(s, pass, &energy);
  fine = fine && granular_keep_warm(s, pass, &error) == SCR_OK;
  t[7] = now(pass->execution.threads);
  if (!fine) fprintf(stderr, "%s\n", error.message), exit(1);
  for (int k = 0; k < WHOLE; k++) seconds[k] += t[k + 1] - t[k];
  seconds[WHOLE] += t[7] - t[0];
}

static void bench(bool plane, int cells, unsigned threads)
{
  scr_scene *scene = NULL;
  scr_sim *sim = open_column(plane, cells, threads, &scene);
  granular_state *s = sim->state;
  granular_pass pass = {.step = scene->estimate.time_step, .execution = execution_of(threads)};
  double seconds[STAGES] = {0}, first[STAGES] = {0}, sweeps = 0;
  struct rusage usage;
  timed_step(sim, &pass, first); /* from rest, many sweeps */
  for (int k = 0; k < STEPS; k++) {
    timed_step(sim, &pass, seconds);
    sweeps += s->report.sweeps;
  }
  double points = (double)s->point_count * STEPS, count = (double)s->cell_count * STEPS;
  getrusage(RUSAGE_SELF, &usage);
  printf("| %s | %u | %zu | %zu | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.0f | %.1f | %.0f |\n", plane ? "plane" : "space", threads,
         s->point_count, s->cell_count, 1e9 * seconds[SORT] / points, 1e9 * seconds[TO_NODES] / points, 1e9 * seconds[TO_POINTS] / points,
         1e9 * (seconds[PARTS] + seconds[ROWS]) / count, 1e9 * seconds[ACCOUNT] / count,
         1e9 * seconds[SOLVE] / (double)s->cell_count / sweeps, sweeps / STEPS, 1e3 * seconds[WHOLE] / STEPS,
         (double)usage.ru_maxrss / 1024);
  fflush(stdout);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  static const char *const usual[] = {"p33", "p105", "p333", "s11", "s24", "s50"};
  unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  printf("# Speed of method granular\n\nColumns that collapse, 9 points a cell in the plane, 8 in space; one step in %d after the first. "
         "Processor time on one thread, the clock's on several.\n\n",
         STEPS);
  printf("Goals: 12 ns (plane) and 25 ns (space) a cell and sweep on a processor of one's own. The public code of the "
         "method's authors takes 830 ns in the plane.\n\n");
  printf("| dimension | threads | points | cells | sort, ns a point | to nodes | to points | rows, ns a cell | accounts | sweeps, ns a "
         "cell and sweep | sweeps a step | ms a step | MB so far |\n");
  printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int k = 2; k < argc; k++) bench(argv[k][0] == 'p', atoi(argv[k] + 1), threads);
  for (size_t k = 0; argc <= 2 && k < sizeof usual / sizeof *usual; k++) bench(usual[k][0] == 'p', atoi(usual[k] + 1), threads);
  return 0;
}
