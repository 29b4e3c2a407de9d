/* Contact problems of single steps recorded from scenes, solved from zero by every solver and by `auto`, to 1e-6 and to 1e-8, one thread,
 * processor time, each solve in a process of its own. Prints Markdown; lists on standard error each problem that `auto` leaves.
 *
 *   bench_contact_problems LIST [WHAT [TABLE.csv | FOLDER]]   LIST as contact_problem_scenes.py prints it
 *       all       what all solvers leave, their iterations and times (the default); TABLE.csv receives a line for each problem, tolerance
 *                 and solver
 *       members   how much longer `auto` takes than its best member, a member being ended when it takes longer than `auto`
 *       files     FOLDER receives all problems as FCLIB files, solved by nobody
 *
 * Of `all` a solver that has taken `LIMIT` of the time of `auto` and `shortest` has failed; what it leaves at 1e-6 it isn't given at 1e-8.
 * Times are the least of repeated solves, as whatever else runs makes them longer; of `members` they are measured in turns, so that what
 * changes on a machine meets all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/files/fclib.h"
#include "methods/fibre/contact/problem.h"
#include "methods/rigid/state/state.h"
#include "tests/support/contact_trial.h"

enum { TOLERANCES = 2, LIMIT = 3, LONGEST = 60, NAME = 80, PATH = 1024, KINDS = 32, BOUNDS = 3, TURNS = 3 };
typedef enum bench_kind { ALL, MEMBERS, FILES, BENCH_KINDS } bench_kind;
static const char *const bench_kinds[BENCH_KINDS] = {"all", "members", "files"};
static const double tolerances[TOLERANCES] = {1e-6, 1e-8}, bounds[BOUNDS] = {1.2, 2, 5};
static const double shortest = 0.2; /* s */
static const double enough = 0.01;  /* s of repeated solves */

/* Who solves: `auto` first, whose time bounds the others. The last have local solvers of their own, as the talk's table has. */
static const struct {
  const char *name;
  contact_solver solver;
  bool momentum, member; /* member: of auto's plan */
  local_solver local;
} solvers[] = {{"**auto**", CONTACT_AUTO, true, false, LOCAL_HYBRID},
               {"Gauss-Seidel, local hybrid", CONTACT_GAUSS_SEIDEL, false, true, LOCAL_HYBRID},
               {"Gauss-Seidel, local enumeration", CONTACT_GAUSS_SEIDEL, false, false, LOCAL_ENUMERATION},
               {"Gauss-Seidel, local Newton (Fischer-Burmeister)", CONTACT_GAUSS_SEIDEL, false, false, LOCAL_NEWTON},
               {"Gauss-Seidel, local Newton (Alart-Curnier)", CONTACT_GAUSS_SEIDEL, false, false, LOCAL_ALART_CURNIER},
               {"Gauss-Seidel with momentum", CONTACT_GAUSS_SEIDEL, true, true, LOCAL_HYBRID},
               {"ADMM", CONTACT_ADMM, false, true, LOCAL_HYBRID},
               {"fixed point of cone programs", CONTACT_FIXED_POINT, false, false, LOCAL_HYBRID},
               {"projected gradients, descent", CONTACT_DESCENT, false, false, LOCAL_HYBRID},
               {"projected gradients, conjugate", CONTACT_CONJUGATE, false, false, LOCAL_HYBRID},
               {"projected gradients, accelerated", CONTACT_ACCELERATED, false, true, LOCAL_HYBRID},
               {"projected gradients, spectral", CONTACT_SPECTRAL, false, false, LOCAL_HYBRID},
               {"proximal Newton", CONTACT_NEWTON, false, true, LOCAL_HYBRID},
               {"interior points", CONTACT_INTERIOR, false, true, LOCAL_HYBRID},
               {"hybrid", CONTACT_HYBRID, false, true, LOCAL_HYBRID}};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* What problems of a kind came to. */
typedef struct tally {
  char kind[NAME];
  bool fibres;
  size_t problems, contacts, most;
  size_t left[TOLERANCES][SOLVERS];
  double iterations[TOLERANCES][SOLVERS]; /* of those solved, factorisations counted in */
  double seconds[TOLERANCES][SOLVERS];    /* of all, failures with their bound */
  size_t within[TOLERANCES][BOUNDS];      /* auto beside the best member, or itself where none is as quick */
  double worst[TOLERANCES];
} tally;

/* ── one problem ────────────────────────────────────────────────────────────────────────────────────────────────── */

static contact_options options_of(int solver, double tolerance, double speed)
{
  contact_options options = contact_options_default();
  options.solver = solvers[solver].solver;
  options.local = solvers[solver].local;
  options.momentum = solvers[solver].momentum;
  options.tolerance = tolerance;
  options.reference_speed = speed;
  options.iteration_limit = options.solver == CONTACT_AUTO ? 0 : 1000000;
  return options;
}

static void take(tally *t, int at, int solver, const contact_trial *found, double limit)
{
  t->left[at][solver] += !found->solved;
  t->seconds[at][solver] += fmin(found->seconds, limit);
  if (found->solved) t->iterations[at][solver] += found->iterations + found->factorisations;
}

/* @param best  HUGE_VAL: no member is as quick */
static void compare(tally *t, int at, double mine, double best)
{
  double ratio = fmax(1.0, mine / best);
  for (int k = 0; k < BOUNDS; k++) t->within[at][k] += ratio <= bounds[k];
  t->worst[at] = fmax(t->worst[at], ratio);
}

/* Whether nothing is to be solved: no impulses at all are the solution. */
static bool is_open(const contact_problem *p, double speed)
{
  contact_options options = options_of(0, tolerances[TOLERANCES - 1], speed);
  size_t rows = p->contact_count * p->dimension;
  double *at = mem_array(2 * rows + p->block_count * p->block_size, sizeof *at), residual;
  scr_error error = {0};
  if (!at) exit(1);
  if (contact_measure(p, &options, at, at + 2 * rows, at + rows, &residual, &error) != SCR_OK)
    fprintf(stderr, "%s\n", error.message), exit(1);
  mem_free(at);
  return residual <= options.tolerance;
}

/* All solvers, `auto` first. @param lost  who is left out; receives who fails    @return s, the bound of all but `auto` */
static double try_all(const contact_problem *p, double tolerance, double speed, bool *lost, contact_trial *found)
{
  double limit = LONGEST;
  for (int k = 0; k < SOLVERS; k++) {
    contact_options options = options_of(k, tolerance, speed);
    found[k] = (contact_trial){.seconds = HUGE_VAL};
    if (!lost[k]) found[k] = contact_trial_run(p, &options, NULL, enough, limit + 1.2 * enough);
    if (k == 0) limit = fmin(LONGEST, shortest + LIMIT * found[k].seconds);
    found[k].solved = found[k].solved && (k == 0 || found[k].seconds <= limit);
    lost[k] = !found[k].solved && k > 0;
  }
  return limit;
}

/* `auto` and its members in turns; who doesn't end within the time of `auto` in a turn is out. */
static void try_members(const contact_problem *p, double tolerance, double speed, contact_trial *found)
{
  bool out[SOLVERS] = {false};
  for (int k = 0; k < SOLVERS; k++) found[k] = (contact_trial){.seconds = HUGE_VAL};
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < SOLVERS; k++) {
      contact_options options = options_of(k, tolerance, speed);
      if (out[k] || (k > 0 && !solvers[k].member)) continue;
      contact_trial now = contact_trial_run(p, &options, NULL, enough, k == 0 ? LONGEST : found[0].seconds + 1.2 * enough);
      out[k] = k > 0 && !(now.solved && now.seconds <= 1.2 * found[0].seconds);
      if (now.seconds < found[k].seconds) found[k] = now;
    }
  for (int k = 1; k < SOLVERS; k++) found[k].solved = found[k].solved && found[k].seconds <= found[0].seconds;
}

/* @return its number, 0 where none has solved */
static int best_of_members(const contact_trial *found)
{
  int best = 0;
  for (int k = 1; k < SOLVERS; k++)
    if (solvers[k].member && found[k].solved && (!best || found[k].seconds < found[best].seconds)) best = k;
  return best;
}

/* To both tolerances. @param speed m/s, what residuals are relative to at least    @param table NULL: none */
static void measure(const contact_problem *p, const char *name, double speed, bench_kind kind, tally *t, FILE *table)
{
  bool lost[SOLVERS] = {false};
  contact_trial found[SOLVERS];
  t->problems++, t->contacts += p->contact_count;
  t->most = p->contact_count > t->most ? p->contact_count : t->most;
  for (int at = 0; at < TOLERANCES; at++) {
    double limit = LONGEST;
    if (kind == ALL)
      limit = try_all(p, tolerances[at], speed, lost, found);
    else
      try_members(p, tolerances[at], speed, found);
    for (int k = 0; k < SOLVERS; k++) {
      take(t, at, k, &found[k], k == 0 ? LONGEST : limit);
      if (table && (k == 0 || found[k].solved))
        fprintf(table, "%s,%s,%zu,%g,%s,%d,%.6g,%u,%u\n", t->kind, name, p->contact_count, tolerances[at], solvers[k].name, found[k].solved,
                1e3 * found[k].seconds, found[k].iterations, found[k].factorisations);
    }
    if (!found[0].solved) fprintf(stderr, "auto left %s at %g: %.1e, %s\n", name, tolerances[at], found[0].residual, found[0].reason);
    if (kind == ALL) continue;
    int who = best_of_members(found);
    double mine = found[0].seconds, best = who ? found[who].seconds : HUGE_VAL;
    compare(t, at, mine, best);
    if (mine > bounds[1] * best)
      fprintf(stderr, "%s, %zu contacts, to %g: auto %.3g ms (%s), %s %.3g\n", name, p->contact_count, tolerances[at], 1e3 * mine,
              found[0].reason, solvers[who].name, 1e3 * best);
  }
}

/* ── scenes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A line of the list. */
typedef struct recording {
  char kind[NAME], path[PATH];
  unsigned first, every, count;
} recording;

static double fastest(const rigid_state *s)
{
  double speed = 0;
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *b = &s->bodies[i];
    speed = fmax(speed, vec3_length(b->velocity) + vec3_length(b->spin) * s->shapes[b->shape].extent * b->scale);
  }
  return speed;
}

/* A step, and its problem; overlaps are not removed in one that is recorded, as that is a problem in the same arrays. */
static contact_problem step_rigid(scr_sim *sim, bool recorded)
{
  rigid_state *s = sim->state;
  scr_error error = {0};
  double overlap = s->penetration;
  if (recorded) s->penetration = HUGE_VAL;
  if (scr_sim_step(sim, &error) != SCR_OK) fprintf(stderr, "%s\n", error.message), exit(1);
  s->penetration = overlap;
  contact_problem problem = s->problem.solved;
  if (s->contact_count == 0) problem.contact_count = 0;
  return problem;
}

static contact_problem step_fibres(scr_sim *sim)
{
  scr_error error = {0};
  if (scr_sim_step(sim, &error) != SCR_OK) fprintf(stderr, "%s\n", error.message), exit(1);
  return fibre_problem_of(sim->state);
}

/* NAME.json's problem of a step as FOLDER/NAME-STEP.hdf5. */
static void write_out(const contact_problem *p, const char *name, const char *folder)
{
  char path[4 * PATH];
  scr_error error = {0};
  snprintf(path, sizeof path, "%s/%s.hdf5", folder, name);
  if (fclib_write(path, p, NULL, NULL, NULL, name, &error) != SCR_OK) fprintf(stderr, "%s\n", error.message), exit(1);
}

/* Runs a scene and measures its problems, or writes them into a folder; prints their contacts for the list of scenes. */
static void run_scene(const recording *r, bench_kind kind, const char *folder, tally *t, FILE *table)
{
  char *text = contact_trial_read(r->path), name[2 * PATH];
  const char *slash = strrchr(r->path, '/'), *base = slash ? slash + 1 : r->path;
  scr_scene *scene = NULL;
  scr_sim *sim = contact_trial_open(text, &scene);
  double weight = vec3_length(scene->rig.gravity) * sim->time_step;
  unsigned taken = 0, last = r->first + r->every * (r->count - 1);
  if (kind == ALL) printf("| %.*s | %u, every %u |", (int)strcspn(base, "."), base, r->first, r->every);
  for (unsigned step = 1; step <= last; step++) {
    bool due = step >= r->first && (step - r->first) % r->every == 0;
    contact_problem p = t->fibres ? step_fibres(sim) : step_rigid(sim, due);
    if (!due || p.contact_count == 0) continue;
    double speed = t->fibres ? weight : fmax(weight, 1e-3 * fastest(sim->state));
    snprintf(name, sizeof name, "%.*s-%u", (int)strlen(base) - 5, base, step);
    if (is_open(&p, speed)) continue;
    if (kind == FILES)
      write_out(&p, name, folder);
    else
      measure(&p, name, speed, kind, t, table);
    if (kind == ALL) printf("%s%zu", taken++ ? ", " : " ", p.contact_count);
    fflush(stdout);
  }
  if (kind == ALL) printf(" |\n");
  fflush(stdout);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
  free(text);
}

/* ── tables ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void add(const tally *from, tally *to)
{
  to->problems += from->problems, to->contacts += from->contacts;
  to->most = from->most > to->most ? from->most : to->most;
  for (int at = 0; at < TOLERANCES; at++) {
    for (int k = 0; k < SOLVERS; k++) {
      to->left[at][k] += from->left[at][k];
      to->iterations[at][k] += from->iterations[at][k];
      to->seconds[at][k] += from->seconds[at][k];
    }
    for (int k = 0; k < BOUNDS; k++) to->within[at][k] += from->within[at][k];
    to->worst[at] = fmax(to->worst[at], from->worst[at]);
  }
}

static void solver_table(const char *title, const tally *t)
{
  printf("\n### %s: %zu problems of %zu contacts in the mean, %zu at most\n\n", title, t->problems,
         t->problems ? t->contacts / t->problems : 0, t->most);
  printf("| solver | left at 1e-6, %% | iterations | ms | left at 1e-8, %% | iterations | ms |\n|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < SOLVERS; k++) {
    printf("| %s |", solvers[k].name);
    for (int at = 0; at < TOLERANCES; at++) {
      double n = (double)t->problems, solved = n - (double)t->left[at][k];
      printf(" %.1f | %.0f | %.3g |", 100.0 * (double)t->left[at][k] / n, t->iterations[at][k] / fmax(solved, 1.0),
             1e3 * t->seconds[at][k] / n);
    }
    printf("\n");
  }
}

static void kind_table(const tally *kinds, size_t count, const tally *all)
{
  printf(
      "\n| kind | problems | contacts | auto leaves at 1e-6, 1e-8 | ms, 1e-6 | within %g, %g, %g times the best member, 1e-6 | at most | "
      "within, 1e-8 | at most |\n|---|---|---|---|---|---|---|---|---|\n",
      bounds[0], bounds[1], bounds[2]);
  for (size_t k = 0; k <= count; k++) {
    const tally *t = k < count ? &kinds[k] : all;
    printf("| %s | %zu | %zu | %zu, %zu | %.3g |", t->kind, t->problems, t->problems ? t->contacts / t->problems : 0, t->left[0][0],
           t->left[1][0], 1e3 * t->seconds[0][0] / fmax((double)t->problems, 1.0));
    for (int at = 0; at < TOLERANCES; at++) {
      for (int b = 0; b < BOUNDS; b++) printf("%s%zu", b ? ", " : " ", t->within[at][b]);
      printf(" | %.2f |", t->worst[at]);
    }
    printf("\n");
  }
}

static tally *tally_of(tally *kinds, size_t *count, const char *kind, bool fibres)
{
  for (size_t k = 0; k < *count; k++)
    if (strcmp(kinds[k].kind, kind) == 0) return &kinds[k];
  if (*count == KINDS) exit(1);
  tally *t = &kinds[(*count)++];
  snprintf(t->kind, sizeof t->kind, "%s", kind);
  t->fibres = fibres;
  return t;
}

static bool is_of_fibres(const char *path)
{
  char *text = contact_trial_read(path);
  bool fibres = strstr(text, "\"method\": \"fibre\"") != NULL;
  free(text);
  return fibres;
}

/* @return false: there is none left */
static bool read_line(FILE *list, recording *r)
{
  char line[2 * PATH], *at = line, *field[5];
  if (!fgets(line, sizeof line, list)) return false;
  for (size_t k = 0; k < sizeof field / sizeof *field; k++)
    if (!(field[k] = strsep(&at, "\t\n"))) return false;
  snprintf(r->kind, sizeof r->kind, "%s", field[0]);
  snprintf(r->path, sizeof r->path, "%s", field[1]);
  r->first = (unsigned)strtoul(field[2], NULL, 10), r->every = (unsigned)strtoul(field[3], NULL, 10);
  r->count = (unsigned)strtoul(field[4], NULL, 10);
  return r->every > 0 && r->count > 0;
}

static void print_all(const tally *fibres, const tally *rigid)
{
  solver_table("Fibres", fibres);
  printf(
      "\nBeside them, the talk of the spec on 306 problems of hair that it does not publish, by Gauss-Seidel with three local solvers: "
      "Newton alone left 4.9 %% (72 iterations, 484 ms), enumeration 1 %% (67, 1044 ms), the hybrid none (41, 312 ms); its tolerance is on "
      "the square of the residual.\n");
  solver_table("Rigid bodies", rigid);
}

static void print_head(bench_kind kind)
{
  printf("# Recorded contact problems\n\n");
  if (kind == MEMBERS)
    printf(
        "## auto beside its best member\n\nThe same problems of the same scenes, each from zero. Processor time of one thread: least of "
        "%d turns of auto and all members, in each the least of solves repeated for %g ms. A member that takes longer than auto is ended "
        "there; where all do, auto counts as 1.\n",
        TURNS, 1e3 * enough);
  if (kind == ALL)
    printf(
        "## Failures, iterations and time of all solvers\n\nSingle steps of the scenes below, from zero, without those in which no contact "
        "closes; residuals are relative (`core/contact/contact.h`). Left: unsolved, or not within %g s and %d times the time of `auto`, "
        "which has %d s; what a solver leaves at 1e-6 it is not given at 1e-8. Iterations are those of solved problems, factorisations "
        "counted in; times are those of all, failures counted with their bound, or with what they took. One thread, processor "
        "time.\n\n| scene | steps | contacts of its problems |\n|---|---|---|\n",
        shortest, LIMIT, LONGEST);
}

int main(int count, char **given)
{
  static tally kinds[KINDS], all = {.kind = "**all**"}, fibres, rigid;
  size_t kind_count = 0;
  recording r;
  int kind = 0;
  while (count > 2 && kind < BENCH_KINDS && strcmp(given[2], bench_kinds[kind]) != 0) kind++;
  FILE *list = count > 1 ? fopen(given[1], "r") : NULL, *table = count > 3 && kind != FILES ? fopen(given[3], "w") : NULL;
  if (!list || kind == BENCH_KINDS || (kind == FILES && count < 4)) return 1;
  if (kind != FILES) print_head((bench_kind)kind);
  while (read_line(list, &r))
    run_scene(&r, (bench_kind)kind, kind == FILES ? given[3] : NULL, tally_of(kinds, &kind_count, r.kind, is_of_fibres(r.path)), table);
  fclose(list);
  if (table) fclose(table);
  for (size_t k = 0; k < kind_count; k++) add(&kinds[k], kinds[k].fibres ? &fibres : &rigid), add(&kinds[k], &all);
  if (kind == ALL) print_all(&fibres, &rigid);
  if (kind == MEMBERS) kind_table(kinds, kind_count, &all);
  return 0;
}
