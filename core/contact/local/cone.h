/** Coulomb's friction cone of one contact: K = { r : |r_T| <= mu r_N }, in d = 2 (plane), 3 (space) or 6 (stresses of a continuum)
 *  dimensions.
 *
 *  With De Saxcé's change of variable u~ = u + mu |u_T| n, Coulomb's law is: r in K, u~ in K's dual cone, u~ . r = 0. Taking off, sticking
 *  and sliding are its three cases. The same in one line, for any s > 0: s r = proj_K(s r - u~); how far that fails is the residual used
 *  everywhere here.
 *
 *  A friction coefficient below zero marks a fixed contact: K is all of space and the law is u = 0. */
#ifndef SCREE_CONTACT_CONE_H
#define SCREE_CONTACT_CONE_H

enum { CONE_DIMENSION_MAX = 6 };

/** Nearest point of K.    x, p: [d], normal first; p may be x */
void cone_project(unsigned d, double friction, const double *x, double *p);

/** De Saxcé's change of variable: u with mu |u_T| added to its normal component.    u, shifted: [d]; shifted may be u */
void cone_shift(unsigned d, double friction, const double *u, double *shifted);

/** Natural map of one contact, |s r - proj_K(s r - u~)|; where mu > 1 that of Alart and Curnier (1991), |s r - P(s r - u)|, P the cut to
 *  r_N >= 0 and then to |r_T| <= mu r_N. 0 exactly when (u, r) obeys Coulomb's law. Unit of u.
 *  @param scale    s > 0, 1/kg: trace of the contact's block of the Delassus operator over d, so that s r is a velocity
 *  @param velocity [d] u, m/s    @param impulse [d] r, N s */
double cone_residual(unsigned d, double friction, double scale, const double *velocity, const double *impulse);

/** Which case of Coulomb's law an impulse is in. */
typedef enum cone_state { CONE_OPEN, CONE_STICKING, CONE_SLIDING } cone_state;

/** @param tolerance relative: within it of the cone's surface counts as sliding */
cone_state cone_state_of(unsigned d, double friction, const double *impulse, double tolerance);

#endif
