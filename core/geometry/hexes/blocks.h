/** Meshes of simple solids by mapped blocks: a grid of cells, some left out, bent into shape. All about the origin.
 *
 *      box             the grid itself                        cylinder, sphere   the square, the cube pushed out to the round:
 *      notched box     without the cells of the notch             x = p ((1 - m) core + m m/|p|),  m = max |p_i|, core = 0.7
 *                                                             hollow sphere      six such faces of a cube, times layers
 *
 *      arch            a strip of the grid along the legs' and the arch's middle line
 *
 *  The map keeps a cube of side `core` in the middle and rounds outwards; its Jacobians stay > 0.05 of the largest of an element. */
#ifndef SCREE_GEOMETRY_BLOCKS_H
#define SCREE_GEOMETRY_BLOCKS_H

#include <stdbool.h>

#include "geometry/hexes/hexes.h"

/** Most cells along an edge: their product stays far below 2^32. */
enum { GEO_HEXES_CELL_LIMIT = 1000 };

/** A box of full edges `size`, m, in cells[0] x cells[1] x cells[2] elements.
 *  All return SCR_OK, or SCR_NO_MEMORY and an empty mesh. */
scr_status geo_hexes_box(const double size[3], const uint32_t cells[3], geo_hexes *mesh, scr_error *error);

/** A box without the slot |x| < width / 2, through all of y, from the bottom up to `depth`. Columns of cells: `cells` [0] from either end
 *  to the slot, `slot` [0] across it; layers: `slot` [1] up to the depth, `cells` [2] above it; `cells` [1] along y. */
scr_status geo_hexes_notched_box(const double size[3], double width, double depth, const uint32_t cells[3], const uint32_t slot[2],
                                 geo_hexes *mesh, scr_error *error);

/** A cylinder about z: across x across elements in the section, `layers` along the axis. */
scr_status geo_hexes_cylinder(double radius, double length, uint32_t across, uint32_t layers, geo_hexes *mesh, scr_error *error);

/** A ball: across^3 elements. */
scr_status geo_hexes_ball(double radius, uint32_t across, geo_hexes *mesh, scr_error *error);

/** A hollow ball: 6 across^2 elements times `layers` between the radii. */
scr_status geo_hexes_hollow_ball(double radius, double inner_radius, uint32_t across, uint32_t layers, geo_hexes *mesh, scr_error *error);

/** Sizes of an arch, m: `foot` is the length of its soles, >= thickness, and `heel` by how much that at x < 0 is longer, outwards. */
typedef struct geo_arch {
  double span, rise, thickness, width, leg, foot, heel;
} geo_arch;

/** An arch in the plane y = 0, on the ground z = 0, midway between its legs at x = 0: `along` elements over the half ellipse, `up` in each
 *  leg, cells[0] across the width, cells[1] through the thickness. Feet grow wider outwards over the height of the legs. */
scr_status geo_hexes_arch(const geo_arch *form, uint32_t along, uint32_t up, const uint32_t cells[2], geo_hexes *mesh, scr_error *error);

/** Elements as they are on a grid: which cells of cells[0] x cells[1] x cells[2] are there, and where its nodes are.
 *  @param keep  [z][y][x], or NULL: all    @param place  [3] arrays of cells[k] + 1 coordinates, m */
scr_status geo_hexes_grid(const uint32_t cells[3], const bool *keep, const double *const place[3], geo_hexes *mesh, scr_error *error);

#endif
