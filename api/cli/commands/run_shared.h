/** A run here over several processes. */
#ifndef SCREE_CLI_RUN_SHARED_H
#define SCREE_CLI_RUN_SHARED_H

#include "scree.h"

/** As scr_run, by the scree-worker beside this program, which shares the run among the scene's run.ranks. Threads are of each rank. What
 * the worker says goes to worker.log in the directory. The scene's files are in its folder assets.
 *  @return what scr_run returns; SCR_BAD_SCENE: MPI is not there; SCR_IO: a rank died, which the next call goes on from */
scr_status run_shared(const scr_scene *scene, const scr_run_options *options, scr_error *error);

#endif
