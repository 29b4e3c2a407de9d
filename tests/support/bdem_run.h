/** What tests of method bdem share beside sim_run.h: the state behind a run, sums over its spheres. */
#ifndef SCREE_SUPPORT_BDEM_RUN_H
#define SCREE_SUPPORT_BDEM_RUN_H

#include "methods/bdem/step/stages.h"
#include "tests/support/sim_run.h"

typedef sim_run bdem_run; /**< of a scene of method bdem */

static inline bdem_state *run_state(const bdem_run *r)
{
  return r->sim->state;
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

/** Runs a scene until its body is in two; the test fails where that takes longer than `limit` s. @return energy of fracture, J */
static inline double run_tear(const char *json, double limit)
{
  bdem_run r = run_open(json, 1);
  do {
    run_steps(&r, 20);
    run_observe(&r);
  } while (run_value(&r, "fragments") < 1.5 && scr_sim_time(r.sim) < limit);
  assert_true(run_value(&r, "fragments") >= 2);
  double energy = run_value(&r, "energy.fracture");
  run_close(&r);
  return energy;
}

#endif
