/** What the validation cases of method peridem share: opening a scene from text, stepping, reading curves by name. */
#ifndef SCREE_VALIDATION_PERIDEM_CASE_H
#define SCREE_VALIDATION_PERIDEM_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/peridem/state.h"
#include "run/sim.h"

typedef struct pd_case {
  scr_scene *scene;
  scr_sim *sim;
  double *values; /**< of all curves at the last case_observe */
} pd_case;

static inline void case_fail(const char *what, const char *why)
{
  print_message("# %s: %s\n", what, why);
  fail();
}

/** Opens a scene's text; the test fails, with the reason printed, when it is refused. */
static inline pd_case case_open(const char *json, unsigned threads)
{
  pd_case c = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  if (scr_scene_parse(json, strlen(json), NULL, &c.scene, &problems) != SCR_OK)
    case_fail("scene", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  if (scr_sim_create(c.scene, threads, &c.sim, &error) != SCR_OK) case_fail("simulation", error.message);
  c.values = calloc(scr_sim_series_count(c.sim), sizeof *c.values);
  assert_non_null(c.values);
  return c;
}

static inline void case_close(pd_case *c)
{
  scr_sim_destroy(c->sim);
  scr_scene_destroy(c->scene);
  free(c->values);
}

static inline void case_steps(pd_case *c, uint64_t steps)
{
  scr_error error = {0};
  for (uint64_t k = 0; k < steps; k++)
    if (scr_sim_step(c->sim, &error) != SCR_OK) case_fail("step", error.message);
}

static inline void case_observe(pd_case *c)
{
  scr_sim_observe(c->sim, c->values);
}

/** Value of a curve at the last case_observe. */
static inline double case_value(const pd_case *c, const char *name)
{
  long k = sim_find_series(c->sim, name);
  if (k < 0) case_fail("no such curve", name);
  return c->values[k];
}

static inline pd_state *case_state(const pd_case *c)
{
  return c->sim->state;
}

/** Prints a measured number beside its reference, in the form the report picks up. */
static inline void show(const char *name, double value, double reference)
{
  print_message("# value: %s = %.9g (reference %.9g)\n", name, value, reference);
}

/** |value - reference| <= tolerance * |reference|, printed either way. */
static inline void check_relative(const char *name, double value, double reference, double tolerance)
{
  show(name, value, reference);
  if (!(fabs(value - reference) <= tolerance * fabs(reference))) case_fail(name, "out of tolerance");
}

/** Slow cases run only when the environment asks for them. */
static inline bool slow_asked(void)
{
  return getenv("SCREE_SLOW") != NULL;
}

/** The reference scene: a hollow lattice sphere of R = 1 mm crushed by the top wall at 10 m/s. */
typedef struct reference_scene {
  double inner_radius;  /**< m */
  const char *wall_law; /**< "lumped", "exact" */
  double time_step;     /**< s */
  double surface;       /**< friction coefficient and damping ratio alike */
  bool breakable;
} reference_scene;

static inline void reference_text(char *text, size_t size, const reference_scene *r)
{
  snprintf(text, size,
           "{\"scree\":1,\"name\":\"reference\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_energy\":135}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":%g},"
           "\"specimens\":[{\"name\":\"grain\",\"material\":\"polymer\",\"spacing\":1.25e-4,"
           "\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":%.17g},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[-1.2e-3,-1.2e-3,-1.2e-3],\"maximum\":[1.2e-3,1.2e-3,1.2e-3],"
           "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-10}]}}},"
           "\"time\":{\"duration\":5e-5,\"time_step\":%.17g},"
           "\"options\":{\"horizon\":3.333333333333333e-4,\"contact_radius\":2e-4,\"wall_law\":\"%s\",\"self_contact\":false,"
           "\"breakable\":%s}}",
           r->surface, r->surface, r->inner_radius, r->time_step, r->wall_law, r->breakable ? "true" : "false");
}

static inline pd_case reference_open(const reference_scene *r, unsigned threads)
{
  char text[2048];
  reference_text(text, sizeof text, r);
  return case_open(text, threads);
}

#endif
