/** One contact by itself: find r with u = W r + b and (u, r) in Coulomb's law, the impulses of all other contacts being part of b.
 *
 *  Every solver works on the problem made dimensionless: W over s = trace(W)/d, b over |b|. Solutions need not be unique (friction is not
 *  an optimisation problem), and need not exist when W is singular. */
#ifndef SCREE_CONTACT_LOCAL_H
#define SCREE_CONTACT_LOCAL_H

#include <stdbool.h>

#include "contact/local/cone.h"

/** How one contact is solved. */
typedef enum local_solver {
  LOCAL_HYBRID,          /**< Newton, then sticking, then sliding by enumeration, then more Newton: the one to use */
  LOCAL_REVERSED_HYBRID, /**< sticking, sliding by enumeration, then Newton */
  LOCAL_NEWTON,          /**< damped Newton on the Fischer-Burmeister function alone */
  LOCAL_ENUMERATION,     /**< sticking, then sliding by its closed form or by bisection */
  LOCAL_ALART_CURNIER,   /**< undamped Newton on Alart and Curnier's function, to compare with */
  LOCAL_SOLVER_COUNT
} local_solver;

/** One contact. All numbers finite. */
typedef struct local_problem {
  unsigned dimension;          /**< d: 2, 3 or 6 */
  double friction;             /**< mu >= 0, or < 0 for a fixed contact */
  const double *delassus;      /**< W [d][d], 1/kg, column-major, symmetric positive semi-definite, trace > 0 */
  const double *free_velocity; /**< b [d], m/s */
} local_problem;

/** Solves one contact.
 *  @param impulse    [d] r, N s: where to start, then the solution, or the best point found; always finite
 *  @param iterations receives the Newton iterations; may be NULL
 *  @return whether the natural map, made dimensionless, is at most 1e-8 (1 + |r|): else a local failure */
bool local_solve(local_solver solver, const local_problem *problem, double *impulse, unsigned *iterations);

/* ── the parts, dimensionless: trace(W) = d, |b| = 1; for tests and for each other ── */

/** The Fischer-Burmeister function F of x = (mu r_N, r_T) and y = (u_N + mu |u_T|, mu u_T), u = W r + b, and its Jacobian by r.
 *  @param jacobian [d][d] column-major; NULL: not wanted    @param function [d]
 *  Source: Fukushima, Luo and Tseng 2002; with L(z)^-1 by its spectral decomposition, and x0/sqrt(x0^2 + y0^2) on the boundary. */
void local_fischer_burmeister(const local_problem *problem, const double *r, double *function, double *jacobian);

/** Damped Newton on it, at most `limit` iterations, from r. Keeps the best point. @return iterations done */
unsigned local_newton(const local_problem *problem, unsigned limit, double *r);

/** Alart and Curnier's function with unit penalty, undamped. @return iterations done */
unsigned local_alart_curnier(const local_problem *problem, unsigned limit, double *r);

/** Sticking: W r = -b. @return whether W is regular and r lies in the cone */
bool local_stick(const local_problem *problem, double *r);

/** Sliding, mu > 0: in closed form for d = 2 and 3, of several solutions the one with the least alpha in u_T = -alpha r_T; by bisection of
 *  alpha for d = 6, where sticking must have been refused. @return whether there is one */
bool local_slide(const local_problem *problem, double *r);

/** Natural map over 1 + |r|. */
double local_residual(const local_problem *problem, const double *r);

#endif
