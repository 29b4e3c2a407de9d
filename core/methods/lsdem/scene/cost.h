/** What a run of method lsdem is likely to take, and what its grains take in a recording. */
#ifndef SCREE_LSDEM_SCENE_COST_H
#define SCREE_LSDEM_SCENE_COST_H

#include "methods/lsdem/state/state.h"

/** How often a level set that is made anew, or carried along, is, at most: modes move the surface there and back by their largest
 *  amplitude.
 *  @param grain      of a template whose `following` is either
 *  @param amplitude  m, > 0, how far modes may move the surface    @param tolerance  m, > 0, after which way the level set follows
 *  @return at most `steps`; 0 for other ways of following and for shapes without modes */
double lsdem_follow_updates(const lsdem_template *grain, double amplitude, double tolerance, double steps);

/** Fills run_seconds, of one thread. The state must have its grains and the directions of a first pass; the estimate its time step. */
void lsdem_estimate_run(const scr_scene *scene, const lsdem_state *state, scr_estimate *estimate);

/** Fills what grains take in a recording: view.c. */
void lsdem_estimate_recording(const lsdem_state *state, scr_estimate *estimate);

#endif
