/** Random places that keep a distance: random sequential addition. */
#ifndef SCREE_SCENE_RANDOM_PLACES_H
#define SCREE_SCENE_RANDOM_PLACES_H

#include "base/error.h"
#include "scene/document.h"

/** What a specimen's random choices start from: the scene's seed and the specimen's place in the list. */
uint64_t random_places_seed(const scene_document *document, const scene_specimen *specimen);

/** Draws points of the placement's box, evenly and one after the other, and keeps those that are no nearer than its distance to any kept
 *  before. Gives up at the first that finds no room in 20000 tries; that is so from about 0.36 of the volume on, counted as balls.
 *  @param positions [placement->number] m    @param placed receives how many were kept    @return SCR_OK, SCR_NO_MEMORY */
scr_status random_places(const scene_placement *placement, uint64_t seed, scr_vec3 *positions, size_t *placed);

#endif
