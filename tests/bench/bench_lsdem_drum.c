/* Method lsdem on one thread: 10,000 rigid grains of about 500 nodes in a drum that turns. Seconds a step while they are stirred, and the
 * memory of a grain, measured as the heap's growth from a quarter of the grains to all of them: the same templates are shared by both.
 * Prints Markdown.
 *
 *     bench_lsdem_drum [GRAINS]         measures
 *     bench_lsdem_drum --scene GRAINS   prints the scene instead, for `scree run` */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lsdem_candidates.h"
#include "base/random.h"
#include "methods/lsdem/state/state.h"
#include "sim/sim.h"

enum { CORNERS = 32, STEPS = 30, TURNS = 3, TEXT = 65536 };
static const double RADIUS = 0.005, SPEED = 0.3; /* m; m/s, of a layer that flows: sqrt(g R) is 0.22 */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define MORE(...) at += snprintf(text + at, (size_t)(TEXT - at), __VA_ARGS__)

/* A ring of CORNERS faces about y, inner radius `radius`, from -half to half. */
static int write_drum(char *text, int at, double radius, double half)
{
  MORE("{\"type\": \"mesh\", \"vertices\": [");
  for (int k = 0; k < 4 * CORNERS; k++) {
    double angle = 2 * M_PI * k / CORNERS, r = radius * (k / CORNERS % 2 ? 1.15 : 1);
    MORE("%s[%.6f, %.6f, %.6f]", k ? ", " : "", r * cos(angle), k / CORNERS / 2 ? half : -half, r * sin(angle));
  }
  MORE("], \"triangles\": [");
  for (int k = 0; k < CORNERS; k++) {
    int n = (k + 1) % CORNERS, a = k, b = n, c = CORNERS + k, d = CORNERS + n, e = 2 * CORNERS;
    const int quad[4][4] = {{e + d, d, c, e + c}, {e + a, a, b, e + b}, {d, b, a, c}, {e + c, e + a, e + b, e + d}};
    for (int q = 0; q < 4; q++) {
      MORE("%s[%d, %d, %d], [%d, %d, %d]", k + q ? ", " : "", quad[q][0], quad[q][1], quad[q][2], quad[q][0], quad[q][2], quad[q][3]);
    }
  }
  MORE("]}");
  return at;
}

/* A block of n x l x n grains, nearly touching each other on all sides. */
static void write_scene(char *text, int n, int l)
{
  double pitch = 1.96 * RADIUS, across = -0.5 * pitch * (n - 1), along = -0.5 * pitch * (l - 1), half = 0.5 * pitch * l + 0.1 * RADIUS;
  int at = snprintf(text, TEXT,
                    "{\"scree\": 1, \"name\": \"drum-10000\", \"method\": \"lsdem\", \"seed\": 3, \"materials\": [{\"name\": \"stone\", "
                    "\"density\": 2600}], \"contact\": {\"contact_stiffness\": 1e9, "
                    "\"friction_coefficient\": 0.5, \"damping_time\": 2e-5}, \"specimens\": [{\"name\": \"pebbles\", \"material\": "
                    "\"stone\", \"spacing\": 0.0012, \"grid_spacing\": 0.0008, \"elongation\": "
                    "0.95, \"flatness\": 0.95, \"roughness\": 0.02, \"variants\": 8, \"random_rotation\": true, \"shape\": {\"type\": "
                    "\"sphere\", \"radius\": %g}, \"placement\": {\"type\": \"lattice\", "
                    "\"origin\": [%.6f, %.6f, %.6f], \"pitch\": [%.6f, %.6f, %.6f], \"count\": [%d, %d, %d]}}], ",
                    RADIUS, across, along, across, pitch, pitch, pitch, n, l, n);
  MORE("\"rig\": {\"type\": \"none\", \"gravity\": [0, 0, -9.81]}, \"obstacles\": [{\"name\": \"drum\", \"shape\": ");
  at = write_drum(text, at, -across * sqrt(2) + 1.2 * RADIUS, half + 2 * RADIUS);
  MORE(", \"axis\": [0, 1, 0], \"turn\": [{\"type\": \"constant\", \"angular_velocity\": 3}]}");
  for (int side = -1; side <= 1; side += 2) {
    MORE(", {\"name\": \"%s\", \"shape\": {\"type\": \"plane\", \"width\": 1}", side < 0 ? "front" : "back");
    MORE(", \"position\": [0, %.6f, 0], \"rotation\": {\"axis\": [1, 0, 0], \"angle_deg\": %d}}", side * half, 90 * side);
  }
  MORE("], \"time\": {\"duration\": 1e-3}, \"output\": {\"frame_interval\": 1e-3}}\n");
}

static scr_sim *open_drum(int n, int l, scr_scene **scene)
{
  static char text[TEXT];
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  write_scene(text, n, l);
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK || scr_sim_create(*scene, 1, &sim, &error) != SCR_OK) {
    fprintf(stderr, "%s %s\n", problems.count ? problems.items[0].pointer : "", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  return sim;
}

/* Every grain goes its own way at the speed of a flow, so that no two of them stay clear of each other for free. */
static void stir(lsdem_state *s)
{
  uint64_t seed = 7;
  for (size_t i = 0; i < s->grain_count; i++) {
    lsdem_grain *g = &s->grains[i];
    double way[6];
    for (int k = 0; k < 6; k++) way[k] = SPEED * (2 * random_uniform(&seed) - 1);
    g->velocity = vec3(way[0], way[1], way[2]);
    g->angular = vec3_scale(vec3(way[3], way[4], way[5]), s->templates[g->shape].inertia.x / RADIUS);
  }
}

static double heap(void)
{
  struct mallinfo2 used = mallinfo2();
  return (double)used.uordblks + (double)used.hblkhd;
}

/* What directions remember of single nodes and tiles: friction's springs, and how long they are clear. */
static double history(const lsdem_state *s, double *budgets)
{
  double springs = 0;
  *budgets = 0;
  for (size_t d = 0; d < s->near.count; d++) {
    const lsdem_direction *direction = &s->near.list[d];
    springs += (double)malloc_usable_size(direction->touches);
    *budgets += (double)malloc_usable_size(direction->watch);
  }
  return springs;
}

typedef struct found {
  double grains, bytes, springs, budgets, directions, neighbours, seconds, candidates, nodes, contacts, step;
} found;

static found measure(int n, int l)
{
  found f = {.seconds = INFINITY};
  scr_scene *scene = NULL;
  scr_error error = {0};
  malloc_trim(0);
  double before = heap(), budgets;
  scr_sim *sim = open_drum(n, l, &scene);
  lsdem_state *s = sim->state;
  stir(s);
  for (int turn = 0; turn < TURNS; turn++) {
    double start = now();
    for (int k = 0; k < STEPS; k++)
      if (scr_sim_step(sim, &error) != SCR_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
      }
    f.seconds = fmin(f.seconds, (now() - start) / STEPS);
  }
  f.candidates = lsdem_candidates(s);
  for (size_t i = 0; i < s->grain_count; i++) f.nodes += (double)s->views[i].grain->node_count;
  f.grains = (double)s->grain_count;
  f.bytes = heap() - before;
  f.springs = history(s, &budgets);
  f.budgets = budgets;
  f.neighbours = (double)s->near.count;
  f.directions = (double)(s->near.capacity * sizeof *s->near.list);
  f.contacts = (double)(s->pairs_touching + s->parts_touching);
  f.step = sim->time_step;
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  return f;
}

static void measure_all(int grains)
{
  int n = (int)lround(cbrt(grains)), l = (int)lround((double)grains / n / n), quarter = (int)lround(0.25 * l);
  found small = measure(n, quarter > 0 ? quarter : 1), all = measure(n, l);
  double more_grains = all.grains - small.grains;
  printf("One thread, processor time; rough pebbles of 10 mm and eight shapes, in contact with their neighbours and stirred at %.1f m/s, "
         "in a drum of %d faces "
         "that turns at 3 rad/s; least of %d means of %d steps of %.3g s.\n\n"
         "| grains | nodes each | contacts | seconds a step | ns a node | ns per candidate node |\n|---|---|---|---|---|---|\n",
         SPEED, CORNERS, TURNS, STEPS, all.step);
  const found *rows[2] = {&small, &all};
  for (int k = 0; k < 2; k++)
    printf("| %.0f | %.0f | %.0f | %.4f | %.1f | %.2f |\n", rows[k]->grains, rows[k]->nodes / rows[k]->grains, rows[k]->contacts,
           rows[k]->seconds, 1e9 * rows[k]->seconds / rows[k]->nodes, 1e9 * rows[k]->seconds / rows[k]->candidates);
  printf("\nMemory of one grain more, the templates being shared (growth of the heap from %.0f to %.0f grains): %.0f bytes. Of these are "
         "%.0f in friction's springs, which are history; %.0f in how long "
         "tiles and nodes are clear and %.0f in %.1f lists a grain of nodes against a neighbour or a part, which save time. Besides "
         "springs: **%.0f bytes**; besides all that contacts remember: **%.0f "
         "bytes**.\n",
         small.grains, all.grains, (all.bytes - small.bytes) / more_grains, (all.springs - small.springs) / more_grains,
         (all.budgets - small.budgets) / more_grains, (all.directions - small.directions) / more_grains,
         (all.neighbours - small.neighbours) / more_grains, (all.bytes - small.bytes - (all.springs - small.springs)) / more_grains,
         (all.bytes - small.bytes - (all.springs - small.springs) - (all.budgets - small.budgets) - (all.directions - small.directions)) /
             more_grains);
}

int main(int count, char **given)
{
  bool scene = count > 2 && strcmp(given[1], "--scene") == 0;
  int grains = count > 1 ? (int)strtol(given[count - 1], NULL, 10) : 10000;
  if (!scene) {
    measure_all(grains);
    return 0;
  }
  static char text[TEXT];
  int n = (int)lround(cbrt(grains));
  write_scene(text, n, (int)lround((double)grains / n / n));
  fputs(text, stdout);
  return 0;
}
