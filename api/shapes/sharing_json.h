/** The shape `Sharing` of openapi.yaml: what ranks would gain, of a server's check and of `scree check`. */
#ifndef SCREE_API_SHAPES_SHARING_JSON_H
#define SCREE_API_SHAPES_SHARING_JSON_H

#include <jansson.h>

#include "server/machine.h"

/** @param most ranks that there can be; below 2, or where the pace is not known: JSON's null    @return NULL without memory */
json_t *sharing_json(const machine *known, const scr_estimate *estimate, unsigned most);

#endif
