/** Passes of the host that need few nodes: those of contacts, and of bonds that break. Only their vectors travel, packed; the rest of the
 * host's arrays stays as old as it is. So the device knows which positions the host has, and the host sees every node that is near the rig
 * by either. */
#ifndef SCREE_PERIDEM_DEVICE_SUBSET_H
#define SCREE_PERIDEM_DEVICE_SUBSET_H

#include "methods/peridem/device/device_state.h"

scr_status pd_subset_create(pd_state *state, scr_error *error);
void pd_subset_clear(pd_device *device);

/** How the rig's parts can meet nodes in this pass. */
typedef enum pd_rig_reach {
  PD_RIG_ANYWHERE, /**< explicit damping: every node is looked at */
  PD_RIG_FAR,      /**< no node is near, and none was */
  PD_RIG_NEAR      /**< the subset is chosen: nodes near a part and nodes of contacts; the host has their positions, and those of what
                        contacts that begin look at */
} pd_rig_reach;

/** Looks which nodes are near the rig, and chooses them. */
pd_rig_reach pd_subset_near_rig(pd_state *state);
/** Where bodies meet by faces: chooses the nodes of candidates, those that springs hold, and those by which their faces are turned.
 *  @return whether springs hold any, which are moved by velocities and accelerations */
bool pd_subset_of_facing(pd_state *state);
/** Chooses the nodes of contacts with the rig, and those that grips hold. */
void pd_subset_of_rig(pd_state *state);
/** The same, and nodes of pairs that may touch by faces: whom dampers act on. */
void pd_subset_of_dampers(pd_state *state);
/** Chooses the nodes that part p holds. */
void pd_subset_of_held(pd_state *state, size_t p);
/** Chooses the nodes that are marked as having a bond past its stretch, as both its ends are; and those of pd_subset_of_facing, whose faces
 * may go. */
void pd_subset_of_past(pd_state *state);
/** Chooses both ends of the bonds that broke in the last step. */
void pd_subset_of_torn(pd_state *state);

/** Vectors of the chosen nodes, to the host or to the device; none to the host that it has. @return whether the state is whole */
bool pd_subset_to_host(const pd_state *state, unsigned vectors);
bool pd_subset_to_device(const pd_state *state, unsigned vectors);
/** The chosen nodes' values of an array of the device, into a vector of the host, and back. */
bool pd_subset_take(const pd_state *state, const device_array *from, const pd_vectors *to);
bool pd_subset_put(const pd_state *state, const pd_vectors *from, const device_array *to);

/** After the device has kicked all nodes: velocities and accelerations are its own, but of nodes of which the host has those of before and
 *  the forces the host works them out, to the same bits, so that they need not travel. */
void pd_subset_kicked(const pd_state *state);

#endif
