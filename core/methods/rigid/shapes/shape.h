/** Shapes of rigid bodies: what a body looks like to a contact, and how heavy it is.
 *
 *  A shape is one or more pieces, each a ball, a capsule, a cylinder, a convex polyhedron or any closed mesh, placed in the body's own
 *  axes: the principal axes through its centre of mass. A body may be a scaled copy: all lengths times `scale`. */
#ifndef SCREE_RIGID_SHAPE_H
#define SCREE_RIGID_SHAPE_H

#include "geometry/touch/piece.h"
#include "scene/part.h"

typedef struct rigid_shape {
  geo_piece *pieces; /**< [piece_count] owned */
  size_t piece_count;
  scr_mass unit;    /**< of density 1: `mass` is the volume; `centre` and `axes` are in the scene's axes of the shape */
  double extent;    /**< m, from the centre of mass to the farthest point */
  double thickness; /**< m, about the least width: what steps and margins are measured by */
  geo_mesh picture; /**< m, in the scene's axes of the shape, about its origin; owned */
} rigid_shape;

/** Makes the shape of a specimen, with a picture if asked for. Starts zeroed; cleared by rigid_shape_clear, also after a failure.
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_SCENE (a shape that is no solid) */
scr_status rigid_shape_create(const scr_shape *from, bool picture, rigid_shape *shape, scr_error *error);

/** Makes the shape of a free part: a box, a ball, a cylinder, a mesh; its mass is the part's. */
scr_status rigid_shape_of_part(const scr_part *part, rigid_shape *shape, scr_error *error);

void rigid_shape_clear(rigid_shape *shape);

/** Number of bytes of a shape, for estimates. */
double rigid_shape_bytes(const rigid_shape *shape);

#endif
