/** The back end for GPUs: bonds, motion, sums and contact of nodes on the device, the rest by the host's code on copies of what it needs.
 *  Bits are those of the host back end. */
#ifndef SCREE_PERIDEM_BACKEND_DEVICE_H
#define SCREE_PERIDEM_BACKEND_DEVICE_H

#include "methods/peridem/step/backend.h"

extern const pd_backend pd_backend_device;

/** The back end that a run's execution asks for: the host's where it names no device, or "auto" finds none.
 *  @return SCR_BAD_SCENE at /run/device where a device can't be used; errors of opening it are those of `create` */
scr_status pd_backend_choose(const char *device, const pd_backend **backend, scr_error *error);

#endif
