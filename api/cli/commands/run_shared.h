/** A run here over several processes. */
#ifndef SCREE_CLI_RUN_SHARED_H
#define SCREE_CLI_RUN_SHARED_H

#include "server/machine.h"

/** As scr_run, by the scree-worker beside this program, which shares the run among the scene's run.ranks. Threads are of each rank. What
 * the worker says goes to worker.log in the directory. The scene's files are in its folder assets.
 *  @return what scr_run returns; SCR_BAD_SCENE: MPI is not there; SCR_IO: a rank died, which the next call goes on from */
scr_status run_shared(const scr_scene *scene, const scr_run_options *options, scr_error *error);

/** Processors that this process may use, at least 1. */
unsigned run_processors(void);

/** Adds to a scene's warnings that its ranks would gain little here, where they would. @param known receives what was measured of this
 * machine */
void run_shared_warn(const scr_scene *scene, machine *known);

#endif
