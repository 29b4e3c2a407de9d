/** Drawables by themselves: whether one is sound, what its fields mean, and copies that own their triangles. */
#ifndef SCREE_RECORD_DRAWABLE_H
#define SCREE_RECORD_DRAWABLE_H

#include "record/frame.h"

/** No such field. */
#define DRAWABLE_NO_FIELD UINT32_MAX

/** Whether a drawable is sound: kind, names, counts, field 0 a position, of grids sides and counts, components and encodings that fit,
 * every field with a meaning of its own (scr_field) as it should be; triangles of bodies and shapes present, their numbers of vertices in
 * range, vertices and modes finite.
 *  @return SCR_OK, SCR_BAD_USAGE */
scr_status drawable_check(const scr_drawable *drawable, scr_error *error);
/** The same before the triangles of its shapes are known. */
scr_status drawable_check_declared(const scr_drawable *drawable, scr_error *error);
/** Whether shape number `number` is sound: its triangles and modes. */
scr_status drawable_check_shape(const scr_drawable *drawable, uint32_t number, scr_error *error);

/** Index of the field of that name, or DRAWABLE_NO_FIELD. */
uint32_t drawable_field(const scr_drawable *drawable, const char *name);
/** The field that says to which piece an element belongs (scr_drawable.pieces), or DRAWABLE_NO_FIELD. */
uint32_t drawable_pieces_field(const scr_drawable *drawable);

/** Whether every frame says anew how many elements there are. */
bool drawable_varies(const scr_drawable *drawable);
/** The field that stands in a second block: `nodes` of threads, the corners of a skin; else DRAWABLE_NO_FIELD. */
uint32_t drawable_second_field(const scr_drawable *drawable);

/** Cells of a grid, those that are not there counted; some number above SCR_GRID_CELL_LIMIT for more than that. */
uint64_t drawable_grid_cells(const scr_grid_shape *grid);
/** Where a corner is, m: corner (i, j, k) is the lowest one of cell (i, j, k). */
scr_vec3 drawable_grid_corner(const scr_grid_shape *grid, uint64_t i, uint64_t j, uint64_t k);
/** Place of the cell of that number. */
void drawable_grid_place(const scr_grid_shape *grid, uint32_t cell, uint32_t place[3]);
/** The axis along which a grid is flat; 3: none. */
int drawable_grid_flat(const scr_grid_shape *grid);

/** Makes `copy` the same as `drawable`, with bodies and shapes of its own, which drawable_clear frees. On failure `copy` holds none.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status drawable_copy(const scr_drawable *drawable, scr_drawable *copy, scr_error *error);

/** Frees the bodies and shapes of a copy, or of a drawable that was read. */
void drawable_clear(scr_drawable *drawable);

#endif
