/* What `auto` solves to 1e-8, and in how many seconds of one thread: the problems of a folder one by one, and fresh ones of every kind from
 * seeds that nothing was tuned on, each that is left said. Processor time. Prints Markdown. bench_contact_auto [fresh problems of each
 * kind, default 23] [folder of FCLIB problems, default tests/data/dcfp] */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "contact/files/contact_file.h"
#include "tests/support/contact_maker.h"

static const double tolerance = 1e-8;

static double processor_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One solve from zero, on one thread. @return processor seconds */
static double run(const contact_problem *p, contact_result *result)
{
  size_t rows = p->contact_count * p->dimension, size = p->block_count * p->block_size;
  contact_options options = contact_options_default();
  double *impulse = mem_array(rows, sizeof *impulse), *relative = mem_array(rows, sizeof *relative),
         *velocity = mem_array(size, sizeof *velocity), begun = processor_now();
  scr_error error = {0};
  options.tolerance = tolerance;
  if (!impulse || !relative || !velocity || contact_solve(p, &options, impulse, velocity, relative, result, &error) != SCR_OK) {
    fprintf(stderr, "bench_contact_auto: %s\n", error.message);
    exit(1);
  }
  begun = processor_now() - begun;
  mem_free(impulse);
  mem_free(relative);
  mem_free(velocity);
  return begun;
}

static void row(const char *name, const contact_problem *p, size_t *solved, double *seconds)
{
  contact_result result;
  double took = run(p, &result);
  printf("| %s | %zu | %.3f | %.1e | %u | %u | %s |\n", name, p->contact_count, took, result.residual, result.iterations,
         result.factorisations, result.reason);
  fflush(stdout);
  *solved += result.status == CONTACT_SOLVED;
  *seconds += took;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_problem(const struct dirent *entry)
{
  return strstr(entry->d_name, ".hdf5") != NULL;
}

/* Friction with which the wedge has no solution: the walls hold the ball on both sides, and close. */
static const double blocked = 0.8;

static void data_rows(const char *folder)
{
  struct dirent **entries = NULL;
  size_t solved = 0, total = 0, none = 0;
  double seconds = 0.0, without = 0.0;
  int count = scandir(folder, &entries, is_problem, by_name);
  printf("| problem | contacts | s | residual | iterations | factorisations | how |\n|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < count; ++k) {
    char path[512];
    contact_file file;
    scr_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
    if (contact_file_read(path, &file, &error) != SCR_OK) {
      fprintf(stderr, "%s\n", error.message);
      exit(1);
    }
    row(entries[k]->d_name, &file.problem, &solved, &seconds);
    ++total;
    if (strncmp(entries[k]->d_name, "wedge", 5) == 0) {
      double *friction = mem_array(file.problem.contact_count, sizeof *friction);
      const double *had = file.problem.friction;
      if (!friction) exit(1);
      for (size_t i = 0; i < file.problem.contact_count; ++i) friction[i] = blocked;
      file.problem.friction = friction;
      row("the same wedge, blocked by friction 0.8", &file.problem, &none, &without);
      file.problem.friction = had; /* the file's own, which it frees */
      mem_free(friction);
    }
    contact_file_clear(&file);
    free(entries[k]);
  }
  free(entries);
  printf("\n%zu of %zu solved in %.2f s of one thread's processor time; the blocked wedge, which has no solution, %s in %.2f s.\n\n",
         solved, total, seconds, none ? "SAID TO HAVE ONE" : "ended as such", without);
}

static void fresh_rows(size_t each)
{
  size_t total = 0, left = 0;
  double all = 0.0;
  printf("| kind | fresh problems | contacts, mean | solved | s, all of the kind | s, the longest |\n|---|---|---|---|---|---|\n");
  for (unsigned kind = 0; kind < CONTACT_KIND_COUNT; ++kind) {
    size_t solved = 0, contacts = 0;
    double seconds = 0.0, longest = 0.0;
    for (uint64_t seed = 1; seed <= each; ++seed) {
      contact_maker made;
      contact_result result;
      contact_maker_make((contact_kind)kind, 90000 + 1000 * kind + seed, &made);
      contact_problem p = contact_maker_problem(&made);
      double took = run(&p, &result);
      seconds += took;
      longest = fmax(longest, took);
      contacts += p.contact_count;
      solved += result.status == CONTACT_SOLVED;
      if (result.status != CONTACT_SOLVED)
        fprintf(stderr, "left: %s of seed %u, %zu contacts, residual %.1e: %s\n", contact_kind_name((contact_kind)kind),
                (unsigned)(90000 + 1000 * kind + seed), p.contact_count, result.residual, result.reason);
      contact_maker_clear(&made);
    }
    printf("| %s | %zu | %zu | %zu | %.2f | %.2f |\n", contact_kind_name((contact_kind)kind), each, each ? contacts / each : 0, solved,
           seconds, longest);
    fflush(stdout);
    total += each;
    left += each - solved;
    all += seconds;
  }
  printf("\n%zu fresh problems, %zu left (%.2f %%), %.1f s.\n", total, left, total ? 100.0 * (double)left / (double)total : 0.0, all);
}

int main(int count, char **arguments)
{
  printf("## What auto solves to 1e-8\n\n");
  data_rows(count > 2 ? arguments[2] : "tests/data/dcfp");
  fresh_rows(count > 1 ? strtoul(arguments[1], NULL, 10) : 23);
  return 0;
}
