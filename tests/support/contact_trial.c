/* Timed solves. */
#include "tests/support/contact_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

double contact_trial_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static contact_trial solve(const contact_problem *p, const contact_options *options, const double *start, double enough)
{
  size_t rows = p->contact_count * p->dimension, size = p->block_count * p->block_size;
  double *impulse = mem_array(rows, sizeof *impulse), *relative = mem_array(rows, sizeof *relative),
         *velocity = mem_array(size, sizeof *velocity);
  contact_trial out = {0};
  scr_error error = {0};
  double begun = contact_trial_clock(), now = begun;
  out.seconds = HUGE_VAL;
  if (!impulse || !relative || !velocity) _exit(1);
  do {
    contact_result result;
    double before = now;
    memset(impulse, 0, rows * sizeof *impulse);
    if (start) memcpy(impulse, start, rows * sizeof *impulse);
    scr_status status = contact_solve(p, options, impulse, velocity, relative, &result, &error);
    now = contact_trial_clock();
    out.seconds = fmin(out.seconds, now - before);
    if (status != SCR_OK) {
      fprintf(stderr, "%s\n", error.message);
      _exit(1);
    }
    out.solved = result.status == CONTACT_SOLVED;
    out.residual = result.residual, out.iterations = result.iterations, out.factorisations = result.factorisations;
    memcpy(out.reason, result.reason, sizeof out.reason);
  } while (now - begun < enough);
  mem_free(impulse);
  mem_free(relative);
  mem_free(velocity);
  return out;
}

contact_trial contact_trial_run(const contact_problem *p, const contact_options *options, const double *start, double enough, double limit)
{
  int ends[2];
  contact_trial out = {.seconds = HUGE_VAL, .residual = HUGE_VAL}, got;
  if (pipe(ends) != 0) exit(1);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct itimerval timer = {.it_value = {(time_t)limit, (suseconds_t)(1e6 * fmod(limit, 1.0))}};
    setitimer(ITIMER_PROF, &timer, NULL);
    got = solve(p, options, start, enough);
    _exit(write(ends[1], &got, sizeof got) != sizeof got);
  }
  close(ends[1]);
  if (read(ends[0], &got, sizeof got) == sizeof got) out = got;
  close(ends[0]);
  waitpid(child, NULL, 0);
  return out;
}

scr_sim *contact_trial_open(const char *text, scr_scene **scene)
{
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK || scr_sim_create(*scene, 1, &sim, &error) != SCR_OK) {
    fprintf(stderr, "%s\n", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  return sim;
}

char *contact_trial_read(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) exit(1);
  fclose(file);
  return text;
}
