/** What tests share that run a scene of any method: opening it from text, stepping, reading curves by name. */
#ifndef SCREE_SUPPORT_SIM_RUN_H
#define SCREE_SUPPORT_SIM_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/sim.h"
#include "tests/support/claim.h"

typedef struct sim_run {
  scr_scene *scene;
  scr_sim *sim;
  double *values; /**< of all curves at the last run_observe */
} sim_run;

/* All that a checkpoint would hold of two simulations has the same bits. */
static inline void assert_same_state(const scr_sim *one, const scr_sim *other)
{
  scr_blob a = {0}, b = {0};
  assert_int_equal(sim_save(one, &a, NULL), SCR_OK);
  assert_int_equal(sim_save(other, &b, NULL), SCR_OK);
  assert_int_equal(a.size, b.size);
  assert_memory_equal(a.data, b.data, a.size);
  scr_blob_destroy(&a);
  scr_blob_destroy(&b);
}

static inline void run_fail(const char *what, const char *why)
{
  print_message("# %s: %s\n", what, why);
  fail();
}

/** Opens a scene's text, with files from `source` where it is not NULL; the test fails, with the reason printed, when it is refused. */
static inline sim_run run_open_with(const char *json, unsigned threads, const scr_asset_source *source)
{
  sim_run r = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  if (scr_scene_parse_with(json, strlen(json), NULL, source, &r.scene, &problems) != SCR_OK)
    run_fail("scene", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  if (scr_sim_create(r.scene, threads, &r.sim, &error) != SCR_OK) run_fail("simulation", error.message);
  r.values = calloc(scr_sim_series_count(r.sim), sizeof *r.values);
  assert_non_null(r.values);
  return r;
}

static inline sim_run run_open(const char *json, unsigned threads)
{
  return run_open_with(json, threads, NULL);
}

static inline void run_close(sim_run *r)
{
  scr_sim_destroy(r->sim);
  scr_scene_destroy(r->scene);
  free(r->values);
}

static inline void run_steps(sim_run *r, size_t count)
{
  scr_error error = {0};
  for (size_t k = 0; k < count; k++)
    if (scr_sim_step(r->sim, &error) != SCR_OK) run_fail("step", error.message);
}

/** Steps until `time` is reached, to half a step. */
static inline void run_until(sim_run *r, double time)
{
  while (scr_sim_time(r->sim) < time - 0.5 * scr_sim_time_step(r->sim)) run_steps(r, 1);
}

static inline void run_observe(sim_run *r)
{
  scr_sim_observe(r->sim, r->values);
}

/** Value of a curve at the last run_observe. */
static inline double run_value(const sim_run *r, const char *name)
{
  long k = sim_find_series(r->sim, name);
  if (k < 0) run_fail("no such curve", name);
  return r->values[k];
}

/** Value of a curve now. */
static inline double run_curve(sim_run *r, const char *name)
{
  run_observe(r);
  return run_value(r, name);
}

#endif
