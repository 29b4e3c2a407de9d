/* Packs of balls that are poured and settle, on one thread: 300, 1000 and 3000 balls of R = 8 to 10 mm fall into a box and come to
 * rest. For each `accuracy` (or other options, given as JSON): processor seconds per simulated second while they move (to 0.5 s),
 * settle (to 1.5 s) and lie (to 2 s), sweeps a step, and what the run reached.
 *
 * bench_packs [BALLS OPTIONS]...        a row for each pair; BALLS OPTIONS such as 1000 '{"accuracy": "usual"}'; without: the table of
 * tests/reports/bench/PACKS.md
 *
 * Prints Markdown. A row that takes longer than LIMIT seconds of processor time ends there and says how far it came. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "methods/rigid/state/state.h"
#include "sim/sim.h"

enum { PHASES = 3, LIMIT = 240 };
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
static char *write_scene(int balls, const char *options)
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
                    "\"material\": \"m\", \"shape\": {\"type\": \"sphere\", "
                    "\"radius\": %g}, \"smallest_scale\": 0.8, \"largest_scale\": 1, \"placement\": {\"type\": \"list\", \"positions\": [",
                    width, width, time_step, options, radius);
  for (int k = 0; k < balls; k++) {
    double place[3] = {(k % side + 0.5) * pitch, (k / side % side + 0.5) * pitch, (k / side / side + 0.5) * pitch};
    for (int axis = 0; axis < 3; axis++) place[axis] += 0.15 * radius * drawn(&seed);
    at += snprintf(text + at, room - (size_t)at, "%s[%.5f, %.5f, %.5f]", k ? ", " : "", place[0], place[1], place[2]);
  }
  snprintf(text + at, room - (size_t)at, "]}}]}");
  return text;
}

static scr_sim *open_pack(int balls, const char *options, scr_scene **scene)
{
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  char *text = write_scene(balls, options);
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
  result->above = s->report.above;
}

static pack_result measure(int balls, const char *options)
{
  scr_scene *scene = NULL;
  scr_error error = {0};
  scr_sim *sim = open_pack(balls, options, &scene);
  const rigid_state *s = sim->state;
  pack_result result = {.ending = "whole"};
  double begun = now(), load = 0, weighings = 0;
  for (int phase = 0; phase < PHASES; phase++) {
    double start = now(), from = sim->time;
    while (sim->time < ends[phase] - 0.5 * time_step && now() - begun < LIMIT) {
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

static void print_row(int balls, const char *options)
{
  pack_result r = measure(balls, options);
  printf("| %d | `%s` | %.3g | %.3g | %.3g | %.0f | %.1e | %.1e | %.1e | %.4f | %.4f | %llu | %.2f s, %.60s |\n", balls, options,
         r.seconds[0], r.seconds[1], r.seconds[2], r.sweeps, r.overlap, r.last_overlap, r.speed, r.porosity, r.load, r.above, r.reached,
         r.ending);
  fflush(stdout);
}

int main(int count, char **given)
{
  static const int sizes[] = {300, 1000, 3000};
  static const char *const accuracies[] = {"{\"accuracy\": \"draft\"}", "{\"accuracy\": \"usual\"}", "{\"accuracy\": \"exact\"}"};
  printf("# Packs of balls, poured and settled\n\nOne thread, processor time; R 8 to 10 mm, steps of 2 ms, friction 0.5. Seconds are "
         "processor seconds per simulated second, overlaps parts of 10 mm; a row is "
         "given up after %d s.\n\n| balls | options | moving, s | settling, s | settled, s | iterations a step | deepest overlap | at the "
         "end | speed at the end, m/s | porosity | load over weight | "
         "steps above the measure | reached |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
         LIMIT);
  for (int k = 1; k + 1 < count; k += 2) print_row((int)strtol(given[k], NULL, 10), given[k + 1]);
  for (size_t n = 0; count == 1 && n < sizeof sizes / sizeof *sizes; n++)
    for (size_t a = 0; a < sizeof accuracies / sizeof *accuracies; a++) print_row(sizes[n], accuracies[a]);
  return 0;
}
