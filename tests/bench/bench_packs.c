/* Packs that are poured and settle: 300 to 10,000 balls of R = 8 to 10 mm, 1000 boxes and 1000 polyhedra of that size, on one thread. They
 * fall into a box and come to rest. For each `accuracy` (or other options, given as JSON): processor seconds per simulated second while
 * they move (to 0.5 s), settle (to 1.5 s) and lie (to 2 s), sweeps a step, and what the run reached. Then 100,000 balls for some steps, and
 * heaps on a floor with their slopes.
 *
 * bench_packs [SHAPE COUNT OPTIONS]...   a row for each three; such as sphere 1000 '{"accuracy": "usual"}'; without: the tables of
 * tests/reports/bench/PACKS.md
 *
 * Prints Markdown. A row that takes longer than LIMIT seconds of processor time, or SHORT of solvers that are known to take hours, ends
 * there and says how far it came. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "methods/rigid/state/state.h"
#include "methods/rigid/step/sleep.h"
#include "sim/sim.h"

enum { PHASES = 3, LIMIT = 240, SHORT = 60 };
static const double radius = 0.01, time_step = 0.002, ends[PHASES] = {0.5, 1.5, 2.0}, weighed = 0.1;

/* What a run took and reached. */
typedef struct pack_result {
  double seconds[PHASES];       /* processor time per simulated second */
  double reached;               /* s, simulated */
  double sweeps;                /* mean of all steps */
  double overlap, last_overlap; /* over R: deepest of all steps behind the first, and in the last */
  double speed;                 /* m/s, largest in the last step */
  double porosity;              /* under the highest ball, walls included */
  double load;                  /* on the rig over the weight, mean of the last `weighed` seconds */
  unsigned long long above;
  double asleep; /* bodies at the end */
  const char *ending;
} pack_result;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -1 to 1 */
static double drawn(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (double)(1u << 23) - 1;
}

/* Layers of balls with gaps, each ball a little beside its place. @return to be freed */
static char *write_scene(const char *shape, int balls, const char *options)
{
  int side = (int)lround(pow(balls, 1.0 / 3));
  double pitch = 2.4 * radius, width = side * pitch;
  size_t room = (size_t)balls * 64 + 4096;
  uint64_t seed = 7;
  char *text = malloc(room);
  if (!text) exit(1);
  int at = snprintf(text, room,
                    "{\"scree\": 1, \"name\": \"pack\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 2500}], "
                    "\"contact\": {\"friction_coefficient\": 0.5}, "
                    "\"rig\": {\"type\": \"box\", \"minimum\": [0, 0, 0], \"maximum\": [%.6f, %.6f, 9], \"gravity\": [0, 0, -9.81]}, "
                    "\"time\": {\"duration\": 10, \"time_step\": %g}, "
                    "\"output\": {\"frame_interval\": 10, \"sample_interval\": 10}, \"options\": %s, \"specimens\": [{\"name\": \"balls\", "
                    "\"material\": \"m\", \"shape\": %s, \"random_rotation\": true, \"smallest_scale\": 0.8, \"largest_scale\": 1, "
                    "\"placement\": {\"type\": \"list\", \"positions\": [",
                    width, width, time_step, options, shape);
  for (int k = 0; k < balls; k++) {
    double place[3] = {(k % side + 0.5) * pitch, (k / side % side + 0.5) * pitch, (k / side / side + 0.5) * pitch};
    for (int axis = 0; axis < 3; axis++) place[axis] += 0.15 * radius * drawn(&seed);
    at += snprintf(text + at, room - (size_t)at, "%s[%.5f, %.5f, %.5f]", k ? ", " : "", place[0], place[1], place[2]);
  }
  snprintf(text + at, room - (size_t)at, "]}}]}");
  return text;
}

static scr_sim *open_pack(const char *shape, int balls, const char *options, scr_scene **scene)
{
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  char *text = write_scene(shape, balls, options);
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK || scr_sim_create(*scene, 1, &sim, &error) != SCR_OK) {
    fprintf(stderr, "%s\n", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  free(text);
  return sim;
}

/* Of the space under the upper quarter of the bodies' centres. */
static double porosity(const rigid_state *s, double floor)
{
  double top = 0, solid = 0, below = 0;
  for (size_t i = 0; i < s->body_count; i++) top = fmax(top, s->bodies[i].centre.z);
  top *= 0.75;
  for (size_t i = 0; i < s->body_count; i++) {
    double r = radius * s->bodies[i].scale, low = fmin(fmax(top - s->bodies[i].centre.z, -r), r);
    below = M_PI * (r * r * (low + r) - (low * low * low + r * r * r) / 3);
    solid += below;
  }
  return 1 - solid / (floor * top);
}

static double rig_load(const scr_sim *sim)
{
  double sum = 0;
  for (size_t p = 0; p < sim->parts.count; p++) sum -= sim->parts.load[p].impulse.z;
  return sum / time_step;
}

static void finish(const scr_sim *sim, int balls, double load, pack_result *result)
{
  const rigid_state *s = sim->state;
  double side = round(pow(balls, 1.0 / 3)) * 2.4 * radius, weight = 0;
  for (size_t i = 0; i < s->body_count; i++) {
    weight += 9.81 * s->bodies[i].mass;
    result->speed = fmax(result->speed, vec3_length(s->bodies[i].velocity));
  }
  result->reached = sim->time;
  result->last_overlap = s->report.penetration / radius;
  result->porosity = porosity(s, side * side);
  result->load = load / weight;
  result->above = s->report.pack ? s->report.above : s->report.unsolved;
  result->asleep = (double)rigid_count_asleep(s);
}

static pack_result measure(const char *shape, int balls, const char *options, double limit)
{
  scr_scene *scene = NULL;
  scr_error error = {0};
  scr_sim *sim = open_pack(shape, balls, options, &scene);
  const rigid_state *s = sim->state;
  pack_result result = {.ending = "whole"};
  double begun = now(), load = 0, weighings = 0;
  for (int phase = 0; phase < PHASES; phase++) {
    double start = now(), from = sim->time;
    while (sim->time < ends[phase] - 0.5 * time_step && now() - begun < limit) {
      scr_status status = scr_sim_step(sim, &error);
      if (status != SCR_OK) {
        result.ending = error.message;
        break;
      }
      result.sweeps += (double)s->report.iterations;
      result.overlap = fmax(result.overlap, s->report.penetration / radius);
      if (sim->time > ends[PHASES - 1] - weighed) load += rig_load(sim), weighings++;
    }
    result.seconds[phase] = (now() - start) / fmax(sim->time - from, 1e-9);
    if (sim->time < ends[phase] - 0.5 * time_step) {
      if (strcmp(result.ending, "whole") == 0) result.ending = "given up";
      break;
    }
  }
  result.sweeps /= (double)(sim->steps ? sim->steps : 1);
  finish(sim, balls, weighings > 0 ? load / weighings : 0, &result);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  return result;
}

/* A shape by its name, as scenes have it: of the size of a ball. */
static const char *shape_of(const char *name)
{
  if (strcmp(name, "box") == 0) return "{\"type\": \"box\", \"size\": [0.0125, 0.0125, 0.0125]}";
  if (strcmp(name, "polyhedron") == 0)
    return "{\"type\": \"mesh\", \"vertices\": [[0.01, 0, 0], [-0.01, 0, 0], [0, 0.01, 0], [0, -0.01, 0], [0, 0, 0.01], [0, 0, -0.01]], "
           "\"triangles\": [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]}";
  return "{\"type\": \"sphere\", \"radius\": 0.01}";
}

static void print_row(const char *shape, int balls, const char *options)
{
  bool round = strcmp(shape, "sphere") == 0, hard = !round || strstr(options, "exact");
  pack_result r = measure(shape_of(shape), balls, options, hard ? SHORT : LIMIT);
  printf("| %d %s | `%s` | %.3g | %.3g | %.3g | %.0f | %.1e | %.1e | %.1e | ", balls, round ? "balls" : shape, options, r.seconds[0],
         r.seconds[1], r.seconds[2], r.sweeps, r.overlap, r.last_overlap, r.speed);
  printf(round ? "%.4f" : "", r.porosity);
  printf(" | %.4f | %llu | %.0f | %.2f s, %.60s |\n", r.load, r.above, r.asleep, r.reached, r.ending);
  fflush(stdout);
}

/* ── 100,000 balls ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* Steps while a pack falls and meets the floor, at two sizes: how the time of a step grows. */
static void print_growth(void)
{
  enum { STEPS = 100 };
  static const int sizes[] = {1000, 10000, 100000};
  printf("\n## Growth\n\nThe first %d steps, in which balls fall and the lowest meet the floor.\n\n| balls | ms a step | contacts in the "
         "last | us a "
         "ball and step |\n|---|---|---|---|\n",
         STEPS);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    scr_scene *scene = NULL;
    scr_error error = {0};
    scr_sim *sim = open_pack(shape_of("sphere"), sizes[k], "{}", &scene);
    double begun = now();
    for (int step = 0; step < STEPS && scr_sim_step(sim, &error) == SCR_OK && now() - begun < LIMIT; step++) continue;
    double each = (now() - begun) / (double)(sim->steps ? sim->steps : 1);
    printf("| %d | %.3g | %zu | %.3g |\n", sizes[k], 1e3 * each, ((const rigid_state *)sim->state)->contact_count, 1e6 * each / sizes[k]);
    fflush(stdout);
    scr_sim_destroy(sim);
    scr_scene_destroy(scene);
  }
}

/* ── heaps ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Balls that rain onto a floor without walls, rolling resisted by a tenth of a radius. */
static char *write_heap(int balls, const char *options)
{
  enum { ROOM = 2000 };
  char *text = malloc(ROOM);
  if (!text) exit(1);
  snprintf(
      text, ROOM,
      "{\"scree\": 1, \"name\": \"heap\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 2500}], \"contact\": "
      "{\"friction_coefficient\": 0.5, \"rolling_resistance\": 1e-3}, \"rig\": {\"type\": \"none\", \"gravity\": [0, 0, -9.81]}, "
      "\"obstacles\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}, \"position\": [0, 0, 0]}], \"time\": {\"duration\": 9, "
      "\"time_step\": %g}, \"output\": {\"frame_interval\": 9, \"sample_interval\": 9}, \"options\": %s, \"specimens\": [{\"name\": "
      "\"balls\", \"material\": \"m\", \"shape\": %s, \"smallest_scale\": 0.8, \"largest_scale\": 1, \"placement\": {\"type\": \"random\", "
      "\"minimum\": [%g, %g, 0.01], \"maximum\": [%g, %g, 0.75], \"count\": %d, \"distance\": 0.0205}}]}",
      time_step, options, shape_of("sphere"), -0.08 * sqrt(balls / 1e3), -0.08 * sqrt(balls / 1e3), 0.08 * sqrt(balls / 1e3),
      0.08 * sqrt(balls / 1e3), balls);
  return text;
}

/* Of a cone whose mean height z and mean distance r from its axis are those of the balls: 2 z/r, as an angle in degrees. */
static double slope_of(const rigid_state *s)
{
  double x = 0, y = 0, z = 0, r = 0, n = (double)s->body_count;
  for (size_t i = 0; i < s->body_count; i++) x += s->bodies[i].centre.x / n, y += s->bodies[i].centre.y / n, z += s->bodies[i].centre.z / n;
  for (size_t i = 0; i < s->body_count; i++) r += hypot(s->bodies[i].centre.x - x, s->bodies[i].centre.y - y) / n;
  return atan(2 * z / r) * 180 / M_PI;
}

static void print_heap(int balls, const char *options)
{
  const double end = 2;
  scr_problems problems = {0};
  scr_error error = {0};
  scr_scene *scene = NULL;
  scr_sim *sim = NULL;
  char *text = write_heap(balls, options);
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK || scr_sim_create(scene, 1, &sim, &error) != SCR_OK) exit(1);
  free(text);
  const rigid_state *s = sim->state;
  double begun = now(), fastest = 0;
  while (sim->time < end - 0.5 * time_step && now() - begun < SHORT && scr_sim_step(sim, &error) == SCR_OK) continue;
  for (size_t i = 0; i < s->body_count; i++) fastest = fmax(fastest, vec3_length(s->bodies[i].velocity));
  printf("| %d | `%s` | %.2f | %.3g | %.2f | %.1e | %zu |\n", balls, options, sim->time, now() - begun, slope_of(s), fastest,
         rigid_count_asleep(s));
  fflush(stdout);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

static void print_head(void)
{
  printf("# Packs, poured and settled\n\nOne thread, processor time; R 8 to 10 mm, steps of 2 ms, friction 0.5. Seconds are processor "
         "seconds per "
         "simulated second, overlaps parts of 10 mm; a row is given up after %d s, of the hard solvers after %d.\n\n| bodies | options | "
         "moving, s | settling, s | "
         "settled, s | "
         "iterations a step | deepest overlap | at the end | speed at the end, m/s | porosity | load over weight | steps above the "
         "measure, or "
         "unsolved | asleep | reached |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
         LIMIT, SHORT);
}

int main(int count, char **given)
{
  static const struct {
    const char *shape;
    int count;
    const char *options;
  } rows[] = {{"sphere", 300, "{\"accuracy\": \"usual\"}"},  {"sphere", 300, "{\"accuracy\": \"draft\"}"},
              {"sphere", 300, "{\"accuracy\": \"exact\"}"},  {"sphere", 1000, "{\"accuracy\": \"usual\"}"},
              {"sphere", 1000, "{\"accuracy\": \"draft\"}"}, {"sphere", 1000, "{\"accuracy\": \"exact\"}"},
              {"sphere", 3000, "{\"accuracy\": \"usual\"}"}, {"sphere", 10000, "{\"accuracy\": \"usual\"}"},
              {"box", 1000, "{\"accuracy\": \"draft\"}"},    {"polyhedron", 1000, "{\"accuracy\": \"draft\"}"}};
  print_head();
  for (int k = 1; k + 2 < count; k += 3) print_row(given[k], (int)strtol(given[k + 1], NULL, 10), given[k + 2]);
  if (count > 1) return 0;
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) print_row(rows[n].shape, rows[n].count, rows[n].options);
  print_growth();
  printf("\n## Heaps\n\nBalls rain onto a floor, rolling resisted by 0.1 R; 2 simulated seconds. The slope is that of a cone with the "
         "balls' mean "
         "height and mean distance from the axis.\n\n| balls | options | reached, s | processor s | slope, degrees | fastest, m/s | asleep "
         "|\n|---|---|---|---|---|---|---|\n");
  print_heap(300, "{\"accuracy\": \"usual\"}");
  print_heap(300, "{\"accuracy\": \"exact\"}");
  print_heap(1000, "{\"accuracy\": \"usual\"}");
  print_heap(1000, "{\"accuracy\": \"draft\"}");
  return 0;
}
