/** Nodes that kernels have marked by words of an array: found on the device, so that only those travel. */
#ifndef SCREE_PERIDEM_DEVICE_MARKED_H
#define SCREE_PERIDEM_DEVICE_MARKED_H

#include "methods/peridem/device/device_state.h"

scr_status pd_marked_create(pd_state *state, scr_error *error);
void pd_marked_clear(pd_device *device);

/** Takes the words of an array of a word for each node that are not 0.
 *  @param off whether they become 0    @param list set: pairs of node, ascending, and word; the device's, good until the next call
 *  @return how many; 0 after a failure, which stays in the state */
size_t pd_take_marked(const pd_state *state, const device_array *words, bool off, const uint32_t **list);

/** Nodes with bonds near the critical stretch or beyond, which the last bond_forces has marked, both ends of each: notes who they are.
 *  @return their number */
size_t pd_note_past(const pd_state *state);

#endif
