/** What tests of method bdem share: opening a scene from text, stepping, reading curves by name, sums over spheres. */
#ifndef SCREE_SUPPORT_BDEM_RUN_H
#define SCREE_SUPPORT_BDEM_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/bdem/state.h"
#include "run/sim.h"

typedef struct bdem_run {
  scr_scene *scene;
  scr_sim *sim;
  double *values; /**< of all curves at the last run_observe */
} bdem_run;

static inline void run_fail(const char *what, const char *why)
{
  print_message("# %s: %s\n", what, why);
  fail();
}

/** Opens a scene's text; the test fails, with the reason printed, when it is refused. */
static inline bdem_run run_open(const char *json, unsigned threads)
{
  bdem_run r = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  if (scr_scene_parse(json, strlen(json), NULL, &r.scene, &problems) != SCR_OK)
    run_fail("scene", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  if (scr_sim_create(r.scene, threads, &r.sim, &error) != SCR_OK) run_fail("simulation", error.message);
  r.values = calloc(scr_sim_series_count(r.sim), sizeof *r.values);
  assert_non_null(r.values);
  return r;
}

static inline void run_close(bdem_run *r)
{
  scr_sim_destroy(r->sim);
  scr_scene_destroy(r->scene);
  free(r->values);
}

static inline bdem_state *run_state(const bdem_run *r)
{
  return r->sim->state;
}

static inline void run_steps(bdem_run *r, size_t count)
{
  scr_error error = {0};
  for (size_t k = 0; k < count; k++)
    if (scr_sim_step(r->sim, &error) != SCR_OK) run_fail("step", error.message);
}

/** Steps until `time` is reached, to half a step. */
static inline void run_until(bdem_run *r, double time)
{
  while (scr_sim_time(r->sim) < time - 0.5 * scr_sim_time_step(r->sim)) run_steps(r, 1);
}

static inline void run_observe(bdem_run *r)
{
  scr_sim_observe(r->sim, r->values);
}

/** Value of a curve at the last run_observe. */
static inline double run_value(const bdem_run *r, const char *name)
{
  long k = sim_find_series(r->sim, name);
  if (k < 0) run_fail("no such curve", name);
  return r->values[k];
}

/** Value of a curve now. */
static inline double run_curve(bdem_run *r, const char *name)
{
  run_observe(r);
  return run_value(r, name);
}

/** Total momentum, N s, and angular momentum about the origin, N m s. */
static inline void run_momenta(const bdem_run *r, scr_vec3 *linear, scr_vec3 *angular)
{
  const bdem_body *body = &run_state(r)->body;
  *linear = *angular = vec3(0, 0, 0);
  for (size_t i = 0; i < body->sphere_count; i++) {
    scr_vec3 p = vec3_scale(body->velocity[i], body->mass[i]);
    double inertia = 0.4 * body->mass[i] * body->radius[i] * body->radius[i];
    *linear = vec3_add(*linear, p);
    *angular = vec3_add(*angular, vec3_add(vec3_cross(body->position[i], p), vec3_scale(body->spin[i], inertia)));
  }
}

/** Prints a measured number beside its reference, in the form the report picks up. */
static inline void show(const char *name, double value, double reference)
{
  print_message("# value: %s = %.9g (reference %.9g)\n", name, value, reference);
}

#endif
