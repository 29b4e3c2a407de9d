/** What is said about a scene before it runs. */
#ifndef SCREE_METHODS_BDEM_CHECK_H
#define SCREE_METHODS_BDEM_CHECK_H

#include "methods/bdem/bonds/substance.h"
#include "scene/check/checker.h"

/** Adds to `problems` all that only this method can find wrong with a scene, and estimates its cost. */
scr_status bdem_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);
/** Adds to the scene's warnings what is unusual about it and can run all the same (spec 8): warn.c.
 *  @param fillings,bonds [specimen_count]    @param stable_step T, s */
void bdem_warn(const scr_checker *c, const bdem_filling *fillings, const bdem_calibrated *bonds, double stable_step, double time_step);

/** Fills in memory_bytes and run_seconds of an estimate whose counts and time step are known: cost.c. @param fillings [specimen_count] */
void bdem_estimate_run(const scr_scene *scene, const bdem_filling *fillings, double stable_step, scr_estimate *estimate);

#endif
