/* Packs that are poured and settle: 300 to 10,000 balls of R = 8 to 10 mm, 100 and 1000 boxes and polyhedra of that size, on one thread and
 * two. They fall into a box and come to rest. For each `accuracy`: processor seconds per simulated second while they move (to 0.5 s),
 * settle (to 1.5 s) and lie (to 2 s), sweeps a step, and what the run reached. Then 1000 to 100,000 balls for some steps, and heaps on a
 * floor with their slopes.
 *
 *   bench_packs            all rows, each a section
 *   bench_packs NAME...    these alone: SHAPE-COUNT-ACCURACY (sphere-1000-usual; -2 behind it: two threads), growth-COUNT,
 *                          heap-COUNT-ACCURACY
 *   bench_packs names      the names of all
 *
 * Prints Markdown, a section a row, so that each row of tests/reports/bench/PACKS.md says of itself of what commit, day and machine it is
 * (make bench-packs runs row by row). A row that takes longer than its bound in seconds ends there and says how far it came. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "methods/rigid/state/state.h"
#include "methods/rigid/step/sleep.h"
#include "sim/sim.h"

enum { PHASES = 3, SAMPLED = 10 };
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
  double asleep;    /* bodies at the end */
  double detecting; /* share of the time that detection takes, of every SAMPLED-th step */
  double points;    /* contacts of a pair that touches, mean of these */
  double kept;      /* share of the contacts with a force whose key the step before had, of these */
  const char *ending;
} pack_result;

static bool is_round(const char *shape)
{
  return strstr(shape, "sphere") != NULL;
}

/* Of one thread processor time, of more the time that passes. */
static double now(unsigned threads)
{
  struct timespec t;
  clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -1 to 1 */
static double drawn(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (double)(1u << 23) - 1;
}

/* Layers of bodies with gaps, each a little beside its place; balls by steps of 2 ms, what turns over corners by the automatic step.
 * @return to be freed */
static char *write_scene(const char *shape, int balls, const char *options)
{
  int side = (int)lround(pow(balls, 1.0 / 3));
  double pitch = 2.4 * radius, width = side * pitch;
  size_t room = (size_t)balls * 64 + 4096;
  uint64_t seed = 7;
  char *text = malloc(room), step[32] = "null";
  if (!text) exit(1);
  if (is_round(shape)) snprintf(step, sizeof step, "%g", time_step);
  int at = snprintf(text, room,
                    "{\"scree\": 1, \"name\": \"pack\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 2500}], "
                    "\"contact\": {\"friction_coefficient\": 0.5}, "
                    "\"rig\": {\"type\": \"box\", \"minimum\": [0, 0, 0], \"maximum\": [%.6f, %.6f, 9], \"gravity\": [0, 0, -9.81]}, "
                    "\"time\": {\"duration\": 10, \"time_step\": %s}, "
                    "\"output\": {\"frame_interval\": 10, \"sample_interval\": 10}, \"options\": %s, \"specimens\": [{\"name\": \"balls\", "
                    "\"material\": \"m\", \"shape\": %s, \"random_rotation\": true, \"smallest_scale\": 0.8, \"largest_scale\": 1, "
                    "\"placement\": {\"type\": \"list\", \"positions\": [",
                    width, width, step, options, shape);
  for (int k = 0; k < balls; k++) {
    const int row = k / side % side, layer = k / side / side;
    double place[3] = {(k % side + 0.5) * pitch, (row + 0.5) * pitch, (layer + 0.5) * pitch};
    for (int axis = 0; axis < 3; axis++) place[axis] += 0.15 * radius * drawn(&seed);
    at += snprintf(text + at, room - (size_t)at, "%s[%.5f, %.5f, %.5f]", k ? ", " : "", place[0], place[1], place[2]);
  }
  snprintf(text + at, room - (size_t)at, "]}}]}");
  return text;
}

static scr_sim *open_pack(const char *shape, int balls, const char *options, unsigned threads, scr_scene **scene)
{
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  char *text = write_scene(shape, balls, options);
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK || scr_sim_create(*scene, threads, &sim, &error) != SCR_OK) {
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
  return sum / sim->time_step;
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

/* ── detection, and what contacts keep ──────────────────────────────────────────────────────────────────────────── */

/* Sums over sampled steps. */
typedef struct contact_sample {
  double stepping, detecting; /* s */
  double contacts, pairs, forced, kept;
  contact_key *key; /* of the step before, in order; owned */
  size_t count;
} contact_sample;

static int by_key(const void *a, const void *b)
{
  const contact_key *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return (x->second > y->second) - (x->second < y->second);
}

static void remember_keys(const rigid_state *s, contact_sample *sample)
{
  free(sample->key);
  sample->count = s->contact_count;
  sample->key = malloc((sample->count + 1) * sizeof *sample->key);
  if (!sample->key) exit(1);
  for (size_t k = 0; k < sample->count; k++) sample->key[k] = rigid_key(&s->contacts[k]);
  qsort(sample->key, sample->count, sizeof *sample->key, by_key);
}

/* Detection once more, of the bodies as they are now. @return s that it took */
static double detect_again(scr_sim *sim)
{
  rigid_state *s = sim->state;
  const double still[SCR_PART_LIMIT] = {0};
  scr_error error = {0};
  const detect_scene view = {.shapes = s->shapes,
                             .bodies = s->bodies,
                             .body_count = s->body_count,
                             .specimen_bodies = s->specimen_bodies,
                             .parts = &sim->parts,
                             .part_pieces = s->part_pieces,
                             .margin = s->margin,
                             .time_step = sim->time_step,
                             .gravity = s->scene->rig.gravity,
                             .part_speed = still};
  double start = now(sim->execution.threads);
  if (detect_run(&s->detection, &view, sim->execution, &error) != SCR_OK) exit(1);
  return now(sim->execution.threads) - start;
}

/* @return s that looking took */
static double sample_contacts(scr_sim *sim, double stepping, contact_sample *sample)
{
  const rigid_state *s = sim->state;
  double start = now(sim->execution.threads);
  sample->stepping += stepping;
  sample->detecting += detect_again(sim);
  for (size_t k = 0; k < s->contact_count; k++) {
    const geo_touch *touch = &s->contacts[k].touch;
    contact_key key = rigid_key(&s->contacts[k]);
    bool forced = s->contacts[k].impulse[0] > 0;
    sample->contacts++;
    sample->pairs += k == 0 || touch[0].a != s->contacts[k - 1].touch.a || touch[0].b != s->contacts[k - 1].touch.b;
    sample->forced += forced;
    sample->kept += forced && bsearch(&key, sample->key, sample->count, sizeof key, by_key) != NULL;
  }
  return now(sim->execution.threads) - start;
}

/* ── a row ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* One step, with what is sampled. @return s that looking took */
static double step_once(scr_sim *sim, pack_result *result, contact_sample *sample, scr_status *status, scr_error *error)
{
  const rigid_state *s = sim->state;
  double start = now(sim->execution.threads), looked = 0;
  *status = scr_sim_step(sim, error);
  double stepping = now(sim->execution.threads) - start;
  if (*status != SCR_OK) return 0;
  result->sweeps += (double)s->report.iterations;
  result->overlap = fmax(result->overlap, s->report.penetration / radius);
  start = now(sim->execution.threads);
  if (sim->steps % SAMPLED == SAMPLED - 1) {
    remember_keys(s, sample);
    looked = now(sim->execution.threads) - start;
  } else if (sim->steps % SAMPLED == 0)
    looked = sample_contacts(sim, stepping, sample);
  return looked;
}

static pack_result measure(const char *shape, int balls, const char *options, unsigned threads, double limit)
{
  scr_scene *scene = NULL;
  scr_error error = {0};
  scr_sim *sim = open_pack(shape, balls, options, threads, &scene);
  pack_result result = {.ending = "whole"};
  contact_sample sample = {0};
  double begun = now(threads), load = 0, weighings = 0;
  for (int phase = 0; phase < PHASES; phase++) {
    double start = now(threads), from = sim->time, looked = 0;
    while (sim->time < ends[phase] - 0.5 * sim->time_step && now(threads) - begun < limit) {
      scr_status status;
      looked += step_once(sim, &result, &sample, &status, &error);
      if (status != SCR_OK) {
        result.ending = error.message;
        break;
      }
      if (sim->time > ends[PHASES - 1] - weighed) load += rig_load(sim), weighings++;
    }
    result.seconds[phase] = (now(threads) - start - looked) / fmax(sim->time - from, 1e-9);
    if (sim->time < ends[phase] - 0.5 * sim->time_step) {
      if (strcmp(result.ending, "whole") == 0) result.ending = "given up";
      break;
    }
  }
  result.sweeps /= (double)(sim->steps ? sim->steps : 1);
  result.detecting = sample.detecting / fmax(sample.stepping, 1e-9);
  result.points = sample.contacts / fmax(sample.pairs, 1);
  result.kept = sample.kept / fmax(sample.forced, 1);
  finish(sim, balls, weighings > 0 ? load / weighings : 0, &result);
  free(sample.key);
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

static void print_pack(const char *shape, int balls, const char *options, unsigned threads, double bound)
{
  bool round = is_round(shape);
  pack_result r = measure(shape_of(shape), balls, options, threads, bound);
  printf("| moving, s | settling, s | settled, s | iterations a step | deepest overlap | at the end | speed at the end, m/s | porosity | "
         "load over "
         "weight | steps above the measure, or unsolved | asleep | detection, %% | contacts a pair | keys kept, %% | reached |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  printf("| %.3g | %.3g | %.3g | %.0f | %.1e | %.1e | %.1e | ", r.seconds[0], r.seconds[1], r.seconds[2], r.sweeps, r.overlap,
         r.last_overlap, r.speed);
  printf(round ? "%.4f" : "", r.porosity);
  printf(" | %.4f | %llu | %.0f | %.1f | %.2f | %.2f | %.2f s, %.60s |\n", r.load, r.above, r.asleep, 100 * r.detecting, r.points,
         100 * r.kept, r.reached, r.ending);
}

/* ── 100,000 balls ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* Steps while a pack falls and meets the floor: how the time of a step grows with its size. */
static void print_growth(int balls, double bound)
{
  enum { STEPS = 100 };
  scr_scene *scene = NULL;
  scr_error error = {0};
  scr_sim *sim = open_pack(shape_of("sphere"), balls, "{}", 1, &scene);
  double begun = now(1);
  for (int step = 0; step < STEPS && now(1) - begun < bound && scr_sim_step(sim, &error) == SCR_OK; step++) continue;
  double each = (now(1) - begun) / (double)(sim->steps ? sim->steps : 1);
  const rigid_state *s = sim->state;
  printf("| steps | ms a step | contacts in the last | us a ball and step | deepest overlap in the last | steps unsolved |\n"
         "|---|---|---|---|---|---|\n| %llu | %.3g | %zu | %.3g | %.1e | %llu |\n",
         (unsigned long long)sim->steps, 1e3 * each, s->contact_count, 1e6 * each / balls, s->report.penetration / radius,
         (unsigned long long)s->report.unsolved);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
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

static void print_heap(int balls, const char *options, double bound)
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
  double begun = now(1), fastest = 0;
  while (sim->time < end - 0.5 * sim->time_step && now(1) - begun < bound && scr_sim_step(sim, &error) == SCR_OK) continue;
  for (size_t i = 0; i < s->body_count; i++) fastest = fmax(fastest, vec3_length(s->bodies[i].velocity));
  printf(
      "| reached, s | processor s | slope, degrees | fastest, m/s | asleep |\n|---|---|---|---|---|\n| %.2f | %.3g | %.2f | %.1e | %zu |\n",
      sim->time, now(1) - begun, slope_of(s), fastest, rigid_count_asleep(s));
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

/* ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* @param accuracy  NULL: the default */
typedef struct row {
  const char *what; /* a shape, "growth" or "heap" */
  int count;
  const char *accuracy;
  double bound; /* s */
  unsigned threads;
} row;

static const row rows[] = {
    {"sphere", 300, "usual", 20, 1},       {"sphere", 300, "draft", 20, 1},       {"sphere", 300, "exact", 30, 1},
    {"sphere", 1000, "usual", 30, 1},      {"sphere", 1000, "usual", 30, 2},      {"sphere", 1000, "draft", 30, 1},
    {"sphere", 1000, "exact", 30, 1},      {"sphere", 3000, "usual", 80, 1},      {"sphere", 10000, "usual", 200, 1},
    {"sphere", 10000, "usual", 200, 2},    {"box", 100, "usual", 30, 1},          {"box", 100, "exact", 60, 1},
    {"box", 1000, "usual", 300, 1},        {"box", 1000, "usual", 300, 2},        {"box", 1000, "draft", 150, 1},
    {"polyhedron", 100, "usual", 30, 1},   {"polyhedron", 100, "exact", 60, 1},   {"polyhedron", 1000, "usual", 300, 1},
    {"polyhedron", 1000, "usual", 300, 2}, {"polyhedron", 1000, "draft", 150, 1}, {"growth", 1000, NULL, 10, 1},
    {"growth", 10000, NULL, 30, 1},        {"growth", 100000, NULL, 120, 1},      {"heap", 300, "usual", 10, 1},
    {"heap", 300, "exact", 30, 1},         {"heap", 1000, "usual", 20, 1},        {"heap", 1000, "draft", 20, 1}};
enum { ROWS = sizeof rows / sizeof *rows, NAME = 80 };

static void name_row(const row *r, char name[NAME])
{
  int at = snprintf(name, NAME, r->accuracy ? "%s-%d-%s" : "%s-%d", r->what, r->count, r->accuracy);
  if (r->threads > 1) snprintf(name + at, NAME - (size_t)at, "-%u", r->threads);
}

static void print_row(const row *r)
{
  char options[NAME];
  snprintf(options, sizeof options, "{\"accuracy\": \"%s\"}", r->accuracy ? r->accuracy : "usual");
  bool heap = strcmp(r->what, "heap") == 0, growth = strcmp(r->what, "growth") == 0;
  const char *bodies = strcmp(r->what, "box") == 0 ? "boxes" : strcmp(r->what, "polyhedron") == 0 ? "polyhedra" : "balls";
  printf("\n## %d %s%s%s%s\n\n", r->count, bodies,
         heap     ? " on a heap, "
         : growth ? ": their first 100 steps"
                  : ", ",
         r->accuracy ? r->accuracy : "", r->threads > 1 ? ", two threads" : "");
  if (heap)
    print_heap(r->count, options, r->bound);
  else if (growth)
    print_growth(r->count, r->bound);
  else
    print_pack(r->what, r->count, options, r->threads, r->bound);
  fflush(stdout);
}

/* What a name says: SHAPE-COUNT-ACCURACY, with -2 behind it for two threads; rows that are not in the table have the longest bound.
 * @param text  room for its words    @return whether it says anything */
static bool read_name(const char *name, row *r, char text[NAME])
{
  const double longest = 300;
  char *accuracy, *threads = NULL;
  snprintf(text, NAME, "%s", name);
  char *number = strchr(text, '-');
  if (!number) return false;
  *number++ = 0;
  long count = strtol(number, &accuracy, 10);
  if (count < 1 || count > 1000000 || (*accuracy != '-' && strcmp(text, "growth") != 0)) return false;
  if (*accuracy == '-') threads = strchr(accuracy + 1, '-');
  if (threads && strcmp(threads, "-2") != 0) return false;
  if (threads) *threads = 0;
  *r = (row){text, (int)count, *accuracy == '-' ? accuracy + 1 : NULL, longest, threads ? 2 : 1};
  for (size_t k = 0; k < ROWS; k++) {
    char own[NAME];
    name_row(&rows[k], own);
    if (strcmp(own, name) == 0) *r = rows[k];
  }
  return true;
}

static void print_head(void)
{
  printf(
      "# Packs, poured and settled\n\nR 8 to 10 mm, friction 0.5; balls in steps of 2 ms, boxes of 10 to 12.5 mm and octahedra in "
      "automatic "
      "steps. Seconds, of the processor or with two threads of the clock, are those per simulated second while bodies move (to 0.5 s), "
      "settle (to 1.5 s) and lie (to 2 s), overlaps parts of 10 mm. Detection is its share of every tenth step's time; keys kept: of the "
      "contacts with a force those that had their name in the step before. A row is given up after its bound: 20 to 300 s. Growth is of "
      "steps in which balls fall and the lowest meet the floor. Heaps: balls rain onto a floor, rolling resisted by 0.1 R, for 2 "
      "simulated seconds; the slope is that of a cone with the balls' mean height and mean distance from the axis.\n");
}

int main(int count, char **given)
{
  if (count == 2 && strcmp(given[1], "names") == 0) {
    for (size_t k = 0; k < ROWS; k++) {
      char name[NAME];
      name_row(&rows[k], name);
      puts(name);
    }
    return 0;
  }
  print_head();
  for (size_t k = 0; k < ROWS && count == 1; k++) print_row(&rows[k]);
  for (int k = 1; k < count; k++) {
    row asked;
    char text[NAME];
    if (!read_name(given[k], &asked, text)) {
      fprintf(stderr, "no row is named %s; bench_packs names: their names\n", given[k]);
      return 2;
    }
    print_row(&asked);
  }
  return 0;
}
