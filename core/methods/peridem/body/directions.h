/** The surface correction by direction: bonds as much stiffer as their ends lack neighbours along them.
 *
 *  n: unit vector along a bond xi in the lattice's axes, L = |xi|, phi: its weight. Of a full node, by the lattice's own offsets:
 *
 *      S11 = sum phi L n_1^4     S12 = sum phi L n_1^2 n_2^2      C_11 = c V S11 / 2,  C_12 = C_44 = c V S12 / 2
 *      c = 1.5 k / (V (S11 - 2 S12^2 / (S11 + S12)) / 2)          so that E along the axes is 3 k / 2
 *      s0^2 = 4 Gc / (c V sum phi L |xi_1|)                       so that parting a plane across an axis takes Gc an area
 *
 *  Of a node i, with the neighbours it has, and of a bond:
 *
 *      f_a = sum phi L n_a^4 / S11     g_i(n) = (sum_a n_a^2 f_a^2)^(-1/2)     its weight: phi (g_i(n) + g_j(n)) / 2
 *
 *  which is phi between full nodes. f is taken as 1/10 at least, so that a node with next to no neighbours in a direction does not get
 *  bonds as stiff as the body. The idea of factors by direction from uniform strains, and their ellipsoid: Madenci, Oterkus, "Peridynamic
 *  theory and its applications" (2014), section 4.2; here in the lattice's axes and by sums instead of simulations. */
#ifndef SCREE_PERIDEM_DIRECTIONS_H
#define SCREE_PERIDEM_DIRECTIONS_H

#include "methods/peridem/body/body.h"

/** Sums over the neighbours of a full node. */
typedef struct pd_full_node {
  double along;    /**< S11, m */
  double crossing; /**< S12, m */
  double parted;   /**< sum phi L |xi_1|, m^2, mean over the axes */
} pd_full_node;

/** Of neighbours at offset[k] cells, with weights phi. Where cells are stretched to fill a shape (pd_cell_of), S11 and S12 are those of
 *  cubes, and the weights are changed so that the stretched lattice has S11 along each of its axes.
 *  @param weight [count] phi by the distance in cubes, m; receives that of the stretched lattice
 *  @param spacing edge of cubic cells, m    @param cell edges of the real ones, m */
pd_full_node pd_full_node_of(const int32_t (*offset)[3], double *weight, size_t count, double spacing, scr_vec3 cell);

/** Constants of a body whose nodes stand for the volume node_volume, from the lattice's sums: micromodulus, stiffness, and the critical
 *  stretch where it is finite. @param fracture_energy J/m^2 */
void pd_directions_calibrate(pd_body *body, const pd_full_node *full, double fracture_energy);

/** From rows whose weights are phi: sets the corrected weights.
 *  @param worst receives the largest row sum that bounds the step, as pd_step_bound_bond wants it, N/m^4
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status pd_directions_apply(pd_body *body, const pd_full_node *full, double *worst, scr_error *error);

#endif
