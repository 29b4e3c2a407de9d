/* `scree contact`: frictional contact problems of one's own, solved, judged, compared. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/contact/bench.h"
#include "contact/files/contact_file.h"
#include "contact/files/fclib.h"
#include "contact/files/text_problem.h"
#include "contact/system/system.h"

/* A problem with a candidate solution, and what it is worth. */
typedef struct candidate {
  contact_file file;
  size_t rows, size;
  double *impulse, *relative, *velocity, *free_velocity;
  double residual, speed, merit, merit_as_coded;
} candidate;

static void candidate_clear(candidate *c)
{
  contact_file_clear(&c->file);
  free(c->impulse);
  free(c->relative);
  free(c->velocity);
  free(c->free_velocity);
}

static cli_exit open_problem(const cli_call *call, const char *path, candidate *c)
{
  scr_error error = {0};
  *c = (candidate){0};
  if (contact_file_read(path, &c->file, &error) != SCR_OK) return console_fail(call, CLI_BAD_USAGE, "%s: %s", path, error.message);
  c->rows = c->file.problem.contact_count * c->file.problem.dimension;
  c->size = c->file.problem.block_count * c->file.problem.block_size;
  c->impulse = calloc(c->rows + 1, sizeof *c->impulse);
  c->relative = calloc(c->rows + 1, sizeof *c->relative);
  c->velocity = calloc(c->size + 1, sizeof *c->velocity);
  c->free_velocity = calloc(c->rows + 1, sizeof *c->free_velocity);
  if (c->impulse && c->relative && c->velocity && c->free_velocity) return CLI_DONE;
  return console_fail(call, CLI_FAILED, "no memory for a problem of %zu contacts", c->file.problem.contact_count);
}

/* Residual and merits of c->impulse; v and u of it come along. */
static cli_exit measure(const cli_call *call, const contact_options *options, candidate *c)
{
  contact_system system;
  scr_error error = {0};
  scr_status status = contact_system_create(&c->file.problem, options, &system, &error);
  if (status == SCR_OK) {
    status = contact_system_velocity(&system, c->impulse, c->velocity, c->relative, &error);
    c->residual = contact_system_residual(&system, c->impulse, c->relative);
    c->speed = system.speed;
    memcpy(c->free_velocity, system.free_velocity, c->rows * sizeof *c->free_velocity);
    contact_system_clear(&system);
  }
  if (status != SCR_OK) return console_fail(call, status == SCR_BAD_USAGE ? CLI_BAD_USAGE : CLI_FAILED, "%s", error.message);
  c->merit = contact_merit(&c->file.problem, c->free_velocity, c->impulse, c->relative, false);
  c->merit_as_coded = contact_merit(&c->file.problem, c->free_velocity, c->impulse, c->relative, true);
  return CLI_DONE;
}

static void print_problem(const candidate *c)
{
  const contact_problem *p = &c->file.problem;
  printf("problem     %zu contacts in %u dimensions, %zu velocities", p->contact_count, p->dimension, c->size);
  if (c->file.dual)
    printf(" (from W alone: their rank)\n");
  else if (p->mass)
    printf(" with one sparse mass\n");
  else
    printf(" in blocks of %u\n", p->block_size);
}

static void print_worth(const candidate *c)
{
  printf("residual    %.3e relative to %.4g m/s\n", c->residual, c->speed);
  printf("merit       %.3e as FCLIB defines it, %.3e as FCLIB codes it\n", c->merit, c->merit_as_coded);
}

static double seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool ends_in(const char *path, const char *ending)
{
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* OUT as text or as HDF5, by its name; an HDF5 file keeps what the input had. */
static cli_exit write_solution(const cli_call *call, const char *in, const char *out, const candidate *c)
{
  scr_error error = {0};
  const contact_problem *p = &c->file.problem;
  const double *velocity = c->file.dual ? NULL : c->velocity;
  scr_status status;
  if (ends_in(out, ".txt"))
    status = text_problem_write(out, p, c->velocity, c->relative, c->impulse, &error);
  else if (ends_in(in, ".hdf5") || ends_in(in, ".h5"))
    status = fclib_copy(in, out, p, velocity, c->relative, c->impulse, &error);
  else
    status = fclib_write(out, p, velocity, c->relative, c->impulse, "contact problem", &error);
  if (status == SCR_OK) return CLI_DONE;
  return console_fail(call, status == SCR_BAD_USAGE ? CLI_BAD_USAGE : CLI_FAILED, "%s: %s", out, error.message);
}

static const char *status_text(contact_status status)
{
  return status == CONTACT_SOLVED ? "solved" : status == CONTACT_INFEASIBLE ? "no solution suspected" : "not solved";
}

static cli_exit report_solution(const cli_call *call, const candidate *c, const contact_result *result, double took, double processor)
{
  cli_exit code = result->status == CONTACT_SOLVED ? CLI_DONE : CLI_FAILED;
  if (call->json)
    return console_json(json_pack("{s:s,s:s,s:s,s:f,s:f,s:f,s:f,s:i,s:i,s:I,s:I,s:I,s:f,s:f}", "status", status_text(result->status),
                                  "solver", contact_solver_name(result->solver), "reason", result->reason, "residual", c->residual, "speed",
                                  c->speed, "merit", c->merit, "merit_as_coded", c->merit_as_coded, "iterations", (int)result->iterations,
                                  "factorisations", (int)result->factorisations, "open", (json_int_t)result->open, "sticking",
                                  (json_int_t)result->sticking, "sliding", (json_int_t)result->sliding, "seconds", took,
                                  "processor_seconds", processor),
                        code);
  print_problem(c);
  printf("%-12s%s\n", status_text(result->status), result->reason);
  print_worth(c);
  printf("contacts    %zu open, %zu sticking, %zu sliding\n", result->open, result->sticking, result->sliding);
  printf("work        %u iterations, %u factorisations, %.3g s\n", result->iterations, result->factorisations, took);
  return console_flush(code);
}

static cli_exit solve(const cli_call *call, const char *path, const contact_options *options)
{
  candidate c;
  contact_result result = {0};
  scr_error error = {0};
  const char *out = cli_text(call, "output");
  cli_exit code = open_problem(call, path, &c);
  double took = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (code == CLI_DONE && contact_solve(&c.file.problem, options, c.impulse, c.velocity, c.relative, &result, &error) != SCR_OK)
    code = console_fail(call, CLI_BAD_USAGE, "%s: %s", path, error.message);
  took = seconds(CLOCK_MONOTONIC) - took;
  processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
  if (code == CLI_DONE) code = measure(call, options, &c);
  if (code == CLI_DONE && out) code = write_solution(call, path, out, &c);
  if (code == CLI_DONE) code = report_solution(call, &c, &result, took, processor);
  candidate_clear(&c);
  return code;
}

/* What the solution in a file is worth, and how far its own u is from W r + q. */
static cli_exit merit(const cli_call *call, const char *path, const contact_options *options)
{
  candidate c;
  cli_exit code = open_problem(call, path, &c);
  double apart = 0.0;
  if (code == CLI_DONE && c.file.impulse) {
    memcpy(c.impulse, c.file.impulse, c.rows * sizeof *c.impulse);
    code = measure(call, options, &c);
  } else if (code == CLI_DONE) {
    code = console_fail(call, CLI_BAD_USAGE, "%s has no solution: `scree contact solve %s -o OUT` writes one", path, path);
  }
  for (size_t k = 0; code == CLI_DONE && c.file.relative && k < c.rows; ++k) apart = fmax(apart, fabs(c.file.relative[k] - c.relative[k]));
  if (code == CLI_DONE && call->json) {
    code = console_json(json_pack("{s:f,s:f,s:f,s:f,s:f}", "residual", c.residual, "speed", c.speed, "merit", c.merit, "merit_as_coded",
                                  c.merit_as_coded, "velocity_error", apart),
                        code);
  } else if (code == CLI_DONE) {
    print_problem(&c);
    print_worth(&c);
    if (c.file.relative) printf("velocities  those in the file are up to %.3e m/s from what its impulses give\n", apart);
    code = console_flush(code);
  }
  candidate_clear(&c);
  return code;
}

static cli_exit read_options(const cli_call *call, contact_options *options)
{
  char message[400];
  long long threads = 1, limit = 0, seed = 1;
  *options = contact_options_default();
  if (!cli_number(call, "tolerance", 1e-14, 1.0, &options->tolerance, message, sizeof message) ||
      !cli_whole(call, "threads", 1, 1024, &threads, message, sizeof message) ||
      !cli_whole(call, "limit", 1, 1000000000, &limit, message, sizeof message) ||
      !cli_whole(call, "seed", 0, 1000000000, &seed, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  options->execution = execution_of((unsigned)threads);
  options->iteration_limit = (unsigned)limit;
  options->seed = (uint64_t)seed;
  return CLI_DONE;
}

static cli_exit contact(const cli_call *call)
{
  contact_options options;
  const char *action = call->words[0], *path = call->words[1], *solver = cli_text(call, "solver");
  cli_exit code = read_options(call, &options);
  if (code != CLI_DONE) return code;
  if (strcmp(action, "bench") == 0) return contact_bench(call, path, &options, cli_text(call, "output"));
  if (solver) options.solver = contact_solver_named(solver);
  if (options.solver == CONTACT_SOLVER_COUNT)
    return console_fail(call, CLI_BAD_USAGE, "there is no contact solver '%.60s'; `scree contact --help` lists them", solver);
  if (strcmp(action, "solve") == 0) return solve(call, path, &options);
  if (strcmp(action, "merit") == 0) return merit(call, path, &options);
  return console_fail(call, CLI_BAD_USAGE, "unknown action '%.60s': give solve, merit or bench", action);
}

const cli_command command_contact = {
    .name = "contact",
    .words = "solve FILE | merit FILE | bench DIR",
    .least = 2,
    .most = 2,
    .summary = "solve problems of frictional contact, or compare what solves them",
    .description = "FILE holds M v = f + H'r, u = H v + w (or u = W r + q) with Coulomb's law at every contact: FCLIB's HDF5, or text\n"
                   "(core/contact/files/text_problem.h says how it is written). solve prints the relative residual, FCLIB's merit, "
                   "contacts by state and\n"
                   "the work, and writes OUT, the same problem with its solution (u, r, v): text when it ends in .txt, else HDF5. It ends "
                   "with 1 when\n"
                   "the problem is not solved, with the best point found. merit judges the solution in a file. bench runs every solver on "
                   "every problem\n"
                   "of a folder and makes performance profiles: OUT/profile.md and OUT/profile.svg.\n"
                   "Solvers: auto, gauss-seidel, admm, fixed-point, descent, conjugate, accelerated, spectral, newton, interior, hybrid.",
    .options = {{"solver", 's', "S", "which solver [auto]; for bench a list with commas [all]"},
                {"tolerance", 't', "T", "relative residual that counts as solved, 1e-14 to 1 [1e-6]"},
                {"limit", 0, "N", "iterations of a solver at most [its own]"},
                {"threads", 0, "N", "threads; the result does not depend on them [1]"},
                {"seed", 0, "N", "of the hybrid's random centres [1]"},
                {"output", 'o', "OUT", "where the solution, or the profiles, go"}},
    .examples = {{"contact solve pack.hdf5 -o solved.hdf5", "solve a problem and keep it with its solution"},
                 {"contact solve pack.hdf5 --solver admm -t 1e-8", "by one solver, to a given tolerance"},
                 {"contact merit solved.hdf5", "how exact the solution in a file is"},
                 {"contact bench problems -o profiles", "which solver is quickest on a folder of problems"}},
    .run = contact,
};
