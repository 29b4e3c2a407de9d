/** Packed placements: grains of a line turned, sized and placed at random (geometry/packing). */
#ifndef SCREE_SCENE_GRAINS_PACKED_H
#define SCREE_SCENE_GRAINS_PACKED_H

#include "scene/document.h"

/** Packs all specimens placed so, after generated_shapes: gives each its variants. Adds a problem with its pointer where that is not
 *  possible, and a warning with what grains were shrunk by and the solid fraction reached. @return SCR_OK also when problems were added;
 *  SCR_NO_MEMORY */
scr_status packed_places(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings);

#endif
