/** How full a cell counts as, and at which rate it must close or open.
 *
 * phi is the volume of sand at its densest over the space that is free: 1 is packed. The law demands sqrt(2/d)-scaled tr(phi D) + (1
 * - phi)/dt >= 0.
 *  Source: shared specification "granular", sections 10.5 and 10.6.
 *
 *  A cell that the sand's surface cuts is partly empty, yet its sand is packed: counted as gas it would feel neither pressure nor friction.
 * So points carry the packing of the sand around them, by D phi/Dt = -phi div u with the divergence that the step has found, and a cell
 * counts as packed as its points are. Where points come together that were torn apart, packing is counted: within the sand it can't stay
 * above the count by more than a band, which is what points that cross a cell's faces move the count. */
#ifndef SCREE_GRANULAR_PACKING_H
#define SCREE_GRANULAR_PACKING_H

#include "methods/granular/law/tensor.h"

#define GRANULAR_UNDO_SHARE 0.2 /* of over-filling beyond the band that a step undoes */
#define GRANULAR_UNDO_BAND 0.1  /* over-filling that is left alone, so that rest stays rest */

#define GRANULAR_SURFACE 0.5       /* fraction around a node of a level surface */
#define GRANULAR_CARRIED_BAND 0.15 /* by how much points may count as packed above the count of their cell */

/** A cell's own fraction jumps as points cross its faces; the mean over its nodes does not. */
static inline double packing_fraction(double own, double of_nodes)
{
  double most = own < 1 ? own : 1;
  return most > of_nodes ? most : of_nodes;
}

/** k of the law, 1/s: what a cell lacks to be full, over the step; below 0 where it is too full. */
static inline double packing_gap(int d, double fraction, double step)
{
  double lack = 1 - fraction, over = lack + GRANULAR_UNDO_BAND;
  if (lack < 0) lack = over < 0 ? GRANULAR_UNDO_SHARE * over : 0;
  return lack / (tensor_pressure_scale(d) * step);
}

/** Packing, at most 1, of sand that has opened by a share of its volume (below 0: closed) in a step: where it closed in the linear form of
 * the law, so that a gap that was used up leaves 1. */
static inline double packing_after(double packing, double opened)
{
  double after = opened > 0 ? packing / (1 + opened) : packing * (1 - opened);
  return after < 1 ? after : 1;
}

#endif
