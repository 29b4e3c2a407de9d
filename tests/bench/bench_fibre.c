/* Speed of method fibre: a groom hangs from a plate that is shaken, each hair a helix of 0.3 m in 20 edges, real hair twice as thick to
 * touch, with Coulomb's friction of 0.3, steps of 1 ms. Processor time of a step by stage, touches, linearisations, what was left unsolved.
 *
 *     bench_fibre [-t threads] [-s settle] [-n steps] FIBRES...        prints Markdown */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "methods/fibre/state/state.h"
#include "sim/sim.h"

enum { TEXT = 32768 };

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scr_sim *open_groom(int fibres, double settle, unsigned threads, scr_scene **scene)
{
  static char text[TEXT];
  const double pitch = 0.0055;
  int across = (int)round(sqrt(fibres)), along = (fibres + across - 1) / across, at;
  at = snprintf(
      text, TEXT,
      "{\"scree\":1,\"name\":\"groom\",\"method\":\"fibre\",\"seed\":7,\"materials\":[{\"name\":\"hair\",\"density\":1300,"
      "\"young_modulus\":3.9e9,\"poisson_ratio\":0.48,\"mass_damping\":1,\"stiffness_damping\":1e-4}],\"contact\":{\"friction_"
      "coefficient\":0.3},"
      "\"specimens\":[{\"name\":\"hair\",\"material\":\"hair\",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,\"length\":0.3},"
      "\"edges\":20,\"contact_radius\":1e-4,\"held\":\"start\",\"held_by\":\"plate\",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":180},"
      "\"placement\":{\"type\":\"lattice\",\"origin\":[%.6f,%.6f,-0.15],\"pitch\":[%.6f,%.6f,1],\"count\":[%d,%d,1]},"
      "\"random_phase\":true,\"form\":\"helix\",\"unloaded\":\"as_placed\",\"helix_radius\":0.0094,\"helix_pitch\":0.107}],\"rig\":{"
      "\"type\":\"none\",\"gravity\":[0,0,-9.81]},"
      "\"obstacles\":[{\"name\":\"plate\",\"shape\":{\"type\":\"box\",\"size\":[%.6f,%.6f,0.004]},\"position\":[0,0,0.006],"
      "\"direction\":[1,0,0],\"program\":[{\"type\":\"hold\",\"duration\":%.6f}",
      -0.5 * pitch * across, -0.5 * pitch * along, pitch, pitch, across, along, pitch * across + 0.02, pitch * along + 0.02, settle);
  for (int k = 0; k < 20; k++) /* +-0.05 m at 2 Hz */
    at += snprintf(text + at, (size_t)(TEXT - at), ",{\"type\":\"ramp\",\"velocity\":%.3f,\"duration\":0.25}", k % 2 ? -0.4 : 0.4);
  snprintf(text + at, (size_t)(TEXT - at),
           "]}],\"time\":{\"duration\":10,\"time_step\":0.001},\"output\":{\"frame_interval\":1,\"sample_interval\":1}}");
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK || scr_sim_create(*scene, threads, &sim, &error) != SCR_OK) {
    fprintf(stderr, "bench_fibre: %s\n", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  return sim;
}

/* Steps until `end`, s. @return how many */
static int step_until(scr_sim *sim, double end)
{
  scr_error error = {0};
  int count = 0;
  for (; scr_sim_time(sim) < end - 0.5e-3; count++)
    if (scr_sim_step(sim, &error) != SCR_OK) {
      fprintf(stderr, "bench_fibre: %s\n", error.message);
      exit(1);
    }
  return count;
}

static void measure(int fibres, double settle, int steps, unsigned threads)
{
  scr_scene *scene = NULL;
  scr_sim *sim = open_groom(fibres, settle, threads, &scene);
  fibre_state *s = sim->state;
  step_until(sim, settle);
  fibre_times before = s->times;
  uint64_t unsolved = s->counts.unsolved_contacts;
  double begun = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
  int count = step_until(sim, settle + steps * 1e-3);
  double whole = (now(CLOCK_PROCESS_CPUTIME_ID) - begun) / count * 1e3, elapsed = (now(CLOCK_MONOTONIC) - wall) / count * 1e3;
  const fibre_times *t = &s->times;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("| %zu | %zu | %.0f | %.1f | %.0f | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %llu | %.0f |\n", s->fibre_count, s->problem.count,
         (double)s->counts.contacts, (double)(t->linearisations - before.linearisations) / count,
         (double)(t->iterations - before.iterations) / count, (t->search - before.search) / count * 1e3,
         (t->linearise - before.linearise) / count * 1e3, (t->contacts - before.contacts) / count * 1e3, whole, elapsed, whole * 40e-3,
         (unsigned long long)(s->counts.unsolved_contacts - unsolved), (double)usage.ru_maxrss / 1024);
  fflush(stdout);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  static const int sizes[] = {10, 30, 100, 300, 1000, 2000};
  unsigned threads = 1;
  double settle = 0.3;
  int steps = 40, at = 1;
  for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
    if (argv[at][1] == 't') threads = (unsigned)atoi(argv[at + 1]);
    if (argv[at][1] == 's') settle = atof(argv[at + 1]);
    if (argv[at][1] == 'n') steps = atoi(argv[at + 1]);
  }
  printf("# Method fibre: a groom that is shaken\n\nHair of 0.3 m in 20 edges, a root each 30 mm^2 of a plate that goes +-0.05 m at 2 Hz "
         "after "
         "%.2f s at rest; friction 0.3, contacts to 1e-6, steps of 1 ms. Means of the %d steps from there, ms of processor time, %u "
         "thread%s; a frame "
         "is 40 steps.\n\n| fibres | touches | that press | linearisations | sweeps, iterations | search | linearise | contacts | whole "
         "step | by the clock | a frame, s | steps unsolved | memory, MiB |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
         settle, steps, threads, threads == 1 ? "" : "s");
  if (at == argc)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) measure(sizes[k], settle, steps, threads);
  for (; at < argc; at++) measure(atoi(argv[at]), settle, steps, threads);
  return 0;
}
