/** The stages of a step with a fluid, in order; each reads and writes what its line says. One thread does all of it: a step of the sand
 *  takes longer.
 *
 *      granular_to_nodes      (step/stages.h)                         -> masses and velocities of nodes
 *      wet_carry              masses of nodes, fluid of the last step -> grains' fractions; fluid where it is now, its momentum kept
 *      wet_find_viscosity     velocities of both                      -> impulses of viscosity
 *      granular_warm_start    (step/stages.h)                         -> stresses of the last step on the nodes
 *      wet_solve              all of it                               -> velocities of both, pressure, stresses of the sand
 *      wet_account            velocities before and after             -> energies
 */
#ifndef SCREE_GRANULAR_WET_STAGES_H
#define SCREE_GRANULAR_WET_STAGES_H

#include "base/liveness.h"
#include "methods/granular/step/stages.h"
#include "methods/granular/wet/fluid.h"

/** Carries the fluid from where it was to what the grains leave free now. @param last  s, of the step before */
scr_status wet_carry(wet_fluid *fluid, const granular_state *state, double last, wet_energy *energy, scr_error *error);

/** Impulses of viscosity on the mixture, by its velocity before the step. @param step s */
void wet_find_viscosity(wet_fluid *fluid, const granular_state *state, double step);

/** Solves drag, pressure and the law of sand together. */
scr_status wet_solve(wet_fluid *fluid, granular_state *state, const granular_pass *pass, const scr_liveness *liveness, scr_error *error);

/** Energies of the step, and what curves say of it. */
void wet_account(wet_fluid *fluid, const granular_state *state, double step, wet_energy *energy);

/* ── the saddle point ───────────────────────────────────────────────────────────────────────────────────────────── */

/** Makes and factorises the equations of a step: its unknowns are velocities of grains at nodes with sand, then a pressure in each cell. */
scr_status wet_make_saddle(wet_fluid *fluid, double step, scr_error *error);
/** Solves them for grains that would have the velocities `free` without the fluid, m/s: sets u, pressure and the nodes' velocities. */
scr_status wet_solve_saddle(wet_fluid *fluid, granular_state *state, double step, scr_error *error);
/** Largest share of its volume that a cell gains by fluid and sand in a step. */
double wet_divergence(wet_fluid *fluid, const granular_state *state, double step);

/** Velocity of the grains at a face, m/s, by those of nodes. */
static inline double wet_grains_at(const wet_fluid *fluid, const granular_state *state, size_t face)
{
  const wet_coupling *c = &fluid->coupling[face];
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    uint32_t place = fluid->place[fluid->face[face].node[k]];
    if (place != WET_NONE) sum += c->weight[k] * state->nodes[place].u[wet_axis(fluid, face)];
  }
  return sum;
}

#endif
