/* Speed of method peridem: nanoseconds per undirected bond and step on 1 and 2 threads, bytes per bond, and the share of the measured memory
 * bandwidth; LAMMPS's peridynamics package on the same lattice blocks in the same run. Prints Markdown. The cases are those of the numbers to
 * beat: a hollow sphere, cubes of a simple cubic lattice with a horizon of 3.0015 spacings, eight touching hollow spheres. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods/peridem/state.h"
#include "tests/support/bandwidth.h"

typedef struct bench_case {
  const char *name, *specimen, *rig, *options;
  unsigned steps;
  bool whole;       /* a crush changes as it goes: all of it is timed, once per start; else the best of three equal stretches */
  int lattice_edge; /* nodes along an edge of a cube LAMMPS can run too, 0 for none */
} bench_case;

static const char cube_options[] = "\"horizon\":1.50075e-3,\"contact_radius\":1e-3,\"self_contact\":false,\"breakable\":false";
#define CUBE(size)                                                                                                                         \
  "{\"name\":\"cube\",\"material\":\"m\",\"spacing\":5e-4,\"shape\":{\"type\":\"box\",\"size\":[" size "," size "," size "]}}"
static const bench_case cases[] = {
    {"hollow sphere, crushed",
     "{\"name\":\"g\",\"material\":\"m\",\"spacing\":1.25e-4,\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":5e-4}}",
     "{\"type\":\"box\",\"minimum\":[-1.2e-3,-1.2e-3,-1.2e-3],\"maximum\":[1.2e-3,1.2e-3,1.2e-3],\"walls\":{\"z_max\":{\"program\":[{"
     "\"type\":\"constant\",\"velocity\":-10}]}}}",
     "\"horizon\":3.3333e-4,\"contact_radius\":2e-4,\"contact_surface\":\"nodes\"", 1800, true, 0},
    {"cube 12^3", CUBE("6e-3"), "{\"type\":\"none\"}", cube_options, 600, false, 12},
    {"cube 24^3", CUBE("12e-3"), "{\"type\":\"none\"}", cube_options, 60, false, 24},
    {"cube 56^3 (from memory)", CUBE("28e-3"), "{\"type\":\"none\"}", cube_options, 6, false, 0},
    {"8 hollow spheres, touching",
     "{\"name\":\"g\",\"material\":\"m\",\"spacing\":1.25e-4,\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":5e-4},"
     "\"placement\":{\"type\":\"lattice\",\"origin\":[-1e-3,-1e-3,-1e-3],\"count\":[2,2,2],\"pitch\":[2.0e-3,2.0e-3,2.0e-3]}}",
     "{\"type\":\"box\",\"minimum\":[-2.1e-3,-2.1e-3,-2.1e-3],\"maximum\":[2.1e-3,2.1e-3,2.1e-3],\"walls\":{\"z_max\":{\"program\":[{"
     "\"type\":\"constant\",\"velocity\":-10}]}}}",
     "\"horizon\":3.3333e-4,\"contact_radius\":2e-4", 300, true, 0},
};

static scr_scene *make_scene(const bench_case *c)
{
  char text[4096];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bench\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
           "\"fracture_energy\":135}],"
           "\"contact\":{\"friction_coefficient\":0.9,\"damping_ratio\":0.9},\"specimens\":[%s],\"rig\":%s,\"time\":{\"duration\":1e-4},"
           "\"options\":{%s}}",
           c->specimen, c->rig, c->options);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK) {
    for (size_t i = 0; i < problems.count; i++) fprintf(stderr, "%s: %s\n", problems.items[i].pointer, problems.items[i].detail);
    exit(1);
  }
  return scene;
}

/* Whole steps from the start, ns per undirected bond (at the start) and step. */
static double time_run(const scr_scene *scene, unsigned threads, unsigned steps, int stretches)
{
  scr_sim *sim = NULL;
  scr_error error = {0};
  double best = 1e30;
  if (scr_sim_create(scene, threads, &sim, &error) != SCR_OK) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  for (int stretch = 0; stretch < stretches; stretch++) {
    double begun = seconds_now();
    for (unsigned i = 0; i < steps; i++)
      if (scr_sim_step(sim, &error) != SCR_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
      }
    best = fmin(best, seconds_now() - begun);
  }
  scr_sim_destroy(sim);
  return best / steps / (double)scr_scene_estimate(scene)->bond_count * 1e9;
}

/* The best of three: stretches of one run where all steps are alike, else whole runs. */
static double time_steps(const scr_scene *scene, unsigned threads, const bench_case *c)
{
  if (!c->whole) return time_run(scene, threads, c->steps, 3);
  double best = INFINITY;
  for (int k = 0; k < 3; k++) best = fmin(best, time_run(scene, threads, c->steps, 1));
  return best;
}

/* ns per bond and step of LAMMPS on the same cube; NaN where it cannot be run. */
static double time_lammps(int edge, unsigned steps, int processes)
{
  char command[256], line[512];
  snprintf(command, sizeof command, "/usr/bin/python3 tests/bench/lammps_peri.py %d %u %d", edge, steps, processes);
  FILE *pipe = popen(command, "r");
  double value = NAN;
  if (pipe && fgets(line, sizeof line, pipe)) {
    const char *at = strstr(line, "\"ns_per_bond\": ");
    if (at) value = strtod(at + 15, NULL);
  }
  if (pipe) pclose(pipe);
  return value;
}

int main(void)
{
  double bandwidth[2] = {triad_bandwidth(1), triad_bandwidth(2)};
  const double bytes_per_bond = 2 * (4 + 8); /* both directions: far node and 1 / L */
  printf("# Speed of method peridem\n\nWritten by `make bench`; whole steps, best of three (of a crush: from its start to its end, every "
         "phase in it), one machine. Machines are shared "
         "and noisy: compare the ratios.\n"
         "Each bond streams %.0f bytes a step (both directions: far node 4, 1 / L 8). Triad bandwidth: %.1f GB/s with 1 thread, %.1f with "
         "2.\n\n"
         "| case | nodes | bonds | ns per bond, 1 thread | 2 threads | share of bandwidth, 1 thread | LAMMPS, 1 process | LAMMPS / Scree, "
         "1 thread | LAMMPS, 2 processes | LAMMPS / Scree, 2 threads |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n",
         bytes_per_bond, bandwidth[0] / 1e9, bandwidth[1] / 1e9);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const bench_case *c = &cases[k];
    scr_scene *scene = make_scene(c);
    double one = time_steps(scene, 1, c), two = time_steps(scene, 2, c);
    printf("| %s | %llu | %llu | %.2f | %.2f | %.0f %% |", c->name, (unsigned long long)scr_scene_estimate(scene)->node_count,
           (unsigned long long)scr_scene_estimate(scene)->bond_count, one, two, bytes_per_bond / (one * 1e-9) / bandwidth[0] * 100);
    if (c->lattice_edge) {
      double other = time_lammps(c->lattice_edge, c->steps / 3, 1), other_two = time_lammps(c->lattice_edge, c->steps / 3, 2);
      printf(" %.1f | %.1f | %.1f | %.1f |\n", other, other / one, other_two, other_two / two);
    } else {
      printf(" | | | |\n");
    }
    fflush(stdout);
    scr_scene_destroy(scene);
  }
  return 0;
}
