/** How thick bodies are that meshes bound, where they are thinnest over more than an edge. */
#ifndef SCREE_LSDEM_SCENE_THICKNESS_H
#define SCREE_LSDEM_SCENE_THICKNESS_H

#include "geometry/mesh/mesh_distance.h"
#include "methods/lsdem/state/state.h"

/** The thickness that a twentieth of a closed mesh's surface is below, m: from a place of the surface along the inward normal to the other
 *  side, where that faces about the other way (to 37 degrees: what meets at an edge is no plate). A few thousand places are looked at.
 *  @return INFINITY where less than a twentieth has another side */
double lsdem_mesh_thickness(const geo_mesh *surface, const geo_mesh_tree *tree);

/** Smallest thickness of a part, m; of a mesh as above; INFINITY: it has no far side. */
double lsdem_part_thickness(const scr_part *form);

#endif
