/* The table of local solvers: how often Newton alone, enumeration alone and the hybrid of both fail on the local problems that Gauss-Seidel
 * meets, over problems of every kind from seeds and over files, and what that does to Gauss-Seidel. Prints Markdown. bench_contact_local
 * [problems of each kind, default 40] [folder of FCLIB problems]... */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "contact/files/contact_file.h"
#include "tests/support/contact_locals.h"
#include "tests/support/contact_maker.h"

enum { SWEEPS = 20, LIMIT = 1000, COLUMNS = 4 };
static const local_solver columns[COLUMNS] = {LOCAL_HYBRID, LOCAL_ENUMERATION, LOCAL_NEWTON, LOCAL_ALART_CURNIER};
static const double tolerance = 1e-3; /* what graphics asks for */

/* A row of both tables. */
typedef struct tally {
  size_t problems, contacts;
  contact_locals locals;
  size_t failing[COLUMNS]; /* problems with a local failure in a sweep */
  size_t left[COLUMNS];    /* problems that Gauss-Seidel leaves above the tolerance */
  double sweeps[COLUMNS], seconds[COLUMNS];
} tally;

static double processor_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void solve_whole(const contact_problem *p, tally *t)
{
  size_t rows = p->contact_count * p->dimension, size = p->block_count * p->block_size;
  double *impulse = mem_array(rows, sizeof *impulse), *relative = mem_array(rows, sizeof *relative),
         *velocity = mem_array(size, sizeof *velocity);
  for (size_t k = 0; k < COLUMNS && impulse && relative && velocity; ++k) {
    contact_options options = contact_options_default();
    contact_result result;
    scr_error error = {0};
    options.solver = CONTACT_GAUSS_SEIDEL;
    options.local = columns[k];
    options.tolerance = tolerance;
    options.iteration_limit = LIMIT;
    memset(impulse, 0, rows * sizeof *impulse);
    double begun = processor_now();
    if (contact_solve(p, &options, impulse, velocity, relative, &result, &error) != SCR_OK) fprintf(stderr, "%s\n", error.message);
    t->seconds[k] += processor_now() - begun;
    t->sweeps[k] += result.iterations;
    t->left[k] += result.status != CONTACT_SOLVED;
  }
  mem_free(impulse);
  mem_free(relative);
  mem_free(velocity);
}

static void take(const contact_problem *p, tally *t)
{
  contact_locals one = {0};
  contact_locals_count(p, SWEEPS, &one);
  ++t->problems;
  t->contacts += p->contact_count;
  t->locals.solves += one.solves;
  t->locals.worst_condition = fmax(t->locals.worst_condition, one.worst_condition);
  for (size_t k = 0; k < LOCAL_SOLVER_COUNT; ++k) t->locals.failures[k] += one.failures[k];
  for (size_t k = 0; k < COLUMNS; ++k) t->failing[k] += one.failures[columns[k]] > 0;
  solve_whole(p, t);
}

static void add(const tally *from, tally *to)
{
  to->problems += from->problems;
  to->contacts += from->contacts;
  to->locals.solves += from->locals.solves;
  to->locals.worst_condition = fmax(to->locals.worst_condition, from->locals.worst_condition);
  for (size_t k = 0; k < LOCAL_SOLVER_COUNT; ++k) to->locals.failures[k] += from->locals.failures[k];
  for (size_t k = 0; k < COLUMNS; ++k) {
    to->failing[k] += from->failing[k];
    to->left[k] += from->left[k];
    to->sweeps[k] += from->sweeps[k];
    to->seconds[k] += from->seconds[k];
  }
}

static void local_row(const char *name, const tally *t)
{
  printf("| %s | %zu | %zu | %.1e |", name, t->problems, t->locals.solves, t->locals.worst_condition);
  for (size_t k = 0; k < COLUMNS; ++k)
    printf(" %zu: %.3f %% in %.1f %% |", t->locals.failures[columns[k]],
           100.0 * (double)t->locals.failures[columns[k]] / fmax(1.0, (double)t->locals.solves),
           100.0 * (double)t->failing[k] / fmax(1.0, (double)t->problems));
  printf("\n");
}

static void whole_row(const char *name, const tally *t)
{
  printf("| %s |", name);
  for (size_t k = 0; k < COLUMNS; ++k)
    printf(" %.1f %%, %.0f, %.2f |", 100.0 * (double)t->left[k] / fmax(1.0, (double)t->problems), t->sweeps[k] / (double)t->problems,
           1e3 * t->seconds[k] / (double)t->problems);
  printf("\n");
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folder's problems in the order of their names. */
static void take_folder(const char *folder, tally *t)
{
  enum { MOST = 4096 };
  static char *names[MOST];
  size_t count = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && count < MOST; entry = readdir(dir))
    if (strstr(entry->d_name, ".hdf5") && asprintf(&names[count], "%s/%s", folder, entry->d_name) > 0) ++count;
  if (dir) closedir(dir);
  qsort(names, count, sizeof *names, by_name);
  for (size_t k = 0; k < count; ++k) {
    contact_file file;
    scr_error error = {0};
    if (contact_file_read(names[k], &file, &error) != SCR_OK)
      fprintf(stderr, "%s: %s\n", names[k], error.message);
    else if (file.problem.contact_count > 0)
      take(&file.problem, t);
    contact_file_clear(&file);
    free(names[k]);
  }
}

int main(int count, char **arguments)
{
  enum { ROWS = CONTACT_KIND_COUNT + 64 };
  static tally rows[ROWS], all;
  const char *names[ROWS];
  size_t each = count > 1 ? strtoul(arguments[1], NULL, 10) : 40, filled = 0;
  for (unsigned kind = 0; kind < CONTACT_KIND_COUNT && each > 0; ++kind, ++filled) {
    names[filled] = contact_kind_name((contact_kind)kind);
    for (uint64_t seed = 1; seed <= each; ++seed) {
      contact_maker made;
      contact_maker_make((contact_kind)kind, 50000 + 1000 * kind + seed, &made);
      contact_problem p = contact_maker_problem(&made);
      if (p.contact_count > 0) take(&p, &rows[filled]);
      contact_maker_clear(&made);
    }
  }
  for (int k = 2; k < count && filled < ROWS; ++k) {
    const char *slash = strrchr(arguments[k], '/');
    take_folder(arguments[k], &rows[filled]);
    names[filled] = slash && slash[1] ? slash + 1 : arguments[k];
    if (rows[filled].problems > 0) ++filled;
  }
  for (size_t k = 0; k < filled; ++k) add(&rows[k], &all);
  printf("## Local problems that local solvers leave\n\nEvery contact that closes, in %d sweeps of Gauss-Seidel: how many are left above "
         "1e-8, their "
         "share of the local problems, and the share of problems that have one.\n\n"
         "| problems | number | local problems | largest condition | hybrid | enumeration alone | Newton alone | Alart-Curnier "
         "|\n|---|---|---|---|---|---|---|---|\n",
         SWEEPS);
  for (size_t k = 0; k < filled; ++k) local_row(names[k], &rows[k]);
  local_row("**all**", &all);
  printf("\n## Gauss-Seidel to %g with each of them, at most %d sweeps\n\nProblems left, mean sweeps, mean milliseconds.\n\n"
         "| problems | hybrid | enumeration alone | Newton alone | Alart-Curnier |\n|---|---|---|---|---|\n",
         tolerance, LIMIT);
  for (size_t k = 0; k < filled; ++k) whole_row(names[k], &rows[k]);
  whole_row("**all**", &all);
  return 0;
}
