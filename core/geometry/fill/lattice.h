/** Shapes filled with a cubic lattice of nodes, one node at the centre of every cell.
 *
 *  Nodes are kept as whole numbers: twice their coordinate in units of the spacing, relative to the shape's centre, so that
 *  distances between nodes are exact. Spheres take the cells whose centres ((a + 1/2) h, (b + 1/2) h, (c + 1/2) h) lie inside;
 *  boxes take round(edge / h) cells along each edge, placed symmetrically about the centre; cylinders take their cross-section's
 *  cells as spheres do and their layers as boxes do. A box's notch takes out the cells whose centres lie in it. A mesh takes the cells
 *  whose centres lie inside, of the same grid as a sphere's. */
#ifndef SCREE_GEOMETRY_LATTICE_H
#define SCREE_GEOMETRY_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"
#include "geometry/search/boxes.h"

/** Relative slack of every "within" comparison between lengths: covers round-off, changes nothing else. */
#define GEO_LENGTH_SLACK 1e-9

typedef enum geo_solid_kind { GEO_SOLID_SPHERE, GEO_SOLID_BOX, GEO_SOLID_CYLINDER, GEO_SOLID_MESH } geo_solid_kind;

struct geo_mesh_tree;

/** A solid centred on the origin; a mesh is where its coordinates say. */
typedef struct geo_solid {
  geo_solid_kind kind;
  double radius;                    /**< m, sphere, and cylinder about the z axis */
  double inner_radius;              /**< m, radius of a concentric void in a sphere; 0 for none */
  scr_vec3 size;                    /**< m, full edges of a box; z: a cylinder's length */
  double notch_width;               /**< m, of a slot across a box: |x| < width / 2, through all of y, from the bottom up; 0 for none */
  double notch_depth;               /**< m, of the slot: z < depth - size.z / 2 */
  const struct geo_mesh_tree *mesh; /**< borrowed, see mesh_distance.h */
  geo_box box;                      /**< m, around the mesh */
  double volume;                    /**< m^3, of the mesh */
} geo_solid;

enum { GEO_NO_NODE = UINT32_MAX };

/** Nodes of one solid, ordered along a Z-shaped space-filling curve so that neighbours in space are near in memory. */
typedef struct geo_lattice {
  double spacing; /**< h, m */
  size_t node_count;
  int32_t (*twice)[3]; /**< [node_count] position = twice * h / 2 */
  int32_t lowest[3];   /**< of `twice` in the block of cells around the solid */
  uint32_t cells[3];   /**< size of that block */
  double *depth;       /**< [node_count] m, of a node below a mesh's surface; NULL for other solids */
  uint32_t *node_at;   /**< [cells[2]][cells[1]][cells[0]] node in a cell, or GEO_NO_NODE */
} geo_lattice;

/** Number of cells of the block around a solid: what geo_lattice_fill walks through. A double, so that it can't overflow. */
double geo_lattice_block(const geo_solid *solid, double spacing);

/** Volume of a solid over the cell's volume: about the number of nodes. */
double geo_lattice_expected(const geo_solid *solid, double spacing);

/** Fills a zeroed lattice. Blocks of 2^31 cells or more are refused: check geo_lattice_block first.
 *  @return SCR_OK, SCR_BAD_USAGE, SCR_NO_MEMORY; on failure `lattice` is what geo_lattice_clear accepts */
scr_status geo_lattice_fill(geo_lattice *lattice, const geo_solid *solid, double spacing, scr_error *error);
void geo_lattice_clear(geo_lattice *lattice);

/** Position of a node relative to the centre, m. */
static inline scr_vec3 geo_lattice_position(const geo_lattice *lattice, size_t node)
{
  const int32_t *t = lattice->twice[node];
  double half = 0.5 * lattice->spacing;
  return vec3(t[0] * half, t[1] * half, t[2] * half);
}

/** Node at `node` + offset cells, or GEO_NO_NODE. */
uint32_t geo_lattice_neighbour(const geo_lattice *lattice, size_t node, const int32_t offset[3]);

/** The same for many offsets, each with numbers between -2^20 and 2^20. @param neighbour [count] set */
void geo_lattice_neighbours(const geo_lattice *lattice, size_t node, const int32_t (*offset)[3], size_t count, uint32_t *neighbour);

/** Offsets p with 0 < |p| h <= reach (1 + slack), in lexicographic order of (z, y, x). Caller frees *offsets with mem_free. */
scr_status geo_lattice_offsets(double spacing, double reach, int32_t (**offsets)[3], size_t *count, scr_error *error);

/** Whether the straight line between two nodes stays in the solid that the lattice fills, see geo_solid_joins. */
bool geo_lattice_joins(const geo_lattice *lattice, const geo_solid *solid, size_t node, size_t other);

/** Least distance from the origin to the segment a b. */
double geo_segment_distance(scr_vec3 a, scr_vec3 b);

/** How deep a point lies below the surface of a solid, m; <= 0 outside. Exact inside; outside only the sign. */
double geo_solid_depth(const geo_solid *solid, scr_vec3 point);

/** Whether any straight line between two points of a solid stays in it for sure: no mesh, void or notch. */
bool geo_solid_is_convex(const geo_solid *solid);

/** Whether the straight line between two points of a solid stays out of its void and its notch, or inside its mesh; touching them is
 *  staying out. */
bool geo_solid_joins(const geo_solid *solid, scr_vec3 a, scr_vec3 b);

#endif
