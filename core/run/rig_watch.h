/** Watches whether a rig that moves ever meets a specimen: a run in which it never does measured nothing, whatever its method.
 *
 *  Looks at every step, at the loads and places of all parts, rig and obstacles alike. */
#ifndef SCREE_RUN_RIG_WATCH_H
#define SCREE_RUN_RIG_WATCH_H

#include "sim/method.h"

typedef struct rig_watch {
  double peak;   /**< N, largest force on any part at any step so far */
  double travel; /**< m, farthest that a part of the rig has gone by its program in the direction in which it loads, so far */
  size_t part;   /**< which part that was */
} rig_watch;

/** Takes the step just made. @param watch zeroed at the run's beginning */
void rig_watch_step(rig_watch *watch, const scr_sim *sim);

/** Raises the doubt `rig_met_nothing` when parts of the rig went to load something and no part, nor obstacle, ever carried a force. To be called once, at the end of the run. */
void rig_watch_judge(const rig_watch *watch, scr_sim *sim);

/** Part of a checkpoint. */
scr_status rig_watch_save(const rig_watch *watch, scr_blob *blob, scr_error *error);
scr_status rig_watch_load(rig_watch *watch, scr_blob *blob, scr_error *error);

#endif
