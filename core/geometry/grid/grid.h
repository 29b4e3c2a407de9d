/** A structured grid of cells and nodes in 2D or 3D, kept only where particles are, with particles sorted by cell: what particle-in-cell
 *  methods
 *  carry from particles to nodes and back.
 *
 *      cell (i, j, k) reaches from origin + h (i, j, k) to origin + h (i + 1, j + 1, k + 1); node (i, j, k) is its lowest corner
 *      particles of cell c = item[first[c]] ... item[first[c + 1] - 1], by their numbers
 *
 *  Cells and nodes lie in blocks of 4^3 (3D) or 8^2 (2D). A block is active where a cell with particles, or a node of one, lies in it;
 *  only active
 *  blocks have numbers, in the order of their places. Cell and node of one place have the same number: block x GEO_GRID_BLOCK + place in
 *  the block.
 *
 *  Sums have one order, whatever the number of threads: a cell sums over its particles by their numbers, a node over its 2^d cells by
 *  their places. */
#ifndef SCREE_GEOMETRY_GRID_H
#define SCREE_GEOMETRY_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "base/execution.h"
#include "base/error.h"

enum {
  GEO_GRID_BLOCK = 64,  /**< cells of a block: 4 x 4 x 4 or 8 x 8 */
  GEO_GRID_CORNERS = 8, /**< most corners of a cell: 2^d */
  GEO_GRID_WIDTH = 16   /**< most numbers of a node that one call carries */
};
#define GEO_GRID_NONE UINT32_MAX        /**< the number of a cell or node that is not active */
#define GEO_GRID_BLOCK_LIMIT 100000000u /**< most blocks of a domain, active or not: 4 bytes each */

/** Where a grid is; given once. */
typedef struct geo_grid_domain {
  int dimension;     /**< 2 or 3; in 2D z is 0 */
  double h;          /**< m, > 0, side of a cell */
  double origin[3];  /**< m */
  uint32_t cells[3]; /**< per axis, >= 1; in 2D cells[2] is 1 */
} geo_grid_domain;

typedef struct geo_grid {
  geo_grid_domain domain;
  uint32_t corner_count; /**< 2^d */
  uint32_t blocks[3];    /**< of the domain, per axis */
  uint32_t *number;      /**< [blocks] of an active block, else GEO_GRID_NONE */
  uint32_t block_count;  /**< active */
  uint32_t *block;       /**< [block_count] its place among the domain's, ascending */
  uint32_t (*near)[27];  /**< [block_count] numbers of the blocks around, x first; GEO_GRID_NONE: not active */
  size_t block_capacity, near_capacity;
  size_t cell_count; /**< block_count * GEO_GRID_BLOCK; nodes as many */
  uint32_t *first;   /**< [cell_count + 1] */
  uint32_t *item;    /**< [particle_count] particles by cells */
  uint32_t *cell_of; /**< [particle_count] cell of a particle, by the particle's number */
  size_t particle_count, first_capacity, item_capacity, cell_capacity;
  uint32_t *chunk; /**< scratch of the sort */
  size_t chunk_capacity;
} geo_grid;

/** An empty grid. @return SCR_OK; SCR_BAD_USAGE for a dimension, side or count out of range, or more than GEO_GRID_BLOCK_LIMIT blocks;
 *  SCR_NO_MEMORY */
scr_status geo_grid_create(const geo_grid_domain *domain, geo_grid *grid, scr_error *error);
void geo_grid_clear(geo_grid *grid);

/** Sorts particles into cells, and activates what they need. The result is the same for any number of threads.
 *  @param position [dimension] arrays of [n], m    @param n < 2^32 - 1
 *  @return SCR_OK, SCR_NO_MEMORY; SCR_BAD_USAGE for more active cells than numbers; SCR_DIVERGED for the first particle that is not
 *  finite or outside of
 *          the domain: then the grid is empty */
scr_status geo_grid_sort(geo_grid *grid, const double *const *position, size_t n, scr_execution execution, scr_error *error);

/** Cell, or node, of a place in the domain (nodes: up to `cells` inclusive); GEO_GRID_NONE where it is not active or outside. */
uint32_t geo_grid_at(const geo_grid *grid, int64_t i, int64_t j, int64_t k);

/** The place of a cell or node. */
void geo_grid_place(const geo_grid *grid, uint32_t cell, int64_t place[3]);

/** Nodes of a cell: x changes first, then y, then z. All are active where the cell has particles. @param node [2^d] */
void geo_grid_nodes(const geo_grid *grid, uint32_t cell, uint32_t *node);

/** Cells around a node, those before it first, in the same order; GEO_GRID_NONE: not active or outside. @param cell [2^d] */
void geo_grid_cells(const geo_grid *grid, uint32_t node, uint32_t *cell);

/** Multilinear shape functions of the corners of a particle's cell at a position: weights [2^d] sum to 1, gradients in 1/m. `gradient`
 *  may be NULL. */
void geo_grid_shape(const geo_grid *grid, uint32_t cell, const double *position, double *weight, double (*gradient)[3]);

/** What a particle adds to the corners of its cell. @param sum [2^d][width] to be added to; called for the particles of a cell in their
 *  order */
typedef void (*geo_grid_spread)(const void *user, uint32_t particle, uint32_t cell, double *sum);

/** Carries sums from particles to nodes: `to`[node][width] = sum over cells, over particles, of what `spread` adds. Bits do not depend
 *  on threads.
 *  @param corners [cell_count][2^d][width] scratch    @param width 1 ... GEO_GRID_WIDTH    @param to [cell_count][width], set */
void geo_grid_scatter(const geo_grid *grid, geo_grid_spread spread, const void *user, unsigned width, double *corners, double *to,
                      scr_execution execution);

#endif
