/** Shapes that are made into meshes, and specimens whose grains are not all alike.
 *
 *      document: { "type": "grain", .. }          --made_shapes--> shape.mesh.mesh      --resolve--> a specimen that is a mesh
 *                { "type": "image", "label": null }               variants[..]           --resolve--> one specimen per label */
#ifndef SCREE_SCENE_GRAINS_GENERATED_H
#define SCREE_SCENE_GRAINS_GENERATED_H

#include "geometry/mesh/mesh.h"
#include "scene/document.h"

/** Whether a document's shape is made into a mesh. */
bool generated_is(const scr_shape *shape);

/** Makes the meshes and variants of all specimens that have such shapes; adds a problem with its pointer where that is not possible, and a
 *  warning where it is doubtful. What could not be read (problems from number `first` on) is passed over. @return SCR_OK also when problems
 *  were added; SCR_NO_MEMORY */
scr_status generated_shapes(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings);

/** Frees what was made of a specimen. */
void generated_release(scene_specimen *specimen);

#endif
