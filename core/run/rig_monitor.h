/** Watches whether the parts of a rig that move ever meet a specimen: a part that never does measured nothing, whatever the method.
 *
 *  Looks at every step, at the load and the place of each part by itself: what lies on a floor says nothing of the lid above. */
#ifndef SCREE_RUN_RIG_MONITOR_H
#define SCREE_RUN_RIG_MONITOR_H

#include "sim/method.h"

typedef struct rig_monitor {
  double peak[SCR_PART_LIMIT];   /**< N, largest force on each part at any step so far */
  double travel[SCR_PART_LIMIT]; /**< m, farthest that each has gone by its program in the direction in which it loads, so far */
} rig_monitor;

/** Takes the step just made. @param watch zeroed at the run's beginning */
void rig_monitor_step(rig_monitor *watch, const scr_sim *sim);

/** To be called once, at the end of the run. Raises the doubts
 *
 *  - `rig_met_nothing`: parts of the rig went to load something and never carried a force;
 *  - `rig_barely_met`: a part closed on a body whose elastic answer its shape tells (scene/places/reach.h), nothing of it failed, and the
 *    part's largest force is less than a tenth of that answer: what it measured is the way to the contact, or a contact far softer than the
 *    body.
 *
 *  @param failed  how much of the specimens has failed so far (scr_sim_declare_failures) */
void rig_monitor_judge(const rig_monitor *watch, scr_sim *sim, double failed);

/** Part of a checkpoint. */
scr_status rig_monitor_save(const rig_monitor *watch, scr_blob *blob, scr_error *error);
scr_status rig_monitor_load(rig_monitor *watch, scr_blob *blob, scr_error *error);

#endif
