/** The shape `DeviceList` of openapi.yaml, of a server and of `scree devices`. */
#ifndef SCREE_API_SHAPES_DEVICE_JSON_H
#define SCREE_API_SHAPES_DEVICE_JSON_H

#include <jansson.h>

#include "device/device.h"

/** Devices that there are, and why there are no others. @return NULL without memory */
json_t *devices_json(const device_list *list);

#endif
