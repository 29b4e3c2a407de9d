/** What the readers of hexahedral meshes fill: nodes and elements as a file numbers them. */
#ifndef SCREE_GEOMETRY_HEXES_BUILDER_H
#define SCREE_GEOMETRY_HEXES_BUILDER_H

#include <stdbool.h>

#include "geometry/hexes/hexes.h"
#include "geometry/mesh/files/mesh_text.h"

/** A node as the file has it. */
typedef struct hexes_node {
  uint64_t id;
  uint32_t order; /**< in the file */
  double place[3];
} hexes_node;

/** Starts zeroed but for the limit; emptied by hexes_builder_clear. */
typedef struct hexes_builder {
  size_t limit;
  hexes_node *nodes;
  size_t node_count, node_capacity;
  uint64_t (*hexes)[GEO_HEX_CORNERS]; /**< ids of nodes */
  size_t hex_count, hex_capacity;
} hexes_builder;

/** @return SCR_OK; SCR_BAD_FILE beyond the limit, or for a coordinate that is not finite or too large; SCR_NO_MEMORY */
scr_status hexes_add_node(hexes_builder *builder, uint64_t id, const double place[3], scr_error *error);
/** The place of a node that was added before. */
scr_status hexes_put_place(hexes_builder *builder, size_t node, const double place[3], scr_error *error);
scr_status hexes_add_hex(hexes_builder *builder, const uint64_t corner[GEO_HEX_CORNERS], scr_error *error);

/** The mesh of what was added: ids looked up, unused nodes left out. @return SCR_OK; SCR_BAD_FILE for an id that is no node's, or two nodes
 *  of one id, or no hexahedra; SCR_NO_MEMORY. Empties the builder. */
scr_status hexes_finish(hexes_builder *builder, geo_hexes *mesh, scr_error *error);
void hexes_builder_clear(hexes_builder *builder);

/** A kind of cell by its VTK number: what becomes of it. */
typedef enum hexes_cell { HEXES_CELL_PASS, HEXES_CELL_HEX, HEXES_CELL_VOXEL, HEXES_CELL_REFUSE } hexes_cell;
hexes_cell hexes_vtk_cell(uint64_t type);
/** Adds a cell of VTK by its points. @param points [count] */
scr_status hexes_add_vtk_cell(hexes_builder *builder, uint64_t type, const uint64_t *points, size_t count, scr_error *error);

/** A number of VTK's by its bits, in the order of this machine. @param size bytes of a whole number, which is never negative there: of a
 *  node or a type; -4 and -8: of a floating-point number */
double hexes_number(uint64_t bits, int size);

/** Next word as a whole number from 0 to 2^53; "line 3: 'x' where WHAT is wanted" otherwise. */
scr_status hexes_take_whole(mesh_text *text, const char *what, uint64_t *value, scr_error *error);
/** Next word as a finite number. */
scr_status hexes_take_number(mesh_text *text, const char *what, double *value, scr_error *error);
/** Three of them. */
scr_status hexes_take_place(mesh_text *text, double place[3], scr_error *error);
/** SCR_BAD_FILE with the line, the word there and what is wanted. */
scr_status hexes_bad_word(const mesh_text *text, mesh_word word, const char *what, scr_error *error);
/** SCR_BAD_FILE where a count can't be in what is left of the file, at two bytes for each. */
scr_status hexes_check_count(const hexes_builder *builder, const mesh_text *text, uint64_t count, const char *what, scr_error *error);

/** The formats. Each reads a whole file into the builder. */
scr_status hexes_read_abaqus(mesh_text *text, hexes_builder *builder, scr_error *error);
scr_status hexes_read_vtk(mesh_text *text, hexes_builder *builder, scr_error *error);
scr_status hexes_read_vtu(const unsigned char *bytes, size_t size, locale_t numbers, hexes_builder *builder, scr_error *error);
scr_status hexes_read_gmsh(mesh_text *text, hexes_builder *builder, scr_error *error);

#endif
