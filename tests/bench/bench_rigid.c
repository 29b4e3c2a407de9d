/* Speed of method rigid on one thread: balls of 9.5 to 10 mm, a block of k^3 of them in a drum that turns, from 10^3 to 10^5. Detection in
 * microseconds a ball, whole steps a second, contacts, memory. Prints Markdown; arguments are values of k, 10 22 46 without. Detection must
 * cost the same for a ball whatever their number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "methods/rigid/state/state.h"
#include "sim/sim.h"

enum { CORNERS = 32, STEPS = 20, TEXT = 32768 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A ring of CORNERS faces about y, inner radius `radius`, from -half to half. */
static int write_drum(char *text, double radius, double half)
{
  int at = snprintf(text, TEXT, "{\"type\": \"mesh\", \"vertices\": [");
  for (int side = 0; side < 2; side++)
    for (int wall = 0; wall < 2; wall++)
      for (int k = 0; k < CORNERS; k++) {
        double angle = 2 * M_PI * k / CORNERS, r = radius * (wall ? 1.15 : 1);
        at += snprintf(text + at, (size_t)(TEXT - at), "%s[%.6f, %.6f, %.6f]", (side + wall + k > 0) ? ", " : "", r * cos(angle),
                       side ? half : -half, r * sin(angle));
      }
  at += snprintf(text + at, (size_t)(TEXT - at), "], \"triangles\": [");
  for (int k = 0; k < CORNERS; k++) {
    int n = (k + 1) % CORNERS, a = k, b = n, c = CORNERS + k, d = CORNERS + n, e = 2 * CORNERS;
    const int quad[4][4] = {{e + d, d, c, e + c}, {e + a, a, b, e + b}, {d, b, a, c}, {e + c, e + a, e + b, e + d}};
    for (int q = 0; q < 4; q++)
      at += snprintf(text + at, (size_t)(TEXT - at), "%s[%d, %d, %d], [%d, %d, %d]", (k + q > 0) ? ", " : "", quad[q][0], quad[q][1],
                     quad[q][2], quad[q][0], quad[q][2], quad[q][3]);
  }
  return at + snprintf(text + at, (size_t)(TEXT - at), "]}");
}

static scr_sim *open_drum(int k, scr_scene **scene)
{
  static char text[2 * TEXT], drum[TEXT];
  double side = 0.01 * k, low = -0.5 * side + 0.005, radius = 0.5 * side * sqrt(2) * 1.03 + 0.01;
  write_drum(drum, radius, 0.5 * side);
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"drum\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 2400}], \"contact\": "
           "{\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"balls\", "
           "\"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.005}, \"smallest_scale\": 0.95, \"largest_scale\": 1, "
           "\"placement\": {\"type\": \"lattice\", \"origin\": [%.6f, %.6f, %.6f], "
           "\"pitch\": [0.01, 0.01, 0.01], \"count\": [%d, %d, %d]}}], \"rig\": {\"type\": \"box\", \"minimum\": [-9, %.6f, -9], "
           "\"maximum\": [9, %.6f, 9], \"gravity\": [0, 0, -9.81]}, \"obstacles\": [{\"name\": "
           "\"drum\", \"shape\": %s, \"axis\": [0, 1, 0], \"turn\": [{\"type\": \"constant\", \"angular_velocity\": 1}]}], \"time\": "
           "{\"duration\": 1, \"time_step\": 0.002}, \"output\": {\"frame_interval\": 1, "
           "\"sample_interval\": 1}, \"options\": {\"tolerance\": 0.01}}",
           low, low, low, k, k, k, -0.5 * side, 0.5 * side, drum);
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK || scr_sim_create(*scene, 1, &sim, &error) != SCR_OK) {
    fprintf(stderr, "%s\n", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  return sim;
}

static void measure(int k)
{
  scr_scene *scene = NULL;
  scr_error error = {0};
  scr_sim *sim = open_drum(k, &scene);
  rigid_state *s = sim->state;
  double begun = now(), best = 1e9;
  for (int step = 0; step < STEPS; step++)
    if (scr_sim_step(sim, &error) != SCR_OK) exit(1);
  double whole = (now() - begun) / STEPS;
  const double speed[SCR_PART_LIMIT] = {0};
  const detect_scene view = {.shapes = s->shapes,
                             .bodies = s->bodies,
                             .body_count = s->body_count,
                             .specimen_bodies = s->specimen_bodies,
                             .parts = &sim->parts,
                             .part_pieces = s->part_pieces,
                             .margin = s->margin,
                             .time_step = sim->time_step,
                             .gravity = scene->rig.gravity,
                             .part_speed = speed};
  for (int turn = 0; turn < 5; turn++) {
    double start = now();
    if (detect_run(&s->detection, &view, execution_of(1), &error) != SCR_OK) exit(1);
    best = fmin(best, now() - start);
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("| %zu | %zu | %.2f | %.3g | %.3g | %llu | %.0f |\n", s->specimen_bodies, s->contact_count,
         1e6 * best / (double)s->specimen_bodies, whole, 1 / whole, (unsigned long long)s->report.unsolved, (double)used.ru_maxrss / 1024);
  fflush(stdout);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

int main(int count, char **given)
{
  static const int sizes[] = {10, 22, 46};
  printf("# Method rigid: balls in a drum\n\nOne thread, processor time; means of the first %d steps of 2 ms, tolerance 1e-2.\n\n"
         "| balls | contacts | detection, us a ball | seconds a step | steps a second | steps unsolved | memory, MiB "
         "|\n|---|---|---|---|---|---|---|\n",
         STEPS);
  for (int k = 1; k < count; k++) measure((int)strtol(given[k], NULL, 10));
  for (size_t k = 0; count == 1 && k < sizeof sizes / sizeof *sizes; k++) measure(sizes[k]);
  return 0;
}
