/** A step of Newton's method on a contact problem, in the space of its contacts.
 *
 *  Each contact is in one of three cases, by Alart and Curnier's map of (f, u) with s the mean diagonal of its own block of W:
 *
 *      open      s f_n - u_n <= 0                         f = 0
 *      sticking  |s f_t - u_t| <= mu (s f_n - u_n)        u = 0
 *      sliding   else, t = (s f_t - u_t)/|s f_t - u_t|    u_n = 0,  f_t = mu f_n t
 *
 *  and the step solves these, linearised, for all closed contacts together. Bodies that meet by more nodes than they need have a singular
 *  W: its diagonal is raised in the step, which changes no solution: what is left shrinks by proximal/(proximal + eigenvalue) a step
 * (proximal point). Source: Alart and Curnier 1991, Comput. Methods Appl. Mech. Eng. 92, 353. */
#ifndef SCREE_METHODS_FEM_CONTACT_NEWTON_H
#define SCREE_METHODS_FEM_CONTACT_NEWTON_H

#include "methods/fem/dynamics/contact_problem.h"

/** relative := u = W f + q. */
void fem_contact_velocities(fem_contact_problem *problem);

/** The same after the forces of contact i changed by `change`, [directions]. */
void fem_contact_push(fem_contact_problem *problem, size_t i, const double *change);

/** A contact's own block of W, column by column.  @return its mean diagonal */
double fem_contact_own_block(const fem_contact_problem *problem, size_t i, double block[9]);

/** One step from the forces there are.  @return SCR_OK; SCR_DIVERGED where the equations are singular, forces may be changed then;
 *  SCR_NO_MEMORY */
scr_status fem_contact_newton_step(fem_contact_problem *problem, scr_error *error);

#endif
