/** Sweeps over cells: closed steps of cone.h for eight cells at a time in single precision, for four in double.
 *
 *  Cells of a block whose places have the same parity share no node: they are independent of each other. Eight (four) of them, a batch, are
 *  one lane each of registers. A batch holds what sweeps need of its cells, value after value, so that a sweep reads memory in order; lanes
 *  without sand have no weights, and do nothing. The velocities of a block's nodes, those on its far faces too, are copied to a patch in
 *  which nodes of one parity lie together, so that the nodes of a batch are loaded in a few pieces.
 *
 *      parity of a cell: bits of its place along x, y, (z)
 *      plane   blocks of 8 x 8: a batch is the cells of a parity in two rows (one)
 *      space   blocks of 4 x 4 x 4: it is all cells of a parity (those of a layer)
 *
 *  Cells of a block are taken parity after parity; backwards the other way round. Bits are the same for any number of threads and any width
 *  of registers.
 *
 *  Precision. What sweeps read and write bounds their speed, and the law needs no more than single precision: its fixed points are those of
 *  coefficients that are off by 6e-8, and what rounding leaves of gravity times the step is some 1e-5 of it, below the usual tolerance of
 *  1e-4. Impulses are what counts in the end: velocities follow from them in double precision (granular_move_nodes), so that momentum and
 *  energies close to rounding. Below a tolerance of GRANULAR_SINGLE_TOLERANCE sweeps take double precision.
 *
 *  Moves per cell and sweep, in space and single precision: 88 bytes of the batch, 24 of them back, 48 for inertia, and 125/64 nodes there
 *  and back. */
#ifndef SCREE_GRANULAR_SWEEP_H
#define SCREE_GRANULAR_SWEEP_H

#include "base/execution.h"
#include "methods/granular/state/state.h"

/** Makes batches of the cells and nodes of sweeps as they are. @return SCR_OK, SCR_NO_MEMORY */
scr_status granular_begin_sweeps(granular_state *state, scr_execution execution, scr_error *error);

/** Gauss-Seidel over all cells, by colours of blocks, forwards and then backwards.
 *  Forwards: before a cell's step its impulse r goes on by `share` of what it changed since the last sweep forwards began
 *  Backwards: sets by_block, in the order of colour_block: sum over cells of wN (r of the sweep forwards - r) . (r - r before it),
 *  positive where inertia leads uphill */
void granular_sweep_cells(granular_state *state, scr_execution execution, double share, double *by_block);

/** Velocities of the sweeps' nodes of a block go on by `share` of what they changed since the last call for it. */
void granular_extrapolate_nodes(granular_state *state, uint32_t block, double share);

/** How far cells are from the law, with r extrapolated by `share`, 1/s.
 *  @param value [3] sum of squares and number of cells that press, added to; largest residual, raised */
void granular_measure_cells(const granular_state *state, scr_execution execution, double share, double *value);

/** Impulses of the batches to the cells. */
void granular_end_sweeps(granular_state *state, scr_execution execution);

/** Velocities of the state's nodes to those of sweeps. */
void granular_take_nodes(granular_state *state, scr_execution execution);

/** Velocity of a node amid sweeps, m/s. */
static inline void granular_swept_velocity(const granular_state *s, uint32_t node, double u[3])
{
  for (int i = 0; i < 3; i++)
    u[i] = s->single ? (double)((const float *)s->swept)[4 * (size_t)node + (size_t)i]
                     : ((const double *)s->swept)[4 * (size_t)node + (size_t)i];
}

/** Adds to it. */
static inline void granular_kick_swept(granular_state *s, uint32_t node, int axis, double change)
{
  size_t at = 4 * (size_t)node + (size_t)axis;
  if (s->single)
    ((float *)s->swept)[at] = (float)((double)((float *)s->swept)[at] + change);
  else
    ((double *)s->swept)[at] += change;
}

#endif
