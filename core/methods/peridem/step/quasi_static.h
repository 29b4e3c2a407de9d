/** Quasi-static loading by adaptive dynamic relaxation (Kilic, Madenci 2010, after Underwood 1983): a step of the run is a load step. The
 *  rig moves to where it is due, nodes move to equilibrium in increments of a fictitious motion with fictitious masses
 *  (host/motion/relaxation.h), damped at each by twice the root of Rayleigh's quotient of the last increment, which is the frequency of
 *  what still moves. Bonds past the critical stretch break in equilibrium only, and nodes relax again until none breaks. Time is a measure
 *  of load: nodes rest, and the force holds no inertia. */
#ifndef SCREE_PERIDEM_QUASI_STATIC_H
#define SCREE_PERIDEM_QUASI_STATIC_H

#include "methods/peridem/state/state.h"

/** Declares the table "unbalanced_steps" and the curves of relaxation; nothing for dynamic loading. */
scr_status pd_quasi_static_declare(scr_sim *sim, pd_state *state, scr_error *error);

/** One load step from `time` to `time` + time_step. A step that does not come to equilibrium within relaxation_limit increments gets a row
 *  in its table and raises a doubt. @param step its number, from 1    @return as pd_advance */
scr_status pd_load_step(scr_sim *sim, double time, uint64_t step, scr_error *error);

#endif
