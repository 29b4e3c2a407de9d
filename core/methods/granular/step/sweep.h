/** Sweeps over cells: closed steps of cone.h for four cells at a time.
 *
 *  Cells of a block whose places have the same parity share no node: they are independent of each other. Four of them, a batch, are one
 *  lane each of registers. A batch holds what sweeps need of its cells, value after value, so that a sweep reads memory in order; lanes
 *  without sand have no weights, and do nothing. The velocities of a block's nodes, those on its far faces too, are copied to a patch in
 *  which nodes of one parity lie together, so that the nodes of a batch are loaded whole.
 *
 *      parity of a cell: bits of its place along x, y, (z)
 *      plane   blocks of 8 x 8: a batch is the four cells of a parity in one row
 *      space   blocks of 4 x 4 x 4: it is the four cells of a parity in one layer
 *
 *  Cells of a block are taken parity after parity, then by place; backwards the other way round. Bits are the same for any number of
 *  threads and any width of registers.
 *
 *  Moves per cell and sweep, in space: 176 bytes of the batch, 48 of them back, 96 for inertia, and 125/64 nodes there and back. */
#ifndef SCREE_GRANULAR_SWEEP_H
#define SCREE_GRANULAR_SWEEP_H

#include "base/execution.h"
#include "methods/granular/state/state.h"

enum { GRANULAR_LANES = 4, GRANULAR_BATCHES = GEO_GRID_BLOCK / GRANULAR_LANES };

/** Makes batches of the cells as they are. @return SCR_OK, SCR_NO_MEMORY */
scr_status granular_begin_sweeps(granular_state *state, scr_execution execution, scr_error *error);

/** Gauss-Seidel over all cells, by colours of blocks.
 *  Forwards: before a cell's step its impulse r goes on by `share` of what it changed since the last sweep forwards began
 *  Backwards: sets by_block, in the order of colour_block: sum over cells of wN (r of the last sweep forwards - r) . (r - r before it),
 *  positive where inertia leads uphill */
void granular_sweep_forwards(granular_state *state, scr_execution execution, double share);
void granular_sweep_backwards(granular_state *state, scr_execution execution, double *by_block);

/** How far cells are from the law, with r extrapolated by `share`, 1/s.
 *  @param value [3] sum of squares and number of cells that press, added to; largest residual, raised */
void granular_measure_cells(const granular_state *state, scr_execution execution, double share, double *value);

/** Impulses of the batches to the cells. */
void granular_end_sweeps(granular_state *state, scr_execution execution);

#endif
