/** Faces of a packed body's shape above its outermost spheres: what the option contact_surface "faces" meets the rig with.
 *
 *      platen   ───────────────            A sphere stands for a column of the body between its centre and the face,
 *      face     - - ┌─────┐- -             depth s long, over its area A of the face:
 *                 s │     │                    touches where the distance of its centre is s,   k = E A / s
 *      centre       └──o──┘                The areas of a face's spheres add up to the face's: a flat one's are alike, of a curved one
 *                                          each has what is nearest to it (curved_areas.h).
 *
 *  Which spheres are outermost: below a flat face those within a radius of the outermost one (a lattice's rows and layers beside its
 *  close-packed planes zigzag by a radius or less; its next close-packed layer lies 1.63 radii deeper); below a curved one those less than
 *  1.66 radii deep. */
#ifndef SCREE_METHODS_BDEM_BOUNDARY_FACES_H
#define SCREE_METHODS_BDEM_BOUNDARY_FACES_H

#include "methods/bdem/body/filling.h"

/** A face above a sphere. */
typedef struct bdem_face {
  scr_vec3 normal;   /**< unit, out of the body, as its specimen is turned at the start */
  double depth;      /**< s, m, of the sphere's centre below it, > 0 */
  double area;       /**< A, m^2, of it that the sphere stands for */
  double curvature;  /**< 1/m, as of geo_face */
  scr_vec3 straight; /**< unit, along which it does not bend; 0: it bends alike in all directions */
} bdem_face;

/** How much farther than its depth the points of a face may reach, m: to its corner. */
static inline double bdem_face_corner(const bdem_face *face)
{
  double square = 0.5 * face->area; /* of the way from its middle to a corner */
  return sqrt(square) + 0.5 * fmax(0.0, -face->curvature) * square;
}

/** Of a specimen's spheres, in the order of its filling. */
typedef struct bdem_faces {
  uint32_t *first;   /**< [sphere_count + 1] a sphere's first face; NULL: the specimen has none (a sphere alone, a weave) */
  bdem_face *face;   /**< [first[sphere_count]] */
  double deepest;    /**< m, largest depth; 0 without faces */
  double per_depth;  /**< m, largest A / s */
  double tilting;    /**< m, largest A / s 5/24 A / r^2 below a curved face: of springs along the normal all over it, as the sphere rolls */
  double rolling;    /**< m, largest A / s (kt / k (1 + 5/2 s^2 / r^2) + 5/24 A / r^2): the same with friction's spring at the face */
  double shallowest; /**< m, least s; 0 without faces */
} bdem_faces;

/** Finds the faces of a filling. On failure `faces` is what bdem_faces_clear accepts.
 *  @param faces zeroed    @return SCR_OK, SCR_NO_MEMORY */
scr_status bdem_faces_find(const bdem_filling *filling, const scr_specimen *specimen, bdem_faces *faces, scr_error *error);
void bdem_faces_clear(bdem_faces *faces);

#endif
