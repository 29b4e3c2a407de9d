/* The paper's two times of the method fem: a step of elements, and loading by statics against loading in time; then steps of bodies that
 * touch, on one thread and two, and how many factors they take. Prints Markdown.
 *   bench_fem_steps [finest spacing in mm, default 1]
 *
 * Steps: the pressed arch of the validation cases in steps of 1e-5 s with 4 threads, its feet on the floor, on finer and finer meshes.
 * Chen, Levin, Matusik and Kaufman report 791 s a step of 1e-5 s with 4 threads (2.9 GHz) for their validated mesh and tell neither its
 * size nor its elements' number: what can be told is the size at which a step would take as long here, by the growth of the last two rows.
 * Loading: processor seconds of one thread of static loading and of a load that grows over 20 periods in 600 steps (their 15 times). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "methods/fem/state/state.h"
#include "sim/sim.h"

enum { STEPS = 4, TURNS = 3 };

static double seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(const char *why)
{
  fprintf(stderr, "bench_fem_steps: %s\n", why);
  exit(1);
}

/* What a simulation of the arch is opened with. */
typedef struct arch {
  double spacing, damping, friction, load, rise, step;
  const char *options;
  unsigned threads;
} arch;

static scr_sim *open_arch(const arch *a, scr_scene **scene)
{
  char text[2000];
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim;
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"arch\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": 1100, "
           "\"young_modulus\": 1e8, "
           "\"poisson_ratio\": 0.35, \"stiffness_damping\": %.17g } ], \"contact\": { \"friction_coefficient\": %g }, \"specimens\": [ { "
           "\"name\": "
           "\"arch\", \"material\": \"m\", \"spacing\": %.17g, \"shape\": { \"type\": \"arch\", \"span\": 0.06, \"rise\": 0.03, "
           "\"thickness\": 0.006, "
           "\"width\": 0.02, \"leg\": 0.008, \"foot\": 0.01, \"heel\": 0.01 }, \"load_side\": \"z_max\", \"load\": [0, 0, %.17g], "
           "\"load_rise_time\": "
           "%.17g } ], \"rig\": { \"type\": \"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ { \"name\": \"floor\", \"shape\": { "
           "\"type\": "
           "\"plane\", \"width\": 1 }, \"position\": [0, 0, 0] } ], \"time\": { \"duration\": 5, \"time_step\": %.17g }, \"options\": { "
           "\"impact\": "
           "\"mass\", \"element\": \"plain\" %s } }",
           a->damping, a->friction, a->spacing, -a->load, a->rise, a->step, a->options);
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK) stop(problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  if (scr_sim_create(*scene, a->threads, &sim, &error) != SCR_OK) stop(error.message);
  return sim;
}

static double make_steps(scr_sim *sim, int count)
{
  const fem_state *s = sim->state;
  scr_error error = {0};
  double iterations = 0;
  for (int k = 0; k < count; k++) {
    if (scr_sim_step(sim, &error) != SCR_OK) stop(error.message);
    iterations += s->totals.iterations;
  }
  return iterations / count;
}

static void close_arch(scr_sim *sim, scr_scene *scene)
{
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

/* A row of steps. @return s of a step; receives the number of elements */
static double time_steps(double spacing, size_t *elements)
{
  const arch a = {
      .spacing = spacing, .damping = 5e-5, .friction = 0.5, .load = 160, .rise = 1e-3, .step = 1e-5, .options = "", .threads = 4};
  scr_scene *scene;
  scr_sim *sim = open_arch(&a, &scene);
  const fem_state *s = sim->state;
  (void)make_steps(sim, 2);
  double wall = seconds(CLOCK_MONOTONIC), busy = seconds(CLOCK_PROCESS_CPUTIME_ID), iterations = make_steps(sim, STEPS);
  wall = (seconds(CLOCK_MONOTONIC) - wall) / STEPS, busy = (seconds(CLOCK_PROCESS_CPUTIME_ID) - busy) / STEPS;
  la_factor_cost foreseen = la_factor_estimate(s->solver.factor);
  *elements = s->system.hex_count;
  printf("| %.2g | %zu | %zu | %zu | %.1f | %.3g | %.3g | %.3g |\n", 1e3 * spacing, s->system.hex_count, 3 * s->system.node_count,
         s->solver.touches.count, iterations, foreseen.operations / 1e9, busy, wall);
  fflush(stdout);
  close_arch(sim, scene);
  return busy;
}

static void bench_steps(double finest)
{
  static const double spacings[] = {6e-3, 3e-3, 2e-3, 1.5e-3, 1e-3, 0.75e-3};
  double before = 0, now = 0;
  size_t fewer = 0, elements = 0;
  printf("## fem: a step of 1e-5 s of the pressed arch, 4 threads\n\n| spacing, mm | elements | unknowns | contacts | iterations a step | "
         "Gflop a factor | "
         "processor s a step | s a step |\n|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof spacings / sizeof *spacings && spacings[k] >= 0.999 * finest; k++) {
    before = now, fewer = elements;
    now = time_steps(spacings[k], &elements);
  }
  if (!fewer) return;
  double power = log(now / before) / log((double)elements / (double)fewer);
  printf("\nProcessor time grows with the number of elements to the power %.2f: by that a step takes the paper's 791 s at %.2g elements. "
         "At the finest size here "
         "it takes 1/%.0f of that.\n\n",
         power, (double)elements * pow(791 / now, 1 / power), 791 / now);
}

/* Least processor seconds of static loading beyond those of opening the scene without. */
static double time_statics(arch a)
{
  double least = INFINITY;
  for (int turn = 0; turn < TURNS; turn++) {
    double used[2];
    for (int k = 0; k < 2; k++) {
      scr_scene *scene;
      a.options = k ? ", \"loading\": \"static\", \"release\": false" : "";
      double begun = seconds(CLOCK_PROCESS_CPUTIME_ID);
      scr_sim *sim = open_arch(&a, &scene);
      used[k] = seconds(CLOCK_PROCESS_CPUTIME_ID) - begun;
      close_arch(sim, scene);
    }
    least = fmin(least, used[1] - used[0]);
  }
  return least;
}

/* First period with the soles held at 6 mm (validate_fem_arch shows it), s. */
static const double period = 2.29e-3;

static void bench_loading(void)
{
  arch a = {.spacing = 6e-3,
            .damping = 0.3 * period / 3.14159265,
            .friction = 5,
            .load = 150,
            .rise = 20 * period,
            .step = period / 20,
            .options = "",
            .threads = 1};
  double statics = time_statics(a), least = INFINITY;
  for (int turn = 0; turn < TURNS; turn++) {
    scr_scene *scene;
    scr_sim *sim = open_arch(&a, &scene);
    double begun = seconds(CLOCK_PROCESS_CPUTIME_ID);
    (void)make_steps(sim, 30 * 20);
    least = fmin(least, seconds(CLOCK_PROCESS_CPUTIME_ID) - begun);
    close_arch(sim, scene);
  }
  printf("## fem: static loading against loading in time\n\nThe arch at 6 mm: statics %.3g s, 600 steps (a load that grows over 20 "
         "periods, and 10 more) %.3g s: %.0f times as "
         "long. The paper: 15 times. That both end alike is shown by validate_fem_arch.\n",
         statics, least, least / statics);
}

/* ── several bodies in contact ──────────────────────────────────────────────────────────────────────────────────── */

/* A pile of soft cubes on the floor: columns of two, the upper ones turned, or one block. */
typedef struct pile {
  const char *name;
  unsigned bodies, divisions; /* elements along each edge */
  const char *options;
  double time_step;  /* s */
  double gap;        /* m, below the bodies at the start */
  int before, count; /* steps that are not counted, while the bodies come to lie; steps that are */
} pile;

static scr_sim *open_pile(const pile *p, unsigned threads, scr_scene **scene)
{
  char text[6000];
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim;
  int used = snprintf(text, sizeof text,
                      "{ \"scree\": 1, \"name\": \"pile\", \"method\": \"fem\", \"materials\": [ { \"name\": \"jelly\", \"density\": 1000, "
                      "\"young_modulus\": 1e5, \"poisson_ratio\": 0.3, \"stiffness_damping\": 5e-4 } ], \"contact\": { "
                      "\"friction_coefficient\": 0.3 }, \"rig\": { \"type\": \"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ { "
                      "\"name\": \"floor\", \"shape\": { \"type\": \"plane\", \"width\": 1 }, \"position\": [0, 0, 0] } ], \"time\": { "
                      "\"duration\": 5, \"time_step\": %g }, \"options\": { %s }, \"specimens\": [",
                      p->time_step, p->options);
  for (unsigned b = 0; b < p->bodies; b++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "%s { \"name\": \"cube%u\", \"material\": \"jelly\", \"divisions\": [%u, %u, %u], \"shape\": { \"type\": \"box\", "
                     "\"size\": [0.05, 0.05, 0.05] }, \"placement\": { \"type\": \"single\", \"position\": [%g, %g, %g] }, \"rotation\": { "
                     "\"axis\": [0, 0, 1], \"angle_deg\": %g } }",
                     b ? "," : "", b, p->divisions, p->divisions, p->divisions, 0.08 * (b & 1), 0.08 * (b >> 1 & 1),
                     0.025 + p->gap + 0.0503 * (b >> 2), 20.0 * (b >> 2));
  snprintf(text + used, sizeof text - (size_t)used, "] }");
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK) stop(problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  if (scr_sim_create(*scene, threads, &sim, &error) != SCR_OK) stop(error.message);
  return sim;
}

/* What a pile takes on so many threads, the least of all turns. */
typedef struct pile_times {
  double busy, first, wall; /* s a step: processor time of all threads, of the first one, wall-clock time */
  double contacts, iterations;
  size_t unknowns, factors;
} pile_times;

/* A turn: steps of the pile after it has come to lie. */
static void time_pile(const pile *p, unsigned threads, pile_times *least)
{
  scr_scene *scene;
  scr_sim *sim = open_pile(p, threads, &scene);
  const fem_state *s = sim->state;
  (void)make_steps(sim, p->before);
  size_t factors = s->solver.factor_count;
  pile_times now = {.unknowns = 3 * s->system.node_count};
  for (int k = 0; k < p->count; k++) {
    double begun = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID), own = seconds(CLOCK_THREAD_CPUTIME_ID);
    now.iterations += make_steps(sim, 1) / p->count;
    now.wall += (seconds(CLOCK_MONOTONIC) - begun) / p->count, now.busy += (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) / p->count;
    now.first += (seconds(CLOCK_THREAD_CPUTIME_ID) - own) / p->count;
    now.contacts += (double)s->solver.touches.count / p->count;
  }
  now.factors = s->solver.factor_count - factors;
  if (least->unknowns)
    now.wall = fmin(now.wall, least->wall), now.busy = fmin(now.busy, least->busy), now.first = fmin(now.first, least->first);
  *least = now;
  close_arch(sim, scene);
}

/* Rows of a pile on one thread and on two, in turns. */
static void time_threads(const pile *p)
{
  pile_times least[2] = {0};
  for (int turn = 0; turn < TURNS; turn++)
    for (unsigned k = 0; k < 2; k++) time_pile(p, k + 1, &least[k]);
  for (unsigned k = 0; k < 2; k++) {
    const pile_times *t = &least[k];
    printf("| %s | %u | %zu | %.0f | %.1f | %zu of %d | %.3g | %.3g | %.3g |\n", p->name, k + 1, t->unknowns, t->contacts, t->iterations,
           t->factors, p->count, 1e3 * t->busy, 1e3 * t->first, 1e3 * t->wall);
  }
  fflush(stdout);
}

static void bench_piles(void)
{
  static const pile piles[] = {
      {"8 cubes of 4^3 elements in pairs", 8, 4, "", 1e-3, 1e-4, 12, 20},
      {"the same, bodies through each other", 8, 4, "\"body_contact\": false", 1e-3, 1e-4, 5, 20},
      {"a cube of 12^3 elements on the floor", 1, 12, "", 1e-3, 1e-4, 5, 20},
      {"a cube of 16^3 elements on the floor", 1, 16, "", 1e-3, 1e-4, 5, 5},
  };
  printf(
      "\n## fem: a step of 1 ms of soft bodies that lie on the floor and on each other\n\nThe least of %d turns, one thread and two "
      "after each other. What the first of two threads takes of the processor is what a step takes where the other has one to itself, but "
      "for waits.\n\n| bodies | threads | unknowns | contacts | iterations a step | factors | processor ms a step | of that the first "
      "thread | ms a step |\n|---|---|---|---|---|---|---|---|---|\n",
      TURNS);
  for (size_t k = 0; k < sizeof piles / sizeof *piles; k++) time_threads(&piles[k]);
  const pile rest = {"", 1, 12, "\"loading\": \"static\", \"law\": \"linear\", \"release\": false", 1e-3, 0, 0, 1};
  scr_scene *scene;
  scr_sim *sim = open_pile(&rest, 1, &scene);
  const fem_state *s = sim->state;
  size_t statics = s->solver.factor_count;
  (void)make_steps(sim, 1);
  printf("\nThe cube in static equilibrium, linear: %zu factors; one step after that, whose matrix is another: %zu more.\n", statics,
         s->solver.factor_count - statics);
  close_arch(sim, scene);
}

int main(int count, char **arguments)
{
  double finest = count > 1 ? strtod(arguments[1], NULL) : 1;
  if (!(finest > 0)) stop("the finest spacing is a number of mm > 0");
  bench_steps(1e-3 * finest);
  bench_loading();
  bench_piles();
  return 0;
}
