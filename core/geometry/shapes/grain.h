/** Random grains whose form is asked for: stars about their centroid, made of spherical harmonics.
 *
 *      r(n) = 1 + a g(n)                 g: random field of degrees 3 to 8, of mean square 1; `a` is found by bisection for the roundness
 *      stretched to the wanted equivalent ellipsoid (form.h)
 *      times 1 + roughness f(n)          f: random field of degrees 9 to 20, of mean square 1
 *      stretched once more
 *
 *  Elongation, flatness and volume are exact on the mesh; roundness to 0.05 (1 - roundness); roughness to 3 % of itself and 0.5 (1 -
 *  roundness)^2, as measured by shape_measure_form (test_geometry_shapes).
 *  Source: random harmonic surfaces, Grigoriu, Garboczi, Kafali, Powder Technology 166 (2006) 123. */
#ifndef SCREE_GEOMETRY_SHAPES_GRAIN_H
#define SCREE_GEOMETRY_SHAPES_GRAIN_H

#include "geometry/mesh/mesh.h"

typedef struct shape_grain {
  double radius;     /**< m, of the ball of the same volume, > 0 */
  double elongation; /**< 0.1 ... 1 */
  double flatness;   /**< 0.1 ... 1 */
  double roundness;  /**< 0.5 ... 1; how low it can go hangs on the seed, most reach 0.75 */
  double roughness;  /**< 0 ... 0.1 */
  uint64_t seed;     /**< which grain */
} shape_grain;

/** Makes an empty mesh that grain, its longest axis along x, its shortest along z: 8 cuts^2 triangles.
 *  @param cuts 4 ... 128; roughness is resolved from about 16 on
 *  @return SCR_OK; SCR_BAD_USAGE for what is out of range, or a roundness that the seed can't give (the message names the least);
 *  SCR_NO_MEMORY */
scr_status shape_make_grain(const shape_grain *asked, unsigned cuts, geo_mesh *mesh, scr_error *error);

#endif
