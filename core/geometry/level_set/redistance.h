/** Makes a level set a distance again, and carries it along by a field of velocities.
 *
 *  Redistancing never moves the surface: grid points next to it are set by the linear reconstruction, |phi| over its slope (central
 *  differences, at least that along a grid line that crosses the surface), and stay; all others follow from |grad phi| = 1 by Godunov's
 *  update in eight alternating sweeps, until nothing changes by more than 1e-6 spacings.
 *  Source: Zhao, A fast sweeping method for eikonal equations, Math. Comp. 74 (2005) 603; the slope next to the surface after Russo,
 *  Smereka, A remark on computing distance functions, J. Comput. Phys. 163 (2000) 51. */
#ifndef SCREE_GEOMETRY_LEVEL_SET_REDISTANCE_H
#define SCREE_GEOMETRY_LEVEL_SET_REDISTANCE_H

#include "geometry/level_set/level_set.h"

/** Turns values whose sign alone matters, and their ratios next to the surface, into distances, m.
 *  @return SCR_OK; SCR_BAD_USAGE: no value is below 0, or none above; SCR_NO_MEMORY */
scr_status level_set_redistance(level_set *field, scr_error *error);

/** Velocity of a grid point, m/s, at a share of the time from 0 to 1. Called from several threads at once. */
typedef scr_vec3 (*level_set_velocity)(const void *user, scr_vec3 point, double share);

/** Solves phi' + v . grad phi = 0 for one second, in steps in which nothing goes farther than half a spacing: WENO of fifth order upwind in
 *  space, Runge and Kutta's total-variation-diminishing rule of third order in time. Beyond the grid the outermost values go on.
 *  @param user handed to the velocity    @return SCR_OK, SCR_NO_MEMORY
 *  Source: Jiang, Peng, Weighted ENO schemes for Hamilton-Jacobi equations, SIAM J. Sci. Comput. 21 (2000) 2126; Shu, Osher 1988. */
scr_status level_set_advect(level_set *field, level_set_velocity velocity, const void *user, scr_error *error);

#endif
