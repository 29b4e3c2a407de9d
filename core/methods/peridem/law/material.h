/** Constants of the bond and contact laws, derived from what a scene gives. */
#ifndef SCREE_PERIDEM_MATERIAL_H
#define SCREE_PERIDEM_MATERIAL_H

#include "methods/peridem/scene/options.h"

/** Micromodulus c(L) of a three-dimensional bond, N/m^6. The Poisson ratio is 1/4, E = 3 k / 2.
 *  constant: 18 k / (pi eps^4);  conic: 90 k / (pi eps^4) (1 - L / eps). Zero beyond the horizon of the conic law. */
double pd_micromodulus_at(pd_micromodulus kind, double bulk_modulus, double horizon, double length);

/** Critical stretch: constant sqrt(5 Gc / (9 k eps)), conic sqrt(Gc / (E eps)). */
double pd_critical_stretch(pd_micromodulus kind, double bulk_modulus, double fracture_energy, double horizon);

/** Part of a far cell of edge `spacing` at distance `length` that lies within the horizon: clip((eps + h/2 - L) / h, 0, 1). */
/** Critical stretch of ordinary state-based elasticity with the constant law, from that its bonds and their share of the dilatation hold
 *  together. Source: Madenci, Oterkus, "Peridynamic theory and its applications" (2014). Where k = 5 G / 3 it is that of bonds. */
double pd_critical_stretch_state(double bulk_modulus, double shear_modulus, double fracture_energy, double horizon);

double pd_partial_volume(double horizon, double spacing, double length);

/** Contact stiffness Kn = 18 k_eff / (pi Rc^5), k_eff = 2 k1 k2 / (k1 + k2), N/m^7. */
double pd_contact_stiffness(double bulk_modulus_1, double bulk_modulus_2, double contact_radius);

/** Time step bounds, s. `row_sum`: largest sum over a node's bonds of c w V_j / L, N/m^4. */
double pd_step_bound_bond(double density, double row_sum);
double pd_step_bound_contact(double density, double contact_stiffness, double contact_radius);
double pd_step_bound_damping(double density, double contact_stiffness, double contact_radius, double damping_ratio);
/** The same of explicit damping between nodes on a lattice of this spacing, `part` of whose ball of radius Rc is full: 1 / (2 sum of the
 *  dampers over the mass), as the row sums bound the damping's largest eigenvalue. */
double pd_step_bound_pairs(double density, double contact_stiffness, double contact_radius, double spacing, double part,
                           double damping_ratio);

#endif
