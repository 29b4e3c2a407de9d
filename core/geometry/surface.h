/** A smooth skin around a cloud of spheres: the surface of a fragment.
 *
 *  The skin is where f = 0, f < 0 inside, of
 *
 *      f(x) = max( min( b(x), core(x) ), hull(x) )
 *      b(x) = |x - X| - R,    X = sum w_i x_i / sum w_i,   R = sum w_i r_i / sum w_i,   w_i = max(0, 1 - |x - x_i|^2 / (4 r_i)^2)^3
 *      core(x) = min over i of |x - x_i| - 3/4 r_i,        hull(x) = min over i of |x - x_i| - 2 r_i
 *
 *  b is the blend of Zhu and Bridson, Animating sand as a fluid, ACM Trans. Graph. 24 (2005) 965, section 5: one sphere is a sphere, a
 *  lattice of touching spheres gets flat faces, and the support of 4 r is their twice the distance of neighbours. Alone it would bridge
 *  cracks as wide as the support and eat small spheres beside large ones; `core` and `hull` are ours and bound it: the skin holds every
 *  sphere shrunk to 3/4 of its radius, and stays within the spheres grown to twice theirs. These fill the gaps of a cubic lattice, sqrt 3 r
 *  deep, also when it is stretched by up to 15 %; a crack shows once the centres on its two sides are 4 r apart.
 *
 *  f is sampled on a grid of blocks that covers only the hull, and triangulated by marching cubes (see marching_cubes.h): the result is
 *  always closed, manifold and oriented, whatever the spheres. */
#ifndef SCREE_GEOMETRY_SURFACE_H
#define SCREE_GEOMETRY_SURFACE_H

#include "geometry/mesh/mesh.h"

/** Largest cell relative to the smallest radius, and the largest at which no sphere's core can be missed: sqrt(3)/2 0.8 < 3/4. In between a
 *  sphere that hardly touches others can be. */
#define GEO_SURFACE_COARSEST 1.0
#define GEO_SURFACE_FAITHFUL 0.8

/** Largest number of grid points by default: half a gigabyte of samples. */
enum { GEO_SURFACE_NODE_LIMIT = 1 << 27 };

typedef struct geo_surface_options {
  double cell;       /**< m, edge of a cell of the grid, > 0 and at most GEO_SURFACE_COARSEST of the smallest radius */
  unsigned threads;  /**< 0 means 1; the mesh is the same for any number */
  size_t node_limit; /**< most grid points; 0 means GEO_SURFACE_NODE_LIMIT */
} geo_surface_options;

/** Appends the skin of one cloud of spheres to `mesh` as part `part`. The spheres may form several pieces, and the skin may have
 *  cavities: each is a shell of its own. Nothing is appended for no spheres.
 *  @param centre [count] m, finite, at most GEO_MESH_COORDINATE_LIMIT    @param radius [count] m, > 0
 *  @return SCR_OK, SCR_BAD_USAGE naming the quantity, SCR_NO_MEMORY; `mesh` may hold a part of the skin after a failure */
scr_status geo_surface_of_balls(const scr_vec3 *centre, const double *radius, size_t count, const geo_surface_options *options,
                                uint32_t part, geo_mesh *mesh, scr_error *error);

#endif
