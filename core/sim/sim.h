/** What the run loop needs of a simulation beyond scree.h. */
#ifndef SCREE_SIM_SIM_H
#define SCREE_SIM_SIM_H

#include "sim/method.h"

/** scr_sim_create with somebody told that building goes on. */
scr_status sim_create_by(const scr_scene *scene, scr_execution execution, scr_liveness liveness, scr_sim **sim, scr_error *error);

/** The same on so many threads and the device that the scene names. */
scr_status sim_create(const scr_scene *scene, unsigned threads, scr_liveness liveness, scr_sim **sim, scr_error *error);

/** Whether the device that a scene's run names is here and can be used. Takes some tenths of a second where one is named.
 *  @return SCR_OK; SCR_BAD_SCENE at /run/device, with what there is */
scr_status sim_find_device(const scr_scene *scene, scr_error *error);

/** Whether a time is reached, but for rounding: a part in 1e12 of the duration. */
bool sim_due(const scr_sim *sim, double time);

/** Index of the curve of that name, or -1. */
long sim_find_series(const scr_sim *sim, const char *name);

/** Writes every drawable's state: the method's, the parts', the surfaces of fragments.
 *  @return SCR_OK, SCR_BAD_USAGE, SCR_DIVERGED (a quantity without a number), SCR_NO_MEMORY */
scr_status sim_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

/** Appends the complete state: steps, time, the parts and the method's own. */
scr_status sim_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
/** Takes the state from the blob's cursor on. After a failure the simulation is only good for scr_sim_destroy. */
scr_status sim_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
