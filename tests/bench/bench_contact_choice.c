/* How much longer `auto` takes than the member that is best on the same problem: files of a folder from zero, and consecutive steps of
 * packs and of hair from the impulses of the step before. One thread, processor time, every member in a process of its own that ends when
 * it takes longer than `auto`. Prints Markdown.
 *
 *   bench_contact_choice [FOLDER of FCLIB problems, default tests/data/dcfp; - for none] [NAME of a run, or hair...] */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/files/contact_file.h"
#include "contact/warm_start.h"
#include "methods/fibre/contact/problem.h"
#include "methods/rigid/state/state.h"
#include "tests/support/contact_trial.h"

enum { D = 3, WINDOW = 4 };
static const double enough = 0.05; /* s of repeated solves, of which the least counts */

/* ── one solve ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a member of `auto` is. */
static const struct {
  const char *name;
  contact_solver solver;
  bool momentum;
} members[] = {{"gauss-seidel", CONTACT_GAUSS_SEIDEL, false},
               {"sweeps with momentum", CONTACT_GAUSS_SEIDEL, true},
               {"accelerated", CONTACT_ACCELERATED, false},
               {"admm", CONTACT_ADMM, false},
               {"newton", CONTACT_NEWTON, false},
               {"interior", CONTACT_INTERIOR, false},
               {"hybrid", CONTACT_HYBRID, false}};
enum { MEMBERS = sizeof members / sizeof *members };

/* ── a table ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Of all rows: those that `auto` solved within so many times the time of the best. */
static const double bounds[] = {1.2, 2, 5};
enum { BOUNDS = sizeof bounds / sizeof *bounds };
static unsigned rows, within[BOUNDS];
static double worst;

static void row(const char *name, const contact_problem *p, const contact_options *given, const double *start)
{
  enum { LONGEST = 60 };
  contact_options options = *given;
  contact_trial mine = contact_trial_run(p, &options, start, enough, LONGEST), best = {.seconds = HUGE_VAL};
  const char *who = "none";
  double limit = fmin(mine.seconds, LONGEST) + 1.2 * enough;
  printf("| %s | %zu | %.3g | %u, %u |", name, p->contact_count, 1e3 * mine.seconds, mine.iterations, mine.factorisations);
  for (int k = 0; k < MEMBERS; ++k) {
    options.solver = members[k].solver;
    options.momentum = members[k].momentum;
    options.iteration_limit = members[k].solver == CONTACT_GAUSS_SEIDEL ? 20000 : 0;
    contact_trial found = contact_trial_run(p, &options, start, enough, limit);
    if (found.solved)
      printf(" %.3g (%u, %u) |", 1e3 * found.seconds, found.iterations, found.factorisations);
    else
      printf(" - |");
    if (!found.solved || found.seconds >= best.seconds) continue;
    best = found;
    who = members[k].name;
  }
  double ratio = mine.seconds / best.seconds;
  worst = fmax(worst, ratio);
  rows++;
  for (int k = 0; k < BOUNDS; k++) within[k] += ratio <= bounds[k];
  printf(" %s | %.2f | %s%s |\n", who, ratio, mine.solved ? "" : "UNSOLVED: ", mine.reason);
  fflush(stdout);
}

static void head(const char *title)
{
  printf("\n### %s\n\n| problem | contacts | auto, ms | its iterations, factorisations |", title);
  for (int k = 0; k < MEMBERS; ++k) printf(" %s |", members[k].name);
  printf(" best | auto over best | how |\n|---|---|---|---|");
  for (int k = 0; k < MEMBERS; ++k) printf("---|");
  printf("---|---|---|\n");
}

/* ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static int by_name(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_problem(const struct dirent *entry)
{
  return strstr(entry->d_name, ".hdf5") != NULL;
}

static void run_files(const char *folder)
{
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, is_problem, by_name);
  contact_options options = contact_options_default();
  head(folder);
  for (int k = 0; k < count; ++k) {
    char path[512];
    contact_file file;
    scr_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
    if (contact_file_read(path, &file, &error) != SCR_OK) exit(1);
    row(entries[k]->d_name, &file.problem, &options, NULL);
    contact_file_clear(&file);
    free(entries[k]);
  }
  free(entries);
}

/* ── packs ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const double gravity = 9.81, time_step = 0.002;

static double drawn(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (double)(1u << 23) - 1;
}

/* Bodies of 8 to 10 mm that fall into a box, as in bench_packs: balls as by default, what has corners solved to 1e-6 in each step.
 * @return to be freed */
static char *write_pack(const char *shape, int bodies)
{
  const double pitch = 0.024;
  int side = (int)lround(pow(bodies, 1.0 / 3));
  size_t room = (size_t)bodies * 64 + 4096;
  uint64_t seed = 7;
  char *text = malloc(room);
  if (!text) exit(1);
  int at = snprintf(
      text, room,
      "{\"scree\": 1, \"name\": \"pack\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 2500}], "
      "\"contact\": {\"friction_coefficient\": 0.5}, \"rig\": {\"type\": \"box\", \"minimum\": [0, 0, 0], \"maximum\": "
      "[%.6f, %.6f, 9], \"gravity\": [0, 0, -%g]}, \"time\": {\"duration\": 10, \"time_step\": %g}, \"output\": "
      "{\"frame_interval\": 10, \"sample_interval\": 10}, \"options\": {\"accuracy\": \"%s\", \"recorded_problems\": 1, "
      "\"recorded_every\": 1000000}, \"specimens\": [{\"name\": \"bodies\", \"material\": \"m\", \"shape\": %s, \"random_rotation\": true, "
      "\"smallest_scale\": 0.8, \"largest_scale\": 1, \"placement\": {\"type\": \"list\", \"positions\": [",
      side * pitch, side * pitch, gravity, time_step, strstr(shape, "sphere") ? "usual" : "exact", shape);
  for (int k = 0; k < bodies; k++) {
    const int row = k / side % side, layer = k / side / side;
    double place[D] = {(k % side + 0.5) * pitch, (row + 0.5) * pitch, (layer + 0.5) * pitch};
    for (int axis = 0; axis < D; axis++) place[axis] += 0.0015 * drawn(&seed);
    at += snprintf(text + at, room - (size_t)at, "%s[%.5f, %.5f, %.5f]", k ? ", " : "", place[0], place[1], place[2]);
  }
  snprintf(text + at, room - (size_t)at, "]}}]}");
  return text;
}

static double fastest(const rigid_state *s)
{
  double speed = 0;
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *b = &s->bodies[i];
    speed = fmax(speed, vec3_length(b->velocity) + vec3_length(b->spin) * s->shapes[b->shape].extent * b->scale);
  }
  return speed;
}

/* One step, whose problem is then solved by all. Overlaps are not removed in it, as that is a problem in the same arrays.
 * @param warm impulses of the step before; receives those of this */
static void measure_step(scr_sim *sim, const char *name, warm_start *warm)
{
  rigid_state *s = sim->state;
  double overlap = s->penetration, speed = fmax(gravity * time_step, 1e-3 * fastest(s)), *start;
  scr_error error = {0};
  char title[100];
  s->penetration = HUGE_VAL;
  if (scr_sim_step(sim, &error) != SCR_OK) exit(1);
  s->penetration = overlap;
  const rigid_problem *p = &s->problem;
  size_t n = s->contact_count;
  start = mem_array(n * D + 1, sizeof *start);
  size_t found = warm_start_recall(warm, D, n, p->key, p->axes, time_step, start);
  contact_options options = contact_options_default();
  options.reference_speed = speed;
  if (s->report.pack == RIGID_SWEPT) options.absolute = true, options.tolerance = 0.01, options.reference_speed = gravity * time_step;
  if (warm->count > 0 && n > 0) {
    snprintf(title, sizeof title, "%s, %.3f s, %zu known", name, sim->time, found);
    row(title, &p->solved, &options, start);
  }
  for (size_t k = 0; k < n; k++) memcpy(p->impulse + D * k, s->contacts[k].impulse, D * sizeof(double));
  if (n > 0 && warm_start_keep(warm, D, n, p->key, p->axes, p->impulse, time_step, &error) != SCR_OK) exit(1);
  mem_free(start);
}

typedef struct run {
  const char *name, *shape;
  int bodies;
  double from[4]; /* s, where windows of steps begin; 0: none */
} run;

#define BALL "{\"type\": \"sphere\", \"radius\": 0.01}"
#define BOX "{\"type\": \"box\", \"size\": [0.0125, 0.0125, 0.0125]}"
#define DIAMOND                                                                                                                            \
  "{\"type\": \"mesh\", \"vertices\": [[0.01, 0, 0], [-0.01, 0, 0], [0, 0.01, 0], [0, -0.01, 0], [0, 0, 0.01], [0, 0, -0.01]], "           \
  "\"triangles\": [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]}"
static const run runs[] = {
    {"balls-300", BALL, 300, {0.1, 0.2, 0.5, 1.5}},     {"balls-1000", BALL, 1000, {0.1, 0.25, 0.6, 1.5}},
    {"boxes-27", BOX, 27, {0.08, 0.14, 0.3, 1}},        {"boxes-100", BOX, 100, {0.1, 0.2, 0.3, 0.6}},
    {"diamonds-27", DIAMOND, 27, {0.08, 0.14, 0.3, 1}}, {"diamonds-100", DIAMOND, 100, {0.1, 0.2, 0.3, 0.6}},
};
enum { RUNS = sizeof runs / sizeof *runs };

static void run_pack(const run *r)
{
  scr_scene *scene = NULL;
  scr_error error = {0};
  char *text = write_pack(r->shape, r->bodies);
  scr_sim *sim = contact_trial_open(text, &scene);
  head(r->name);
  for (int k = 0; k < 4 && r->from[k] > 0; k++) {
    warm_start warm = {0};
    while (sim->time < r->from[k])
      if (scr_sim_step(sim, &error) != SCR_OK) exit(1);
    for (int step = 0; step < WINDOW; step++) measure_step(sim, r->name, &warm);
    warm_start_clear(&warm);
  }
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  free(text);
}

/* ── hair ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void run_hair(const char *path, unsigned every, unsigned most)
{
  scr_scene *scene = NULL;
  scr_error error = {0};
  char *text = contact_trial_read(path);
  scr_sim *sim = contact_trial_open(text, &scene);
  const fibre_state *s = sim->state;
  warm_start warm = {0};
  unsigned measured = 0;
  head(path);
  for (unsigned step = 0; measured < most; step++) {
    if (scr_sim_step(sim, &error) != SCR_OK) break;
    const fibre_problem *p = &s->problem;
    if (p->count == 0 || p->chain_count == 0) continue;
    contact_problem problem = fibre_problem_of(s);
    if (step % every < 2) {
      contact_options options = contact_options_default();
      double *start = mem_array(p->count * D, sizeof *start);
      char title[100];
      warm_start_recall(&warm, D, p->count, p->key, p->axes, sim->time_step, start);
      options.factor_limit = 200;
      options.tolerance = s->options->contact_tolerance;
      options.reference_speed = gravity * sim->time_step;
      snprintf(title, sizeof title, "step %u", step);
      row(title, &problem, &options, start);
      measured++;
      mem_free(start);
    }
    if (warm_start_keep(&warm, D, p->count, p->key, p->axes, p->impulse, sim->time_step, &error) != SCR_OK) exit(1);
  }
  warm_start_clear(&warm);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  free(text);
}

static bool is_asked(int count, char **given, const char *name)
{
  bool asked = count <= 2;
  for (int j = 2; j < count; j++) asked = asked || strcmp(given[j], name) == 0;
  return asked;
}

int main(int count, char **given)
{
  const char *folder = count > 1 ? given[1] : "tests/data/dcfp";
  printf(
      "# How much longer auto takes than its best member\n\nProcessor time of one thread, milliseconds; iterations and factorisations in "
      "brackets. Problems of the folder from zero, consecutive steps of packs and of hair from the impulses of the step before, to 1e-6; "
      "packs of balls to a hundredth of g dt. A member that takes longer than auto is ended there: -.\n");
  if (strcmp(folder, "-") != 0) run_files(folder);
  for (int k = 0; k < RUNS; k++)
    if (is_asked(count, given, runs[k].name)) run_pack(&runs[k]);
  if (is_asked(count, given, "hair")) run_hair("api/gallery/hair-tuft.json", 20, 16);
  printf("\nOf %u problems auto takes at most", rows);
  for (int k = 0; k < BOUNDS; k++) printf("%s %g times the best member's time on %u", k ? "," : "", bounds[k], within[k]);
  printf("; %.2f times at most.\n", worst);
  return 0;
}
