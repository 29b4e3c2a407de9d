/** What tests of lsdem share: scenes of a few grains, and their state. */
#ifndef SCREE_SUPPORT_LSDEM_RUN_H
#define SCREE_SUPPORT_LSDEM_RUN_H

#include "base/memory.h"
#include "methods/lsdem/contact/pass.h"
#include "methods/lsdem/step/motion.h"
#include "tests/support/sim_run.h"

static inline lsdem_state *lsdem_of(sim_run *r)
{
  return r->sim->state;
}

/** A scene of the parts of a JSON text that tests differ in. `options` may be "".
 *  @param rig,obstacles,time e.g. "{ \"type\": \"none\" }", "[]", "{ \"duration\": 1 }" */
static inline sim_run lsdem_open(const char *materials, const char *contact, const char *specimens, const char *rig, const char *obstacles,
                                 const char *time, const char *options, unsigned threads)
{
  enum { BYTES = 1 << 16 };
  char *text = malloc(BYTES);
  assert_non_null(text);
  int length = snprintf(
      text, BYTES,
      "{\"scree\": 1, \"name\": \"test\", \"method\": \"lsdem\", \"materials\": %s, \"contact\": %s, \"specimens\": %s, \"rig\": %s, "
      "\"obstacles\": %s, \"time\": %s, \"output\": {}, \"options\": {%s}}",
      materials, contact, specimens, rig, obstacles, time, options);
  assert_true(length > 0 && length < BYTES);
  sim_run r = run_open(text, threads);
  free(text);
  return r;
}

#define LSDEM_STONE "[{\"name\": \"stone\", \"density\": 1000, \"young_modulus\": 1e6, \"poisson_ratio\": 0.25}]"
#define LSDEM_NO_RIG "{\"type\": \"none\"}"

/** Forces at the present places, as if nothing moved since. */
static inline void lsdem_forces(lsdem_state *s)
{
  scr_error error = {0};
  for (size_t d = 0; d < s->near.count; d++) { /* tests put grains elsewhere without a way */
    lsdem_direction_unsure(&s->near.list[d]);
  }
  if (lsdem_force_pass(s, 0, &error) != SCR_OK) run_fail("force pass", error.message);
}

/** The same scene as one moment: places a grain. */
static inline void lsdem_place(lsdem_state *s, size_t grain, scr_vec3 position, scr_quat rotation)
{
  s->grains[grain].position = position;
  s->grains[grain].rotation = quat_normalise(rotation);
}

#endif
