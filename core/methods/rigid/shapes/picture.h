/** Triangles of a shape, for pictures. */
#ifndef SCREE_RIGID_PICTURE_H
#define SCREE_RIGID_PICTURE_H

#include "geometry/mesh/mesh.h"
#include "scene/scene.h"

/** Appends the surface of a shape about its origin: balls, rods and their round ends as polygons fine enough to look round.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status rigid_picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error);

#endif
