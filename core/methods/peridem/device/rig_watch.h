/** Which nodes may come near parts of the rig that are no planes: found by the host from all positions now and then, and good as long as
 *  neither nodes nor parts have gone far. */
#ifndef SCREE_PERIDEM_DEVICE_RIG_WATCH_H
#define SCREE_PERIDEM_DEVICE_RIG_WATCH_H

#include "methods/peridem/device/device_state.h"

scr_status pd_rig_watch_create(pd_state *state, scr_error *error);
void pd_rig_watch_clear(pd_device *device);

/** Brings the list up to date, after the contact pass, which knows how far nodes have moved. @return whether the state is whole */
bool pd_rig_watch(pd_state *state);

#endif
