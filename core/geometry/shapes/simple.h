/** Solids of few numbers as closed triangle meshes about the origin, counter-clockwise seen from outside; each appends to an empty mesh.
 *  All return SCR_OK, SCR_NO_MEMORY, or SCR_BAD_USAGE naming what is out of range. */
#ifndef SCREE_GEOMETRY_SHAPES_SIMPLE_H
#define SCREE_GEOMETRY_SHAPES_SIMPLE_H

#include "geometry/mesh/mesh.h"

/** A superellipsoid:
 *
 *      ( |x/a|^p + |y/b|^p )^(q/p) + |z/c|^q = 1
 *
 *  p = q = 2 is an ellipsoid; p large and q large a box, p = 2 and q large a cylinder, p = q = 1 an octahedron. Below 1 corners would be
 *  hollow.
 *  Source: Barr, Superquadrics and angle-preserving transformations, IEEE CG&A 1 (1981) 11. */
typedef struct shape_superellipsoid {
  scr_vec3 half; /**< m, a, b, c, > 0 */
  double p, q;   /**< 1 ... 20 */
} shape_superellipsoid;

/** @param cuts 2 ... 128: 8 cuts^2 triangles, whose corners lie on the surface, more of them where it bends */
scr_status shape_make_superellipsoid(const shape_superellipsoid *asked, unsigned cuts, geo_mesh *mesh, scr_error *error);

/** Volume of the superellipsoid itself, m^3: 2 a b c e1 e2 B(e1/2 + 1, e1) B(e2/2, e2/2), e1 = 2/q, e2 = 2/p.
 *  Source: Jaklic, Leonardis, Solina, Segmentation and recovery of superquadrics, 2000, eq. (2.60). */
double shape_superellipsoid_volume(const shape_superellipsoid *asked);

/** A jack: three bars of square section, `width` wide and 2 reach long, crossing at right angles: a cube with an arm on each face. 0 <
 *  width < 2 reach. */
scr_status shape_make_jack(double reach, double width, geo_mesh *mesh, scr_error *error);

/** A tube along z, 0 < inner < outer, with `sides` >= 8 flat sides of the volume that the round tube has. */
scr_status shape_make_tube(double outer, double inner, double length, unsigned sides, geo_mesh *mesh, scr_error *error);

/** Adds a void: the surface once more, `share` times as large about the origin and turned inside out, 0 < share < 1. For stars about the
 *  origin: the wall is then (1 - share) of the way from it to the surface thick everywhere. */
scr_status shape_add_void(double share, geo_mesh *mesh, scr_error *error);

#endif
