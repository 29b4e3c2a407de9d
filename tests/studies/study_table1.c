/* Measures what scenes of bonded spheres cost, several variants of one scene in one process: the work horse of study_table1.py, which makes
 * tests/reports/bench/TABLE1.md of it.
 *   study_table1 THREADS LABEL:LEAD:SPAN:SECONDS:FILE ...
 * FILE: a scene of method bdem. LEAD: steps done before the clock starts. SPAN: physical time to measure, s. SECONDS: wall-clock after
 * which a variant is measured no longer; at least two steps are. The variants take turns of about a second, so that whatever else the
 * machine does slows all of them alike. Prints a line for each as it ends: variant,LABEL,spheres,bonds,T,dt,lead steps,steps,physical
 * s,wall s,processor s,newton,cg,substeps,broken bonds
 *
 *   study_table1 path THREADS DURATION LOW:HIGH FILE ...
 * How far runs are from the first one, whose steps should be the shortest: the spheres that lie between the shares LOW and HIGH of the
 * body's length along x at the start are followed for DURATION s. Prints for each file the largest root mean square distance of theirs from
 * where the first run has them at that time, over the largest root mean square way of the first run's: path,INDEX,T,dt,steps,error */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "methods/bdem/step/stages.h"
#include "sim/sim.h"
#include "tests/support/bandwidth.h"

enum { VARIANTS = 8 };
static const double turn_seconds = 1.0;

typedef struct variant {
  char label[64], file[512];
  unsigned long lead, steps;
  double span, budget; /* s of the scene, s of the clock */
  scr_scene *scene;
  scr_sim *sim;
  double *values;
  double physical, wall, processor, newton, cg, substeps;
  bool done;
} variant;

static void stop(const char *label, const char *what)
{
  fprintf(stderr, "study_table1: %s: %s\n", label, what);
  exit(1);
}

static char *read_text(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  char *text = malloc(1 << 20);
  if (!file || !text) stop(path, "can't be read");
  *length = fread(text, 1, 1 << 20, file);
  fclose(file);
  return text;
}

static void parse_argument(const char *argument, variant *v)
{
  if (sscanf(argument, "%63[^:]:%lu:%lf:%lf:%511[^\n]", v->label, &v->lead, &v->span, &v->budget, v->file) != 5)
    stop(argument, "is not LABEL:LEAD:SPAN:SECONDS:FILE");
}

static double value(const variant *v, const char *name)
{
  long k = sim_find_series(v->sim, name);
  return k < 0 ? 0 : v->values[k];
}

static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void step(variant *v)
{
  scr_error error = {0};
  if (scr_sim_step(v->sim, &error) != SCR_OK) stop(v->label, error.message);
}

static void open_variant(variant *v, unsigned threads)
{
  size_t length;
  char *text = read_text(v->file, &length);
  scr_problems problems = {0};
  scr_error error = {0};
  scr_limits limits = scr_limits_default();
  limits.memory_bytes = (size_t)64 << 30; /* foreseen from above; the machine's own memory is the limit */
  if (scr_scene_parse(text, length, &limits, &v->scene, &problems) != SCR_OK)
    stop(v->label, problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  free(text);
  if (strcmp(scr_scene_method(v->scene), "bdem") != 0) stop(v->label, "is not a scene of method bdem");
  if (scr_sim_create(v->scene, threads, &v->sim, &error) != SCR_OK) stop(v->label, error.message);
  v->values = calloc(scr_sim_series_count(v->sim), sizeof *v->values);
  if (!v->values) stop(v->label, "no memory");
  for (unsigned long k = 0; k < v->lead; ++k) step(v);
}

/* One turn: about a second of steps. What the steps did is read outside the clock. */
static void take_turn(variant *v)
{
  const bdem_state *s = v->sim->state;
  double turn = 0;
  while (turn < turn_seconds && !v->done) {
    double begun = seconds_now(), processor = processor_seconds();
    step(v);
    v->processor += processor_seconds() - processor;
    turn += seconds_now() - begun;
    ++v->steps;
    v->newton += (double)s->step.solver.newton_iterations;
    v->cg += (double)s->step.solver.cg_iterations;
    v->substeps += (double)s->step.solver.substeps;
    v->physical += scr_sim_time_step(v->sim);
    v->done = v->physical >= v->span * (1 - 1e-9) || (v->wall + turn >= v->budget && v->steps >= 2);
  }
  v->wall += turn;
}

static void report(variant *v)
{
  const bdem_state *s = v->sim->state;
  scr_sim_observe(v->sim, v->values);
  printf("variant,%s,%zu,%zu,%.6e,%.6e,%lu,%lu,%.6e,%.6e,%.6e,%.0f,%.0f,%.0f,%.0f\n", v->label, s->body.sphere_count,
         s->model.bond_capacity, s->model.stable_step, scr_sim_time_step(v->sim), v->lead, v->steps, v->physical, v->wall, v->processor,
         v->newton, v->cg, v->substeps, value(v, "broken_bonds"));
  fflush(stdout);
}

/* ── paths ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Places of the spheres that are followed, step by step. */
typedef struct path {
  size_t *sphere, count, steps; /* [count]; steps + 1 places of each */
  double step;                  /* s */
  scr_vec3 *place;              /* [steps + 1][count] */
} path;

static void choose_spheres(path *p, const bdem_body *body, double low, double high)
{
  double first = INFINITY, last = -INFINITY;
  for (size_t i = 0; i < body->sphere_count; ++i) {
    first = fmin(first, body->position[i].x);
    last = fmax(last, body->position[i].x);
  }
  p->sphere = calloc(body->sphere_count, sizeof *p->sphere);
  if (!p->sphere) stop("path", "no memory");
  for (size_t i = 0; i < body->sphere_count; ++i) {
    double share = (body->position[i].x - first) / (last - first);
    if (share >= low && share <= high) p->sphere[p->count++] = i;
  }
  if (p->count == 0) stop("path", "no sphere to follow");
}

static void note_places(path *p, const bdem_body *body, size_t step)
{
  for (size_t k = 0; k < p->count; ++k) p->place[step * p->count + k] = body->position[p->sphere[k]];
}

static path follow(variant *v, unsigned threads, double duration, double low, double high)
{
  path p = {0};
  open_variant(v, threads);
  const bdem_state *s = v->sim->state;
  p.step = scr_sim_time_step(v->sim);
  p.steps = (size_t)ceil(duration / p.step * (1 - 1e-9));
  choose_spheres(&p, &s->body, low, high);
  p.place = calloc((p.steps + 1) * p.count, sizeof *p.place);
  if (!p.place) stop("path", "no memory");
  note_places(&p, &s->body, 0);
  for (size_t k = 1; k <= p.steps; ++k) {
    step(v);
    note_places(&p, &s->body, k);
  }
  return p;
}

/* Root mean square distance of the places of `p` at a step of its own from those of `q` at the same time, between two steps of its own. */
static double distance_from(const path *p, size_t step, const path *q)
{
  double at = fmin((double)step * p->step / q->step, (double)q->steps), sum = 0;
  size_t before = (size_t)fmin(floor(at), (double)(q->steps - 1));
  for (size_t k = 0; k < p->count; ++k) {
    scr_vec3 a = q->place[before * q->count + k], b = q->place[(before + 1) * q->count + k];
    scr_vec3 there = vec3_add(a, vec3_scale(vec3_sub(b, a), at - (double)before));
    scr_vec3 e = vec3_sub(p->place[step * p->count + k], there);
    sum += vec3_dot(e, e);
  }
  return sqrt(sum / (double)p->count);
}

static double longest_travel(const path *p)
{
  double longest = 0;
  for (size_t step = 1; step <= p->steps; ++step) {
    double sum = 0;
    for (size_t k = 0; k < p->count; ++k) {
      scr_vec3 way = vec3_sub(p->place[step * p->count + k], p->place[k]);
      sum += vec3_dot(way, way);
    }
    longest = fmax(longest, sqrt(sum / (double)p->count));
  }
  return longest;
}

static int compare_paths(int argc, char **argv)
{
  double low, high, duration = argc > 3 ? strtod(argv[3], NULL) : 0;
  if (argc < 6 || !(duration > 0) || sscanf(argv[4], "%lf:%lf", &low, &high) != 2)
    stop("usage", "study_table1 path THREADS DURATION LOW:HIGH FILE ...");
  path reference = {0};
  for (int k = 5; k < argc; ++k) {
    variant v = {.label = "path"};
    snprintf(v.file, sizeof v.file, "%s", argv[k]);
    path p = follow(&v, (unsigned)strtoul(argv[2], NULL, 10), duration, low, high);
    if (k == 5) reference = p;
    if (p.count != reference.count) stop(v.file, "follows other spheres than the first file");
    double error = 0;
    for (size_t n = 0; n <= p.steps && (double)n * p.step <= duration * (1 + 1e-9); ++n)
      error = fmax(error, distance_from(&p, n, &reference));
    printf("path,%d,%.6e,%.6e,%zu,%.6e\n", k - 5, ((const bdem_state *)v.sim->state)->model.stable_step, p.step, p.steps,
           error / longest_travel(&reference));
    fflush(stdout);
    scr_sim_destroy(v.sim);
    scr_scene_destroy(v.scene);
    free(v.values);
    if (k > 5) free(p.sphere), free(p.place);
  }
  free(reference.sphere);
  free(reference.place);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "path") == 0) return compare_paths(argc, argv);
  static variant variants[VARIANTS];
  if (argc < 3 || argc - 2 > VARIANTS) stop("usage", "study_table1 THREADS LABEL:LEAD:SPAN:SECONDS:FILE ... (at most 8)");
  unsigned threads = (unsigned)strtoul(argv[1], NULL, 10);
  size_t count = (size_t)argc - 2, running = count;
  for (size_t k = 0; k < count; ++k) {
    parse_argument(argv[2 + k], &variants[k]);
    open_variant(&variants[k], threads);
  }
  while (running > 0)
    for (size_t k = 0; k < count; ++k) {
      if (variants[k].done) continue;
      take_turn(&variants[k]);
      if (!variants[k].done) continue;
      report(&variants[k]);
      --running;
    }
  for (size_t k = 0; k < count; ++k) {
    scr_sim_destroy(variants[k].sim);
    scr_scene_destroy(variants[k].scene);
    free(variants[k].values);
  }
  return 0;
}
