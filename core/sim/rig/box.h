/** The box between the six walls of a rig as it is now: how large it is, what presses it, how it was strained.
 *
 *      stress of an axis    what both of its walls feel, over twice the face between the four others
 *      strain of an axis    ln(edge at the zero / edge now), > 0 where the box became shorter
 *
 *  Compression counts as positive, as of soils and grains. Strains count from when the box was prepared: the end of the last servo segment
 *  of a wall that ends, from the start where none does; before, they are 0. */
#ifndef SCREE_SIM_RIG_BOX_H
#define SCREE_SIM_RIG_BOX_H

#include "sim/rig/parts.h"

/** @param edge [3] receives the edges along x, y, z, m, by where the walls are now    @return false, and 0, where the rig is no box */
bool sim_box_edges(const sim_parts *parts, double edge[3]);

/** Area between the four walls beside part p, a wall of a box, m^2; NaN where it is none. */
double sim_box_face(const sim_parts *parts, size_t p);

/** When strains of the box begin to count, s. */
double sim_box_zero(const sim_parts *parts);

enum { SIM_BOX_VALUES = 10 };
/** What the curves below are. @param zero [3] edges when strains began to count, m; 0: they do not yet    @param values [SIM_BOX_VALUES];
 *  all 0 where the rig is no box */
void sim_box_observe(const sim_parts *parts, const double zero[3], double *values);

/** The curves, in that order, in a method's list. */
#define SIM_BOX_CURVES                                                                                                                     \
  {"box.stress_x", "Pa", "Mean pressure on the walls across x"}, {"box.stress_y", "Pa", "Mean pressure on the walls across y"},            \
      {"box.stress_z", "Pa", "Mean pressure on the walls across z"}, {"box.mean_stress", "Pa", "Mean pressure on all walls"},              \
      {"box.deviator", "Pa", "Pressure on the walls across z less the mean of those across x and y"},                                      \
      {"box.stress_ratio", "1", "Deviator over the mean pressure"},                                                                        \
      {"box.strain_x", "1", "Shortening of the box along x since it was prepared, logarithmic"},                                           \
      {"box.strain_y", "1", "Shortening of the box along y since it was prepared, logarithmic"},                                           \
      {"box.strain_z", "1", "Shortening of the box along z since it was prepared, logarithmic"},                                           \
  {                                                                                                                                        \
    "box.volume_strain", "1", "Loss of volume of the box since it was prepared, logarithmic; below 0 it widens"                            \
  }

#endif
