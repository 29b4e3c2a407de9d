/** The time step that a run will use, from the bounds that a method has for it. */
#ifndef SCREE_SIM_TIME_STEP_H
#define SCREE_SIM_TIME_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "scene/scene.h"

/** Longest step that something allows, and its name for people: {2.1e-7, "contact"}. */
typedef struct sim_bound {
  double step;      /**< s; INFINITY: it allows any */
  const char *name; /**< "bond", "travel" */
} sim_bound;

/** Fills estimate->time_step and time_step_rule: the step that the scene gives, "given"; or `safety` times the least bound, by its name,
 *  and at most the intervals of samples and frames that the scene gives, "output", as nothing is recorded between two steps. Without a
 *  finite bound a thousandth of the duration, "duration". The first of equal bounds gives the name.
 *  @return whether the step was given: then the method judges it */
bool sim_choose_step(const scr_scene *scene, const sim_bound *bounds, size_t count, double safety, scr_estimate *estimate);

/** What a step says that left something which is not finite, or is nowhere.
 *  @param format what that is, with its number: "sphere %zu of grain %u"    @return SCR_DIVERGED */
scr_status sim_not_finite(scr_error *error, uint64_t step, double time_step, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
