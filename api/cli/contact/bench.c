/* Every solver on every problem of a folder. */
#include "api/cli/contact/bench.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "api/cli/console.h"
#include "api/cli/contact/profile.h"
#include "contact/files/contact_file.h"

typedef struct bench {
  const char *folder;
  const contact_options *options;
  struct dirent **entry; /* [count] by name */
  size_t count, solver_count;
  const char *name[CONTACT_SOLVER_COUNT];
  contact_solver solver[CONTACT_SOLVER_COUNT];
  const char **problem; /* [count] */
  size_t *contacts;     /* [count] */
  profile_run *run;     /* [count][solver_count] */
} bench;

static int is_problem(const struct dirent *entry)
{
  const char *end = strrchr(entry->d_name, '.');
  return end && (strcmp(end, ".hdf5") == 0 || strcmp(end, ".h5") == 0 || strcmp(end, ".txt") == 0);
}

/* Which solvers: all, or those of a list with commas. @return false and `bad` for a name that is none */
static bool choose_solvers(bench *b, const char *list, char *bad, size_t capacity)
{
  for (int k = 0; !list && k < CONTACT_SOLVER_COUNT; ++k) b->solver[b->solver_count++] = (contact_solver)k;
  while (list && *list) {
    size_t length = strcspn(list, ",");
    snprintf(bad, capacity, "%.*s", (int)length, list);
    contact_solver solver = contact_solver_named(bad);
    if (solver == CONTACT_SOLVER_COUNT || b->solver_count == CONTACT_SOLVER_COUNT) return false;
    b->solver[b->solver_count++] = solver;
    list += length + (list[length] == ',');
  }
  for (size_t s = 0; s < b->solver_count; ++s) b->name[s] = contact_solver_name(b->solver[s]);
  return b->solver_count > 0;
}

static double processor_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static scr_status run_one(const bench *b, const contact_file *file, size_t s, profile_run *run, scr_error *error)
{
  const contact_problem *p = &file->problem;
  size_t rows = p->contact_count * p->dimension, size = p->block_count * p->block_size;
  double *impulse = calloc(rows + 1, sizeof *impulse), *relative = calloc(rows + 1, sizeof *relative),
         *velocity = calloc(size + 1, sizeof *velocity);
  contact_options options = *b->options;
  contact_result result = {0};
  options.solver = b->solver[s];
  double before = processor_seconds();
  scr_status status = impulse && relative && velocity ? contact_solve(p, &options, impulse, velocity, relative, &result, error)
                                                      : scr_fail_memory(error, "a solution", (2 * rows + size) * sizeof *impulse);
  *run = (profile_run){result.status == CONTACT_SOLVED, processor_seconds() - before, result.residual, result.iterations,
                       result.factorisations};
  free(impulse);
  free(relative);
  free(velocity);
  return status;
}

static scr_status run_problem(const cli_call *call, bench *b, size_t p, scr_error *error)
{
  char path[4096];
  contact_file file;
  b->problem[p] = b->entry[p]->d_name;
  snprintf(path, sizeof path, "%s/%s", b->folder, b->entry[p]->d_name);
  console_say(call, "%s", b->entry[p]->d_name);
  SCR_TRY(contact_file_read(path, &file, error));
  b->contacts[p] = file.problem.contact_count;
  scr_status status = SCR_OK;
  for (size_t s = 0; status == SCR_OK && s < b->solver_count; ++s) {
    status = run_one(b, &file, s, &b->run[p * b->solver_count + s], error);
    if (status == SCR_BAD_USAGE) { /* what this solver can't take counts as left */
      b->run[p * b->solver_count + s].residual = 1.0;
      status = SCR_OK;
    }
  }
  contact_file_clear(&file);
  return status;
}

static cli_exit write_part(const cli_call *call, const profile *table, const char *folder, const char *name,
                           void (*write)(const struct profile *, FILE *))
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "we");
  if (!out) return console_fail(call, CLI_FAILED, "%s can't be written: %s", path, strerror(errno));
  write(table, out);
  bool failed = ferror(out) != 0;
  if (fclose(out) != 0 || failed) return console_fail(call, CLI_FAILED, "%s could not be written completely: %s", path, strerror(errno));
  console_say(call, "%s", path);
  return CLI_DONE;
}

static json_t *as_json(const bench *b, const profile *table)
{
  json_t *problems = json_array(), *shares = json_object();
  for (size_t p = 0; p < b->count; ++p) {
    json_t *runs = json_object();
    for (size_t s = 0; s < b->solver_count; ++s) {
      const profile_run *run = &b->run[p * b->solver_count + s];
      json_object_set_new(runs, b->name[s],
                          json_pack("{s:b,s:f,s:f,s:i,s:i}", "solved", (int)run->solved, "seconds", run->seconds, "residual", run->residual,
                                    "iterations", (int)run->iterations, "factorisations", (int)run->factorisations));
    }
    json_array_append_new(problems,
                          json_pack("{s:s,s:I,s:o}", "file", b->problem[p], "contacts", (json_int_t)b->contacts[p], "solvers", runs));
  }
  for (size_t s = 0; s < b->solver_count; ++s) json_object_set_new(shares, b->name[s], json_real(profile_share(table, s, HUGE_VAL)));
  return json_pack("{s:f,s:o,s:o}", "tolerance", table->tolerance, "problems", problems, "solved_share", shares);
}

static cli_exit report(const cli_call *call, const bench *b, const char *out)
{
  const profile table = {b->count, b->solver_count, b->problem, b->contacts, b->name, b->run, b->options->tolerance};
  cli_exit code = CLI_DONE;
  if (out && mkdir(out, 0777) != 0 && errno != EEXIST)
    return console_fail(call, CLI_FAILED, "the folder %s can't be made: %s", out, strerror(errno));
  if (out) code = write_part(call, &table, out, "profile.md", profile_write_markdown);
  if (out && code == CLI_DONE) code = write_part(call, &table, out, "profile.svg", profile_write_svg);
  if (code != CLI_DONE) return code;
  if (call->json) return console_json(as_json(b, &table), code);
  if (!out) profile_write_markdown(&table, stdout);
  return console_flush(code);
}

static cli_exit run_all(const cli_call *call, bench *b, const char *out)
{
  scr_error error = {0};
  b->problem = calloc(b->count, sizeof *b->problem);
  b->contacts = calloc(b->count, sizeof *b->contacts);
  b->run = calloc(b->count * b->solver_count, sizeof *b->run);
  if (!b->problem || !b->contacts || !b->run) return console_fail(call, CLI_FAILED, "no memory for %zu problems", b->count);
  for (size_t p = 0; p < b->count; ++p)
    if (run_problem(call, b, p, &error) != SCR_OK)
      return console_fail(call, CLI_BAD_USAGE, "%s/%s: %s", b->folder, b->entry[p]->d_name, error.message);
  return report(call, b, out);
}

cli_exit contact_bench(const cli_call *call, const char *folder, const contact_options *options, const char *out)
{
  bench b = {.folder = folder, .options = options};
  char bad[64] = "";
  if (!choose_solvers(&b, cli_text(call, "solver"), bad, sizeof bad))
    return console_fail(call, CLI_BAD_USAGE, "there is no contact solver '%s'; `scree contact --help` lists them", bad);
  int found = scandir(folder, &b.entry, is_problem, alphasort);
  if (found < 0) return console_fail(call, CLI_BAD_USAGE, "the folder '%s' can't be read: %s", folder, strerror(errno));
  b.count = (size_t)found;
  cli_exit code = b.count ? run_all(call, &b, out)
                          : console_fail(call, CLI_BAD_USAGE, "'%s' has no problems: files that end in .hdf5, .h5 or .txt", folder);
  for (size_t p = 0; p < b.count; ++p) free(b.entry[p]);
  free(b.entry);
  free(b.problem);
  free(b.contacts);
  free(b.run);
  return code;
}
