/** Stress of nodes and grains, on the host, from the forces that bonds and contacts carry (virial; Love 1944, Weber 1966):
 *
 *      V_i P_i = - 1/2 sum over bonds f d (x) d / r  +  1/2 sum over pairs f d (x) d / r  +  sum over the rig  F (x) (x_i - p)
 *
 *  d leads to the other node, p is the point of the rig's surface that node i touches: so the mean over a grain in equilibrium is that of
 *  the loads on its surface, F / A where it is pressed evenly. Pressure is positive. Dampers and motion are left out. */
#ifndef SCREE_PERIDEM_STRESS_H
#define SCREE_PERIDEM_STRESS_H

#include "methods/peridem/host/host.h"

/** @param pressure,von_mises [node_count] Pa, set, or both NULL
 *  @param grains [grain_count], stresses set, or NULL    @return SCR_OK, SCR_NO_MEMORY (only where grains are asked for) */
scr_status pd_stress_pass(const pd_state *state, double *pressure, double *von_mises, pd_grain_stress *grains, scr_error *error);

/** The entry of pd_backend. */
scr_status pd_grain_stresses(const pd_state *state, pd_grain_stress *grains, scr_error *error);

#endif
