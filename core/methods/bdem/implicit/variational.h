/** Variational steps of second order: the discrete Lagrangian with the potential at the middle of each step.
 *
 *  L = sum m/(2 dt) |p_{n+1} - p_n|^2 + sum mq/(2 dt) |q_{n+1} - q_n|^2 - dt V(middle),   mq = 8/5 m r^2,
 *  the middle being (p_n + p_{n+1})/2 and the normalised (q_n + q_{n+1})/2. It is symplectic, second-order accurate, has no numerical
 *  damping, and keeps linear and angular momentum of free bodies as closely as the equations are solved. Like every method without
 *  damping it rings: what is faster than a step stays in motion, badly resolved. Prefer implicit Euler (implicit.h) for large steps
 *  through stiff, breaking bodies. Contacts with damping do not ring: stabilised_contact.h.
 *
 *  Source: bonded DEM with manifold optimisation (2025), eqs 2-4, with one correction. Printed is a minimisation in which the unit
 *  length of q_{n+1} is kept by a force along q_{n+1}: that is first-order accurate. The discrete Lagrangian's stationarity has the
 *  force along q_n, which makes the step a root problem instead of a minimum. V takes the normalised middle, so that it is the same
 *  function of unit quaternions as everywhere else. */
#ifndef SCREE_METHODS_BDEM_VARIATIONAL_H
#define SCREE_METHODS_BDEM_VARIATIONAL_H

#include "methods/bdem/implicit/implicit.h"

scr_status bdem_variational_create(const bdem_body *body, bdem_step_solver **solver, scr_error *error);
void bdem_variational_destroy(bdem_step_solver *solver);

/** Advances the body by one step; velocities and spins are the discrete momenta at the step's end. Called like bdem_implicit_step,
 *  with the same options and report (`decrease` stays 0: nothing is minimised). Contacts act as they
 *  are in the middle of the step: parts of the rig must stand where they are half a step on.
 *  @return SCR_OK; SCR_BAD_USAGE for options out of range, an infinite time step among them; SCR_DIVERGED when the tolerance is not
 *          reached or a sphere spins by 2 rad or more in the step (no solution exists then): the body is as it was, so that the caller
 *          may try a smaller step. SCR_NO_MEMORY. */
scr_status bdem_variational_step(bdem_step_solver *solver, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                                 bdem_implicit_report *report, scr_error *error);

#endif
